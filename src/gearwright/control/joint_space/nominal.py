"""Nominal control: forces of a prescribed motion, computed offline and stored in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.control.joint_side import JointSide, joint_side
from gearwright.control.references import Reference
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.forces import Law
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.functions import speed_directions
from gearwright.mechanism import RobotOrMech
from gearwright.motion import Trajectory
from gearwright.motion.csv_columns import read_columns, write_columns
from gearwright.motion_demands.demands import demands, followable_laws
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.text import listed_names

NOMINAL_MOTION_TOLERANCE = 1e-6
"""Largest difference between the motion of a stored control and the reference, relative to the motion's range."""


@dataclass(frozen=True)
class NominalControl:
    """The joint-side forces of one motion, with their motion.

    Args:
        joints: names of the joints.
        t: times [s], (T,).
        q: positions of the joints, (T, joints).
        v: their speeds.
        tau: joint-side forces [Nm, N].
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    v: Array
    tau: Array

    def save(self, path: str | Path) -> Path:
        """Write CSV with columns t, q.<joint>, v.<joint>, tau.<joint>; `load_nominal` reads it."""
        names = [f"{letter}.{joint}" for letter in ("q", "v", "tau") for joint in self.joints]
        write_text(Path(path), write_columns(names, np.column_stack([self.q, self.v, self.tau]), self.t))
        return Path(path)

    @cached_property
    def _force_curve(self) -> Any:
        from scipy.interpolate import PchipInterpolator

        return PchipInterpolator(self.t, self.tau)

    def forces_at(self, t: Array) -> Array:
        """Return the forces at times, (T, joints); constant before the start and after the end."""
        forces: Array = self._force_curve(np.clip(t, self.t[0], self.t[-1]))
        return forces

    def require_motion(self, caller: str, reference: Reference, side: JointSide) -> None:
        """Raise an error for a control that was computed for another motion or other joints."""
        if self.joints != side.joint_names:
            raise InputError(
                f"{caller}: the stored control is for the joints {listed_names(self.joints)}, the machine has "
                f"{listed_names(side.joint_names)}. Compute the nominal control of this machine."
            )
        motion = reference.source
        if (
            isinstance(motion, Trajectory)
            and abs(motion.duration - self.t[-1]) > NOMINAL_MOTION_TOLERANCE * motion.duration
        ):
            raise InputError(
                f"{caller}: the stored control lasts {self.t[-1]:g} s, the motion {motion.duration:g} s. It does not "
                "belong to this motion. Compute the nominal control of this motion."
            )
        targets, count = reference.at(self.t), side.joint_count
        for letter, stored, reference_values in (
            ("q", self.q, targets[:, :count]),
            ("v", self.v, targets[:, count : 2 * count]),
        ):
            deviation = np.abs(stored - reference_values)
            row, joint = np.unravel_index(int(np.argmax(deviation)), deviation.shape)
            if deviation[row, joint] > NOMINAL_MOTION_TOLERANCE * (1 + np.abs(reference_values).max()):
                raise InputError(
                    f"{caller}: the stored control does not belong to this motion: at t = {self.t[row]:g} s "
                    f"{letter}.{self.joints[joint]} is {reference_values[row, joint]:g}, but {stored[row, joint]:g} in "
                    "the stored control. Compute the nominal control of this motion."
                )


@check_arguments
def nominal_control(
    robot: RobotOrMech,
    motion: Trajectory,
    samples: int = 1001,
    *,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
) -> NominalControl:
    """Return the forces of a motion, with friction and losses of the robot's file, as a nominal control.

    Args:
        robot: the robot, or a machine.
        motion: the motion of the joints; with closed loops, of the independent ones.
        samples: least number of times.
        laws: laws that replace those of the robot, with a warning that lists the omitted ones; () for none.
        extra_laws: laws added to those of the robot.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> stored = gw.control.nominal_control(gw.load("elbow"), polynomial([0, 0, 0], [1, 0.5, 0], 1.0), 11)
    >>> stored.joints, stored.tau.shape
    (('j1', 'j2', 'j3'), (12, 3))
    """
    mech = machine_of("control.nominal_control", robot)
    side = joint_side("control.nominal_control", mech)
    choice = choose_laws(
        "control.nominal_control", robot, laws, extra_laws, lambda law_list: followable_laws(law_list, mech.tree)
    )
    motion_demands = demands(
        robot, motion, laws=choice.laws_with_warning("control.nominal_control"), actuators=(), samples=samples
    )
    distinct = np.flatnonzero(np.diff(motion_demands.motion.t, append=np.inf) > 0)
    t, count = motion_demands.motion.t[distinct], side.joint_count
    q, v, tau = (x[distinct] for x in (motion_demands.motion.q, motion_demands.motion.v, motion_demands.tau))
    if isinstance(mech, ClosedMechanism):
        tau = np.einsum("tkj,tk->tj", speed_directions(mech, q), tau)
        return NominalControl(
            side.joint_names, t, q[:, list(mech.independent_indices)], v[:, list(mech.closure.independent)], tau
        )
    tau = tau[:, list(side.driven_speeds)] @ side.speed_matrix[list(side.driven_speeds)]
    return NominalControl(side.joint_names, t, q[:, :count], v[:, :count], tau)


@check_arguments
def load_nominal(path: str | Path) -> NominalControl:
    """Return a nominal control from a file written by `NominalControl.save`."""
    table = read_columns(Path(path), letters=None)
    joints = tuple(name.removeprefix("tau.") for name in table.header if name.startswith("tau."))
    q, v, tau = (table.column_block(letter, joints) for letter in ("q", "v", "tau"))
    return NominalControl(joints, table.time_column(), q, v, tau)
