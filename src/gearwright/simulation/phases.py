"""The phases of contacts along a run: approach, impact, constrained motion, release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gearwright.forces.contact import FREE
from gearwright.forces.soft_contact import PRESS
from gearwright.plots.spans import Span

STEPPED = "stepped"
APPROACH, IMPACT, CONSTRAINED, RELEASE = "approach", "impact", "constrained", "release"
TINT = {APPROACH: 0, CONSTRAINED: 1, RELEASE: 2, IMPACT: 3}
"""What a contact does: not yet touching, meeting its surface at one instant, touching, having let go."""


def contact_phases(
    t: Sequence[float], modes: Mapping[str, Sequence[str]], events: Iterable[tuple[str, float, str]], known: set[str]
) -> dict[str, tuple[Span, ...]]:
    """Per contact its phases in order of time.

    Args:
        t: times of the samples.
        modes: modes of the laws at the samples.
        events: (law, time, mode) in order of time.
        known: the names of series; contacts report a gap.
    """
    happened = list(events)
    found = {}
    for name, met in modes.items():
        if f"{name}.gap" in known and STEPPED not in met and len(t):
            mine = [(at, what) for x, at, what in happened if x == name]
            found[name] = tuple(_phases(float(t[0]), float(t[-1]), met[0], mine))
    return found


def _phases(begin: float, end: float, first: str, changes: Sequence[tuple[float, str]]) -> list[Span]:
    """What one contact does; that it starts in contact is not an impact."""
    now, since = APPROACH if first == FREE else CONSTRAINED, begin
    found: list[Span] = []
    for at, what in changes:
        if at <= begin:
            continue
        if what == FREE:
            following = RELEASE
            meets = now != CONSTRAINED  # thrown back at once
        else:
            following, meets = CONSTRAINED, now != CONSTRAINED and what != PRESS
        if following != now or meets:
            found += [_span(now, since, at)] if at > since else []
            found += [_span(IMPACT, at, at)] if meets else []
            now, since = following, at
    return [*found, _span(now, since, end)] if end > since else found


def _span(kind: str, begin: float, end: float) -> Span:
    return Span(kind, begin, end, TINT[kind])
