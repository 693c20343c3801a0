"""States of a machine in MuJoCo's coordinates, and accelerations back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Rot
from gearwright.arrays import Array
from gearwright.export.mujoco.bodies import unit_quaternion, vector_array
from gearwright.mechanism import Body, Mechanism
from gearwright.mechanism.layout import JointIndices


@dataclass(frozen=True)
class MujocoCoordinates:
    r"""qvel = G(q) v, where only free joints (linear speeds in world axes there), followers, shafts and wheels differ.

    Args:
        mech: the machine.
        model: MuJoCo's compiled model of it.
        joints: MuJoCo's name of every joint and shaft.
        scales: MuJoCo's coordinate per unit of ours, for shafts where it is not 1.
        wheels: row over the machine's speeds of every wheel's joint.
    """

    mech: Mechanism
    model: Any
    joints: dict[str, str]
    scales: dict[str, float]
    wheels: dict[str, dict[str, float]]

    def mujoco_positions(self, q: Array) -> Array:
        """Return MuJoCo's qpos of a configuration."""
        qpos = np.array(self.model.qpos0, dtype=float)
        for body, joint in self._moving_joints():
            at, joint_q = self._qpos_address(self.joints[body.speed_name]), q[joint.first :]
            if body.joint == "free":
                qpos[at : at + 3] = _body_rotation(body) @ joint_q[:3] + vector_array(body.position)
                qpos[at + 3 : at + 7] = unit_quaternion(_body_rotation(body) @ rotation_from_quaternion(joint_q[3:7]))
            elif body.joint == "spherical":
                qpos[at : at + 4] = joint_q[:4]
            else:
                qpos[at] = joint.factor * joint_q[0] + joint.offset
        for name, k in self._shaft_indices():
            qpos[self._qpos_address(self.joints[name])] = (
                self.scales.get(name, 1.0) * q[self.mech.layout.coordinate_of[k]]
            )
        for wheel, row in self.wheels.items():
            speeds = [(self.mech.speeds.index(name), b) for name, b in row.items()]
            qpos[self._qpos_address(wheel)] = sum(b * q[self.mech.layout.coordinate_of[k]] for k, b in speeds)
        return qpos

    def speed_matrix(self, q: Array) -> Array:
        """Return G(q), (nv, n)."""
        G = np.zeros((self.model.nv, self.mech.n))
        for body, joint in self._moving_joints():
            dof = self._dof_address(self.joints[body.speed_name])
            for place, d in enumerate(joint.dofs):
                G[dof + place, d.speed] = d.factor
            if body.joint == "free":
                first = joint.dofs[0].speed
                G[dof : dof + 3, first : first + 3] = _body_rotation(body) @ rotation_from_quaternion(
                    q[joint.first + 3 : joint.first + 7]
                )
        for name, k in self._shaft_indices():
            G[self._dof_address(self.joints[name]), k] = self.scales.get(name, 1.0)
        for wheel, row in self.wheels.items():
            for name, b in row.items():
                G[self._dof_address(wheel), self.mech.speeds.index(name)] = b
        return G

    def mujoco_forces(self, q: Array, tau: Array) -> Array:
        """Return forces on MuJoCo's joints with the same power as tau."""
        independent, applied = self._independent_dofs(), np.zeros(self.model.nv)
        applied[independent] = np.linalg.solve(self.speed_matrix(q)[independent].T, tau)
        return applied

    def machine_accelerations(self, q: Array, v: Array, qacc: Array) -> Array:
        """Return accelerations in Gearwright's speeds."""
        independent, G = self._independent_dofs(), self.speed_matrix(q)
        drift = np.zeros(self.model.nv)  # dG/dt v
        for body, joint in self._moving_joints():
            if body.joint == "free":
                dof, first = self._dof_address(self.joints[body.speed_name]), joint.dofs[0].speed
                turning = np.cross(v[first + 3 : first + 6], v[first : first + 3])
                drift[dof : dof + 3] = G[dof : dof + 3, first : first + 3] @ turning
        return np.asarray(np.linalg.solve(G[independent], (qacc - drift)[independent]))

    def _independent_dofs(self) -> list[int]:
        """Indices of MuJoCo's speeds, in Gearwright's order."""
        dof_of_speed = {}
        for body, joint in self._moving_joints():
            if body.follows is None:
                dof = self._dof_address(self.joints[body.speed_name])
                dof_of_speed.update({d.speed: dof + place for place, d in enumerate(joint.dofs)})
        dof_of_speed.update({k: self._dof_address(self.joints[name]) for name, k in self._shaft_indices()})
        return [dof_of_speed[k] for k in range(self.mech.n)]

    def _moving_joints(self) -> list[tuple[Body, JointIndices]]:
        return [(b, j) for b, j in zip(self.mech.bodies, self.mech.joints, strict=True) if b.joint != "fixed"]

    def _shaft_indices(self) -> list[tuple[str, int]]:
        first = self.mech.n - len(self.mech.shafts)
        return [(name, first + k) for k, name in enumerate(self.mech.shafts)]

    def _qpos_address(self, joint: str) -> int:
        return int(self.model.joint(joint).qposadr[0])

    def _dof_address(self, joint: str) -> int:
        return int(self.model.joint(joint).dofadr[0])


def rotation_from_quaternion(quaternion: Array) -> Array:
    """Return the rotation matrix of a quaternion."""
    return np.array(Rot.from_quaternion(*(float(x) for x in quaternion)).rows())


def _body_rotation(body: Body) -> Array:
    return np.array(body.rotation.rows(), dtype=float)
