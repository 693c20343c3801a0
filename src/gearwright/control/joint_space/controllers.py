"""Controllers in joint space, and their laws: PD, computed torque, nominal feedforward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.control.joint_side import MOTOR, joint_side, known_feedback, product
from gearwright.control.joint_space.nominal import NominalControl, recall
from gearwright.control.joint_tracking import Gains, Tracking, frequency_gains, model_of, per_joint, plus, scaled
from gearwright.control.references import WORDS, reference_of
from gearwright.dynamics.inverse_dynamics import gravity, inverse_dynamics
from gearwright.dynamics.pose import place
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.text import did_you_mean

# Laws

STORED = "tau_ref"
"""The reference that holds a stored nominal control."""
SCHEMES = ("reference", "measured", "stored")
"""Where a feedforward takes its dynamics: the reference (a), the measured state (b), or a file (a, offline)."""


@dataclass(frozen=True)
class Pd(Tracking):
    """u = kp (q_ref - q) + kd (v_ref - v) + g; with feedback c of the joints' torque (1 + c) u - c torque."""

    kp: Gains = ()
    kd: Gains = ()
    gravity: bool = True
    torque_feedback: float = 0.0

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "pd"

    def decide(self, measured: Measurement) -> Decision:
        """Measured at the motors of elastic drives, gravity is that of the reference, and springs sag under it."""
        found = self.errors(measured)
        u = plus(scaled(self.kp, found.position), scaled(self.kd, found.speed))
        if self.gravity:
            on_motors = bool(self.mech.shafts) and self.feedback == MOTOR
            where = measured.reference[WORDS[0]] if on_motors else found.q
            weight = gravity(place(measured.model, where, measured.ops))
            u = plus(u, weight)
            if on_motors:
                u = plus(u, scaled(self.kp, product(self.side.compliance, weight)))
        if self.torque_feedback:
            felt, c = self.side.joint_torques(measured.q, measured.v), self.torque_feedback
            u = [(1 + c) * x - c * torque for x, torque in zip(u, felt, strict=True)]
        return Decision(self.side.forces(u))


@dataclass(frozen=True)
class ComputedTorque(Tracking):
    """u = M(q) (a_ref + kd (v_ref - v) + kp (q_ref - q)) + C(q, v) v + g(q) of a model."""

    kp: Gains = ()
    kd: Gains = ()
    other: Mechanism | None = None

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "computed_torque"

    @property
    def model(self) -> Mechanism:
        """The machine it computes with."""
        return super().model if self.other is None else self.other

    def decide(self, measured: Measurement) -> Decision:
        """The model's inverse dynamics of the wanted acceleration, corrected by the errors."""
        found = self.errors(measured)
        wanted = plus(measured.reference[WORDS[2]], scaled(self.kd, found.speed), scaled(self.kp, found.position))
        return Decision(
            self.side.forces(inverse_dynamics(place(measured.model, found.q, measured.ops), found.v, wanted))
        )


