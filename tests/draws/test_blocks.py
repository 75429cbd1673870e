"""Draws: the right law, also for tiny shapes, and the same bits whatever the circumstances."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.draws.blocks import block_size, dirichlet, draw_blocks

N = 200_000


@pytest.mark.parametrize("shapes", [(1, 1), (3, 0.5, 7), (1e-3, 1e-3), (1e-4, 2e-4, 5), (0.05, 300, 7_000)])
def test_dirichlet_moments_are_the_closed_forms(shapes, rng):
    draws = dirichlet(rng, shapes, N)
    a = np.array(shapes)
    mean, total = a / a.sum(), a.sum()
    variance = mean * (1 - mean) / (total + 1)
    assert np.isfinite(draws).all()
    assert np.allclose(draws.sum(axis=0), 1)
    # The standard error of a sample variance needs the fourth moment; take it from the draws.
    fourth = ((draws - mean[:, None]) ** 4).mean(axis=1)
    assert np.all(np.abs(draws.mean(axis=1) - mean) <= 5 * np.sqrt(variance / N))
    assert np.all(np.abs(draws.var(axis=1) - variance) <= 5 * np.sqrt(fourth / N) + 1e-12)


def test_tiny_shapes_never_give_an_empty_draw(rng):
    """A plain gamma of shape 0.001 underflows to 0 about every second time."""
    assert (np.random.default_rng(0).standard_gamma(1e-3, 1000) == 0).mean() > 0.3
    assert dirichlet(rng, [1e-3] * 4, 10_000).max(axis=0).min() > 0.24


def test_block_sizes_divide_every_look():
    for cells in (1, 8, 100, 1_252, 10**6):
        for look in (50_000, 200_000, 800_000, 3_200_000):
            assert look % block_size(cells) == 0


def uniform(rng, size):
    return rng.random((1, size))


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(threads):
    one = draw_blocks(uniform, size=100, start=0, stop=1_050, seed=3, stream=0)
    many = draw_blocks(uniform, size=100, start=0, stop=1_050, seed=3, stream=0, threads=threads)
    assert np.array_equal(one, many)


def test_n_draws_are_a_prefix_of_more():
    whole = draw_blocks(uniform, size=100, start=0, stop=1_000, seed=3, stream=0)
    assert np.array_equal(draw_blocks(uniform, size=100, start=0, stop=123, seed=3, stream=0), whole[:, :123])
    assert np.array_equal(draw_blocks(uniform, size=100, start=400, stop=777, seed=3, stream=0), whole[:, 400:777])


def test_streams_and_seeds_differ():
    draws = [draw_blocks(uniform, size=50, start=0, stop=50, seed=s, stream=t) for s in (0, 1) for t in (0, 1)]
    assert len({d.tobytes() for d in draws}) == 4


def test_a_comparison_is_bit_identical_on_any_threads_and_a_prefix_of_a_longer_one(table):
    settings = {"rope": 0.05, "rng": 11}
    one = rw.compare(table, draws=40_000, threads=1, **settings)
    two = rw.compare(table, draws=40_000, threads=4, **settings)
    more = rw.compare(table, draws=90_001, threads=2, **settings)
    assert np.array_equal(one.draws.psi, two.draws.psi)
    assert one.to_dict() == two.to_dict()
    assert np.array_equal(one.draws.psi, more.draws.psi[:, :40_000])
    assert more.draws.psi.shape == (2, 90_001)


def test_auto_draws_are_a_prefix_too(table):
    auto = rw.compare(table, rope=0.043, rng=0)
    fixed = rw.compare(table, rope=0.043, rng=0, draws=1_000)
    assert len(auto.draws) > 50_000
    assert np.array_equal(auto.draws.psi[:, :1_000], fixed.draws.psi)


def test_every_source_of_randomness_is_taken_and_recorded(table, silent):
    def psi(**options):
        r = rw.compare(table, draws=100, **options)
        again = rw.compare(table, draws=100, rng=r.to_dict()["seed"])
        assert np.array_equal(r.draws.psi, again.draws.psi)
        return r.draws.psi

    assert np.array_equal(psi(rng=5), psi(random_state=5))
    assert np.array_equal(psi(rng=np.int64(5)), psi(rng=5))
    assert np.array_equal(psi(rng=np.random.default_rng(5)), psi(rng=np.random.default_rng(5)))
    assert np.array_equal(psi(rng=np.random.SeedSequence(5)), psi(rng=np.random.SeedSequence(5)))
    assert not np.array_equal(psi(), psi())
    generator = np.random.default_rng(5)
    assert not np.array_equal(psi(rng=generator), psi(rng=generator))


def test_the_global_random_state_is_left_alone(table, silent):
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    rw.compare(table, draws=100)
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002


def test_draws_cannot_be_changed(table, silent):
    r = rw.compare(table, draws=100, rng=0)
    with pytest.raises(ValueError, match="read-only"):
        r.draws.psi[0, 0] = 0
