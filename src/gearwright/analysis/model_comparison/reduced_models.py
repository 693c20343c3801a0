"""Errors of the reduced models of an elastic machine over a motion of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.functions import actuator_torques, inverse_dynamics, structure_matrix
from gearwright.functions.elastic.elastic_machines import MotorMotion, motor_motion, required_derivative_orders
from gearwright.functions.elastic.shaft_equations import driven_speeds, elastic_machine, stiffness_and_damping
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.mechanism.units import force_unit
from gearwright.motion import Trajectory
from gearwright.plots import NotebookFigure, Panel, panel_figure, save_if_path
from gearwright.programs import approximate
from gearwright.text import listed_names

REDUCED_MODELS = ("nicosia_tomei", "spong", "spong_bare", "rigid")


class ReductionError(NamedTuple):
    """Error of a reduced model at one motor, at the joint side.

    Largest and root-mean-square error of its torque and the exact peak [Nm, N]; largest error of its position [rad, m].
    """

    kind: str
    motor: str
    largest: float
    rms: float
    peak: float
    position_error: float


@dataclass(frozen=True)
class ReductionComparison(NotebookFigure):
    """Motor motion and torques for one motion of the joints, exact and by reduced models.

    Args:
        mech: the machine without its dampers.
        t: times (T,).
        exact: the exact motion of the whole machine.
        reduced: kind -> the motion of that model; motors of a rigid model have the positions of their joints.
    """

    mech: Mechanism
    t: Array
    exact: MotorMotion
    reduced: dict[str, MotorMotion]

    def reduction_errors(self) -> list[ReductionError]:
        """One row per model and shaft with a motor."""
        rows = []
        for kind, reduced in self.reduced.items():
            for k in self._motor_shafts():
                error = reduced.tau[:, k] - self.exact.tau[:, k]
                place = float(np.abs(reduced.q[:, k] - self.exact.q[:, k]).max())
                numbers = float(np.abs(error).max()), float(np.sqrt(np.mean(error**2)))
                peak = float(np.abs(self.exact.tau[:, k]).max())
                rows.append(ReductionError(kind, self.mech.speeds[k], *numbers, peak, place))
        return rows

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the exact torque of each motor and the errors of the models; with `path` it is also saved."""
        panels = []
        for k in self._motor_shafts():
            motor, unit = self.mech.speeds[k], force_unit(self.mech, self.mech.speeds[k])
            errors = {kind: x.tau[:, k] - self.exact.tau[:, k] for kind, x in self.reduced.items()}
            panels.append(Panel(f"torque [{unit}]", {"exact": self.exact.tau[:, k]}, title=motor))
            panels.append(Panel(f"error [{unit}]", errors, title=motor))
        return save_if_path(panel_figure(self.t, "time [s]", panels, columns=2), path)

    def _motor_shafts(self) -> list[int]:
        """Indices of the shafts with a motor."""
        driven = driven_speeds(self.mech)
        return [k for k in range(first_shaft(self.mech), self.mech.n) if driven[k]]


@check_arguments
def compare_reductions(
    mech: RobotOrMech, trajectory: Trajectory, kinds: Sequence[str] = REDUCED_MODELS, count: int = 201
) -> ReductionComparison:
    """Compare motor motion and torques of reduced models (see `approximate`) with the exact ones for a joint motion.

    Dampers of springs are neglected. The trajectory should have as many continuous derivatives as
    `required_derivative_orders` returns; otherwise the exact torques jump.

    Args:
        mech: a machine with elastic drives.
        trajectory: motion of its joints, without shafts; with closed loops, of the independent ones.
        kinds: reduced models.
        count: samples.
    """
    mech = elastic_machine("compare_reductions", mech)
    whole_number("compare_reductions", "count", count, least=2, example=201)
    free = approximate(mech, "undamped")
    order = max(required_derivative_orders(free).values())
    joints = first_shaft(mech)
    if trajectory.at(0.0).shape[-1] != joints:
        raise InputError(
            f"compare_reductions: the trajectory has {trajectory.at(0.0).shape[-1]} joints, the machine {joints} "
            f"({listed_names(mech.speeds[:joints])})."
        )
    t = np.linspace(0.0, trajectory.duration, count)
    motion = [trajectory.at(t, k) for k in range(order + 1)]
    reduced = {kind: _model_motor_motion(free, kind, motion) for kind in kinds}
    return ReductionComparison(free, t, _model_motor_motion(free, "exact", motion), reduced)


def _model_motor_motion(mech: Mechanism, kind: str, motion: Sequence[Array]) -> MotorMotion:
    simple = approximate(mech, kind)
    if simple.shafts:
        q, v, a, jerk, snap, *more = motion
        return motor_motion(simple, q, v, a, jerk, snap, more)
    q, v, a = motion[:3]
    shaft_matrix = rigid_shaft_matrix(mech).T
    torques = actuator_torques(simple, inverse_dynamics(simple, q, v, a))
    return MotorMotion(q @ shaft_matrix, v @ shaft_matrix, a @ shaft_matrix, torques @ structure_matrix(mech).T)


def rigid_shaft_matrix(mech: Mechanism) -> Array:
    """E (n, joints): all speeds from the joint speeds with rigid springs, K_e E = 0."""
    K, first = stiffness_and_damping(mech)[0], first_shaft(mech)
    follow = -np.linalg.solve(K[first:, first:], K[first:, :first])
    return np.concatenate([np.eye(first), follow])
