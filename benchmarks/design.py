"""Sweeps through parameter kernels against a loop that assembles every design.

python benchmarks/design.py [--designs 20000]

Both compute the joint forces of 200 points of a motion per design. Counted is the processor time of all threads; the
kernel is compiled before. Prints a line per number that must hold, and ends with 1 if one does not.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import gearwright as gw
from gearwright.bench.report import Promise
from gearwright.design import Forces
from gearwright.parts import with_parameters

ROBOT, NAMES = "ur5_like", ("elbow.gear.ratio", "elbow.motor.inertia", "wrist_1.gear.ratio")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--designs", type=int, default=20_000)
    designs = parser.parse_args().designs
    robot = gw.load(ROBOT)
    n = gw.assemble(robot).n
    motion = gw.motion.polynomial(np.zeros(n), np.full(n, 0.5), duration=1.0).sample(200)
    measure = Forces(motion)
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
    promise = Promise("designs per second against a loop of assemble and inverse_dynamics", ours / theirs, 200.0)
    print(promise)
    return 0 if promise.kept else 1


if __name__ == "__main__":
    sys.exit(main())
