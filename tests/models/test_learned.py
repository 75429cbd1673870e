"""The tree with a learned centre: its points against brute force, its limits, and what it is for."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.special import betaln, gammaln

import ropewalk as rw
from ropewalk.errors import InvalidInputError
from ropewalk.metrics import parse_metric
from ropewalk.models import LearnedTree, Tree, draw_psi
from ropewalk.models.binary import DirichletPosterior
from ropewalk.models.cells import all_patterns, base_weights, patterns_of
from ropewalk.models.learned import MAX_LOGIT, POINTS, LearnedPosterior, centre_of

F1 = parse_metric("macro_f1")


def table(rng, n=60, n_labels=4, names=("a", "b")):
    y = rng.integers(0, n_labels, n)
    said = [np.where(rng.random(n) < 0.7, y, rng.integers(0, n_labels, n)) for _ in names]
    return rw.Outcomes.from_arrays(y, *said, labels=list(range(n_labels)), names=list(names))


def evidence_of(counts, shapes):
    """The log probability of counts (classes, types), by Dirichlet-multinomials."""
    mass = shapes.sum()
    each = gammaln(mass) - gammaln(mass + counts.sum(axis=1)) + (gammaln(counts + shapes) - gammaln(shapes)).sum(axis=1)
    return each.sum()


def counts_of_types(o):
    """Return all types, and how many items of each class (rows) are of each."""
    types = all_patterns(o.n_classifiers, o.n_labels)
    counts = np.zeros((o.n_labels, len(types)))
    for row, pattern, n in zip(o.codes, patterns_of(o.codes), o.counts, strict=True):
        counts[row[0], (types == pattern).all(axis=1)] += n
    return types, counts


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("a", "b", "c")])
def test_a_point_has_the_evidence_of_dirichlet_multinomials(rng, names):
    o = table(rng, names=names)
    posterior = LearnedTree().fit(o)
    assert isinstance(posterior, LearnedPosterior)
    types, counts = counts_of_types(o)
    recalls, kappas = rng.uniform(0.02, 0.98, (20, len(names))), rng.choice([0.1, 0.3, 1.0], 20)
    for ours, m, kappa in zip(posterior._evidence(recalls, kappas), recalls, kappas, strict=True):
        shapes = kappa * centre_of(m[np.newaxis], types, o.n_labels)[0]
        assert shapes.sum() == pytest.approx(kappa)
        assert ours == pytest.approx(evidence_of(counts, shapes), abs=1e-9)


@pytest.mark.parametrize(("names", "n_places"), [(("a", "b"), 41), (("a", "b", "c"), 17)])
def test_recalls_are_those_of_a_full_grid(rng, names, n_places):
    """Given m and κ a recall has mean (right + κ m) / (n + κ); the rest is a sum over a grid of all m and κ."""
    o = table(rng, n=24, n_labels=3, names=names)
    types, counts = counts_of_types(o)
    axis = 1 / (1 + np.exp(-np.linspace(-MAX_LOGIT, MAX_LOGIT, n_places)))
    grid = np.array(list(product(axis, repeat=len(names))))
    centres = centre_of(grid, types, 3)
    evidence = np.array([[evidence_of(counts, kappa * centre) for centre in centres] for kappa in (0.1, 0.3, 1.0)])
    shares = np.exp(evidence - evidence.max())
    shares /= shares.sum()
    psi = LearnedTree(kappas=(0.1, 0.3, 1.0)).fit(o).block(np.random.default_rng(3), 20_000).margins()
    items = o.items_by_class()
    for k, name in enumerate(o.names):
        right = np.diag(o.confusion(name))
        expected = sum(
            share @ ((right + kappa * grid[:, [k]]) / (items + kappa))
            for share, kappa in zip(shares, (0.1, 0.3, 1.0), strict=True)
        )
        recall = psi.tp[k] / psi.row
        # beside the error of the draws that of the 512 points, of which a recall feels at most κ / (n + κ)
        scatter = 0.3 / np.sqrt(POINTS) / (items + 1)
        assert (np.abs(recall.mean(axis=0) - expected) <= 4.5 * recall.std(axis=0) / np.sqrt(20_000) + scatter).all()


@pytest.mark.parametrize("kappas", [(0.1, 0.5, 10.0), (0.1, 50.0)])
def test_a_kappa_is_judged_where_its_own_mass_is(kappas):
    """Heavy priors sit where the thin classes are, light ones where the large ones are: far apart."""
    thin, thick = np.repeat(np.arange(1_000), 1), 1_000 + np.repeat(np.arange(100), 200)
    y = np.concatenate([thin, thick])
    right = np.concatenate([np.arange(1_000) % 2 == 0, np.arange(20_000) % 10 > 0])
    o = rw.Outcomes.from_arrays(y, np.where(right, y, (y + 1) % 1_100), labels=list(range(1_100)))
    axis = 1 / (1 + np.exp(-np.linspace(-MAX_LOGIT, MAX_LOGIT, 401)))
    evidence = np.array([[betabinom(kappa * m, kappa * (1 - m)) for m in axis] for kappa in kappas])
    shares = np.exp(evidence - evidence.max()).sum(axis=1)
    ours = LearnedTree(kappas=kappas, paired=False).fit(o).kappa_shares
    assert ours == pytest.approx(shares / shares.sum(), abs=0.02)


def betabinom(a, b):
    """The log probability of 500 classes of one item that is right, 500 wrong, and 100 with 180 of 200 right."""
    return 500 * np.log(a / (a + b)) + 500 * np.log(b / (a + b)) + 100 * (betaln(180 + a, 20 + b) - betaln(a, b))


@pytest.mark.parametrize(("n_classifiers", "least"), [(1, 300), (3, 300), (12, 100)])
def test_points_are_scattered_where_the_mass_is(rng, n_classifiers, least):
    """The effective number of points: alike where the classifiers are as good as independent, fewer of many."""
    o = table(rng, n=400, n_labels=30, names="abcdefghijkl"[:n_classifiers])
    shares = LearnedTree().fit(o)._points.shares
    assert 1 / (shares**2).sum() > least


def test_a_recall_that_many_classes_share_is_found(rng):
    """With 300 classes the typical recall is known to a hundredth."""
    y = np.repeat(np.arange(300), 40)
    a = np.where(rng.random(y.size) < 0.6, y, rng.integers(0, 300, y.size))
    posterior = LearnedTree(paired=False).fit(rw.Outcomes.from_arrays(y, a, labels=list(range(300))))
    points = posterior._points
    mean = (points.recalls[:, 0] * points.shares).sum()
    assert mean == pytest.approx(0.6, abs=0.06)  # of Beta(κm, κ(1 − m)) with κ = 1 300 recalls tell so much
    o = rw.Outcomes.from_arrays(y[::40].repeat(3), a.reshape(300, 40)[:, :3].reshape(-1), labels=list(range(300)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = rw.evaluate(o, metric="accuracy", rng=0, draws=2_000).metrics[0].estimate
    assert abs(e.pull) < 1


@pytest.mark.parametrize("n_classifiers", [1, 2, 4])
def test_the_centre_of_one_half_is_that_of_the_tree(n_classifiers):
    patterns = all_patterns(n_classifiers, 3)
    half = centre_of(np.full((1, n_classifiers), 0.5), patterns, 3)
    assert half[0] == pytest.approx(base_weights(patterns, 3))
    recalls = np.array(list(product((0.01, 0.3, 0.9), repeat=n_classifiers)))
    weights = centre_of(recalls, patterns, 3)
    assert weights.sum(axis=1) == pytest.approx(1)
    for k in range(n_classifiers):  # each is right as often as it should be
        assert weights[:, patterns[:, k] == 0].sum(axis=1) == pytest.approx(recalls[:, k])


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "c")])
def test_given_one_point_it_is_the_tree(rng, monkeypatch, names):
    monkeypatch.setattr("ropewalk.models.learned.MAX_LOGIT", 1e-9)
    o = table(rng, names=names)
    ours, theirs = (
        draw_psi([model.fit(o)], F1, stop=20_000, seed=seed)
        for seed, model in enumerate((LearnedTree(kappas=(1.0,) * 3, label_masses=(1.0,) * 3), Tree()))
    )
    for x, y in zip(ours, theirs, strict=True):
        assert x.mean() == pytest.approx(y.mean(), abs=4.5 * np.sqrt((x.var() + y.var()) / 20_000))
        assert x.std() == pytest.approx(y.std(), rel=0.03)


@pytest.mark.parametrize("masses", [[1.0], (0.1, 1), np.array([0.1, 0.2, 0.3, 0.5, 1.0])], ids=["1", "2", "5"])
def test_any_number_of_masses_is_learned_of(rng, masses):
    """Given the recalls, a mass is as probable as its evidence among the others says, however many these are."""
    model = LearnedTree(kappas=masses, label_masses=masses)
    assert model.kappas == model.label_masses == tuple(map(float, masses))
    posterior = model.fit(table(rng))
    assert posterior.kappa_shares.shape == posterior._label_shares.shape == (len(masses),)
    assert posterior.kappa_shares.sum() == pytest.approx(1)
    every = LearnedTree(label_masses=(0.1, 0.2, 0.3, 0.5, 1.0, 2.0)).fit(same := table(rng))
    some = LearnedTree(label_masses=masses).fit(same)._label_shares
    among = every._label_shares[np.isin(every.label_masses, np.asarray(masses, dtype=float))]
    assert some == pytest.approx(among / among.sum(), rel=1e-9)
    psi = draw_psi([posterior], F1, stop=200, seed=0)
    assert np.isfinite(psi).all()
    for factor, (_, variant) in zip((0.5, 2.0), model.variants(), strict=True):
        assert variant.kappas == variant.label_masses == tuple(factor * mass for mass in model.kappas)
        assert np.isfinite(draw_psi([variant.fit(table(rng))], F1, stop=200, seed=0)).all()


def test_one_mass_is_not_called_learned():
    text = LearnedTree(kappas=[0.5], label_masses=[2]).prior
    assert "κ = 0.5, m learned" in text
    assert text.endswith("mass 2")


@pytest.mark.parametrize("field", ["kappas", "label_masses"])
@pytest.mark.parametrize(
    "bad", [(), None, 1.0, "1", (0.0,), (0.1, -1.0), (np.nan,), (np.inf,), (True,), [[0.1]]], ids=repr
)
def test_masses_must_be_a_list_of_positive_numbers(field, bad):
    with pytest.raises(InvalidInputError, match=f"`{field}` must be a list of one or more positive numbers; got "):
        LearnedTree(**{field: bad})


def test_two_labels_leave_nothing_to_learn(rng):
    assert isinstance(LearnedTree().fit(table(rng, n_labels=2)), DirichletPosterior)


def test_the_usual_models(rng):
    two, many = table(rng, n_labels=2), table(rng)
    assert rw.compare(two, metric="accuracy", draws=100, rng=0).recipe.model == Tree()
    assert rw.compare(many, draws=100, rng=0).recipe.model == LearnedTree()
    assert rw.compare(many, draws=100, rng=0, model="tree").recipe.model == Tree()
    assert rw.evaluate(many, "a", draws=100, rng=0).metrics[0].recipe.model == LearnedTree(paired=False)


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_a_classifier_has_one_interval_alone_and_beside_another(rng):
    for o in (table(rng, n_labels=2, n=80), table(rng, n=120), table(rng, n=300, n_labels=12)):
        metric = "accuracy" if o.n_labels == 2 else "macro_f1"
        r, e = (
            rw.compare(o, metric=metric, draws=20_000, rng=0),
            rw.evaluate(o, "a", metric=metric, draws=20_000, rng=1),
        )
        beside, alone = r.estimate_a, e.metrics[0].estimate
        assert alone.mean == pytest.approx(beside.mean, abs=0.25 * beside.std)
        assert alone.std == pytest.approx(beside.std, rel=0.1)


def test_a_difference_in_the_tail_is_not_halved(rng):
    n_labels, shares = 50, 1 / np.arange(1, 51)
    y = rng.choice(n_labels, 500, p=shares / shares.sum())
    head = y < 8
    a, b = (
        np.where(rng.random(500) < np.where(head, 0.85, tail), y, rng.integers(0, n_labels, 500))
        for tail in (0.85, 0.3)
    )
    o = rw.Outcomes.from_arrays(y, a, b, labels=list(range(n_labels)))
    learned, fixed = (
        draw_psi([model.fit(o)], F1, stop=2_000, seed=0).mean(axis=1) for model in (LearnedTree(), Tree())
    )
    assert learned[0] - learned[1] > 1.1 * (fixed[0] - fixed[1])


def test_no_items_give_the_prior_and_empty_classes_work(rng):
    psi = draw_psi([LearnedTree().fit(rw.Outcomes.empty(range(5), ["a", "b"]))], F1, stop=5_000, seed=0)
    assert np.isfinite(psi).all()
    assert (psi[0] - psi[1]).mean() == pytest.approx(0, abs=4.5 * (psi[0] - psi[1]).std() / np.sqrt(5_000))


def test_it_is_read_again_from_json(rng):
    from ropewalk.models import model_dict, read_model

    model = LearnedTree(kappas=(0.2, 0.5, 1.0), paired=False, name="unpaired")
    assert read_model(model_dict(model)) == model
