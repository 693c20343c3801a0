"""The event engine determines a single rigid contact: impulses, modes and runs are those of the modules for many."""

from __future__ import annotations

import types
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import SingularityError
from gearwright.functions.constrained.impulse_cone import SLIP_DIRECTION_COUNT
from gearwright.functions.constrained.impulse_path import ONSET_DIRECTION_COUNT, impulse_of_impact
from gearwright.simulation.compiled_loop.source import contact_impulses
from gearwright.simulation.simulation import Simulation
from support.fmus import arm

CASES = 40
ROWS = 3


def workspace(W: np.ndarray, u: np.ndarray, friction: float, is_poisson: bool) -> types.SimpleNamespace:
    """What the source of the engine reads of a contact, in Python."""
    s = types.SimpleNamespace(contact_rows=len(u), contact_facts=np.array([friction, float(is_poisson)]), residual=0.0)
    s.contact_matrix, s.contact_speeds = np.zeros((ROWS, ROWS)), np.zeros(ROWS)
    s.contact_matrix[: len(u), : len(u)], s.contact_speeds[: len(u)] = W, u
    s.contact_matrix = s.contact_matrix.ravel()
    for name in ("contact_impulse", "contact_slip", "contact_axis", "path_share", "path_impulses", "right"):
        setattr(s, name, np.zeros(ROWS))
    for name in ("path_state", "path_new", "path_whole", "path_stage", "path_rates", "path_total"):
        setattr(s, name, np.zeros(contact_impulses.PATH_SIZE))
    s.path_matrix, s.matrix, s.order = np.zeros(ROWS * ROWS), np.zeros(ROWS * ROWS), np.zeros(ROWS, dtype=int)
    return s


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("law", ["energetic", "poisson"])
def test_impulses_are_those_of_impact(rows, restitution, law):
    """Machines of one to five speeds, planar ones too, and those that cannot move along a tangent."""
    rng, compared = np.random.default_rng(10 * rows + round(10 * restitution)), 0
    for case in range(CASES):
        J = rng.normal(size=(rows, 1 + case % 5))
        if case % 7 == 3:
            J[1] = 0.0
        if case % 6 == 2 and rows == 3:
            J[2] = 0.7 * J[1]
        W, u = J @ J.T, J @ rng.normal(size=J.shape[1])
        u = -np.sign(u[0]) * u
        if case % 4 == 1:
            u[1:] = 0.0
            W = W + 1e-3 * np.eye(rows)
        friction = float(rng.uniform(0.0, 1.0))
        try:
            expected = impulse_of_impact(W, u, friction, restitution, law)
        except SingularityError:  # the friction is too large for these rows
            continue
        s = workspace(W, u, friction, law == "poisson")
        found = contact_impulses.follow_impulse(s, restitution) if restitution else contact_impulses.solve_cone(s, 0)
        assert found == 0
        speeds = W @ (s.contact_impulse[:rows] - expected)
        assert np.abs(speeds).max() < 1e-9 * np.abs(u).max(), case
        compared += 1
    assert compared > CASES // 2


@pytest.mark.parametrize(("kind", "count"), [("SLIP", SLIP_DIRECTION_COUNT), ("ONSET", ONSET_DIRECTION_COUNT)])
def test_directions_of_slip_are_those_of_impact(kind, count):
    found = [getattr(contact_impulses, f"{kind}_STEP_{word}") for word in ("COSINE", "SINE")]
    assert found == pytest.approx([np.cos(2 * np.pi / count), np.sin(2 * np.pi / count)], rel=1e-14)


@pytest.fixture
def searches_in_python(monkeypatch):
    """Counts the changes of modes that are found in Python."""
    times, find = [], Simulation._find_modes_in_python
    monkeypatch.setattr(
        Simulation, "_find_modes_in_python", lambda run, point: times.append(point.t) or find(run, point)
    )
    return times


@pytest.mark.parametrize(
    ("restitution", "friction", "impact"),
    [(0.0, 0.0, "energetic"), (0.5, 0.0, "energetic"), (0.0, 0.4, "energetic"), (0.5, 0.4, "poisson")],
)
def test_a_run_with_one_contact_never_leaves_the_engine(restitution, friction, impact, searches_in_python):
    """The end of an arm falls on a floor, bounces, slides, sticks, and slides back."""
    robot = replace(arm(), frames=[gw.parts.Frame("tip", "fore", position=(0.3, 0.0, 0.0))])
    surface = gw.contact.Plane((0.0, 0.0, -0.3), (0.0, 0.0, 1.0))
    floor = gw.contact.Contact("tip", surface, restitution, friction, name="floor", impact=impact)
    runs = []
    for engine in ("compiled", "python"):
        options = gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13, engine=engine)
        state, laws = gw.State([0.2, 0.1], [0.5, 1.0]), (*gw.laws(robot), floor)
        runs.append(gw.simulate(robot, state, 0.8, laws=laws, integrator=options, samples=81, method="adaptive"))
        assert bool(searches_in_python) == (engine == "python")
    compiled, plain = runs
    assert [(x.name, x.kind) for x in compiled.events] == [(x.name, x.kind) for x in plain.events]
    for name in ("q.shoulder", "v.shoulder", "v.elbow", "floor.force", "energy.dissipated"):
        assert np.abs(compiled[name] - plain[name]).max() < 1e-9 * (1.0 + np.abs(plain[name]).max())


def test_several_contacts_and_newtons_law_with_friction_are_left_to_python(searches_in_python):
    robot = replace(arm(), frames=[gw.parts.Frame("tip", "fore", position=(0.3, 0.0, 0.0))])
    surface = gw.contact.Plane((0.0, 0.0, -0.3), (0.0, 0.0, 1.0))
    newton = gw.contact.Contact("tip", surface, 0.5, 0.4, name="floor", impact="newton")
    two = (gw.contact.Contact("tip", surface, name="floor"), gw.contact.Contact("fore", surface, name="knee"))
    options = gw.analysis.IntegratorOptions(engine="compiled")
    for contacts in ((newton,), two):
        searches_in_python.clear()
        gw.simulate(robot, gw.State([0.2, 0.1], [0.5, 1.0]), 0.3, laws=(*gw.laws(robot), *contacts), integrator=options)
        assert searches_in_python
