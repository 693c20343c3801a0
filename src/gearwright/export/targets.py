"""Every target of an export under one name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.export.c_code.c_package import c
from gearwright.export.fmi.fmu import fmu
from gearwright.export.mujoco.mjcf import mjcf
from gearwright.export.urdf.urdf import write_urdf
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.text import did_you_mean, file_name


@dataclass(frozen=True)
class Exported:
    """The files that an export wrote, and what is to be said about them."""

    files: list[Path]
    report: str = ""


def _c(robot: Robot | Mechanism, directory: str | Path, **options: Any) -> Exported:
    return Exported(c(robot, directory, **options))


def _mjcf(robot: Robot | Mechanism, directory: str | Path, **options: Any) -> Exported:
    report = mjcf(robot, _file(robot, directory, ".xml"), **options)
    return Exported(list(report.files), str(report))


def _fmu(robot: Robot | Mechanism, directory: str | Path, **options: Any) -> Exported:
    report = fmu(robot, _file(robot, directory, ".fmu"), **options)
    return Exported([report.path], str(report))


def _urdf(robot: Robot | Mechanism, directory: str | Path, rotors: Any = "mimic") -> Exported:
    if not isinstance(robot, Robot):
        raise InputError("export: a URDF is written of a robot, not of a bare machine. Give the robot.")
    from gearwright.files.urdf.sidecar import sidecar_of

    path = _file(robot, directory, ".urdf")
    lost = write_urdf(robot, path, rotors)
    return Exported([path, sidecar_of(path)], "\n".join(f"lost: {what}" for what in lost))


def _file(robot: Robot | Mechanism, directory: str | Path, ending: str) -> Path:
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"export: cannot write to {str(folder)!r}: {error}. Give another folder.") from None
    return folder / f"{file_name(robot.name if isinstance(robot, Robot) else 'machine')}{ending}"


TARGETS: dict[str, Callable[..., Exported]] = {"c": _c, "fmu": _fmu, "mjcf": _mjcf, "urdf": _urdf}
"""What `export` can write: name -> function of robot, directory and options."""
OPTIONS: dict[str, tuple[str, ...]] = {
    "c": ("functions", "parameters", "precision", "name"),
    "fmu": ("version", "inputs", "parameters", "state", "laws", "overwrite"),
    "mjcf": ("rotors", "drives"),
    "urdf": ("rotors",),
}
"""The options of each target."""


@check_arguments
def export(robot: Robot | Mechanism, to: str, directory: str | Path, **options: Any) -> list[Path]:
    """Write a robot for another program and return the files written.

    Args:
        robot: the robot or machine.
        to: "c" for a C99 package, "fmu" for Simulink and Modelica tools, "mjcf" for MuJoCo, "urdf" for a URDF with
            every wheel as a link.
        directory: where to write; made if it is not there.
        options: `rotors` of "mjcf" and "urdf", `drives` of "mjcf", and those of `c` and `fmu`.
    """
    return export_with_report(robot, to, directory, **options).files


def export_with_report(robot: Robot | Mechanism, to: str, directory: str | Path, **options: Any) -> Exported:
    """As `export`, with what is to be said about the files."""
    if to not in TARGETS:
        raise InputError(f"export: there is no target {to!r}. {did_you_mean(to, TARGETS)}")
    for word in options:
        if word not in OPTIONS.get(to, ()):
            raise InputError(f"export: {word} says nothing about {to!r}. Leave it out.")
    return TARGETS[to](robot, directory, **options)
