"""Measures that other processes import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from gearwright.parts import Robot


def slow(robot: Robot) -> dict[str, float]:
    """Takes a moment, and leaves a mark that it was computed."""
    ratio = float(robot.drives[1].gear.ratio)
    marks = os.environ.get("GEARWRIGHT_TEST_MARKS")
    if marks:
        Path(marks, f"{ratio:g}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(0.05)
    return {"square": ratio**2}


def picky(robot: Robot) -> dict[str, float]:
    """Fails for one ratio."""
    ratio = float(robot.drives[1].gear.ratio)
    return {"inverse": 1 / (ratio - 60.0)}


def quarrelsome(robot: Robot) -> dict[str, float]:
    """Fails in a way of its own for every ratio but one."""
    ratio = float(robot.drives[1].gear.ratio)
    if ratio == 60:
        raise KeyError("no such key")
    if ratio == 70:
        raise RuntimeError("no solution")
    return {"ratio": ratio} if ratio == 50 else {"ratio": [ratio]}  # type: ignore[dict-item]


def times(robot: Robot, factor: float) -> dict[str, float]:
    """A measure with an argument."""
    return {"ratio": factor * float(robot.drives[1].gear.ratio)}


def deadly(robot: Robot) -> dict[str, float]:
    """Kills its process the first time that it sees one ratio."""
    ratio = float(robot.drives[1].gear.ratio)
    mark = Path(os.environ["GEARWRIGHT_TEST_MARKS"], "dead")
    if ratio == 53 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": ratio**2}


def unbounded(robot: Robot) -> dict[str, float]:
    """Numbers that are not finite."""
    return {"a": float("inf"), "b": float("nan")}
