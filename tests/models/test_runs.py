"""What runs add to draws over items: expected values of an independent implementation, closed forms, properties."""

import numpy as np
import pytest
from scipy import stats

from ropewalk.models.runs import (
    Components,
    HalfNormal,
    RunSpread,
    best_split,
    components_of,
    independent_runs,
    pooled_spread,
    run_spread,
    shared_runs,
)
from seen_runs import RIGHT_A, RIGHT_B

N_ITEMS, N_DRAWS = 60, 50_000


@pytest.fixture(scope="module")
def draws():
    weights = np.random.default_rng(0).standard_exponential((N_ITEMS, N_DRAWS))
    weights /= weights.sum(axis=0)
    return [RIGHT_A @ weights, RIGHT_B @ weights]


@pytest.fixture(scope="module")
def observed():
    return [RIGHT_A.mean(axis=1), RIGHT_B.mean(axis=1)]


def noise_of(right):
    """Return kappa² under Dir(1, …, 1) in closed form: that of differences from the mean run."""
    off = right - right.mean(axis=0)
    off = off - off.mean(axis=1, keepdims=True)
    n_runs, n_items = right.shape
    return float((off**2).sum() / (n_items * (n_items + 1)) / (n_runs - 1))


def difference(draws, effects, seed=1):
    added = effects.draw(N_DRAWS, seed)
    return draws[0].mean(axis=0) + added[0] - draws[1].mean(axis=0) - added[1]


def test_the_noise_of_runs_is_that_of_the_closed_form(draws, observed):
    published = (0.0013554948391013965, 0.0013008500303582295)
    for each, seen, right, expected in zip(draws, observed, (RIGHT_A, RIGHT_B), published, strict=True):
        assert noise_of(right) == pytest.approx(expected, rel=1e-9)
        assert run_spread(each, seen).kappa2 == pytest.approx(expected, rel=0.03)
    assert [run_spread(*pair).s2 for pair in zip(draws, observed, strict=True)] == pytest.approx(
        [0.011759259259259261, 0.009537037037037026], rel=1e-12
    )


@pytest.mark.parametrize(
    ("combine", "df", "quantiles", "above"),
    [
        (independent_runs, 4, {0.025: -0.24733, 0.5: -0.00542, 0.975: 0.23655}, 0.47717),
        (shared_runs, 2, {0.025: -0.33316, 0.5: -0.00574, 0.975: 0.31714}, 0.475895),
    ],
)
def test_differences_are_those_of_another_implementation(combine, df, quantiles, above, draws, observed):
    effects = combine(draws, observed)
    delta = difference(draws, effects)
    assert {spread.df for spread in effects.spreads} == {df}
    assert (delta > 0).mean() == pytest.approx(above, abs=4.5 * 0.5 * (2 / N_DRAWS) ** 0.5)
    ordered = np.sort(delta)
    for share, expected in quantiles.items():
        error = (share * (1 - share) / N_DRAWS) ** 0.5
        low, high = np.quantile(ordered, [max(share - 7 * error, 0), min(share + 7 * error, 1)])
        assert low < expected < high, share


def test_runs_that_are_all_alike_add_nothing(draws):
    alike = [np.repeat(each[:1], 3, axis=0) for each in draws]
    seen = [np.full(3, 0.5), np.full(3, 0.6)]
    for combine in (independent_runs, shared_runs):
        assert not np.any(combine(alike, seen).draw(1_000, 0))


def test_without_noise_of_items_the_difference_is_the_t_of_the_runs():
    seen = [np.array([0.80, 0.83, 0.85, 0.82]), np.array([0.78, 0.75, 0.79, 0.77])]
    fixed = [np.repeat(each[:, np.newaxis], N_DRAWS, axis=1) for each in seen]
    pooled = (seen[0].var(ddof=1) + seen[1].var(ddof=1)) / 2
    expected = stats.t(6, seen[0].mean() - seen[1].mean(), (pooled * 2 / 4) ** 0.5)
    assert stats.kstest(difference(fixed, independent_runs(fixed, seen)), expected.cdf).pvalue > 1e-4
    apart = seen[0] - seen[1]
    expected = stats.t(3, apart.mean(), apart.std(ddof=1) / 2)
    assert stats.kstest(difference(fixed, shared_runs(fixed, seen)), expected.cdf).pvalue > 1e-4


