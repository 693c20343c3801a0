"""Digital controllers: sampling, delay, quantised encoders and saturated outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers_by_name, real_number, whole_number
from gearwright.control.joint_tracking import Gains
from gearwright.control.wrapped_law import WrappedLaw, continuous_law
from gearwright.dynamics.configuration import difference
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.system.controllers.control_law import Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import LawController, law_controller

SAMPLING_CALLER, STARTED_STATE = "control.with_sampling", "sampled.started"


@dataclass(frozen=True)
class SampledLaw(WrappedLaw):
    """A continuous law evaluated once per period; its states advance by the explicit Euler rule, x + T x'.

    Args:
        mech: the controlled machine.
        inner: the law.
        sample_time: the period T [s].
        delay: periods between measurement and output.
        resolution: encoder resolution per coordinate; 0: exact; () all exact.
        by_difference: whether speeds are differences of measured positions over a period.
        limits: largest outputs; () for none.
    """

    sample_time: float = 0.0
    delay: int = 0
    resolution: Gains = ()
    by_difference: bool = False
    limits: Gains = ()

    @property
    def period(self) -> float | None:
        """Sampling period [s]."""
        return self.sample_time

    @property
    def states(self) -> tuple[Quantity, ...]:
        """States of the law, positions of the last sample, and delayed outputs."""
        quantities = list(self.inner.states)
        if self.by_difference:
            quantities += [Quantity(STARTED_STATE, ""), *(Quantity(f"sampled.{x}", "") for x in self.mech.coordinates)]
        quantities += [Quantity(f"delayed{k + 1}.{x}", "") for k in range(self.delay) for x in self.outputs]
        return tuple(quantities)

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs for the measurement, saturated and delayed."""
        inner_count = len(self.inner.states)
        further_states = list(measured.states[inner_count:])
        q, v, memory = self._encoder_readings(measured, further_states)
        decision = checked_decision(self.inner, replace(measured, q=q, v=v, states=measured.states[:inner_count]))
        outputs = [self._limit_output(k, u, measured.ops) for k, u in enumerate(decision.outputs)]
        next_states = [
            x + self.sample_time * rate for x, rate in zip(measured.states[:inner_count], decision.rates, strict=True)
        ]
        delayed = further_states[len(memory) :]
        queue = [*delayed, *outputs]
        return Decision(
            queue[: len(outputs)], next=[*next_states, *memory, *queue[len(outputs) :]], signals=decision.signals
        )

    def _encoder_readings(
        self, measured: Measurement, memory: Sequence[Scalar]
    ) -> tuple[list[Scalar], Sequence[Scalar], list[Scalar]]:
        """Return measured positions, speeds, and the positions to store."""
        q = list(measured.q)
        if self.resolution:
            q = [_encoder_count(x, step, measured.ops) for x, step in zip(q, self.resolution, strict=True)]
        if not self.by_difference:
            return q, measured.v, []
        changes = difference(self.mech, memory[1 : 1 + len(q)], q, measured.ops)
        v = [measured.ops.where(memory[0] > 0.5, change / self.sample_time, 0.0) for change in changes]
        return q, v, [1.0, *q]

    def _limit_output(self, k: int, u: Scalar, ops: Operations) -> Scalar:
        return ops.maximum(-self.limits[k], ops.minimum(u, self.limits[k])) if self.limits else u


def _encoder_count(x: Scalar, step: float, ops: Operations) -> Scalar:
    """Return the reading of an encoder: the nearest multiple of its resolution."""
    return step * ops.floor(x / step + 0.5) if step else x


@check_arguments
def with_sampling(
    controller: LawController,
    period: float,
    *,
    delay: int = 0,
    resolution: ArrayLike = 0.0,
    speed: str = "measured",
    limits: ArrayLike | None = None,
) -> LawController:
    """Return a continuous controller in sampled form: evaluated once per period, with a zero-order hold.

    Args:
        controller: a continuous controller of `gw.control`.
        period: time between two samples [s].
        delay: periods between a measurement and the resulting output.
        resolution: encoder resolution [rad, m], one value or one per coordinate; 0: exact.
        speed: "measured", or "difference": of the last two measured positions, over the period; 0 at the first.
        limits: largest outputs, one value or one per output. Anti-windup is part of the law: `cascade(..., limits=)`.

    >>> import gearwright as gw
    >>> hold = gw.control.pd(gw.load("elbow"), [0.1, 0, 0], kp=5000, kd=500)
    >>> gw.control.with_sampling(hold, 1e-3, resolution=1e-5, speed="difference").period
    0.001
    """
    if not isinstance(controller, LawController):
        raise InputError(
            f"{SAMPLING_CALLER}: a {type(controller).__name__} is not a controller of gw.control. Your own function is "
            "sampled by gw.control.sampled_controller."
        )
    law = continuous_law(SAMPLING_CALLER, controller)
    if speed not in ("measured", "difference"):
        raise InputError(f"{SAMPLING_CALLER}: speed={speed!r} must be 'measured' or 'difference'.")
    real_number(SAMPLING_CALLER, "period", period, above=0.0, unit="seconds", example=1e-3)
    if speed == "difference" and not law.mech.speeds_are_rates:
        raise InputError(
            f"{SAMPLING_CALLER}: speeds of free, spherical or planar joints cannot be differences. Use "
            "speed='measured'."
        )
    step = _number_each("resolution", resolution, law.mech.coordinates)
    largest = () if limits is None else _number_each("limits", limits, law.outputs)
    sampled_law = SampledLaw(
        law.mech,
        law,
        float(period),
        whole_number(SAMPLING_CALLER, "delay", delay, unit="periods"),
        step if any(step) else (),
        speed == "difference",
        largest,
    )
    return law_controller(sampled_law, controller.follow, controller.breaks)


def _number_each(name: str, value: ArrayLike, names: Sequence[str]) -> Gains:
    return tuple(numbers_by_name(SAMPLING_CALLER, name, value, names, least=0.0).tolist())
