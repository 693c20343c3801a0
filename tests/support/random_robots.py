"""Random robots with everything that a simulation can meet: friction, stops, losses, elasticity, motors, jumps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gearwright.parts import (
    Cogging,
    Drive,
    Friction,
    Gear,
    Heat,
    Hysteresis,
    Joint,
    KinematicError,
    Limits,
    Link,
    Motor,
    Ripple,
    Robot,
    Supply,
    Torsion,
)
from gearwright.simulation import State, steps


class Case(NamedTuple):
    """A robot, where it starts and what pushes it."""

    robot: Robot
    state: State | None
    inputs: dict[str, Any]


def random_case(seed: int, elastic: bool = False) -> Case:
    """One to three joints; every feature is there in some of the cases, voltages or torques push.

    Elastic drives start neutral, because their motors are coordinates too.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 4))
    electric = rng.random() < 0.5
    links = [_link(rng, k) for k in range(count)]
    drives = [_drive(rng, k, elastic) for k in range(count)]
    robot = Robot(f"random{seed}", links, drives, supply=_supply(rng) if electric and rng.random() < 0.4 else None)
    inputs = dict(_input(rng, k, electric) for k in range(count))
    return Case(robot, None if elastic else _start(rng, links), inputs)


def _start(rng: np.random.Generator, links: list[Link]) -> State:
    """Anywhere between the stops, or at one of them; some joints move."""
    q = []
    for link in links:
        ends = link.joint.limits.position
        q.append(rng.uniform(*(ends or (-1.0, 1.0))) if ends is None or rng.random() < 0.8 else rng.choice(ends))
    return State(np.array(q), rng.normal(size=len(links)) * rng.integers(0, 2, size=len(links)))


def _link(rng: np.random.Generator, k: int) -> Link:
    limits = Limits(position=(-rng.uniform(0.3, 1.5), rng.uniform(0.3, 1.5))) if rng.random() < 0.5 else Limits()
    joint = Joint(
        f"j{k}",
        kind="prismatic" if rng.random() < 0.2 else "revolute",
        axis=rng.normal(size=3),
        position=(0, 0, 0) if k == 0 else 0.3 * rng.normal(size=3),
        limits=limits,
        friction=_friction(rng, 1.0) if rng.random() < 0.6 else 0.0,
        damping=0.2 * rng.random() if rng.random() < 0.3 else 0.0,
    )
    slim = rng.uniform(0.01, 0.05, size=3)
    inertia = np.diag([slim[1] + slim[2], slim[0] + slim[2], slim[0] + slim[1]])
    parent = "base" if k == 0 else f"l{int(rng.integers(0, k))}"
    return Link(f"l{k}", parent, joint, mass=rng.uniform(0.5, 4), com=0.2 * rng.normal(size=3), inertia=inertia)


def _friction(rng: np.random.Generator, size: float) -> Friction:
    coulomb, viscous = size * rng.uniform(0.05, 1.0), size * 0.2 * rng.random()
    static = coulomb * rng.uniform(1.0, 1.5) if rng.random() < 0.5 else None
    falling = 0.1 if static is not None and rng.random() < 0.5 else None
    if rng.random() < 0.15:
        return Friction(coulomb, viscous, static, 0.1, stiffness=300 * coulomb, damping=2 * coulomb)
    return Friction(coulomb, viscous, static, falling)


def _drive(rng: np.random.Generator, k: int, elastic: bool) -> Drive:
    ratio = float(rng.choice([-1, 1]) * rng.choice([1, 5, 30, 100]))
    lossy = rng.random() < 0.6
    gear = Gear(
        ratio,
        inertia=1e-5 * rng.random(),
        efficiency=rng.uniform(0.3, 0.95) if lossy else None,
        no_load_torque=rng.uniform(0, 0.5) / abs(ratio) if lossy and rng.random() < 0.5 else 0.0,
        **(_elasticity(rng) if elastic and rng.random() < 0.7 else {}),
    )
    motor = Motor(
        0.2 * rng.uniform(0.1, 1) / ratio**2,
        mass=0.3,
        position=(0, 0, 0),
        torque_constant=2.0 / abs(ratio),
        resistance=rng.uniform(0.5, 2),
        inductance=5e-3 * rng.uniform(0.5, 5) if rng.random() < 0.5 else None,
        friction=_friction(rng, 0.3 / abs(ratio)) if rng.random() < 0.3 else 0.0,
        max_current=rng.uniform(2, 10) if rng.random() < 0.3 else None,
        cogging=Cogging(0.05 / abs(ratio), 7) if rng.random() < 0.2 else None,
        ripple=Ripple(0.1, 6) if rng.random() < 0.2 else None,
        heat=Heat(2.0, 5.0, 10.0, 100.0) if rng.random() < 0.2 else None,
    )
    return Drive(f"j{k}", motor, gear, axis=rng.normal(size=3))


def _elasticity(rng: np.random.Generator) -> dict[str, Any]:
    kind = rng.choice(["plain", "hysteresis", "backlash"])
    torsion = Torsion(
        hardening=2e3 * rng.random() if rng.random() < 0.3 else 0.0,
        hysteresis=Hysteresis(0.5, 0.01) if kind == "hysteresis" else None,
        backlash=0.02 * rng.random() if kind == "backlash" else 0.0,
        errors=[KinematicError(1e-3, 2)] if rng.random() < 0.2 else (),
    )
    return {"stiffness": rng.uniform(100, 1000), "damping": rng.uniform(0, 2), "torsion": torsion}


def _supply(rng: np.random.Generator) -> Supply:
    braking = {"regenerates": False, "brake_voltage": 30.0, "brake_resistance": 2.0} if rng.random() < 0.5 else {}
    return Supply(24.0, resistance=0.5 * rng.random(), **braking)


def _input(rng: np.random.Generator, k: int, electric: bool) -> tuple[str, Any]:
    size, rate, phase = rng.uniform(0, 12), rng.uniform(0.5, 8), rng.uniform(0, 6.3)
    kind = rng.choice(["wave", "jumps", "constant"], p=[0.5, 0.3, 0.2])
    name = f"j{k}.voltage" if electric else f"tau.j{k}"
    if kind == "jumps":
        return name, steps([0.0, 0.3, 0.7], rng.uniform(-size, size, 3))
    return name, size if kind == "constant" else lambda t: size * np.sin(rate * t + phase)
