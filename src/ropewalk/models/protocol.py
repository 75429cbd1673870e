"""What a model is and what a posterior is: everything that is asked of either, with its default.

A new model is a class that inherits from `Model` and one line in `ropewalk.models`, or `register` from elsewhere. It
must have `name`, `prior` and `fit`; what it says beyond is where it differs from the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any, Final, Protocol, Self, Unpack, cast

import numpy as np

from ropewalk._checks import are_positive, as_list, check_positive
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import block_size
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Tables
from ropewalk.metrics.scores import Measured, WeightedItems
from ropewalk.models.graph import Graph, Size
from ropewalk.text.writing import count_of, told, visible
from ropewalk.typing import FloatArray

NOT_THEIRS: Final = "it belongs to the papers' priors, and this one is not theirs"
"""Why a model has no Savage-Dickey ratio."""

_LEFT_OUT: Final = "…"


class Posterior(Protocol):
    """A distribution over weighted tables that can be drawn from exactly and independently."""

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes; a function of the table alone."""

    @property
    def block_size(self) -> int:
        """How many draws a block holds; a function of the table alone."""
        return block_size(self.work)

    def block(self, rng: np.random.Generator, size: int) -> Tables | WeightedItems | Measured:
        """Draw `size` tables."""


class Model:
    """A prior, which with the counts makes a posterior. Objects must be hashable; frozen dataclasses are."""

    __slots__ = ()

    # -- what every model says ---------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What `model=` and the JSON call it."""
        raise NotImplementedError

    @property
    def prior(self) -> str:
        """The prior in one line of formulas."""
        raise NotImplementedError

    def prior_for(self, n_labels: int, n_classifiers: int) -> str:  # noqa: ARG002
        """Return the prior as it is for tables of so many labels and classifiers, where that can be said shorter."""
        return self.prior

    def fit(self, outcomes: Any) -> Posterior:  # noqa: ARG002
        """Return the posterior given the counts; no items give the prior. Only a model that is `exact` needs one."""
        if self.exact:
            raise NotImplementedError
        raise InvalidInputError(f"The model {self.name!r} has no closed form.", hint='use engine="pymc".')

    def suited(self, *, leans: bool) -> Model:  # noqa: ARG002
        """Return the model as it is for two labels and a metric that `leans` on one of the two classes, or does not."""
        return self

    # -- what it is fitted to ----------------------------------------------------------------------------------

    @property
    def paired(self) -> bool:
        """Whether the model takes all classifiers' predictions on the same items at once."""
        return True

    @property
    def is_of_items(self) -> bool:
        """Whether it is fitted to items, and not to folds, tasks or runs."""
        return True

    @property
    def is_symmetric(self) -> bool:
        """Whether exchanging the labels exchanges nothing in the prior, so that no positive class is needed."""
        return False

    @property
    def is_multilabel(self) -> bool | None:
        """Whether items have any number of labels, and not one each; None where both will do."""
        return False

    @property
    def takes_fractions(self) -> bool:
        """Whether it can be fitted to parts of items, as a power prior counts earlier ones."""
        return False

    @property
    def takes_clusters(self) -> bool:
        """Whether it can be fitted to items that come in clusters."""
        return False

    @property
    def takes_scores(self) -> bool:
        """Whether it can be fitted to scores item by item, and not to labels alone."""
        return False

    def over_clusters(self, *, paired: bool) -> Model:  # noqa: ARG002
        """Return the model of items that come in clusters, shared by the classifiers or not."""
        return self

    def of_systems(self, systems: tuple[int, ...]) -> Model:  # noqa: ARG002
        """Return the model of columns that are runs of systems: which system each is of."""
        return self

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest value that an item can have, where the prior takes them from a declared scale."""
        return None

    @property
    def has_assumed_scale(self) -> bool:
        """Whether the ends of the scale are those of values seen, and nothing says that there are no others."""
        return False

    @property
    def inner(self) -> Model | None:
        """The model whose prior this one changes, if it is made of one."""
        return None

    # -- how it is drawn ---------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether `fit` gives a posterior; if not, it is sampled by Markov chains (`ropewalk.mcmc.programs`)."""
        return True

    def exact_for(self, tables: Sequence[Any]) -> bool:  # noqa: ARG002
        """Whether `fit` gives the posterior of these tables, where that depends on them."""
        return self.exact

    @property
    def reweights_items(self) -> bool:
        """Whether items are re-weighted in place of a prior: then no others are known of, and nothing pulls."""
        return False

    @property
    def weights_difference(self) -> bool:
        """Whether draws of the model inside are weighted by a prior of the difference, as `weights` says."""
        return False

    @property
    def is_keyed_by_name(self) -> bool:
        """Whether the prior depends on what classifiers and classes are called."""
        return False

    @property
    def min_units(self) -> int:
        """The fewest items, or clusters, that a verdict takes."""
        return 1

    @property
    def can_be_simulated(self) -> bool:
        """Whether it can be fitted to thousands of test sets: not by Markov chains, nor by weights of their own."""
        return self.exact and not self.weights_difference

    def steadied(self, psi: FloatArray, metric: Any, observed: Sequence[float | None]) -> FloatArray:  # noqa: ARG002
        """Return draws of a metric as they are judged."""
        return psi

    def weights(self, delta: FloatArray, prior: FloatArray) -> FloatArray:
        """Return the weights of draws `delta`, given draws of the difference under the prior of the model inside."""
        raise NotImplementedError

    def hides_class(self, table: Any, pair: Sequence[int]) -> str:  # noqa: ARG002
        """Why a table does not show on how many items of the rarer class a pair of classifiers differ; empty if so."""
        return ""

    @property
    def no_equivalence(self) -> str:
        """Why no verdict can say that two classifiers are equivalent, or one not worse; empty where one can."""
        return ""

    # -- evidence ----------------------------------------------------------------------------------------------

    @property
    def no_factor(self) -> str:
        """Why no Bayes factor can be given; empty where one can."""
        return ""

    @property
    def no_savage_dickey(self) -> str:
        """Why no Savage-Dickey ratio can be given; empty for the papers' models and the tree."""
        return self.no_factor or NOT_THEIRS

    # -- other priors ------------------------------------------------------------------------------------------

    def scaled(self, factor: float) -> Model | None:  # noqa: ARG002
        """Return the model with so many times the prior mass; None where it has none that can be scaled."""
        return None

    def unlearned(self) -> Model | None:
        """Return the model with a prior that learns nothing from other classes; None where it learns nothing anyway."""
        return None

    def variants(self) -> list[tuple[str, Model]]:
        """Return the model with other priors, each with a name."""
        models = [("half the prior mass", self.scaled(0.5)), ("twice the prior mass", self.scaled(2.0))]
        return [(name, model) for name, model in models if model is not None]

    @property
    def is_deliberate(self) -> bool:
        """Whether the prior is what somebody knows: it may move the answer, which is then told."""
        return False

    @property
    def no_papers(self) -> str:
        """Why the papers' models cannot take its place, beyond its own variants; empty where they can."""
        return ""

    # -- what to say -------------------------------------------------------------------------------------------

    @property
    def moves(self) -> str:
        """Why the posterior is not about the observed values, where a model is made for that."""
        return ""

    @property
    def takes_labels_as_true(self) -> bool:
        """Whether the labels of the data are the truth, and not what annotators made of it."""
        return True

    @property
    def labels_are(self) -> str:
        """What labels that are not the truth are."""
        return "annotated"

    @property
    def min_items_per_class(self) -> int:
        """The items that a class needs, lest intervals of a score cover less than they say; 0 where any number do."""
        return 0

    @property
    def title(self) -> str:
        """The name as people say it."""
        return self.name.replace("_", "-")

    @property
    def description(self) -> str:
        """What the model takes as unknown and who thought of it, in a sentence or two."""
        name, doc = visible(type(self).__name__), (type(self).__doc__ or "").strip()
        first = visible(doc.partition("\n")[0]).rstrip(".")
        return f"A model of one's own, {name}." if not first or first.startswith(f"{name}(") else f"{name}: {first}."

    def graph(self, **size: Unpack[Size]) -> Graph:  # noqa: ARG002
        """Return the model as a graph; see `ropewalk.models.graph`."""
        raise InvalidInputError(
            f"The model {self.name!r} has no graph.",
            hint="give its class a method graph(n_labels=, n_classifiers=, form=) that returns a models.graph.Graph.",
        )

    def summary(self, prior: str, *, alone: bool = False) -> str:
        """Name the model and its prior, as it is written; `alone`, a classifier has none to be paired with."""
        return f"{'' if alone else f'{visible(self.title)} model, '}prior {visible(prior)}"

    def call(self) -> str:
        """Write the Python that makes the model; … stands for what cannot be written in a line."""
        name = visible(type(self).__name__)
        if not (_fields(self) and type(self).__module__.startswith("ropewalk.models")):
            return f"{name}({_LEFT_OUT})"
        values = [f"{field}={_written(getattr(self, field))}" for field in self.changed_fields()]
        return f"rw.models.{name}({', '.join(values)})"

    def changed_fields(self) -> list[str]:
        """Return the fields that do not have their default, of which only plain values can be compared."""
        changed: list[str] = []
        for field in _fields(self):
            value, usual = getattr(self, field.name), field.default
            plain = isinstance(value, str | int | float) and type(value) is type(usual) and value == usual
            if (field.repr or field.name == "name") and (usual is MISSING or not (value is usual or plain)):
                changed.append(field.name)
        return changed

    def to_dict(self) -> dict[str, Any]:
        """Return the model in plain Python types, of which `read_model` makes it again."""
        values = {field.name: getattr(self, field.name) for field in _fields(self)}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"kind": type(self).__name__, **plain}


