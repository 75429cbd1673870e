"""Graphs of the models against the papers' figures and formulas, and their pictures against geometry."""

from __future__ import annotations

import itertools
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from hostile import hostile_names
from ropewalk.errors import InvalidInputError, UnreadableFileError
from ropewalk.models.graph import Graph, Node, Plate, Sketch, graph_of, parts, plain
from ropewalk.report.plates import RADIUS_PX, frames_of, shapes_of, svg, text_width

pytestmark = pytest.mark.usefixtures("frugal_throughout")

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = hostile_names(
    "script", "image", "end of data", "entity", "turned", "control", "no character", "surrogate", "long", "subscript",
    "emoji", "hebrew",
)  # fmt: skip
EARLIER = rw.Outcomes.from_confusion([[80, 20], [30, 70]])
MODELS = {
    "paired": (rw.models.Sigir2016(), 2, 2),
    "unpaired": (rw.models.Sigir2016Unpaired(), 2, 2),
    "unpaired, one": (rw.models.Sigir2016Unpaired(), 2, 1),
    "unpaired, three": (rw.models.Sigir2016Unpaired(), 2, 3),
    "tree": (rw.models.Tree(), 20, 2),
    "tree, two labels, four classifiers": (rw.models.Tree(kappa=4), 2, 4),
    "tree, four": (rw.models.Tree(), 20, 4),
    "tree, unpaired": (rw.models.Tree(paired=False), 20, 2),
    "tree, one": (rw.models.Tree(centre="pooled"), 20, 1),
    "tree, two labels": (rw.models.Tree(), 2, 2),
    "tree, two labels, one": (rw.models.Tree(), 2, 1),
    "learned": (rw.models.LearnedTree(), 20, 2),
    "learned, one": (rw.models.LearnedTree(), 20, 1),
    "learned, unpaired": (rw.models.LearnedTree(paired=False), 20, 2),
    "items": (rw.models.Items(ends=(0, 1)), 20, 2),
    "items, clusters": (rw.models.Items(over="clusters"), 20, 2),
    "items, unpaired": (rw.models.Items(paired=False), 20, 2),
    "flat": (rw.models.Flat(), 20, 2),
    "icdm2015": (rw.models.Icdm2015(), 20, 2),
    "icdm2015, one": (rw.models.Icdm2015(), 20, 1),
    "multilabel": (rw.models.Multilabel(), 90, 2),
    "multilabel, unpaired": (rw.models.Multilabel(paired=False), 90, 2),
    "bootstrap": (rw.models.Bootstrap(), 20, 2),
    "bootstrap, clusters": (rw.models.Bootstrap(over="clusters"), 20, 2),
    "bootstrap, unpaired": (rw.models.Bootstrap(paired=False), 20, 2),
    "pooled": (rw.models.Pooled(), 20, 2),
    "pooled, one": (rw.models.Pooled(), 2, 1),
    "power prior": (rw.models.PowerPrior(rw.models.Sigir2016(), EARLIER, discount=0.1), 2, 2),
    "power prior, classes": (rw.models.PowerPrior(rw.models.Icdm2015(), EARLIER), 2, 2),
    "own priors": (rw.models.OwnPriors(mu=(2, 38), rho=((8, 2), (1, 9))), 2, 2),
    "own priors, classes": (rw.models.OwnPriors(theta=(2, 1, 1, 1, 1)), 20, 2),
    "logit-normal": (rw.models.LogitNormal(), 20, 2),
    "logit-normal, pooled": (rw.models.LogitNormal(pooled=True, correlation="learned"), 20, 2),
    "logit-normal, paired": (rw.models.LogitNormal(pooled=True, paired=True), 20, 2),
    "noisy labels": (rw.models.NoisyLabels(error=(5, 95)), 2, 2),
    "noisy labels, unpaired": (rw.models.NoisyLabels(error=0.05, paired=False), 5, 2),
    "noisy labels, batches": (rw.models.NoisyLabels(error=(5, 95), batches=[EARLIER] * 2, drift=0.1), 2, 1),
}
CASES = {f"{name}, {form}": (*case, form) for name, case in MODELS.items() for form in ("counts", "items")}


@cache
def made(key):
    model, n_labels, n_classifiers, form = CASES[key]
    return graph_of(model, n_labels=n_labels, n_classifiers=n_classifiers, form=form)


def binary(model, n_classifiers, form="counts"):
    return graph_of(model, n_labels=2, n_classifiers=n_classifiers, form=form)


def family(graph):
    """Return every node with its parents."""
    return {node.name: set(graph.parents(node.name)) for node in graph.nodes}


def kinds(graph, kind):
    return {node.name for node in graph.nodes if node.kind == kind}


def plates(graph):
    return {plate.text: set(plate.members) for plate in graph.plates}


# -- the papers' figures ---------------------------------------------------------------------------------------


