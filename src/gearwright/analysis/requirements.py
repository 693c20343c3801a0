"""Limits of links and requirements of a task, with recommendations computed from the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from gearwright.analysis.advice.catalogue_advice import CatalogueSearch
from gearwright.analysis.advice.section_advice import section_advice, with_scaled_sections
from gearwright.analysis.cycle.closed_loop import follow_closed_loop, tip_errors
from gearwright.analysis.cycle.task_cycle import TaskCycle
from gearwright.analysis.drives.advice_value import Advice, LazyAdvice
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck, drive_limits, required_check
from gearwright.analysis.drives.limit_kinds import (
    CYCLE_TIME,
    GEARBOX_LIFE,
    NATURAL_FREQUENCY,
    STRESS,
    TIP_DEFLECTION,
    TRACKING_ACCURACY,
)
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.tip_deflection import TipDeflection, TipPoint, tip_deflection
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.task import Task
from gearwright.analysis.vibration.lowest_frequency import lowest_frequency
from gearwright.mechanism import tree_of
from gearwright.motion import Trajectory
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Robot

RIGID_STIFFNESS_FACTOR = 1e4
"""Factor on a stiffness that represents a rigid spring."""


def strength_limits(links: Mapping[str, LinkAnalysis]) -> Iterator[LimitCheck]:
    """The strength of every link's material."""
    for name, link in links.items():
        check = LimitCheck(STRESS, name, STRESS.value(link), link.strength, STRESS.unit, source=STRESS.part_source)
        yield from _with_advice(check, partial(_strength_advice, link))


def _strength_advice(link: LinkAnalysis, check: LimitCheck) -> tuple[Advice, ...]:
    larger = section_advice(link, STRESS.value, check.limit)
    return larger or (Advice("stronger material", factor=float(link.peak_stress / check.limit)),)


def required_limits(
    task: Task,
    drives: Mapping[str, DriveAnalysis],
    tip: TipDeflection | None,
    links: Mapping[str, LinkAnalysis],
    cycle: TaskCycle,
) -> Iterator[LimitCheck]:
    """Requirements of the task: cycle time, tip, life of gearboxes, natural frequency."""
    cycle_check = required_check(CYCLE_TIME, task.required, CYCLE_TIME.value(task))
    yield from _with_advice(cycle_check, lambda check: _faster_motion_advice(task, check))
    deflection = None if tip is None else tip.peak_deflection
    tip_check = required_check(TIP_DEFLECTION, task.required, deflection)
    yield from _with_advice(tip_check, lambda check: _stiffness_advice(tip, links, cycle, check.limit))
    for drive in drives.values():
        life_check = required_check(GEARBOX_LIFE, task.required, drive.life, drive.name)
        yield from _with_advice(life_check, partial(_life_advice, drive, cycle))
    frequency = next((drive.frequency for drive in drives.values() if drive.frequency is not None), None)
    frequency_check = required_check(NATURAL_FREQUENCY, task.required, frequency)
    yield from _with_advice(frequency_check, partial(_frequency_advice, cycle))


def _with_advice(check: LimitCheck | None, advise: Callable[[LimitCheck], tuple[Advice, ...]]) -> Iterator[LimitCheck]:
    """A check, with recommendations if it is exceeded; none without a check."""
    if check is not None:
        yield check if check.is_satisfied else replace(check, advice=LazyAdvice(lambda: advise(check)))


def _is_moving(trajectory: Trajectory) -> bool:
    """Whether a motion moves; pauses keep their duration."""
    return bool(np.ptp(trajectory.at(np.linspace(0.0, trajectory.duration, 33)), axis=0).max(initial=0.0) > 0)


def _faster_motion_advice(task: Task, check: LimitCheck) -> tuple[Advice, ...]:
    trajectories = [task.motions] if isinstance(task.motions, Trajectory) else task.motions
    moving = sum(trajectory.duration for trajectory in trajectories if _is_moving(trajectory))
    rests = check.value - moving
    if check.limit <= rests:
        return (Advice("shorter pauses", value=rests),)
    faster = math.ceil(1000 * moving / (check.limit - rests)) / 1000  # rounded up, to satisfy the limit
    return (Advice("faster motions", factor=faster),)


