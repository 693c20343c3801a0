"""Measures that other processes import."""

from __future__ import annotations

import os
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
