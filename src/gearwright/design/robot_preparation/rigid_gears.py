"""Robots with rigid gears for the screening; the selected design is analysed with elastic gears."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gearwright.parts import Gear, GearType, Robot, Series, elastic_elements


def rigid_robot(robot: Robot) -> Robot:
    """The robot with every gear and every shaft of a train's motor rigid.

    >>> import gearwright as gw
    >>> rigid_robot(gw.load("elastic_elbow")).drive("j1").gear.stiffness is None
    True
    """
    for drive in robot.drives:
        if elastic_elements(drive.gear):
            robot = robot.with_drive(drive.title, replace(drive, gear=_rigid_gear(drive.gear)))
    if all(motor.stiffness is None for train in robot.trains for motor in train.motors):
        return robot
    trains = [
        replace(train, motors=[replace(motor, stiffness=None, damping=0.0) for motor in train.motors])
        for train in robot.trains
    ]
    return replace(robot, trains=tuple(trains))


def _rigid_gear(gear: Any) -> Any:
    stiff = replace(gear, stiffness=None, damping=0.0, torsion=None)
    return replace(stiff, stages=[_rigid_gear(stage) for stage in gear.stages]) if isinstance(gear, Series) else stiff


def with_elasticity_of(gear: Gear, old: GearType, sheet_stiffness: float | None) -> Gear:
    """A chosen gear in place of an elastic one, with the stiffness of its data sheet, or else of the old gear.

    >>> with_elasticity_of(Gear(50), Gear(80, stiffness=3000.0), None).stiffness
    3000.0
    """
    if not elastic_elements(old):
        return gear
    reference = old if isinstance(old, Gear) else None
    if sheet_stiffness is not None:
        return replace(gear, stiffness=sheet_stiffness, damping=0.0 if reference is None else reference.damping)
    return (
        gear
        if reference is None
        else replace(gear, stiffness=reference.stiffness, damping=reference.damping, torsion=reference.torsion)
    )


def elastic_remarks(robot: Robot, stiffness: Iterable[tuple[str, float | None]]) -> Iterable[str]:
    """Remarks on the stiffness of chosen gears that replace elastic gears.

    Args:
        robot: the original robot.
        stiffness: per joint with a chosen gearbox the stiffness of its data sheet [Nm/rad].
    """
    gears = {drive.joint: drive.gear for drive in robot.drives}
    for joint, sheet_stiffness in stiffness:
        if not elastic_elements(gears[joint]):
            continue
        origin = (
            "from its data sheet" if sheet_stiffness is not None else "as before, because its data sheet states none"
        )
        value = sheet_stiffness if sheet_stiffness is not None else gears[joint].stiffness
        yield f"{joint}: the gear stays elastic: {value:.4g} Nm/rad, {origin}; the screening assumes a rigid gear."
