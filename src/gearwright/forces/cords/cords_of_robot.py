"""The cords of a robot: their lengths as coordinates, and the laws along them (springs, friction, stops, inertia).

The inertia along a line that no body of the machine has is that of a cord, or of a rotor that a cord turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import StructureError
from gearwright.forces.contact.end_stops import Stops, softened_along
from gearwright.forces.coordinates.angles_and_distances import Point
from gearwright.forces.coordinates.configuration import Configuration
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.cords.tendon_length import Course, Wrap
from gearwright.forces.friction.dry_friction import DryFriction, SmoothFriction
from gearwright.forces.law import Action, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.loads import Load
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.kinematic_error import Twist
from gearwright.forces.transmission.nonlinear_spring import Curve, NonlinearSpring
from gearwright.mechanism import Mechanism
from gearwright.parts import Cord, Robot, Roller, Waypoint
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class MovedInertia(Law):
    r"""Something of inertia J that moves with a line: the force $-J \ddot s$ along it, and the energy $J \dot s^2/2$.

    Along a constant row a balanced `Spin` does the same inside the mass matrix; along a coordinate s(q, t) the row
    changes, and with $\ddot s = b \cdot a + drift$ it is a law.

    Args:
        name: its name.
        line: along what it moves.
        inertia: J [kg m2, kg].
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> MovedInertia("flywheel", Line.of(arm, "j2"), 0.5).inertia
    0.5
    """

    name: str
    line: Line
    inertia: float
    unit: str = "Nm"

    def __post_init__(self) -> None:
        require_range(self.name, "inertia", self.inertia, above=0.0, hint="Leave the law out instead of 0.")

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold that yields to force as the inertia does."""
        return Action(holds=(Hold(self.line, 0.0, 1.0 / self.inertia),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The kinetic energy it has."""
        speed = situation.speed(self.line)
        signals = {f"{self.name}.force": reaction.multipliers[0]}
        return Outcome(stored=0.5 * self.inertia * speed * speed, signals=signals)


@dataclass(frozen=True)
class CordLength:
    """The length of a cord of several branches, each divided, times a factor."""

    branches: tuple[tuple[float, Course], ...]
    factor: float = 1.0

    def __call__(self, configuration: Configuration) -> Scalar:
        """The length [m], or with a motor's ratio its angle [rad]."""
        total: Scalar = 0.0
        for divisor, course in self.branches:
            total = total + course(configuration) * (self.factor / divisor)
        return total


def cord_line(mech: Mechanism, cord: Cord, factor: float = 1.0) -> Coordinate:
    """The length of a cord as a coordinate of a machine, times a factor.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> cord_line(arm, Cord("stay", [Waypoint("base", (0.3, 0, 0)), Waypoint(arm.bodies[2].name)])).name
    'stay'
    """
    branches = tuple(
        (divisor, Course(tuple(_station(mech, cord, station) for station in course)))
        for divisor, course in cord.branches
    )
    return Coordinate.of(mech, cord.name, CordLength(branches, factor))


def _station(mech: Mechanism, cord: Cord, station: Waypoint | Roller) -> Point | Wrap:
    known = ["base", *(body.name for body in mech.bodies), *(frame.name for frame in mech.frames)]
    if station.frame not in known:
        raise StructureError(
            f"{cord.title}: there is no link or frame {station.frame!r}. {did_you_mean(station.frame, known)}"
        )
    if isinstance(station, Waypoint):
        return Point.of(cord.title, mech, (station.frame, station.position))
    axis, side = (None if x is None else tuple(x) for x in (station.axis, station.side))
    return Wrap(station.frame, station.radius, tuple(station.position), axis, side)


def cord_laws(robot: Robot, mech: Mechanism, *, smooth: bool = False) -> tuple[Law, ...]:
    """What acts along the cords of a robot: `<cord>.spring`, `.friction`, `.stops`, `.inertia`, `.torque`.

    The last is the torque of a cord's motor, an input of the same name.

    Args:
        robot: the robot.
        mech: its machine.
        smooth: friction and stops without modes, for compiled fixed-step runs.
    """
    return tuple(law for cord in robot.cords for law in _laws(cord, mech, smooth))


def _laws(cord: Cord, mech: Mechanism, smooth: bool) -> Iterator[Law]:
    line, name = cord_line(mech, cord), cord.name
    if cord.stiffness:
        yield _spring(cord, line, smooth)
    if cord.total_friction.kind != "none":
        yield _friction(cord, line, smooth)
    if cord.limits is not None:
        stops = Stops(f"{name}.stops", line, *cord.limits, unit="N")
        yield softened_along(stops, mech) if smooth else stops
    if cord.inertia:
        yield MovedInertia(f"{name}.inertia", line, cord.inertia, unit="N")
    if cord.motor is not None:
        at_motor = cord_line(mech, cord, cord.ratio)
        yield Load(f"{name}.torque", at_motor)
        if cord.motor.inertia:
            yield MovedInertia(f"{name}.rotor", at_motor, cord.motor.inertia)


def _spring(cord: Cord, line: Line, smooth: bool) -> Law:
    """Slack between its rest lengths."""
    low, high = cord.rest
    kind = NonlinearSpring if smooth or low == high else Backlash
    return kind(
        f"{cord.name}.spring", Twist(line, 0.5 * (low + high)), Curve(cord.stiffness), 0.0, high - low, unit="N"
    )


def _friction(cord: Cord, line: Line, smooth: bool) -> Law:
    name, friction = f"{cord.name}.friction", cord.total_friction
    if smooth or friction.kind == "viscous":
        return SmoothFriction(name, line, friction, unit="N")
    return DryFriction(name, line, None, "N", friction)
