"""Every target of an export under one name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gearwright.errors import InputError
from gearwright.export.c_package import export_c
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.text import did_you_mean

TARGETS: dict[str, Callable[[Robot | Mechanism, str | Path], list[Path]]] = {"c": export_c}
"""What `export` can write: name -> function of robot and directory."""


def export(robot: Robot | Mechanism, to: str, directory: str | Path) -> list[Path]:
    """Write a robot for another program and return the files written.

    Args:
        robot: the robot or machine.
        to: "c" for a C99 package.
        directory: where to write; made if it is not there.
    """
    if to not in TARGETS:
        raise InputError(f"export: there is no target {to!r}. {did_you_mean(to, TARGETS)}")
    return TARGETS[to](robot, directory)
