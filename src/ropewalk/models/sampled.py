"""Models that only Markov chains can draw: recalls on the logit scale, and labels that may be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Unpack

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.own import check_prior, describe
from ropewalk.models.protocol import Model, check_masses


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitNormal(Model):
    """Recalls whose logits are normal, by Markov chains: logit(rho_j) ~ Normal(location, scale) in every class.

    With `pooled` the classes are tied together: a classifier's centre ~ Normal(location, scale), its spread ~
    HalfNormal(spread), and logit(rho_j) ~ Normal(centre, spread), so that small classes borrow from the others. With a
    `correlation` classifiers that do well on a class tend to do so together, as those do that learned from the same
    data: a number above −1 and below 1, or "learned".

    With ``paired=True`` the same holds for the shares of outcome types (both right, only A, …) of classifiers on
    the same items: their logits against "both right" are normal, around those of the tree's prior. What classifiers
    share is in the data then, and there is no `correlation`.

    Examples
    --------
    >>> LogitNormal(location=1, scale=2, pooled=True).prior
    'logit rho_j ~ Normal(centre, spread); centre ~ Normal(1, 2); spread ~ HalfNormal(1)'
    """

    location: float = 0.0
    scale: float = 1.5
    pooled: bool = False
    spread: float = 1.0
    correlation: float | Literal["learned"] = 0.0
    paired: bool = False
    mu_prior: float = 1.0
    label_mass: float = 1.0

    name = "logit_normal"
    exact = False
    is_symmetric = True

    def __post_init__(self) -> None:
        check_masses(self, "scale", "spread", "mu_prior", "label_mass")
        if not is_real(self.location) or not abs(self.location) < 100:  # noqa: PLR2004
            raise InvalidInputError(f"`location` must be a number on the logit scale; got {self.location!r}.")
        known: Any = self.correlation
        if known != "learned" and not (is_real(known) and -1 < known < 1):
            raise InvalidInputError(
                f'`correlation` must lie between -1 and 1, or be "learned"; got {known!r}.',
            )
        if self.paired and known != 0:
            raise InvalidInputError(
                "Paired outcomes hold what the classifiers share already.", hint="leave correlation= or paired= out."
            )

    @property
    def prior(self) -> str:
        """The prior in one line."""
        what = "logit theta_j" if self.paired else "logit rho_j"
        own = f"Normal({self.location:g}, {self.scale:g})"
        prior = f"{what} ~ {own}"
        if self.pooled:
            prior = f"{what} ~ Normal(centre, spread); centre ~ {own}; spread ~ HalfNormal({self.spread:g})"
        if self.correlation != 0:
            known = "learned" if self.correlation == "learned" else f"{self.correlation:g}"
            prior += f"; correlation of classifiers {known}"
        return prior

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        several, tied = (chosen and size["n_classifiers"] > 1 for chosen in (self.paired, self.correlation != 0))
        title = f"{'Outcome types' if several else 'Recalls'} whose logits are normal"
        s = Sketch(title, paired=several or tied, **size)
        logit, m, sigma = s.sign("ℓ", "j"), s.sign("m"), s.sign("σ")
        law, parents = f"Normal({self.location:g}, {self.scale:g})", ["a"]
        s.shares(s.even(self.mu_prior))
        s.constant("a", (2, -3 if self.pooled else -2), "a", f"({self.location:g}, {self.scale:g})")
        if self.pooled:
            s.latent("m", (2, -2), m, law, "a")
            s.constant("s", (3, -3), "s", f"{self.spread:g}")
            s.latent("sigma", (3, -2), sigma, f"HalfNormal({self.spread:g})", "s")
            law, parents = f"Normal({m}, {sigma})", ["m", "sigma"]
        if tied:
            law, parents = f"{law}, correlated by R", [*parents, "R"]
            if self.correlation == "learned":
                s.latent("R", (4, -1), "R", "a law that learns the correlation of classifiers")
            else:
                s.constant("R", (4, -1), "R", f"{self.correlation:g}")
        s.latent("logit", (2, -1), logit, law, *parents)
        if several:
            s.derived("tau", (2, 0), s.sign("τ", "j"), f"softmax({logit}), around the base of the tree", "logit")
        else:
            s.derived("rho", (2, 0), s.sign("ρ", "j"), f"1 / (1 + exp(−{logit}))", "logit")
        return class_graph(s, self.label_mass)

    @property
    def description(self) -> str:
        """The model in a sentence."""
        what = "how often the classifiers are right or wrong together" if self.paired else "the recalls"
        text = f"On the logit scale, {what} of the classes are normal"
        if self.pooled:
            text += ", around a centre and with a spread that are learned, so that small classes borrow from the others"
        if self.correlation != 0:
            text += ", and correlated across classifiers"
        return f"{text}."


_MAX_CELLS: Final = 4_000  # of a table, beyond which a chain would take for ever
_ROUNDING: Final = 1e-6
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoisyLabels(Model):
    """Test labels that annotators got wrong now and then, by Markov chains.

    The class of an item is what is true, and what was annotated is that or, with probability `error`, something else:

    * a number: the annotators' error rate, all wrong labels being equally likely;
    * a distribution (pseudo-counts of a Beta, or one of PyMC or PreliZ): a rate that is not known exactly;
    * for two labels a tuple of two of those, of truly positive and of truly negative items (so two numbers below 1
      are two rates, and from 1 up the pseudo-counts of a Beta);
    * an array of probabilities, rows truth and columns what was annotated, both in label order.

    Rates are taken to be below that of guessing, 1/2 for two labels. Errors of annotators are taken to have nothing to
    do with those of the classifiers, given the true class. Metrics are those against the truth.

    `batches` are the tables of test items that were annotated at different times or by different people, which together
    are the data; `error` may then be a list with one entry per batch. With one `error` and a `drift` the rate moves
    from batch to batch: the logit takes steps of that standard deviation.

    The prior of all else is the tree's, `paired` for classifiers on the same items.

    Examples
    --------
    >>> NoisyLabels(error=0.05).prior
    'error 0.05; theta ~ as the tree'
    >>> NoisyLabels(error=(5, 95)).prior
    'error ~ Beta(5, 95); theta ~ as the tree'
    """

    error: Any
    batches: Sequence[Outcomes] | None = None
    drift: float | None = None
    paired: bool = True
    label_mass: float = 1.0

    name = "noisy_labels"
    exact = False
    takes_labels_as_true = False
    no_papers = "the models of the papers take the labels for the truth; ask again with another error="
    moves = "The observed values are against the labels as annotated; the posterior is about the true ones."

    def __post_init__(self) -> None:
        check_masses(self, "label_mass")
        if self.batches is not None:
            batches = tuple(self.batches)
            if not batches or not all(isinstance(batch, Outcomes) for batch in batches):
                raise InvalidInputError("`batches` must be a list of Outcomes, one per batch of annotated items.")
            object.__setattr__(self, "batches", batches)
        if self.drift is not None:
            check_masses(self, "drift")
            if self.batches is None or isinstance(self.error, list):
                raise InvalidInputError(
                    "`drift` takes one `error` from batch to batch.", hint="give batches=[…] and a single error=."
                )
        if isinstance(self.error, list):
            number = len(self.batches or ())
            if self.batches is None or len(self.error) != number:
                raise InvalidInputError(
                    f"`error` lists {len(self.error)} rates, and the number of batches is {number}.",
                    hint="a list has one entry per batch; a pair for two labels is a tuple.",
                )
            object.__setattr__(self, "error", [check_error(rate) for rate in self.error])
        else:
            object.__setattr__(self, "error", check_error(self.error))

    @property
    def prior(self) -> str:
        """The prior in one line."""
        rates = " | ".join(map(_rate_text, self.error if isinstance(self.error, list) else [self.error]))
        drift = "" if self.drift is None else f", drifting by {self.drift:g} on the logit scale"
        return f"error {rates}{drift}; theta ~ as the tree"

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        error = self.prior.removeprefix("error ").rpartition("; ")[0]
        s = Sketch("True labels unknown, annotated ones wrong at a rate ε", paired=self.paired, **size)
        b = "b" if self.batches is not None and len(self.batches) > 1 else ""
        rate, theta, total, y = f"ε_{{{b}}}" if b else "ε", s.sign("θ", "j"), s.sign("N", b), s.sign("y", "i", b)
        s.shares(s.even(1.0))
        s.constant("alpha", (2, -2), "α", "as the tree")
        s.latent("theta", (2, 0), theta, "the tree's prior of what is said", "alpha")
        if "~" in error or self.drift is not None:
            error = error.removeprefix("~ ")
            moves = "" if self.drift is None else f", its logit moving by steps of {self.drift:g}"
            s.constant("p(epsilon)", (-2, 1), "p(ε)", error)
            s.latent("epsilon", (-1, 1), rate, error + moves, "p(epsilon)")
        else:
            s.constant("epsilon", (-1, 1), rate, error)
        if s.form == "items":
            s.latent("y", (0, 1), y, f"Cat({s.sign('μ')})", "mu")
            s.observed("y*", (0, 2), f"{y}^*", f"{y}, or with probability {rate} another label", "y", "epsilon")
            s.observed("yhat", (1, 2), s.sign("ŷ", "i", b), f"Cat({theta}), where j = {y}", "y", "theta")
            s.plate(f"item i = 1 … {total}")
        else:
            mixed = f"Mult({total}, Σ_j μ_j · {rate} · {theta}): annotated and said, the true labels summed out"
            s.constant("N", (1, 2), total)
            s.observed("c*", (0, 2), f"{s.sign('c', b)}^*", mixed, "mu", "theta", "epsilon", "N")
        if b and not s.k:  # where classifiers have items of their own, their batches are their own too
            s.plate(f"batch b = 1 … {len(self.batches or ())}")
        s.plate(f"class j = 1 … {s.n_labels}")
        return s.scores("mu", "theta")

    @property
    def description(self) -> str:
        """The model in a sentence."""
        known = self.drift is None and _is_known(self.error)
        rate = "at a rate that was given" if known else "at a rate that has a prior of its own"
        return (
            f"Annotators took an item's true class for another one {rate}, whatever the classifiers say; the truth is "
            "not known and is summed out, and scores are against it."
        )


def check_error(error: Any) -> Any:
    """Return an error rate that can be read: a number, a distribution, a pair of those, or a matrix."""
    if is_real(error):
        if not 0 <= error < 1:
            raise InvalidInputError(f"`error` must be a probability below 1; got {error!r}.", hint="write 0.05 for 5%.")
        return float(error)
    if isinstance(error, np.ndarray):
        good = error.ndim == _PAIR and error.shape[0] == error.shape[1] and np.isfinite(error).all()
        if not good or (error < 0).any() or not np.allclose(error.sum(axis=1), 1, atol=_ROUNDING):
            raise InvalidInputError(
                "A matrix of `error` must be square, its rows (truth) adding up to 1 over columns (annotated)."
            )
        return error / error.sum(axis=1, keepdims=True)
    if is_pair(error):
        return tuple(check_error(rate) for rate in error)
    return check_prior(error, "error")


def is_pair(error: Any) -> bool:
    """Whether the error is one of positive and one of negative items, and not the two pseudo-counts of a Beta."""
    return isinstance(error, tuple) and len(error) == _PAIR and not all(is_real(part) and part >= 1 for part in error)


def _is_known(error: Any) -> bool:
    """Whether an error rate is known, and not a distribution."""
    if isinstance(error, list) or is_pair(error):
        return all(_is_known(part) for part in error)
    return is_real(error) or isinstance(error, np.ndarray)


def _rate_text(error: Any) -> str:
    if is_real(error):
        return f"{error:g}"
    if isinstance(error, np.ndarray):
        return "by a matrix"
    return " and ".join(map(_rate_text, error)) if is_pair(error) else f"~ {describe(error)}"


def check_cells(table: Outcomes) -> None:
    """Refuse a table of more cells than a chain could take."""
    cells = table.n_labels ** (table.n_classifiers + 1)
    if cells > _MAX_CELLS:
        raise InvalidInputError(
            f"Label noise is modelled cell by cell, and this table has {cells:,} of them.",
            hint="use pos_label= for one class against the rest, or paired=False.",
        )
