"""What drives a run from the command line: columns of a file, numbers and steps by name or by kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from gearwright.cli.output import say
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism
from gearwright.text import listed

KINDS = ("tau", "torque", "voltage", "current_reference")
"""Words that stand for all inputs of a kind: every speed's force, or every motor's."""


def series_of(path: Path) -> dict[str, object]:
    """Every column of a file but t as an input over time."""
    from gearwright.simulation.run import read_series

    if not path.exists():
        raise FileError(f"--torque {path}: there is no such file. Give a CSV file with columns t, tau.<speed>, ...")
    t, columns, _ = read_series(path)
    inputs = {name: (t, x) for name, x in columns.items() if name.partition(".")[0] not in ("q", "v", "a", "energy")}
    if not inputs:
        raise FileError(f"{path}: it has no column tau.<speed> or <drive>.voltage; it has {listed(columns)}.")
    if len(inputs) < len(columns):
        say(f"{path}: only {listed(inputs)} used; a motion in the file is not an input.")
    return dict(inputs)


def inputs_of(texts: Sequence[str], mech: Mechanism) -> dict[str, object]:
    """The inputs of `NAME=VALUE` and `NAME=T0:X0,T1:X1,...`; a kind in place of a name means all of that kind.

    >>> import gearwright as gw
    >>> wrist = gw.assemble(gw.load("wrist_bendix"))
    >>> inputs_of(["torque=0.1", "m2.torque=0.5"], wrist)
    {'m1.torque': 0.1, 'm2.torque': 0.5, 'm3.torque': 0.1}
    """
    found: dict[str, object] = {}
    for text in texts:
        name, given, value = text.partition("=")
        if not given or not name.strip():
            raise _unreadable(text)
        found |= dict.fromkeys(_names(name.strip(), mech), _signal(text, value))
    return found


def _names(name: str, mech: Mechanism) -> list[str]:
    if name not in KINDS:
        return [name]
    if name == "tau":
        return [f"tau.{speed}" for speed in mech.speeds]
    if not mech.actuators:
        raise InputError(f"--input {name}=...: the robot has no motors. Give forces: tau.<speed>=...")
    return [f"{one.name}.{name}" for one in mech.actuators]


def _signal(text: str, value: str) -> Any:
    """A number, or steps."""
    from gearwright.system.inputs import steps

    try:
        if ":" not in value:
            return float(value)
        pairs = [tuple(float(x) for x in part.split(":")) for part in value.split(",")]
        times, levels = zip(*pairs, strict=True)
    except ValueError:
        raise _unreadable(text) from None
    if any(after <= before for before, after in pairwise(times)):
        raise InputError(f"--input {text}: the times must increase.")
    return steps(times, levels)


def _unreadable(text: str) -> InputError:
    return InputError(
        f"--input {text!r} is not NAME=VALUE. Give a number, such as tau.j1=2.5 or j1.voltage=12, or steps in "
        f"time, such as j1.voltage=0:0,0.5:12; NAME may be a kind ({listed(KINDS)}) for all joints or motors."
    )
