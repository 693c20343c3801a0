"""Feedback linearisation of elastic joints: every link becomes a chain of four integrators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import time_coefficient
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.control.in_larger_machine import joint_controller
from gearwright.control.joint_side import JointSide, JointSideLaw, joint_side
from gearwright.control.joint_tracking import Gains, subtract_vectors
from gearwright.control.references import REFERENCE_NAMES, read_reference, reference_entries
from gearwright.dynamics.closed_loops.closed_dynamics import forward_dynamics, placed_machine
from gearwright.dynamics.elastic_drives import ShaftStep, force_series, motor_motion
from gearwright.dynamics.elimination import solve_by_elimination
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.errors import InputError
from gearwright.functions.elastic.shaft_equations import elastic_machine, plan_shafts
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import approximate
from gearwright.system import LawController
from gearwright.system.controllers.control_law import Decision, Measurement

FEEDBACK_LINEARISATION_CALLER = "control.feedback_linearisation"
SNAP_ORDER = 4
"""Order of the derivative of a link's position that is determined by the motor torque."""


@dataclass(frozen=True)
class FeedbackLinearisationLaw(JointSideLaw):
    """The motors' torques that give the links the snap q_ref'''' + k3 e''' + k2 e'' + k1 e' + k0 e.

    Args:
        mech: the controlled machine.
        inverse_model: the model: springs without dampers, rotors without reaction on the links.
        steps: order in which the equations determine the shafts.
        gains: k0, k1, k2, k3.
    """

    mech: Mechanism
    inverse_model: Mechanism
    steps: tuple[ShaftStep, ...]
    gains: Gains

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "feedback_linearisation"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position to snap of the links."""
        return reference_entries(self.mech, self.joint_side.joint_count, SNAP_ORDER + 1)

    @property
    def model(self) -> Mechanism:
        """The model of the controller."""
        return self.inverse_model

    def decide(self, measured: Measurement) -> Decision:
        """Return the torques for the desired snap; acceleration and jerk of the links follow from the state."""
        count, q = self.joint_side.joint_count, [measured.q[k] for k in self.mech.independent_indices]
        pose, speed_map = placed_machine(measured.model, measured.q, measured.ops)
        a = forward_dynamics(pose, speed_map, measured.v, [0.0] * self.mech.n)[:count]
        jerk = _link_jerk(measured.model, q, measured.v, a, measured.q, measured.ops)
        motion = [q[:count], measured.v[:count], a, jerk]
        snap = list(measured.reference[REFERENCE_NAMES[SNAP_ORDER]])
        for name, gain, value in zip(REFERENCE_NAMES, self.gains, motion, strict=False):
            errors = subtract_vectors(measured.reference[name], value)
            snap = [x + gain * e for x, e in zip(snap, errors, strict=True)]
        tau = motor_motion(measured.model, self.steps, [*motion, snap], measured.ops, near=measured.q)[3]
        return Decision([tau[k] for k in self.joint_side.driven_speeds])


def _link_jerk(
    mech: Mechanism,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    whole: Sequence[Scalar],
    ops: Operations,
) -> list[Scalar]:
    """Return the jerk of the links from the time derivative of their equations of motion.

    q are the coordinates of the speeds v, independent ones of closed loops, and `whole` is the whole configuration.
    """
    count = len(a)
    motion = [Taylor.of_derivatives([q[k], v[k], a[k], 0.0]) for k in range(count)]
    motion += [Taylor.of_derivatives([q[k], v[k], 0.0, 0.0]) for k in range(count, mech.n)]
    forces = [time_coefficient(x, 1) for x in force_series(mech, motion, TaylorOperations(ops), whole)]
    pose, speed_map = placed_machine(mech, whole, ops)
    M = speed_map.congruent(mass_matrix(pose))
    links = [row[:count] for row in M[:count]]
    neighbours = [frozenset(range(count)) - {k} for k in range(count)]
    return solve_by_elimination(links, neighbours, list(range(count)), [-x for x in forces[:count]])


@check_arguments
def feedback_linearisation(
    robot: RobotOrMech, reference: Any, frequency: float = 20.0, model: str = "spong"
) -> LawController:
    r"""Return a feedback-linearising controller of a machine with elastic joints only (Spong).

    Without reaction of the rotors on the links, $M(q) \ddot q + n(q, \dot q) = K (\theta - q)$, position and speed of
    links and motors give acceleration and jerk of the links, and the torques determine their snap. The errors then
    satisfy $(d/dt + \omega)^4 e = 0$. The controller's model neglects the reaction of rotors and the dampers of
    springs, which remain as disturbances.

    Args:
        robot: the robot, or a machine; every joint has one motor behind one spring.
        reference: a Trajectory of the joints (smooth to its third derivative), a function of time that returns (q, v,
            a, jerk, snap), or a constant configuration.
        frequency: four poles at minus this [rad/s].
        model: "spong", or "spong_bare" (see `gw.approximate`).
    """
    mech = elastic_machine(FEEDBACK_LINEARISATION_CALLER, robot)
    is_closed_elastic = mech.closure is not None and mech.shafts
    side = JointSide(mech) if is_closed_elastic else joint_side(FEEDBACK_LINEARISATION_CALLER, mech)
    w = real_number(FEEDBACK_LINEARISATION_CALLER, "frequency", frequency, above=0.0, unit="rad/s", example=20.0)
    if len(mech.shafts) != side.joint_count:
        raise InputError(
            f"{FEEDBACK_LINEARISATION_CALLER}: {len(mech.shafts)} shafts for {side.joint_count} joints; every joint "
            "must have one motor behind one "
            "spring. Use state_feedback, or computed_torque, which assumes rigid springs."
        )
    inverse_model = approximate(approximate(mech, "undamped"), model)
    steps = plan_shafts(inverse_model)
    if steps.order != SNAP_ORDER:
        raise InputError(
            f"{FEEDBACK_LINEARISATION_CALLER}: with model={model!r} the motors need derivative {steps.order} of the "
            "link motion, not the snap. Use model='spong'."
        )
    gains = tuple(float(x) for x in np.poly(np.full(SNAP_ORDER, -w))[:0:-1])
    target = read_reference(FEEDBACK_LINEARISATION_CALLER, reference, mech, SNAP_ORDER + 1)
    law = FeedbackLinearisationLaw(mech, inverse_model, steps.steps, gains)
    return joint_controller(law, target.at, target.breaks)
