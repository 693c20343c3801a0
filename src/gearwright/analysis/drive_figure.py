"""The torque of a motor over its speed, and what data sheets, voltage and gearbox allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gearwright.analysis.motor_limits import motor_limit
from gearwright.plots.envelope import envelope

if TYPE_CHECKING:
    from gearwright.analysis.drive_analysis import DriveAnalysis


def drive_figure(drive: DriveAnalysis, beside: DriveAnalysis | None) -> Any:
    """The figure of a drive, with the same drive in a closed loop beside it, drawn thin."""
    sheet = drive.motor_sheet
    return envelope(
        drive.motor_speed,
        drive.motor_torque,
        title=drive.name,
        axes=("motor speed [rad/s]", "motor torque [Nm]"),
        continuous=None if sheet is None else sheet.continuous_torque,
        peak=motor_limit(drive.motor, sheet, "max_torque")[0],
        top=motor_limit(drive.motor, sheet, "max_speed")[0],
        winding=drive.winding_line,
        gearbox=_gearbox_bounds(drive),
        beside=None if beside is None else (beside.motor_speed, beside.motor_torque),
    )


def _gearbox_bounds(drive: DriveAnalysis) -> tuple[float | None, float | None]:
    """Input speed and, at the motor, peak torque that the gearbox allows."""
    box = drive.gearbox_sheet
    if box is None or drive.gear is None:
        return None, None
    torque = None if box.peak_torque is None else box.peak_torque / abs(float(drive.gear.ratio))
    return box.peak_input_speed, torque
