"""Motors and gearboxes from a catalogue, and what else may vary: the best design that keeps every limit of a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from gearwright.analysis import Analysis, Task, analyse
from gearwright.analysis.position_limits import require_inside
from gearwright.arguments import number, whole
from gearwright.catalogue import Catalogue, drives
from gearwright.design.able_articles import passed_over, unlimited
from gearwright.design.assumed_efficiency import assumed, assuming
from gearwright.design.bare_robots import with_places_for_motors
from gearwright.design.candidates import Choice
from gearwright.design.choosing import with_choices
from gearwright.design.designs import Question
from gearwright.design.drive_basis import drive_of
from gearwright.design.gains import JointGains, controller_gains
from gearwright.design.mixed_search import BEST, TRIALS, best_designs, refined
from gearwright.design.objectives import Found, front_pair, known_objective
from gearwright.design.rigid_robots import elastic_remarks
from gearwright.design.search import Sets, best_sets
from gearwright.design.sizing_figure import front_figure, sizing_html
from gearwright.design.sizing_summary import summary
from gearwright.design.variables import STRETCH, Design, Range, design_space
from gearwright.design.verification import Miss, Verification, none_verified, without_accuracy
from gearwright.design.ways_out import require_time
from gearwright.errors import InputError
from gearwright.parts import LinkSection, Robot
from gearwright.plots import saved
from gearwright.plots.notebook import Shown
from gearwright.text import listed

SAMPLES = 401
"""At how many times the choices are looked at; the winner is analysed at more."""
TRIED = 50
"""How many of the best sets are analysed before it is said that none keeps every limit."""
SPOILING = 5
"""How many sets may ask too much of drives that were not chosen before the best of them is taken, with a remark."""
REFINED = 3
"""How often a design that misses a limit by its analysis is brought back below it."""
PACES = Range(0.2, 5.0)
"""How many times as long the motions may take when a short cycle is wanted."""


@dataclass(frozen=True)
class Sizing(Shown):
    """The drives that were chosen.

    Args:
        choices: per joint the motor and the gearbox (None where the gear was kept).
        robot: with them, and with the values of the variables.
        analysis: of the task with them, at the full number of samples.
        front: designs of which none is better than another in both objectives of the front, by the first of them.
        looked_at: how many sets were looked at.
        remarks: what was passed over or assumed.
        values: of the variables.
        gains: per joint those of a controller: as stiff as the torque allows that the task leaves.
        found: the design's own numbers, as those of the front.
        pair: the two objectives of the front.
    """

    choices: Mapping[str, Choice]
    robot: Robot
    analysis: Analysis
    front: tuple[Found, ...]
    looked_at: int
    remarks: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    gains: Mapping[str, JointGains] = field(default_factory=dict)
    found: Found | None = None
    pair: tuple[str, str] = ("mass", "energy")

    @property
    def mass(self) -> float:
        """Of all motors and gearboxes chosen [kg]."""
        return sum(choice.mass for choice in self.choices.values())

    def summary(self) -> dict[str, Any]:
        """Everything that is one number or name, as JSON can hold it."""
        return summary(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """The front: the least of one objective that can be had at every value of the other."""
        return saved(front_figure(self), path)

    def _repr_html_(self) -> str:
        return sizing_html(self)

    @property
    def task(self) -> Task:
        """The task, at the pace that was found."""
        return self.analysis.task


def size_drives(
    robot: Robot,
    task: Task,
    catalogue: Catalogue | None = None,
    objective: str = "mass",
    *,
    joints: Sequence[str] | None = None,
    variables: Mapping[str, Any] | None = None,
    sections: Mapping[str, LinkSection] | None = None,
    front: Sequence[str] | None = None,
    margin: float = 0.0,
    assumed_efficiency: float | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    method: str | None = None,
    trials: int = TRIALS,
    model: str | None = None,
) -> Sizing:
    """The best motors and gearboxes for a task, and the best values of what else may vary.

    Their masses rest on the links that carry them and their rotors push on those, so that every choice changes what the
    other joints must do: all of that is in the forces from which the choices are judged, and the winner is analysed
    again from its parts.

    Args:
        robot: with a drive at every joint in question; mount, axis and place stay, and so does a screw or a drawn gear.
            A robot without any drives gets one at every joint that turns, on its parent.
        task: what it must do.
        catalogue: what there is; the bundled articles unless given.
        objective: "mass", "energy" (per cycle), "temperature" (of the warmest winding), "price" or "cycle_time", the
            least of which is wanted.
        joints: whose drives are chosen; all that have one unless given. Empty: none, only the variables are.
        variables: what else may vary: "<drive>.gear.ratio", "<link>.length", "<link>.section.outer" (`wall`, `width`,
            `height`), any other number of the robot, or "task.stretch" -> `Range(low, high)`; "<link>.material" -> a
            list of materials; "<drive>.mounted_on" -> a list whose entries are links or `Mount` objects. A gear whose
            ratio varies stays.
        sections: of links, where the robot does not state them; they are checked, and may vary.
        front: the two objectives of the front; the objective with energy (energy with mass) unless given.
        margin: share of every limit that must be left.
        assumed_efficiency: of gearboxes whose sheets print none; without it they are passed over.
        samples: at how many times of the cycle the choices are looked at.
        seed: of the stochastic search, which is used where there are too many sets to look at, or variables.
        method: "enumerate" or "evolve"; by the number of sets unless given. Variables have a way of their own.
        trials: how many designs are proposed where there are variables.
        model: an approximation ("diagonal", "reflected") by which drives are judged instead of the exact machine, to
            see whether it matters; the winner is analysed exactly all the same.

    Raises:
        InputError: no set keeps every limit; the message says which is the tightest and by how much.
    """
    robot, placed = with_places_for_motors(robot)
    table = assuming(catalogue or drives(), assumed_efficiency)
    margin = number("size_drives", "margin", margin, least=0.0, below=1.0, example=0.2)
    chosen = _joints(robot, joints, variables)
    require_inside("size_drives", robot, task.cycle.sample(samples))
    known_objective(objective, ())
    pair = front_pair(front, objective)
    for name in pair:
        known_objective(name, ())
    space = design_space(Design(robot, task, _sections(robot, sections)), _variables(variables, (objective, *pair)))
    question = Question(space, table, tuple(chosen), objective, 1 - margin, samples, model)
    _require_told(question, pair)
    if space.domains:
        task.carried_by(robot, f"size_drives with variables ({listed(space.domains)})")
        sets = best_designs(question, pair, whole("size_drives", "trials", trials, least=1, example=TRIALS), seed)
    else:
        require_time(task, question.share)
        sets = _drives_only(question, pair, seed, method)
    over = passed_over(table, question.life) if chosen else ()
    remarks = (*placed, *over, *assumed(assumed_efficiency), *sets.remarks)
    return _verified(question, sets, remarks)


def _joints(robot: Robot, joints: Sequence[str] | None, variables: Mapping[str, Any] | None) -> list[str]:
    found = [drive.joint for drive in robot.drives] if joints is None else list(joints)
    if not robot.drives or not (found or variables):
        raise InputError(f"size_drives: robot {robot.name!r} has no drives to choose. Give it some, with their mounts.")
    for joint in found:
        drive_of(robot, joint)
    return found


def _sections(robot: Robot, given: Mapping[str, LinkSection] | None) -> dict[str, LinkSection]:
    stated = {link.name: link.section for link in robot.links if link.section is not None}
    return {**stated, **(given or {})}


def _variables(given: Mapping[str, Any] | None, objectives: Sequence[str]) -> dict[str, Any]:
    """The variables; whoever wants a short cycle lets the pace vary."""
    found = dict(given or {})
    if "cycle_time" in objectives:
        found.setdefault(STRETCH, PACES)
    return found


def _require_told(question: Question, pair: tuple[str, str]) -> None:
    """Refuse objectives of which the catalogue has no numbers."""
    base = question.space.base
    options = question.options(replace(question, samples=2).drives(base))
    for name in (question.objective, *pair):
        known_objective(name, options)


def _drives_only(question: Question, pair: tuple[str, str], seed: int, method: str | None) -> Sets:
    base = question.space.base
    space = question.drives(base)
    return best_sets(
        space, question.options(space), question.objective, question.share, pair=pair, seed=seed, method=method
    )


def _verified(question: Question, sets: Sets, remarks: tuple[str, ...]) -> Sizing:
    """The best design whose own analysis keeps every limit; the screening takes temperatures in the mean."""
    judge = Verification(question)
    failed: list[dict[str, Miss]] = []
    spoiling: list[Sizing] = []
    for rank, one in enumerate(sets.found[:TRIED]):
        found = one
        for _ in range(1 + REFINED * (rank < BEST and bool(question.space.continuous))):
            sized = _analysed(question, found, sets, remarks)
            missed = judge.missed(sized.analysis)
            if not missed:
                return _winner(question, sized, (*judge.remarks(sized.analysis), *_passed(rank, failed)))
            judge.refuse_hopeless(sized.analysis)
            if not question.space.continuous:
                break
            excess = max(miss.share for miss in missed.values()) / question.share
            again = refined(question, found, excess) if isfinite(excess) else None
            if again is None:
                break
            found = again
        failed.append(missed)
        spoiling += [sized] if judge.only_of_others(missed) else []
        if len(spoiling) == SPOILING:
            break
    if not spoiling:
        raise none_verified(question, failed)
    return _winner(question, spoiling[0], tuple(judge.remarks(spoiling[0].analysis)))


def _winner(question: Question, sized: Sizing, remarks: tuple[str, ...]) -> Sizing:
    """The design that is handed back, with what is to be said about it."""
    said = (*sized.remarks, *_of_choices(question, sized), *remarks)
    return replace(_with_accuracy(question, sized), remarks=said)


def _with_accuracy(question: Question, sized: Sizing) -> Sizing:
    """The winner, analysed with all that the task requires."""
    required = question.space.base.task.required
    if "accuracy" not in required or sized.task.perturbed is None:
        return sized
    task = replace(sized.task, required=required)
    sections = question.space.design(sized.values).sections
    return replace(sized, analysis=analyse(sized.robot, task, sections=sections, catalogue=question.table))


def _of_choices(question: Question, sized: Sizing) -> Iterable[str]:
    """What the sheets of the winner do not limit, and how stiff its gears were taken to be."""
    chosen = {joint: one for joint, one in sized.choices.items() if not one.kept}
    for joint, one in chosen.items():
        yield from unlimited(joint, one.motor, one.gearbox)
    boxes = [(joint, one.gearbox.stiffness) for joint, one in chosen.items() if one.gearbox is not None]
    yield from elastic_remarks(question.space.base.robot, boxes)


def _passed(rank: int, failed: list[dict[str, Miss]]) -> Iterable[str]:
    if rank:
        yield (
            f"{rank} better sets kept every limit in the screening, but not when analysed: they miss "
            f"{listed(dict.fromkeys(name for one in failed for name in one))}."
        )


def _analysed(question: Question, found: Found, sets: Sets, remarks: tuple[str, ...]) -> Sizing:
    values = dict(found.values)
    choices = dict(zip(question.joints, found.choices, strict=True))
    design = question.space.design(values)
    sized = with_choices(design.robot, choices)
    task = without_accuracy(design.task) if design.task.perturbed else design.task
    analysis = analyse(sized, task, sections=design.sections, catalogue=question.table)
    return Sizing(
        choices,
        sized,
        analysis,
        sets.front,
        sets.looked_at,
        remarks,
        values,
        controller_gains(analysis),
        found,
        sets.pair,
    )
