"""Where the nodes of a graph go: in layers, and along each of them to where the picture is best.

What generates the data runs downwards; what is computed from the parameters, the scores and their difference, runs
upwards, as in the papers' figures. Every order of every row is tried, then the constants are put where there is
room, and nodes are moved as long as that makes the picture better, by the measure of `ropewalk.report.judge`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from ropewalk.models.graph.sketch import Graph
from ropewalk.report.judge import FORBIDDEN, ROW, STEP, Judge, Touched, outcomes_of
from ropewalk.typing import FloatArray

_STARTS: Final = 6  # orders of the rows that are looked at closely
_KEPT: Final = 2  # of them that get their constants
_MOST: Final = 1_500  # orders of the rows that are looked at at all
_SWEEPS: Final = 20
_REACH: Final = 6  # half columns that a node may move at once
_BETTER: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the picture."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where everything stands: centres of the nodes, and a box for each plate, in the order of the graph."""

    places: dict[str, tuple[float, float]]
    plates: tuple[Box, ...]


def arrange(graph: Graph, sizes: dict[str, tuple[float, float]]) -> Arrangement:
    """Lay out a graph whose nodes have these half widths and half heights.

    Examples
    --------
    >>> from ropewalk.models.graph import Sketch
    >>> coin = Sketch("A coin")
    >>> coin.latent("mu", "μ", "Beta(1, 1)")
    >>> coin.observed("y", "y_i", "Bern(μ)", "mu")
    >>> found = arrange(coin.graph(), {"mu": (20, 20), "y": (20, 20)}).places
    >>> found["mu"][1] < found["y"][1]  # from above to below
    True
    """
    judge = Judge(graph, sizes)
    rows = rows_of(graph)
    y = np.array([rows[node.name] for node in graph.nodes]) * ROW
    found = [_improve(judge, _aside(np.stack([x, y], axis=1), judge)) for x in _ordered(graph, sizes, rows)]
    places, cost = min(found, key=lambda one: one[1])
    if cost >= FORBIDDEN:
        places, _ = _improve(judge, _side_by_side(judge, y))
    places, _ = min(_improve(judge, places), _improve(judge, places * (-1, 1)), key=lambda one: one[1])
    return Arrangement(
        {node.name: (float(x), float(y)) for node, (x, y) in zip(graph.nodes, places, strict=True)},
        tuple(Box(*map(float, box)) for box in judge.boxes(places[np.newaxis])[:, 0].T),
    )


# -- rows ------------------------------------------------------------------------------------------------------


def rows_of(graph: Graph) -> dict[str, int]:
    """Return a row for each node, counted downwards.

    Parameters of the data stand in row 0, what governs them above them, row by row; the data below, beside those that
    they hang on; scores above the parameters. Constants begin beside the first that they govern.
    """
    upward, known = outcomes_of(graph), graph.known()
    rows: dict[str, int] = {}
    for name in reversed(graph.order()):
        if name not in known and name not in upward:
            below = [rows[child] for child in graph.children(name) if child in rows]
            rows[name] = min(below, default=1) - 1
    for name in graph.order():
        above = [rows[parent] for parent in graph.parents(name) if parent in rows]
        if name in upward:
            rows[name] = min(above, default=0) - 1
        elif name in known and graph[name].kind != "constant":
            unknown = [rows[parent] + 1 for parent in graph.parents(name) if parent in rows and parent not in known]
            rows[name] = max(unknown + above, default=0)
    level = [(a, b) for a, b in graph.edges if a in rows and b in rows and rows[a] == rows[b]]
    for name in known.intersection(rows):
        # Edges along a row leave no room in it for data that they do not concern.
        if graph.parents(name) and level and not any(name in edge for edge in level):
            rows[name] += 1
    for name in reversed(graph.order()):
        if graph[name].kind == "constant":
            rows[name] = min((rows[child] for child in graph.children(name)), default=0)
    return rows


# -- starts ----------------------------------------------------------------------------------------------------


