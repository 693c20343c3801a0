"""Stress and deflection of links that are beams, quasi-static over a motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.algebra import Vec
from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.links.beam import Bending, LinkBeam, bending_of, stress_of
from gearwright.analysis.links.link_loads import ALONG, LinkLoads, load_diagrams
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
        loads, beam = self.loads, LinkBeam.of(self.loads.section)
        found = np.empty(loads.forces.shape[:2])
        for k, held in enumerate(beam.held):
            force, moment = (Vec(*part[:, k].T) for part in (loads.forces, loads.moments))
            found[:, k] = stress_of(beam.sections[held][1], force, moment, ARRAYS)
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
    def _bending(self) -> Bending:
        moments = self.loads.moments
        return bending_of(LinkBeam.of(self.loads.section), Vec(*np.moveaxis(moments, -1, 0)), len(moments))

    @cached_property
    def turn(self) -> Array:
        """Rotation of the far end against the joint, by components along the beam's axes [rad], (T, 3)."""
        return np.hstack(list(self._bending.turn))

    @cached_property
    def deflection(self) -> Array:
        """Displacement of the far end by bending, along y and z of the beam [m], (T, 2)."""
        return np.hstack([self._bending.shift.y, self._bending.shift.z])

    @property
    def peak_deflection(self) -> float:
        """[m]."""
        return float(np.hypot(self.deflection[:, 0], self.deflection[:, 1]).max())

    @property
    def peak_twist(self) -> float:
        """How far the far end turns about the beam's own axis at most [rad]."""
        return float(np.abs(self.turn[:, 0]).max())
