"""Inverting a robot's own motor: current and voltage from the torque and the motion it must give, warm as it gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_arrays import columns_of, item, stacked
from gearwright.algebra.differentiation.dual_numbers import (
    VariedOperations,
    coefficient,
    linear,
    series_of,
    series_of_derivatives,
    slopes_of,
    value_of,
    with_slopes,
)
from gearwright.algebra.differentiation.taylor_series import TaylorOperations
from gearwright.algebra.differentiation.variational_equation import slopes_along
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.actuators.linear_actuator import Answer, Demand
from gearwright.forces.law import Quantity
from gearwright.forces.line import Line
from gearwright.forces.motors.motor import Winding
from gearwright.forces.motors.thermal import Warmth, resistance_factor, warm_states, warming, warmth


@dataclass(frozen=True)
class DrivenMotor:
    """A motor with electrical data as `demands` asks it: the very winding that a simulation has, the other way round.

    Args:
        winding: the motor.
        limit: the most voltage that its electronics have [V]; None: any.
        start: temperatures at the start by name [K]; those of the surroundings unless given.
    """

    winding: Winding
    limit: float | None = None
    start: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name, `<motor>.motor`."""
        return f"{self.port}.motor"

    @property
    def line(self) -> Line:
        """The rotor's rate against its stator."""
        return self.winding.line

    @property
    def port(self) -> str:
        """Name of the motor, whose gear the torque passes."""
        return self.winding.drive

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Current and temperatures, those that there are."""
        return self.winding.states

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The voltage."""
        return (self.winding.input,)

    @property
    def limits(self) -> tuple[float | None, ...]:
        """The largest voltage."""
        return (self.limit,)

    @cached_property
    def inverse(self) -> WindingInverse:
        """What gives voltage, current and temperatures."""
        return WindingInverse(self.winding, self.start)


