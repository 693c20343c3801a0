r"""Section forces of a link, along a beam from its joint to its far end, over generic scalars.

The section force at a station is the force on the outer part of the link: the reactions of the links that it carries,
and its own inertia forces and weight. The mass of the beam is distributed along it, and masses with known positions act
there. The remaining mass (flanges, covers) acts at its own centre. The sum is exactly the reaction at the joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar, Vec
from gearwright.algebra.differentiation.dual_arrays import stack_arrays
from gearwright.algebra.differentiation.dual_numbers import map_linear, primal_value
from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.parametric_series import SERIES_OPERATIONS, column_series, map_series
from gearwright.analysis.task.process_forces import AppliedWrench, origin_wrenches
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import BodyWrench, accumulate_wrenches, required_wrench
from gearwright.dynamics.kinematics import BASE_AT_REST, BodyAcceleration, body_accelerations
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion

NEGLIGIBLE_MASS_RATIO = 1e-9
"""Remaining mass, as a share of the link's mass, below which a link consists of its beam only."""
PointMass = tuple[Scalar, Sequence[Scalar]]
"""A mass [kg] on a link and its position [m] in the link's frame."""


@dataclass(frozen=True)
class MachineMotion:
    """A machine along a motion: positions and accelerations of its bodies, and reactions of its joints.

    Args:
        pose: pose of the machine, over series (T, 1).
        bodies: per body its accelerations, less gravity.
        joint_wrenches: per body the wrench from its parent, about its origin.
        times: T.
        applied_wrenches: external forces.
    """

    pose: Pose
    bodies: Sequence[BodyAcceleration]
    joint_wrenches: Sequence[BodyWrench]
    times: int
    applied_wrenches: Sequence[AppliedWrench]

    @staticmethod
    def from_motion(mech: Mechanism, motion: Motion, acting: Sequence[AppliedWrench] = ()) -> MachineMotion:
        """The machine along a motion of all its coordinates; both may be dual numbers."""
        q, v, a = (column_series(x) for x in (motion.q, motion.v, motion.a))
        pose = place_machine(mech, q, SERIES_OPERATIONS)
        bodies = list(body_accelerations(pose, v, a, BodyAcceleration.of_base(mech.gravity, BASE_AT_REST)))
        outer_wrenches = {body: BodyWrench(*wrench) for body, wrench in origin_wrenches(pose, acting).items()}
        wrenches = [required_wrench(pose, i, x, v, a, outer_wrenches) for i, x in enumerate(bodies)]
        return MachineMotion(pose, bodies, accumulate_wrenches(pose, wrenches), len(motion.t), tuple(acting))


def reactions_along(mech: Mechanism, motion: Motion, acting: Sequence[AppliedWrench] = ()) -> Scalar:
    """Wrench across every joint along a motion, as `gw.reactions` returns it, (T, bodies, 6)."""
    shape = (len(motion.t), 1)
    parts = [
        x
        for wrench in MachineMotion.from_motion(mech, motion, acting).joint_wrenches
        for x in (*wrench.force, *wrench.moment)
    ]
    return map_linear(lambda x: x.reshape(shape[0], -1, 6), stack_arrays(parts, shape))


class SectionForces(NamedTuple):
    """Forces of the inner part of a beam on its outer part, at its stations (T, S), in its axes.

    Args:
        force: axial force, shear along y and z [N].
        moment: torsion, bending about y and about z [Nm].
        own_force: part of the force due to the mass of the beam.
        own_moment: part of the moment due to the mass of the beam.
    """

    force: Vec
    moment: Vec
    own_force: Vec
    own_moment: Vec


class _LinkLoad(NamedTuple):
    """A load on a link: position along the beam, force, and moment about the joint's origin, (T, 1) each."""

    place: Scalar
    force: Vec
    moment: Vec


def section_forces(moving: MachineMotion, body: int, beam: LinkBeam, points: Sequence[PointMass] = ()) -> SectionForces:
    """Section forces of a link along a motion.

    Args:
        moving: the machine along its motion.
        body: index of the link.
        beam: the beam.
        points: masses on the link, such as a payload or a motor; they are part of its mass.
    """
    beam_load = force, moment = _distributed_load(moving, body, beam)
    loads = [*_child_loads(moving, body, beam), *(_point_mass_load(moving, body, beam, *point) for point in points)]
    loads += [_applied_load(moving, beam, wrench) for wrench in moving.applied_wrenches if wrench.body == body]
    remainder = _LinkLoad(
        _remaining_load_position(moving, body, beam, points),
        *_remaining_load(moving, body, loads, beam_load, len(beam.station_shares)),
    )
    for load in [*loads, remainder]:
        ahead = _is_beyond(load.place, beam)
        force, moment = force + load.force * ahead, moment + load.moment * ahead
    # From the joint's origin to the centre of the section.
    arm = beam.axes[0] * (beam.station_shares * beam.length)
    about = (m - arm.cross(f) for f, m in ((force, moment), beam_load))
    return SectionForces(*(beam.in_beam_axes(x) for x in (force, next(about), beam_load[0], next(about))))


