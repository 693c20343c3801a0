r"""How the solution of a differential equation depends on parameters, exactly: by its variational equation.

Along a solution of $\dot y = f(t, y, p)$ the slopes $s = dy/dp$ obey the linear equation

$\dot s = \frac{\partial f}{\partial y} s + \frac{\partial f}{\partial p}$,

whose coefficients come from running f over what varies. It is solved between given times by Radau's collocation with
three stages, which is of fifth order and stays stable however stiff the equation is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra.differentiation.dual_numbers import Varied, slopes_of
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.scalar import Scalar
from gearwright.arrays import Array

ROOT = 6**0.5
NODES = np.array([(4 - ROOT) / 10, (4 + ROOT) / 10, 1.0])
WEIGHTS = np.array(
    [
        [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
        [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
        [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
    ]
)
"""Radau IIA with three stages."""

Rates: TypeAlias = Callable[[Array, list[Scalar]], Sequence[Scalar]]
"""Times (S,) and per state its values there -> per state its rate, over what varies."""


def slopes_along(
    rates: Rates, t: Array, solution: Callable[[Array], Array], first: Mapping[str, Array]
) -> dict[str, Array]:
    """Per parameter the slopes of all states at times t, (T, states).

    Args:
        rates: the equation's right side.
        t: times (T,).
        solution: times (S,) -> states there, (S, states).
        first: per parameter the slopes at the start, (states,).

    >>> from gearwright.algebra.differentiation.dual_numbers import varied_parameters
    >>> pace = varied_parameters({"pace": 2.0})["pace"]              # y' = -pace y: dy/dpace = -t y
    >>> t = np.linspace(0, 1, 11)
    >>> found = slopes_along(lambda t, y: [-pace * y[0]], t, lambda t: np.exp(-2 * t)[:, None], {})
    >>> bool(np.abs(found["pace"][:, 0] + t * np.exp(-2 * t)).max() < 1e-7)
    True
    """
    steps = np.diff(t)
    stages = (t[:-1, None] + steps[:, None] * NODES).ravel()
    values = solution(stages)
    size = values.shape[1]
    states = [Varied([values[:, k], Slopes({k: 1.0})]) for k in range(size)]
    slopes = [slopes_of(x) for x in rates(stages, states)]
    names = list({name: None for one in (first, *slopes) for name in one if isinstance(name, str)})
    shape = (len(steps), len(NODES))
    own, forced = (_table(slopes, keys, shape) for keys in (range(size), names))
    moved = _moved(own, forced, steps)
    found = np.zeros((len(t), size, len(names)))
    found[0] = np.array([first.get(name, np.zeros(size)) for name in names]).reshape(len(names), size).T
    for k, step in enumerate(moved):
        found[k + 1] = step[:, :size] @ found[k] + step[:, size:]
    return {name: found[:, :, k] for k, name in enumerate(names)}


def _table(slopes: Sequence[Mapping[Any, Scalar]], keys: Sequence[Any], shape: tuple[int, int]) -> Array:
    """Slopes of the rates by some keys, (steps, stages, states, keys)."""
    table = np.zeros((shape[0] * shape[1], len(slopes), len(keys)))
    for i, one in enumerate(slopes):
        for j, key in enumerate(keys):
            table[:, i, j] = one.get(key, 0.0)
    return table.reshape(*shape, len(slopes), len(keys))


def _moved(own: Array, forced: Array, steps: Array) -> Array:
    """Per step the matrix that takes slopes at its start, and what is forced, to its end, (steps, n, n + names)."""
    count, stages, size, names = forced.shape
    h = steps[:, None, None, None, None]
    coupling = h * WEIGHTS[None, :, None, :, None] * np.moveaxis(own, 1, 2)[:, None]
    left = np.eye(stages * size) - coupling.reshape(count, stages * size, stages * size)
    start = np.tile(np.eye(size), (stages, 1))[None].repeat(count, axis=0)
    forcing = np.einsum("k,ij,kjsp->kisp", steps, WEIGHTS, forced).reshape(count, stages * size, names)
    return np.linalg.solve(left, np.concatenate([start, forcing], axis=2))[:, -size:]
