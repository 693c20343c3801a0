"""Observers beside a controller: external forces from the momentum (De Luca), and the state of elastic drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, numbers, one_or_each
from gearwright.arrays import Array
from gearwright.control.gains import balanced
from gearwright.control.joint_side import JointSide, Rows, product, sparse
from gearwright.control.joint_tracking import minus, plus
from gearwright.control.task_space.frame_motion import MatrixRows, times, transposed
from gearwright.control.wrapped_law import Wrapped, continuous_law
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.forward_dynamics import bias, forward_dynamics
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose, place
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.functions.linearise import linearise
from gearwright.mechanism import Mechanism
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement, decided
from gearwright.system.controllers.law_controller import FORCE, LawController, law_controller
from gearwright.text import listed


def residual(mass: MatrixRows, v: Sequence[Scalar], expected: Sequence[Scalar], gain: float) -> list[Scalar]:
    """External forces per speed, r = g (M v - expected momentum)."""
    return [gain * (p - x) for p, x in zip(times(mass, v), expected, strict=True)]


def expected_rates(pose: Pose, v: Sequence[Scalar], tau: Sequence[Scalar], r: Sequence[Scalar]) -> list[Scalar]:
    """How the expected momentum grows, tau + C'v - gravity and springs + r, so that r' = g (external - r)."""
    C = coriolis_matrix(pose, v)
    both = zip(tau, times(C, v), transposed(C, v), bias(pose, v), r, strict=True)
    return [u + (c + ct) - b + x for u, c, ct, b, x in both]


@dataclass(frozen=True)
class MomentumObserver(Wrapped):
    """A law with an observer of the momentum p = M v: r = g (p - x), x' = tau + C'v - gravity and springs + r."""

    gain: float = 1.0
    threshold: tuple[float, ...] = ()

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Those of the law, and the momentum expected, `momentum.<speed>`."""
        return (*self.inner.states, *(Quantity(f"momentum.{x}", "") for x in self.mech.speeds))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """External forces, `external.<speed>`, and `collision`, above 1 where one is beyond its threshold."""
        own = [Quantity(f"external.{x}", "") for x in self.mech.speeds]
        return (*self.inner.signals, *own, *([Quantity("collision", "")] if self.threshold else []))

    def decide(self, measured: Measurement) -> Decision:
        """The law's decision, and the momentum that it should lead to."""
        own = len(self.inner.states)
        decision = decided(self.inner, replace(measured, states=measured.states[:own]))
        pose = place(self.mech, measured.q, measured.ops)
        found = residual(mass_matrix(pose), measured.v, measured.states[own:], self.gain)
        rates = expected_rates(pose, measured.v, _forces(self.mech, self.inner, decision), found)
        signals = {f"external.{x}": r for x, r in zip(self.mech.speeds, found, strict=True)}
        if self.threshold:
            worst: Scalar = 0.0
            for r, most in zip(found, self.threshold, strict=True):
                worst = measured.ops.maximum(worst, measured.ops.absolute(r) / most)
            signals["collision"] = worst
        return replace(decision, rates=[*decision.rates, *rates], signals={**decision.signals, **signals})


def _forces(mech: Mechanism, law: ControlLaw, decision: Decision) -> list[Scalar]:
    tau: list[Scalar] = [0.0] * mech.n
    for name, value in zip(law.outputs, decision.outputs, strict=True):
        tau[mech.speeds.index(name.removeprefix(FORCE))] = value
    return tau


