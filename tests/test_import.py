"""`import ropewalk` stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support import need

HEAVY = [
    "scipy.stats", "matplotlib", "pandas", "polars", "pyarrow", "duckdb", "pymc",
    "click", "rich", "jinja2", "sklearn", "statsmodels",
]  # fmt: skip


def test_importing_ropewalk_pulls_in_nothing_heavy():
    ours = ["ropewalk.plots", "ropewalk.report", "ropewalk.cli.app"]  # for those who ask
    code = f"import sys, ropewalk; print([m for m in {[*HEAVY, *ours]!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "labels",
    ["[1, 0] * 50, [1, 0] * 50, [1, 1] * 50", "[*'abcde'] * 20, [*'abcdd'] * 20, [*'abccc'] * 20"],
    ids=["two labels", "five"],
)
def test_a_comparison_and_its_text_need_numpy_alone(labels):
    code = (
        f"import sys, ropewalk as rw; r = rw.compare({labels}, rope=.1, rng=0, draws=1000);"
        f"str(r); r.to_json(); r.to_latex(); print([m for m in {[*HEAVY, 'narwhals', 'scipy']!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


ELSEWHERE = [
    "ropewalk.classical", "ropewalk.results.classical",
    "ropewalk.mcmc.chains", "ropewalk.mcmc.running", "ropewalk.planning", "ropewalk.report.dots",
    "ropewalk.report.leaders", "ropewalk.report.plates", "ropewalk.report.render", "ropewalk.results.resampled",
]  # fmt: skip
"""What other kinds of answers, Markov chains and pages take."""


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_command_imports_what_its_answer_takes(name, tmp_path):
    (tmp_path / "t.csv").write_text("y,a,b\n" + "1,1,0\n0,0,0\n" * 50)
    if name == "t.parquet":
        need("duckdb")
        columns = {"y": [1, 0] * 50, "a": [1, 0] * 50, "b": [1, 1] * 50}
        need("pyarrow.parquet").write_table(need("pyarrow").table(columns), tmp_path / name)
    heavy = {*HEAVY, *ELSEWHERE, "numpy.ma", "concurrent.futures", "narwhals"} - {"click", "duckdb"}
    code = (
        "import sys; from ropewalk.cli.app import main\n"
        "try: main()\n"
        f"finally: print([m for m in {sorted(heavy)!r} if m in sys.modules], file=sys.stderr)"
    )
    line = ["compare", name, "--truth", "y", "--a", "a", "--b", "b", "--rope", "0.1", "--seed", "0", "--json"]
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_public_names_are_sorted_and_there():
    import ropewalk as rw

    assert list(rw.__all__) == sorted(rw.__all__)
    assert all(hasattr(rw, name) for name in rw.__all__)


def test_pictures_come_when_they_are_asked_for_and_without_matplotlib():
    code = "import sys, ropewalk as rw; rw.plots.plot_posterior; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_name_that_is_not_there_is_said_so():
    import ropewalk as rw

    assert not hasattr(rw, "plot")
