"""Hostile command lines, drawn from seeds: each ends in an answer, or in an error with a hint, and harms no file."""

from __future__ import annotations

from itertools import islice

import pytest

from fuzzing import LINES, SLOW, World, attacks, lines_of
from ropewalk.cli.app import COMMANDS


@pytest.fixture(scope="module")
def world(tmp_path_factory, frugal_throughout):
    return World(tmp_path_factory.mktemp("fuzz"))


def assert_withstands(world, seed, number):
    """No line of a seed ends in a traceback, without a hint, or with a file that is changed or left over."""
    problems = [(line, found) for line in islice(attacks(world, seed), number) if (found := world.problems(line))]
    assert problems == []


def test_lines_that_are_not_spoilt_are_answered(world, no_running_loop):
    assert LINES.keys() == COMMANDS.keys()
    for name in COMMANDS.keys() - SLOW:
        line = lines_of(name)[0]
        assert (world.run(line)[0], world.problems(line)) == (0, [])


def test_hostile_lines_end_in_a_sentence(world):
    assert_withstands(world, seed=0, number=60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 31))
def test_hostile_lines_of_many_seeds_end_in_a_sentence(world, seed):
    assert_withstands(world, seed, number=150)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_every_line_that_is_spoilt_here_works_by_itself(world, name):
    for line in lines_of(name):
        assert world.problems(line) == [], line
        assert world.run(line)[0] == 0, line
