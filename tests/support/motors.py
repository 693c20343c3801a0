"""A rotor on the base with a disc on it: the simplest machine that a motor can turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright import assemble
from gearwright.algebra.operations import FLOATS
from gearwright.forces import Law, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot, Supply

ROTOR, DISC = 2e-4, 1e-3


def disc(motor: Motor, supply: Supply | None = None, ratio: float = 1.0, **drive: object) -> Robot:
    """One disc of 1e-3 kg m2 about a fixed axis."""
    link = Link("disc", joint=Joint("j"), mass=1.0, inertia=np.diag([DISC] * 3))
    return Robot("rotor", [link], [Drive("j", motor, Gear(ratio), mounted_on="base", **drive)], supply=supply)  # type: ignore[arg-type]


def discs(motors: Sequence[Motor], supply: Supply | None) -> Robot:
    """Several such discs on one supply."""
    links = [Link(f"d{k}", joint=Joint(f"j{k}"), mass=1.0, inertia=np.diag([DISC] * 3)) for k in range(len(motors))]
    drives = [Drive(f"j{k}", motor, mounted_on="base") for k, motor in enumerate(motors)]
    return Robot("rotors", links, drives, supply=supply)


def situation(
    robot: Robot, v: Sequence[float], states: Sequence[float] = (), inputs: Sequence[float] = (), **more: object
):
    """A moment of a robot for one law."""
    mech: Mechanism = assemble(robot)
    q = more.get("q", [0.0] * mech.n)
    return Situation(0.0, q, list(v), tuple(states), tuple(inputs), more.get("ops", FLOATS), mech)  # type: ignore[arg-type]


def look(law: Law, at: Situation):
    """Action and outcome."""
    action = law.act("on", at)
    return action, law.follow("on", at, Reaction([0.0] * len(at.v)))
