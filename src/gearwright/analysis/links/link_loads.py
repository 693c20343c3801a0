"""Section forces of a link over a motion, as arrays along a beam from its joint to its far end.

Masses with known positions on the link (payload and motors) act at these positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.algebra import Vec
from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.links.section_forces import MachineMotion, PointMass, section_forces
from gearwright.analysis.task.process_forces import AppliedWrench
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.parts import LinkSection, Robot
from gearwright.plots import Diagram, NotebookFigure, curve_figure, save_if_path

DISTANCE_LABEL = "distance from the joint [m]"
SECTION_FORCE_NAMES = ("axial force", "shear y", "shear z")
SECTION_MOMENT_NAMES = ("torsion", "bending about y", "bending about z")
"""Names of section forces and moments, in the axes of the beam."""


@dataclass(frozen=True)
class LinkLoads(NotebookFigure):
    """Section forces of one link over a motion, in axes along the beam (x) and across it (y, z).

    Args:
        section: the beam.
        length: L [m].
        stations: distance of the stations from the joint [m], (S,).
        forces: (T, S, 3) [N]: axial force, shear along y and z.
        moments: (T, S, 3) [Nm]: torsion, bending about y and about z.
        axes: rows are x, y, z of the beam in the link's frame, (3, 3).
        own_forces: part of the forces due to the mass of the beam, (T, S, 3).
        own_moments: part of the moments due to the mass of the beam, (T, S, 3).
    """

    section: LinkSection
    length: float
    stations: Array
    forces: Array
    moments: Array
    axes: Array
    own_forces: Array
    own_moments: Array

    @property
    def peak_forces(self) -> dict[str, float]:
        """The largest section forces of the whole beam over the cycle, by name [N]."""
        return _peaks_by_name(self.forces, SECTION_FORCE_NAMES)

    @property
    def peak_moments(self) -> dict[str, float]:
        """The largest section moments of the whole beam over the cycle, by name [Nm]."""
        return _peaks_by_name(self.moments, SECTION_MOMENT_NAMES)

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the largest section forces along the link; with `path` (.png, .svg, .pdf) it is also saved."""
        return save_if_path(curve_figure(load_diagrams(self)), path)


def _peaks_by_name(series: Array, names: Sequence[str]) -> dict[str, float]:
    return dict(zip(names, np.abs(series).max(axis=(0, 1)).tolist(), strict=True))


def load_diagrams(loads: LinkLoads) -> list[Diagram]:
    """Diagrams of the largest section forces over the cycle along a link."""
    named = (
        ("largest force [N]", loads.forces, SECTION_FORCE_NAMES),
        ("largest moment [Nm]", loads.moments, SECTION_MOMENT_NAMES),
    )
    diagrams = []
    for label, values, names in named:
        peaks = np.abs(values).max(axis=0)
        curves_by_name = {name: (loads.stations, peaks[:, k]) for k, name in enumerate(names)}
        diagrams.append(Diagram((DISTANCE_LABEL, label), curves_by_name, from_zero=True))
    return diagrams


@check_arguments
def link_loads(
    mech: Mechanism,
    motion: Motion,
    body: str,
    section: LinkSection,
    points: Sequence[PointMass] = (),
    acting: Sequence[AppliedWrench] = (),
) -> LinkLoads:
    """Return the section forces of a link over a motion: those of the inner part, towards the joint, on the outer part.

    Args:
        mech: the machine.
        motion: of all its coordinates.
        body: the link.
        section: the beam.
        points: masses [kg] on the link, such as a payload or a motor, with their positions [m] in its frame; they are
            part of its mass.
        acting: external forces on any bodies.
    """
    return link_loads_along(MachineMotion.from_motion(mech, motion, acting), body, section, points)


def link_loads_along(
    moving: MachineMotion, body: str, section: LinkSection, points: Sequence[PointMass] = ()
) -> LinkLoads:
    """Section forces of a link of a machine whose kinematics along the motion are known."""
    beam = LinkBeam.from_section(section)
    section_loads = section_forces(moving, moving.pose.mech.body_index(body), beam, points)
    series = (_vector_array(part, (moving.times, len(beam.station_shares))) for part in section_loads)
    force, moment, own_force, own_moment = series
    axes = np.array([list(axis) for axis in beam.axes])
    return LinkLoads(
        section, beam.length, beam.station_shares * beam.length, force, moment, axes, own_force, own_moment
    )


def _vector_array(vector: Vec, shape: tuple[int, int]) -> Array:
    """(T, S, 3)."""
    return np.stack([np.broadcast_to(x, shape) for x in vector], axis=-1)


def point_masses(robot: Robot, name: str) -> list[PointMass]:
    """Masses [kg] on a link with their positions [m] in its frame, for `link_loads`."""
    load = robot.payload
    masses: list[PointMass] = []
    if load is not None and (load.link or robot.last_link().name) == name:
        masses.append((load.mass, load.position))
    for drive in robot.drives:
        motor, carrier = drive.motor, drive.mounted_on or robot.link_of_joint(drive.joint).parent
        if carrier == name and motor.position is not None and not motor.included:
            masses.append((motor.mass + motor.mass_at_rest, motor.position))
    return masses
