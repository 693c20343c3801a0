r"""Controller gains for chosen drives: the highest gains that the torque reserve of the task allows.

A position step $e$ needs the torque $k_p e = M_{jj} \omega^2 e$. With $e$ a hundredth of the travel of the joint in the
task and $T$ the reserve of the drive's peak torque, $\omega = \sqrt{T / (M_{jj} e)}$, at most
`MAX_LOOP_FREQUENCY`; then $k_p = M_{jj} \omega^2$ and $k_d = 2 M_{jj} \omega$ (critical), with the largest $M_{jj}$ of
the cycle, rotors and gears included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gearwright.analysis import Analysis
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_kinds import JOINT_FORCE, JOINT_TORQUE, PEAK_CURRENT, PEAK_MOTOR_TORQUE
from gearwright.argument_kinds import check_arguments
from gearwright.functions.dynamics import mass_matrix
from gearwright.mechanism import assemble_tree

MAX_LOOP_FREQUENCY = 100.0
"""Largest natural frequency [rad/s], for sampling and elasticity."""
CORRECTED_ERROR_RATIO = 0.01
"""Position error, relative to the travel of a joint in the task, for which the torque must suffice."""
MIN_JOINT_TRAVEL = 1e-3
"""Smallest travel [rad, m] of a joint for the gains."""


class JointGains(NamedTuple):
    """Gains at the joint.

    Args:
        frequency: natural, of the closed loop [rad/s], for `gw.control.computed_torque`.
        kp: of the position [Nm/rad, N/m], for `gw.control.pd`.
        kd: of the speed [Nms/rad, Ns/m].
    """

    frequency: float
    kp: float
    kd: float


@check_arguments
def controller_gains(analysis: Analysis) -> dict[str, JointGains]:
    """The gains of each joint with a drive.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> swing = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> gains = controller_gains(gw.analyse(gw.load("elbow"), gw.design.Task([swing])))
    >>> gains["j1"].frequency                               # nothing limits these motors
    100.0
    """
    mech = assemble_tree(analysis.robot)
    motion = analysis.demands.motion
    inertias = np.diagonal(mass_matrix(mech, motion.q), axis1=1, axis2=2).max(axis=0)
    gains = {}
    for drive in analysis.drives.values():
        if drive.joint not in mech.speeds[: mech.n - len(mech.shafts)]:
            continue
        speed_index = mech.speeds.index(drive.joint)
        travel = (
            max(float(np.ptp(motion.q[:, speed_index])), MIN_JOINT_TRAVEL) if mech.nq == mech.n else MIN_JOINT_TRAVEL
        )
        inertia = float(inertias[speed_index])
        torque = min(_remaining_torques(analysis, drive), default=np.inf)
        frequency = min(
            float(np.sqrt(max(torque, 0.0) / (inertia * CORRECTED_ERROR_RATIO * travel))), MAX_LOOP_FREQUENCY
        )
        gains[drive.joint] = JointGains(frequency, inertia * frequency**2, 2 * inertia * frequency)
    return gains


def _remaining_torques(analysis: Analysis, drive: DriveAnalysis) -> Iterator[float]:
    """Torque reserves at the joint by its limits."""
    ratio = 1.0 if drive.gear is None else abs(float(drive.gear.ratio))
    constant = float(drive.motor.torque_constant or 0.0)
    at_joint = {PEAK_MOTOR_TORQUE: ratio, PEAK_CURRENT: constant * ratio, JOINT_TORQUE: 1.0, JOINT_FORCE: 1.0}
    for check in analysis.limits:
        if check.owner == drive.name and check.kind in at_joint:
            yield (check.limit - check.value) * at_joint[check.kind]
    if drive.winding_line is not None:
        yield (drive.winding_line[0] - drive.peak_motor_torque) * ratio
