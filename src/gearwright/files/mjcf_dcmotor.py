"""MuJoCo's dcmotor, compiled: a winding, friction, cogging and heat as a motor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.parts import Cogging, Friction, Heat, Motor
from gearwright.parts.heat import ZERO_CELSIUS

VOLTAGE = 8
"""The bit of a dcmotor's input that is a voltage."""


def dc_motor(model: Any, i: int, name: str, lose: Callable[[str, str, str], None]) -> Motor:
    """The motor; its controller is reported.

    The layout is that of MuJoCo's compiled model:

    - gain: R, K, temperature coefficient, its reference, kp, ki, kd, largest voltage;
    - bias: cogging amplitude, periods, phase, Coulomb and static friction, Stribeck speed;
    - dynamics: L/R, largest rate of current, thermal resistance, capacity, ambient temperature, stiffness and damping
      of bristles, slew, largest current.
    """
    gain, bias, dyn = (
        [float(x) for x in values[i]]
        for values in (model.actuator_gainprm, model.actuator_biasprm, model.actuator_dynprm)
    )
    inputs = int(getattr(model, "actuator_ctrlspec", [VOLTAGE] * (i + 1))[i])
    if any(gain[4:7]) or inputs & ~VOLTAGE:
        lose("dcmotor with a controller", name, "its motor is kept and driven by a voltage; the gains are left out")
    low, high = (float(x) for x in model.actuator_forcerange[i])
    return Motor(
        float(model.actuator_armature[i]),
        coupling=0.0,
        included=True,
        torque_constant=gain[1] or None,
        resistance=gain[0] or None,
        inductance=dyn[0] * gain[0] or None,
        max_torque=max(abs(low), abs(high)) if model.actuator_forcelimited[i] else None,
        max_current=dyn[8] or None,
        max_current_rate=(dyn[1] or None) if dyn[0] else None,
        max_voltage=(gain[7] or None) if inputs & ~VOLTAGE else None,
        cogging=Cogging(*bias[:3]) if bias[0] else None,
        friction=_bristles(dyn[5], dyn[6], *bias[3:6]),
        heat=_heat(*dyn[2:5], *gain[2:4]),
    )


def _bristles(stiffness: float, damping: float, coulomb: float, static: float, speed: float) -> Friction | float:
    if not stiffness:
        return 0.0
    drops = static > coulomb and speed > 0
    more = {"static": static, "stribeck_speed": speed} if drops else {}
    return Friction(coulomb, stiffness=stiffness, damping=damping, **more)


def _heat(resistance: float, capacity: float, ambient: float, coefficient: float, reference: float) -> Heat | None:
    if not resistance or not capacity:
        return None
    celsius = {"reference": reference + ZERO_CELSIUS, "ambient": ambient + ZERO_CELSIUS}
    return Heat(winding_housing=resistance, winding_capacity=capacity, copper=coefficient, **celsius)
