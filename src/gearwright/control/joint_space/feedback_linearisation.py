"""Feedback linearisation of elastic joints: every link moves as four integrators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.control.joint_side import JointSideLaw, joint_side
from gearwright.control.joint_tracking import Gains, minus
from gearwright.control.references import WORDS, entries, reference_of
from gearwright.dynamics.elastic_drives import Step, motor_motion
from gearwright.dynamics.elimination import solve
from gearwright.dynamics.forward_dynamics import forward_dynamics
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place
from gearwright.errors import InputError
from gearwright.functions.elastic.shaft_equations import plan
from gearwright.mechanism import Mechanism, RobotOrMech, approximate, machine_of
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.controllers.law_controller import LawController, law_controller

CALLER = "control.feedback_linearisation"
SNAP = 4
"""The derivative of a link's position that a motor's torque decides."""


@dataclass(frozen=True)
class FeedbackLinearisation(JointSideLaw):
    """The motors' torques that give the links the snap q_ref'''' + k3 e''' + k2 e'' + k1 e' + k0 e.

    Args:
        mech: the controlled machine.
        known: the model: springs without dampers, rotors that do not push on the links.
        steps: which equations decide which shafts.
        gains: k0, k1, k2, k3.
    """

    mech: Mechanism
    known: Mechanism
    steps: tuple[Step, ...]
    gains: Gains

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "feedback_linearisation"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position to snap of the links."""
        return entries(self.mech, self.side.count, SNAP + 1)

    @property
    def model(self) -> Mechanism:
        """The machine it computes with."""
        return self.known

    def decide(self, measured: Measurement) -> Decision:
        """From the state follow acceleration and jerk of the links; with the wanted snap the torques."""
        count = self.side.count
        a = forward_dynamics(place(measured.model, measured.q, measured.ops), measured.v, [0.0] * self.mech.n)[:count]
        motion = [
            measured.q[:count],
            measured.v[:count],
            a,
            _jerk(measured.model, measured.q, measured.v, a, measured.ops),
        ]
        snap = list(measured.reference[WORDS[SNAP]])
        for word, gain, found in zip(WORDS, self.gains, motion, strict=False):
            errors = minus(measured.reference[word], found)
            snap = [x + gain * e for x, e in zip(snap, errors, strict=True)]
        tau = motor_motion(measured.model, self.steps, [*motion, snap], measured.ops)[3]
        return Decision([tau[k] for k in self.side.driven])


def _jerk(
    mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar], ops: Operations
) -> list[Scalar]:
    """The links' jerk, from the rate of their equations: M jerk = -(rate of all else)."""
    count = len(a)
    motion = [Taylor.of_derivatives([q[k], v[k], a[k], 0.0]) for k in range(count)]
    motion += [Taylor.of_derivatives([q[k], v[k], 0.0, 0.0]) for k in range(count, mech.n)]
    rates = [x.rate() for x in motion]
    forces = inverse_dynamics(place(mech, motion, TaylorOperations(ops)), rates, [x.rate() for x in rates])
    M = mass_matrix(place(mech, q, ops))
    links = [row[:count] for row in M[:count]]
    others = [frozenset(range(count)) - {k} for k in range(count)]
    return solve(links, others, list(range(count)), [-force.c[1] for force in forces[:count]])


@check_arguments
def feedback_linearisation(
    robot: RobotOrMech, reference: Any, frequency: float = 20.0, model: str = "spong"
) -> LawController:
    r"""Feedback linearisation of a machine whose joints are all elastic (Spong): links as four integrators.

    With rotors that do not push on the links, $M(q) \ddot q + n(q, \dot q) = K (\theta - q)$, position and speed of
    links and motors give acceleration and jerk of the links, and the torques decide their snap. The errors then obey
    $(d/dt + \omega)^4 e = 0$. The push of rotors and the dampers of springs are left out of the controller's model (a
    torque would have to act through them), and remain as a disturbance.

    Args:
        robot: the robot, or a machine; every joint has one motor behind one spring.
        reference: a Trajectory of the joints (smooth to its third derivative), a function of time that returns (q, v,
            a, jerk, snap), or a configuration to hold.
        frequency: four poles at minus this [rad/s].
        model: "spong", or "spong_bare" (see `gw.approximate`).
    """
    mech = machine_of(CALLER, robot)
    side = joint_side(CALLER, mech)
    w = number(CALLER, "frequency", frequency, above=0.0, unit="rad/s", example=20.0)
    if len(mech.shafts) != side.count:
        raise InputError(
            f"{CALLER}: {len(mech.shafts)} shafts for {side.count} joints; every joint must have one motor behind one "
            "spring. Use state_feedback, or computed_torque, which takes springs as stiff."
        )
    known = approximate(approximate(mech, "undamped"), model)
    steps = plan(known)
    if steps.order != SNAP:
        raise InputError(
            f"{CALLER}: with model={model!r} the motors need the derivative {steps.order} of the links' motion, not "
            "the snap. Use model='spong'."
        )
    gains = tuple(float(x) for x in np.poly(np.full(SNAP, -w))[:0:-1])
    found = reference_of(CALLER, reference, mech, SNAP + 1)
    law = FeedbackLinearisation(mech, known, steps.steps, gains)
    return law_controller(law, found.at, found.breaks)
