"""The industrial cascade, as users make it."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from gearwright.arguments import one_or_each
from gearwright.control.cascade_law import Cascade
from gearwright.control.joint_side import Rows, joint_side, sparse
from gearwright.control.references import reference_of
from gearwright.control.tracking import Gains
from gearwright.errors import InputError
from gearwright.functions.actuation import structure_matrix
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.system.law_controller import LawController, law_controller
from gearwright.text import did_you_mean

WORDS: dict[str, str | None] = {
    "force": None,
    "motor_torque": "torque",
    "current": "current_reference",
    "voltage": "voltage",
}
"""What a cascade puts out, and the input of a motor that takes it."""
CALLER = "control.cascade"


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
    if output not in WORDS:
        raise InputError(f"{CALLER}: output={output!r} is not known. {did_you_mean(output, WORDS)}")
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
    law = Cascade(mech, axes, WORDS[output], turned, *gains, most, nominal)
    return law_controller(law, found.at, found.breaks)


def _per_axis(name: str, value: ArrayLike, axes: tuple[str, ...]) -> Gains:
    return tuple(one_or_each(CALLER, name, value, axes, above=0.0).tolist())
