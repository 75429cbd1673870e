"""A sentence remembers the options it names, and never takes for one what users named."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk.errors import InvalidInputError
from ropewalk.text.remarks import Wording, argument, in_shell, mentions_in, wording

FLAGS = {"missing": "--missing", "rope": "--rope", "pos_label": "--pos-label", "higher_is_better": "--lower-is-better"}
HOSTILE = ['missing="drop"', "rope=", "`rope`", "pos_label=1", "{}", "{0.__class__}", "rope={!r}"]


@pytest.mark.parametrize(
    ("sentence", "python", "shell"),
    [
        (wording('use missing="drop".'), 'use missing="drop".', "use --missing drop."),
        (wording("See rope=, and more."), "See rope=, and more.", "See --rope, and more."),
        (
            wording("rope=0.01 means (-0.01, +0.01)."),
            "rope=0.01 means (-0.01, +0.01).",
            "--rope 0.01 means (-0.01, +0.01).",
        ),
        (wording("rope=0.5."), "rope=0.5.", "--rope 0.5."),
        (wording("`rope` must be {!r}.", 1), "`rope` must be 1.", "`--rope` must be 1."),
        (wording("pass pos_label={!r}.", "a b"), "pass pos_label='a b'.", "pass --pos-label 'a b'."),
        (wording("pass pos_label={!r}.", 1), "pass pos_label=1.", "pass --pos-label 1."),
        (wording("leave higher_is_better= out."), "leave higher_is_better= out.", "leave --lower-is-better out."),
        (wording("names=, rope=[0, 1] and rope=…"), "names=, rope=[0, 1] and rope=…", "names=, rope=[0, 1] and rope=…"),
        (wording("{:,} of {}", 1000, wording("rope=")), "1,000 of rope=", "1,000 of --rope"),
        ("A " + argument("rope") + " of " + wording("rope="), "A `rope` of rope=", "A `--rope` of --rope"),
    ],
)
def test_options_are_spelled_for_python_and_for_the_shell(sentence, python, shell):
    assert sentence == python
    assert in_shell(sentence, FLAGS) == shell


@pytest.mark.parametrize("name", HOSTILE)
def test_what_users_named_is_never_taken_for_an_option(name):
    sentence = f"{name} and " + wording("{} or {!r}: use rope=, not ", name, name) + name
    assert in_shell(sentence, FLAGS) == f"{name} and {name} or {name!r}: use --rope, not {name}"
    assert in_shell(name, FLAGS) == name


def test_a_class_that_looks_like_an_option_is_shown_as_it_is():
    truth, labels = [HOSTILE[0], "rope=", HOSTILE[0], "rope="], [HOSTILE[0], "rope="]
    with pytest.raises(InvalidInputError) as caught:
        rw.compare(truth, truth, truth, metric="f1", pos_label="no such class", rope=0.05)
    shown = in_shell(caught.value.message, FLAGS) + in_shell(caught.value.hint, FLAGS | {"labels": "--labels"})
    assert all(repr(label) in shown for label in labels)
    assert "`--pos-label` 'no such class'" in shown
    assert "--labels declares" in shown


def test_wordings_survive_pickling_in_an_error():
    error = pickle.loads(pickle.dumps(InvalidInputError("No.", hint=wording("use rope=."))))
    assert in_shell(error.hint, FLAGS) == "use --rope."
    assert str(error) == "No.\nHint: use rope=."


def test_a_formatted_wording_forgets_its_options_and_keeps_its_text():
    text = f"{wording('use rope=.')} Please."
    assert not isinstance(text, Wording)
    assert mentions_in(text) == ()
    assert in_shell(text, FLAGS) == "use rope=. Please."


def test_templates_are_written_in_the_source():
    """What is read for options must not hold what users named."""
    seen = 0
    for path in Path(rw.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "wording":
                assert isinstance(call.args[0], ast.Constant), f"{path}:{call.lineno}"
                seen += 1
    assert seen > 50
