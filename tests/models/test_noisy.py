"""Labels that annotators got wrong, two classes: drawn exactly, against sums over everything that could be true."""

import itertools
import math
import warnings
from functools import cache

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import betainc, expit, gammaln, logsumexp

import ropewalk as rw
from agreement import noisy_pair
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.models import NoisyLabels, Tree
from ropewalk.models.noisy import NoisyPosterior, _Rows

TINY = rw.Outcomes.from_arrays([1, 1, 1, 0, 0, 0, 1, 0], [1, 1, 0, 0, 1, 0, 1, 0], [1, 0, 0, 0, 1, 1, 1, 0])
OTHER = rw.Outcomes.from_arrays([1, 0, 0, 1], [1, 1, 0, 0], [1, 1, 0, 1], names=TINY.names)
ONE = TINY.project(TINY.names[:1])
THREE = rw.Outcomes.from_arrays([1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 0, 0], [0, 1, 0, 1, 1])
EMPTY = rw.Outcomes.empty([0, 1], ["A", "B"])
CALM = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")


def log_dirichlet_multinomial(counts, shapes):
    """Return the log probabilities of sequences of outcomes, counted along the last axis."""
    total = gammaln(shapes.sum()) - gammaln(shapes.sum() + counts.sum(axis=-1))
    return total + (gammaln(shapes + counts) - gammaln(shapes)).sum(axis=-1)


@cache
def truths(batches, kappa):
    """Go through all true labels that all items could have, in the model as it is written: mu, theta of either class.

    Return the truths, as many as there are times items; what was annotated and in which batch; of every truth its log
    probability beside the answers, and the shapes of the posterior (class, answers) given it.
    """
    rows = np.concatenate([np.repeat(batch.codes, batch.counts, axis=0) for batch in batches])
    batch = np.repeat(np.arange(len(batches)), [b.n_items for b in batches])
    truth = np.array(list(itertools.product((0, 1), repeat=len(rows))))
    number = 2 ** batches[0].n_classifiers
    answers = rows[:, 1:] @ 2 ** np.arange(rows.shape[1] - 2, -1, -1)
    said = answers[:, np.newaxis] == np.arange(number)
    counts = np.stack([(1 - truth) @ said, truth @ said], axis=1).astype(float)
    logs = log_dirichlet_multinomial(counts.sum(axis=2), np.full(2, kappa))
    logs = logs + log_dirichlet_multinomial(counts, np.full(number, kappa / number)).sum(axis=1)
    return truth, rows[:, 0], batch, logs, counts + kappa / number


def every_truth(batches, errors, kappa=1.0):
    """Sum over all that could be true; return the log evidence, and the log probability and shapes of every truth."""
    truth, annotated, batch, logs, shapes = truths(tuple(batches), kappa)
    miss, alarm = np.array(errors, dtype=float)[batch].T
    wrong = np.where(truth == 1, miss, alarm)
    with np.errstate(divide="ignore"):
        logs = logs + np.log(np.where(truth == annotated, 1 - wrong, wrong)).sum(axis=1)
    return float(logsumexp(logs)), logs, shapes


def log_evidence(model, table):
    """Return the log evidence of the exact route, up to a constant that rates do not change."""
    rates = model.fit(table).rates
    return float(rates.grid[1].log_mass @ rates.times)


KNOWN = {
    "one rate": ([TINY], 0.1, [(0.1, 0.1)]),
    "no errors": ([TINY], 0.0, [(0.0, 0.0)]),
    "no alarms": ([TINY], (0.3, 0.0), [(0.3, 0.0)]),
    "by class": ([TINY], (0.05, 0.2), [(0.05, 0.2)]),
    "a matrix": ([TINY], np.array([[0.8, 0.2], [0.05, 0.95]]), [(0.05, 0.2)]),
    "nearly guessing": ([TINY], 0.499, [(0.499, 0.499)]),
    "by batch": ([TINY, OTHER], [0.05, (0.3, 0.1)], [(0.05, 0.05), (0.3, 0.1)]),
    "one classifier": ([ONE], 0.1, [(0.1, 0.1)]),
    "three classifiers": ([THREE], 0.1, [(0.1, 0.1)]),
}


