"""Which cross-section would keep a limit: all sections of a link larger in proportion, its own weight included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.parts import Box, CrossSection, Material, Tube

LARGEST, STEPS = 6.0, 40
"""Largest scale that is tried, and how often the interval is halved."""


def enlarged(link: LinkAnalysis, scale: float) -> LinkAnalysis:
    r"""The link with sections $s$ times as large: its own weight grows with $s^2$, what it carries stays."""
    loads, more = link.loads, scale**2 - 1
    stations: Any = loads.section.sections
    section = replace(loads.section, sections=[(start, _scaled(shape, scale)) for start, shape in stations])
    grown = replace(
        loads,
        section=section,
        forces=loads.forces + more * loads.own_forces,
        moments=loads.moments + more * loads.own_moments,
        own_forces=(1 + more) * loads.own_forces,
        own_moments=(1 + more) * loads.own_moments,
    )
    return LinkAnalysis(link.name, grown)


def section_advice(link: LinkAnalysis, value: Callable[[LinkAnalysis], float], limit: float) -> str:
    """The smallest scale of a link's sections that brings a value to its limit, in words; empty if none does."""
    scale = _smallest(lambda s: value(enlarged(link, s)), limit)
    if scale is None:
        return ""
    found = enlarged(link, scale)
    stations: Any = found.loads.section.sections
    more = beam_mass(found) - beam_mass(link)
    return f"A {_described(stations)} in {link.name} keeps it, {scale:.3g} times the present, {more:.3g} kg heavier."


def beam_mass(link: LinkAnalysis) -> float:
    """Of the beam alone [kg]."""
    section, length = link.loads.section, link.loads.length
    assert isinstance(section.material, Material)
    stations: Any = section.sections
    ends = [*(start for start, _ in stations[1:]), 1.0]
    volume = sum((end - start) * length * shape.area for (start, shape), end in zip(stations, ends, strict=True))
    return float(volume * section.material.density)


def _smallest(value: Callable[[float], float], limit: float) -> float | None:
    low, high = 1.0, LARGEST
    if value(high) > limit:
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if value(middle) <= limit else (middle, high)
        if high - low < 1e-4:
            break
    return high


def _scaled(shape: CrossSection, scale: float) -> CrossSection:
    if isinstance(shape, Tube):
        return Tube(scale * shape.outer, scale * shape.inner)
    assert isinstance(shape, Box)
    return Box(scale * shape.width, scale * shape.height, None if shape.wall is None else scale * shape.wall)


def _described(stations: Sequence[tuple[float, CrossSection]]) -> str:
    if len(stations) > 1:
        return "larger section all along"
    shape = stations[0][1]
    if isinstance(shape, Tube):
        return f"tube of {1e3 * shape.outer:.4g} x {1e3 * shape.inner:.4g} mm"
    assert isinstance(shape, Box)
    wall = "solid" if shape.wall is None else f"wall {1e3 * shape.wall:.3g} mm"
    return f"box of {1e3 * shape.width:.4g} x {1e3 * shape.height:.4g} mm ({wall})"
