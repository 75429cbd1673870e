"""Models as graphs: what is given, what is unknown, what was seen, and what hangs on what.

`graph_of` knows our models. A graph of a new model takes a few lines: a `Sketch` gets a line for each quantity, with
the names of what it hangs on, and a model object whose method ``graph(n_labels=, n_classifiers=, form=)`` returns it
is known to `graph_of` as well. For models that come in a known shape, a function here makes the whole graph.
"""

from __future__ import annotations

from typing import Any, get_args

from ropewalk._checks import choose
from ropewalk.errors import InvalidInputError
from ropewalk.models.graph.shapes import Prior, Rows, binary_graph, confusion_graph, recalls_graph, types_graph
from ropewalk.models.graph.sketch import Form, Graph, Kind, Node, Plate, Sketch, parts, plain
from ropewalk.models.graph.variants import (
    delta_prior_graph,
    logit_normal_graph,
    noisy_labels_graph,
    own_priors_graph,
    pooled_graph,
    power_prior_graph,
)

__all__ = [
    "Form",
    "Graph",
    "Kind",
    "Node",
    "Plate",
    "Prior",
    "Rows",
    "Sketch",
    "binary_graph",
    "confusion_graph",
    "delta_prior_graph",
    "graph_of",
    "logit_normal_graph",
    "noisy_labels_graph",
    "own_priors_graph",
    "parts",
    "plain",
    "pooled_graph",
    "power_prior_graph",
    "recalls_graph",
    "types_graph",
]


def graph_of(model: Any, *, n_labels: int, n_classifiers: int, form: Form = "counts") -> Graph:
    """Return the graph of a model for so many labels and classifiers.

    ``form="counts"`` is the compact one, of how often each outcome occurred; ``form="items"`` has every item for
    itself. A model's own method `graph` takes precedence.

    Examples
    --------
    >>> from ropewalk.models import Paired
    >>> graph = graph_of(Paired(), n_labels=2, n_classifiers=2)
    >>> graph.parents("psi_A")
    ('mu', 'theta+', 'theta-')
    >>> graph["theta+"].formula
    'θ^+ ~ Dir(1, 1, 1, 1)'
    """
    from ropewalk.models.graph.known import BUILDERS

    asked: Any = {
        "n_labels": n_labels,
        "n_classifiers": n_classifiers,
        "form": choose(form, {name: name for name in get_args(Form)}, "form"),
    }
    own = getattr(model, "graph", None)
    if callable(own) and not isinstance(model, type):
        found: Graph = own(**asked)
        return found
    builder = BUILDERS.get(type(model))
    if builder is None:
        raise InvalidInputError(
            f"The model {getattr(model, 'name', model)!r} has no graph.",
            hint="give its class a method graph(n_labels=, n_classifiers=, form=) that returns a models.graph.Graph.",
        )
    return builder(model, **asked)
