"""Closed machines: the collection of parallel robots, random ones, and Pinocchio's constrained dynamics of them."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gearwright as gw
from gearwright.contact import ClosedMechanism
from gearwright.errors import InputError
from gearwright.parts import Loop, Robot
from support.designs import Design
from support.machines import random_design, random_state

POINT, FRAME = ("x", "y", "z"), ("x", "y", "z", "rx", "ry", "rz")


def parallel_robots() -> list[str]:
    """The names of the robots of the collection; [] without it."""
    root = os.environ.get("GEARWRIGHT_REFERENCE")
    index = Path(root, "parallel_robots", "index.json") if root else None
    return list(json.loads(index.read_text())) if index is not None and index.is_file() else []


def parallel_robot(name: str) -> Robot:
    """A robot of the collection, with the loops and motors of the list beside its URDF."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gw.load(Path(os.environ["GEARWRIGHT_REFERENCE"], "parallel_robots", name, "robot.urdf"))


class ConstrainedPinocchio:
    """Pinocchio's model of an open tree of a machine without wheels, with the loops as its own constraints."""

    def __init__(self, mech: gw.Mechanism, loops: list[Loop]) -> None:
        import pinocchio as pin

        self.pin, self.mech = pin, mech
        self.model = pin.Model()
        self.model.gravity.linear = np.array([*mech.gravity], dtype=float)
        self.place: dict[int, tuple[int, Any]] = {-1: (0, pin.SE3.Identity())}
        self.slots: list[tuple[int, int]] = []
        children: dict[int, list[int]] = {}
        for i in range(len(mech.bodies)):
            children.setdefault(mech.parent_of(i), []).append(i)
        stack = list(reversed(children.get(-1, [])))
        while stack:  # depth first, as crba requires
            i = stack.pop()
            self._add(i)
            stack += reversed(children.get(i, []))
        self.data = self.model.createData()
        self.constraints, self.constraint_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in loops:
            (j1, M1), (j2, M2) = (self._frame(x) for x in loop.frames)
            kind = pin.ContactType.CONTACT_6D if len(loop.held) == 6 else pin.ContactType.CONTACT_3D
            one = pin.RigidConstraintModel(kind, self.model, j1, M1, j2, M2, pin.ReferenceFrame.LOCAL)
            self.constraints.append(one)
            self.constraint_data.append(one.createData())
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.constraint_data)
        order = np.zeros(mech.n, dtype=int)
        for i, joint in enumerate(mech.joints):
            if joint.dofs:
                order[joint.dofs[0].speed] = self.model.idx_vs[self.place[i][0]]
        self.order = order

    def _add(self, i: int) -> None:
        pin, body = self.pin, self.mech.bodies[i]
        parent, here = self.place[self.mech.parent_of(i)]
        rotation = np.array([list(row) for row in body.rotation.rows()], dtype=float)
        here = here * pin.SE3(rotation, np.array([*body.position], dtype=float))
        if body.kind.speeds:
            axis = np.array([*body.axis], dtype=float)
            kind = pin.JointModelRevoluteUnaligned if body.joint == "revolute" else pin.JointModelPrismaticUnaligned
            self.place[i] = self.model.addJoint(parent, kind(axis), here, body.name), pin.SE3.Identity()
        else:
            self.place[i] = parent, here
        tensor = np.array(body.inertia.full_matrix().rows() and [list(r) for r in body.inertia.full_matrix().rows()])
        inertia = pin.Inertia(float(body.mass), np.array([*body.com], dtype=float), tensor.astype(float))
        self.model.appendBodyToJoint(self.place[i][0], inertia, self.place[i][1])

    def _frame(self, name: str) -> tuple[int, Any]:
        body, rotation, position = self.mech.place_of(name)
        joint, here = self.place[body]
        if rotation is None:
            return joint, here
        R = np.array([list(row) for row in rotation.rows()], dtype=float)
        return joint, here * self.pin.SE3(R, np.array([*position], dtype=float))

    mu = 1e-12

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """All accelerations by `constraintDynamics`."""
        full_q, full_v, full_tau = (np.zeros(self.model.nv) for _ in range(3))
        full_q[self.order], full_v[self.order], full_tau[self.order] = q, v, tau
        settings = self.pin.ProximalSettings(1e-14, self.mu, 1000)
        a = self.pin.constraintDynamics(
            self.model, self.data, full_q, full_v, full_tau, self.constraints, self.constraint_data, settings
        )
        return np.array(a)[self.order]


HELD = (POINT, ("x", "z"), ("x", "y", "z", "rx", "rz"), ("y", "rz"))
"""What loops of random machines hold; Pinocchio has points and whole frames only."""


