"""Cascade control: P control of the position around PI control of the speed, as a law and as a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers_by_name
from gearwright.control.in_larger_machine import joint_controller
from gearwright.control.joint_side import (
    MOTOR_FEEDBACK,
    JointSideLaw,
    SparseRows,
    joint_side,
    sparse_product,
    sparse_rows,
)
from gearwright.control.joint_tracking import (
    Gains,
    configuration_error,
    model_forces,
    reference_configuration,
    subtract_vectors,
)
from gearwright.control.references import REFERENCE_NAMES, read_reference, reference_entries
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.functions import structure_matrix
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import machine_of
from gearwright.system import LawController
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class CascadeLaw(JointSideLaw):
    """Per axis: w = v_ref + kp (q_ref - q), e = w - v, u = ks (e + x), x' = e / Ts.

    An axis is a joint or a motor. With limits the output saturates, with anti-windup by back-calculation, x' = (e +
    (cut - u) / ks) / Ts.

    Args:
        mech: the controlled machine.
        axes: names of the axes.
        motor_input: the input of the motors, such as "current_reference"; None: joint-side forces.
        axis_rows: per motor, its angle per unit of each joint coordinate; () for joints.
        kp: position gain [1/s], per axis.
        ks: speed gain [output s/rad].
        Ts: time constant of the integral [s].
        limits: largest outputs; () for none.
        nominal: whether the feedforward forces of the model are added.
    """

    mech: Mechanism
    axes: tuple[str, ...]
    motor_input: str | None
    axis_rows: SparseRows
    kp: Gains
    ks: Gains
    Ts: Gains
    limits: Gains = ()
    nominal: bool = False

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "cascade"

    @property
    def model(self) -> Mechanism:
        """The machine with rigid springs."""
        return self.joint_side.rigid_machine

    @property
    def outputs(self) -> tuple[str, ...]:
        """Forces on the driven speeds, or the inputs of the motors."""
        return (
            self.joint_side.output_names
            if self.motor_input is None
            else tuple(f"{axis}.{self.motor_input}" for axis in self.axes)
        )

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position and speed of the joints; with nominal forces their acceleration."""
        return reference_entries(self.mech, self.joint_side.joint_count, 3 if self.nominal else 2)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The integrals of the speed errors."""
        return tuple(Quantity(f"{axis}.integral", "rad/s") for axis in self.axes)

    def decide(self, measured: Measurement) -> Decision:
        """Return the outputs of both loops, axis by axis."""
        q, v = (
            self.joint_side.joint_positions(measured.q, MOTOR_FEEDBACK),
            self.joint_side.joint_speeds(measured.v, MOTOR_FEEDBACK),
        )
        q_ref, v_ref = (measured.reference[name] for name in REFERENCE_NAMES[:2])
        position_errors = self._axis_values(configuration_error(self.mech, q, q_ref, measured.ops))
        speed_errors = self._axis_values(subtract_vectors(v_ref, v))
        errors = [
            speed_error + kp * position_error
            for speed_error, position_error, kp in zip(speed_errors, position_errors, self.kp, strict=True)
        ]
        commands = [ks * (e + x) for ks, e, x in zip(self.ks, errors, measured.states, strict=True)]
        if self.nominal:
            acceleration = measured.reference[REFERENCE_NAMES[2]]
            forces = model_forces(measured, reference_configuration(measured), v_ref, acceleration)
            commands = [u + force for u, force in zip(commands, forces, strict=True)]
        limited = self._limit_commands(commands, measured.ops)
        rates = [
            (e + (cut - u) / ks) / Ts
            for e, cut, u, ks, Ts in zip(errors, limited, commands, self.ks, self.Ts, strict=True)
        ]
        return Decision(self.joint_side.driven_forces(limited) if self.motor_input is None else limited, rates=rates)

    def _axis_values(self, x: Sequence[Scalar]) -> Sequence[Scalar]:
        return sparse_product(self.axis_rows, x) if self.axis_rows else x

    def _limit_commands(self, commands: Sequence[Scalar], ops: Operations) -> Sequence[Scalar]:
        if not self.limits:
            return commands
        return [ops.maximum(-limit, ops.minimum(u, limit)) for u, limit in zip(commands, self.limits, strict=True)]


CASCADE_OUTPUTS: dict[str, str | None] = {
    "force": None,
    "motor_torque": "torque",
    "current": "current_reference",
    "voltage": "voltage",
}
"""Outputs of a cascade, and the corresponding inputs of a motor."""
CASCADE_CALLER = "control.cascade"


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
    r"""Return a cascade controller: P control of the position around PI control of the speed, measured at the motors.

    $w = v_r + k_p (q_r - q)$, $e = w - v$, $u = k_s (e + x)$, $\dot x = e / T_s$. For output "force" an axis is a joint
    and u its joint-side force; otherwise an axis is a motor, with its own angle, and u its torque, current or voltage.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, a function of time that returns (q, v), with `nominal` (q, v, a), or a
            constant configuration.
        kp: position gain [1/s], one value or one per axis.
        ks: speed gain [Nms/rad, As/rad or Vs/rad].
        Ts: time constant of the integral [s].
        output: "force", "motor_torque", "current" (the motor's own current controller follows it) or "voltage".
        limits: largest outputs, with anti-windup of the integral.
        nominal: whether the feedforward forces of the model are added (output "force" only).

    >>> import gearwright as gw
    >>> control = gw.control.cascade(gw.load("elbow"), [0.2, -0.1, 0.3], kp=5, ks=500, Ts=0.1)
    >>> control.states
    {'j1.integral': 0.0, 'j2.integral': 0.0, 'j3.integral': 0.0}
    """
    mech = machine_of(CASCADE_CALLER, robot)
    side = joint_side(CASCADE_CALLER, mech)
    if output not in CASCADE_OUTPUTS:
        raise InputError(f"{CASCADE_CALLER}: output={output!r} is unknown. {did_you_mean(output, CASCADE_OUTPUTS)}")
    if nominal and output != "force":
        raise InputError(f"{CASCADE_CALLER}: nominal forces need output='force', not {output!r}. Use nominal=False.")
    axis_rows: SparseRows = ()
    axes = side.joint_names
    if output != "force":
        rows = structure_matrix(mech).T
        axis_rows = sparse_rows(rows if mech.closure is not None else rows @ side.speed_matrix)
        axes = tuple(actuator.name for actuator in mech.actuators)
    gains = _gain_per_axis("kp", kp, axes), _gain_per_axis("ks", ks, axes), _gain_per_axis("Ts", Ts, axes)
    largest = () if limits is None else _gain_per_axis("limits", limits, axes)
    target = read_reference(CASCADE_CALLER, reference, mech, 3 if nominal else 2)
    law = CascadeLaw(mech, axes, CASCADE_OUTPUTS[output], axis_rows, *gains, largest, nominal)
    return joint_controller(law, target.at, target.breaks)


def _gain_per_axis(name: str, value: ArrayLike, axes: tuple[str, ...]) -> Gains:
    return tuple(numbers_by_name(CASCADE_CALLER, name, value, axes, above=0.0).tolist())