class Conjugate(Model):
    """A model of Betas and Dirichlets: a dataclass whose numbers are all pseudo-counts.

    A field that is a number by default must be positive, and one that is a tuple as many positive numbers; `scaled`
    multiplies them all. Those among the `grids` list any number of masses, of which one is learned.
    """

    __slots__ = ()

    grids: tuple[str, ...] = ()
    takes_fractions = True

    def _defaults(self) -> dict[str, Any]:
        """Return the fields that are pseudo-counts, each with its default."""
        return {field.name: field.default for field in _fields(self) if isinstance(field.default, float | tuple)}

    def __post_init__(self) -> None:
        for field, default in self._defaults().items():
            if isinstance(default, tuple):
                length = None if field in self.grids else len(default)
                object.__setattr__(self, field, _pseudo_counts(getattr(self, field), field, length))
            else:
                check_masses(self, field)

    def scaled(self, factor: float) -> Self:
        """Return the model with so many times the prior mass."""
        values = {field: _times(getattr(self, field), factor) for field in self._defaults()}
        scaled: Self = replace(cast("Any", self), **values)
        return scaled


def _pseudo_counts(values: Any, field: str, length: int | None) -> tuple[float, ...]:
    """Return so many pseudo-counts, or any number of masses where `length` is None."""
    numbers = as_list(values)
    if len(numbers) != (length or max(len(numbers), 1)) or not are_positive(numbers):
        wanted = "a list of one or more" if length is None else f"{length}"
        raise InvalidInputError(
            f"`{field}` must be {wanted} positive numbers; got {told(values)}.",
            hint="each is a mass that the prior may have, in pseudo-documents."
            if length is None
            else "they are pseudo-counts of a Beta or Dirichlet prior; 1 each is uniform.",
        )
    return tuple(map(float, numbers))


