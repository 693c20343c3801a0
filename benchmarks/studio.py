"""From a slider of the studio to the torque curves of a motion of two seconds.

python benchmarks/studio.py [--changes 40]

Counted is the processor time from the number that a panel hands over to the figure that is sent to the page, for the
7-axis arm: the changed robot is checked and assembled, its exact and approximate torques come from parameter kernels,
energies and figures are made anew. The kernels are compiled before. Beside it stands the same without them. Prints a
line per number that must hold, and ends with 1 if one does not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np

import gearwright as gw
from gearwright.analysis import compare
from gearwright.bench.report import Target
from gearwright.studio.figures import energy_figure, torque_figure
from gearwright.studio.session import Session

ROBOT, JOINT, MOST = "panda_like", "joint2", 0.1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=40)
    changes = parser.parse_args().changes
    robot = gw.load(ROBOT)
    n = gw.assemble(robot).n
    session = Session(robot, gw.motion.polynomial(np.zeros(n), np.full(n, 0.5), duration=2.0))
    session.compile_kernels()
    assert session.is_compiled
    ratios = np.linspace(60.0, 140.0, changes)
    spent = [timed(session, ratio) for ratio in ratios]
    ours, kernels, plainly = statistics.median(spent), kernel_time(session), plain_time(session)
    print(f"{ROBOT}, 2 s of motion in {len(session.motion.motion.t)} samples: slider to curves {1e3 * ours:.1f} ms")
    print(f"of these the torques: {1e3 * kernels:.2f} ms through kernels, {1e3 * plainly:.1f} ms assembled anew")
    promises = [
        Target("100 ms against slider to updated torque curves", MOST / ours, 1.0),
        Target("torques through parameter kernels against assembling anew", plainly / kernels, 5.0),
    ]
    for promise in promises:
        print(promise)
    return 0 if all(promise.is_met for promise in promises) else 1


def timed(session: Session, ratio: float) -> float:
    start = time.process_time()
    session.enter_values(JOINT, {"gear.ratio": float(ratio)})
    found = session.quick_results()
    torque_figure(found.comparison, JOINT).to_json()
    energy_figure(found.comparison.motion.t, found.energy).to_json()
    return time.process_time() - start


def kernel_time(session: Session) -> float:
    kernels = session._kernels
    assert kernels is not None
    values, motion = kernels.nominal_values, session.motion.motion
    return best(lambda: kernels.generalised_forces(values, motion))


def plain_time(session: Session) -> float:
    return best(lambda: compare(gw.assemble(session.robot), session.motion.motion))


def best(job: object) -> float:
    spent = []
    for _ in range(10):
        start = time.process_time()
        job()  # type: ignore[operator]
        spent.append(time.process_time() - start)
    return min(spent)


if __name__ == "__main__":
    sys.exit(main())
