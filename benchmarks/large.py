"""How machines of many joints grow: assembling, compiling, a first run, and calls against Pinocchio to 500 joints.

python benchmarks/large.py [--joints 50 100 200 500] [--rounds 7]

Prints a line per number that must hold, and ends with 1 if one does not. Chains of revolute joints, each with a rotor
on the link before; Pinocchio gets the links alone. Its memory grows with the cube of the joints (8 GB for 500), so it
is left out where that much is not free.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

import numpy as np

import gearwright as gw
from gearwright.bench.cases import GEARWRIGHT_NAME, RandomStates
from gearwright.bench.compilation import without_cache
from gearwright.bench.peers import Pinocchio, installed_peers
from gearwright.bench.report import Target
from gearwright.bench.timing import time_interleaved
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
PEER = "Pinocchio"
BYTES = 80
"""Of Pinocchio's memory, per cube of the joints, with some to spare."""


def robot(links: int) -> Robot:
    """A chain with a rotor per joint."""
    made, tensor = [], np.diag([0.01, 0.012, 0.013])
    for i in range(links):
        joint = Joint(f"j{i}", axis=AXES[i % 3], position=(0.1, 0.02, 0.03) if i else (0.0, 0.0, 0.0))
        made.append(Link(f"l{i}", f"l{i - 1}" if i else "base", joint, 1.0, (0.05, 0.01, 0.02), tensor))
    return Robot("chain", made, [Drive(f"j{i}", Motor(1e-5), Gear(50)) for i in range(links)])


def seconds(action: Callable[[], object]) -> float:
    """Processor time of one call [s]."""
    start = time.process_time()
    action()
    return time.process_time() - start


def growth(what: str, action: Callable[[int], object], links: int, limit: float) -> Target:
    """How much longer something takes for twice as many links; 2 is linear."""
    half, full = seconds(lambda: action(links // 2)), seconds(lambda: action(links))
    print(f"{what}: {half:.2f} s for {links // 2} links, {full:.2f} s for {links}")
    return Target(f"{what}, {links} links over {links // 2}", full / half, limit, at_most=True)


def first_run() -> Target:
    """A first run of a hundred joints, nothing in the cache [s]."""
    mech = gw.assemble(robot(100))
    return Target("gw.simulate, 100 joints, 0.01 s", seconds(lambda: gw.simulate(mech, until=0.01)), 3, "s", True)


def against_pinocchio(joints: int, rounds: int) -> None:
    """Calls for single states of both sides, in turns, and their ratio."""
    mech = gw.assemble(robot(joints))
    q, v, tau = (part[0] for part in RandomStates.for_machine(mech, 1))
    kernels = {f: gw.compile(f, mech) for f in ("inverse_dynamics", "forward_dynamics")}
    calls: dict[str, Callable[[], object]] = {f: lambda k=k: k(q, v, tau) for f, k in kernels.items()}
    peer = Pinocchio(mech) if PEER in installed_peers() and memory() > BYTES * joints**3 else None
    if peer is not None:
        calls["rnea"] = lambda: peer.pin.rnea(peer.model, peer.data, q, v, tau)
        calls["aba"] = lambda: peer.pin.aba(peer.model, peer.data, q, v, tau)
    times = time_interleaved(calls, rounds)
    for function, theirs in (("inverse_dynamics", "rnea"), ("forward_dynamics", "aba")):
        ratio = f", {PEER}'s {theirs} / ours {times.time_ratio(theirs, function):.2f}" if peer is not None else ""
        per_joint = 1e9 * times.median_time(function) / joints
        print(f"{joints:4d} joints, {function}: {GEARWRIGHT_NAME} {per_joint:.0f} ns per joint{ratio}")


def memory() -> float:
    """Free memory [bytes]; none where the system does not tell."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--joints", type=int, nargs="+", default=[50, 100, 200, 500])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    os.environ["GEARWRIGHT_THREADS"] = "1"
    with without_cache():
        gw.compile("inverse_dynamics", gw.assemble(robot(2)))  # what is loaded once
        found = [first_run(), growth("gw.assemble", lambda n: gw.assemble(robot(n)), 1000, 2.6)]
        for function in ("inverse_dynamics", "forward_dynamics"):
            compiled = lambda n, f=function: gw.compile(f, gw.assemble(robot(n)))  # noqa: E731
            found.append(growth(f"compiling {function}", compiled, 120, 2.6))
    for joints in options.joints:
        against_pinocchio(joints, options.rounds)
    for promise in found:
        print(promise)
    return 0 if all(promise.is_met for promise in found) else 1


if __name__ == "__main__":
    sys.exit(main())
