"""A cord: a tendon whose way through points and round rollers is known, so that its length bends with the joints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gearwright.algebra import is_number
from gearwright.errors import PartError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.friction import Friction, all_friction
from gearwright.parts.drives.motor import Motor
from gearwright.parts.drives.supply_and_servo import Servo
from gearwright.parts.structure.frame_changes import PartPlace

Numbers = tuple[float, ...]
Ends = tuple[float, float]


@dataclass(frozen=True)
class Waypoint:
    """A point that a cord runs through: an eye, or one of its ends.

    Args:
        frame: the link or frame that carries it, or "base".
        position: in the frame's axes [m].

    >>> Waypoint("upper", (0.1, 0, 0)).position
    (0.1, 0.0, 0.0)
    """

    frame: str
    position: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", _three(self, "position", self.position))


@dataclass(frozen=True)
class Roller:
    r"""A round guide that a cord touches if it is in the way: a cylinder or a sphere, without friction and inertia.

    The cord goes round it the shorter way, or the way that leads by a given point at its side: then it may lie on it
    for more than half a turn. Where it does not touch, the cord runs straight; so it does while one of the points
    before and behind it is inside.

    Args:
        frame: the link or frame that carries it, or "base".
        radius: [m].
        position: its centre, in the frame's axes [m].
        axis: of a cylinder, in the frame's axes; None: a sphere.
        side: a point outside it, in the frame's axes [m], by which the cord passes; None: the shorter way.

    >>> Roller("upper", 0.02, axis=(0, 0, 2)).axis
    (0.0, 0.0, 1.0)
    """

    frame: str
    radius: float
    position: Sequence[float] = (0.0, 0.0, 0.0)
    axis: Sequence[float] | None = None
    side: Sequence[float] | None = None

    def __post_init__(self) -> None:
        require_at_least(f"roller on {self.frame!r}", 0.0, above=True, radius=self.radius)
        object.__setattr__(self, "position", _three(self, "position", self.position))
        if self.axis is not None:
            axis = _three(self, "axis", self.axis)
            size = math.sqrt(sum(x * x for x in axis))
            if not size > 0:
                raise PartError(f"roller on {self.frame!r}: its axis is zero. Give a direction, or none for a sphere.")
            # A unit axis stays as it is, to the last bit, so that files give it back.
            object.__setattr__(self, "axis", axis if abs(size - 1) < 1e-15 else tuple(x / size for x in axis))
        if self.side is not None:
            object.__setattr__(self, "side", _three(self, "side", self.side))
            apart = math.dist(self.side, self.position)
            if apart < self.radius:
                raise PartError(
                    f"roller on {self.frame!r}: its side is {apart:g} m from its centre, inside the radius of "
                    f"{self.radius:g} m. Give a point outside it; cords inside a ring are not supported."
                )


@dataclass(frozen=True)
class Branch:
    """Where a cord ends in a block and tackle: what follows is a course of its own and counts 1/divisor.

    >>> Branch(2.0).divisor
    2.0
    """

    divisor: float

    def __post_init__(self) -> None:
        require_at_least("branch of a cord", 0.0, above=True, divisor=self.divisor)


Station = Waypoint | Roller | Branch


@dataclass(frozen=True)
class Cord:
    r"""A tendon over points and rollers: its length l(q) is a coordinate of the machine, and what acts along it, laws.

    A spring pulls with $k (l - l_1)$ beyond the upper rest length $l_1$, pushes below the lower one, and is slack
    between; $d\,\dot l$ damps. A motor's torque acts along ratio times the length. `gw.laws(robot)` has all of it; the
    machine itself (`gw.bias`, `gw.mass_matrix`) has none, for its rows are constant.

    Args:
        name: its name, and that of its motor.
        course: waypoints, rollers and branches from end to end; a roller has a waypoint on either side.
        stiffness: k [N/m].
        damping: d [Ns/m].
        rest: lower and upper rest length of the spring [m].
        friction: Coulomb friction [N].
        limits: shortest and longest length [m]; either may be infinite.
        inertia: along the length [kg].
        motor: what pulls it; its rotor inertia acts along its angle.
        ratio: angle of the motor per length [rad/m].
        servo: what drives the motor, as data.

    >>> Cord("string", [Waypoint("base"), Waypoint("cup", (0, 0, 0.1))], limits=(0.0, 0.3)).limits
    (0.0, 0.3)
    """

    name: str
    course: Sequence[Station]
    stiffness: float = 0.0
    damping: float = 0.0
    rest: Ends = (0.0, 0.0)
    friction: float = 0.0
    limits: Ends | None = None
    inertia: float = 0.0
    motor: Motor | None = None
    ratio: float = 1.0
    servo: Servo | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "course", self._stations())
        for word in ("stiffness", "damping", "friction", "inertia"):
            require_at_least(self.title, 0.0, **{word: getattr(self, word)})
        object.__setattr__(self, "rest", self._ends("rest", self.rest))
        if self.limits is not None:
            object.__setattr__(self, "limits", self._ends("limits", self.limits, infinite=True))
        if not (is_number(self.ratio) and math.isfinite(self.ratio) and self.ratio):
            raise PartError(f"{self.title}: ratio {self.ratio!r} is not a number other than 0. Give rad per metre.")
        self._check_course()
        self._check_motor()

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"cord {self.name!r}"

    @property
    def total_friction(self) -> Friction:
        """Friction and damping together."""
        return all_friction(self.friction, self.damping)

    @property
    def branches(self) -> tuple[tuple[float, tuple[Waypoint | Roller, ...]], ...]:
        """Divisor and course of each branch."""
        found: list[tuple[float, list[Waypoint | Roller]]] = [(1.0, [])]
        for station in self.course:
            if isinstance(station, Branch):
                found.append((station.divisor, []))
            else:
                found[-1][1].append(station)
        return tuple((divisor, tuple(course)) for divisor, course in found if course)

    def _stations(self) -> tuple[Station, ...]:
        if isinstance(self.course, str) or not isinstance(self.course, Iterable):
            raise PartError(f"{self.title}: {self.course!r} is not a course. Give a list of waypoints and rollers.")
        for station in self.course:
            if not isinstance(station, Waypoint | Roller | Branch):
                raise PartError(f"{self.title}: {station!r} is in its course. Give Waypoint(...) or Roller(...).")
        return tuple(self.course)

    def _ends(self, word: str, given: object, *, infinite: bool = False) -> Ends:
        try:
            low, high = (float(x) for x in given)  # type: ignore[attr-defined]
        except (TypeError, ValueError):
            raise PartError(f"{self.title}: {word} {given!r} is not a range. Give (lower, upper) [m].") from None
        if not low <= high or not (infinite or (math.isfinite(low) and math.isfinite(high))):
            raise PartError(f"{self.title}: {word} ({low:g}, {high:g}) is not a range. Give lower <= upper [m].")
        return low, high

    def _check_course(self) -> None:
        if not self.branches:
            raise PartError(f"{self.title}: its course is empty. Give at least its two ends.")
        for _, course in self.branches:
            round_ones = [isinstance(station, Roller) for station in course]
            if len(course) < 2 or round_ones[0] or round_ones[-1]:
                raise PartError(f"{self.title}: every branch begins and ends with a point. Give its two ends.")
            if any(a and b for a, b in pairwise(round_ones)):
                raise PartError(f"{self.title}: two rollers follow each other. Give a waypoint between them.")

    def _check_motor(self) -> None:
        if self.motor is not None:
            require_kind(self.title, "motor", self.motor, Motor)
        if self.servo is not None:
            require_kind(self.title, "servo", self.servo, Servo)
            if self.motor is None:
                raise PartError(
                    f"{self.title}: a servo without a motor drives nothing. Give the motor, Motor() if unknown."
                )


def moved_cord(cord: Cord, places: Mapping[str, PartPlace]) -> Cord:
    """A cord whose points are stated in frames that lie in other ones, with its points in those."""
    return replace(cord, course=[_moved(x, places) for x in cord.course])


def _moved(station: Station, places: Mapping[str, PartPlace]) -> Station:
    if isinstance(station, Branch) or station.frame not in places:
        return station
    place = places[station.frame]
    position = tuple(place.point(station.position))
    if isinstance(station, Waypoint):
        return replace(station, position=position)
    axis = None if station.axis is None else tuple(place.direction(station.axis))
    side = None if station.side is None else tuple(place.point(station.side))
    return replace(station, position=position, axis=axis, side=side)


def _three(owner: Waypoint | Roller, word: str, given: Sequence[float]) -> Numbers:
    try:
        x, y, z = (float(number) for number in given)
    except (TypeError, ValueError):
        raise PartError(f"point on {owner.frame!r}: {word} {given!r} is not a vector. Give three numbers.") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise PartError(f"point on {owner.frame!r}: its {word} ({x}, {y}, {z}) is not finite. Give three numbers [m].")
    return x, y, z
