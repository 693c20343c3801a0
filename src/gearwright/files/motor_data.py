"""The bundled motors as data: a table that files may name with `motor: {catalogue: ...}`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from gearwright.errors import FileError
from gearwright.files.problems import Problems
from gearwright.files.yaml_tree import parse
from gearwright.text import did_you_mean


@cache
def motor_table() -> dict[str, dict[str, Any]]:
    """Every bundled motor's words by its name."""
    text = files("gearwright").joinpath("catalogue", "motors.yaml").read_text(encoding="utf-8")
    problems = Problems("motors.yaml")
    table: dict[str, dict[str, Any]] = parse(text, problems).data
    problems.refuse()
    return table


def motor_entry(name: str) -> dict[str, Any]:
    """The words of one bundled motor.

    >>> motor_entry("maxon_re30")["torque_constant"]
    '53.8 mNm/A'
    """
    table = motor_table()
    if name not in table:
        raise FileError(f"there is no motor {name!r} in the catalogue. {did_you_mean(name, table)}")
    return table[name]
