r"""A link as a beam, over scalars of any kind: its shape, its stress and how far it gives.

Bending and torsion are those of slender beams: $\sigma = N/A + M c/I$, $\tau = T/W$, and together
$\sqrt{\sigma^2 + 3 \tau^2}$; curvatures are $M / (E I)$, the twist per length $T / (G J)$.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.algebra.variations import value_of
from gearwright.analysis.varied_series import OF_NUMBERS, mapped
from gearwright.arrays import Array
from gearwright.parts import LinkSection, Material
from gearwright.parts.sections import CrossSection

STATIONS = 41
"""Points along a link at which its forces are known."""
SHARES = np.linspace(0.0, 1.0, STATIONS)
"""Where they are, as shares of the length."""


def beam_axes(section: LinkSection) -> tuple[tuple[Vec, Vec, Vec], Scalar]:
    """x, y, z of the beam in the link's frame, and its length."""
    along = Vec.of(section.to)
    length = OF_NUMBERS.sqrt(along.dot(along))
    x = along * (1.0 / length)
    wish = section.across
    if wish is None:
        wish = (0.0, 0.0, 1.0) if abs(value_of(x.z)) < 0.9 else (1.0, 0.0, 0.0)
    z = Vec.of(wish)
    z = z - x * x.dot(z)
    z = z * (1.0 / OF_NUMBERS.sqrt(z.dot(z)))
    return (x, z.cross(x), z), length


class LinkBeam(NamedTuple):
    """A straight beam from a link's origin.

    Args:
        axes: x along it, y and z across it, in the link's frame.
        length: L [m].
        stations: (share of the length, section) from 0 on; between two the first one holds.
        material: what it is made of.
    """

    axes: tuple[Vec, Vec, Vec]
    length: Scalar
    stations: Sequence[tuple[float, CrossSection]]
    material: Material

    @staticmethod
    def of(section: LinkSection) -> LinkBeam:
        """The beam that a section states."""
        axes, length = beam_axes(section)
        assert isinstance(section.material, Material)
        return LinkBeam(axes, length, section.sections, section.material)  # type: ignore[arg-type]

    @property
    def end(self) -> Vec:
        """Its far end in the link's frame [m]."""
        return self.axes[0] * self.length

    def at(self, share: float) -> CrossSection:
        """The section at a share of the length."""
        return [section for start, section in self.stations if start <= share][-1]

    def along(self, what: Callable[[CrossSection], Scalar], shares: Array) -> Scalar:
        """A number of the sections at shares of the length, (S,)."""
        starts = np.array([start for start, _ in self.stations])
        which = np.searchsorted(starts, shares, side="right") - 1
        total: Scalar = 0.0
        for k, (_, section) in enumerate(self.stations):
            total = total + what(section) * (which == k).astype(float)
        return total

    def in_axes(self, vector: Vec) -> Vec:
        """A vector of the link's frame along the beam's axes."""
        x, y, z = self.axes
        return Vec(x.dot(vector), y.dot(vector), z.dot(vector))


def stress_of(section: CrossSection, force: Vec, moment: Vec, ops: Operations) -> Scalar:
    """The largest stress of a section after von Mises [Pa], from force [N] and moment [Nm] along the beam's axes."""
    about_y, about_z = section.second_moments
    edge_z, edge_y = section.edges
    first, second = moment.y * edge_z / about_y, moment.z * edge_y / about_z
    if section.is_round:
        bending = ops.sqrt(first * first + second * second)
    else:
        bending = ops.absolute(first) + ops.absolute(second)
    normal, shear = ops.absolute(force.x) / section.area + bending, moment.x / section.torsion_modulus
    return ops.sqrt(normal * normal + 3 * (shear * shear))


class Bending(NamedTuple):
    """How far the end of a beam gives, along its axes: rotation [rad] and displacement [m], series (T, 1)."""

    turn: Vec
    shift: Vec


def bending_of(beam: LinkBeam, moment: Vec, times: int) -> Bending:
    r"""Rotation and displacement of the far end, $\int \kappa\, dx$ and $\int \kappa (L - x)\, dx$ by trapezoids.

    Args:
        beam: the beam.
        moment: what the part nearer to the joint does to the part beyond, at all stations (T, S), along its axes.
        times: T.
    """
    young, shear, length = beam.material.young, beam.material.shear, beam.length
    rigid = (
        beam.along(lambda section: section.torsion, SHARES) * shear,
        beam.along(lambda section: section.second_moments[0], SHARES) * young,
        beam.along(lambda section: section.second_moments[1], SHARES) * young,
    )
    curves = [-part / stiff for part, stiff in zip(moment, rigid, strict=True)]  # the part beyond bends it
    weights = np.gradient(SHARES)
    weights[[0, -1]] /= 2
    shape = (times, STATIONS)
    turn, bent = (
        [mapped(lambda x, w=w: (x @ w)[:, None], curve, shape) for curve in curves]  # type: ignore[misc]
        for w in (weights, weights * (1 - SHARES))
    )
    flat = Vec(*(x * length for x in turn))
    _, about_y, about_z = (x * (length * length) for x in bent)
    return Bending(flat, Vec(0.0, about_z, -about_y))
