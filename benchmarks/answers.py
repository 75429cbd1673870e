"""Save what ropewalk answers to some sixty questions over all kinds of results, and compare it with another version.

    python benchmarks/answers.py save FILE            ask every question and write the answers
    python benchmarks/answers.py check FILE           ask again and compare: every number and every string must be equal
    python benchmarks/answers.py check FILE rank cli  ask only the questions whose name contains one of these words
    python benchmarks/answers.py list                 name the questions

An answer is what a result gives as JSON, text, Markdown, LaTeX and a sentence, for some also the visible text of the
HTML page, and the warnings that were issued. A question that raises has its error as the answer. The exit status of
`check` is 1 if anything differs that EXPECTED_CHANGES does not list. All questions take about a minute of one core.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import functools
import hashlib
import html
import inspect
import io
import json
import math
import os
import re
import runpy
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

# Libraries read these when they are imported: one thread, a fixed width of the terminal, a fixed date on pages.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100", "NO_COLOR": "1"}
os.environ |= {"SOURCE_DATE_EPOCH": "1700000000", "TERM": "dumb"}

import numpy as np
import pandas as pd
from scipy import stats

import ropewalk as rw

EXPECTED_CHANGES: list[tuple[str, str, str]] = [
    (".*", r".*page: [-+] rw\.(compare|evaluate|rank)(_scores)?\(.*", "the verbs take labels and scores alike"),
    (
        ".*",
        r"(.*\.)?json\.(.*\.)?recipe\.model\..*",
        "Sigir2016 was Paired, eta_prior was alpha and beta; and a model keeps the name it was asked for by",
    ),
    (
        ".*",
        r'.*page: [-+] ("(kind|name|paired|alpha|beta|mass|kappa|pseudo_count|\w+_prior)": .*|\],?|1\.0,?)',
        "the same in the JSON that a page shows",
    ),
    (
        "compare_(trees|own_priors|power_prior|delta_prior|model_names)|prior_sensitivity|mcmc_metropolis|arviz_and_netcdf",
        r"(.*\.)?(json\.(.*\.)?model|(str|markdown|latex|page|card): .*(paired|sigir2016|tree).*|sentence(\[\d+\])?)",
        "an object has the name of its class, sigir2016 or tree, where paired and unpaired are names of a choice",
    ),
    ("errors", r"model\.message", "there are more names of models to choose from"),
    ("cli_compare_files", r"model\.json\.model", "the papers' model has a name of its own"),
]
"""Differences on purpose: regular expressions of whole question names and whole paths, and the reason.

A path is that of the JSON (`json.delta.hdi[0]`), or of a text with the line that went or came: `text: - old line`,
`text: + new line`. Parts of an answer come first: `half.json.prob`."""

MAX_DIFFERENCES_SHOWN = 12

# ---------------------------------------------------------------------------------------------------------------------
# The two spellings: the new one first, else the old one. Once the new one is everywhere, OLD_NAMES and `spelt` can go
# (call the function itself), the functions below become their last lines, and only the new names stay.

IS_OLD = hasattr(rw, "compare_scores")
OLD_NAMES = {
    "n_permutations": "permutations", "n_repeats": "repeats", "n_sets": "sets", "n_bins": "bins", "n_chains": "chains",
}  # fmt: skip


def spelt(function: Callable[..., Any], *data: Any, **options: Any) -> Any:
    """Call a function by new names of options, or by the old ones where it knows only those."""
    known = inspect.signature(function).parameters
    old = {new: name for new, name in OLD_NAMES.items() if new not in known and name in known}
    return function(*data, **{old.get(name, name): value for name, value in options.items()})


def compare_scores(*data: Any, metric: Any = "roc_auc", **options: Any) -> Any:
    if IS_OLD:
        return rw.compare_scores(*data, metric=metric, **options)
    return rw.compare(*data, metric=metric, **options)


def evaluate_scores(*data: Any, metric: Any = "roc_auc", **options: Any) -> Any:
    if IS_OLD:
        return rw.evaluate_scores(*data, metric=metric, **options)
    return rw.evaluate(*data, metric=metric, **options)


def rank_scores(*data: Any, metric: Any = "roc_auc", **options: Any) -> Any:
    if IS_OLD:
        return rw.rank_scores(*data, metric=metric, **options)
    return rw.rank(*data, metric=metric, **options)


def scores_option() -> list[str]:
    return ["--scores"] if IS_OLD else []


def sampler(**options: Any) -> Any:
    return spelt(rw.Sampler, **options)


def papers_model(**priors: Any) -> Any:
    """The papers' model of two classifiers on the same items."""
    return (rw.models.Sigir2016 if hasattr(rw.models, "Sigir2016") else rw.models.Paired)(**priors)


def papers_unpaired(**priors: Any) -> Any:
    """The papers' model of one classifier on two labels."""
    return (rw.models.Sigir2016Unpaired if hasattr(rw.models, "Sigir2016Unpaired") else rw.models.Unpaired)(**priors)


def papers_name(name: str) -> str:
    """The papers' models of two labels by name."""
    return {"paired": "sigir2016", "unpaired": "sigir2016_unpaired"}[name] if hasattr(rw.models, "Sigir2016") else name


# ---------------------------------------------------------------------------------------------------------------------
# The data.

FEW = {"draws": 2_000, "rng": 0}
SIMULATED = {"simulations": 60, "draws": 300, "rng": 0}
HOSTILE = ("<b>α_β</b> & 50% | \\x{}$#~^", "line\nbreak\u202e")
SCENARIO = "F1 .60 against .50 at agreement .7"


@functools.cache
def news() -> Any:
    return rw.examples.news20()


@functools.cache
def news_counts() -> Any:
    return news().outcomes


@functools.cache
def reuters() -> Any:
    return rw.examples.reuters90()


