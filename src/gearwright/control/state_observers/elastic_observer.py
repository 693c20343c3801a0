"""The observer of elastic drives: link motion from motor sensors, with Kalman gains scheduled over configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing_array, number_array, real_number
from gearwright.arrays import Array
from gearwright.control.gains import balanced_configuration
from gearwright.control.joint_side import (
    MOTOR_FEEDBACK,
    JointSide,
    SparseRows,
    joint_side,
    sparse_product,
    sparse_rows,
)
from gearwright.control.joint_tracking import add_vectors, subtract_vectors
from gearwright.control.observers import require_force_outputs, speed_forces
from gearwright.control.wrapped_law import WrappedLaw, continuous_law
from gearwright.dynamics.forward_dynamics import forward_dynamics
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.functions import inverse_dynamics
from gearwright.functions.linearise import linearise
from gearwright.mechanism import Mechanism
from gearwright.system.controllers.control_law import Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.text import did_you_mean

ELASTIC_OBSERVER_CALLER = "control.elastic_observer"
MAX_SCHEDULED_CONFIGURATIONS = 1000
"""Largest number of configurations of a schedule; each adds a matrix of gains to the law."""

Breakpoints = tuple[tuple[int, tuple[float, ...]], ...]
"""Per scheduled joint its index and its breakpoints."""


@dataclass(frozen=True)
class ElasticObserverLaw(WrappedLaw):
    """A law that uses an estimate of the whole state, x' = f(x, tau) + L (measured - expected) at the motors.

    Args:
        gains: L per configuration of the schedule; the last joint varies fastest.
        start: initial estimate, q and v.
        schedule: joints with their breakpoints; without any, L is constant.
        motor_speeds: whether the speeds of the motors are measured, not only their positions.
    """

    gains: tuple[SparseRows, ...] = ()
    start: tuple[float, ...] = ()
    schedule: Breakpoints = ()
    motor_speeds: bool = True

    @property
    def states(self) -> tuple[Quantity, ...]:
        """States of the law, and the estimates, `estimate.q.<coordinate>` and `estimate.v.<speed>`."""
        names = [*(f"q.{x}" for x in self.mech.coordinates), *(f"v.{x}" for x in self.mech.speeds)]
        estimates = (Quantity(f"estimate.{name}", "", x) for name, x in zip(names, self.start, strict=True))
        return (*self.inner.states, *estimates)

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs for the estimate, and the rate of the estimate."""
        inner_count, n, side = len(self.inner.states), self.mech.n, JointSide(self.mech)
        q, v = measured.states[inner_count : inner_count + n], measured.states[inner_count + n :]
        decision = checked_decision(self.inner, replace(measured, q=q, v=v, states=measured.states[:inner_count]))
        first = side.joint_count
        errors = subtract_vectors(measured.q[first:], q[first:])
        if self.motor_speeds:
            errors = [*errors, *subtract_vectors(measured.v[first:], v[first:])]
        a = forward_dynamics(
            place_machine(self.mech, q, measured.ops), v, speed_forces(self.mech, self.inner, decision)
        )
        joints = side.joint_positions(measured.q, MOTOR_FEEDBACK) if self.schedule else ()
        weights = interpolation_weights(self.schedule, joints, measured.ops)
        rates: list[Scalar] = [*v, *a]
        for weight, gains in zip(weights, self.gains, strict=True):
            rates = add_vectors(rates, sparse_product(gains, [weight * e for e in errors]))
        return replace(decision, rates=[*decision.rates, *rates])