@cache
def random_closed_design(seed: int, held: tuple[tuple[str, ...], ...] = HELD) -> tuple[Design, ClosedMechanism]:
    """A random tree with a rotor on every link, and one or two loops that are closed at a random configuration."""
    rng = np.random.default_rng(5000 + seed)
    while True:
        kinds = [
            str(x)
            for x in rng.choice(["revolute", "prismatic", "spherical", "universal"], size=8, p=[0.7, 0.1, 0.1, 0.1])
        ]
        design = random_design(rng, kinds, wheels=8)
        design = replace(design, discs=tuple(replace(disc, carrier=i) for i, disc in enumerate(design.discs)))
        tree = replace(design.written(), actuators=())
        q = random_state(rng, tree).q
        tree, loops = _with_random_loops(rng, tree, q, held)
        try:
            mech = ClosedMechanism.from_tree(tree, loops, start=q)
        except InputError:
            continue  # rigid or singular: drawn again
        if mech.n and _loops_move(mech):
            return design, mech


def _with_random_loops(
    rng: np.random.Generator, tree: gw.Mechanism, q: np.ndarray, held: tuple[tuple[str, ...], ...]
) -> tuple[gw.Mechanism, list[Loop]]:
    """A tree with frames at random places of random bodies that coincide at q, and the loops between them."""
    frames, loops = [], []
    for k in range(int(rng.integers(1, 3))):
        a, b = rng.choice(len(tree.bodies), 2, replace=False)
        words = held[int(rng.integers(len(held)))]
        placed = [gw.placement(tree, q, int(i)) for i in (a, b)]
        spot, turn = rng.normal(size=3) * 0.3, _random_rotation(rng)
        here = placed[0].rotation @ spot + placed[0].position
        world = placed[0].rotation @ turn
        frames.append(gw.BodyFrame(f"A{k}", int(a), turn, spot))
        other = placed[1].rotation
        frames.append(gw.BodyFrame(f"B{k}", int(b), other.T @ world, other.T @ (here - placed[1].position)))
        loops.append(Loop(f"loop{k}", (f"A{k}", f"B{k}"), words))
    return replace(tree, frames=frames), loops


def random_closed_machine(seed: int) -> ClosedMechanism:
    """The machine of `random_closed_design`."""
    return random_closed_design(seed)[1]


def closed_state(mech: ClosedMechanism, seed: int, size: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A closed configuration near the reference, with speeds and accelerations."""
    rng = np.random.default_rng(seed)
    q = gw.integrate(mech, mech.reference, rng.uniform(-size, size, mech.n))
    return q, rng.normal(size=mech.n), rng.normal(size=mech.n)


def _loops_move(mech: ClosedMechanism) -> bool:
    """Whether dependent joints move with the independent ones, and not much faster."""
    from gearwright.functions.constrained.closing import speed_directions

    dependent = [k for group in mech.closure.groups for k in group.dependent]
    return 0.1 < float(np.abs(speed_directions(mech, mech.reference)[dependent]).max(initial=0.0)) < 50


def _random_rotation(rng: np.random.Generator) -> np.ndarray:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


def projected_accelerations(robot: Robot, mech: ClosedMechanism, q: Any, v: Any, forces: Any) -> np.ndarray:
    """All accelerations by projection on the null space of the loops' rows, from Jacobians of the open tree alone.

    The loops hold points, whole frames, or planar points whose motion has no other components.
    """
    tree = mech.tree
    rows, drifts = [], []
    for loop in robot.loops:
        at = [FRAME.index(name) for name in loop.held]
        R = np.kron(np.eye(2), gw.placement(tree, q, loop.frames[1]).rotation.T)
        one, other = (gw.jacobian(tree, q, name) for name in loop.frames)
        rate, other_rate = (gw.jacobian_rate(tree, q, v, name) for name in loop.frames)
        rows.append((R @ (one - other))[at])
        drifts.append((R @ (rate - other_rate) @ v)[at])
    W, drift = np.vstack(rows), np.concatenate(drifts)
    left, sizes, right = np.linalg.svd(W)
    rank = int((sizes > 1e-8 * sizes[0]).sum())
    free, along = right[rank:].T, -right[:rank].T @ ((left[:, :rank].T @ drift) / sizes[:rank])
    M, h = gw.mass_matrix(tree, q), gw.bias(tree, q, v)
    return along + free @ np.linalg.solve(free.T @ M @ free, free.T @ (forces - h - M @ along))


def four_bar_robot(crank: float, coupler: float, rocker: float, ground: float, ratio: float) -> Robot:
    """A planar four-bar with a driven crank."""
    from gearwright.parts import Drive, Frame, Gear, Joint, Link, Motor

    def bar(name: str, parent: str, x: float, length: float) -> Link:
        tensor = ((1e-4, 0, 0), (0, length**2 / 12, 0), (0, 0, length**2 / 12))
        return Link(name, parent, Joint(axis=(0, 0, 1), position=(x, 0, 0)), 1.0, (length / 2, 0, 0), tensor)

    bars = [
        bar("crank", "base", 0.0, crank),
        bar("coupler", "crank", crank, coupler),
        bar("rocker", "base", ground, rocker),
    ]
    ends = [Frame("coupler_end", "coupler", (coupler, 0, 0)), Frame("rocker_end", "rocker", (rocker, 0, 0))]
    pin = Loop("pin", ("coupler_end", "rocker_end"), ("x", "y"))
    return Robot("four_bar", bars, [Drive("crank", Motor(3e-4), Gear(ratio))], frames=ends, loops=[pin])
