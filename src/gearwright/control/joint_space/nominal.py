"""Nominal control: the forces of a prescribed motion, computed offline, kept in a file, and recalled."""

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
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion.csv_columns import read_columns, write_columns
from gearwright.motion.trajectory import Trajectory
from gearwright.motion_demands.demands import demands, followable_laws
from gearwright.text import listed

SAME = 1e-6
"""Part of a motion's range by which the motion of a stored control may differ from the reference."""


@dataclass(frozen=True)
class NominalControl:
    """The joint-side forces of one motion, with the motion they belong to.

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
        """Write CSV with columns t, q.<joint>, v.<joint>, tau.<joint>; `recall` reads it."""
        names = [f"{letter}.{joint}" for letter in ("q", "v", "tau") for joint in self.joints]
        write_text(Path(path), write_columns(names, np.column_stack([self.q, self.v, self.tau]), self.t))
        return Path(path)

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import PchipInterpolator

        return PchipInterpolator(self.t, self.tau)

    def at(self, t: Array) -> Array:
        """The forces at times, (T, joints); before and after they stay as at the ends."""
        found: Array = self._curve(np.clip(t, self.t[0], self.t[-1]))
        return found

    def require_motion(self, caller: str, reference: Reference, side: JointSide) -> None:
        """Refuse a control that was computed for another motion or other joints."""
        if self.joints != side.names:
            raise InputError(
                f"{caller}: the stored control is for the joints {listed(self.joints)}, the machine has "
                f"{listed(side.names)}. Compute the nominal control of this machine."
            )
        motion = reference.given
        if isinstance(motion, Trajectory) and abs(motion.duration - self.t[-1]) > SAME * motion.duration:
            raise InputError(
                f"{caller}: the stored control lasts {self.t[-1]:g} s, the motion {motion.duration:g} s: it does not "
                "belong to it. Compute the nominal control of this motion."
            )
        wanted, count = reference.at(self.t), side.count
        for word, stored, there in (("q", self.q, wanted[:, :count]), ("v", self.v, wanted[:, count : 2 * count])):
            apart = np.abs(stored - there)
            row, joint = np.unravel_index(int(np.argmax(apart)), apart.shape)
            if apart[row, joint] > SAME * (1 + np.abs(there).max()):
                raise InputError(
                    f"{caller}: the stored control does not belong to this motion: at t = {self.t[row]:g} s "
                    f"{word}.{self.joints[joint]} is {there[row, joint]:g} here and was {stored[row, joint]:g} when it "
                    "was computed. Compute the nominal control of this motion."
                )


@check_arguments
def nominal(
    robot: RobotOrMech,
    motion: Trajectory,
    samples: int = 1001,
    *,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
) -> NominalControl:
    """The forces that a motion asks for, friction and losses of the robot's file included, as a control to store.

    Args:
        robot: the robot, or a machine.
        motion: the motion of the joints.
        samples: at how many times at least.
        laws: laws instead of those of the robot, of which a warning names what is left out; () for none.
        extra_laws: laws beside those of the robot.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> stored = gw.control.nominal(gw.load("elbow"), polynomial([0, 0, 0], [1, 0.5, 0], 1.0), 11)
    >>> stored.joints, stored.tau.shape
    (('j1', 'j2', 'j3'), (12, 3))
    """
    mech = machine_of("control.nominal", robot)
    side = joint_side("control.nominal", mech)
    chosen = choose_laws("control.nominal", robot, laws, extra_laws, lambda own: followable_laws(own, mech))
    found = demands(robot, motion, laws=chosen.warned("control.nominal"), actuators=(), samples=samples)
    keep = np.flatnonzero(np.diff(found.motion.t, append=np.inf) > 0)
    t, count = found.motion.t[keep], side.count
    tau = found.tau[keep][:, list(side.driven)] @ side.carried[list(side.driven)]
    return NominalControl(side.names, t, found.motion.q[keep, :count], found.motion.v[keep, :count], tau)


@check_arguments
def recall(path: str | Path) -> NominalControl:
    """A nominal control from the file that `NominalControl.save` wrote."""
    table = read_columns(Path(path), letters=None)
    joints = tuple(name.removeprefix("tau.") for name in table.header if name.startswith("tau."))
    q, v, tau = (table.block(letter, joints) for letter in ("q", "v", "tau"))
    return NominalControl(joints, table.times(), q, v, tau)
