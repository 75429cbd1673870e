"""Priors of your own: any distribution for the class shares and for what happens within a class.

A distribution is pseudo-counts (a Beta or Dirichlet), an unnamed one of PyMC (`pm.Beta.dist(2, 8)`), one of PreliZ
(`pz.Beta(2, 8)`), or, where a density is all that is needed, one of SciPy. None of these libraries is imported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import as_list, is_real
from ropewalk._optional import require
from ropewalk.data.labels import BINARY, find_label
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.models.binary import binary_graph
from ropewalk.models.cells import n_types
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Model, check_masses, listed
from ropewalk.models.tree import Tree, TreePosterior
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray

_CONJUGATE: Final = ("Beta", "Dirichlet")
_KINDS: Final = "pseudo-counts such as (2, 8), pm.Beta.dist(2, 8), or pz.Beta(2, 8)"


def is_preliz(prior: Any) -> bool:
    """Whether this is a distribution of PreliZ."""
    return type(prior).__module__.partition(".")[0] == "preliz" and hasattr(prior, "params")


def is_pymc(prior: Any) -> bool:
    """Whether this is an unnamed distribution of PyMC: a random variable of PyTensor."""
    owner = getattr(prior, "owner", None)
    return owner is not None and hasattr(owner.op, "dist_params")


def is_counts(prior: Any) -> bool:
    """Whether this is a list of numbers."""
    return (
        isinstance(prior, Sequence | np.ndarray)
        and not isinstance(prior, str)
        and len(as_list(prior)) > 1
        and all(is_real(value) for value in prior)
    )


def check_prior(prior: Any, name: str) -> Any:
    """Return a prior that can be read, pseudo-counts as a tuple; or say what it should be."""
    if is_counts(prior):
        if not all(math.isfinite(value) and float(value) > 0 for value in prior):
            raise InvalidInputError(f"`{name}` must be positive pseudo-counts; got {told(prior)}.", hint=f"{_KINDS}.")
        return tuple(float(value) for value in prior)
    if not (is_preliz(prior) or is_pymc(prior)):
        raise InvalidInputError(f"`{name}` must be a distribution; got {told(prior)}.", hint=f"use {_KINDS}.")
    return prior


def shapes_of(prior: Any) -> tuple[float, ...] | None:
    """Return the pseudo-counts of a Beta or Dirichlet; None for what is neither.

    Examples
    --------
    >>> shapes_of((2.0, 8.0))
    (2.0, 8.0)
    """
    if is_counts(prior):
        return tuple(float(value) for value in prior)
    name, values = kind_of(prior), numbers_of(prior)
    if name not in _CONJUGATE or values is None:
        return None
    return tuple(float(value) for value in np.concatenate([np.ravel(value) for value in values]))


def kind_of(prior: Any) -> str:
    """Return what a distribution is called."""
    if is_preliz(prior):
        return type(prior).__name__
    return type(prior.owner.op).__name__.removesuffix("RV")


def numbers_of(prior: Any) -> list[Any] | None:
    """Return the parameters of a distribution as numbers; None where they are not known, being random themselves."""
    if is_preliz(prior):
        return list(prior.params)
    fold = require("pymc.pytensorf", extra="mcmc", caller="a PyMC distribution").constant_fold
    values = fold(prior.owner.op.dist_params(prior.owner), raise_not_constant=False)
    return [np.asarray(value) for value in values] if all(isinstance(value, np.ndarray) for value in values) else None


def describe(prior: Any) -> str:
    """Write a distribution of PyMC, PreliZ or SciPy, pseudo-counts, or the name of a function, as one would on paper.

    Examples
    --------
    >>> describe((2.0, 8.0))
    'Beta(2, 8)'
    """
    if is_counts(prior):
        return f"{'Beta' if len(prior) == BINARY else 'Dir'}({listed(prior)})"
    if is_pymc(prior) or is_preliz(prior):
        values = numbers_of(prior)
        numbers = "…" if values is None else listed([float(value) for array in values for value in np.ravel(array)])
        return f"{kind_of(prior)}({numbers})"
    if hasattr(prior, "dist") and hasattr(prior, "args"):
        named = [f"{name}={value:g}" for name, value in prior.kwds.items()]
        return f"{prior.dist.name}({', '.join([*(f'{value:g}' for value in prior.args), *named])})"
    return getattr(prior, "__name__", type(prior).__name__)


def log_density(prior: Any, values: FloatArray) -> FloatArray:
    """Return the log density of a distribution of PyMC, PreliZ or SciPy, or of a function that gives one."""
    if is_pymc(prior):
        pm = require("pymc", extra="mcmc", caller="a PyMC distribution")
        logs = pm.logp(prior, values).eval()
    else:
        logs = prior.logpdf(values) if hasattr(prior, "logpdf") else prior(values)
    return np.asarray(logs, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnPriors(Model):
    """The models of labels with priors of your own; what is left out keeps its usual prior.

    `mu` is the prior of the class shares: of two labels that of the positive one, of more a distribution over all of
    them, in label order. Within a class either `rho` or `theta`:

    * `rho`, where each classifier stands alone. Of two labels it is a pair (rho+, rho−), the probabilities to be called
      positive of a positive and of a negative item, as in SIGIR 2016; of more, the recall of a class.
    * `theta`, where classifiers share the items. Of two labels it is a pair (theta+, theta−) over what the two
      classifiers say, (1,1) (1,0) (0,1) (0,0), as in SIGIR 2016; of more, over who is right: both, only A, only B, both
      wrong alike, both wrong differently.

    Of more than two labels one distribution stands for every class, and a mapping {label: distribution} for some. Each
    distribution is a tuple of pseudo-counts, or one of PyMC (`pm.Beta.dist(2, 8)`) or PreliZ. Betas and Dirichlets are
    drawn exactly, all others by Markov chains. Which labels are said within an outcome has the tree's prior, of total
    mass `label_mass`.

    Examples
    --------
    >>> model = OwnPriors(mu=(2, 38), rho=((8, 2), (1, 9)))
    >>> model.prior
    'mu ~ Beta(2, 38); rho+ ~ Beta(8, 2); rho- ~ Beta(1, 9)'
    >>> model.exact
    True
    """

    mu: Any = None
    rho: Any = None
    theta: Any = None
    paired: bool = None  # type: ignore[assignment]  # settled below: what stands alone has a rho
    label_mass: float = 1.0

    name = "own"
    is_deliberate = True
    title = "own-prior"

    def __post_init__(self) -> None:
        if self.rho is not None and self.theta is not None:
            raise InvalidInputError(
                "`rho` and `theta` both say what happens within a class; give one of them.",
                hint="rho is for classifiers one by one, theta for two on the same items.",
            )
        object.__setattr__(self, "paired", self.rho is None if self.paired is None else bool(self.paired))
        if self.paired and self.rho is not None:
            raise InvalidInputError("`rho` is about one classifier at a time.", hint="use theta=, or paired=False.")
        check_masses(self, "label_mass")
        if self.mu is not None:
            object.__setattr__(self, "mu", check_prior(self.mu, "mu"))
        for name in ("rho", "theta"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _checked(getattr(self, name), name))

    @property
    def within(self) -> tuple[str, Any]:
        """What was said about a class, `rho` or `theta`, and its name."""
        return ("rho", self.rho) if self.rho is not None else ("theta", self.theta)

    @property
    def _laws(self) -> list[Any]:
        """The priors within classes: a pair, one for all of them, or those of some."""
        within = self.within[1]
        if within is None:
            return []
        return list(within.values()) if isinstance(within, Mapping) else list(within) if _is_pair(within) else [within]

    @property
    def exact(self) -> bool:
        """Whether all priors are Betas and Dirichlets."""
        return all(shapes_of(prior) is not None for prior in (self.mu, *self._laws) if prior is not None)

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return self._stated or self._otherwise.prior

    def prior_for(self, n_labels: int, n_classifiers: int) -> str:
        """Return the prior as it is for so many labels and classifiers."""
        return self._stated or self._otherwise.prior_for(n_labels, n_classifiers)

    @property
    def _otherwise(self) -> Tree:
        """Where nothing is stated."""
        return Tree(label_mass=self.label_mass)

    @property
    def _stated(self) -> str:
        """What is stated, in formulas."""
        (name, within), laws = self.within, [describe(law) for law in self._laws]
        formulas = [] if self.mu is None else [f"mu ~ {describe(self.mu)}"]
        if _is_pair(within):
            formulas += [f"{name}{sign} ~ {law}" for sign, law in zip("+-", laws, strict=True)]
        elif laws:
            formulas.append(f"{name}_j ~ {', '.join(laws)}")
        return "; ".join(formulas)

    @property
    def description(self) -> str:
        """The model in a sentence."""
        whose = {"rho": "each classifier does", "theta": "the classifiers do together"}
        name, within = self.within
        parts = [] if self.mu is None else ["of the class shares"]
        parts += [] if within is None else [f"of what {whose[name]} in a class"]
        if not parts:
            return "The usual prior of labels, since none was given in its place."
        return f"The prior {' and '.join(parts)} was given with the question; all else has the usual one."

    def changed_fields(self) -> list[str]:
        """Return the fields that do not have their default; whether items are paired follows from the others."""
        follows = (self.rho is None) == self.paired
        return [field for field in Model.changed_fields(self) if not (follows and field == "paired")]

    def by_class(self, table: Outcomes) -> list[Any]:
        """Return the prior within every class of a table, None where the usual one holds."""
        name, within = self.within
        if within is None:
            return [None] * table.n_labels
        if table.n_labels == BINARY:
            if not _is_pair(within):
                raise InvalidInputError(
                    f"With two labels `{name}` must be a pair of distributions, of positive and of negative items.",
                    hint=f"{name}=(distribution, distribution).",
                )
            return [within[1], within[0]]  # the positive label comes last
        if _is_pair(within):
            raise InvalidInputError(
                f"A pair of distributions for `{name}` is for two labels; these data have {table.n_labels}.",
                hint="give one distribution for all classes, or a mapping {label: distribution}; or a pos_label=.",
            )
        if not isinstance(within, Mapping):
            return [within] * table.n_labels
        priors: list[Any] = [None] * table.n_labels
        for label, prior in within.items():
            priors[table.labels.index(find_label(label, table.labels, what=name))] = prior
        return priors

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("Two labels, priors of one's own", paired=self.paired, **size)
        laws = [describe(law) for law in self._laws]
        law, mu = " or ".join(dict.fromkeys(laws)), s.even(1.0) if self.mu is None else describe(self.mu)
        if s.n_labels <= BINARY:
            n_outcomes = 2**s.n_classifiers if s.joint else BINARY
            usual = s.even(1.0 / n_outcomes, n_outcomes)
            positive, negative = laws if _is_pair(self.within[1]) else [law or usual] * 2
            return binary_graph(s, mu, positive, negative)
        s.title, (name, letter) = "Priors of one's own, any number of labels", ("tau", "τ") if s.joint else ("rho", "ρ")
        s.shares(mu)
        if law:
            s.parameter(name, (2, 0), s.sign(letter, "j"), law, ("", (2, -2), ""))
        else:
            law = "Dir(1 · base) over the types" if s.joint else "Beta(0.5, 0.5)"
            s.constant("p", (2, -2), "κ", "1")
            s.latent(name, (2, 0), s.sign(letter, "j"), law, "p")
        return class_graph(s, self.label_mass)

    def fit(self, outcomes: Outcomes) -> TreePosterior:
        """Return the posterior, where all priors are Betas and Dirichlets."""
        if not self.exact:
            raise InvalidInputError("These priors are not conjugate.", hint='use engine="pymc".')
        part = Tree(label_mass=self.label_mass).fit_types(outcomes, every_type=True)
        if outcomes.n_labels == 1:
            return part
        mu, types = part.mu, part.types.reshape(part.n_labels, -1).copy()
        if self.mu is not None:
            mu = outcomes.items_by_class() + _mu_shapes(self.mu, outcomes)
        counts = part.type_counts.reshape(types.shape)
        for j, prior in enumerate(self.by_class(outcomes)):
            if prior is not None:
                types[j] = counts[j] + self._type_shapes(prior, j, outcomes)
        return replace(part, mu=mu, types=types.reshape(-1))

    def _type_shapes(self, prior: Any, j: int, outcomes: Outcomes) -> FloatArray:
        """Return the pseudo-counts of the types of class j: from all right to all wrong."""
        shapes, expected = np.array(shapes_of(prior)), n_types(outcomes.n_classifiers, outcomes.n_labels)
        if shapes.size != expected:
            raise InvalidInputError(
                f"`{self.within[0]}` must be over {expected} outcomes here; got one over {shapes.size}.",
                hint=outcomes_hint(outcomes),
            )
        # What is said of a negative item is listed from positive to negative: from all wrong to all right.
        return shapes[::-1] if outcomes.n_labels == BINARY and j == 0 else shapes


def _checked(within: Any, name: str) -> Any:
    if isinstance(within, Mapping):
        return {label: check_prior(prior, name) for label, prior in within.items()}
    if _is_pair(within):
        return tuple(check_prior(prior, name) for prior in within)
    return check_prior(within, name)


def _is_pair(within: Any) -> bool:
    return isinstance(within, Sequence) and not is_counts(within) and len(within) == BINARY


def _mu_shapes(prior: Any, outcomes: Outcomes) -> FloatArray:
    """Return the pseudo-counts of the classes, in label order; 0 for what cannot be true."""
    shapes = np.array(shapes_of(prior))
    rows = np.flatnonzero(outcomes.can_be_true)
    if shapes.size != rows.size:
        raise InvalidInputError(
            f"`mu` must be over {rows.size} classes here; got one over {shapes.size}.",
            hint="give one number per class.",
        )
    of_labels = np.zeros(outcomes.n_labels)
    of_labels[rows] = shapes[::-1] if rows.size == BINARY == outcomes.n_labels else shapes
    return of_labels


def outcomes_hint(outcomes: Outcomes) -> str:
    """List what the outcomes are."""
    if outcomes.n_classifiers == 1:
        return "one classifier is right or wrong: a Beta has two."
    if outcomes.n_labels == BINARY:
        return "what is said, from all positive to all negative: (1,1) (1,0) (0,1) (0,0) for two classifiers."
    return "both right, only A, only B, both wrong alike, both wrong differently, for two classifiers."
