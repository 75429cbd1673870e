"""Whatever the arguments, a call is answered, or refused by an error of ours that says what to do.

Good calls of all that is public have one or two of their arguments replaced; `calls.py` has the calls, `hostile.py`
the values.
"""

from __future__ import annotations

import random
import traceback
import warnings

import numpy as np
import pytest

import ropewalk as rw
from calls import call_of, known
from hostile import PATIENCE, VALUES, ReadForever, Trap
from support import need

QUICK, SLOW = 300, 20_000
WORKERS = {"n_jobs", "threads"}


@pytest.fixture(autouse=True)
def _far_from_everything(tmp_path, monkeypatch):
    """Work in an empty folder, since some values are good names of files; and give up what never ends soon."""
    for module in ("pandas", "polars", "matplotlib"):
        need(module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ropewalk._arguments.MAX_READ", PATIENCE // 10)
    monkeypatch.setattr("ropewalk._arguments._MAX_TEXTS", PATIENCE // 10)


def judged(call, changes):
    """Return what is wrong with how a call ends, as lines; None where nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
        try:
            call(changes)
        except rw.errors.RopewalkError as error:
            return None if error.hint and error.message else "An error without a hint."
        except MemoryError:  # of an array that says it is so large
            return None
        except (Exception, ReadForever):  # noqa: BLE001
            return traceback.format_exc()
        finally:
            need("matplotlib.pyplot").close("all")
    return None


def attacks(seed, number):
    """Yield calls, and the keys of the hostile values that go into them, by their places."""
    chance = random.Random(seed)
    names = [name for name in known() if call_of(name).places() and name != "models.register"]
    for _ in range(number):
        call = call_of(chance.choice(names))
        places = [place for place in call.places() if place not in WORKERS]
        picked = chance.sample(places, min(len(places), chance.choice([1, 1, 2])))
        yield call, {place: chance.choice(list(VALUES)) for place in picked}


def faults(seed, number):
    """Return what is wrong with how so many attacks end."""
    found = []
    for call, keys in attacks(seed, number):
        problem = judged(call, {place: VALUES[key]() for place, key in keys.items()})
        if problem:
            found.append(f"{call.name} {keys}\n{problem}")
    return found


def test_all_that_is_public_has_a_good_call():
    assert [name for name, (_, make) in known().items() if make is None] == []
    assert len(known()) > 300


@pytest.mark.slow
def test_good_calls_are_answered():
    """Those that read files find none, and others have nothing to tell of one object: they say so."""
    problems = {name: judged(call_of(name), {}) for name in known()}
    assert {name: problem for name, problem in problems.items() if problem} == {}


def test_hostile_arguments_are_refused_or_answered():
    assert faults(0, QUICK) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_many_hostile_arguments_are_refused_or_answered(seed):
    assert faults(seed, SLOW // 4) == []


def test_what_is_wrong_with_a_call_is_seen():
    """The judge itself must be able to fail."""
    assert "RuntimeError" in judged(lambda _: iter(Trap()), {})
    assert "RuntimeWarning" in judged(lambda _: np.float64(1.0) / np.float64(0.0), {})
    assert "ReadForever" in judged(lambda _: list(VALUES["endless"]()), {})
    assert "without a hint" in judged(lambda _: (_ for _ in ()).throw(rw.errors.DataError("No.")), {})
