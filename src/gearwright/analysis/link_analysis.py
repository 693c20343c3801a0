"""Stress and deflection of links that are beams, quasi-static over a motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.analysis.link_loads import ALONG, LinkLoads, load_diagrams
from gearwright.arrays import Array
from gearwright.parts import Material
from gearwright.plots import saved
from gearwright.plots.curves import Diagram, curves
from gearwright.plots.notebook import Shown

VISIBLE = 0.2
"""Share of the strength that a stress must reach for both to be drawn: else the curve would be pressed flat."""


@dataclass(frozen=True)
class LinkAnalysis(Shown):
    r"""One link over a cycle.

    Bending and torsion are those of slender beams: $\sigma = N/A + M c/I$, $\tau = T/W$, and together
    $\sqrt{\sigma^2 + 3 \tau^2}$; shear across the section is left out, as is the bending that vibration adds.

    Args:
        name: of the link.
        loads: forces inside it.
    """

    name: str
    loads: LinkLoads

    def plot(self, path: str | Path | None = None) -> Any:
        """The largest stress and section forces over the cycle along the link; also into a file (.png, .svg, .pdf)."""
        places = self.loads.places
        found = {"largest": (places, self.stress.max(axis=0) / 1e6)}
        if self.peak_stress > VISIBLE * self.strength:
            found["strength"] = (places, np.full(len(places), self.strength / 1e6))
        stress = Diagram((ALONG, "stress [MPa]"), found, self.name, from_zero=True)
        return saved(curves([stress, *load_diagrams(self.loads)]), path)

    @property
    def _material(self) -> Material:
        material = self.loads.section.material
        assert isinstance(material, Material)
        return material

    @cached_property
    def stress(self) -> Array:
        """The largest stress of every section after von Mises [Pa], (T, S)."""
        loads = self.loads
        found = np.empty(loads.forces.shape[:2])
        for k, place in enumerate(loads.places):
            section = loads.section.at(min(place / loads.length, 1.0))
            about_y, about_z = section.second_moments
            edge_z, edge_y = section.edges
            first = loads.moments[:, k, 1] * edge_z / about_y
            second = loads.moments[:, k, 2] * edge_y / about_z
            bending = np.hypot(first, second) if section.is_round else np.abs(first) + np.abs(second)
            normal = np.abs(loads.forces[:, k, 0]) / section.area + bending
            shear = loads.moments[:, k, 0] / section.torsion_modulus
            found[:, k] = np.sqrt(normal**2 + 3 * shear**2)
        return found

    @property
    def peak_stress(self) -> float:
        """[Pa]."""
        return float(self.stress.max())

    @property
    def strength(self) -> float:
        """What the material bears [Pa]."""
        return float(self._material.strength)

    @cached_property
    def _curvatures(self) -> Array:
        """Twist and curvatures per length about x, y, z of the beam, (T, S, 3) [1/m]."""
        loads, material = self.loads, self._material
        rigid = np.empty((len(loads.places), 3))
        for k, place in enumerate(loads.places):
            section = loads.section.at(min(place / loads.length, 1.0))
            about_y, about_z = section.second_moments
            rigid[k] = material.shear * section.torsion, material.young * about_y, material.young * about_z
        return -loads.moments / rigid  # what bends a piece is what the part beyond does to it

    @cached_property
    def turn(self) -> Array:
        """Rotation of the far end against the joint, by components along the beam's axes [rad], (T, 3)."""
        return np.asarray(np.trapezoid(self._curvatures, self.loads.places, axis=1))

    @cached_property
    def deflection(self) -> Array:
        """Displacement of the far end by bending, along y and z of the beam [m], (T, 2)."""
        arm = self.loads.length - self.loads.places
        bent = np.asarray(np.trapezoid(self._curvatures * arm[None, :, None], self.loads.places, axis=1))
        return np.stack([bent[:, 2], -bent[:, 1]], axis=1)

    @property
    def peak_deflection(self) -> float:
        """[m]."""
        return float(np.hypot(self.deflection[:, 0], self.deflection[:, 1]).max())
