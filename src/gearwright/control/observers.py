"""The momentum observer added to a controller: external forces without accelerations (De Luca)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers_by_name, real_number
from gearwright.control.in_larger_machine import independent_law, joint_controller
from gearwright.control.task_space.frame_motion import MatrixRows, matrix_product, transposed_product
from gearwright.control.wrapped_law import WrappedLaw, continuous_law
from gearwright.dynamics.closed_loops.closed_dynamics import (
    SpeedMap,
    bias,
    coriolis_in_independent_speeds,
    placed_machine,
)
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.mechanism import Mechanism
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import FORCE_OUTPUT_PREFIX, LawController
from gearwright.text import listed_names


def momentum_residual(mass: MatrixRows, v: Sequence[Scalar], expected: Sequence[Scalar], gain: float) -> list[Scalar]:
    """Return external forces per speed, r = g (M v - expected momentum)."""
    return [gain * (p - x) for p, x in zip(matrix_product(mass, v), expected, strict=True)]


def expected_momentum_rates(
    pose: Pose,
    speed_map: SpeedMap,
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    r: Sequence[Scalar],
    ops: Operations,
) -> list[Scalar]:
    """Return the rate of the expected momentum, tau + C'v - gravity and springs + r, so that r' = g (external - r).

    Of closed loops all are along the independent speeds v.
    """
    all_speeds = speed_map.speeds(v)
    C = coriolis_in_independent_speeds(pose, speed_map, all_speeds, coriolis_matrix(pose, all_speeds), ops)
    both = zip(tau, matrix_product(C, v), transposed_product(C, v), bias(pose, speed_map, all_speeds), r, strict=True)
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
        pose, speed_map = placed_machine(self.mech, measured.q, measured.ops)
        mass = speed_map.congruent(mass_matrix(pose))
        residuals = momentum_residual(mass, measured.v, measured.states[inner_count:], self.gain)
        tau = speed_forces(self.mech, self.inner, decision)
        rates = expected_momentum_rates(pose, speed_map, measured.v, tau, residuals, measured.ops)
        signals = {f"external.{x}": r for x, r in zip(self.mech.speeds, residuals, strict=True)}
        if self.threshold:
            worst: Scalar = 0.0
            for r, limit in zip(residuals, self.threshold, strict=True):
                worst = measured.ops.maximum(worst, measured.ops.absolute(r) / limit)
            signals["collision"] = worst
        return replace(decision, rates=[*decision.rates, *rates], signals={**decision.signals, **signals})


def speed_forces(mech: Mechanism, law: ControlLaw, decision: Decision) -> list[Scalar]:
    """Return the forces on all speeds from the outputs of a law."""
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
        controller: a continuous controller of `gw.control` with forces as outputs.
        gain: observer gain g [1/s].
        threshold: per speed, or one for all, the force that counts as a collision; `collision` is then the largest
            ratio of force to threshold.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> watched = gw.control.momentum_observer(gw.control.pd(arm, [0, 0, 0], 5000, 500), gain=100.0)
    >>> run = gw.simulate(arm, until=0.5, controller=watched, inputs={"tau.j3": 2.0}, samples=3)
    >>> round(float(watched.signals(run)["external.j3"][-1]), 3)
    2.0
    """
    caller = "control.momentum_observer"
    law = independent_law(continuous_law(caller, controller))
    real_number(caller, "gain", gain, above=0.0, unit="1/s", example=50.0)
    require_force_outputs(caller, law)
    thresholds: tuple[float, ...] = ()
    if threshold is not None:
        thresholds = tuple(numbers_by_name(caller, "threshold", threshold, law.mech.speeds, above=0.0).tolist())
    observer = MomentumObserverLaw(law.mech, law, float(gain), thresholds)
    return joint_controller(observer, controller.follow, controller.breaks)


def require_force_outputs(caller: str, law: ControlLaw) -> None:
    """Raise an error if the law has outputs other than forces."""
    other_outputs = [name for name in law.outputs if not name.startswith(FORCE_OUTPUT_PREFIX)]
    if other_outputs:
        raise InputError(
            f"{caller}: the outputs of the controller are {listed_names(other_outputs)}. Give a controller with forces "
            "tau.<speed> as outputs."
        )
