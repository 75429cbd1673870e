"""Flips: shares that fit the answer draw by draw, known posteriors, what counts as a flip, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from hostile import NAMES

N = 120
RNG = np.random.default_rng(3)
Y, A, B = RNG.integers(0, 3, N), RNG.integers(0, 3, N), RNG.integers(0, 3, N)
RIGHT_A, RIGHT_B = A == Y, B == Y
GROUPS = np.arange(N) // 4
WEIGHTS = RNG.random(N) + 0.5


def by_hand(y, a, b):
    right_a, right_b = a == y, b == y
    differ = ~right_a & ~right_b & (a != b)
    return [int(kind.sum()) for kind in (right_a & ~right_b, ~right_a & right_b, differ, a != b)]


def counts(flips):
    return [
        None if flip is None else flip.count for flip in (flips.gained, flips.lost, flips.both_wrong, flips.churned)
    ]


LABELS = [
    {},
    {"model": "tree"},
    {"model": "bootstrap"},
    {"cluster": GROUPS},
    {"sample_weight": WEIGHTS},
    {"prevalence": [0.2, 0.3, 0.5]},
    {"pos_label": 1},
    {"labels": [0, 1, 2, 3]},
]


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("options", LABELS, ids=lambda o: next(iter(o), "plain"))
def test_gained_less_lost_is_the_difference_of_accuracies_in_every_draw(options):
    r = rw.compare(Y, A, B, metric="accuracy", flips=True, draws=400, rng=1, **options)
    gained, lost, both_wrong = r.flips.draws.psi
    np.testing.assert_allclose(gained - lost, r.draws.delta(), rtol=0, atol=1e-12)
    assert (both_wrong >= 0).all()
    assert (gained + lost + both_wrong <= 1 + 1e-12).all()
    share = r.flips.churned.share
    assert share.mean == pytest.approx((gained + lost + both_wrong).mean())
    assert share.observed == pytest.approx(sum(flip.share.observed for flip in list(r.flips.rows.values())[:3]))
    sides = (Y == 1, A == 1, B == 1) if "pos_label" in options else (Y, A, B)
    assert counts(r.flips) == by_hand(*sides)


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("options", [{}, {"cluster": GROUPS}, {"sample_weight": WEIGHTS}, {"model": "bootstrap"}])
def test_so_it_is_of_scores_that_are_right_or_wrong(options):
    right = RIGHT_A.astype(float), RIGHT_B.astype(float)
    r = rw.compare(*right, metric="mean", flips=True, draws=400, rng=1, **options)
    gained, lost = r.flips.draws.psi
    np.testing.assert_allclose(gained - lost, r.draws.delta(), rtol=0, atol=1e-12)
    only_a, only_b, *_ = by_hand(Y, A, B)
    assert counts(r.flips) == [only_a, only_b, None, only_a + only_b]
    assert r.flips.of == "answers"
    assert r.flips.to_dict()["both_wrong"] is None


@pytest.mark.parametrize("options", [{}, {"cluster": np.arange(24_000) // 6}, {"higher_is_better": False}])
def test_so_it_is_of_scores_so_many_that_their_weights_are_not_drawn(options):
    rng = np.random.default_rng(4)
    a, b = (rng.random((2, 24_000)) < 0.7).astype(float)
    r = rw.compare(a, b, metric="mean", flips=True, draws=2_000, rng=1, **options)
    gained, lost = r.flips.draws.psi
    sign = 1 if r.higher_is_better else -1
    np.testing.assert_allclose(gained - lost, sign * r.draws.delta(), rtol=0, atol=1e-12)
    if "cluster" not in options:  # by weights ~ Dir(1, …, 1), but for two items that are imagined
        k = r.flips.gained.count
        assert r.flips.gained.share.std == pytest.approx(stats.beta(k, 24_000 - k).std(), rel=5 / (2 * 2_000) ** 0.5)


def test_shares_of_the_plain_bootstrap_are_beta():
    """With weights ~ Dir(1, …, 1) a part of k of the n items has a share ~ Beta(k, n − k)."""
    n_draws = 20_000
    r = rw.compare(Y, A, B, metric="accuracy", model="bootstrap", flips=True, draws=n_draws, rng=2)
    for flip, k in zip(r.flips.rows.values(), by_hand(Y, A, B), strict=True):
        truth = stats.beta(k, N - k)
        assert abs(flip.share.mean - truth.mean()) < 5 * truth.std() / n_draws**0.5
        assert abs(flip.share.std / truth.std() - 1) < 5 / (2 * n_draws) ** 0.5
        assert truth.cdf(flip.share.hdi.high) - truth.cdf(flip.share.hdi.low) == pytest.approx(0.95, abs=0.01)


def test_the_papers_prior_has_its_closed_mean():
    """Of two labels: mu (gained + 1) / (positives + 4) and likewise of the negatives."""
    y, a, b = Y > 0, A > 0, B > 0
    n_draws = 20_000
    r = rw.compare(y, a, b, metric="accuracy", model="sigir2016", flips=True, draws=n_draws, rng=2)
    mu = (y.sum() + 1) / (N + 2)
    gained = [((y == side) & (a == side) & (b != side)).sum() for side in (True, False)]
    mean = mu * (gained[0] + 1) / (y.sum() + 4) + (1 - mu) * (gained[1] + 1) / ((~y).sum() + 4)
    assert abs(r.flips.gained.share.mean - mean) < 5 * r.flips.gained.share.std / n_draws**0.5


def test_other_scores_flip_where_one_is_better():
    a, b = [0.5, 0.25, 1.0, 0.0, 0.3], [0.5, 0.5, 0.0, 0.0, 0.2]
    grades = rw.compare(a, b, metric="mean", flips=True, draws=50, rng=0)
    assert (grades.flips.of, counts(grades.flips)) == ("scores", [2, 1, None, 3])
    losses = rw.compare(a, b, metric="mean", higher_is_better=False, flips=True, draws=50, rng=0)
    assert counts(losses.flips) == [1, 2, None, 3]


def test_swapping_the_systems_swaps_gained_and_lost():
    one, two = (
        rw.compare(Y, *pair, metric="accuracy", model="bootstrap", flips=True, draws=4_000, rng=0)
        for pair in ((A, B), (B, A))
    )
    assert counts(one.flips) == [counts(two.flips)[i] for i in (1, 0, 2, 3)]
    error = one.flips.gained.share.std * (2 / 4_000) ** 0.5
    assert abs(one.flips.gained.share.mean - two.flips.lost.share.mean) < 5 * error


def test_the_items_are_those_that_flipped():
    r = rw.compare(Y, A, B, metric="accuracy", model="bootstrap", flips=True, draws=50, rng=0)
    listed = r.items().counts
    assert counts(r.flips)[:3] == [listed["gained"], listed["lost"], listed["both wrong"]]


def test_the_answer_is_what_it_is_without_them():
    one, two = (rw.compare(Y, A, B, model="bootstrap", flips=flips, draws=200, rng=0) for flips in (None, True))
    assert one.flips is None
    assert "flips" not in one.to_dict()
    rest = two.to_dict()
    assert json.loads(json.dumps(rest.pop("flips")))["gained"]["count"] == two.flips.gained.count
    assert rest == one.to_dict()


def test_no_items_give_the_prior():
    with pytest.warns(rw.errors.DegenerateDataWarning):
        r = rw.compare([], [], [], labels=[0, 1], metric="accuracy", flips=True, draws=4_000, rng=0)
    assert counts(r.flips) == [0, 0, 0, 0]
    assert r.flips.gained.share.observed is None
    assert r.flips.gained.share.mean == pytest.approx(0.25, abs=5 * r.flips.gained.share.std / 4_000**0.5)
    assert "–" in r.to_markdown()


REFUSED = [
    ({"model": "unpaired"}, "not paired"),
    ({"model": "icdm2015"}, "not paired"),
    ({"flips": 1}, "True or False"),
]


@pytest.mark.parametrize(("options", "reason"), REFUSED)
def test_what_has_no_flips_is_refused(options, reason):
    with pytest.raises(rw.errors.InvalidInputError, match=reason):
        rw.compare(Y, A, B, **{"flips": True, "draws": 50, "rng": 0, **options})


def test_areas_and_many_labels_have_none():
    scores = RNG.random((2, N))
    with pytest.raises(rw.errors.InvalidInputError, match="roc_auc is about all scores together"):
        rw.compare(Y > 0, *scores, metric="roc_auc", flips=True, draws=50, rng=0)
    many = RNG.integers(0, 2, (3, N, 4))
    with pytest.raises(rw.errors.InvalidInputError, match="any number of labels"):
        rw.compare(*many, metric="micro_f1", flips=True, draws=50, rng=0)


# -- evaluation logs ---------------------------------------------------------------------------------------


def log(folder, rows):
    path = folder / "answers.csv"
    path.write_text("task,item,repeat,system,score\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return rw.read_log(path)


def test_every_answer_on_logs_has_them(tmp_path):
    rows = [("t", i, 1, name, int(right[i])) for name, right in (("new", RIGHT_A), ("old", RIGHT_B)) for i in range(N)]
    one = log(tmp_path, rows)
    only_a, only_b, *_ = by_hand(Y, A, B)
    r = rw.compare(one, a="new", b="old", draws=50, rng=0)
    assert counts(r.flips) == [only_a, only_b, None, only_a + only_b]
    assert rw.compare(one, a="new", b="old", draws=50, rng=0, flips=False).flips is None
    assert rw.compare(one, a="new", b="old", draws=50, rng=0, model="bootstrap").flips is not None


def test_repeats_are_answers_of_their_own_in_clusters(tmp_path):
    """Item 1 is right by A only in repeat 1 and by B only in repeat 2: one gained and one lost, and no difference."""
    scores = {("1", 1): (1, 0), ("1", 2): (0, 1), ("2", 1): (1, 1), ("2", 2): (1, 0)}
    rows = [("t", item, k, name, pair[s]) for s, name in enumerate("ab") for (item, k), pair in scores.items()]
    with pytest.warns(rw.errors.RopewalkWarning):
        r = rw.compare(log(tmp_path, rows), a="a", b="b", draws=200, rng=0)
    assert (r.recipe.n_items, r.recipe.n_clusters) == (4, 2)
    assert counts(r.flips) == [2, 1, None, 3]
    gained, lost = r.flips.draws.psi
    np.testing.assert_allclose(gained - lost, r.draws.delta(), rtol=0, atol=1e-12)


def test_each_task_has_its_own(tmp_path):
    rows = [(f"t{i % 2}", i, 1, name, (i // k) % 2) for name, k in (("new", 2), ("old", 4)) for i in range(16)]
    both = rw.compare_tasks(log(tmp_path, rows), a="new", b="old", draws=50, rng=0)
    assert [counts(c.flips) for c in both] == [[2, 2, None, 4]] * 2
    assert "8 of 16 answers churned: 4 gained, 4 lost" in " ".join(str(both).split())
    assert "| t0 | 2 |" in both.to_markdown()
    assert all(c.flips is None for c in rw.compare_tasks(log(tmp_path, rows), flips=False, draws=50, rng=0))


# -- surfaces ----------------------------------------------------------------------------------------------


def test_text_markdown_and_page_have_them_and_names_cannot_act():
    r = rw.compare(
        Y, A, B, names=[NAMES["image"], "old"], metric="accuracy", model="bootstrap", flips=True, draws=1_000, rng=0
    )
    gained, lost, both, churned = by_hand(Y, A, B)
    text = " ".join(str(r).split())
    assert f"{gained} of {N} answers gained" in text
    assert f"{lost} lost" in text
    assert f"{churned} churned in all" in text
    markdown, page = r.to_markdown(), r.to_html()
    assert f"| both wrong, differently | {both} |" in markdown
    for surface in (markdown, page):
        assert NAMES["image"] not in surface
    assert "Gained less lost is the difference in accuracy" in page


def test_text_and_tables_show_the_same_measured_shares():
    r = rw.compare(Y, A, B, metric="accuracy", flips=True, draws=200, rng=0)
    shares = {kind: 100 * count / N for kind, count in zip(r.flips.rows, by_hand(Y, A, B), strict=True)}
    rows = [line.split(" | ") for line in r.to_markdown().splitlines() if line.startswith(("| gained", "| lost"))]
    text = " ".join(str(r).split())
    for row, kind in zip(rows, ("gained", "lost"), strict=True):
        assert float(row[2]) == pytest.approx(shares[kind], abs=0.5)
        assert f"{row[2]}% [" in text
    assert "measured shares and 95% intervals" in text


def test_two_labels_have_no_row_of_two_wrong_ones():
    r = rw.compare(Y > 0, A > 0, B > 0, pos_label=True, metric="accuracy", flips=True, draws=50, rng=0)
    assert r.flips.both_wrong.count == 0
    assert "both wrong, differently" not in r.to_markdown()


def test_the_command_has_them_where_they_are_asked_for(run, tmp_path, write):
    file = write(tmp_path / "p.csv", [("y", "a", "b"), *zip(Y.tolist(), A.tolist(), B.tolist(), strict=True)])
    line = (
        "compare",
        file,
        "--truth",
        "y",
        "--a",
        "a",
        "--b",
        "b",
        "--metric",
        "accuracy",
        "--draws",
        50,
        "--model",
        "bootstrap",
    )
    assert "flips" not in json.loads(run(*line, "--json")[1])
    found = json.loads(run(*line, "--json", "--flips")[1])["flips"]
    assert [found[kind]["count"] for kind in ("gained", "lost", "both_wrong", "churned")] == by_hand(Y, A, B)
    code, out, err = run(*line, "--flips", "--per-class")
    assert (code, out) == (2, "")
    assert "--flips is about one question" in err


@pytest.mark.parametrize("model", [None, "bootstrap"])
def test_flips_of_many_scores_agree_with_those_by_exact_draws(model):
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 3_000)) < [[0.8], [0.7]]
    how = {"metric": "mean", "flips": True, "draws": 2_000, "model": model}
    fast, slow = (rw.compare(a.astype(float), b.astype(float), exact=exact, rng=1, **how) for exact in (False, True))
    for kind in ("gained", "lost", "churned"):
        x, y = getattr(fast.flips, kind).share, getattr(slow.flips, kind).share
        assert x.observed == pytest.approx(y.observed)
        error = (x.std**2 + y.std**2) ** 0.5 / 2_000**0.5
        assert x.mean == pytest.approx(y.mean, abs=4 * error)
        assert x.std == pytest.approx(y.std, rel=4 / 1_000**0.5)