def _ordered(graph: Graph, sizes: dict[str, tuple[float, float]], rows: dict[str, int]) -> list[FloatArray]:
    """Return the best columns of all but the constants."""
    names = [node.name for node in graph.nodes]
    main = [node.name for node in graph.nodes if node.kind != "constant"] or names
    judge = Judge(graph.within(main), sizes)
    y = np.array([rows[name] for name in main]) * ROW
    x = np.array(list(_orders(y)))
    starts = np.stack([x, np.broadcast_to(y, x.shape)], axis=2)
    batches = np.array_split(starts, max(len(starts) // 64, 1))
    costs = np.concatenate([judge.costs(some, judge.everything) for some in batches])
    # Those that cost about the same are the same but for twins that changed places: one of them will do.
    _, first = np.unique(np.round(costs), return_index=True)
    first = first[:_STARTS]
    tried = sorted((_improve(judge, starts[one]) for one in first), key=lambda one: one[1])
    found = []
    for places, _ in tried[:_KEPT]:
        whole = np.zeros(len(names))
        whole[[names.index(name) for name in main]] = places[:, 0]
        found += [whole, 2 * whole]  # with room for constants in between, which is closed where there is none
    return found


def _orders(y: FloatArray) -> Iterator[FloatArray]:
    """Yield columns for every order of every row; of too many, evenly spaced ones."""
    rows = [np.flatnonzero(y == row) for row in np.unique(y)]
    orders = [list(itertools.islice(itertools.permutations(row.tolist()), _MOST)) for row in rows]
    many = math.prod(map(len, orders))
    for number in range(0, many, -(-many // _MOST)):
        x, left = np.empty(y.size), number
        for choices in reversed(orders):
            left, which = divmod(left, len(choices))
            order = list(choices[which])
            x[order] = (2 * np.arange(len(order)) - len(order) + 1) * STEP
        yield x


def _aside(places: FloatArray, judge: Judge) -> FloatArray:
    """Put the constants far away, where they touch nothing; each will come to where it is best."""
    away = np.flatnonzero(judge.free)
    places[away, 0] = places[:, 0].max() + 9 * STEP * (1 + np.arange(away.size))
    places[away, 1] = places[:, 1].min()
    return places


def _side_by_side(judge: Judge, y: FloatArray) -> FloatArray:
    """Give every node a column of its own, and keep what shares a plate together: nothing overlaps."""
    plates = np.argsort(-judge.inside.sum(axis=1), kind="stable")
    around = [[int(np.flatnonzero(judge.inside[p])[0]) for p in plates if judge.inside[p, i]] for i in range(y.size)]
    order = sorted(range(y.size), key=lambda i: (*around[i], i))
    x = np.empty(y.size)
    x[order] = np.arange(y.size) * _REACH * STEP
    return np.stack([x, y], axis=1)


# -- moves -----------------------------------------------------------------------------------------------------

Move = tuple[Callable[[FloatArray], FloatArray], Touched]


def _improve(judge: Judge, places: FloatArray) -> tuple[FloatArray, float]:
    """Move nodes as long as that makes the picture better; return it and what it costs."""
    moves = _moves(judge)
    for _ in range(_SWEEPS):
        better = False
        for move, touched in moves:
            tried = np.concatenate([places[np.newaxis], move(places)])
            costs = judge.costs(tried, touched)
            best = int(costs.argmin())
            if costs[best] < costs[0] - _BETTER:
                places, better = tried[best], True
        if not better:
            break
    return places, float(judge.costs(places[np.newaxis], judge.everything)[0])


def _moves(judge: Judge) -> list[Move]:
    moves: list[Move] = []
    for moved in (*np.eye(len(judge.free), dtype=bool), *judge.inside):
        touched = judge.touched(moved)
        if judge.free[moved].all():
            moves.append((partial(_put, moved=moved), touched))
        else:
            moves.append((partial(_shift, moved=moved), touched))
    return [*moves, (partial(_swap, free=judge.free), judge.everything), (_close, judge.everything)]


def _shift(places: FloatArray, *, moved: np.ndarray) -> FloatArray:
    """Move some nodes together along their rows."""
    steps = np.arange(-_REACH, _REACH + 1) * STEP
    tried = np.repeat(places[np.newaxis], steps.size, axis=0)
    tried[:, moved, 0] += steps[:, np.newaxis]
    return tried


def _put(places: FloatArray, *, moved: np.ndarray) -> FloatArray:
    """Move a node to any place of the picture, or just beyond it."""
    rest = places[~moved] if not moved.all() else places
    across = np.arange(round(rest[:, 0].min() / STEP) - 3, round(np.quantile(rest[:, 0], 0.9) / STEP) + 4) * STEP
    down = np.arange(round(rest[:, 1].min() / ROW) - 1, round(rest[:, 1].max() / ROW) + 2) * ROW
    tried = np.repeat(places[np.newaxis], across.size * down.size, axis=0)
    tried[:, moved] = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 1, 2)
    return tried


def _swap(places: FloatArray, *, free: np.ndarray) -> FloatArray:
    """Exchange two nodes of a row."""
    one, two = np.triu_indices(len(places), 1)
    same = (places[one, 1] == places[two, 1]) | (free[one] & free[two])
    one, two = one[same], two[same]
    tried = np.repeat(places[np.newaxis], one.size, axis=0)
    each = np.arange(one.size)
    tried[each, one], tried[each, two] = places[two], places[one]
    return tried


def _close(places: FloatArray) -> FloatArray:
    """Move all that stands right of a column closer or further away, in all rows or in one."""
    steps = np.array([-4, -2, -1, 1, 2]) * STEP
    right = places[:, 0] >= np.unique(places[:, 0])[:, np.newaxis]
    of_row = (places[:, 0] >= places[:, :1]) & (places[:, 1] == places[:, 1:])
    moved = (np.concatenate([right, of_row])[:, np.newaxis, :] * steps[:, np.newaxis]).reshape(-1, len(places))
    tried = np.repeat(places[np.newaxis], len(moved), axis=0)
    tried[:, :, 0] += moved
    return tried
