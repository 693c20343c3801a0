"""What the report says about the task: where the joints go, how long that takes, what is carried and required."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gearwright.analysis import Analysis, Task
from gearwright.forces.robot_lines import force_unit
from gearwright.mechanism import machine_of
from gearwright.motion import Trajectory
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.report.limit_tables import number
from gearwright.text import html

SHOWN = 12
"""Motions that the table has; of more it says how many."""
DIGITS = 9
"""Of places [rad, m]: what comes after them is rounding of trajectories."""
REQUIRED = {
    "cycle_time": ("a cycle of at most", "s", 1.0),
    "accuracy": ("a tip at most", "mm off its path", 1e3),
    "tip_deflection": ("a tip that gives at most", "mm", 1e3),
    "life": ("gearboxes that live at least", "h", 1.0),
    "frequency": ("a lowest natural frequency of at least", "Hz", 1.0),
}
"""How what a task requires is said: words before the number, after it, and how many of its unit make one in SI."""


def task_section(analysis: Analysis) -> str:
    """The motions in a table, and the rest of the task in a list."""
    told = "".join(f"<li>{html(line)}</li>" for line in _told(analysis))
    return f"<h2>Task</h2>{_motions(analysis)}<ul>{told}</ul>"


def _motions(analysis: Analysis) -> str:
    """Per motion how long it takes and where it ends; below, how fast every joint gets."""
    task = analysis.task
    ways = [task.motions] if isinstance(task.motions, Trajectory) else list(task.motions)
    joints = machine_of("report", analysis.robot).coordinates[: task.cycle.count]
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    units = ["m" if name in sliding else "rad" for name in joints]
    head = "".join(f"<th>{html(name)} [{unit}]</th>" for name, unit in zip(joints, units, strict=True))
    rows = [_row("start", "", task.cycle.at(0.0))]
    rows += [_row(f"motion {k}", number(way.duration), way.at(way.duration)) for k, way in enumerate(ways[:SHOWN])]
    if len(ways) > SHOWN:
        rows.append(f'<tr><td colspan="{2 + len(joints)}">and {len(ways) - SHOWN} motions more</td></tr>')
    if task.pause:
        rows.append(_row("pause", number(task.pause), ways[-1].at(ways[-1].duration)))
    fastest = np.abs(analysis.demands.motion.v[:, : len(joints)]).max(axis=0)
    rows.append(_row("top speed [rad/s, m/s]", "", fastest))
    return f'<div class="wide"><table><tr><th>to</th><th>lasts [s]</th>{head}</tr>{"".join(rows)}</table></div>'


def _row(title: str, lasts: str, values: np.ndarray) -> str:
    cells = "".join(f"<td>{html(x)}</td>" for x in (lasts, *(number(round(float(x), DIGITS)) for x in values)))
    return f"<tr><td>{html(title)}</td>{cells}</tr>"


def _told(analysis: Analysis) -> Iterator[str]:
    task, load = analysis.task, analysis.robot.payload
    if task.changes_payload:
        loads = [
            f"{number(stretch.mass)} kg" + (f" {stretch.robot.payload_place}" if stretch.robot.payload else "")
            for stretch in task.stretches(analysis.robot)
        ]
        yield f"It carries {', '.join(loads)}, one after the other."
    elif load is not None:
        yield f"It carries {number(load.mass)} kg {analysis.robot.payload_place}."
    yield f"Done {_often(task)}" + (
        "." if task.ambient is None else f", in air of {number(task.ambient - ZERO_CELSIUS)} °C."
    )
    for force in task.forces:
        most = np.abs(np.hstack([force.force, force.moment])).reshape(-1, 6).max(axis=0)
        yield (
            f"{force.name} acts on {force.frame}: up to {_vector(most[:3])} N and {_vector(most[3:])} Nm in axes of "
            f"the {force.axes}, from {number(force.start)} s {_until(force.end)}."
        )
    for word, value in task.required.items():
        before, after, factor = REQUIRED[word]
        yield f"Required: {before} {number(factor * value)} {after}."


def _often(task: Task) -> str:
    """How often the cycle is done.

    >>> from gearwright.motion import pause
    >>> _often(Task(pause([0.0], 1.0))), _often(Task(pause([0.0], 1.0), repetitions=1))
    ('again and again', 'once')
    """
    if task.is_periodic:
        return "again and again"
    return "once" if task.repetitions == 1 else f"{task.repetitions} times"


def _until(end: float | None) -> str:
    return "to the end of the cycle" if end is None else f"to {number(end)} s"


def _vector(values: np.ndarray) -> str:
    return f"({', '.join(number(float(x)) for x in values)})"
