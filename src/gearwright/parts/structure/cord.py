"""A cord: a tendon with a known route through points and around rollers; its length is nonlinear in the coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gearwright.algebra import OptionalVector, VectorLike, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.errors import PartError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.friction import Friction, combined_friction
from gearwright.parts.drives.motor import Motor
from gearwright.parts.drives.supply_and_servo import Servo
from gearwright.parts.structure.frame_changes import FramePlacement

FloatTuple = tuple[float, ...]
LengthRange = tuple[float, float]


@check_arguments
@dataclass(frozen=True)
class Waypoint:
    """A point on the route of a cord: an eyelet, or one of its ends.

    Args:
        frame: the link or frame that carries it, or "base".
        position: in the frame's axes [m].

    >>> Waypoint("upper", (0.1, 0, 0)).position
    (0.1, 0.0, 0.0)
    """

    frame: str
    position: VectorLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", _checked_vector(self, "position", self.position))


@check_arguments
@dataclass(frozen=True)
class Roller:
    r"""A cylindrical or spherical guide of a cord, without friction and inertia.

    The cord wraps around the roller on the shorter side, or on the side of a given point; then the wrap may exceed half
    a turn. The cord is straight where it does not touch the roller, and while one of the adjacent points is inside the
    roller.

    Args:
        frame: the link or frame that carries it, or "base".
        radius: [m].
        position: its centre, in the frame's axes [m].
        axis: of a cylinder, in the frame's axes; None: a sphere.
        side: a point outside it, in the frame's axes [m], on whose side the cord passes; None: the shorter side.

    >>> Roller("upper", 0.02, axis=(0, 0, 2)).axis
    (0.0, 0.0, 1.0)
    """

    frame: str
    radius: float
    position: VectorLike = (0.0, 0.0, 0.0)
    axis: OptionalVector = None
    side: OptionalVector = None

    def __post_init__(self) -> None:
        require_at_least(f"roller on {self.frame!r}", 0.0, above=True, radius=self.radius)
        object.__setattr__(self, "position", _checked_vector(self, "position", self.position))
        if self.axis is not None:
            axis = _checked_vector(self, "axis", self.axis)
            size = math.sqrt(sum(x * x for x in axis))
            if not size > 0:
                raise PartError(
                    f"roller on {self.frame!r}: its axis is zero. Give a non-zero vector, or none for a sphere."
                )
            # A unit axis stays bitwise unchanged, so that files reproduce it.
            object.__setattr__(self, "axis", axis if abs(size - 1) < 1e-15 else tuple(x / size for x in axis))
        if self.side is not None:
            object.__setattr__(self, "side", _checked_vector(self, "side", self.side))
            apart = math.dist(self.side, self.position)
            if apart < self.radius:
                raise PartError(
                    f"roller on {self.frame!r}: its side is {apart:g} m from its centre, inside the radius of "
                    f"{self.radius:g} m. Give a point outside it; cords inside a ring are not supported."
                )


@check_arguments
@dataclass(frozen=True)
class Branch:
    """A branch of a cord at a block and tackle: the route behind it is separate, its length divided by `divisor`.

    >>> Branch(2.0).divisor
    2.0
    """

    divisor: float

    def __post_init__(self) -> None:
        require_at_least("branch of a cord", 0.0, above=True, divisor=self.divisor)


CordStation = Waypoint | Roller | Branch


@check_arguments
@dataclass(frozen=True)
class Cord:
    r"""A tendon over points and rollers: its length l(q) is a coordinate of the machine, and its forces are laws.

    A spring pulls with $k (l - l_1)$ beyond the upper rest length $l_1$, pushes below the lower one, and is slack
    between; $d\,\dot l$ damps. A motor's torque acts along ratio times the length. `gw.laws(robot)` contains all these
    forces; the machine itself (`gw.bias`, `gw.mass_matrix`) contains none, since its rows are constant.

    Args:
        name: its name, and that of its motor.
        route: its route: waypoints, rollers and branches from end to end; a roller has a waypoint on either side.
        stiffness: k [N/m].
        damping: d [Ns/m].
        rest: lower and upper rest length of the spring [m].
        friction: Coulomb friction [N].
        limits: shortest and longest length [m]; either may be infinite.
        inertia: along the length [kg].
        motor: the motor that pulls it; its rotor inertia acts along its angle.
        ratio: angle of the motor per length [rad/m].
        servo: the servo of the motor, as data.

    >>> Cord("string", [Waypoint("base"), Waypoint("cup", (0, 0, 0.1))], limits=(0.0, 0.3)).limits
    (0.0, 0.3)
    """

    name: str
    route: Sequence[CordStation]
    stiffness: float = 0.0
    damping: float = 0.0
    rest: LengthRange = (0.0, 0.0)
    friction: float = 0.0
    limits: LengthRange | None = None
    inertia: float = 0.0
    motor: Motor | None = None
    ratio: float = 1.0
    servo: Servo | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "route", self._checked_stations())
        for word in ("stiffness", "damping", "friction", "inertia"):
            require_at_least(self.title, 0.0, **{word: getattr(self, word)})
        object.__setattr__(self, "rest", self._checked_range("rest", self.rest))
        if self.limits is not None:
            object.__setattr__(self, "limits", self._checked_range("limits", self.limits, infinite=True))
        if not (is_number(self.ratio) and math.isfinite(self.ratio) and self.ratio):
            raise PartError(f"{self.title}: ratio {self.ratio!r} is not a non-zero number. Give rad per metre.")
        self._check_course()
        self._check_motor()

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"cord {self.name!r}"

    @property
    def total_friction(self) -> Friction:
        """Friction and damping together."""
        return combined_friction(self.friction, self.damping)

    @property
    def branches(self) -> tuple[tuple[float, tuple[Waypoint | Roller, ...]], ...]:
        """Divisor and route of each branch."""
        branches: list[tuple[float, list[Waypoint | Roller]]] = [(1.0, [])]
        for station in self.route:
            if isinstance(station, Branch):
                branches.append((station.divisor, []))
            else:
                branches[-1][1].append(station)
        return tuple((divisor, tuple(route)) for divisor, route in branches if route)

    def _checked_stations(self) -> tuple[CordStation, ...]:
        if isinstance(self.route, str) or not isinstance(self.route, Iterable):
            raise PartError(f"{self.title}: {self.route!r} is not a route. Give a list of waypoints and rollers.")
        for station in self.route:
            if not isinstance(station, Waypoint | Roller | Branch):
                raise PartError(f"{self.title}: its route contains {station!r}. Give Waypoint(...) or Roller(...).")
        return tuple(self.route)

    def _checked_range(self, word: str, value_range: object, *, infinite: bool = False) -> LengthRange:
        try:
            low, high = (float(x) for x in value_range)  # type: ignore[attr-defined]
        except (TypeError, ValueError):
            raise PartError(f"{self.title}: {word} {value_range!r} is not a range. Give (lower, upper) [m].") from None
        if not low <= high or not (infinite or (math.isfinite(low) and math.isfinite(high))):
            raise PartError(f"{self.title}: {word} ({low:g}, {high:g}) is not a range. Give lower <= upper [m].")
        return low, high

    def _check_course(self) -> None:
        if not self.branches:
            raise PartError(f"{self.title}: its route is empty. Give at least its two ends.")
        for _, route in self.branches:
            is_roller = [isinstance(station, Roller) for station in route]
            if len(route) < 2 or is_roller[0] or is_roller[-1]:
                raise PartError(f"{self.title}: a branch does not begin and end with a point. Give its two ends.")
            if any(a and b for a, b in pairwise(is_roller)):
                raise PartError(f"{self.title}: two rollers follow each other. Give a waypoint between them.")

    def _check_motor(self) -> None:
        if self.motor is not None:
            require_kind(self.title, "motor", self.motor, Motor)
        if self.servo is not None:
            require_kind(self.title, "servo", self.servo, Servo)
            if self.motor is None:
                raise PartError(f"{self.title}: a servo needs a motor. Give the motor, or Motor() if it is unknown.")


def cord_in_frames(cord: Cord, places: Mapping[str, FramePlacement]) -> Cord:
    """Return a cord with its points transformed from the given frames into their reference frames."""
    return replace(cord, route=[_station_in_frames(x, places) for x in cord.route])


def _station_in_frames(station: CordStation, places: Mapping[str, FramePlacement]) -> CordStation:
    if isinstance(station, Branch) or station.frame not in places:
        return station
    place = places[station.frame]
    position = tuple(place.point_in_outer(station.position))
    if isinstance(station, Waypoint):
        return replace(station, position=position)
    axis = None if station.axis is None else tuple(place.direction_in_outer(station.axis))
    side = None if station.side is None else tuple(place.point_in_outer(station.side))
    return replace(station, position=position, axis=axis, side=side)


def _checked_vector(owner: Waypoint | Roller, word: str, values: Sequence[float]) -> FloatTuple:
    try:
        x, y, z = (float(number) for number in values)
    except (TypeError, ValueError):
        raise PartError(f"point on {owner.frame!r}: {word} {values!r} is not a vector. Give three numbers.") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise PartError(f"point on {owner.frame!r}: its {word} ({x}, {y}, {z}) is not finite. Give three numbers [m].")
    return x, y, z
