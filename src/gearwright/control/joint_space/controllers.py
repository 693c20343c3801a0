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
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.control.in_larger_machine import joint_controller
from gearwright.control.joint_side import MOTOR_FEEDBACK, checked_feedback, joint_side, sparse_product
from gearwright.control.joint_space.nominal import NominalControl, load_nominal
from gearwright.control.joint_tracking import (
    Gains,
    TrackingLaw,
    add_vectors,
    controller_model,
    frequency_gains,
    model_forces,
    model_gravity,
    per_joint,
    reference_configuration,
    scale_entries,
)
from gearwright.control.references import REFERENCE_NAMES, read_reference
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import machine_of
from gearwright.system import LawController
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.text import did_you_mean

# Laws

NOMINAL_FORCE_REFERENCE = "tau_ref"
"""The reference with a stored nominal control."""
FEEDFORWARD_SCHEMES = ("reference", "measured", "stored")
"""State for the feedforward dynamics: the reference (a), the measurement (b), or a file (a, offline)."""


@dataclass(frozen=True)
class PdLaw(TrackingLaw):
    """u = kp (q_ref - q) + kd (v_ref - v) + g; with joint torque feedback c: (1 + c) u - c torque."""

    kp: Gains = ()
    kd: Gains = ()
    gravity: bool = True
    torque_feedback: float = 0.0

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "pd"

    def decide(self, measured: Measurement) -> Decision:
        """Return the outputs; with motor-side feedback, gravity and spring deflection are those of the reference."""
        errors = self.tracking_errors(measured)
        u = add_vectors(scale_entries(self.kp, errors.position), scale_entries(self.kd, errors.speed))
        if self.gravity:
            measured_at_motors = bool(self.mech.shafts) and self.feedback == MOTOR_FEEDBACK
            configuration = measured.reference[REFERENCE_NAMES[0]] if measured_at_motors else errors.q
            weight = model_gravity(measured, configuration)
            u = add_vectors(u, weight)
            if measured_at_motors:
                u = add_vectors(u, scale_entries(self.kp, sparse_product(self.joint_side.joint_compliance, weight)))
        if self.torque_feedback:
            torques, c = self.joint_side.joint_torques(measured.q, measured.v), self.torque_feedback
            u = [(1 + c) * x - c * torque for x, torque in zip(u, torques, strict=True)]
        return Decision(self.joint_side.driven_forces(u))


@dataclass(frozen=True)
class ComputedTorqueLaw(TrackingLaw):
    """u = M(q) (a_ref + kd (v_ref - v) + kp (q_ref - q)) + C(q, v) v + g(q) of a model."""

    kp: Gains = ()
    kd: Gains = ()
    other_model: Mechanism | None = None

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "computed_torque"

    @property
    def model(self) -> Mechanism:
        """The model of the controller."""
        return super().model if self.other_model is None else self.other_model

    def decide(self, measured: Measurement) -> Decision:
        """Return the model's inverse dynamics for the desired acceleration corrected by the errors."""
        errors = self.tracking_errors(measured)
        acceleration = add_vectors(
            measured.reference[REFERENCE_NAMES[2]],
            scale_entries(self.kd, errors.speed),
            scale_entries(self.kp, errors.position),
        )
        return Decision(self.joint_side.driven_forces(model_forces(measured, errors.q, errors.v, acceleration)))


