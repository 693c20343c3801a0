"""A cycle with changing payload: each payload phase has its own robot; characteristics cover the whole cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.cycle.cycle_motion import PrescribedMotion
from gearwright.analysis.cycle.task_cycle import TaskCycle, drive_checks
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.train_forces import train_forces
from gearwright.analysis.drives.warm_start import motor_temperatures, start_temperatures
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.structural_deflection import (
    StructuralAnalysis,
    analyse_structure,
    external_wrenches,
    link_beams,
)
from gearwright.analysis.links.tip_deflection import TipDeflection, tip_point
from gearwright.analysis.requirements import required_limits, strength_limits
from gearwright.analysis.task.payload_phases import (
    PayloadPhase,
    PhaseRows,
    demands_of_phase,
    join_demands,
    robot_with_heaviest_payload,
)
from gearwright.analysis.task.task import Task
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.mechanism import tree_of
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import LinkSection
from gearwright.parts.gears.forces.tooth_forces import FORCE_COMPONENTS, ToothForce

DRIVE_SERIES_FIELDS = (
    *("t", "torque", "output_torque", "speed", "motor_torque", "motor_speed"),
    *("current", "voltage", "reaction", "own_torque"),
)
"""Time series of a drive."""


@dataclass(frozen=True)
class _PhaseAnalysis:
    """The analysis of one payload phase."""

    cycle: TaskCycle
    drives: Mapping[str, DriveAnalysis]
    structure: StructuralAnalysis
    trains: Mapping[str, tuple[ToothForce, ...]]


def characteristics_by_payload(
    phases: Sequence[PayloadPhase],
    task: Task,
    cycle_motion: PrescribedMotion,
    sections: Mapping[str, LinkSection],
    catalogue: Catalogue,
) -> Characteristics:
    """All characteristics of a cycle whose payload phases have separate robots."""
    robot = robot_with_heaviest_payload(phases)
    mech = tree_of("analyse", robot)
    tip = tip_point(robot, mech, task.tip, link_beams(sections))
    phase_demands = _robot_demands(phases, cycle_motion)

    def analyse_phase(payload_phase: PayloadPhase) -> _PhaseAnalysis:
        phase_mech = tree_of("analyse", payload_phase.robot)
        cycle_demands, handed_on = phase_demands[id(payload_phase.robot)]
        rows = PhaseRows(cycle_demands.t, payload_phase.start, payload_phase.end)
        demands = demands_of_phase(cycle_demands, rows)
        acting = external_wrenches(
            payload_phase.robot, phase_mech, demands.motion, cycle_motion.forces, cycle_motion.contact
        )
        cycle = TaskCycle(
            payload_phase.robot, phase_mech, task, demands, rows.select_rows(handed_on), catalogue, acting
        )
        structure = analyse_structure(payload_phase.robot, phase_mech, demands.motion, sections, acting, task.tip, tip)
        drives = {phase.joint or phase.name: phase for phase in cycle.drive_analyses()}
        return _PhaseAnalysis(cycle, drives, structure, train_forces(payload_phase.robot, phase_mech, demands))

    parts = [analyse_phase(payload_phase) for payload_phase in phases]
    demands = join_demands([phase.cycle.demands for phase in parts])
    whole = TaskCycle(
        robot, mech, task, demands, np.concatenate([phase.cycle.output_torques for phase in parts]), catalogue
    )
    drives = {name: _joined_drive([phase.drives[name] for phase in parts], demands, task) for name in parts[0].drives}
    links = {name: _joined_link([phase.structure.links[name] for phase in parts]) for name in sections}
    tip_result = _joined_tip(
        [phase.structure.tip for phase in parts], [len(phase.cycle.demands.motion.t) for phase in parts]
    )

    checks = (
        *drive_checks(drives.values(), robot, catalogue),
        *strength_limits(links),
        *required_limits(task, drives, tip_result, links, whole),
    )
    reactions = np.concatenate([phase.cycle.reactions for phase in parts])
    trains = {name: _joined_tooth_forces([phase.trains[name] for phase in parts]) for name in parts[0].trains}
    return Characteristics(robot, demands, drives, links, reactions, tip_result, checks, trains)


def _robot_demands(
    phases: Sequence[PayloadPhase], cycle_motion: PrescribedMotion
) -> dict[int, tuple[MotionDemands, Array]]:
    """Per robot (phases with the same payload share one) the demands of the whole cycle and the gear output torques.

    Motors have the temperatures that result from all phases together at the start of the last cycle.
    """
    robots = {id(phase.robot): phase.robot for phase in phases}
    cold = {key: cycle_motion.demands_of(robot) for key, robot in robots.items()}
    segments = [
        demands_of_phase(cold[id(phase.robot)], PhaseRows(cold[id(phase.robot)].t, phase.start, phase.end))
        for phase in phases
    ]
    warm = start_temperatures(phases[0].robot, join_demands(segments), cycle_motion.cycles)
    demands = {}
    for key, robot in robots.items():
        cycle_demands = cycle_motion.demands_of(robot, states=warm) if warm else cold[key]
        demands[key] = cycle_demands, cycle_motion.output_torques(robot, tree_of("analyse", robot), cycle_demands)
    return demands


def _joined_drive(parts: Sequence[DriveAnalysis], demands: MotionDemands, task: Task) -> DriveAnalysis:
    """A drive over the whole cycle; its temperatures result from all phases together."""
    first = parts[0]
    series = {
        field: None if getattr(first, field) is None else np.concatenate([getattr(part, field) for part in parts])
        for field in DRIVE_SERIES_FIELDS
    }
    numbers = {
        "inertia_ratio": max((part.inertia_ratio for part in parts if part.inertia_ratio is not None), default=None),
        "frequency": min((part.frequency for part in parts if part.frequency is not None), default=None),
    }
    warm = motor_temperatures(first.name, first.motor, demands, task.cycle_count)
    fields: dict[str, Any] = {**series, **numbers, "temperatures": warm}
    return replace(first, **fields)


def _joined_link(parts: Sequence[LinkAnalysis]) -> LinkAnalysis:
    loads = [part.loads for part in parts]
    fields = ("forces", "moments", "own_forces", "own_moments")
    series: dict[str, Any] = {field: np.concatenate([getattr(part, field) for part in loads]) for field in fields}
    return LinkAnalysis(parts[0].name, replace(loads[0], **series))


def _joined_tip(parts: Sequence[TipDeflection | None], times: Sequence[int]) -> TipDeflection | None:
    deflections = [part for part in parts if part is not None]
    if not deflections:
        return None
    names = dict.fromkeys(name for part in deflections for name in part.parts)
    zeros = [{name: np.zeros((count, 3)) for name in names} for count in times]
    shares = [zero | dict(part.parts if part is not None else {}) for zero, part in zip(zeros, parts, strict=True)]
    return TipDeflection(deflections[0].tip, {name: np.concatenate([part[name] for part in shares]) for name in names})


def _joined_tooth_forces(parts: Sequence[tuple[ToothForce, ...]]) -> tuple[ToothForce, ...]:
    return tuple(
        forces[0]._replace(
            **{
                component: np.concatenate([np.ravel(getattr(force, component)) for force in forces])
                for component in FORCE_COMPONENTS
            }
        )
        for forces in zip(*parts, strict=True)
    )