def test_one_classifier_item_by_item_is_figure_1a():
    """SIGIR 2016, 3.1.1: y_i ~ Bern(mu), yhat_i ~ Bern(rho+) or Bern(rho-), psi = f(mu, rho+, rho-)."""
    graph = binary(rw.models.Sigir2016Unpaired(), 1, "items")
    assert family(graph) == {
        "beta": set(), "alpha+": set(), "alpha-": set(),
        "mu": {"beta"}, "rho+": {"alpha+"}, "rho-": {"alpha-"},
        "y": {"mu"}, "yhat": {"y", "rho+", "rho-"},
        "psi": {"mu", "rho+", "rho-"},
    }  # fmt: skip
    assert plates(graph) == {"item i = 1 … N": {"y", "yhat"}}
    assert kinds(graph, "observed") == {"y", "yhat"}
    assert kinds(graph, "constant") == {"beta", "alpha+", "alpha-"}


def test_one_classifier_by_counts_is_figure_1b():
    """n+ ~ Bin(N, mu), n- = N - n+, c+ ~ Bin(n+, rho+), c- ~ Bin(n-, rho-)."""
    graph = binary(rw.models.Sigir2016Unpaired(), 1)
    assert family(graph) == {
        "beta": set(), "alpha+": set(), "alpha-": set(), "N": set(),
        "mu": {"beta"}, "rho+": {"alpha+"}, "rho-": {"alpha-"},
        "n+": {"N", "mu"}, "n-": {"N", "n+"}, "c+": {"n+", "rho+"}, "c-": {"n-", "rho-"},
        "psi": {"mu", "rho+", "rho-"},
    }  # fmt: skip
    assert not graph.plates
    assert graph["n-"].kind == "deterministic"
    assert {"n+", "n-", "c+", "c-"} < graph.known()


def test_the_paired_model_is_figure_3():
    """Outcome pairs are multinomial, and both scores depend on mu, theta+ and theta-."""
    graph = binary(rw.models.Sigir2016(), 2)
    parents = family(graph)
    assert parents["theta+"] == {"alpha+"}
    assert parents["theta-"] == {"alpha-"}
    assert parents["c+"] == {"n+", "theta+"}
    assert parents["c-"] == {"n-", "theta-"}
    assert parents["psi_A"] == parents["psi_B"] == {"mu", "theta+", "theta-"}
    assert parents["delta"] == {"psi_A", "psi_B"}
    assert kinds(graph, "latent") == {"mu", "theta+", "theta-"}
    assert not graph.plates


def test_the_unpaired_model_is_figure_2_once_for_each_classifier():
    """Two sub-models apart, delta between their scores; here each has a mu of its own, as Table 3 needs it."""
    single, both = binary(rw.models.Sigir2016Unpaired(), 1), binary(rw.models.Sigir2016Unpaired(), 2)
    parents = family(both)
    assert parents.pop("delta") == {"psi"}
    assert parents == family(single)
    shared = {"beta", "alpha+", "alpha-"}
    assert plates(both) == {"classifier k = A, B": set(family(single)) - shared}


@pytest.mark.parametrize("n_classifiers", [1, 2])
def test_the_hierarchical_model_is_figure_2_of_icdm_2015(n_classifiers):
    """mu ~ Dir(beta), n ~ Mult(N, mu), eta ~ Beta(alpha), theta_j ~ Dir(omega_j), c_j ~ Mult(n_j, theta_j)."""
    graph = graph_of(rw.models.Icdm2015(), n_labels=20, n_classifiers=n_classifiers)
    parents = family(graph)
    assert {name: found for name, found in parents.items() if name != "delta"} == {
        "alpha": set(), "beta": set(), "N": set(),
        "mu": {"beta"}, "n": {"N", "mu"}, "eta": {"alpha"}, "omega": {"eta"}, "theta": {"omega"},
        "c": {"n", "theta"}, "psi": {"mu", "theta"},
    }  # fmt: skip
    assert graph["omega"].kind == "deterministic"
    assert plates(graph)["class j = 1 … 20"] == {"omega", "theta", "c"}
    if n_classifiers == 2:
        around = plates(graph)["classifier k = A, B"]
        assert around == set(parents) - {"alpha", "beta", "delta"}


