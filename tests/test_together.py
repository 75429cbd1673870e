"""Calls at the same time, calls within calls, and arguments that belong to the caller."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ropewalk as rw
from calls import NEW, OLD, TRUTH, call_of, known, things
from ropewalk.metrics import ratio
from support import without_warnings

SEEDS = range(6)


def asked(seed, **options):
    return rw.compare(TRUTH, NEW, OLD, rope=0.1, draws=400, rng=seed, **options).to_json()


@pytest.mark.usefixtures("silent", "frugal")
def test_threads_get_the_answers_that_they_get_alone():
    alone = [asked(seed) for seed in SEEDS]
    with ThreadPoolExecutor(len(SEEDS)) as pool:
        assert [*pool.map(asked, SEEDS)] == alone


@pytest.mark.usefixtures("silent", "frugal")
def test_what_is_called_during_a_call_may_call_again():
    plain, inner = asked(0), []

    def progress(_done, _total):
        inner.append(asked(1))

    def accuracy(margins):
        inner.append(asked(1))
        return ratio(margins.tp.sum(axis=-1), margins.total[..., 0] if margins.total.ndim > 1 else margins.total)

    assert asked(0, progress=progress) == plain
    within = rw.compare(TRUTH, NEW, OLD, metric=accuracy, draws=400, rng=0)
    assert within.mean == rw.compare(TRUTH, NEW, OLD, metric="accuracy", draws=400, rng=0).mean
    assert len(inner) > 2
    assert set(inner) == {asked(1)}


def said_by(thing):
    """Return all that a thing says."""
    return thing.to_json() if hasattr(thing, "to_json") else str(thing)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_copies_of_answers_and_data_say_the_same(again):
    for name, thing in things().items():
        if name not in {"BayesError", "Query", "Log"}:  # functions of the user's own, a connection, and open files
            assert said_by(again(thing)) == said_by(thing), name


def test_a_log_is_copied_with_the_rows_that_it_reads():
    log = things()["Log"]
    assert [*copy.deepcopy(log).rows()] == [*copy.copy(log).rows()] == [*log.rows()]


def frozen(value):
    """Return what an argument is, None where that cannot be told."""
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


@pytest.mark.slow
def test_no_call_changes_its_arguments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    changed = []
    for name in known():
        if name.startswith(("plots.", "things")) or name.rpartition(".")[2] in {"plot", "to_html", "to_netcdf"}:
            continue
        call = call_of(name)
        given = [*call.arguments, *call.options.values()]
        before = [frozen(value) for value in given]
        with without_warnings():
            try:
                call()
            except rw.errors.RopewalkError:
                continue
        changed += [name for value, was in zip(given, before, strict=True) if frozen(value) != was]
    assert changed == []


@pytest.mark.usefixtures("silent", "frugal")
def test_an_answer_does_not_look_at_the_callers_arrays_again():
    """But for its items, which are read again from where they were: that says so if they are others by then."""
    y, a, b, cluster = np.array(TRUTH), np.array(NEW), np.array(OLD), np.arange(12) // 2
    r = rw.compare(y, a, b, metric="accuracy", rope=0.1, cluster=cluster, draws=400, rng=0)
    said, again = r.to_json(), r.prior_sensitivity().to_dict()
    for array in (y, a, b, cluster):
        array[:] = 1
    assert (r.to_json(), r.prior_sensitivity().to_dict()) == (said, again)
    with pytest.raises(rw.errors.DataError, match="The data have changed"):
        r.items()
