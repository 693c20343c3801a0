"""Analysis, sweep, sizing and the help page against an earlier commit: processor times in one run, as ratios.

python benchmarks/demands.py [--commit 68054349] [--only analyse_elastic ...]

The sources of the earlier commit are taken from the history of this repository. Every task runs in a process of its own
for each of both, with its own kernel cache, once to fill the cache and once counted. The arm has six axes with lossy
gears, motors with winding, inductance and heat, and (but for `analyse_rigid`, which has no losses either) one elastic
joint. Prints a line per number that must hold, and ends with 1 if one does not.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMMIT, FASTER = "68054349", 6.0
"""The commit before demands were computed over all samples at once, and how much faster each task must be."""

TASK = """
task: pick
motions:
  - to: {shoulder_pan: 80 deg, shoulder_lift: 40 deg, elbow: -50 deg, wrist_2: 30 deg}
    speed: 2
    acceleration: 8
    jerk: 200
  - {pause: 200 ms}
  - {to: {shoulder_pan: 0, shoulder_lift: 0, elbow: 0, wrist_2: 0}, speed: 2, acceleration: 8, jerk: 200}
payload: {mass: 1}
pause: 300 ms
repetitions: continuous
"""


def arm(elastic: bool) -> Any:
    import gearwright as gw
    from gearwright.parts import Heat

    robot = gw.load("ur5_like")
    heat = Heat(1.0, 3.0, 20.0, 500.0, max_temperature=400.0, magnet=-0.001)
    motor = {"torque_constant": 0.1, "resistance": 0.6, "inductance": 5e-4, "max_torque": 2.0, "max_speed": 600.0}
    drives = []
    for drive in robot.drives:
        spring = {"stiffness": 2e4, "damping": 20.0} if elastic and drive.joint == "elbow" else {}
        gear = replace(drive.gear, **spring, **({"efficiency": 0.8} if elastic else {}))
        drives.append(replace(drive, gear=gear, motor=replace(drive.motor, **motor, heat=heat)))
    return replace(robot, drives=tuple(drives))


def analysed(elastic: bool) -> float:
    import gearwright as gw
    from gearwright.analysis import Task

    robot = arm(elastic)
    task = Task.read(TASK, robot)
    return _seconds(lambda: gw.analyse(robot, task))


def swept() -> float:
    import gearwright as gw
    from gearwright.analysis import Task

    robot = arm(elastic=True)
    task = Task.read(TASK, robot)
    ratios = {"wrist_1.gear.ratio": [float(x) for x in range(90, 120, 5)]}
    options = getattr(gw.design, "SweepOptions", None)  # the earlier commit has the argument itself
    alone: dict[str, Any] = {"options": options(workers=1)} if options else {"workers": 1}
    return _seconds(lambda: gw.sweep(robot, ratios, task, **alone))


def sized() -> float:
    import gearwright as gw
    from gearwright.analysis import Task

    robot = arm(elastic=True)
    task = Task.read(TASK, robot)
    return _seconds(lambda: gw.size_drives(robot, task, joints=["wrist_1", "wrist_2"]))


def helped() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "gearwright", "--help"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


TASKS: dict[str, Callable[[], float]] = {
    "analyse_elastic": lambda: analysed(elastic=True),
    "analyse_rigid": lambda: analysed(elastic=False),
    "help": helped,
    "size": sized,
    "sweep": swept,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--only", nargs="*", choices=TASKS, default=list(TASKS))
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.task:
        print(f"seconds {TASKS[words.task]()}")
        return 0
    from gearwright.bench.report import Target

    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", words.commit, "src"], cwd=ROOT, check=True, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        promises = []
        for task in words.only:
            before, now = (_run(task, source, folder) for source in (Path(folder) / "src", ROOT / "src"))
            print(f"{task}: {before:.2f} s at {words.commit}, {now:.2f} s now")
            promises.append(Target(f"{task}: processor time of {words.commit} against now", before / now, FASTER))
    for promise in promises:
        print(promise)
    return 0 if all(promise.is_met for promise in promises) else 1


def _run(task: str, source: Path, folder: str) -> float:
    cache = Path(folder) / f"cache_{source.parent.name}"
    cache.mkdir(mode=0o700, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(source), "GEARWRIGHT_CACHE": str(cache)}
    command = [sys.executable, __file__, "--task", task]
    for _ in range(2):
        found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return float(found.split()[-1])


if __name__ == "__main__":
    sys.exit(main())
