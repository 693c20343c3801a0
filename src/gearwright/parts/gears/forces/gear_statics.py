r"""Forces in any gear from the static balance of its members: teeth, threads, belts and bearings.

Members turn about axes and touch at pitch points. Each contact has three directions: across the tooth in the tangent
plane (`along`, w), out of the tangent plane from the first to the second member (`apart`, n), and along the tooth,
$x = n \times w$. With the normal pressure angle $\alpha$ and the friction coefficient $\mu$ the force of the first on
the second member is

$$F = f w + \lvert f \rvert (\tan\alpha \, n + \mu / \cos\alpha \, \operatorname{sgn}(slip) \, x).$$

Rolling means $w \cdot (v_1 - v_2) = 0$ at every contact, $L \omega = 0$; by virtual work the same L gives the forces,
$L^T f + T = 0$ for every member that is neither fixed nor loaded from outside. Statically indeterminate contacts
(parallel planets) share the load evenly. In a mesh with losses the force acts slightly beside the pitch point, towards
the driven wheel, so that each wheel and the whole gearbox are in balance. Bearings carry the rest.

Forces are reported by name, as magnitudes, for the direction of the output torque that makes them larger. Dimensions,
angles, losses and loads may be dual numbers: the forces then have derivatives by parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import (
    array_columns,
    array_item,
    broadcast_array,
    concatenate_arrays,
    cross_product,
    least_squares,
    matrix_product,
    outer_product,
    root_sum_square,
    stack_matrices,
)
from gearwright.algebra.differentiation.dual_numbers import DUAL_ARRAYS, DUAL_FLOATS, map_linear, primal_value
from gearwright.parts.gears.forces.tooth_forces import NORMAL_PRESSURE_ANGLE, ToothForce, tangent

# The static balance

ORIGIN_POINT, X_DIRECTION, Y_DIRECTION, Z_DIRECTION = np.vstack([np.zeros(3), np.eye(3)])


class MovingMember(NamedTuple):
    """A member that turns about an axis through its centre, or slides along the axis.

    Args:
        name: its name.
        axis: unit vector.
        at: its centre [m].
        on: the member that carries it; None: the housing. Carriers precede the members that they carry.
        slides: whether it slides along the axis.
        bearing: name of its bearing.
    """

    name: str
    axis: Scalar = Z_DIRECTION
    at: Scalar = ORIGIN_POINT
    on: str | None = None
    slides: bool = False
    bearing: str | None = None

    @property
    def bearing_title(self) -> str:
        """The name of its bearing."""
        return self.bearing or f"{self.name} bearing"

    def point_velocity(self, point: Scalar) -> Scalar:
        """The velocity of a point fixed to it, per unit of its rate."""
        return self.axis if self.slides else cross_product(self.axis, point - self.at)


class ContactForce(NamedTuple):
    """A force between two members at a point: on the second, (N, 3); without a title it is not reported."""

    title: str | None
    point: Scalar
    force: Scalar


@dataclass(frozen=True)
class MemberContact:
    """A contact of two members.

    Args:
        title: its name; equal contacts (of several planets) have one title.
        first, second: the members; the first has external teeth.
        at: the pitch point [m].
        along: unit vector across the tooth in the tangent plane.
        apart: unit vector from the first to the second, out of the tangent plane.
        pressure_angle: normal pressure angle [rad].
        friction: coefficient of friction along the tooth, for worms.
        efficiency: of the mesh, seen from `carrier`.
        carrier: the member that keeps the two axes apart; None: the housing.
    """

    title: str
    first: str
    second: str
    at: Scalar
    along: Scalar
    apart: Scalar
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    friction: Scalar = 0.0
    efficiency: Scalar = 1.0
    carrier: str | None = None

    def contact_forces(self, f: Scalar, point: Scalar, direction: Scalar) -> list[ContactForce]:
        """The force on its second member for magnitudes f (N,) along a direction at a point."""
        separating = outer_product(DUAL_ARRAYS.absolute(f), tangent(self.pressure_angle) * self.apart)
        force = outer_product(f, direction) + separating
        return [ContactForce(self.title, point, force)]


@dataclass(frozen=True)
class BeltSpans(MemberContact):
    r"""The two spans of a belt or chain, which carry tension only; `along` points towards the first pulley.

    `at` and `along` are those of one of them. With the pretension $F_0$ the slack span has
    $F_2 = \max(F_0 - \lvert f \rvert / 2, 0)$ and the tight one has $F_1 = F_2 + \lvert f \rvert$.

    Args:
        other_at, other_along: the other span.
        pretension: in each span without load [N].
        words: names of the tight and of the slack span; None: it is not reported.
    """

    other_at: Scalar = field(default_factory=ORIGIN_POINT.copy)
    other_along: Scalar = field(default_factory=X_DIRECTION.copy)
    pretension: Scalar = 0.0
    words: tuple[str, str | None] = (" tight span", " slack span")

    def contact_forces(self, f: Scalar, point: Scalar, direction: Scalar) -> list[ContactForce]:
        """The forces of both spans; the sign of f determines the tight span."""
        pretension = broadcast_array(self.pretension, primal_value(f).shape)
        slack = DUAL_ARRAYS.maximum(pretension - DUAL_ARRAYS.absolute(f) / 2, 0.0)
        first_tension, second_tension = (slack + DUAL_ARRAYS.maximum(x, 0.0) for x in (f, -f))
        words = self.words if primal_value(f).sum() >= 0 else self.words[::-1]
        named = [None if word is None else f"{self.title}{word}" for word in words]
        return [
            ContactForce(named[0], self.at, outer_product(first_tension, self.along)),
            ContactForce(named[1], self.other_at, outer_product(second_tension, self.other_along)),
        ]


ContactForces = Sequence[tuple[MemberContact, ContactForce]]


class GearForceBalance(NamedTuple):
    """The forces in a gear under N loads.

    Args:
        pushes: the force of each contact on its second member.
        bearings: force and moment on each member about its centre, (N, 6), from its carrier.
        torques: external torque about the axis of each driven, loaded or fixed member, (N,).
        rates: speeds of the members relative to their carriers, per unit speed of the driven member.
    """

    pushes: ContactForces
    bearings: Mapping[str, Scalar]
    torques: Mapping[str, Scalar]
    rates: Mapping[str, float]


@dataclass(frozen=True)
class GearStatics:
    """The members of a gear and their contacts.

    Args:
        members: the rotating and fixed members, carriers first.
        contacts: the contacts between them.
        driver: the member on the motor's shaft.
        driven: the member that moves the joint.
        held: fixed members.
    """

    members: Sequence[MovingMember]
    contacts: Sequence[MemberContact]
    driver: str
    driven: str
    held: Sequence[str] = ()

    @cached_property
    def _member_index(self) -> dict[str, int]:
        return {member.name: k for k, member in enumerate(self.members)}

    def _carrier_chain(self, name: str | None) -> list[int]:
        """The member and its carriers."""
        chain = []
        while name is not None:
            chain.append(self._member_index[name])
            name = self.members[chain[-1]].on
        return chain

    def _member_point_velocity(self, name: str | None, point: Scalar, rates: Sequence[Scalar]) -> Scalar:
        """The velocity rows of a point fixed to a member."""
        return sum(
            (rates[k] * self.members[k].point_velocity(point) for k in self._carrier_chain(name)), start=np.zeros(3)
        )

    def _virtual_work(self, acting: Sequence[tuple[Scalar, Scalar]]) -> Scalar:
        """L (contacts, members): work of unit forces at points per unit rate of every member."""
        work: list[list[Scalar]] = [[0.0] * len(self.members) for _ in self.contacts]
        for row, contact, (point, direction) in zip(work, self.contacts, acting, strict=True):
            for name, sign in ((contact.second, 1.0), (contact.first, -1.0)):
                for k in self._carrier_chain(name):
                    row[k] = row[k] + sign * matrix_product(direction, self.members[k].point_velocity(point))
        return stack_matrices(work, ())

    @cached_property
    def member_rates(self) -> list[Scalar]:
        """Speeds of all members relative to their carriers, per unit speed of the driven member."""
        L = self._virtual_work([(contact.at, contact.along) for contact in self.contacts])
        out, free = (
            self._member_index[self.driven],
            [k for k, member in enumerate(self.members) if member.name not in self.held],
        )
        free.remove(out)
        followed = least_squares(array_item(L, np.s_[:, free]), -array_item(L, np.s_[:, out]))
        rates: list[Scalar] = [0.0] * len(self.members)
        rates[out] = 1.0
        for place, k in enumerate(free):
            rates[k] = array_item(followed, place)
        return rates

    def _unit_contact_forces(self, L: Scalar) -> Scalar:
        """Force magnitudes f of all contacts per unit of transmitted torque."""
        balanced = [k for k, member in enumerate(self.members) if member.name not in (*self.held, self.driver)]
        handed = np.array([1.0 if self.members[k].name == self.driven else 0.0 for k in balanced])
        return least_squares(map_linear(np.transpose, array_item(L, np.s_[:, balanced])), handed)

    def solve_forces(self, load: Scalar, sense: float = 1.0, driving: bool = True) -> GearForceBalance:
        """Return all forces between the members and the housing.

        Args:
            load: magnitude of the output torque (of a rack: force), (N,) or a number.
            sense: of that torque, 1 or -1.
            driving: whether the motor drives the load, or the load drives the motor.

        >>> from gearwright.parts import Planetary
        >>> work = Planetary(sun=18, planet=27, ring=72, modules=0.001).gear_statics().solve_forces(10.0)
        >>> {name: round(float(torque[0]), 9) for name, torque in work.torques.items()}    # they sum to zero
        {'ring': 8.0, 'sun': 2.0, 'carrier': -10.0}
        """
        loads = DUAL_ARRAYS.absolute(map_linear(lambda x: np.atleast_1d(np.asarray(x, dtype=float)), load))
        pitch = [(contact.at, contact.along) for contact in self.contacts]
        turning = [rate * (sense if driving else -sense) for rate in self.member_rates]
        flanks = np.sign(sense * primal_value(self._unit_contact_forces(self._virtual_work(pitch))))
        acting = [
            self._line_of_action(*contact_and_flank, turning)
            for contact_and_flank in zip(self.contacts, flanks, strict=True)
        ]
        L = self._virtual_work(acting)
        f = sense * self._unit_contact_forces(L)
        pushes = [
            (contact, push)
            for k, contact in enumerate(self.contacts)
            for push in contact.contact_forces(loads * array_item(f, k), *acting[k])
        ]
        outside = [*self.held, self.driver, self.driven]
        torques = {
            name: loads * -matrix_product(f, array_item(L, np.s_[:, self._member_index[name]])) for name in outside
        }
        rates = {member.name: float(primal_value(x)) for member, x in zip(self.members, self.member_rates, strict=True)}
        bearings = self._bearing_reactions(pushes, torques, len(primal_value(loads)))
        return GearForceBalance(pushes, bearings, torques, rates)

    def _line_of_action(self, contact: MemberContact, flank: float, rates: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """Point and direction of a contact force, including friction and losses."""
        point, along = contact.at, contact.along
        if contact.friction:
            x = cross_product(contact.apart, along)
            slip = matrix_product(
                x,
                self._member_point_velocity(contact.first, point, rates)
                - self._member_point_velocity(contact.second, point, rates),
            )
            push = flank * np.sign(primal_value(slip)) * contact.friction / DUAL_FLOATS.cos(contact.pressure_angle)
            along = along + push * x
        if contact.efficiency != 1:
            rolling = self._member_point_velocity(contact.first, point, rates) - self._member_point_velocity(
                contact.carrier, point, rates
            )
            first_drives = bool(flank * primal_value(matrix_product(contact.along, rolling)) > 0)
            point = point + self._pitch_point_shift(contact, first_drives) * contact.apart
        return point, along

    def _pitch_point_shift(self, contact: MemberContact, first_drives: bool) -> Scalar:
        """Offset of a mesh force from the pitch point, such that the torques on both wheels differ by the losses."""
        lever_arms = []
        for name in (contact.first, contact.second):
            member = self.members[self._member_index[name]]
            across = cross_product(contact.apart, contact.along)
            by_shift = 0.0 if member.slides else matrix_product(member.axis, across)
            lever_arms.append((matrix_product(member.point_velocity(contact.at), contact.along), by_shift))
        (a, da), (b, db) = lever_arms if first_drives else lever_arms[::-1]
        return a * b * (1 - contact.efficiency) / (contact.efficiency * b * da - a * db)

    def _bearing_reactions(self, pushes: ContactForces, torques: Mapping[str, Scalar], n: int) -> dict[str, Scalar]:
        """Reaction of the carrier on each member: minus all forces on it, including those of the members it carries."""
        reactions: dict[str, Scalar] = {}
        for member in reversed(self.members):
            total: Scalar = np.zeros((n, 6))
            for contact, push in pushes:
                if member.name in (contact.first, contact.second):
                    sign = 1.0 if contact.second == member.name else -1.0
                    total = total + sign * _wrench_about(member.at, push.point, push.force)
            for rider in self.members:
                if rider.on == member.name:
                    force, moment = (array_item(reactions[rider.name], np.s_[:, part]) for part in (FORCE, MOMENT))
                    total = total - _wrench_about(member.at, rider.at, force, moment)
            if member.name in torques and member.name not in self.held:
                drive, nothing = outer_product(torques[member.name], member.axis), np.zeros((n, 3))
                total = total + concatenate_arrays([drive, nothing] if member.slides else [nothing, drive], axis=1)
            reactions[member.name] = -total
        return reactions


FORCE, MOMENT = slice(0, 3), slice(3, 6)
"""The columns of force and moment in a wrench."""


def _wrench_about(middle: Scalar, point: Scalar, force: Scalar, moment: Scalar = 0.0) -> Scalar:
    """A force at a point, and a moment, as force and moment about another point, (N, 6)."""
    return concatenate_arrays([force, moment + cross_product(point - middle, force)], axis=1)


def unit_vector(direction: Scalar) -> Scalar:
    """The unit vector of a direction."""
    return direction / root_sum_square([array_item(direction, k) for k in range(3)])


# Forces by name

UNLOADED_FORCE_RATIO = 1e-9
"""Relative to the largest force; smaller forces are rounding errors."""


def gear_forces(box: GearStatics, torque: Any, driving: bool = True) -> tuple[ToothForce, ...]:
    """Return the forces of a gear at output torques (a number, or (N,)), for the sense that makes them larger.

    One of several equal contacts and members is reported, and all bearings with a load.
    """
    both = [_forces_by_name(box, box.solve_forces(torque, sense, driving)) for sense in (1.0, -1.0)]
    larger_forces = [force.larger_force(both[1][name]) for name, force in both[0].items()]
    loaded = _loaded_bearings(box)
    shown = [force for force in larger_forces if not force.is_bearing or force.name in loaded]
    return tuple(shown if np.ndim(primal_value(torque)) else (force.as_numbers() for force in shown))


def _loaded_bearings(box: GearStatics) -> set[str]:
    """The bearings with a load, determined at unit torque."""
    forces = _forces_by_name(box, box.solve_forces(1.0))
    sizes = {name: float(primal_value(force.size)[0]) for name, force in forces.items()}
    return {name for name, size in sizes.items() if size > UNLOADED_FORCE_RATIO * max(sizes.values())}


def _forces_by_name(box: GearStatics, balance: GearForceBalance) -> dict[str, ToothForce]:
    members = {member.name: member for member in box.members}
    forces: dict[str, ToothForce] = {}
    for contact, push in balance.pushes:
        if push.title is None:
            continue
        wheel = members[contact.first]
        forces.setdefault(push.title, ToothForce(push.title, False, *_force_components(wheel, push.point, push.force)))
    for member in box.members:
        if member.name in box.held:
            continue
        wrench = balance.bearings[member.name]
        points = [push.point for contact, push in balance.pushes if member.name in (contact.first, contact.second)]
        tilting = root_sum_square(array_columns(array_item(wrench, np.s_[:, MOMENT])))
        parts = _force_components(member, points[0] if points else member.at, array_item(wrench, np.s_[:, FORCE]))
        forces.setdefault(member.bearing_title, ToothForce(member.bearing_title, True, *parts, tilting))
    return forces


def _force_components(member: MovingMember, point: Scalar, force: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Tangential, radial and axial magnitude of a force about a member's axis, without rounding errors."""
    across = (
        direction - matrix_product(direction, member.axis) * member.axis
        for direction in (point - member.at, X_DIRECTION, Y_DIRECTION)
    )
    out = next(unit_vector(direction) for direction in across if np.any(primal_value(direction)))
    directions = (cross_product(member.axis, out), out, member.axis)
    if member.slides:  # the tangential direction of a sliding member is its axis
        directions = directions[::-1]
    least = UNLOADED_FORCE_RATIO * np.linalg.norm(primal_value(force), axis=1)
    sizes = (DUAL_ARRAYS.absolute(matrix_product(force, direction)) for direction in directions)
    tangential, radial, axial = (DUAL_ARRAYS.where(primal_value(size) > least, size, 0.0) for size in sizes)
    return tangential, radial, axial
