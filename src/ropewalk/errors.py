"""Every error and warning that ropewalk raises on purpose.

::

    RopewalkError
    ├── InvalidInputError (ValueError)      an argument or option is wrong           exit code 2
    │   ├── UnknownNameError                 no metric, model … of that name
    │   │   └── UnknownPartError (KeyError)  a result has no part of that name
    │   ├── UnknownKeywordError (TypeError)  no parameter of that name
    │   └── DataError                        the data are wrong                       exit code 4
    │       ├── LengthMismatchError          columns of different lengths
    │       ├── ColumnNotFoundError          a named column or classifier is not there
    │       ├── MissingLabelsError           null or NaN where a label should be
    │       ├── LabelTypeError               1 and "1" in one table, or a score as a label
    │       ├── UndeclaredLabelError         a label that `labels=` does not list
    │       ├── PosLabelError                the positive class is absent or ambiguous
    │       ├── CountsError                  counts that are no counts
    │       ├── FileFormatError              a file that is no table
    │       │   └── UnfinishedError           a log that has not ended, a table without rows so far
    │       ├── QueryError                   a query that a database refuses
    │       ├── EngineError                  a dataframe whose engine fails
    │       └── PairingError                 ids that do not match one to one
    ├── MissingDependencyError (ImportError) an extra is not installed                exit code 5
    ├── UnreadableFileError (OSError)        a file that cannot be opened             exit code 5
    └── UnreachableDatabaseError             a database that is not there             exit code 5
        (ConnectionError)

    RopewalkWarning (UserWarning)
    ├── PriorDominanceWarning                the prior pulls the answer away from the data
    ├── LookalikeLabelsWarning               a predicted label differs from a true one in writing only
    ├── DroppedItemsWarning                  items were left out, as was asked for
    ├── BrokenReaderWarning                  a reader of logs of another package that fails
    ├── DependentFoldsWarning                folds of one data set, taken for independent scores
    ├── DependentItemsWarning                items in clusters, taken for independent items
    ├── ConvergenceWarning                   Markov chains that cannot be trusted
    └── DegenerateDataWarning                an empty table, a single label, an undefined observed value

An error says *what* must hold, *what* came, and in `hint` what to do. The exit code follows one rule: what
is wrong before the data are read is usage (2); what only the data show is bad data (4).
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import ClassVar


class RopewalkError(Exception):
    """Base of all errors raised by ropewalk on purpose."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\nHint: {hint}")
        self.message = message
        self.hint = hint


class InvalidInputError(RopewalkError, ValueError):
    """An argument or option has a value that cannot be used."""

    exit_code = 2


class UnknownNameError(InvalidInputError):
    """No metric, model or other thing goes by the given name."""


class UnknownPartError(UnknownNameError, KeyError):
    """A result has no part, class or pair of the given name."""

    __str__ = Exception.__str__  # that of KeyError would put the sentence into quotes


class UnknownKeywordError(InvalidInputError, TypeError):
    """A function, class or method has no parameter of the given name."""


class DataError(InvalidInputError):
    """The data contradict themselves or what was asked of them."""

    exit_code = 4


class LengthMismatchError(DataError):
    """Columns that describe the same items have different lengths."""


class ColumnNotFoundError(DataError):
    """A column of a table, or a classifier of an `Outcomes`, is not there."""


class MissingLabelsError(DataError):
    """Some labels are null or NaN, and nobody said what that means."""


class LabelTypeError(DataError):
    """Labels of different types, or of a type that cannot be a label."""


class UndeclaredLabelError(DataError):
    """The data hold a label that the declared ones do not list."""


class PosLabelError(DataError):
    """The positive class is absent from the data, or was not named where it must be."""


class CountsError(DataError):
    """Counts that are negative, fractional, NaN or of the wrong shape."""


class FileFormatError(DataError):
    """A file that is empty, binary, torn or otherwise not a table of labels."""


class UnfinishedError(FileFormatError):
    """What is still to come: a log that has not ended, or a table that has no rows so far."""


class QueryError(DataError):
    """A query that a database refuses, or that it does not answer with a table."""


class EngineError(DataError):
    """The engine that holds a dataframe fails: it lost a worker, ran out of memory, or may not read the data."""


class PairingError(DataError):
    """Ids that are repeated, unmatched, or disagree about the truth."""


class MissingDependencyError(RopewalkError, ImportError):
    """An optional dependency is needed and not installed."""

    exit_code = 5


class UnreadableFileError(RopewalkError, OSError):
    """A file does not exist or cannot be read or written."""

    exit_code = 5


class UnreachableDatabaseError(RopewalkError, ConnectionError):
    """A database is not there, does not let us in, or went away."""

    exit_code = 5


class RopewalkWarning(UserWarning):
    """Base of all warnings issued by ropewalk."""


class PriorDominanceWarning(RopewalkWarning):
    """The posterior mean lies far from the observed value: the prior speaks louder than it should."""


class LookalikeLabelsWarning(RopewalkWarning):
    """Labels differ in writing only: "Yes" for "yes", another class; or 1.0 for 1 in a file, which is the same."""


class DroppedItemsWarning(RopewalkWarning):
    """Items with missing labels or unmatched ids were left out, as was asked for."""


class UnusedCountsWarning(RopewalkWarning):
    """No two rows are alike, and the column that may say how many items each stands for is not used."""


class BrokenReaderWarning(RopewalkWarning):
    """A reader of evaluation logs that another package offers cannot be used."""


class DependentFoldsWarning(RopewalkWarning):
    """Scores of folds or splits share training items, and a test takes them as independent."""


class DependentItemsWarning(RopewalkWarning):
    """Items come in clusters, and a test takes them as independent."""


class ConvergenceWarning(RopewalkWarning):
    """Markov chains disagree, diverge or are too short: their answer is no conclusion."""


class DegenerateDataWarning(RopewalkWarning):
    """The data are too thin for the question, and the answer says so."""


__all__ = [name for name, kind in list(globals().items()) if isinstance(kind, type) and issubclass(kind, Exception)]


def __dir__() -> list[str]:
    """List what is public."""
    return __all__


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning that points at the first line outside of this package."""
    package = os.path.dirname(__file__) + os.sep  # noqa: PTH120 - compared with file names of code
    frame, level = sys._getframe(), 1  # noqa: SLF001
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
