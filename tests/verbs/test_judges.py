"""Two systems by a judge that humans corrected: what is said, every form of data, refusals, every surface."""

import json

import numpy as np
import pandas as pd
import pytest

import ropewalk as rw
from ropewalk.errors import DataError, InvalidInputError, RopewalkError

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

FEW = {"rope": 0.02, "rng": 0, "draws": 2_000}


@pytest.fixture(scope="module")
def table():
    """1,000 items, A and B alike; the judge favours A, and humans judged 200 items."""
    rng = np.random.default_rng(3)
    n = 1_000
    both = rng.random(n) < 0.4
    right = {name: both | (rng.random(n) < 0.4) for name in "ab"}
    says = {"a": (0.97, 0.3), "b": (0.9, 0.05)}
    columns = {
        f"judge_{name}": np.where(rng.random(n) < np.where(right[name], *says[name]), 1, 0).tolist() for name in "ab"
    }
    asked = rng.permutation(n) < 200
    for name in "ab":
        columns[f"human_{name}"] = [int(r) if ask else None for r, ask in zip(right[name], asked, strict=True)]
    return columns


@pytest.fixture(scope="module")
def answer(table):
    return of_arrays(table)


def of_arrays(table, **how):
    asked = {"human_a": table["human_a"], "human_b": table["human_b"], "names": ["a", "b"], **FEW, **how}
    return rw.compare(table["judge_a"], table["judge_b"], **asked)


def of_columns(table, **how):
    return rw.compare(table, a="judge_a", b="judge_b", human_a="human_a", human_b="human_b", **FEW, **how)


def test_the_bias_of_the_judge_is_taken_out(table, answer):
    alone = np.mean(table["judge_a"]) - np.mean(table["judge_b"])
    assert answer.judge.alone == pytest.approx(alone)
    assert answer.delta.observed == pytest.approx(alone)
    assert answer.hdi.low < 0 < answer.hdi.high < alone
    assert answer.judge.favour.hdi.low > 0
    assert answer.judge.favour.mean == pytest.approx(alone - answer.mean, abs=0.01)
    assert answer.judge.bias_a.mean - answer.judge.bias_b.mean == pytest.approx(answer.judge.favour.mean)
    assert any(f"favours a, by about {100 * answer.judge.favour.mean:.1f} points" in text for text in answer.warnings)
    assert any(f"would say +{100 * answer.judge.alone:.1f} points" in text for text in answer.notes)
    assert answer.scope.random == ("items", "human labels")
    assert "the judge" in answer.scope.fixed


def test_the_judge_is_worth_labels_and_more_of_them_narrow_the_interval(answer):
    judge = answer.judge
    assert judge.n_human == 200 < judge.worth < 1_000
    assert judge.width_without > answer.hdi.high - answer.hdi.low
    widths = [row.width for row in judge.more]
    assert widths == sorted(widths, reverse=True)
    assert all(row.width <= row.at_random + 1e-9 for row in judge.more)
    assert judge.more[-1].n == 800
    assert all(0 <= row.prob_conclusive <= 1 for row in judge.more)
    assert sum(cell.next_labels for cell in judge.cells) == pytest.approx(1)
    assert sum(cell.n_items for cell in judge.cells) == 1_000


def test_every_form_of_data_gives_the_same_answer(table, answer, tmp_path):
    frame = pd.DataFrame(table)
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = {name: [{1: "right", 0: "wrong"}.get(value, "") for value in column] for name, column in table.items()}
    for data in (table, frame, str(tmp_path / "t.csv"), words):
        r = of_columns(data, names=["a", "b"])
        assert np.array_equal(r.draws.psi, answer.draws.psi)
    assert of_columns(frame).a == "judge_a"


def test_which_items_humans_judged_may_depend_on_the_judge(table, answer):
    """Labels on items where the two differ alone: these are corrected, and the rest is known from the prior."""
    apart = [a != b for a, b in zip(table["judge_a"], table["judge_b"], strict=True)]
    few = {name: list(values) for name, values in table.items()}
    for name in ("human_a", "human_b"):
        few[name] = [value if here else None for value, here in zip(table[name], apart, strict=True)]
    r = of_arrays(few)
    seen = {cell.said: cell for cell in r.judge.cells}
    for cell in answer.judge.cells:
        if cell.said[0] != cell.said[1]:
            assert seen[cell.said].difference == pytest.approx(cell.difference, abs=0.02)
    assert any("none of which the judge says the same" in text for text in r.warnings)


def test_few_human_labels_allow_no_verdict(table):
    few = {**table, "human_a": table["human_a"][:100] + [None] * 900, "human_b": table["human_b"][:100] + [None] * 900}
    r = of_arrays(few)
    assert r.judge.n_human < 30
    assert r.decision is None
    assert "fewer than 30" in r.no_verdict


