"""State derivatives of a robot with its laws as a CasADi function, for collocation, shooting and acados."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.forces import Law
from gearwright.mechanism import RobotOrMech
from gearwright.system.open_systems.rates import open_rates
from gearwright.tracing.casadi_backend import as_casadi


@dataclass(frozen=True)
class CasadiRates:
    """dx = f(x, u, parameters); called like its `casadi.Function`.

    Args:
        function: the CasADi function of x, u and, if any, parameters, with the result `dx`.
        states: names of the entries of x: `q.<coordinate>`, `v.<speed>`, states of laws.
        inputs: names of the entries of u.
        parameters: paths of the parameters.
        nominal: the parameters' values in the robot.
    """

    function: Any
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    nominal: tuple[float, ...]

    def __call__(self, *values: Any) -> Any:
        """Return the state derivatives, for numbers, SX or MX."""
        return self.function(*values)


@check_arguments
def casadi_rates(
    robot_or_mech: RobotOrMech,
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
) -> CasadiRates:
    """Return the state derivatives of a robot with its laws as a CasADi function.

    Args:
        robot_or_mech: a robot with the laws of its file (friction, stops and backlash smooth), or a machine.
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or a list of names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws.
        parameters: paths of parameters that remain inputs, such as "payload.mass"; machine and laws depend on them.
        laws: laws that replace those of the robot, with a warning that lists the omitted ones; () for none. Laws with
            modes, constraints or direction-dependent losses, and laws that depend on time, raise an error.
        extra_laws: laws added to those of the robot.

    Returns:
        The function with the names of its states, inputs and parameters.

    >>> import gearwright as gw
    >>> f = casadi_rates(gw.load("elbow"))
    >>> f.states[2:4], f.inputs[0], f.function
    (('q.j3', 'v.j1'), 'tau.j1', Function(rates:(x[6],u[3])->(dx[6]) SXFunction))
    """
    rates = open_rates("casadi_rates", robot_or_mech, inputs, parameters, laws, extra_laws)
    return CasadiRates(as_casadi(rates.trace_job()), rates.states, rates.inputs, rates.parameters, rates.nominal_values)