@functools.cache
def binary(n: int = 400) -> tuple[np.ndarray, ...]:
    """Truth and three classifiers of two labels, the better first."""
    rng = np.random.default_rng(7)
    y = (rng.random(n) < 0.4).astype(int)
    hard = rng.random(n)
    return y, *(np.where(0.7 * hard + 0.3 * rng.random(n) < right, y, 1 - y) for right in (0.8, 0.7, 0.68))


@functools.cache
def letters(n: int = 150) -> tuple[np.ndarray, ...]:
    """Truth and three classifiers of three labels."""
    rng = np.random.default_rng(8)
    y = rng.choice(list("xyz"), n, p=[0.5, 0.3, 0.2])
    return y, *(np.where(rng.random(n) < right, y, rng.choice(list("xyz"), n)) for right in (0.8, 0.7, 0.5))


@functools.cache
def scored(n: int = 200) -> tuple[np.ndarray, ...]:
    """Truth of two labels and three columns of probabilities."""
    rng = np.random.default_rng(9)
    y = (rng.random(n) < 0.3).astype(int)
    return y, *(1 / (1 + np.exp(-rng.normal(shift * (y - 0.5), 1.0))) for shift in (3.0, 2.0, 1.5))


@functools.cache
def tagged(n: int = 120) -> tuple[np.ndarray, ...]:
    """Truth and three classifiers of items with any of four labels."""
    rng = np.random.default_rng(10)
    y = (rng.random((n, 4)) < [0.5, 0.3, 0.2, 0.1]).astype(int)
    return y, *(np.where(rng.random((n, 4)) < right, y, 1 - y) for right in (0.9, 0.85, 0.8))


@functools.cache
def clusters(n: int = 400) -> np.ndarray:
    return np.random.default_rng(11).integers(0, 40, n)


@functools.cache
def folder() -> Path:
    """A folder of files for the command line, which ends with the process."""
    place = tempfile.TemporaryDirectory(prefix="answers-")
    KEPT.append(place)
    path = Path(place.name)
    y, a, b, c = binary()
    s_a, s_b = (np.resize(column, y.size) for column in scored()[1:3])
    table = pd.DataFrame(
        {"id": range(y.size), "y": y, "a": a, "b": b, "c": c, "group": clusters(), "sa": s_a, "sb": s_b}
    )
    table.to_csv(path / "table.csv", index=False)
    y, a, b, c = letters()
    pd.DataFrame({"y": y, "a": a, "b": b, "c": c}).to_csv(path / "letters.tsv", index=False, sep="\t")
    for name in "ab":
        table[["id", "y", name]].rename(columns={name: "said"}).to_csv(path / f"own_{name}.csv", index=False)
    (path / "holes.csv").write_text("y,a,b\n1,1,0\n0,,0\n1,1,1\n0,0,1\n,1,1\n1,0,1\n0,0,0\n", encoding="utf-8")
    (path / "matrix_a.csv").write_text("40,5,2\n3,30,4\n1,6,20\n", encoding="utf-8")
    (path / "matrix_b.csv").write_text("38,6,3\n5,27,5\n2,8,17\n", encoding="utf-8")
    (path / "costs.csv").write_text("0,1\n5,0\n", encoding="utf-8")
    return path


KEPT: list[Any] = []


def compared(**options: Any) -> Any:
    y, a, b, _ = binary()
    return rw.compare(y, a, b, **{"rope": 0.05, **FEW, **options})


def of_letters(**options: Any) -> Any:
    y, a, b, _ = letters()
    return rw.compare(y, a, b, **{"rope": 0.05, **FEW, **options})


def of_news(**options: Any) -> Any:
    return rw.compare(news_counts(), a="nb_mult", b="svm_l2", **{"rope": 0.05, **FEW, **options})


def matrices(**options: Any) -> Any:
    tables = rw.examples.icdm2015_matrices()
    return rw.compare(tables["nb_mult"], tables["svm_l2"], **{"rope": 0.005, **FEW, **options})


def item_scores() -> Any:
    y, s_a, s_b, _ = scored()
    return rw.ItemScores.from_arrays(y, s_a, s_b, names=("forest", "bayes"))


def squared_score(y_true: Any, y_score: Any, sample_weight: Any = None) -> float:
    return float(np.average((np.asarray(y_true) - y_score) ** 2, weights=sample_weight))


def youden(margins: Any) -> Any:
    recall = margins.tp / np.maximum(margins.row, 1e-300)
    return recall.sum(axis=-1) - 1


def digest(values: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16]


