"""One integration step: semi-implicit Euler and the classical Runge-Kutta method, for any scalar type.

The state is that of a machine (q, v) with further states (currents, temperatures, work). A `StateRateFunction` returns
its rates, independently of the integration method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.closed_loops.closed_dynamics import tree_speeds
from gearwright.dynamics.closed_loops.closing import CHECKED_NEWTON_STEPS, step_to_closed
from gearwright.dynamics.configuration import coordinate_rates, integrate, with_unit_quaternions
from gearwright.mechanism import Mechanism


class StepState(NamedTuple):
    """A state: configuration, speeds and further states; or the rates of all three."""

    q: Sequence[Scalar]
    v: Sequence[Scalar]
    states: Sequence[Scalar] = ()


StateRateFunction: TypeAlias = Callable[
    [Scalar, StepState, Sequence[Scalar]], tuple[Sequence[Scalar], Sequence[Scalar]]
]
"""(time, state, inputs) -> (accelerations, rates of the further states)."""

StepFunction: TypeAlias = Callable[
    [Mechanism, StateRateFunction, Scalar, Scalar, StepState, Sequence[Sequence[Scalar]], Operations],
    StepState,
]
"""(machine, field, time, step, state, inputs at the times of the method's stages, operations) -> next state."""


def semi_implicit_euler(
    mech: Mechanism,
    field: StateRateFunction,
    t: Scalar,
    h: Scalar,
    x: StepState,
    inputs: Sequence[Sequence[Scalar]],
    ops: Operations,
) -> StepState:
    """v+ = v + h a(q, v), q+ = q moved along h v+; first order, and symplectic for a conservative machine.

    `inputs` are those at the beginning of the step. Free, spherical and planar joints move along their screw motion.
    Closed loops: the independent speeds are integrated, the other joints follow.
    """
    a, rates = field(t, x, inputs[0])
    v = _euler_step(x.v, a, h)
    if mech.closure is None:
        return StepState(integrate(mech, x.q, [h * speed for speed in v], ops), v, _euler_step(x.states, rates, h))
    step = [h * v[k] for k in mech.closure.independent]
    q = step_to_closed(mech.tree, mech.closure, x.q, step, ops, newton_steps=CHECKED_NEWTON_STEPS).q
    return StepState(q, tree_speeds(mech, q, v, ops), _euler_step(x.states, rates, h))


def runge_kutta(
    mech: Mechanism,
    field: StateRateFunction,
    t: Scalar,
    h: Scalar,
    x: StepState,
    inputs: Sequence[Sequence[Scalar]],
    ops: Operations,
) -> StepState:
    """The classical fourth-order method; quaternions are integrated as four numbers and normalised after the step.

    `inputs` are those at the beginning, in the middle and at the end of the step. Closed loops: all coordinates are
    integrated at the speeds G v_i, and the loops are closed after the step.
    """
    half = 0.5 * h

    def state_rates(when: Scalar, y: StepState, u: Sequence[Scalar]) -> StepState:
        a, rates = field(when, y, u)
        return StepState(coordinate_rates(mech.tree, y.q, tree_speeds(mech, y.q, y.v, ops), ops), a, rates)

    first = state_rates(t, x, inputs[0])
    second = state_rates(t + half, _state_ahead(x, first, half), inputs[1])
    third = state_rates(t + half, _state_ahead(x, second, half), inputs[1])
    fourth = state_rates(t + h, _state_ahead(x, third, h), inputs[2])
    mean = StepState(*(_simpson_mean(*parts) for parts in zip(first, second, third, fourth, strict=True)))
    q, v, states = _state_ahead(x, mean, h)
    q = with_unit_quaternions(mech.tree, q, ops)
    if mech.closure is not None:
        at_rest = [0.0] * len(mech.closure.independent)
        q = step_to_closed(mech.tree, mech.closure, q, at_rest, ops, newton_steps=CHECKED_NEWTON_STEPS).q
    return StepState(q, tree_speeds(mech, q, v, ops), states)


class StepMethod(NamedTuple):
    """A fixed-step method: its step function, the number of input times per step, and its order."""

    step: StepFunction
    moments: int
    order: int


STEP_METHODS = {"euler": StepMethod(semi_implicit_euler, 1, 1), "rk4": StepMethod(runge_kutta, 3, 4)}
"""The fixed-step methods by name."""


def _euler_step(x: Sequence[Scalar], slope: Sequence[Scalar], h: Scalar) -> list[Scalar]:
    return [value + h * per for value, per in zip(x, slope, strict=True)]


def _state_ahead(x: StepState, slope: StepState, h: Scalar) -> StepState:
    return StepState(*(_euler_step(value, per, h) for value, per in zip(x, slope, strict=True)))


def _simpson_mean(a: Sequence[Scalar], b: Sequence[Scalar], c: Sequence[Scalar], d: Sequence[Scalar]) -> list[Scalar]:
    """Return the mean with weights 1/6, 2/6, 2/6, 1/6."""
    return [(p + 2.0 * (q + r) + s) * (1 / 6) for p, q, r, s in zip(a, b, c, d, strict=True)]
