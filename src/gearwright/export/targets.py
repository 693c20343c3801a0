"""Export targets by name."""

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
from gearwright.file_access import create_folder
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.text import did_you_mean, file_name


@dataclass(frozen=True)
class ExportResult:
    """The files written by an export, and its report."""

    files: list[Path]
    report: str = ""


def _export_c(robot: Robot | Mechanism, directory: str | Path, **options: Any) -> ExportResult:
    return ExportResult(c(robot, directory, **options))


def _export_mjcf(robot: Robot | Mechanism, directory: str | Path, **options: Any) -> ExportResult:
    report = mjcf(robot, _target_file(robot, directory, ".xml"), **options)
    return ExportResult(list(report.files), str(report))


def _export_fmu(robot: Robot | Mechanism, directory: str | Path, **options: Any) -> ExportResult:
    report = fmu(robot, _target_file(robot, directory, ".fmu"), **options)
    return ExportResult([report.path], str(report))


def _export_urdf(
    robot: Robot | Mechanism, directory: str | Path, rotors: Any = "mimic", loops: Any = "urdf_plus"
) -> ExportResult:
    if not isinstance(robot, Robot):
        raise InputError("export: a URDF needs a robot, not a machine. Give the robot.")
    from gearwright.files.urdf.sidecar import sidecar_path

    path = _target_file(robot, directory, ".urdf")
    omissions = write_urdf(robot, path, rotors, loops)
    listed = [path.with_suffix(".yaml")] if loops == "list" and robot.loops else []
    return ExportResult(
        [path, sidecar_path(path), *listed], "\n".join(f"not representable: {omission}" for omission in omissions)
    )


def _target_file(robot: Robot | Mechanism, directory: str | Path, ending: str) -> Path:
    folder = create_folder(Path(directory))
    return folder / f"{file_name(robot.name if isinstance(robot, Robot) else 'machine')}{ending}"


TARGETS: dict[str, Callable[..., ExportResult]] = {
    "c": _export_c,
    "fmu": _export_fmu,
    "mjcf": _export_mjcf,
    "urdf": _export_urdf,
}
"""Targets of `export`: name -> function of robot, directory and options."""
TARGET_OPTIONS: dict[str, tuple[str, ...]] = {
    "c": ("functions", "parameters", "precision", "name"),
    "fmu": ("version", "inputs", "parameters", "state", "laws", "overwrite"),
    "mjcf": ("rotors", "drives"),
    "urdf": ("rotors", "loops"),
}
"""The options of each target."""


@check_arguments
def export(robot: Robot | Mechanism, to: str, directory: str | Path, **options: Any) -> list[Path]:
    """Write a robot for another program and return the files written.

    Args:
        robot: the robot or machine.
        to: "c" for a C99 package, "fmu" for Simulink and Modelica tools, "mjcf" for MuJoCo, "urdf" for a URDF with
            every wheel as a link.
        directory: output folder; created if it does not exist.
        options: `rotors` of "mjcf" and "urdf", `loops` of "urdf", `drives` of "mjcf", and those of `c` and `fmu`.
    """
    return export_with_report(robot, to, directory, **options).files


def export_with_report(robot: Robot | Mechanism, to: str, directory: str | Path, **options: Any) -> ExportResult:
    """Write a robot as `export` does, and return the files with a report."""
    if to not in TARGETS:
        raise InputError(f"export: target {to!r} is unknown. {did_you_mean(to, TARGETS)}")
    for word in options:
        if word not in TARGET_OPTIONS.get(to, ()):
            raise InputError(f"export: {word} is not an option of {to!r}. Omit it.")
    return TARGETS[to](robot, directory, **options)
