"""Motors on one supply as a law: their voltages are found together, each moment, without iteration to a tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gearwright.algebra import Operations, Scalar
from gearwright.forces.law import Action, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.motor import Moment, Winding, within
from gearwright.forces.supply import Bus, bus
from gearwright.parts import Supply

ROUNDS = 3
"""How often the duties of motors at a limit are set anew for the bus voltage they lead to."""


@dataclass(frozen=True)
class MotorCircuit(Law):
    r"""Permanent-magnet motors, each fed by its own electronics from one supply.

    A voltage input u is a command: the electronics chop the bus with the duty $d = u / V_0$ (at most 1), so that the
    motor sees $d V$ when the bus sags or rises to V. Without a supply a motor sees its command. Energy: the source
    supplies $V_0 i_s$ (without a supply $\sum v i$); what resistances of windings, source and brake turn into heat is
    dissipated; $\tfrac12 L i^2$ and the work of cogging are stored. A motor's own friction is a law of its own.

    Limits of current are kept exactly without a supply or with one of no resistance; with a bus that gives way,
    the electronics set the duty by a bus voltage that they computed from the one before, and are off by the square of
    the bus voltage's relative change.

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
        return Outcome(tuple(rates), (), supplied, heat, stored, signals)

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
        limited = any(at.low is not None or at.high is not None for at in moments)
        voltage: Scalar = self.supply.voltage
        for _ in range(ROUNDS if limited else 1):
            duties = [self._duty(w, at, voltage, ops) for w, at in zip(self.windings, moments, strict=True)]
            line = bus(self.supply, *_load(moments, duties), ops)
            voltage = line.voltage
        return [duty * voltage for duty in duties], line

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
