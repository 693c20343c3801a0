"""The industrial cascade: P control of the position around PI control of the speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.control.joint_side import MOTOR, JointSideLaw, Rows, product
from gearwright.control.references import WORDS, entries
from gearwright.control.tracking import Gains
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place
from gearwright.forces.law import Quantity
from gearwright.mechanism import Mechanism
from gearwright.system.control_law import Decision, Measurement


@dataclass(frozen=True)
class Cascade(JointSideLaw):
    """Per axis: w = v_ref + kp (q_ref - q), e = w - v, u = ks (e + x), x' = e / Ts.

    An axis is a joint, or, where motors are driven by name, a motor with its own angle. With limits the output is cut
    there, and the integral is drawn back by what was cut, x' = (e + (cut - u) / ks) / Ts (anti-windup).

    Args:
        mech: the controlled machine.
        axes: names of the axes.
        word: the input of a motor that is driven, such as "current_reference"; None: joint-side forces.
        turned: per motor its angle per unit of each joint coordinate; () for joints.
        kp: gain of the position [1/s], per axis.
        ks: gain of the speed [output s/rad].
        Ts: time constant of the integral [s].
        limits: largest outputs; () for none.
        nominal: whether the model's forces for the reference are added.
    """

    mech: Mechanism
    axes: tuple[str, ...]
    word: str | None
    turned: Rows
    kp: Gains
    ks: Gains
    Ts: Gains
    limits: Gains = ()
    nominal: bool = False

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "cascade"

    @property
    def model(self) -> Mechanism:
        """The machine with stiff springs."""
        return self.side.rigid

    @property
    def outputs(self) -> tuple[str, ...]:
        """Forces on the driven speeds, or the inputs of the motors."""
        return self.side.outputs if self.word is None else tuple(f"{axis}.{self.word}" for axis in self.axes)

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position and speed of the joints; with nominal forces their acceleration."""
        return entries(self.mech, self.side.count, 3 if self.nominal else 2)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The integrals of the speed errors."""
        return tuple(Quantity(f"{axis}.integral", "rad/s") for axis in self.axes)

    def decide(self, measured: Measurement) -> Decision:
        """Both loops, axis by axis."""
        q, v = self.side.position(measured.q, MOTOR), self.side.speed(measured.v, MOTOR)
        wanted, pace = (measured.reference[word] for word in WORDS[:2])
        lags, lacks = (self._at_axes([b - a for a, b in zip(*pair, strict=True)]) for pair in ((q, wanted), (v, pace)))
        errors = [lack + kp * lag for lack, lag, kp in zip(lacks, lags, self.kp, strict=True)]
        asked = [ks * (e + x) for ks, e, x in zip(self.ks, errors, measured.states, strict=True)]
        if self.nominal:
            forces = inverse_dynamics(place(measured.model, wanted, measured.ops), pace, measured.reference[WORDS[2]])
            asked = [u + force for u, force in zip(asked, forces, strict=True)]
        held = self._cut(asked, measured.ops)
        rates = [
            (e + (cut - u) / ks) / Ts for e, cut, u, ks, Ts in zip(errors, held, asked, self.ks, self.Ts, strict=True)
        ]
        return Decision(self.side.forces(held) if self.word is None else held, rates=rates)

    def _at_axes(self, x: Sequence[Scalar]) -> Sequence[Scalar]:
        return product(self.turned, x) if self.turned else x

    def _cut(self, asked: Sequence[Scalar], ops: Operations) -> Sequence[Scalar]:
        if not self.limits:
            return asked
        return [ops.maximum(-most, ops.minimum(u, most)) for u, most in zip(asked, self.limits, strict=True)]