def command(*arguments: str) -> dict[str, Any]:
    """Run the command line in this process: its exit status, and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    before, status = sys.argv, 0
    sys.argv = ["ropewalk", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runpy.run_module("ropewalk", run_name="__main__", alter_sys=False)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.argv = before
    text = out.getvalue()
    shown: dict[str, Any] = {"status": status, "stderr": err.getvalue().splitlines()}
    return shown | ({"json": json.loads(text)} if text.startswith("{") else {"stdout": text.splitlines()})


def on_file(verb: str, name: str, *options: str) -> dict[str, Any]:
    return command(verb, str(folder() / name), *options)


# ---------------------------------------------------------------------------------------------------------------------
# The questions. One that returns a dict has several parts.

QUESTIONS: dict[str, Callable[[], Any]] = {}


def question(function: Callable[[], Any]) -> Callable[[], Any]:
    QUESTIONS[function.__name__] = function
    return function


@question
def compare_binary():
    y, a, b, _ = binary()
    return {"auto": Page(rw.compare(y, a, b, rope=0.05, rng=0)), "no_rope": rw.compare(y, a, b, **FEW)}


@question
def compare_ropes():
    ropes = {"one_sided": (-0.02, math.inf), "other_side": (-math.inf, 0.0), "asymmetric": (-0.01, 0.03)}
    return {name: compared(rope=rope) for name, rope in ropes.items()}


@question
def compare_rule():
    return {"rule": compared(rule="probability", prob=0.9), "narrow": compared(rule="probability", rope=0.2)}


@question
def compare_tests():
    return {"binary": compared(tests=True), "letters": Page(of_letters(tests=True)), "news": of_news(tests=True)}


@question
def compare_metrics():
    names = ("accuracy", "error", "mcc", "kappa", "fbeta(2)", "gmean", "specificity", "jaccard", "balanced_accuracy")
    return {name: compared(metric=name) for name in names} | {"object": compared(metric=rw.metrics.fbeta(0.5))}


@question
def compare_averages():
    names = ("micro_f1", "weighted_recall", "macro_precision", "mcc", "kappa", "error")
    return {name: of_letters(metric=name) for name in names} | {"classes": of_letters(classes=["x", "z"])}


@question
def compare_callable():
    return {"function": compared(metric=youden), "letters": of_letters(metric=youden)}


@question
def compare_prevalence():
    return {"binary": compared(prevalence=0.1), "letters": of_letters(prevalence={"x": 0.2, "y": 0.3, "z": 0.5})}


@question
def compare_cost():
    return {
        "binary": compared(metric="cost", cost_matrix=[[0, 1], [5, 0]]),
        "letters": of_letters(metric="cost", cost_matrix=[[0, 1, 2], [1, 0, 3], [4, 5, 0]], rope=0.1),
    }


@question
def compare_clusters():
    y, a, b, _ = binary()
    return Page(rw.compare(y, a, b, cluster=clusters(), rope=0.05, **FEW))


@question
def compare_missing():
    y, a, b, _ = binary(60)
    holes = [None if i % 11 == 0 else int(label) for i, label in enumerate(a)]
    return {how: Try(lambda how=how: rw.compare(y, holes, b, missing=how, **FEW)) for how in ("error", "drop", "wrong")}


@question
def compare_labels():
    y, a, b, _ = letters()
    return {
        "more": rw.compare(y, a, b, labels=["w", "x", "y", "z"], **FEW),
        "pos_label": of_letters(pos_label="y"),
        "text": rw.compare(*([("no", "yes")[i] for i in column] for column in binary()[:3]), pos_label="yes", **FEW),
    }


@question
def compare_prior():
    return {
        "binary": Page(rw.compare([], [], [], labels=[0, 1], rope=0.05, **FEW)),
        "letters": rw.compare([], [], [], labels=["x", "y", "z"], rope=0.05, **FEW),
    }


@question
def compare_near_copies():
    y, a, *_ = binary()
    copy = a.copy()
    copy[[3, 50]] = 1 - copy[[3, 50]]
    return {"two_items": rw.compare(y, a, copy, rope=0.01, **FEW), "same": rw.compare(y, a, a, rope=0.01, **FEW)}


@question
def compare_small():
    few = [1, 0, 1, 1], [1, 0, 0, 1], [0, 0, 0, 1]
    return {"four": rw.compare(*few, rope=0.1, **FEW), "thin": of_letters(metric="macro_f1", labels=list("vwxyz"))}


@question
def compare_hostile_names():
    y, a, b, _ = binary()
    return Page(rw.compare(y, a, b, names=HOSTILE, rope=0.05, **FEW))


@question
def compare_sources():
    frame = pd.read_csv(folder() / "table.csv")
    read = rw.read_outcomes(folder() / "letters.tsv", truth="y", predictions=["a", "b", "c"])
    joined = rw.join_outcomes(folder() / "own_a.csv", folder() / "own_b.csv", id="id", truth="y", prediction="said")
    return {
        "frame": rw.compare(frame, a="a", b="b", truth="y", rope=0.05, **FEW),
        "file": rw.compare(folder() / "table.csv", a="a", b="c", truth="y", pos_label="1", rope=0.05, **FEW),
        "read": rw.compare(read, a="a", b="c", rope=0.05, **FEW),
        "joined": rw.compare(joined, pos_label="1", rope=0.05, **FEW),
        "counts": rw.Outcomes.from_json(read.to_json()).data_hash,
    }


@question
def compare_news():
    return {"class_8": of_news(pos_label=8), "macro": Page(of_news(rope=0.005)), "micro": of_news(metric="micro_f1")}


@question
def compare_model_names():
    answers = {name: compared(model=papers_name(name)) for name in ("paired", "unpaired")}
    answers |= {name: compared(model=name) for name in ("pooled", "icdm2015", "flat", "bootstrap")}
    names = ("paired", "unpaired", "pooled", "icdm2015", "flat", "bootstrap")
    return answers | {f"letters_{name}": of_letters(model=name) for name in names}


@question
def compare_trees():
    Tree = rw.models.Tree
    return {
        "kappa": compared(model=Tree(kappa=4.0)),
        "pooled": of_letters(model=Tree(kappa=2.0, centre="pooled")),
        "unpaired": of_news(model=Tree(paired=False), rope=0.005),
    }


@question
def compare_own_priors():
    own, flat = rw.models.OwnPriors, (1, 1, 1, 1)
    return {
        "papers": compared(model=papers_model(mu=(2, 8), positive=(4, 1, 1, 4))),
        "unpaired": compared(model=papers_unpaired(mu=(2, 8))),
        "theta": compared(model=own(mu=(2, 38), theta=((8, 2, 2, 1), flat))),
        "rho": compared(model=own(mu=(2, 38), rho=((8, 2), (1, 9)))),
        "letters": of_letters(model=own(mu=(1, 2, 3), theta=(5, 1, 1, 1, 1))),
    }


@question
def compare_power_prior():
    y, a, b, _ = binary(90)
    earlier = rw.Outcomes.from_arrays(y, a, b, names=("A", "B"))
    return Page(compared(model=rw.models.PowerPrior(papers_model(), earlier, discount=0.3)))


@question
def compare_delta_prior():
    return {
        "binary": compared(model=rw.models.DeltaPrior(model=papers_model(), delta=stats.norm(0, 0.02))),
        "letters": of_letters(model=rw.models.DeltaPrior(model=rw.models.Tree(), delta=stats.norm(0, 0.05))),
    }


@question
def compare_matrices():
    return {"icdm2015": Page(matrices(model="icdm2015")), "default": matrices(), "pooled": matrices(model="pooled")}


@question
def compare_multilabel():
    y, a, b, _ = tagged()
    answers = {name: rw.compare(y, a, b, metric=name, rope=0.02, **FEW) for name in ("micro_f1", "macro_f1")}
    several = rw.compare(reuters(), a="nb_mult", b="svm_l2", metric="macro_f1", rope=0.01, **FEW)
    model = rw.models.Multilabel(kappa=4.0)
    return answers | {"reuters": several, "papers": rw.compare(y, a, b, metric="macro_f1", model=model, **FEW)}


@question
def compare_scores_binary():
    y, s_a, s_b, _ = scored()
    names = ("roc_auc", "average_precision", "pr_auc", "log_loss", "brier", "ece")
    answers = {name: compare_scores(y, s_a, s_b, metric=name, rope=0.02, **FEW) for name in names}
    return answers | {"no_tests": compare_scores(y, s_a, s_b, tests=False, **FEW)}


@question
def compare_scores_other():
    y, s_a, s_b, _ = scored()
    group = clusters()[: y.size]
    costs = {"metric": "cost", "cost_matrix": [[0, 1], [5, 0]]}
    return {
        "clusters": Page(compare_scores(y, s_a, s_b, cluster=group, rope=0.02, **FEW)),
        "mean": compare_scores(s_a, s_b, metric="mean", higher_is_better=False, **FEW),
        "weights": compare_scores(y, s_a, s_b, sample_weight=1 + group % 3, **FEW),
        "cost": compare_scores(item_scores(), **costs, **FEW),
        "cost_at": compare_scores(item_scores(), **costs, threshold=0.3, **FEW),
        "function": compare_scores(item_scores(), metric=squared_score, higher_is_better=False, draws=200, rng=0),
    }


@question
def compare_scores_letters():
    y, *_ = letters()
    rng = np.random.default_rng(12)
    sharp, vague = (rng.dirichlet([1, 1, 1], y.size) + share * (y[:, None] == list("xyz")) for share in (1.0, 0.5))
    sharp, vague = (columns / columns.sum(axis=1, keepdims=True) for columns in (sharp, vague))
    return {name: compare_scores(y, sharp, vague, metric=name, **FEW) for name in ("macro_roc_auc", "log_loss")}


@question
def compare_classes():
    y, a, b, _ = letters()
    table = rw.compare_classes(news_counts(), a="nb_mult", b="svm_l2", rope=0.05, draws=1_000, rng=0)
    return {"news": Page(table), "letters": rw.compare_classes(y, a, b, rope=0.1, tests=True, **FEW)}


@question
def evaluate_labels():
    y, a, *_ = binary()
    several = ["accuracy", "f1", "mcc"]
    return {
        "binary": rw.evaluate(y, a, **FEW),
        "several": Page(rw.evaluate(y, a, metric=several, at_least=0.7, rope=0.02, **FEW)),
        "letters": rw.evaluate(*letters()[:2], metric=["accuracy", "macro_f1"], at_least=0.6, **FEW),
        "news": rw.evaluate(news_counts(), "svm_l2", metric=["accuracy", "macro_f1"], at_least=0.6, **FEW),
        "tagged": rw.evaluate(*tagged()[:2], metric=["micro_f1", "macro_f1"], **FEW),
        "clusters": rw.evaluate(y, a, cluster=clusters(), **FEW),
    }


@question
def evaluate_of_scores():
    y, s, *_ = scored()
    return {
        "several": Page(evaluate_scores(y, s, metric=["roc_auc", "brier", "log_loss"], **FEW)),
        "bar": evaluate_scores(y, s, metric="roc_auc", at_least=0.8, rope=0.01, **FEW),
    }


@question
def rank_labels():
    y, a, b, c = binary()
    return {
        "binary": Page(rw.rank(y, {"first": a, "second": b, "third": c}, rope=0.02, **FEW)),
        "letters": rw.rank(*letters(), rope=0.02, rule="probability", **FEW),
        "news": rw.rank(news_counts(), metric="macro_f1", rope=0.005, draws=1_000, rng=0),
        "error": rw.rank(y, a, b, c, metric="error", **FEW),
    }


@question
def rank_others():
    y, s_a, s_b, s_c = scored()
    tables = list(rw.examples.icdm2015_matrices().values())
    return {
        "scores": rank_scores(y, {"forest": s_a, "bayes": s_b, "tree": s_c}, rope=0.02, **FEW),
        "tagged": rw.rank(*tagged(), metric="macro_f1", rope=0.02, **FEW),
        "pooled": rw.rank(*tables, model="pooled", rope=0.005, draws=1_000, rng=0),
        "clusters": rw.rank(*binary(), cluster=clusters(), rope=0.02, **FEW),
    }


@question
def prior_sensitivity():
    return {
        "binary": Page(compared().prior_sensitivity()),
        "letters": of_letters().prior_sensitivity(),
        "matrices": matrices(draws=500).prior_sensitivity(),
        "bootstrap": Try(lambda: compared(model="bootstrap").prior_sensitivity()),
    }


@question
def predictive_checks():
    ranking = rw.rank(*letters(), **FEW)
    return {
        "posterior": Page(rw.predictive_check(compared(), draws=100, rng=1)),
        "prior": of_letters().predictive_check("prior", draws=100),
        "rank": rw.predictive_check(ranking, draws=100),
        "evaluate": rw.evaluate(*binary()[:2], **FEW).metrics[0].predictive_check(draws=100),
        "no_prior": Try(lambda: compared(model="bootstrap").predictive_check("prior", draws=100)),
    }


@question
def confusions():
    table = rw.Outcomes.from_confusion([[90, 10], [5, 45]], labels=["ham", "spam"], name="svm")
    return {
        "compare": list(compared().confusions()),
        "table": Page(rw.analysis.confusion(table)),
        "clusters": rw.analysis.confusion(*binary()[:2], cluster=clusters(), draws=500, rng=0),
        "cost": rw.analysis.total_cost([[90, 10], [5, 45]], [[0, 1], [10, 0]]),
    }


@question
def curves():
    y, s, *_ = scored()
    few = {"draws": 200, "rng": 0}
    return {
        "roc": Page(rw.curves.roc(y, s, **few)),
        "pr": rw.curves.pr(y, s, grid=[0.1, 0.5, 0.9], **few),
        "calibration": spelt(rw.curves.calibration, y, s, n_bins=5, **few),
        "threshold": rw.curves.threshold(y, s, metric="fbeta(2)", **few),
        "clusters": rw.curves.roc(y, s, cluster=clusters()[: y.size], **few),
    }


@question
def costs():
    y, s, *_ = scored()
    risk = rw.costs.minimum_risk([0.01, 0.4, 0.95], [[0, 1, 0.1], [5, 0, 0.1]], decisions=["no", "yes", "ask"])
    return {
        "curve": Page(rw.costs.curve(y, s, cost_matrix=[[0, 1], [5, 0]], draws=200, rng=0)),
        "threshold": rw.costs.optimal_threshold([[0, 10], [1000, 10]]),
        "risk": {"decisions": risk.decisions, "risk": risk.risk, "mean": risk.mean_risk},
    }


@question
def cross_validation():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    X, y = X[::2], y[::2]
    stump, bayes = DecisionTreeClassifier(max_depth=1, random_state=0), GaussianNB()
    few = {"cv": 3, "n_repeats": 2, "rng": 0}
    made = spelt(rw.resampling.cross_predict, {"bayes": bayes, "stump": stump}, X, y, **few)
    grid = {"max_depth": [1, 2, 3]}
    return {
        "compare": Page(spelt(rw.cross_compare, bayes, stump, X, y, metric="accuracy", rope=0.01, draws=1_000, **few)),
        "predictions": made.outcomes.data_hash,
        "again": made.compare("bayes", "stump", metric="macro_f1", **FEW),
        "evaluate": made.evaluate("bayes", metric="accuracy", **FEW),
        "folds": made.fold_scores(metric="macro_f1"),
        "held_out": rw.resampling.train_validation_test(stump, grid, X, y, sizes=(0.6, 0.2, 0.2), **FEW),
    }


@question
def analysis():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    x = y + rng.normal(size=y.size) / 2

    def nearest(X_train, y_train, X_test):
        means = [X_train[y_train == label].mean() for label in (0, 1)]
        return (abs(X_test - means[1]) < abs(X_test - means[0])).astype(int)

    def above(X_train, y_train, X_test, *, cut):  # noqa: ARG001
        return (X_test > cut).astype(int)

    split = {"X_test": np.linspace(-1, 2, 9), "n_sets": 20, "rng": 0}
    return {
        "learning": rw.analysis.learning_curve(nearest, x, y, sizes=[8, 60], cv=3, draws=500, rng=0),
        "validation": rw.analysis.validation_curve(
            above, x, y, parameter="cut", values=[0.0, 0.5], cv=3, draws=500, rng=0
        ),
        "train_test": rw.analysis.train_test_error(nearest, x, y, draws=500, rng=0),
        "bayes": rw.analysis.bayes_error([stats.norm(0, 1), stats.norm(2, 1)], [0.5, 0.5]),
        "table": rw.analysis.bayes_error_table([[0.3, 0.1], [0.2, 0.4]]),
        "zero_one": spelt(
            rw.analysis.bias_variance, nearest, x, y, y_test=np.repeat([0, 1], [5, 4]), loss="zero_one", **split
        ),
    }


@question
def classical_on_counts():
    data, tests = binary()[:3], rw.classical
    names = ("sign_items", "t_items", "mcnemar")
    by_class = {
        name: getattr(tests, name)(*letters()[:3]) for name in ("sign_classes", "t_classes", "wilcoxon_classes")
    }
    return {name: getattr(tests, name)(*data) for name in names} | by_class | {
        "battery": Page(spelt(tests.battery, *data, metric="f1", n_permutations=500, rng=0)),
        "permutation": spelt(tests.permutation, *letters()[:3], metric="macro_f1", n_permutations=500, rng=0),
        "news": tests.battery(news_counts(), a="nb_mult", b="svm_l2"),
        "cochran": tests.cochran_q(*binary()),
    }  # fmt: skip


@question
def classical_on_scores():
    rng = np.random.default_rng(13)
    table = rng.normal([0.8, 0.78, 0.7], 0.03, size=(10, 3))
    a, b, c = table.T
    tests, (y, s_a, s_b, _) = rw.classical, scored()
    pairs = {name: getattr(tests, name)(a, b) for name in ("paired_t", "wilcoxon", "sign")}
    many = {name: getattr(tests, name)(a, b, c) for name in ("friedman", "iman_davenport", "nemenyi", "anova")}
    return pairs | many | {
        "delong": tests.delong(y, s_a, s_b),
        "interval": tests.delong_interval(y, s_a),
        "corrected": tests.corrected_t(a, b, n_train=90, n_test=10),
        "cv5x2": [tests.cv5x2_t(table[:, 0].reshape(5, 2), table[:, 1].reshape(5, 2))],
        "repeated": tests.repeated(a, n_train=90, n_test=10),
        "rule": tests.rule_of_thumb(0.8, 0.02, 0.7, 0.03),
        "adjust": tests.adjust({"x": 0.01, "y": 0.04, "z": 0.03}),
    }  # fmt: skip


@question
def power():
    scenario = rw.BinaryScenario(prevalence=0.4, positive=(0.6, 0.2, 0.1, 0.1), negative=(0.1, 0.1, 0.1, 0.7))
    letters_scenario = rw.ConfusionScenario(
        a=[[8, 1, 1], [1, 8, 1], [1, 1, 8]], b=[[7, 2, 1], [2, 6, 2], [1, 2, 7]], agreement=0.7
    )
    return {
        "words": Page(rw.power(SCENARIO, [200, 800], goal="A≫B", rope=0.05, **SIMULATED)),
        "binary": rw.power(scenario, [100], rope=0.1, metric="f1", **SIMULATED),
        "letters": rw.power(letters_scenario, [150], rope=0.02, metric="macro_f1", **SIMULATED),
        "result": rw.power(compared(), [500], **SIMULATED),
    }


@question
def plan():
    few = SIMULATED | {"simulations": 500}
    return {
        "n": Page(rw.plan(SCENARIO, goal="A≫B", rope=0.05, **few)),
        "difference": rw.plan(SCENARIO, goal="A≫B", rope=0.05, n=400, **few),
        "value": rw.plan(SCENARIO, goal="A≫B", rope=0.05, cost_per_item=1.0, value=5_000, **few),
    }


@question
def stopping():
    stop = rw.StopWhen(conclusive=True, min_n=100, max_n=400)
    return {
        "width": Page(rw.stopping(SCENARIO, rw.StopWhen(width=0.2, max_n=400), rope=0.05, **SIMULATED)),
        "conclusive": rw.stopping(SCENARIO, stop, batch=150, rope=0.05, **SIMULATED),
    }


@question
def more_data():
    simulated = {"simulations": 50, "draws": 300}
    return {
        "simulation": Page(compared().more_data(n=[200, 800], method="simulation", **simulated)),
        "extrapolation": of_letters().more_data(method="extrapolation"),
        "goal": compared(rope=0.1).more_data(goal="A≫B", method="extrapolation"),
        "scores": compare_scores(*scored()[:3], rope=0.02, **FEW).more_data(),
    }


@question
def draws_made_elsewhere():
    rng = np.random.default_rng(0)
    draws = {"acc": rng.normal([0.85, 0.80], 0.01, size=(4, 500, 2))}
    walk = np.cumsum(rng.normal(size=(4, 300)), axis=1) / 100
    named = {"a": "acc[0]", "b": "acc[1]", "names": ["new", "old"], "metric": "accuracy"}
    groups = {"posterior": draws, "prior": {"acc": rng.random((1, 500, 2))}}
    return {
        "both": Page(rw.from_arviz(draws, **named, rope=0.01)),
        "prior": rw.from_arviz(groups, **named, rope=0.01),
        "delta": rw.from_arviz({"d": draws["acc"][..., 0] - draws["acc"][..., 1]}, delta="d", rope=0.01),
        "unconverged": rw.from_arviz({"d": walk}, delta="d", rope=0.01),
        "unknown": Try(lambda: rw.from_arviz(draws)),
    }


@question
def arviz_and_netcdf():
    answer, path = compared(draws=200), folder() / "answer.nc"
    answer.to_netcdf(path)
    data = answer.to_arviz()
    digests = {
        group: {str(name): [[*map(str, part.dims)], digest(part.to_numpy())] for name, part in data[group].items()}
        for group in data.groups()
    }
    return {"digests": digests, "netcdf": rw.from_netcdf(path), "again": rw.from_arviz(data)}


@question
def mcmc_metropolis():
    engine = sampler(step="metropolis", n_chains=2, tune=50)
    return Page(compared(engine=engine, draws=400))


@question
def mcmc_nuts():
    engine = sampler(step="nuts", n_chains=2, tune=50, backend="pymc")
    return {
        "logit_normal": compared(model=rw.models.LogitNormal(), engine=engine, draws=200),
        "noise": compared(model=rw.models.NoisyLabels(error=0.05), engine=engine, draws=200),
    }


@question
def diagrams():
    """The words of plate diagrams, in alphabetical order: where they stand is not compared."""
    answers = {"binary": compared(), "letters": of_letters(), "matrices": matrices(draws=200), "scores": scored}
    answers["scores"] = compare_scores(*scored()[:3], **FEW)
    forms = [(name, form) for name in answers for form in ("counts", "items")]
    return {f"{name}_{form}": sorted(words(str(answers[name].graph(form=form)._repr_svg_()))) for name, form in forms}


@question
def errors():
    y, a, b, _ = binary()
    return {
        "metric": Try(lambda: rw.compare(y, a, b, metric="f11")),
        "lengths": Try(lambda: rw.compare(y, a[:-1], b)),
        "pos_label": Try(lambda: rw.compare(y, a, b, pos_label=3)),
        "model": Try(lambda: rw.compare(y, a, b, model="flt")),
        "prob": Try(lambda: rw.compare(y, a, b, prob=1.5)),
        "column": Try(lambda: rw.compare(folder() / "table.csv", a="aa", b="b", truth="y")),
        "classifier": Try(lambda: rw.compare(news_counts(), a="nb_mul", b="svm_l2")),
        "bar": Try(lambda: rw.evaluate(y, a, at_least=80)),
    }


@question
def cli_compare():
    what = ("--truth", "y", "--a", "a", "--b", "b", "--rope", "0.05", "--draws", "2000")
    ways = {"text": (), "json": ("--json",), "markdown": ("--markdown",), "latex": ("--latex",)}
    return {name: on_file("compare", "table.csv", *what, *way) for name, way in ways.items()}


@question
def cli_compare_files():
    own = [f"--{option}={folder() / name}" for option, name in (("file-a", "own_a.csv"), ("file-b", "own_b.csv"))]
    tables = [f"--confusion-{name}={folder() / f'matrix_{name}.csv'}" for name in "ab"]
    few = ("--draws", "1000", "--json")
    columns = ("--truth", "y", "--a", "a", "--b", "b")
    return {
        "joined": command("compare", *own, "--id", "id", "--truth", "y", "--prediction", "said", *few),
        "matrices": command("compare", *tables, "--model", "icdm2015", "--rope=-0.01,0.05", *few),
        "classes": on_file("compare", "letters.tsv", *columns, "--per-class", "--rope", "0.1", *few),
        "missing": on_file("compare", "holes.csv", *columns, "--missing", "drop", *few),
        "clusters": on_file("compare", "table.csv", *columns, "--cluster", "group", "--tests", *few),
        "model": on_file("compare", "table.csv", *columns, "--model", papers_name("unpaired"), *few),
        "cost": on_file(
            "compare", "table.csv", *columns, "--metric", "cost", f"--cost-matrix={folder() / 'costs.csv'}", *few
        ),
        "prevalence": on_file("compare", "letters.tsv", *columns, "--prevalence", "x=.2,y=.3,z=.5", *few),
    }


@question
def cli_scores():
    columns = ("--truth", "y", "--a", "sa", "--b", "sb", *scores_option())
    means = ("--a", "sa", "--b", "sb", *scores_option(), "--metric", "mean", "--lower-is-better")
    return {
        "text": on_file("compare", "table.csv", *columns, "--metric", "roc_auc", "--rope", "0.02", "--draws", "500"),
        "mean": on_file("compare", "table.csv", *means, "--draws", "500", "--json"),
    }


@question
def cli_evaluate():
    what = ("--truth", "y", "--prediction", "a", "--metric", "f1,accuracy", "--draws", "2000")
    return {
        "text": on_file("evaluate", "table.csv", *what),
        "json": on_file("evaluate", "table.csv", *what, "--at-least", "0.7", "--rope", "0.02", "--json"),
        "latex": on_file("evaluate", "table.csv", *what, "--at-least", "0.7", "--latex"),
    }


@question
def cli_rank():
    what = ("--truth", "y", "--predictions", "a,b,c", "--rope", "0.02", "--draws", "1000")
    ways = {"text": (), "json": ("--json",), "markdown": ("--markdown",)}
    return {name: on_file("rank", "letters.tsv", *what, *way) for name, way in ways.items()}


@question
def cli_test():
    what = ("--truth", "y", "--a", "a", "--b", "b", "--metric", "macro_f1", "--permutations", "200")
    return {"text": on_file("test", "letters.tsv", *what), "json": on_file("test", "letters.tsv", *what, "--json")}


@question
def cli_planning():
    few = ("--simulations", "60", "--draws", "300", "--rope", "0.05")
    return {
        "power": command("power", SCENARIO, "--n", "200,800", "--goal", ">>", *few),
        "power_json": command("power", SCENARIO, "--n", "200", *few, "--json"),
        "plan": command("plan", SCENARIO, "--goal", ">>", "--simulations", "500", *few[2:], "--json"),
        "stopping": command("stopping", SCENARIO, "--max-n", "300", *few),
    }


@question
def cli_from_json():
    path = folder() / "comparison.json"
    path.write_text(compared().to_json(), encoding="utf-8")
    classes = folder() / "classes.json"
    classes.write_text(rw.compare_classes(*letters()[:3], rope=0.1, draws=500, rng=0).to_json(), encoding="utf-8")
    few = ("--simulations", "60", "--draws", "300")
    return {
        "power": command("power", "--from", str(path), "--n", "500", *few, "--json"),
        "plan": command("plan", "--from", str(path), "--simulations", "50", "--draws", "300", "--json"),
        "class": command("power", "--from", str(classes), "--pos-label", "y", "--n", "300", *few, "--json"),
        "none": command("power", "--from", str(folder() / "none.json"), "--n", "500"),
    }


@question
def cli_reproduce():
    return {
        "text": command("reproduce", "icdm2015", "--draws", "200"),
        "json": command("reproduce", "sigir2016", "--draws", "200", "--json"),
        "unknown": command("reproduce", "sigir2017"),
    }


@question
def cli_mistakes():
    what = ("--truth", "y", "--a", "a", "--b", "b")
    return {
        "version": command("--version"),
        "column": on_file("compare", "table.csv", "--truth", "z", "--a", "a", "--b", "b"),
        "file": on_file("compare", "nothing.csv", *what),
        "missing": on_file("compare", "holes.csv", *what),
        "two_formats": on_file("compare", "table.csv", *what, "--json", "--latex"),
        "metric": on_file("compare", "table.csv", *what, "--metric", "f11"),
    }


# ---------------------------------------------------------------------------------------------------------------------
# What is kept of an answer.

VIEWS = {"json": "to_dict", "markdown": "to_markdown", "latex": "to_latex", "sentence": "sentence"}


class Page:
    """A result whose HTML page and notebook card are looked at too."""

    def __init__(self, result: Any) -> None:
        self.result = result


class Try:
    """A part of an answer that may raise."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self.ask = ask


