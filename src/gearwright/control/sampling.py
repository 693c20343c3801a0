"""Controllers as they run on a computer: sampled, delayed, with encoders that count and outputs that saturate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, one_or_each, whole
from gearwright.control.joint_tracking import Gains
from gearwright.control.wrapped_law import Wrapped, continuous_law
from gearwright.dynamics.configuration import difference
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.system.controllers.control_law import Decision, Measurement, decided
from gearwright.system.controllers.law_controller import LawController, law_controller

CALLER, STARTED = "control.sampled", "sampled.started"


@dataclass(frozen=True)
class Sampled(Wrapped):
    """A continuous law that decides once per period; its integrals and filters advance by Euler's rule, x + T x'.

    Args:
        mech: the controlled machine.
        inner: the law.
        every: the period T [s].
        delay: periods between measurement and output.
        resolution: step of the encoders per coordinate; 0: exact; () all exact.
        by_difference: whether speeds are differences of measured positions over a period.
        limits: largest outputs; () for none.
    """

    every: float = 0.0
    delay: int = 0
    resolution: Gains = ()
    by_difference: bool = False
    limits: Gains = ()

    @property
    def period(self) -> float | None:
        """Time between two decisions [s]."""
        return self.every

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Those of the law, positions of the last sample, and outputs on their way."""
        found = list(self.inner.states)
        if self.by_difference:
            found += [Quantity(STARTED, ""), *(Quantity(f"sampled.{x}", "") for x in self.mech.coordinates)]
        found += [Quantity(f"delayed{k + 1}.{x}", "") for k in range(self.delay) for x in self.outputs]
        return tuple(found)

    def decide(self, measured: Measurement) -> Decision:
        """The law's decision on what is measured, cut and delayed."""
        own = len(self.inner.states)
        rest = list(measured.states[own:])
        q, v, remembered = self._measured(measured, rest)
        decision = decided(self.inner, replace(measured, q=q, v=v, states=measured.states[:own]))
        outputs = [self._cut(k, u, measured.ops) for k, u in enumerate(decision.outputs)]
        following = [x + self.every * rate for x, rate in zip(measured.states[:own], decision.rates, strict=True)]
        waiting = rest[len(remembered) :]
        line = [*waiting, *outputs]
        return Decision(
            line[: len(outputs)], next=[*following, *remembered, *line[len(outputs) :]], signals=decision.signals
        )

    def _measured(
        self, measured: Measurement, rest: Sequence[Scalar]
    ) -> tuple[list[Scalar], Sequence[Scalar], list[Scalar]]:
        """Positions, speeds, and what must be remembered of them."""
        q = list(measured.q)
        if self.resolution:
            q = [_counted(x, step, measured.ops) for x, step in zip(q, self.resolution, strict=True)]
        if not self.by_difference:
            return q, measured.v, []
        moved = difference(self.mech, rest[1 : 1 + len(q)], q, measured.ops)
        v = [measured.ops.where(rest[0] > 0.5, way / self.every, 0.0) for way in moved]
        return q, v, [1.0, *q]

    def _cut(self, k: int, u: Scalar, ops: Operations) -> Scalar:
        return ops.maximum(-self.limits[k], ops.minimum(u, self.limits[k])) if self.limits else u


def _counted(x: Scalar, step: float, ops: Operations) -> Scalar:
    """What an encoder shows: the nearest multiple of its step."""
    return step * ops.floor(x / step + 0.5) if step else x


@check_arguments
def sampled(
    controller: LawController,
    period: float,
    *,
    delay: int = 0,
    resolution: ArrayLike = 0.0,
    speed: str = "measured",
    limits: ArrayLike | None = None,
) -> LawController:
    """A continuous controller as a computer runs it: once per period, its outputs held in between.

    Args:
        controller: a continuous controller, as `gw.control` makes them.
        period: time between two samples [s].
        delay: how many periods pass between a measurement and the output that follows from it.
        resolution: step of the encoders [rad, m], one number or one per coordinate; 0: exact.
        speed: "measured", or "difference": of the last two measured positions, over the period; 0 at the first.
        limits: largest outputs, one number or one per output. Integrals that heed what is cut belong to the
            law: `cascade(..., limits=)`.

    >>> import gearwright as gw
    >>> hold = gw.control.pd(gw.load("elbow"), [0.1, 0, 0], kp=5000, kd=500)
    >>> gw.control.sampled(hold, 1e-3, resolution=1e-5, speed="difference").period
    0.001
    """
    if not isinstance(controller, LawController):
        raise InputError(
            f"{CALLER}: a {type(controller).__name__} is not a controller of gw.control. A function of yours is "
            "sampled by gw.control.sampled_controller."
        )
    law = continuous_law(CALLER, controller)
    if speed not in ("measured", "difference"):
        raise InputError(f"{CALLER}: speed={speed!r} must be 'measured' or 'difference'.")
    number(CALLER, "period", period, above=0.0, unit="seconds", example=1e-3)
    if speed == "difference" and not law.mech.straight:
        raise InputError(f"{CALLER}: speeds of free, spherical or planar joints are measured. Use speed='measured'.")
    step = _spread("resolution", resolution, law.mech.coordinates)
    most = () if limits is None else _spread("limits", limits, law.outputs)
    made = Sampled(
        law.mech,
        law,
        float(period),
        whole(CALLER, "delay", delay, unit="periods"),
        step if any(step) else (),
        speed == "difference",
        most,
    )
    return law_controller(made, controller.follow, controller.breaks)


def _spread(name: str, value: ArrayLike, names: Sequence[str]) -> Gains:
    return tuple(one_or_each(CALLER, name, value, names, least=0.0).tolist())
