"""Runs with rigid contacts in machine code: integrated and located there, their modes determined together in Python."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from contact.random_bodies import Throw, floors, free_body, planar_body, random_throw
from gearwright.simulation.simulation import Simulation


@pytest.fixture
def integrations_in_python(monkeypatch):
    """Counts the integrations in Python."""
    calls = []
    integrate = Simulation._ends_in_python
    monkeypatch.setattr(Simulation, "_ends_in_python", lambda *args: calls.append(1) or integrate(*args))
    return calls


def run(throw: Throw, engine: str, until: float = 0.5) -> gw.simulation.Run:
    options = gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11, engine=engine)
    return gw.simulate(throw.mech, gw.State(throw.q, throw.v), until, laws=throw.laws, samples=51, integrator=options)


@pytest.mark.parametrize("seed", [0, 2, 5, 8, 10])
def test_thrown_bodies_move_alike_in_both_loops(seed, integrations_in_python):
    """They bounce, slide, stick and turn over, on up to five points."""
    throw = random_throw(seed)
    compiled = run(throw, "compiled")
    assert not integrations_in_python
    plain = run(throw, "python")
    assert integrations_in_python
    assert np.abs(compiled.q - plain.q).max() < 1e-8
    assert np.abs(compiled.v - plain.v).max() < 1e-8
    assert [(x.name, x.kind) for x in compiled.events] == [(x.name, x.kind) for x in plain.events]
    for law in throw.laws:
        name = f"{law.name}.force"
        assert np.abs(compiled[name] - plain[name]).max() < 1e-6 * (1.0 + np.abs(plain[name]).max())


def table(friction: float) -> Throw:
    """A table of 2 kg on four legs, pushed along the floor: how its legs share the load is not unique."""
    legs = [(x, y, -0.4) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    return Throw(free_body(legs, 2.0), np.array([0.0, 0, 0.4, 1, 0, 0, 0]), np.zeros(6), floors(4, 0.0, friction))


@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_loads_that_are_not_unique_are_shared_in_python_within_the_cones(friction, integrations_in_python):
    run_of_table = run(table(friction), "compiled", 0.2)
    assert integrations_in_python
    forces = np.column_stack([run_of_table[f"c{k}.force"] for k in range(4)])
    assert forces.min() > 0.0
    assert np.abs(forces.sum(axis=1) - 2.0 * 9.81).max() < 1e-8


def test_directions_across_a_planar_machine_leave_it_in_machine_code(integrations_in_python):
    """A planar foot sticks: no force acts along the tangent in which nothing moves."""
    feet = planar_body([(-0.1, -0.2)])
    throw = Throw(feet, np.array([0.0, 0.2, 0.0]), np.zeros(3), floors(1, 0.0, 0.9))
    stuck = run(throw, "compiled")
    assert not integrations_in_python
    assert ("c0", "stick") in [(x.name, x.kind) for x in stuck.events]
    across, along = sorted(np.abs(stuck[f"c0.force_{k}"]).max() for k in (1, 2))
    assert across == 0.0
    assert along > 1.0