@pytest.mark.parametrize(
    ("model", "node", "formula"),
    [
        (rw.models.Sigir2016(), "mu", "μ ~ Beta(1, 1)"),
        (rw.models.Sigir2016(), "theta+", "θ⁺ ~ Dir(1, 1, 1, 1)"),
        (rw.models.Sigir2016(), "alpha-", "α⁻ = (1, 1, 1, 1)"),
        (rw.models.Sigir2016(), "c-", "c⁻ ~ Mult(n⁻, θ⁻)"),
        (rw.models.Sigir2016(), "n-", "n⁻ = N − n⁺"),
        (rw.models.Sigir2016(), "delta", "δ = ψ_A − ψ_B"),
        (rw.models.Sigir2016(positive=(2, 1, 1, 0.5)), "theta+", "θ⁺ ~ Dir(2, 1, 1, 0.5)"),
        (rw.models.Sigir2016Unpaired(), "rho+", "ρ_k⁺ ~ Beta(1, 1)"),
        (rw.models.Icdm2015(), "eta", "η_k ~ Beta(1, 1)"),
        (rw.models.Icdm2015(eta_prior=(2, 1)), "eta", "η_k ~ Beta(2, 1)"),
        (rw.models.Multilabel(), "theta+", "θ_l⁺ ~ Dir(0.25, 0.25, 0.25, 0.25)"),
        (rw.models.Bootstrap(over="clusters"), "w", "w_g ~ Dir(1, …, 1) over all clusters"),
    ],
)
def test_formulas_hold_the_numbers_of_the_prior(model, node, formula):
    assert plain(graph_of(model, n_labels=2, n_classifiers=2)[node].formula) == formula


def test_omega_shares_the_rest_among_the_other_classes():
    """ICDM 2015: omega_jk = (1 - eta) / (M - 1) off the diagonal."""
    graph = graph_of(rw.models.Icdm2015(), n_labels=20, n_classifiers=1)
    assert graph["omega"].formula == "ω_{j} = η on the diagonal, (1 − η) / 19 elsewhere"


# -- other models ----------------------------------------------------------------------------------------------


def test_the_tree_has_labels_within_types_within_classes():
    graph = graph_of(rw.models.Tree(), n_labels=20, n_classifiers=2)
    parents, around = family(graph), plates(graph)
    assert parents["t"] == {"n", "tau"}
    assert parents["c"] == {"t", "phi"}
    assert parents["psi_A"] == {"mu", "tau", "phi"}
    assert around["type t = 1 … 5"] == {"phi", "c"}
    assert around["class j = 1 … 20"] == {"tau", "t", "phi", "c"}


@pytest.mark.parametrize(
    ("n_classifiers", "n_labels", "number"), [(2, 3, 5), (2, 20, 5), (3, 20, 15), (4, 20, 52), (3, 3, 14)]
)
def test_types_are_counted_as_set_partitions(n_classifiers, n_labels, number):
    """Bell numbers of K + 1, less the partitions into more than M blocks (one of 4 things into 4)."""
    graph = graph_of(rw.models.Tree(), n_labels=n_labels, n_classifiers=n_classifiers)
    assert f"type t = 1 … {number}" in plates(graph)


def test_with_two_labels_the_types_of_the_tree_are_cells():
    graph = graph_of(rw.models.Tree(kappa=4), n_labels=2, n_classifiers=4)
    assert "phi" not in family(graph)
    assert list(plates(graph)) == ["class j = 1 … 2"]


def test_the_flat_model_has_no_tie_between_classes():
    graph = graph_of(rw.models.Flat(), n_labels=20, n_classifiers=1)
    assert family(graph)["theta"] == {"alpha"}
    assert plates(graph) == {"class j = 1 … 20": {"theta", "c"}}


def test_every_label_has_a_binary_table_of_its_own():
    graph = graph_of(rw.models.Multilabel(), n_labels=90, n_classifiers=2)
    single = binary(rw.models.Sigir2016(), 2)
    assert family(graph) == family(single)
    outside = {"beta", "alpha+", "alpha-", "N", "psi_A", "psi_B", "delta"}
    assert plates(graph) == {"label l = 1 … 90": set(family(single)) - outside}


def test_the_bootstrap_weighs_items_or_clusters_of_them():
    items = graph_of(rw.models.Bootstrap(), n_labels=2, n_classifiers=2, form="items")
    assert family(items)["psi_A"] == {"w", "x"}
    assert plates(items) == {"item i = 1 … N": {"w", "x"}}
    clusters = graph_of(rw.models.Bootstrap(over="clusters"), n_labels=2, n_classifiers=2)
    assert plates(clusters) == {"item i = 1 … N_{g}": {"x"}, "cluster g = 1 … G": {"w", "x"}}


def test_seen_items_or_clusters_are_weighed_beside_imagined_ones():
    """They are a bootstrap, and beside it those imagined: given, in no plate, with shares of their own."""
    items = graph_of(rw.models.Items(mass=3), n_labels=2, n_classifiers=2, form="items")
    bootstrap = graph_of(rw.models.Bootstrap(), n_labels=2, n_classifiers=2, form="items")
    assert plates(items) == plates(bootstrap)
    assert family(items)["psi_A"] == family(items)["psi_B"] == family(bootstrap)["psi_A"] | {"imagined"}
    assert family(items)["w"] == {"a"}
    assert items["a"].formula.startswith("a = 3 in all for those imagined")
    per_class = graph_of(rw.models.Items(imagined="classes", ends=(0, 5)), n_labels=2, n_classifiers=2)
    assert per_class["a"].formula.startswith("a = 2 per class for those imagined")
    assert "each score at 0 or 5" in per_class["imagined"].formula
    assert (kinds(items, "constant"), kinds(items, "observed")) == ({"a", "imagined"}, {"x"})
    clusters = graph_of(rw.models.Items(over="clusters"), n_labels=2, n_classifiers=2)
    assert family(clusters) == family(items)
    assert plates(clusters) == {"item i = 1 … N_{g}": {"x"}, "cluster g = 1 … G": {"w", "x"}}


