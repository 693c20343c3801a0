"""`analyse`: the demands of a task on every drive and link of a robot, limits with margins, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.cycle.closed_loop import PerturbedAnalysis, follow_closed_loop, joint_errors, tip_errors
from gearwright.analysis.cycle.cycle_motion import CycleMotion, PrescribedMotion
from gearwright.analysis.cycle.motor_periods import MAX_CYCLE_SAMPLES, period_samples, unresolved_remark
from gearwright.analysis.cycle.payload_cycle import characteristics_by_payload
from gearwright.analysis.cycle.position_limits import loop_range_remarks, position_limits
from gearwright.analysis.cycle.task_cycle import TaskCycle
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.energy_flow import FLOW_COLOURS, energy_flows
from gearwright.analysis.drives.limit_checks import LimitCheck, sorted_by_margin
from gearwright.analysis.drives.limit_kinds import LimitKey
from gearwright.analysis.drives.train_forces import train_forces, unknown_mesh_remarks
from gearwright.analysis.drives.unchecked_limits import UncheckedLimit, unchecked_limits
from gearwright.analysis.links.structural_deflection import analyse_structure, external_wrenches, link_beams
from gearwright.analysis.links.tip_deflection import require_tip, tip_point
from gearwright.analysis.requirements import accuracy_check, required_limits, strength_limits
from gearwright.analysis.summary import summary
from gearwright.analysis.task.contact_wrenches import contact_wrenches
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.task import Task
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.catalogue import Catalogue, drives
from gearwright.errors import InputError, SimulationError
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import tree_of
from gearwright.motion import Trajectory
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import LinkSection, Robot, mounting_conflict
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.parts.gears.forces.tooth_forces import missing_tooth_data
from gearwright.plots import NotebookFigure, Panel, margin_figure, panel_figure, sankey_figure, save_if_path
from gearwright.text import listed_names, visible_text


class Verdict(NamedTuple):
    """The verdict of an analysis.

    Args:
        text: the verdict in words.
        grade: "good": every kind of limit was checked and is satisfied; "open": all known limits are satisfied, others
            could not be checked; "bad": a limit is exceeded, or a joint lacks a motor.
    """

    text: str
    grade: Literal["good", "open", "bad"]


def make_verdict(analysis: Analysis) -> Verdict:
    """The verdict of an analysis, for the prescribed motion and the closed loop together."""
    checks = [*analysis.limits, *(() if analysis.perturbed is None else analysis.perturbed.limits)]
    open_kinds = dict.fromkeys(title for entry in analysis.unchecked for title in entry.kind_titles)
    violated = {check.key for check in checks if not check.is_satisfied}
    sentences = [_limits_sentence(checks, violated, bool(open_kinds))]
    if analysis.demands.unactuated:
        sentences.append(f"{listed_names(analysis.demands.unactuated)}: no motor provides the required force.")
    if open_kinds:
        kinds = "1 kind" if len(open_kinds) == 1 else f"{len(open_kinds)} kinds"
        sentences.append(
            f"{kinds} could not be checked for one or more drives: {listed_names(open_kinds)}; see remarks."
        )
    sudden = _sudden_motors(analysis.demands)
    if sudden:
        names = listed_names(sudden)
        sentences.append(f"The motion is not smooth enough for the elastic drives of {names}; see remarks.")
    bad = violated or not analysis.is_feasible
    return Verdict(" ".join(sentences), "bad" if bad else "open" if open_kinds or sudden or not checks else "good")


def _limits_sentence(checks: list[LimitCheck], violated: set[LimitKey], incomplete: bool) -> str:
    count = len({check.key for check in checks})
    if not checks:
        return "No limits are stated; nothing was checked."
    if violated:
        return f"{len(violated)} of {count} limits {'is' if len(violated) == 1 else 'are'} exceeded."
    tightest = sorted_by_margin(checks)[0]
    qualifier = " known" if incomplete else ""
    return (
        f"All {count}{qualifier} limits are satisfied; the tightest is {tightest.name}, margin {tightest.margin:.0%}."
    )


DEFAULT_CYCLE_SAMPLES = 501
"""Default number of samples of a cycle: energies are accurate to four digits."""
CLOSED_CYCLE_TOLERANCE = 1e-6
"""Largest distance between start and end of a periodic cycle [rad, m]."""
SMALLEST_SUDDEN_CHANGE = {"q": 1e-5, "v": 0.01}
"""Smallest jump of a motor's angle and speed, relative to their peaks, that is reported: less has no effect, or
is a numerical error behind a nonlinear spring."""
RATIO_TOLERANCE = 0.01
"""Relative tolerance of ratios: data sheets state rounded values."""


@dataclass(frozen=True)
class Analysis(Characteristics, NotebookFigure):
    """Demands of a task on a robot with prescribed motion and, if stated, in a closed loop with errors.

    Args:
        task: the task; a trajectory is a task of one motion.
        perturbed: the same characteristics in a closed loop with the errors that the task states, if any.
        remarks: effects that are neglected or could not be computed.
        catalogue: source of the data sheets.
        samples: smallest number of samples of the cycle.
        unchecked: kinds of limits that could not be checked for lack of data.
    """

    task: Task
    perturbed: PerturbedAnalysis | None = None
    remarks: tuple[str, ...] = ()
    catalogue: Catalogue | None = None
    samples: int = DEFAULT_CYCLE_SAMPLES
    unchecked: tuple[UncheckedLimit, ...] = ()

    def __repr__(self) -> str:
        return f"<Analysis {visible_text(self.robot.name)}: {self.verdict.text}>"

    def __str__(self) -> str:
        return "\n".join([self.verdict.text, *self.remarks])

    @property
    def is_feasible(self) -> bool:
        """Whether all known limits are satisfied, also in the closed loop, and every loaded joint has a motor.

        `unchecked` lists the kinds of limits without data.
        """
        return super().is_feasible and (self.perturbed is None or self.perturbed.is_feasible)

    @property
    def verdict(self) -> Verdict:
        """The verdict in words: satisfied, exceeded and unchecked limits."""
        return make_verdict(self)

    @property
    def payload_text(self) -> str | None:
        """The payloads of the cycle and their positions in words; None without payload."""
        phases = self.task.payload_phases(self.robot)
        loads = [f"{phase.payload_mass:.4g} kg {phase.robot.payload_place or ''}".strip() for phase in phases]
        if len(loads) > 1:
            return f"Payloads in sequence: {', '.join(loads)}."
        return None if phases[0].robot.payload is None else f"Payload: {loads[0]}."

    def summary(self) -> dict[str, Any]:
        """All scalar results by name, for JSON."""
        return summary(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of torque, speed and power of the motors over one cycle; current, voltage, temperature if known."""
        curves = {
            "motor torque [Nm]": {name: drive.motor_torque for name, drive in self.drives.items()},
            "motor speed [rad/s]": {name: drive.motor_speed for name, drive in self.drives.items()},
            "motor power [W]": {name: drive.power for name, drive in self.drives.items()},
            "current [A]": {name: drive.current for name, drive in self.drives.items() if drive.current is not None},
            "voltage [V]": {name: drive.voltage for name, drive in self.drives.items() if drive.voltage is not None},
            "winding [°C]": {
                name: drive.temperatures.winding - ZERO_CELSIUS
                for name, drive in self.drives.items()
                if drive.temperatures is not None and np.isfinite(drive.temperatures.winding).all()
            },
        }
        panels = [Panel(label, series) for label, series in curves.items() if series]
        return save_if_path(panel_figure(self.t, "time [s]", panels, title=self.task.name), path)

    def tightest_margins(self, most: int) -> dict[str, float]:
        """The smallest finite margins by the names of their limits, tightest first, also in the closed loop."""
        whole_number("margins", "most", most, least=1, example=15)
        checks = [*self.limits, *(() if self.perturbed is None else self.perturbed.limits)]
        margins: dict[str, float] = {}
        for check in sorted_by_margin(checks):
            if np.isfinite(check.margin):
                margins.setdefault(check.name, check.margin)
        return dict(list(margins.items())[:most])

    def plot_margins(self, path: str | Path | None = None, *, most: int = 15) -> Any:
        """Figure of the smallest margins to limits as bars, tightest first.

        Args:
            path: .png, .svg or .pdf file in which the figure is also saved.
            most: largest number of limits in the figure.
        """
        return save_if_path(margin_figure(self.tightest_margins(most)), path)

    @property
    def has_energy_flow(self) -> bool:
        """Whether energy flows through a drive over the cycle, in net terms."""
        return bool(energy_flows(self.drives))

    def plot_energy(self, path: str | Path | None = None) -> Any:
        """Figure (Sankey diagram) of the energy of one cycle: from the supply through the drives to losses and work.

        Args:
            path: .png, .svg or .pdf file in which the figure is also saved.
        """
        flows = energy_flows(self.drives)
        if not flows:
            raise InputError(
                f"plot_energy: no energy flows through the drives of robot {self.robot.name!r} over the cycle: it has "
                "no losses, or no drives. State losses or electrical data of the drives."
            )
        return save_if_path(sankey_figure(flows, "J", FLOW_COLOURS), path)


