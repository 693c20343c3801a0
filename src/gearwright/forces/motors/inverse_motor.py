"""Inverse models of a robot's motors: current, voltage and temperatures from the required torque and motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from gearwright.algebra import ARRAYS, FLOATS, Operations, Scalar
from gearwright.algebra.differentiation.dual_arrays import array_columns, array_item, stack_arrays
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    dual,
    map_linear,
    partials_of,
    primal_value,
    series_from_coefficients,
    series_from_derivatives,
    time_coefficient,
)
from gearwright.algebra.differentiation.taylor_series import TaylorOperations
from gearwright.algebra.differentiation.variational_equation import solve_variational_equation
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.actuators.linear_actuator import ActuatorInputs, ActuatorMotion
from gearwright.forces.law import Quantity
from gearwright.forces.line import Line
from gearwright.forces.motors.motor import Winding
from gearwright.forces.motors.thermal import (
    MotorTemperatures,
    resistance_factor,
    temperature_quantities,
    temperature_rates,
    temperatures_from_states,
)


@dataclass(frozen=True)
class MotorInverse:
    """A motor with electrical data for `demands`: the inverse of the winding of a simulation.

    Args:
        winding: the motor.
        limit: the largest voltage of its electronics [V]; None: no limit.
        start: initial temperatures by name [K]; default: ambient.
        is_isothermal: whether it keeps its initial temperatures.
    """

    winding: Winding
    limit: float | None = None
    start: Mapping[str, float] = field(default_factory=dict)
    is_isothermal: bool = False

    @property
    def name(self) -> str:
        """Its name, `<motor>.motor`."""
        return f"{self.port}.motor"

    @property
    def line(self) -> Line:
        """The rotor's speed relative to its stator."""
        return self.winding.line

    @property
    def port(self) -> str:
        """Name of the motor, through whose gear losses the torque acts."""
        return self.winding.drive

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its current and temperatures, as far as they are states."""
        return self.winding.states

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The voltage."""
        return (self.winding.input_quantity,)

    @property
    def limits(self) -> tuple[float | None, ...]:
        """The largest voltage."""
        return (self.limit,)

    @cached_property
    def inverse(self) -> WindingInverse:
        """The inverse model: voltage, current and temperatures."""
        return WindingInverse(self.winding, self.start, self.is_isothermal)


