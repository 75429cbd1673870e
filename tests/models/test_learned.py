"""The tree with a learned centre: its grid against brute force, its limits, and what it is for."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln

import ropewalk as rw
from ropewalk.errors import InvalidInputError
from ropewalk.metrics import parse_metric
from ropewalk.models import LearnedTree, Tree, draw_psi
from ropewalk.models.binary import DirichletPosterior
from ropewalk.models.learned import LearnedPosterior, centre_of

F1 = parse_metric("macro_f1")


def table(rng, n=60, n_labels=4, names=("a", "b")):
    y = rng.integers(0, n_labels, n)
    said = [np.where(rng.random(n) < 0.7, y, rng.integers(0, n_labels, n)) for _ in names]
    return rw.Outcomes.from_arrays(y, *said, labels=list(range(n_labels)), names=list(names))


def test_the_grid_has_the_evidence_of_dirichlet_multinomials(rng):
    o = table(rng)
    posterior = LearnedTree().fit(o)
    assert isinstance(posterior, LearnedPosterior)
    shapes = posterior._shapes(np.array([[-1.0, 0.0, 2.0], [0.5, 1.0, 3.0]]))
    assert shapes.shape == (27, 5)
    assert shapes.sum(axis=1) == pytest.approx(np.repeat([0.1, 0.3, 1.0], 9))
    counts = posterior.tree.type_counts.reshape(4, 5)
    for shape, ours in zip(shapes, posterior._evidence(shapes), strict=True):
        mass = shape.sum()
        expected = sum(
            gammaln(mass) - gammaln(mass + row.sum()) + (gammaln(row + shape) - gammaln(shape)).sum() for row in counts
        )
        assert ours == pytest.approx(expected, abs=1e-9)


def test_the_grid_finds_a_recall_that_many_classes_share(rng):
    """With 300 classes the typical recall is known to a hundredth, closer than any point that is tried at first."""
    y = np.repeat(np.arange(300), 40)
    a = np.where(rng.random(y.size) < 0.6, y, rng.integers(0, 300, y.size))
    posterior = LearnedTree(paired=False).fit(rw.Outcomes.from_arrays(y, a, labels=list(range(300))))
    shapes, shares = posterior._points
    recalls = shapes[:, 0] / shapes.sum(axis=1)
    mean = (recalls * shares).sum()
    assert mean == pytest.approx(0.6, abs=0.06)  # of Beta(κm, κ(1 − m)) with κ = 1 300 recalls tell so much
    assert (shares > 0.01).sum() >= 4
    o = rw.Outcomes.from_arrays(y[::40].repeat(3), a.reshape(300, 40)[:, :3].reshape(-1), labels=list(range(300)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = rw.evaluate(o, metric="accuracy", rng=0, draws=2_000).metrics[0].estimate
    assert abs(e.pull) < 1


def test_the_centre_of_one_half_is_that_of_the_tree():
    patterns = Tree().fit_types(rw.Outcomes.empty(range(3), ["a", "b"])).patterns[:5]
    assert centre_of((0.5, 0.5), patterns) == pytest.approx([0.25, 0.25, 0.25, 0.125, 0.125])
    for recalls in product((0.01, 0.3, 0.9), repeat=2):
        assert centre_of(recalls, patterns).sum() == pytest.approx(1)


def test_given_one_point_of_the_grid_it_is_the_tree(rng, monkeypatch):
    monkeypatch.setattr("ropewalk.models.learned.MAX_LOGIT", 0.0)
    o = table(rng)
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


def test_where_there_is_nothing_to_learn_it_is_the_tree(rng):
    assert isinstance(LearnedTree().fit(table(rng, n_labels=2)), DirichletPosterior)
    three = LearnedTree().fit(table(rng, names=("a", "b", "c")))
    assert not isinstance(three, LearnedPosterior)


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
