"""How long compiling takes: in a fresh process, from the cache, and against the number of joints."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gearwright.bench.cases import Motion
from gearwright.bench.report import Size
from gearwright.bench.timing import ROUNDS, interleaved
from gearwright.compiling.kernel import Kernel, compile
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.mechanism import Body, Mechanism, Spin

JOINTS = (2, 4, 8, 16, 32, 64)

_SCRIPT = """
import pickle, sys, time
import casadi, llvmlite.binding, numpy
import gearwright as gw
import gearwright.compiling.kernel
mech = pickle.load(open(sys.argv[1], "rb"))
start = time.process_time()
gw.compile(gw.inverse_dynamics, mech)
print(time.process_time() - start)
"""


class Compilation(NamedTuple):
    """Processor seconds to the first kernel of a process, imports not counted: with an empty cache, and from it."""

    first: float
    cached: float


def compilation(mech: Mechanism, repeats: int = 3) -> Compilation:
    """The median over fresh processes."""
    pairs = [_once(mech) for _ in range(repeats)]
    return Compilation(*(float(np.median(times)) for times in zip(*pairs, strict=True)))


def _once(mech: Mechanism) -> Compilation:
    with tempfile.TemporaryDirectory() as directory:
        robot = Path(directory) / "machine.pickle"
        robot.write_bytes(pickle.dumps(mech))
        environment = {**os.environ, "GEARWRIGHT_CACHE": str(Path(directory) / "cache")}
        command = [sys.executable, "-c", _SCRIPT, str(robot)]
        times = [float(subprocess.check_output(command, env=environment, text=True)) for _ in range(2)]
    return Compilation(*times)


@contextmanager
def no_cache() -> Iterator[None]:
    """Compile anew."""
    before = os.environ.get("GEARWRIGHT_CACHE")
    os.environ["GEARWRIGHT_CACHE"] = "off"
    try:
        yield
    finally:
        if before is None:
            del os.environ["GEARWRIGHT_CACHE"]
        else:
            os.environ["GEARWRIGHT_CACHE"] = before


def sizes(joints: Sequence[int] = JOINTS, states: int = 128, rounds: int = ROUNDS) -> list[Size]:
    """Inverse dynamics of chains with full tensors, quarter twists and a wheel in general position per joint.

    The chains run in turns, so that what a busy neighbour does to one it does to all.
    """
    machines = {n: chain(n) for n in joints}
    made = {n: _compiled(mech) for n, mech in machines.items()}
    calls = {str(n): _batch(made[n][0], mech, states) for n, mech in machines.items()}
    times = interleaved(calls, rounds)
    return [
        Size(n, kernel.operations.arithmetic, seconds, times.median(str(n)) / states * 1e9)
        for n, (kernel, seconds) in made.items()
    ]


def _compiled(mech: Mechanism) -> tuple[Kernel, float]:
    """The kernel, and how long it took to compile it [s]."""
    with no_cache():
        start = time.process_time()
        kernel = compile(inverse_dynamics, mech)
        return kernel, time.process_time() - start


def _batch(kernel: Kernel, mech: Mechanism, states: int) -> Callable[[], object]:
    return partial(kernel, *Motion.of(mech, states), out=np.empty((states, mech.n)))


def chain(n: int) -> Mechanism:
    """A chain of n revolute joints, each turned a quarter against the one before.

    >>> chain(3).speeds
    ('j0', 'j1', 'j2')
    """
    rng = np.random.default_rng(n)
    quarter = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    bodies, spins = [], []
    for i in range(n):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        inertia = turn @ np.diag([0.03, 0.04, 0.05]) @ turn.T
        com = rng.uniform(-0.1, 0.1, 3)
        bodies.append(Body(f"j{i}", i - 1, "revolute", (0, 0, 1), quarter, (0.1, 0.0, 0.2), 2.0, com, inertia))
        spins.append(Spin(f"r{i}", i - 1, rng.normal(size=3), 1e-4, {f"j{i}": 100.0}))
    return Mechanism(bodies, spins)