@check_arguments
def analyse(
    robot: Robot,
    task: Task | Trajectory,
    *,
    sections: Mapping[str, LinkSection] | None = None,
    catalogue: Catalogue | None = None,
    samples: int = DEFAULT_CYCLE_SAMPLES,
) -> Analysis:
    """Analyse the demands of a task on a robot: torques, currents, energy, temperatures, reactions, limits, margins.

    Args:
        robot: the robot, with the friction, losses and motor data of its file.
        task: the task.
        sections: per link (by its name) its cross-sections and material, for stress and deflection.
        catalogue: data sheets that motors and gears name; by default the bundled ones.
        samples: smallest number of samples of the cycle. There are more if cogging, ripple or kinematic errors of a
            drive have shorter periods: 12 in the shortest one (at most 100,000, with a remark).

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
    bodies = _analysed_sections(robot, sections)
    entries = catalogue or drives()
    periods = period_samples(robot, tree_of("analyse", robot), task.cycle)
    samples = max(samples, min(MAX_CYCLE_SAMPLES, max(periods.values()))) if periods else samples
    cycle_motion = PrescribedMotion(task.cycle, tuple(task.forces), task.contact, samples, task.cycle_count)
    perturbation, more = task.perturbed, ()  # type: Perturbation | None, tuple[str, ...]
    if task.has_changing_payload:
        if perturbation is not None:
            task.loaded_robot(robot, "a closed loop (`perturbed`)")
        prescribed = characteristics_by_payload(task.payload_phases(robot), task, cycle_motion, bodies, entries)
        more = tuple(_payload_remarks(task, robot))
    else:
        prescribed = _cycle_characteristics(task.loaded_robot(robot), task, cycle_motion, bodies, entries)
    loaded = prescribed.robot
    prescribed = replace(prescribed, limits=(*prescribed.limits, *position_limits(loaded, prescribed.demands.motion)))
    perturbed, failure = None, ()  # type: PerturbedAnalysis | None, tuple[str, ...]
    if perturbation is not None:
        try:
            perturbed = _analyse_perturbed(loaded, task, perturbation, prescribed, bodies, entries, samples)
        except SimulationError as error:
            failure = (_loop_failure_remark(prescribed, error),)
    unchecked = unchecked_limits(prescribed.drives, prescribed.limits, task.required)
    loop_remarks = (
        () if perturbed is None else (*perturbed.ignored_contact_remarks(), *loop_range_remarks(prescribed, perturbed))
    )
    more += tuple(unresolved_remark(periods, samples))
    remarks = (
        *prescribed.demands.remarks,
        *_analysis_remarks(task, prescribed, unchecked),
        *more,
        *loop_remarks,
        *failure,
    )
    fields = vars(prescribed) | {"catalogue": entries, "samples": samples, "unchecked": unchecked}
    return Analysis(**fields, task=task, perturbed=perturbed, remarks=remarks)


def _analysed_sections(robot: Robot, overrides: Mapping[str, LinkSection] | None) -> dict[str, LinkSection]:
    """Sections of the robot file, replaced by the given ones."""
    for name in overrides or {}:
        robot.link(name)
    return {**robot.sections, **(overrides or {})}


def _cycle_characteristics(
    robot: Robot, task: Task, cycle_motion: CycleMotion, sections: Mapping[str, LinkSection], catalogue: Catalogue
) -> Characteristics:
    mech = tree_of("analyse", robot)
    demands = cycle_motion.drive_demands(robot, mech)
    motion = demands.motion
    wrenches = external_wrenches(robot, mech, motion, cycle_motion.forces, cycle_motion.contact_forces(robot, mech))
    cycle = TaskCycle(
        robot, mech, task, demands, cycle_motion.output_torques(robot, mech, demands), catalogue, wrenches
    )
    analyses = {drive.joint or drive.name: drive for drive in cycle.drive_analyses()}
    links, tip = analyse_structure(robot, mech, motion, sections, wrenches, task.tip)
    checks = (
        *cycle.limit_checks(analyses.values()),
        *strength_limits(links),
        *required_limits(task, analyses, tip, links, cycle),
    )
    return Characteristics(
        robot, demands, analyses, links, cycle.reactions, tip, checks, train_forces(robot, mech, demands)
    )


def _analyse_perturbed(
    nominal: Robot,
    task: Task,
    perturbation: Perturbation,
    plan: Characteristics,
    sections: Mapping[str, LinkSection],
    catalogue: Catalogue,
    samples: int,
) -> PerturbedAnalysis:
    real = perturbation.perturbed_robot(nominal)
    cycle_motion = follow_closed_loop(nominal, real, task, plan.demands, perturbation, samples)
    run, mech = cycle_motion.run, tree_of("analyse", real)
    characteristics = _cycle_characteristics(real, task, cycle_motion, sections, catalogue)
    tip = tip_point(real, mech, task.tip, link_beams(sections))
    error = tip_errors(mech, task, run, tip)
    checks = characteristics.limits
    if error is not None and "accuracy" in task.required:
        checks += (accuracy_check(float(error.max()), nominal, real, task, plan.demands, perturbation, tip),)
    fields = {**vars(characteristics), "limits": checks}
    return PerturbedAnalysis(**fields, run=run, joint_error=joint_errors(task, run), tip_error=error)


def _loop_failure_remark(plain: Characteristics, error: SimulationError) -> str:
    """A remark if the task leaves the range of a joint, at whose stop the simulation ends; otherwise an error."""
    beyond = [check.name for check in plain.limits if check.is_range and not check.is_satisfied]
    if not beyond:
        raise SimulationError(
            f"analyse: the closed loop (`perturbed`) cannot be simulated: {error} Reduce the errors of the task, "
            "in particular those that move a joint to its stop."
        ) from error
    return f"the closed loop was not simulated, because the task itself exceeds {listed_names(beyond)}: {error}"


def _payload_remarks(task: Task, robot: Robot) -> Iterator[str]:
    masses = [f"{phase.payload_mass:.4g}" for phase in task.payload_phases(robot)]
    yield (
        f"the payload changes within the cycle ({', '.join(masses)} kg): forces jump at these times, as if it were "
        "gripped and released instantly. Exceeded limits have no recommendations of ratios, entries or payloads."
    )


def _analysis_remarks(
    task: Task, characteristics: Characteristics, unchecked: Iterable[UncheckedLimit]
) -> Iterator[str]:
    analyses = characteristics.drives
    yield from _sudden_motion_remark(characteristics.demands)
    if not analyses:
        yield (
            f"{characteristics.robot.name} has no drives; no drive limits are checked. Choose drives with "
            "`gearwright size`."
        )
    start, end = task.cycle.at(0.0), task.cycle.at(task.cycle.duration)
    if task.is_periodic and np.abs(end - start).max() > CLOSED_CYCLE_TOLERANCE:
        yield "the cycle does not end where it starts: means and temperatures do not include the return motion."
    yield from map(str, unchecked)
    mech = tree_of("analyse", characteristics.robot)
    _, ignored = contact_wrenches(mech, laws_of(characteristics.robot, mech), task.contact, characteristics.t[:1])
    if ignored:
        yield (
            f"reactions and link loads do not include {listed_names(ignored)}: these forces do not act against the "
            "world."
        )
    drives_by_gap: dict[str, list[str]] = {}
    for name, drive in analyses.items():
        unknown = None if drive.gear is None else missing_tooth_data(drive.gear)
        if unknown is not None:
            drives_by_gap.setdefault(unknown, []).append(name)
    yield from (
        f"tooth forces of {listed_names(names)} are not computed: {gap}." for gap, names in drives_by_gap.items()
    )
    yield from unknown_mesh_remarks(characteristics.robot)
    yield from _ratio_remarks(analyses)
    yield from _mounting_remarks(analyses)
    if "accuracy" in task.required and task.perturbed is None:
        yield "accuracy is required, but the task states no errors: state `perturbed:` to simulate a closed loop."
    if "tip_deflection" in task.required and characteristics.tip is None:
        yield "tip deflection is required, but no link has a section and no drive is elastic: it is not checked."
    if "frequency" in task.required and all(drive.frequency is None for drive in analyses.values()):
        yield "a natural frequency is required, but the robot is rigid: state the `stiffness` of gears to check it."


def _sudden_motors(demands: MotionDemands) -> dict[str, float]:
    """The shafts behind springs whose angle or speed the motion changes suddenly, and the first time of each [s]."""
    first: dict[str, float] = {}
    for jump in sorted(demands.jumps, key=lambda jump: jump.at):
        letter, _, shaft = jump.name.partition(".")
        if letter in SMALLEST_SUDDEN_CHANGE and shaft in demands.speeds:  # not a state of a motor or of a law
            peak = float(np.abs(demands.series[jump.name]).max())
            if abs(jump.size) > SMALLEST_SUDDEN_CHANGE[letter] * peak:
                first.setdefault(shaft, jump.at)
    return first


def _sudden_motion_remark(demands: MotionDemands) -> Iterator[str]:
    """A remark if no motor torque can produce the motion behind springs."""
    sudden = _sudden_motors(demands)
    if sudden:
        yield (
            f"the motion requires sudden changes of {listed_names(sudden)}, the first at {min(sudden.values()):.4g} s: "
            "its acceleration or jerk jumps there, and elastic drives pass this on to their motors. No "
            "torque can produce them; peaks of torque, speed and power at these times are only those of the samples. "
            "State `jerk` and `smoothing` for the motions of the task, or average them by `gw.motion.moving_average`."
        )


def _mounting_remarks(analyses: Mapping[str, DriveAnalysis]) -> Iterator[str]:
    """Remarks on motors that cannot be mounted on their gearboxes according to their data sheets."""
    for name, drive in analyses.items():
        if drive.motor_sheet is not None and drive.gearbox_sheet is not None:
            reason = mounting_conflict(drive.motor_sheet, drive.gearbox_sheet)
            if reason is not None:
                keys = f"{drive.motor_sheet.key} cannot be mounted on {drive.gearbox_sheet.key}"
                yield f"{name}: {keys}: {reason}. Choose another one, or state a common `flange` in both data sheets."


def _ratio_remarks(analyses: Mapping[str, DriveAnalysis]) -> Iterator[str]:
    """Remarks on gears whose ratio differs from that of their data sheet, whose ratings are for another gearbox."""
    for name, drive in analyses.items():
        sheet = drive.gearbox_sheet
        if sheet is None or sheet.ratio is None or drive.gear is None:
            continue
        ratio = abs(float(drive.gear.ratio))
        if abs(ratio - sheet.ratio) > RATIO_TOLERANCE * sheet.ratio:
            yield (
                f"{name}: its gear has the ratio {ratio:.6g}, its data sheet {sheet.key} states {sheet.ratio:.6g}. "
                "Limits and life are taken from the data sheet."
            )
