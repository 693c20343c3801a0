"""Unknowns of the measurement: offsets and delays of measured signals.

A signal y of the simulation is measured as $y(t - d) + o$ with the offset o of the signal and the delay d, which is the
sum of the delay of all signals and its own.
"""

from __future__ import annotations

from collections.abc import Mapping

OFFSET_PREFIX = "offset."
"""`offset.<signal>` is added to the signal."""

DELAY, DELAY_PREFIX = "delay", "delay."
"""`delay` [s] of all measured signals, `delay.<signal>` of one signal in addition."""


def is_of_measurement(name: str) -> bool:
    """Whether an unknown is an offset or a delay.

    >>> [is_of_measurement(name) for name in ("delay", "delay.q.j", "offset.q.j", "arm.mass")]
    [True, True, True, False]
    """
    return name == DELAY or name.startswith((OFFSET_PREFIX, DELAY_PREFIX))


def signal_of(name: str) -> str | None:
    """The measured signal of an offset or a delay; None where it has none of its own.

    >>> signal_of("offset.q.j"), signal_of("delay")
    ('q.j', None)
    """
    for prefix in (OFFSET_PREFIX, DELAY_PREFIX):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return None


def offset_of(signal: str, values: Mapping[str, float]) -> float:
    """The offset of a signal."""
    return values.get(OFFSET_PREFIX + signal, 0.0)


def delay_of(signal: str, values: Mapping[str, float]) -> float:
    """The delay of a signal [s]."""
    return values.get(DELAY, 0.0) + values.get(DELAY_PREFIX + signal, 0.0)
