"""Batches with a fixed step whose closed loops are embedded: independent speeds, Newton steps after every step."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import ARRAYS
from gearwright.dynamics.pose import place_machine
from gearwright.errors import GearwrightWarning, InputError
from gearwright.functions.constrained.closing import whole_motion
from gearwright.motion import polynomial
from gearwright.parts import Limits
from gearwright.simulation.fixed_step.embedded_loops import warn_of_left_branches
from support.closed_machines import closed_state, four_bar_robot, random_closed_machine
from support.mechanisms import four_bar, with_parallelogram

LOOPED, FOLLOWING = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))
START = ([0.3, -0.5, 0.8], [0.4, 0.2, -0.3])


def largest_gap(mech, q):
    equations = mech.closure.equations(place_machine(mech.tree, list(np.moveaxis(q, -1, 0)), ARRAYS))
    return max(np.abs(np.asarray(x.gap)).max() for x in equations)


@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize("forces", [None, "independent", "tree"])
def test_a_palletiser_moves_as_the_machine_of_followers(method, forces):
    tau = np.random.default_rng(0).normal(size=(4, 3)) * 20
    start = [np.add(x, np.linspace(-0.2, 0.2, 4)[:, None]) for x in START]
    whole = tau if forces == "independent" else np.concatenate([tau, np.zeros((4, 2))], axis=1)
    runs = [
        gw.rollout(robot, *start, steps=200, step=1e-3, method=method, inputs=None if forces is None else inputs)
        for robot, inputs in ((LOOPED, whole), (FOLLOWING, tau))
    ]
    assert runs[0].v.shape[-1] == 5  # all speeds
    for x, y in zip(runs[0][1:3], runs[1][1:3], strict=True):
        assert x[..., :3] == pytest.approx(y, abs=1e-10)


def test_loops_are_embedded_unless_a_law_has_modes():
    """Newton steps close the loops to rounding; time stepping along constraints leaves gaps."""
    assert gw.rollout(LOOPED, *START, steps=10, step=1e-3).drift is None
    rough = replace(LOOPED, links=[replace(x, joint=replace(x.joint, friction=0.5)) for x in LOOPED.links])
    assert gw.rollout(rough, *START, steps=10, step=1e-3).drift is not None


def with_joints(robot, **fields):
    """The robot with the same fields in all its joints."""
    return replace(robot, links=[replace(x, joint=replace(x.joint, **fields)) for x in robot.links])


def test_damping_of_all_joints_and_motors():
    """Dependent joints have damping too, as the machine of followers."""
    call = {"steps": 200, "step": 1e-3, "method": "euler", "inputs": {"j3.torque": 0.2}}
    runs = [gw.rollout(with_joints(robot, damping=0.7), *START, **call) for robot in (LOOPED, FOLLOWING)]
    assert runs[0].q[..., :3] == pytest.approx(runs[1].q, abs=1e-9)
    assert np.abs(gw.rollout(LOOPED, *START, **call).q - runs[0].q).max() > 5e-3


def test_a_stop_of_a_dependent_joint_stops_the_independent_one():
    """The crank turns with the elbow joint; its compliant stop holds both."""
    links = [
        replace(x, joint=replace(x.joint, limits=Limits(position=(-2.0, 0.9)))) if x.name == "crank" else x
        for x in LOOPED.links
    ]
    call = {"steps": 250, "step": 1e-3, "method": "euler", "inputs": {"j3.torque": 0.4}}
    free, stopped = (
        gw.rollout(robot, *START, **call).q[..., 2].max() for robot in (LOOPED, replace(LOOPED, links=links))
    )
    assert free > 1.2
    assert stopped < 1.0


def test_against_the_adaptive_method():
    robot = four_bar("rocker")
    mech = gw.assemble(robot)
    q, v = mech.closed([0.7]), [2.0]
    exact = gw.simulate(
        robot, ([0.7], v), until=0.5, samples=2, integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13)
    )
    run = gw.rollout(robot, q, v, steps=500, step=1e-3, method="rk4")
    assert run.q[-1] == pytest.approx(exact.q[-1], abs=1e-8)
    assert run.v[-1] == pytest.approx(exact.v[-1], abs=1e-7)
    assert largest_gap(mech, run.q) < 1e-13


@pytest.mark.parametrize("seed", range(4))
def test_order_and_energy_of_random_machines(seed):
    """Half the step: a sixteenth of the error of "rk4", and the loops closed to rounding."""
    mech = random_closed_machine(seed)
    q, v, _ = closed_state(mech, seed)
    ends = [gw.rollout(mech, q, v, steps=n, step=0.04 / n, method="rk4") for n in (10, 20, 80)]
    errors = [np.abs(run.q[-1] - ends[2].q[-1]).max() for run in ends[:2]]
    assert errors[1] < errors[0] / 8 or errors[0] < 1e-11
    assert max(largest_gap(mech, run.q) for run in ends) < 1e-10
    energy = gw.kinetic_energy(mech.tree, *ends[2][1:3]) + gw.potential_energy(mech.tree, ends[2].q)
    assert np.ptp(energy) < 1e-6 * np.abs(gw.kinetic_energy(mech, q, v))


def test_speeds_of_every_sample_keep_the_loops_closed():
    mech = random_closed_machine(5)
    q, v, _ = closed_state(mech, 5)
    run = gw.rollout(mech, q, v, steps=40, step=1e-3)
    independent = run.v[:, list(mech.closure.independent)]
    assert run.v == pytest.approx(whole_motion("test", mech, run.q, independent, np.zeros(mech.n))[1], abs=1e-10)


def test_controllers_of_embedded_loops():
    motion = polynomial([0.3, -0.5, 0.8], [0.5, -0.2, 0.6], 0.2)
    runs = [
        gw.rollout(
            robot, [0.32, -0.5, 0.79], [0.0] * 3, steps=200, step=1e-3, method="rk4",
            controller=gw.control.computed_torque(robot, motion, 20.0),
        )
        for robot in (LOOPED, FOLLOWING)
    ]  # fmt: skip
    assert runs[0].q[..., :3] == pytest.approx(runs[1].q, abs=1e-9)


def test_masses_of_a_batch_and_their_sensitivities():
    path, masses = "rod.mass", np.array([0.5, 0.7, 0.9])
    runs = [
        gw.rollout(robot, *START, steps=100, step=1e-3, parameters={path: masses}, sensitivities=[path])
        for robot in (LOOPED, FOLLOWING)
    ]
    assert runs[0].q[..., :3] == pytest.approx(runs[1].q, abs=1e-10)
    slopes = [run.sensitivities["q"][path] for run in runs]
    assert slopes[0][..., :3] == pytest.approx(slopes[1], abs=1e-10)
    assert np.abs(slopes[0]).max() > 1e-4


def test_errors_of_embedded_loops():
    mech = gw.assemble(LOOPED)
    q = mech.closed(START[0])
    with pytest.raises(InputError, match="pin"):
        gw.rollout(LOOPED, q + 0.1 * np.eye(5)[3], [0.0] * 3, steps=1, step=1e-3)
    with pytest.raises(InputError, match="crank_joint"):
        gw.rollout(LOOPED, q, [0.4, 0.2, -0.3, 0.5, 0.3], steps=1, step=1e-3)
    with pytest.raises(InputError, match=r"start\.q\.j1"):
        gw.rollout(LOOPED, *START, steps=1, step=1e-3, sensitivities=["start.q.j1"])
    with pytest.raises(InputError, match=r"crank\.joint\.position"):
        gw.rollout(LOOPED, *START, steps=1, step=1e-3, parameters={"crank.joint.position.0": [0.3, 0.31]})


def test_a_motion_that_leaves_its_branch_is_named():
    """A rocker as the independent joint at its dead centre: the crank is proposed."""
    robot = four_bar_robot(1.0, 2.5, 2.0, 2.2, 10.0)
    start = gw.assemble(robot).closed([1.0])
    mech = gw.assemble(robot, independent=["rocker"], start=start)
    with pytest.warns(GearwrightWarning, match=r"independent=\['crank'\]"):
        gw.rollout(mech, mech.reference, [-2.0], steps=400, step=1e-3)


def test_a_sample_on_another_branch_is_found_between_first_and_last():
    """Both ends of the record are regular and on the same branch; one of two motions is elsewhere between them."""
    mech = gw.assemble(four_bar("rocker"))
    here, there = list(mech.assembly_modes([0.7]).values())[:2]
    record = np.tile(here, (5, 2, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_left_branches(mech, record, np.arange(5.0))
    record[2, 1] = there
    with pytest.warns(GearwrightWarning, match=r"state 1 of .* t = 2 s.*1 of 2"):
        warn_of_left_branches(mech, record, np.arange(5.0))