@dataclass(frozen=True)
class FeedforwardLaw(TrackingLaw):
    """u = kp (q_ref - q) + kd (v_ref - v) + nominal control, by one of the schemes."""

    kp: Gains = ()
    kd: Gains = ()
    scheme: str = "reference"
    other_model: Mechanism | None = None

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "feedforward"

    @property
    def model(self) -> Mechanism:
        """The model of the controller."""
        return super().model if self.other_model is None else self.other_model

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position, speed, acceleration; a stored control replaces the acceleration."""
        motion = dict(super().references)
        if self.scheme == "stored":
            motion.pop(REFERENCE_NAMES[2])
            motion[NOMINAL_FORCE_REFERENCE] = self.joint_side.joint_names
        return motion

    def decide(self, measured: Measurement) -> Decision:
        """Return feedback plus nominal control."""
        errors = self.tracking_errors(measured)
        u = add_vectors(
            scale_entries(self.kp, errors.position),
            scale_entries(self.kd, errors.speed),
            self._nominal_forces(measured, errors.q, errors.v),
        )
        return Decision(self.joint_side.driven_forces(u))

    def _nominal_forces(self, measured: Measurement, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        if self.scheme == "stored":
            return list(measured.reference[NOMINAL_FORCE_REFERENCE])
        if self.scheme == "reference":
            q, v = list(reference_configuration(measured)), list(measured.reference[REFERENCE_NAMES[1]])
        return list(model_forces(measured, q, v, measured.reference[REFERENCE_NAMES[2]]))


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
    r"""Return a PD controller of the joints: $u = K_p (q_r - q) + K_d (v_r - v) + g(q)$.

    With elastic drives the motors are measured unless `feedback` is "joint"; then $\theta_r = q_r + K^{-1} g(q_r)$ and
    the gravity is that of the reference, so that the joints have the equilibrium $q_r$ (stable if $K_p$ and the springs
    exceed the gradient of gravity). Forces act on the motors; friction is not compensated.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v, a), or a constant configuration.
        kp: position gain [Nm/rad, N/m], one value or one per joint.
        kd: speed gain [Nms/rad, Ns/m].
        gravity: whether gravity is compensated.
        feedback: side on which elastic drives are measured: "motor", "joint" or "both" (joint positions, motor speeds).
        torque_feedback: gain c of measured joint torques, $(1 + c) u - c\,\tau_J$: it reduces the apparent motor
            inertia by the factor 1 + c and improves the damping of link vibrations. 0: none.

    >>> import gearwright as gw
    >>> control = gw.control.pd(gw.load("elbow"), [0.2, -0.1, 0.3], kp=5000, kd=500)
    >>> run = gw.simulate(gw.load("elbow"), until=3.0, controller=control, samples=4)
    >>> run.q[-1].round(4)
    array([ 0.2, -0.1,  0.3])
    """
    mech, caller = machine_of("control.pd", robot), "control.pd"
    side = joint_side(caller, mech)
    target = read_reference(caller, reference, mech)
    gains = per_joint(caller, "kp", kp, side), per_joint(caller, "kd", kd, side)
    torque_gain = real_number(caller, "torque_feedback", torque_feedback, least=0.0)
    if torque_gain and not mech.shafts:
        raise InputError(
            f"{caller}: torque_feedback={torque_gain:g}: the machine has no elastic drive with a joint torque. Use 0."
        )
    law = PdLaw(mech, checked_feedback(caller, feedback), *gains, bool(gravity), torque_gain)
    return joint_controller(law, target.at, target.breaks)


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
    r"""Return a computed-torque controller.

    $u = M(q)(a_r + 2 \zeta \omega (v_r - v) + \omega^2 (q_r - q)) + C(q, v) v + g(q)$.

    With the exact model the errors decay as $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$. Friction and losses are
    not compensated. Springs of elastic drives are assumed rigid and the motors are measured
    (`gw.control.feedback_linearisation` includes the springs).

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v, a), or a constant configuration.
        frequency: natural frequency of the errors [rad/s], one value or one per joint.
        damping: damping ratio of the errors; 1 is critical.
        model: model of the controller: another robot or machine with the same joints, or an approximation such as
            "diagonal" (see `gw.approximate`); by default the robot itself.
        feedback: side on which elastic drives are measured: "motor", "joint" or "both" (joint positions, motor speeds).

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> arm, lift = gw.load("elbow"), polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> run = gw.simulate(arm, until=1.0, controller=gw.control.computed_torque(arm, lift, frequency=20), samples=5)
    >>> bool(abs(run.q - lift.at(run.t)).max() < 1e-7)
    True
    """
    mech, caller = machine_of("control.computed_torque", robot), "control.computed_torque"
    side = joint_side(caller, mech)
    target = read_reference(caller, reference, mech)
    gains = frequency_gains(
        per_joint(caller, "frequency", frequency, side, above=0.0), per_joint(caller, "damping", damping, side)
    )
    law = ComputedTorqueLaw(mech, checked_feedback(caller, feedback), *gains, controller_model(caller, model, side))
    return joint_controller(law, target.at, target.breaks)


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
    r"""Return a PD controller with feedforward of a nominal control: $u = K_p (q_r - q) + K_d (v_r - v) + u^*$.

    Vukobratovic and Potkonjak, figure 20.10: in scheme (a), "reference", $u^* = M(q_r) a_r + C(q_r, v_r) v_r + g(q_r)$
    follows from the reference only; in scheme (b), "measured", $u^* = M(q) a_r + C(q, v) v + g(q)$ from the measured
    state. "stored" is scheme (a) computed offline by `gw.control.nominal_control`, including friction, and loaded.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v, a), or a constant configuration.
        kp: position gain [Nm/rad, N/m], one value or one per joint.
        kd: speed gain [Nms/rad, Ns/m].
        scheme: "reference", "measured" or "stored".
        model: model of the controller, as for `computed_torque`.
        stored: a nominal control or its file; it must belong to the reference.
        feedback: side on which elastic drives are measured: "motor", "joint" or "both" (joint positions, motor speeds).
    """
    mech, caller = machine_of("control.feedforward", robot), "control.feedforward"
    side = joint_side(caller, mech)
    scheme = _checked_scheme(caller, "stored" if stored is not None and scheme == "reference" else scheme)
    target = read_reference(caller, reference, mech)
    gains = per_joint(caller, "kp", kp, side), per_joint(caller, "kd", kd, side)
    law = FeedforwardLaw(
        mech, checked_feedback(caller, feedback), *gains, scheme, controller_model(caller, model, side)
    )
    if scheme != "stored":
        return joint_controller(law, target.at, target.breaks)
    if stored is None:
        raise InputError(
            f"{caller}: scheme='stored' needs stored=: the result of gw.control.nominal_control or its file."
        )
    control = stored if isinstance(stored, NominalControl) else load_nominal(stored)
    control.require_motion(caller, target, side)
    state_size = side.joint_coordinate_count + side.joint_count

    def reference_at(t: Array) -> Array:
        return np.concatenate([target.at(t)[:, :state_size], control.forces_at(t)], axis=-1)

    return joint_controller(law, reference_at, target.breaks)


def _checked_scheme(caller: str, scheme: str) -> str:
    if scheme not in FEEDFORWARD_SCHEMES:
        raise InputError(f"{caller}: scheme={scheme!r} is unknown. {did_you_mean(scheme, FEEDFORWARD_SCHEMES)}")
    return scheme
