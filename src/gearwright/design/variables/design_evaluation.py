"""Evaluation of one design: its best drives, its objectives, and the utilisation of every limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.algebra import Scalar
from gearwright.analysis import Task
from gearwright.analysis.drives.limit_kinds import CYCLE_TIME, GEARBOX_LIFE, STRESS, TIP_DEFLECTION, LimitKey
from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.links.structural_deflection import analyse_structure, external_wrenches
from gearwright.catalogue import Catalogue
from gearwright.design.candidates.candidates import Candidates, Choice, catalogue_candidates, present_drive_candidate
from gearwright.design.candidates.chosen_drives import with_chosen_drives
from gearwright.design.candidates.drive_influence import DriveBasis, DriveSpace, drive_space
from gearwright.design.candidates.fitted_drive import present_motor_sheet
from gearwright.design.candidates.objectives import DesignPoint
from gearwright.design.candidates.perturbation_feasibility import buildable_choices
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.design.robot_preparation.sized_drives import sized_drives
from gearwright.design.search.drive_set_search import SearchResult, best_sets, design_points, fast_enough_options
from gearwright.design.search.drive_sets import ChoiceIndices, DriveSets
from gearwright.design.search.enumeration import light_sets
from gearwright.design.search.genetic_search import SetEvaluator, improve_by_joint
from gearwright.design.variables.design_variables import Design, DesignSpace, VariableValues
from gearwright.errors import InputError, PartError
from gearwright.mechanism import assemble_tree
from gearwright.parts import Material, Robot

TIP_CHARACTERISTIC = f"tip.{TIP_DEFLECTION.characteristic}"
"""The deflection of a whole arm among the characteristics of its structure."""


ScreeningErrors = Mapping[LimitKey, float]
"""Screening error of each limit: utilisation in the analysis over the screening."""
DEFAULT_TRIALS = 60
"""Default number of proposed designs."""


@dataclass(frozen=True)
class SizingProblem:
    """The sizing problem.

    Args:
        space: the design and its variables.
        catalogue: motors and gearboxes.
        chosen_joints: joints whose drives are chosen.
        objective: the minimised objective.
        share: allowed utilisation of every limit.
        samples: number of samples of the cycle.
        model: approximation of the machine in the screening; None for the exact machine.
        pair: the two objectives of the Pareto front.
        seed: of the stochastic search.
        method: "enumerate" or "evolve"; None: by the number of sets.
        trials: number of proposed designs, if other variables than the drives vary.
    """

    space: DesignSpace
    catalogue: Catalogue
    chosen_joints: tuple[str, ...]
    objective: str
    share: float
    samples: int
    model: str | None = None
    pair: tuple[str, str] = ("mass", "energy")
    seed: int = 0
    method: str | None = None
    trials: int = DEFAULT_TRIALS

    @property
    def judged_joints(self) -> tuple[str, ...]:
        """Joints and train motors whose drives are evaluated: chosen ones and variable ratios; all if none is."""
        driven = [drive.joint for drive in sized_drives(self.space.base.robot)]
        relevant = {*self.chosen_joints, *self.space.ratio_variables}
        return tuple(joint for joint in driven if joint in relevant or not self.chosen_joints)

    def candidate_options(self, drives: DriveSpace) -> tuple[Candidates, ...]:
        """Candidates of each joint: the catalogue, or the present motor of a joint that is not chosen."""
        return tuple(self._joint_options(basis) for basis in drives.drives)

    def _joint_options(self, basis: DriveBasis) -> Candidates:
        base = self.space.base
        task = base.task
        if basis.drive.joint in self.chosen_joints:
            return buildable_choices(self.joint_candidates(basis), base.robot, task)
        return present_drive_candidate(
            basis, present_motor_sheet(basis.drive, self.catalogue), self.catalogue, task.ambient, self.required_life
        )

    def joint_candidates(self, basis: DriveBasis) -> Candidates:
        """All candidates of the catalogue for a joint."""
        return catalogue_candidates(basis, self.catalogue, self.space.base.task.ambient, self.required_life)

    @property
    def required_life(self) -> float | None:
        """Required life of gearboxes [h]."""
        return self.space.base.task.required.get(GEARBOX_LIFE.requirement)

    def drive_space_of(self, design: Design) -> DriveSpace:
        """The forces of a design as a function of its drives."""
        return drive_space(
            design.robot, design.task, self.judged_joints, self.samples, self.kept_gear_joints, self.model
        )

    def best_sets_under(self, errors: ScreeningErrors) -> SearchResult:
        """The best sets of drives of the robot as it is that satisfy every limit with the screening errors."""
        return best_sets(
            self._base_sets.space,
            self.corrected_sets(errors).options,
            self.objective,
            self.share,
            pair=self.pair,
            seed=self.seed,
            method=self.method,
        )

    def corrected_sets(self, errors: ScreeningErrors) -> DriveSets:
        """All sets of drives, with limits tightened by the screening errors."""
        return DriveSets(
            self._base_sets.space, tuple(_with_corrected_limits(pairs, errors) for pairs in self._base_sets.options)
        )

    def screened_shares(self, design: DesignPoint) -> dict[LimitKey, float]:
        """Utilisation of every limit by a set of drives in the screening."""
        return self._base_sets.limit_shares(self.choice_indices([design])[0])

    def choice_indices(self, designs: Sequence[DesignPoint]) -> ChoiceIndices:
        """Indices of choices among the options, (P, J)."""
        choices = [pairs.choices for pairs in self._base_sets.options]
        return np.array(
            [[pairs.index(choice) for pairs, choice in zip(choices, design.choices, strict=True)] for design in designs]
        )

    @cached_property
    def _base_sets(self) -> DriveSets:
        """All sets of drives for the robot as it is."""
        space = self.drive_space_of(self.space.base)
        return DriveSets(space, self.candidate_options(space))

    @property
    def kept_gear_joints(self) -> tuple[str, ...]:
        """Joints whose gear stays, with a fixed or variable ratio."""
        return tuple(
            joint
            for joint in self.judged_joints
            if joint not in self.chosen_joints or joint in self.space.ratio_variables
        )


def _with_corrected_limits(pairs: Candidates, errors: ScreeningErrors) -> Candidates:
    title = pairs.basis.drive.title
    return pairs.with_tightened_limits({key.kind: x for key, x in errors.items() if key.owner == title})


@dataclass(frozen=True)
class DesignEvaluation:
    """A design with its best drives.

    Args:
        design: its objectives; `use` includes the links.
        sets: the sets of drives.
        places: indices of the drives in them.
        tightest: the limit with the largest utilisation.
    """

    design: DesignPoint
    sets: DriveSets
    places: ChoiceIndices
    tightest: LimitKey

    def choices_by_joint(self, joints: Sequence[str]) -> dict[str, Choice]:
        """Per joint its drive."""
        return dict(zip(joints, self.design.choices, strict=True))


def evaluate_design(problem: SizingProblem, values: VariableValues) -> DesignEvaluation:
    """A design with its best drives, evaluated.

    Raises:
        InputError: no drive is fast enough, or the design cannot be built.
    """
    design = problem.space.design_with(values)
    drives = problem.drive_space_of(design)
    sets = DriveSets(drives, fast_enough_options(drives, problem.candidate_options(drives), np.inf, problem.objective))
    evaluator = SetEvaluator(sets, problem.objective, problem.share)
    start = light_sets(sets, problem.share)
    places = improve_by_joint(evaluator, start[evaluator.objective_costs(start).argmin()])
    return complete_evaluation(problem, design, values, sets, places)


def complete_evaluation(
    problem: SizingProblem, design: Design, values: VariableValues, sets: DriveSets, places: ChoiceIndices
) -> DesignEvaluation:
    """A design and its drives, evaluated with the limits of the links."""
    design_point = design_points(sets, places[None], sets.evaluate_sets(places[None]))[0]
    tightest, _ = sets.tightest_limit(places)
    sized = with_chosen_drives(design.robot, dict(zip(problem.judged_joints, design_point.choices, strict=True)))
    links = link_shares(design, sized, sets.space)
    largest_share, other_shares = design_point.largest_share, {**links, **_time_share(design.task)}
    if other_shares and max(other_shares.values()) > largest_share:
        tightest = max(other_shares, key=lambda name: other_shares[name])
        largest_share = other_shares[tightest]
    mass = design_point.mass + float(problem.space.varied_beam_mass(values))
    final_point = design_point._replace(mass=mass, largest_share=largest_share, values=tuple(values.items()))
    return DesignEvaluation(final_point, sets, places, tightest)


def _time_share(task: Task) -> dict[LimitKey, float]:
    """Utilisation of the allowed cycle time."""
    limit = task.required.get(CYCLE_TIME.requirement)
    return {} if limit is None else {LimitKey("", CYCLE_TIME): CYCLE_TIME.value(task) / limit}


def link_shares(design: Design, sized: Robot, drives: DriveSpace) -> dict[LimitKey, float]:
    """Utilisation of the strength of each link with a section, and of the allowed deflection."""
    if not design.sections:
        return {}
    task, motion = design.task, drives.motion
    robot = rigid_robot(task.loaded_robot(sized))  # elastic gears are part of the analysis of the selected design
    mech = assemble_tree(robot)
    wrenches = external_wrenches(robot, mech, motion, task.forces, task.contact)
    structure = analyse_structure(robot, mech, motion, design.sections, wrenches, task.tip)
    materials = {name: LinkBeam.from_section(section).material for name, section in design.sections.items()}
    return shares_from_peaks(structure.peak_values(), materials, task)


def shares_from_peaks(
    numbers: Mapping[str, Scalar], materials: Mapping[str, Material], task: Task
) -> dict[LimitKey, Scalar]:
    """Utilisation of each limit of links and tip, from the characteristics of `Structure.numbers`."""
    uses = {
        LimitKey(name, STRESS): numbers[f"{name}.{STRESS.characteristic}"] / material.strength
        for name, material in materials.items()
    }
    if TIP_DEFLECTION.requirement in task.required and TIP_CHARACTERISTIC in numbers:
        uses[LimitKey("", TIP_DEFLECTION)] = numbers[TIP_CHARACTERISTIC] / task.required[TIP_DEFLECTION.requirement]
    return uses


def evaluate_if_buildable(problem: SizingProblem, values: VariableValues) -> DesignEvaluation | None:
    """An evaluated design, or None if it cannot be built or moved."""
    try:
        return evaluate_design(problem, values)
    except (InputError, PartError):
        return None
