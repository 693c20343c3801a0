"""Every target of an export under one name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gearwright.errors import InputError
from gearwright.export.c_package import c
from gearwright.mechanism import RobotOrMech
from gearwright.text import did_you_mean

TARGETS: dict[str, Callable[..., list[Path]]] = {"c": c}
"""What `export` can write: name -> function of robot, directory and options."""


def export(robot: RobotOrMech, to: str, directory: str | Path, **options: Any) -> list[Path]:
    """Write a robot for another program and return the files written.

    Args:
        robot: the robot or machine.
        to: "c" for a C99 package.
        directory: where to write; made if it is not there.
        options: what the target's own function takes, such as `precision` of `export.c`.
    """
    if to not in TARGETS:
        raise InputError(f"export: there is no target {to!r}. {did_you_mean(to, TARGETS)}")
    return TARGETS[to](robot, directory, **options)