def interpolation_weights(schedule: Breakpoints, joints: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """Return the weights of multilinear interpolation per configuration of a grid; constant outside of it.

    >>> from gearwright.algebra import FLOATS
    >>> interpolation_weights(((0, (0.0, 1.0, 3.0)), (1, (0.0, 2.0))), [1.5, 0.5], FLOATS)
    [0.0, 0.0, 0.5625, 0.1875, 0.1875, 0.0625]
    """
    weights: list[Scalar] = [1.0]
    for joint, points in schedule:
        steps = [
            ops.maximum(0.0, ops.minimum(1.0, (joints[joint] - low) / (high - low))) for low, high in pairwise(points)
        ]
        of_joint = [a - b for a, b in zip([1.0, *steps], [*steps, 0.0], strict=True)]
        weights = [w * x for w in weights for x in of_joint]
    return weights


@check_arguments
def elastic_observer(
    controller: LawController,
    q: ArrayLike,
    frequency: float = 100.0,
    schedule: Mapping[str, ArrayLike] | None = None,
    motor_speeds: bool = True,
) -> LawController:
    r"""Return the controller with the link motion estimated from the motor motion, without link-side sensors.

    A copy of the model is corrected by the motor measurements, $\dot{\hat x} = f(\hat x, \tau) + L (y - \hat y)$, with
    L of a Kalman filter of the linear model at rest: unknown accelerations $\omega^4$ against errors of position 1 and
    speed $\omega^2$. The controller uses the estimate. With a schedule L is computed at every configuration of a grid
    and interpolated at the measured motor positions.

    Args:
        controller: a continuous controller of `gw.control` with forces as outputs, of a machine with elastic drives.
        q: initial configuration of the joints, at rest; L of the joints without schedule is computed there.
        frequency: approximate bandwidth of the estimate [rad/s].
        schedule: joints with increasing breakpoints [rad or m] of the grid, such as {"j2": [-1, 0, 1]}.
        motor_speeds: whether motor speeds are measured; False: motor positions alone.

    >>> import gearwright as gw
    >>> arm = gw.load("elastic_elbow")
    >>> pd = gw.control.pd(arm, [0.2, 0.1, 0.3], 2000, 100)
    >>> control = gw.control.elastic_observer(pd, [0.2, 0.1, 0.3], schedule={"j3": [-1, 0, 1]}, motor_speeds=False)
    >>> len(control.law.gains)
    3
    """
    caller = ELASTIC_OBSERVER_CALLER
    law = continuous_law(caller, controller)
    mech = law.mech
    if not mech.shafts or not mech.speeds_are_rates:
        raise InputError(
            f"{caller}: the machine has no elastic drives, or has free joints. The observer needs elastic drives and "
            "no free joints."
        )
    side = joint_side(caller, mech)
    require_force_outputs(caller, law)
    w = real_number(caller, "frequency", frequency, above=0.0, unit="rad/s", example=100.0)
    joints = number_array(caller, "q", q, axes=1)
    if len(joints) != side.joint_count:
        raise InputError(f"{caller}: q has {len(joints)} numbers for {side.joint_count} joints. Give one each.")
    breakpoints = _breakpoints(side, schedule or {})
    gains = []
    for values in product(*(points for _, points in breakpoints)):
        configuration = joints.copy()
        configuration[[joint for joint, _ in breakpoints]] = values
        gains.append(sparse_rows(kalman_gains(mech, configuration, w, motor_speeds)))
    start = (*balanced_configuration(mech, joints).tolist(), *[0.0] * mech.n)
    observer = ElasticObserverLaw(mech, law, tuple(gains), start, breakpoints, motor_speeds)
    return law_controller(observer, controller.follow, controller.breaks)


def _breakpoints(side: JointSide, schedule: Mapping[str, ArrayLike]) -> Breakpoints:
    caller, count = ELASTIC_OBSERVER_CALLER, 1
    breakpoints = []
    for name, points in schedule.items():
        if name not in side.joint_names:
            raise InputError(f"{caller}: schedule: joint {name!r} is unknown. {did_you_mean(name, side.joint_names)}")
        array = increasing_array(caller, f"schedule[{name!r}]", points)
        count *= len(array)
        breakpoints.append((side.joint_names.index(name), tuple(array.tolist())))
    if count > MAX_SCHEDULED_CONFIGURATIONS:
        raise InputError(
            f"{caller}: the schedule has {count} configurations, more than {MAX_SCHEDULED_CONFIGURATIONS}. Give fewer "
            "joints or breakpoints; joints that do not change the inertia need none."
        )
    return tuple(breakpoints)


def kalman_gains(mech: Mechanism, joints: Array, frequency: float, motor_speeds: bool = True) -> Array:
    """Return L (2 n, measurements) of the Kalman filter at rest, from motor positions and, if measured, speeds."""
    from scipy.linalg import solve_continuous_are

    first, n, zeros = JointSide(mech).joint_count, mech.n, np.zeros(mech.n)
    rest = balanced_configuration(mech, joints)
    A = linearise(mech, rest, zeros, inverse_dynamics(mech, rest, zeros, zeros)).A
    C = np.eye(2 * n)[[*range(first, n), *(range(n + first, 2 * n) if motor_speeds else ())]]
    # In time units of 1 / frequency, so that positions and speeds are of one magnitude
    scale = np.repeat([1.0, frequency], n)
    noise = np.diag(np.repeat([0.0, frequency], n)) * frequency  # accelerations w^4, speeds in units of w
    measured = C * scale
    sensor = np.diag([1.0] * (n - first) + [frequency**2] * (n - first if motor_speeds else 0))
    P = solve_continuous_are((A * scale / scale[:, None]).T, measured.T, noise, sensor)
    gains: Array = scale[:, None] * np.linalg.solve(sensor, measured @ P).T
    return gains
