"""The bundled example: four text classifiers on 20 newsgroups, and the tables published about them.

The predictions are ropewalk's own run of the papers' four classifiers on the vectorised, by-date 20 newsgroups
test set: naive Bayes with Bernoulli and multinomial events, linear SVMs with L1 and L2 penalty.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.typing import FloatArray, IntArray

CLASS_NAMES: Final = (
    "alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware", "comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles",
    "rec.sport.baseball", "rec.sport.hockey", "sci.crypt", "sci.electronics", "sci.med", "sci.space",
    "soc.religion.christian", "talk.politics.guns", "talk.politics.mideast", "talk.politics.misc",
    "talk.religion.misc",
)  # fmt: skip
"""The newsgroups behind the labels 0 … 19."""

NEWS20_CLASSIFIERS: Final = ("nb_bern", "nb_mult", "svm_l1", "svm_l2")


def bundled(name: str) -> Path:
    """Return the path of a file that comes with the package."""
    with as_file(files("ropewalk.data") / "bundled" / name) as path:
        return path


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


def sigir2016_tables() -> list[dict[str, str]]:
    """Return the rows of Tables 4, 5 and 6 of Zhang et al. (SIGIR 2016) as published."""
    with bundled("sigir2016_tables_4_5_6.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def _columns(name: str) -> dict[str, FloatArray]:
    with gzip.open(bundled(name), "rt", encoding="utf-8", newline="") as handle:
        rows = csv.reader(handle)
        header = next(rows)
        table = np.array(list(rows), dtype=np.float64)
    return {column: table[:, i] for i, column in enumerate(header)}
