"""Random robots with friction, elasticity, backlash and noise, their event-driven runs, and fits to these logs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import gearwright as gw
from gearwright.identification import RunFit, RunLog, Unknown, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot, Torsion

KINDS = ("rigid", "elastic", "backlash")


class Case(NamedTuple):
    """A robot, its log, the true values of the unknowns, and the deviation of the noise [rad]."""

    robot: Robot
    log: RunLog
    true: dict[str, float]
    noise: float


def drive_of(rng: np.random.Generator, k: int, link: Link, kind: str) -> tuple[Drive, dict[str, float]]:
    """A drive that suits its link, and the numbers of it that are unknown."""
    ratio, mass, lever = rng.uniform(20, 60), link.mass, abs(link.com[2])
    inertia, load = rng.uniform(0.3, 1.0) * mass * lever**2 / ratio**2, 9.81 * mass * lever / ratio
    coulomb, viscous = rng.uniform(0.05, 0.25) * load, rng.uniform(0.02, 0.1) * load / (3 * ratio)
    true = {f"j{k}.motor.inertia": inertia, f"j{k}.motor_friction.coulomb": coulomb}
    true |= {f"j{k}.motor_friction.viscous": viscous, f"l{k}.mass": mass}
    friction = Friction(coulomb=coulomb, viscous=viscous)
    if rng.random() < 0.5:
        static = coulomb * rng.uniform(1.1, 1.5)
        friction = Friction(coulomb=coulomb, viscous=viscous, static=static, stribeck_speed=0.2 * ratio)
        true[f"j{k}.motor_friction.static"] = static
    elastic = {}
    if kind != "rigid":
        joint_inertia = 1.2 * mass * lever**2
        stiffness = 0.3 * joint_inertia * (2 * np.pi * rng.uniform(8, 20)) ** 2
        elastic = {"stiffness": stiffness, "damping": 0.04 * np.sqrt(stiffness * joint_inertia)}
        true[f"j{k}.gear.stiffness" if kind == "elastic" else f"j{k}.spring.stiffness"] = stiffness
    if kind == "backlash":
        elastic["torsion"] = Torsion(backlash=rng.uniform(0.005, 0.02))
        true[f"j{k}.spring.gap"] = elastic["torsion"].backlash
    return Drive(f"j{k}", Motor(inertia, friction=friction), Gear(ratio, **elastic)), true


def synthetic_case(seed: int, duration: float = 4.0) -> Case:
    """One or two joints, positions of joints and motors at 200 Hz with noise of 0.05 to 1 mrad."""
    rng = np.random.default_rng(seed)
    kind, count = KINDS[seed % 3], 1 + seed // 3 % 2
    links, drives, true = [], [], {}
    for k in range(count):
        lever, mass = rng.uniform(0.2, 0.4), rng.uniform(0.5, 2.0)
        joint = Joint(f"j{k}", axis=(0, 1, 0), position=(0, 0, -0.4 if k else 0))
        links.append(Link(f"l{k}", f"l{k - 1}" if k else "base", joint, mass, (0, 0, -lever), 0.01 * mass * np.eye(3)))
        drive, numbers = drive_of(rng, k, links[k], kind)
        drives.append(drive)
        true |= numbers
    robot, noise = Robot("synthetic", links, drives), 10 ** rng.uniform(-4.3, -3)
    t, inputs = np.linspace(0.0, duration, round(200 * duration) + 1), {}
    for link, drive in zip(links, drives, strict=True):
        load = 9.81 * link.mass * abs(link.com[2]) / drive.gear.ratio * (count if link is links[0] else 1)
        waves = zip(rng.uniform(0.3, 0.6, 3), rng.uniform(0.2, 3.0, 3), rng.uniform(0, 2 * np.pi, 3), strict=True)
        torque = load * sum(size * np.sin(2 * np.pi * f * t + phase) for size, f, phase in waves)
        inputs[f"j{len(inputs)}.torque"] = torque * np.clip(2 * t, 0, 1) if rng.random() < 0.5 else torque
    mech = gw.assemble(robot)
    functions = {name: (lambda s, u=u: np.interp(s, t, u)) for name, u in inputs.items()}
    run = gw.simulate(robot, np.zeros(mech.nq), duration, inputs=functions, samples=len(t))
    signals = {f"q.{name}": run[f"q.{name}"] + noise * rng.standard_normal(len(t)) for name in mech.coordinates}
    return Case(robot, RunLog(t, inputs, signals, name=f"{kind} {seed}"), true, noise)


def fitted_case(seed: int) -> tuple[Case, RunFit]:
    """A case and its fit, started up to 65 % away from the true values."""
    case, rng = synthetic_case(seed), np.random.default_rng(1000 + seed)
    unknowns = []
    for name, value in case.true.items():
        change, low, high = rng.uniform(-0.5, 0.5), value / 5, 5 * value
        partner = case.true.get(name.replace("coulomb", "static")), case.true.get(name.replace("static", "coulomb"))
        if name.endswith(".coulomb") and partner[0] is not None:
            change, high = -abs(change), 0.5 * (value + partner[0])
        elif name.endswith(".static"):
            change, low = abs(change), 0.5 * (value + partner[1])
        unknowns.append(Unknown(name, value * np.exp(change), low, high))
    return case, fit_run(case.robot, [case.log], unknowns)


def distances(seed: int) -> dict[str, float]:
    """Distances of the fitted values from the true ones, in stated standard deviations."""
    case, fit = fitted_case(seed)
    return {name: (fit[name] - value) / fit.deviations[name] for name, value in case.true.items()}
