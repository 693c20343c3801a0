"""The law of motors on one supply, and the voltage of the bus between them, solved at every instant.

The electronics of a drive are ideal choppers: with the duty d a motor sees the voltage d V of the bus and loads it with
d i, so that no power is lost in between. Currents of motors without inductance depend on the voltage, so the load is
I(V) = a + b V. The characteristic of the source has three linear branches:

- drawing: V = V0 - R I;
- between, for a source that takes nothing back: I = 0 (but for a trickle);
- braking: the chopper of the braking resistor holds V at its threshold as long as the resistor can take the current,
  then V = Rb times what is left for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.forces.law import Action, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.motors.motor import Moment, Winding, within
from gearwright.parts import Supply

# The bus

TINY = 1e-12
"""Conductance [1/Ohm] that counts as none."""

TRICKLE = 1e-2
"""Current [A] per source voltage that the braking resistor takes while the bus rises to its threshold."""


class Bus(NamedTuple):
    """The bus at a moment: its voltage [V], what the source and the braking resistor carry [A]."""

    voltage: Scalar
    source: Scalar
    brake: Scalar


def bus(supply: Supply, a: Scalar, b: Scalar, ops: Operations) -> Bus:
    """The bus under the load a + b V [A], b >= 0.

    >>> from gearwright.algebra.operations import FLOATS
    >>> bus(Supply(48.0, 0.5), 8.0, 0.0, FLOATS)
    Bus(voltage=44.0, source=8.0, brake=0.0)
    >>> bus(Supply(48.0, 0.5, False, 56.0, 4.0), -10.0, 0.0, FLOATS)
    Bus(voltage=56.0, source=0.0, brake=10.0)
    """
    if supply.regenerates:
        return _regenerating(supply, a, b, ops)
    drawn = a + b * supply.voltage
    low = (supply.voltage - supply.resistance * a) / (1 + supply.resistance * b)
    # Where nothing is drawn, a load of coils alone (b = 0) leaves the voltage open: there it would jump to the brake's
    # threshold and back. A trickle through the braking resistor makes it a steep line instead.
    free = supply.voltage - drawn / ops.maximum(b, TRICKLE / supply.voltage)
    voltage = ops.where(drawn >= 0, low, _braked(supply, -a, b, free, ops))
    load = a + b * voltage
    source = ops.where(drawn >= 0, load, 0.0)
    return Bus(voltage, source, ops.where(drawn >= 0, 0.0, -load))


def _regenerating(supply: Supply, a: Scalar, b: Scalar, ops: Operations) -> Bus:
    if supply.brake_voltage is None or is_zero(supply.resistance):
        voltage = (supply.voltage - supply.resistance * a) / (1 + supply.resistance * b)
        return Bus(voltage, a + b * voltage, 0.0)
    conductance = 1 / supply.resistance
    voltage = _braking(supply, conductance * supply.voltage - a, b + conductance, ops)
    source = conductance * (supply.voltage - voltage)
    return Bus(voltage, source, source - a - b * voltage)


def _braking(supply: Supply, current: Scalar, conductance: Scalar, ops: Operations) -> Scalar:
    """The voltage at which a current goes through a conductance, what is too much for it through the resistor."""
    return _braked(supply, current, conductance, current / ops.maximum(conductance, TINY), ops)


def _braked(supply: Supply, current: Scalar, conductance: Scalar, free: Scalar, ops: Operations) -> Scalar:
    """The voltage that is `free` below the threshold of the braking resistor."""
    resistance: Scalar = supply.brake_resistance
    burning = current / (conductance + 1 / resistance)
    return ops.maximum(burning, ops.minimum(free, supply.brake_voltage))


# The motors

ROUNDS = 3
"""Newton steps by which the electronics of motors at a limit find the bus voltage."""
STEEPEST = 0.9
"""Falling load per conductance of the source up to which Newton's step is taken as it is."""


