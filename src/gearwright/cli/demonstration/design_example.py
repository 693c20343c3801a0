"""The last part of the demonstration: analysis of a task, choice of a drive, and the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from gearwright.analysis import sorted_by_margin
from gearwright.catalogue import drives, load
from gearwright.cli.output import heading_text, number_text
from gearwright.design import Analysis, SearchOptions, Sizing, Task, analyse, size_drives
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.report import report

EXAMPLE_ROBOT, EXAMPLE_JOINT = "scara", "shoulder"
EXAMPLE_TASK = """
task: pick
motions:
  - {to: {shoulder: 80 deg, elbow: 40 deg, lift: -50 mm}, speed: 2.5, acceleration: 8, jerk: 200}
  - {pause: 200 ms}
  - {to: {shoulder: 0, elbow: 0, lift: 0}, speed: 2.5, acceleration: 8, jerk: 200}
payload: {mass: 1}
pause: 300 ms
repetitions: continuous
"""
EXAMPLE_SAMPLES = 101
MAX_EXAMPLE_LIMITS = 5


def run_design_example(folder: Path, console: Any) -> Path:
    """Analyse a task, replace the drive that gets too hot, write the report and return its path."""
    robot = load(EXAMPLE_ROBOT)
    task = Task.read(EXAMPLE_TASK, robot)
    before = analyse(robot, task)
    temperature = before.drives[EXAMPLE_JOINT].winding_temperature
    assert temperature is not None
    console.print("")
    console.print(
        heading_text(
            "A SCARA in continuous pick-and-place",
            f", {task.cycle.duration:.2f} s per cycle: the winding of its {EXAMPLE_JOINT} motor reaches "
            f"{temperature - ZERO_CELSIUS:.0f} °C. Of all motors of the catalogue with thermal data, and all "
            "gearboxes, this is the lightest pair that satisfies every limit:\n",
        )
    )
    all_drives = drives()
    thermal_drives = replace(
        all_drives, motors={key: motor for key, motor in all_drives.motors.items() if motor.heat is not None}
    )
    sizing = size_drives(
        robot,
        task,
        thermal_drives,
        joints=[EXAMPLE_JOINT],
        search=SearchOptions(samples=EXAMPLE_SAMPLES, method="enumerate"),
    )
    console.print(_choice_table(sizing))
    console.print(_limit_table(sizing.analysis))
    return report(sizing, folder / "scara_pick.html")


def _choice_table(sizing: Sizing) -> Table:
    table = Table("joint", "motor", "gearbox", title="Chosen", title_justify="left")
    for column in ("mass [kg]", "kp [Nm/rad]", "kd [Nms/rad]"):
        table.add_column(column, justify="right")
    for joint, choice in sizing.choices.items():
        gains = sizing.gains[joint]
        box = choice.gearbox.key if choice.gearbox else ""
        table.add_row(joint, choice.motor.key, box, *map(number_text, (choice.mass, gains.kp, gains.kd)))
    return table


def _limit_table(analysis: Analysis) -> Table:
    table = Table("limit", title="Limits with the smallest margins", title_justify="left")
    for column in ("value", "allowed", "margin"):
        table.add_column(column, justify="right")
    for check in sorted_by_margin(analysis.limits)[:MAX_EXAMPLE_LIMITS]:
        required, allowed = (f"{number_text(x)} {check.unit}" for x in (check.value, check.limit))
        table.add_row(check.name, required, allowed, f"{check.margin:.0%}")
    return table
