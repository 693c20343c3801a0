r"""A link as a beam, over generic scalars: its shape, its stress and its deflection.

Bending and torsion are those of slender beams: $\sigma = N/A + M c/I$, $\tau = T/W$, and together
$\sqrt{\sigma^2 + 3 \tau^2}$; curvatures are $M / (E I)$, the twist per length $T / (G J)$.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.analysis.parametric_series import NUMBER_OPERATIONS, map_series
from gearwright.arrays import Array
from gearwright.parts import CrossSection, LinkSection, Material

BEAM_STATIONS = 41
"""Evenly spaced stations along a link at which its forces are computed; changes of section add more."""
STATION_TOLERANCE = 1e-9
"""Share of the length up to which two positions are equal."""


def beam_axes(section: LinkSection) -> tuple[tuple[Vec, Vec, Vec], Scalar]:
    """Axes x, y, z of the beam in the link's frame, and its length."""
    direction = Vec.from_values(section.to)
    length = NUMBER_OPERATIONS.sqrt(direction.dot(direction))
    x = direction * (1.0 / length)
    reference = section.across
    if reference is None:
        reference = (0.0, 0.0, 1.0) if abs(primal_value(x.z)) < 0.9 else (1.0, 0.0, 0.0)
    z = Vec.from_values(reference)
    z = z - x * x.dot(z)
    z = z * (1.0 / NUMBER_OPERATIONS.sqrt(z.dot(z)))
    return (x, z.cross(x), z), length


class LinkBeam(NamedTuple):
    """A straight beam from a link's origin.

    Args:
        axes: x along it, y and z across it, in the link's frame.
        length: L [m].
        sections: (share of the length, section) from 0 on; each applies up to the next.
        material: of the beam.
    """

    axes: tuple[Vec, Vec, Vec]
    length: Scalar
    sections: Sequence[tuple[float, CrossSection]]
    material: Material

    @staticmethod
    def from_section(section: LinkSection) -> LinkBeam:
        """The beam described by a section."""
        axes, length = beam_axes(section)
        assert isinstance(section.material, Material)
        return LinkBeam(axes, length, section.sections, section.material)  # type: ignore[arg-type]

    @property
    def far_end(self) -> Vec:
        """Its far end in the link's frame [m]."""
        return self.axes[0] * self.length

    @property
    def station_shares(self) -> Array:
        """Stations as shares of the length, (S,); a change of section has two, one for each side."""
        starts = self._section_starts[1:]
        even = np.linspace(0.0, 1.0, BEAM_STATIONS)
        apart = np.abs(even[:, None] - starts).min(axis=1, initial=np.inf) > STATION_TOLERANCE
        return np.sort(np.concatenate([even[apart], starts, starts]))

    @property
    def station_sections(self) -> Array:
        """Index of the section at each station, (S,)."""
        shares = self.station_shares
        after = np.searchsorted(self._section_starts, shares, side="right") - 1
        before_a_change = np.append(np.diff(shares) == 0, False)
        return np.asarray(after - before_a_change)

    @property
    def _section_starts(self) -> Array:
        return np.array([start for start, _ in self.sections])

    def section_values(self, quantity: Callable[[CrossSection], Scalar], section_indices: Array) -> Scalar:
        """A property of the sections at some stations, (S,)."""
        total: Scalar = 0.0
        for k, (_, section) in enumerate(self.sections):
            total = total + quantity(section) * (section_indices == k).astype(float)
        return total

    def in_beam_axes(self, vector: Vec) -> Vec:
        """Components of a vector of the link's frame in the axes of the beam."""
        x, y, z = self.axes
        return Vec(x.dot(vector), y.dot(vector), z.dot(vector))


def von_mises_stress(section: CrossSection, force: Vec, moment: Vec, ops: Operations) -> Scalar:
    """The largest von Mises stress of a section [Pa], from force [N] and moment [Nm] in the axes of the beam."""
    about_y, about_z = section.second_moments
    edge_z, edge_y = section.edge_distances
    first, second = moment.y * edge_z / about_y, moment.z * edge_y / about_z
    if section.is_round:
        bending = ops.sqrt(first * first + second * second)
    else:
        bending = ops.absolute(first) + ops.absolute(second)
    normal, shear = ops.absolute(force.x) / section.area + bending, moment.x / section.torsion_modulus
    return ops.sqrt(normal * normal + 3 * (shear * shear))


class BeamDeflection(NamedTuple):
    """Deflection of the end of a beam in its axes: rotation [rad] and displacement [m], series (T, 1)."""

    rotation: Vec
    displacement: Vec


def beam_deflection(beam: LinkBeam, moment: Vec, times: int) -> BeamDeflection:
    r"""Rotation and displacement of the far end, $\int \kappa\, dx$ and $\int \kappa (L - x)\, dx$.

    The curvature $\kappa$ is linear between two stations; both are exact for a beam without mass.

    Args:
        beam: the beam.
        moment: section moment on the outer part of the beam, at all stations (T, S), in its axes.
        times: T.
    """
    young, shear, length = beam.material.young, beam.material.shear, beam.length
    sections, shares = beam.station_sections, beam.station_shares
    stiffnesses = (
        beam.section_values(lambda section: section.torsion_constant, sections) * shear,
        beam.section_values(lambda section: section.second_moments[0], sections) * young,
        beam.section_values(lambda section: section.second_moments[1], sections) * young,
    )
    curves = [-part / stiff for part, stiff in zip(moment, stiffnesses, strict=True)]  # reaction of the outer part
    shape = (times, len(shares))
    rotations, weighted_curvatures = (
        [map_series(lambda x, w=w: (x @ w)[:, None], curve, shape) for curve in curves]  # type: ignore[misc]
        for w in (_integral_weights(shares, np.ones_like(shares)), _integral_weights(shares, 1 - shares))
    )
    flat = Vec(*(x * length for x in rotations))
    _, about_y, about_z = (x * (length * length) for x in weighted_curvatures)
    return BeamDeflection(flat, Vec(0.0, about_z, -about_y))


def _integral_weights(shares: Array, arms: Array) -> Array:
    """Weights (S,) of values at stations in the integral of value times arm, both linear between stations.

    >>> x = np.array([0.0, 0.5, 0.5, 1.0])
    >>> round(float(_integral_weights(x, 1 - x) @ (1 - x)), 12)     # of (1 - x)^2
    0.333333333333
    """
    steps, first, last = np.diff(shares), arms[:-1], arms[1:]
    weights = np.zeros_like(shares)
    weights[:-1] += steps * (2 * first + last) / 6
    weights[1:] += steps * (first + 2 * last) / 6
    return weights
