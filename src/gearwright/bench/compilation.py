"""Compilation times: in a fresh process, from the cache, and over the number of joints."""

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

from gearwright.bench.cases import RandomStates
from gearwright.bench.report import ChainTiming
from gearwright.bench.timing import TIMING_ROUNDS, time_interleaved
from gearwright.compiling.kernel import Kernel, compile
from gearwright.functions import inverse_dynamics
from gearwright.mechanism import Body, Mechanism, Spin

CHAIN_JOINT_COUNTS = (2, 4, 8, 16, 32, 64)

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


class CompilationTimes(NamedTuple):
    """Processor seconds to the first kernel of a process, imports not counted: with an empty cache, and from it."""

    first: float
    cached: float


def compilation_times(mech: Mechanism, repeats: int = 3) -> CompilationTimes:
    """Return the median over fresh processes."""
    pairs = [_fresh_process_times(mech) for _ in range(repeats)]
    return CompilationTimes(*(float(np.median(times)) for times in zip(*pairs, strict=True)))


def _fresh_process_times(mech: Mechanism) -> CompilationTimes:
    with tempfile.TemporaryDirectory() as directory:
        robot = Path(directory) / "machine.pickle"
        robot.write_bytes(pickle.dumps(mech))
        environment = {**os.environ, "GEARWRIGHT_CACHE": str(Path(directory) / "cache")}
        command = [sys.executable, "-c", _SCRIPT, str(robot)]
        times = [float(subprocess.check_output(command, env=environment, text=True)) for _ in range(2)]
    return CompilationTimes(*times)


@contextmanager
def without_cache() -> Iterator[None]:
    """Compile without the cache."""
    before = os.environ.get("GEARWRIGHT_CACHE")
    os.environ["GEARWRIGHT_CACHE"] = "off"
    try:
        yield
    finally:
        if before is None:
            del os.environ["GEARWRIGHT_CACHE"]
        else:
            os.environ["GEARWRIGHT_CACHE"] = before


def chain_timings(
    joints: Sequence[int] = CHAIN_JOINT_COUNTS, states: int = 128, rounds: int = TIMING_ROUNDS
) -> list[ChainTiming]:
    """Time inverse dynamics of chains with full tensors, quarter twists and a general wheel per joint.

    The chains run alternately, so that other load of the machine affects all alike.
    """
    machines = {n: chain_machine(n) for n in joints}
    kernels = {n: _compile_timed(mech) for n, mech in machines.items()}
    calls = {str(n): _batch_call(kernels[n][0], mech, states) for n, mech in machines.items()}
    times = time_interleaved(calls, rounds)
    return [
        ChainTiming(n, kernel.operations.arithmetic_count, seconds, times.median_time(str(n)) / states * 1e9)
        for n, (kernel, seconds) in kernels.items()
    ]


def _compile_timed(mech: Mechanism) -> tuple[Kernel, float]:
    """Return the kernel and its compilation time [s]."""
    with without_cache():
        start = time.process_time()
        kernel = compile(inverse_dynamics, mech)
        return kernel, time.process_time() - start


def _batch_call(kernel: Kernel, mech: Mechanism, states: int) -> Callable[[], object]:
    return partial(kernel, *RandomStates.for_machine(mech, states), out=np.empty((states, mech.n)))


def chain_machine(n: int) -> Mechanism:
    """Return a chain of n revolute joints, each rotated by 90 degrees relative to the previous one.

    >>> chain_machine(3).speeds
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
