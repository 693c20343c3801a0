"""Search for a cross-section that satisfies a limit: all sections of a link scaled, including its own weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.parts import Box, CrossSection, Material, Tube

MAX_SECTION_SCALE, MAX_SCALE_BISECTIONS = 6.0, 40
"""Largest scale factor that is tried, and the number of bisections."""


def with_scaled_sections(link: LinkAnalysis, scale: float) -> LinkAnalysis:
    r"""The link with sections scaled by $s$: its own weight grows with $s^2$, its other loads stay."""
    loads, added = link.loads, scale**2 - 1
    stations: Any = loads.section.sections
    section = replace(loads.section, sections=[(start, _scaled_shape(shape, scale)) for start, shape in stations])
    scaled_loads = replace(
        loads,
        section=section,
        forces=loads.forces + added * loads.own_forces,
        moments=loads.moments + added * loads.own_moments,
        own_forces=(1 + added) * loads.own_forces,
        own_moments=(1 + added) * loads.own_moments,
    )
    return LinkAnalysis(link.name, scaled_loads)


def section_advice(link: LinkAnalysis, value: Callable[[LinkAnalysis], float], limit: float) -> tuple[Advice, ...]:
    """The smallest scale of a link's sections that brings a value to its limit; empty if none does."""
    scale = _smallest_scale(lambda s: value(with_scaled_sections(link, s)), limit)
    if scale is None:
        return ()
    enlarged_link = with_scaled_sections(link, scale)
    stations: Any = enlarged_link.loads.section.sections
    added = beam_mass(enlarged_link) - beam_mass(link)
    section = stations[0][1] if len(stations) == 1 else None
    return (Advice("section", part=link.name, section=section, factor=scale, mass=added),)


def beam_mass(link: LinkAnalysis) -> float:
    """Mass of the beam alone [kg]."""
    section, length = link.loads.section, link.loads.length
    assert isinstance(section.material, Material)
    stations: Any = section.sections
    ends = [*(start for start, _ in stations[1:]), 1.0]
    volume = sum((end - start) * length * shape.area for (start, shape), end in zip(stations, ends, strict=True))
    return float(volume * section.material.density)


def _smallest_scale(value: Callable[[float], float], limit: float) -> float | None:
    low, high = 1.0, MAX_SECTION_SCALE
    if value(high) > limit:
        return None
    for _ in range(MAX_SCALE_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if value(middle) <= limit else (middle, high)
        if high - low < 1e-4:
            break
    return high


def _scaled_shape(shape: CrossSection, scale: float) -> CrossSection:
    if isinstance(shape, Tube):
        return Tube(scale * shape.outer, scale * shape.inner)
    assert isinstance(shape, Box)
    return Box(scale * shape.width, scale * shape.height, None if shape.wall is None else scale * shape.wall)
