"""Choice of motors and gearboxes from a catalogue, and of other variables: the best design within all limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gearwright.analysis import Task
from gearwright.analysis.cycle.position_limits import require_joint_ranges
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.catalogue import Catalogue, drives
from gearwright.design.candidates.candidates import mounting_remarks
from gearwright.design.candidates.objectives import front_objectives, require_objective
from gearwright.design.candidates.perturbation_feasibility import unbuildable_remarks
from gearwright.design.candidates.usable_entries import skipped_entries
from gearwright.design.robot_preparation.assumed_efficiency import efficiency_remark, with_assumed_efficiency
from gearwright.design.robot_preparation.missing_drives import with_drive_at_every_joint
from gearwright.design.robot_preparation.sized_drives import sized_drive, sized_drives
from gearwright.design.search.tightest_limit import require_cycle_time
from gearwright.design.sizing.ranking import DesignRanking
from gearwright.design.sizing.search_options import SearchOptions
from gearwright.design.sizing.sizing_result import Sizing
from gearwright.design.sizing.verified_design import best_verified_design
from gearwright.design.variables.design_evaluation import SizingProblem
from gearwright.design.variables.design_variables import TIME_SCALE_VARIABLE, Design, Range, design_space
from gearwright.design.variables.mixed_search import best_designs
from gearwright.errors import InputError
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.text import listed_names

DEFAULT_SEARCH = SearchOptions()
DEFAULT_TIME_SCALE_RANGE = Range(0.2, 5.0)
"""Range of the factor on the duration of the motions for the objective cycle_time."""


@check_arguments
def size_drives(
    robot: Robot,
    task: Task | Trajectory,
    catalogue: Catalogue | None = None,
    objective: str = "mass",
    *,
    joints: Sequence[str] | None = None,
    variables: Mapping[str, Any] | None = None,
    margin: float = 0.0,
    search: SearchOptions = DEFAULT_SEARCH,
) -> Sizing:
    """Choose the best motors and gearboxes for a task, and the best values of other variables.

    Motors add mass to the links that carry them, and their rotors exert reactions on these links: every choice changes
    the load of the other joints. The screening includes this exactly, and the selected design is analysed again from
    its parts.

    Args:
        robot: with a drive at every joint to be sized; mount, axis and position stay, and so does a screw or a gear
            that is defined by its teeth. A robot without drives gets one at every revolute joint, on the parent link.
            Motors of gear trains, which turn several joints, are chosen too; their wheels stay.
        task: the task; a trajectory is a task of one motion.
        catalogue: motors and gearboxes; by default the bundled ones.
        objective: "mass", "energy" (per cycle), "temperature" (of the hottest winding), "price" or "cycle_time",
            which is minimised.
        joints: whose drives are chosen, and motors of trains by name; by default all. Empty: only the variables are
            chosen.
        variables: other design variables: "<drive>.gear.ratio", "<link>.length", "<link>.section.outer" (`wall`,
            `width`, `height`), any other parameter of the robot, or "task.time_scale" -> `Range(low, high)`;
            "<link>.material" -> a list of materials; "<drive>.mounted_on" -> a list whose entries are links or `Mount`
            objects; "<train>.meshes.0.teeth" -> a list of pairs of numbers of teeth; any number of the robot -> a list
            of numbers. A gear with a variable ratio stays.
        margin: required margin to every limit, as a fraction of the limit.
        search: samples and model of the screening, seed and method of the search, number of designs to try, objectives
            of the Pareto front, and the efficiency assumed for gearboxes whose data sheets state none.

    Raises:
        InputError: no set satisfies every limit; the message names the tightest limit and its utilisation.
    """
    task = task if isinstance(task, Task) else Task(task)
    robot, drive_remarks = with_drive_at_every_joint(robot)
    entries = with_assumed_efficiency(catalogue or drives(), search.assumed_efficiency)
    margin = real_number("size_drives", "margin", margin, least=0.0, below=1.0, example=0.2)
    selected = _sized_joints(robot, joints, variables)
    require_joint_ranges("size_drives", robot, task.cycle.sample(search.samples))
    require_objective(objective, ())
    pair = front_objectives(search.front, objective)
    for name in pair:
        require_objective(name, ())
    design = Design(robot, task, robot.sections)
    space = design_space(design, _with_default_variables(variables, (objective, *pair)))
    problem = SizingProblem(
        space,
        entries,
        tuple(selected),
        objective,
        1 - margin,
        search.samples,
        search.model,
        pair,
        search.seed,
        search.method,
        search.trials,
    )
    bases = replace(problem, samples=2).drive_space_of(design)  # which drives they are does not depend on the samples
    options = problem.candidate_options(bases)
    for name in (objective, *pair):
        require_objective(name, options)
    if space.domains:
        task.loaded_robot(robot, f"size_drives with variables ({listed_names(space.domains)})")
        sets, corrected = best_designs(problem), None
    else:
        require_cycle_time(task, problem.share)
        # An approximation is not corrected by exact analyses, so that its effect is visible.
        sets, corrected = problem.best_sets_under({}), problem if search.model is None else None
    skipped = tuple(skipped_entries(entries, problem.required_life)) if selected else ()
    catalogued = [problem.joint_candidates(basis) for basis in bases.drives if basis.drive.joint in selected]
    unfit = dict.fromkeys(remark for pairs in catalogued for remark in mounting_remarks(pairs, entries))
    skipped = (*skipped, *unfit, *unbuildable_remarks(catalogued, robot, task))
    remarks = (
        *drive_remarks,
        *_train_loss_remarks(robot, selected),
        *skipped,
        *efficiency_remark(search.assumed_efficiency),
        *sets.remarks,
    )
    return best_verified_design(problem, DesignRanking(sets, corrected), remarks, search.verify_front, search.progress)


def _train_loss_remarks(robot: Robot, selected: Sequence[str]) -> Iterator[str]:
    """A remark on losses of meshes, which the screening of motors of trains leaves out."""
    lossy = [
        train.name
        for train in robot.trains
        if any(motor.name in selected for motor in train.motors) and any(mesh.efficiency != 1 for mesh in train.meshes)
    ]
    if lossy:
        yield (
            f"the screening assumes lossless meshes of {listed_names(lossy)}; the selected design is analysed with "
            "their losses."
        )


def _sized_joints(robot: Robot, joints: Sequence[str] | None, variables: Mapping[str, Any] | None) -> list[str]:
    drives = sized_drives(robot)
    selected = [drive.joint for drive in drives] if joints is None else list(joints)
    if not drives or not (selected or variables):
        raise InputError(f"size_drives: robot {robot.name!r} has no drives to size. Add drives with their mounts.")
    for joint in selected:
        sized_drive(robot, joint)
    return selected


def _with_default_variables(stated: Mapping[str, Any] | None, objectives: Sequence[str]) -> dict[str, Any]:
    """The variables, with the task speed for the objective cycle_time."""
    result = dict(stated or {})
    if "cycle_time" in objectives:
        result.setdefault(TIME_SCALE_VARIABLE, DEFAULT_TIME_SCALE_RANGE)
    return result
