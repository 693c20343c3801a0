"""Sweeps through parameter kernels against a loop that assembles every design; drives from a large catalogue.

python benchmarks/design.py [--designs 20000] [--no-sizing]

Sweeps: both compute the joint forces of 200 points of a motion per design. Counted is the processor time of all
threads; the kernel is compiled before. Sizing: two joints of the SCARA from the 640 motors and 2,155 gearheads of
`large_catalogue.py`, in a process of its own whose largest memory is read when it ends (Linux only). Prints a line per
number that must hold, and ends with 1 if one does not.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.bench.report import Target
from gearwright.cli.demonstration.design_example import EXAMPLE_TASK
from gearwright.design import ForceMeasure, Task, size_drives
from gearwright.parts import with_parameters
from large_catalogue import large_catalogue

ROBOT, NAMES = "ur5_like", ("elbow.gear.ratio", "elbow.motor.inertia", "wrist_1.gear.ratio")
SIZED, JOINTS = "scara", ("shoulder", "elbow")
SECONDS, GIGABYTES = 120.0, 2.0
"""Of processor time and memory that sizing may take."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--designs", type=int, default=20_000)
    parser.add_argument("--no-sizing", action="store_true")
    words = parser.parse_args()
    promises = [swept(words.designs), *(() if words.no_sizing else sized())]
    for promise in promises:
        print(promise)
    return 0 if all(promise.is_met for promise in promises) else 1


def sized() -> list[Target]:
    """Processor time and memory of a sizing with a large catalogue."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        seconds, gigabytes, told = pool.submit(_size).result()
    print(told)
    what = "two joints sized from 640 motors and 2,155 gearheads"
    return [
        Target(f"{what}: processor time", seconds, SECONDS, "s", at_most=True),
        Target(f"{what}: memory", gigabytes, GIGABYTES, "GB", at_most=True),
    ]


def _size() -> tuple[float, float, str]:
    robot, catalogue = gw.load(SIZED), large_catalogue()
    task = Task.read(EXAMPLE_TASK, robot)
    start = time.process_time()
    found = size_drives(robot, task, catalogue, joints=JOINTS)
    seconds = time.process_time() - start
    assert found.analysis.is_feasible
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return (
        seconds,
        int(peak) / 2**20,
        f"{SIZED}: {found.mass:.4g} kg of drives, {found.evaluated_count:,} sets looked at",
    )


def swept(designs: int) -> Target:
    """Designs per second through a kernel against a loop."""
    robot = gw.load(ROBOT)
    n = gw.assemble(robot).n
    motion = gw.motion.polynomial(np.zeros(n), np.full(n, 0.5), duration=1.0).sample(200)
    measure = ForceMeasure(motion)
    nominal = np.array([gw.parts.parameter(robot, name) for name in NAMES], dtype=float)
    values = nominal * np.random.default_rng(0).uniform(0.8, 1.2, (designs, len(NAMES)))
    batch = measure.batches(robot, NAMES)  # compiles
    batch(values[:2])
    start = time.process_time()
    found = batch(values)
    ours = designs / (time.process_time() - start)
    start = time.process_time()
    loop = [measure(with_parameters(robot, dict(zip(NAMES, row, strict=True)))) for row in values[:20]]
    theirs = len(loop) / (time.process_time() - start)
    worst = max(abs(found[name][k] - one[name]) / one[name] for k, one in enumerate(loop) for name in one)
    assert worst < 1e-9, worst
    print(f"{ROBOT}: {ours:,.0f} designs/s through a kernel, {theirs:,.1f} assembled one by one")
    return Target("designs per second against a loop of assemble and inverse_dynamics", ours / theirs, 200.0)


if __name__ == "__main__":
    sys.exit(main())
