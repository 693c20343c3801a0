"""The law of motors on one supply; the voltage of their common bus is solved at every instant.

The electronics of a drive are ideal choppers: at the duty d the motor voltage is d V of the bus and the bus current
d i, so power is conserved. Currents of motors without inductance depend on the voltage, so the load is I(V) = a + b V.
The characteristic of the source has three linear branches:

- drawing: V = V0 - R I;
- blocking, for a source that does not regenerate: I = 0 (except for a leakage current);
- braking: the brake chopper keeps V at its threshold as long as the resistor can carry the current, then V = Rb times
  the current of the resistor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.forces.law import Action, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.motors.motor import MotorInstant, Winding, clip_optional
from gearwright.parts import Supply

# The bus

NEGLIGIBLE_CONDUCTANCE = 1e-12
"""Conductance [1/Ohm] that counts as zero."""

TRICKLE_CURRENT_RATIO = 1e-2
"""Leakage current [A] of the braking resistor per source voltage while the bus rises to its threshold."""


class BusState(NamedTuple):
    """The bus at an instant: its voltage [V], and the currents of the source and the braking resistor [A]."""

    voltage: Scalar
    source: Scalar
    brake: Scalar


def solve_bus(supply: Supply, a: Scalar, b: Scalar, ops: Operations) -> BusState:
    """The bus under the load a + b V [A], b >= 0.

    >>> from gearwright.algebra import FLOATS
    >>> solve_bus(Supply(48.0, 0.5), 8.0, 0.0, FLOATS)
    BusState(voltage=44.0, source=8.0, brake=0.0)
    >>> solve_bus(Supply(48.0, 0.5, False, 56.0, 4.0), -10.0, 0.0, FLOATS)
    BusState(voltage=56.0, source=0.0, brake=10.0)
    """
    if supply.regenerates:
        return _regenerating_bus(supply, a, b, ops)
    nominal_load = a + b * supply.voltage
    loaded_voltage = (supply.voltage - supply.resistance * a) / (1 + supply.resistance * b)
    # Without current draw, a purely inductive load (b = 0) does not determine the voltage: it would jump to the brake's
    # threshold and back. A leakage current through the braking resistor makes it a steep line instead.
    unloaded_voltage = supply.voltage - nominal_load / ops.maximum(b, TRICKLE_CURRENT_RATIO / supply.voltage)
    voltage = ops.where(nominal_load >= 0, loaded_voltage, _braked_voltage(supply, -a, b, unloaded_voltage, ops))
    load = a + b * voltage
    source = ops.where(nominal_load >= 0, load, 0.0)
    return BusState(voltage, source, ops.where(nominal_load >= 0, 0.0, -load))


def _regenerating_bus(supply: Supply, a: Scalar, b: Scalar, ops: Operations) -> BusState:
    if supply.brake_voltage is None or is_zero(supply.resistance):
        voltage = (supply.voltage - supply.resistance * a) / (1 + supply.resistance * b)
        return BusState(voltage, a + b * voltage, 0.0)
    conductance = 1 / supply.resistance
    voltage = _braking_voltage(supply, conductance * supply.voltage - a, b + conductance, ops)
    source = conductance * (supply.voltage - voltage)
    return BusState(voltage, source, source - a - b * voltage)


def _braking_voltage(supply: Supply, current: Scalar, conductance: Scalar, ops: Operations) -> Scalar:
    """The voltage at which a current flows through a conductance, and its excess through the resistor."""
    return _braked_voltage(
        supply, current, conductance, current / ops.maximum(conductance, NEGLIGIBLE_CONDUCTANCE), ops
    )


def _braked_voltage(supply: Supply, current: Scalar, conductance: Scalar, free: Scalar, ops: Operations) -> Scalar:
    """The voltage, which is `free` below the threshold of the braking resistor."""
    resistance: Scalar = supply.brake_resistance
    resistor_voltage = current / (conductance + 1 / resistance)
    return ops.maximum(resistor_voltage, ops.minimum(free, supply.brake_voltage))


# The motors

BUS_NEWTON_STEPS = 3
"""Newton steps for the bus voltage of motors at a current limit."""
MAX_LOAD_SLOPE_RATIO = 0.9
"""Negative load conductance, relative to that of the source, up to which the full Newton step is used."""


@check_arguments
@dataclass(frozen=True)
class MotorCircuit(Law):
    r"""Permanent-magnet motors, each fed by its own electronics from one supply.

    A voltage input u is a command: the electronics switch the bus with the duty $d = u / V_0$ (at most 1), so the motor
    voltage is $d V$ when the bus sags or rises to V. Without a supply the motor voltage is the command. Energy: the
    source supplies $V_0 i_s$ (without a supply $\sum v i$); the resistances of windings, source and brake dissipate;
    $\tfrac12 L i^2$ and the potential of cogging are stored. The friction of a motor is a separate law.

    Motors at a current limit draw constant power at any bus voltage, which makes the bus equation quadratic. The
    electronics set their duty by three Newton steps, and the bus is then solved exactly for these duties. The power
    balance therefore holds to rounding, and the limit to 1e-9 while the bus sags by less than 10 %. Where the required
    power exceeds that of the source, the current stays below its limit.

    Args:
        name: its name.
        windings: the motors.
        supply: their supply; None: ideal sources.
    """

    name: str
    windings: tuple[Winding, ...]
    supply: Supply | None = None

    def __post_init__(self) -> None:
        if self.supply is not None:
            windings = tuple(replace(winding, source=self.supply.voltage) for winding in self.windings)
            object.__setattr__(self, "windings", windings)

    @cached_property
    def states(self) -> tuple[Quantity, ...]:
        """The states of all motors, motor by motor."""
        return tuple(state for winding in self.windings for state in winding.states)

    @cached_property
    def inputs(self) -> tuple[Quantity, ...]:
        """One per motor: `<drive>.voltage` or `<drive>.current_reference`."""
        return tuple(winding.input_quantity for winding in self.windings)

    @property
    def saturations(self) -> Mapping[str, float]:
        """The saturation limits of all motors."""
        return {name: limit for winding in self.windings for name, limit in winding.saturations.items()}

    @cached_property
    def signals(self) -> tuple[Quantity, ...]:
        """The signals of the motors and of the bus."""
        motor_signals = tuple(signal for winding in self.windings for signal in winding.signals)
        if self.supply is None:
            return motor_signals
        units = {"bus_voltage": "V", "source_current": "A", "brake_power": "W"}
        return (*motor_signals, *(Quantity(f"{self.name}.{word}", unit) for word, unit in units.items()))

    def act(self, mode: str, situation: Situation) -> Action:
        """One torque per motor."""
        instants = self._motor_instants(situation)
        voltages, _ = self._motor_voltages(instants, situation.ops)
        pairs = zip(self.windings, instants, voltages, strict=True)
        return Action(forces=tuple(winding.torque_force(instant, v) for winding, instant, v in pairs))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rates, powers and signals."""
        instants = self._motor_instants(situation)
        voltages, bus = self._motor_voltages(instants, situation.ops)
        rates: list[Scalar] = []
        signals: dict[str, Scalar] = {}
        supplied: Scalar = 0.0
        heat: Scalar = 0.0
        stored: Scalar = 0.0
        for winding, instant, v in zip(self.windings, instants, voltages, strict=True):
            i = winding.current(instant, v)
            rates += winding.state_rates(instant, v, situation.ops)
            signals |= winding.signal_values(instant, v)
            supplied, heat = supplied + v * i, heat + instant.dc_equations.heat(i)
            stored = stored + winding.stored_energy(situation, instant)
        if self.supply is not None and bus is not None:
            supplied = self.supply.voltage * bus.source
            brake_power = bus.voltage * bus.brake
            heat = heat + self.supply.resistance * bus.source * bus.source + brake_power
            bus_signals = {"bus_voltage": bus.voltage, "source_current": bus.source, "brake_power": brake_power}
            signals |= {f"{self.name}.{word}": x for word, x in bus_signals.items()}
        return Outcome(tuple(rates), supplied, heat, stored, signals)

    def _motor_instants(self, situation: Situation) -> list[MotorInstant]:
        states: Iterator[Scalar] = iter(situation.states)
        return [
            winding.motor_instant(situation, [next(states) for _ in winding.states], request)
            for winding, request in zip(self.windings, situation.inputs, strict=True)
        ]

    def _motor_voltages(
        self, instants: Sequence[MotorInstant], ops: Operations
    ) -> tuple[list[Scalar], BusState | None]:
        """The voltage on every motor, and the bus."""
        if self.supply is None:
            return [
                winding.commanded_voltage(instant, ops)
                for winding, instant in zip(self.windings, instants, strict=True)
            ], None
        voltage: Scalar = self.supply.voltage
        for _ in range(BUS_NEWTON_STEPS if any(instant.has_current_limit for instant in instants) else 0):
            voltage = self._newton_voltage(instants, voltage, ops)
        duties = [
            self._duty_ratio(winding, instant, voltage, ops)
            for winding, instant in zip(self.windings, instants, strict=True)
        ]
        bus = solve_bus(self.supply, *_bus_load(instants, duties), ops)
        return [duty * bus.voltage for duty in duties], bus

    def _newton_voltage(self, instants: Sequence[MotorInstant], voltage: Scalar, ops: Operations) -> Scalar:
        """An improved estimate of the bus voltage by one Newton step.

        A motor at a limit draws constant power, so its current falls as the voltage rises. The source delivers its
        largest power at half its voltage.
        """
        supply = self.supply
        assert supply is not None
        total: Scalar = 0.0
        slope: Scalar = 0.0
        for winding, instant in zip(self.windings, instants, strict=True):
            duty = self._duty_ratio(winding, instant, voltage, ops)
            drawn = duty * winding.current(instant, duty * voltage)
            passive_slope = 0.0 if instant.current is not None else duty * duty / instant.resistance
            is_limited = (
                ops.absolute(duty - winding.supply_limited(instant.requested_voltage, ops) / supply.voltage) > 0
            )
            inside = ops.absolute(duty) < 1
            total = total + drawn
            slope = slope + ops.where(is_limited, ops.where(inside, -drawn / voltage, passive_slope), passive_slope)
        if not is_zero(supply.resistance):
            slope = ops.maximum(slope, -MAX_LOAD_SLOPE_RATIO / supply.resistance)
        improved = solve_bus(supply, total - slope * voltage, slope, ops).voltage
        return ops.maximum(improved, 0.5 * supply.voltage)

    def _duty_ratio(self, winding: Winding, instant: MotorInstant, voltage: Scalar, ops: Operations) -> Scalar:
        """The duty of a motor for an estimated bus voltage."""
        supply = self.supply
        assert supply is not None
        duty = winding.supply_limited(instant.requested_voltage, ops) / supply.voltage
        low = None if instant.lowest_voltage is None else winding.supply_limited(instant.lowest_voltage, ops) / voltage
        high = (
            None if instant.highest_voltage is None else winding.supply_limited(instant.highest_voltage, ops) / voltage
        )
        return clip_optional(clip_optional(duty, low, high, ops), -1.0, 1.0, ops)


def _bus_load(instants: Sequence[MotorInstant], duties: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """The current that all motors draw from the bus, a + b V."""
    a: Scalar = 0.0
    b: Scalar = 0.0
    for instant, duty in zip(instants, duties, strict=True):
        if instant.current is None:
            a, b = a - duty * instant.back_emf / instant.resistance, b + duty * duty / instant.resistance
        else:
            a = a + duty * instant.current
    return a, b