def model_of(name, **how):
    batches, error, errors = KNOWN[name]
    several = {"batches": batches} if len(batches) > 1 else {}
    return NoisyLabels(error=error, **several, **how), sum(batches[1:], start=batches[0]), batches, errors


@pytest.mark.parametrize("kappa", [1.0, 0.5, 4.0])
@pytest.mark.parametrize("name", KNOWN)
def test_the_evidence_of_the_rates_is_the_sum_over_all_that_could_be_true(name, kappa):
    model, table, batches, errors = model_of(name, kappa=kappa)
    usual = [(0.2, 0.3)] * len(batches)
    other = NoisyLabels(error=[(0.2, 0.3)] * len(batches), batches=batches, kappa=kappa)
    expected = every_truth(batches, errors, kappa)[0] - every_truth(batches, usual, kappa)[0]
    assert log_evidence(model, table) - log_evidence(other, table) == pytest.approx(expected, abs=2e-9)


@pytest.mark.parametrize("name", KNOWN)
def test_shares_of_true_positives_are_those_of_all_that_could_be_true(name):
    """The probability that the next item with some answers is annotated positive tells how many of them are true."""
    model, table, batches, errors = model_of(name)
    _, logs, counts = every_truth(batches, errors)
    weights = np.exp(logs - logsumexp(logs))
    posterior = model.fit(table)
    rows = posterior.rates.grid[1]
    (miss, alarm), hits = errors[0], rows.hits.copy()
    hits[0, 0] += 1
    more = _Rows(hits=hits, wrong=rows.wrong, shape=rows.shape)
    for g, kind in enumerate(posterior.kind):
        share = weights @ (counts[:, 1, g] / counts[:, :, g].sum(axis=1))
        expected = (1 - miss) * share + alarm * (1 - share)
        found = np.exp(more.log_mass[kind] - rows.log_mass[kind])
        assert found == pytest.approx(expected, rel=2e-9)
        assert posterior.said[g] == pytest.approx(counts[0, :, g].sum(), rel=1e-12)


@pytest.mark.parametrize(("plus", "minus"), [(0, 0), (0, 7), (5, 2), (40, 3), (3, 300)])
@pytest.mark.parametrize(
    ("miss", "alarm"), [(0.05, 0.05), (0.3, 0.1), (0.0, 0.0), (0.0, 0.1), (1e-9, 0.2), (0.49, 0.49)]
)
@pytest.mark.parametrize("shape", [0.25, 0.5, 8.0])
def test_a_share_is_a_mixture_of_betas(plus, minus, miss, alarm, shape):
    """Of i among those annotated positive, and j among the others, being truly positive: a Beta each."""
    i, j = np.arange(plus + 1)[:, np.newaxis], np.arange(minus + 1)
    n = plus + minus
    with np.errstate(divide="ignore"):
        logs = stats.binom.logpmf(i, plus, (1 - miss) / (1 - miss + alarm)) + plus * np.log(1 - miss + alarm)
        logs = logs + stats.binom.logpmf(j, minus, miss / (miss + 1 - alarm)) + minus * np.log(miss + 1 - alarm)
    logs = logs + gammaln(shape + i + j) + gammaln(shape + n - i - j) - gammaln(2 * shape + n)
    rows = _Rows(hits=np.array([[[plus], [minus]]], float), wrong=np.array([[[miss], [alarm]]]), shape=shape)
    assert rows.log_mass[0] == pytest.approx(logsumexp(logs), abs=2e-9)
    weights = np.exp(logs - logsumexp(logs))
    for share in (1e-6, 0.01, 0.2, 0.5, 0.8, 0.99):
        logit = rows.quantile(np.zeros(1, np.int64), np.array([share]))
        below = (weights * betainc(shape + i + j, shape + n - i - j, expit(logit))).sum()
        assert below == pytest.approx(share, abs=1e-4)


