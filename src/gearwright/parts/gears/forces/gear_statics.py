r"""Forces in any gear from the static balance of its members: teeth, threads, belts and bearings.

Members turn about axes and touch at pitch points. Where two touch there are three directions common to both: across the
tooth in the tangent plane (`along`, w), out of it from the first to the second (`apart`, n), and along the tooth, $x =
n \times w$. With the normal pressure angle $\alpha$, the friction coefficient $\mu$ and the flank's sense s the first
pushes the second by

$$F = f w + \lvert f \rvert (\tan\alpha \, n + \mu / \cos\alpha \, \operatorname{sgn}(slip) \, x).$$

The speeds roll, $w \cdot (v_1 - v_2) = 0$ at every contact, $L \omega = 0$; by virtual work the same L gives the
forces, $L^T f + T = 0$ at every member that is neither held nor driven from outside. Contacts that statics leaves
undetermined (planets beside each other) share evenly. A mesh that loses power by its efficiency pushes a little beside
the pitch point, towards the driven wheel: so each wheel, and the whole box, stays in balance. Bearings carry the rest.

Forces are reported by name, as magnitudes, for the direction of the output torque in which they are larger.
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
from gearwright.parts.gears.forces.tooth_forces import PRESSURE_ANGLE, ToothForce

# The static balance

ORIGIN, X, Y, Z = np.vstack([np.zeros(3), np.eye(3)])


class Turning(NamedTuple):
    """A member that turns about an axis through a point, its middle, or slides along the axis.

    Args:
        name: its name.
        axis: unit vector.
        at: its middle [m].
        on: the member that carries it; None: the housing. Carriers stand before what they carry.
        slides: whether it slides.
        bearing: what its bearing is called.
    """

    name: str
    axis: Array = Z
    at: Array = ORIGIN
    on: str | None = None
    slides: bool = False
    bearing: str | None = None

    @property
    def title(self) -> str:
        """What its bearing is called."""
        return self.bearing or f"{self.name} bearing"

    def speed(self, point: Array) -> Array:
        """Of a point that goes with it, per unit of its rate."""
        return self.axis if self.slides else np.cross(self.axis, point - self.at)


class Push(NamedTuple):
    """What one member does to another at a point: force on the second, (N, 3); without a title it is not told."""

    title: str | None
    point: Array
    force: Array


@dataclass(frozen=True)
class Contact:
    """Where two members touch.

    Args:
        title: what it is called; equal contacts (of several planets) have one title.
        first, second: the members; the first one has its teeth outside.
        at: the pitch point [m].
        along: unit vector across the tooth in the tangent plane.
        apart: unit vector from the first to the second, out of the tangent plane.
        pressure_angle: normal pressure angle [rad].
        friction: coefficient of the sliding along the tooth, of worms.
        efficiency: of the mesh, seen from `carrier`.
        carrier: the member that keeps the two axes apart; None: the housing.
    """

    title: str
    first: str
    second: str
    at: Array
    along: Array
    apart: Array
    pressure_angle: float = PRESSURE_ANGLE
    friction: float = 0.0
    efficiency: float = 1.0
    carrier: str | None = None

    def pushes(self, f: Array, point: Array, direction: Array) -> list[Push]:
        """What it does to its second member for sizes f (N,) along a direction at a point."""
        force = np.outer(f, direction) + np.outer(np.abs(f), math.tan(self.pressure_angle) * self.apart)
        return [Push(self.title, point, force)]


@dataclass(frozen=True)
class Spans(Contact):
    r"""Two lines that only pull (or only push): the spans of a belt or chain, `along` them towards the first pulley.

    `at` and `along` are those of one of them. With the pretension $F_0$ the slack span keeps
    $F_2 = \max(F_0 - \lvert f \rvert / 2, 0)$ and the tight one has $F_1 = F_2 + \lvert f \rvert$.

    Args:
        other_at, other_along: the other span.
        pretension: in each span while nothing is driven [N].
        words: what the one is called that carries more, and the other; None: it is not told.
    """

    other_at: Array = field(default_factory=ORIGIN.copy)
    other_along: Array = field(default_factory=X.copy)
    pretension: float = 0.0
    words: tuple[str, str | None] = (" tight span", " slack span")

    def pushes(self, f: Array, point: Array, direction: Array) -> list[Push]:
        """Both spans; which one is tight goes by the sign of f."""
        slack = np.maximum(self.pretension - np.abs(f) / 2, 0.0)
        one, other = slack + np.maximum(f, 0.0), slack + np.maximum(-f, 0.0)
        words = self.words if f.sum() >= 0 else self.words[::-1]
        named = [None if word is None else f"{self.title}{word}" for word in words]
        return [
            Push(named[0], self.at, np.outer(one, self.along)),
            Push(named[1], self.other_at, np.outer(other, self.other_along)),
        ]


Pushes = Sequence[tuple[Contact, Push]]


class Balance(NamedTuple):
    """A gear at work, N loads at once.

    Args:
        pushes: what each contact does to its second member.
        bearings: per member the force and the moment about its middle, (N, 6), from what carries it.
        torques: per member that is driven, loaded or held what acts on it from outside about its axis, (N,).
        rates: speeds of the members relative to what carries them, per unit speed of the driven one.
    """

    pushes: Pushes
    bearings: Mapping[str, Array]
    torques: Mapping[str, Array]
    rates: Mapping[str, float]


@dataclass(frozen=True)
class GearBox:
    """The members of a gear and where they touch.

    Args:
        members: those that turn or are held, carriers first.
        contacts: where they touch.
        driver: the member on the motor's shaft.
        driven: the member that moves the joint.
        held: members at rest.
    """

    members: Sequence[Turning]
    contacts: Sequence[Contact]
    driver: str
    driven: str
    held: Sequence[str] = ()

    @cached_property
    def _place(self) -> dict[str, int]:
        return {one.name: k for k, one in enumerate(self.members)}

    def _moving(self, name: str | None) -> list[int]:
        """The member and what carries it."""
        found = []
        while name is not None:
            found.append(self._place[name])
            name = self.members[found[-1]].on
        return found

    def _speed(self, name: str | None, point: Array, rates: Array) -> Array:
        """Of a point that goes with a member."""
        return sum((rates[k] * self.members[k].speed(point) for k in self._moving(name)), start=np.zeros(3))

    def _work(self, acting: Sequence[tuple[Array, Array]]) -> Array:
        """L (contacts, members): work of unit forces at points per unit rate of every member."""
        found = np.zeros((len(self.contacts), len(self.members)))
        for row, contact, (point, direction) in zip(found, self.contacts, acting, strict=True):
            for name, sign in ((contact.second, 1.0), (contact.first, -1.0)):
                for k in self._moving(name):
                    row[k] += sign * (direction @ self.members[k].speed(point))
        return found

    @cached_property
    def rates(self) -> Array:
        """Speeds of all members relative to what carries them, per unit speed of the driven one."""
        L = self._work([(contact.at, contact.along) for contact in self.contacts])
        out, free = self._place[self.driven], [k for k, one in enumerate(self.members) if one.name not in self.held]
        free.remove(out)
        found = np.zeros(len(self.members))
        found[out] = 1.0
        found[free] = np.linalg.lstsq(L[:, free], -L[:, out], rcond=None)[0]
        return found

    def _sizes(self, L: Array) -> Array:
        """Sizes f of all contacts per unit of torque that the gear hands on."""
        known = [k for k, one in enumerate(self.members) if one.name not in (*self.held, self.driver)]
        handed = np.array([1.0 if self.members[k].name == self.driven else 0.0 for k in known])
        return np.asarray(np.linalg.lstsq(L[:, known].T, handed, rcond=None)[0])

    def at_work(self, load: ArrayLike, sense: float = 1.0, driving: bool = True) -> Balance:
        """Everything that its members and its housing do to each other.

        Args:
            load: magnitudes of the torque (of a rack the force) that it hands to what it drives, (N,) or a number.
            sense: of that torque, 1 or -1.
            driving: whether the motor drives, or what it moves drives the motor.

        >>> from gearwright.parts import Planetary
        >>> work = Planetary(sun=18, planet=27, ring=72, modules=0.001).gear_box().at_work(10.0)
        >>> {name: round(float(torque[0]), 9) for name, torque in work.torques.items()}    # they sum to zero
        {'ring': 8.0, 'sun': 2.0, 'carrier': -10.0}
        """
        loads: Array = np.abs(np.atleast_1d(np.asarray(load, dtype=float)))
        pitch = [(contact.at, contact.along) for contact in self.contacts]
        turning = self.rates * (sense if driving else -sense)
        flanks = np.sign(sense * self._sizes(self._work(pitch)))
        acting = [self._acting(*one, turning) for one in zip(self.contacts, flanks, strict=True)]
        L = self._work(acting)
        f = sense * self._sizes(L)
        found = zip(self.contacts, f, acting, strict=True)
        pushes = [(contact, push) for contact, size, where in found for push in contact.pushes(loads * size, *where)]
        outside = [*self.held, self.driver, self.driven]
        torques = {name: loads * -(f @ L[:, self._place[name]]) for name in outside}
        return Balance(pushes, self._bearings(pushes, torques, len(loads)), torques, self._named(self.rates))

    def _named(self, rates: Array) -> dict[str, float]:
        return {one.name: float(x) for one, x in zip(self.members, rates, strict=True)}

    def _acting(self, contact: Contact, flank: float, rates: Array) -> tuple[Array, Array]:
        """Where and in which direction a contact pushes, friction and losses included."""
        point, along = contact.at, contact.along
        if contact.friction:
            x = np.cross(contact.apart, along)
            slip = x @ (self._speed(contact.first, point, rates) - self._speed(contact.second, point, rates))
            along = along + flank * np.sign(slip) * contact.friction / math.cos(contact.pressure_angle) * x
        if contact.efficiency != 1:
            rolling = self._speed(contact.first, point, rates) - self._speed(contact.carrier, point, rates)
            first_drives = bool(flank * (contact.along @ rolling) > 0)
            point = np.add(point, self._shift(contact, first_drives) * contact.apart)
        return point, along

    def _shift(self, contact: Contact, first_drives: bool) -> float:
        """How far beside the pitch point a mesh pushes so that the torques on both wheels differ by its losses."""
        ways = []
        for name in (contact.first, contact.second):
            one = self.members[self._place[name]]
            by_shift = 0.0 if one.slides else one.axis @ np.cross(contact.apart, contact.along)
            ways.append((one.speed(contact.at) @ contact.along, by_shift))
        (a, da), (b, db) = ways if first_drives else ways[::-1]
        return float(a * b * (1 - contact.efficiency) / (contact.efficiency * b * da - a * db))

    def _bearings(self, pushes: Pushes, torques: Mapping[str, Array], n: int) -> dict[str, Array]:
        """What carries each member: the opposite of all that acts on it, and of what its own riders lean on it."""
        found: dict[str, Array] = {}
        for one in reversed(self.members):
            total = np.zeros((n, 6))
            for contact, push in pushes:
                sign = (contact.second == one.name) - (contact.first == one.name)
                total += sign * _about(one.at, push.point, push.force)
            for rider in self.members:
                if rider.on == one.name:
                    leaning = -found[rider.name]
                    total += _about(one.at, rider.at, leaning[:, :3])
                    total[:, 3:] += leaning[:, 3:]
            if one.name in torques and one.name not in self.held:
                total[:, slice(0, 3) if one.slides else slice(3, 6)] += np.outer(torques[one.name], one.axis)
            found[one.name] = -total
        return found


def _about(middle: Array, point: Array, force: Array) -> Array:
    """A force at a point as force and moment about another point, (N, 6)."""
    return np.hstack([force, np.cross(point - middle, force)])


# Forces by name

UNLOADED = 1e-9
"""Of the largest force; less is rounding."""


def forces_told(box: GearBox, torque: Any, driving: bool = True) -> tuple[ToothForce, ...]:
    """The forces of a gear at torques of its output (a number, or (N,)), whichever sense makes them larger.

    Of equal contacts and members one is told, of bearings those that carry something.
    """
    both = [_told(box, box.at_work(torque, sense, driving)) for sense in (1.0, -1.0)]
    found = [one.larger(both[1][name]) for name, one in both[0].items()]
    loaded = _loaded(box)
    shown = [one for one in found if not one.is_bearing or one.name in loaded]
    return tuple(shown if np.ndim(torque) else (one.only() for one in shown))


def _loaded(box: GearBox) -> set[str]:
    """The bearings that carry something, judged by a unit of torque."""
    told = _told(box, box.at_work(1.0))
    most = max(float(one.size[0]) for one in told.values())
    return {name for name, one in told.items() if one.size[0] > UNLOADED * most}


def _told(box: GearBox, balance: Balance) -> dict[str, ToothForce]:
    members = {one.name: one for one in box.members}
    found: dict[str, ToothForce] = {}
    for contact, push in balance.pushes:
        if push.title is None:
            continue
        wheel = members[contact.first]
        found.setdefault(push.title, ToothForce(push.title, False, *_components(wheel, push.point, push.force)))
    for one in box.members:
        if one.name in box.held:
            continue
        wrench = balance.bearings[one.name]
        points = [push.point for contact, push in balance.pushes if one.name in (contact.first, contact.second)]
        tilting = np.linalg.norm(wrench[:, 3:], axis=1)
        parts = _components(one, points[0] if points else one.at, wrench[:, :3])
        found.setdefault(one.title, ToothForce(one.title, True, *parts, tilting))
    return found


def _components(one: Turning, point: Array, force: Array) -> tuple[Array, Array, Array]:
    """Sizes of a force round a member's axis, towards it and along it, without rounding."""
    across = (way - (way @ one.axis) * one.axis for way in (point - one.at, X, Y))
    out = next(way / np.linalg.norm(way) for way in across if np.linalg.norm(way) > 0)
    ways = (np.cross(one.axis, out), out, one.axis)
    if one.slides:  # it moves along its axis: that is its tangential direction
        ways = ways[::-1]
    sizes, least = (np.abs(force @ way) for way in ways), UNLOADED * np.linalg.norm(force, axis=1)
    tangential, radial, axial = (np.where(size > least, size, 0.0) for size in sizes)
    return tangential, radial, axial
