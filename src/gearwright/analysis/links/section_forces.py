r"""Forces inside a link, along a beam from its joint to its far end, over scalars of any kind.

What the link beyond a station needs is what its part nearer to the joint must hand on: the forces of the links that it
carries, and those that accelerate its own mass against gravity. The mass of the beam itself is spread along it, masses
whose places are known act there; all else that the link weighs (flanges, covers) acts at its own centre, so that the
sum is exactly the reaction at the joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar, Vec
from gearwright.algebra.differentiation.dual_arrays import stacked
from gearwright.algebra.differentiation.dual_numbers import linear, value_of
from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.parametric_series import OF_SERIES, columns, mapped
from gearwright.analysis.task.process_forces import AppliedWrench, origin_wrenches
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import Wrench, gathered, needed_wrench
from gearwright.dynamics.kinematics import AT_REST, Acceleration, accelerations
from gearwright.dynamics.pose import Pose, place
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.sensitivity import AnyMotion

NEGLIGIBLE = 1e-9
"""Share of a link's mass up to which nothing is left of it beside its beam."""
Point = tuple[Scalar, Sequence[Scalar]]
"""A mass [kg] on a link and where it is [m], in the link's frame."""


@dataclass(frozen=True)
class Moving:
    """A machine along a motion: where its bodies are, how they accelerate, and what goes through its joints.

    Args:
        pose: the placed machine, over series (T, 1).
        bodies: per body its accelerations, less gravity.
        across: per body the wrench from its parent, about its origin.
        times: T.
        acting: forces from outside.
    """

    pose: Pose
    bodies: Sequence[Acceleration]
    across: Sequence[Wrench]
    times: int
    acting: Sequence[AppliedWrench]

    @staticmethod
    def of(mech: Mechanism, motion: AnyMotion, acting: Sequence[AppliedWrench] = ()) -> Moving:
        """The machine along a motion of all its coordinates; both may vary."""
        q, v, a = (columns(x) for x in (motion.q, motion.v, motion.a))
        pose = place(mech, q, OF_SERIES)
        bodies = list(accelerations(pose, v, a, Acceleration.of_base(mech.gravity, AT_REST)))
        outside = {body: Wrench(*one) for body, one in origin_wrenches(pose, acting).items()}
        needed = [needed_wrench(pose, i, x, v, a, outside) for i, x in enumerate(bodies)]
        return Moving(pose, bodies, gathered(pose, needed), len(motion.t), tuple(acting))


def reactions_along(mech: Mechanism, motion: AnyMotion, acting: Sequence[AppliedWrench] = ()) -> Scalar:
    """Wrench across every joint along a motion, as `gw.reactions` gives it, (T, bodies, 6); both may vary."""
    shape = (len(motion.t), 1)
    parts = [x for wrench in Moving.of(mech, motion, acting).across for x in (*wrench.force, *wrench.moment)]
    return linear(lambda x: x.reshape(shape[0], -1, 6), stacked(parts, shape))


class SectionForces(NamedTuple):
    """What the part of a beam nearer to the joint does to the part beyond, at its stations (T, S), along its axes.

    Args:
        force: pull along the beam, shear along y and z [N].
        moment: torsion, bending about y and about z [Nm].
        own_force: the part of the force that the beam's own mass needs.
        own_moment: the same of the moment.
    """

    force: Vec
    moment: Vec
    own_force: Vec
    own_moment: Vec


class _Piece(NamedTuple):
    """What something on a link needs: place along the beam, force and moment about the joint's origin, (T, 1) each."""

    place: Scalar
    force: Vec
    moment: Vec


def section_forces(moving: Moving, body: int, beam: LinkBeam, points: Sequence[Point] = ()) -> SectionForces:
    """Section forces of a link along a motion.

    Args:
        moving: the machine along its motion.
        body: index of the link.
        beam: the beam.
        points: masses that sit on the link, such as a payload or a motor; they are part of its mass.
    """
    own = force, moment = _spread(moving, body, beam)
    pieces = [*_carried(moving, body, beam), *(_point(moving, body, beam, *point) for point in points)]
    pieces += [_outside(moving, beam, one) for one in moving.acting if one.body == body]
    left = _Piece(_rest_place(moving, body, beam, points), *_rest(moving, body, pieces, own, len(beam.shares)))
    for piece in [*pieces, left]:
        ahead = _ahead(piece.place, beam)
        force, moment = force + piece.force * ahead, moment + piece.moment * ahead
    # So far about the joint's origin; a section takes its moment about its own centre.
    arm = beam.axes[0] * (beam.shares * beam.length)
    about = (m - arm.cross(f) for f, m in ((force, moment), own))
    return SectionForces(*(beam.in_axes(x) for x in (force, next(about), own[0], next(about))))


