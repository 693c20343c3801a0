"""Limits of links and of what a task requires, with advice that is computed from the model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gearwright.analysis.advice.catalogue_advice import ArticleSearch
from gearwright.analysis.advice.section_advice import enlarged, section_advice
from gearwright.analysis.cycle.closed_loop import followed, tip_errors
from gearwright.analysis.cycle.task_cycle import Cycle
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LIFE, STRESS, LimitCheck, drive_limits
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.tip_deflection import Tip, TipDeflection, tip_deflection
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.task import Task
from gearwright.analysis.vibration.lowest_frequency import lowest_frequency
from gearwright.mechanism import machine_of
from gearwright.motion import Trajectory
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Robot

RIGID = 1e4
"""How many times as stiff stands for rigid."""


def link_limits(links: Mapping[str, LinkAnalysis]) -> Iterator[LimitCheck]:
    """The strength of every link's material."""
    for name, link in links.items():
        check = LimitCheck(f"{name}: {STRESS}", link.peak_stress, link.strength, "Pa", source="material of the link")
        yield check if check.kept else replace(check, advice=_stronger(link, check.limit))


def _stronger(link: LinkAnalysis, limit: float) -> str:
    said = section_advice(link, lambda one: one.peak_stress, limit)
    return said or f"No larger section bears it: it takes a material {link.peak_stress / limit:.3g} times as strong."


def required_limits(
    task: Task,
    each: Mapping[str, DriveAnalysis],
    tip: TipDeflection | None,
    links: Mapping[str, LinkAnalysis],
    cycle: Cycle,
) -> Iterator[LimitCheck]:
    """What the task requires of a cycle: its time, the tip, the life of gearboxes, the natural frequency."""
    required, source = task.required, "task"
    if "cycle_time" in required:
        yield _cycle_time(task)
    if "tip_deflection" in required and tip is not None:
        check = LimitCheck("tip deflection", tip.peak, required["tip_deflection"], "m", source=source)
        yield check if check.kept else replace(check, advice=_stiffer(tip, links, cycle, check.limit))
    for drive in each.values():
        if "life" in required and drive.life is not None:
            check = LimitCheck(f"{drive.name}: {LIFE}", drive.life, required["life"], "h", least=True, source=source)
            yield check if check.kept else replace(check, advice=_longer_life(drive, cycle, check))
    frequency = next((drive.frequency for drive in each.values() if drive.frequency is not None), None)
    if "frequency" in required and frequency is not None:
        check = LimitCheck("natural frequency", frequency, required["frequency"], "Hz", least=True, source=source)
        yield check if check.kept else replace(check, advice=_faster_structure(cycle, check))


def _moves(way: Trajectory) -> bool:
    """Whether something moves in a motion: a pause stays as long as it is."""
    return bool(np.ptp(way.at(np.linspace(0.0, way.duration, 33)), axis=0).max(initial=0.0) > 0)


def _cycle_time(task: Task) -> LimitCheck:
    most, takes = task.required["cycle_time"], task.cycle.duration
    check = LimitCheck("cycle time", takes, most, "s", source="task")
    if check.kept:
        return check
    ways = [task.motions] if isinstance(task.motions, Trajectory) else task.motions
    moving = sum(way.duration for way in ways if _moves(way))
    rests = takes - moving
    if most <= rests:
        return replace(check, advice=f"The pauses alone take {rests:.4g} s: shorten them.")
    faster = math.ceil(1000 * moving / (most - rests)) / 1000  # rounded so that it keeps the limit
    return replace(
        check, advice=f"Motions {faster:.4g} times as fast keep it; their dynamic forces grow {faster**2:.3g} times."
    )