@dataclass(frozen=True)
class WindingInverse:
    r"""The inverse of a winding: $i = (\tau - \tau_{cogging}) / K$ and $v = R i + L\, di/dt + K \omega$.

    K and R follow from the rotor's angle and from the temperatures, which are integrated along the motion with the
    heat $R i^2$.

    >>> import numpy as np
    >>> import gearwright as gw
    >>> from gearwright.parts import Motor
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> winding = Winding("j1", Line.of(arm, "j1"), Motor(1e-4, torque_constant=0.05, resistance=0.5))
    >>> still = [np.zeros(2)] * 3
    >>> answer, _ = WindingInverse(winding).solve(Demand(np.array([0.0, 1.0]), still, [np.full(2, 0.2)]))
    >>> answer.inputs[:, 0].tolist()
    [2.0, 2.0]
    """

    winding: Winding
    start: Mapping[str, float] = field(default_factory=dict)

    @property
    def degree(self) -> int:
        """An inductance asks for the rate of the torque."""
        return 2 if self.winding.motor.has_inductance else 1

    def solve(self, demand: Demand, inner: Scalar | None = None) -> tuple[Answer, Scalar]:
        """Current, temperatures and voltage over a piece, and the temperatures at its end; `inner`: at its start."""
        temperatures = self._temperatures(demand, self._first if inner is None else inner)
        speed, now = demand.way[1], self._warmth(columns_of(temperatures))
        current = self._current(demand, now)
        i, rate = coefficient(current, 0), coefficient(current, 1)
        constant = self.winding.constant(demand.way[0], now, VariedOperations(ARRAYS))
        settled = self.winding.equations(constant, now)
        heat = settled.resistance * i * i + np.zeros(len(demand.t))
        shown = {f"{self.winding.drive}.current": i, f"{self.winding.drive}.heat": heat}
        voltage = settled.voltage(i, rate, speed)
        drawn = [i] if self.degree > 1 else []
        states, inputs = (stacked(x, demand.t.shape) for x in ([*drawn, *columns_of(temperatures)], [voltage]))
        return Answer(states, inputs, shown), linear(lambda x: x[-1], temperatures)

    @cached_property
    def _first(self) -> Scalar:
        """The temperatures at the start, (temperatures,)."""
        own = warm_states(self.winding.drive, self.winding.motor.heat)
        return stacked([self.start.get(one.name, one.initial) for one in own], ())

    def _warmth(self, temperatures: list[Scalar]) -> Warmth | None:
        heat = self.winding.motor.heat
        return None if heat is None else warmth(heat, temperatures)

    def _current(self, demand: Demand, now: Warmth | None) -> Scalar:
        """The current as a series of time, of as many coefficients as the torque's derivatives that count."""
        angle, torque = (series_of_derivatives(x[: self.degree]) for x in (demand.way, demand.force))
        ops, winding = VariedOperations(TaylorOperations(ARRAYS)), self.winding
        torque = torque - winding.cogging(angle, ops)
        found = torque / winding.constant(angle, now, ops)
        if now is None or self.degree == 1:
            return found
        # The housing's temperature changes the torque constant, so that its rate counts in di/dt.
        states = [now.winding, now.housing][: len(value_of(self._first))]
        rates = self._rates(coefficient(found, 0), states)
        warm = self._warmth([series_of([x, rate]) for x, rate in zip(states, rates, strict=True)])
        return torque / winding.constant(angle, warm, ops)

    def _rates(self, current: Scalar, temperatures: list[Scalar]) -> tuple[Scalar, ...]:
        heat, now = self.winding.motor.heat, self._warmth(temperatures)
        if heat is None or now is None:
            return ()
        return warming(heat, now, self.winding.motor.resistance * resistance_factor(heat, now) * current * current)

    def _temperatures(self, demand: Demand, start: Scalar) -> Scalar:
        """The temperatures that are states over a piece, (T, temperatures), integrated between its samples."""
        from scipy.integrate import solve_ivp

        t = demand.t
        if not len(value_of(start)) or len(t) == 1:
            return linear(lambda x: np.repeat(x[None], len(t), axis=0), start)
        asked = self._asked(demand)

        def rates(at: Scalar, states: Sequence[Scalar], ops: Operations) -> tuple[Scalar, ...]:
            torque, angle = asked(at)
            constant = self.winding.constant(angle, self._warmth(list(states)), ops)
            return self._rates((torque - self.winding.cogging(angle, ops)) / constant, list(states))

        def numbers(at: float, states: Array) -> list[float]:
            return [value_of(x) for x in rates(at, states.tolist(), VariedOperations(FLOATS))]

        begin = value_of(start)
        done = solve_ivp(numbers, (t[0], t[-1]), begin, "LSODA", t, dense_output=True, rtol=1e-10, atol=1e-9)
        if not done.success:
            raise InputError(
                f"demands: the temperatures of motor {self.winding.drive!r} cannot be followed: {done.message} Check "
                "its thermal resistances and capacities."
            )
        warm = partial(rates, ops=VariedOperations(ARRAYS))
        if not any(slopes_of(x) for x in (start, *warm(t, list(done.y)))):
            return done.y.T
        return with_slopes(done.y.T, slopes_along(warm, t, lambda at: done.sol(at).T, slopes_of(start)))

    def _asked(self, demand: Demand) -> Callable[[Scalar], list[Scalar]]:
        """Torque and angle at a time or at times, between the samples of a piece."""
        from scipy.interpolate import make_interp_spline

        t, degree = demand.t, min(3, len(demand.t) - 1)
        both = stacked([demand.force[0], demand.way[0]], t.shape)
        curves = linear(lambda x: make_interp_spline(t, x, k=degree), both)
        if slopes_of(both):
            return lambda at: [item(linear(lambda curve: curve(at), curves), np.s_[..., k]) for k in range(2)]
        return lambda at: list(curves(at).T) if np.ndim(at) else curves(at).tolist()
