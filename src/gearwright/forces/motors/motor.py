"""The electrical model of one motor: winding, back-EMF, cogging, limits of its electronics, current controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.law import Force, Quantity, Situation
from gearwright.forces.line import Line
from gearwright.forces.motors.thermal import (
    MotorTemperatures,
    magnet_factor,
    resistance_factor,
    temperature_quantities,
    temperature_rates,
    temperatures_from_states,
)
from gearwright.parts import CurrentControl, Motor

LIMITER_TIME_RATIO = 0.1
"""Time constant of the current limiter, relative to the winding's L/R."""
SPEED_LIMIT_BAND = 0.02
"""Range of the speed limiter below the maximum speed, relative to it; the driving current falls to zero there."""
LIMIT_REGULARISATION = 1e-9
"""Added to a denominator, relative to 1, so that it is not zero at a limit."""


class MotorInstant(NamedTuple):
    """One motor at one instant, before its terminal voltage is known."""

    speed: Scalar
    constant: Scalar
    resistance: Scalar
    inductance: Scalar
    current: Scalar | None
    requested_voltage: Scalar
    lowest_voltage: Scalar | None
    highest_voltage: Scalar | None
    cogging_torque: Scalar
    thermal_state: MotorTemperatures | None
    current_error: Scalar

    @property
    def dc_equations(self) -> DcEquations:
        """The motor equations with the current torque constant and resistance."""
        return DcEquations(self.constant, self.constant, self.resistance, self.inductance)

    @property
    def back_emf(self) -> Scalar:
        """Back-EMF [V]."""
        return self.dc_equations.back_emf(self.speed)

    @property
    def has_current_limit(self) -> bool:
        """Whether the current is limited."""
        return self.lowest_voltage is not None or self.highest_voltage is not None


