"""The event loop in machine code gives what the engine before it gave: SciPy's steps with all laws in Python.

Two hundred random robots with random laws, rigid and elastic, and every bundled robot that states laws: positions and
speeds within ten times the tolerance.
"""

from __future__ import annotations

import os

import pytest

import gearwright as gw
from gearwright.catalogue import robots
from support.before import worst_beside_before
from support.random_robots import random_case

SEEDS = 100
"""Per kind of drives."""

CHUNK = 10
TAKEN = 1 if os.environ.get("GEARWRIGHT_PROFILE") == "full" else 5
"""Every fifth robot, and all of them with GEARWRIGHT_PROFILE=full: each is compiled for one short run."""

UNTIL = 0.1
"""[s]"""


@pytest.mark.slow
@pytest.mark.parametrize("elastic", [False, True], ids=["rigid", "elastic"])
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_random_robots(first, elastic):
    for seed in range(first, first + CHUNK, TAKEN):
        case = random_case(seed, elastic)
        off = worst_beside_before(case.robot, state=case.state, inputs=case.inputs, until=UNTIL)
        assert off < 10, f"seed {seed}: {off:.1f} tolerances"


@pytest.mark.slow
@pytest.mark.parametrize("name", robots())
def test_bundled_robots(name):
    robot = gw.load(name)
    if not gw.laws(robot):
        pytest.skip("it states no laws")
    assert worst_beside_before(robot, until=0.03) < 10
