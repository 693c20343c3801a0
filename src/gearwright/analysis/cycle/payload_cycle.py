"""A cycle in which what the robot carries changes: each stretch with its own robot, characteristics over the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.cycle.cycle_motion import Prescribed
from gearwright.analysis.cycle.task_cycle import Cycle, checked_drives
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.train_forces import train_forces
from gearwright.analysis.drives.warm_start import motor_temperatures, start_temperatures
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.structural_deflection import Structure, acting_on, beams_of, structure_of
from gearwright.analysis.links.tip_deflection import TipDeflection, tip_of
from gearwright.analysis.requirements import link_limits, required_limits
from gearwright.analysis.task.payload_phases import Rows, Stretch, between, heaviest, joined_demands
from gearwright.analysis.task.task import Task
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.mechanism import machine_of
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import LinkSection
from gearwright.parts.gears.forces.tooth_forces import COMPONENTS, ToothForce

SERIES = (
    *("t", "torque", "output_torque", "speed", "motor_torque", "motor_speed"),
    *("current", "voltage", "reaction", "own_torque"),
)
"""What a drive has over time."""


@dataclass(frozen=True)
class _Part:
    """One stretch, analysed by itself."""

    cycle: Cycle
    drives: Mapping[str, DriveAnalysis]
    structure: Structure
    trains: Mapping[str, tuple[ToothForce, ...]]


def characteristics_by_payload(
    stretches: Sequence[Stretch],
    task: Task,
    course: Prescribed,
    sections: Mapping[str, LinkSection],
    table: Catalogue,
) -> Characteristics:
    """Every characteristic of a cycle whose stretches have robots of their own."""
    robot = heaviest(stretches)
    mech = machine_of("analyse", robot)
    tip = tip_of(robot, mech, task.tip, beams_of(sections))
    asked = _asked(stretches, course)

    def part(stretch: Stretch) -> _Part:
        own = machine_of("analyse", stretch.robot)
        whole, handed_on = asked[id(stretch.robot)]
        rows = Rows(whole.t, stretch.start, stretch.end)
        found = between(whole, rows)
        acting = acting_on(stretch.robot, own, found.motion, course.forces, course.pressed)
        cycle = Cycle(stretch.robot, own, task, found, rows.of(handed_on), table, acting)
        structure = structure_of(stretch.robot, own, found.motion, sections, acting, task.tip, tip)
        drives = {one.joint or one.name: one for one in cycle.drives()}
        return _Part(cycle, drives, structure, train_forces(stretch.robot, own, found))

    parts = [part(stretch) for stretch in stretches]
    found = joined_demands([one.cycle.found for one in parts])  # type: ignore[misc]
    whole = Cycle(robot, mech, task, found, np.concatenate([one.cycle.handed_on for one in parts]), table)
    drives = {name: _drive([one.drives[name] for one in parts], found, task) for name in parts[0].drives}
    links = {name: _link([one.structure.links[name] for one in parts]) for name in sections}
    given = _tip([one.structure.tip for one in parts], [len(one.cycle.found.motion.t) for one in parts])

    checks = (
        *checked_drives(drives.values(), robot, table),
        *link_limits(links),
        *required_limits(task, drives, given, links, whole),
    )
    reactions = np.concatenate([one.cycle.reactions for one in parts])
    trains = {name: _teeth([one.trains[name] for one in parts]) for name in parts[0].trains}
    return Characteristics(robot, found, drives, links, reactions, given, checks, trains)


def _asked(stretches: Sequence[Stretch], course: Prescribed) -> dict[int, tuple[MotionDemands, Array]]:
    """Per robot (stretches with the same payload share one) what the whole cycle asks of it, and what gears hand on.

    Motors are as warm as all stretches together make them at the start of the last cycle.
    """
    robots = {id(one.robot): one.robot for one in stretches}
    cold = {key: course.asked_of(robot) for key, robot in robots.items()}
    pieces = [between(cold[id(one.robot)], Rows(cold[id(one.robot)].t, one.start, one.end)) for one in stretches]
    warm = start_temperatures(stretches[0].robot, joined_demands(pieces), course.cycles)
    found = {}
    for key, robot in robots.items():
        whole = course.asked_of(robot, states=warm) if warm else cold[key]
        found[key] = whole, course.handed_on(robot, machine_of("analyse", robot), whole)
    return found


def _drive(parts: Sequence[DriveAnalysis], found: MotionDemands, task: Task) -> DriveAnalysis:
    """A drive over the whole cycle; its temperatures are those of all stretches together."""
    first = parts[0]
    series = {
        word: None if getattr(first, word) is None else np.concatenate([getattr(one, word) for one in parts])
        for word in SERIES
    }
    numbers = {
        "inertia_ratio": max((one.inertia_ratio for one in parts if one.inertia_ratio is not None), default=None),
        "frequency": min((one.frequency for one in parts if one.frequency is not None), default=None),
    }
    warm = motor_temperatures(first.name, first.motor, found, task.cycles)
    words: dict[str, Any] = {**series, **numbers, "temperatures": warm}
    return replace(first, **words)


def _link(parts: Sequence[LinkAnalysis]) -> LinkAnalysis:
    loads = [one.loads for one in parts]
    words = ("forces", "moments", "own_forces", "own_moments")
    series: dict[str, Any] = {word: np.concatenate([getattr(one, word) for one in loads]) for word in words}
    return LinkAnalysis(parts[0].name, replace(loads[0], **series))


def _tip(parts: Sequence[TipDeflection | None], times: Sequence[int]) -> TipDeflection | None:
    told = [one for one in parts if one is not None]
    if not told:
        return None
    names = dict.fromkeys(name for one in told for name in one.parts)
    still = [{name: np.zeros((count, 3)) for name in names} for count in times]
    shares = [nothing | dict(one.parts if one is not None else {}) for nothing, one in zip(still, parts, strict=True)]
    return TipDeflection(told[0].tip, {name: np.concatenate([one[name] for one in shares]) for name in names})


def _teeth(parts: Sequence[tuple[ToothForce, ...]]) -> tuple[ToothForce, ...]:
    return tuple(
        same[0]._replace(
            **{word: np.concatenate([np.ravel(getattr(one, word)) for one in same]) for word in COMPONENTS}
        )
        for same in zip(*parts, strict=True)
    )
