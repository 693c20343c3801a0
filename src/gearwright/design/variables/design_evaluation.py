"""One design judged: the drives that suit it best, its numbers, and how much of every limit it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.algebra import Scalar
from gearwright.analysis import Task
from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.links.structural_deflection import acting_on, structure_of
from gearwright.catalogue import Catalogue
from gearwright.design.candidates.candidates import Candidates, Choice, candidates, kept_candidate
from gearwright.design.candidates.chosen_drives import with_choices
from gearwright.design.candidates.drive_influence import DriveBasis, DriveSpace, drive_space
from gearwright.design.candidates.fitted_drive import own_motor
from gearwright.design.candidates.objectives import Found
from gearwright.design.candidates.perturbation_feasibility import possible_choices
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.design.search.drive_set_search import described, quick_options
from gearwright.design.search.drive_sets import DriveSets, Places
from gearwright.design.search.enumeration import walked
from gearwright.design.search.genetic_search import Judged, improved
from gearwright.design.variables.design_variables import Design, DesignSpace, Values
from gearwright.errors import InputError, PartError
from gearwright.mechanism import assemble
from gearwright.parts import Material, Robot

CYCLE_TIME = "cycle time"
TIP, TIP_PEAK = "tip deflection", "tip.peak_deflection"
"""Limits of a task and of a whole arm, and what the latter limits, by their names in an analysis."""


@dataclass(frozen=True)
class Question:
    """What is looked for.

    Args:
        space: the design and what may vary.
        table: motors and gearboxes.
        chosen: joints whose drives are chosen.
        objective: what is wanted least.
        share: of every limit that may be taken.
        samples: at how many times of the cycle.
        model: of the machine by which drives are judged; None for the exact one.
    """

    space: DesignSpace
    table: Catalogue
    chosen: tuple[str, ...]
    objective: str
    share: float
    samples: int
    model: str | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose drives are judged: those chosen, those whose ratio varies; all if nothing is chosen."""
        driven = [drive.joint for drive in self.space.base.robot.drives]
        told = {*self.chosen, *self.space.ratios}
        return tuple(joint for joint in driven if joint in told or not self.chosen)

    def options(self, drives: DriveSpace) -> tuple[Candidates, ...]:
        """Per joint what may drive it: the catalogue, or for joints that are not chosen their own motor."""
        return tuple(self._options(basis) for basis in drives.drives)

    def _options(self, basis: DriveBasis) -> Candidates:
        base = self.space.base
        task = base.task
        if basis.drive.joint in self.chosen:
            return possible_choices(self.catalogued(basis), base.robot, task)
        return kept_candidate(basis, own_motor(basis.drive, self.table), self.table, task.ambient, self.life)

    def catalogued(self, basis: DriveBasis) -> Candidates:
        """All that the catalogue has for a joint."""
        return candidates(basis, self.table, self.space.base.task.ambient, self.life)

    @property
    def life(self) -> float | None:
        """What the task requires of gearboxes [h]."""
        return self.space.base.task.required.get("life")

    def drives(self, design: Design) -> DriveSpace:
        """The forces of a design as a function of its drives."""
        return drive_space(design.robot, design.task, self.joints, self.samples, self.geared, self.model)

    @property
    def geared(self) -> tuple[str, ...]:
        """Joints whose gear stays, with the ratio that it has or that varies."""
        return tuple(joint for joint in self.joints if joint not in self.chosen or joint in self.space.ratios)


@dataclass(frozen=True)
class Judgement:
    """A design with its best drives.

    Args:
        found: its numbers; `use` counts the links too.
        sets: from which the drives were taken.
        places: of the drives in them.
        tightest: name of the limit of which it takes the largest share.
    """

    found: Found
    sets: DriveSets
    places: Places
    tightest: str

    def choices(self, joints: Sequence[str]) -> dict[str, Choice]:
        """Per joint its drive."""
        return dict(zip(joints, self.found.choices, strict=True))


def judged(question: Question, values: Values) -> Judgement:
    """The drives that suit a design best, and what it comes to with them.

    Raises:
        InputError: no drive turns fast enough, or the design cannot be built.
    """
    design = question.space.design(values)
    drives = question.drives(design)
    sets = DriveSets(drives, quick_options(drives, question.options(drives), np.inf, question.objective))
    judge = Judged(sets, question.objective, question.share)
    start = walked(sets, question.share)
    places = improved(judge, start[judge.costs(start).argmin()])
    return completed(question, design, values, sets, places)


def completed(question: Question, design: Design, values: Values, sets: DriveSets, places: Places) -> Judgement:
    """A design and its drives, with what the links add."""
    found = described(sets, places[None], sets.evaluated(places[None]))[0]
    tightest, _ = sets.tightest(places)
    sized = with_choices(design.robot, dict(zip(question.joints, found.choices, strict=True)))
    links = link_uses(design, sized, sets.space)
    use, others = found.use, {**links, **_time_use(design.task)}
    if others and max(others.values()) > use:
        tightest = max(others, key=lambda name: others[name])
        use = others[tightest]
    mass = found.mass + float(question.space.beam_mass(values))
    kept = found._replace(mass=mass, use=use, values=tuple(values.items()))
    return Judgement(kept, sets, places, tightest)


def _time_use(task: Task) -> dict[str, float]:
    """Of the time that a cycle may take, the share that it takes."""
    most = task.required.get("cycle_time")
    return {} if most is None else {CYCLE_TIME: task.cycle.duration / most}


def link_uses(design: Design, sized: Robot, drives: DriveSpace) -> dict[str, float]:
    """Per link with a section the share of its strength, and how much of the deflection that the task allows."""
    if not design.sections:
        return {}
    task, motion = design.task, drives.motion
    robot = rigid_robot(task.carried_by(sized))  # what gears give is left to the analysis of the winner
    mech = assemble(robot)
    acting = acting_on(robot, mech, motion, task.forces, task.contact)
    found = structure_of(robot, mech, motion, design.sections, acting, task.tip)
    materials = {name: LinkBeam.of(section).material for name, section in design.sections.items()}
    return shares_of_links(found.numbers(), materials, task)


def shares_of_links(numbers: Mapping[str, Scalar], materials: Mapping[str, Material], task: Task) -> dict[str, Scalar]:
    """Per limit of links and tip the share that is taken, from the characteristics that `Structure.numbers` names."""
    uses = {f"{name}: stress": numbers[f"{name}.peak_stress"] / one.strength for name, one in materials.items()}
    if "tip_deflection" in task.required and TIP_PEAK in numbers:
        uses[TIP] = numbers[TIP_PEAK] / task.required["tip_deflection"]
    return uses


def possible(question: Question, values: Values) -> Judgement | None:
    """A design judged, or None if it cannot be built or moved at all."""
    try:
        return judged(question, values)
    except (InputError, PartError):
        return None
