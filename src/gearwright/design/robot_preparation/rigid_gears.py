"""Robots whose gears do not twist: drives are screened on these, and the winner is analysed as elastic as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gearwright.parts import AnyGear, Gear, Robot, Series, elements_of


def rigid_robot(robot: Robot) -> Robot:
    """The robot with every gear rigid.

    >>> import gearwright as gw
    >>> rigid_robot(gw.load("elastic_elbow")).drive("j1").gear.stiffness is None
    True
    """
    for drive in robot.drives:
        if elements_of(drive.gear):
            robot = robot.with_drive(drive.title, replace(drive, gear=_rigid(drive.gear)))
    return robot


def _rigid(gear: Any) -> Any:
    stiff = replace(gear, stiffness=None, damping=0.0, torsion=None)
    return replace(stiff, stages=[_rigid(stage) for stage in gear.stages]) if isinstance(gear, Series) else stiff


def elastic_like(gear: Gear, old: AnyGear, printed: float | None) -> Gear:
    """A chosen gear in place of an elastic one: as stiff as its sheet prints, or else as the old one was.

    >>> elastic_like(Gear(50), Gear(80, stiffness=3000.0), None).stiffness
    3000.0
    """
    if not elements_of(old):
        return gear
    own = old if isinstance(old, Gear) else None
    if printed is not None:
        return replace(gear, stiffness=printed, damping=0.0 if own is None else own.damping)
    return gear if own is None else replace(gear, stiffness=own.stiffness, damping=own.damping, torsion=own.torsion)


def elastic_remarks(robot: Robot, stiffness: Iterable[tuple[str, float | None]]) -> Iterable[str]:
    """How stiff the chosen gears were taken to be, where the robot's own were elastic.

    Args:
        robot: as it was given.
        stiffness: per joint with a chosen gearbox what its sheet prints [Nm/rad].
    """
    gears = {drive.joint: drive.gear for drive in robot.drives}
    for joint, printed in stiffness:
        if not elements_of(gears[joint]):
            continue
        told = "which its sheet prints" if printed is not None else "as before, since its sheet prints none"
        value = printed if printed is not None else gears[joint].stiffness
        yield f"{joint}: the gear stays elastic: {value:.4g} Nm/rad, {told}; drives were screened as if it were rigid."
