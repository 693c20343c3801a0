"""The end of the demonstration: what a task asks of a bundled arm, a drive that suits it, and the report of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from gearwright.analysis.drives.limit_checks import by_tightness
from gearwright.catalogue import drives, load
from gearwright.cli.output import heading, number
from gearwright.design import Analysis, Sizing, Task, analyse, size_drives
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.report import report

ROBOT, JOINT = "scara", "shoulder"
TASK = """
task: pick
motions:
  - {to: {shoulder: 80 deg, elbow: 40 deg, lift: -50 mm}, speed: 2.5, acceleration: 8, jerk: 200}
  - {pause: 200 ms}
  - {to: {shoulder: 0, elbow: 0, lift: 0}, speed: 2.5, acceleration: 8, jerk: 200}
payload: {mass: 1}
pause: 300 ms
repetitions: continuous
"""
SAMPLES = 101
TIGHTEST = 5


def design_an_arm(folder: Path, console: Any) -> Path:
    """Analyse a task, choose the drive that gets too warm anew, and write the report; returns its path."""
    robot = load(ROBOT)
    task = Task.read(TASK, robot)
    before = analyse(robot, task)
    warm = before.drives[JOINT].winding_temperature
    assert warm is not None
    console.print("")
    console.print(
        heading(
            "A SCARA that picks",
            f" all day long, {task.cycle.duration:.2f} s a cycle: the winding of its {JOINT}'s motor comes to "
            f"{warm - ZERO_CELSIUS:.0f} °C. Of all motors of the catalogue that tell how warm they get, with all "
            "gearboxes, the lightest pair that keeps every limit:\n",
        )
    )
    known = drives()
    telling = replace(known, motors={key: motor for key, motor in known.motors.items() if motor.heat is not None})
    found = size_drives(robot, task, telling, joints=[JOINT], samples=SAMPLES, method="enumerate")
    console.print(_chosen(found))
    console.print(_limits(found.analysis))
    return report(found, folder / "scara_pick.html")


def _chosen(found: Sizing) -> Table:
    table = Table("joint", "motor", "gearbox", title="Chosen", title_justify="left")
    for column in ("mass [kg]", "kp [Nm/rad]", "kd [Nms/rad]"):
        table.add_column(column, justify="right")
    for joint, one in found.choices.items():
        gains = found.gains[joint]
        box = one.gearbox.key if one.gearbox else ""
        table.add_row(joint, one.motor.key, box, *map(number, (one.mass, gains.kp, gains.kd)))
    return table


def _limits(analysis: Analysis) -> Table:
    table = Table("limit", title="What is left of its tightest limits", title_justify="left")
    for column in ("asked for", "allowed", "left"):
        table.add_column(column, justify="right")
    for check in by_tightness(analysis.limits)[:TIGHTEST]:
        asked, allowed = (f"{number(x)} {check.unit}" for x in (check.value, check.limit))
        table.add_row(check.name, asked, allowed, f"{check.margin:.0%}")
    return table
