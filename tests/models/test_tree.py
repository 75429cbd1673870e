"""The outcome-type tree: against brute force, against the binary model, and its edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import brute
import ropewalk as rw
from laws import assert_same_law, random_counts, sparse_margins
from ropewalk.metrics import parse_metric
from ropewalk.models import DeltaPrior, LearnedTree, PowerPrior, Sigir2016, Sigir2016Unpaired, Tree, draw_psi
from ropewalk.models.cells import all_patterns, base_weights, keys_of, patterns_of, seat_wrong


@pytest.mark.parametrize(
    ("n_labels", "n_classifiers", "options"),
    [
        (3, 2, {}),
        (4, 2, {"kappa": 2.5, "label_mass": 0.5, "mu_prior": 0.3}),
        (5, 2, {"centre": "pooled"}),
        (3, 3, {}),
        (4, 1, {"centre": "pooled", "kappa": 3.0}),
        (2, 3, {"kappa": 4.0}),
        (3, 4, {"kappa": 0.2}),
    ],
)
def test_sparse_draws_have_the_law_of_listing_every_cell(n_labels, n_classifiers, options):
    rng = np.random.default_rng(n_labels * 10 + n_classifiers)
    counts = random_counts(rng, n_labels, n_classifiers, 30)
    outcomes = rw.Outcomes.from_counts(counts)
    size = 20_000
    theirs = brute.margins(*brute.tree(counts, rng, size, **options), n_labels)
    ours = sparse_margins(Tree(**options).fit(outcomes), 7, size)
    assert set(ours) == set(theirs)
    for name in ours:
        assert_same_law(ours[name], theirs[name], errors=4.5)  # some hundred checks in all


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", [3, 4, 5, 12])
def test_sparse_draws_have_the_law_of_listing_every_cell_at_a_million(n_labels):
    rng = np.random.default_rng(n_labels)
    counts = random_counts(rng, n_labels, 2, 60)
    posterior = Tree().fit(rw.Outcomes.from_counts(counts))
    size, part = 1_000_000, 50_000
    parts = [brute.margins(*brute.tree(counts, rng, part), n_labels) for _ in range(size // part)]
    ours = sparse_margins(posterior, 1, size)
    for name in ours:
        assert_same_law(ours[name], np.concatenate([p[name] for p in parts]))


def test_no_items_give_the_prior_of_every_cell():
    rng = np.random.default_rng(3)
    theirs = brute.margins(*brute.tree(np.zeros((3, 3, 3), dtype=int), rng, 40_000), 3)
    ours = sparse_margins(Tree().fit(rw.Outcomes.empty(range(3), ["a", "b"])), 2, 40_000)
    for name in ours:
        assert_same_law(ours[name], theirs[name])


@pytest.mark.parametrize(
    ("kappa", "binary", "names"), [(4.0, Sigir2016(), ["a", "b"]), (2.0, Sigir2016Unpaired(), ["a"])]
)
def test_two_labels_are_the_binary_model(table, kappa, binary, names):
    """At M = 2 the tree with kappa = 4 (2 for one classifier) is the papers' prior."""
    outcomes = table.rename(["a", "b"]).project(names)
    thin = rw.Outcomes.from_pairs(positive=(3, 1, 0, 2), negative=(0, 1, 0, 5), names=["a", "b"]).project(names)
    for data in (outcomes, thin):
        metric = parse_metric("f1").at(1)
        ours = draw_psi([Tree(kappa=kappa).fit(data)], metric, stop=50_000, seed=1)
        theirs = draw_psi([binary.fit(data)], metric, stop=50_000, seed=2)
        for one, other in zip(ours, theirs, strict=True):
            assert_same_law(one, other)
        if len(names) == 2:
            assert_same_law(ours[0] - ours[1], theirs[0] - theirs[1])


@pytest.mark.parametrize("kappa", [1.0, 4.0])
@pytest.mark.parametrize(("n_classifiers", "law"), [(1, "rho+, rho- ~ Beta"), (2, "theta+, theta- ~ Dir")])
def test_the_prior_of_two_labels_is_written_as_its_pseudo_counts(kappa, n_classifiers, law):
    empty = np.zeros((0, 1 + n_classifiers), dtype=int)
    table = rw.Outcomes.from_arrays(*empty.T, labels=[0, 1])
    model = Tree(kappa=kappa, mu_prior=2.0)
    prior = model.fit(table)  # no items give the prior
    positive, negative = (", ".join(f"{shape:g}" for shape in shapes) for shapes in prior.theta)
    assert positive == negative
    mu = ", ".join(f"{shape:g}" for shape in prior.mu)
    assert model.prior_for(2, n_classifiers) == f"mu ~ Beta({mu}); {law}({positive})"
    inside = [DeltaPrior(model=model, delta=stats.norm(0, 1)), PowerPrior(model, table, discount=1)]
    assert all(f"{law}({positive})" in wrapped.prior_for(2, n_classifiers) for wrapped in inside)


