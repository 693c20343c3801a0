"""Sensitivities: the change of every characteristic of a task for one per cent of a parameter, by exact derivatives.

The whole analysis (inverse dynamics, shafts behind springs, losses, windings, heat, reactions, stress, frequencies)
and the balance of forces inside gearboxes run over dual numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import dual_parameters
from gearwright.analysis.cycle.cycle_motion import PrescribedMotion
from gearwright.analysis.cycle.task_cycle import TaskCycle
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.links.structural_deflection import StructuralAnalysis, external_wrenches, link_beams
from gearwright.analysis.parametric_series import partial_by
from gearwright.analysis.sensitivity.structural_sensitivity import structural_partials
from gearwright.analysis.summary import CHARACTERISTIC_UNITS
from gearwright.analysis.task_analysis import Analysis
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.catalogue import drives as bundled_drives
from gearwright.errors import InputError
from gearwright.mechanism import assemble_tree
from gearwright.parts import Drive, LinkSection, Robot, parameter, with_parameters
from gearwright.plots import NotebookFigure, RankingPanel, ranking_figure, save_if_path


def characteristics_with_partials(analysis: Analysis, values: Mapping[str, float]) -> dict[str, Scalar]:
    """The characteristics of drives, links and tip by name, with derivatives by parameters at these values."""
    task, robot = analysis.task, with_parameters(analysis.robot, dual_parameters(values))
    mech = assemble_tree(robot)
    cycle_motion = PrescribedMotion(task.cycle, tuple(task.forces), task.contact, analysis.samples, task.cycle_count)
    demands, output_torques = cycle_motion.demand_partials(analysis.robot, values)
    wrenches = external_wrenches(robot, mech, demands.motion, task.forces, task.contact)
    cycle = TaskCycle(robot, mech, task, demands, output_torques, analysis.catalogue or bundled_drives(), wrenches)
    drives = {drive.joint or drive.name: drive for drive in cycle.drive_analyses()}
    beams = link_beams(_varied_sections(analysis, robot))
    return drive_characteristics(drives) | structural_partials(robot, mech, demands.motion, beams, task)


def drive_characteristics(drives: Mapping[str, DriveAnalysis]) -> dict[str, Scalar]:
    """The characteristics of drives by name."""
    return {
        f"{name}.{field}": getattr(drive, field)
        for name, drive in drives.items()
        for field in CHARACTERISTIC_UNITS
        if getattr(drive, field) is not None
    }


def _varied_sections(analysis: Analysis, robot: Robot) -> dict[str, LinkSection]:
    """The sections of the analysis; variable ones if the robot itself states them."""
    sections = {}
    for name, link in analysis.links.items():
        stated, varied = analysis.robot.link(name).section, robot.link(name).section
        sections[name] = varied if stated is link.loads.section and varied is not None else link.loads.section
    return sections


DEFAULT_CHARACTERISTIC = "rms_motor_torque"
"""The characteristic of every drive that is drawn by default."""


LEAST_DRAWN_CHANGE = 1e-6
"""Change [%] below which a characteristic is not drawn by default."""


@dataclass(frozen=True)
class Sensitivities(NotebookFigure):
    """Changes of characteristics for an increase of each parameter by one per cent.

    Args:
        parameters: their paths.
        characteristics: `<drive>.<characteristic>`, `<link>.peak_stress`, `<link>.peak_deflection`, and
            `tip.peak_deflection`.
        values: their present values, (C,).
        changes: of the characteristics, in their own units, (P, C).
    """

    parameters: tuple[str, ...]
    characteristics: tuple[str, ...]
    values: Array
    changes: Array

    @property
    def relative_changes(self) -> Array:
        """The changes in per cent of the characteristic, (P, C); 0 if the characteristic is zero."""
        size = np.abs(self.values)
        return np.asarray(100 * np.divide(self.changes, size, out=np.zeros_like(self.changes), where=size > 0))

    def plot(self, *characteristics: str, path: str | Path | None = None, most: int = 8) -> Any:
        """Figure of the parameters with the largest effect on a characteristic, in per cent for one per cent.

        Args:
            characteristics: such as "elbow.energy"; by default the rms torques of the motors.
            path: .png, .svg or .pdf file in which the figure is also saved.
            most: largest number of parameters in the figure.
        """
        largest = np.abs(self.relative_changes).max(axis=0, initial=0.0)
        default_names = [
            name
            for k, name in enumerate(self.characteristics)
            if name.endswith(f".{DEFAULT_CHARACTERISTIC}") and largest[k] > LEAST_DRAWN_CHANGE
        ] or self.characteristics[:1]
        panels = []
        for name in characteristics or default_names:
            self._require_name(name, self.characteristics)
            changes = self.relative_changes[:, self.characteristics.index(name)].tolist()
            panels.append(
                RankingPanel("change for 1 % more [%]", dict(zip(self.parameters, changes, strict=True)), name)
            )
        return save_if_path(ranking_figure(panels, most), path)

    def as_mapping(self) -> dict[str, dict[str, float]]:
        """Parameter -> characteristic -> change by one per cent, in its own unit, for JSON."""
        pairs = zip(self.parameters, self.changes.tolist(), strict=True)
        return {path: dict(zip(self.characteristics, row, strict=True)) for path, row in pairs}

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """The change of a characteristic by one per cent of a parameter, in its own unit."""
        path, name = pair
        self._require_name(path, self.parameters)
        self._require_name(name, self.characteristics)
        return float(self.changes[self.parameters.index(path), self.characteristics.index(name)])

    def _require_name(self, name: str, names: Sequence[str]) -> None:
        if name not in names:
            raise InputError(f"sensitivities: {name!r} is unknown. Use one of {', '.join(names)}.")


def default_parameters(robot: Robot) -> tuple[str, ...]:
    """Default parameters: masses of links and payload, and the stated data of every drive."""
    paths = [f"{link.name}.mass" for link in robot.links if link.mass]
    paths += ["payload.mass"] if robot.payload is not None and robot.payload.mass else []
    return (*paths, *(path for drive in robot.drives for path in _drive_parameters(drive)))


@check_arguments
def sensitivities(analysis: Analysis, parameters: Sequence[str] | None = None) -> Sensitivities:
    """Return the change of every characteristic of the prescribed motion for one per cent of every parameter.

    Args:
        analysis: result of `gw.analyse`.
        parameters: parameter paths; by default the masses, inertias, ratios, efficiencies, torque constants and
            resistances that the robot states.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> analysis = gw.analyse(gw.load("elbow"), gw.design.Task([swing]))
    >>> table = sensitivities(analysis, ["j1.motor.inertia"])
    >>> 0 < table["j1.motor.inertia", "j1.rms_torque"] < 0.01 * analysis.drives["j1"].rms_torque
    True
    """
    analysis.task.loaded_robot(analysis.robot, "a table of sensitivities")
    paths = tuple(default_parameters(analysis.robot) if parameters is None else parameters)
    values_by_name = (
        drive_characteristics(analysis.drives) | StructuralAnalysis(dict(analysis.links), analysis.tip).peak_values()
    )
    base = {name: float(x) for name, x in values_by_name.items() if np.isfinite(x)}
    values = {path: float(parameter(analysis.robot, path)) for path in paths}
    varied = characteristics_with_partials(analysis, {path: value for path, value in values.items() if value})
    rows = [[0.01 * value * partial_by(varied[name], path) for name in base] for path, value in values.items()]
    changes = np.array(rows).reshape(len(paths), len(base))
    return Sensitivities(paths, tuple(base), np.array(list(base.values())), changes)


def _drive_parameters(drive: Drive) -> Iterator[str]:
    motor, gear = drive.motor, drive.gear
    stated = {
        "motor.inertia": motor.inertia,
        "gear.ratio": getattr(gear, "ratio", None) if "ratio" in gear.__dataclass_fields__ else None,
        "gear.efficiency": gear.efficiency,
        "motor.torque_constant": motor.torque_constant,
        "motor.resistance": motor.resistance,
    }
    yield from (f"{drive.title}.{field}" for field, value in stated.items() if value)
