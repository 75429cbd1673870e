"""The bundled examples: four text classifiers on 20 newsgroups and on Reuters, and what was published about them.

The predictions are ropewalk's own run of the papers' four classifiers on the vectorised, by-date 20 newsgroups
test set, and on the ModApte test set of Reuters-21578, whose documents have any number of 90 topics: naive Bayes with
Bernoulli and multinomial events, linear SVMs with L1 and L2 penalty. The confusion matrices are those of ICDM 2015.
Beside them, accuracies of five classifiers on folds of 54 UCI data sets, as they come with baycomp (MIT licence).
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

import numpy as np

from ropewalk._checks import checked_keywords, publish
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.typing import FloatArray, IntArray

__all__ = [
    "CLASS_NAMES",
    "NEWS20_CLASSIFIERS",
    "News20",
    "bundled",
    "icdm2015_matrices",
    "icdm2015_table",
    "news20",
    "news20_path",
    "reuters90",
    "reuters90_path",
    "sigir2016_power",
    "sigir2016_tables",
    "uci_folds",
    "uci_folds_path",
]


CLASS_NAMES: Final = (
    "alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware", "comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles",
    "rec.sport.baseball", "rec.sport.hockey", "sci.crypt", "sci.electronics", "sci.med", "sci.space",
    "soc.religion.christian", "talk.politics.guns", "talk.politics.mideast", "talk.politics.misc",
    "talk.religion.misc",
)  # fmt: skip
"""The newsgroups behind the labels 0 … 19."""

_REUTERS_ITEMS: Final = 3_299  # 189 of them have no topic, and were given none

NEWS20_CLASSIFIERS: Final = ("nb_bern", "nb_mult", "svm_l1", "svm_l2")


@checked_keywords
def bundled(name: str) -> Path:
    """Return the path of a file that comes with the package."""
    with as_file(files("ropewalk.data") / "bundled" / name) as path:
        return path


@checked_keywords
def news20_path() -> Path:
    """Return the bundled file of predictions (`doc, y_true, nb_bern, nb_mult, svm_l1, svm_l2`)."""
    return bundled("news20_predictions.csv.gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class News20:
    """The 20-newsgroups example: predictions item by item, counted, and scores for one class."""

    y_true: IntArray
    predictions: dict[str, IntArray]
    outcomes: Outcomes
    class_names: tuple[str, ...]
    scores_class8: dict[str, FloatArray]


@checked_keywords
def news20() -> News20:
    """Return the 20-newsgroups predictions of four classifiers on 7,532 test documents.

    `outcomes` has them counted, with labels 0 … 19 whose newsgroups are `class_names`; `y_true` and
    `predictions` have them item by item. `scores_class8` holds what ranks the documents for class 8
    (rec.motorcycles): the log-odds of `nb_mult` and the margin of `svm_l2`, with the truth as `y_true`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> news.outcomes
    Outcomes(7,532 items, 20 labels, classifiers: 'nb_bern', 'nb_mult', 'svm_l1', 'svm_l2')
    >>> news.class_names[8]
    'rec.motorcycles'
    """
    columns = _columns("news20_predictions.csv.gz")
    scores = _columns("news20_scores_class8.csv.gz")
    y_true = columns["y_true"].astype(np.int64)
    predictions = {name: columns[name].astype(np.int64) for name in NEWS20_CLASSIFIERS}
    return News20(
        y_true=y_true,
        predictions=predictions,
        outcomes=Outcomes.from_arrays(y_true, *predictions.values(), names=NEWS20_CLASSIFIERS),
        class_names=CLASS_NAMES,
        scores_class8={name: scores[name] for name in ("y_true", "nb_mult", "svm_l2")},
    )


@checked_keywords
def reuters90_path() -> Path:
    """Return the bundled long table of multi-label predictions (`newid, topic, y_true` and four classifiers)."""
    return bundled("reuters90_predictions.csv.gz")


@checked_keywords
def reuters90() -> MultilabelOutcomes:
    """Return the predictions of four classifiers for the 90 topics of 3,299 Reuters documents.

    Examples
    --------
    >>> import ropewalk as rw
    >>> rw.examples.reuters90()
    MultilabelOutcomes(3,299 items, 90 labels, classifiers: 'nb_bern', 'nb_mult', 'svm_l1', 'svm_l2')
    """
    with gzip.open(reuters90_path(), "rt", encoding="utf-8", newline="") as handle:
        header, *rows = csv.reader(handle)
    items, topics, truth, *predicted = zip(*rows, strict=True)
    return MultilabelOutcomes.from_long(items, topics, truth, *predicted, names=header[3:], n_items=_REUTERS_ITEMS)


@checked_keywords
def icdm2015_matrices() -> dict[str, Outcomes]:
    """Return the four 20 × 20 confusion matrices of Zhang et al. (ICDM 2015), Figure 3.

    Examples
    --------
    >>> {name: int(table.confusion().trace()) for name, table in icdm2015_matrices().items()}["nb_mult"]
    5188
    """
    matrices = {}
    for name in NEWS20_CLASSIFIERS:
        matrix = np.loadtxt(bundled(f"icdm2015_{name}.csv"), delimiter=",", dtype=np.int64)
        matrices[name] = Outcomes.from_confusion(matrix, name=name)
    return matrices


@checked_keywords
def icdm2015_table() -> list[dict[str, str]]:
    """Return the rows of Table IV of Zhang et al. (ICDM 2015) as published, with the p-values of Table III."""
    tested = {(row["a"], row["b"], f"{row['level']}_f1"): row for row in _published("icdm2015_table_3.csv")}
    rows = _published("icdm2015_table_4.csv")
    for row in rows:
        table = tested[row["a"], row["b"], row["metric"]]
        row |= {"sign_test": table["sign_test"], "t_test": table["t_test"]}
    return rows


@checked_keywords
def uci_folds_path() -> Path:
    """Return the bundled file of accuracies on folds (`dataset, repeat, fold` and five classifiers)."""
    return bundled("uci_folds.csv.gz")


@checked_keywords
def uci_folds() -> dict[str, list[Any]]:
    """Return the accuracies of five classifiers in ten repeats of ten folds on 54 UCI data sets, column by column.

    They are those of Benavoli, Corani, Demšar and Zaffalon (2017) in baycomp: naive Bayes, averaged one-dependence
    estimators, hidden naive Bayes, J48 and J48 with grafting.

    Examples
    --------
    >>> columns = uci_folds()
    >>> list(columns), len(columns["nbc"]), len(set(columns["dataset"]))
    (['dataset', 'repeat', 'fold', 'nbc', 'aode', 'hnb', 'j48', 'j48gr'], 5400, 54)
    """
    with gzip.open(uci_folds_path(), "rt", encoding="utf-8", newline="") as handle:
        header, *rows = csv.reader(handle)
    kinds = [str, int, int, *[float] * (len(header) - 3)]
    columns = zip(*rows, strict=True)
    return {name: list(map(kind, cells)) for name, kind, cells in zip(header, kinds, columns, strict=True)}


@checked_keywords
def sigir2016_tables() -> list[dict[str, str]]:
    """Return the rows of Tables 4, 5 and 6 of Zhang et al. (SIGIR 2016) as published."""
    return _published("sigir2016_tables_4_5_6.csv")


@checked_keywords
def sigir2016_power() -> list[dict[str, str]]:
    """Return the rows of Table 3 of Zhang et al. (SIGIR 2016) as published: power by scenario and number of items."""
    return _published("sigir2016_table_3_power.csv")


def _published(name: str) -> list[dict[str, str]]:
    with bundled(name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def _columns(name: str) -> dict[str, FloatArray]:
    with gzip.open(bundled(name), "rt", encoding="utf-8", newline="") as handle:
        rows = csv.reader(handle)
        header = next(rows)
        table = np.array(list(rows), dtype=np.float64)
    return {column: table[:, i] for i, column in enumerate(header)}


publish(globals())
