"""How the states of laws along a motion depend on parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.operations import ARRAYS
from gearwright.algebra.variational import slopes_along
from gearwright.algebra.variations import slopes_of, with_slopes
from gearwright.algebra.varied import VariedOperations
from gearwright.algebra.varied_arrays import columns_of, stacked
from gearwright.arrays import Array
from gearwright.dynamics.fixed_steps import Moving
from gearwright.motion import Trajectory
from gearwright.system.law_states import state_rates, states_along
from gearwright.system.motion_pieces import Piece
from gearwright.system.signals import Inputs
from gearwright.system.system import System


@dataclass(frozen=True)
class Way:
    """A motion that may depend on parameters, with the inputs of laws along it.

    Args:
        motion: the motion.
        slopes: per parameter its slopes, as polynomials of time.
        inputs: inputs of the laws over time.
    """

    motion: Trajectory
    slopes: Mapping[str, Trajectory]
    inputs: Inputs

    def at(self, t: Array, derivative: int) -> list[Scalar]:
        """Per coordinate its value, speed or acceleration at times (T,)."""
        slopes = {name: curve.at(t, derivative) for name, curve in self.slopes.items()}
        return columns_of(with_slopes(self.motion.at(t, derivative), slopes))


def varied_states(pieces: Sequence[Piece], system: System, way: Way) -> list[Piece]:
    """Pieces of a motion on a machine that varies, with the slopes of the states of its laws."""
    first = slopes_of(stacked([one.initial for one in system.states.values()], ()))
    found = []
    for piece in pieces:
        slopes = _slopes(piece, system, way, first) if system.states and len(piece.t) > 1 else {}
        found.append(replace(piece, system=system, states=with_slopes(piece.states, slopes)))
        first = {name: x[-1] for name, x in slopes.items()} or first
    return found


def _slopes(piece: Piece, system: System, way: Way, first: Mapping[str, Array]) -> dict[str, Array]:
    """Per parameter the slopes of the states along a piece, (T, states)."""
    last = float(np.nextafter(piece.t[-1], piece.t[0]))  # what comes after the piece is another motion

    def rates(t: Array, states: list[Scalar]) -> list[Scalar]:
        inside = np.minimum(t, last)
        q, v, a = (way.at(inside, k) for k in range(3))
        u = np.array([way.inputs.at(now) for now in inside.tolist()])
        return state_rates(system, VariedOperations(ARRAYS), inside, Moving(q, v, states), list(u.T), a)

    def solution(t: Array) -> Array:
        times = np.concatenate([piece.t[:1], t])
        return states_along(piece.system, way.motion, times, piece.states[0].tolist(), way.inputs)[1:]

    return slopes_along(rates, piece.t, solution, first)
