"""The rates of a robot with its laws as a CasADi function: what collocation, shooting and acados want."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.forces.law import Law
from gearwright.mechanism import RobotOrMech
from gearwright.system.open_systems.rates import open_rates
from gearwright.tracing.casadi_backend import as_casadi


@dataclass(frozen=True)
class CasadiRates:
    """dx = f(x, u, parameters); called like its `casadi.Function`.

    Args:
        function: the CasADi function of x, u and, where there are any, parameters, with the result `dx`.
        states: what x holds: `q.<coordinate>`, `v.<speed>`, states of laws.
        inputs: what u holds.
        parameters: paths of the parameters.
        nominal: the parameters' values in the robot.
    """

    function: Any
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    nominal: tuple[float, ...]

    def __call__(self, *given: Any) -> Any:
        """The rates, for numbers, SX or MX."""
        return self.function(*given)


@check_arguments
def casadi_rates(
    robot_or_mech: RobotOrMech,
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
) -> CasadiRates:
    """The rates of a robot with its laws as a CasADi function.

    Args:
        robot_or_mech: a robot with the laws of its file (friction, stops and backlash smooth), or a machine.
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or a list of names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws.
        parameters: paths of numbers that stay inputs, such as "payload.mass"; machine and laws follow them.
        laws: laws instead of those of the robot, of which a warning names what is left out; () for none. Laws with
            modes, holds or losses by the direction of power, and laws of time, are refused by name.
        extra_laws: laws beside those of the robot.

    Returns:
        The function with the names of its states, inputs and parameters.

    >>> import gearwright as gw
    >>> f = casadi_rates(gw.load("elbow"))
    >>> f.states[2:4], f.inputs[0], f.function
    (('q.j3', 'v.j1'), 'tau.j1', Function(rates:(x[6],u[3])->(dx[6]) SXFunction))
    """
    found = open_rates("casadi_rates", robot_or_mech, inputs, parameters, laws, extra_laws)
    return CasadiRates(as_casadi(found.job()), found.states, found.inputs, found.parameters, found.nominal)