def _times(value: Any, factor: float) -> Any:
    return tuple(factor * part for part in value) if isinstance(value, tuple) else factor * value


def check_classifiers(outcomes: Outcomes, number: int) -> None:
    """Refuse a table of more or fewer classifiers."""
    if outcomes.n_classifiers != number:
        raise InvalidInputError(
            f"This model takes {count_of(number, 'classifier')}; got {outcomes.n_classifiers}.",
            hint=f"name {count_of(number, 'classifier')}, or leave model= out.",
        )


def check_masses(model: Model, *names: str) -> None:
    """Check fields that are a positive number each, and keep them as floats."""
    for field in names:
        object.__setattr__(model, field, check_positive(getattr(model, field), field))


def listed(values: Sequence[float]) -> str:
    """Write pseudo-counts between commas."""
    return ", ".join(f"{value:g}" for value in values)


def _fields(model: Any) -> tuple[Field[Any], ...]:
    return fields(model) if is_dataclass(model) else ()


def _written(value: Any) -> str:
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return visible(repr(value))
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_written(label)}: {_written(part)}' for label, part in value.items())}}}"
    return value.call() if isinstance(value, Model) else _LEFT_OUT


def _inside(name: str) -> Any:
    return property(lambda wrapper: getattr(wrapper.model, name), doc=getattr(Model, name).__doc__)


class Wrapper(Model):
    """A model that changes the prior of the `model` inside, and is like it in all else."""

    __slots__ = ()

    model: Model

    @property
    def inner(self) -> Model:
        """The model inside."""
        return self.model

    def around(self, prior: str) -> str:
        """Write the prior around that of the model inside."""
        raise NotImplementedError

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return self.around(self.model.prior)

    def prior_for(self, n_labels: int, n_classifiers: int) -> str:
        """Return the prior as it is for so many labels and classifiers."""
        return self.around(self.model.prior_for(n_labels, n_classifiers))

    def exact_for(self, tables: Sequence[Any]) -> bool:
        """Whether the model inside has the posterior of these tables."""
        return self.model.exact_for(tables)

    def hides_class(self, table: Any, pair: Sequence[int]) -> str:
        """Why the model inside does not show on how many items of the rarer class a pair of classifiers differ."""
        return self.model.hides_class(table, pair)

    name = _inside("name")
    paired = _inside("paired")
    is_symmetric = _inside("is_symmetric")
    is_multilabel = _inside("is_multilabel")
    exact = _inside("exact")
    moves = _inside("moves")
    takes_labels_as_true = _inside("takes_labels_as_true")
    no_factor = _inside("no_factor")
