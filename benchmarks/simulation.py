"""How fast simulations with a fixed step are: one run of 10 s at 1 kHz against the clock, batches against MuJoCo.

python benchmarks/simulation.py [--rounds 21]

Prints a line per number that must hold, and ends with 1 if one does not.
"""

from __future__ import annotations

import argparse
import os
import sys

import gearwright as gw
from gearwright.kernels.bench_cases import OURS, Motion, long_motion, rollout_batch
from gearwright.kernels.bench_report import Promise
from gearwright.kernels.peers import installed
from gearwright.kernels.timing import interleaved

BATCH = 4096


def whole_run(mech: gw.Mechanism, method: str, rounds: int) -> float:
    """`gw.simulate` for 10 s at 1 kHz, with samples, energies and book-keeping: times faster than real time."""
    q = 0.2 * Motion.of(mech, 1).q[0]
    run = lambda: gw.simulate(mech, q, 10.0, method=method, step=1e-3)  # noqa: E731
    return 10 / interleaved({OURS: run}, rounds).median(OURS)


def promises(mech: gw.Mechanism, rounds: int) -> list[Promise]:
    found = [
        Promise(f"{title}, 10 s at 1 kHz, {method}, vs real time", speed(mech, method, rounds), 300)
        for title, speed in (("gw.simulate", whole_run), ("gw.rollout", long_motion))
        for method in ("euler", "rk4")
    ]
    if "MuJoCo" in installed():
        timed = rollout_batch(mech, BATCH, rounds)
        steps = [f"{name} {1e3 / timed.nanoseconds(name):.3g} million steps/s" for name in timed.states]
        print(f"batch of {BATCH}, semi-implicit Euler, one thread: {', '.join(steps)}")
        found.append(Promise(f"gw.rollout, batch of {BATCH}, vs mujoco.rollout", timed.ratio("MuJoCo rollout"), 12))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21, help="paired rounds per comparison")
    os.environ["GEARWRIGHT_THREADS"] = "1"
    found = promises(gw.assemble(gw.load("panda_like")), parser.parse_args().rounds)
    print(*found, sep="\n")
    return 0 if all(promise.kept for promise in found) else 1


if __name__ == "__main__":
    sys.exit(main())