def test_unequal_runs_have_spreads_of_their_own_and_a_single_run_borrows(draws, observed):
    effects = independent_runs([draws[0], draws[1][:2]], [observed[0], observed[1][:2]])
    assert [spread.df for spread in effects.spreads] == [2, 1]
    lent = independent_runs([draws[0], draws[1][:1]], [observed[0], observed[1][:1]])
    assert lent.spreads[0] is lent.spreads[1]
    assert lent.spreads[1].df == 2
    alone = independent_runs([draws[0][:1], draws[1][:1]], [observed[0][:1], observed[1][:1]])
    assert not alone.included
    assert not np.any(alone.draw(100, 0))
    assert alone.known_as(0.01).included


def test_fewer_draws_are_a_prefix_of_more(draws, observed):
    effects = shared_runs(draws, observed)
    assert np.array_equal(effects.draw(500, 3), effects.draw(2_000, 3)[:, :500])


def test_the_spread_is_never_taken_from_luck(draws):
    calm = run_spread(draws[0], np.full(3, 0.7))
    assert calm.s2 == 0.0
    assert (calm.draw(np.random.default_rng(0), 2_000) > 0).mean() > 0.3  # kappa² stands in for a spread of 0


@pytest.mark.parametrize("known", [None, 0.02, HalfNormal(0.02)])
def test_quantiles_are_those_of_the_draws(known):
    spread = RunSpread(kappa2=0.0003, s2=0.0006, df=4, known=known)
    drawn = spread.draw(np.random.default_rng(1), 100_000)
    shares = (0.25, 0.5, 0.75, 0.95)
    assert np.quantile(drawn, shares) == pytest.approx(spread.quantiles(shares), rel=0.03)


def test_a_prior_of_the_spread_alone_is_that_prior():
    drawn = RunSpread(kappa2=0.0, s2=0.0, df=0, known=HalfNormal(0.01)).draw(np.random.default_rng(2), 50_000)
    assert stats.kstest(np.sqrt(drawn), stats.halfnorm(scale=0.01).cdf).pvalue > 1e-4


def test_systems_share_a_variance_where_they_have_as_many_runs(draws, observed):
    three = independent_runs([*draws, draws[0]], [*observed, observed[0]])
    assert three.spreads[0].df == 6
    assert three.spreads[0] == pooled_spread(
        [run_spread(*p) for p in zip([*draws, draws[0]], [*observed, observed[0]], strict=True)]
    )
    assert shared_runs([*draws, draws[0]], [*observed, observed[0]]).spreads[0].df == 4


def test_components_add_up_to_the_variance_over_items(draws, observed):
    for combine in (independent_runs, shared_runs):
        effects = combine(draws, observed)
        parts = components_of(draws, effects, N_ITEMS)
        over_items = float((draws[0].mean(axis=0) - draws[1].mean(axis=0)).var())
        assert parts.parts["items"] + parts.parts["noise"] == pytest.approx(over_items, rel=1e-9)
        assert sum(parts.shares.values()) == pytest.approx(1)
        assert parts.run_low <= parts.run <= parts.run_high
        assert parts.variance(3, N_ITEMS) == pytest.approx(sum(parts.parts.values()))


def components(item, run, noise):
    return Components(item=item, run=run, noise=noise, n_items=1, n_runs=1, run_low=run, run_high=run)


@pytest.mark.parametrize(
    ("parts", "budget", "costs", "expected"),
    [
        ((0.15, 0.0, 0.2), 500, (1.0, 0.0, 0.05), (5, 400, 0.000475)),
        ((0.15, 0.0004, 0.1), 1000, (1.0, 40.0, 0.0), (7, 720, 0.00028531746031746036)),
        ((0.2, 0.0002, 0.15), 2000, (0.5, 60.0, 0.01), (7, 2771, 0.00010845388788426764)),
    ],
)
def test_a_budget_is_split_as_the_formula_says(parts, budget, costs, expected):
    c_item, c_run, c_answer = costs
    split = best_split(components(*parts), budget=budget, c_item=c_item, c_run=c_run, c_answer=c_answer)
    assert (split.n_runs, split.n_items) == expected[:2]
    assert split.variance == pytest.approx(expected[2], rel=5e-4)  # theirs is of parts of an item
    assert split.cost <= budget + 1e-9


def test_a_budget_that_buys_nothing_has_no_split():
    assert best_split(components(0.1, 0.1, 0.1), budget=5, c_item=1, c_run=10, c_answer=0) is None


@pytest.mark.parametrize("scale", [0, -1, float("nan")])
def test_a_half_normal_needs_a_scale(scale):
    with pytest.raises(ValueError, match="scale"):
        HalfNormal(scale)
