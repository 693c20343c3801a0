"""Choices that are feasible with the parameter errors of a task: a gear of 90 % efficiency cannot have 30 % more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gearwright.analysis import Perturbation, Task
from gearwright.design.candidates.candidates import Candidates
from gearwright.design.candidates.chosen_drives import with_chosen_drives
from gearwright.errors import InputError, PartError
from gearwright.parts import DataSheet, Robot
from gearwright.text import listed_names


def buildable_choices(pairs: Candidates, robot: Robot, task: Task) -> Candidates:
    """The choices that can be built with the parameter errors of the task.

    Raises:
        PartError: no choice is feasible; the message is that of the first.
    """
    unbuildable = unbuildable_entries(pairs, robot, task)
    if not unbuildable:
        return pairs
    motors, boxes = (
        np.array([_sheet_key(sheet) not in unbuildable for sheet in sheets]) for sheets in (pairs.motors, pairs.boxes)
    )
    fits = motors[pairs.motor_at] & boxes[pairs.box_at]
    if not fits.any():
        raise PartError(
            f"size_drives: no drive is feasible with the errors of the task. {next(iter(unbuildable.values()))}"
        )
    return pairs[fits]


def unbuildable_entries(pairs: Candidates, robot: Robot, task: Task) -> dict[str, str]:
    """Per infeasible motor or gearbox the reason."""
    errors = {} if task.perturbed is None else task.perturbed.parameter_error
    drive = pairs.basis.drive
    drive_errors = {path: share for path, share in errors.items() if path.startswith(f"{drive.title}.")}
    of_gears = {path: share for path, share in drive_errors.items() if path.startswith(f"{drive.title}.gear.")}
    of_motors = {path: share for path, share in drive_errors.items() if path not in of_gears}
    reasons: dict[str, str] = {}
    for part_errors, sheets, places in (
        (of_gears, pairs.boxes, pairs.box_at),
        (of_motors, pairs.motors, pairs.motor_at),
    ):
        for first in np.sort(np.unique(places, return_index=True)[1]) if part_errors else ():
            try:
                Perturbation(parameter_error=part_errors).perturbed_robot(
                    with_chosen_drives(robot, {drive.joint: pairs.choices[first]})
                )
            except (PartError, InputError) as error:
                reasons[_sheet_key(sheets[places[first]])] = str(error)
    return reasons


def unbuildable_remarks(options: Sequence[Candidates], robot: Robot, task: Task) -> Iterator[str]:
    """A remark per joint on the infeasible catalogue entries, with the reason for the first one."""
    for pairs in options:
        reasons = unbuildable_entries(pairs, robot, task)
        if reasons:
            yield (
                f"{pairs.basis.drive.joint}: skipped, because they are infeasible with the errors of the task: "
                f"{listed_names(reasons)} ({next(iter(reasons.values()))})"
            )


def _sheet_key(sheet: DataSheet | None) -> str:
    return "" if sheet is None else sheet.key
