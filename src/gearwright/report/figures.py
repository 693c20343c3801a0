"""The figures of the report as SVG text inside the page."""

from __future__ import annotations

import io
import re
from typing import Any

from gearwright.analysis import Analysis, DriveAnalysis
from gearwright.plots.envelope import envelope

HEADER = re.compile(r"^.*?(?=<svg)", re.DOTALL)


def cycle_figure(analysis: Analysis) -> str:
    """Torques, speeds and temperatures over one cycle."""
    return svg(analysis.plot())


def torque_speed_figures(analysis: Analysis) -> list[str]:
    """Per motor its torque over its speed, and what its data sheet allows."""
    return [svg(_of_motor(name, drive)) for name, drive in analysis.drives.items()]


def _of_motor(name: str, drive: DriveAnalysis) -> Any:
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
    )


def svg(page: Any) -> str:
    """A figure without its XML header, letters as paths: it looks the same on every machine."""
    buffer = io.StringIO()
    page.savefig(buffer, format="svg", metadata={"Date": None})
    return HEADER.sub("", buffer.getvalue())
