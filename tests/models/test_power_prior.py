"""The power prior: closed forms, merging as its limit, and what must match."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import brute
import ropewalk as rw
from laws import assert_same_law, random_counts, sparse_margins
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.inference.extras import other_priors
from ropewalk.metrics import parse_metric
from ropewalk.models import (
    Bootstrap,
    Flat,
    Icdm2015,
    Multilabel,
    Pooled,
    PowerPrior,
    Sigir2016,
    Sigir2016Unpaired,
    Tree,
    draw_psi,
    parse_model,
)

NOW = rw.Outcomes.from_pairs(positive=(30, 6, 3, 4), negative=(3, 2, 4, 40), names=["a", "b"])
THEN = rw.Outcomes.from_pairs(positive=(100, 10, 30, 20), negative=(8, 20, 6, 200), names=["a", "b"])


def many(seed, n_labels=4, n_items=60, names=("a", "b")):
    rng = np.random.default_rng(seed)
    counts = random_counts(rng, n_labels, 2, n_items)
    return rw.Outcomes.from_counts(counts, names=names, labels=[f"class {j}" for j in range(n_labels)])


def indicators(seed, n_items=40, labels=("tea", "trade", "wheat")):
    rng = np.random.default_rng(seed)
    truth = rng.random((n_items, len(labels))) < 0.3
    said = [truth ^ (rng.random(truth.shape) < p) for p in (0.1, 0.2)]
    return MultilabelOutcomes.from_arrays(
        truth.astype(int), *(one.astype(int) for one in said), labels=labels, names=["a", "b"]
    )


# -- closed forms --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("discount", [1.0, 0.5, 0.031])
def test_every_shape_is_prior_and_counts_and_discounted_earlier_counts(discount):
    """Paired, from the counts of pairs (1,1) (1,0) (0,1) (0,0); cells are listed upwards."""
    model = PowerPrior(Sigir2016(mu=(2, 3), positive=(4, 3, 2, 1)), THEN, discount=discount)
    found = model.fit(NOW)
    negative = np.array([3, 2, 4, 40]) + discount * np.array([8, 20, 6, 200]) + 1
    positive = np.array([30, 6, 3, 4]) + discount * np.array([100, 10, 30, 20]) + [4, 3, 2, 1]
    assert found.theta[0] == pytest.approx(negative[::-1], rel=1e-12)
    assert found.theta[1] == pytest.approx(positive[::-1], rel=1e-12)
    assert found.mu == pytest.approx([49 + discount * 234 + 3, 43 + discount * 160 + 2], rel=1e-12)


@pytest.mark.parametrize("name", ["a", "b"])
def test_an_unpaired_classifier_has_its_own_earlier_items(name):
    found = PowerPrior(Sigir2016Unpaired(), THEN, discount=0.25).fit(NOW.project([name]))
    now, then = NOW.confusion(name), THEN.confusion(name)
    for j in range(2):
        assert found.theta[j] == pytest.approx(1 + now[j] + then[j] / 4, rel=1e-12)


def test_the_recall_is_that_beta():
    """Drawn, of the unpaired tree: Beta(1/2 + right + a·right', 1/2 + wrong + a·wrong')."""
    now, then = many(1).project(["a"]), many(2, n_items=200).project(["a"])
    posterior = PowerPrior(Tree(paired=False), then, discount=0.3).fit(now)
    both = now.confusion() + 0.3 * then.confusion()
    for j in range(4):
        recall = draw_psi([posterior], parse_metric("recall").at(j), stop=40_000, seed=j)[0]
        right = both[j, j]
        assert stats.kstest(recall, stats.beta(0.5 + right, 0.5 + both[j].sum() - right).cdf).pvalue > 1e-4


@pytest.mark.parametrize("options", [{}, {"kappa": 2.0, "label_mass": 0.5}, {"centre": "pooled"}])
def test_the_tree_of_fractional_counts_is_that_of_brute_force(options):
    rng = np.random.default_rng(3)
    now, then = random_counts(rng, 3, 2, 20), random_counts(rng, 3, 2, 50)
    tables = [rw.Outcomes.from_counts(counts) for counts in (now, then)]
    theirs = brute.margins(*brute.tree(now + 0.3 * then, rng, 20_000, **options), 3)
    ours = sparse_margins(PowerPrior(Tree(**options), tables[1], discount=0.3).fit(tables[0]), 7, 20_000)
    for name in ours:
        assert_same_law(ours[name], theirs[name], errors=4.5)


def test_the_flat_and_the_hierarchical_model_count_fractions():
    now, then = many(1).project(["b"]), many(2).project(["b"])
    both = now.confusion() + 0.3 * then.confusion()
    flat = PowerPrior(Flat(), then, discount=0.3).fit(now)
    assert flat.shapes == pytest.approx(both.reshape(-1) + 1, rel=1e-12)
    assert flat.mu == pytest.approx(both.sum(axis=1) + 1, rel=1e-12)
    icdm = PowerPrior(Icdm2015(), then, discount=0.3).fit(now)
    assert icdm.mu == pytest.approx(both.sum(axis=1) + 1, rel=1e-12)
    wrong = both[~np.eye(4, dtype=bool)]
    assert np.sort(icdm.eta.wrong) == pytest.approx(np.sort(wrong[wrong > 0]), rel=1e-12)
    pooled = PowerPrior(Pooled(), then, discount=0.3).fit(now)
    assert pooled.right == pytest.approx(np.diag(both), rel=1e-12)
    assert pooled.wrong == pytest.approx(both.sum(axis=1) - np.diag(both), rel=1e-12)


# -- limits ----------------------------------------------------------------------------------------------------------


EVERY = {
    "tree": (Tree(), many(1), many(2)),
    "pooled centre": (Tree(centre="pooled"), many(1), many(2)),
    "unpaired tree": (Tree(paired=False), many(1).project(["b"]), many(2)),
    "flat": (Flat(), many(1).project(["a"]), many(2)),
    "icdm2015": (Icdm2015(), many(1).project(["a"]), many(2)),
    "pooled": (Pooled(), many(1).project(["a"]), many(2)),
    "paired": (Sigir2016(), NOW, THEN),
    "unpaired": (Sigir2016Unpaired(), NOW.project(["b"]), THEN),
    "multilabel": (Multilabel(), indicators(1), indicators(2)),
    "multilabel, unpaired": (Multilabel(paired=False), indicators(1).project(["a"]), indicators(2)),
}


def drawn(posterior, size=200, seed=0):
    margins = posterior.block(np.random.default_rng(seed), size).margins()
    return margins.tp, margins.col, margins.row


@pytest.mark.parametrize("name", EVERY)
def test_at_full_weight_it_is_all_items_on_one_heap(name):
    """The same shapes, so the same draws, bit for bit."""
    model, now, then = EVERY[name]
    together = model.fit(now + then.project(now.names))
    for ours, theirs in zip(drawn(PowerPrior(model, then, discount=1).fit(now)), drawn(together), strict=True):
        assert (ours == theirs).all()


@pytest.mark.parametrize("name", EVERY)
def test_at_next_to_no_weight_there_are_no_earlier_items(name):
    model, now, then = EVERY[name]
    ours = drawn(PowerPrior(model, then, discount=1e-7).fit(now), 10_000, 1)
    theirs = drawn(model.fit(now), 10_000, 2)
    for one, other in zip(ours, theirs, strict=True):
        for a, b in zip(one.reshape(-1, one.shape[-1]).T, other.reshape(-1, other.shape[-1]).T, strict=True):
            assert_same_law(a, b, errors=5.0)


@pytest.mark.parametrize("name", EVERY)
def test_without_new_items_it_is_what_the_earlier_ones_say(name):
    """At full weight, the posterior of the earlier items."""
    model, now, then = EVERY[name]
    nothing = type(now).empty(now.labels, now.names)
    ours, theirs = PowerPrior(model, then, discount=1).fit(nothing), model.fit(then.project(now.names))
    for one, other in zip(drawn(ours), drawn(theirs), strict=True):
        assert (one == other).all()


def test_two_earlier_evaluations():
    both = PowerPrior(PowerPrior(Sigir2016Unpaired(), THEN, discount=0.5), NOW, discount=0.1)
    found = both.fit(rw.Outcomes.empty([0, 1], ["a"]))
    expected = 1 + 0.5 * THEN.confusion("a")[1] + 0.1 * NOW.confusion("a")[1]
    assert found.theta[1] == pytest.approx(expected, rel=1e-12)
    assert both.prior_items == pytest.approx(0.5 * 394 + 0.1 * 92, rel=1e-12)
    several = PowerPrior(PowerPrior(Multilabel(), indicators(2), discount=1), indicators(3), discount=1)
    together = Multilabel().fit(indicators(1) + indicators(2) + indicators(3))
    for one, other in zip(drawn(several.fit(indicators(1))), drawn(together), strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("model", [Tree(kappa=1e-3), Tree(kappa=1e-3, centre="pooled"), Sigir2016(positive=[1e-3] * 4)])
def test_a_hundredth_of_an_item_does_not_underflow(model):
    """Nearly one-hot: of 99 shares of a class, hardly any is neither none nor all."""
    then = rw.Outcomes.from_pairs(positive=(1, 0, 1, 0), negative=(0, 1, 0, 0), names=["a", "b"])
    posterior = PowerPrior(model, then, discount=0.01).fit(rw.Outcomes.empty([0, 1], ["a", "b"]))
    recall = draw_psi([posterior], parse_metric("recall").at(1), stop=20_000, seed=0)
    assert ((recall >= 0) & (recall <= 1)).all()
    assert ((recall > 0.1) & (recall < 0.9)).mean() < 0.05


# -- what must match ---------------------------------------------------------------------------------------------------


def test_labels_are_matched_as_they_are_written_and_classifiers_by_name():
    now = rw.Outcomes.from_rows([("x", "x", "y"), ("y", "z", "y")], [3, 4], names=["a", "b"], labels=["x", "y", "z"])
    rows = [("z", "x", "z"), ("x", "x", "x"), ("z", "z", "z")]
    one = rw.Outcomes.from_rows(rows, [5, 6, 7], names=["b", "a"], labels=["z", "x"])
    same = rw.Outcomes.from_rows([(t, a, b) for t, b, a in rows], [5, 6, 7], names=["a", "b"], labels=["x", "y", "z"])
    ours, theirs = (PowerPrior(Tree(), then, discount=0.5).fit(now) for then in (one, same))
    for a, b in zip(drawn(ours), drawn(theirs), strict=True):
        assert (a == b).all()


def test_a_declared_label_that_nothing_had_does_no_harm():
    then = rw.Outcomes.from_confusion([[3, 1, 0], [1, 4, 0], [0, 0, 0]], labels=[0, 1, 2], name="a")
    found = PowerPrior(Sigir2016Unpaired(), then, discount=1).fit(NOW.project(["a"]))
    assert found.theta[1] == pytest.approx(1 + NOW.confusion("a")[1] + [1, 4], rel=1e-12)


def test_one_class_against_the_rest_is_so_for_earlier_items_too(silent):
    now, then = many(1), many(2, n_items=300)
    model = PowerPrior(Sigir2016(), then, discount=0.2)
    r = rw.compare(now, a="a", b="b", model=model, pos_label="class 1", draws=1_000, rng=0)
    found = model.fit(r.recipe.tables[0])
    one, other = (np.zeros((2, 2, 2)) for _ in range(2))
    for counts, table in ((one, now.collapse("class 1")), (other, then.collapse("class 1"))):
        counts[tuple(table.codes.T)] = table.counts
    for j in range(2):
        assert found.theta[j] == pytest.approx((1 + one[j] + 0.2 * other[j]).reshape(-1), rel=1e-12)


def test_labels_that_say_not_are_labels_where_the_earlier_items_have_them():
    table = rw.Outcomes.from_confusion([[8, 2], [1, 9]], labels=["not spam", "spam"], name="a")
    found = PowerPrior(Sigir2016Unpaired(), table, discount=1).fit(table)
    assert found.theta[0] == pytest.approx([17, 5])


def test_of_two_labels_the_first_may_be_the_positive_one(silent):
    now = NOW.relabel(["ham", "spam"])
    model = PowerPrior(Sigir2016(positive=(9, 1, 1, 1)), THEN.relabel(["ham", "spam"]), discount=0.5)
    recipe = rw.compare(now, a="a", b="b", model=model, pos_label="ham", draws=500, rng=0).recipe
    assert recipe.tables[0].labels == ("spam", "ham")
    # Of ham, both said ham of 40 items now and of 200 then.
    assert model.fit(recipe.tables[0]).theta[1][-1] == pytest.approx(9 + 40 + 100)


def test_one_label_of_many_takes_its_table_of_the_earlier_items(silent):
    now, then = indicators(1), indicators(2)
    model = PowerPrior(Sigir2016(), then, discount=0.5)
    recipe = rw.compare(now, a="a", b="b", model=model, pos_label="trade", draws=500, rng=0).recipe
    expected = PowerPrior(Sigir2016(), then.table("trade"), discount=0.5).fit(now.table("trade"))
    assert model.fit(recipe.tables[0]).theta[1] == pytest.approx(expected.theta[1])


def test_a_label_that_was_not_asked_for_then_has_no_earlier_items():
    now, then = indicators(1), indicators(2, labels=("wheat", "tea"))
    parts = PowerPrior(Multilabel(), then, discount=1).fit(now).parts
    assert [part.mu.sum() - 2 for part in parts] == [80, 40, 80]


REFUSED = {
    "a classifier": (THEN.rename(["a", "c"]), NOW, rw.errors.ColumnNotFoundError, r"lack predictions of 'b'.*rename"),
    "a label": (
        THEN.relabel(["0", "1"]),
        NOW,
        rw.errors.UndeclaredLabelError,
        r"labels that these have not.*1 and '1' are two",
    ),
    "the positive class": (
        many(2).relabel(["w", "x", "y", "z"]),
        many(1).collapse("class 1"),
        rw.errors.PosLabelError,
        "positive label 'class 1' is none of the earlier",
    ),
    "one label per item": (indicators(1), NOW, rw.errors.InvalidInputError, "any number of labels, and these have one"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_match_is_refused(what):
    then, now, error, told = REFUSED[what]
    with pytest.raises(error, match=rf"(?s){told}"):
        PowerPrior(Tree(), then).fit(now)


def test_a_label_of_many_that_is_unknown_now_is_refused():
    with pytest.raises(rw.errors.UndeclaredLabelError, match="'oats'"):
        PowerPrior(Multilabel(), indicators(2, labels=("tea", "oats"))).fit(indicators(1))


@pytest.mark.parametrize("bad", [0, -0.5, 1.01, float("nan"), float("inf"), "1", None, True])
def test_a_discount_is_a_share(bad):
    with pytest.raises(rw.errors.InvalidInputError, match="`discount` must be above 0 and at most 1"):
        PowerPrior(Sigir2016(), THEN, discount=bad)


@pytest.mark.parametrize("bad", ["paired", Sigir2016, Bootstrap(), None])
def test_a_model_must_have_a_prior_that_counts_can_be_added_to(bad):
    with pytest.raises(rw.errors.InvalidInputError, match="`model` must be a model of counted labels"):
        PowerPrior(bad, THEN)


@pytest.mark.parametrize("bad", [[[3, 1], [1, 4]], None, "earlier.csv"])
def test_earlier_items_must_be_counted(bad):
    with pytest.raises(rw.errors.InvalidInputError, match="`earlier` must be an Outcomes"):
        PowerPrior(Sigir2016(), bad)


def test_clusters_are_refused():
    clustered = rw.Outcomes.from_arrays([0, 1, 1], [0, 1, 0], cluster=[1, 1, 2])
    with pytest.raises(rw.errors.DataError, match="clusters"):
        PowerPrior(Sigir2016Unpaired(), clustered)


def test_models_of_one_label_and_of_many_do_not_mix():
    with pytest.raises(rw.errors.InvalidInputError, match="any number of labels"):
        PowerPrior(Multilabel(), THEN)
    with pytest.raises(rw.errors.InvalidInputError, match="items with one label"):
        PowerPrior(Tree(), indicators(1)).fit(indicators(1))
    model = PowerPrior(Multilabel(), indicators(1))
    assert parse_model(model, multilabel=True) is model
    with pytest.raises(rw.errors.InvalidInputError, match="any number of labels"):
        parse_model(model)


# -- what it says of itself --------------------------------------------------------------------------------------------


def test_it_is_a_value():
    model = PowerPrior(Sigir2016(), THEN)
    assert model.discount == 0.5
    assert model == PowerPrior(Sigir2016(), rw.Outcomes.from_json(THEN.to_json()), discount=0.5)
    assert hash(model) == hash(PowerPrior(Sigir2016(), THEN))
    assert len({model, PowerPrior(Sigir2016(), NOW), PowerPrior(Sigir2016(), THEN, discount=1)}) == 3


def test_it_says_how_many_items_it_weighs():
    model = PowerPrior(Sigir2016(), THEN, discount=0.25)
    assert model.prior_items == 98.5
    assert model.prior == f"{Sigir2016().prior}; and 394 earlier items, each counted as 0.25: 98.5 in all"
    assert PowerPrior(Sigir2016(), THEN, discount=1).prior == f"{Sigir2016().prior}; and 394 earlier items"


@pytest.mark.parametrize(
    "before", [Sigir2016(), Sigir2016Unpaired(), Tree(), Pooled(), Tree(centre="pooled"), Sigir2016(mu=(1, 2))]
)
def test_it_is_otherwise_what_the_model_is(before):
    model = PowerPrior(before, THEN)
    for field in ("name", "paired", "is_symmetric", "no_factor"):
        assert getattr(model, field) == getattr(before, field)
    assert model.no_savage_dickey


def test_an_informative_prior_moves_the_answer_and_narrows_it(silent):
    now, then = NOW, THEN + THEN + THEN
    for name, before in (("paired", Tree(name="paired")), ("sigir2016", Sigir2016())):
        plain = rw.compare(now, model=name, draws=20_000, rng=0)
        informed = rw.compare(now, model=PowerPrior(before, then, discount=1), draws=20_000, rng=0)
        together = rw.compare(now + then, model=name, draws=20_000, rng=0)
        assert informed.std < 0.5 * plain.std
        assert (informed.draws.psi == together.draws.psi).all()
        assert informed.to_dict()["prior"].endswith("and 1,182 earlier items")


def test_other_priors_weigh_the_earlier_items_differently(silent):
    model = PowerPrior(Sigir2016(), THEN, discount=0.5)
    found = dict(other_priors(rw.compare(NOW, model=model, draws=500, rng=0).recipe))
    assert list(found) == [
        "earlier items at half the weight",
        "earlier items in full",
        "without the earlier items",
        "unpaired, SIGIR 2016",
    ]
    assert [getattr(one, "discount", None) for one in found.values()] == [0.25, 1.0, None, None]


def test_items_that_count_in_full_already_are_not_offered_in_full():
    names = [name for name, _ in PowerPrior(Sigir2016(), THEN, discount=1).variants()]
    assert names == ["earlier items at half the weight", "without the earlier items"]


@pytest.mark.parametrize("before", [Sigir2016(), Sigir2016Unpaired()])
def test_the_prior_of_a_bayes_factor_is_the_earlier_items_at_their_discount(before, silent):
    """The difference of two recalls, whose means are those of Betas; A and B have different earlier items."""
    model = PowerPrior(before, THEN, discount=0.1)
    r = rw.compare(NOW, model=model, metric="recall", rope=0.1, draws=2_000, rng=0)
    # Pseudo-items that are right, and as many wrong: of pairs, two of four cells each.
    pseudo = {"sigir2016": 2, "sigir2016_unpaired": 1}[
        before.name
    ]  # right, as many wrong; of pairs, two of four cells each
    right = {"a": 110, "b": 130}  # of 160 positives
    means = [(pseudo + 0.1 * right[name]) / (2 * pseudo + 16) for name in ("a", "b")]
    drawn = r.prior_draws
    assert drawn.mean() == pytest.approx(means[0] - means[1], abs=4 * drawn.std() / np.sqrt(drawn.size))
    assert r.bayes_factor.rope is not None
    assert r.bayes_factor.sd is None