def _is_beyond(place: Scalar, beam: LinkBeam) -> Array:
    """Whether a position is beyond each station, as 1 or 0, (T, S) or (S,)."""
    share = np.asarray(primal_value(place), dtype=float) / float(primal_value(beam.length))
    return np.asarray(np.clip(share, 0.0, 1.0) + 1e-12 >= beam.station_shares, dtype=float)


def _child_loads(moving: MachineMotion, body: int, beam: LinkBeam) -> list[_LinkLoad]:
    """Loads of the links that a link carries."""
    pose, loads = moving.pose, []
    for child, (force, moment) in enumerate(moving.joint_wrenches):
        if pose.mech.parent_of(child) == body:
            rotation, arm = pose.turn[child], pose.shift[child]
            pull = rotation @ force
            loads.append(_LinkLoad(beam.axes[0].dot(arm), pull, rotation @ moment + arm.cross(pull)))
    return loads


def _point_mass_load(
    moving: MachineMotion, body: int, beam: LinkBeam, mass: Scalar, position: Sequence[Scalar]
) -> _LinkLoad:
    """Load of a point mass on the link."""
    arm, motion = Vec.from_values(position), moving.bodies[body]
    force = (motion.linear + motion.field @ arm) * mass
    return _LinkLoad(beam.axes[0].dot(arm), force, arm.cross(force))


def _applied_load(moving: MachineMotion, beam: LinkBeam, wrench: AppliedWrench) -> _LinkLoad:
    """Load that balances an external force."""
    back, arm = moving.pose.world_placements[wrench.body][0].T, Vec.from_values(wrench.position)
    force = -(back @ wrench.force)
    return _LinkLoad(beam.axes[0].dot(arm), force, arm.cross(force) - back @ wrench.moment)


def _remaining_load(
    moving: MachineMotion, body: int, pieces: Sequence[_LinkLoad], beam_load: tuple[Vec, Vec], places: int
) -> tuple[Vec, Vec]:
    """Remaining reaction of the joint: force, and moment about the joint's origin."""
    (force, moment), shape = moving.joint_wrenches[body], (moving.times, places)
    for piece in pieces:
        force, moment = force - piece.force, moment - piece.moment
    at_joint = [Vec(*(map_series(lambda x: x[:, :1], part, shape) for part in load)) for load in beam_load]
    return force - at_joint[0], moment - at_joint[1]


def _remaining_load_position(moving: MachineMotion, body: int, beam: LinkBeam, points: Sequence[PointMass]) -> float:
    """Centre, along the beam, of the mass that is neither beam nor at a known position."""
    along, whole = beam.axes[0], moving.pose.mech.bodies[body].about_origin
    middles, pieces = _beam_elements(beam)
    masses_and_places = [
        (float(primal_value(mass)), float(primal_value(along.dot(Vec.from_values(place))))) for mass, place in points
    ]
    masses = primal_value(pieces) * np.ones(len(middles))
    masses_and_places += list(zip(masses.tolist(), (middles * float(primal_value(beam.length))).tolist(), strict=True))
    mass, moment = float(primal_value(whole.mass)), float(primal_value(along.dot(whole.moment)))
    left = mass - sum(part_mass for part_mass, _ in masses_and_places)
    if left <= NEGLIGIBLE_MASS_RATIO * mass:
        return moment / mass if mass else 0.0
    return (moment - sum(part_mass * place for part_mass, place in masses_and_places)) / left


def _distributed_load(moving: MachineMotion, body: int, beam: LinkBeam) -> tuple[Vec, Vec]:
    """Loads of the beam's own mass beyond every station, (T, S), moments about the joint's origin."""
    along, motion = beam.axes[0], moving.bodies[body]
    middles, masses = _beam_elements(beam)
    steps, count = beam.length * np.diff(beam.station_shares), len(middles)
    slope = motion.field @ along
    # The load of a piece is m (a0 + x s) at its middle; the variation of x within it adds m h^2/12 e x s to the moment.
    force = (motion.linear + slope * (middles * beam.length)) * masses
    turns = (along * (middles * beam.length)).cross(force) + along.cross(slope) * (masses * (steps * steps / 12))
    return _sums_beyond(force, moving.times, count), _sums_beyond(turns, moving.times, count)


def _beam_elements(beam: LinkBeam) -> tuple[Array, Scalar]:
    """The pieces of the beam between stations: their middles as shares of the length, and their masses."""
    shares = beam.station_shares
    area = beam.section_values(lambda section: section.area, beam.station_sections[:-1])
    return (shares[1:] + shares[:-1]) / 2, area * (beam.material.density * beam.length * np.diff(shares))


def _sums_beyond(pieces: Vec, times: int, count: int) -> Vec:
    """Sums of all pieces beyond each station."""

    def reverse_sums(values: Array) -> Array:
        sums = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
        return np.concatenate([sums, np.zeros_like(sums[:, :1])], axis=1)

    return Vec(*(map_series(reverse_sums, x, (times, count)) for x in pieces))
