"""The electrics of one motor: winding, back-EMF, cogging, limits of its electronics, current controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.errors import DriveError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.law import Force, Quantity, Situation
from gearwright.forces.line import Line
from gearwright.forces.motors.thermal import Warmth, magnet_factor, resistance_factor, warm_states, warming, warmth
from gearwright.parts import CurrentControl, Motor

LIMITER = 0.1
"""Time constant of the current limiter, as a share of the winding's own L/R."""
BAND = 0.02
"""Share of the top speed over which the speed limiter takes the driving current away."""
NEVER = 1e-9


class Moment(NamedTuple):
    """One motor at one moment, before the voltage on its terminals is known."""

    speed: Scalar
    constant: Scalar
    resistance: Scalar
    inductance: Scalar
    current: Scalar | None
    wanted: Scalar
    low: Scalar | None
    high: Scalar | None
    pull: Scalar
    warmth: Warmth | None
    error: Scalar

    @property
    def equations(self) -> DcEquations:
        """The motor with the constant and resistance that it has now."""
        return DcEquations(self.constant, self.constant, self.resistance, self.inductance)

    @property
    def emf(self) -> Scalar:
        """Back-EMF [V]."""
        return self.equations.back_emf(self.speed)

    @property
    def limited(self) -> bool:
        """Whether any current is too much."""
        return self.low is not None or self.high is not None


