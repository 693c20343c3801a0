"""Coordinates of one machine in machine code: value, row, rate and drift of numbers, for what runs law by law."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.errors import NotTraceableError
from gearwright.forces.coordinate import Coordinate
from gearwright.forces.scene import Scene
from gearwright.functions.service import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
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
