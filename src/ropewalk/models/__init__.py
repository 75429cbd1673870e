"""Models: priors and counts make a posterior that is drawn exactly."""

from __future__ import annotations

from ropewalk._checks import checked_keywords
from ropewalk.models.binary import Sigir2016, Sigir2016Unpaired
from ropewalk.models.bootstrap import Bootstrap
from ropewalk.models.confusion import Flat, Icdm2015, Pooled
from ropewalk.models.delta import DeltaPrior
from ropewalk.models.multilabel import Multilabel
from ropewalk.models.own import OwnPriors
from ropewalk.models.power_prior import PowerPrior
from ropewalk.models.protocol import Model, Posterior
from ropewalk.models.registry import MODELS, model_names, parse_model, register
from ropewalk.models.sampled import LogitNormal, NoisyLabels
from ropewalk.models.tree import Tree

__all__ = [
    "MODELS",
    "Bootstrap",
    "DeltaPrior",
    "Flat",
    "Icdm2015",
    "LogitNormal",
    "Model",
    "Multilabel",
    "NoisyLabels",
    "OwnPriors",
    "Pooled",
    "Posterior",
    "PowerPrior",
    "Sigir2016",
    "Sigir2016Unpaired",
    "Tree",
    "model_names",
    "papers_models",
    "parse_model",
    "register",
]


def __dir__() -> list[str]:
    """List what is public."""
    return __all__


def _paired(n_labels: int, n_classifiers: int) -> Model:
    """Return the tree, and for two labels that with the papers' prior; for two classifiers it is their own model."""
    if n_labels > 2:  # noqa: PLR2004
        return Tree(name="paired")
    return Sigir2016(name="paired") if n_classifiers == 2 else Tree(kappa=4.0, name="paired")  # noqa: PLR2004


def _unpaired(n_labels: int, n_classifiers: int) -> Model:  # noqa: ARG001
    """Return a tree of each classifier, and for two labels the papers' model."""
    return Tree(paired=False, name="unpaired") if n_labels > 2 else Sigir2016Unpaired(name="unpaired")  # noqa: PLR2004


@checked_keywords
def papers_models(n_labels: int, *, multilabel: bool = False) -> list[tuple[str, Model]]:
    """Return the papers' models of so many labels, each with a name: what another prior is compared with."""
    if multilabel:
        return [
            ("paired, SIGIR 2016", Multilabel(kappa=4.0)),
            ("unpaired, SIGIR 2016", Multilabel(kappa=2.0, paired=False)),
        ]
    if n_labels > 2:  # noqa: PLR2004
        return [("hierarchical, ICDM 2015", Icdm2015()), ("flat", Flat())]
    return [("paired, SIGIR 2016", Sigir2016()), ("unpaired, SIGIR 2016", Sigir2016Unpaired())]


register(Sigir2016, "paired", single=_paired, multilabel=Multilabel)
register(Sigir2016Unpaired, "unpaired", single=_unpaired, multilabel=lambda: Multilabel(paired=False))
register(Sigir2016, "sigir2016")
register(Sigir2016Unpaired, "sigir2016_unpaired")
register(Tree, "tree")
register(Pooled)
register(Icdm2015)
register(Flat)
register(Multilabel, "multilabel")
register(Bootstrap, multilabel=Bootstrap)
