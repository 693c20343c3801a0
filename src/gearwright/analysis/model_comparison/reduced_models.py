"""What the reduced models of an elastic machine get wrong over a motion of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.functions.actuation import actuator_torques, structure_matrix
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.functions.elastic.elastic_machines import MotorMotion, motor_motion, needed_derivatives
from gearwright.functions.elastic.shaft_equations import stiffness_and_damping
from gearwright.mechanism import Mechanism, RobotOrMech, approximate, machine_of
from gearwright.mechanism.units import force_unit
from gearwright.motion import Trajectory
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.text import listed

REDUCTIONS = ("nicosia_tomei", "spong", "spong_bare", "rigid")


class ReductionMiss(NamedTuple):
    """How far a reduced model is off at one motor, at the joint side.

    Largest and root-mean-square error of its torque and the exact peak [Nm, N]; largest error of its place [rad, m].
    """

    kind: str
    motor: str
    largest: float
    rms: float
    peak: float
    place: float


@dataclass(frozen=True)
class ReductionComparison(Shown):
    """Motor motion and torques for one motion of the joints, exact and by reduced models.

    Args:
        mech: the machine, its dampers left out.
        t: times (T,).
        exact: the exact motion of the whole machine.
        reduced: kind -> the motion by that model; a rigid one's motors stand where their joints do.
    """

    mech: Mechanism
    t: Array
    exact: MotorMotion
    reduced: dict[str, MotorMotion]

    def misses(self) -> list[ReductionMiss]:
        """One row per model and shaft with a motor."""
        rows = []
        for kind, found in self.reduced.items():
            for k in self._motors():
                error = found.tau[:, k] - self.exact.tau[:, k]
                place = float(np.abs(found.q[:, k] - self.exact.q[:, k]).max())
                numbers = float(np.abs(error).max()), float(np.sqrt(np.mean(error**2)))
                peak = float(np.abs(self.exact.tau[:, k]).max())
                rows.append(ReductionMiss(kind, self.mech.speeds[k], *numbers, peak, place))
        return rows

    def plot(self, path: str | Path | None = None) -> Any:
        """Per motor the exact torque, and beside it the error of each model; with `path` it is saved too."""
        panels = []
        for k in self._motors():
            motor, unit = self.mech.speeds[k], force_unit(self.mech, self.mech.speeds[k])
            errors = {kind: x.tau[:, k] - self.exact.tau[:, k] for kind, x in self.reduced.items()}
            panels.append(Panel(f"torque [{unit}]", {"exact": self.exact.tau[:, k]}, title=motor))
            panels.append(Panel(f"error [{unit}]", errors, title=motor))
        return saved(figure(self.t, "time [s]", panels, columns=2), path)

    def _motors(self) -> list[int]:
        """Shafts that a motor turns."""
        driven = np.any([np.array(a.row) != 0 for a in self.mech.actuators], axis=0)
        return [k for k in range(first_shaft(self.mech), self.mech.n) if driven[k]]


@check_arguments
def compare_reductions(
    mech: RobotOrMech, trajectory: Trajectory, kinds: Sequence[str] = REDUCTIONS, count: int = 201
) -> ReductionComparison:
    """Motor motion and torques of reduced models (see `approximate`) beside the exact ones, for the same joint motion.

    Dampers of springs are left out. The trajectory should be smooth in as many derivatives as
    `needed_derivatives` names; where it is not, the exact torques jump.

    Args:
        mech: a machine with elastic drives.
        trajectory: a motion of its joints, without shafts.
        kinds: reduced models.
        count: samples.
    """
    mech = machine_of("compare_reductions", mech)
    whole("compare_reductions", "count", count, least=2, example=201)
    free = approximate(mech, "undamped")
    order = max(needed_derivatives(free).values())
    joints = first_shaft(mech)
    if trajectory.at(0.0).shape[-1] != joints:
        raise InputError(
            f"compare_reductions: the trajectory has {trajectory.at(0.0).shape[-1]} joints, the machine {joints} "
            f"({listed(mech.speeds[:joints])})."
        )
    t = np.linspace(0.0, trajectory.duration, count)
    motion = [trajectory.at(t, k) for k in range(order + 1)]
    reduced = {kind: _moved(free, kind, motion) for kind in kinds}
    return ReductionComparison(free, t, _moved(free, "exact", motion), reduced)


def _moved(mech: Mechanism, kind: str, motion: Sequence[Array]) -> MotorMotion:
    simple = approximate(mech, kind)
    if simple.shafts:
        q, v, a, jerk, snap, *more = motion
        return motor_motion(simple, q, v, a, jerk, snap, more)
    q, v, a = motion[:3]
    joined = joined_shafts(mech).T
    torques = actuator_torques(simple, inverse_dynamics(simple, q, v, a))
    return MotorMotion(q @ joined, v @ joined, a @ joined, torques @ structure_matrix(mech).T)


def joined_shafts(mech: Mechanism) -> Array:
    """E (n, joints): how every speed follows the joints when the springs are stiff, K_e E = 0."""
    K, first = stiffness_and_damping(mech)[0], first_shaft(mech)
    follow = -np.linalg.solve(K[first:, first:], K[first:, :first])
    return np.concatenate([np.eye(first), follow])
