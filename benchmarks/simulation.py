"""How fast simulations are: single runs of 10 s against the clock, batches with a fixed step against MuJoCo.

python benchmarks/simulation.py [--rounds 21]

Prints a line per number that must hold, and ends with 1 if one does not.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from dataclasses import replace
from functools import partial

import gearwright as gw
from gearwright.bench.cases import (
    GEARWRIGHT_NAME,
    RandomStates,
    contact_batch,
    friction_batch,
    real_time_ratio,
    rollout_batch,
)
from gearwright.bench.peers import installed_peers
from gearwright.bench.report import Target
from gearwright.bench.timing import time_interleaved

BATCH, TOUCHING = 4096, 1024


def whole_run(mech: gw.Mechanism, method: str, rounds: int) -> float:
    """`gw.simulate` for 10 s at 1 kHz, with samples, energies and book-keeping: times faster than real time."""
    q = 0.2 * RandomStates.for_machine(mech, 1).q[0]
    step = gw.analysis.IntegratorOptions(step=1e-3)
    run = lambda: gw.simulate(mech, q, 10.0, method=method, integrator=step)  # noqa: E731
    return 10 / time_interleaved({GEARWRIGHT_NAME: run}, rounds).median_time(GEARWRIGHT_NAME)


def electric_arm() -> gw.Robot:
    """The elbow arm on three DC motors whose windings have a time constant of a millisecond."""
    arm = gw.load("elbow")
    winding = {"torque_constant": 0.05, "resistance": 1.0, "inductance": 1e-3}
    return replace(arm, drives=[replace(drive, motor=replace(drive.motor, **winding)) for drive in arm.drives])


def electric_run(robot: gw.Robot, method: str, rounds: int) -> float:
    """`gw.simulate` for 10 s from voltages to motion: times faster than real time."""
    volts = {f"{drive.joint}.voltage": partial(_volts, k) for k, drive in enumerate(robot.drives)}
    run = lambda: gw.simulate(robot, [0.0, 0.5, 0.0], 10.0, inputs=volts, method=method)  # noqa: E731
    return 10 / time_interleaved({GEARWRIGHT_NAME: run}, rounds).median_time(GEARWRIGHT_NAME)


def _volts(phase: float, t: float) -> float:
    return 6.0 * math.sin(2.0 * t + phase)


def stepped(name: str, least: float, rounds: int) -> Target:
    """A batch of arms with friction that sticks and stops, by time stepping, against MuJoCo with both."""
    timed = friction_batch(gw.assemble(gw.load(name)), BATCH, rounds)
    title = f"gw.rollout, {BATCH} {name} with friction and stops, vs mujoco.rollout with frictionloss and limits"
    return Target(title, timed.time_ratio("MuJoCo rollout"), least)


def touching(name: str, rounds: int) -> Target:
    """A batch of arms whose tips lie on a floor with friction, by time stepping, against MuJoCo's contacts."""
    timed = contact_batch(gw.assemble(gw.load(name)), TOUCHING, rounds)
    title = f"gw.rollout, {TOUCHING} {name} on a floor with friction, vs mujoco.rollout"
    return Target(title, timed.time_ratio("MuJoCo rollout"), 10)


def promises(mech: gw.Mechanism, rounds: int) -> list[Target]:
    found = [
        Target(f"{title}, 10 s at 1 kHz, {method}, vs real time", speed(mech, method, rounds), 300)
        for title, speed in (("gw.simulate", whole_run), ("gw.rollout", real_time_ratio))
        for method in ("euler", "rk4")
    ]
    few = max(3, rounds // 7)
    found += [
        Target(
            f"gw.simulate, three DC motors, 10 s, {method}, vs real time", electric_run(electric_arm(), method, few), x
        )
        for method, x in (("adaptive", 6), ("stiff", 100))
    ]
    if "MuJoCo" in installed_peers():
        timed = rollout_batch(mech, BATCH, rounds)
        steps = [f"{name} {1e3 / timed.state_nanoseconds(name):.3g} million steps/s" for name in timed.states]
        print(f"batch of {BATCH}, semi-implicit Euler, one thread: {', '.join(steps)}")
        found.append(Target(f"gw.rollout, batch of {BATCH}, vs mujoco.rollout", timed.time_ratio("MuJoCo rollout"), 12))
        found += [stepped(name, least, few) for name, least in (("puma560", 20), ("panda_like", 15))]
        found += [touching(name, few) for name in ("puma560", "panda_like")]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21, help="paired rounds per comparison")
    os.environ["GEARWRIGHT_THREADS"] = "1"
    found = promises(gw.assemble(gw.load("panda_like")), parser.parse_args().rounds)
    print(*found, sep="\n")
    return 0 if all(promise.is_met for promise in found) else 1


if __name__ == "__main__":
    sys.exit(main())
