"""Section of the report on the task: motions, durations, payload, forces and requirements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gearwright.analysis import Analysis, Task
from gearwright.forces.robot_lines import force_unit
from gearwright.mechanism import tree_of
from gearwright.motion import Trajectory
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.report.numbers import number_text
from gearwright.report.tables import column_blocks, page_break, wrapped_table
from gearwright.text import html_text

MAX_MOTION_ROWS = 12
"""Most motions in the table; the number of further ones is stated."""
POSITION_DIGITS = 9
"""Decimals of positions [rad, m]; further ones are rounding errors of trajectories."""
REQUIREMENT_TEXTS = {
    "cycle_time": ("cycle time at most", "s", 1.0),
    "accuracy": ("path error of the tip at most", "mm", 1e3),
    "tip_deflection": ("tip deflection at most", "mm", 1e3),
    "life": ("gearbox life at least", "h", 1.0),
    "frequency": ("lowest natural frequency at least", "Hz", 1.0),
}
"""Texts of requirements: words before the number, its unit, and the factor from SI to that unit."""


def task_section(analysis: Analysis) -> str:
    """Return the section: a table of motions and a list of the other data of the task."""
    items = "".join(f"<li>{html_text(line)}</li>" for line in _task_lines(analysis))
    return f"{page_break('Task')}{_motion_table(analysis)}<ul>{items}</ul>"


def _motion_table(analysis: Analysis) -> str:
    """Return tables of durations and end positions of motions, and the top speed of every joint."""
    joints = tree_of("report", analysis.robot).coordinates[: analysis.task.cycle.count]
    return "".join(_motion_block(analysis, list(block)) for block in column_blocks(list(enumerate(joints))))


def _motion_block(analysis: Analysis, block: Sequence[tuple[int, str]]) -> str:
    """Return the table of some joints, given by index and name."""
    task, columns = analysis.task, [k for k, _ in block]
    trajectories = [task.motions] if isinstance(task.motions, Trajectory) else list(task.motions)
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    head = [f"{name} [{'m' if name in sliding else 'rad'}]" for _, name in block]

    def end_row(title: str, trajectory: Trajectory) -> str:
        return _motion_row(title, number_text(trajectory.duration), trajectory.at(trajectory.duration)[columns])

    rows = [_motion_row("start", "", task.cycle.at(0.0)[columns])]
    rows += [end_row(f"motion {k}", trajectory) for k, trajectory in enumerate(trajectories[:MAX_MOTION_ROWS])]
    if len(trajectories) > MAX_MOTION_ROWS:
        rows.append(
            f'<tr><td colspan="{2 + len(block)}">and {len(trajectories) - MAX_MOTION_ROWS} further motions</td></tr>'
        )
    if task.pause:
        rows.append(
            _motion_row("pause", number_text(task.pause), trajectories[-1].at(trajectories[-1].duration)[columns])
        )
    fastest = np.abs(analysis.demands.motion.v[:, columns]).max(axis=0)
    rows.append(_motion_row("top speed [rad/s, m/s]", "", fastest))
    return wrapped_table(["motion", "duration [s]", *head], rows)


def _motion_row(title: str, lasts: str, values: np.ndarray) -> str:
    cells = "".join(
        f"<td>{html_text(x)}</td>" for x in (lasts, *(number_text(round(float(x), POSITION_DIGITS)) for x in values))
    )
    return f"<tr><td>{html_text(title)}</td>{cells}</tr>"


def _task_lines(analysis: Analysis) -> Iterator[str]:
    task = analysis.task
    if analysis.payload_text is not None:
        yield analysis.payload_text
    yield f"Repetition: {_repetition_text(task)}" + (
        "." if task.ambient is None else f", ambient temperature {number_text(task.ambient - ZERO_CELSIUS)} °C."
    )
    for force in task.forces:
        largest = np.abs(np.hstack([force.force, force.moment])).reshape(-1, 6).max(axis=0)
        yield (
            f"Force {force.name} on {force.frame}: up to {_vector_text(largest[:3])} N and {_vector_text(largest[3:])} "
            f"Nm in axes of the {force.axes}, from {number_text(force.start)} s {_end_text(force.end)}."
        )
    for word, value in task.required.items():
        before, after, factor = REQUIREMENT_TEXTS[word]
        yield f"Required: {before} {number_text(factor * value)} {after}."


def _repetition_text(task: Task) -> str:
    """Return how often the cycle is repeated.

    >>> from gearwright.motion import pause
    >>> _repetition_text(Task(pause([0.0], 1.0))), _repetition_text(Task(pause([0.0], 1.0), repetitions=1))
    ('continuously', 'once')
    """
    if task.is_periodic:
        return "continuously"
    return "once" if task.repetitions == 1 else f"{task.repetitions} times"


def _end_text(end: float | None) -> str:
    return "to the end of the cycle" if end is None else f"to {number_text(end)} s"


def _vector_text(values: np.ndarray) -> str:
    return f"({', '.join(number_text(float(x)) for x in values)})"
