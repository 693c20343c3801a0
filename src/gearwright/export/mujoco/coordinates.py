"""States of a machine in MuJoCo's coordinates, and accelerations back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Rot
from gearwright.arrays import Array
from gearwright.export.mujoco.bodies import array, quaternion
from gearwright.mechanism import Body, Mechanism
from gearwright.mechanism.layout import Joint


@dataclass(frozen=True)
class Coordinates:
    r"""qvel = G(q) v, where only free joints (linear speeds in world axes there), followers, shafts and wheels differ.

    Args:
        mech: the machine.
        model: MuJoCo's compiled model of it.
        joints: per joint and per shaft MuJoCo's name of it.
        scales: per shaft MuJoCo's coordinate for one unit of ours, where it is not 1.
        wheels: per wheel's joint its row over the machine's speeds.
    """

    mech: Mechanism
    model: Any
    joints: dict[str, str]
    scales: dict[str, float]
    wheels: dict[str, dict[str, float]]

    def positions(self, q: Array) -> Array:
        """MuJoCo's qpos of a configuration."""
        qpos = np.array(self.model.qpos0, dtype=float)
        for body, joint in self._moving():
            at, here = self._qpos(self.joints[body.speed_name]), q[joint.first :]
            if body.joint == "free":
                qpos[at : at + 3] = _turn(body) @ here[:3] + array(body.position)
                qpos[at + 3 : at + 7] = quaternion(_turn(body) @ rotation(here[3:7]))
            elif body.joint == "spherical":
                qpos[at : at + 4] = here[:4]
            else:
                qpos[at] = joint.factor * here[0] + joint.offset
        for name, k in self._shafts():
            qpos[self._qpos(self.joints[name])] = self.scales.get(name, 1.0) * q[self.mech.layout.coordinate_of[k]]
        for wheel, row in self.wheels.items():
            speeds = [(self.mech.speeds.index(name), b) for name, b in row.items()]
            qpos[self._qpos(wheel)] = sum(b * q[self.mech.layout.coordinate_of[k]] for k, b in speeds)
        return qpos

    def matrix(self, q: Array) -> Array:
        """G(q), (nv, n)."""
        G = np.zeros((self.model.nv, self.mech.n))
        for body, joint in self._moving():
            dof = self._dof(self.joints[body.speed_name])
            for place, d in enumerate(joint.dofs):
                G[dof + place, d.speed] = d.factor
            if body.joint == "free":
                first = joint.dofs[0].speed
                G[dof : dof + 3, first : first + 3] = _turn(body) @ rotation(q[joint.first + 3 : joint.first + 7])
        for name, k in self._shafts():
            G[self._dof(self.joints[name]), k] = self.scales.get(name, 1.0)
        for wheel, row in self.wheels.items():
            for name, b in row.items():
                G[self._dof(wheel), self.mech.speeds.index(name)] = b
        return G

    def forces(self, q: Array, tau: Array) -> Array:
        """Forces on MuJoCo's joints that do the work of tau."""
        own, applied = self._independent(), np.zeros(self.model.nv)
        applied[own] = np.linalg.solve(self.matrix(q)[own].T, tau)
        return applied

    def accelerations(self, q: Array, v: Array, qacc: Array) -> Array:
        """Our accelerations."""
        own, G = self._independent(), self.matrix(q)
        drift = np.zeros(self.model.nv)  # dG/dt v
        for body, joint in self._moving():
            if body.joint == "free":
                dof, first = self._dof(self.joints[body.speed_name]), joint.dofs[0].speed
                turning = np.cross(v[first + 3 : first + 6], v[first : first + 3])
                drift[dof : dof + 3] = G[dof : dof + 3, first : first + 3] @ turning
        return np.asarray(np.linalg.solve(G[own], (qacc - drift)[own]))

    def _independent(self) -> list[int]:
        """MuJoCo's speeds of our own ones, in our order."""
        found = {}
        for body, joint in self._moving():
            if body.follows is None:
                dof = self._dof(self.joints[body.speed_name])
                found.update({d.speed: dof + place for place, d in enumerate(joint.dofs)})
        found.update({k: self._dof(self.joints[name]) for name, k in self._shafts()})
        return [found[k] for k in range(self.mech.n)]

    def _moving(self) -> list[tuple[Body, Joint]]:
        return [(b, j) for b, j in zip(self.mech.bodies, self.mech.joints, strict=True) if b.joint != "fixed"]

    def _shafts(self) -> list[tuple[str, int]]:
        first = self.mech.n - len(self.mech.shafts)
        return [(name, first + k) for k, name in enumerate(self.mech.shafts)]

    def _qpos(self, joint: str) -> int:
        return int(self.model.joint(joint).qposadr[0])

    def _dof(self, joint: str) -> int:
        return int(self.model.joint(joint).dofadr[0])


def rotation(quaternion: Array) -> Array:
    """The matrix of a quaternion."""
    return np.array(Rot.of_quaternion(*(float(x) for x in quaternion)).rows())


def _turn(body: Body) -> Array:
    return np.array(body.rotation.rows(), dtype=float)