def test_the_prior_of_more_labels_or_classifiers_is_written_by_types():
    assert Tree().prior_for(3, 2) == Tree().prior
    assert Tree().prior_for(2, 3) == "mu ~ Beta(1, 1); theta+, theta- ~ Dir(0.125, …)"
    assert Tree(centre="pooled").prior_for(2, 2) == "mu ~ Beta(1, 1); theta+, theta- ~ Dir(1·pooled)"
    assert LearnedTree().prior_for(2, 2) == Tree().prior_for(2, 2)
    for n_classifiers in (1, 2, 3, 12):
        assert LearnedTree().prior_for(3, n_classifiers) == LearnedTree().prior


def test_an_answer_has_the_prior_of_its_own_labels(silent):
    two = rw.compare([0, 1] * 20, [0, 1] * 20, [0, 0, 1, 1] * 10, pos_label=1, rng=0, draws=500)
    assert two.to_dict()["prior"] == Tree().prior_for(2, 2)
    assert Tree().prior_for(2, 2) in two.sentence()
    three = rw.compare([0, 1, 2] * 20, [0, 1, 2] * 20, [0, 0, 1] * 20, model="tree", rng=0, draws=500)
    assert three.to_dict()["prior"] == Tree().prior


def test_base_weights_of_two_classifiers_are_those_of_the_design():
    assert base_weights(all_patterns(2, 5), 5).tolist() == [0.25, 0.25, 0.25, 0.125, 0.125]
    assert base_weights(all_patterns(2, 2), 2).tolist() == [0.25] * 4


@pytest.mark.parametrize(("n_classifiers", "n_labels"), [(1, 2), (2, 2), (3, 2), (3, 3), (4, 3), (4, 9)])
def test_base_weights_are_a_distribution_and_those_of_brute_force(n_classifiers, n_labels):
    patterns = all_patterns(n_classifiers, n_labels)
    weights = base_weights(patterns, n_labels)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    expected = brute.base(n_classifiers, n_labels)
    assert dict(zip(map(tuple, patterns.tolist()), weights, strict=True)) == pytest.approx(expected)


def test_there_are_as_many_types_as_set_partitions():
    assert [len(all_patterns(k, 99)) for k in range(1, 6)] == [2, 5, 15, 52, 203]  # Bell numbers


@pytest.mark.parametrize("n_labels", [2, 3, 9])
def test_drawn_types_follow_their_base_weights(n_labels):
    patterns = all_patterns(4, n_labels)
    size = 50_000
    rng = np.random.default_rng(0)
    drawn = seat_wrong(rng, rng.random((size, 4)) < 0.5, n_labels)
    keys = keys_of(patterns)
    assert len(set(keys.tolist())) == len(patterns)
    shares = np.array([(keys_of(drawn) == key).mean() for key in keys])
    weights = base_weights(patterns, n_labels)
    assert (np.abs(shares - weights) <= 4.5 * np.sqrt(weights * (1 - weights) / size)).all()


def test_patterns_are_those_of_brute_force(rng):
    codes = rng.integers(0, 4, (300, 5)).astype(np.int32)
    assert [tuple(row) for row in patterns_of(codes).tolist()] == [brute.pattern(tuple(row)) for row in codes.tolist()]


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), "1", None])
@pytest.mark.parametrize("field", ["kappa", "mu_prior", "label_mass"])
def test_a_prior_mass_must_be_positive(field, bad):
    with pytest.raises(rw.errors.InvalidInputError, match=field):
        Tree(**{field: bad})


def test_an_unknown_centre_is_refused():
    with pytest.raises(rw.errors.UnknownNameError, match="pooled"):
        Tree(centre="middle")


@pytest.mark.parametrize("n_classifiers", [1, 2, 3, 8])
@pytest.mark.parametrize("centre", ["fixed", "pooled"])
def test_a_single_label_leaves_nothing_to_draw(n_classifiers, centre, silent):
    same = [["x", "x"]] * (1 + n_classifiers)
    outcomes = rw.Outcomes.from_arrays(*same)
    table = Tree(centre=centre).fit(outcomes).block(np.random.default_rng(0), 10)
    assert (parse_metric("macro_f1")(table) == 1).all()
    assert table.margins().row == pytest.approx(np.ones((10, 1)))


def test_many_classifiers_on_one_label_rank_alike(silent):
    r = rw.rank(["x", "x"], ["x", "x"], ["x", "x"], ["x", "x"], metric="macro_f1", rng=0, draws=1_000)
    assert r.p_best == {"A": pytest.approx(1 / 3), "B": pytest.approx(1 / 3), "C": pytest.approx(1 / 3)}


