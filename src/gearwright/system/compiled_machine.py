"""The functions and coordinates of one machine that a run calls thousands of times, compiled where that is possible.

A compiled coordinate gives its value, row, rate and drift, for laws that are evaluated one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.errors import NotTraceableError
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.shared_kinematics import Scene
from gearwright.functions.backend import kernel_mode
from gearwright.functions.public_call import compiled_now
from gearwright.mechanism import BASE, Mechanism, Spin
from gearwright.mechanism.rows import spread
from gearwright.programs.dynamics_programs import AXIAL_DRIFTS, AXIAL_RATES, BIAS, FORWARD_DYNAMICS, MASS_MATRIX
from gearwright.programs.program import Inputs
from gearwright.system.vector_program import NoKernelError, kernel, vector_program

WORTHWHILE = 100
"""Differentiations in Python that take about as long as compiling a coordinate does."""

Kernel = Callable[..., Array | None]
"""(q, v, t) -> [value, rate, drift, row]; None where machine code does not take the state."""


class CompiledLines:
    """The coordinates that are asked for often enough, compiled."""

    def __init__(self, mech: Mechanism) -> None:
        self._mech = mech
        self._asked: dict[int, int] = {}
        self._known: dict[int, tuple[Coordinate, Kernel | None]] = {}

    def at(self, coordinate: Coordinate, t: float, q: Array, v: Array) -> list[float] | None:
        """Value, rate, drift and row; None where the coordinate is to be differentiated in Python."""
        found = self._kernel(coordinate)
        numbers = None if found is None else found(q, v, np.array([t]))
        return None if numbers is None else numbers.tolist()

    def _kernel(self, coordinate: Coordinate) -> Kernel | None:
        key = id(coordinate)
        if key not in self._known:
            self._asked[key] = self._asked.get(key, 0) + 1
            if self._asked[key] < WORTHWHILE:
                return None
            self._known[key] = coordinate, _compiled(coordinate, self._mech)
        return self._known[key][1]


def _compiled(coordinate: Coordinate, mech: Mechanism) -> Kernel | None:
    """The kernel; None where machine code is off or the function cannot be traced, which costs time alone."""

    def differentials(machine: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        here = coordinate.placed(Scene(machine, given["q"], given["v"], ops, given["t"][0]))
        return [here.position(given["q"]), here.rate, here.drift, *spread(here.terms, machine.n)]

    program = vector_program("coordinate", {"q": mech.nq, "v": mech.n, "t": 1}, 3 + mech.n, differentials)
    try:
        return None if kernel_mode() == "off" else kernel(program, mech).builtin("coordinate", lambda *_: None)
    except (NoKernelError, NotTraceableError):
        return None


class CompiledMachine:
    """Functions of arrays of one state; each is compiled when it is first asked for."""

    def __init__(self, mech: Mechanism) -> None:
        self.mech, self.lines = mech, CompiledLines(mech)

    @cached_property
    def forward_dynamics(self) -> Callable[..., Array]:
        """Accelerations of (q, v, tau)."""
        return compiled_now(FORWARD_DYNAMICS, self.mech)

    @cached_property
    def mass_matrix(self) -> Callable[..., Array]:
        """M of q."""
        return compiled_now(MASS_MATRIX, self.mech)

    @cached_property
    def bias(self) -> Callable[..., Array]:
        """Bias forces of (q, v)."""
        return compiled_now(BIAS, self.mech)

    @cached_property
    def axial_rates(self) -> Callable[..., Array]:
        """Axial rates h of all spins of q."""
        return compiled_now(AXIAL_RATES, self.mech)

    @cached_property
    def axial_drifts(self) -> Callable[..., Array]:
        """Axial drifts of all spins' carriers of (q, v)."""
        return compiled_now(AXIAL_DRIFTS, self.mech)

    @cached_property
    def spins(self) -> dict[str, int]:
        """The number of each spin."""
        return {spin.name: k for k, spin in enumerate(self.mech.spins)}

    def scene(self, t: float, q: Array, v: Array) -> Scene:
        """What laws of one instant share."""
        return CompiledScene(self, t, q, v)


class CompiledScene(Scene):
    """A scene of numbers, from compiled functions."""

    def __init__(self, machine: CompiledMachine, t: float, q: Array, v: Array) -> None:
        super().__init__(machine.mech, q.tolist(), v.tolist(), FLOATS, t)
        self._machine, self._at = machine, (q, v)

    @cached_property
    def _turning(self) -> tuple[list[list[float]], list[float]]:
        q, v = self._at
        return self._machine.axial_rates(q).tolist(), self._machine.axial_drifts(q, v).tolist()

    def differentials(self, coordinate: object) -> Sequence[float] | None:
        """Value, rate, drift and row of a coordinate, in machine code once that pays."""
        assert isinstance(coordinate, Coordinate)
        return self._machine.lines.at(coordinate, self.t, *self._at)

    def turning(self, spin: Spin) -> tuple[Sequence[tuple[int, float]], float]:
        """How a wheel's carrier turns about its axis."""
        if spin.carrier == BASE:
            return (), 0.0
        rates, drifts = self._turning
        k = self._machine.spins[spin.name]
        return [(index, h) for index, h in enumerate(rates[k]) if h], drifts[k]
