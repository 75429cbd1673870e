"""Test labels that annotators got wrong now and then; of two labels, drawn exactly wherever that is possible.

    y ~ mu,   answers | y ~ theta_y,   annotated | y ~ error_y

The prior is the tree's, and of two labels its masses make one Dirichlet of all cells: a share of all items for every
true class y and combination g of answers, each with the same shape a. So, before and after the data, how often each g
is said has nothing to do with how much of it is truly positive:

    share of g          ~ Dirichlet(2a + n_g)
    p_g, truly positive ~ Beta(a, a) · Π_b P(annotated positive)^n_bg+ · P(annotated negative)^n_bg−

where annotators of batch b call an item of g positive with probability (1 − miss_b)·p_g + alarm_b·(1 − p_g). Each p_g
has a posterior in one dimension, with one peak on the logit scale; summing over the truths of single items, a mixture
of Betas, gives the same. Rates that are not known add a dimension each, which has a grid of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Self, Unpack

import numpy as np

from ropewalk._arguments import read_some
from ropewalk._checks import is_real
from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import dirichlet
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.models.binary import every_cell
from ropewalk.models.graph import Graph, Size, Sketch
from ropewalk.models.grids import halved, look_closer
from ropewalk.models.own import check_prior, describe, shapes_of
from ropewalk.models.power_prior import match
from ropewalk.models.protocol import Model, Posterior, check_masses
from ropewalk.models.tree import Tree
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray, IntArray

_MAX_CELLS: Final = 4_000  # of a table, beyond which it would take for ever
_ROUNDING: Final = 1e-6
_PAIR: Final = 2

_MAX_UNKNOWN: Final = 2  # rates that are not known, each of which is a dimension of a grid
_NODES: Final = 33  # of a rate, at least
_MAX_ROWS: Final = 5_000  # nodes of all rates times combinations of answers
_NODES_OF_SEARCH: Final = 17
_MAX_LOOKS: Final = 12
_MAX_SCORE: Final = 20.0  # how far out in its prior a rate may be
_LEAST_RATE: Final = 1e-200
_DEPTH: Final = 30.0  # log density below its maximum at which a grid may end: 1e-13 of the mass is beyond
_SEEN_DEPTH: Final = 12.0  # down to which the grid of a rate must follow the density
_MAX_JUMP: Final = 1.5  # of the log density, between two nodes of it
_POINTS: Final = (513, 257)  # of the logit of a share: where rates are known, and at each of many nodes
_POINTS_OF_SEARCH: Final = 129
_SMALLEST: Final = 2.0**-54  # in place of a random number that is 0
_FLAT: Final = 1e-9  # the share of a likelihood by which it may still change beyond the points


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoisyLabels(Model):
    """Test labels that annotators got wrong now and then.

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

    The prior of all else is the tree's, `paired` for classifiers on the same items: `kappa` is how many pseudo-items
    each class weighs, in the prevalences and in what is said of it, and `label_mass` how many that of the labels.

    Two labels, or one class against the rest, are drawn exactly where rates are known, or no more than two of them
    Betas; all else by Markov chains, and so are classifiers with tables of their own and a rate that is not known,
    which they share.

    Examples
    --------
    >>> NoisyLabels(error=0.05).prior_for(2, 1)
    'error 0.05; mu ~ Beta(1, 1); rho+, rho- ~ Beta(0.5, 0.5)'
    >>> NoisyLabels(error=(5, 95)).prior_for(2, 1)
    'error ~ Beta(5, 95); mu ~ Beta(1, 1); rho+, rho- ~ Beta(0.5, 0.5)'
    >>> table = Outcomes.from_arrays([1, 1, 0, 0], [1, 1, 0, 1])
    >>> NoisyLabels(error=(5, 95)).exact_for([table]), NoisyLabels(error=(5, 95)).exact_for([table, table])
    (True, False)
    """

    error: Any
    batches: Sequence[Outcomes] | None = None
    drift: float | None = None
    paired: bool = True
    kappa: float = 1.0
    label_mass: float = 1.0

    name = "noisy_labels"
    exact = False  # not for all data; see `exact_for`
    takes_labels_as_true = False
    no_papers = "the models of the papers take the labels for the truth; ask again with another error="
    moves = "The observed values are against the labels as annotated; the posterior is about the true ones."

    def __post_init__(self) -> None:
        check_masses(self, "kappa", "label_mass")
        if self.batches is not None:
            batches = tuple(read_some(self.batches) or ())
            if not batches or not all(isinstance(batch, Outcomes) for batch in batches):
                raise InvalidInputError(
                    "`batches` must be a list of Outcomes, one per batch of annotated items.",
                    hint="batches=[first, second], each made by rw.read_outcomes.",
                )
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
    def tree(self) -> Tree:
        """The model of true labels."""
        return Tree(kappa=self.kappa, mu_prior=self.kappa, label_mass=self.label_mass, paired=self.paired)

    @property
    def _rates(self) -> str:
        """The rates in a few words."""
        rates = " | ".join(map(_rate_text, self.error if isinstance(self.error, list) else [self.error]))
        return rates if self.drift is None else f"{rates}, drifting by {self.drift:g} on the logit scale"

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return f"error {self._rates}; {self.tree.prior}"

    def prior_for(self, n_labels: int, n_classifiers: int) -> str:
        """Return the prior as it is for so many labels and classifiers."""
        return f"error {self._rates}; {self.tree.prior_for(n_labels, n_classifiers)}"

    def scaled(self, factor: float) -> Self:
        """Return the model with so many times the prior mass; what is known of the annotators stays."""
        return replace(self, kappa=factor * self.kappa, label_mass=factor * self.label_mass)

    def exact_for(self, tables: Sequence[Any]) -> bool:
        """Whether `fit` gives the posterior of these tables."""
        if self.drift is not None or not all(_is_of_two(table) for table in tables):
            return False
        unknown = [rate for rate in self._each_rate() if not _is_known(rate)]
        if not unknown:
            return True
        rows = _NODES ** len(unknown) * 2 ** tables[0].n_classifiers
        betas = all(len(shapes_of(rate) or ()) == _PAIR for rate in unknown)
        return len(tables) == 1 and betas and len(unknown) <= _MAX_UNKNOWN and rows <= _MAX_ROWS

    def hides_class(self, table: Outcomes, pair: Sequence[int]) -> str:
        """Why errors of annotators hide the items of the rarer class on which a pair differs; empty where they do not.

        There are so few that no more are annotated as such than errors alone would make, up to a standard deviation.
        """
        if not self.exact_for([table]):
            return ""
        batches = self.parts_of(table)
        wrong = _Sides.of(self, len(batches)).usual()
        annotated = np.stack([_annotated(batch) for batch in batches])
        items = annotated.sum(axis=2)
        true = (items[:, 0] - wrong[:, 1] * items.sum(axis=1)) / np.maximum(1 - wrong.sum(axis=1), _ROUNDING)
        rarer = int(2 * true.sum() > items.sum())  # 0: the positive one, which comes first here
        answers = every_cell(BINARY, table.n_classifiers).codes[: annotated.shape[2], 1:]
        differ = annotated[..., answers[:, pair[0]] != answers[:, pair[1]]].sum(axis=2)
        rate, number, seen = wrong[:, 1 - rarer], differ.sum(axis=1), float(differ[:, rarer].sum())
        expected = float((number * rate).sum())
        if seen >= expected + math.sqrt((number * rate * (1 - rate)).sum()):
            return ""
        return (
            f"of {number.sum():,.0f} items on which the two differ {seen:,.0f} are annotated as the rarer class, and "
            f"errors alone would make {expected:,.1f}: wrong labels hide how many are of that class"
        )

    def _each_rate(self) -> list[Any]:
        """Return the rates one by one, matrices as they are."""
        errors = self.error if isinstance(self.error, list) else [self.error]
        return [rate for error in errors for rate in (error if is_pair(error) else (error,))]

    def fit(self, outcomes: Outcomes) -> NoisyPosterior:
        """Return the posterior of a table of two labels; without items it is the prior."""
        if not self.exact_for([outcomes]):
            return Model.fit(self, outcomes)  # type: ignore[return-value]  # it refuses
        check_cells(outcomes)
        counts = np.stack([_annotated(batch) for batch in self.parts_of(outcomes)])
        sides = _Sides.of(self, len(counts))
        sides.check(counts.sum(axis=-1))
        distinct, kind, times = np.unique(
            counts.reshape(-1, counts.shape[-1]), axis=1, return_inverse=True, return_counts=True
        )
        shape = self.kappa / counts.shape[-1]
        return NoisyPosterior(
            cells=every_cell(BINARY, outcomes.n_classifiers),
            said=counts.sum(axis=(0, 1)) + 2 * shape,
            kind=kind.reshape(-1),
            rates=_Rates(sides=sides, counts=distinct.reshape(*counts.shape[:2], -1), times=times, shape=shape),
        )

    def parts_of(self, table: Outcomes) -> list[Outcomes]:
        """Return the batches of a table, which together must be the table; those of an empty one are empty."""
        if self.batches is None:
            return [table]
        if not table.n_items:
            return [table] * len(self.batches)
        batches = [match(batch, table) for batch in self.batches]
        whole = sum(int(batch.counts.sum()) for batch in batches)
        if whole != table.n_items:
            raise DataError(
                f"The batches hold {whole:,} items, and the data {table.n_items:,}.",
                hint="the data must be the batches together: merge them with +.",
            )
        return batches

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        error = self._rates
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
            raise InvalidInputError(
                f"`error` must be a probability below 1; got {told(error)}.", hint="write 0.05 for 5%."
            )
        return float(error)
    if isinstance(error, np.ndarray):
        good = error.ndim == _PAIR and error.shape[0] == error.shape[1] and np.isfinite(error).all()
        if not good or (error < 0).any() or not np.allclose(error.sum(axis=1), 1, atol=_ROUNDING):
            raise InvalidInputError(
                "A matrix of `error` must be square, its rows (truth) adding up to 1 over columns (annotated).",
                hint="[[0.95, 0.05], [0.1, 0.9]] is one.",
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


def below_guessing(rate: float, n_labels: int) -> float:
    """Return a known rate of errors, which must be below that of guessing.

    Annotators who do worse than guessing are as good as those who do better, with the classes exchanged: the data
    cannot tell the two apart.
    """
    if rate >= (most := 1 - 1 / n_labels):
        raise InvalidInputError(
            f"`error` is {rate:g}, and guessing among {n_labels} labels errs with {most:.3g}.",
            hint="write 0.05 for 5%.",
        )
    return float(rate)


def check_matrix(error: FloatArray, n_labels: int) -> FloatArray:
    """Refuse a matrix of errors that is not of so many classes."""
    if error.shape[0] != n_labels:
        raise InvalidInputError(
            f"The matrix of `error` is {error.shape[0]} × {error.shape[0]}, and there are {n_labels} classes.",
            hint="give one row and column per class.",
        )
    return error


# -- two labels, exactly -----------------------------------------------------------------------------------


def _is_of_two(table: Any) -> bool:
    """Whether a table holds counts of two labels, both of which can be true."""
    return isinstance(table, Outcomes) and table.n_labels == BINARY and bool(np.all(table.can_be_true))


def _annotated(table: Outcomes) -> FloatArray:
    """Return how many items of each combination of answers were annotated positive, and negative: (2, 2^K)."""
    counts = np.zeros((2,) * (1 + table.n_classifiers))
    np.add.at(counts, tuple(table.codes.T), table.counts)
    return counts.reshape(2, -1)[::-1]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sides:
    """How often annotators of each batch miss a positive item and mark a negative one: (B, 2).

    Where `axis` is not −1, the rate is not known, and is that of the `betas`.
    """

    known: FloatArray
    axis: IntArray
    betas: list[tuple[float, ...]]

    @classmethod
    def of(cls, model: NoisyLabels, n_batches: int) -> Self:
        """Read the rates of a model: one for all batches, or a list."""
        betas: list[tuple[float, ...]] = []

        def side(rate: Any) -> tuple[float, int]:
            if is_real(rate):
                return below_guessing(rate, BINARY), -1
            betas.append(shapes_of(rate) or ())
            return 0.0, len(betas) - 1

        def sides(error: Any) -> list[tuple[float, int]]:
            if isinstance(error, np.ndarray):
                matrix = check_matrix(error, BINARY)
                return [(matrix[1, 0], -1), (matrix[0, 1], -1)]
            return [side(rate) for rate in error] if is_pair(error) else [side(error)] * 2

        each = list(map(sides, model.error)) if isinstance(model.error, list) else [sides(model.error)] * n_batches
        known, axis = np.array(each).transpose(2, 0, 1)
        return cls(known=known, axis=axis.astype(np.int64), betas=betas)

    def usual(self) -> FloatArray:
        """Return both rates of each batch, those that are not known as they are expected to be: (B, 2)."""
        means = np.array([alpha / (alpha + beta) for alpha, beta in self.betas])
        return self.at(np.minimum(means, 0.5)[:, np.newaxis])[..., 0]

    def check(self, annotated: FloatArray) -> None:
        """Refuse items, so many positive and negative ones in each batch, that could not be annotated so."""
        miss, alarm = self.known.T
        never = np.stack([(miss == 1) & (alarm == 0), (miss == 0) & (alarm == 1)], axis=1)
        if (annotated[never] > 0).any():
            raise DataError(
                "Items were annotated as what `error` says that nothing ever is.",
                hint="give that cell of the matrix a small error.",
            )

    def at(self, rates: FloatArray) -> FloatArray:
        """Return both rates of each batch at J points of the rates that are not known, (d, J): (B, 2, J)."""
        known = np.repeat(self.known[..., np.newaxis], max(rates.shape[-1], 1), axis=-1)
        return np.where(self.axis[..., np.newaxis] < 0, known, rates[self.axis]) if len(rates) else known


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rows:
    """Laws of the logit of a share of truly positive items, R rows, given what annotators called them.

    `hits` (B, 2, R) is how many were called positive and negative, `wrong` (B, 2, R) how often annotators miss a
    positive item and mark a negative one, and `shape` that of the prior, Beta(shape, shape). Each row has `n_points`
    just where its mass is; where that reaches to shares so near 0 or 1 that the likelihood changes no more, the
    density falls off exponentially on the logit scale, with slopes that are known.
    """

    hits: FloatArray
    wrong: FloatArray
    shape: float
    n_points: int = _POINTS[0]

    def log_density(self, logit: FloatArray) -> FloatArray:
        """Return the log density at points of each row, (R, P), up to a constant that no rate changes."""
        from scipy.special import expit, log_expit, xlogy

        p, rest = expit(logit), expit(-logit)
        value: FloatArray = self.shape * (log_expit(logit) + log_expit(-logit))
        for (plus, minus), (miss, alarm) in zip(self.hits[..., np.newaxis], self.wrong[..., np.newaxis], strict=True):
            value += xlogy(plus, (1 - miss) * p + alarm * rest) + xlogy(minus, miss * p + (1 - alarm) * rest)
        return value

    @cached_property
    def _tails(self) -> tuple[FloatArray, FloatArray]:
        """How far from 0 the likelihood may change, and the slopes of the density beyond: (2, R), to either side.

        There is a factor for what annotators called an item, which tends to a limit, or to a power of the share.
        """
        (plus, minus), (miss, alarm) = self.hits.swapaxes(0, 1), self.wrong.swapaxes(0, 1)
        far, slopes = [], []
        for limit, other in (((alarm, 1 - alarm), (1 - miss, miss)), ((1 - miss, miss), (alarm, 1 - alarm))):
            changes, slope = 1 + 2 * self.shape, self.shape
            for n, here, there in zip((plus, minus), limit, other, strict=True):
                power = here == 0
                relative = np.abs(there - here) / np.where(power, 1.0, here)
                changes = changes + (n * np.where(power, 1.0, relative)).sum(axis=0)
                slope = slope + (n * power).sum(axis=0)
            far.append(np.log(changes) - math.log(_FLAT))
            slopes.append(slope)
        return np.array(far), np.array(slopes)

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Points of each row, the log density there, and how much lies beyond, over the density at the end (2, R)."""
        (left, right), slopes = self._tails
        points, _ = look_closer(-left, right, self.log_density)
        ends = points[:, 0], points[:, -1]
        points = np.linspace(*ends, self.n_points, axis=1)
        reaches = np.stack([ends[0] == -left, ends[1] == right])
        return points, self.log_density(points), np.where(reaches, 1 / slopes, 0.0)

    @cached_property
    def log_mass(self) -> FloatArray:
        """The log of the mass of each row, up to the same constant.

        By the trapezoidal rule, with its correction at ends where the density does not vanish.
        """
        points, heights, beyond = self._grid
        top, step = heights.max(axis=1), points[:, 1] - points[:, 0]
        density = np.exp(heights - top[:, np.newaxis])
        ends = np.stack([density[:, 0], density[:, -1]])
        tails = ends * (beyond + np.where(beyond > 0, self._tails[1], 0.0) * step**2 / 12)
        return np.asarray(top + np.log(step * (density.sum(axis=1) - ends.sum(axis=0) / 2) + tails.sum(axis=0)))

    @cached_property
    def _below(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Points closer to each other, the distribution function there, and the shares beyond the ends (2, R)."""
        points, heights, beyond = self._grid
        fine = halved(heights)
        density = np.exp(fine - fine.max(axis=1, keepdims=True))
        points = np.linspace(points[:, 0], points[:, -1], fine.shape[1], axis=1)
        tails = beyond * np.stack([density[:, 0], density[:, -1]])
        below = np.zeros(density.shape)
        np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1, out=below[:, 1:])
        below *= (points[:, 1] - points[:, 0])[:, np.newaxis]
        total = tails.sum(axis=0) + below[:, -1]
        return points, (tails[0][:, np.newaxis] + below) / total[:, np.newaxis], tails / total

    @cached_property
    def _stacked(self) -> FloatArray:
        """The distribution functions, every row raised above the one before, so that one search serves them all."""
        below = self._below[1]
        return (below + np.arange(len(below))[:, np.newaxis]).reshape(-1)

    def quantile(self, row: IntArray, share: FloatArray) -> FloatArray:
        """Return logits below which so much of their rows lies."""
        points, below, tails = self._below
        width, slopes = points.shape[1], self._tails[1]
        place = np.clip(np.searchsorted(self._stacked, row + share, side="right") - row * width, 1, width - 1)
        start, low, high = points[row, place - 1], below[row, place - 1], below[row, place]
        part = np.divide(share - low, high - low, out=np.zeros(share.shape), where=high > low)
        logit = start + np.clip(part, 0.0, 1.0) * (points[row, place] - start)
        for side, left, sign in ((0, share, 1.0), (1, 1 - share, -1.0)):
            outside = np.flatnonzero(left.reshape(-1) < tails[side][row].reshape(-1))
            there = row.reshape(-1)[outside]
            ratio = np.maximum(left.reshape(-1)[outside], _SMALLEST) / tails[side][there]
            logit.reshape(-1)[outside] = points[there, -side] + sign * np.log(ratio) / slopes[side][there]
        return np.asarray(logit)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rates:
    """The posterior of d rates that are not known, on a grid, and of shares given each node.

    The grid is one of normal scores: a rate has the same quantile in its prior, a Beta that is cut off at guessing,
    as its score in the standard normal. So what the prior alone leaves open is covered evenly, whatever its shape.
    `counts` (B, 2, G) are of distinct combinations of answers, of which there are so many `times`.
    """

    sides: _Sides
    counts: FloatArray
    times: IntArray
    shape: float

    @property
    def n_rates(self) -> int:
        """How many rates are not known."""
        return len(self.sides.betas)

    def _rate(self, axis: int, score: FloatArray) -> FloatArray:
        """Return the rate that has a score."""
        from scipy.special import betainc, betaincinv, ndtr

        alpha, beta = self.sides.betas[axis]
        within, beyond = float(betainc(alpha, beta, 0.5)), float(betainc(beta, alpha, 0.5))
        below, above = (np.asarray(ndtr(np.minimum(sign * score, 0.0)), dtype=np.float64) for sign in (1, -1))
        low, high = betaincinv(alpha, beta, below * within), 1 - betaincinv(beta, alpha, above * within + beyond)
        return np.asarray(np.clip(np.where(score < 0, low, high), _LEAST_RATE, 0.5))

    def _nodes(self, axes: Sequence[FloatArray], n_points: int) -> tuple[_Rows, FloatArray]:
        """Return the rows of every node and combination of answers, and the log density of the nodes."""
        shape = [len(axis) for axis in axes]
        scores = np.array(np.meshgrid(*axes, indexing="ij")).reshape(self.n_rates, math.prod(shape))
        rates = np.array([self._rate(k, score) for k, score in enumerate(scores)]).reshape(scores.shape)
        wrong = self.sides.at(rates)
        n_nodes, n_kinds = scores.shape[1], self.counts.shape[-1]
        rows = _Rows(
            hits=np.tile(self.counts, n_nodes),
            wrong=np.repeat(wrong, n_kinds, axis=-1),
            shape=self.shape,
            n_points=n_points,
        )
        heights = (rows.log_mass.reshape(n_nodes, n_kinds) * self.times).sum(axis=1) - (scores**2).sum(axis=0) / 2
        return rows, heights.reshape(shape)

    @cached_property
    def _box(self) -> tuple[FloatArray, FloatArray]:
        """Find where the rates have their mass."""
        low, high = (np.full(self.n_rates, end) for end in (-_MAX_SCORE, _MAX_SCORE))
        for _ in range(_MAX_LOOKS if self.n_rates else 0):
            axes = list(np.linspace(low, high, _NODES_OF_SEARCH, axis=1))
            heights = self._nodes(axes, _POINTS_OF_SEARCH)[1]
            holds = np.argwhere(heights >= heights.max() - _DEPTH)
            first, last = np.maximum(holds.min(axis=0) - 1, 0), np.minimum(holds.max(axis=0) + 1, _NODES_OF_SEARCH - 1)
            low, high = (np.array([axis[i] for axis, i in zip(axes, at, strict=True)]) for at in (first, last))
            if (last - first > _NODES_OF_SEARCH // 2).all():
                break
        return low, high

    @cached_property
    def grid(self) -> tuple[list[FloatArray], _Rows, FloatArray]:
        """The nodes along each axis, the rows at all of them, and their log density: as many as follow its changes."""
        low, high = self._box
        number = _NODES
        while True:
            axes = list(np.linspace(low, high, number, axis=1)) if self.n_rates else []
            rows, heights = self._nodes(axes, _POINTS[bool(axes)])
            more = (2 * number - 1) ** self.n_rates * self.counts.shape[-1]
            if more > _MAX_ROWS or _largest_jump(heights) <= _MAX_JUMP:
                return axes, rows, heights
            number = 2 * number - 1

    def draw(self, rng: np.random.Generator, kinds: IntArray, size: int) -> FloatArray:
        """Draw rates, and return the logits of a share of each of these kinds, (kinds, D), given them."""
        _, rows, heights = self.grid
        weights = np.ones((1, size))
        nodes = np.zeros((1, size), dtype=np.int64)
        row = np.zeros(size, dtype=np.int64)
        for axis, number in enumerate(heights.shape):
            later = tuple(range(axis + 1, heights.ndim))
            top = heights.max(axis=later, keepdims=True)
            sums = (top + np.log(np.exp(heights - top).sum(axis=later, keepdims=True))).reshape(-1, number)
            place, part = _between(rng, sums, row)
            weights = np.concatenate([weights * (1 - part), weights * part])
            nodes = np.concatenate([nodes * number + place, nodes * number + place + 1])
            row = row * number + place + (rng.random(size) < part)
        # Between nodes lies a law whose quantiles lie between theirs.
        share = rng.random((kinds.size, size))
        n_kinds, logit = self.counts.shape[-1], np.zeros((kinds.size, size))
        for weight, node in zip(weights, nodes, strict=True):
            logit += weight * rows.quantile(node * n_kinds + kinds[:, np.newaxis], share)
        return logit


def _largest_jump(heights: FloatArray) -> float:
    """Return by how much the log density changes from one node to the next, where there is some of it."""
    seen = heights.max() - _SEEN_DEPTH
    jumps = [0.0]
    for axis in range(heights.ndim):
        pairs = np.moveaxis(heights, axis, 0)
        change = np.abs(np.diff(pairs, axis=0))[np.maximum(pairs[1:], pairs[:-1]) > seen]
        jumps.append(float(change.max(initial=0.0)))
    return max(jumps)


def _between(rng: np.random.Generator, heights: FloatArray, row: IntArray) -> tuple[IntArray, FloatArray]:
    """Draw a point of each of the rows: after which node it lies, and how far on the way to the next.

    The log density is linear in between.
    """
    change = np.diff(heights, axis=1)
    steep = np.abs(change) > _ROUNDING
    mean = np.where(steep, np.expm1(change) / np.where(steep, change, 1.0), 1.0)
    masses = np.exp(heights[:, :-1] - heights.max(axis=1, keepdims=True)) * mean
    below = np.cumsum(masses, axis=1)
    below /= below[:, -1:]
    width = below.shape[1]
    stacked = (below + np.arange(len(below))[:, np.newaxis]).reshape(-1)
    place = np.clip(np.searchsorted(stacked, row + rng.random(row.size), side="right") - row * width, 0, width - 1)
    slope, share = change[row, place], rng.random(row.size)
    part = np.where(steep[row, place], np.log1p(share * np.expm1(slope)) / np.where(slope == 0, 1.0, slope), share)
    return place, np.clip(part, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyPosterior(Posterior):
    """What is said ~ Dirichlet(`said`), and how much of each is truly positive, given `rates` of errors.

    `cells` lists every combination of answers to negative items and then to positive ones; `kind` is which of the
    distinct counts each combination has.
    """

    cells: Cells
    said: FloatArray
    kind: IntArray
    rates: _Rates

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return len(self.said) * (2 + 2 * (1 << self.rates.n_rates))

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        from scipy.special import expit

        said = dirichlet(rng, self.said, size)
        logit = self.rates.draw(rng, self.kind, size)
        return Weighted(self.cells, np.concatenate([said * expit(-logit), said * expit(logit)]))