@dataclass(frozen=True)
class Winding:
    r"""A permanent-magnet motor at two terminals: $v = R i + L\, di/dt + K \omega$, torque $K i$ plus cogging.

    K is one constant for torque and back-EMF, so that no power is lost between them:

    $K(\theta, T) = K_0 (1 + f \sin(n \theta + \varphi)) (1 + \beta (T_h - T_0))$,

    $R(T) = R_0 (1 + \alpha (T_w - T_0))$.

    Without inductance the current follows at once, $i = (v - K \omega) / R$. A brushless motor is the same at its
    equivalent terminals (`gearwright.parts.motor_constant`).

    The electronics see to the limits by holding the voltage back, never beyond what they have:

    - `max_voltage`: the command is cut.
    - `max_current`, `max_torque`: the voltage stays where the current is within its limits; with inductance the current
      approaches its limit with a tenth of the winding's time constant.
    - `max_current_rate`: the voltage stays where L di/dt is.
    - `max_speed`: over the last 2 % below it the driving current is taken away; braking stays possible.

    Args:
        drive: name of its drive.
        line: the rotor's rate against its stator.
        motor: the motor.
        control: a current controller; then the input is a reference for the current, otherwise the voltage.
        source: the most voltage that its supply has [V]; None: any.
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
                    f"motor of {self.drive!r}: without a {word} its current cannot be computed. Give the motor one, or "
                    f"drive the joint by its torque."
                )
        if self.control is not None and not self.motor.has_inductance:
            raise DriveError(
                f"motor of {self.drive!r}: a current controller needs the motor's inductance, without which the "
                "current follows the voltage at once. Give the motor an inductance, or control the voltage."
            )

    @cached_property
    def states(self) -> tuple[Quantity, ...]:
        """Current, the controller's integral, temperatures: those that there are."""
        found = [Quantity(f"{self.drive}.current", "A")] if self.motor.has_inductance else []
        if self.control is not None:
            found.append(Quantity(f"{self.drive}.current_integral", "V"))
        return (*found, *warm_states(self.drive, self.motor.heat))

    @property
    def input(self) -> Quantity:
        """The voltage, or the reference of the current."""
        if self.control is None:
            return Quantity(f"{self.drive}.voltage", "V")
        return Quantity(f"{self.drive}.current_reference", "A")

    @cached_property
    def signals(self) -> tuple[Quantity, ...]:
        """What it reports beside its states."""
        found = [] if self.motor.has_inductance else [Quantity(f"{self.drive}.current", "A")]
        found += [
            Quantity(f"{self.drive}.terminal_voltage", "V"),
            Quantity(f"{self.drive}.motor_torque", "Nm"),
            Quantity(f"{self.drive}.electrical_power", "W"),
        ]
        if self.motor.heat is not None and self.motor.heat.max_temperature is not None:
            found.append(Quantity(f"{self.drive}.temperature_margin", "K"))
        return tuple(found)

    @property
    def saturations(self) -> dict[str, float]:
        """What its electronics cut beside a commanded voltage: a reference of the current, and the voltage for it."""
        if self.control is None:
            return {}
        found = {f"{self.drive}.terminal_voltage": _least(self.motor.max_voltage, self.source)}
        torque, constant = self.motor.max_torque, self.motor.torque_constant
        by_torque = None if torque is None or not is_number(constant) else torque / constant
        found[self.input.name] = _least(self.motor.max_current, by_torque)
        return {name: limit for name, limit in found.items() if limit < inf}

    def moment(self, situation: Situation, states: Sequence[Scalar], given: Scalar) -> Moment:
        """What is known before the voltage is; `states` and `given` are its own states and its input."""
        ops, motor, rest = situation.ops, self.motor, list(states)
        current = rest.pop(0) if motor.has_inductance else None
        integral = rest.pop(0) if self.control is not None else 0.0
        now = None if motor.heat is None else warmth(motor.heat, rest)
        speed = situation.speed(self.line)
        angle = self._angle(situation)
        K = self.constant(angle, now, ops)
        R = self.equations(K, now).resistance
        least, most = self._currents(speed, K, R, ops)
        error: Scalar = 0.0
        if self.control is not None:
            error = given - current
            given = integral + self.control.bandwidth * self._inductance * error + K * speed
        low = self._voltage(least, current, K * speed, R, ops.maximum, -1.0)
        high = self._voltage(most, current, K * speed, R, ops.minimum, 1.0)
        return Moment(speed, K, R, self._inductance, current, given, low, high, self.cogging(angle, ops), now, error)

    def cut(self, voltage: Scalar, ops: Operations) -> Scalar:
        """The voltage that the electronics can give."""
        for most in (self.motor.max_voltage, self.source):
            voltage = voltage if most is None else within(voltage, -most, most, ops)
        return voltage

    def held_back(self, at: Moment, ops: Operations) -> Scalar:
        """The voltage that the electronics command: the wanted one within all limits."""
        return self.cut(within(self.cut(at.wanted, ops), at.low, at.high, ops), ops)

    def current(self, at: Moment, voltage: Scalar) -> Scalar:
        """The current: a state, or what follows from the voltage."""
        return at.equations.settled_current(voltage, at.speed) if at.current is None else at.current

    def force(self, at: Moment, voltage: Scalar) -> Force:
        """The torque on the rotor, which goes through the drive's gear."""
        return Force(self.line, self.torque(at, voltage), self.drive)

    def torque(self, at: Moment, voltage: Scalar) -> Scalar:
        """The torque of the current and the cogging [Nm]."""
        return at.equations.torque(self.current(at, voltage)) + at.pull

    def rates(self, at: Moment, voltage: Scalar, ops: Operations) -> tuple[Scalar, ...]:
        """The rates of its states."""
        i = self.current(at, voltage)
        rates: list[Scalar] = []
        if self.motor.has_inductance:
            rates.append(at.equations.current_rate(voltage, i, at.speed))
        if self.control is not None:
            # The integral grows with the error that the commanded voltage can answer: so it stays R i at a limit too.
            missing = self.held_back(at, ops) - at.wanted
            rates.append(self.motor.resistance * (self.control.bandwidth * at.error + missing / self._inductance))
        if self.motor.heat is not None and at.warmth is not None:
            rates += warming(self.motor.heat, at.warmth, at.resistance * i * i)
        return tuple(rates)

    def stored(self, situation: Situation, at: Moment) -> Scalar:
        """Energy in the inductance and in the cogging [J]."""
        energy: Scalar = 0.0
        if at.current is not None:
            energy = 0.5 * self._inductance * at.current * at.current
        cogging = self.motor.cogging
        if cogging is not None:
            angle = cogging.periods * situation.position(self.line) + cogging.phase
            energy = energy + cogging.amplitude / cogging.periods * situation.ops.cos(angle)
        return energy

    def report(self, at: Moment, voltage: Scalar) -> dict[str, Scalar]:
        """Its signals."""
        i = self.current(at, voltage)
        values = {"current": i, "terminal_voltage": voltage, "motor_torque": self.torque(at, voltage)}
        values["electrical_power"] = voltage * i
        heat = self.motor.heat
        if heat is not None and heat.max_temperature is not None and at.warmth is not None:
            values["temperature_margin"] = heat.max_temperature - at.warmth.winding
        known = {signal.name for signal in self.signals}
        return {name: x for word, x in values.items() if (name := f"{self.drive}.{word}") in known}

    @property
    def _inductance(self) -> Scalar:
        return 0.0 if self.motor.inductance is None else self.motor.inductance

    def _angle(self, situation: Situation) -> Scalar:
        """The rotor's angle against its stator [rad]; 0 where nothing depends on it."""
        uneven = self.motor.ripple is not None or self.motor.cogging is not None
        return situation.position(self.line) if uneven else 0.0

    def constant(self, angle: Scalar, now: Warmth | None, ops: Operations) -> Scalar:
        """The constant K of torque and back-EMF at a rotor's angle, as warm as the motor is."""
        K, ripple, heat = self.motor.torque_constant, self.motor.ripple, self.motor.heat
        if ripple is not None:
            K = K * (1 + ripple.fraction * ops.sin(ripple.periods * angle + ripple.phase))
        return K if heat is None or now is None else K * magnet_factor(heat, now)

    def equations(self, constant: Scalar, now: Warmth | None) -> DcEquations:
        """The motor with a constant K, its winding as warm as it is."""
        R, heat = self.motor.resistance, self.motor.heat
        if heat is not None and now is not None:
            R = R * resistance_factor(heat, now)
        return DcEquations(constant, constant, R, self._inductance)

    def cogging(self, angle: Scalar, ops: Operations) -> Scalar:
        """The torque of the cogging at a rotor's angle [Nm]."""
        cogging = self.motor.cogging
        return 0.0 if cogging is None else cogging.amplitude * ops.sin(cogging.periods * angle + cogging.phase)

    def _currents(self, speed: Scalar, K: Scalar, R: Scalar, ops: Operations) -> tuple[Scalar | None, Scalar | None]:
        """The least and the most current that the electronics let through; None: any."""
        most = self.motor.max_current
        if self.motor.max_torque is not None:
            by_torque = self.motor.max_torque / self.motor.torque_constant
            most = by_torque if most is None else ops.minimum(most, by_torque)
        top = self.motor.max_speed
        if top is None or is_zero(top):
            return (None if most is None else -most), most
        ahead = within((top - speed) / (BAND * top), 0.0, 1.0, ops)
        behind = within((top + speed) / (BAND * top), 0.0, 1.0, ops)
        if most is None:  # far from the top speed there is no limit, and none appears suddenly
            stall = K * top / R
            return -stall * behind / (1 - behind + NEVER), stall * ahead / (1 - ahead + NEVER)
        return -most * behind, most * ahead

    def _voltage(
        self,
        limit: Scalar | None,
        current: Scalar | None,
        emf: Scalar,
        R: Scalar,
        nearer: Callable[[Scalar, Scalar], Scalar],
        sense: float,
    ) -> Scalar | None:
        """The voltage at which the current reaches a limit at once, or with the limiter's pace."""
        if current is None:
            return None if limit is None else emf + R * limit
        held = emf + R * current
        # The limiter is as fast as a current controller, whose integral then stays as it would without a limit.
        pace = R / LIMITER if self.control is None else self.control.bandwidth * self._inductance
        found = None if limit is None else held + pace * (limit - current)
        rate = self.motor.max_current_rate
        if rate is None or is_zero(rate):
            return found
        by_rate = held + sense * self._inductance * rate
        return by_rate if found is None else nearer(found, by_rate)


def _least(*limits: Scalar | None) -> float:
    """The least of limits that are numbers; infinite where there is none."""
    return min((float(x) for x in limits if x is not None and is_number(x)), default=inf)


def within(x: Scalar, low: Scalar | None, high: Scalar | None, ops: Operations) -> Scalar:
    """X cut to a range; None: no limit.

    >>> from gearwright.algebra.operations import FLOATS
    >>> within(3.0, -2.0, 2.0, FLOATS), within(3.0, None, None, FLOATS)
    (2.0, 3.0)
    """
    if low is not None:
        x = ops.maximum(x, low)
    return x if high is None else ops.minimum(x, high)
