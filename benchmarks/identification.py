"""Speed of identification on a 7-axis robot: `python benchmarks/identification.py`.

Prints the time of the compiled regressor for 100,000 samples (goal: under 0.5 s after compilation), of base parameters
from a log of 60,000 samples with the memory they need (goal: under 300 MB), and of the physically consistent fit (goal:
under a minute); then the lines of `run_fits.py`: gradients of runs, and whole fits beside differences through MuJoCo.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

import gearwright as gw
import run_fits
from gearwright.catalogue import load
from gearwright.identification import Log, fit_consistent, identify
from gearwright.identification.experiment.excitation import MotionLimits, excite

SAMPLES = 100_000
LONG = 60_000


def timed(what: str, goal: str, run) -> object:
    start = time.perf_counter()
    result = run()
    print(f"{what:<58} {time.perf_counter() - start:8.3f} s   (goal: {goal})")
    return result


def main() -> None:
    robot = load("panda_like")
    mech = gw.assemble(robot)
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, SAMPLES, mech.n))
    kernel = timed("compiling the regressor of 7 axes", "-", lambda: gw.compile(gw.regressor, mech))
    out = kernel(q, v, a)  # pages of the result are touched once
    timed(f"regressor, {SAMPLES} samples", "0.5 s", lambda: kernel(q, v, a, out=out))
    n = mech.n
    limits = MotionLimits([-2.0] * n, [2.0] * n, [1.5] * n, [5.0] * n)
    motion = timed(
        "exciting trajectory, 2 starts of 50 steps",
        "-",
        lambda: excite(mech, limits, search=gw.identification.ExcitationOptions(starts=2, steps=50)),
    ).motion.sample(2000)
    tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a) + rng.normal(size=motion.v.shape)
    log = Log(motion.t, motion.q, tau, motion.v, motion.a)
    found = timed("base parameters from 2,000 samples", "-", lambda: identify(robot, log))
    timed("physically consistent fit", "60 s", lambda: fit_consistent(found))
    long_log(robot, mech)
    run_fits.main()


def long_log(robot, mech) -> None:
    """Positions and torques at 500 Hz for two minutes."""
    n = mech.n
    limits = MotionLimits([-2.0] * n, [2.0] * n, [1.5] * n, [5.0] * n)
    motion = excite(mech, limits, search=gw.identification.ExcitationOptions(starts=1, steps=0)).motion
    t = np.arange(LONG) / 500
    rng = np.random.default_rng(1)
    tau = gw.inverse_dynamics(mech, *(motion.at(t, k) for k in range(3))) + rng.normal(size=(LONG, n))
    log = Log(t, motion.at(t) + 1e-6 * rng.normal(size=(LONG, n)), tau)
    timed(f"base parameters from {LONG} samples of positions", "-", lambda: identify(robot, log))
    tracemalloc.start()
    identify(robot, log)
    print(f"{'its arrays at their peak':<58} {tracemalloc.get_traced_memory()[1] / 2**20:8.1f} MB  (goal: 300 MB)")


if __name__ == "__main__":
    main()
