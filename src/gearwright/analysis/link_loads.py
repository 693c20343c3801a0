r"""Forces inside a link, along a beam from its joint to its far end.

What the link beyond a station needs is what its part nearer to the joint must hand on: the forces of the links that it
carries, and those that accelerate its own mass against gravity. The mass of the beam itself is spread along it; all
else that the link weighs (motors, flanges) acts at the link's centre of mass, so that the sum is exactly the reaction
at the joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.analysis.process_forces import AppliedWrench, about_origins
from gearwright.arrays import Array
from gearwright.functions.functions import Wrenches, jacobian, jacobian_rate, placement, reactions
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.parts import LinkSection, Material
from gearwright.plots import saved
from gearwright.plots.curves import Diagram, curves
from gearwright.plots.notebook import Shown

STATIONS = 41
"""Points along a link at which its forces are known."""
ALONG = "distance from the joint [m]"


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

    def plot(self, path: str | Path | None = None) -> Any:
        """The largest section forces over the cycle along the link; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(curves(load_diagrams(self)), path)


def load_diagrams(loads: LinkLoads) -> list[Diagram]:
    """Diagrams of the largest section forces over the cycle along a link."""
    named = (
        ("largest force [N]", loads.forces, ("pull or push", "shear y", "shear z")),
        ("largest moment [Nm]", loads.moments, ("torsion", "bending about y", "bending about z")),
    )
    diagrams = []
    for label, values, names in named:
        most = np.abs(values).max(axis=0)
        found = {name: (loads.places, most[:, k]) for k, name in enumerate(names)}
        diagrams.append(Diagram((ALONG, label), found, from_zero=True))
    return diagrams


def beam_axes(section: LinkSection) -> tuple[Array, float]:
    """Rows x, y, z of the beam in the link's frame, and its length."""
    along = np.array([float(x) for x in section.to])
    length = float(np.linalg.norm(along))
    x = along / length
    wish = section.across
    if wish is None:
        wish = (0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (1.0, 0.0, 0.0)
    z = np.array([float(v) for v in wish])
    z = z - x * (x @ z)
    z = z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z]), length