def _stiffness_advice(
    tip: TipDeflection | None, links: Mapping[str, LinkAnalysis], cycle: TaskCycle, limit: float
) -> tuple[Advice, ...]:
    """Recommendation: the part with the largest contribution whose stiffening alone satisfies the limit."""
    assert tip is not None
    shares = tip.peak_contributions()
    largest = next(iter(shares))
    contribution = Advice(
        "largest contribution", part=largest, value=float(shares[largest]), present=float(tip.peak_deflection)
    )
    for name, share in shares.items():
        if share <= 0:
            continue
        stiffer = (
            _stiffer_link_advice(name, tip.tip, links, cycle, limit)
            if name in links
            else _stiffer_drive_advice(name, tip, limit)
        )
        if stiffer:
            return (contribution, *stiffer)
    return (contribution, Advice("stiffer parts", factor=float(tip.peak_deflection / limit)))


def _stiffer_link_advice(
    name: str, tip: TipPoint, links: Mapping[str, LinkAnalysis], cycle: TaskCycle, limit: float
) -> tuple[Advice, ...]:
    def peak_with_link(link: LinkAnalysis) -> float:
        deflection = tip_deflection(cycle.mech, cycle.demands.motion, tip, {**links, name: link})
        return 0.0 if deflection is None else deflection.peak_deflection

    # A quick test excludes most insufficient links without a search.
    return (
        section_advice(links[name], peak_with_link, limit)
        if peak_with_link(with_scaled_sections(links[name], 6.0)) <= limit
        else ()
    )


def _stiffer_drive_advice(name: str, tip: TipDeflection, limit: float) -> tuple[Advice, ...]:
    part = tip.parts[name]
    factors = np.geomspace(1.0, RIGID_STIFFNESS_FACTOR, 400)
    sizes = [np.linalg.norm(tip.total_deflection - part * (1 - 1 / factor), axis=1).max() for factor in factors]
    feasible = np.flatnonzero(np.array(sizes) <= limit)
    return (Advice("stiffer part", part=name, factor=float(factors[feasible[0]])),) if feasible.size else ()


def _life_advice(drive: DriveAnalysis, cycle: TaskCycle, check: LimitCheck) -> tuple[Advice, ...]:
    sheet, trials = drive.gearbox_sheet, cycle.drive_trials(drive)
    assert sheet is not None
    less = 1 - (check.value / check.limit) ** (1 / (sheet.life_exponent or 3.0))
    smaller_torque = Advice("smaller mean torque", share=float(less))
    if trials is None:
        return (smaller_torque,)
    limits = {limit_check.kind: limit_check for limit_check in drive_limits(drive, None)}
    search = CatalogueSearch(trials, limits, cycle.catalogue)
    return (smaller_torque, search.entry_advice(check.kind, check.limit))


def _frequency_advice(cycle: TaskCycle, check: LimitCheck) -> tuple[Advice, ...]:
    """Recommendation: the spring whose stiffening raises the lowest natural frequency most."""
    mech, q = cycle.mech, cycle.demands.motion.q
    frequencies = {}
    for spring in mech.springs:
        stiff = replace(spring, stiffness=RIGID_STIFFNESS_FACTOR * spring.stiffness)
        changed = replace(
            mech, springs=tuple(stiff if other_spring is spring else other_spring for other_spring in mech.springs)
        )
        frequencies[spring.name] = lowest_frequency(changed, q) or 0.0
    best = max(frequencies, key=lambda name: frequencies[name])
    together = (check.limit / check.value) ** 2
    return (
        Advice("stiffer springs", factor=together),
        Advice("rigid spring", part=best, result=float(frequencies[best])),
    )


def accuracy_check(
    error: float,
    nominal: Robot,
    real: Robot,
    task: Task,
    plan: MotionDemands,
    perturbation: Perturbation,
    tip: TipPoint | None,
) -> LimitCheck:
    """The tracking error of the tip against its requirement; if it is too large, a faster loop is tried."""
    check = required_check(TRACKING_ACCURACY, task.required, error)
    assert check is not None
    if check.is_satisfied or perturbation.controller is not None:
        return check
    frequency = perturbation.frequency * 1.1 * math.sqrt(check.value / check.limit)  # model errors fall with its square
    run = follow_closed_loop(nominal, real, task, plan, replace(perturbation, frequency=frequency), len(plan.t)).run
    errors = tip_errors(tree_of("analyse", real), task, run, tip)
    assert errors is not None
    largest_error, start_error = float(errors.max()), float(errors[0])
    loop = Advice("faster loop", value=frequency, present=perturbation.frequency, result=largest_error)
    if largest_error <= check.limit:
        return replace(check, advice=(loop,))
    start = (Advice("start error", value=start_error),) if start_error > check.limit else ()
    return replace(check, advice=(replace(loop, kind="no faster loop"), *start, Advice("smaller errors")))
