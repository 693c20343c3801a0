"""Section forces of a link over a motion, as arrays along a beam from its joint to its far end.

Masses with stated places on the link, the payload and motors, act where they sit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.algebra import Vec
from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.links.section_forces import Moving, Point, section_forces
from gearwright.analysis.task.process_forces import AppliedWrench
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.parts import LinkSection, Robot
from gearwright.plots import saved
from gearwright.plots.curves import Diagram, curves
from gearwright.plots.notebook import Shown

ALONG = "distance from the joint [m]"
FORCES = ("pull or push", "shear y", "shear z")
MOMENTS = ("torsion", "bending about y", "bending about z")
"""What section forces and moments are called, in the beam's axes."""


@dataclass(frozen=True)
class LinkLoads(Shown):
    """Section forces of one link over a motion, in axes along the beam (x) and across it (y, z).

    Args:
        section: the beam.
        length: L [m].
        places: distance of the stations from the joint [m], (S,).
        forces: (T, S, 3) [N]: pull along the beam, shear along y and z.
        moments: (T, S, 3) [Nm]: torsion, bending about y and about z.
        axes: rows are x, y, z of the beam in the link's frame, (3, 3).
        own_forces: the part of the forces that the beam's own mass needs, (T, S, 3).
        own_moments: the same of the moments.
    """

    section: LinkSection
    length: float
    places: Array
    forces: Array
    moments: Array
    axes: Array
    own_forces: Array
    own_moments: Array

    @property
    def peak_forces(self) -> dict[str, float]:
        """The largest section forces of the whole beam over the cycle, by name [N]."""
        return _largest(self.forces, FORCES)

    @property
    def peak_moments(self) -> dict[str, float]:
        """The largest section moments of the whole beam over the cycle, by name [Nm]."""
        return _largest(self.moments, MOMENTS)

    def plot(self, path: str | Path | None = None) -> Any:
        """The largest section forces over the cycle along the link; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(curves(load_diagrams(self)), path)


def _largest(series: Array, names: Sequence[str]) -> dict[str, float]:
    return dict(zip(names, np.abs(series).max(axis=(0, 1)).tolist(), strict=True))


def load_diagrams(loads: LinkLoads) -> list[Diagram]:
    """Diagrams of the largest section forces over the cycle along a link."""
    named = (("largest force [N]", loads.forces, FORCES), ("largest moment [Nm]", loads.moments, MOMENTS))
    diagrams = []
    for label, values, names in named:
        most = np.abs(values).max(axis=0)
        found = {name: (loads.places, most[:, k]) for k, name in enumerate(names)}
        diagrams.append(Diagram((ALONG, label), found, from_zero=True))
    return diagrams


@check_arguments
def link_loads(
    mech: Mechanism,
    motion: Motion,
    body: str,
    section: LinkSection,
    points: Sequence[Point] = (),
    acting: Sequence[AppliedWrench] = (),
) -> LinkLoads:
    """Section forces of a link over a motion: what its part nearer to the joint does to the part beyond.

    Args:
        mech: the machine.
        motion: of all its coordinates.
        body: the link.
        section: the beam.
        points: masses [kg] that sit on the link, such as a payload or a motor, and where [m], in its frame; they are
            part of its mass.
        acting: forces from outside on any bodies.
    """
    return loads_along(Moving.of(mech, motion, acting), body, section, points)


def loads_along(moving: Moving, body: str, section: LinkSection, points: Sequence[Point] = ()) -> LinkLoads:
    """The same of a machine that is placed along its motion already."""
    beam = LinkBeam.of(section)
    found = section_forces(moving, moving.pose.mech.index(body), beam, points)
    series = (_stacked(part, (moving.times, len(beam.shares))) for part in found)
    force, moment, own_force, own_moment = series
    axes = np.array([list(axis) for axis in beam.axes])
    return LinkLoads(section, beam.length, beam.shares * beam.length, force, moment, axes, own_force, own_moment)


def _stacked(vector: Vec, shape: tuple[int, int]) -> Array:
    """(T, S, 3)."""
    return np.stack([np.broadcast_to(x, shape) for x in vector], axis=-1)


def placed_masses(robot: Robot, name: str) -> list[Point]:
    """Mass [kg] and place [m] in the link's frame of what sits on a link, as `link_loads` takes them."""
    load = robot.payload
    found: list[Point] = []
    if load is not None and (load.link or robot.last_link().name) == name:
        found.append((load.mass, load.position))
    for drive in robot.drives:
        motor, carrier = drive.motor, drive.mounted_on or robot.link_of_joint(drive.joint).parent
        if carrier == name and motor.position is not None and not motor.included:
            found.append((motor.mass + motor.mass_at_rest, motor.position))
    return found
