"""Machines with closed loops against Pinocchio: its constrained dynamics, and every wheel a body of its own."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gearwright as gw
from gearwright.functions.constrained.closing import whole_motion
from support.closed_machines import (
    FRAME,
    POINT,
    ConstrainedPinocchio,
    closed_state,
    parallel_robot,
    parallel_robots,
    random_closed_design,
)
from support.compare import relative
from support.designs import State
from support.references import Reference

pytest.importorskip("pinocchio")  # has no wheel for Windows
from support.pinocchio_oracle import Oracle

RANDOM = Reference("Pinocchio, closed loops, every rotor a body")

ROBOTS = {
    "5bar_linkage": 3,
    "5bar_linkage_iso3d": 2,
    "robot_delta": 5,
    "digit_like": 9,
    "cassie_like": 7,
    "talos_like": 7,
    "digit_like_2legs_6D": 12,
    "disney_like": 9,
}
"""The eight robots of the collection and their freedoms, as its own least-squares solver found them."""


@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations_of_the_collection(name):
    if name not in parallel_robots():
        pytest.skip("GEARWRIGHT_REFERENCE has no parallel_robots")
    robot = parallel_robot(name)
    mech = gw.assemble(robot)
    assert mech.n == ROBOTS[name]
    peer = ConstrainedPinocchio(mech.tree, list(robot.loops))
    if name == "robot_delta":  # 43 g: with less regularisation the redundant rows drown in rounding errors
        peer.mu = 1.0
    rng = np.random.default_rng(7)
    for _ in range(5):
        q = gw.integrate(mech, mech.reference, rng.uniform(-1e-3, 1e-3, mech.n))
        v, tau = rng.normal(size=mech.n), rng.normal(size=mech.n)
        a = gw.forward_dynamics(mech, q, v, tau)
        whole, V, A = whole_motion("test", mech, q, v, a)
        forces = np.zeros(mech.tree.n)
        forces[list(mech.closure.independent)] = tau
        wanted = peer.accelerations(whole, V, forces)
        assert np.abs(A - wanted).max() < 1e-9 * np.abs(wanted).max()
        size = max(np.abs(tau).max(), np.abs(gw.bias(mech, q, v)).max())  # 1.3e6 kg: large forces cancel
        assert gw.inverse_dynamics(mech, q, v, a) == pytest.approx(tau, abs=1e-10 * size)


@pytest.mark.parametrize("name", ["four_bar", "planar_leg_linkage"])
def test_accelerations_of_urdf_plus_files(name, reference):
    """Pinocchio reads the same file, with its loops as its own constraints at points."""
    import pinocchio as pin
    from lxml import etree

    file = reference / "urdf_plus" / f"{name}.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mech = gw.assemble(gw.load(file))
    document = etree.parse(str(file)).getroot()
    loops = list(document.iter("loop"))
    for loop in loops:
        document.remove(loop)
    model = pin.buildModelFromXML(etree.tostring(document).decode())
    constraints, constraint_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in loops:
        ends = []
        for end in ("predecessor", "successor"):
            frame = model.frames[model.getBodyId(loop.find(end).get("link"))]
            place = np.array([float(x) for x in loop.find(end).find("origin").get("xyz").split()])
            ends += [frame.parentJoint, frame.placement * pin.SE3(np.eye(3), place)]
        one = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.ReferenceFrame.LOCAL)
        constraints.append(one)
        constraint_data.append(one.createData())
    data, settings = model.createData(), pin.ProximalSettings(1e-13, 1e-10, 100)
    pin.initConstraintDynamics(model, data, constraints, constraint_data)
    order = [mech.tree.speeds.index(model.names[k]) for k in range(1, model.njoints)]
    rng = np.random.default_rng(7)
    for _ in range(5):
        # away from the stretched posture at zero
        q = gw.integrate(mech, mech.reference, 0.2 * np.sign(mech.reference[list(mech.independent_indices)]))
        v, tau = rng.normal(size=(2, mech.n))
        whole, V, A = whole_motion("test", mech, q, v, gw.forward_dynamics(mech, q, v, tau))
        forces = np.zeros(mech.tree.n)
        forces[list(mech.closure.independent)] = tau
        at = [
            [np.cos(whole[k]), np.sin(whole[k])] if model.joints[i].nq == 2 else [whole[k]]
            for i, k in enumerate(order, start=1)
        ]
        wanted = pin.constraintDynamics(
            model, data, np.concatenate(at), V[order], forces[order], constraints, constraint_data, settings
        )
        assert np.abs(A[order] - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize("hardness", [1e-3, 1e-6, 1e-9])
def test_mujoco_has_the_accelerations_of_the_leg_where_its_equalities_are_hard(hardness, tmp_path):
    """Its equalities yield: `solimp` ends at 0.9999, so at least 1e-4 of the weight of bodies remains as compliance.

    Next to rods of grams this is 2 % of the accelerations. With smaller weights the difference vanishes in proportion.
    """
    mujoco = pytest.importorskip("mujoco")
    if "cassie_like" not in parallel_robots():
        pytest.skip("GEARWRIGHT_REFERENCE has no parallel_robots")
    robot = parallel_robot("cassie_like")
    mech = gw.assemble(robot)
    gw.export.mjcf(robot, tmp_path / "leg.xml", rotors="reflected", sidecar=False)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "leg.xml"))
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE  # the sparse solver of 4.0.0 has a known error
    model.opt.tolerance, model.opt.iterations, model.opt.ls_iterations = 0.0, 500, 200
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.body_invweight0[:] *= hardness
    at = [int(model.joint(name).qposadr[0]) for name in mech.tree.coordinates]
    dofs = [int(model.joint(name).dofadr[0]) for name in mech.tree.speeds]
    rng = np.random.default_rng(7)
    for _ in range(3):
        q = gw.integrate(mech, mech.reference, rng.uniform(-1e-3, 1e-3, mech.n))
        v, tau = rng.normal(size=(2, mech.n))
        whole, V, A = whole_motion("test", mech, q, v, gw.forward_dynamics(mech, q, v, tau))
        data = mujoco.MjData(model)
        data.qpos[at], data.qvel[dofs] = whole, V
        data.qfrc_applied[[dofs[k] for k in mech.closure.independent]] = tau
        mujoco.mj_forward(model, data)
        assert np.abs(data.qacc[dofs] - A).max() < 0.1 * hardness * np.abs(A).max()


@pytest.mark.parametrize("seeds", [range(k, k + 25) for k in range(0, 200, 25)], ids=str)
def test_accelerations_of_random_machines_with_a_rotor_on_every_link(seeds):
    """Every rotor is a body of Pinocchio's model."""
    for seed in seeds:
        design, mech = random_closed_design(seed, (POINT, FRAME))
        q, v, tau = closed_state(mech, seed)
        a = gw.forward_dynamics(mech, q, v, tau)
        whole, V, A = whole_motion("test", mech, q, v, a)
        forces = np.zeros(mech.tree.n)
        forces[list(mech.closure.independent)] = tau
        oracle = Oracle(design, seed, base_moves=False)
        found = oracle.constrained_accelerations(mech, State(whole, V, A), forces)
        RANDOM.agrees("accelerations of links and rotors, relative", relative(found, oracle.G @ A), 1e-9)
