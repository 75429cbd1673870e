"""What stands where an answer about more than items names its model: it is fitted to folds, data sets or runs."""

from __future__ import annotations

from typing import Any, NoReturn, Unpack

from ropewalk.errors import InvalidInputError
from ropewalk.models.graph import Size
from ropewalk.models.protocol import Model


class Unfitted(Model):
    """A model of what is no count of items: no verb takes it by name, and it is fitted where its own data are read.

    A class that inherits from it says what it is fitted to, in `fitted_to`, and by what, in `fitted_by`.
    """

    __slots__ = ()

    fitted_to = "scores of folds"
    fitted_by = "rw.cross_compare"
    without_graph = "r.to_text(details=True) has its formulas."

    is_of_items = False
    is_symmetric = True
    no_papers = "they are about items, and this answer is about more than these"

    @property
    def no_factor(self) -> str:
        """Why there is no Bayes factor."""
        return f"the prior of the {self.title} model is improper"

    def fit(self, outcomes: Any) -> NoReturn:  # noqa: ARG002
        """Refuse: what it is fitted to are not counts."""
        raise InvalidInputError(
            f"The {self.title} model is fitted to {self.fitted_to}, not to counts.", hint=f"{self.fitted_by} fits it."
        )

    def graph(self, **size: Unpack[Size]) -> NoReturn:  # noqa: ARG002
        """Refuse: it is a formula."""
        raise InvalidInputError(f"The {self.title} model has no graph.", hint=self.without_graph)
