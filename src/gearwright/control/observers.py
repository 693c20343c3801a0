"""Observers added to a controller: external forces from the momentum (De Luca), and the state of elastic drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, numbers_by_name, real_number
from gearwright.arrays import Array
from gearwright.control.gains import balanced_configuration
from gearwright.control.joint_side import JointSide, SparseRows, sparse_product, sparse_rows
from gearwright.control.joint_tracking import add_vectors, subtract_vectors
from gearwright.control.task_space.frame_motion import MatrixRows, matrix_product, transposed_product
from gearwright.control.wrapped_law import WrappedLaw, continuous_law
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.forward_dynamics import bias, forward_dynamics
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.functions.linearise import linearise
from gearwright.mechanism import Mechanism
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import FORCE_OUTPUT_PREFIX, LawController, law_controller
from gearwright.text import listed_names


def momentum_residual(mass: MatrixRows, v: Sequence[Scalar], expected: Sequence[Scalar], gain: float) -> list[Scalar]:
    """Return external forces per speed, r = g (M v - expected momentum)."""
    return [gain * (p - x) for p, x in zip(matrix_product(mass, v), expected, strict=True)]


def expected_momentum_rates(
    pose: Pose, v: Sequence[Scalar], tau: Sequence[Scalar], r: Sequence[Scalar]
) -> list[Scalar]:
    """Return the rate of the expected momentum, tau + C'v - gravity and springs + r, so that r' = g (external - r)."""
    C = coriolis_matrix(pose, v)
    both = zip(tau, matrix_product(C, v), transposed_product(C, v), bias(pose, v), r, strict=True)
    return [u + (c + ct) - b + x for u, c, ct, b, x in both]


@dataclass(frozen=True)
class MomentumObserverLaw(WrappedLaw):
    """A law with an observer of the momentum p = M v: r = g (p - x), x' = tau + C'v - gravity and springs + r."""

    gain: float = 1.0
    threshold: tuple[float, ...] = ()

    @property
    def states(self) -> tuple[Quantity, ...]:
        """States of the law, and the expected momentum, `momentum.<speed>`."""
        return (*self.inner.states, *(Quantity(f"momentum.{x}", "") for x in self.mech.speeds))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """External forces, `external.<speed>`, and `collision`, above 1 if one exceeds its threshold."""
        external = [Quantity(f"external.{x}", "") for x in self.mech.speeds]
        return (*self.inner.signals, *external, *([Quantity("collision", "")] if self.threshold else []))

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs and the rate of the expected momentum."""
        inner_count = len(self.inner.states)
        decision = checked_decision(self.inner, replace(measured, states=measured.states[:inner_count]))
        pose = place_machine(self.mech, measured.q, measured.ops)
        residuals = momentum_residual(mass_matrix(pose), measured.v, measured.states[inner_count:], self.gain)
        rates = expected_momentum_rates(pose, measured.v, _speed_forces(self.mech, self.inner, decision), residuals)
        signals = {f"external.{x}": r for x, r in zip(self.mech.speeds, residuals, strict=True)}
        if self.threshold:
            worst: Scalar = 0.0
            for r, limit in zip(residuals, self.threshold, strict=True):
                worst = measured.ops.maximum(worst, measured.ops.absolute(r) / limit)
            signals["collision"] = worst
        return replace(decision, rates=[*decision.rates, *rates], signals={**decision.signals, **signals})


def _speed_forces(mech: Mechanism, law: ControlLaw, decision: Decision) -> list[Scalar]:
    tau: list[Scalar] = [0.0] * mech.n
    for name, value in zip(law.outputs, decision.outputs, strict=True):
        tau[mech.speeds.index(name.removeprefix(FORCE_OUTPUT_PREFIX))] = value
    return tau


@check_arguments
def momentum_observer(
    controller: LawController, gain: float = 50.0, threshold: ArrayLike | None = None
) -> LawController:
    r"""Return the controller with an observer of external forces, which needs no acceleration (De Luca).

    $r = g\,(M v - \int (\tau + C' v - g + r)\,dt)$ satisfies $\dot r = g (\tau_{ext} - r)$: it follows the external
    forces with the time constant 1 / gain. Unmodelled friction and losses count as external. `controller.signals(run)`
    has `external.<speed>` and, with thresholds, `collision`.

    Args:
        controller: a continuous controller of `gw.control` that puts out forces.
        gain: observer gain g [1/s].
        threshold: per speed, or one for all, the force that counts as a collision; `collision` is then the largest
            share of it.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> watched = gw.control.momentum_observer(gw.control.pd(arm, [0, 0, 0], 5000, 500), gain=100.0)
    >>> run = gw.simulate(arm, until=0.5, controller=watched, inputs={"tau.j3": 2.0}, samples=3)
    >>> round(float(watched.signals(run)["external.j3"][-1]), 3)
    2.0
    """
    caller = "control.momentum_observer"
    law = continuous_law(caller, controller)
    real_number(caller, "gain", gain, above=0.0, unit="1/s", example=50.0)
    _require_force_outputs(caller, law)
    thresholds: tuple[float, ...] = ()
    if threshold is not None:
        thresholds = tuple(numbers_by_name(caller, "threshold", threshold, law.mech.speeds, above=0.0).tolist())
    observer = MomentumObserverLaw(law.mech, law, float(gain), thresholds)
    return law_controller(observer, controller.follow, controller.breaks)


