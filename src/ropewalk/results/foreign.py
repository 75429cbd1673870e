"""An answer about draws that were made elsewhere, without the data; and what stands where data and model should be."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, NoReturn

import numpy as np

from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import Draws
from ropewalk.draws.intervals import Estimate
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.registry import Metric
from ropewalk.models.protocol import Model
from ropewalk.results import base
from ropewalk.results.comparison import Comparison
from ropewalk.typing import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where draws came from, as far as they say: None, or nothing, is what they do not say.

    `what` names the variables, `library` the program that drew them. `model` and `prior` are in words. `independent` is
    whether the draws are.
    """

    what: str
    library: str = ""
    model: str | None = None
    prior: str | None = None
    n_items: int | None = None
    seed: int | None = None
    independent: bool = False
    divergences: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownModel(Model):
    """The model of draws that came without one."""

    name: str = "foreign"
    prior: str = "not known here"

    paired = False
    is_symmetric = True
    no_savage_dickey = "it belongs to the papers' models, and these draws are of another"

    def fit(self, outcomes: Any) -> NoReturn:  # noqa: ARG002
        """Refuse: there is nothing to fit."""
        refuse("fitted to other data")


class DeltaDraws(Draws):
    """Draws of a difference alone: of what it is a difference is not known, and `psi` refuses."""

    __slots__ = ("_delta",)

    _delta: FloatArray

    def __init__(self, delta: FloatArray, names: tuple[str, str], chains: int) -> None:
        for name, value in (("_delta", delta), ("names", names), ("chains", chains)):
            object.__setattr__(self, name, value)
        delta.flags.writeable = False

    @property
    def psi(self) -> FloatArray:
        """Refuse: the two scores were not given."""
        raise InvalidInputError(
            "Only the difference of the two was given, and nothing is known of their own scores.",
            hint="from_arviz(data, a=…, b=…) takes both.",
        )

    def __len__(self) -> int:
        return self._delta.size

    def delta(self, a: int = 0, b: int = 1) -> FloatArray:
        """Return the draws of the difference."""
        if (a, b) != (0, 1):
            return self.psi  # refuses
        return self._delta


def no_data(names: tuple[str, str]) -> ItemScores:
    """Return what stands where the data should be: scores of no items."""
    return ItemScores(values=(np.zeros(0), np.zeros(0)), names=names, labels=(), truth=None)


def unknown_metric(name: str, *, higher_is_better: bool, low: float, high: float) -> Metric:
    """Return a metric that is known by its name only, and by the values that it can have."""

    def kernel(_: Any) -> NoReturn:
        refuse(f"measured by {name!r} anew")

    return Metric(name=name, kernel=kernel, higher_is_better=higher_is_better, low=low, high=high)


def fingerprint(*draws: FloatArray) -> str:
    """Return a hash of draws."""
    content = b"".join(np.ascontiguousarray(array, dtype="<f8").tobytes() for array in draws)
    return hashlib.sha256(content).hexdigest()[:16]


def refuse(what: str) -> NoReturn:
    """Refuse what takes the data, which draws made elsewhere lack."""
    raise InvalidInputError(
        f"These draws came without data, so nothing can be {what}.",
        hint="rw.compare on the predictions themselves has both.",
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ForeignComparison(Comparison):
    """Is A better than B, by draws made elsewhere? Made by `from_arviz`.

    It is judged, printed and drawn as any comparison. Where only the difference was given, `estimate_a` and
    `estimate_b` are None. What takes the data themselves (more items, other priors, confusion matrices) is refused.
    """

    rests_on_items: ClassVar[bool] = False
    # Code that takes any Comparison may rely on both; here honesty comes first.
    estimate_a: Estimate | None  # type: ignore[assignment]
    estimate_b: Estimate | None  # type: ignore[assignment]
    origin: Origin

    @property
    def knows_scores(self) -> bool:
        """Whether the scores of A and B are known, and not their difference alone."""
        return self.estimate_a is not None

    def plain(self) -> Comparison:
        """Return an answer for those who look at the difference alone: it stands also where the scores should."""
        return self if self.knows_scores else replace(self, estimate_a=self.delta, estimate_b=self.delta)

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes the data."""
        refuse(doing)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: the JSON object of a comparison, with "source" added."""
        origin = self.origin
        unknown = dict.fromkeys(("observed", "mean", "std", "hdi"))
        scores = (("a", self.a, self.estimate_a), ("b", self.b, self.estimate_b))
        return {
            **Comparison.to_dict(self.plain()),
            "engine": "foreign",
            **base.pick(origin, "prior n_items seed"),
            **{
                key: {"name": name, **(unknown if estimate is None else base.estimate_dict(estimate))}
                for key, name, estimate in scores
            },
            "source": asdict(origin),
        }
