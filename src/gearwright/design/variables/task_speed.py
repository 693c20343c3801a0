"""Time scaling of a task: the duration of its motions changes, that of its pauses does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright.analysis import Task
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.motion import Trajectory


def slowed_task(task: Task, factor: float) -> Task:
    """The task with scaled durations of its motions: speeds fall with the factor, accelerations with its square.

    >>> from gearwright.motion import pause, polynomial
    >>> task = Task([polynomial([0.0], [1.0], duration=1.0), pause([1.0], 0.5)], pause=0.25)
    >>> slowed_task(task, 2.0).cycle.duration
    2.75
    """
    factor = real_number("task", "time_scale", factor, above=0.0, example=1.2)
    if factor != 1 and (task.contact or any(force.times or force.start or force.end for force in task.forces)):
        raise InputError(
            f"task {task.name!r}: its forces depend on time, so its motions cannot be scaled in time. State constant "
            "forces, or keep the task speed."
        )
    trajectories = [task.motions] if isinstance(task.motions, Trajectory) else task.motions
    return (
        task
        if factor == 1
        else replace(task, motions=tuple(_slowed_trajectory(trajectory, factor) for trajectory in trajectories))
    )


def _slowed_trajectory(trajectory: Trajectory, factor: float) -> Trajectory:
    """A trajectory with scaled durations of its moving segments, which are polynomials in time since their start."""
    from scipy.interpolate import PPoly

    powers = np.arange(trajectory.pieces.c.shape[0] - 1, -1, -1)
    moving = np.abs(trajectory.pieces.c[:-1]).max(axis=(0, 2), initial=0.0) > 0
    factors = np.where(moving, factor, 1.0)
    knots = np.concatenate([[0.0], np.cumsum(np.diff(trajectory.pieces.x) * factors)])
    coefficients = trajectory.pieces.c / factors[None, :, None] ** powers[:, None, None]
    return trajectory.with_pieces(PPoly(coefficients, knots))
