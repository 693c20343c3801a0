"""Elastic machines for tests: bundled arms with stiffness, a turntable of two inertias, random chains, smooth paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Gear, Link, Motor, Robot
from support.machines import random_parts_design


def elastic(name: str, stiffness: float | Sequence[float], damping: float = 0.0) -> Robot:
    """A bundled robot with a spring in every drive."""
    robot = gw.load(name)
    values = np.broadcast_to(stiffness, len(robot.drives))
    for drive, k in zip(robot.drives, values, strict=True):
        robot = robot.with_drive(replace(drive, gear=replace(drive.gear, stiffness=float(k), damping=damping)))
    return robot


def elastic_elbow(damping: float = 0.0) -> Robot:
    """The elbow with the stiffnesses of `elastic_elbow`."""
    return elastic("elbow", (8000.0, 6000.0, 3000.0), damping)


def turntable(rotor: float = 1.0, link: float = 1.0, stiffness: float = 5000.0, damping: float = 0.0) -> gw.Mechanism:
    """Two inertias [kg m2 at the joint side] and a spring between them, no gravity about the axis."""
    table = Link("table", mass=10, inertia=np.diag([0.5 * link, 0.5 * link, link]))
    drive = Drive("table", Motor(inertia=rotor * 1e-4), Gear(ratio=100, stiffness=stiffness, damping=damping))
    return gw.assemble(Robot("turntable", [table], [drive]))


def random_elastic(seed: int, kinds: Sequence[str]) -> gw.Mechanism:
    """A random chain of parts whose drives are elastic without dampers, each motor on the link before its joint."""
    design = random_parts_design(np.random.default_rng(seed), kinds, wheels=len(kinds), elastic=len(kinds))
    robot = design.robot()
    links = {link.joint_name: link for link in robot.links}
    drives = [
        replace(d, gear=replace(d.gear, damping=0.0), mounted_on=links[d.joint].parent, name=None) for d in robot.drives
    ]
    return gw.assemble(replace(robot, drives=drives))


def path(t: np.ndarray, joints: int, order: int, seed: int = 0) -> list[np.ndarray]:
    """A smooth motion of all joints at times t and its derivatives up to an order, each t.shape + (joints,)."""
    rng = np.random.default_rng(seed)
    w, phase, size = rng.uniform(0.5, 1.5, joints), rng.uniform(-2, 2, joints), rng.uniform(0.3, 1.0, joints)
    angle = w * np.asarray(t, float)[..., None] + phase
    return [size * w**k * np.sin(angle + k * np.pi / 2) for k in range(order + 1)]