def words(page: str) -> list[str]:
    """Return the visible text of HTML or SVG, a line per element."""
    page = re.sub(r"(?s)<(script|style|head)\b.*?</\1>", "\n", page)
    lines = (" ".join(html.unescape(line).split()) for line in re.sub(r"<[^>]*>", "\n", page).splitlines())
    return [line for line in lines if line]


def error_of(error: Exception) -> dict[str, str]:
    return {"error": type(error).__name__, "message": str(error)}


def kept(answer: Any) -> Any:
    """Return all that is compared of an answer, in plain types."""
    if isinstance(answer, Try):
        try:
            return kept(answer.ask())
        except rw.errors.RopewalkError as error:
            return error_of(error)
    if isinstance(answer, Page):
        page, card = answer.result.to_html(), getattr(answer.result, "_repr_html_", str)()
        return kept(answer.result) | {"page": words(page), "card": words(card)}
    if not hasattr(answer, "to_dict"):
        return plain(answer)
    views: dict[str, Any] = {"str": lambda: str(answer), "repr": lambda: repr(answer)} if is_rendered(answer) else {}
    views |= {view: getattr(answer, method) for view, method in VIEWS.items() if hasattr(answer, method)}
    record = {}
    for view, make in views.items():
        try:
            made = make()
        except rw.errors.RopewalkError as error:
            made = error_of(error)
        record[view] = made.splitlines() if isinstance(made, str) else plain(made)
    return record