@dataclass(frozen=True)
class WindingInverse:
    r"""The inverse of a winding: $i = (\tau - \tau_{cogging}) / K$ and $v = R i + L\, di/dt + K \omega$.

    K and R depend on the rotor's angle and on the temperatures, which are integrated along the motion with the heat
    $R i^2$.

    >>> import numpy as np
    >>> import gearwright as gw
    >>> from gearwright.parts import Motor
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> winding = Winding("j1", Line.for_machine(arm, "j1"), Motor(1e-4, torque_constant=0.05, resistance=0.5))
    >>> still = [np.zeros(2)] * 3
    >>> answer, _ = WindingInverse(winding).solve(ActuatorMotion(np.array([0.0, 1.0]), still, [np.full(2, 0.2)]))
    >>> answer.inputs[:, 0].tolist()
    [2.0, 2.0]
    """

    winding: Winding
    start: Mapping[str, float] = field(default_factory=dict)
    is_isothermal: bool = False

    @property
    def relative_degree(self) -> int:
        """The relative degree: with an inductance the rate of the torque is needed."""
        return 2 if self.winding.motor.has_inductance else 1

    def solve(self, demand: ActuatorMotion, state: Scalar | None = None) -> tuple[ActuatorInputs, Scalar]:
        """Current, temperatures and voltage over a segment, and the final temperatures; `state`: the initial ones."""
        temperatures = self._temperature_series(demand, self._initial_temperatures if state is None else state)
        speed, thermal_state = demand.motion[1], self._thermal_state(array_columns(temperatures))
        current = self._current_series(demand, thermal_state)
        i, rate = time_coefficient(current, 0), time_coefficient(current, 1)
        constant = self.winding.torque_constant(demand.motion[0], thermal_state, DualOperations(ARRAYS))
        equations = self.winding.dc_equations(constant, thermal_state)
        heat = equations.heat(i) + np.zeros(len(demand.t))
        signals = {f"{self.winding.drive}.current": i, f"{self.winding.drive}.heat": heat}
        voltage = equations.terminal_voltage(i, rate, speed)
        current_states = [i] if self.relative_degree > 1 else []
        states, inputs = (
            stack_arrays(x, demand.t.shape) for x in ([*current_states, *array_columns(temperatures)], [voltage])
        )
        return ActuatorInputs(states, inputs, signals), map_linear(lambda x: x[-1], temperatures)

    @cached_property
    def _initial_temperatures(self) -> Scalar:
        """The temperatures at the start, (temperatures,)."""
        quantities = temperature_quantities(self.winding.drive, self.winding.motor.heat)
        return stack_arrays([self.start.get(quantity.name, quantity.initial) for quantity in quantities], ())

    def _thermal_state(self, temperatures: list[Scalar]) -> MotorTemperatures | None:
        heat = self.winding.motor.heat
        return None if heat is None else temperatures_from_states(heat, temperatures)

    def _current_series(self, demand: ActuatorMotion, thermal_state: MotorTemperatures | None) -> Scalar:
        """The current as a Taylor series in time, with as many coefficients as derivatives of the torque are needed."""
        angle, torque = (series_from_derivatives(x[: self.relative_degree]) for x in (demand.motion, demand.force))
        ops, winding = DualOperations(TaylorOperations(ARRAYS)), self.winding
        torque = torque - winding.cogging_torque(angle, ops)
        current = torque / winding.torque_constant(angle, thermal_state, ops)
        if thermal_state is None or self.relative_degree == 1:
            return current
        # The housing's temperature changes the torque constant, so its rate is part of di/dt.
        states = [thermal_state.winding, thermal_state.housing][: len(primal_value(self._initial_temperatures))]
        rates = self._temperature_rates(time_coefficient(current, 0), states)
        next_thermal_state = self._thermal_state(
            [series_from_coefficients([x, rate]) for x, rate in zip(states, rates, strict=True)]
        )
        return torque / winding.torque_constant(angle, next_thermal_state, ops)

    def _temperature_rates(self, current: Scalar, temperatures: list[Scalar]) -> tuple[Scalar, ...]:
        heat, thermal_state = self.winding.motor.heat, self._thermal_state(temperatures)
        if heat is None or thermal_state is None:
            return ()
        return temperature_rates(
            heat,
            thermal_state,
            self.winding.motor.resistance * resistance_factor(heat, thermal_state) * current * current,
        )

    def _temperature_series(self, demand: ActuatorMotion, start: Scalar) -> Scalar:
        """The temperatures over a segment, (T, temperatures), integrated between its samples."""
        from scipy.integrate import solve_ivp

        t = demand.t
        if self.is_isothermal or not len(primal_value(start)) or len(t) == 1:
            return map_linear(lambda x: np.repeat(x[None], len(t), axis=0), start)
        torque_and_angle = self._torque_and_angle(demand)

        def state_rates(at: Scalar, states: Sequence[Scalar], ops: Operations) -> tuple[Scalar, ...]:
            torque, angle = torque_and_angle(at)
            constant = self.winding.torque_constant(angle, self._thermal_state(list(states)), ops)
            return self._temperature_rates((torque - self.winding.cogging_torque(angle, ops)) / constant, list(states))

        def float_rates(at: float, states: Array) -> list[float]:
            return [primal_value(x) for x in state_rates(at, states.tolist(), DualOperations(FLOATS))]

        initial_values = primal_value(start)
        solution = solve_ivp(
            float_rates, (t[0], t[-1]), initial_values, "LSODA", t, dense_output=True, rtol=1e-10, atol=1e-9
        )
        if not solution.success:
            raise InputError(
                f"demands: the temperatures of motor {self.winding.drive!r} cannot be integrated: {solution.message} "
                "Check its thermal resistances and capacities."
            )
        array_rates = partial(state_rates, ops=DualOperations(ARRAYS))
        if not any(partials_of(x) for x in (start, *array_rates(t, list(solution.y)))):
            return solution.y.T
        return dual(
            solution.y.T, solve_variational_equation(array_rates, t, lambda at: solution.sol(at).T, partials_of(start))
        )

    def _torque_and_angle(self, demand: ActuatorMotion) -> Callable[[Scalar], list[Scalar]]:
        """Interpolated torque and angle at times between the samples of a segment."""
        from scipy.interpolate import make_interp_spline

        t, degree = demand.t, min(3, len(demand.t) - 1)
        torque_and_angle = stack_arrays([demand.force[0], demand.motion[0]], t.shape)
        curves = map_linear(lambda x: make_interp_spline(t, x, k=degree), torque_and_angle)
        if partials_of(torque_and_angle):
            return lambda at: [array_item(map_linear(lambda curve: curve(at), curves), np.s_[..., k]) for k in range(2)]
        return lambda at: list(curves(at).T) if np.ndim(at) else curves(at).tolist()
