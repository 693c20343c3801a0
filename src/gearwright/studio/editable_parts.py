"""The places of a robot that have a panel: drives, and the motors, meshes and wheels of trains. All answer alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from gearwright.mechanism import Mechanism
from gearwright.parts import Gearwheel, Mesh, Motor, Robot, Train, TrainMotor
from gearwright.studio.drive_edits import Entry, changed_drive, drive_told, entries, inertia_entry, taken, typed
from gearwright.text import listed, markdown


class Place(Protocol):
    """A part of a robot that can be changed in a panel; it names the part and holds nothing of it."""

    @property
    def title(self) -> str:
        """What its folder is called."""

    @property
    def train(self) -> str:
        """The train it belongs to; empty for a drive."""

    def entries(self, robot: Robot) -> tuple[Entry, ...]:
        """What can be changed."""

    def changed(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """The robot with what somebody entered, all of it at once."""

    def path(self, key: str) -> str:
        """The parameter path of an entry."""

    def motor(self, robot: Robot) -> Motor | None:
        """Its motor, if it has one."""

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """The robot with another motor there."""

    def told(self, robot: Robot, mech: Mechanism) -> str:
        """What follows from its numbers, as Markdown."""


@dataclass(frozen=True)
class DrivePlace:
    """The drive of that title."""

    title: str
    train: str = ""

    def entries(self, robot: Robot) -> tuple[Entry, ...]:
        """Ratio or teeth, rotor inertia, stiffness."""
        return entries(robot.drive(self.title))

    def changed(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """The robot with another drive."""
        return robot.with_drive(changed_drive(robot.drive(self.title), wanted))

    def path(self, key: str) -> str:
        """Such as shoulder.gear.ratio."""
        return f"{self.title}.{key}"

    def motor(self, robot: Robot) -> Motor:
        """The drive's motor."""
        return robot.drive(self.title).motor

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """The robot whose drive has another motor."""
        return robot.with_drive(replace(robot.drive(self.title), motor=motor))

    def told(self, robot: Robot, mech: Mechanism) -> str:
        """The kind of gear and its ratio."""
        return drive_told(robot.drive(self.title))


@dataclass(frozen=True)
class _InTrain:
    """A part of a train, by its place in the list of its kind."""

    train: str
    index: int
    name: str
    word: ClassVar[str] = ""
    """The word of its list in the file: motors, meshes or wheels."""
    noun: ClassVar[str] = ""

    @property
    def title(self) -> str:
        """Such as "motor m1"."""
        return f"{self.noun} {self.name}"

    def _part(self, robot: Robot) -> Any:
        return getattr(_train(robot, self.train), self.word)[self.index]

    def _exchanged(self, robot: Robot, fresh: Any) -> Robot:
        train = _train(robot, self.train)
        parts = list(getattr(train, self.word))
        parts[self.index] = fresh
        changes: dict[str, Any] = {self.word: tuple(parts)}
        changed = replace(train, **changes)
        return replace(robot, trains=tuple(changed if one is train else one for one in robot.trains))

    def path(self, key: str) -> str:
        """Such as gears.motors.m1.motor.inertia."""
        return f"{self.train}.{self.word}.{self.name}.{key}"

    def motor(self, robot: Robot) -> Motor | None:
        """None: it is not a motor."""
        return None

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """The robot as it is: this is not a motor."""
        return robot


