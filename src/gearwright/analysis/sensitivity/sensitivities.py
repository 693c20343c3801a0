"""Sensitivities: the change of every characteristic of a task for one per cent of a parameter, by exact derivatives.

Nothing is differenced but the balance inside a gear box at one instant (`analysis.drives.tooth_force_sensitivity`): the
whole analysis (inverse dynamics, shafts behind springs, losses, windings, heat, reactions, stress, frequencies) runs
over dual numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import varied_parameters
from gearwright.analysis.cycle.cycle_motion import Prescribed
from gearwright.analysis.cycle.task_cycle import Cycle
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.links.structural_deflection import Structure, acting_on, beams_of
from gearwright.analysis.parametric_series import slope_of
from gearwright.analysis.sensitivity.structural_sensitivity import structure_slopes
from gearwright.analysis.summary import CHARACTERISTICS
from gearwright.analysis.task_analysis import Analysis
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.catalogue import drives as bundled_drives
from gearwright.errors import InputError
from gearwright.mechanism import assemble
from gearwright.parts import Drive, LinkSection, Robot, parameter, with_parameters
from gearwright.plots import saved
from gearwright.plots.bars import Ranking, rankings
from gearwright.plots.notebook import Shown


def varied_characteristics(found: Analysis, values: Mapping[str, float]) -> dict[str, Scalar]:
    """The characteristics of drives, links and tip by name, with slopes by parameters that have these values."""
    task, robot = found.task, with_parameters(found.robot, varied_parameters(values))
    mech = assemble(robot)
    course = Prescribed(task.cycle, tuple(task.forces), task.contact, found.samples, task.cycles)
    demanded, handed_on = course.slopes(found.robot, values)
    acting = acting_on(robot, mech, demanded.motion, task.forces, task.contact)
    cycle = Cycle(robot, mech, task, demanded, handed_on, found.catalogue or bundled_drives(), acting)
    drives = {one.joint or one.name: one for one in cycle.drives()}
    beams = beams_of(_sections(found, robot))
    return numbers_of(drives) | structure_slopes(robot, mech, demanded.motion, beams, task)


def numbers_of(drives: Mapping[str, DriveAnalysis]) -> dict[str, Scalar]:
    """The characteristics of drives by name."""
    return {
        f"{name}.{word}": getattr(drive, word)
        for name, drive in drives.items()
        for word in CHARACTERISTICS
        if getattr(drive, word) is not None
    }


def _sections(found: Analysis, robot: Robot) -> dict[str, LinkSection]:
    """Those of the analysis; where the robot itself states them, those that vary."""
    sections = {}
    for name, link in found.links.items():
        own, varied = found.robot.link(name).section, robot.link(name).section
        sections[name] = varied if own is link.loads.section and varied is not None else link.loads.section
    return sections


DRAWN = "rms_motor_torque"
"""The characteristic of every drive that is drawn unless somebody says."""


@dataclass(frozen=True)
class Sensitivities(Shown):
    """Changes of characteristics for one per cent more of each parameter.

    Args:
        parameters: their paths.
        characteristics: `<drive>.<characteristic>`, `<link>.peak_stress`, `<link>.peak_deflection`, and
            `tip.peak_deflection`.
        values: what they are now, (C,).
        changes: by how much they change, in their own units, (P, C).
    """

    parameters: tuple[str, ...]
    characteristics: tuple[str, ...]
    values: Array
    changes: Array

    @property
    def relative(self) -> Array:
        """The changes in per cent of the characteristic, (P, C); 0 where it is zero itself."""
        size = np.abs(self.values)
        return np.asarray(100 * np.divide(self.changes, size, out=np.zeros_like(self.changes), where=size > 0))

    def plot(self, *characteristics: str, path: str | Path | None = None, most: int = 8) -> Any:
        """Which parameters change a characteristic most, in per cent for one per cent more of each.

        Args:
            characteristics: such as "elbow.energy"; the rms torques of the motors unless given.
            path: .png, .svg or .pdf, where the figure is saved too.
            most: how many parameters are drawn.
        """
        usual = [name for name in self.characteristics if name.endswith(f".{DRAWN}")] or self.characteristics[:1]
        panels = []
        for name in characteristics or usual:
            self._require(name, self.characteristics)
            changes = self.relative[:, self.characteristics.index(name)].tolist()
            panels.append(Ranking("change for 1 % more [%]", dict(zip(self.parameters, changes, strict=True)), name))
        return saved(rankings(panels, most), path)

    def as_words(self) -> dict[str, dict[str, float]]:
        """Parameter -> characteristic -> change by one per cent, in its own unit, as JSON can hold it."""
        pairs = zip(self.parameters, self.changes.tolist(), strict=True)
        return {path: dict(zip(self.characteristics, row, strict=True)) for path, row in pairs}

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """The change of a characteristic by one per cent of a parameter, in its own unit."""
        path, name = pair
        self._require(path, self.parameters)
        self._require(name, self.characteristics)
        return float(self.changes[self.parameters.index(path), self.characteristics.index(name)])

    def _require(self, word: str, known: Sequence[str]) -> None:
        if word not in known:
            raise InputError(f"sensitivities: there is no {word!r}; known are {', '.join(known)}.")


def usual_parameters(robot: Robot) -> tuple[str, ...]:
    """Those that a designer changes: masses of links and payload, and the numbers of every drive that it states."""
    found = [f"{link.name}.mass" for link in robot.links if link.mass]
    found += ["payload.mass"] if robot.payload is not None and robot.payload.mass else []
    return (*found, *(path for drive in robot.drives for path in _of_drive(drive)))


@check_arguments
def sensitivities(found: Analysis, parameters: Sequence[str] | None = None) -> Sensitivities:
    """What one per cent of every parameter does to every characteristic of the prescribed motion.

    Args:
        found: what `gw.analyse` found.
        parameters: parameter paths; masses, inertias, ratios, efficiencies, torque constants and resistances that the
            robot states unless given.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> found = gw.analyse(gw.load("elbow"), gw.design.Task([swing]))
    >>> table = sensitivities(found, ["j1.motor.inertia"])
    >>> 0 < table["j1.motor.inertia", "j1.rms_torque"] < 0.01 * found.drives["j1"].rms_torque
    True
    """
    found.task.carried_by(found.robot, "a table of sensitivities")
    paths = tuple(usual_parameters(found.robot) if parameters is None else parameters)
    known = numbers_of(found.drives) | Structure(dict(found.links), found.tip).numbers()
    base = {name: float(x) for name, x in known.items() if np.isfinite(x)}
    values = {path: float(parameter(found.robot, path)) for path in paths}
    varied = varied_characteristics(found, {path: value for path, value in values.items() if value})
    rows = [[0.01 * value * slope_of(varied[name], path) for name in base] for path, value in values.items()]
    changes = np.array(rows).reshape(len(paths), len(base))
    return Sensitivities(paths, tuple(base), np.array(list(base.values())), changes)


def _of_drive(drive: Drive) -> Iterator[str]:
    motor, gear = drive.motor, drive.gear
    stated = {
        "motor.inertia": motor.inertia,
        "gear.ratio": getattr(gear, "ratio", None) if "ratio" in gear.__dataclass_fields__ else None,
        "gear.efficiency": gear.efficiency,
        "motor.torque_constant": motor.torque_constant,
        "motor.resistance": motor.resistance,
    }
    yield from (f"{drive.title}.{word}" for word, value in stated.items() if value)
