"""Motors and gearboxes from a catalogue: the best set that does a task within every limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gearwright.analysis import Analysis, Task, analyse
from gearwright.arguments import number
from gearwright.catalogue import Catalogue, drives
from gearwright.design.candidates import Choice, candidates, passed_over
from gearwright.design.drive_basis import DriveSpace, drive_space
from gearwright.design.objectives import Found, front_pair, known_objective
from gearwright.design.search import Sets, best_sets
from gearwright.errors import InputError
from gearwright.parts import Robot
from gearwright.text import listed

SAMPLES = 401
"""At how many times the choices are looked at; the winner is analysed at more."""
ROUNDING = 1e-3
"""By how much an analysis at more times may differ from the screening before a set counts as broken."""
TRIED = 50
"""How many of the best sets are analysed before it is said that none keeps every limit."""


@dataclass(frozen=True)
class Sizing:
    """The drives that were chosen.

    Args:
        choices: per joint the motor and the gearbox (None where the gear was kept).
        robot: with them.
        analysis: of the task with them, at the full number of samples.
        front: sets of which none is better than another in both mass and energy, the lightest first.
        looked_at: how many sets were looked at.
        remarks: what was passed over or assumed.
    """

    choices: Mapping[str, Choice]
    robot: Robot
    analysis: Analysis
    front: tuple[Found, ...]
    looked_at: int
    remarks: tuple[str, ...] = ()

    @property
    def mass(self) -> float:
        """Of all motors and gearboxes chosen [kg]."""
        return sum(choice.mass for choice in self.choices.values())


def size_drives(
    robot: Robot,
    task: Task,
    catalogue: Catalogue | None = None,
    objective: str = "mass",
    *,
    joints: Sequence[str] | None = None,
    front: Sequence[str] | None = None,
    margin: float = 0.0,
    assumed_efficiency: float | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    method: str | None = None,
) -> Sizing:
    """The best motors and gearboxes for a task.

    Their masses rest on the links that carry them and their rotors push on those, so that every choice changes what the
    other joints must do: all of that is in the forces from which the choices are judged, and the winner is analysed
    again from its parts.

    Args:
        robot: with a drive at every joint in question; mount, axis and place stay, and so does a screw or a drawn gear.
        task: what it must do.
        catalogue: what there is; the bundled articles unless given.
        objective: "mass", "energy" (per cycle) or "price", the least of which is wanted.
        joints: whose drives are chosen; all that have one unless given.
        margin: share of every limit that must be left.
        assumed_efficiency: of gearboxes whose sheets print none; without it they are passed over.
        samples: at how many times of the cycle the choices are looked at.
        seed: of the stochastic search, which is used where there are too many sets to look at.
        method: "enumerate" or "evolve"; by the number of sets unless given.

    Raises:
        InputError: no set keeps every limit; the message says which is the tightest and by how much.
    """
    table = _assuming(catalogue or drives(), assumed_efficiency)
    margin = number("size_drives", "margin", margin, least=0.0, below=1.0, example=0.2)
    space = drive_space(robot, task, _joints(robot, joints), samples)
    options = [candidates(basis, table, task.ambient) for basis in space.drives]
    goal = known_objective(objective, options)
    pair = front_pair(front, goal)
    for name in pair:
        known_objective(name, options)
    sets = best_sets(space, options, goal, 1 - margin, pair=pair, seed=seed, method=method)
    remarks = (*passed_over(table), *_assumed(assumed_efficiency), *sets.remarks)
    return _verified(robot, task, table, space, sets, 1 - margin, remarks)


def _joints(robot: Robot, joints: Sequence[str] | None) -> list[str]:
    found = [drive.joint for drive in robot.drives] if joints is None else list(joints)
    if not found:
        raise InputError(f"size_drives: robot {robot.name!r} has no drives to choose. Give it some, with their mounts.")
    return found


def _assuming(catalogue: Catalogue, efficiency: float | None) -> Catalogue:
    if efficiency is None:
        return catalogue
    number("size_drives", "assumed_efficiency", efficiency, above=0.5, most=1.0, example=0.75)
    boxes = {
        key: sheet if sheet.efficiency is not None else replace(sheet, efficiency=efficiency)
        for key, sheet in catalogue.gearboxes.items()
    }
    return replace(catalogue, gearboxes=boxes)


def _assumed(efficiency: float | None) -> Iterable[str]:
    if efficiency is not None:
        yield f"gearboxes whose sheets print no efficiency were taken with {efficiency:.0%}."


def with_choices(robot: Robot, choices: Mapping[str, Choice]) -> Robot:
    """The robot with other motors and gearboxes; mounts, axes and places stay."""
    for drive in robot.drives:
        choice = choices.get(drive.joint)
        if choice is None:
            continue
        motor = choice.motor.motor(position=drive.motor.position)
        gear = drive.gear if choice.gearbox is None else choice.gearbox.gear()
        robot = robot.with_drive(drive.title, replace(drive, motor=motor, gear=gear))
    return robot


def _verified(
    robot: Robot,
    task: Task,
    table: Catalogue,
    space: DriveSpace,
    sets: Sets,
    share: float,
    remarks: tuple[str, ...],
) -> Sizing:
    """The best set whose own analysis keeps every limit; the screening takes temperatures in the mean."""
    names = [basis.drive.joint for basis in space.drives]
    failed: list[str] = []
    for one in sets.found[:TRIED]:
        choices = dict(zip(names, one.choices, strict=True))
        sized = with_choices(robot, choices)
        analysis = analyse(sized, task, catalogue=table)
        missed = [check for check in analysis.limits if check.margin < (1 - share) - ROUNDING]
        broken = [check for check in missed if _is_chosen(check.name, names)]
        if not broken:
            return Sizing(choices, sized, analysis, sets.front, sets.looked_at, remarks)
        failed += [check.name for check in broken]
    raise InputError(
        f"size_drives: when analysed, the {min(TRIED, len(sets.found))} best sets do not keep "
        f"{listed(dict.fromkeys(failed))}. Allow a margin, a slower task, or a larger catalogue."
    )


def _is_chosen(name: str, joints: Sequence[str]) -> bool:
    return name.split(":")[0] in joints