def _stiffer(tip: TipDeflection, links: Mapping[str, LinkAnalysis], cycle: Cycle, limit: float) -> str:
    """What would have to be stiffer: the part that gives most and is able to keep the limit alone."""
    shares = tip.shares()
    most = next(iter(shares))
    told = [f"{most} gives most, {1e3 * shares[most]:.3g} of {1e3 * tip.peak:.3g} mm."]
    for name, share in shares.items():
        if share <= 0:
            continue
        said = _stiffer_link(name, tip.tip, links, cycle, limit) if name in links else _stiffer_drive(name, tip, limit)
        if said:
            return " ".join([*told, said])
    return " ".join([*told, f"No part keeps it alone: all together must be {tip.peak / limit:.3g} times as stiff."])


def _stiffer_link(name: str, tip: Tip, links: Mapping[str, LinkAnalysis], cycle: Cycle, limit: float) -> str:
    def peak(link: LinkAnalysis) -> float:
        found = tip_deflection(cycle.mech, cycle.found.motion, tip, {**links, name: link})
        return 0.0 if found is None else found.peak

    # Most that cannot keep it are seen at once, without a search.
    return section_advice(links[name], peak, limit) if peak(enlarged(links[name], 6.0)) <= limit else ""


def _stiffer_drive(name: str, tip: TipDeflection, limit: float) -> str:
    part = tip.parts[name]
    factors = np.geomspace(1.0, RIGID, 400)
    sizes = [np.linalg.norm(tip.total - part * (1 - 1 / factor), axis=1).max() for factor in factors]
    kept = np.flatnonzero(np.array(sizes) <= limit)
    return f"The {name} {factors[kept[0]]:.3g} times as stiff keeps it." if kept.size else ""


def _longer_life(drive: DriveAnalysis, cycle: Cycle, check: LimitCheck) -> str:
    sheet, trials = drive.gearbox_sheet, cycle.trials(drive)
    assert sheet is not None
    less = 1 - (check.value / check.limit) ** (1 / (sheet.life_exponent or 3.0))
    told = f"A mean torque {less:.0%} smaller keeps it."
    if trials is None:
        return told
    limits = {one.what: one for one in drive_limits(drive, None)}
    return f"{told} {ArticleSearch(trials, limits, cycle.catalogue).gearbox_advice('gearbox life', check.limit)}"


def _faster_structure(cycle: Cycle, check: LimitCheck) -> str:
    """Which spring decides: what the frequency would be if each were rigid."""
    mech, q = cycle.mech, cycle.found.motion.q
    found = {}
    for spring in mech.springs:
        stiff = replace(spring, stiffness=RIGID * spring.stiffness)
        changed = replace(mech, springs=tuple(stiff if one is spring else one for one in mech.springs))
        found[spring.name] = lowest_frequency(changed, q) or 0.0
    best = max(found, key=lambda name: found[name])
    together = (check.limit / check.value) ** 2
    return (
        f"All springs {together:.3g} times as stiff keep it; {best} decides most: were it rigid, the lowest would be "
        f"{found[best]:.4g} Hz."
    )


def accuracy_check(
    error: float, known: Robot, real: Robot, task: Task, plan: MotionDemands, how: Perturbation, tip: Tip | None
) -> LimitCheck:
    """The tracking error of the tip against what is required; where it is too large, a stricter loop is tried."""
    check = LimitCheck("tracking accuracy of the tip", error, task.required["accuracy"], "m", source="task")
    if check.kept or how.controller is not None:
        return check
    frequency = how.frequency * 1.1 * math.sqrt(check.value / check.limit)  # model errors fall with its square
    run = followed(known, real, task, plan, replace(how, frequency=frequency), len(plan.t)).run
    errors = tip_errors(machine_of("analyse", real), task, run, tip)
    assert errors is not None
    loops, left = f"{frequency:.3g} instead of {how.frequency:.3g} rad/s", f"{1e3 * errors.max():.3g} mm"
    if errors.max() <= check.limit:
        return replace(check, advice=f"A loop of {loops} keeps it: {left} are left.")
    begins = f" The robot begins {1e3 * errors[0]:.3g} mm off." if errors[0] > check.limit else ""
    return replace(check, advice=f"A loop of {loops} is not enough: {left} are left.{begins} Make the errors smaller.")
