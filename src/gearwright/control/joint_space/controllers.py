"""Laws in joint space: PD, computed torque, nominal feedforward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.control.joint_side import MOTOR, product
from gearwright.control.references import WORDS
from gearwright.control.tracking import Gains, Tracking, plus, scaled
from gearwright.dynamics.inverse_dynamics import gravity, inverse_dynamics
from gearwright.dynamics.pose import place
from gearwright.mechanism import Mechanism
from gearwright.system.control_law import Decision, Measurement

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
