"""The papers' figures, drawn anew."""

from __future__ import annotations

import re

import pytest

import ropewalk as rw
from ropewalk.errors import UnreadableFileError
from ropewalk.papers import draw_figures, icdm2015, make_folder, sigir2016
from support import need

need("matplotlib").use("Agg")


def size(path):
    """Return the width and height that an SVG file says it has, in points."""
    head = path.read_text(encoding="utf-8")[:2_000]
    return tuple(float(re.search(rf'{side}="([\d.]+)pt"', head)[1]) for side in ("width", "height"))


def test_icdm_has_figures_4_to_6_of_three_panels(tmp_path, frugal):
    rows = [row for row in icdm2015(draws=500) if row.ours.metric == "macro_f1"]
    written = list(draw_figures("icdm2015", rows, make_folder(str(tmp_path / "new" / "folder"))))
    names = [f"icdm2015-figure-{i}.{kind}" for i in (4, 5, 6) for kind in ("svg", "png")]
    assert sorted(path.name for path in written) == sorted(names)
    for path in written:
        if path.suffix == ".svg":
            assert size(path) == pytest.approx((3 * 3.4 * 72, 2.6 * 72))
        else:
            assert path.read_bytes().startswith(b"\x89PNG")


def test_sigir_has_figure_6_and_the_same_seed_draws_the_same_file(tmp_path, frugal):
    rows = [row for row in sigir2016(draws=500) if row.category == 8]
    assert len(rows) == 3  # of three pairs; the figure is about one of them
    first = list(draw_figures("sigir2016", rows, make_folder(str(tmp_path / "a"))))
    second = list(draw_figures("sigir2016", rows, make_folder(str(tmp_path / "b"))))
    assert [path.name for path in first] == ["sigir2016-figure-6.svg", "sigir2016-figure-6.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert size(first[0]) == pytest.approx((2 * 3.4 * 72, 2.6 * 72))


def test_the_command_writes_them_and_says_where(run, tmp_path, frugal):
    code, out, err = run("reproduce", "sigir2016", "--draws", "1000", "--figures", tmp_path / "figures")
    assert code == 0
    assert "Table 4" in out
    assert f"Wrote {tmp_path / 'figures' / 'sigir2016-figure-6.svg'}" in err


def test_a_folder_that_is_a_file_is_refused_before_any_work(run, tmp_path, monkeypatch):
    monkeypatch.setattr("ropewalk.cli.cmd_reproduce.sigir2016", None)
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    code, out, err = run("reproduce", "sigir2016", "--draws", "1000", "--figures", taken)
    assert (code, out) == (rw.errors.UnreadableFileError.exit_code, "")
    assert "Cannot make the folder" in err


@pytest.mark.parametrize("path", ["x/" * 3_000, "a\0b", "/dev/null/x"], ids=["deep", "null", "in a device"])
def test_a_folder_that_cannot_be_made_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnreadableFileError, match="Cannot make the folder") as caught:
        make_folder(path)
    assert len(str(caught.value)) < 400
