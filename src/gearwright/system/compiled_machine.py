"""Functions and coordinates of one machine that a run calls thousands of times, compiled where possible.

A compiled coordinate returns its value, row, rate and drift, for laws that are evaluated individually.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from gearwright.algebra import FLOATS, Operations, Scalar
from gearwright.arrays import Array
from gearwright.errors import NotTraceableError
from gearwright.forces import Coordinate
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.functions.backend import kernel_mode
from gearwright.functions.public_call import compile_now
from gearwright.mechanism import BASE, Mechanism, Spin, dense_row
from gearwright.programs.dynamics_programs import AXIAL_DRIFTS, AXIAL_RATES, BIAS, FORWARD_DYNAMICS, MASS_MATRIX
from gearwright.programs.program import Inputs
from gearwright.system.vector_program import NoKernelError, compile_program, vector_program

COMPILE_AFTER_CALLS = 100
"""Number of differentiations in Python that take about as long as compiling a coordinate."""

LineKernel = Callable[..., Array | None]
"""(q, v, t) -> [value, rate, drift, row]; None for a state that machine code cannot evaluate."""


class CompiledCoordinates:
    """Coordinates that are compiled once they have been evaluated often enough."""

    def __init__(self, mech: Mechanism) -> None:
        self._mech = mech
        self._call_counts: dict[int, int] = {}
        self._kernels: dict[int, tuple[Coordinate, LineKernel | None]] = {}

    def differentials_at(self, coordinate: Coordinate, t: float, q: Array, v: Array) -> list[float] | None:
        """Value, rate, drift and row; None where the coordinate must be differentiated in Python."""
        line_kernel = self._kernel_of(coordinate)
        numbers = None if line_kernel is None else line_kernel(q, v, np.array([t]))
        return None if numbers is None else numbers.tolist()

    def _kernel_of(self, coordinate: Coordinate) -> LineKernel | None:
        key = id(coordinate)
        if key not in self._kernels:
            self._call_counts[key] = self._call_counts.get(key, 0) + 1
            if self._call_counts[key] < COMPILE_AFTER_CALLS:
                return None
            self._kernels[key] = coordinate, _compile_coordinate(coordinate, self._mech)
        return self._kernels[key][1]


def _compile_coordinate(coordinate: Coordinate, mech: Mechanism) -> LineKernel | None:
    """The kernel; None if compilation is off or the function cannot be traced (slower, same result)."""

    def placed_differentials(machine: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        placed_line = coordinate.placed_in(
            SharedKinematics(machine, arguments["q"], arguments["v"], ops, arguments["t"][0])
        )
        return [
            placed_line.position(arguments["q"]),
            placed_line.time_rate,
            placed_line.drift,
            *dense_row(placed_line.terms, machine.n),
        ]

    program = vector_program("coordinate", {"q": mech.nq, "v": mech.n, "t": 1}, 3 + mech.n, placed_differentials)
    try:
        return (
            None
            if kernel_mode() == "off"
            else compile_program(program, mech).python_builtin("coordinate", lambda *_: None)
        )
    except (NoKernelError, NotTraceableError):
        return None


class CompiledMachine:
    """Functions of the arrays of one state; each is compiled on first use."""

    def __init__(self, mech: Mechanism) -> None:
        self.mech, self.coordinates = mech, CompiledCoordinates(mech)

    @cached_property
    def forward_dynamics(self) -> Callable[..., Array]:
        """Accelerations of (q, v, tau)."""
        return compile_now(FORWARD_DYNAMICS, self.mech)

    @cached_property
    def mass_matrix(self) -> Callable[..., Array]:
        """M of q."""
        return compile_now(MASS_MATRIX, self.mech)

    @cached_property
    def bias_forces(self) -> Callable[..., Array]:
        """Bias forces of (q, v)."""
        return compile_now(BIAS, self.mech)

    @cached_property
    def axial_rates(self) -> Callable[..., Array]:
        """Axial rates h of all spins of q."""
        return compile_now(AXIAL_RATES, self.mech)

    @cached_property
    def axial_drifts(self) -> Callable[..., Array]:
        """Axial drifts of all spins' carriers of (q, v)."""
        return compile_now(AXIAL_DRIFTS, self.mech)

    @cached_property
    def spin_indices(self) -> dict[str, int]:
        """The index of each spin by name."""
        return {spin.name: k for k, spin in enumerate(self.mech.spins)}

    def kinematics_at(self, t: float, q: Array, v: Array) -> SharedKinematics:
        """The shared kinematics of one instant."""
        return CompiledKinematics(self, t, q, v)


class CompiledKinematics(SharedKinematics):
    """Shared kinematics in numbers from compiled functions."""

    def __init__(self, machine: CompiledMachine, t: float, q: Array, v: Array) -> None:
        super().__init__(machine.mech, q.tolist(), v.tolist(), FLOATS, t)
        self._machine, self._state = machine, (q, v)

    @cached_property
    def _axial_motion(self) -> tuple[list[list[float]], list[float]]:
        q, v = self._state
        return self._machine.axial_rates(q).tolist(), self._machine.axial_drifts(q, v).tolist()

    def coordinate_differentials(self, coordinate: object) -> Sequence[float] | None:
        """Value, rate, drift and row of a coordinate from machine code; None: it is differentiated in Python."""
        assert isinstance(coordinate, Coordinate)
        return self._machine.coordinates.differentials_at(coordinate, self.t, *self._state)

    def carrier_rotation(self, spin: Spin) -> tuple[Sequence[tuple[int, float]], float]:
        """Rotation of a wheel's carrier about the wheel's axis: row and drift."""
        if spin.carrier == BASE:
            return (), 0.0
        rates, drifts = self._axial_motion
        k = self._machine.spin_indices[spin.name]
        return [(index, h) for index, h in enumerate(rates[k]) if h], drifts[k]
