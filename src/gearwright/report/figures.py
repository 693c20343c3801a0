"""The figures of the report as SVG text inside the page."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from gearwright.analysis import Analysis, DriveAnalysis, PerturbedAnalysis
from gearwright.plots import Panel, figure
from gearwright.plots.envelope import envelope

HEADER = re.compile(r"^.*?(?=<svg)", re.DOTALL)


def cycle_figure(analysis: Analysis) -> str:
    """Torques, speeds and temperatures over one cycle."""
    return svg(analysis.plot())


def loop_figure(found: PerturbedAnalysis) -> str:
    """How far the tip and the joints are from the motion in the closed loop."""
    panels = [] if found.tip_error is None else [Panel("tip [mm]", {"tip": 1e3 * found.tip_error})]
    names = [name.removeprefix("q.") for name in found.run.series if name.startswith("q.")]
    for unit in ("rad", "m"):
        mine = [k for k in range(found.joint_error.shape[1]) if found.run.units.get(f"q.{names[k]}") == unit]
        if mine:
            panels.append(Panel(f"joints [m{unit}]", {names[k]: 1e3 * found.joint_error[:, k] for k in mine}))
    return svg(figure(found.run.t, "time [s]", panels, columns=len(panels)))


def link_figures(analysis: Analysis) -> list[str]:
    """Per link its largest stress along the beam over the cycle, and what the material bears."""
    found = []
    for name, link in analysis.links.items():
        curves = {f"{name}, largest": link.stress.max(axis=0) / 1e6}
        if link.peak_stress > 0.2 * link.strength:  # else it would press the curve flat
            curves["strength"] = np.full(len(link.loads.places), link.strength / 1e6)
        panel = Panel("stress [MPa]", curves)
        found.append(svg(figure(link.loads.places, "distance from the joint [m]", [panel])))
    return found


def torque_speed_figures(analysis: Analysis) -> list[str]:
    """Per motor its torque over its speed, and what its data sheet and its gearbox allow."""
    beside = None if analysis.perturbed is None else analysis.perturbed.drives
    return [
        svg(_of_motor(name, drive, None if beside is None else beside[name])) for name, drive in analysis.drives.items()
    ]


def _of_motor(name: str, drive: DriveAnalysis, other: DriveAnalysis | None) -> Any:
    sheet, motor = drive.motor_sheet, drive.motor
    return envelope(
        drive.motor_speed,
        drive.motor_torque,
        title=name,
        axes=("motor speed [rad/s]", "motor torque [Nm]"),
        continuous=None if sheet is None else sheet.continuous_torque,
        peak=motor.max_torque,
        top=motor.max_speed,
        winding=drive.winding_line,
        gearbox=_gearbox(drive),
        beside=None if other is None else (other.motor_speed, other.motor_torque),
    )


def _gearbox(drive: DriveAnalysis) -> tuple[float | None, float | None]:
    """Input speed and, at the motor, peak torque that the gearbox allows."""
    box = drive.gearbox_sheet
    if box is None or drive.gear is None:
        return None, None
    torque = None if box.peak_torque is None else box.peak_torque / abs(float(drive.gear.ratio))
    return box.peak_input_speed, torque


def svg(page: Any) -> str:
    """A figure without its XML header, letters as paths: it looks the same on every machine."""
    buffer = io.StringIO()
    page.savefig(buffer, format="svg", metadata={"Date": None})
    return HEADER.sub("", buffer.getvalue())