@pytest.mark.parametrize("n_items", [100, 10**5, 10**7])
@pytest.mark.parametrize("n_classifiers", [1, 2, 3])
def test_an_empty_class_keeps_its_prior_however_large_the_table(n_items, n_classifiers):
    """Its recall stays Beta(1/2, 1/2), although its share of the table is tiny."""
    codes = np.array([[0] * (1 + n_classifiers), [1] * (1 + n_classifiers)], dtype=np.int32)
    names = tuple("abc"[:n_classifiers])
    outcomes = rw.Outcomes(codes, np.array([n_items, n_items]), (0, 1, 2), names)
    m = Tree().fit(outcomes).block(np.random.default_rng(1), 20_000).margins()
    recall = m.tp[0, :, 2] / m.row[:, 2]
    assert stats.kstest(recall, stats.beta(0.5, 0.5).cdf).pvalue > 1e-4


@pytest.mark.parametrize("centre", ["fixed", "pooled"])
@pytest.mark.parametrize(("n_labels", "n_classifiers"), [(3, 3), (2, 8)])
def test_the_mean_recall_of_a_class_is_a_closed_form(centre, n_labels, n_classifiers):
    """Types in which a classifier is right weigh 1/2 beforehand, listed or not; pooled, two items beside all others."""
    counts = random_counts(np.random.default_rng(n_classifiers), n_labels, n_classifiers, 40)
    outcomes = rw.Outcomes.from_counts(counts)
    m = Tree(kappa=3.0, centre=centre).fit(outcomes).block(np.random.default_rng(5), 3_000).margins()
    items = outcomes.items_by_class()
    for k, name in enumerate(outcomes.names):
        right = np.diag(outcomes.confusion(name))
        middle = 0.5 if centre == "fixed" else (right.sum() + 1) / (items.sum() + 2)
        recall = m.tp[k] / m.row
        errors = np.abs(recall.mean(axis=0) - (right + 3.0 * middle) / (items + 3.0))
        assert (errors <= 4.5 * recall.std(axis=0) / np.sqrt(3_000)).all()


def test_sticks_of_types_that_are_listed_join_them():
    """Every type but the rarest is listed, so hardly anything is left; the shares of the types are still Dirichlet."""
    n_classifiers, n_labels = 3, 4
    patterns = all_patterns(n_classifiers, n_labels)[:-1]
    rows = [(0, *row) for row in patterns.tolist()]
    outcomes = rw.Outcomes.from_rows(rows, labels=range(n_labels))
    posterior = Tree(kappa=2.0).fit(outcomes)
    rng, size = np.random.default_rng(0), 4_000
    mu = np.ones((n_labels, size))
    masses, fresh = posterior.seen_and_fresh(rng, mu, np.full(size, 2.0), posterior._draw_patterns)
    shapes = 1 + 2.0 * base_weights(patterns, n_labels)
    here = posterior.group_class == 0
    total = len(patterns) + 2.0
    error = np.sqrt(shapes * (total - shapes) / total**2 / (total + 1) / size)
    order = [patterns.tolist().index(row) for row in posterior.patterns[here].tolist()]
    assert (np.abs(masses[here].mean(axis=1) - shapes[order] / total) <= 4.5 * error[order]).all()
    beside = np.bincount(fresh.draw[fresh.truth == 0], fresh.mass[fresh.truth == 0], minlength=size)
    assert masses[here].sum(axis=0) + beside == pytest.approx(np.ones(size))
    assert {tuple(row) for row in fresh.patterns[fresh.truth == 0].tolist()} == {(1, 2, 3)}


def test_a_missing_answer_is_never_the_truth(silent, frugal):
    y = ["a", "b", "c"] * 4
    p = [None, *y[1:4], None, *y[5:]]
    for model in (None, "unpaired", "tree", "icdm2015", "flat"):
        r = rw.compare(y, p, y, missing="wrong", metric="accuracy", model=model, rng=0, draws=4_000)
        assert not any("(no answer)" in told for told in r.warnings)
        posterior = r.recipe.model.fit(r.recipe.tables[0])
        row = posterior.block(np.random.default_rng(0), 50).margins().row
        assert row[:, 3].max() < 1e-100
    # 3 classes of 4 items, mu ~ Dir(1): each recall is Beta(1/2 + right, 1/2 + wrong)
    tree = rw.compare(y, p, y, missing="wrong", metric="accuracy", model="tree", rng=0, draws=40_000)
    expected = (3.5 / 5 + 3.5 / 5 + 4.5 / 5) / 3
    assert tree.estimate_a.mean == pytest.approx(expected, abs=4.5 * tree.estimate_a.mc_error)
