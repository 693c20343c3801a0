"""The functions of one machine that a run calls thousands of times, in machine code where there is any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.forces.coordinate import Coordinate
from gearwright.forces.scene import Scene
from gearwright.functions.run import compiled_now
from gearwright.mechanism import BASE, Mechanism, Spin
from gearwright.programs.programs import AXIAL_DRIFTS, AXIAL_RATES, BIAS, FORWARD_DYNAMICS, MASS_MATRIX
from gearwright.system.compiled_lines import CompiledLines


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
