"""Check of a motion against MuJoCo with every wheel as a separate body."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.export.mujoco.coordinates import MujocoCoordinates
from gearwright.export.mujoco.document import build_document, document_text
from gearwright.files.mjcf.source import mujoco_module
from gearwright.functions import inverse_dynamics, kinetic_energy, speed_directions, whole_motion
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.inputs import checked_array


@dataclass(frozen=True)
class MujocoCheck:
    """Results of MuJoCo along a motion, and their differences from Gearwright's.

    Args:
        tau: generalized forces by MuJoCo, (..., n).
        kinetic_energy: kinetic energy of all bodies by MuJoCo [J], (...).
        torque_error: largest difference of the forces from Gearwright's, relative to the largest force.
        energy_error: largest difference of the energies, relative to the largest.
    """

    tau: Array
    kinetic_energy: Array
    torque_error: float
    energy_error: float


@check_arguments
def mujoco_check(machine: RobotOrMech, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> MujocoCheck:
    r"""Return inverse dynamics and kinetic energy by MuJoCo, with every wheel as a body with its own joint.

    The bodies move by the gear ratios, $\dot q_{full} = G \dot q$, without (soft) equalities: MuJoCo computes the
    forces on all joints, and $\tau = G' \tau_{full}$. The planets of one stage are one body.

    Args:
        machine: a robot or machine without free and spherical joints. With closed loops, speeds, accelerations and
            forces are those of the independent joints.
        q: configurations, (..., nq).
        v: speeds, (..., n).
        a: accelerations, (..., n).

    >>> import gearwright as gw
    >>> found = mujoco_check(gw.load("elbow"), [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8])
    >>> found.torque_error < 1e-12, found.energy_error < 1e-12
    (True, True)

    Raises:
        InputError: a joint has a quaternion, or MuJoCo does not accept a link as a body.
        MissingExtraError: MuJoCo is not installed.
    """
    mech, closed = tree_of("mujoco_check", machine), machine_of("mujoco_check", machine)
    if isinstance(closed, ClosedMechanism):
        return _closed_check(closed, q, v, a)
    if mech.nq != mech.n:
        raise InputError("mujoco_check: joints with quaternions are not supported. Fix a floating base.")
    sizes = {"q": (q, mech.nq), "v": (v, mech.n), "a": (a, mech.n)}
    states = [checked_array("mujoco_check", mech, name, values, size) for name, (values, size) in sizes.items()]
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in states))
    rows = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(prod(batch), x.shape[-1]) for x in states]
    forces, energies = _mujoco_results(mech, *rows)
    tau, energy = forces.reshape(*batch, mech.n), energies.reshape(batch)
    configuration, speed, rate = states
    own_results = (
        np.asarray(inverse_dynamics(mech, configuration, speed, rate)),
        np.asarray(kinetic_energy(mech, configuration, speed)),
    )
    return MujocoCheck(
        tau, energy, _relative_difference(own_results[0], tau), _relative_difference(own_results[1], energy)
    )


def _closed_check(mech: ClosedMechanism, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> MujocoCheck:
    """Return the check of the open tree in the motion of the independent joints, with forces at these."""
    whole_q, whole_v, whole_a = map(np.asarray, whole_motion("mujoco_check", mech, q, v, a))
    tree = mujoco_check(mech.tree, whole_q, whole_v, whole_a)
    directions = np.array([speed_directions(mech, x) for x in whole_q.reshape(-1, mech.nq)])
    forces = tree.tau.reshape(-1, 1, mech.tree.n) @ directions
    tau = forces.reshape(*whole_q.shape[:-1], mech.n)
    ours = np.asarray(inverse_dynamics(mech, whole_q, v, a))
    return MujocoCheck(tau, tree.kinetic_energy, _relative_difference(ours, tau), tree.energy_error)


def _mujoco_results(mech: Mechanism, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
    mujoco, coordinates = mujoco_module(), _wheel_body_model(mech)
    data = mujoco.MjData(coordinates.model)
    forces, energies = np.empty((len(q), mech.n)), np.empty(len(q))
    for k in range(len(q)):
        G = coordinates.speed_matrix(q[k])
        data.qpos, data.qvel, data.qacc = coordinates.mujoco_positions(q[k]), G @ v[k], G @ a[k]
        mujoco.mj_inverse(coordinates.model, data)
        mujoco.mj_energyVel(coordinates.model, data)
        forces[k], energies[k] = G.T @ data.qfrc_inverse, data.energy[1]
    return forces, energies


def _wheel_body_model(mech: Mechanism) -> MujocoCoordinates:
    """Return the compiled machine with a body per wheel, without equalities, limits and contacts."""
    mujoco = mujoco_module()
    output: Any = build_document(mech, "machine", "bodies", {})
    try:
        model = mujoco.MjModel.from_xml_string(document_text(output))
    except (ValueError, mujoco.FatalError) as error:
        raise InputError(f"mujoco_check: MuJoCo rejects the machine: {' '.join(str(error).split())}") from None
    bits = mujoco.mjtDisableBit
    off = bits.mjDSBL_EQUALITY | bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS | bits.mjDSBL_CONTACT
    model.opt.disableflags |= int(off)
    return MujocoCoordinates(mech, model, output.joints, output.scales, output.hinges)


def _relative_difference(ours: Array, theirs: Array) -> float:
    largest = float(np.abs(theirs).max(initial=0.0))
    return float(np.abs(ours - theirs).max(initial=0.0)) / (largest or 1.0)
