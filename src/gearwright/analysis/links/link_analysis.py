"""Quasi-static stress and deflection of beam links over a motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.algebra import ARRAYS, Vec
from gearwright.analysis.links.beam import BeamDeflection, LinkBeam, beam_deflection, von_mises_stress
from gearwright.analysis.links.link_loads import DISTANCE_LABEL, LinkLoads, load_diagrams
from gearwright.arrays import Array
from gearwright.parts import Material
from gearwright.plots import Diagram, NotebookFigure, curve_figure, save_if_path

DRAWN_STRESS_SHARE = 0.2
"""Smallest stress, as a share of the strength, for which the figure shows the strength too."""


@dataclass(frozen=True)
class LinkAnalysis(NotebookFigure):
    r"""One link over a cycle.

    Bending and torsion are those of slender beams: $\sigma = N/A + M c/I$, $\tau = T/W$, and together
    $\sqrt{\sigma^2 + 3 \tau^2}$; shear deformation and vibration are neglected.

    Args:
        name: of the link.
        loads: its section forces.
    """

    name: str
    loads: LinkLoads

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the largest stress and section forces along the link; also saved as `path` (.png, .svg, .pdf)."""
        places = self.loads.stations
        curves_by_name = {"largest": (places, self.stress.max(axis=0) / 1e6)}
        if self.peak_stress > DRAWN_STRESS_SHARE * self.strength:
            curves_by_name["strength"] = (places, np.full(len(places), self.strength / 1e6))
        stress = Diagram((DISTANCE_LABEL, "stress [MPa]"), curves_by_name, self.name, from_zero=True)
        return save_if_path(curve_figure([stress, *load_diagrams(self.loads)]), path)

    @property
    def _material(self) -> Material:
        material = self.loads.section.material
        assert isinstance(material, Material)
        return material

    @cached_property
    def stress(self) -> Array:
        """The largest von Mises stress at every station [Pa], (T, S)."""
        loads, beam = self.loads, LinkBeam.from_section(self.loads.section)
        stresses = np.empty(loads.forces.shape[:2])
        for k, section_index in enumerate(beam.station_sections):
            force, moment = (Vec(*part[:, k].T) for part in (loads.forces, loads.moments))
            stresses[:, k] = von_mises_stress(beam.sections[section_index][1], force, moment, ARRAYS)
        return stresses

    @property
    def peak_stress(self) -> float:
        """[Pa]."""
        return float(self.stress.max())

    @property
    def strength(self) -> float:
        """Strength of the material [Pa]."""
        return float(self._material.strength)

    @cached_property
    def _end_deflection(self) -> BeamDeflection:
        moments = self.loads.moments
        return beam_deflection(
            LinkBeam.from_section(self.loads.section), Vec(*np.moveaxis(moments, -1, 0)), len(moments)
        )

    @cached_property
    def end_rotation(self) -> Array:
        """Rotation of the far end relative to the joint, in the axes of the beam [rad], (T, 3)."""
        return np.hstack(list(self._end_deflection.rotation))

    @cached_property
    def deflection(self) -> Array:
        """Displacement of the far end by bending, along y and z of the beam [m], (T, 2)."""
        return np.hstack([self._end_deflection.displacement.y, self._end_deflection.displacement.z])

    @property
    def peak_deflection(self) -> float:
        """[m]."""
        return float(np.hypot(self.deflection[:, 0], self.deflection[:, 1]).max())

    @property
    def peak_twist(self) -> float:
        """Largest twist of the far end about the axis of the beam [rad]."""
        return float(np.abs(self.end_rotation[:, 0]).max())
