r"""Gains of a controller for drives that were chosen: as stiff as the torque allows that the task leaves them.

A step $e$ of the position takes $k_p e = M_{jj} \omega^2 e$ at once. With $e$ a hundredth of the way that the joint
goes in the task and $T$ what is left of the drive's peak torque, $\omega = \sqrt{T / (M_{jj} e)}$, at most FASTEST;
then $k_p = M_{jj} \omega^2$ and $k_d = 2 M_{jj} \omega$ (critical), with the largest $M_{jj}$ of the cycle,
rotors and gears included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gearwright.analysis import Analysis
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.argument_kinds import check_arguments
from gearwright.functions.dynamics import mass_matrix
from gearwright.mechanism import assemble

FASTEST = 100.0
"""Natural frequency [rad/s] that is not exceeded: sampling and what is elastic would be felt."""
SHARE = 0.01
"""Of the way that a joint goes in the task: the error for whose correction the torque must suffice."""
SHORTEST = 1e-3
"""The way [rad, m] that a joint which hardly moves is taken to go."""


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
    """Per joint that has a drive its gains.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> swing = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> gains = controller_gains(gw.analyse(gw.load("elbow"), gw.design.Task([swing])))
    >>> gains["j1"].frequency                               # nothing limits these motors
    100.0
    """
    mech = assemble(analysis.robot)
    motion = analysis.demands.motion
    felt = np.diagonal(mass_matrix(mech, motion.q), axis1=1, axis2=2).max(axis=0)
    found = {}
    for drive in analysis.drives.values():
        if drive.joint not in mech.speeds[: mech.n - len(mech.shafts)]:
            continue
        at = mech.speeds.index(drive.joint)
        way = max(float(np.ptp(motion.q[:, at])), SHORTEST) if mech.nq == mech.n else SHORTEST
        inertia = float(felt[at])
        torque = min(_left(analysis, drive), default=np.inf)
        frequency = min(float(np.sqrt(max(torque, 0.0) / (inertia * SHARE * way))), FASTEST)
        found[drive.joint] = JointGains(frequency, inertia * frequency**2, 2 * inertia * frequency)
    return found


def _left(analysis: Analysis, drive: DriveAnalysis) -> Iterator[float]:
    """What the limits leave of the torque at the joint."""
    ratio = 1.0 if drive.gear is None else abs(float(drive.gear.ratio))
    constant = float(drive.motor.torque_constant or 0.0)
    at_joint = {"peak motor torque": ratio, "peak current": constant * ratio, "joint torque": 1.0, "joint force": 1.0}
    for check in analysis.limits:
        owner, _, what = check.name.partition(": ")
        if owner == drive.name and what in at_joint:
            yield (check.limit - check.value) * at_joint[what]
    if drive.winding_line is not None:
        yield (drive.winding_line[0] - drive.peak_motor_torque) * ratio