def _ahead(place: Scalar, beam: LinkBeam) -> Array:
    """Whether something is beyond each station, as 1 or 0, (T, S) or (S,)."""
    share = np.asarray(value_of(place), dtype=float) / float(value_of(beam.length))
    return np.asarray(np.clip(share, 0.0, 1.0) + 1e-12 >= beam.shares, dtype=float)


def _carried(moving: Moving, body: int, beam: LinkBeam) -> list[_Piece]:
    """What the links that a link carries need."""
    pose, found = moving.pose, []
    for child, (force, moment) in enumerate(moving.across):
        if pose.mech.parent(child) == body:
            turned, arm = pose.turn[child], pose.shift[child]
            pull = turned @ force
            found.append(_Piece(beam.axes[0].dot(arm), pull, turned @ moment + arm.cross(pull)))
    return found


def _point(moving: Moving, body: int, beam: LinkBeam, mass: Scalar, position: Sequence[Scalar]) -> _Piece:
    """What a point of mass on the link needs."""
    arm, motion = Vec.of(position), moving.bodies[body]
    force = (motion.linear + motion.field @ arm) * mass
    return _Piece(beam.axes[0].dot(arm), force, arm.cross(force))


def _outside(moving: Moving, beam: LinkBeam, acting: AppliedWrench) -> _Piece:
    """What it takes to bear a force from outside."""
    back, arm = moving.pose.world[acting.body][0].T, Vec.of(acting.position)
    force = -(back @ acting.force)
    return _Piece(beam.axes[0].dot(arm), force, arm.cross(force) - back @ acting.moment)


def _rest(moving: Moving, body: int, pieces: Sequence[_Piece], own: tuple[Vec, Vec], places: int) -> tuple[Vec, Vec]:
    """What is left of the joint's reaction: force, and moment about the joint's origin."""
    (force, moment), shape = moving.across[body], (moving.times, places)
    for piece in pieces:
        force, moment = force - piece.force, moment - piece.moment
    at_joint = [Vec(*(mapped(lambda x: x[:, :1], part, shape) for part in whole)) for whole in own]
    return force - at_joint[0], moment - at_joint[1]


def _rest_place(moving: Moving, body: int, beam: LinkBeam, points: Sequence[Point]) -> float:
    """Where along the beam the centre is of what is neither beam nor stands at a known place."""
    along, whole = beam.axes[0], moving.pose.mech.bodies[body].about_origin
    middles, pieces = _pieces(beam)
    known = [(float(value_of(mass)), float(value_of(along.dot(Vec.of(place))))) for mass, place in points]
    masses = value_of(pieces) * np.ones(len(middles))
    known += list(zip(masses.tolist(), (middles * float(value_of(beam.length))).tolist(), strict=True))
    mass, moment = float(value_of(whole.mass)), float(value_of(along.dot(whole.moment)))
    left = mass - sum(one for one, _ in known)
    if left <= NEGLIGIBLE * mass:
        return moment / mass if mass else 0.0
    return (moment - sum(one * place for one, place in known)) / left


def _spread(moving: Moving, body: int, beam: LinkBeam) -> tuple[Vec, Vec]:
    """What the beam's own mass beyond every station needs, (T, S), moments about the joint's origin."""
    along, motion = beam.axes[0], moving.bodies[body]
    middles, masses = _pieces(beam)
    steps, count = beam.length * np.diff(beam.shares), len(middles)
    slope = motion.field @ along
    # A piece needs m (a0 + x s) at its middle; that x varies within it adds m h^2/12 e x s to the moment.
    force = (motion.linear + slope * (middles * beam.length)) * masses
    turns = (along * (middles * beam.length)).cross(force) + along.cross(slope) * (masses * (steps * steps / 12))
    return _from_the_end(force, moving.times, count), _from_the_end(turns, moving.times, count)


def _pieces(beam: LinkBeam) -> tuple[Array, Scalar]:
    """The beam from station to station: the middles of its pieces as shares of the length, and their masses."""
    shares = beam.shares
    area = beam.along(lambda section: section.area, beam.held[:-1])
    return (shares[1:] + shares[:-1]) / 2, area * (beam.material.density * beam.length * np.diff(shares))


def _from_the_end(pieces: Vec, times: int, count: int) -> Vec:
    """Sums of all pieces beyond each station."""

    def summed(values: Array) -> Array:
        sums = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
        return np.concatenate([sums, np.zeros_like(sums[:, :1])], axis=1)

    return Vec(*(mapped(summed, x, (times, count)) for x in pieces))
