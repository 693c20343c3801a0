"""Robots with random hostile names go through every writer: each shows the names or refuses them by name.

`python -m tests.fuzz_writers [COUNT] [--first SEED] [--folder FOLDER]`: part of `make fuzz`. A robot is made from its
seed alone, so `--first SEED` with COUNT 1 repeats one; names and traceback of a failure are saved.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from gearwright.errors import GearwrightWarning
from gearwright.parts import Robot
from support.hostile_names import BORN, hostile_robot, random_name
from support.hostile_writers import MISSING_LETTERS, SLOW, WRITERS, names_of

EVERY = 20
"""Of so many robots one goes through the slow writers too."""


class Failure(NamedTuple):
    """A writer that obeyed a name, lost it or gave up."""

    seed: int
    writer: str
    names: list[str]
    trace: str


def robot_of(seed: int) -> Robot:
    """The robot of a seed."""
    rng = random.Random(seed)
    return hostile_robot([random_name(rng) for _ in range(BORN)])


def attempt(seed: int, every: int = EVERY) -> list[Failure]:
    """One robot through every writer."""
    robot, failures = robot_of(seed), []
    for name, writer in WRITERS.items():
        if name in SLOW and seed % every:
            continue
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", GearwrightWarning)
            warnings.filterwarnings("ignore", MISSING_LETTERS, UserWarning)
            try:
                writer(robot, Path(folder))
            except Exception:
                failures.append(Failure(seed, name, names_of(robot), traceback.format_exc()))
    return failures


def run(seeds: Iterable[int]) -> list[Failure]:
    """The failures of several seeds."""
    return [failure for seed in seeds for failure in attempt(seed)]


def main() -> int:
    """The long run; 1 when a writer failed."""
    from rich.progress import track

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("count", nargs="?", type=int, default=2_000)
    options.add_argument("--first", type=int, default=0, metavar="SEED")
    options.add_argument("--folder", type=Path, default=Path("fuzz_failures"))
    chosen = options.parse_args()
    count = 0
    for seed in track(range(chosen.first, chosen.first + chosen.count), "Naming robots"):
        for failure in attempt(seed):
            count += 1
            chosen.folder.mkdir(parents=True, exist_ok=True)
            place = chosen.folder / f"writer_{seed}_{failure.writer.replace(' ', '_')}.txt"
            place.write_text(f"{failure.names!a}\n\n{failure.trace}", encoding="utf-8", errors="backslashreplace")
    print(f"{chosen.count} robots, {count} failures of writers{f': see {chosen.folder}' if count else ''}.")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