@dataclass(frozen=True)
class Feedforward(Tracking):
    """u = kp (q_ref - q) + kd (v_ref - v) + nominal control, by one of the schemes."""

    kp: Gains = ()
    kd: Gains = ()
    scheme: str = "reference"
    other: Mechanism | None = None

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "feedforward"

    @property
    def model(self) -> Mechanism:
        """The machine it computes with."""
        return super().model if self.other is None else self.other

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position, speed, acceleration; with a stored control that control in place of the acceleration."""
        motion = dict(super().references)
        if self.scheme == "stored":
            motion.pop(WORDS[2])
            motion[STORED] = self.side.names
        return motion

    def decide(self, measured: Measurement) -> Decision:
        """Feedback, and the nominal control."""
        found = self.errors(measured)
        u = plus(
            scaled(self.kp, found.position), scaled(self.kd, found.speed), self._nominal(measured, found.q, found.v)
        )
        return Decision(self.side.forces(u))

    def _nominal(self, measured: Measurement, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        if self.scheme == "stored":
            return list(measured.reference[STORED])
        if self.scheme == "reference":
            q, v = (list(measured.reference[word]) for word in WORDS[:2])
        return inverse_dynamics(place(measured.model, q, measured.ops), v, measured.reference[WORDS[2]])


# Controllers


@check_arguments
def pd(
    robot: RobotOrMech,
    reference: Any,
    kp: ArrayLike,
    kd: ArrayLike,
    gravity: bool = True,
    *,
    feedback: str = "motor",
    torque_feedback: float = 0.0,
) -> LawController:
    r"""PD control of the joints: $u = K_p (q_r - q) + K_d (v_r - v) + g(q)$.

    Of elastic drives the motors are measured unless `feedback` says "joint"; then $\theta_r = q_r + K^{-1} g(q_r)$ and
    the gravity is that of the reference, so that the joints come to rest at $q_r$ (stable where $K_p$ and the springs
    outweigh the change of gravity). Forces act on the motors, and friction is not compensated.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v, a), or a configuration to hold.
        kp: gain of the position [Nm/rad, N/m], one number or one per joint.
        kd: gain of the speed [Nms/rad, Ns/m].
        gravity: whether the weight is compensated.
        feedback: where elastic drives are measured, "motor", "joint" or "both" (joints' places, motors' speeds).
        torque_feedback: gain c of measured joint torques, $(1 + c) u - c\,\tau_J$: the motors' inertia then appears
            smaller by the factor 1 + c, and vibration behind the springs is damped better. 0: none.

    >>> import gearwright as gw
    >>> control = gw.control.pd(gw.load("elbow"), [0.2, -0.1, 0.3], kp=5000, kd=500)
    >>> run = gw.simulate(gw.load("elbow"), until=3.0, controller=control, samples=4)
    >>> run.q[-1].round(4)
    array([ 0.2, -0.1,  0.3])
    """
    mech, caller = machine_of("control.pd", robot), "control.pd"
    side = joint_side(caller, mech)
    found = reference_of(caller, reference, mech)
    gains = per_joint(caller, "kp", kp, side), per_joint(caller, "kd", kd, side)
    felt = number(caller, "torque_feedback", torque_feedback, least=0.0)
    if felt and not mech.shafts:
        raise InputError(f"{caller}: torque_feedback={felt:g}: the machine has no elastic drive to measure. Use 0.")
    law = Pd(mech, known_feedback(caller, feedback), *gains, bool(gravity), felt)
    return law_controller(law, found.at, found.breaks)


@check_arguments
def computed_torque(
    robot: RobotOrMech,
    reference: Any,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    model: RobotOrMech | str | None = None,
    *,
    feedback: str = "motor",
) -> LawController:
    r"""Computed torque: $u = M(q)(a_r + 2 \zeta \omega (v_r - v) + \omega^2 (q_r - q)) + C(q, v) v + g(q)$.

    With the exact model the errors die out as $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$. Friction and losses
    are not compensated. Of elastic drives the springs are taken as stiff and the motors are measured; what the springs
    do is left out (`gw.control.feedback_linearisation` takes them in).

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v, a), or a configuration to hold.
        frequency: natural frequency of the errors [rad/s], one number or one per joint.
        damping: their damping; 1 is critical.
        model: what the controller knows: another robot or machine of the same joints, or an approximation such as
            "diagonal" (see `gw.approximate`); the robot itself unless given.
        feedback: where elastic drives are measured, "motor", "joint" or "both" (joints' places, motors' speeds).

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> arm, lift = gw.load("elbow"), polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> run = gw.simulate(arm, until=1.0, controller=gw.control.computed_torque(arm, lift, frequency=20), samples=5)
    >>> bool(abs(run.q - lift.at(run.t)).max() < 1e-7)
    True
    """
    mech, caller = machine_of("control.computed_torque", robot), "control.computed_torque"
    side = joint_side(caller, mech)
    found = reference_of(caller, reference, mech)
    gains = frequency_gains(
        per_joint(caller, "frequency", frequency, side, above=0.0), per_joint(caller, "damping", damping, side)
    )
    law = ComputedTorque(mech, known_feedback(caller, feedback), *gains, model_of(caller, model, side))
    return law_controller(law, found.at, found.breaks)


@check_arguments
def feedforward(
    robot: RobotOrMech,
    reference: Any,
    kp: ArrayLike,
    kd: ArrayLike,
    scheme: str = "reference",
    model: RobotOrMech | str | None = None,
    *,
    stored: NominalControl | str | Path | None = None,
    feedback: str = "motor",
) -> LawController:
    r"""PD control with a nominal control: $u = K_p (q_r - q) + K_d (v_r - v) + u^*$.

    Vukobratovic and Potkonjak, figure 20.10: in scheme (a), "reference", $u^* = M(q_r) a_r + C(q_r, v_r) v_r + g(q_r)$
    follows from the reference alone; in scheme (b), "measured", $u^* = M(q) a_r + C(q, v) v + g(q)$ from the measured
    state. "stored" is scheme (a) computed offline by `gw.control.nominal`, friction included, and recalled.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v, a), or a configuration to hold.
        kp: gain of the position [Nm/rad, N/m], one number or one per joint.
        kd: gain of the speed [Nms/rad, Ns/m].
        scheme: "reference", "measured" or "stored".
        model: what the controller knows, as for `computed_torque`.
        stored: a nominal control or the file that has it; it must belong to the reference.
        feedback: where elastic drives are measured, "motor", "joint" or "both" (joints' places, motors' speeds).
    """
    mech, caller = machine_of("control.feedforward", robot), "control.feedforward"
    side = joint_side(caller, mech)
    scheme = _known_scheme(caller, "stored" if stored is not None and scheme == "reference" else scheme)
    found = reference_of(caller, reference, mech)
    gains = per_joint(caller, "kp", kp, side), per_joint(caller, "kd", kd, side)
    law = Feedforward(mech, known_feedback(caller, feedback), *gains, scheme, model_of(caller, model, side))
    if scheme != "stored":
        return law_controller(law, found.at, found.breaks)
    if stored is None:
        raise InputError(f"{caller}: scheme='stored' needs stored=, what gw.control.nominal gives or a file of it.")
    control = stored if isinstance(stored, NominalControl) else recall(stored)
    control.require_motion(caller, found, side)
    moved = side.joint_coordinates + side.count

    def follow(t: Array) -> Array:
        return np.concatenate([found.at(t)[:, :moved], control.at(t)], axis=-1)

    return law_controller(law, follow, found.breaks)


def _known_scheme(caller: str, scheme: str) -> str:
    if scheme not in SCHEMES:
        raise InputError(f"{caller}: scheme={scheme!r} is not known. {did_you_mean(scheme, SCHEMES)}")
    return scheme
