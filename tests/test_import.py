"""`import ropewalk` stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
