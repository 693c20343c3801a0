"""Online references, filtered to consistent positions, speeds and accelerations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number
from gearwright.arrays import Array
from gearwright.control.references import REFERENCE_NAMES
from gearwright.control.wrapped_law import WrappedLaw, continuous_law
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.system.controllers.control_law import Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.text import listed_names

REFERENCE_FILTER_CALLER, SOURCE_REFERENCE = "control.with_reference_filter", "source"


@dataclass(frozen=True)
class FilteredReferenceLaw(WrappedLaw):
    """A law with a reference filter: q''' = w^3 (source - q) - 3 w^2 q' - 3 w q'' gives q_ref, v_ref, a_ref.

    Args:
        mech: the controlled machine.
        inner: the law.
        frequency: w [rad/s].
        start: initial value of the filter, per coordinate.
    """

    frequency: float = 1.0
    start: tuple[float, ...] = ()

    @property
    def _coordinate_names(self) -> tuple[str, ...]:
        return tuple(self.inner.references[REFERENCE_NAMES[0]])

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """The raw positions."""
        return {SOURCE_REFERENCE: self._coordinate_names}

    @property
    def states(self) -> tuple[Quantity, ...]:
        """States of the law, then filtered positions, speeds and accelerations."""
        first = dict(zip(self._coordinate_names, self.start, strict=True))
        filter_states = [
            Quantity(f"{w}.{x}", "", first[x] if w == REFERENCE_NAMES[0] else 0.0)
            for w in REFERENCE_NAMES[:3]
            for x in self._coordinate_names
        ]
        return (*self.inner.states, *filter_states)

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs for the filtered reference."""
        count, inner_count, w = len(self._coordinate_names), len(self.inner.states), self.frequency
        filtered = measured.states[inner_count:]
        q, v, a = (filtered[k * count : (k + 1) * count] for k in range(3))
        references = dict(zip(REFERENCE_NAMES, (q, v, a), strict=False))
        inner_references = {name: references[name] for name in self.inner.references}
        decision = checked_decision(
            self.inner, replace(measured, reference=inner_references, states=measured.states[:inner_count])
        )
        jerk = [
            w * w * w * (x - p) - 3.0 * w * w * s - 3.0 * w * c
            for x, p, s, c in zip(measured.reference[SOURCE_REFERENCE], q, v, a, strict=True)
        ]
        return replace(decision, rates=[*decision.rates, *v, *a, *jerk])


@check_arguments
def with_reference_filter(
    controller: LawController, source: Callable[[float], Any], frequency: float = 20.0, start: Any = None
) -> LawController:
    r"""Return a controller that tracks online positions: from a joystick, a sensor, or a discontinuous function.

    A filter with three poles at $-\omega$,
    $\dddot q_r = \omega^3 (s - q_r) - 3 \omega^2 \dot q_r - 3 \omega \ddot q_r$, gives consistent position, speed and
    acceleration, which lag behind the source by about 3 / frequency. The filter is part of the controller, also in
    batches and in C.

    Args:
        controller: a continuous controller of `gw.control` that tracks q_ref, v_ref and optionally a_ref of the joints.
        source: function of time -> desired positions of the joints.
        frequency: $\omega$ [rad/s].
        start: initial positions of the joints; by default the source at t = 0.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> stick = lambda t: [0.3 if t > 0.1 else 0.0, 0.0, 0.0]
    >>> control = gw.control.with_reference_filter(gw.control.computed_torque(arm, [0, 0, 0]), stick, frequency=30.0)
    >>> run = gw.simulate(arm, until=0.6, controller=control, samples=3)
    >>> bool(abs(run.q[-1, 0] - run["q_ref.j1"][-1]) < 1e-6)
    True
    """
    law = continuous_law(REFERENCE_FILTER_CALLER, controller)
    if REFERENCE_NAMES[0] not in law.references or not set(law.references) <= set(REFERENCE_NAMES[:3]):
        raise InputError(
            f"{REFERENCE_FILTER_CALLER}: {law.name} tracks {listed_names(law.references)}, not q_ref, v_ref, a_ref of "
            "the joints. Filter a controller of the joints."
        )
    if not law.mech.speeds_are_rates or not callable(source):
        raise InputError(
            f"{REFERENCE_FILTER_CALLER}: give a function of time that returns positions of revolute and prismatic "
            "joints. Other joints are not supported."
        )
    real_number(REFERENCE_FILTER_CALLER, "frequency", frequency, above=0.0, unit="rad/s", example=20.0)
    count = len(law.references[REFERENCE_NAMES[0]])

    def position_at(t: float) -> Array:
        position = np.asarray(source(t), dtype=float)
        if position.shape != (count,) or not np.isfinite(position).all():
            raise InputError(
                f"{REFERENCE_FILTER_CALLER}: the source returned {position.tolist()} at t = {t:g} s. Return {count} "
                "finite numbers."
            )
        return position

    first = position_at(0.0) if start is None else number_array(REFERENCE_FILTER_CALLER, "start", start, axes=1)
    if len(first) != count:
        raise InputError(
            f"{REFERENCE_FILTER_CALLER}: start has shape {first.shape}; give {count} numbers, one for each joint."
        )
    filtered_law = FilteredReferenceLaw(law.mech, law, float(frequency), tuple(first.tolist()))
    return law_controller(filtered_law, lambda times: np.stack([position_at(float(t)) for t in times]))
