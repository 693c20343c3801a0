"""Outlines of toothed wheels in their plane."""

from __future__ import annotations

from math import cos, pi, radians, tan

import numpy as np

from gearwright.arrays import Array

DRAWN_PRESSURE_ANGLE = radians(20)
"""Pressure angle of drawn teeth [rad]."""
FINE_TEETH_COUNT = 60
"""Number of teeth above which a flank is drawn with fewer points."""


def involute_outline(teeth: int, radius: float, addendum: float = 1.0, dedendum: float = 1.25) -> Array:
    r"""The outline of an involute gear, a tooth pointing along x, (K, 2) [m], counter-clockwise.

    Half the angle of a tooth at radius r is $\pi/(2 z) + \mathrm{inv}\,\alpha - \mathrm{inv}(\arccos(r_b/r))$ with the
    base radius $r_b = r_0 \cos\alpha$ and $\mathrm{inv}\,x = \tan x - x$.

    Args:
        teeth: z.
        radius: of the pitch circle $r_0$ [m].
        addendum: height above the pitch circle in modules 2 $r_0$/z.
        dedendum: depth below it. Exchange the two for the hole of a ring.

    >>> outline = involute_outline(20, 0.01)
    >>> round(float(np.hypot(*outline.T).max()), 6)     # tip circle_outline: one module of 1 mm more
    0.011
    """
    module = 2 * radius / teeth
    tip, root = radius + addendum * module, max(radius - dedendum * module, 0.2 * radius)
    base = radius * cos(DRAWN_PRESSURE_ANGLE)
    radii = np.linspace(max(base, root), tip, 3 if teeth > FINE_TEETH_COUNT else 6)
    half = np.maximum(
        pi / (2 * teeth) + _involute_function(DRAWN_PRESSURE_ANGLE) - _involute_of_cosine(base / radii), 0.02 / teeth
    )
    if root < base:
        radii, half = np.append(root, radii), np.append(half[0], half)
    angle, size = np.append(-half, half[::-1]), np.append(radii, radii[::-1])
    return _repeated_tooth(teeth, angle, size)


def trapezoidal_outline(teeth: int, radius: float) -> Array:
    """The outline of a wheel with straight flanks: a bevel gear or a toothed pulley seen from its end, (K, 2) [m]."""
    module = 2 * radius / teeth
    half = pi / (2 * teeth)
    angle = np.array([-1.3, -0.6, 0.6, 1.3]) * half
    return _repeated_tooth(teeth, angle, radius + module * np.array([-1.1, 0.9, 0.9, -1.1]))


def lobed_outline(count: int, radius: float, depth: float) -> Array:
    """The outline of a cycloidal disc: a circle with `count` lobes, (K, 2) [m]."""
    angle = np.linspace(0.0, 2 * pi, 12 * count, endpoint=False)
    return _polar_points(angle, radius + depth * np.cos(count * angle))


def ellipse_outline(long: float, short: float) -> Array:
    """The outline of a wave generator, (K, 2) [m]."""
    angle = np.linspace(0.0, 2 * pi, 48, endpoint=False)
    return np.column_stack([long * np.cos(angle), short * np.sin(angle)])


def circle_outline(radius: float, points: int = 48) -> Array:
    """A circle, (K, 2) [m]."""
    return (
        ellipse_outline(radius, radius) if points == 48 else _polar_points(2 * pi * np.arange(points) / points, radius)
    )


def _involute_function(x: float) -> float:
    return tan(x) - x


def _involute_of_cosine(cosine: Array) -> Array:
    angle = np.arccos(np.minimum(cosine, 1.0))
    return np.asarray(np.tan(angle) - angle)


def _repeated_tooth(teeth: int, angle: Array, size: Array) -> Array:
    """One tooth, repeated around the circle."""
    turns = 2 * pi * np.arange(teeth)[:, None] / teeth
    return _polar_points((turns + angle).ravel(), np.tile(size, teeth))


def _polar_points(angle: Array, size: Array | float) -> Array:
    return np.column_stack([size * np.cos(angle), size * np.sin(angle)])
