"""A model that only Markov chains can draw: recalls on the logit scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack

from ropewalk._checks import is_real
from ropewalk.errors import InvalidInputError
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Model, check_masses
from ropewalk.text.writing import told


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
            raise InvalidInputError(
                f"`location` must be a number on the logit scale; got {told(self.location)}.",
                hint="0 is an accuracy of one half.",
            )
        known: Any = self.correlation
        is_learned = isinstance(known, str) and known == "learned"
        if not is_learned and not (is_real(known) and -1 < known < 1):
            raise InvalidInputError(
                f'`correlation` must lie between -1 and 1, or be "learned"; got {told(known)}.', hint="0 is none."
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
