"""Closed loops in inverse kinematics, linear models, reactions and demands, against other formulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import root

import gearwright as gw
from gearwright.contact import Constraint, closed_motion, fixed_frame, free_speeds, project
from gearwright.errors import InputError, PlanningError
from gearwright.motion import polynomial
from gearwright.parts import Drive, Gear, Motor
from support.mechanisms import LENGTHS, bricard, four_bar

ONE, OTHER = four_bar("rocker"), four_bar("crank")
TORQUE = np.array([4.0, 0.0, 0.0])
CRANK, UP = np.array([1.0, 0, 0]), np.array([0, 0.3, 0])


def closed(theta: float) -> np.ndarray:
    """The four-bar cut before its rocker, from its crank angle: by its lengths alone."""
    c, l, r, g = (LENGTHS[name] for name in ("crank", "coupler", "rocker", "ground"))

    def ends(x):
        coupler = np.array([c * np.cos(theta) + l * np.cos(x[0]), c * np.sin(theta) + l * np.sin(x[0])])
        return coupler - [g + r * np.cos(x[1]), r * np.sin(x[1])]

    coupler, rocker = root(ends, [0.4, 1.4], tol=1e-14).x
    return np.array([theta, coupler - theta, rocker])


def as_other(x: np.ndarray) -> np.ndarray:
    """Coordinates, speeds or accelerations of the one machine as those of the machine that is cut elsewhere."""
    return np.array([x[0], x[2], x[0] + x[1] - x[2]])


Q = closed(0.7)
V = free_speeds(ONE, Q).directions @ [1.3]


def accelerations(robot, q, v, tau):
    """By the KKT matrix of `constrained_dynamics`, the drift by differences."""
    mech = gw.assemble(robot, "tree")
    a, b = robot.loops[0].frames

    def rows(q):
        R = gw.placement(mech, q, b)[0]
        return (R.T @ (gw.jacobian(mech, q, a) - gw.jacobian(mech, q, b))[:3])[:2]

    h = 1e-6
    drift = (rows(q + h * v) - rows(q - h * v)) / (2 * h) @ v
    return gw.constrained_dynamics(mech, q, v, tau, rows(q), drift).a


def test_a_driven_crank_is_free_and_the_rest_follows():
    found = free_speeds(ONE, Q)
    h = 1e-5
    assert found.names == ("crank_joint",)
    assert found.directions[:, 0] == pytest.approx((closed(0.7 + h) - closed(0.7 - h)) / (2 * h), abs=1e-8)


def test_the_linear_model_is_the_slope_of_the_crank_s_own_motion():
    """By differences of the accelerations along motions that stay closed, at a state that moves."""

    def crank(theta, omega, tau):
        h = 1e-5
        q, direction = closed(theta), (closed(theta + h) - closed(theta - h)) / (2 * h)
        return accelerations(ONE, q, direction * omega, TORQUE + tau * CRANK)[0]

    A, B = gw.linearise(ONE, Q, V, TORQUE)
    h = 1e-4
    slopes = [
        (crank(0.7 + h, 1.3, 0) - crank(0.7 - h, 1.3, 0)) / (2 * h),
        (crank(0.7, 1.3 + h, 0) - crank(0.7, 1.3 - h, 0)) / (2 * h),
    ]
    assert np.abs(A - np.array([[0, 1], slopes])).max() < 2e-5
    assert B[1, 0] == pytest.approx((crank(0.7, 1.3, h) - crank(0.7, 1.3, -h)) / (2 * h), rel=1e-7)


def test_a_machine_that_is_cut_elsewhere_has_the_same_model_and_reactions():
    A, B = gw.linearise(ONE, Q, V, TORQUE)
    A2, B2 = gw.linearise(OTHER, as_other(Q), as_other(V), TORQUE)
    assert np.abs(A2 - A).max() < 1e-9
    assert B2[:, 0] == pytest.approx(B[:, 0], rel=1e-9)
    a = accelerations(ONE, Q, V, TORQUE)
    one, other = gw.reactions(ONE, Q, V, a), gw.reactions(OTHER, as_other(Q), as_other(V), as_other(a))
    assert other[[0, 1]] == pytest.approx(one[[0, 2]], abs=1e-6)  # crank and rocker on the ground
    run = gw.simulate(OTHER, (as_other(Q), as_other(V)), until=1e-4, inputs=TORQUE, samples=2)
    pin = np.hypot(run["pin.force.x"][0], run["pin.force.y"][0])  # what is cut there is a joint here
    assert np.hypot(*one[1, :2]) == pytest.approx(pin, rel=1e-6)


def test_batches_of_states():
    q = np.array([closed(0.5), Q])
    v = np.array([free_speeds(ONE, x).directions @ [1.3] for x in q])
    A = gw.linearise(ONE, q, v, TORQUE).A
    assert A.shape == (2, 2, 2)
    assert A[1] == pytest.approx(gw.linearise(ONE, Q, V, TORQUE).A)
    a = np.array([accelerations(ONE, x, y, TORQUE) for x, y in zip(q, v, strict=True)])
    assert gw.reactions(ONE, q, v, a)[1] == pytest.approx(gw.reactions(ONE, Q, V, a[1]))


def test_reactions_with_the_forces_of_a_run():
    """Forces that a run names, and those that follow from the drives, are the same."""
    run = gw.simulate(ONE, (Q, V), until=0.05, inputs=TORQUE, samples=3)
    forces = {name: run[name] for name in ("pin.force.x", "pin.force.y")}
    found = gw.reactions(ONE, run.q, run.v, run.a, contact=forces)
    assert found == pytest.approx(gw.reactions(ONE, run.q, run.v, run.a), abs=1e-7)
    assert np.abs(found[:, 1:, 5]).max() < 1e-9  # pins carry no moment
    assert np.abs(gw.reactions(ONE, run.q, run.v, run.a, laws=())[:, 1:, 5]).max() > 0.1  # cut open, they would


def test_reactions_of_an_arm_that_presses_on_a_desk():
    """A force at the tip counts down to the base."""
    arm, q, still = gw.load("elbow"), np.array([0.3, -0.3, 0.9]), np.zeros(3)
    height = gw.placement(arm, q, "tool")[1][2]
    pen = Constraint("pen", "tool", fixed_frame("desk", (0, 0, height)), held=("z",))
    found = gw.reactions(arm, q, still, still, laws=[pen], contact={"pen.force.z": 20.0})
    plain = gw.reactions(arm, q, still, still, wrenches={"tool": [0, 0, 20.0, 0, 0, 0]})
    assert found == pytest.approx(plain, abs=1e-12)


def test_bricard_with_a_row_too_many_is_linearised():
    """Five rows of rank four leave one speed free; the slopes are those of the run's own accelerations."""
    mech, laws = bricard()
    run = gw.simulate(
        mech,
        np.zeros(5),
        until=0.3,
        laws=laws,
        samples=3,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    q, v = run.q[-1], run.v[-1]
    free = free_speeds(mech, q, laws)
    assert free.directions.shape == (5, 1)
    A, _ = gw.linearise(mech, q, v, np.zeros(5), laws=laws)
    k, h = free.indices[0], 1e-5

    def acceleration(share):
        at = project(mech, (q, free.directions[:, 0] * (v[k] + share)), laws)
        return gw.simulate(mech, at, until=1e-6, laws=laws, samples=2).a[0, k]

    assert A[1, 1] == pytest.approx((acceleration(h) - acceleration(-h)) / (2 * h), rel=1e-5)


def test_elastic_drives_count():
    """Two speeds are free, crank and motor; a stiff drive approaches the rigid one."""
    stiff = four_bar("rocker", 1e7)
    holding = free_speeds(ONE, Q).directions[:, 0] @ gw.gravity(gw.assemble(ONE, "tree"), Q)
    q, still, tau = np.append(Q, Q[0] + holding / 1e7), np.zeros(4), np.array([0, 0, 0, holding])
    assert free_speeds(stiff, q).names == ("crank_joint", "crank_joint.motor")
    A = gw.linearise(stiff, q, still, tau).A
    assert A.shape == (4, 4)
    mech = gw.assemble(stiff, "tree")
    h = 1e-6
    moved = q + h * np.array([0, 0, 0, 1.0])

    def a(at):
        return gw.simulate(mech, at, until=1e-9, inputs=tau, laws=gw.laws(stiff), samples=2).a[0]

    assert A[2:, 1] == pytest.approx((a(moved) - a(q - (moved - q)))[[0, 3]] / (2 * h), rel=1e-5)
    rigid = np.linalg.eigvals(gw.linearise(ONE, Q, np.zeros(3), holding * CRANK).A)
    slow = sorted(np.linalg.eigvals(A), key=abs)[:2]
    assert np.sort_complex(slow) == pytest.approx(np.sort_complex(rigid), rel=1e-4)


def test_inverse_kinematics_keeps_loops_closed():
    place = gw.placement(ONE, Q, "coupler_end")[1]
    found = gw.inverse_kinematics(ONE, "coupler_end", (None, place), start=Q + 0.1)
    assert bool(found.reached)
    assert found.q == pytest.approx(Q, abs=1e-8)
    away = gw.inverse_kinematics(ONE, "coupler_end", (None, place + UP), start=Q)
    assert not away.reached  # the rocker's end moves on a circle: the nearest point of it is found, closed
    end = gw.placement(ONE, away.q, "coupler_end")[1]
    assert np.hypot(end[0] - LENGTHS["ground"], end[1]) == pytest.approx(LENGTHS["rocker"], abs=1e-9)
    way = place + UP - np.array([LENGTHS["ground"], 0, 0])
    nearest = [LENGTHS["ground"], 0, 0] + LENGTHS["rocker"] * way / np.linalg.norm(way)
    assert end == pytest.approx(nearest, abs=1e-3)
    assert gw.inverse_kinematics(ONE, "coupler_end", (None, place - 0.1 * UP), start=Q, laws=()).reached
    batch = gw.inverse_kinematics(ONE, "coupler_end", (None, np.array([place, place])), start=Q)
    assert batch.q.shape == (2, 3)


def test_demands_of_a_closed_machine_replay():
    """Loop forces and crank torque follow from the motion of the crank; fed with them, it moves that way."""
    motion = closed_motion(ONE, polynomial([0.7], [1.6], duration=0.8), Q)
    assert motion.at(0.8) == pytest.approx(closed(1.6), abs=1e-9)
    asked = gw.demands(ONE, motion, samples=201)
    assert np.abs(asked.tau[:, 1:]).max() == 0
    k = 100
    q, v, a = (x[k] for x in (asked.motion.q, asked.motion.v, asked.motion.a))
    rows = [gw.reactions(ONE, q, v, a, contact={n: asked[n][k] for n in ("pin.force.x", "pin.force.y")})]
    assert np.abs(rows[0][1:, 5]).max() < 1e-9
    assert accelerations(ONE, q, v, asked.tau[k]) == pytest.approx(a, abs=1e-6)
    elsewhere = closed_motion(OTHER, polynomial([0.7], [1.6], duration=0.8), as_other(Q))
    assert gw.demands(OTHER, elsewhere, samples=201).tau[:, 0] == pytest.approx(asked.tau[:, 0], abs=1e-6)


def test_a_closed_motion_stays_on_its_branch():
    """From the last configuration itself, up to 0.2 rad away, Newton's method ends with crossed guide rods."""
    robot = gw.load("palletiser")
    mech = gw.assemble(robot)
    swing = polynomial([0.0, 1.2, 0.3, 0.0], [0.0, -0.4, 0.3, 0.0], duration=2.0)
    t = np.linspace(0.0, 2.0, 41)
    whole = mech.closed(swing.at(t))
    assert closed_motion(robot, swing, whole[0]).at(t) == pytest.approx(whole, abs=1e-9)


def test_what_is_not_closed_is_refused():
    with pytest.raises(InputError, match=r"linearise: .*pin\.x.* 0\.01382 .*gw\.contact\.project"):
        gw.linearise(ONE, Q + 0.01, V, TORQUE)
    with pytest.raises(InputError, match=r"demands: .*t = 1 s.*pin\.x.* 0\.137 .*gw\.contact\.closed_motion"):
        gw.demands(ONE, polynomial(Q, Q + 0.1, duration=1.0))
    with pytest.raises(InputError, match=r"laws=\['pin'\]"):
        gw.linearise(ONE, Q, V, TORQUE, laws=["pin"])
    push = gw.forces.Load("push", gw.forces.Line.for_machine(gw.assemble(ONE, "tree"), "crank_joint"))
    with pytest.raises(InputError, match=r"linearise: extra_laws=.*name='push'"):
        gw.linearise(ONE, Q, V, TORQUE, extra_laws=[push])
    with pytest.raises(InputError, match=r"reactions: contact=.*pin\.force\.x, pin\.force\.y"):
        gw.reactions(ONE, Q, V, V, contact={"pin.force.x": 1.0})
    wall = Constraint("wall", "coupler_end", fixed_frame("wall", gw.placement(ONE, Q, "coupler_end")[1]), ("x",))
    with pytest.raises(PlanningError, match=r"closed_motion: .*t = 0\.233333 s.* 0\.0154 m"):
        closed_motion(ONE, polynomial(Q[[0, 2]], [3.1, Q[2]], duration=0.8), Q, (), extra_laws=[wall])


def test_elastic_drives_in_inverse_kinematics_and_reactions():
    """The motor stands where its spring rests; held against gravity, pins carry what they carry in the rigid one."""
    soft = four_bar("rocker", 2e3)
    place = gw.placement(ONE, Q, "coupler_end")[1]
    found = gw.inverse_kinematics(soft, "coupler_end", (None, place), start=np.append(Q + 0.1, 0.0))
    assert found.q == pytest.approx(np.append(Q, Q[0]), abs=1e-8)
    holding, still = free_speeds(ONE, Q).directions[:, 0] @ gw.gravity(gw.assemble(ONE, "tree"), Q), np.zeros(4)
    q = np.append(Q, Q[0] + holding / 2e3)
    rigid = gw.reactions(ONE, Q, still[:3], still[:3])
    assert gw.reactions(soft, q, still, still) == pytest.approx(rigid, abs=1e-9)


def test_an_independent_joint_without_a_drive_has_the_required_force():
    """As in an open tree: the same reactions and forces as with a drive there, and the joint is named."""
    passive = replace(ONE, drives=())
    driven = replace(ONE, drives=[Drive("crank_joint", Motor(), Gear(1.0))])  # without inertia
    mech = gw.assemble(passive, start=Q, independent=["crank_joint"])
    v, a = [1.3], [2.0]
    wanted = gw.reactions(gw.assemble(driven, start=Q), Q, v, a)
    found = gw.reactions(mech, Q, v, a)
    assert found == pytest.approx(wanted, abs=1e-9)
    assert found[1:, 5] == pytest.approx(0.0, abs=1e-9)  # pins carry no moment
    assert found[0, 5] == pytest.approx(gw.inverse_dynamics(mech, Q, v, a).item(), abs=1e-9)
    turn = closed_motion(driven, polynomial([0.7], [0.9], 0.5), Q)
    needed, had = gw.demands(passive, turn, samples=5), gw.demands(driven, turn, samples=5)
    (name,) = needed.unactuated
    power, wanted_power = (np.sum(x.tau * x.motion.v, axis=1) for x in (needed, had))
    assert power == pytest.approx(wanted_power, abs=1e-9)
    assert np.count_nonzero(np.abs(needed.tau).max(axis=0)) == 1
    assert np.abs(needed.tau[:, needed.speeds.index(name)]).max() > 1.0
    assert np.abs(had.tau[:, 0]).max() > 1.0