@dataclass(frozen=True)
class TrainMotorPlace(_InTrain):
    """A motor of a train."""

    word, noun = "motors", "motor"

    def entries(self, robot: Robot) -> tuple[Entry, ...]:
        """Rotor inertia and the stiffness of the shaft between rotor and wheel."""
        part: TrainMotor = self._part(robot)
        return (
            inertia_entry("motor.inertia", "rotor inertia", float(part.motor.inertia)),
            Entry("stiffness", "stiffness [Nm/rad]", float(part.stiffness or 0.0), "stiffness"),
        )

    def changed(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """The robot with other numbers of the motor."""
        part: TrainMotor = self._part(robot)
        fresh = typed(self.entries(robot), wanted)
        rotor = replace(part.motor, **taken(fresh, "motor."))
        return self._exchanged(robot, replace(part, motor=rotor, stiffness=fresh.get("stiffness", part.stiffness)))

    def motor(self, robot: Robot) -> Motor:
        """The motor."""
        part: TrainMotor = self._part(robot)
        return part.motor

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """The robot with another motor on the same wheel."""
        return self._exchanged(robot, replace(self._part(robot), motor=motor))

    def told(self, robot: Robot, mech: Mechanism) -> str:
        """How far the rotor turns per unit of each joint it moves, against its stator."""
        part: TrainMotor = self._part(robot)
        row = next((actuator.row for actuator in mech.actuators if actuator.name == part.name), ())
        turns = [
            f"{float(share):.4g} of {markdown(speed)}" for speed, share in zip(mech.speeds, row, strict=False) if share
        ]
        return f"on {markdown(part.wheel)}; turns **{listed(turns) or 'with nothing'}**"


@dataclass(frozen=True)
class MeshPlace(_InTrain):
    """A gear pair or belt of a train."""

    word, noun = "meshes", "mesh"

    def path(self, key: str) -> str:
        """Such as gears.meshes.0.ratio: meshes go by number."""
        return f"{self.train}.{self.word}.{self.index}.{key}"

    def entries(self, robot: Robot) -> tuple[Entry, ...]:
        """Its ratio, or the teeth or radii of both."""
        mesh: Mesh = self._part(robot)
        if mesh.ratio is not None:
            return (Entry("ratio", "ratio", float(mesh.ratio)),)
        word, unit = ("teeth", "teeth") if mesh.teeth is not None else ("radii", "radius [m]")
        sizes = mesh.teeth or mesh.radii or ()
        count = word == "teeth" and all(float(size).is_integer() for size in sizes)
        return tuple(
            Entry(f"{word}.{place}", f"{unit} of {name}", float(size), "count" if count else "number")
            for place, (name, size) in enumerate(zip((mesh.first, mesh.second), sizes, strict=True))
        )

    def changed(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """The robot with another ratio, or other teeth or radii."""
        mesh: Mesh = self._part(robot)
        known = self.entries(robot)
        values = {entry.key: entry.value for entry in known} | typed(known, wanted)
        if mesh.ratio is not None:
            return self._exchanged(robot, replace(mesh, ratio=values["ratio"]))
        changes: dict[str, Any] = {known[0].key.partition(".")[0]: tuple(values[entry.key] for entry in known)}
        return self._exchanged(robot, replace(mesh, **changes))

    def told(self, robot: Robot, mech: Mechanism) -> str:
        """The kind of mesh and its ratio."""
        mesh: Mesh = self._part(robot)
        kind = "ratio" if mesh.ratio is not None else f"{mesh.kind}, ratio"
        return f"{kind} **{float(mesh.signed):.6g}**"


@dataclass(frozen=True)
class WheelPlace(_InTrain):
    """A wheel of a train, or equal ones on a circle."""

    word, noun = "wheels", "wheel"

    def entries(self, robot: Robot) -> tuple[Entry, ...]:
        """Its inertia, and how many there are of planets."""
        wheel: Gearwheel = self._part(robot)
        inertia = inertia_entry("inertia", "inertia", float(wheel.inertia))
        return (inertia, Entry("count", "number", wheel.count, "count")) if wheel.count > 1 else (inertia,)

    def changed(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """The robot with another wheel."""
        return self._exchanged(robot, replace(self._part(robot), **typed(self.entries(robot), wanted)))

    def told(self, robot: Robot, mech: Mechanism) -> str:
        """Who carries it."""
        wheel: Gearwheel = self._part(robot)
        return f"carried by {markdown(wheel.carrier)}"


def places(robot: Robot) -> tuple[Place, ...]:
    """Every part of the robot that has a panel, those of a train behind one another.

    >>> import gearwright as gw
    >>> [place.title for place in places(gw.load("grm3"))][:5]
    ['motor m1', 'motor m2', 'motor m3', 'mesh w4, link1', 'mesh w5, link2']
    """
    found: list[Place] = [DrivePlace(drive.title) for drive in robot.drives]
    for train in robot.trains:
        found += _places_of(train)
    return tuple(found)


def place_of(place: Place | str) -> Place:
    """A place, or that of the drive with a title."""
    return DrivePlace(place) if isinstance(place, str) else place


def _places_of(train: Train) -> Sequence[Place]:
    pairs = [f"{mesh.first}, {mesh.second}" for mesh in train.meshes]
    return (
        *(TrainMotorPlace(train.name, index, motor.name) for index, motor in enumerate(train.motors)),
        *(MeshPlace(train.name, index, pair) for index, pair in enumerate(pairs)),
        *(WheelPlace(train.name, index, wheel.name) for index, wheel in enumerate(train.wheels)),
    )


def _train(robot: Robot, name: str) -> Train:
    return next(train for train in robot.trains if train.name == name)
