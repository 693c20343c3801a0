"""Gearwright against Pinocchio with every rotor as its own body, on random trees."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.mechanism.joints.kinds import JOINT_KINDS
from support.compare import relative
from support.designs import QUASI, Design, State
from support.machines import KINDS, random_design, random_parts_design, random_state
from support.mutants import MUTANTS
from support.pinocchio_oracle import Oracle
from support.references import Reference

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

PINOCCHIO = Reference("Pinocchio, every wheel a body")

TREES = range(60)
ODDS = [0.24, 0.14, 0.08, 0.1, 0.08, 0.09, 0.09, 0.09, 0.09]


def structure(rng: np.random.Generator) -> tuple[list[str], int]:
    """Joints of a random tree (at least one moves) and a number of rotors from 0 to 12."""
    kinds = [str(kind) for kind in rng.choice(KINDS, size=int(rng.integers(1, 8)), p=ODDS)]
    return (kinds if set(kinds) != {"fixed"} else [*kinds, "revolute"]), int(rng.integers(0, 13))


def written(seed: int) -> tuple[Design, gw.Mechanism, State]:
    """A mechanism written by hand: general rows over several speeds, shafts, geared twin wheels."""
    rng = np.random.default_rng(seed)
    kinds, wheels = structure(rng)
    design = random_design(rng, kinds, wheels=wheels, shafts=int(rng.integers(0, 3)), payload=True)
    mech = design.written()
    return design, mech, random_state(rng, mech, outside=True)


def assembled(seed: int) -> tuple[Design, gw.Mechanism, State]:
    """A robot of parts: rotors with mass, offset and transverse inertia, gear inertia, elastic drives, a payload."""
    rng = np.random.default_rng(1000 + seed)
    kinds, wheels = structure(rng)
    design = random_parts_design(rng, kinds, wheels=wheels, elastic=int(rng.integers(0, 3)))
    mech = replace(gw.assemble(design.robot()), springs=())  # Pinocchio has no springs; tests/laws has
    return design, mech, random_state(rng, mech, outside=True)


@pytest.mark.parametrize("made", [written, assembled])
@pytest.mark.parametrize("seed", TREES)
def test_torque_mass_matrix_gravity_bias(made, seed):
    design, mech, s = made(seed)
    oracle = Oracle(design, seed)
    assert mech.n == oracle.n
    assert mech.nq == oracle.nq
    outside = (s.wrenches, s.base_motion)
    PINOCCHIO.agrees(
        "inverse dynamics, relative",
        relative(gw.inverse_dynamics(mech, s.q, s.v, s.a), oracle.torque(s.inside())),
        1e-10,
    )
    PINOCCHIO.agrees(
        "inverse dynamics with external wrenches and moving base, relative",
        relative(gw.inverse_dynamics(mech, s.q, s.v, s.a, *outside), oracle.torque(s)),
        1e-10,
    )
    PINOCCHIO.agrees("bias, relative", relative(gw.bias(mech, s.q, s.v), oracle.bias(s.inside())), 1e-10)
    PINOCCHIO.agrees(
        "bias with external wrenches and moving base, relative",
        relative(gw.bias(mech, s.q, s.v, *outside), oracle.bias(s)),
        1e-10,
    )
    PINOCCHIO.agrees("gravity, relative", relative(gw.gravity(mech, s.q), oracle.gravity(s)), 1e-10)
    PINOCCHIO.agrees("mass matrix, relative", relative(gw.mass_matrix(mech, s.q), oracle.mass_matrix(s)), 1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "inverse: gyroscopic term of a body",
        "inverse: gyroscopic term of a wheel",
        "inverse: coupling, wheel to carrier",
        "inverse: coupling, carrier to wheel",
        "inverse: sign of a wrench",
        "mass matrix: coupling",
        "gravity: sign of a moment",
    ],
)
def test_a_broken_recursion_disagrees(name, monkeypatch):
    MUTANTS[name].unleash(monkeypatch)
    red = 0
    for seed in range(20):
        try:
            test_torque_mass_matrix_gravity_bias(written, seed)
        except AssertionError:
            red += 1
    assert red >= 5


def test_the_random_trees_cover_what_they_should():
    """A generator that draws nothing special would make the comparison empty."""
    joints: Counter[str] = Counter()
    wheels, shapes = [], Counter()
    for seed in TREES:
        design, _, state = written(seed)
        joints.update(bar.joint for bar in design.bars)
        wheels.append(len(design.discs))
        shapes["follower"] += any(bar.follows for bar in design.bars)
        shapes["several speeds"] += any(len(disc.row) > 1 for disc in design.discs)
        shapes["on the base"] += any(disc.carrier < 0 for disc in design.discs)
        shapes["twin"] += any(disc.twin for disc in design.discs)
        shapes["shaft"] += bool(design.shafts)
        shapes["branch"] += len({bar.parent for bar in design.bars}) < len(design.bars)
        shapes["wrench"] += bool(state.wrenches)
    assert set(joints) == set(JOINT_KINDS)
    assert min(joints.values()) >= 10, joints
    assert max(wheels) >= 12
    assert min(shapes.values()) >= 10, shapes


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_coriolis_matrix(seed):
    """Christoffel symbols: unique where speeds are rates of coordinates; elsewhere C v is."""
    design, mech, s = written(seed)
    oracle = Oracle(design, seed)
    q, v, _ = oracle.motion(s.inside())
    C = oracle.G.T @ pin.computeCoriolisMatrix(oracle.model, oracle.data, q, v) @ oracle.G
    found = gw.coriolis_matrix(mech, s.q, s.v)
    scale = 0.1 * np.abs(gw.mass_matrix(mech, s.q)).max()  # Pinocchio rounds numbers of this size where C is 0
    PINOCCHIO.agrees("Coriolis forces, relative", relative(found @ s.v, C @ s.v, scale), 1e-10)
    if not QUASI & {bar.joint for bar in design.bars}:
        PINOCCHIO.agrees("Coriolis matrix, relative", relative(found, C, scale), 1e-10)


@pytest.mark.parametrize("seed", range(1, 40, 2))
def test_energy_momentum_centre_of_mass(seed):
    design, mech, s = written(seed)
    oracle = Oracle(design, seed)
    q, v, _ = oracle.motion(s.inside())
    model, data = oracle.model, oracle.data
    PINOCCHIO.agrees(
        "kinetic energy, relative",
        relative(gw.kinetic_energy(mech, s.q, s.v), pin.computeKineticEnergy(model, data, q, v)),
        1e-10,
    )
    PINOCCHIO.agrees(
        "potential energy, relative",
        relative(gw.potential_energy(mech, s.q), pin.computePotentialEnergy(model, data, q)),
        1e-10,
    )
    centre = pin.centerOfMass(model, data, q)
    PINOCCHIO.agrees("centre of mass, relative", relative(gw.centre_of_mass(mech, s.q), centre), 1e-10)
    central = pin.computeCentroidalMomentum(model, data, q, v)
    expected = np.concatenate([central.linear, central.angular + np.cross(centre, central.linear)])
    PINOCCHIO.agrees("momentum, relative", relative(gw.momentum(mech, s.q, s.v), expected), 1e-10)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_placement_jacobian_and_its_rate(seed):
    design, mech, s = written(seed)
    oracle = Oracle(design, seed)
    body = len(design.bars) - 1
    point = np.array([0.1, -0.2, 0.3])
    joint, place = oracle.joint[body]
    frame = oracle.model.addFrame(pin.Frame("tip", joint, place * pin.SE3(np.eye(3), point), pin.OP_FRAME))
    model, data = oracle.model, oracle.model.createData()
    q, v, a = oracle.motion(s.inside())
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    R, p = gw.placement(mech, s.q, body)
    PINOCCHIO.agrees("rotation of a frame", relative(R, data.oMf[frame].rotation), 1e-10)
    PINOCCHIO.agrees("place of a frame, relative", relative(R @ point + p, data.oMf[frame].translation), 1e-10)
    J = gw.jacobian(mech, s.q, body, point)
    axes = pin.LOCAL_WORLD_ALIGNED
    PINOCCHIO.agrees(
        "Jacobian, relative", relative(J, pin.computeFrameJacobian(model, data, q, frame, axes) @ oracle.G), 1e-10
    )
    pin.forwardKinematics(model, data, q, v, a)
    twist = pin.getFrameClassicalAcceleration(model, data, frame, axes)
    expected = np.concatenate([twist.linear, twist.angular])
    PINOCCHIO.agrees(
        "acceleration of a frame, relative",
        relative(J @ s.a + gw.jacobian_rate(mech, s.q, s.v, body, point) @ s.v, expected),
        1e-10,
    )


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_reactions(seed):
    """What Pinocchio calls data.f: the wrench from parent to child in the child's axes, wheels included."""
    design, mech, s = written(seed)
    oracle = Oracle(design, seed)
    oracle.torque(s)
    found = gw.reactions(mech, s.q, s.v, s.a, s.wrenches, s.base_motion)
    moving = [i for i, bar in enumerate(design.bars) if bar.joint != "fixed"]
    expected = np.array([np.concatenate([(f := oracle.data.f[oracle.joint[i][0]]).linear, f.angular]) for i in moving])
    PINOCCHIO.agrees("reactions, relative", relative(found[moving], expected), 1e-10)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_regressor_of_the_bodies(seed):
    """The ten columns of each body; Pinocchio orders the tensor xx, xy, yy, xz, yz, zz."""
    design, mech, s = written(seed)
    oracle = Oracle(design, seed)
    Y = oracle.G.T @ pin.computeJointTorqueRegressor(oracle.model, oracle.data, *oracle.motion(s.inside()))
    found = gw.regressor(mech, s.q, s.v, s.a)
    for i, bar in enumerate(design.bars):
        if bar.joint != "fixed":
            first = 10 * (oracle.joint[i][0] - 1)
            expected = Y[:, first : first + 10][:, [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]]
            PINOCCHIO.agrees("regressor, relative", relative(found[:, 10 * i : 10 * i + 10], expected), 1e-10)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_jacobians_of_wheels(seed):
    """Each wheel is a body in Pinocchio: a point off its axis, in world axes and in the axes of its carrier."""
    design, mech, s = assembled(seed)
    oracle = Oracle(design, seed)
    q, v, a = oracle.motion(s.inside())
    offset = np.array([0.1, -0.2, 0.3])
    wheels = [(k, x) for k, x in enumerate(design.discs) if x.twin is None]
    frames = {}
    for k, disc in wheels:
        joint = oracle.model.getJointId(f"s{k}")
        turn = pin.exp3(disc.axis * q[oracle.model.idx_qs[joint]])
        place = pin.SE3(np.eye(3), turn.T @ offset)  # from the centre, in the axes of the carrier at this instant
        frames[k] = oracle.model.addFrame(pin.Frame(f"w{k}", joint, place, pin.OP_FRAME))
    model, data = oracle.model, oracle.model.createData()
    pin.forwardKinematics(model, data, q, v, a)
    world = pin.LOCAL_WORLD_ALIGNED
    for k, disc in wheels:
        name = next(x.name for x in mech.spins if x.name.startswith(f"d{k}."))
        J, dJ = gw.jacobian(mech, s.q, name, offset), gw.jacobian_rate(mech, s.q, s.v, name, offset)
        expected = pin.computeFrameJacobian(model, data, q, frames[k], world) @ oracle.G
        PINOCCHIO.agrees("Jacobian of a wheel, relative", relative(J, expected), 1e-10)
        pin.forwardKinematics(model, data, q, v, a)
        twist = pin.getFrameClassicalAcceleration(model, data, frames[k], world)
        expected = np.concatenate([twist.linear, twist.angular])
        PINOCCHIO.agrees("acceleration of a point of a wheel, relative", relative(J @ s.a + dJ @ s.v, expected), 1e-10)
        R = gw.placement(mech, s.q, "base" if disc.carrier < 0 else disc.carrier).rotation
        body = gw.jacobian(mech, s.q, name, offset, axes="body")
        PINOCCHIO.agrees("Jacobian in body axes, relative", relative(np.kron(np.eye(2), R) @ body, J), 1e-12)
