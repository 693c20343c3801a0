"""Control of contact forces of machines with closed loops: as of machines whose bars follow a joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.motion import polynomial
from gearwright.parts import Frame
from support.mechanisms import with_parallelogram

LOOPED, FOLLOWING = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))
BENT_ROBOT = replace(
    LOOPED, frames=[replace(x, position=(0.33, 0.02, 0)) if x.name == "rod_end" else x for x in LOOPED.frames]
)
BENT = gw.assemble(BENT_ROBOT, start=[0.3, -0.5, 0.8, 0.8, -0.8])
"""The rod has another length: the dependent speeds depend on the configuration."""
START = [0.3, -0.5, 0.8]
MOTION = polynomial(START, [0.5, -0.3, 0.6], 0.3)
FAST = gw.control.AdmittanceGains(frequency=20.0)
TOOL = gw.placement(LOOPED, START, "tool").position
WALL = gw.contact.SoftContact("tool", gw.contact.Plane((0, 0, float(TOOL[2]) - 1e-4)), 2e4, 200.0, name="mat")
TARGET = gw.control.TargetAdmittance(mass=10.0, damping=300.0, stiffness=500.0)
GAINS = gw.control.ForceGains(frequency=15.0)
CONTROLLERS = {
    "admittance": lambda r: gw.control.admittance(r, "tool", MOTION, TARGET, gains=FAST, orientation=False),
    "position_force": lambda r: gw.control.position_force(r, WALL, MOTION, 10.0, orientation=False),
    "momentum_observer": lambda r: gw.control.momentum_observer(gw.control.computed_torque(r, MOTION, 20.0)),
}
PUSH = {"tau.j2": 8.0, "tau.j3": -3.0}
EXACT = gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", CONTROLLERS)
def test_a_parallelogram_is_a_machine_of_followers(name):
    """The same motion and the same estimated forces under a push."""
    runs, signals = [], []
    for robot in (LOOPED, FOLLOWING):
        control = CONTROLLERS[name](robot)
        run_options = {"integrator": EXACT, "extra_laws": [WALL] if name == "position_force" else []}
        runs.append(gw.simulate(robot, START, 0.15, controller=control, inputs=PUSH, samples=4, **run_options))
        signals.append(control.signals(runs[-1]))
    assert runs[0].q[:, :3] == pytest.approx(runs[1].q, abs=1e-8)
    for key, series in signals[1].items():
        assert signals[0][key] == pytest.approx(series, abs=1e-5)


def test_external_forces_of_a_linkage_with_variable_ratios():
    """The estimate converges to the forces that act along the independent speeds."""
    control = gw.control.momentum_observer(gw.control.computed_torque(BENT, MOTION, 20.0), gain=200.0)
    start = BENT.closed(START), np.zeros(5)
    run = gw.simulate(BENT, start, 0.15, controller=control, inputs=PUSH, samples=4, integrator=EXACT)
    signals = control.signals(run)
    for joint, force in (("j1", 0.0), ("j2", 8.0), ("j3", -3.0)):
        assert signals[f"external.{joint}"][-1] == pytest.approx(force, abs=1e-4)


@pytest.mark.parametrize("frame", ["tool", "rod_end"])
def test_a_frame_slides_along_a_plane(frame):
    """Hybrid control of a held height: the force on the plane is the wanted one, for a link of the loop too."""
    height = gw.placement(BENT, BENT.closed(START), frame).position[2]
    robot = replace(BENT_ROBOT, frames=[*BENT_ROBOT.frames, Frame("table", "base", (0.0, 0.0, float(height)))])
    mech = gw.assemble(robot, start=BENT.reference)
    pen = gw.contact.Constraint("pen", frame, "table", ("z",))
    goal = np.append(gw.placement(BENT, BENT.closed([0.4, -0.45, 0.75]), frame).position[:2], height)
    control = gw.control.hybrid_control(
        mech, pen, lambda t: (goal, [0.0] * 3, [0.0] * 3), 6.0, gains=GAINS, orientation=False
    )
    start = mech.closed(START), np.zeros(5)
    run = gw.simulate(mech, start, 1.0, controller=control, extra_laws=[pen], samples=5, integrator=EXACT)
    assert run["pen.force.z"][1:] == pytest.approx(6.0, abs=1e-5)
    assert gw.placement(mech, run.q[-1], frame).position == pytest.approx(goal, abs=1e-3)