def test_learned_masses_are_no_constants():
    """Else it is the tree; of two labels altogether."""
    several = rw.models.LearnedTree(kappas=(0.3, 1.0))
    learned, tree = (graph_of(m, n_labels=20, n_classifiers=2) for m in (several, rw.models.Tree()))
    assert family(learned)["tau"] == {"kappa", "m"}
    assert {"kappa", "m", "lambda"} <= kinds(learned, "latent")
    assert set(family(learned)) - set(family(tree)) == {"m"}
    assert "kappa" in kinds(graph_of(rw.models.LearnedTree(), n_labels=20, n_classifiers=2), "constant")
    apart = graph_of(replace(several, paired=False), n_labels=20, n_classifiers=2)
    assert {"kappa", "m", "lambda"} <= plates(apart)["classifier k = A, B"]
    two = {"n_labels": 2, "n_classifiers": 2}
    assert graph_of(rw.models.LearnedTree(), **two) == graph_of(rw.models.Tree(), **two)


def test_pooled_recalls_hang_on_their_centre_and_concentration():
    parents = family(graph_of(rw.models.Pooled(), n_labels=20, n_classifiers=1))
    assert parents["rho"] == {"m", "kappa"}
    assert parents["psi"] == {"mu", "rho", "phi"}


def test_earlier_items_hang_on_the_parameters_of_the_data():
    many = rw.Outcomes.from_confusion([[400, 200], [300, 300]])
    once = rw.models.PowerPrior(rw.models.Sigir2016Unpaired(), many, discount=0.5)
    graph = binary(once, 1)
    assert family(graph)["earlier"] == {"mu", "rho+", "rho-", "discount"}
    assert "1,200 earlier items" in graph["earlier"].formula
    assert "earlier" in plates(binary(once, 2))["classifier k = A, B"]
    again = binary(rw.models.PowerPrior(once, EARLIER, discount=1), 1)
    assert {"earlier", "earlier1"} < set(family(again))
    assert family(again)["earlier1"] == {"mu", "rho+", "rho-", "discount1"}


def test_a_prior_on_the_difference_adds_one_arrow():
    before = binary(rw.models.Sigir2016(), 2)
    after = binary(rw.models.DeltaPrior(model=rw.models.Sigir2016(), delta=stats.norm(0, 0.1)), 2)
    assert set(after.edges) - set(before.edges) == {("p(delta)", "delta")}
    assert after["p(delta)"].formula == "p(δ) = norm(0, 0.1)"
    assert after.title == f"{before.title}, with a prior on δ"
    alone = rw.models.DeltaPrior(model=rw.models.Sigir2016Unpaired(), delta=stats.norm(0, 0.1))
    assert binary(alone, 1) == binary(rw.models.Sigir2016Unpaired(), 1)


def test_noisy_labels_leave_the_truth_unknown():
    graph = graph_of(rw.models.NoisyLabels(error=(2, 38)), n_labels=3, n_classifiers=2, form="items")
    assert graph["epsilon"].formula == "ε ~ Beta(2, 38)"
    assert graph["y"].kind == "latent"
    assert family(graph)["y*"] == {"y", "epsilon"}
    assert family(graph)["yhat"] == {"y", "theta"}
    known = graph_of(rw.models.NoisyLabels(error=0.05), n_labels=3, n_classifiers=2)
    assert known["epsilon"].kind == "constant"
    assert family(known)["c*"] == {"mu", "theta", "epsilon", "N"}


# -- what holds of every graph ---------------------------------------------------------------------------------


@pytest.mark.parametrize("key", CASES)
def test_scores_hang_on_parameters_and_the_difference_on_scores(key):
    """psi is a function of what generates the data, never of the data; only the bootstrap has nothing else."""
    model, _, n_classifiers, _ = CASES[key]
    graph = made(key)
    latent = kinds(graph, "latent")
    scores = [name for name in family(graph) if name.startswith("psi")]
    joint = model.paired or getattr(model, "correlation", 0) != 0
    assert len(scores) == (2 if joint and n_classifiers == 2 else 1)
    for score in scores:
        seen = set(graph.parents(score)) & kinds(graph, "observed")
        assert seen <= ({"x"} if model.takes_clusters else set())
        assert latent & _ancestors(graph, score)
    if n_classifiers == 1:
        assert "delta" not in family(graph)
    else:
        assert set(graph.parents("delta")) == set(scores)


