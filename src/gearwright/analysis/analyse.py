"""What a task asks of every drive of a robot, and which limits it comes up to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.analysis.cycle import Cycle, handed_on
from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.limit_checks import LimitCheck
from gearwright.analysis.link_analysis import LinkAnalysis
from gearwright.analysis.summary import summary
from gearwright.analysis.task import Task
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue, drives
from gearwright.errors import InputError
from gearwright.functions.functions import reactions
from gearwright.mechanism import machine_of
from gearwright.parts import LinkSection, Robot
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.system.demands import demands
from gearwright.system.motion_demands import MotionDemands
from gearwright.text import listed

SAMPLES = 501
"""At how many times a cycle is looked at unless somebody says: energies come out to four digits."""
CLOSED = 1e-6
"""How far from its start a cycle may end [rad, m] and still repeat itself."""


@dataclass(frozen=True)
class Analysis(Shown):
    """What a task asks of a robot.

    Args:
        robot: with the task's payload.
        task: the task.
        demands: forces, torques, currents, voltages over one cycle.
        drives: per joint (motors of trains: per motor) what is asked of its drive.
        links: per link whose section is given its forces, stress and deflection.
        reactions: per body and time the wrench from its parent, (T, bodies, 6), as `gw.reactions` gives it.
        limits: every limit that is stated, with its margin.
        remarks: what was left out or could not be told.
    """

    robot: Robot
    task: Task
    demands: MotionDemands
    drives: Mapping[str, DriveAnalysis]
    links: Mapping[str, LinkAnalysis]
    reactions: Array
    limits: tuple[LimitCheck, ...]
    remarks: tuple[str, ...] = ()

    @property
    def t(self) -> Array:
        """Times of the cycle [s], (T,)."""
        return self.demands.t

    @property
    def possible(self) -> bool:
        """Whether every limit is kept and the motors can make the motion."""
        return all(check.kept for check in self.limits) and not self.demands.unactuated

    @property
    def energy(self) -> float:
        """Electrical energy per cycle of all drives that tell it [J], with regeneration."""
        return sum(drive.energy for drive in self.drives.values() if drive.energy is not None)

    def summary(self) -> dict[str, Any]:
        """Everything that is one number, by names, as JSON can hold it."""
        return summary(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """Torques and speeds of the motors, and temperatures where they are known, over one cycle."""
        panels = [
            Panel("motor torque [Nm]", {name: one.motor_torque for name, one in self.drives.items()}),
            Panel("motor speed [rad/s]", {name: one.motor_speed for name, one in self.drives.items()}),
        ]
        warm = {name: one.temperatures.winding - 273.15 for name, one in self.drives.items() if one.temperatures}
        finite = {name: x for name, x in warm.items() if np.isfinite(x).all()}
        if finite:
            panels.append(Panel("winding [°C]", finite))
        return saved(figure(self.t, "time [s]", panels, title=self.task.name), path)


def analyse(
    robot: Robot,
    task: Task,
    *,
    sections: Mapping[str, LinkSection] | None = None,
    catalogue: Catalogue | None = None,
    samples: int = SAMPLES,
) -> Analysis:
    """What a task asks of a robot: torques, currents, voltages, energy, temperatures, reactions; limits and margins.

    Args:
        robot: the robot, with the friction, losses and motor data of its file.
        task: the task.
        sections: per link (by its name) its cross-sections and material, for stress and deflection.
        catalogue: where data sheets are found that motors and gears name; the bundled one unless given.
        samples: at how many times at least the cycle is looked at.

    >>> import gearwright as gw
    >>> from gearwright.motion import s_curve
    >>> robot = gw.load("scara")
    >>> way = s_curve([0, 0, -0.1, 0], [1, 0.5, -0.1, 1], speed=2.0, acceleration=10.0, jerk=200.0)
    >>> back = s_curve([1, 0.5, -0.1, 1], [0, 0, -0.1, 0], speed=2.0, acceleration=10.0, jerk=200.0)
    >>> found = analyse(robot, Task([way, back], pause=0.2))
    >>> round(found.drives["shoulder"].rms_torque / found.drives["shoulder"].rms_motor_torque)   # ratio 80
    80
    """
    if not isinstance(robot, Robot):
        raise InputError(f"analyse: {type(robot).__name__} is not a robot: a task is set to a robot with its drives.")
    loaded = task.carried_by(robot)
    mech = machine_of("analyse", loaded)
    found = demands(loaded, task.cycle, samples=samples)
    cycle = Cycle(loaded, mech, task, found, handed_on(loaded, mech, task, found, samples), catalogue or drives())
    each = {one.joint or one.name: one for one in cycle.drives()}
    limits = cycle.checked(each.values())
    across = reactions(mech, found.motion.q, found.motion.v, found.motion.a)
    links = {name: cycle.link(name, section) for name, section in (sections or {}).items()}
    checks = (*limits, *_of_links(links, task), *_required(task))
    return Analysis(loaded, task, found, each, links, across, checks, (*found.remarks, *_remarks(task, each)))


def _of_links(links: Mapping[str, LinkAnalysis], task: Task) -> Iterator[LimitCheck]:
    for name, link in links.items():
        yield LimitCheck(f"{name}: stress", link.peak_stress, link.strength, "Pa", source="material of the link")
        if "tip_deflection" in task.required:
            most = task.required["tip_deflection"]
            yield LimitCheck(f"{name}: deflection of its end", link.peak_deflection, most, "m", source="task")


def _required(task: Task) -> Iterator[LimitCheck]:
    if "cycle_time" in task.required:
        yield LimitCheck("cycle time", task.cycle.duration, task.required["cycle_time"], "s", source="task")


def _remarks(task: Task, each: Mapping[str, DriveAnalysis]) -> Iterator[str]:
    start, end = task.cycle.at(0.0), task.cycle.at(task.cycle.duration)
    if task.is_periodic and np.abs(end - start).max() > CLOSED:
        yield "the cycle does not end where it starts: how the robot returns is left out of means and temperatures."
    cold = [name for name, one in each.items() if one.temperatures is None]
    if cold:
        yield f"temperatures of {listed(cold)} are not told: the motor's data lack heat, resistance or torque constant."
    unread = [name for name, one in each.items() if one.gearbox_sheet is None and one.gear is not None]
    if unread:
        yield f"gearboxes of {listed(unread)} are not checked: `gear: {{catalogue: ...}}` names no data sheet."
