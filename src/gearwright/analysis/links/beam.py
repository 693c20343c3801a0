r"""A link as a beam, over scalars of any kind: its shape, its stress and how far it gives.

Bending and torsion are those of slender beams: $\sigma = N/A + M c/I$, $\tau = T/W$, and together
$\sqrt{\sigma^2 + 3 \tau^2}$; curvatures are $M / (E I)$, the twist per length $T / (G J)$.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.analysis.parametric_series import OF_NUMBERS, mapped
from gearwright.arrays import Array
from gearwright.parts import CrossSection, LinkSection, Material

STATIONS = 41
"""Points along a link at which its forces are known, spread evenly; there are more where its section changes."""
SAME = 1e-9
"""Share of the length up to which two places are one."""


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
        sections: (share of the length, section) from 0 on; between two the first one holds.
        material: what it is made of.
    """

    axes: tuple[Vec, Vec, Vec]
    length: Scalar
    sections: Sequence[tuple[float, CrossSection]]
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

    @property
    def shares(self) -> Array:
        """Where forces are known, as shares of the length, (S,); a change of section is there twice, for both sides."""
        starts = self._starts[1:]
        even = np.linspace(0.0, 1.0, STATIONS)
        apart = np.abs(even[:, None] - starts).min(axis=1, initial=np.inf) > SAME
        return np.sort(np.concatenate([even[apart], starts, starts]))

    @property
    def held(self) -> Array:
        """Which section holds at each of these places, (S,)."""
        shares = self.shares
        after = np.searchsorted(self._starts, shares, side="right") - 1
        before_a_change = np.append(np.diff(shares) == 0, False)
        return np.asarray(after - before_a_change)

    @property
    def _starts(self) -> Array:
        return np.array([start for start, _ in self.sections])

    def along(self, what: Callable[[CrossSection], Scalar], held: Array) -> Scalar:
        """A number of the sections that hold at some places, (S,)."""
        total: Scalar = 0.0
        for k, (_, section) in enumerate(self.sections):
            total = total + what(section) * (held == k).astype(float)
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
    r"""Rotation and displacement of the far end, $\int \kappa\, dx$ and $\int \kappa (L - x)\, dx$.

    Between two places the curvature $\kappa$ is straight, so that both are exact where no mass is spread.

    Args:
        beam: the beam.
        moment: what the part nearer to the joint does to the part beyond, at all stations (T, S), along its axes.
        times: T.
    """
    young, shear, length = beam.material.young, beam.material.shear, beam.length
    held, shares = beam.held, beam.shares
    rigid = (
        beam.along(lambda section: section.torsion, held) * shear,
        beam.along(lambda section: section.second_moments[0], held) * young,
        beam.along(lambda section: section.second_moments[1], held) * young,
    )
    curves = [-part / stiff for part, stiff in zip(moment, rigid, strict=True)]  # the part beyond bends it
    shape = (times, len(shares))
    turn, bent = (
        [mapped(lambda x, w=w: (x @ w)[:, None], curve, shape) for curve in curves]  # type: ignore[misc]
        for w in (_weights(shares, np.ones_like(shares)), _weights(shares, 1 - shares))
    )
    flat = Vec(*(x * length for x in turn))
    _, about_y, about_z = (x * (length * length) for x in bent)
    return Bending(flat, Vec(0.0, about_z, -about_y))


def _weights(shares: Array, arms: Array) -> Array:
    """Weights (S,) of values at places in the integral of value times arm, both straight from place to place.

    >>> x = np.array([0.0, 0.5, 0.5, 1.0])
    >>> round(float(_weights(x, 1 - x) @ (1 - x)), 12)     # of (1 - x)^2
    0.333333333333
    """
    steps, first, last = np.diff(shares), arms[:-1], arms[1:]
    found = np.zeros_like(shares)
    found[:-1] += steps * (2 * first + last) / 6
    found[1:] += steps * (first + 2 * last) / 6
    return found