@dataclass(frozen=True)
class MotorCircuit(Law):
    r"""Permanent-magnet motors, each fed by its own electronics from one supply.

    A voltage input u is a command: the electronics chop the bus with the duty $d = u / V_0$ (at most 1), so that the
    motor sees $d V$ when the bus sags or rises to V. Without a supply a motor sees its command. Energy: the source
    supplies $V_0 i_s$ (without a supply $\sum v i$); what resistances of windings, source and brake turn into heat is
    dissipated; $\tfrac12 L i^2$ and the work of cogging are stored. A motor's own friction is a law of its own.

    Motors at a limit of their current take the same power at any bus voltage, which makes the bus quadratic: the
    electronics set their duty by three steps of Newton's method, and the bus is then solved exactly for these duties.
    So the balance of power holds to the last digit, and the limit to a billionth while the bus sags by less than a
    tenth. Where more power would be needed than the source has, the current stays below its limit.

    Args:
        name: its name.
        windings: the motors.
        supply: what feeds them; None: ideal sources.
    """

    name: str
    windings: tuple[Winding, ...]
    supply: Supply | None = None

    def __post_init__(self) -> None:
        if self.supply is not None:
            fed = tuple(replace(winding, source=self.supply.voltage) for winding in self.windings)
            object.__setattr__(self, "windings", fed)

    @cached_property
    def states(self) -> tuple[Quantity, ...]:
        """The states of all motors, motor by motor."""
        return tuple(state for winding in self.windings for state in winding.states)

    @cached_property
    def inputs(self) -> tuple[Quantity, ...]:
        """One per motor: `<drive>.voltage` or `<drive>.current_reference`."""
        return tuple(winding.input for winding in self.windings)

    @property
    def saturations(self) -> Mapping[str, float]:
        """Those of all motors."""
        return {name: limit for winding in self.windings for name, limit in winding.saturations.items()}

    @cached_property
    def signals(self) -> tuple[Quantity, ...]:
        """Those of the motors and of the bus."""
        own = tuple(signal for winding in self.windings for signal in winding.signals)
        if self.supply is None:
            return own
        units = {"bus_voltage": "V", "source_current": "A", "brake_power": "W"}
        return (*own, *(Quantity(f"{self.name}.{word}", unit) for word, unit in units.items()))

    def act(self, mode: str, situation: Situation) -> Action:
        """One torque per motor."""
        moments = self._moments(situation)
        voltages, _ = self._voltages(moments, situation.ops)
        pairs = zip(self.windings, moments, voltages, strict=True)
        return Action(forces=tuple(winding.force(at, v) for winding, at, v in pairs))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rates, powers and signals."""
        moments = self._moments(situation)
        voltages, line = self._voltages(moments, situation.ops)
        rates: list[Scalar] = []
        signals: dict[str, Scalar] = {}
        supplied: Scalar = 0.0
        heat: Scalar = 0.0
        stored: Scalar = 0.0
        for winding, at, v in zip(self.windings, moments, voltages, strict=True):
            i = winding.current(at, v)
            rates += winding.rates(at, v, situation.ops)
            signals |= winding.report(at, v)
            supplied, heat = supplied + v * i, heat + at.resistance * i * i
            stored = stored + winding.stored(situation, at)
        if self.supply is not None and line is not None:
            supplied = self.supply.voltage * line.source
            burnt = line.voltage * line.brake
            heat = heat + self.supply.resistance * line.source * line.source + burnt
            named = {"bus_voltage": line.voltage, "source_current": line.source, "brake_power": burnt}
            signals |= {f"{self.name}.{word}": x for word, x in named.items()}
        return Outcome(tuple(rates), supplied, heat, stored, signals)

    def _moments(self, situation: Situation) -> list[Moment]:
        states: Iterator[Scalar] = iter(situation.states)
        return [
            winding.moment(situation, [next(states) for _ in winding.states], given)
            for winding, given in zip(self.windings, situation.inputs, strict=True)
        ]

    def _voltages(self, moments: Sequence[Moment], ops: Operations) -> tuple[list[Scalar], Bus | None]:
        """The voltage on every motor, and the bus."""
        if self.supply is None:
            return [w.held_back(at, ops) for w, at in zip(self.windings, moments, strict=True)], None
        voltage: Scalar = self.supply.voltage
        for _ in range(ROUNDS if any(at.limited for at in moments) else 0):
            voltage = self._nearer(moments, voltage, ops)
        duties = [self._duty(w, at, voltage, ops) for w, at in zip(self.windings, moments, strict=True)]
        line = bus(self.supply, *_load(moments, duties), ops)
        return [duty * line.voltage for duty in duties], line

    def _nearer(self, moments: Sequence[Moment], voltage: Scalar, ops: Operations) -> Scalar:
        """A better estimate of the bus voltage: one step of Newton's method.

        A motor at a limit takes the same power at any voltage, so its current falls as the voltage rises. Half the
        source's voltage is where the source gives the most power: more than that it cannot give.
        """
        supply = self.supply
        assert supply is not None
        total: Scalar = 0.0
        slope: Scalar = 0.0
        for winding, at in zip(self.windings, moments, strict=True):
            duty = self._duty(winding, at, voltage, ops)
            drawn = duty * winding.current(at, duty * voltage)
            free = 0.0 if at.current is not None else duty * duty / at.resistance
            held = ops.absolute(duty - winding.cut(at.wanted, ops) / supply.voltage) > 0
            inside = ops.absolute(duty) < 1
            total = total + drawn
            slope = slope + ops.where(held, ops.where(inside, -drawn / voltage, free), free)
        if not is_zero(supply.resistance):
            slope = ops.maximum(slope, -STEEPEST / supply.resistance)
        found = bus(supply, total - slope * voltage, slope, ops).voltage
        return ops.maximum(found, 0.5 * supply.voltage)

    def _duty(self, winding: Winding, at: Moment, voltage: Scalar, ops: Operations) -> Scalar:
        """The share of the bus voltage that a motor gets, for a bus at about this voltage."""
        supply = self.supply
        assert supply is not None
        duty = winding.cut(at.wanted, ops) / supply.voltage
        low = None if at.low is None else winding.cut(at.low, ops) / voltage
        high = None if at.high is None else winding.cut(at.high, ops) / voltage
        return within(within(duty, low, high, ops), -1.0, 1.0, ops)


def _load(moments: Sequence[Moment], duties: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """The current that all motors draw from the bus, a + b V."""
    a: Scalar = 0.0
    b: Scalar = 0.0
    for at, duty in zip(moments, duties, strict=True):
        if at.current is None:
            a, b = a - duty * at.emf / at.resistance, b + duty * duty / at.resistance
        else:
            a = a + duty * at.current
    return a, b
