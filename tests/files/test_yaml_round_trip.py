"""Robot -> YAML -> robot leaves the dynamics unchanged, on random robots and on the bundled ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gearwright as gw
from gearwright.catalogue import robots
from gearwright.files import read_yaml, write_yaml
from gearwright.parts import Link, Robot
from support.machines import KINDS, random_parts_design, random_state


def same_dynamics(first: gw.Mechanism, second: gw.Mechanism, seed: int) -> bool:
    s = random_state(np.random.default_rng(seed), first)
    assert first.speeds == second.speeds
    assert [a.name for a in first.actuators] == [a.name for a in second.actuators]
    pairs = [
        (gw.inverse_dynamics(m, s.q, s.v, s.a), gw.mass_matrix(m, s.q), gw.potential_energy(m, s.q))
        for m in (first, second)
    ]
    return all(np.array_equal(x, y) for x, y in zip(*pairs, strict=True))


@pytest.mark.parametrize("seed", range(40))
def test_random_robots(seed):
    rng = np.random.default_rng(seed)
    kinds = ["revolute", *(str(k) for k in rng.choice(KINDS, size=int(rng.integers(0, 6))))]
    robot = random_parts_design(rng, kinds, wheels=int(rng.integers(0, 8)), elastic=int(rng.integers(0, 3))).robot()
    again = read_yaml(write_yaml(robot))
    assert same_dynamics(gw.assemble(robot), gw.assemble(again), seed)
    assert write_yaml(again) == write_yaml(robot)


@pytest.mark.parametrize("name", robots())
def test_bundled_robots(name, tmp_path):
    robot = gw.load(name)
    for ending in (".yaml", ".yml"):
        path = tmp_path / f"{name}{ending}"
        gw.save(robot, path)
        assert gw.load(path) == robot


@given(st.text(min_size=1, max_size=40))
@example("1e5")
@example("null")
@example("on")
@example("- a: [b")
@example(" # ")
@example("<<")
def test_any_name_survives(name):
    robot = Robot(name, [Link(name, mass=1)], description=name)
    if name == "base":
        return
    again = read_yaml(write_yaml(robot))
    assert (again.name, again.links[0].name, again.description) == (name, name, name)


def test_a_changed_file_changes_the_dynamics():
    """The comparison above can fail."""
    robot = gw.load("elbow")
    other = read_yaml(write_yaml(robot).replace("ratio: 80.0", "ratio: 81.0"))
    assert not same_dynamics(gw.assemble(robot), gw.assemble(other), 0)