def _ancestors(graph, name):
    found = set(graph.parents(name))
    for parent in graph.parents(name):
        found |= _ancestors(graph, parent)
    return found


@pytest.mark.parametrize("key", CASES)
def test_every_arrow_is_in_a_formula(key):
    """What a quantity depends on is named by its formula, constants and earlier items apart, whose numbers are."""
    graph = made(key)
    for parent, child in graph.edges:
        if graph[parent].kind != "constant" and not child.startswith("earlier"):
            assert parts(graph[parent].text)[0] in graph[child].formula.split(" ", 1)[1], (parent, child)


@pytest.mark.parametrize("key", CASES)
def test_a_graph_is_acyclic_and_its_priors_are_constants(key):
    graph = made(key)
    order = graph.order()
    assert sorted(order) == sorted(family(graph))
    assert all(order.index(parent) < order.index(child) for parent, child in graph.edges)
    governing = {parent for parent, _ in graph.edges}
    assert all(not graph.parents(name) and name in governing for name in kinds(graph, "constant"))
    assert all(node.formula or node.kind == "constant" for node in graph.nodes)


@pytest.mark.parametrize(
    ("nodes", "edges", "groups", "says"),
    [
        ("", "", [], "name of its own"),
        ("aa", "", [], "name of its own"),
        ("aA", "", [], "place of its own"),
        ("ab", ["ax"], [], "are none"),
        ("ab", ["ab"], ["x"], "are none"),
        ("abc", ["ab", "bc", "ca"], [], "circle"),
        ("abc", ["ab"], ["ab", "bc"], "in one another"),
        ("abc", ["ab"], ["ab", "ab"], "in one another"),
    ],
)
def test_broken_graphs_are_refused(nodes, edges, groups, says):
    with pytest.raises(InvalidInputError, match=says):
        Graph(
            tuple(Node(name, (ord(name.lower()), 0), name, "latent") for name in nodes),
            tuple((a, b) for a, b in edges),
            tuple(Plate("", tuple(group)) for group in groups),
        )


def test_a_model_of_ones_own_brings_its_graph():
    class Mine:
        name = "mine"

        def graph(self, *, n_labels, n_classifiers, form):
            sketch = Sketch(f"{n_labels} {n_classifiers} {form}")
            sketch.latent("x", (0, 0), "x", "Normal(0, 1)")
            return sketch.graph()

    assert graph_of(Mine(), n_labels=3, n_classifiers=2).title == "3 2 counts"


def test_a_model_without_a_graph_says_how_to_give_it_one():
    with pytest.raises(InvalidInputError, match="has no graph") as caught:
        graph_of(object(), n_labels=2, n_classifiers=2)
    assert "graph(n_labels=" in caught.value.hint


# -- pictures --------------------------------------------------------------------------------------------------


def overlap(one, two):
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def holds(outer, inner):
    return outer[0] < inner[0] and outer[1] < inner[1] and outer[2] > inner[2] and outer[3] > inner[3]


WRAPPED = {
    "power prior, tree": rw.models.PowerPrior(rw.models.Tree(), EARLIER),
    "power prior, pooled": rw.models.PowerPrior(rw.models.Pooled(), EARLIER),
    "power prior, twice": rw.models.PowerPrior(rw.models.PowerPrior(rw.models.Sigir2016Unpaired(), EARLIER), EARLIER),
    "delta prior": rw.models.DeltaPrior(model=rw.models.Sigir2016(), delta=stats.norm(0, 0.1)),
    "delta prior, classes": rw.models.DeltaPrior(model=rw.models.Icdm2015(), delta=stats.norm(0, 0.1)),
}
DRAWN = {name: model for name, (model, _, _) in MODELS.items()} | WRAPPED
SIZES = list(itertools.product((2, 3, 100), (1, 2, 3, 30), ("counts", "items")))


def graphs_of(name):
    """Yield a model's graph for every number of labels and classifiers that it may meet, with a large table."""
    for n_labels, n_classifiers, form in SIZES:
        graph = graph_of(DRAWN[name], n_labels=n_labels, n_classifiers=n_classifiers, form=form)
        yield graph.where(N="123,456,789")


@pytest.mark.parametrize("name", DRAWN)
def test_nodes_lie_apart_and_plates_hold_their_own_and_no_others(name):
    for graph in graphs_of(name):
        shapes = shapes_of(graph)
        nodes = {shape.node.name: shape.box for shape in shapes}
        for one, two in itertools.combinations(nodes, 2):
            assert not overlap(nodes[one], nodes[two]), (one, two)
        frames = frames_of(graph, shapes)
        for plate, frame in zip(graph.plates, frames, strict=True):
            assert text_width(plain(plate.text), 11) < frame.right - frame.left
            words = (frame.left, frame.bottom - 15, frame.right, frame.bottom)
            for node, box in nodes.items():
                assert holds(frame, box) if node in plate.members else not overlap(frame, box), (plate.text, node)
                assert not overlap(words, box), (plate.text, node)
        for (p, one), (q, two) in itertools.combinations(zip(graph.plates, frames, strict=True), 2):
            if not set(p.members) & set(q.members):
                assert not overlap(one, two), (p, q)
            else:
                assert holds(one, two) if set(q.members) < set(p.members) else holds(two, one), (p, q)


