"""Read files that were written to do harm: each gives a robot or a clear error, soon, runs nothing and stays at home.

`python -m tests.fuzz_hostile_files` takes the options of `tests.fuzz`; numbers, nesting and includes meet every reader.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import fuzz
import gearwright as gw
from gearwright.errors import GearwrightError, GearwrightWarning
from support.hostile_files import MARK, SECRET, Hostile, hostile

COUNT = 20_000


def outcome(file: Hostile) -> str:
    """What reading a hostile file led to; a secret that came in, or code that ran, is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        try:
            robot = gw.load(file.path, xacro=file.xacro)
        except GearwrightError as error:
            result, said = type(error).__name__, str(error)
        else:
            result, said = "robot", "a robot"
            assert not any(SECRET in link.name for link in robot.links), "a file outside of the folder was read"
    assert said.strip(), "an error without a message"
    assert not (file.path.parents[1] / MARK).exists(), "code of the file was run"
    return result


def attempt(seed: int, folder: Path) -> tuple[str, fuzz.Failure | None]:
    """Write and read the hostile file of a seed, in a folder of its own."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        file = hostile(seed, Path(place))
        result, trace = fuzz.under_alarm(lambda: outcome(file))
        if trace is None:
            return result, None
        return result, fuzz.Failure(seed, file.path.suffix, file.path.read_bytes(), f"{file}\n{trace}")


if __name__ == "__main__":
    sys.exit(fuzz.main(attempt, COUNT, "Reading hostile files"))
