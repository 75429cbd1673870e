"""How good a picture of a graph is: short straight edges that cross nothing, and no overlaps.

Many pictures are judged at once: places are arrays (pictures, nodes, 2), in pixels.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ropewalk.models.graph.sketch import Graph, plain
from ropewalk.typing import FloatArray, IntArray

STEP: Final = 37.0  # half a column
ROW: Final = 88.0
PAD: Final = 11.0  # between what is in a plate and its border
FOOT: Final = 15.0  # below that, for the words of a plate
_APART: Final = 13.0  # between two boxes
_CLEAR: Final = 6.0  # between an edge and a node

# What a picture costs, in squares of a column's width of edge.
FORBIDDEN: Final = 1e6
"""An overlap."""
_CROSSING: Final = 4.0
_HIT: Final = 25.0  # an edge that runs through a node
_THROUGH: Final = 6.0  # an edge that runs through a plate with which it has nothing to do
_WORDS: Final = 8.0  # an edge over the words of a plate
_SHARP: Final = 1.5  # two edges that leave a node side by side
_COSINE: Final = 0.96
_FLAT: Final = 0.25  # an edge along a row
_AGAINST: Final = 3.0  # an edge against the grain
_SLANT: Final = 0.6  # an edge that is neither upright nor level
_TURNED: Final = 0.15  # two nodes of a row that were named in the other order
_WIDE: Final = 0.35
_SCORES: Final = 0.6  # of their length count edges to scores: they may be long, so that the rest is straight


def outcomes_of(graph: Graph) -> frozenset[str]:
    """Return what is computed and governs nothing further but what is computed: the scores and their difference."""
    found: set[str] = set()
    for name in reversed(graph.order()):
        computed = graph[name].kind == "deterministic" and bool(graph.parents(name))
        if computed and found.issuperset(graph.children(name)):
            found.add(name)
    return frozenset(found)


class Touched(NamedTuple):
    """Pairs that must be looked at anew when something moves: edges and edges, edges and nodes, nodes and nodes."""

    crossing: tuple[IntArray, IntArray]
    meeting: tuple[IntArray, IntArray]
    sides: FloatArray
    hits: tuple[IntArray, IntArray]
    nodes: tuple[IntArray, IntArray]


class Judge:
    """A graph as arrays of numbers."""

    def __init__(self, graph: Graph, sizes: dict[str, tuple[float, float]]) -> None:
        names = [node.name for node in graph.nodes]
        place = {name: i for i, name in enumerate(names)}
        upward = outcomes_of(graph)
        self.half = np.array([sizes[name] for name in names])
        self.free = np.array([node.kind == "constant" for node in graph.nodes])
        self.inside = np.array([[n in p.members for n in names] for p in graph.plates], dtype=bool)
        self.inside = self.inside.reshape(len(graph.plates), len(names))
        self.words = np.array([6.6 * len(plain(plate.text)) + 8 for plate in graph.plates])
        self.ends = np.array([[place[a], place[b]] for a, b in graph.edges], dtype=np.int64).reshape(-1, 2)
        self.upward = np.array([b in upward for _, b in graph.edges], dtype=bool)
        self.given = np.array([graph[a].kind == "constant" for a, _ in graph.edges], dtype=bool)
        shared = np.array([len(graph.children(a)) > 1 for a, _ in graph.edges], dtype=bool)
        self.straight = ~self.upward & ~(self.given & shared)  # others look best when they are spread evenly
        self.nested = self._nested()
        self.everything = self._everything()
        self.foreign = np.nonzero(~(self.inside[:, self.ends[:, 0]] | self.inside[:, self.ends[:, 1]]))
        self.outside = np.nonzero(~self.inside)
        shared = (self.inside[:, np.newaxis] & self.inside).any(axis=-1)
        self.plates = np.nonzero(np.triu(~shared, 1))
        self.written = np.nonzero(np.ones((len(self.inside), len(self.ends)), dtype=bool))

    def _nested(self) -> list[tuple[int, list[int]]]:
        """Return the plates with the numbers of those that lie in them, smallest first."""
        size = self.inside.sum(axis=1)
        order = np.argsort(size, kind="stable").tolist()
        return [
            (p, [q for q in order if size[q] < size[p] and (self.inside[q] <= self.inside[p]).all()]) for p in order
        ]

    def _everything(self) -> Touched:
        """Return all pairs: which edges may cross, which meet, which nodes an edge may run through."""
        one, two = np.triu_indices(len(self.ends), 1)
        same = (self.ends[one][:, :, np.newaxis] == self.ends[two][:, np.newaxis, :]).reshape(one.size, 4)
        meet = same.any(axis=1)
        # Both are seen from the node that they share: (begins, begins), (begins, ends), (ends, begins), (ends, ends).
        sides = np.array([1.0, -1.0, -1.0, 1.0])[same[meet].argmax(axis=1)] if meet.any() else np.zeros(0)
        others = np.ones((len(self.ends), len(self.half)), dtype=bool)
        np.put_along_axis(others, self.ends, values=False, axis=1)
        edge, node = np.nonzero(others)
        first, second = np.triu_indices(len(self.half), 1)
        return Touched((one[~meet], two[~meet]), (one[meet], two[meet]), sides, (edge, node), (first, second))

    def touched(self, moved: np.ndarray) -> Touched:
        """Return the pairs that change when some nodes move together."""
        every, edges = self.everything, np.asarray(moved[self.ends].any(axis=1))

        def some(pairs: tuple[IntArray, IntArray], change: np.ndarray) -> tuple[IntArray, IntArray]:
            return pairs[0][change], pairs[1][change]

        meeting = edges[every.meeting[0]] | edges[every.meeting[1]]
        return Touched(
            some(every.crossing, edges[every.crossing[0]] | edges[every.crossing[1]]),
            some(every.meeting, meeting),
            every.sides[meeting],
            some(every.hits, edges[every.hits[0]] | moved[every.hits[1]]),
            some(every.nodes, moved[every.nodes[0]] | moved[every.nodes[1]]),
        )

    def boxes(self, places: FloatArray) -> FloatArray:
        """Return the plates' (left, top, right, bottom), an array (4, pictures, plates)."""
        found = np.empty((4, len(places), len(self.inside)))
        low, high = places - self.half - PAD, places + self.half + PAD
        for p, within in self.nested:
            left, top = low[:, self.inside[p]].min(axis=1).T
            right, bottom = high[:, self.inside[p]].max(axis=1).T
            for q in within:
                left, top = np.minimum(left, found[0, :, q] - PAD / 2), np.minimum(top, found[1, :, q] - PAD / 2)
                right = np.maximum(right, found[2, :, q] + PAD / 2)
                bottom = np.maximum(bottom, found[3, :, q] + PAD / 2)
            lacks = np.maximum(self.words[p] + 8 - right + left, 0.0) / 2
            found[:, :, p] = left - lacks, top, right + lacks, bottom + FOOT
        return found

    def costs(self, places: FloatArray, touched: Touched) -> FloatArray:
        """Return what each of the pictures costs, but for what those pairs cost that are not `touched`."""
        x, y = np.ascontiguousarray(places[..., 0]), np.ascontiguousarray(places[..., 1])
        lines = Lines.between(x, y, self.ends)
        dx, dy = lines.dx, lines.dy
        down = np.where(self.upward, -dy, dy)
        length = ((dx / (2 * STEP)) ** 2 + 0.5 * (dy / ROW) ** 2) * np.where(self.upward, _SCORES, 1.0)
        grain = np.where(self.given, _FLAT * (down < 0), _FLAT * (down == 0) + _AGAINST * (down < 0))
        slant = _SLANT * ((dx != 0) & (dy != 0) & self.straight)
        total = (length + grain + slant).sum(axis=1)
        total += _WIDE * (np.ptp(x, axis=1) / (2 * STEP) + np.ptp(y, axis=1) / ROW)
        total += self._crossings(lines, *touched.crossing) + _SHARP * _sharp(lines, touched)
        edge, node = touched.hits
        total += _HIT * lines.at(edge).over(x[:, node], y[:, node], *self.half[node].T)
        total += _TURNED * _turned(x, y, *touched.nodes) + FORBIDDEN * self._overlaps(x, y, *touched.nodes)
        if len(self.inside):
            total += self._plates(places, x, y, lines)
        return np.asarray(total)

    def _crossings(self, lines: Lines, one: IntArray, two: IntArray) -> FloatArray:
        """Return the cost of edges that cross: those to scores have to, all others do not."""
        weight = np.where(self.upward[one] & self.upward[two], _CROSSING, 2 * _CROSSING)
        return np.asarray(lines.crossings(one, two) @ weight)

    def _overlaps(self, x: FloatArray, y: FloatArray, one: IntArray, two: IntArray) -> IntArray:
        """Count nodes on nodes."""
        wide, high = (self.half[one] + self.half[two] + _APART).T
        return np.asarray(((np.abs(x[:, one] - x[:, two]) < wide) & (np.abs(y[:, one] - y[:, two]) < high)).sum(axis=1))

    def _plates(self, places: FloatArray, x: FloatArray, y: FloatArray, lines: Lines) -> FloatArray:
        """Return the cost of what overlaps a plate or runs through it for nothing, or over its words."""
        boxes = self.boxes(places)
        plate, node = self.outside
        left, top, right, bottom = boxes[:, :, plate]
        wide, high = (self.half[node] + _APART / 2).T
        on_x = (x[:, node] + wide > left) & (x[:, node] - wide < right)
        overlaps = (on_x & (y[:, node] + high > top) & (y[:, node] - high < bottom)).sum(axis=1)
        one, two = boxes[:, :, self.plates[0]], boxes[:, :, self.plates[1]]
        room = _APART / 2
        apart_x = (one[0] > two[2] + room) | (two[0] > one[2] + room)
        apart_y = (one[1] > two[3] + room) | (two[1] > one[3] + room)
        overlaps += (~(apart_x | apart_y)).sum(axis=1)
        plate, edge = self.foreign
        left, top, right, bottom = boxes[:, :, plate]
        through = lines.at(edge).over((left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2)
        plate, edge = self.written
        wide, high = self.words[plate] / 2, FOOT / 2
        words = lines.at(edge).over(boxes[2][:, plate] - wide - 2, boxes[3][:, plate] - high - 2, wide, high)
        return np.asarray(FORBIDDEN * overlaps + _THROUGH * through + _WORDS * words)


class Lines(NamedTuple):
    """Edges of pictures, (pictures, edges): where they begin and how far they go."""

    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray

    @classmethod
    def between(cls, x: FloatArray, y: FloatArray, ends: IntArray) -> Lines:
        """Return the lines between nodes."""
        one, two = ends.T
        return cls(x[:, one], y[:, one], x[:, two] - x[:, one], y[:, two] - y[:, one])

    def at(self, which: IntArray) -> Lines:
        """Return some of the lines."""
        return Lines(*(each[:, which] for each in self))

    def crossings(self, one: IntArray, two: IntArray) -> np.ndarray:
        """Return which pairs of lines cross, (pictures, pairs)."""
        a, b = self.at(one), self.at(two)
        far_x, far_y = b.x - a.x, b.y - a.y
        turn = a.dx * b.dy - a.dy * b.dx
        along_a, along_b = far_x * b.dy - far_y * b.dx, far_x * a.dy - far_y * a.dx
        # Each share of the way must lie between 0 and 1; lines side by side have none.
        return np.asarray(
            (along_a * turn > 0) & (along_b * turn > 0) & (np.maximum(abs(along_a), abs(along_b)) < abs(turn))
        )

    def over(self, x: FloatArray, y: FloatArray, wide: FloatArray | float, high: FloatArray | float) -> IntArray:
        """Count the boxes, given by centre and half size, that the lines run over or too close by."""
        length = np.maximum(np.hypot(self.dx, self.dy), 1.0)
        far_x, far_y = x - self.x, y - self.y
        share = (self.dx * far_x + self.dy * far_y) / length**2
        distance = abs(self.dx * far_y - self.dy * far_x)
        reach = abs(self.dy) * wide + abs(self.dx) * high + _CLEAR * length
        return np.asarray(((share > 0) & (share < 1) & (distance < reach)).sum(axis=1))


def _sharp(lines: Lines, touched: Touched) -> IntArray:
    """Count pairs of edges that leave or reach a node almost side by side."""
    one, two = touched.meeting
    length = np.maximum(np.hypot(lines.dx, lines.dy), 1.0)
    ux, uy = lines.dx / length, lines.dy / length
    cosine = (ux[:, one] * ux[:, two] + uy[:, one] * uy[:, two]) * touched.sides
    return np.asarray((cosine > _COSINE).sum(axis=1))


def _turned(x: FloatArray, y: FloatArray, one: IntArray, two: IntArray) -> IntArray:
    """Count nodes of one row that stand in another order than they were named."""
    return np.asarray(((y[:, one] == y[:, two]) & (x[:, two] < x[:, one])).sum(axis=1))