@pytest.mark.parametrize("name", DRAWN)
def test_no_arrow_runs_through_a_node_or_words_or_a_plate_that_it_has_nothing_to_do_with(name):
    for graph in graphs_of(name):
        shapes = {shape.node.name: shape for shape in shapes_of(graph)}
        frames = list(zip(graph.plates, frames_of(graph, list(shapes.values())), strict=True))
        for parent, child in graph.edges:
            (x0, y0), (x1, y1) = ends = shapes[parent].middle, shapes[child].middle
            for other, shape in shapes.items():
                if other not in (parent, child):
                    room = RADIUS_PX + 5 if shape.node.kind != "constant" else min(shape.half)
                    assert _distance(shape.middle, *ends) > room, (parent, child, other)
            way = [(x0 + step / 50 * (x1 - x0), y0 + step / 50 * (y1 - y0)) * 2 for step in range(51)]
            for plate, frame in frames:
                if parent not in plate.members and child not in plate.members:
                    assert not any(holds(frame, place) for place in way), (parent, child, plate.text)
                if "earlier" not in {node.name for node in graph.nodes}:  # with them there is more to draw than room
                    left = frame.right - 8 - text_width(plain(plate.text), 10)  # letters are narrower than reckoned
                    words = (left, frame.bottom - 14, frame.right - 8, frame.bottom - 4)
                    assert not any(holds(words, place) for place in way), (parent, child, plate.text)


def _distance(point, start, end):
    (x, y), (x1, y1), (x2, y2) = point, start, end
    along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
    along = min(max(along, 0), 1)
    return math.hypot(x1 + along * (x2 - x1) - x, y1 + along * (y2 - y1) - y)


@pytest.mark.parametrize("name", DRAWN)
def test_data_stand_below_their_parameters_and_scores_above(name):
    for graph in graphs_of(name):
        known = graph.known()
        for parent, child in graph.edges:
            down = graph[child].at[1] - graph[parent].at[1]
            if child.startswith(("psi", "delta")) and graph[parent].kind != "constant":
                assert down < 0
            elif child in known and parent not in known:
                assert down > 0


# -- SVG -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", CASES)
def test_a_picture_is_small_well_formed_and_accessible(key):
    graph = made(key)
    text = svg(graph, notes=["A = one", "B = two", "ψ = F1"])
    root = ET.fromstring(text)
    left, top, width, height = map(float, root.get("viewBox").split())
    frame = (left, top, left + width, top + height)
    shapes = shapes_of(graph)
    assert all(holds(frame, shape.box) for shape in shapes), "something lies outside the picture"
    assert all(holds(frame, box) for box in frames_of(graph, shapes))
    assert all(left < float(note.get("x")) and float(note.get("y")) < top + height for note in root.iter(f"{SVG}text"))
    assert len(text.encode()) < 8_000
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == graph.title
    assert all(plain(node.formula or node.text) in root[1].text for node in graph.nodes)
    assert not root.findall(f".//{SVG}script")
    ids = re.findall(r'\sid="', text)
    assert not ids, "two pictures on one page would share them"


@pytest.mark.parametrize("key", ["paired, counts", "unpaired, items", "tree, counts"])
def test_shapes_tell_what_is_given_unknown_seen_and_computed(key):
    graph = made(key)
    root = ET.fromstring(svg(graph))
    known = graph.known()
    groups = root.findall(f"{SVG}g")
    assert len(groups) == len(graph.nodes)
    for node, group in zip(graph.nodes, groups, strict=True):
        circles = group.findall(f"{SVG}circle")
        assert group[0].text == plain(node.formula or node.text)
        assert len(circles) == {"constant": 0, "deterministic": 2}.get(node.kind, 1)
        if circles:
            assert (circles[0].get("class") == "known") == (node.name in known)
    assert len(root.findall(f"{SVG}rect[@class='plate']")) == len(graph.plates)


def test_arrows_end_at_the_borders_of_nodes():
    graph = made("paired, counts")
    heads = ET.fromstring(svg(graph)).find(f"{SVG}path[@class='head']").get("d")
    tips = [tuple(map(float, tip)) for tip in re.findall(r"M([-\d.]+) ([-\d.]+)", heads)]
    assert len(tips) == len(graph.edges)
    middles = {shape.node.name: shape.middle for shape in shapes_of(graph)}
    for (_, child), tip in zip(graph.edges, tips, strict=True):
        assert RADIUS_PX < math.dist(tip, middles[child]) < RADIUS_PX + 2


