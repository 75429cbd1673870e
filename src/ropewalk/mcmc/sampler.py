"""How Markov chains are to be run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from ropewalk._checks import check_draws, check_whole, choose, is_real
from ropewalk.errors import InvalidInputError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import told
from ropewalk.typing import DrawsLike

Step = Literal["nuts", "metropolis"]
Form = Literal["counts", "items"]
Backend = Literal["auto", "pymc", "nutpie"]

_DRAWS: Final[dict[str, int]] = {"nuts": 10_000, "metropolis": 50_000}
_CHAINS: Final[dict[str, int]] = {"nuts": 4, "metropolis": 1}
_TUNE: Final[dict[str, int]] = {"nuts": 1_000, "metropolis": 0}
_MAX_CHAINS: Final = 1_000
_MAX_TUNE: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """How to sample by Markov chains: what `engine="pymc"` stands for, with everything that can be set.

    `step` is "nuts" or "metropolis", the papers' sampler. `n_chains` and `tune` (steps that adapt the sampler, and are
    thrown away) are 4 and 1,000 for NUTS; 1 and 0 for Metropolis, as in the papers, which take 50,000 draws. `form`
    is "counts" or "items": the same posterior from a likelihood of counts or of single items, which is slower.
    `backend` runs NUTS by "nutpie" or "pymc"; "auto" takes nutpie where it is installed. `target_accept` nearer to 1
    makes NUTS take smaller steps, which cures divergences.

    Examples
    --------
    >>> Sampler(step="metropolis").n_chains
    1
    """

    step: Step = "nuts"
    n_chains: int | None = None
    tune: int | None = None
    form: Form = "counts"
    backend: Backend = "auto"
    target_accept: float = 0.9

    def __post_init__(self) -> None:
        for name, allowed in (("step", Step), ("form", Form), ("backend", Backend)):
            choose(getattr(self, name), {value: value for value in get_args(allowed)}, name)
        for name, least, most, usual in (("n_chains", 1, _MAX_CHAINS, _CHAINS), ("tune", 0, _MAX_TUNE, _TUNE)):
            value = getattr(self, name)
            if value is None:
                object.__setattr__(self, name, usual[self.step])
            else:
                check_whole(value, name, least, most)
        if not is_real(self.target_accept) or not 0 < self.target_accept < 1:
            raise InvalidInputError(
                f"`target_accept` must lie between 0 and 1; got {told(self.target_accept)}.",
                hint="0.9 is usual, and 0.99 cures most divergences.",
            )

    def per_chain(self, draws: DrawsLike) -> int:
        """Return how many draws a chain takes, so that all together take at least as many as asked for."""
        number = check_draws(draws)
        total = _DRAWS[self.step] if number == "auto" else number
        return -(-total // (self.n_chains or 1))


Engine: TypeAlias = Literal["auto", "exact", "pymc"] | Sampler


def parse_engine(engine: Any, step: Any = None, n_chains: Any = None, tune: Any = None) -> Sampler | str:
    """Return the sampler that was asked for, or "auto" or "exact".

    Examples
    --------
    >>> parse_engine("pymc", step="metropolis").tune
    0
    """
    settings = {"step": step, "n_chains": n_chains, "tune": tune}
    settings = {name: value for name, value in settings.items() if value is not None}
    if isinstance(engine, Sampler):
        return replace(engine, **settings)
    chosen = choose(engine, {"auto": "auto", "exact": "exact", "pymc": "pymc"}, "engine")
    if chosen == "exact" and settings:
        raise InvalidInputError(
            argument(next(iter(settings))) + " is about Markov chains, and the exact engine has none.",
            hint=wording('use engine="pymc".'),
        )
    return Sampler(**settings) if chosen == "pymc" or settings else chosen