@check_arguments
@dataclass(frozen=True)
class Winding:
    r"""A permanent-magnet motor at two terminals: $v = R i + L\, di/dt + K \omega$, torque $K i$ plus cogging.

    K is the same for torque and back-EMF, so power is conserved:

    $K(\theta, T) = K_0 (1 + f \sin(n \theta + \varphi)) (1 + \beta (T_h - T_0))$,

    $R(T) = R_0 (1 + \alpha (T_w - T_0))$.

    Without inductance the current has no dynamics, $i = (v - K \omega) / R$. A brushless motor has the same model at
    its equivalent terminals (`gearwright.parts.motor_constant`).

    The electronics enforce the limits by the voltage, within the available one:

    - `max_voltage`: the command saturates.
    - `max_current`, `max_torque`: the voltage is limited to keep the current within its limits; with inductance the
      current approaches its limit with a tenth of the winding's time constant.
    - `max_current_rate`: the voltage across the inductance, L di/dt, is limited.
    - `max_speed`: over the last 2 % below it the driving current is reduced to zero; braking stays possible.

    Args:
        drive: name of its drive.
        line: the rotor's speed relative to its stator.
        motor: the motor.
        control: a current controller; with it the input is the current reference, otherwise the voltage.
        source: the largest voltage of its supply [V]; None: no limit.
    """

    drive: str
    line: Line
    motor: Motor
    control: CurrentControl | None = None
    source: Scalar | None = None

    def __post_init__(self) -> None:
        for word in ("torque_constant", "resistance"):
            if getattr(self.motor, word) is None or is_zero(getattr(self.motor, word)):
                raise DriveError(
                    f"motor of {self.drive!r} has no {word}, so its current cannot be computed. Give the motor one, or "
                    "use the joint's torque as the input."
                )
        if self.control is not None and not self.motor.has_inductance:
            raise DriveError(
                f"motor of {self.drive!r} has no inductance, which its current controller requires. Give the motor an "
                "inductance, or use the voltage as the input."
            )

    @cached_property
    def states(self) -> tuple[Quantity, ...]:
        """Current, controller integral and temperatures, as far as they are states."""
        states = [Quantity(f"{self.drive}.current", "A")] if self.motor.has_inductance else []
        if self.control is not None:
            states.append(Quantity(f"{self.drive}.current_integral", "V"))
        return (*states, *temperature_quantities(self.drive, self.motor.heat))

    @property
    def input_quantity(self) -> Quantity:
        """The voltage or the current reference."""
        if self.control is None:
            return Quantity(f"{self.drive}.voltage", "V")
        return Quantity(f"{self.drive}.current_reference", "A")

    @cached_property
    def signals(self) -> tuple[Quantity, ...]:
        """Its signals in addition to its states."""
        signals = [] if self.motor.has_inductance else [Quantity(f"{self.drive}.current", "A")]
        signals += [
            Quantity(f"{self.drive}.terminal_voltage", "V"),
            Quantity(f"{self.drive}.motor_torque", "Nm"),
            Quantity(f"{self.drive}.electrical_power", "W"),
        ]
        if self.motor.heat is not None and self.motor.heat.max_temperature is not None:
            signals.append(Quantity(f"{self.drive}.temperature_margin", "K"))
        return tuple(signals)

    @property
    def saturations(self) -> dict[str, float]:
        """Saturation limits of the voltage command, or of the current reference and its voltage."""
        voltage_name = "voltage" if self.control is None else "terminal_voltage"
        limits = {f"{self.drive}.{voltage_name}": _least_limit(self.motor.max_voltage, self.source)}
        if self.control is not None:
            torque, constant = self.motor.max_torque, self.motor.torque_constant
            by_torque = None if torque is None or not is_number(constant) else torque / constant
            limits[self.input_quantity.name] = _least_limit(self.motor.max_current, by_torque)
        return {name: limit for name, limit in limits.items() if limit < inf}

    def motor_instant(self, situation: Situation, states: Sequence[Scalar], request: Scalar) -> MotorInstant:
        """The quantities known before the voltage; `states` and `request` are its own states and its input."""
        ops, motor, remaining_states = situation.ops, self.motor, list(states)
        current = remaining_states.pop(0) if motor.has_inductance else None
        integral = remaining_states.pop(0) if self.control is not None else 0.0
        thermal_state = None if motor.heat is None else temperatures_from_states(motor.heat, remaining_states)
        speed = situation.speed(self.line)
        angle = self._rotor_angle(situation)
        K = self.torque_constant(angle, thermal_state, ops)
        R = self.dc_equations(K, thermal_state).resistance
        least_current, largest_current = self._current_limits(speed, K, R, ops)
        error: Scalar = 0.0
        if self.control is not None:
            error = request - current
            request = integral + self.control.bandwidth * self._inductance_value * error + K * speed
        low = self._voltage_at_limit(least_current, current, K * speed, R, ops.maximum, -1.0)
        high = self._voltage_at_limit(largest_current, current, K * speed, R, ops.minimum, 1.0)
        return MotorInstant(
            speed,
            K,
            R,
            self._inductance_value,
            current,
            request,
            low,
            high,
            self.cogging_torque(angle, ops),
            thermal_state,
            error,
        )

    def supply_limited(self, voltage: Scalar, ops: Operations) -> Scalar:
        """The voltage clipped to the range of the electronics."""
        for limit in (self.motor.max_voltage, self.source):
            voltage = voltage if limit is None else clip_optional(voltage, -limit, limit, ops)
        return voltage

    def commanded_voltage(self, instant: MotorInstant, ops: Operations) -> Scalar:
        """The voltage that the electronics command: the requested one within all limits."""
        return self.supply_limited(
            clip_optional(
                self.supply_limited(instant.requested_voltage, ops),
                instant.lowest_voltage,
                instant.highest_voltage,
                ops,
            ),
            ops,
        )

    def current(self, instant: MotorInstant, voltage: Scalar) -> Scalar:
        """The current: a state, or the steady-state one of the voltage."""
        return (
            instant.dc_equations.steady_current(voltage, instant.speed) if instant.current is None else instant.current
        )

    def torque_force(self, instant: MotorInstant, voltage: Scalar) -> Force:
        """The torque on the rotor as a force through the drive's gear."""
        return Force(self.line, self.torque(instant, voltage), self.drive)

    def torque(self, instant: MotorInstant, voltage: Scalar) -> Scalar:
        """The torque of the current and the cogging [Nm]."""
        return instant.dc_equations.motor_torque(self.current(instant, voltage)) + instant.cogging_torque

    def state_rates(self, instant: MotorInstant, voltage: Scalar, ops: Operations) -> tuple[Scalar, ...]:
        """The rates of its states."""
        i = self.current(instant, voltage)
        rates: list[Scalar] = []
        if self.motor.has_inductance:
            rates.append(instant.dc_equations.current_rate(voltage, i, instant.speed))
        if self.control is not None:
            # Anti-windup: the integral follows the error that the limited voltage can correct; it stays R i at a limit.
            clipped_voltage = self.commanded_voltage(instant, ops) - instant.requested_voltage
            rates.append(
                self.motor.resistance
                * (self.control.bandwidth * instant.current_error + clipped_voltage / self._inductance_value)
            )
        if self.motor.heat is not None and instant.thermal_state is not None:
            rates += temperature_rates(self.motor.heat, instant.thermal_state, instant.dc_equations.heat(i))
        return tuple(rates)

    def stored_energy(self, situation: Situation, instant: MotorInstant) -> Scalar:
        """Energy of the inductance and of the cogging [J]."""
        energy: Scalar = 0.0
        if instant.current is not None:
            energy = 0.5 * self._inductance_value * instant.current * instant.current
        cogging = self.motor.cogging
        if cogging is not None:
            angle = cogging.periods * situation.position(self.line) + cogging.phase
            energy = energy + cogging.amplitude / cogging.periods * situation.ops.cos(angle)
        return energy

    def signal_values(self, instant: MotorInstant, voltage: Scalar) -> dict[str, Scalar]:
        """Its signals."""
        i = self.current(instant, voltage)
        values = {"current": i, "terminal_voltage": voltage, "motor_torque": self.torque(instant, voltage)}
        values["electrical_power"] = voltage * i
        heat = self.motor.heat
        if heat is not None and heat.max_temperature is not None and instant.thermal_state is not None:
            values["temperature_margin"] = heat.max_temperature - instant.thermal_state.winding
        signal_names = {signal.name for signal in self.signals}
        return {name: x for word, x in values.items() if (name := f"{self.drive}.{word}") in signal_names}

    @property
    def _inductance_value(self) -> Scalar:
        return 0.0 if self.motor.inductance is None else self.motor.inductance

    def _rotor_angle(self, situation: Situation) -> Scalar:
        """The rotor's angle relative to its stator [rad]; 0 where nothing depends on it."""
        depends_on_angle = self.motor.ripple is not None or self.motor.cogging is not None
        return situation.position(self.line) if depends_on_angle else 0.0

    def torque_constant(self, angle: Scalar, thermal_state: MotorTemperatures | None, ops: Operations) -> Scalar:
        """The constant K of torque and back-EMF at a rotor angle and at the current temperatures."""
        K, ripple, heat = self.motor.torque_constant, self.motor.ripple, self.motor.heat
        if ripple is not None:
            K = K * (1 + ripple.fraction * ops.sin(ripple.periods * angle + ripple.phase))
        return K if heat is None or thermal_state is None else K * magnet_factor(heat, thermal_state)

    def dc_equations(self, constant: Scalar, thermal_state: MotorTemperatures | None) -> DcEquations:
        """The motor equations with a constant K and the resistance at the current temperature."""
        R, heat = self.motor.resistance, self.motor.heat
        if heat is not None and thermal_state is not None:
            R = R * resistance_factor(heat, thermal_state)
        return DcEquations(constant, constant, R, self._inductance_value)

    def cogging_torque(self, angle: Scalar, ops: Operations) -> Scalar:
        """The cogging torque at a rotor angle [Nm]."""
        cogging = self.motor.cogging
        return 0.0 if cogging is None else cogging.amplitude * ops.sin(cogging.periods * angle + cogging.phase)

    def _current_limits(
        self, speed: Scalar, K: Scalar, R: Scalar, ops: Operations
    ) -> tuple[Scalar | None, Scalar | None]:
        """The least and the greatest current that the electronics allow; None: no limit."""
        limit = self.motor.max_current
        if self.motor.max_torque is not None:
            by_torque = self.motor.max_torque / self.motor.torque_constant
            limit = by_torque if limit is None else ops.minimum(limit, by_torque)
        top = self.motor.max_speed
        if top is None or is_zero(top):
            return (None if limit is None else -limit), limit
        forward_share = clip_optional((top - speed) / (SPEED_LIMIT_BAND * top), 0.0, 1.0, ops)
        backward_share = clip_optional((top + speed) / (SPEED_LIMIT_BAND * top), 0.0, 1.0, ops)
        if limit is None:  # far from the maximum speed there is no limit, and it sets in continuously
            stall = K * top / R
            return -stall * backward_share / (1 - backward_share + LIMIT_REGULARISATION), stall * forward_share / (
                1 - forward_share + LIMIT_REGULARISATION
            )
        return -limit * backward_share, limit * forward_share

    def _voltage_at_limit(
        self,
        limit: Scalar | None,
        current: Scalar | None,
        emf: Scalar,
        R: Scalar,
        nearer: Callable[[Scalar, Scalar], Scalar],
        sense: float,
    ) -> Scalar | None:
        """The voltage that brings the current to a limit: at once, or with the limiter's time constant."""
        if current is None:
            return None if limit is None else emf + R * limit
        steady_voltage = emf + R * current
        # The limiter is as fast as the current controller, whose integral is then the same as without a limit.
        limiter_gain = (
            R / LIMITER_TIME_RATIO if self.control is None else self.control.bandwidth * self._inductance_value
        )
        voltage = None if limit is None else steady_voltage + limiter_gain * (limit - current)
        rate = self.motor.max_current_rate
        if rate is None or is_zero(rate):
            return voltage
        by_rate = steady_voltage + sense * self._inductance_value * rate
        return by_rate if voltage is None else nearer(voltage, by_rate)


def _least_limit(*limits: Scalar | None) -> float:
    """The least of the given numeric limits; infinite if there are none."""
    return min((float(x) for x in limits if x is not None and is_number(x)), default=inf)


def clip_optional(x: Scalar, low: Scalar | None, high: Scalar | None, ops: Operations) -> Scalar:
    """The value x clipped to a range; None: no limit.

    >>> from gearwright.algebra import FLOATS
    >>> clip_optional(3.0, -2.0, 2.0, FLOATS), clip_optional(3.0, None, None, FLOATS)
    (2.0, 3.0)
    """
    if low is not None:
        x = ops.maximum(x, low)
    return x if high is None else ops.minimum(x, high)