def test_marks_stand_above_and_below_their_letter():
    graph = made("unpaired, counts")
    root = ET.fromstring(svg(graph))
    (rho,) = [g for g in root.findall(f"{SVG}g") if g[0].text.startswith("ρ_k⁺")]
    over, under = rho.find(f"{SVG}text")
    assert (rho.find(f"{SVG}text").text, over.text, under.text) == ("ρ", "+", "k")
    assert float(over.get("dy")) < 0 < float(over.get("dy")) + float(under.get("dy"))


def test_letters_after_a_mark_stand_on_the_line_again():
    graph = made("own priors, counts")
    root = ET.fromstring(svg(graph))
    (prior,) = [g for g in root.findall(f"{SVG}g") if g[0].text.startswith("p(ρ⁺)")]
    assert sum(float(span.get("dy")) for span in prior.find(f"{SVG}text")) == 0
    assert "".join(prior.find(f"{SVG}text").itertext()) == "p(ρ+)"


def test_the_same_graph_is_the_same_picture_wherever_it_is_drawn():
    code = (
        "import sys; from ropewalk.models import Tree; from ropewalk.models.graph import graph_of;"
        "from ropewalk.report.plates import svg;"
        "sys.stdout.buffer.write(svg(graph_of(Tree(), n_labels=20, n_classifiers=2)).encode())"
    )
    fixed = {**os.environ, "PYTHONHASHSEED": "1"}
    drawn = subprocess.run([sys.executable, "-c", code], env=fixed, capture_output=True, check=True)
    assert drawn.stdout == svg(made("tree, counts")).encode()


# -- results ---------------------------------------------------------------------------------------------------

QUICK = {"rng": 0, "draws": 500}


@pytest.fixture(scope="module")
def answer():
    y, a, b = np.random.default_rng(0).integers(0, 2, (3, 1234))
    asked = {"metric": "f1", "pos_label": 1, "rope": 0.05, "model": "sigir2016", **QUICK}
    return rw.compare(y, a, b, names=["first", "second"], **asked)


def texts(drawn):
    return ["".join(found.itertext()) for found in ET.fromstring(drawn.svg).iter(f"{SVG}text")]


def test_a_comparison_draws_its_model(answer):
    drawn = answer.graph()
    assert drawn.graph == binary(rw.models.Sigir2016(), 2).where(N="1,234")
    assert {"A = first", "B = second", "ψ = F1 · N = 1,234"} < set(texts(drawn))
    assert drawn._repr_svg_() == str(drawn) == drawn.svg
    assert repr(drawn) == "Diagram(Two classifiers on one test set, two labels (SIGIR 2016): 14 nodes, 0 plates)"


@pytest.mark.parametrize("n_labels", [2, 3])
def test_where_no_model_is_named_the_default_one_is_drawn(silent, n_labels):
    """Of two labels the tree, whose types are cells; of more the tree whose centre is learned."""
    y, a, b = np.random.default_rng(0).integers(0, n_labels, (3, 300))
    drawn = rw.compare(y, a, b, metric="accuracy", **QUICK).graph().graph
    model = rw.models.Tree() if n_labels == 2 else rw.models.LearnedTree()
    assert drawn == graph_of(model, n_labels=n_labels, n_classifiers=2).where(N="300")
    assert (drawn["kappa"].kind, family(drawn)["kappa"]) == ("constant", set())
    assert ("m" in family(drawn)) == (n_labels > 2)


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_letters_stand_for_the_classifiers_in_the_order_of_the_question(silent, news, model):
    r = rw.compare(news.outcomes, a="svm_l2", b="nb_mult", metric="accuracy", model=model, **QUICK)
    assert {"A = svm_l2", "B = nb_mult"} < set(texts(r.graph()))


def test_separate_tables_tell_both_sizes(silent):
    one, two = (rw.Outcomes.from_confusion([[n, 20], [30, n]], name=str(n)) for n in (600, 700))
    r = rw.compare(one, two, metric="accuracy", **QUICK)
    assert "ψ = accuracy · N = 1,250, 1,450" in texts(r.graph())


def test_draws_of_somebody_elses_model_have_none_to_draw():
    from ropewalk.results.foreign import UnknownModel

    with pytest.raises(InvalidInputError, match="has no graph"):
        graph_of(UnknownModel(), n_labels=0, n_classifiers=2)


def test_the_other_form_has_a_plate_of_items(answer):
    assert plates(answer.graph(form="items").graph) == {"item i = 1 … N": {"y", "yhat"}}


def test_a_picture_is_written_to_a_file(answer, tmp_path):
    path = tmp_path / "model.svg"
    drawn = answer.graph(path)
    assert path.read_text(encoding="utf-8") == drawn.svg
    with pytest.raises(UnreadableFileError):
        answer.graph(tmp_path / "nowhere" / "model.svg")


