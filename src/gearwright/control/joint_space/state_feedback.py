"""State feedback: q and v of rigid machines, with elastic drives also those of the motors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_function, number_array
from gearwright.arrays import Array
from gearwright.control.gains import balanced_configuration
from gearwright.control.in_larger_machine import joint_controller
from gearwright.control.joint_side import JointSide, JointSideLaw, SparseRows, joint_side, sparse_product, sparse_rows
from gearwright.control.joint_tracking import add_vectors, configuration_error, subtract_vectors
from gearwright.control.references import REFERENCE_NAMES, Reference, read_reference
from gearwright.errors import InputError
from gearwright.functions import inverse_dynamics
from gearwright.functions.elastic.shaft_equations import plan_shafts
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.motion import Trajectory
from gearwright.motion_demands.shaft_motion.whole_motion import whole_motion
from gearwright.programs import approximate, machine_of
from gearwright.system import LawController
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.system import System
from gearwright.text import listed_names

STATE_FEEDBACK_CALLER, TAU_REFERENCE = "control.state_feedback", "tau_ref"
MOTOR_MOTION_SAMPLES = 1001
"""Number of times at which the motor motion is computed; quintic polynomials interpolate between them."""


@dataclass(frozen=True)
class StateFeedbackLaw(JointSideLaw):
    """tau = tau_ref + K [q_ref - q; v_ref - v] on the driven speeds, with references of all speeds, shafts included.

    Args:
        mech: the controlled machine.
        gains: K, a row per driven speed over [q, v].
    """

    mech: Mechanism
    gains: SparseRows

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "state_feedback"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position and speed of joints and shafts, and the corresponding forces."""
        driven = tuple(self.mech.speeds[k] for k in self.joint_side.driven_speeds)
        return {
            REFERENCE_NAMES[0]: self.mech.independent_coordinates,
            REFERENCE_NAMES[1]: tuple(self.mech.speeds),
            TAU_REFERENCE: driven,
        }

    def decide(self, measured: Measurement) -> Decision:
        """Return the nominal forces plus the gains times the errors."""
        q_ref, v_ref, tau = measured.reference.values()
        errors = [
            *configuration_error(self.mech, measured.q, q_ref, measured.ops),
            *subtract_vectors(v_ref, measured.v),
        ]
        return Decision(add_vectors(tau, sparse_product(self.gains, errors)))


@check_arguments
def state_feedback(
    robot: RobotOrMech, reference: Any, K: ArrayLike, model: RobotOrMech | str | None = None
) -> LawController:
    r"""Return a state-feedback controller with nominal forces: $\tau = \tau_r + K\,[q_r - q;\ v_r - v]$.

    With elastic drives the joint reference is completed by the motion of the motors and their torques
    (`gw.motor_motion`): a feedforward through the springs. Zero columns of K need no measurement: motor-side feedback
    has zeros at the joints, link-side feedback zeros at the motors. `gw.control.lqr` and `gw.control.poles` compute
    gains.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, or a constant configuration of the joints.
        K: gains, (driven speeds, 2 n): a row per joint or motor shaft that is driven, columns [q, v].
        model: another machine of the same speeds for the nominal forces, such as "spong", whose motors need fewer
            derivatives of the motion.
    """
    mech = machine_of(STATE_FEEDBACK_CALLER, robot)
    side = joint_side(STATE_FEEDBACK_CALLER, mech)
    rows = number_array(STATE_FEEDBACK_CALLER, "K", K, axes=2)
    if rows.shape != (side.joint_count, 2 * mech.n):
        raise InputError(
            f"{STATE_FEEDBACK_CALLER}: K has shape {rows.shape}; it must be ({side.joint_count}, {2 * mech.n}): a row "
            f"for each of {listed_names(side.output_names)}, columns for q and v of {listed_names(mech.speeds)}."
        )
    nominal_model = _nominal_model(mech, model)
    target = _full_reference(reference, mech, nominal_model, side)
    return joint_controller(StateFeedbackLaw(mech, sparse_rows(rows)), target.at, target.breaks)


def _nominal_model(mech: Mechanism, model: RobotOrMech | str | None) -> Mechanism:
    result = (
        mech
        if model is None
        else approximate(mech, model)
        if isinstance(model, str)
        else machine_of(STATE_FEEDBACK_CALLER, model)
    )
    if tuple(result.speeds) != tuple(mech.speeds):
        raise InputError(
            f"{STATE_FEEDBACK_CALLER}: the model has the speeds {listed_names(result.speeds)}; it must have those of "
            "the robot."
        )
    return result


def _full_reference(source: Any, mech: Mechanism, model: Mechanism, side: JointSide) -> Reference:
    """Return references of all speeds and the forces, for a motion of the joints."""
    orders = plan_shafts(model).order + 1 if mech.shafts else 3
    if is_function(source) and not isinstance(source, Trajectory):
        raise InputError(f"{STATE_FEEDBACK_CALLER}: give a Trajectory of the joints, or a constant configuration.")
    if isinstance(source, Trajectory) and mech.shafts and source.smoothness < orders - 2:
        raise InputError(
            f"{STATE_FEEDBACK_CALLER}: the motion has {source.smoothness} continuous derivatives, the motors need "
            f"{orders - 2}. Plan a "
            "smoother one (motion.moving_average adds a derivative), or give model='spong', which needs 3."
        )
    motion, breaks = _full_motion(source, mech, model, side)
    driven = list(side.driven_speeds)

    def reference_at(t: Array) -> Array:
        q, v, a = motion(t)
        return np.concatenate([q, v, inverse_dynamics(model, q, v, a)[:, driven]], axis=-1)

    return Reference(reference_at, breaks, source)


def _full_motion(
    source: Any, mech: Mechanism, model: Mechanism, side: JointSide
) -> tuple[Callable[[Array], Sequence[Array]], tuple[float, ...]]:
    """Return a function times -> (q, v, a) of all speeds, and its knots."""
    base = read_reference(STATE_FEEDBACK_CALLER, source, mech)
    if not mech.shafts:
        count = len(mech.independent_indices)
        return lambda t: np.split(base.at(t), [count, count + mech.n], axis=-1), base.breaks
    if isinstance(source, Trajectory):
        motion = whole_motion(System(model), source, None, {}, 0, MOTOR_MOTION_SAMPLES)
        return lambda t: [motion.at(t, k) for k in range(3)], base.breaks
    joints = base.at(np.zeros(1))[0, : side.joint_count]
    rest_state = balanced_configuration(model, joints), np.zeros(mech.n), np.zeros(mech.n)
    return lambda t: [np.tile(x, (len(t), 1)) for x in rest_state], ()
