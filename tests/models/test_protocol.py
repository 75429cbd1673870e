"""Everything that is asked of a model is part of the protocol, so that a new model is one file."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk import models
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.inference.answers import run_comparison
from ropewalk.models import _KINDS, MODELS, Model, model_names
from ropewalk.results.recipes import read_recipe

ROOT = Path(rw.__file__).parent
CLASSES = {
    name
    for name in models.__all__
    if isinstance(getattr(models, name), type) and issubclass(getattr(models, name), Model) and name != "Model"
}
ABOVE = sorted(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "models")
ASKS = ("isinstance", "issubclass", "getattr", "hasattr")
Y, A, B = [0, 1] * 400, [0, 1] * 360 + [1, 0] * 40, [0, 1] * 300 + [1, 1] * 100


def names_in(node):
    return {part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node)
            if isinstance(part, ast.Name | ast.Attribute)}  # fmt: skip


def questions():
    """Yield the calls that ask what something is, or what it has, and where they stand."""
    for path in ABOVE:
        text = path.read_text(encoding="utf-8")
        if any(f"{name}(" in text for name in ASKS):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKS:
                    yield path, node


def test_nobody_asks_which_model_it_is():
    seen = 0
    for path, node in questions():
        seen += 1
        if node.func.id in {"isinstance", "issubclass"}:
            assert not names_in(node.args[1]) & CLASSES, f"{path}:{node.lineno}"
        elif path.parent.name != "resampling":  # which has scikit-learn's
            subject = ast.unparse(node.args[0])
            assert subject.split(".")[-1] != "model", f"{path}:{node.lineno}"
    assert seen > 500


@pytest.fixture
def toy(monkeypatch):
    """Register a model from a file that nothing knows of."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    for table in (MODELS, _KINDS):
        for key, value in dict(table).items():
            monkeypatch.setitem(table, key, value)  # so that all others are as they were afterwards
    sys.modules.pop("toy", None)
    import toy

    yield toy.Toy
    MODELS.pop("toy", None)
    _KINDS.pop("Toy", None)


def test_a_toy_model_is_known_wherever_a_model_is(toy):
    assert "toy" in model_names()
    r = rw.compare(Y, A, B, model="toy", rope=0.1, rng=0, draws=500)
    assert r.recipe.model == toy()
    assert r.to_dict()["model"] == "toy"
    for text in (r.to_markdown(), r.to_latex(), r.sentence(), r.to_html()):
        assert "toy model" in text
    assert "toy model" in r.to_text(details=True)
    for text in (r.sentence(), r.to_html(), r.to_json()):
        assert "Dir(2·base)" in text
    assert "Toy: Outcome types with a prior of so many pseudo-items." in r.to_html()
    assert [which for which, _ in r.prior_sensitivity().rows][:2] == ["as asked", "half the prior mass"]
    told = json.loads(r.to_json())
    assert run_comparison(read_recipe(told)).to_dict() == told
    other = rw.compare(Y, A, B, model=toy(mass=3), rope=0.1, rng=0, draws=500)
    assert read_recipe(json.loads(other.to_json())).model == toy(mass=3)
    assert rw.rank(Y, {"a": A, "b": B, "c": A[::-1]}, model="toy", rng=0, draws=200).recipe.model == toy()


def test_a_toy_model_is_known_to_the_command(tmp_path):
    rows = "".join(f"{y},{a},{b}\n" for y, a, b in zip(Y, A, B, strict=True))
    (tmp_path / "data.csv").write_text(f"y,a,b\n{rows}", encoding="utf-8")
    start = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import toy; from ropewalk.cli.app import main"
    )
    told = []
    for options in (["data.csv", "--truth", "y", "--a", "a", "--b", "b", "--model", "toy", "--json"], ["--help"]):
        call = [sys.executable, "-c", f"{start}; sys.argv[1:] = {['compare', *options]!r}; main()"]
        told.append(subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    assert json.loads(told[0])["model"] == "toy"
    assert "toy" in told[1]


def test_what_is_no_model_is_refused():
    class Mine:
        name, prior, paired = "mine", "none", True

        def fit(self, outcomes):
            return outcomes

    for wrong in (Mine(), rw.models.Flat, 3):
        with pytest.raises(UnknownNameError, match="must be a name or a model object"):
            rw.compare(Y, A, B, model=wrong)
    with pytest.raises(UnknownNameError) as caught:
        rw.compare(Y, A, B, model="pairde")
    assert "paired" in caught.value.hint


def test_a_model_says_what_it_must():
    class Nothing(Model):
        pass

    nothing = Nothing()
    for ask in (lambda: nothing.name, lambda: nothing.prior, lambda: nothing.fit(None)):
        with pytest.raises(NotImplementedError):
            ask()
    assert nothing.description == "A model of one's own, Nothing."
    assert nothing.call() == "Nothing(…)"
    assert nothing.variants() == []


@pytest.mark.parametrize("name", model_names())
def test_a_name_makes_the_model_that_goes_by_it(name):
    assert rw.models.parse_model(name).name == name


def test_the_page_of_models_names_all_of_them():
    page = (Path(__file__).parents[2] / "docs" / "explain" / "models.md").read_text(encoding="utf-8")
    for name in (*model_names(), *model_names(multilabel=True)):
        assert f"`{name}" in page, name


def test_models_of_many_labels_are_told_from_others():
    with pytest.raises(InvalidInputError, match="for items with one label"):
        rw.models.parse_model(rw.models.Flat(), multilabel=True)
    with pytest.raises(InvalidInputError, match="for items with any number of labels"):
        rw.models.parse_model(rw.models.Multilabel())
    assert model_names(multilabel=True) == ("paired", "unpaired", "multilabel", "items", "bootstrap")
