"""Constraints: what they hold, the forces it takes, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.contact import Constraint, MovingFrame, fixed_frame, project
from gearwright.errors import InputError, SimulationError
from gearwright.forces import Coordinate
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.system.evaluation import evaluate_system
from gearwright.system.system import System
from support.machines import random_design, random_state
from support.references import Reference

PINOCCHIO = Reference("Pinocchio, contact dynamics with rotors as bodies")

ARM = gw.load("panda_like")
MECH = gw.assemble(ARM)
Q = np.array([0.3, -0.4, 0.2, -1.9, 0.1, 1.6, 0.4])
TIP = MECH.bodies[-1].name
SIX = ("x", "y", "z", "rx", "ry", "rz")


def tilted(axis: int, angle: float) -> np.ndarray:
    """A rotation about one axis of a frame."""
    turn = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn[[i, i, j, j], [i, j, i, j]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return turn


@pytest.mark.parametrize(
    "held", [("z",), ("y", "z"), ("x", "y", "rx", "ry"), ("y", "z", "ry", "rz"), ("rx", "rz"), SIX], ids="+".join
)
def test_rows_are_the_velocity_as_the_frame_sees_it(held):
    """Where all that is held is held, whatever turn the free axis has: forces and torques in the frame's axes."""
    R, p = gw.placement(MECH, Q, TIP)
    free = [k for k, word in enumerate(SIX[3:]) if word not in held]
    turn = tilted(free[0], 2.0) if len(free) == 1 else np.eye(3)
    frame = fixed_frame("here", p, R @ turn)
    law = Constraint("held", TIP, frame, held)
    J = gw.jacobian(MECH, Q, TIP)
    seen = np.vstack([(R @ turn).T @ J[:3], (R @ turn).T @ J[3:]])
    scene = SharedKinematics(MECH, Q.tolist(), [0.0] * MECH.n, FLOATS)
    for word, line in zip(law.held, law.force_lines(MECH.speeds), strict=True):
        placed = line.placed_in(scene)
        assert placed.position(Q) == pytest.approx(0.0, abs=1e-12)
        row = np.zeros(MECH.n)
        for k, x in placed.terms:
            row[k] = x
        assert row == pytest.approx(seen[SIX.index(word)], abs=1e-12), word


def test_accelerations_and_forces_are_those_of_pinocchio_with_rotors_as_bodies():
    pin = pytest.importorskip("pinocchio")
    from support.pinocchio_oracle import Oracle

    rng = np.random.default_rng(5)
    design = random_design(rng, ["revolute", "prismatic", "revolute", "revolute", "revolute"], wheels=5, chain=True)
    mech, oracle = design.written(), Oracle(design)
    state = random_state(rng, mech)
    law = Constraint("point", "b4", "base")
    tau = rng.normal(size=mech.n)
    at = evaluate_system(System(mech, (law,)), 0.0, np.concatenate([state.q, state.v, [0, 0]]), tau, ("on",))
    q, v, _ = oracle.motion(state)
    M, h = oracle.mass_matrix(state), oracle.bias(state)
    joint, place = oracle.joint[4]
    pin.forwardKinematics(oracle.model, oracle.data, q, v, 0 * v)
    frame = oracle.model.addFrame(pin.Frame("tip", joint, place, pin.FrameType.OP_FRAME))
    data = oracle.model.createData()
    pin.computeJointJacobians(oracle.model, data, q)
    pin.forwardKinematics(oracle.model, data, q, v, 0 * v)
    pin.updateFramePlacements(oracle.model, data)
    way = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pin.getFrameJacobian(oracle.model, data, frame, way)[:3] @ oracle.G
    drift = pin.getFrameClassicalAcceleration(oracle.model, data, frame, way).linear
    whole = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
    expected = np.linalg.solve(whole, np.concatenate([tau - h, -drift]))
    found = np.concatenate([at.a, at.reactions[0].multipliers])
    error = (found - expected) / np.abs(expected).max()
    PINOCCHIO.agrees("accelerations and forces under a constraint, relative", error, 1e-9)


@pytest.fixture(scope="module")
def writing() -> gw.Run:
    """An arm that swings with its tip on a desk that moves up and down, turned a little against the world."""
    turn = tilted(0, 0.1)
    desk = MovingFrame(
        "desk", lambda t, ops: (0.3, 0.1, 0.3 + 0.05 * ops.sin(3 * t)), lambda t, ops: tuple(map(tuple, turn.tolist()))
    )
    pen, mech = Constraint("pen", "link3", desk, held=("z",)), gw.assemble(gw.load("elbow"))
    start = project(mech, [0.2, -0.4, 0.9], [pen])
    return gw.simulate(mech, start, until=1.0, laws=[pen], samples=41, method="adaptive")


def test_nothing_drifts_on_a_desk_that_moves(writing):
    assert np.abs(writing["pen.z"]).max() < 1e-12
    assert np.abs(writing["pen.force.z"]).max() > 1.0
    assert writing.drift < 1e-7  # what moves the desk is in the books


