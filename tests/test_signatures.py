"""Signatures: short ones are written out, long ones show every option, and a misspelt keyword is answered."""

import ast
import copy
import dataclasses
import inspect
import pickle
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, TypedDict, Unpack

import pytest

import ropewalk as rw
from ropewalk._checks import checked_keywords
from ropewalk.results import Rendered
from ropewalk.results.options import ClassesOptions, CompareOptions, Option

ROOT = Path(rw.__file__).parent
MAX_PARAMETERS = 14
MAX_PARAMETERS_OF_A_VERB = 24


class Shades(TypedDict, total=False):
    shade: Annotated[str, Option(help="How dark.", default="grey")]


@checked_keywords
def draw(*data, width: int = 3, **options: Unpack[Shades]):
    """Return what came."""
    return data, width, options


@checked_keywords
def fill(colour, /, *, dark: bool = False):
    return colour, dark


def n_parameters(function):
    names = function.args
    written = [*names.posonlyargs, *names.args, *names.kwonlyargs, names.vararg, names.kwarg]
    return sum(name is not None and name.arg not in {"self", "cls"} for name in written)


def test_no_function_writes_out_a_long_list_of_parameters():
    for path in sorted(ROOT.rglob("*.py")):
        most = MAX_PARAMETERS_OF_A_VERB if path.parent.name == "verbs" else MAX_PARAMETERS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert n_parameters(node) <= most, f"{path}: {node.name}"


def test_a_signature_shows_every_option_with_its_default():
    parameters = inspect.signature(draw).parameters
    assert [*parameters] == ["data", "width", "shade"]
    assert parameters["shade"].default == "grey"
    assert parameters["shade"].annotation is str
    assert draw(1, width=2, shade="black") == ((1,), 2, {"shade": "black"})


VERBS = [rw.compare, rw.compare_classes, rw.evaluate, rw.rank, rw.cross_compare, rw.power, rw.plan, rw.stopping]


def test_a_signature_shows_types_and_defaults_wherever_the_options_are_listed():
    for function in (rw.compare, rw.from_arviz, rw.classical.friedman, rw.analysis.bias_variance, rw.curves.roc):
        assert "Annotated[" not in str(inspect.signature(function))
    assert inspect.signature(rw.analysis.bias_variance).parameters["n_sets"].default == 100


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_verbs_show_what_they_take(verb):
    shown = inspect.signature(verb).parameters
    assert {"metric", "rope", "prob", "model", "rng", "draws"} <= set(shown)
    assert not any(parameter.kind is parameter.VAR_KEYWORD for parameter in shown.values())
    assert all(name in str(inspect.signature(verb)) for name in ("rope", "random_state", "progress"))
    kinds = {rw.compare: CompareOptions, rw.compare_classes: ClassesOptions}
    assert set(kinds[verb].__annotations__ if verb in kinds else ()) <= set(shown)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: draw(shad=1), "did you mean 'shade'"),
        (lambda: fill("red", drak=True), "did you mean 'dark'"),
        (lambda: fill(colour="red"), "no parameter 'colour'"),
    ],
)
def test_a_misspelt_keyword_is_answered(call, match):
    with pytest.raises(rw.errors.InvalidInputError, match=match) as caught:
        call()
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(("name", "guess"), [("cost", "'cost_matrix'"), ("roppe", "'rope'"), ("n_draws", "'draws'")])
def test_a_near_spelling_is_suggested(name, guess):
    with pytest.raises(rw.errors.UnknownKeywordError, match=f"did you mean {guess}"):
        rw.compare([0, 1], [0, 1], [1, 0], **{name: 1})


@pytest.mark.parametrize("name", ["nsamples", "posterior", "alpha", "classifiers", "x"])
def test_no_name_is_suggested_that_is_spelt_otherwise(name):
    with pytest.raises(rw.errors.UnknownKeywordError) as caught:
        rw.compare([0, 1], [0, 1], [1, 0], **{name: 1})
    assert caught.value.hint.startswith("It takes: ")


PUBLIC = [
    "", "analysis", "classical", "curves", "curves.costs", "data.examples", "errors", "metrics", "models", "planning",
    "plots", "resampling",
]  # fmt: skip


def public_functions():
    for name in PUBLIC:
        module = import_module(f"ropewalk.{name}".rstrip("."))
        for public in module.__all__:
            function = getattr(module, public)
            if inspect.isfunction(function) and public != "ratio":  # called for every block of draws
                yield f"{name}.{public}", function


def answers_a_misspelt_keyword(call):
    try:
        call(ropee=1)
    except rw.errors.UnknownKeywordError as error:
        return "no parameter 'ropee'" in str(error)
    except TypeError:  # Python's own
        return False
    return False


def test_every_public_function_answers_a_misspelt_keyword():
    functions = dict(public_functions())
    assert len(functions) > 100
    assert [name for name, function in functions.items() if not answers_a_misspelt_keyword(function)] == []


ROOMS_OF_CLASSES = [*PUBLIC[1:], "data", "mcmc", "results"]


def public_classes():
    """Yield the classes that users make or get; errors and warnings are raised, and protocols only describe."""
    modules = [import_module(f"ropewalk.{name}") for name in ROOMS_OF_CLASSES]
    public = [getattr(module, name) for module in modules for name in module.__all__]
    for kind in dict.fromkeys(member for member in public if inspect.isclass(member)):
        if not issubclass(kind, BaseException) and not getattr(kind, "_is_protocol", False):
            yield kind


def calls():
    """Yield every constructor, and every public method with what stands for its object, by name."""
    for kind in public_classes():
        if kind not in {rw.models.Model, Rendered}:  # to inherit from
            yield kind.__name__, kind
        for name in (name for name in dir(kind) if not name.startswith("_")):
            member = inspect.getattr_static(kind, name)
            if inspect.isfunction(member) or isinstance(member, classmethod):
                method = getattr(kind, name)
                yield f"{kind.__name__}.{name}", method if isinstance(member, classmethod) else partial(method, None)


def test_every_constructor_and_method_answers_a_misspelt_keyword():
    called = list(calls())
    assert len(called) > 900
    assert [name for name, call in called if not answers_a_misspelt_keyword(call)] == []


def test_a_class_shows_its_own_parameters():
    for kind in filter(dataclasses.is_dataclass, public_classes()):
        fields = [field.name for field in dataclasses.fields(kind) if field.init]
        assert not fields or [*inspect.signature(kind).parameters] == fields, kind


def test_what_answers_keywords_is_copied_and_pickled_as_before():
    for value in (rw.models.Tree(kappa=2.0), rw.Sampler(n_chains=2), rw.metrics.METRICS["f1"]):
        assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == value
    make = pickle.loads(pickle.dumps(rw.Outcomes.from_confusion))
    assert make([[9, 1], [2, 8]]) == rw.Outcomes.from_confusion([[9, 1], [2, 8]])


@pytest.mark.parametrize("name", PUBLIC)
def test_completion_shows_what_there_is_and_nothing_else(name):
    module = import_module(f"ropewalk.{name}".rstrip("."))
    assert [public for public in dir(module) if public != "__version__"] == sorted(
        public for public in module.__all__ if public != "__version__"
    )
    assert all(getattr(module, public) is not None for public in module.__all__)


def test_no_module_shares_its_name_with_a_verb():
    verbs = {name for name in rw.__all__ if inspect.isfunction(getattr(rw, name))}
    assert "compare" in verbs
    assert not {path.stem.strip("_") for path in ROOT.rglob("*.py")} & verbs
