"""Pinocchio with every wheel as a body of its own: q_full = G q, tau = G' rnea, M = G' crba G.

Joints are added depth-first, each subtree contiguously: otherwise `crba` returns a wrong matrix without a word. The
base is a free-flyer whose motion is given, so that a moving base needs no special case; its rows are dropped.
"""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import ClosedMechanism
from support.designs import PLAIN, WIDTH, Bar, Design, State, revolution

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows


class Oracle:
    """The explicit model of a design; its base can move, or is part of the ground."""

    def __init__(self, design: Design, seed: int = 0, *, base_moves: bool = True) -> None:
        self.design = design
        self.rng = np.random.default_rng(seed)
        self.model = pin.Model()
        self.model.gravity.linear = design.gravity
        self.joint: dict[int, tuple[int, pin.SE3]] = {}  # body -> (joint, place on it)
        self.rotors: list[tuple[int, dict[str, float]]] = []
        root = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root") if base_moves else 0
        self.joint[-1] = (root, pin.SE3.Identity())
        self._carry(-1)
        self.data = self.model.createData()
        self.G = self._projection()

    def _carry(self, i: int) -> None:
        """Add what body i carries: its wheels, then each child with its whole subtree."""
        for k, disc in enumerate(self.design.discs):
            if disc.carrier == i:
                self._wheel(f"s{k}", i, disc.axis, disc.position, disc.mass, disc.axial, disc.across, disc.row)
                if disc.twin is not None:
                    g, J = disc.twin
                    row = {name: g * ratio for name, ratio in disc.row.items()}
                    self._wheel(f"s{k}.twin", i, disc.axis, disc.position, 0.0, J, 0.5 * J, row)
        for child, bar in enumerate(self.design.bars):
            if bar.parent == i:
                self._body(child)
                self._carry(child)

    def _body(self, i: int) -> None:
        bar = self.design.bars[i]
        parent, place = self.joint[bar.parent]
        here = place * pin.SE3(bar.rotation, bar.position)
        if bar.joint == "fixed":
            self.joint[i] = (parent, here)
        else:
            if bar.joint == "universal":  # two revolute joints, nothing between them
                parent = self.model.addJoint(parent, pin.JointModelRevoluteUnaligned(bar.axis), here, f"j{i}.angle1")
                here = pin.SE3.Identity()
            kind = {
                "revolute": lambda: pin.JointModelRevoluteUnaligned(bar.axis),
                "prismatic": lambda: pin.JointModelPrismaticUnaligned(bar.axis),
                "spherical": pin.JointModelSpherical,
                "free": pin.JointModelFreeFlyer,
                "planar": pin.JointModelPlanar if upright(bar) else pin.JointModelFreeFlyer,
                "helical": lambda: pin.JointModelHelicalUnaligned(bar.axis, bar.pitch),
                "universal": lambda: pin.JointModelRevoluteUnaligned(bar.axis2),
            }[bar.joint]()
            self.joint[i] = (self.model.addJoint(parent, kind, here, f"j{i}"), pin.SE3.Identity())
        self._append(*self.joint[i], bar.mass, bar.com, bar.inertia)
        if self.design.payload is not None and self.design.payload[0] == i:
            self._append(*self.joint[i], *self.design.payload[1:])

    def _append(self, joint: int, place: pin.SE3, mass: float, com: np.ndarray, tensor: np.ndarray) -> None:
        self.model.appendBodyToJoint(joint, pin.Inertia(mass, com, tensor), place)

    def _wheel(self, name, carrier, axis, position, mass, axial, across, row) -> None:
        parent, place = self.joint[carrier]
        here = place * pin.SE3(np.eye(3), position)
        joint = self.model.addJoint(parent, pin.JointModelRevoluteUnaligned(axis), here, name)
        mass = 0.0 if carrier < 0 else mass  # what rests on the base is not a body of the machine
        self._append(joint, pin.SE3.Identity(), mass, np.zeros(3), revolution(axis, axial, across))
        self.rotors.append((joint, row))

    def _slots(self) -> list[tuple[int, int, int]]:
        """Per body (first coordinate, first speed, number of speeds) in Gearwright's order; followers have none."""
        found, q, v = [], 0, 0
        for bar in self.design.bars:
            nq, nv = (0, 0) if bar.follows is not None else WIDTH[bar.joint]
            found.append((q, v, nv))
            q, v = q + nq, v + nv
        self.nq, self.n = q + len(self.design.shafts), v + len(self.design.shafts)
        return found

    def _projection(self) -> np.ndarray:
        self.slots = self._slots()
        names = {f"j{i}": slot[1] for i, slot in enumerate(self.slots) if slot[2] == 1}
        for i, (_, first, width) in enumerate(self.slots):
            names |= {f"j{i}.angle1": first, f"j{i}.angle2": first + 1} if width == 2 else {}
        names |= {name: self.n - len(self.design.shafts) + k for k, name in enumerate(self.design.shafts)}
        G = np.zeros((self.model.nv, self.n))
        for i, bar in enumerate(self.design.bars):
            joint, (_, first, width) = self.joint[i][0], self.slots[i]
            at = self.model.idx_vs[joint] - (bar.joint == "universal")
            if bar.joint == "planar" and not upright(bar):  # a free-flyer that keeps to the plane
                x, y = across(bar.axis)
                G[at : at + 3, first], G[at : at + 3, first + 1], G[at + 3 : at + 6, first + 2] = x, y, bar.axis
            elif bar.follows is not None:
                G[at, self.slots[bar.follows[0]][1]] = bar.follows[1]
            elif width:
                G[at : at + width, first : first + width] = np.eye(width)
        for joint, row in self.rotors:
            for name, ratio in row.items():
                G[self.model.idx_vs[joint], names[name]] += ratio
        return G

    def q(self, q: np.ndarray) -> np.ndarray:
        """The full configuration; the wheels stand at random angles, which must not matter."""
        full = pin.neutral(self.model)
        for joint, _ in self.rotors:
            full[self.model.idx_qs[joint]] = self.rng.uniform(-3, 3)
        for i, bar in enumerate(self.design.bars):
            at, first = self.model.idx_qs[self.joint[i][0]], self.slots[i][0]
            if bar.follows is not None:
                leader, multiplier, offset = bar.follows
                full[at] = multiplier * q[self.slots[leader][0]] + offset
            elif bar.joint in PLAIN:
                full[at] = q[first]
            elif bar.joint == "universal":
                full[at - 1 : at + 1] = q[first : first + 2]
            elif bar.joint == "planar":
                full[at : at + 7 - 3 * upright(bar)] = in_the_plane(bar, *q[first : first + 3])
            elif bar.joint != "fixed":
                shift = 3 if bar.joint == "free" else 0
                w, x, y, z = q[first + shift : first + shift + 4] / np.linalg.norm(q[first + shift : first + shift + 4])
                full[at : at + shift] = q[first : first + shift]
                full[at + shift : at + shift + 4] = x, y, z, w
        return full

    def motion(self, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Full q, v, a, the base moving as given (with some linear velocity, which must not matter)."""
        v, a = self.G @ state.v, self.G @ state.a
        if state.base_motion is not None:
            omega, alpha, acceleration = state.base_motion
            linear = self.rng.uniform(-2, 2, 3)
            v[:6] = [*linear, *omega]
            a[:6] = [*(acceleration - np.cross(omega, linear)), *alpha]
        return self.q(state.q), v, a

    def forces(self, q: np.ndarray, state: State) -> pin.StdVec_Force:
        """External wrenches in the axes of the joints that carry the bodies."""
        pin.forwardKinematics(self.model, self.data, q)
        total = pin.StdVec_Force()
        total.extend([pin.Force.Zero() for _ in range(self.model.njoints)])
        for name, wrench in state.wrenches.items():
            joint, place = self.joint[int(name[1:])]
            back = (self.data.oMi[joint] * place).rotation.T
            total[joint] = total[joint] + place * pin.Force(back @ wrench[:3], back @ wrench[3:])
        return total

    def torque(self, state: State) -> np.ndarray:
        """Generalized forces without springs."""
        q, v, a = self.motion(state)
        return self.G.T @ pin.rnea(self.model, self.data, q, v, a, self.forces(q, state))

    def bias(self, state: State) -> np.ndarray:
        return self.torque(State(state.q, state.v, 0 * state.a, state.wrenches, state.base_motion))

    def gravity(self, state: State) -> np.ndarray:
        return self.G.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(state.q))

    def constrained_accelerations(
        self, mech: ClosedMechanism, state: State, tau: np.ndarray, mu: float = 1e-12
    ) -> np.ndarray:
        """The accelerations of links and wheels by `constraintDynamics`, with loops as Pinocchio's own constraints.

        Pinocchio has no gears: their forces on each wheel are those that the wheel needs at `state.a`, and act back on
        the driving speeds. So the result is G times `state.a` only if these are the right accelerations.
        """
        q, v, a = self.motion(state)
        wheels = [self.model.idx_vs[joint] for joint, _ in self.rotors]
        links = np.setdiff1d(np.arange(self.model.nv), wheels)  # each the row of one speed
        forces = pin.rnea(self.model, self.data, q, v, a)
        forces[links] = self.G[links] @ (tau - self.G[wheels].T @ forces[wheels])
        constraints, constraint_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in mech.loops:
            kind = pin.ContactType.CONTACT_6D if len(loop.held) == 6 else pin.ContactType.CONTACT_3D
            ends = [entry for frame in loop.frames for entry in self._frame(mech, frame)]
            constraints.append(pin.RigidConstraintModel(kind, self.model, *ends, pin.ReferenceFrame.LOCAL))
            constraint_data.append(constraints[-1].createData())
        pin.initConstraintDynamics(self.model, self.data, constraints, constraint_data)
        settings = pin.ProximalSettings(1e-14, mu, 1000)
        loops = (constraints, constraint_data, settings)
        return np.array(pin.constraintDynamics(self.model, self.data, q, v, forces, *loops))

    def _frame(self, mech: gw.Mechanism, name: str) -> tuple[int, pin.SE3]:
        """The joint that carries a frame, and the frame's place on it."""
        body, rotation, position = mech.place_of(name)
        joint, place = self.joint[body]
        R = np.array([list(row) for row in rotation.rows()], dtype=float)
        return joint, place * pin.SE3(R, np.array([*position], dtype=float))

    def mass_matrix(self, state: State) -> np.ndarray:
        M = pin.crba(self.model, self.data, self.q(state.q))
        M = np.triu(M) + np.triu(M, 1).T
        return self.G.T @ M @ self.G


def upright(bar: Bar) -> bool:
    """Whether the normal of a planar joint is z, the only one that Pinocchio's planar joint has."""
    return bool(np.array_equal(bar.axis, [0, 0, 1]))


def across(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The x and y of a plane: those of the frame's cyclic triad for the largest part of the normal, made orthogonal."""
    x = np.roll(np.eye(3)[int(np.argmax(np.abs(normal)))], 1)
    x = x - normal * (normal @ x)
    x = x / np.linalg.norm(x)
    return x, np.cross(normal, x)


def in_the_plane(bar: Bar, x: float, y: float, angle: float) -> list[float]:
    """The coordinates of Pinocchio's planar joint (x, y, cos, sin), or of a free-flyer at the same place."""
    if upright(bar):
        return [x, y, np.cos(angle), np.sin(angle)]
    e, f = across(bar.axis)
    return [*(e * x + f * y), *(bar.axis * np.sin(angle / 2)), np.cos(angle / 2)]
