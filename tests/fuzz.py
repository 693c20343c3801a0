"""Break robot files and read them: each must give a valid robot or a clear error, soon.

`python -m tests.fuzz [COUNT] [--first SEED] [--jobs N] [--folder FOLDER]`: the long run. An input is made from its seed
alone, so `--first SEED` with COUNT 1 repeats one; failing inputs are saved with the traceback beside them.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np

import gearwright as gw
from gearwright import catalogue
from gearwright.errors import GearwrightError, GearwrightWarning
from support.mutations import broken

SECONDS = 10
"""No robot of a few kilobytes may take longer to read, refuse or assemble."""
MEMORY = 4 * 10**9
CHUNK = 250
SIDECAR = ".gearwright.yaml"
SAMPLES = Path(__file__).parent / "files" / "samples"


class Original(NamedTuple):
    """A file to be broken: how its name ends, its text, and the URDF that it stands beside if it is a sidecar."""

    ending: str
    text: str
    urdf: str | None = None


class Failure(NamedTuple):
    """An input that was neither read nor refused."""

    seed: int
    ending: str
    content: bytes
    trace: str


Attempt = Callable[[int, Path], tuple[str, Failure | None]]
"""Makes an input from its seed in a folder and reads it."""


class Hang(BaseException):
    """The alarm; no `except Exception` on the way may swallow it."""


@cache
def originals() -> tuple[Original, ...]:
    """Every bundled robot as YAML, as URDF and as the sidecar of one, and the samples with words they do not use."""
    found: list[Original] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        for name in sorted(catalogue.robots()):
            robot = gw.load(name)
            yaml, urdf, sidecar = (Path(folder) / f"{name}{ending}" for ending in (".yaml", ".urdf", SIDECAR))
            for path in (yaml, urdf):
                gw.save(robot, path)
                found.append(Original(path.suffix, path.read_text()))
            found.append(Original(SIDECAR, sidecar.read_text(), urdf.read_text()))
    for path in sorted(SAMPLES.glob("*.*")):
        text = path.read_text()
        beside = path.with_suffix(".urdf") if "closed_loop:" in text else None  # a list of loops stands beside a URDF
        found.append(Original(path.suffix, text, beside and beside.read_text()))
    return tuple(found)


def outcome(path: Path) -> str:
    """What reading a file led to: "robot" or the name of the error; anything else is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", GearwrightWarning)
        try:
            mech = gw.assemble(gw.load(path))
            M = gw.mass_matrix(mech, gw.neutral(mech))
        except GearwrightError as error:
            if not str(error).strip():
                raise AssertionError("an error without a message") from error
            return type(error).__name__
    assert np.isfinite(M).all(), "a mass matrix that is not finite came back quietly"
    return "robot"


def attempt(seed: int, folder: Path) -> tuple[str, Failure | None]:
    """Read one broken file under the alarm."""
    files = originals()
    which, content = broken(seed, [file.text for file in files])
    path = _written(folder, files[which], content)
    result, trace = under_alarm(lambda: outcome(path))
    return result, None if trace is None else Failure(seed, files[which].ending, content, trace)


def under_alarm(read: Callable[[], str], seconds: float | None = None) -> tuple[str, str | None]:
    """What reading led to, and the traceback if that was neither a robot nor a clear error, or took too long."""
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS if seconds is None else seconds)
    try:
        return read(), None
    except (Exception, Hang):
        return "failure", traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _written(folder: Path, original: Original, content: bytes) -> Path:
    """The file to load; each kind has its own folder, so that no sidecar meets another's robot."""
    place = folder / original.ending.lstrip(".")
    place.mkdir(exist_ok=True)
    path = place / f"robot{original.ending}"
    path.write_bytes(content)
    if original.urdf is None:
        return path
    urdf = place / "robot.urdf"
    urdf.write_text(original.urdf)
    return urdf


def _ring(*_: object) -> None:
    raise Hang(f"no answer within {SECONDS} s")


def run(seeds: Sequence[int], attempt: Attempt = attempt) -> tuple[Counter[str], list[Failure]]:
    """Outcomes of several seeds, counted, and the failures."""
    counts: Counter[str] = Counter()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            result, failure = attempt(seed, Path(folder))
            counts[result] += 1
            failures += [failure] if failure else []
    return counts, failures


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _keep(failure: Failure, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{failure.seed}{failure.ending}").write_bytes(failure.content)
    (folder / f"{failure.seed}.txt").write_text(failure.trace)


def _results(first: int, count: int, jobs: int, attempt: Attempt) -> Iterator[tuple[Counter[str], list[Failure]]]:
    chunks = [range(k, min(k + CHUNK, first + count)) for k in range(first, first + count, CHUNK)]
    originals()  # before the workers start, so that they share it
    with ProcessPoolExecutor(jobs, initializer=_limit_memory) as pool:
        yield from pool.map(partial(run, attempt=attempt), chunks)


def main(attempt: Attempt = attempt, count: int = 200_000, title: str = "Breaking robots") -> int:
    """The long run of one kind of attempt; 1 when an input failed."""
    from rich.progress import track

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("count", nargs="?", type=int, default=count)
    options.add_argument("--first", type=int, default=0, metavar="SEED")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--folder", type=Path, default=Path("fuzz_failures"))
    chosen = options.parse_args()
    total: Counter[str] = Counter()
    steps = -(-chosen.count // CHUNK)
    results = _results(chosen.first, chosen.count, chosen.jobs, attempt)
    for counts, failures in track(results, title, total=steps):
        total += counts
        for failure in failures:
            _keep(failure, chosen.folder)
    print(", ".join(f"{name} {number}" for name, number in total.most_common()))
    if total["failure"]:
        print(f"{total['failure']} inputs were neither read nor refused: see {chosen.folder}.")
    return 1 if total["failure"] else 0


if __name__ == "__main__":
    sys.exit(main())
