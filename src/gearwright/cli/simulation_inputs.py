"""Inputs of a simulation on the command line: columns of a file, constants and steps by name or by kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from gearwright.cli.output import print_remark
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism
from gearwright.text import listed_names

INPUT_OPTION_KINDS = ("tau", "torque", "voltage", "current_reference")
"""Names of all inputs of one kind: the forces of all speeds, or those of all motors."""


def input_series(path: Path) -> dict[str, object]:
    """Return every column of a file except t as an input over time."""
    from gearwright.simulation.run import read_series

    if not path.exists():
        raise FileError(f"--torque {path}: there is no such file. Give a CSV file with columns t, tau.<speed>, ...")
    t, columns, _ = read_series(path)
    inputs = {name: (t, x) for name, x in columns.items() if name.partition(".")[0] not in ("q", "v", "a", "energy")}
    if not inputs:
        raise FileError(f"{path}: no column tau.<speed> or <drive>.voltage; found {listed_names(columns)}.")
    if len(inputs) < len(columns):
        print_remark(f"{path}: only {listed_names(inputs)} used; columns of a motion are not inputs.")
    return dict(inputs)


def constant_inputs(texts: Sequence[str], mech: Mechanism) -> dict[str, object]:
    """Return the inputs of `NAME=VALUE` and `NAME=T0:X0,T1:X1,...`; a kind as NAME means all inputs of that kind.

    >>> import gearwright as gw
    >>> wrist = gw.assemble(gw.load("wrist_bendix"))
    >>> constant_inputs(["torque=0.1", "m2.torque=0.5"], wrist)
    {'m1.torque': 0.1, 'm2.torque': 0.5, 'm3.torque': 0.1}
    """
    inputs: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise _input_error(text)
        inputs |= dict.fromkeys(_input_names(name.strip(), mech), _parse_signal(text, value))
    return inputs


def _input_names(name: str, mech: Mechanism) -> list[str]:
    if name not in INPUT_OPTION_KINDS:
        return [name]
    if name == "tau":
        return [f"tau.{speed}" for speed in mech.speeds]
    if not mech.actuators:
        raise InputError(f"--input {name}=...: the robot has no motors. Give forces: tau.<speed>=...")
    return [f"{actuator.name}.{name}" for actuator in mech.actuators]


def _parse_signal(text: str, value: str) -> Any:
    """Return a constant or a step function of time."""
    from gearwright.system.inputs import steps

    try:
        if ":" not in value:
            return float(value)
        pairs = [tuple(float(x) for x in part.split(":")) for part in value.split(",")]
        times, levels = zip(*pairs, strict=True)
    except ValueError:
        raise _input_error(text) from None
    if any(after <= before for before, after in pairwise(times)):
        raise InputError(f"--input {text}: the times must increase.")
    return steps(times, levels)


def _input_error(text: str) -> InputError:
    return InputError(
        f"--input {text!r} is not NAME=VALUE. Give a number, such as tau.j1=2.5 or j1.voltage=12, or steps in "
        f"time, such as j1.voltage=0:0,0.5:12; NAME may be a kind ({listed_names(INPUT_OPTION_KINDS)}), which means "
        "all joints or motors."
    )
