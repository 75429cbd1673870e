"""Slices of the items: the right ones, answered as by themselves, pooled, and named."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ropewalk as rw
from ropewalk.data.items import slices_of
from ropewalk.errors import DataError, InvalidInputError

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

RNG = np.random.default_rng(3)
N = 400
WHERE = RNG.choice(["de", "en", "fr", "it"], size=N, p=[0.1, 0.3, 0.3, 0.3])
TRUTH = RNG.integers(2, size=N)
# A and B err on one item in ten each, on separate ones; and A on most items of "de".
A, B = (
    np.where(wrong, 1 - TRUTH, TRUTH)
    for wrong in (np.where(WHERE == "de", np.arange(N) % 5 > 0, np.arange(N) % 10 == 0), np.arange(N) % 10 == 5)
)
FEW = {"metric": "accuracy", "draws": 500, "rng": 0}


@pytest.fixture(scope="module")
def r():
    return rw.compare(TRUTH, A, B, by=WHERE, names=["new", "old"], **FEW)


def test_the_whole_stays_what_it_is(r):
    plain = rw.compare(TRUTH, A, B, names=["new", "old"], **FEW)
    whole = {key: value for key, value in r.to_dict().items() if key != "by"}
    assert whole == plain.to_dict()
    assert plain.by is None


def test_every_slice_has_its_items(r):
    assert [s.value for s in r.by] == ["de", "en", "fr", "it"]
    for s in r.by:
        here = s.value == WHERE
        assert (
            s.comparison.recipe.tables[0]
            == rw.Outcomes.from_arrays(TRUTH[here], A[here], B[here], names=["new", "old"]).collapse(1)
            or s.comparison.recipe.n_items == here.sum()
        )
        observed = (A == TRUTH)[here].mean() - (B == TRUTH)[here].mean()
        assert s.comparison.delta.observed == pytest.approx(observed)
        assert {item.key for item in s.comparison.items()} == set(np.flatnonzero(here & (A != B)).tolist())


def test_the_worse_slice_is_named(r):
    assert r.by.worse == ("de",)
    assert r.by.better == ()
    assert r.by.by_difference[0].value == "de"
    assert "de" in r.by
    assert "xx" not in r.by
    assert r.by["de"].mean < -0.3
    with pytest.raises(KeyError, match="there are: 'de', 'en'"):
        r.by["xx"]
    swapped = rw.compare(TRUTH, B, A, by=WHERE, **FEW)
    assert swapped.by.better == ("de",)
    error = rw.compare(TRUTH, A, B, by=WHERE, **FEW | {"metric": "error"})
    assert error.by.worse == ("de",)


def test_a_margin_judges():
    r = rw.compare(TRUTH, A, B, by=WHERE, rope=0.1, **FEW | {"draws": 4_000})
    assert r.by.worse == ("de",)
    assert r.by["de"].decision.symbol == "≪"
    wide = rw.compare(TRUTH, A, B, by=WHERE, rope=0.9, **FEW)
    assert wide.by.worse == ()


def test_pooled_slices_lie_closer_together_than_alone():
    """Of four slices with one far off the others learn next to nothing: as wide as alone, within what draws tell."""
    draws, close = 4_000, ["en", "fr", "it"]
    pooled, alone = (rw.compare(TRUTH, A, B, by=WHERE, pool=pool, **FEW | {"draws": draws}) for pool in (True, False))
    spread = [np.std([answer.by[value].mean for value in close]) for answer in (pooled, alone)]
    assert spread[0] < spread[1]
    assert not alone.by.pooled
    assert pooled.by.pooled
    wider = np.mean([np.log(pooled.by[value].std / alone.by[value].std) for value in close])
    assert wider < 4 * np.sqrt(1 / draws / len(close))  # a log s.d. has the variance 1/(2n), and there are two


def test_slices_that_are_alike_are_known_better_together():
    apart = WHERE == "de"
    alike = [column[~apart] for column in (TRUTH, A, B)]
    where = np.random.default_rng(0).permutation(len(alike[0])) % 8
    pooled, alone = (rw.compare(*alike, by=where, pool=pool, **FEW) for pool in (True, False))
    assert np.mean([pooled.by[value].std / alone.by[value].std for value in range(8)]) < 0.75


def test_alone_a_slice_is_its_own_comparison():
    alone = rw.compare(TRUTH, A, B, by=WHERE, pool=False, **FEW)
    here = WHERE == "en"
    own = rw.compare(TRUTH[here], A[here], B[here], **FEW | {"rng": alone.by["en"].recipe.seed})
    assert np.array_equal(own.draws.psi, alone.by["en"].draws.psi)


def test_slices_are_independent():
    """Slices that are not the same have draws of their own: a correlation of 0, within four standard errors."""
    twice = [np.append(np.tile(column, 2), column[0]) for column in (TRUTH, A, B)]
    r = rw.compare(*twice, by=np.append(np.repeat([0, 1], N), 1), **FEW | {"draws": 4_000})
    draws = [r.by[value].draws.delta() for value in (0, 1)]
    assert abs(np.corrcoef(draws)[0, 1]) < 4 / np.sqrt(4_000)


@pytest.fixture(scope="module")
def small():
    """Thirty slices of four items: A is right on all of them but one in six slices, B on none to two."""
    where = np.repeat(np.arange(30), 4)
    a, b = (np.arange(4) >= np.tile(wrong, 5)[:, np.newaxis] for wrong in ([0, 0, 0, 0, 0, 2], [4, 2, 3, 2, 2, 2]))
    asked = {"metric": "mean", "by": where, "rope": 0.01, "draws": 2_000}
    return [rw.compare(a.ravel().astype(int), b.ravel().astype(int), rng=seed, **asked) for seed in range(2)]


def test_many_small_slices_are_where_all_items_are(small):
    """Their priors pull the same way: pooled with that pull, all thirty lay between half and three quarters of it."""
    for r in small:
        means = np.array([s.comparison.mean for s in r.by])
        assert abs(means.mean() - r.delta.observed) < r.std
        assert means.max() > r.delta.observed
        assert all(np.abs(d).max() <= 1 + 1e-9 for d in (s.comparison.draws.delta() for s in r.by))


def test_slices_of_the_same_items_have_the_same_answer(small):
    for r in small:
        rows = [{key: x for key, x in row.items() if key not in ("slice", "recipe")} for row in r.by.to_list()]
        assert rows[:6] * 5 == rows
        assert len({str(row) for row in rows}) == len({r.by[value].recipe.data_hash for value in range(6)}) > 2


def test_only_stable_verdicts_are_named(small):
    for r in small:
        stable = [s.value for s in r.by if s.comparison.decision is not None and s.comparison.decision.stable]
        assert {*r.by.better, *r.by.worse} <= set(stable)
    few = rw.compare(TRUTH, A, B, by=WHERE, rope=0.1, **FEW)
    assert few.by["de"].decision.symbol == "≪"
    assert not few.by["de"].decision.stable
    assert few.by.worse == ()
    assert "B better?" in str(few.by)


def test_what_a_model_moves_on_purpose_stays_moved():
    """Labels with errors: slices are about the true ones, not about the annotated ones that were measured."""
    model = rw.models.NoisyLabels(error=(30, 200))
    r = rw.compare(TRUTH, A, B, by=WHERE, **FEW | {"model": model, "draws": 300})
    alone = rw.compare(TRUTH, A, B, by=WHERE, pool=False, **FEW | {"model": model, "draws": 300})
    assert r.by["de"].mean == pytest.approx(alone.by["de"].mean, abs=2 * alone.by["de"].std)
    assert r.by["de"].std < 1.2 * alone.by["de"].std


def test_progress_is_told_slice_by_slice():
    told = []
    rw.compare(TRUTH, A, B, by=WHERE, progress=lambda *done: told.append(done), **FEW | {"draws": 100})
    assert told[-4:] == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_slice_without_a_verdict_is_hollow_on_a_page(small):
    r = small[0]
    none = next(s for s in r.by if s.comparison.decision is None)
    page = r.to_html()
    row = page[page.index(f'class="nm">{none.name}<') :]
    assert 'class="tr vu"' in row[: row.index("</svg>")]
    assert "no verdict" in row[: row.index("</div>")]


def test_order_and_threads_change_nothing(r):
    order = np.random.default_rng(0).permutation(N)
    permuted = rw.compare(TRUTH[order], A[order], B[order], by=WHERE[order], names=["new", "old"], threads=2, **FEW)
    assert permuted.by.to_list() == r.by.to_list()


@pytest.mark.parametrize("read", [str, pd.read_csv, pl.scan_csv])
def test_a_column_names_slices(tmp_path, r, read):
    path = tmp_path / "p.csv"
    pd.DataFrame({"y": TRUTH, "new": A, "old": B, "lang": WHERE}).to_csv(path, index=False)
    read_in = rw.compare(read(str(path)), truth="y", a="new", b="old", by="lang", **FEW)
    assert read_in.by.column == "lang"
    assert [s.comparison.mean for s in read_in.by] == [s.comparison.mean for s in r.by]
    table = rw.read_outcomes(read(str(path)), truth="y", predictions=["old", "new"])
    assert rw.compare(table, a="new", b="old", by="lang", **FEW).by.worse == ("de",)


def test_two_files_take_the_column_of_the_first(tmp_path):
    for name, column in (("a", A), ("b", B)):
        frame = pd.DataFrame({"id": range(N), "y": TRUTH, "p": column, "lang": WHERE})
        frame.drop(columns=[] if name == "a" else ["lang"]).to_csv(tmp_path / f"{name}.csv", index=False)
    table = rw.join_outcomes(tmp_path / "a.csv", tmp_path / "b.csv", id="id", truth="y", prediction="p")
    assert rw.compare(table, by="lang", **FEW).by.worse == ("de",)


def test_clusters_go_with_their_items():
    cluster = np.arange(N) // 4
    r = rw.compare(TRUTH, A, B, by=WHERE, cluster=cluster, **FEW)
    assert [s.comparison.recipe.n_clusters for s in r.by] == [len(set(cluster[s.value == WHERE])) for s in r.by]
    assert r.by.worse == ("de",)


def test_scores_have_slices_and_those_without_an_answer_are_left_out():
    score_a, score_b = RNG.random(N) + TRUTH, RNG.random(N) + 0.5 * TRUTH
    where = np.where((WHERE == "it") & (TRUTH == 1), "fr", WHERE)  # "it" has no positive item left
    r = rw.compare(TRUTH, score_a, score_b, by=where, **FEW | {"metric": "roc_auc"})
    assert [s.value for s in r.by] == ["de", "en", "fr"]
    assert [value for value, _ in r.by.left_out] == ["it"]
    assert "it" in str(r)
    here = where == "en"
    assert r.by["en"].delta.observed == pytest.approx(
        rw.metrics.score(TRUTH[here], score_a[here]) - rw.metrics.score(TRUTH[here], score_b[here])
    )
    assert {item.key for item in r.by["en"].items()} <= set(np.flatnonzero(here).tolist())
    mean = rw.compare(score_a, score_b, by=where, **FEW | {"metric": "mean"})
    assert mean.by["it"].delta.observed == pytest.approx((score_a - score_b)[where == "it"].mean())


def test_an_average_is_over_the_classes_of_the_slice():
    truth = np.where(WHERE == "de", 0, RNG.integers(3, size=N))
    a = np.where(RNG.random(N) < 0.8, truth, RNG.integers(3, size=N))
    r = rw.compare(truth, a, truth, by=WHERE, **FEW | {"metric": "macro_recall"})
    assert r.by["de"].recipe.metric.classes == (0,)
    assert r.by["de"].delta.observed == pytest.approx((a == truth)[WHERE == "de"].mean() - 1)
    assert r.by["en"].recipe.picked is None


def test_items_without_a_value_are_a_slice_of_their_own():
    where = [None if value == "de" else value for value in WHERE]
    r = rw.compare(TRUTH, A, B, by=where, **FEW)
    assert [s.value for s in r.by] == ["en", "fr", "it", None]
    assert r.by.worse == (None,)
    assert "(no value)" in str(r)
    assert r.to_dict()["by"][-1]["slice"] is None


def test_numbers_and_dates_are_slices():
    days = np.where(WHERE == "de", np.datetime64("2024-01-02"), np.datetime64("2024-01-01"))
    assert rw.compare(TRUTH, A, B, by=pd.Series(days), **FEW).by.worse == ("2024-01-02T00:00:00",)
    numbers = np.where(WHERE == "de", 10, 9)
    assert [s.value for s in rw.compare(TRUTH, A, B, by=numbers, **FEW).by] == [9, 10]
    halves = np.where(WHERE == "de", 0.5, 1.5)
    assert rw.compare(TRUTH, A, B, by=halves, **FEW).by[0.5].mean < 0


@pytest.mark.parametrize("read", ["arrays", "frame", "file"])
@pytest.mark.parametrize("clustered", [False, True])
def test_slices_have_the_weights_of_their_items(tmp_path, read, clustered):
    m = pytest.importorskip("sklearn.metrics")
    weight, cluster = np.where(np.arange(N) < 40, 0.0, 0.5 + np.arange(N) % 7), np.arange(N) // 4
    columns = {"y": TRUTH, "new": A, "old": B, "lang": WHERE, "w": weight, "c": cluster}
    frame = pd.DataFrame(columns)
    if read == "arrays":
        beside = {"cluster": cluster} if clustered else {}
        r = rw.compare(TRUTH, A, B, by=WHERE, sample_weight=weight, names=["new", "old"], **beside, **FEW)
    else:
        frame.to_csv(tmp_path / "w.csv", index=False)
        beside = {"cluster": "c"} if clustered else {}
        source = frame if read == "frame" else tmp_path / "w.csv"
        r = rw.compare(source, truth="y", a="new", b="old", by="lang", sample_weight="w", **beside, **FEW)
    for s in r.by:
        here = s.value == WHERE
        wanted = m.accuracy_score(TRUTH[here], A[here], sample_weight=weight[here])
        assert s.comparison.estimate_a.observed == pytest.approx(wanted)
        assert s.comparison.recipe.n_items == (here & (weight > 0)).sum()
        assert len(s.comparison.items()) == (here & (weight > 0) & (A != B)).sum()


def test_equal_weights_leave_slices_as_they_are(r):
    weighted = rw.compare(TRUTH, A, B, by=WHERE, sample_weight=np.full(N, 2.0), names=["new", "old"], **FEW)
    told, wanted = weighted.by.to_dict(), r.by.to_dict()
    for each in told["by"]:  # the weight that all share is kept, and nothing else differs
        tables = each["recipe"]["tables"]
        assert all('"common_weight":2.0' in table for table in tables)
        each["recipe"]["tables"] = [table.replace(',"common_weight":2.0', "") for table in tables]
    assert told == wanted


def test_a_slice_of_which_nothing_is_left_is_told():
    a = [None if where == "de" else int(label) for where, label in zip(WHERE, A, strict=True)]
    r = rw.compare(TRUTH, a, B, by=WHERE, missing="drop", **FEW)
    assert [s.value for s in r.by] == ["en", "fr", "it"]
    assert [value for value, _ in r.by.left_out] == ["de"]
    assert "Left out: de" in str(r.by)


@pytest.mark.parametrize("kind", ["interval", "period"])
def test_the_bins_of_pandas_are_slices(kind):
    lengths = pd.Series(np.arange(N))
    bins = pd.cut(lengths, 4) if kind == "interval" else pd.Series(pd.period_range("2026-01", periods=N, freq="D"))
    bins = bins if kind == "interval" else bins.dt.asfreq("Y")
    frame = pd.DataFrame({"y": TRUTH, "new": A, "old": B, "bin": bins})
    by_array = rw.compare(TRUTH, A, B, by=bins, **FEW).by
    assert [s.value for s in by_array] == sorted(map(str, bins.unique()))
    by_name = rw.compare(frame, truth="y", a="new", b="old", by="bin", **FEW).by
    assert [s.comparison.recipe.n_items for s in by_name] == [(bins.map(str) == s.value).sum() for s in by_array]


def test_ratios_without_a_bound_are_not_pooled():
    assert not rw.compare(TRUTH, A, B, metric="lr_plus", by=WHERE, draws=500, rng=0).by.pooled
    with pytest.raises(InvalidInputError, match="slices cannot be pooled"):
        rw.compare(TRUTH, A, B, metric="lr_plus", by=WHERE, pool=True, draws=500, rng=0)


def test_slices_have_a_picture(r):
    pytest.importorskip("matplotlib")
    ax = r.by.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == [s.name for s in r.by.by_difference]
    dots = next(c for c in ax.collections if c.get_label() == "mean").get_offsets()
    assert dots[:, 0].tolist() == pytest.approx([s.comparison.mean for s in r.by.by_difference])


def test_one_slice_is_the_whole():
    r = rw.compare(TRUTH, A, B, by=["all"] * N, **FEW)
    assert [s.comparison.recipe.n_items for s in r.by] == [N]
    assert not r.by.pooled


def test_dropped_items_leave_their_slice():
    a = [None if value == "it" else int(x) for value, x in zip(WHERE, A, strict=True)]
    r = rw.compare(TRUTH, a, B, by=WHERE, missing="drop", **FEW)
    assert [s.value for s in r.by] == ["de", "en", "fr"]


@pytest.mark.parametrize(
    ("by", "match"),
    [
        (np.arange(N), "more than 200 different values"),
        (np.arange(N) % 199 * (np.arange(N) < 250) + (np.arange(N) >= 250) * 199, None),
        (WHERE[:-1], "399 values for 400 items"),
        ("lang", "must be an array"),
        (["a", 1] * (N // 2), "mixes values"),
        (np.array([1, True] * (N // 2), dtype=object), "mixes values"),
        ([object()] * N, "must hold texts"),
    ],
)
def test_what_is_no_slice_is_refused(by, match):
    if match is None:
        assert len(slices_of(rw.Outcomes.from_arrays(TRUTH, A, B), by)) == 200
        return
    with pytest.raises(InvalidInputError, match=match):
        rw.compare(TRUTH, A, B, by=by, **FEW)


def test_few_items_with_a_value_each_look_like_ids():
    with pytest.raises(InvalidInputError, match="looks like an id"):
        rw.compare([1, 0, 1, 0], [1, 0, 1, 1], [1, 0, 0, 0], by=["a", "b", "c", "d"], **FEW)


def test_data_without_items_have_no_slices():
    table = rw.Outcomes.from_counts([[[40, 4], [2, 3]], [[4, 3], [6, 30]]])
    with pytest.raises(DataError, match="divided into slices"):
        rw.compare(table, by=["a"] * 92, **FEW)
    one, other = (rw.Outcomes.from_arrays(TRUTH, column) for column in (A, B))
    with pytest.raises(InvalidInputError, match="Separate test sets"):
        rw.compare(one, other, by=WHERE, **FEW)
    with pytest.raises(InvalidInputError, match="`pool` is about slices"):
        rw.compare(TRUTH, A, B, pool=True, **FEW)
    with pytest.raises(InvalidInputError, match="by"):
        rw.compare_classes(TRUTH, A, B, by=WHERE, **FEW)


HOSTILE = ["<script>alert(1)</script>", "a|b", "\\input{x}", "\x1b[31mred", "=1+1", "x" * 300]


def test_hostile_names_are_escaped_on_every_surface():
    r = rw.compare(TRUTH, A, B, by=np.array(HOSTILE)[np.arange(N) % 6], **FEW)
    assert "<script>alert" not in r.to_html()
    assert "a\\|b" in r.to_markdown()
    assert "\\input{x}" not in r.to_latex()
    assert "\x1b" not in str(r) + r.to_json() + repr(r.by)
    assert "x" * 100 not in str(r)
    assert len(r.to_dict()["by"]) == 6


def test_slices_say_what_they_are_alone(r):
    told = str(r.by)
    assert "Of 4 slices, new is worse than old on 1 (de) and better on none, beyond chance" in told
    assert told.count("worse") == 3  # the sentence, the heading, the row
    assert "By" in r.to_html()
    assert r.by.to_dict()["by"] == r.to_dict()["by"]
    assert len(r.by.to_html()) > 1_000
    assert "Each slice stands for itself" in str(rw.compare(TRUTH, A, B, by=WHERE, pool=False, **FEW))


def test_slices_survive_a_pickle(r):
    assert copy.deepcopy(r).by.worse == r.by.worse
    assert pickle.loads(pickle.dumps(r)).by.to_list() == r.by.to_list()


def test_ratios_without_bound_are_not_pooled():
    """Their draws may have no mean, and one slice with a few false positives would move all others."""
    labels = {"metric": "lr_plus", "pos_label": 1, "draws": 500, "rng": 0}
    r = rw.compare(TRUTH, A, B, by=WHERE, **labels)
    assert not r.by.pooled
    assert not any(s.comparison.recipe.pool for s in r.by)
    with pytest.raises(InvalidInputError, match="differences of slices cannot be pooled"):
        rw.compare(TRUTH, A, B, by=WHERE, pool=True, **labels)