def test_all_six_coordinates_are_series(writing):
    assert {f"pen.{word}" for word in SIX} <= set(writing.series)
    assert np.ptp(writing["pen.x"]) > 1e-3


def test_a_start_beside_the_constraint_is_refused_and_projection_offered():
    law = Constraint("peg", TIP, fixed_frame("hole", (0.4, 0.1, 0.5)), held=("x", "y"))
    with pytest.raises(InputError, match=r"'peg'.*peg\.y.* 0\.125834 m .*gw\.contact\.project"):
        gw.simulate(MECH, Q, until=0.1, laws=[law])
    start = project(MECH, (Q, np.ones(7)), [law])
    assert np.abs(gw.placement(MECH, start.q, TIP)[1][:2] - [0.4, 0.1]).max() < 1e-12
    assert np.abs(gw.jacobian(MECH, start.q, TIP)[:2] @ start.v).max() < 1e-12
    gw.simulate(MECH, start, until=1e-4, laws=[law], samples=2)


def test_a_start_that_moves_against_the_constraint_is_refused():
    p = gw.placement(MECH, Q, TIP)[1]
    law = Constraint("peg", TIP, fixed_frame("hole", p), held=("x",))
    with pytest.raises(InputError, match=r"'peg'.*peg\.x.* -0\.190049 m/s"):
        gw.simulate(MECH, (Q, np.ones(7)), until=0.1, laws=[law])


def test_projection_says_when_it_cannot():
    law = Constraint("far", TIP, fixed_frame("moon", (40.0, 0.0, 0.0)))
    with pytest.raises(InputError, match=r"far\.x .*-(39|40)\.\d"):
        project(MECH, Q, [law])
    with pytest.raises(InputError, match=r"project: .*\(Constraint\)"):
        project(MECH, Q, [])


def test_more_constraints_than_freedom_are_refused_by_name():
    elbow = gw.assemble(gw.load("elbow"))
    R, p = gw.placement(elbow, [0.1, 0.2, 0.3], 2)
    weld = Constraint("weld", 2, fixed_frame("wall", p, R), held=SIX)
    with pytest.raises(InputError, match=r"\b6\b.*weld\.x.*\b3\b.*weld\.y, weld\.rx, weld\.ry"):
        gw.simulate(elbow, [0.1, 0.2, 0.3], until=0.1, laws=[weld])


def test_a_body_that_cannot_move_that_way_is_refused():
    planar = gw.Mechanism([gw.Body("rod", joint="revolute", axis=(0, 0, 1), mass=1, com=(0.5, 0, 0))])
    law = Constraint("flat", "rod", "base", held=("z",))
    with pytest.raises(InputError, match=r"flat\.z"):
        gw.simulate(planar, [0.0], until=0.1, laws=[law])


@pytest.mark.parametrize(
    ("held", "words"), [((), r"held=\(\)"), (("zz",), "'zz'"), ("z", "held='z'"), (("z", "z"), r"held=\('z', 'z'\)")]
)
def test_what_is_held_is_checked(held, words):
    with pytest.raises(InputError, match=words):
        Constraint("c", TIP, "base", held=held)


def test_a_coordinate_of_ones_own():
    """A bead on a circle in the plane x-z: g over r is the acceleration at the side."""
    bead = gw.Mechanism(
        [gw.Body("x", joint="prismatic", axis=(1, 0, 0)), gw.Body("bead", 0, "prismatic", axis=(0, 0, 1), mass=2.0)]
    )
    circle = Coordinate.for_machine(bead, "circle", lambda c: (c.q[0] ** 2 + c.q[1] ** 2 - 0.25) / 1.0)
    rail = Constraint.from_lines("rail", [circle])
    run = gw.simulate(bead, [0.5, 0.0], until=1.0, laws=[rail], samples=11, method="adaptive")
    assert run.a[0] == pytest.approx([0.0, -9.81])
    assert np.abs(np.hypot(run.q[:, 0], run.q[:, 1]) - 0.5).max() < 1e-13
    assert run.drift < 1e-8
    with pytest.raises(InputError, match="empty: "):
        Constraint.from_lines("empty", [])


def test_nothing_drifts_in_a_minute_of_writing():
    """Position and speed across the desk, while the pen wanders over it."""
    mech = gw.assemble(gw.load("elbow"))
    pen = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))

    def hand(t, state):
        wanted = np.array([0.3 + 0.5 * np.sin(0.5 * t), -0.3 + 0.1 * np.sin(0.3 * t), state.q[2]])
        return gw.gravity(mech, state.q) + 200 * (wanted - state.q) - np.array([60.0, 60.0, 30.0]) * state.v

    start = project(mech, [0.3, -0.3, 0.9], [pen])
    run = gw.simulate(
        mech,
        start,
        until=60.0,
        laws=[pen],
        controller=hand,
        samples=61,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-6, atol=1e-8),
    )
    assert np.ptp(run["pen.y"]) > 0.5
    assert np.abs(run["pen.z"]).max() < 1e-12
    across = [gw.jacobian(mech, q, "tool")[2] @ v for q, v in zip(run.q, run.v, strict=True)]
    assert np.abs(across).max() < 1e-12