def link_loads(
    mech: Mechanism,
    motion: Motion,
    body: str,
    section: LinkSection,
    points: Sequence[tuple[float, Sequence[float]]] = (),
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
    axes, length = beam_axes(section)
    state = _State.of(mech, motion, body, about_origins(mech, motion.q, acting))
    places = np.linspace(0.0, length, STATIONS)
    force, moment = own_force, own_moment = _spread(state, section, axes, places)
    index = mech.index(body)
    pieces = [*_carried(mech, motion, state, axes), *(_point(state, axes, *point) for point in points)]
    pieces += [_outside(state, axes, one) for one in acting if one.body == index]
    rest_force = state.across[:, index, :3] - sum(piece.force for piece in pieces) - force[:, 0]
    rest_moment = state.across[:, index, 3:] - sum(piece.moment for piece in pieces) - moment[:, 0]
    centre = np.array([float(x) for x in mech.bodies[index].com]) @ axes[0]
    pieces.append(_Piece(np.full(len(motion.t), centre), rest_force, rest_moment))
    for piece in pieces:
        ahead = places[None] <= np.clip(piece.place, 0.0, length)[:, None] + 1e-12 * length
        force = force + ahead[..., None] * piece.force[:, None]
        moment = moment + ahead[..., None] * piece.moment[:, None]
    # So far about the joint's origin; a section takes its moment about its own centre.
    arms = (places[:, None] * axes[0])[None]
    (force, moment), (own_force, own_moment) = (
        (f @ axes.T, (m - np.cross(arms, f)) @ axes.T) for f, m in ((force, moment), (own_force, own_moment))
    )
    return LinkLoads(section, length, places, force, moment, axes, own_force, own_moment)


class _Piece(NamedTuple):
    """What something on a link needs: place along the beam (T,), force and moment about the joint's origin (T, 3)."""

    place: Array
    force: Array
    moment: Array


@dataclass(frozen=True)
class _State:
    """How a link moves, in its own axes, (T, 3) each: acceleration of its origin less gravity, turning and its rate."""

    rotation: Array
    origin: Array
    start: Array
    turning: Array
    speeding: Array
    across: Array
    index: int

    @staticmethod
    def of(mech: Mechanism, motion: Motion, body: str, wrenches: Wrenches | None) -> _State:
        J, rate = jacobian(mech, motion.q, body), jacobian_rate(mech, motion.q, motion.v, body)
        speeds = np.einsum("tij,tj->ti", J, motion.v)
        rates = np.einsum("tij,tj->ti", J, motion.a) + np.einsum("tij,tj->ti", rate, motion.v)
        rotation, origin = placement(mech, motion.q, body)
        gravity = np.array([float(x) for x in mech.gravity])
        start, turning, speeding = (
            np.einsum("tji,tj->ti", rotation, x) for x in (rates[:, :3] - gravity, speeds[:, 3:], rates[:, 3:])
        )
        across = reactions(mech, motion.q, motion.v, motion.a, wrenches=wrenches)
        return _State(rotation, origin, start, turning, speeding, across, mech.index(body))

    def slope(self, direction: Array) -> Array:
        """How the acceleration changes per length along a direction (3,), (T, 3)."""
        return np.asarray(
            np.cross(self.speeding, direction) + np.cross(self.turning, np.cross(self.turning, direction))
        )


def _carried(mech: Mechanism, motion: Motion, state: _State, axes: Array) -> list[_Piece]:
    """What the links that a link carries need."""
    found = []
    for child, body in enumerate(mech.bodies):
        if body.parent != state.index:
            continue
        turned, place = placement(mech, motion.q, body.name)
        force, moment = (
            np.einsum("tji,tjk,tk->ti", state.rotation, turned, x)
            for x in (state.across[:, child, :3], state.across[:, child, 3:])
        )
        arm = np.einsum("tji,tj->ti", state.rotation, place - state.origin)
        found.append(_Piece(arm @ axes[0], force, moment + np.cross(arm, force)))
    return found


def _point(state: _State, axes: Array, mass: float, position: Sequence[float]) -> _Piece:
    """What a point of mass on the link needs."""
    arm = np.array([float(x) for x in position])
    force = mass * (state.start + state.slope(arm))
    return _Piece(np.full(len(force), arm @ axes[0]), force, np.cross(arm, force))


def _outside(state: _State, axes: Array, acting: AppliedWrench) -> _Piece:
    """What it takes to bear a force from outside."""
    force, moment = (-np.einsum("tji,tj->ti", state.rotation, x) for x in (acting.wrench[:, :3], acting.wrench[:, 3:]))
    place = np.full(len(force), acting.position @ axes[0])
    return _Piece(place, force, moment + np.cross(acting.position, force))


def _spread(state: _State, section: LinkSection, axes: Array, places: Array) -> tuple[Array, Array]:
    """What the beam's own mass beyond every station needs, (T, S, 3), moments about the joint's origin."""
    assert isinstance(section.material, Material)
    middles, step = (places[1:] + places[:-1]) / 2, np.diff(places)
    areas = np.array([section.at(x / places[-1]).area for x in middles])
    masses = areas * section.material.density * step
    slope = state.slope(axes[0])
    # A piece needs m (a0 + x s) at its middle; that x varies within it adds m h^2/12 e x s to the moment.
    pieces = masses[:, None] * (state.start[:, None] + middles[:, None] * slope[:, None])
    own = (masses * step**2 / 12)[:, None] * np.cross(axes[0], slope)[:, None]
    turns = np.cross(middles[:, None] * axes[0], pieces) + own
    return _from_the_end(pieces), _from_the_end(turns)


def _from_the_end(pieces: Array) -> Array:
    sums = np.cumsum(pieces[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([sums, np.zeros_like(sums[:, :1])], axis=1)
