"""The fields of tendons (rows over joints), of cords (routes through points and round rollers), and of named states."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from gearwright.errors import PartError
from gearwright.files.fields.basic import (
    CheckedFields,
    Damping,
    Direction,
    Length,
    Name,
    Number,
    Position,
    Stiffness,
    Unit,
)
from gearwright.files.fields.drive import MotorFields
from gearwright.files.fields.from_parts import Ratio, plain_fields
from gearwright.files.fields.motor_data import ServoFields
from gearwright.parts import Branch, Cord, Motor, NamedState, Roller, Tendon, Waypoint
from gearwright.parts.structure.cord import CordStation

Coordinate = Annotated[float, Unit("angle", "length")]
Rate = Annotated[float, Unit("angular speed", "speed")]


class TendonFields(CheckedFields):
    """Inertia or a motor along a row of joints: a cable over several joints, or a differential given by its row."""

    name: Name = Field(description="its name")
    row: dict[Name, Number] = Field(description="travel per unit of each joint's coordinate")
    inertia: Annotated[float, Unit("inertia", "mass", least=0)] = Field(
        default=0.0, description="along the row; it has no reaction on the links that carry it"
    )
    motor: MotorFields | None = Field(
        default=None, description="the motor that pulls it; its angle is the tendon's length"
    )
    servo: ServoFields | None = Field(default=None, description="the servo of the motor, as data")

    def part(self) -> Tendon:
        """The part."""
        motor = None if self.motor is None else self.motor.part()
        return Tendon(self.name, self.row, self.inertia, motor, None if self.servo is None else self.servo.part())


class StateFields(CheckedFields):
    """A named configuration with speeds; coordinates and speeds that are not given are zero."""

    name: Name = Field(description="its name")
    q: dict[Name, Coordinate] = Field(default={}, description="values by coordinate")
    v: dict[Name, Rate] = Field(default={}, description="values by speed, in body axes")

    def part(self) -> Any:
        """The part."""
        return NamedState(self.name, self.q, self.v)


Force = Annotated[float, Unit("force", least=0)]
NonnegativeMass = Annotated[float, Unit("mass", least=0)]


class StationFields(CheckedFields):
    """A point on the route of a cord; with a radius a roller; a divisor alone begins a branch."""

    frame: Name | None = Field(default=None, description="the link or frame that carries it, or base")
    position: Position = Field(default=(0.0, 0.0, 0.0), description="in the frame's axes")
    radius: Annotated[float, Unit("length", above=0)] | None = Field(default=None, description="of a roller")
    axis: Direction | None = Field(default=None, description="axis of a cylindrical roller; a sphere has none")
    side: Position | None = Field(default=None, description="a point on whose side of the roller the cord passes")
    divisor: Annotated[float, Unit("number", above=0)] | None = Field(
        default=None, description="the following route is separate, and its length is divided by the divisor"
    )

    def part(self) -> CordStation:
        """The part."""
        if self.divisor is not None:
            if self.frame is not None or self.radius is not None:
                raise PartError(
                    "a divisor cannot be combined with other fields. Make it a separate entry: {divisor: 2}."
                )
            return Branch(self.divisor)
        if self.frame is None:
            raise PartError("the field 'frame' is missing. Give the link or frame that carries the point.")
        if self.radius is not None:
            return Roller(self.frame, self.radius, self.position, self.axis, self.side)
        if self.axis is not None or self.side is not None:
            raise PartError("axis and side belong to a roller. Give its radius, or leave them out.")
        return Waypoint(self.frame, self.position)


class CordFields(CheckedFields):
    """A tendon over points and rollers; its forces are laws."""

    name: Name = Field(description="its name")
    route: list[StationFields] = Field(description="its route from end to end")
    stiffness: Stiffness = Field(default=0.0, description="force per length beyond its rest length")
    damping: Damping = Field(default=0.0, description="force per speed of its length")
    rest: tuple[Length, Length] = Field(default=(0.0, 0.0), description="lower and upper rest length; slack between")
    friction: Force = Field(default=0.0, description="Coulomb friction along it")
    limits: tuple[Length | None, Length | None] | None = Field(
        default=None, description="shortest and longest length; null: no limit on that side"
    )
    inertia: NonnegativeMass = Field(default=0.0, description="along its length")
    motor: MotorFields | None = Field(default=None, description="the motor that pulls it")
    ratio: Ratio = Field(default=1.0, description="angle of the motor per length")
    servo: ServoFields | None = Field(default=None, description="the servo of the motor, as data")

    def part(self) -> Cord:
        """The part."""
        plain = {w: getattr(self, w) for w in ("stiffness", "damping", "rest", "friction", "inertia", "ratio")}
        return Cord(
            self.name,
            [station.part() for station in self.route],
            **plain,
            limits=None if self.limits is None else _length_range(*self.limits),
            motor=None if self.motor is None else self.motor.part(),
            servo=None if self.servo is None else self.servo.part(),
        )


def _length_range(low: float | None, high: float | None) -> tuple[float, float]:
    return -math.inf if low is None else low, math.inf if high is None else high


def cord_fields(cord: Cord, motor_words: Callable[[Motor, str], dict[str, Any]]) -> dict[str, Any]:
    """Return the fields of a cord for writing."""
    words: dict[str, Any] = {"name": cord.name, "route": [_station_fields(station) for station in cord.route]}
    words |= {w: float(x) for w in ("stiffness", "damping", "friction", "inertia") if (x := getattr(cord, w))}
    words |= {"rest": list(cord.rest)} if any(cord.rest) else {}
    if cord.limits is not None:
        words["limits"] = [x if math.isfinite(x) else None for x in cord.limits]
    if cord.motor is not None:
        words |= {"motor": motor_words(cord.motor, f"{cord.title}, motor"), "ratio": float(cord.ratio)}
    return words | ({} if cord.servo is None else {"servo": plain_fields(f"{cord.title}, servo", cord.servo)})


def _station_fields(station: CordStation) -> dict[str, Any]:
    if isinstance(station, Branch):
        return {"divisor": float(station.divisor)}
    words: dict[str, Any] = {"frame": station.frame}
    words |= {"position": list(station.position)} if any(station.position) else {}
    if isinstance(station, Roller):
        words["radius"] = float(station.radius)
        words |= {w: list(x) for w in ("axis", "side") if (x := getattr(station, w)) is not None}
    return words