def test_an_item_of_which_humans_judged_one_answer_is_not_used(table, answer):
    half = {**table, "human_b": [None, *table["human_b"][1:]], "human_a": [1, *table["human_a"][1:]]}
    if table["human_a"][0] is not None:
        half["human_a"][0] = table["human_a"][0]
    r = of_arrays(half)
    assert any("one answer only" in text for text in r.notes)
    assert r.judge.n_human in {199, 200}


REFUSED = {
    "no human": ({"human_a": [None] * 1_000, "human_b": [None] * 1_000}, "gets wrong"),
    "one system": ({"human_b": [None] * 1_000}, "gets wrong"),
    "neither": ({"human_a": [2] + [None] * 999}, "neither right nor wrong"),
    "too short": ({"human_a": [1, 0]}, "length"),
    "no judge": ({"judge_a": [None] + [1] * 999}, "no verdict"),
    "metric": ({}, "accuracy, or an error"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case, table):
    changed, text = REFUSED[case]
    with pytest.raises(RopewalkError, match=text) as caught:
        of_arrays({**table, **changed}, **({"metric": "f1"} if case == "metric" else {}))
    assert caught.value.hint


def test_what_does_not_go_together_is_refused(table):
    with pytest.raises(InvalidInputError, match="human_b"):
        rw.compare(table, a="judge_a", b="judge_b", human_a="human_a")
    with pytest.raises(InvalidInputError, match="cluster"):
        of_arrays(table, cluster=list(range(1_000)))
    with pytest.raises(InvalidInputError, match="twice"):
        rw.compare(table, a="judge_a", b="judge_b", human_a="human_a", human_b="judge_b")
    with pytest.raises(DataError, match="no verdict"):
        of_columns({**table, "judge_a": [None, *table["judge_a"][1:]]})
    kept = of_columns({**table, "judge_a": [None, *table["judge_a"][1:]]}, missing="drop")
    assert any("left out" in text for text in kept.notes)
    with pytest.raises(InvalidInputError, match="judge that humans corrected"):
        kept.more_data()


def test_every_surface_shows_the_judge(answer):
    told = json.loads(answer.to_json())
    assert told["judge"]["n_human"] == 200
    assert told["judge"]["favour"]["mean"] > 0
    assert told["random"] == ["items", "human labels"]
    text = answer.to_text(details=True)
    for part in ("alone", "favours a", "as judged", "more human labels", "without the judge"):
        assert part in text
    page = answer.to_html()
    assert "What the judge gets wrong" in page
    assert "What more human labels would give" in page
    assert "by humans" in answer.to_markdown()
    assert "by humans" in answer.to_latex()
    assert "200 of them by humans too" in answer.sentence()


@pytest.fixture(scope="module")
def labels():
    """Labels of a judge, of two classifiers, and of humans on 100 of 400 items."""
    rng = np.random.default_rng(5)
    truth = rng.choice(["cat", "cow", "dog"], size=400)

    def says(share):
        return np.where(rng.random(400) < share, truth, rng.choice(["cat", "cow", "dog"], size=400))

    human = [str(label) if i < 100 else None for i, label in enumerate(truth)]
    return {"judge": says(0.9), "new": says(0.8), "old": says(0.6), "human": human}


def of_labels(labels, **how):
    return rw.compare(labels, truth="judge", a="new", b="old", human="human", **{**FEW, "draws": 300, **how})


def test_labels_of_a_judge_are_corrected_for_any_metric(labels, tmp_path):
    r = of_labels(labels)
    assert (r.metric, r.judge.n_human) == ("macro_f1", 100)
    frame = pd.DataFrame(labels)
    frame.to_csv(tmp_path / "t.csv", index=False)
    arrays = rw.compare(
        *(labels[name] for name in ("judge", "new", "old")), human=labels["human"], **FEW | {"draws": 300}
    )
    for other in (of_labels(str(tmp_path / "t.csv")), arrays):
        assert np.array_equal(other.draws.psi, r.draws.psi)
    one = of_labels(labels, metric="f1", pos_label="cow")
    assert one.judge.n_human == 100
    assert len(one.judge.cells) == 8
    assert ("cow", "cow", "cow") in {cell.said for cell in one.judge.cells}


def test_numbers_beside_holes_are_the_numbers_of_the_judge(labels):
    codes = {"cat": 0, "cow": 1, "dog": 2}
    coded = {name: [codes.get(label) for label in column] for name, column in labels.items()}
    frame = pd.DataFrame(coded)
    assert frame["human"].dtype == float
    assert of_labels(frame).judge.n_human == 100


@pytest.mark.parametrize(
    ("changed", "how", "text"),
    [
        ({"human": ["cat", "bird", *[None] * 398]}, {}, "'?bird'?, which neither the judge"),
        ({"human": [None] * 400}, {}, "No item has a human's label"),
        ({}, {"missing": "wrong"}, "not known"),
        ({}, {"human_a": "new", "human_b": "old"}, "human_a"),
        ({}, {"metric": ["f1", "accuracy"]}, "one metric"),
        ({"judge": [None, *["cat"] * 399]}, {}, "null or NaN"),
    ],
)
def test_which_labels_are_refused(changed, how, text, labels):
    with pytest.raises(RopewalkError, match=text) as caught:
        of_labels({**labels, **changed}, **how)
    assert caught.value.hint


@pytest.fixture(scope="module")
def grades():
    """Grades from 1 to 5 by a judge that gives A half a grade too much, and by humans on 120 of 600 items."""
    rng = np.random.default_rng(6)
    level = rng.normal(3, 0.7, size=600)
    human = np.clip(np.round(level + 0.5 * rng.normal(size=(2, 600))), 1, 5)
    judge = np.clip(np.round(human + [[0.5], [0.0]] + 0.4 * rng.normal(size=(2, 600))), 1, 5)
    asked = rng.permutation(600) < 120
    columns = {"judge_a": judge[0].tolist(), "judge_b": judge[1].tolist()}
    for name, row in zip(("human_a", "human_b"), human, strict=True):
        columns[name] = [float(grade) if ask else None for grade, ask in zip(row, asked, strict=True)]
    return columns


def test_grades_of_a_judge_are_corrected(grades, tmp_path):
    r = of_arrays(grades, scale=(1, 5))
    assert (r.metric, r.judge.n_human, r.judge.cells) == ("mean", 120, ())
    assert r.decision is not None
    assert r.judge.alone > 0.2
    assert r.hdi.low < 0.1 < r.judge.favour.mean
    assert [row.at_random for row in r.judge.more] == [row.width for row in r.judge.more]
    pd.DataFrame(grades).to_csv(tmp_path / "t.csv", index=False)
    read = of_columns(str(tmp_path / "t.csv"), names=["a", "b"], scale=(1, 5))
    assert read.mean == pytest.approx(r.mean, abs=0.1 * r.std)
    assert json.loads(r.to_json())["judge"]["cells"] == []
    assert "What more human labels would give" in r.to_html()
    assert any("scale=" in text for text in of_arrays(grades).notes)


FEW_GRADES = {
    "rare": ([0.9, 0.8, *[0.0] * 58], [*[0.0] * 59, 0.7], 0.05, "few items make the difference: the 60"),
    "one error": ([0.9, 0.1] * 30, [0.2, 0.6] * 30, 0.0, "the judge's errors are known from few items"),
}


@pytest.mark.parametrize("scale", [None, (0, 2)])
@pytest.mark.parametrize("case", FEW_GRADES)
def test_few_large_grades_allow_no_verdict(case, scale):
    *human, noise, text = FEW_GRADES[case]
    judge = np.array(human) + 1 + noise * np.random.default_rng(0).normal(size=(2, 60))
    judge[0, 0] -= 0.7
    said = {f"human_{name}": [*values, None] for name, values in zip("ab", human, strict=True)}
    r = rw.compare([*judge[0], 1.5], [*judge[1], 1.5], **said, scale=scale, metric="mean", **{**FEW, "draws": 200})
    assert r.decision is None
    assert (text if scale else "few") in r.no_verdict


def test_odd_data_have_an_answer(table, grades, labels):
    one = of_arrays(table, draws=1)
    assert one.to_text().startswith("a ")
    alike = of_arrays({**grades, "judge_b": grades["judge_a"]})
    assert alike.judge.alone == 0
    assert alike.hdi.low < 0 < alike.hdi.high
    cats = {name: [label and "cat" for label in column] for name, column in labels.items()}
    assert of_labels({name: [str(x) if x else None for x in column] for name, column in cats.items()}).mean == 0
    mixed = {**grades, "judge_a": [int(grade) if i % 2 else grade for i, grade in enumerate(grades["judge_a"])]}
    assert of_arrays(mixed).mean == of_arrays(grades).mean
    with pytest.raises(InvalidInputError, match="no graph"):
        alike.graph()


@pytest.mark.parametrize(
    ("changed", "how", "text"),
    [
        ({"human_a": [3.0] * 5 + [None] * 595, "human_b": [2.0] * 5 + [None] * 595}, {}, "it takes 8"),
        ({"human_a": ["good", *[None] * 599]}, {}, "is no score"),
        ({}, {"scale": (1, 3)}, "beyond the scale"),
        ({}, {"metric": "accuracy"}, "neither right nor wrong"),
    ],
)
def test_which_grades_are_refused(changed, how, text, grades):
    with pytest.raises(RopewalkError, match=text) as caught:
        of_arrays({**grades, **changed}, **how)
    assert caught.value.hint


def test_verdicts_in_per_cent_need_a_margin_in_their_unit(table):
    hundred = {name: [None if x is None else 100 * x for x in column] for name, column in table.items()}
    with pytest.raises(InvalidInputError, match="as per cent do") as refused:
        of_arrays(hundred)
    assert "rope=2" in refused.value.hint
    assert of_arrays(hundred, rope=2).rope.high == 2
