"""The same task slower or quicker: its motions take longer, its rests do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright.analysis import Task
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.motion import Trajectory


def stretched(task: Task, factor: float) -> Task:
    """The task with motions so many times as long: speeds fall with the factor, accelerations with its square.

    >>> from gearwright.motion import pause, polynomial
    >>> task = Task([polynomial([0.0], [1.0], duration=1.0), pause([1.0], 0.5)], pause=0.25)
    >>> stretched(task, 2.0).cycle.duration
    2.75
    """
    factor = number("task", "stretch", factor, above=0.0, example=1.2)
    if factor != 1 and (task.contact or any(force.times or force.start or force.end for force in task.forces)):
        raise InputError(
            f"task {task.name!r}: its forces have times of their own, so that its motions cannot be stretched. State "
            "constant forces, or keep the pace."
        )
    ways = [task.motions] if isinstance(task.motions, Trajectory) else task.motions
    return task if factor == 1 else replace(task, motions=tuple(_slower(way, factor) for way in ways))


def _slower(way: Trajectory, factor: float) -> Trajectory:
    """Every piece that moves, of a polynomial in the time since its start, takes so many times as long."""
    from scipy.interpolate import PPoly

    powers = np.arange(way.pieces.c.shape[0] - 1, -1, -1)
    moving = np.abs(way.pieces.c[:-1]).max(axis=(0, 2), initial=0.0) > 0
    factors = np.where(moving, factor, 1.0)
    knots = np.concatenate([[0.0], np.cumsum(np.diff(way.pieces.x) * factors)])
    coefficients = way.pieces.c / factors[None, :, None] ** powers[:, None, None]
    return way.with_pieces(PPoly(coefficients, knots))
