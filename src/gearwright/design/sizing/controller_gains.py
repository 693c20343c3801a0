r"""Controller gains for chosen drives: the highest gains that the torque reserve of the task allows.

A position step $e$ needs the torque $k_p e = M_{jj} \omega^2 e$. With $e$ a hundredth of the travel of the joint in the
task and $T$ the reserve of the drive's peak torque, $\omega = \sqrt{T / (M_{jj} e)}$, at most
`MAX_LOOP_FREQUENCY`; then $k_p = M_{jj} \omega^2$ and $k_d = 2 M_{jj} \omega$ (critical), with the largest $M_{jj}$ of
the cycle, rotors and gears included. For a motor of a train, all of this is at its shaft: the inertia is the element of
$A^{-1} M A^{-T}$ with the structure matrix A.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gearwright.analysis import Analysis
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_kinds import JOINT_FORCE, JOINT_TORQUE, PEAK_CURRENT, PEAK_MOTOR_TORQUE
from gearwright.argument_kinds import check_arguments
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.design.robot_preparation.sized_drives import drive_coordinates, train_motor_names
from gearwright.functions import mass_matrix
from gearwright.mechanism import assemble_tree

MAX_LOOP_FREQUENCY = 100.0
"""Largest natural frequency [rad/s], for sampling and elasticity."""
CORRECTED_ERROR_RATIO = 0.01
"""Position error, relative to the travel of a joint in the task, for which the torque must suffice."""
MIN_JOINT_TRAVEL = 1e-3
"""Smallest travel [rad, m] of a joint for the gains."""


class JointGains(NamedTuple):
    """Gains at the joint, or at the shaft of a train's motor.

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
    """Return the gains of each joint with a drive, and of each motor of a train by its name.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> swing = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> gains = controller_gains(gw.analyse(gw.load("elbow"), gw.design.Task([swing])))
    >>> gains["j1"].frequency                               # nothing limits these motors
    100.0
    """
    at_joints, at_shafts = _inertias_and_travels(analysis), _shaft_inertias_and_travels(analysis)
    gains = {}
    for drive in analysis.drives.values():
        name = drive.joint or drive.name
        known = at_joints if drive.joint is not None else at_shafts
        if name not in known:
            continue
        inertia, travel = known[name]
        torque = min(_remaining_torques(analysis, drive), default=np.inf)
        frequency = min(
            float(np.sqrt(max(torque, 0.0) / (inertia * CORRECTED_ERROR_RATIO * travel))), MAX_LOOP_FREQUENCY
        )
        gains[name] = JointGains(frequency, inertia * frequency**2, 2 * inertia * frequency)
    return gains


def _inertias_and_travels(analysis: Analysis) -> dict[str, tuple[float, float]]:
    """Per joint the largest inertia and the travel."""
    mech, q = assemble_tree(analysis.robot), analysis.demands.motion.q
    inertias = np.diagonal(mass_matrix(mech, q), axis1=1, axis2=2).max(axis=0)
    travels = np.ptp(q, axis=0) if mech.nq == mech.n else np.zeros(mech.n)
    joints = mech.speeds[: mech.n - len(mech.shafts)]
    return {name: (float(inertias[k]), max(float(travels[k]), MIN_JOINT_TRAVEL)) for k, name in enumerate(joints)}


def _shaft_inertias_and_travels(analysis: Analysis) -> dict[str, tuple[float, float]]:
    """Per motor of a train the largest inertia at its shaft, without springs, and the travel of the shaft."""
    robot = rigid_robot(analysis.robot)
    names, mech = train_motor_names(robot), assemble_tree(robot)
    q = analysis.demands.motion.q[:, : mech.nq]
    if not names or mech.nq != mech.n:
        return {}
    M, result = mass_matrix(mech, q), {}
    for name, shaft in zip(names, drive_coordinates(robot, mech, names), strict=True):
        inertia, travel = (M @ shaft.share @ shaft.share).max(), np.ptp(q @ shaft.row)
        result[name] = float(inertia), max(float(travel), MIN_JOINT_TRAVEL)
    return result


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
