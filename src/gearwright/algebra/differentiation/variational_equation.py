r"""Exact parameter sensitivities of the solution of a differential equation, by its variational equation.

Along a solution of $\dot y = f(t, y, p)$ the sensitivities $s = dy/dp$ satisfy the linear equation

$\dot s = \frac{\partial f}{\partial y} s + \frac{\partial f}{\partial p}$,

whose coefficients are computed by evaluating f with dual numbers. It is solved between given times by Radau IIA
collocation with three stages, which has order five and is L-stable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra.differentiation.dual_numbers import Dual, partials_of
from gearwright.algebra.differentiation.partials import Partials
from gearwright.algebra.scalar import Scalar
from gearwright.arrays import Array

SQRT_6 = 6**0.5
"""The square root of 6 [1], in the nodes and weights of Radau's method."""
RADAU_NODES = np.array([(4 - SQRT_6) / 10, (4 + SQRT_6) / 10, 1.0])
RADAU_WEIGHTS = np.array(
    [
        [(88 - 7 * SQRT_6) / 360, (296 - 169 * SQRT_6) / 1800, (-2 + 3 * SQRT_6) / 225],
        [(296 + 169 * SQRT_6) / 1800, (88 + 7 * SQRT_6) / 360, (-2 - 3 * SQRT_6) / 225],
        [(16 - SQRT_6) / 36, (16 + SQRT_6) / 36, 1 / 9],
    ]
)
"""Radau IIA with three stages."""

StateRates: TypeAlias = Callable[[Array, list[Scalar]], Sequence[Scalar]]
"""Times (S,) and values of each state -> rate of each state, with dual numbers."""


def solve_variational_equation(
    rates: StateRates, t: Array, solution: Callable[[Array], Array], first: Mapping[str, Array]
) -> dict[str, Array]:
    """Return per parameter the sensitivities of all states at times t, (T, states).

    Args:
        rates: the right-hand side of the equation.
        t: times (T,).
        solution: times (S,) -> states there, (S, states).
        first: initial sensitivities by parameter, (states,).

    >>> from gearwright.algebra.differentiation.dual_numbers import dual_parameters
    >>> decay = dual_parameters({"decay": 2.0})["decay"]           # y' = -decay y: dy/ddecay = -t y
    >>> t = np.linspace(0, 1, 11)
    >>> found = solve_variational_equation(lambda t, y: [-decay * y[0]], t, lambda t: np.exp(-2 * t)[:, None], {})
    >>> bool(np.abs(found["decay"][:, 0] + t * np.exp(-2 * t)).max() < 1e-7)
    True
    """
    steps = np.diff(t)
    stages = (t[:-1, None] + steps[:, None] * RADAU_NODES).ravel()
    values = solution(stages)
    size = values.shape[1]
    states = [Dual([values[:, k], Partials({k: 1.0})]) for k in range(size)]
    slopes = [partials_of(x) for x in rates(stages, states)]
    names = list({name: None for partial_map in (first, *slopes) for name in partial_map if isinstance(name, str)})
    shape = (len(steps), len(RADAU_NODES))
    state_jacobian, forced = (_partials_table(slopes, keys, shape) for keys in (range(size), names))
    transitions = transition_matrices(state_jacobian, forced, steps)
    sensitivities = np.zeros((len(t), size, len(names)))
    sensitivities[0] = np.array([first.get(name, np.zeros(size)) for name in names]).reshape(len(names), size).T
    for k, step in enumerate(transitions):
        sensitivities[k + 1] = step[:, :size] @ sensitivities[k] + step[:, size:]
    return {name: sensitivities[:, :, k] for k, name in enumerate(names)}


def _partials_table(slopes: Sequence[Mapping[Any, Scalar]], keys: Sequence[Any], shape: tuple[int, int]) -> Array:
    """Return the partials of the rates by some keys, (steps, stages, states, keys)."""
    table = np.zeros((shape[0] * shape[1], len(slopes), len(keys)))
    for i, partial_map in enumerate(slopes):
        for j, key in enumerate(keys):
            table[:, i, j] = partial_map.get(key, 0.0)
    return table.reshape(*shape, len(slopes), len(keys))


def transition_matrices(state_jacobian: Array, forced: Array, steps: Array) -> Array:
    """Return per step the transition matrix of the sensitivities and their forcing, (steps, n, n + names).

    Args:
        state_jacobian: df/dy at the Radau nodes of every step, (steps, 3, n, n).
        forced: df/dp there, (steps, 3, n, names).
        steps: lengths of the steps [s], (steps,).
    """
    count, stages, size, names = forced.shape
    h = steps[:, None, None, None, None]
    coupling = h * RADAU_WEIGHTS[None, :, None, :, None] * np.moveaxis(state_jacobian, 1, 2)[:, None]
    left = np.eye(stages * size) - coupling.reshape(count, stages * size, stages * size)
    start = np.tile(np.eye(size), (stages, 1))[None].repeat(count, axis=0)
    forcing = np.einsum("k,ij,kjsp->kisp", steps, RADAU_WEIGHTS, forced).reshape(count, stages * size, names)
    return np.linalg.solve(left, np.concatenate([start, forcing], axis=2))[:, -size:]
