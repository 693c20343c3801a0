"""A second engine along a motion: MuJoCo with every wheel as a body of its own."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.export.mujoco.coordinates import Coordinates
from gearwright.export.mujoco.document import document, written
from gearwright.files.mjcf.source import mujoco_module
from gearwright.functions.dynamics import inverse_dynamics, kinetic_energy
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs.inputs import checked


@dataclass(frozen=True)
class MujocoCheck:
    """What MuJoCo computes along a motion, and how far Gearwright is from it.

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
    r"""Inverse dynamics and kinetic energy by MuJoCo, where every wheel is a body with a joint of its own.

    The bodies move as the gears make them, $\dot q_{full} = G \dot q$; no equality holds them and nothing is soft:
    MuJoCo computes the forces on all joints, and $\tau = G' \tau_{full}$. The planets of one stage are one body.

    Args:
        machine: a robot or machine without free and spherical joints.
        q: configurations, (..., nq).
        v: speeds, (..., n).
        a: accelerations, (..., n).

    >>> import gearwright as gw
    >>> found = mujoco_check(gw.load("elbow"), [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8])
    >>> found.torque_error < 1e-12, found.energy_error < 1e-12
    (True, True)

    Raises:
        InputError: a joint has a quaternion, or a link that is not a body for MuJoCo.
        MissingExtraError: MuJoCo is not installed.
    """
    mech = machine_of("mujoco_check", machine)
    if mech.nq != mech.n:
        raise InputError("mujoco_check: a joint has a quaternion. Hold a floating base; joints of angles are compared.")
    sizes = {"q": (q, mech.nq), "v": (v, mech.n), "a": (a, mech.n)}
    states = [checked("mujoco_check", mech, name, given, size) for name, (given, size) in sizes.items()]
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in states))
    rows = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(prod(batch), x.shape[-1]) for x in states]
    forces, energies = _along(mech, *rows)
    tau, energy = forces.reshape(*batch, mech.n), energies.reshape(batch)
    where, speed, rate = states
    ours = np.asarray(inverse_dynamics(mech, where, speed, rate)), np.asarray(kinetic_energy(mech, where, speed))
    return MujocoCheck(tau, energy, _difference(ours[0], tau), _difference(ours[1], energy))


def _along(mech: Mechanism, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
    mujoco, where = mujoco_module(), _model(mech)
    data = mujoco.MjData(where.model)
    forces, energies = np.empty((len(q), mech.n)), np.empty(len(q))
    for k in range(len(q)):
        G = where.matrix(q[k])
        data.qpos, data.qvel, data.qacc = where.positions(q[k]), G @ v[k], G @ a[k]
        mujoco.mj_inverse(where.model, data)
        mujoco.mj_energyVel(where.model, data)
        forces[k], energies[k] = G.T @ data.qfrc_inverse, data.energy[1]
    return forces, energies


def _model(mech: Mechanism) -> Coordinates:
    """The machine with a body per wheel, compiled; equalities, limits and contacts are off."""
    mujoco = mujoco_module()
    made: Any = document(mech, "machine", "bodies", {})
    try:
        model = mujoco.MjModel.from_xml_string(written(made))
    except (ValueError, mujoco.FatalError) as error:
        raise InputError(f"mujoco_check: MuJoCo refuses the machine: {' '.join(str(error).split())}") from None
    bits = mujoco.mjtDisableBit
    off = bits.mjDSBL_EQUALITY | bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS | bits.mjDSBL_CONTACT
    model.opt.disableflags |= int(off)
    return Coordinates(mech, model, made.joints, made.scales, made.hinges)


def _difference(ours: Array, theirs: Array) -> float:
    largest = float(np.abs(theirs).max(initial=0.0))
    return float(np.abs(ours - theirs).max(initial=0.0)) / (largest or 1.0)
