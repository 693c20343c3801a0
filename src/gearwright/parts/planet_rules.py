"""Which teeth fit: planets between sun and ring, spaced evenly, without touching each other."""

from __future__ import annotations

import math

from gearwright.errors import TrainError


def require_closing(owner: str, inside: tuple[int, int], outside: tuple[int, int], module_ratio: float = 1.0) -> None:
    """The planet fits between sun and ring: Zs + Zp = Zr - Zp (with modules: m1 (Zs + Zp1) = m2 (Zr - Zp2))."""
    (sun, planet), (ring, outer) = inside, outside
    if abs(sun + planet - module_ratio * (ring - outer)) <= 1e-9 * ring:
        return
    if planet == outer and module_ratio == 1.0:
        raise TrainError(
            f"{owner}: ring {ring} ≠ sun {sun} + 2 × planet {planet} = {sun + 2 * planet} teeth. "
            "Change one of the three."
        )
    raise TrainError(
        f"{owner}: sun {sun} + planet {planet} = {sun + planet} does not meet ring {ring} - second planet {outer} = "
        f"{ring - outer} teeth (times the ratio of the modules, {module_ratio:g}). Change the teeth or the modules."
    )


def require_even_spacing(owner: str, count: int, sun: int, planet: int, ring: int, outer: int) -> None:
    """Evenly spaced planets can be assembled: (Zs Zp2 + Zr Zp1) / gcd(Zp1, Zp2) is a multiple of their number."""
    total = (sun * outer + ring * planet) // math.gcd(planet, outer)
    total = total if planet != outer else sun + ring
    if total % count:
        what = f"sun {sun} + ring {ring} = {total}" if planet == outer else f"the tooth count {total}"
        raise TrainError(
            f"{owner}: {count} evenly spaced planets cannot be assembled: {what} is not a multiple of {count}. "
            "Change the teeth or the number of planets."
        )


def require_apart(owner: str, count: int, distance: int, planet: int) -> None:
    """Neighbouring planets do not touch: (Zs + Zp) sin(pi/N) > Zp + 2."""
    if count > 1 and distance * math.sin(math.pi / count) <= planet + 2:
        raise TrainError(
            f"{owner}: {count} planets of {planet} teeth touch each other: (sun + planet) sin(pi/{count}) = "
            f"{distance * math.sin(math.pi / count):.4g} is not more than planet + 2 = {planet + 2}. Use fewer planets."
        )
