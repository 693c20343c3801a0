"""One step of a fixed-step method as a program: x, clock and inputs in, the next x out."""

from __future__ import annotations

from gearwright.algebra import Operations
from gearwright.dynamics.fixed_steps import METHODS, Moving
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs
from gearwright.system.law_kernels import surveyed
from gearwright.system.system import System
from gearwright.system.unheld_motion import field_of, require_one_mode
from gearwright.system.vector_program import VectorProgram, vector_program

WORK = (Quantity("work.supplied", "J"), Quantity("work.dissipated", "J"))
"""The quadratures that may run along with a motion."""


def step_states(system: System, work: bool) -> tuple[Quantity, ...]:
    """The states beside q and v that a step moves."""
    return (*system.states.values(), *(WORK if work else ()))


def step_program(system: System, method: str, work: bool) -> VectorProgram:
    """One step of a method; with `work` the supplied and dissipated work run along as the last two states."""
    step, moments, _ = METHODS[method]
    size = system.v.stop + len(step_states(system, work))
    at = tuple(f"inputs{k}" for k in range(moments))

    def after(mech: Mechanism, ops: Operations, given: Inputs) -> Moving:
        here, x, (t, h) = system.on(mech), given["x"], given["clock"]
        now = Moving(x[here.q], x[here.v], x[here.v.stop :])
        return step(mech, field_of(here, ops, work), t, h, now, [given[name] for name in at], ops)

    contents = {"x": size, "clock": 2, **dict.fromkeys(at, system.input_size)}
    return vector_program(f"{method}_step", contents, size, after)


def require_steppable(system: System) -> None:
    """Refuse laws that no fixed step takes: with modes, or written so that they cannot be traced."""
    require_one_mode(system)
    obstacles = surveyed(system).obstacles
    if obstacles:
        raise InputError(f"a fixed step needs laws in machine code, but {obstacles[0]} The adaptive method takes it.")
