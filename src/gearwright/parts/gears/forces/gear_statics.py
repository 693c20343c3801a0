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

Forces are reported by name, as magnitudes, for the direction of the output torque that makes them larger.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.parts.gears.forces.tooth_forces import NORMAL_PRESSURE_ANGLE, ToothForce

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
    axis: Array = Z_DIRECTION
    at: Array = ORIGIN_POINT
    on: str | None = None
    slides: bool = False
    bearing: str | None = None

    @property
    def bearing_title(self) -> str:
        """The name of its bearing."""
        return self.bearing or f"{self.name} bearing"

    def point_velocity(self, point: Array) -> Array:
        """The velocity of a point fixed to it, per unit of its rate."""
        return self.axis if self.slides else np.cross(self.axis, point - self.at)


class ContactForce(NamedTuple):
    """A force between two members at a point: on the second, (N, 3); without a title it is not reported."""

    title: str | None
    point: Array
    force: Array


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
    at: Array
    along: Array
    apart: Array
    pressure_angle: float = NORMAL_PRESSURE_ANGLE
    friction: float = 0.0
    efficiency: float = 1.0
    carrier: str | None = None

    def contact_forces(self, f: Array, point: Array, direction: Array) -> list[ContactForce]:
        """The force on its second member for magnitudes f (N,) along a direction at a point."""
        force = np.outer(f, direction) + np.outer(np.abs(f), math.tan(self.pressure_angle) * self.apart)
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

    other_at: Array = field(default_factory=ORIGIN_POINT.copy)
    other_along: Array = field(default_factory=X_DIRECTION.copy)
    pretension: float = 0.0
    words: tuple[str, str | None] = (" tight span", " slack span")

    def contact_forces(self, f: Array, point: Array, direction: Array) -> list[ContactForce]:
        """The forces of both spans; the sign of f determines the tight span."""
        slack = np.maximum(self.pretension - np.abs(f) / 2, 0.0)
        first_tension, second_tension = slack + np.maximum(f, 0.0), slack + np.maximum(-f, 0.0)
        words = self.words if f.sum() >= 0 else self.words[::-1]
        named = [None if word is None else f"{self.title}{word}" for word in words]
        return [
            ContactForce(named[0], self.at, np.outer(first_tension, self.along)),
            ContactForce(named[1], self.other_at, np.outer(second_tension, self.other_along)),
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
    bearings: Mapping[str, Array]
    torques: Mapping[str, Array]
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

    def _member_point_velocity(self, name: str | None, point: Array, rates: Array) -> Array:
        """The velocity rows of a point fixed to a member."""
        return sum(
            (rates[k] * self.members[k].point_velocity(point) for k in self._carrier_chain(name)), start=np.zeros(3)
        )

    def _virtual_work(self, acting: Sequence[tuple[Array, Array]]) -> Array:
        """L (contacts, members): work of unit forces at points per unit rate of every member."""
        work = np.zeros((len(self.contacts), len(self.members)))
        for row, contact, (point, direction) in zip(work, self.contacts, acting, strict=True):
            for name, sign in ((contact.second, 1.0), (contact.first, -1.0)):
                for k in self._carrier_chain(name):
                    row[k] += sign * (direction @ self.members[k].point_velocity(point))
        return work

    @cached_property
    def member_rates(self) -> Array:
        """Speeds of all members relative to their carriers, per unit speed of the driven member."""
        L = self._virtual_work([(contact.at, contact.along) for contact in self.contacts])
        out, free = (
            self._member_index[self.driven],
            [k for k, member in enumerate(self.members) if member.name not in self.held],
        )
        free.remove(out)
        rates = np.zeros(len(self.members))
        rates[out] = 1.0
        rates[free] = np.linalg.lstsq(L[:, free], -L[:, out], rcond=None)[0]
        return rates

    def _unit_contact_forces(self, L: Array) -> Array:
        """Force magnitudes f of all contacts per unit of transmitted torque."""
        balanced = [k for k, member in enumerate(self.members) if member.name not in (*self.held, self.driver)]
        handed = np.array([1.0 if self.members[k].name == self.driven else 0.0 for k in balanced])
        return np.asarray(np.linalg.lstsq(L[:, balanced].T, handed, rcond=None)[0])

    def solve_forces(self, load: ArrayLike, sense: float = 1.0, driving: bool = True) -> GearForceBalance:
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
        loads: Array = np.abs(np.atleast_1d(np.asarray(load, dtype=float)))
        pitch = [(contact.at, contact.along) for contact in self.contacts]
        turning = self.member_rates * (sense if driving else -sense)
        flanks = np.sign(sense * self._unit_contact_forces(self._virtual_work(pitch)))
        acting = [
            self._line_of_action(*contact_and_flank, turning)
            for contact_and_flank in zip(self.contacts, flanks, strict=True)
        ]
        L = self._virtual_work(acting)
        f = sense * self._unit_contact_forces(L)
        solved_contacts = zip(self.contacts, f, acting, strict=True)
        pushes = [
            (contact, push)
            for contact, size, line_of_action in solved_contacts
            for push in contact.contact_forces(loads * size, *line_of_action)
        ]
        outside = [*self.held, self.driver, self.driven]
        torques = {name: loads * -(f @ L[:, self._member_index[name]]) for name in outside}
        return GearForceBalance(
            pushes,
            self._bearing_reactions(pushes, torques, len(loads)),
            torques,
            self._rates_by_member(self.member_rates),
        )

    def _rates_by_member(self, rates: Array) -> dict[str, float]:
        return {member.name: float(x) for member, x in zip(self.members, rates, strict=True)}

    def _line_of_action(self, contact: MemberContact, flank: float, rates: Array) -> tuple[Array, Array]:
        """Point and direction of a contact force, including friction and losses."""
        point, along = contact.at, contact.along
        if contact.friction:
            x = np.cross(contact.apart, along)
            slip = x @ (
                self._member_point_velocity(contact.first, point, rates)
                - self._member_point_velocity(contact.second, point, rates)
            )
            along = along + flank * np.sign(slip) * contact.friction / math.cos(contact.pressure_angle) * x
        if contact.efficiency != 1:
            rolling = self._member_point_velocity(contact.first, point, rates) - self._member_point_velocity(
                contact.carrier, point, rates
            )
            first_drives = bool(flank * (contact.along @ rolling) > 0)
            point = np.add(point, self._pitch_point_shift(contact, first_drives) * contact.apart)
        return point, along

    def _pitch_point_shift(self, contact: MemberContact, first_drives: bool) -> float:
        """Offset of a mesh force from the pitch point, such that the torques on both wheels differ by the losses."""
        lever_arms = []
        for name in (contact.first, contact.second):
            member = self.members[self._member_index[name]]
            by_shift = 0.0 if member.slides else member.axis @ np.cross(contact.apart, contact.along)
            lever_arms.append((member.point_velocity(contact.at) @ contact.along, by_shift))
        (a, da), (b, db) = lever_arms if first_drives else lever_arms[::-1]
        return float(a * b * (1 - contact.efficiency) / (contact.efficiency * b * da - a * db))

    def _bearing_reactions(self, pushes: ContactForces, torques: Mapping[str, Array], n: int) -> dict[str, Array]:
        """Reaction of the carrier on each member: minus all forces on it, including those of the members it carries."""
        reactions: dict[str, Array] = {}
        for member in reversed(self.members):
            total = np.zeros((n, 6))
            for contact, push in pushes:
                sign = (contact.second == member.name) - (contact.first == member.name)
                total += sign * _wrench_about(member.at, push.point, push.force)
            for rider in self.members:
                if rider.on == member.name:
                    leaning = -reactions[rider.name]
                    total += _wrench_about(member.at, rider.at, leaning[:, :3])
                    total[:, 3:] += leaning[:, 3:]
            if member.name in torques and member.name not in self.held:
                total[:, slice(0, 3) if member.slides else slice(3, 6)] += np.outer(torques[member.name], member.axis)
            reactions[member.name] = -total
        return reactions


def _wrench_about(middle: Array, point: Array, force: Array) -> Array:
    """A force at a point as force and moment about another point, (N, 6)."""
    return np.hstack([force, np.cross(point - middle, force)])


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
    return tuple(shown if np.ndim(torque) else (force.as_numbers() for force in shown))


def _loaded_bearings(box: GearStatics) -> set[str]:
    """The bearings with a load, determined at unit torque."""
    forces = _forces_by_name(box, box.solve_forces(1.0))
    most = max(float(force.size[0]) for force in forces.values())
    return {name for name, force in forces.items() if force.size[0] > UNLOADED_FORCE_RATIO * most}


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
        tilting = np.linalg.norm(wrench[:, 3:], axis=1)
        parts = _force_components(member, points[0] if points else member.at, wrench[:, :3])
        forces.setdefault(member.bearing_title, ToothForce(member.bearing_title, True, *parts, tilting))
    return forces


def _force_components(member: MovingMember, point: Array, force: Array) -> tuple[Array, Array, Array]:
    """Tangential, radial and axial magnitude of a force about a member's axis, without rounding errors."""
    across = (
        direction - (direction @ member.axis) * member.axis
        for direction in (point - member.at, X_DIRECTION, Y_DIRECTION)
    )
    out = next(direction / np.linalg.norm(direction) for direction in across if np.linalg.norm(direction) > 0)
    directions = (np.cross(member.axis, out), out, member.axis)
    if member.slides:  # the tangential direction of a sliding member is its axis
        directions = directions[::-1]
    sizes, least = (
        (np.abs(force @ direction) for direction in directions),
        UNLOADED_FORCE_RATIO * np.linalg.norm(force, axis=1),
    )
    tangential, radial, axial = (np.where(size > least, size, 0.0) for size in sizes)
    return tangential, radial, axial
