"""The industrial cascade: P control of the position around PI control of the speed, as a law and as a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import one_or_each
from gearwright.control.joint_side import MOTOR, JointSideLaw, Rows, joint_side, product, sparse
from gearwright.control.joint_tracking import Gains
from gearwright.control.references import WORDS, entries, reference_of
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.functions.actuation import structure_matrix
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.text import did_you_mean


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


OUTPUTS: dict[str, str | None] = {
    "force": None,
    "motor_torque": "torque",
    "current": "current_reference",
    "voltage": "voltage",
}
"""What a cascade puts out, and the input of a motor that takes it."""
CALLER = "control.cascade"


@check_arguments
def cascade(
    robot: RobotOrMech,
    reference: Any,
    kp: ArrayLike,
    ks: ArrayLike,
    Ts: ArrayLike,
    output: str = "force",
    *,
    limits: ArrayLike | None = None,
    nominal: bool = False,
) -> LawController:
    r"""P control of the position around PI control of the speed, axis by axis, measured at the motors.

    $w = v_r + k_p (q_r - q)$, $e = w - v$, $u = k_s (e + x)$, $\dot x = e / T_s$. For output "force" an axis is a joint
    and u its joint-side force; otherwise an axis is a motor, with its own angle, and u its torque, current or voltage.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v), with `nominal` (q, v, a), or a
            configuration to hold.
        kp: gain of the position [1/s], one number or one per axis.
        ks: gain of the speed [Nms/rad, As/rad or Vs/rad].
        Ts: time constant of the integral [s].
        output: "force", "motor_torque", "current" (the motor's own current controller follows it) or "voltage".
        limits: largest outputs; beyond them the output is cut, and the integral is drawn back by what was cut.
        nominal: whether the model's forces for the reference are added (output "force" only).

    >>> import gearwright as gw
    >>> control = gw.control.cascade(gw.load("elbow"), [0.2, -0.1, 0.3], kp=5, ks=500, Ts=0.1)
    >>> control.states
    {'j1.integral': 0.0, 'j2.integral': 0.0, 'j3.integral': 0.0}
    """
    mech = machine_of(CALLER, robot)
    side = joint_side(CALLER, mech)
    if output not in OUTPUTS:
        raise InputError(f"{CALLER}: output={output!r} is not known. {did_you_mean(output, OUTPUTS)}")
    if nominal and output != "force":
        raise InputError(f"{CALLER}: nominal forces are joint-side; with output={output!r} leave them out.")
    turned: Rows = ()
    axes = side.names
    if output != "force":
        turned = sparse(structure_matrix(mech).T @ side.carried)
        axes = tuple(one.name for one in mech.actuators)
    gains = _per_axis("kp", kp, axes), _per_axis("ks", ks, axes), _per_axis("Ts", Ts, axes)
    most = () if limits is None else _per_axis("limits", limits, axes)
    found = reference_of(CALLER, reference, mech, 3 if nominal else 2)
    law = Cascade(mech, axes, OUTPUTS[output], turned, *gains, most, nominal)
    return law_controller(law, found.at, found.breaks)


def _per_axis(name: str, value: ArrayLike, axes: tuple[str, ...]) -> Gains:
    return tuple(one_or_each(CALLER, name, value, axes, above=0.0).tolist())