def test_elastic_drives_in_contact():
    """Motors on springs: the tip stays on the desk while the springs give."""
    robot = gw.load("elastic_elbow")
    mech = gw.assemble(robot)
    pen = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    start = project(mech, np.tile([0.3, -0.3, 0.9], 2), [pen])
    run = gw.simulate(robot, start, until=0.02, laws=[*gw.laws(robot), pen], samples=5, method="adaptive")
    assert np.abs(run["pen.z"]).max() < 1e-12
    assert run.drift < 1e-6


ELASTIC = gw.assemble(gw.load("elastic_elbow"))
DESK_PEN = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))


def _spring_torques(mech, q) -> np.ndarray:
    """Of each drive's spring at the joint [Nm]."""
    return np.array([8000.0, 6000.0, 3000.0]) * (q[3:] - q[:3])


@pytest.mark.parametrize("behind", [(0.3, -0.3, 0.9), (0.0, 0.0, 0.0)])
def test_motors_of_elastic_drives_follow_their_joints(behind):
    """No spring is loaded, wherever the motors stood; the joints are where those of the rigid arm are."""
    start = project(ELASTIC, ([0.3, -0.3, 0.9, *behind], [0.4, 0.2, -0.1, 0, 0, 0]), [DESK_PEN])
    np.testing.assert_allclose(_spring_torques(ELASTIC, start.q), 0.0, atol=1e-9)
    np.testing.assert_allclose(start.v[3:], start.v[:3], atol=1e-12)
    rigid = project(gw.load("elbow"), ([0.3, -0.3, 0.9], [0.4, 0.2, -0.1]), [DESK_PEN])
    np.testing.assert_allclose(start.q[:3], rigid.q, atol=1e-9)
    np.testing.assert_allclose(start.v[:3], rigid.v, atol=1e-9)


def test_motors_of_elastic_drives_at_their_static_place():
    """Springs carry the weight, k (motor - joint) = g(q) of the rigid arm, and nothing moves when motors are held."""
    start = project(ELASTIC, np.tile([0.3, -0.3, 0.9], 2), [DESK_PEN], motors="static")
    np.testing.assert_allclose(_spring_torques(ELASTIC, start.q), gw.gravity(gw.load("elbow"), start.q[:3]), atol=1e-8)
    tau = np.append(np.zeros(3), _spring_torques(ELASTIC, start.q))
    a = gw.forward_dynamics(ELASTIC, start.q, np.zeros(6), tau)
    np.testing.assert_allclose(a, 0.0, atol=1e-7)


def test_deflections_of_a_given_state_stay():
    sag = np.array([0.0, 0.01, -0.02])
    joints = np.array([0.3, -0.3, 0.9])
    start = project(ELASTIC, np.append(joints, joints + sag), [DESK_PEN], motors="given")
    np.testing.assert_allclose(start.q[3:] - start.q[:3], sag, atol=1e-12)
    with pytest.raises(InputError, match="motors='loose'"):
        project(ELASTIC, np.zeros(6), [DESK_PEN], motors="loose")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (lambda t, ops: (0.0, 0.0, 0.1 + ops.where(t > 0.1, 0.01, 0.0 * t)), r"pen\.z.* -0\.01 m\b"),
        (
            lambda t, ops: (0.0, 0.0, 0.1 + ops.where(t > 0.1, 0.5 * (t - 0.1), 0.0 * t)),
            r"t = 0\.1 s.*pen\.z.* -0\.5 m/s",
        ),
    ],
    ids=["place", "speed"],
)
def test_a_frame_that_jumps_is_refused(path, words):
    """A desk that jumps by 1 cm, and one that sets off at once with 0.5 m/s."""
    mech, pen = gw.assemble(gw.load("elbow")), Constraint("pen", "tool", MovingFrame("desk", path), held=("z",))
    start = project(mech, [0.3, -0.3, 0.9], [pen])
    with pytest.raises(SimulationError, match=words):
        gw.simulate(mech, start, until=0.3, laws=[pen], samples=4, method="adaptive")


def test_a_frictionless_constraint_that_stands_still_does_no_work():
    mech = gw.assemble(gw.load("elbow"))
    pen = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    start = project(mech, ([0.3, -0.3, 0.9], [1.0, 0.5, -0.5]), [pen])
    run = gw.simulate(
        mech,
        start,
        until=0.2,
        laws=[pen],
        samples=5,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    whole = gw.kinetic_energy(mech, run.q, run.v) + gw.potential_energy(mech, run.q)
    assert np.ptp(gw.kinetic_energy(mech, run.q, run.v)) > 1e-2
    assert np.ptp(whole) < 1e-9 * np.abs(whole).max()
    assert np.abs(run["pen.force.z"]).max() > 1.0
