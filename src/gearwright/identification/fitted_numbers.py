"""The numbers of a robot's parts that torques show: rotor and gear inertias, springs of drives and joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gearwright.algebra import is_number
from gearwright.arrays import Array
from gearwright.functions.functions import parameters
from gearwright.identification.columns import UNITS, Column, Kind
from gearwright.mechanism import Mechanism, assemble
from gearwright.mechanism.joint_kinds import joint_kind
from gearwright.parts import Drive, Gear, Robot, parameter, with_parameters


@dataclass(frozen=True)
class FittedNumber:
    """A number of a robot's parts: what it is (named by its path), its value, and how to put another one there."""

    column: Column
    value: float
    with_value: Callable[[Robot, float], Robot]

    @property
    def path(self) -> str:
        """Where it is in the robot, such as 'elbow.motor.inertia'."""
        return self.column.name


def fitted_numbers(robot: Robot) -> list[FittedNumber]:
    """Rotor inertias, gear inertias at the input, stiffness and damping of elastic drives and of joints' springs."""
    found = []
    for drive in robot.drives:
        force = _force(robot, drive.joint)
        if _positive(drive.motor.inertia) and drive.motor.tensor is None:
            found.append(_rotor(drive))
        if isinstance(drive.gear, Gear) and _positive(drive.gear.inertia):
            found.append(_at(robot, f"{drive.title}.gear.inertia", "wheel", drive.title, UNITS["wheel"]))
        for path in _springs(f"{drive.title}.gear", drive.gear):
            found += _stiffness_and_damping(robot, path, drive.title, force)
    for link in robot.links:
        if link.joint.spring is not None:
            name = link.joint_name
            found += _stiffness_and_damping(robot, f"{name}.spring", name, _force(robot, name))
    return found


def slope(robot: Robot, number: FittedNumber, nominal: Array) -> Array:
    """How the flat machine's parameters change with a number: exact, because they are affine in it."""
    step = number.value or 1.0
    moved: Mechanism = assemble(number.with_value(robot, number.value + step))
    change: Array = (parameters(moved) - nominal) / step
    return change


def _force(robot: Robot, joint: str | None) -> str:
    """N/m of a spring along a sliding joint, Nm/rad elsewhere."""
    slides = any(link.joint_name == joint and not joint_kind(link.joint.kind).turns for link in robot.links)
    return "N/m" if slides else "Nm/rad"


def _springs(path: str, gear: Any) -> Iterator[str]:
    """The paths of a gear's linear springs, stage by stage; a curve of pieces stays as it is."""
    for place, stage in enumerate(getattr(gear, "stages", ())):
        yield from _springs(f"{path}.stages.{place}", stage)
    torsion = getattr(gear, "torsion", None)
    if gear.stiffness is not None and (torsion is None or not torsion.pieces):
        yield path


def _stiffness_and_damping(robot: Robot, path: str, owner: str, unit: str) -> list[FittedNumber]:
    return [
        _at(robot, f"{path}.stiffness", "stiffness", owner, unit),
        _at(robot, f"{path}.damping", "damping", owner, unit.replace("/", " s/")),
    ]


def _at(robot: Robot, path: str, kind: Kind, owner: str, unit: str) -> FittedNumber:
    value = float(parameter(robot, path))
    return FittedNumber(Column(path, kind, owner, unit), value, lambda fresh, x: with_parameters(fresh, {path: x}))


def _positive(x: object) -> bool:
    return is_number(x) and float(x) > 0  # type: ignore[arg-type]


def _rotor(drive: Drive) -> FittedNumber:
    title = drive.title
    return FittedNumber(
        Column(f"{title}.motor.inertia", "wheel", title, UNITS["wheel"]),
        float(drive.motor.inertia),
        lambda robot, x: robot.with_drive(title, _with_rotor(robot.drive(title), x)),
    )


def _with_rotor(drive: Drive, inertia: float) -> Drive:
    """Another rotor inertia; the transverse inertia and the coupling keep their share of it."""
    share = inertia / drive.motor.inertia
    across, coupling = (
        None if x is None else x * share for x in (drive.motor.transverse_inertia, drive.motor.coupling)
    )
    return replace(drive, motor=replace(drive.motor, inertia=inertia, transverse_inertia=across, coupling=coupling))
