"""The PyMC model of labels that may be wrong.

    y ~ mu,   outcome | y ~ theta_y,   annotated | y ~ error_y

The true class y of an item is not known, so it is summed out: an annotated label and an outcome are seen together with
probability Σ_y mu_y · error_y(annotated) · theta_y(outcome). Here outcomes are cells, what each classifier says, since
the labels within a type no longer stand by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.labels import BINARY, label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.layout import Layout, coordinate, layout_of, rows_of
from ropewalk.mcmc.own import share
from ropewalk.mcmc.programs import Parameters, Program, class_shares, load_pymc, program_of
from ropewalk.metrics.margins import Cells, Tables, Weighted
from ropewalk.models import NoisyLabels
from ropewalk.models.cells import all_patterns, patterns_of
from ropewalk.models.noisy import below_guessing, check_cells, check_matrix, is_pair
from ropewalk.typing import IntArray

_SMALLEST_RATE: Final = 1e-12  # an error of exactly 0 has no logit


@program_of.register
def _(model: NoisyLabels, tables: Sequence[Outcomes], form: str) -> Program:
    if form != "counts":
        raise InvalidInputError("Label noise is modelled by counts.", hint='use form="counts".')
    for table in tables:
        check_cells(table)
    pm, first, rows = load_pymc(), tables[0], rows_of(tables)
    layout = layout_of(model.tree, tables)
    batches = [model.parts_of(table) for table in tables]
    said = np.array(list(product(range(first.n_labels), repeat=first.n_classifiers)))
    dims = layout.dims
    sayings = [", ".join(label_text(first.labels[j]) for j in labels) for labels in said.tolist()]
    with pm.Model(coords={**layout.coords, "said": tuple(map(coordinate, sayings))}) as built:
        mu = class_shares(pm, layout)
        theta = pm.Dirichlet("theta", a=layout.led(layout.prior), dims=(*dims, "class", "outcome"))
        cells = pm.Deterministic("cells", _cells(model, layout, first, said, theta), dims=(*dims, "class", "said"))
        errors = _errors(model, len(batches[0]), len(rows))
        for b, error in enumerate(errors):
            for t in range(len(tables)):
                shares, within = (mu[t], cells[t]) if dims else (mu, cells)
                # Σ_y mu_y · error_y(annotated) · theta_y(said): annotated × said
                seen = ((shares[:, np.newaxis] * error).T @ within).reshape((-1,))
                counts = _counts(batches[t][b], rows)
                name = f"annotated_{b}_{t}" if dims else f"annotated_{b}"
                pm.Multinomial(name, n=int(counts.sum()), p=seen / seen.sum(), observed=counts)
    truth = np.repeat(rows, len(said))[:, np.newaxis]
    places = Cells(np.concatenate([truth, np.tile(said, (len(rows), 1))], axis=1).astype(np.int32), first.n_labels)

    def fill(rng: np.random.Generator, draws: Parameters) -> list[Tables]:  # noqa: ARG001
        mu = draws["mu"].reshape(-1, len(tables), len(rows), 1)
        weights = (mu * draws["cells"].reshape(len(mu), len(tables), len(rows), -1)).reshape(len(mu), len(tables), -1)
        return [Weighted(places, np.ascontiguousarray(weights[:, t].T)) for t in range(len(tables))]

    return Program(built, fill)


def _counts(table: Outcomes, rows: IntArray) -> Any:
    """Return how often each annotated label and each saying were seen together, flat."""
    counts = np.zeros((table.n_labels,) * (1 + table.n_classifiers), dtype=np.int64)
    np.add.at(counts, tuple(table.codes.T), table.counts)
    return counts[rows].reshape(-1)


def _cells(model: NoisyLabels, layout: Layout, table: Outcomes, said: IntArray, theta: Any) -> Any:
    """Return the probability of every saying given the class: that of its type, times that of its labels."""
    pm, n_labels, rows = load_pymc(), table.n_labels, rows_of([table])
    types = all_patterns(table.n_classifiers, n_labels)
    keys = {tuple(pattern): t for t, pattern in enumerate(types.tolist())}
    codes = [np.column_stack([np.full(len(said), j), said]).astype(np.int32) for j in rows]
    of_type = np.array([[keys[tuple(pattern)] for pattern in patterns_of(part).tolist()] for part in codes])
    if n_labels == BINARY:
        return theta[..., np.arange(len(rows))[:, np.newaxis], of_type]
    parts = []
    for t in range(len(types)):
        size = int((of_type[0] == t).sum())
        cells = theta[..., t : t + 1]
        if size > 1:
            shapes = np.full((*layout.shape, len(rows), size), model.label_mass / size)
            cells = cells * pm.Dirichlet(f"labels_{t}", a=shapes)
        parts.append(cells)
    whole = pm.math.concatenate(parts, axis=-1)  # in the order of types, then of sayings
    order = np.argsort(np.argsort(of_type, axis=1, kind="stable"), axis=1)
    return whole[..., np.arange(len(rows))[:, np.newaxis], order]


def _errors(model: NoisyLabels, number: int, size: int) -> list[Any]:
    """Return a matrix, truth × annotated, for every batch."""
    if isinstance(model.error, list):
        return [_matrix(error, f"error_{b}", size) for b, error in enumerate(model.error)]
    if model.drift is None:
        return [_matrix(model.error, "error", size)] * number
    return _drifting(model, number, size)


def _drifting(model: NoisyLabels, number: int, size: int) -> list[Any]:
    """Return matrices of an error rate whose logit, between 0 and guessing, takes a random step from batch to batch."""
    pm, most = load_pymc(), 1 - 1 / size
    if isinstance(model.error, np.ndarray) or is_pair(model.error):
        raise InvalidInputError("One rate can drift; a pair or a matrix of them cannot.", hint="give a single error=.")
    start = _rate(model.error, "error_0", size)
    share_of_most = max(start, _SMALLEST_RATE) / most if is_real(start) else start / most
    logit, matrices = pm.math.logit(share_of_most), [_symmetric(start, size)]
    for b in range(1, number):
        logit = logit + model.drift * pm.Normal(f"step_{b}", 0, 1)
        matrices.append(_symmetric(pm.Deterministic(f"error_{b}", most * pm.math.sigmoid(logit)), size))
    return matrices


def _matrix(error: Any, name: str, size: int) -> Any:
    pm = load_pymc()
    if isinstance(error, np.ndarray):
        return check_matrix(error, size)
    if is_pair(error):
        if size != BINARY:
            raise InvalidInputError(
                f"A pair of error rates is for two labels; these data have {size}.", hint="give one rate, or a matrix."
            )
        plus, minus = (_rate(rate, f"{name}_{sign}", size) for rate, sign in zip(error, ("plus", "minus"), strict=True))
        return pm.math.stack([pm.math.stack([1 - minus, minus]), pm.math.stack([plus, 1 - plus])])
    return _symmetric(_rate(error, name, size), size)


def _rate(error: Any, name: str, size: int) -> Any:
    """Return an error rate, known or not, below that of guessing: a chain that starts above would stay there."""
    if is_real(error):
        return below_guessing(error, size)
    return share(error, name, batch=(), most=1 - 1 / size)


def _symmetric(rate: Any, size: int) -> Any:
    """Return the matrix of annotators who miss a label with this probability, and hit each other one alike."""
    same = np.eye(size)
    return (1 - rate) * same + rate / (size - 1) * (1 - same)
