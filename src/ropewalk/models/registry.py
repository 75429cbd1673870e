"""The models that a name alone describes: one table, which `model=`, `--model` and the JSON of a recipe read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ropewalk._checks import checked_keywords, choose
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.models.protocol import Model
from ropewalk.text.options import wording


@dataclass(frozen=True, slots=True)
class Named:
    """How a name makes a model: of so many labels and classifiers, and where items have any number of labels."""

    single: Callable[[int, int], Model] | None
    multilabel: Callable[[], Model] | None


MODELS: Final[dict[str, Named]] = {}
"""The models by name, in the order in which they are listed."""

_KINDS: Final[dict[str, type[Model]]] = {}


@checked_keywords
def register(
    kind: type[Model],
    name: str | None = None,
    *,
    single: Callable[[int, int], Model] | None = None,
    multilabel: Callable[[], Model] | None = None,
) -> None:
    """Let a name stand for a model, by default for `kind()` under the name that the class has.

    `single` makes the model of so many labels and classifiers, where that decides the prior; `multilabel` that of
    items with any number of labels. A class for such items alone has no `single`.
    """
    name = str(kind.name) if name is None else name
    only_multilabel = vars(kind).get("is_multilabel", False)
    if single is None and not only_multilabel:
        single = lambda *_: kind()  # noqa: E731
    MODELS[name] = Named(single, kind if only_multilabel and multilabel is None else multilabel)
    _KINDS[kind.__name__] = kind


@checked_keywords
def model_names(*, multilabel: bool = False) -> tuple[str, ...]:
    """Return the names that `model=` knows, where items have one label or any number of them."""
    return tuple(name for name, made in MODELS.items() if (made.multilabel if multilabel else made.single))


@checked_keywords
def parse_model(model: str | Model, *, n_labels: int = 2, n_classifiers: int = 2, multilabel: bool = False) -> Model:
    """Turn a name into the model with the default prior for so many labels; a model object stays itself.

    Examples
    --------
    >>> parse_model("unpaired")
    Sigir2016Unpaired(mu=(1.0, 1.0), positive=(1.0, 1.0), negative=(1.0, 1.0))
    >>> parse_model("paired", n_labels=20).prior
    'mu ~ Dir(1, …); types ~ Dir(1·base); labels of a type ~ Dir, mass 1'
    """
    if isinstance(model, str):
        here, there = model_names(multilabel=multilabel), model_names(multilabel=not multilabel)
        if model in there and model not in here and not multilabel:
            raise InvalidInputError(
                f"The model {model!r} is for items with any number of labels.", hint=wording("use model='paired'.")
            )
        if model in there and model not in here:
            raise InvalidInputError(
                f"The model {model!r} needs one label an item; these items have any number of labels.",
                hint=f"use one of {', '.join(here)}.",
            )
        named = choose(model, {name: MODELS[name] for name in here}, "model")
        if named.multilabel is not None and multilabel:
            return named.multilabel()
        assert named.single is not None  # noqa: S101 - it is among the names of one label
        return named.single(n_labels, n_classifiers)
    given: Any = model
    if not isinstance(given, Model):
        raise UnknownNameError(
            wording("`model` must be a name or a model object; got {!r}.", given),
            hint=f"{list(model_names())}; a class of your own inherits from models.Model.",
        )
    if model.is_multilabel not in {None, multilabel}:
        raise InvalidInputError(
            f"The model {model!r} is for items with {'one label' if multilabel else 'any number of labels'}."
        )
    return model


def model_dict(model: Model) -> dict[str, Any] | None:
    """Return a model as JSON has it; None where its class has no name and could not be found again."""
    return model.to_dict() if type(model) in _KINDS.values() else None


def read_model(values: Mapping[str, Any]) -> Model:
    """Return the model that `model_dict` wrote."""
    return _KINDS[values["kind"]](**{name: value for name, value in values.items() if name != "kind"})
