"""A parallel ankle: two motors with cranks and rods move pitch and roll of a foot."""

from __future__ import annotations

from functools import cache

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Frame, Gear, Joint, Link, Loop, Motor, Robot

ANKLE_JOINTS = ("pitch", "roll")
CRANK, ROD, WIDTH = 0.05, 0.2, 0.04


def box(mass: float, x: float, y: float, z: float) -> tuple:
    return tuple(
        tuple(mass * m / 12 * (i == k) for k in range(3)) for i, m in enumerate((y**2 + z**2, x**2 + z**2, x**2 + y**2))
    )


@cache
def parallel_ankle(rotor_inertia: float = 6e-5, max_torque: float | None = 1.4) -> Robot:
    """A foot on a universal joint below the shin, two cranks in the shin, rods between balls."""
    links = [
        Link("cross", "base", Joint("pitch", axis=(0, 1, 0)), 0.02, inertia=box(0.02, 0.02, 0.02, 0.02)),
        Link("foot", "cross", Joint("roll", axis=(1, 0, 0)), 0.8, (0.03, 0, -0.05), box(0.8, 0.2, 0.08, 0.04)),
    ]
    frames, loops, drives = [], [], []
    motor = Motor(rotor_inertia, 0.1, max_torque=max_torque, max_speed=300.0, damping=2e-5)
    for side, y in (("left", WIDTH), ("right", -WIDTH)):
        crank = Joint(side, axis=(0, 1, 0), position=(0, y, ROD))
        ball = Joint(f"{side}_ball", "universal", (0, 1, 0), position=(-CRANK, 0, 0), axis2=(1, 0, 0))
        links.append(Link(f"{side}_crank", "base", crank, 0.05, (-CRANK / 2, 0, 0), box(0.05, CRANK, 0.01, 0.01)))
        links.append(Link(f"{side}_rod", f"{side}_crank", ball, 0.04, (0, 0, -ROD / 2), box(0.04, 0.006, 0.006, ROD)))
        frames.append(Frame(f"{side}_end", f"{side}_rod", (0, 0, -ROD)))
        frames.append(Frame(f"{side}_lever", "foot", (-CRANK, y, 0)))
        loops.append(Loop(f"{side}_pin", (f"{side}_end", f"{side}_lever")))
        drives.append(Drive(side, motor, Gear(9.0), "base", (0, 1, 0)))
    return Robot("ankle", links, drives, frames=frames, loops=loops)


@cache
def ankle_machine() -> gw.Mechanism:
    """The ankle with pitch and roll as its independent speeds."""
    return gw.assemble(parallel_ankle(), independent=ANKLE_JOINTS, start=np.zeros(8))
