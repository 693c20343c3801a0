"""One step of a motion: semi-implicit Euler and the classical Runge-Kutta method, over scalars of any kind.

What moves is a machine (q, v) with further states alongside (currents, temperatures, work). A `Field` says how it
moves; it knows nothing of steps, and the steps know nothing of forces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.configuration import integrate, normalised, rate
from gearwright.mechanism import Mechanism


class Moving(NamedTuple):
    """Where something is on its way: configuration, speeds and further states; or the rates of all three."""

    q: Sequence[Scalar]
    v: Sequence[Scalar]
    states: Sequence[Scalar] = ()


Field: TypeAlias = Callable[[Scalar, Moving, Sequence[Scalar]], tuple[Sequence[Scalar], Sequence[Scalar]]]
"""(time, where it is, inputs) -> (accelerations, rates of the further states)."""

Step: TypeAlias = Callable[
    [Mechanism, Field, Scalar, Scalar, Moving, Sequence[Sequence[Scalar]], Operations],
    Moving,
]
"""(machine, field, time, duration, where it is, inputs at the moments the method looks at, operations) -> then."""


def semi_implicit_euler(
    mech: Mechanism,
    field: Field,
    t: Scalar,
    h: Scalar,
    x: Moving,
    inputs: Sequence[Sequence[Scalar]],
    ops: Operations,
) -> Moving:
    """v+ = v + h a(q, v), q+ = q moved along h v+; first order, and symplectic for a conservative machine.

    `inputs` are those at the beginning of the step. Free, spherical and planar joints move along their screw.
    """
    a, rates = field(t, x, inputs[0])
    v = _ahead(x.v, a, h)
    q = integrate(mech, x.q, [h * speed for speed in v], ops)
    return Moving(q, v, _ahead(x.states, rates, h))


def runge_kutta(
    mech: Mechanism,
    field: Field,
    t: Scalar,
    h: Scalar,
    x: Moving,
    inputs: Sequence[Sequence[Scalar]],
    ops: Operations,
) -> Moving:
    """The classical method of fourth order; quaternions move as four numbers and are normalised after the step.

    `inputs` are those at the beginning, in the middle and at the end of the step.
    """
    half = 0.5 * h

    def slope(when: Scalar, y: Moving, u: Sequence[Scalar]) -> Moving:
        a, rates = field(when, y, u)
        return Moving(rate(mech, y.q, y.v, ops), a, rates)

    first = slope(t, x, inputs[0])
    second = slope(t + half, _moved(x, first, half), inputs[1])
    third = slope(t + half, _moved(x, second, half), inputs[1])
    fourth = slope(t + h, _moved(x, third, h), inputs[2])
    mean = Moving(*(_mean(*parts) for parts in zip(first, second, third, fourth, strict=True)))
    q, v, states = _moved(x, mean, h)
    return Moving(normalised(mech, q, ops), v, states)


class Method(NamedTuple):
    """A fixed-step method: its step, at how many moments of a step it looks at the inputs, and its order."""

    step: Step
    moments: int
    order: int


METHODS = {"euler": Method(semi_implicit_euler, 1, 1), "rk4": Method(runge_kutta, 3, 4)}
"""The fixed-step methods by name."""


def _ahead(x: Sequence[Scalar], slope: Sequence[Scalar], h: Scalar) -> list[Scalar]:
    return [value + h * per for value, per in zip(x, slope, strict=True)]


def _moved(x: Moving, slope: Moving, h: Scalar) -> Moving:
    return Moving(*(_ahead(value, per, h) for value, per in zip(x, slope, strict=True)))


def _mean(a: Sequence[Scalar], b: Sequence[Scalar], c: Sequence[Scalar], d: Sequence[Scalar]) -> list[Scalar]:
    """Simpson's weights 1, 2, 2, 1 over 6."""
    return [(p + 2.0 * (q + r) + s) * (1 / 6) for p, q, r, s in zip(a, b, c, d, strict=True)]