@check_arguments
def momentum_observer(
    controller: LawController, gain: float = 50.0, threshold: ArrayLike | None = None
) -> LawController:
    r"""The same controller with an observer of external forces, which needs no acceleration (De Luca).

    $r = g\,(M v - \int (\tau + C' v - g + r)\,dt)$ obeys $\dot r = g (\tau_{ext} - r)$: it follows what acts from
    outside with the time constant 1 / gain. Friction and losses that the model does not know count as external.
    `controller.signals(run)` has `external.<speed>` and, with thresholds, `collision`.

    Args:
        controller: a continuous controller of `gw.control` that puts out forces.
        gain: [1/s].
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
    number(caller, "gain", gain, above=0.0, unit="1/s", example=50.0)
    _require_forces(caller, law)
    most: tuple[float, ...] = ()
    if threshold is not None:
        most = tuple(one_or_each(caller, "threshold", threshold, law.mech.speeds, above=0.0).tolist())
    made = MomentumObserver(law.mech, law, float(gain), most)
    return law_controller(made, controller.follow, controller.breaks)


def _require_forces(caller: str, law: ControlLaw) -> None:
    other = [name for name in law.outputs if not name.startswith(FORCE)]
    if other:
        raise InputError(f"{caller}: the controller puts out {listed(other)}. Give one of forces, tau.<speed>.")


@dataclass(frozen=True)
class ElasticObserver(Wrapped):
    """A law that sees an estimate of the whole state, x' = f(x, tau) + L (measured - expected) at the motors."""

    gains: Rows = ()
    start: tuple[float, ...] = ()

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Those of the law, and the estimates, `estimate.q.<coordinate>` and `estimate.v.<speed>`."""
        names = [*(f"q.{x}" for x in self.mech.coordinates), *(f"v.{x}" for x in self.mech.speeds)]
        own = (Quantity(f"estimate.{name}", "", x) for name, x in zip(names, self.start, strict=True))
        return (*self.inner.states, *own)

    def decide(self, measured: Measurement) -> Decision:
        """The law's decision on the estimate, and how the estimate moves."""
        own, n = len(self.inner.states), self.mech.n
        q, v = measured.states[own : own + n], measured.states[own + n :]
        decision = decided(self.inner, replace(measured, q=q, v=v, states=measured.states[:own]))
        first = JointSide(self.mech).count
        missing = [*minus(measured.q[first:], q[first:]), *minus(measured.v[first:], v[first:])]
        a = forward_dynamics(place(self.mech, q, measured.ops), v, _forces(self.mech, self.inner, decision))
        rates = plus([*v, *a], product(self.gains, missing))
        return replace(decision, rates=[*decision.rates, *rates])


@check_arguments
def elastic_observer(controller: LawController, q: ArrayLike, frequency: float = 100.0) -> LawController:
    r"""The same controller with the links' motion estimated from that of the motors: no sensor behind the springs.

    A copy of the model runs along and is drawn to what the motors show, $\dot{\hat x} = f(\hat x, \tau) + L (y -
    \hat y)$, with L of a Kalman filter of the linear model at q: unknown accelerations $\omega^4$ against errors of
    position 1 and speed $\omega^2$. The controller sees the estimate.

    Args:
        controller: a continuous controller of `gw.control` that puts out forces, of a machine with elastic drives.
        q: configuration of the joints where it starts, at rest, and around which L is computed.
        frequency: about how fast the estimate follows [rad/s].
    """
    from scipy.linalg import solve_continuous_are

    caller = "control.elastic_observer"
    law = continuous_law(caller, controller)
    mech, first = law.mech, JointSide(law.mech).count
    if not mech.shafts or not mech.straight:
        raise InputError(f"{caller}: the machine has no elastic drives, or free joints. There is nothing to estimate.")
    _require_forces(caller, law)
    w = number(caller, "frequency", frequency, above=0.0, unit="rad/s", example=100.0)
    joints = numbers(caller, "q", q, axes=1)
    if len(joints) != first:
        raise InputError(f"{caller}: q has {len(joints)} numbers for {first} joints. Give one each.")
    start, still = balanced(mech, joints), np.zeros(mech.n)
    A = linearise(mech, start, still, inverse_dynamics(mech, start, still, still)).A
    shafts = mech.n - first
    sees: Array = np.zeros((2 * shafts, 2 * mech.n))
    sees[:shafts, first : mech.n], sees[shafts:, mech.n + first :] = np.eye(shafts), np.eye(shafts)
    unknown = np.diag([0.0] * mech.n + [w**4] * mech.n)
    noise = np.diag([1.0] * shafts + [w**2] * shafts)
    P = solve_continuous_are(A.T, sees.T, unknown, noise)
    gains = sparse(P @ sees.T @ np.linalg.inv(noise))
    made = ElasticObserver(mech, law, gains, tuple([*start.tolist(), *still.tolist()]))
    return law_controller(made, controller.follow, controller.breaks)