def is_rendered(answer: Any) -> bool:
    return hasattr(answer, "to_markdown")


def plain(value: Any) -> Any:
    """Return a value in the types of JSON; what has answers inside keeps those."""
    if isinstance(value, Mapping):
        return {str(key): kept(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Sequence):
        return [kept(part) for part in value]
    raise TypeError(f"No answer is made of {type(value).__name__}.")


def normalised(value: Any, key: str = "") -> Any:
    """Replace what may differ without being an answer: versions and the folder of files."""
    if isinstance(value, dict):
        return {name: normalised(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [normalised(part) for part in value]
    if not isinstance(value, str):
        return value
    if key == "version":
        return "VERSION"
    return value.replace(str(folder()), "FOLDER").replace(f"ropewalk {rw.__version__}", "ropewalk VERSION")


def asked(ask: Callable[[], Any]) -> Any:
    """Ask a question, and return its answer with the warnings that it issued."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        try:
            answer = kept(ask())
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
            answer = error_of(error)
    ours = [w for w in issued if issubclass(w.category, rw.errors.RopewalkWarning)]
    answer = answer if isinstance(answer, dict) else {"value": answer}
    return normalised(answer | {"issued": [f"{w.category.__name__}: {w.message}" for w in ours]})


# ---------------------------------------------------------------------------------------------------------------------
# What differs.


def differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path of every difference, and what it is."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from differences_of_keys(old, new, f"{path}." if path else "")
        for key in old:
            if key in new:
                yield from differences(old[key], new[key], f"{path}.{key}" if path else key)
    elif is_text(old) and is_text(new) and max(len(old), len(new)) > 1:
        lines = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
        yield from ((f"{path}: {line[0]} {line[1:]}", "") for line in lines if not line.startswith("@@"))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{path}[{place}]")
    elif old != new or type(old) is not type(new):
        yield path, f"{short(old)} → {short(new)}"


def differences_of_keys(old: dict[str, Any], new: dict[str, Any], inside: str) -> Iterator[tuple[str, str]]:
    yield from ((f"{inside}{key}", f"is gone: {short(old[key])}") for key in old if key not in new)
    yield from ((f"{inside}{key}", f"is new: {short(new[key])}") for key in new if key not in old)
    if list(old) != list(new) and set(old) == set(new):
        yield f"{inside}<order>", f"{list(old)} → {list(new)}"


def is_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 200 else f"{text[:200]}…"


def reason_for(name: str, path: str) -> str | None:
    """Return why a difference is expected; None if it is not."""
    changes = (why for which, where, why in EXPECTED_CHANGES if re.fullmatch(which, name) and re.fullmatch(where, path))
    return next(changes, None)


def report(name: str, old: Any, new: Any) -> bool:
    """Print what differs in one answer, and return whether something does that is not expected."""
    found = list(differences(old, new))
    bad = [(path, what) for path, what in found if reason_for(name, path) is None]
    reasons = sorted({why for path, _ in found if (why := reason_for(name, path)) is not None})
    expected = f" ({len(found) - len(bad)} expected: {'; '.join(reasons)})" if reasons else ""
    print(f"{name}: {f'{len(bad)} differences' if bad else 'same'}{expected}", flush=True)
    for path, what in bad[:MAX_DIFFERENCES_SHOWN]:
        print(f"    {path}  {what}".rstrip())
    if len(bad) > MAX_DIFFERENCES_SHOWN:
        print(f"    … and {len(bad) - MAX_DIFFERENCES_SHOWN} more")
    return bool(bad)


def main() -> int:
    parser = argparse.ArgumentParser(description="Save the answers to many questions, or compare with saved ones.")
    parser.add_argument("what", choices=["save", "check", "list"])
    parser.add_argument("file", nargs="?", type=Path, help="where the answers are, or shall be")
    parser.add_argument("words", nargs="*", help="only questions whose name contains one of these")
    options = parser.parse_args()
    names = [name for name in QUESTIONS if not options.words or any(word in name for word in options.words)]
    if options.what == "list":
        print(*names, sep="\n")
        return 0
    if options.file is None:
        parser.error("name a FILE.")
    if options.what == "save":
        answers = {}
        for name in names:
            start = time.process_time()
            answers[name] = asked(QUESTIONS[name])
            error = answers[name].get("error", "")
            spent = f"{time.process_time() - start:6.1f} s  {name}"
            print(spent, error if isinstance(error, str) else "", flush=True)
        options.file.write_text(json.dumps(answers, ensure_ascii=False, indent=1), encoding="utf-8")
        print(f"{len(answers)} answers in {options.file}; {time.process_time():.0f} CPU seconds.")
        return 0
    before = json.loads(options.file.read_text(encoding="utf-8"))
    unknown = [name for name in names if name not in before]
    # What is compared has gone through JSON, as what was saved has.
    known = [name for name in names if name in before]
    bad = [name for name in known if report(name, before[name], json.loads(json.dumps(asked(QUESTIONS[name]))))]
    for name in unknown:
        print(f"{name}: not in {options.file}")
    print(f"{len(known) - len(bad)} of {len(known)} answers are the same; {time.process_time():.0f} CPU seconds.")
    if bad:
        print(f"Different: {', '.join(bad)}")
    return int(bool(bad or unknown))


if __name__ == "__main__":
    sys.exit(main())
