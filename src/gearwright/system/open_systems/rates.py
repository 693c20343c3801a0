"""The rates of a machine with its laws as one program of named states, inputs and parameters.

For whoever integrates, plans or linearises outside: CasADi, C on a controller, a state space. The laws are those
without modes (`laws(..., smooth=True)`), because outside nobody looks for events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.configuration import rate
from gearwright.errors import InputError, NotTraceableError
from gearwright.forces.law import Law
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs.program import Inputs, Program
from gearwright.system.kernels.motion_rates import field_of
from gearwright.system.kernels.traced_laws import surveyed
from gearwright.system.open_systems.open_system import open_system, states_of
from gearwright.system.system import System
from gearwright.system.vector_program import vector_program
from gearwright.tracing.symbols import operations, symbols
from gearwright.tracing.trace import PARAMETERS, TraceJob


@dataclass(frozen=True)
class OpenRates:
    """x' = f(x, u, parameters) of a machine with its laws.

    Args:
        system: the machine and its laws.
        inputs: what u holds: `tau.<speed>`, `motor_torque.<actuator>`, and inputs of laws such as `j1.voltage`.
        parameters: paths of the numbers that are inputs.
        nominal: their values in the robot.
        program: x, u, parameters -> dx.
    """

    system: System
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    nominal: tuple[float, ...]
    program: Program

    @property
    def states(self) -> tuple[str, ...]:
        """What x holds."""
        return states_of(self.system)

    def job(self, wrt: tuple[str, ...] = ()) -> TraceJob:
        """What to trace."""
        return TraceJob(self.program, self.system.mech, {}, wrt=wrt)


def open_rates(
    caller: str,
    robot_or_mech: RobotOrMech,
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
) -> OpenRates:
    """The rates of a robot or machine with its laws.

    Args:
        caller: what the user called, for messages.
        robot_or_mech: a robot, whose file states laws, or a machine.
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws. All others rest at their start.
        parameters: paths of numbers that are inputs; laws of the file follow them.
        laws: laws instead of those of the robot, with their numbers as they are; a warning names what is left out.
        extra_laws: laws beside those of the robot.
    """
    opened = open_system(caller, robot_or_mech, inputs, parameters, laws, extra_laws, smooth=True)
    system, names, paths = opened.system, opened.inputs, opened.parameters
    refuse_laws_with_modes(caller, system)

    def rates(machine: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        here = opened.having(given[PARAMETERS]) if paths else system.on(machine)
        x = here.moving(given["x"])
        a, rest = field_of(here, ops, work=False)(0.0, x, opened.all_inputs(here, given.get("u", ())))
        return [*rate(here.mech, x.q, x.v, ops), *a, *rest]

    contents = {"x": system.own.stop, "u": len(names), PARAMETERS: len(paths)}
    contents = {name: size for name, size in contents.items() if size}
    program = vector_program("rates", contents, system.own.stop, rates)
    legend = {"x": states_of(system), "u": names, PARAMETERS: paths}
    program = replace(program, names=legend, parts=lambda _: {"dx": (system.own.stop,)})
    return OpenRates(system, names, paths, opened.nominal, program)


class _NoTime:
    """Time where there is none: a law that computes with it is refused."""

    def _refuse(self, *_: object) -> NoReturn:
        raise NotTraceableError("it depends on time")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __neg__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __bool__ = _refuse
    sx = property(_refuse)


def refuse_laws_with_modes(caller: str, system: System) -> None:
    """Only laws of one mode that act by forces, without looking at the time, become plain rates."""
    found = surveyed(system)
    for obstacle in found.obstacles:
        raise InputError(f"{caller}: {obstacle}")
    holding, dragging = ({choice[0] for choice, _ in ties} for ties in (found.holds, found.drags))
    for k, law in enumerate(system.laws):
        if len(law.modes) > 1:
            raise _unfit(caller, law, f"it has the modes {', '.join(law.modes)}")
        if k in holding:
            raise _unfit(caller, law, "it holds something still here")
        if k in dragging:
            raise _unfit(caller, law, "its forces depend on the accelerations")
        _refuse_time(caller, system, k)


def _refuse_time(caller: str, system: System, k: int) -> None:
    x, time = system.moving(symbols("x", system.own.stop)), _NoTime()
    law, situation = system.laws[k], system.situations(operations(), time, x, symbols("u", system.input_size))[k]
    try:
        for line in law.act(law.modes[0], situation).placed(situation.scene).lines:
            _ = line.terms
    except NotTraceableError as obstacle:
        raise _unfit(caller, law, str(obstacle)) from None


def _unfit(caller: str, law: Law, why: str) -> InputError:
    return InputError(
        f"{caller}: law {law.name!r} cannot be part of plain rates: {why}. Give laws= without it (and know what is "
        "left out), or use gw.simulate, which takes it as it is."
    )
