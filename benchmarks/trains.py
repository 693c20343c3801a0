"""How long the rows of a gear train take: trains of 10, 100 and 1000 wheels, followed wheel by wheel or eliminated.

python benchmarks/trains.py
"""

from __future__ import annotations

import statistics
import sys
import time

from gearwright.mechanism import GearGraph, GearPair, TurningPair, assemble_tree
from gearwright.parts import Gearwheel, Link, Mesh, Robot, Train

MILLISECONDS = 10.0
"""What a train of 100 wheels may take."""


def chain(count: int) -> GearGraph:
    """A joint and `count` wheels, each meshing with the one before."""
    turning = [TurningPair("0", "joint", "a"), *(TurningPair("0", f"w{k}", f"x{k}") for k in range(count))]
    gears = [GearPair("w0", "joint", -1.5), *(GearPair(f"w{k}", f"w{k - 1}", -1.01) for k in range(1, count))]
    return GearGraph(turning, gears)


def planets(count: int) -> GearGraph:
    """Planetary stages in series, ring held: two meshes share two unknowns, so that nothing can be followed."""
    turning, gears, driver = [TurningPair("0", "s0", "a")], [], "s0"
    for k in range(count // 2):
        arm, planet = f"arm{k}", f"p{k}"
        turning += [TurningPair("0", arm, "a"), TurningPair(arm, planet, f"x{k}")]
        gears += [GearPair(driver, planet, -1.5, arm), GearPair("0", planet, 3 / 8, arm)]
        driver = arm
    return GearGraph(turning, gears)


def robot(count: int) -> Robot:
    """The chain on a robot, to the flat machine."""
    wheels = [Gearwheel(f"w{k}", "base", (0, 0, 1), 1e-5) for k in range(count)]
    meshes = [Mesh("w0", "arm", -1.5), *(Mesh(f"w{k}", f"w{k - 1}", -1.01) for k in range(1, count))]
    return Robot("arm", [Link("arm", mass=1, com=(0.1, 0, 0))], trains=[Train("chain", wheels, meshes)])


def median(action, rounds: int = 11) -> float:
    """Median duration [ms]."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def main() -> int:
    kept = True
    print("wheels   rows, chain   rows, planets   robot to machine   [ms]")
    for count in (10, 100, 1000):
        rounds = 11 if count < 1000 else 3
        one = median(lambda n=count: chain(n).turning_rates(["joint"]), rounds)
        two = median(lambda n=count: planets(n).turning_rates(["s0"]), rounds)
        three = median(lambda n=count: assemble_tree(robot(n)), rounds)
        print(f"{count:6d} {one:13.2f} {two:15.2f} {three:18.2f}")
        kept = kept and (count != 100 or max(one, two) < MILLISECONDS)
    print(f"100 wheels within {MILLISECONDS:g} ms: {'pass' if kept else 'fail'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
