"""References formed online, filtered into positions, speeds and accelerations that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, numbers
from gearwright.arrays import Array
from gearwright.control.references import WORDS
from gearwright.control.wrapped_law import Wrapped, continuous_law
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.system.controllers.control_law import Decision, Measurement, decided
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.text import listed

CALLER, SOURCE = "control.filtered", "source"


@dataclass(frozen=True)
class Filtered(Wrapped):
    """A law behind a filter: q''' = w^3 (source - q) - 3 w^2 q' - 3 w q'' makes its q_ref, v_ref, a_ref.

    Args:
        mech: the controlled machine.
        inner: the law.
        frequency: w [rad/s].
        start: where the filter begins, per coordinate.
    """

    frequency: float = 1.0
    start: tuple[float, ...] = ()

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.inner.references[WORDS[0]])

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """The raw positions."""
        return {SOURCE: self._names}

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Those of the law, then filtered positions, speeds and accelerations."""
        first = dict(zip(self._names, self.start, strict=True))
        own = [Quantity(f"{w}.{x}", "", first[x] if w == WORDS[0] else 0.0) for w in WORDS[:3] for x in self._names]
        return (*self.inner.states, *own)

    def decide(self, measured: Measurement) -> Decision:
        """The law's decision on the filtered reference."""
        count, own, w = len(self._names), len(self.inner.states), self.frequency
        filtered = measured.states[own:]
        q, v, a = (filtered[k * count : (k + 1) * count] for k in range(3))
        given = dict(zip(WORDS, (q, v, a), strict=False))
        told = {name: given[name] for name in self.inner.references}
        decision = decided(self.inner, replace(measured, reference=told, states=measured.states[:own]))
        jerk = [
            w * w * w * (x - p) - 3.0 * w * w * s - 3.0 * w * c
            for x, p, s, c in zip(measured.reference[SOURCE], q, v, a, strict=True)
        ]
        return replace(decision, rates=[*decision.rates, *v, *a, *jerk])


@check_arguments
def filtered(
    controller: LawController, source: Callable[[float], Any], frequency: float = 20.0, start: Any = None
) -> LawController:
    r"""A controller that follows positions as they come: from a joystick, a sensor, a function that may jump.

    They pass three poles at $-\omega$, $\dddot q_r = \omega^3 (s - q_r) - 3 \omega^2 \dot q_r - 3 \omega \ddot q_r$, so
    that position, speed and acceleration belong together however the source jumps, and lag behind it by about 3 /
    frequency. The filter is part of the controller: it runs in batches and in C too.

    Args:
        controller: a continuous controller of `gw.control` that follows q_ref, v_ref and maybe a_ref of the joints.
        source: function of time -> wanted positions of the joints.
        frequency: [rad/s].
        start: where the joints start; what the source says at t = 0 unless given.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> stick = lambda t: [0.3 if t > 0.1 else 0.0, 0.0, 0.0]
    >>> control = gw.control.filtered(gw.control.computed_torque(arm, [0, 0, 0]), stick, frequency=30.0)
    >>> run = gw.simulate(arm, until=0.6, controller=control, samples=3)
    >>> bool(abs(run.q[-1, 0] - run["q_ref.j1"][-1]) < 1e-6)
    True
    """
    law = continuous_law(CALLER, controller)
    if WORDS[0] not in law.references or not set(law.references) <= set(WORDS[:3]):
        raise InputError(
            f"{CALLER}: {law.name} follows {listed(law.references)}, not q_ref, v_ref, a_ref of the joints. Filter a "
            "controller of the joints."
        )
    if not law.mech.straight or not callable(source):
        raise InputError(
            f"{CALLER}: give a function of time that returns positions of joints that turn about, or slide along, one "
            "axis each."
        )
    number(CALLER, "frequency", frequency, above=0.0, unit="rad/s", example=20.0)
    count = len(law.references[WORDS[0]])

    def at(t: float) -> Array:
        found = np.asarray(source(t), dtype=float)
        if found.shape != (count,) or not np.isfinite(found).all():
            raise InputError(
                f"{CALLER}: the source returned {found.tolist()} at t = {t:g} s. Return {count} finite numbers."
            )
        return found

    first = at(0.0) if start is None else numbers(CALLER, "start", start, axes=1)
    if len(first) != count:
        raise InputError(f"{CALLER}: start has shape {first.shape}; give {count} numbers, one for each joint.")
    made = Filtered(law.mech, law, float(frequency), tuple(first.tolist()))
    return law_controller(made, lambda times: np.stack([at(float(t)) for t in times]))