# -- rates that are not known ------------------------------------------------------------------------------


def cell_moments(batches, priors, spread):
    """Return mean and second moment of the share of true positives called positive by all, by quadrature over rates."""
    points = np.linspace(0, 0.5, 41)
    total, first, second = [], [], []
    for rates in itertools.product(points, repeat=len(priors)):
        log, logs, counts = every_truth(batches, spread(*rates))
        density = np.exp(log) * np.prod([stats.beta.pdf(r, *p) for r, p in zip(rates, priors, strict=True)])
        weights, cell, whole = np.exp(logs - log), counts[:, 1, -1], counts[0].sum()
        total.append(density)
        first.append(density * (weights @ cell) / whole)
        second.append(density * (weights @ (cell * (cell + 1))) / (whole * (whole + 1)))
    shape = (len(points),) * len(priors)
    found = [np.array(values).reshape(shape) for values in (total, first, second)]
    for _ in priors:
        found = [integrate.simpson(values, x=points, axis=-1) for values in found]
    return found[1] / found[0], found[2] / found[0]


UNKNOWN = {
    "one rate": ([TINY], (3, 12), [(3, 12)], lambda e: [(e, e)]),
    "one rate for two batches": ([TINY, OTHER], (3, 12), [(3, 12)], lambda e: [(e, e)] * 2),
    "one side": ([TINY], (0.1, (3, 12)), [(3, 12)], lambda e: [(0.1, e)]),
    "one batch": ([TINY, OTHER], [0.1, (3, 12)], [(3, 12)], lambda e: [(0.1, 0.1), (e, e)]),
    "cut off where they guess": ([TINY], (4, 4), [(4, 4)], lambda e: [(e, e)]),
    "both sides": ([ONE], ((3, 12), (4, 8)), [(3, 12), (4, 8)], lambda e, f: [(e, f)]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_rates_are_integrated(name):
    batches, error, priors, spread = UNKNOWN[name]
    several = {"batches": batches} if len(batches) > 1 else {}
    posterior = NoisyLabels(error=error, **several).fit(sum(batches[1:], start=batches[0]))
    number = 200_000
    drawn = posterior.block(np.random.default_rng(1), number).weights[-1]
    mean, second = cell_moments(batches, priors, spread)
    assert abs(drawn.mean() - mean) < 4.5 * drawn.std() / np.sqrt(number)
    assert abs((drawn**2).mean() - second) < 4.5 * (drawn**2).std() / np.sqrt(number)


def test_a_rate_that_is_known_ever_better_is_known():
    table, *_ = noisy_pair(400, 0.1, np.random.default_rng(2))
    known, nearly = (NoisyLabels(error=e).fit(table) for e in (0.1, (1e6, 9e6)))
    one, other = (p.block(np.random.default_rng(3), 100_000).weights for p in (known, nearly))
    error = np.hypot(one.std(axis=1), other.std(axis=1)) / np.sqrt(100_000)
    assert (np.abs(one.mean(axis=1) - other.mean(axis=1)) < 4.5 * error).all()
    assert np.allclose(one.std(axis=1), other.std(axis=1), rtol=0.02)


def test_ten_million_items_bound_the_rate_as_they_should():
    """A wrong rate is seen where all classifiers contradict the label: no more than those can be errors."""
    cells = np.zeros((2, 2, 2), int)
    cells[1, 1, 1], cells[0, 0, 0], cells[1, 0, 0], cells[0, 1, 1] = 4_850_000, 4_850_000, 150_000, 150_000
    cells[0, 0, 1] = cells[1, 1, 0] = 1_000
    posterior = NoisyLabels(error=(20, 380)).fit(rw.Outcomes.from_counts(cells, names=["A", "B"]))
    axes, _, heights = posterior.rates.grid
    rates = posterior.rates._rate(0, axes[0])
    assert rates[heights > heights.max() - 20].max() < 0.0302
    assert (np.abs(np.diff(heights))[heights[1:] > heights.max() - 10] < 5).all()


# -- the plain model, the prior, and symmetries --------------------------------------------------------------


@pytest.mark.parametrize("kappa", [1.0, 2.0])
def test_without_errors_it_is_the_tree(kappa):
    """Of a Dirichlet over all cells, with the counts added, mean and variance are known."""
    posterior = NoisyLabels(error=0.0, kappa=kappa).fit(TINY)
    weights = posterior.block(np.random.default_rng(0), 200_000).weights
    counts = np.zeros((2, 2, 2))
    counts[tuple(TINY.codes.T)] = TINY.counts
    shapes = counts.reshape(-1) + kappa / 4
    law = stats.dirichlet(shapes)
    assert (np.abs(weights.mean(axis=1) - law.mean()) < 4.5 * np.sqrt(law.var() / 200_000)).all()
    assert np.allclose(weights.var(axis=1), law.var(), rtol=0.03)
    tree = Tree(kappa=kappa, mu_prior=kappa).fit(TINY)
    assert tree.mu.tolist() == [shapes[:4].sum(), shapes[4:].sum()]
    assert np.concatenate(tree.theta).tolist() == shapes.tolist()


@CALM
@pytest.mark.parametrize("metric", ["f1", "accuracy", "precision"])
def test_without_errors_a_difference_is_the_tree_s(metric):
    table, *_ = noisy_pair(200, 0.0, np.random.default_rng(4))
    found, plain = (
        rw.compare(table, model=model, metric=metric, rope=0.05, draws=200_000, rng=seed)
        for seed, model in enumerate((NoisyLabels(error=0.0), Tree()))
    )
    assert abs(found.mean - plain.mean) < 4.5 * np.hypot(found.delta.mc_error, plain.delta.mc_error)
    assert found.std == pytest.approx(plain.std, rel=0.01)
    assert found.bayes_factor.rope == pytest.approx(plain.bayes_factor.rope, rel=0.1)
    assert found.decision.symbol == plain.decision.symbol


@CALM
@pytest.mark.parametrize("error", [0.1, (5, 95), ((5, 95), (1, 9))])
def test_without_items_it_is_the_prior(error):
    weights = NoisyLabels(error=error).fit(EMPTY).block(np.random.default_rng(5), 100_000).weights
    law = stats.dirichlet(np.full(8, 1 / 4))
    assert (np.abs(weights.mean(axis=1) - 1 / 8) < 4.5 * np.sqrt(law.var() / 100_000)).all()
    assert np.allclose(weights.var(axis=1), law.var(), rtol=0.03)
    assert np.allclose(weights.sum(axis=0), 1)
    found = rw.compare(EMPTY, model=NoisyLabels(error=error), rope=0.1, rng=0)
    assert abs(found.mean) < 5 * found.delta.mc_error


def test_without_items_in_batches_it_is_the_prior():
    model = NoisyLabels(error=[0.1, 0.2], batches=[TINY, OTHER])
    weights = model.fit(rw.Outcomes.empty([0, 1], TINY.names)).block(np.random.default_rng(6), 50_000).weights
    assert weights.mean(axis=1) == pytest.approx(np.full(8, 1 / 8), abs=0.01)


@CALM
@pytest.mark.parametrize("error", [0.15, (61, 341)])
def test_exchanging_the_classifiers_mirrors_the_difference(error):
    table, *_ = noisy_pair(300, 0.15, np.random.default_rng(7))
    a, b = table.names
    one = rw.compare(table, a=a, b=b, model=NoisyLabels(error=error), draws=50_000, rng=0)
    other = rw.compare(table, a=b, b=a, model=NoisyLabels(error=error), draws=50_000, rng=1)
    assert abs(one.mean + other.mean) < 4.5 * np.hypot(one.delta.mc_error, other.delta.mc_error)
    assert one.std == pytest.approx(other.std, rel=0.02)


@CALM
@pytest.mark.parametrize("error", [0.15, (61, 341)])
def test_the_order_of_items_and_the_number_of_draws_change_no_draw(error):
    rng = np.random.default_rng(8)
    y, a, b = rng.integers(0, 2, (3, 60))
    order = rng.permutation(60)
    whole = rw.compare(y, a, b, model=NoisyLabels(error=error), draws=30_000, rng=9).draws.delta()
    part = rw.compare(y[order], a[order], b[order], model=NoisyLabels(error=error), draws=14_000, rng=9, threads=2)
    assert part.draws.delta().tolist() == whole[:14_000].tolist()


def test_many_items_give_what_was_annotated_with_the_errors_taken_out():
    """An accuracy as annotated is e + (1 − 2e) times the true one, of errors that come at random."""
    table, *_ = noisy_pair(1_000_000, 0.15, np.random.default_rng(10))
    found = rw.evaluate(table, "A", metric="accuracy", model=NoisyLabels(error=0.15), draws=20_000, rng=0).metrics[0]
    assert found.estimate.mean == pytest.approx((found.estimate.observed - 0.15) / 0.7, abs=0.05 * found.estimate.std)
    share = found.estimate.observed
    assert found.estimate.std == pytest.approx(math.sqrt(share * (1 - share) / 1_000_000) / 0.7, rel=0.05)


# -- what is drawn exactly, and what is not -------------------------------------------------------------------


def letters():
    return rw.Outcomes.from_arrays(list("abcabc"), list("abcaab"), list("abbabc"), names=["A", "B"])


@pytest.mark.parametrize(
    ("model", "tables", "exact"),
    [
        (NoisyLabels(error=0.1), [TINY], True),
        (NoisyLabels(error=(0.1, (2, 20))), [TINY], True),
        (NoisyLabels(error=((2, 20), (2, 20))), [TINY], True),
        (NoisyLabels(error=0.1, paired=False), [ONE, ONE], True),
        (NoisyLabels(error=(2, 20), paired=False), [ONE], True),
        (NoisyLabels(error=(2, 20), paired=False), [ONE, ONE], False),  # they share the annotators
        (NoisyLabels(error=[(2, 20), (2, 20), (2, 20)], batches=[TINY] * 3), [TINY], False),
        (NoisyLabels(error=(2, 20), batches=[TINY] * 2, drift=0.5), [TINY], False),
        (NoisyLabels(error=0.1), [letters()], False),
        (NoisyLabels(error=0.1), [letters().collapse("b")], True),
    ],
    ids=range(10),
)
def test_it_is_exact_for(model, tables, exact):
    assert model.exact_for(tables) is exact
    if exact:
        assert isinstance(model.fit(tables[0]), NoisyPosterior)
    elif len(tables) == 1:
        with pytest.raises(InvalidInputError, match="no closed form"):
            model.fit(tables[0])


@CALM
def test_the_engine_is_chosen_by_the_table():
    table = letters()
    found = rw.compare(table, model=NoisyLabels(error=0.1), pos_label="b", draws=100, rng=0)
    assert found.recipe.engine == "exact"
    with pytest.raises(InvalidInputError, match="not conjugate with these data"):
        rw.compare(table, model=NoisyLabels(error=0.1), engine="exact", rng=0)


@CALM
def test_classifiers_with_tables_of_their_own():
    """Each has its accuracy with the errors taken out, and the two have nothing to do with each other."""
    table, *_ = noisy_pair(20_000, 0.1, np.random.default_rng(11))
    found = rw.compare(table, metric="accuracy", model=NoisyLabels(error=0.1, paired=False), draws=20_000, rng=0)
    for one in (found.estimate_a, found.estimate_b):
        assert one.mean == pytest.approx((one.observed - 0.1) / 0.8, abs=0.1 * one.std)
    assert found.std == pytest.approx(np.hypot(found.estimate_a.std, found.estimate_b.std), rel=0.03)


@CALM
def test_other_priors_are_asked_and_the_annotators_stay_as_they_are():
    table, *_ = noisy_pair(300, 0.1, np.random.default_rng(12))
    found = rw.compare(table, model=NoisyLabels(error=(11, 91)), rope=0.05, draws=5_000, rng=0)
    rows = dict(found.prior_sensitivity().rows)
    assert list(rows) == ["as asked", "half the prior mass", "twice the prior mass"]
    model = rows["twice the prior mass"].recipe.model
    assert (model.error, model.kappa, model.label_mass) == ((11.0, 91.0), 2.0, 2.0)
    assert rows["twice the prior mass"].mean != found.mean


@CALM
def test_where_the_prior_decides_there_is_no_verdict():
    """A rate that is known so roughly leaves half a standard deviation to the prior, on 3,000 items."""
    table, *_ = noisy_pair(3_000, 0.15, np.random.default_rng(3))
    found = rw.compare(table, model=NoisyLabels(error=(61, 341)), rope=0.25, draws=20_000, rng=0)
    assert found.decision is None
    assert "prior mass" in found.no_verdict


def differing(annotated, flipped):
    """Of 1,000 items, 110 of them of the rarer class, the two differ on 40, of which so many are annotated as it."""
    y = np.repeat([1, 0], [110, 890])
    a, b = y.copy(), y.copy()
    differ = np.r_[0:annotated, 900 : 940 - annotated]
    a[differ] = 1 - a[differ]
    return (1 - v if flipped else v for v in (y, a, b))


@CALM
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("metric", ["recall", "specificity"])
def test_errors_hide_the_rarer_class_where_they_could_have_made_it(metric, flipped):
    """A tenth of 40 items is 4, with a standard deviation of 1.9: 5 are no more than that, and 6 are."""
    model, seen = NoisyLabels(error=0.1), {}
    for annotated in (5, 6):
        found = rw.compare(*differing(annotated, flipped), model=model, metric=metric, rope=0.05, draws=4_000, rng=0)
        seen[annotated] = "wrong labels hide" in found.no_verdict
    assert seen == {5: True, 6: False}


@CALM
@pytest.mark.parametrize(("metric", "rope", "error"), [("f1", 0.05, 0.1), ("recall", 0.9, 0.1), ("recall", 0.05, 0.0)])
def test_errors_hide_nothing_that_decides(metric, rope, error):
    """Of a metric of both classes, of a ROPE that is far away, or where nobody errs."""
    how = {"metric": metric, "rope": rope, "draws": 4_000, "rng": 0}
    found = rw.compare(*differing(0, flipped=False), model=NoisyLabels(error=error), **how)
    assert "wrong labels hide" not in found.no_verdict


def test_what_can_never_be_annotated_is_refused():
    blind = np.array([[1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(DataError, match="nothing ever is"):
        NoisyLabels(error=blind).fit(TINY)


@pytest.mark.parametrize(
    ("error", "match"), [(0.5, "guessing among 2 labels"), (np.eye(3), "3 × 3, and there are 2"), ((0.1, 0.6), "0.6")]
)
def test_a_rate_that_does_not_suit_two_labels_is_refused(error, match):
    with pytest.raises(InvalidInputError, match=match):
        NoisyLabels(error=error).fit(TINY)


def test_batches_must_be_the_data():
    with pytest.raises(DataError, match="batches hold 12 items, and the data 8"):
        NoisyLabels(error=[0.1, 0.2], batches=[TINY, OTHER]).fit(TINY)


@CALM
def test_more_data_is_extrapolated_and_studies_are_refused():
    """Simulated test sets have true labels, and this model is about annotated ones."""
    table, *_ = noisy_pair(300, 0.1, np.random.default_rng(13))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rw.compare(table, model=NoisyLabels(error=0.1), rope=0.3, draws=5_000, rng=0)
    assert found.more_data(progress=False).method == "extrapolation"
    with pytest.raises(InvalidInputError, match="annotators"):
        found.more_data(method="simulation", progress=False)
