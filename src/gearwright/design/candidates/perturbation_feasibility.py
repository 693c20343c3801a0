"""Choices that the errors of a task leave possible: a gear of 90 % efficiency cannot have 30 % more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gearwright.analysis import Perturbation, Task
from gearwright.design.candidates.candidates import Candidates
from gearwright.design.candidates.chosen_drives import with_choices
from gearwright.errors import InputError, PartError
from gearwright.parts import DataSheet, Robot
from gearwright.text import listed


def possible_choices(some: Candidates, robot: Robot, task: Task) -> Candidates:
    """Those that can be built with the parameter errors of the task.

    Raises:
        PartError: none can; the message is that of the first.
    """
    wrong = impossible_articles(some, robot, task)
    if not wrong:
        return some
    motors, boxes = (np.array([_key(one) not in wrong for one in sheets]) for sheets in (some.motors, some.boxes))
    fits = motors[some.motor_at] & boxes[some.box_at]
    if not fits.any():
        raise PartError(f"size_drives: the errors of the task leave no drive possible. {next(iter(wrong.values()))}")
    return some[fits]


def impossible_articles(some: Candidates, robot: Robot, task: Task) -> dict[str, str]:
    """Per motor or gearbox that cannot be, why."""
    errors = {} if task.perturbed is None else task.perturbed.parameter_error
    drive = some.basis.drive
    own = {path: share for path, share in errors.items() if path.startswith(f"{drive.title}.")}
    of_gears = {path: share for path, share in own.items() if path.startswith(f"{drive.title}.gear.")}
    of_motors = {path: share for path, share in own.items() if path not in of_gears}
    found: dict[str, str] = {}
    for wrong, sheets, places in ((of_gears, some.boxes, some.box_at), (of_motors, some.motors, some.motor_at)):
        for first in np.sort(np.unique(places, return_index=True)[1]) if wrong else ():
            try:
                Perturbation(parameter_error=wrong).applied(with_choices(robot, {drive.joint: some.choices[first]}))
            except (PartError, InputError) as error:
                found[_key(sheets[places[first]])] = str(error)
    return found


def impossible_remarks(options: Sequence[Candidates], robot: Robot, task: Task) -> Iterator[str]:
    """Which articles of all that there are were passed over, and why the first."""
    for some in options:
        wrong = impossible_articles(some, robot, task)
        if wrong:
            yield (
                f"{some.basis.drive.joint}: passed over, because the errors of the task make them impossible: "
                f"{listed(wrong)} ({next(iter(wrong.values()))})"
            )


def _key(sheet: DataSheet | None) -> str:
    return "" if sheet is None else sheet.key
