"""The cords of a robot: their lengths as coordinates, and the laws along them (springs, friction, stops, inertia).

`LineInertia` is an inertia along a line that is not part of any body, such as a cord or a rotor driven by a cord.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import StructureError
from gearwright.forces.contact.end_stops import Stops, soft_stops_along
from gearwright.forces.coordinates.angles_and_distances import Point
from gearwright.forces.coordinates.configuration import Configuration
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.cords.tendon_length import TendonRoute, WrapSurface
from gearwright.forces.friction.dry_friction import DryFriction, SmoothFriction, require_no_load
from gearwright.forces.law import Action, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.loads import Load
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.kinematic_error import ElementDeflection
from gearwright.forces.transmission.nonlinear_spring import NonlinearSpring, TorqueCurve
from gearwright.mechanism import Mechanism
from gearwright.parts import Cord, Robot, Roller, Waypoint
from gearwright.text import did_you_mean


@check_arguments
@dataclass(frozen=True)
class LineInertia(Law):
    r"""An inertia J that moves along a line: the force $-J \ddot s$ along it, and the energy $J \dot s^2/2$.

    Along a constant row a balanced `Spin` has the same effect inside the mass matrix. Along a coordinate s(q, t) the
    row changes, so it is a law with $\ddot s = b \cdot a + drift$.

    Args:
        name: its name.
        line: the line along which it moves.
        inertia: J [kg m2, kg].
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> LineInertia("flywheel", Line.for_machine(arm, "j2"), 0.5).inertia
    0.5
    """

    name: str
    line: Line
    inertia: float
    unit: str = "Nm"

    def __post_init__(self) -> None:
        require_range(self.name, "inertia", self.inertia, above=0.0, hint="For 0, leave out the law.")

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    def act(self, mode: str, situation: Situation) -> Action:
        """A constraint with the compliance of the inertia."""
        return Action(holds=(Hold(self.line, 0.0, 1.0 / self.inertia),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Its kinetic energy and its force."""
        speed = situation.speed(self.line)
        signals = {f"{self.name}.force": reaction.multipliers[0]}
        return Outcome(stored=0.5 * self.inertia * speed * speed, signals=signals)


@dataclass(frozen=True)
class CordLength:
    """The length of a cord times a factor: the sum of its branches, each divided by its divisor."""

    branches: tuple[tuple[float, TendonRoute], ...]
    factor: float = 1.0

    def __call__(self, configuration: Configuration) -> Scalar:
        """The length [m], or with a motor's ratio its angle [rad]."""
        total: Scalar = 0.0
        for divisor, route in self.branches:
            total = total + route(configuration) * (self.factor / divisor)
        return total


def cord_line(mech: Mechanism, cord: Cord, factor: float = 1.0) -> Coordinate:
    """The length of a cord as a coordinate of a machine, times a factor.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> cord_line(arm, Cord("stay", [Waypoint("base", (0.3, 0, 0)), Waypoint(arm.bodies[2].name)])).name
    'stay'
    """
    branches = tuple(
        (divisor, TendonRoute(tuple(_route_station(mech, cord, station) for station in route)))
        for divisor, route in cord.branches
    )
    return Coordinate.for_machine(mech, cord.name, CordLength(branches, factor))


def _route_station(mech: Mechanism, cord: Cord, station: Waypoint | Roller) -> Point | WrapSurface:
    frame_names = ["base", *(body.name for body in mech.bodies), *(frame.name for frame in mech.frames)]
    if station.frame not in frame_names:
        raise StructureError(
            f"{cord.title}: there is no link or frame {station.frame!r}. {did_you_mean(station.frame, frame_names)}"
        )
    if isinstance(station, Waypoint):
        return Point.from_user(cord.title, mech, (station.frame, station.position))
    axis, side = (None if x is None else tuple(x) for x in (station.axis, station.side))
    return WrapSurface(station.frame, station.radius, tuple(station.position), axis, side)


def cord_laws(robot: Robot, mech: Mechanism, *, smooth: bool = False) -> tuple[Law, ...]:
    """The laws along the cords of a robot: `<cord>.spring`, `.friction`, `.stops`, `.inertia`, `.torque`.

    `<cord>.torque` is the torque of a cord's motor, an input of the same name.

    Args:
        robot: the robot.
        mech: its machine.
        smooth: friction and stops without modes, for compiled fixed-step runs.
    """
    return tuple(law for cord in robot.cords for law in _cord_laws(cord, mech, smooth))


def _cord_laws(cord: Cord, mech: Mechanism, smooth: bool) -> Iterator[Law]:
    line, name = cord_line(mech, cord), cord.name
    if cord.stiffness:
        yield _cord_spring(cord, line, smooth)
    if cord.total_friction.kind != "none":
        yield _cord_friction(cord, line, smooth)
    if cord.limits is not None:
        stops = Stops(f"{name}.stops", line, *cord.limits, unit="N")
        yield soft_stops_along(stops, mech) if smooth else stops
    if cord.inertia:
        yield LineInertia(f"{name}.inertia", line, cord.inertia, unit="N")
    if cord.motor is not None:
        at_motor = cord_line(mech, cord, cord.ratio)
        yield Load(f"{name}.torque", at_motor)
        if cord.motor.inertia:
            yield LineInertia(f"{name}.rotor", at_motor, cord.motor.inertia)


def _cord_spring(cord: Cord, line: Line, smooth: bool) -> Law:
    """The spring of a cord, slack between its rest lengths."""
    low, high = cord.rest
    kind = NonlinearSpring if smooth or low == high else Backlash
    return kind(
        f"{cord.name}.spring",
        ElementDeflection(line, 0.5 * (low + high)),
        TorqueCurve(cord.stiffness),
        0.0,
        high - low,
        unit="N",
    )


def _cord_friction(cord: Cord, line: Line, smooth: bool) -> Law:
    name, friction = f"{cord.name}.friction", cord.total_friction
    require_no_load(name, friction)
    if smooth or friction.kind == "viscous":
        return SmoothFriction(name, line, friction, unit="N")
    return DryFriction(name, line, None, "N", friction)
