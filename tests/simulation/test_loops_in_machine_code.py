"""Closed loops in machine code: the motion, reactions and events of the loop in Python, and what holds for both."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, project
from gearwright.errors import SimulationError
from gearwright.forces import DryFriction, Line, Stops
from gearwright.forces.coordinates.configuration import MovingFrame
from gearwright.parts import Friction
from gearwright.simulation.compiled_loop.event_loop import EventLoop
from gearwright.simulation.integrators.constraint_projection import DEPENDENT_HOLDS_REMARK
from support.mechanisms import bricard, double_four_bar, four_bar

RUB = Friction(coulomb=0.3, static=0.4, viscous=0.02)


def rubbing(mech: gw.Mechanism) -> list[gw.forces.Law]:
    """Friction at every joint: where the loop sticks, its holds repeat each other."""
    return [DryFriction(f"{name}.rub", Line.for_machine(mech, name), friction=RUB) for name in mech.speeds]


def both(mech, start, until, laws, **more):
    """The run in machine code, which no part of it has left, and the run in Python."""
    left = []
    with pytest.MonkeyPatch.context() as patch:
        hand_over = EventLoop.hand_over
        patch.setattr(EventLoop, "hand_over", lambda loop: left.append(1) or hand_over(loop))
        more = {"until": until, "laws": laws, "method": "adaptive", "samples": 9, **more}
        quick = gw.simulate(mech, start, **more, integrator=gw.analysis.IntegratorOptions(engine="compiled"))
    assert not left
    return quick, gw.simulate(mech, start, **more, integrator=gw.analysis.IntegratorOptions(engine="python"))


def test_a_redundant_loop_has_the_least_forces_of_python():
    mech, laws = bricard()
    quick, plain = both(mech, np.zeros(5), 0.3, laws)
    for name in plain.series:
        assert np.abs(quick[name] - plain[name]).max() < 1e-7 * (1 + np.abs(plain[name]).max()), name
    assert max(np.abs(quick[f"hinge.{word}"]).max() for word in ("x", "y", "z", "ry", "rz")) < 1e-12
    assert [x for x in quick.remarks if x.startswith(DEPENDENT_HOLDS_REMARK)]
    assert quick.drift < 1e-9


def test_a_loop_with_friction_sticks_and_slides_as_in_python():
    robot = four_bar("rocker")
    mech = gw.assemble(robot, "tree")
    laws = [*gw.laws(robot), *rubbing(mech)]
    start = project(robot, [0.7, 0.4, 1.4])
    quick, plain = both(robot, start, 0.5, laws, inputs=lambda t: [5 * np.sin(9 * t), 0, 0])
    assert [x.kind for x in quick.events] == [x.kind for x in plain.events]
    assert len(quick.events) > 6
    for name in plain.series:
        assert np.abs(quick[name] - plain[name]).max() < 1e-6 * (1 + np.abs(plain[name]).max()), name


def test_a_loop_that_meets_a_stop_bounces_as_in_python():
    mech, loops = double_four_bar()
    laws = [*loops, Stops("end", Line.for_machine(mech, "bar0"), -0.4, 2.0, restitution=0.5)]
    quick, plain = both(mech, (np.zeros(5), np.array([-1.0, -1.0, -1.0, 1.0, 1.0])), 0.6, laws)
    assert len(quick.events) == len(plain.events) > 0
    assert np.abs(quick.q - plain.q).max() < 1e-7
    assert np.abs(quick["energy.balance"]).max() < 1e-7


def test_positions_that_a_free_body_keeps_are_projected():
    """A body with a quaternion that hangs by a ball joint: its length stays one, and the joint closed."""
    body = gw.Body("top", -1, "free", mass=1.0, com=(0.2, 0, 0), inertia=np.diag([0.02, 0.1, 0.1]))
    mech = gw.Mechanism([body])
    laws = [Constraint("pivot", "top", "base", held=("x", "y", "z"))]
    v = np.array([0, 0, 0, 20.0, 1.0, 0.5])
    quick, plain = both(mech, (gw.neutral(mech), v), 0.5, laws)
    assert np.abs(quick.q - plain.q).max() < 1e-7
    assert np.abs(np.linalg.norm(quick.q[:, 3:], axis=1) - 1).max() < 1e-9
    assert max(np.abs(quick[f"pivot.{word}"]).max() for word in "xyz") < 1e-12
    assert quick.drift < 1e-7


def test_a_frame_that_jumps_is_refused_as_in_python():
    arm = gw.assemble(gw.load("elbow"))
    place = gw.placement(arm, [0.1, 0.3, 0.2], 2)[1]
    desk = MovingFrame("desk", lambda t, ops: (0.0, 0.0, float(place[2]) + ops.where(t > 0.1, 0.02, 0.0)))
    pen = Constraint("pen", 2, desk, held=("z",))
    with pytest.raises(SimulationError, match="'pen' jumps"):
        gw.simulate(
            arm,
            [0.1, 0.3, 0.2],
            until=0.2,
            laws=[pen],
            method="adaptive",
            integrator=gw.analysis.IntegratorOptions(engine="compiled"),
        )
