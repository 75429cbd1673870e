"""Draw a metric from posteriors, and take it of the observed counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws import streams
from ropewalk.draws.blocks import draw_blocks
from ropewalk.metrics.margins import Cells, Tables, Weighted
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.scores import ScoreMetric, WeightedItems
from ropewalk.models.multilabel import observed_margins
from ropewalk.models.protocol import Posterior
from ropewalk.typing import FloatArray

AnyData = AnyOutcomes | ItemScores
"""What a model is fitted to: counted labels, or scores item by item."""

AnyMetric = Metric | ScoreMetric


def draw_psi(
    posteriors: Sequence[Posterior],
    metric: AnyMetric,
    prevalence: tuple[float, ...] | None = None,
    *,
    start: int = 0,
    stop: int,
    seed: int,
    stream: int = streams.POSTERIOR,
    threads: int = 1,
) -> FloatArray:
    """Return draws `start` … `stop` of the metric, (K, n): classifiers of one posterior after those of the next.

    One posterior of K classifiers makes paired draws, K posteriors of one classifier independent ones.
    """
    shares = None if prevalence is None else np.array(prevalence)
    parts = []
    for number, posterior in enumerate(posteriors):

        def draw(rng: np.random.Generator, size: int, posterior: Posterior = posterior) -> FloatArray:
            table = posterior.block(rng, size)
            return metric(table if shares is None else table.at_prevalence(shares))  # type: ignore[arg-type]

        size = posterior.block_size
        first = start // size * size
        drawn = draw_blocks(draw, size=size, start=first, stop=stop, seed=seed, stream=stream + number, threads=threads)
        parts.append(drawn[:, start - first :])
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def observed_tables(table: AnyOutcomes) -> Tables:
    """Return the counts themselves, as a single draw."""
    if isinstance(table, MultilabelOutcomes):
        return observed_margins(table)
    return Weighted(Cells(table.codes, table.n_labels), table.counts[:, np.newaxis].astype(np.float64))


def observed_psi(
    tables: Sequence[AnyData], metric: AnyMetric, prevalence: tuple[float, ...] | None = None
) -> tuple[float | None, ...]:
    """Return the metric of the counts themselves, one number per classifier.

    None where nothing was observed: no items, or at another `prevalence` a class of which there is none.
    """
    values: list[float | None] = []
    for table in tables:
        if isinstance(table, ItemScores):
            items = WeightedItems(table, np.ones((table.n_units, 1)))
            values += metric(items)[:, 0].tolist()  # type: ignore[arg-type]
            continue
        empty = table.items_by_class() == 0
        unseen = prevalence is not None and any(share > 0 and empty[j] for j, share in enumerate(prevalence))
        if not table.n_items or unseen:
            values += [None] * table.n_classifiers
            continue
        counts = observed_tables(table)
        if prevalence is not None:
            counts = counts.at_prevalence(np.array(prevalence))
        values += metric(counts)[:, 0].tolist()  # type: ignore[arg-type]
    return tuple(values)
