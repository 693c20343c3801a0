"""`analyse`: the demands of a task on every drive and link of a robot, limits with margins, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.cycle.closed_loop import PerturbedAnalysis, followed, joint_errors, tip_errors
from gearwright.analysis.cycle.cycle_motion import Course, Prescribed
from gearwright.analysis.cycle.motor_periods import MOST, period_samples, unresolved_remark
from gearwright.analysis.cycle.payload_cycle import characteristics_by_payload
from gearwright.analysis.cycle.position_limits import beyond_in_the_loop, position_limits
from gearwright.analysis.cycle.task_cycle import Cycle
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck, by_tightness
from gearwright.analysis.drives.train_forces import train_forces, unknown_meshes
from gearwright.analysis.drives.unchecked_limits import Unchecked, unchecked_limits
from gearwright.analysis.links.structural_deflection import acting_on, beams_of, structure_of
from gearwright.analysis.links.tip_deflection import require_tip, tip_of
from gearwright.analysis.requirements import accuracy_check, link_limits, required_limits
from gearwright.analysis.summary import summary
from gearwright.analysis.task.contact_wrenches import contact_wrenches
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.task import Task
from gearwright.argument_kinds import check_arguments
from gearwright.catalogue import Catalogue, drives
from gearwright.errors import SimulationError
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import machine_of
from gearwright.motion import Trajectory
from gearwright.parts import LinkSection, Robot, mounting_conflict
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.parts.gears.forces.tooth_forces import unknown_teeth_of
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.text import listed, visible


class Verdict(NamedTuple):
    """What an analysis comes to.

    Args:
        text: in a sentence.
        grade: "good": every kind of limit was checked and kept; "open": what is known is kept, the rest is not known;
            "bad": something is not kept, or cannot be moved.
    """

    text: str
    grade: Literal["good", "open", "bad"]


def verdict_on(analysis: Analysis) -> Verdict:
    """What an analysis comes to, of the prescribed motion and of the closed loop together."""
    checks = [*analysis.limits, *(() if analysis.perturbed is None else analysis.perturbed.limits)]
    open_kinds = dict.fromkeys(title for one in analysis.unchecked for title in one.titles)
    broken = {check.name for check in checks if not check.kept}
    sentences = [_of_limits(checks, broken, bool(open_kinds))]
    if analysis.demands.unactuated:
        sentences.append(f"No motor gives the force that {listed(analysis.demands.unactuated)} needs.")
    if open_kinds:
        kinds = "1 kind" if len(open_kinds) == 1 else f"{len(open_kinds)} kinds"
        sentences.append(f"{kinds} could not be checked at one drive or more: {listed(open_kinds)}; remarks say why.")
    bad = broken or not analysis.possible
    return Verdict(" ".join(sentences), "bad" if bad else "open" if open_kinds or not checks else "good")


def _of_limits(checks: list[LimitCheck], broken: set[str], partly: bool) -> str:
    count = len({check.name for check in checks})
    if not checks:
        return "No limits are stated: there is nothing to check."
    if broken:
        return f"{len(broken)} of {count} limits are not kept."
    tightest = by_tightness(checks)[0]
    known = " that are known" if partly else ""
    return f"All {count} limits{known} are kept; the tightest is {tightest.name}, {tightest.margin:.0%} left."


SAMPLES = 501
"""At how many times a cycle is looked at unless somebody says: energies come out to four digits."""
CLOSED = 1e-6
"""How far from its start a cycle may end [rad, m] and still repeat itself."""
OTHER_RATIO = 0.01
"""Relative: sheets print ratios rounded; a gear that differs by more is another one."""


@dataclass(frozen=True)
class Analysis(Characteristics, Shown):
    """What a task asks of a robot whose motion is prescribed, and what it comes to when things go wrong.

    Args:
        task: the task; a trajectory is a task of one motion.
        perturbed: the same characteristics in a closed loop with the errors that the task states, if it states any.
        remarks: what was left out or could not be told.
        catalogue: where data sheets were looked for.
        samples: at how many times at least the cycle was looked at.
        unchecked: kinds of limits of which neither robot nor data sheets say enough to check them.
    """

    task: Task
    perturbed: PerturbedAnalysis | None = None
    remarks: tuple[str, ...] = ()
    catalogue: Catalogue | None = None
    samples: int = SAMPLES
    unchecked: tuple[Unchecked, ...] = ()

    def __repr__(self) -> str:
        return f"<Analysis {visible(self.robot.name)}: {self.verdict.text}>"

    def __str__(self) -> str:
        return "\n".join([self.verdict.text, *self.remarks])

    @property
    def possible(self) -> bool:
        """Whether every limit that is known is kept, in both, and the motors can make the motion.

        `unchecked` lists the kinds of limits of which nothing is known.
        """
        return super().possible and (self.perturbed is None or self.perturbed.possible)

    @property
    def verdict(self) -> Verdict:
        """What it comes to in a sentence: what is kept, what is not, and what could not be checked."""
        return verdict_on(self)

    def summary(self) -> dict[str, Any]:
        """Everything that is one number, by names, as JSON can hold it."""
        return summary(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """Torque, speed, power of the motors over one cycle; current, voltage and temperature where they are known."""
        curves = {
            "motor torque [Nm]": {name: one.motor_torque for name, one in self.drives.items()},
            "motor speed [rad/s]": {name: one.motor_speed for name, one in self.drives.items()},
            "motor power [W]": {name: one.power for name, one in self.drives.items()},
            "current [A]": {name: one.current for name, one in self.drives.items() if one.current is not None},
            "voltage [V]": {name: one.voltage for name, one in self.drives.items() if one.voltage is not None},
            "winding [°C]": {
                name: one.temperatures.winding - ZERO_CELSIUS
                for name, one in self.drives.items()
                if one.temperatures is not None and np.isfinite(one.temperatures.winding).all()
            },
        }
        panels = [Panel(label, some) for label, some in curves.items() if some]
        return saved(figure(self.t, "time [s]", panels, title=self.task.name), path)


@check_arguments
def analyse(
    robot: Robot,
    task: Task | Trajectory,
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
        samples: at how many times at least the cycle is looked at; more where cogging, ripple or kinematic errors of
            a drive have shorter periods, 12 in the shortest one (at most 100,000, else a remark).

    >>> import gearwright as gw
    >>> from gearwright.motion import s_curve
    >>> robot = gw.load("scara")
    >>> way = s_curve([0, 0, -0.1, 0], [1, 0.5, -0.1, 1], speed=2.0, acceleration=10.0, jerk=200.0)
    >>> back = s_curve([1, 0.5, -0.1, 1], [0, 0, -0.1, 0], speed=2.0, acceleration=10.0, jerk=200.0)
    >>> found = analyse(robot, Task([way, back], pause=0.2))
    >>> round(found.drives["shoulder"].rms_torque / found.drives["shoulder"].rms_motor_torque)   # ratio 80
    80
    """
    task = task if isinstance(task, Task) else Task(task)
    require_tip(robot, task)
    bodies = _sections(robot, sections)
    table = catalogue or drives()
    periods = period_samples(robot, machine_of("analyse", robot), task.cycle)
    samples = max(samples, min(MOST, max(periods.values()))) if periods else samples
    course = Prescribed(task.cycle, tuple(task.forces), task.contact, samples, task.cycles)
    how, more = task.perturbed, ()  # type: Perturbation | None, tuple[str, ...]
    if task.changes_payload:
        if how is not None:
            task.carried_by(robot, "a closed loop (`perturbed`)")
        plain = characteristics_by_payload(task.stretches(robot), task, course, bodies, table)
        more = tuple(_payload_remarks(task, robot))
    else:
        plain = _characteristics(task.carried_by(robot), task, course, bodies, table)
    loaded = plain.robot
    plain = replace(plain, limits=(*plain.limits, *position_limits(loaded, plain.demands.motion)))
    perturbed, untold = None, ()  # type: PerturbedAnalysis | None, tuple[str, ...]
    if how is not None:
        try:
            perturbed = _perturbed(loaded, task, how, plain, bodies, table, samples)
        except SimulationError as error:
            untold = (_not_followed(plain, error),)
    unchecked = unchecked_limits(plain.drives, plain.limits, "life" in task.required)
    aside = () if perturbed is None else (*perturbed.left_out(), *beyond_in_the_loop(plain, perturbed))
    more += tuple(unresolved_remark(periods, samples))
    remarks = (*plain.demands.remarks, *_remarks(task, plain, unchecked), *more, *aside, *untold)
    words = vars(plain) | {"catalogue": table, "samples": samples, "unchecked": unchecked}
    return Analysis(**words, task=task, perturbed=perturbed, remarks=remarks)