def _require_force_outputs(caller: str, law: ControlLaw) -> None:
    other_outputs = [name for name in law.outputs if not name.startswith(FORCE_OUTPUT_PREFIX)]
    if other_outputs:
        raise InputError(
            f"{caller}: the outputs of the controller are {listed_names(other_outputs)}. Give a controller with forces "
            "tau.<speed> as outputs."
        )


@dataclass(frozen=True)
class ElasticObserverLaw(WrappedLaw):
    """A law that uses an estimate of the whole state, x' = f(x, tau) + L (measured - expected) at the motors."""

    gains: SparseRows = ()
    start: tuple[float, ...] = ()

    @property
    def states(self) -> tuple[Quantity, ...]:
        """States of the law, and the estimates, `estimate.q.<coordinate>` and `estimate.v.<speed>`."""
        names = [*(f"q.{x}" for x in self.mech.coordinates), *(f"v.{x}" for x in self.mech.speeds)]
        estimates = (Quantity(f"estimate.{name}", "", x) for name, x in zip(names, self.start, strict=True))
        return (*self.inner.states, *estimates)

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs for the estimate, and the rate of the estimate."""
        inner_count, n = len(self.inner.states), self.mech.n
        q, v = measured.states[inner_count : inner_count + n], measured.states[inner_count + n :]
        decision = checked_decision(self.inner, replace(measured, q=q, v=v, states=measured.states[:inner_count]))
        first = JointSide(self.mech).joint_count
        errors = [*subtract_vectors(measured.q[first:], q[first:]), *subtract_vectors(measured.v[first:], v[first:])]
        a = forward_dynamics(
            place_machine(self.mech, q, measured.ops), v, _speed_forces(self.mech, self.inner, decision)
        )
        rates = add_vectors([*v, *a], sparse_product(self.gains, errors))
        return replace(decision, rates=[*decision.rates, *rates])


@check_arguments
def elastic_observer(controller: LawController, q: ArrayLike, frequency: float = 100.0) -> LawController:
    r"""Return the controller with the link motion estimated from the motor motion, without link-side sensors.

    A copy of the model is corrected by the motor measurements, $\dot{\hat x} = f(\hat x, \tau) + L (y - \hat y)$, with
    L of a Kalman filter of the linear model at q: unknown accelerations $\omega^4$ against errors of position 1 and
    speed $\omega^2$. The controller uses the estimate.

    Args:
        controller: a continuous controller of `gw.control` with forces as outputs, of a machine with elastic drives.
        q: initial configuration of the joints, at rest; L is computed there.
        frequency: approximate bandwidth of the estimate [rad/s].
    """
    from scipy.linalg import solve_continuous_are

    caller = "control.elastic_observer"
    law = continuous_law(caller, controller)
    mech, first = law.mech, JointSide(law.mech).joint_count
    if not mech.shafts or not mech.speeds_are_rates:
        raise InputError(
            f"{caller}: the machine has no elastic drives, or has free joints. The observer needs elastic drives and "
            "no free joints."
        )
    _require_force_outputs(caller, law)
    w = real_number(caller, "frequency", frequency, above=0.0, unit="rad/s", example=100.0)
    joints = number_array(caller, "q", q, axes=1)
    if len(joints) != first:
        raise InputError(f"{caller}: q has {len(joints)} numbers for {first} joints. Give one each.")
    start, zeros = balanced_configuration(mech, joints), np.zeros(mech.n)
    A = linearise(mech, start, zeros, inverse_dynamics(mech, start, zeros, zeros)).A
    shafts = mech.n - first
    measurement_matrix: Array = np.zeros((2 * shafts, 2 * mech.n))
    measurement_matrix[:shafts, first : mech.n], measurement_matrix[shafts:, mech.n + first :] = (
        np.eye(shafts),
        np.eye(shafts),
    )
    process_noise = np.diag([0.0] * mech.n + [w**4] * mech.n)
    measurement_noise = np.diag([1.0] * shafts + [w**2] * shafts)
    P = solve_continuous_are(A.T, measurement_matrix.T, process_noise, measurement_noise)
    gains = sparse_rows(P @ measurement_matrix.T @ np.linalg.inv(measurement_noise))
    observer = ElasticObserverLaw(mech, law, gains, tuple([*start.tolist(), *zeros.tolist()]))
    return law_controller(observer, controller.follow, controller.breaks)