@pytest.mark.parametrize("form", ["count", "", None, 1])
def test_an_unknown_form_is_refused_with_a_hint(answer, form):
    with pytest.raises(InvalidInputError, match="Unknown form") as caught:
        answer.graph(form=form)
    assert "counts, items" in caught.value.hint


def test_every_kind_of_result_draws_its_model(silent):
    rng = np.random.default_rng(1)
    y, a, b, c = rng.integers(0, 3, (4, 200))
    labels = rng.integers(0, 2, (3, 50, 4))
    scores = rng.random((2, 200))
    found = {
        "unpaired": rw.compare(y, a, b, model="unpaired", **QUICK),
        "classes": rw.compare_classes(y, a, b, **QUICK),
        "rank": rw.rank(y, a, b, c, **QUICK),
        "evaluate": rw.evaluate(y, a, metric=["accuracy", "macro_f1"], **QUICK),
        "multilabel": rw.compare(*labels, metric="macro_f1", **QUICK),
        "scores": rw.compare(y > 0, *scores, metric="roc_auc", **QUICK),
        "clusters": rw.compare(y, a, b, cluster=np.arange(200) // 2, **QUICK),
        "labels": rw.compare(*labels, metric="macro_f1", model="multilabel", **QUICK),
        "scores, bootstrap": rw.compare(y > 0, *scores, metric="roc_auc", model="bootstrap", **QUICK),
        "clusters, bootstrap": rw.compare(y, a, b, cluster=np.arange(200) // 2, model="bootstrap", **QUICK),
    }
    titles = {name: result.graph().graph.title for name, result in found.items()}
    assert titles["scores"] == titles["multilabel"] == "Items, seen and imagined"
    assert titles["clusters"] == "Clusters, seen and imagined"
    assert titles["scores, bootstrap"] == "The Bayesian bootstrap over items"
    assert titles["clusters, bootstrap"] == "The Bayesian bootstrap over clusters"
    assert found["evaluate"]["accuracy"].graph() == found["evaluate"].graph()
    for which in ("", ", bootstrap"):
        assert plates(found["scores" + which].graph().graph) == {"item i = 1 … N": {"w", "x"}}
        assert "ψ = macro F1 · N = 200 · G = 100" in texts(found["clusters" + which].graph())
    names = found["rank"].recipe.tables[0].names
    assert {f"{k}: {name}" for k, name in enumerate(names, start=1)} < set(texts(found["rank"].graph()))
    assert "class j = 1 … 3" in plates(found["rank"].graph().graph)
    assert "label l = 1 … 4" in plates(found["labels"].graph().graph)


def test_a_result_without_a_model_says_so(answer):
    from ropewalk.report.plates import plate_diagram

    with pytest.raises(InvalidInputError, match="no model to draw") as caught:
        plate_diagram(answer.prior_sensitivity())
    assert "compare" in caught.value.hint


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_text(silent, name):
    y = ["p", "n"] * 50
    r = rw.compare(y, y[:90] + ["n"] * 10, y, names=[name, "b"], pos_label="p", **QUICK)
    drawn = r.graph()
    root = ET.fromstring(drawn.svg.encode())
    assert {found.tag.removeprefix(SVG) for found in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "path", "g", "circle", "text", "tspan",
    }  # fmt: skip
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067\ufffe\uffff]", drawn.svg)
    (told,) = [text for text in texts(drawn) if text.startswith("A = ")]
    assert len(told) < 60
    page = r.to_html()
    assert "<script>alert" not in page
    assert "<img" not in page


# -- the page --------------------------------------------------------------------------------------------------


def test_the_page_shows_the_model_and_its_formulas(answer):
    page = answer.to_html()
    section = page[page.index("The model, as a graph") :]
    section = section[: section.index("</details>")]
    picture = section[section.index("<svg") : section.index("</svg>") + 6]
    ET.fromstring(picture)
    assert len(section.encode()) < 8_000
    assert "<style" not in picture, "the page's policy lets no other style in"
    assert "<li>θ<sup>+</sup> ~ Dir(1, 1, 1, 1)</li>" in section
    assert ".plates circle{" in page[: page.index("</style>")]


def test_the_page_writes_what_is_given_where_the_picture_has_no_room_for_it():
    section = rw.compare([0.1, 0.9] * 20, [0.2, 0.7] * 20, metric="mean", **QUICK).to_html()
    assert "<li>x<sup>*</sup> = items imagined, each score at 0 or 1; weighted too</li>" in section
    assert "<li>a = 2 in all for those imagined" in section


def test_a_page_goes_without_a_model_that_has_no_graph(answer):
    from dataclasses import replace

    class Mine(rw.models.Sigir2016):
        graph = None

    page = replace(answer, recipe=replace(answer.recipe, model=Mine())).to_html()
    assert "The model, as a graph" not in page