def _sections(robot: Robot, given: Mapping[str, LinkSection] | None) -> dict[str, LinkSection]:
    """Those of the robot's file, or given instead."""
    for name in given or {}:
        robot.link(name)
    return {**robot.sections, **(given or {})}


def _characteristics(
    robot: Robot, task: Task, course: Course, sections: Mapping[str, LinkSection], table: Catalogue
) -> Characteristics:
    mech = machine_of("analyse", robot)
    found = course.drives(robot, mech)
    motion = found.motion
    acting = acting_on(robot, mech, motion, course.forces, course.contact(robot, mech))
    cycle = Cycle(robot, mech, task, found, course.handed_on(robot, mech, found), table, acting)
    each = {one.joint or one.name: one for one in cycle.drives()}
    links, given = structure_of(robot, mech, motion, sections, acting, task.tip)
    checks = (*cycle.checked(each.values()), *link_limits(links), *required_limits(task, each, given, links, cycle))
    return Characteristics(robot, found, each, links, cycle.reactions, given, checks, train_forces(robot, mech, found))


def _perturbed(
    known: Robot,
    task: Task,
    how: Perturbation,
    plan: Characteristics,
    sections: Mapping[str, LinkSection],
    table: Catalogue,
    samples: int,
) -> PerturbedAnalysis:
    real = how.applied(known)
    course = followed(known, real, task, plan.demands, how, samples)
    run, mech = course.run, machine_of("analyse", real)
    found = _characteristics(real, task, course, sections, table)
    tip = tip_of(real, mech, task.tip, beams_of(sections))
    error = tip_errors(mech, task, run, tip)
    checks = found.limits
    if error is not None and "accuracy" in task.required:
        checks += (accuracy_check(float(error.max()), known, real, task, plan.demands, how, tip),)
    words = {**vars(found), "limits": checks}
    return PerturbedAnalysis(**words, run=run, joint_error=joint_errors(task, run), tip_error=error)


