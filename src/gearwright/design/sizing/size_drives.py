"""Motors and gearboxes from a catalogue, and what else may vary: the best design that keeps every limit of a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gearwright.analysis import Task
from gearwright.analysis.cycle.position_limits import require_inside
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, whole
from gearwright.catalogue import Catalogue, drives
from gearwright.design.candidates.candidates import mounting_remarks
from gearwright.design.candidates.drive_influence import drive_of
from gearwright.design.candidates.objectives import front_pair, known_objective
from gearwright.design.candidates.perturbation_feasibility import impossible_remarks
from gearwright.design.candidates.usable_entries import passed_over
from gearwright.design.robot_preparation.assumed_efficiency import assumed, assuming
from gearwright.design.robot_preparation.missing_drives import with_places_for_motors
from gearwright.design.search.tightest_limit import require_time
from gearwright.design.sizing.ranking import Ranking, Screen
from gearwright.design.sizing.sizing_result import Sizing
from gearwright.design.sizing.verified_design import best_verified
from gearwright.design.variables.design_evaluation import Question
from gearwright.design.variables.design_variables import STRETCH, Design, Range, design_space
from gearwright.design.variables.mixed_search import TRIALS, best_designs
from gearwright.errors import InputError
from gearwright.motion import Trajectory
from gearwright.parts import LinkSection, Robot
from gearwright.text import listed

SAMPLES = 401
"""At how many times the choices are looked at; the winner is analysed at more."""
PACES = Range(0.2, 5.0)
"""How many times as long the motions may take when a short cycle is wanted."""


@check_arguments
def size_drives(
    robot: Robot,
    task: Task | Trajectory,
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
    verify_front: bool = False,
    progress: bool | None = None,
) -> Sizing:
    """The best motors and gearboxes for a task, and the best values of what else may vary.

    Their masses rest on the links that carry them and their rotors push on those, so that every choice changes what the
    other joints must do: all of that is in the forces from which the choices are judged, and the winner is analysed
    again from its parts.

    Args:
        robot: with a drive at every joint in question; mount, axis and place stay, and so does a screw or a drawn gear.
            A robot without any drives gets one at every joint that turns, on its parent.
        task: what it must do; a trajectory is a task of one motion.
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
        verify_front: whether all designs of the front are analysed, and those left out that then miss a limit.
        progress: whether a bar is drawn while sets are analysed; on a terminal unless given.

    Raises:
        InputError: no set keeps every limit; the message says which is the tightest and by how much.
    """
    task = task if isinstance(task, Task) else Task(task)
    robot, placed = with_places_for_motors(robot)
    table = assuming(catalogue or drives(), assumed_efficiency)
    margin = number("size_drives", "margin", margin, least=0.0, below=1.0, example=0.2)
    chosen = _joints(robot, joints, variables)
    require_inside("size_drives", robot, task.cycle.sample(samples))
    known_objective(objective, ())
    pair = front_pair(front, objective)
    for name in pair:
        known_objective(name, ())
    design = Design(robot, task, {**robot.sections, **(sections or {})})
    space = design_space(design, _variables(variables, (objective, *pair)))
    question = Question(space, table, tuple(chosen), objective, 1 - margin, samples, model)
    bases = replace(question, samples=2).drives(design)  # what they are of does not depend on the times
    options = question.options(bases)
    for name in (objective, *pair):
        known_objective(name, options)
    if space.domains:
        task.carried_by(robot, f"size_drives with variables ({listed(space.domains)})")
        trials = whole("size_drives", "trials", trials, least=1, example=TRIALS)
        sets, learning = best_designs(question, pair, trials, seed), None
    else:
        require_time(task, question.share)
        screen = Screen(question, pair, seed, method)
        # An approximation is to be seen as it is, not as analyses by the exact machine correct it.
        sets, learning = screen.best({}), screen if model is None else None
    over = tuple(passed_over(table, question.life)) if chosen else ()
    catalogued = [question.catalogued(one) for one in bases.drives if one.drive.joint in chosen]
    unfit = dict.fromkeys(remark for some in catalogued for remark in mounting_remarks(some, table))
    over = (*over, *unfit, *impossible_remarks(catalogued, robot, task))
    remarks = (*placed, *_train_remarks(robot), *over, *assumed(assumed_efficiency), *sets.remarks)
    return best_verified(question, Ranking(sets, learning), remarks, verify_front, progress)


def _train_remarks(robot: Robot) -> Iterator[str]:
    """On motors that turn several joints through a gear train."""
    motors = {train.name: [motor.name for motor in train.motors] for train in robot.trains if train.motors}
    if motors:
        told = "; ".join(f"{listed(names)} of train {train}" for train, names in motors.items())
        yield (
            f"motors of gear trains are not sized: {told}. They are analysed with the winner, and their limits are "
            "checked; change them in the robot's file."
        )


def _joints(robot: Robot, joints: Sequence[str] | None, variables: Mapping[str, Any] | None) -> list[str]:
    found = [drive.joint for drive in robot.drives] if joints is None else list(joints)
    if not robot.drives or not (found or variables):
        said = f"size_drives: robot {robot.name!r} has no drives to choose. Give it some, with their mounts."
        raise InputError(" ".join([said, *_train_remarks(robot)]))
    for joint in found:
        drive_of(robot, joint)
    return found


def _variables(given: Mapping[str, Any] | None, objectives: Sequence[str]) -> dict[str, Any]:
    """The variables; whoever wants a short cycle lets the pace vary."""
    found = dict(given or {})
    if "cycle_time" in objectives:
        found.setdefault(STRETCH, PACES)
    return found