def _not_followed(plain: Characteristics, error: SimulationError) -> str:
    """A remark where the task leaves the range of a joint, at whose stop the loop ends; else that is an error."""
    beyond = [check.name for check in plain.limits if check.is_range and not check.kept]
    if not beyond:
        raise SimulationError(
            f"analyse: the closed loop (`perturbed`) cannot be followed: {error} Make the errors of the task smaller, "
            "above all those that take a joint to its stop."
        ) from error
    return f"the closed loop was not followed, since the task itself does not keep {listed(beyond)}: {error}"


def _payload_remarks(task: Task, robot: Robot) -> Iterator[str]:
    masses = [f"{stretch.mass:.4g}" for stretch in task.stretches(robot)]
    yield (
        f"what the robot carries changes along the cycle ({', '.join(masses)} kg): forces jump there, as if it were "
        "taken and left at once, and limits that are not kept get no advice on ratios, articles and payloads."
    )


def _remarks(task: Task, found: Characteristics, unchecked: Iterable[Unchecked]) -> Iterator[str]:
    each = found.drives
    if not each:
        yield f"{found.robot.name} has no drives, so that there is nothing to check. Choose some: `gearwright size`."
    start, end = task.cycle.at(0.0), task.cycle.at(task.cycle.duration)
    if task.is_periodic and np.abs(end - start).max() > CLOSED:
        yield "the cycle does not end where it starts: how the robot returns is left out of means and temperatures."
    yield from map(str, unchecked)
    mech = machine_of("analyse", found.robot)
    _, aside = contact_wrenches(mech, laws_of(found.robot, mech), task.contact, found.t[:1])
    if aside:
        yield f"the forces of {listed(aside)} are left out of reactions and links: they do not act against the world."
    lacking: dict[str, list[str]] = {}
    for name, one in each.items():
        unknown = None if one.gear is None else unknown_teeth_of(one.gear)
        if unknown is not None:
            lacking.setdefault(unknown, []).append(name)
    yield from (f"forces between the teeth of {listed(names)} are not told: {what}." for what, names in lacking.items())
    yield from unknown_meshes(found.robot)
    yield from _other_ratios(each)
    yield from _unmountable(each)
    if "accuracy" in task.required and task.perturbed is None:
        yield "accuracy is required, but nothing goes wrong in this task: state `perturbed:` to see what a loop does."
    if "tip_deflection" in task.required and found.tip is None:
        yield "tip deflection is required, but no link has a section and no drive is elastic: nothing gives."
    if "frequency" in task.required and all(one.frequency is None for one in each.values()):
        yield "a natural frequency is required, but nothing is elastic: state the `stiffness` of gears to see it."


def _unmountable(each: Mapping[str, DriveAnalysis]) -> Iterator[str]:
    """Motors that cannot be bolted to their gearboxes, by what their data sheets state."""
    for name, one in each.items():
        if one.motor_sheet is not None and one.gearbox_sheet is not None:
            reason = mounting_conflict(one.motor_sheet, one.gearbox_sheet)
            if reason is not None:
                keys = f"{one.motor_sheet.key} cannot be mounted on {one.gearbox_sheet.key}"
                yield f"{name}: {keys}: {reason}. Choose another, or name the flange in the column `flange` of both."


def _other_ratios(each: Mapping[str, DriveAnalysis]) -> Iterator[str]:
    """Gears whose ratio is not that of the data sheet they name: its ratings hold for another gearbox."""
    for name, one in each.items():
        sheet = one.gearbox_sheet
        if sheet is None or sheet.ratio is None or one.gear is None:
            continue
        ratio = abs(float(one.gear.ratio))
        if abs(ratio - sheet.ratio) > OTHER_RATIO * sheet.ratio:
            yield (
                f"{name}: its gear has the ratio {ratio:.6g}, its data sheet {sheet.key} prints {sheet.ratio:.6g}. "
                "Limits and life are those of the sheet all the same."
            )
