"""Editable parts of a robot, with one interface: drives, and the motors, meshes and wheels of trains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from gearwright.mechanism import Mechanism
from gearwright.parts import Gearwheel, Mesh, Motor, Robot, Train, TrainMotor
from gearwright.studio.drive_edits import (
    EditableNumber,
    drive_description,
    drive_numbers,
    inertia_number,
    typed_values,
    values_with_prefix,
    with_entered_values,
)
from gearwright.text import listed_names, markdown_text


class EditablePart(Protocol):
    """A part of a robot that can be edited in a panel; it refers to the part by name."""

    @property
    def title(self) -> str:
        """Title of its folder."""

    @property
    def train(self) -> str:
        """Name of its gear train; empty for a drive."""

    def editable_numbers(self, robot: Robot) -> tuple[EditableNumber, ...]:
        """Return the editable numbers."""

    def with_values(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """Return the robot with all entered values applied together."""

    def parameter_path(self, key: str) -> str:
        """Return the parameter path of an entry."""

    def current_motor(self, robot: Robot) -> Motor | None:
        """Return its motor, if it has one."""

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """Return the robot with another motor in this part."""

    def description(self, robot: Robot, mech: Mechanism) -> str:
        """Return a description with derived numbers, as Markdown."""


@dataclass(frozen=True)
class EditableDrive:
    """A drive, by its title."""

    title: str
    train: str = ""

    def editable_numbers(self, robot: Robot) -> tuple[EditableNumber, ...]:
        """Return ratio or teeth, rotor inertia, stiffness."""
        return drive_numbers(robot.drive(self.title))

    def with_values(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """Return the robot with the changed drive."""
        return robot.with_drive(with_entered_values(robot.drive(self.title), wanted))

    def parameter_path(self, key: str) -> str:
        """Return a path such as shoulder.gear.ratio."""
        return f"{self.title}.{key}"

    def current_motor(self, robot: Robot) -> Motor:
        """Return the drive's motor."""
        return robot.drive(self.title).motor

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """Return the robot whose drive has another motor."""
        return robot.with_drive(replace(robot.drive(self.title), motor=motor))

    def description(self, robot: Robot, mech: Mechanism) -> str:
        """Return the kind of gear and its ratio."""
        return drive_description(robot.drive(self.title))


@dataclass(frozen=True)
class _TrainPart:
    """A part of a gear train, by its index in the list of its kind."""

    train: str
    index: int
    name: str
    word: ClassVar[str] = ""
    """Key of its list in the file: motors, meshes or wheels."""
    noun: ClassVar[str] = ""

    @property
    def title(self) -> str:
        """A title such as "motor m1"."""
        return f"{self.noun} {self.name}"

    def _train_element(self, robot: Robot) -> Any:
        return getattr(_train_by_name(robot, self.train), self.word)[self.index]

    def _with_element(self, robot: Robot, fresh: Any) -> Robot:
        train = _train_by_name(robot, self.train)
        parts = list(getattr(train, self.word))
        parts[self.index] = fresh
        changes: dict[str, Any] = {self.word: tuple(parts)}
        changed = replace(train, **changes)
        return replace(
            robot, trains=tuple(changed if robot_train is train else robot_train for robot_train in robot.trains)
        )

    def parameter_path(self, key: str) -> str:
        """Return a path such as gears.motors.m1.motor.inertia."""
        return f"{self.train}.{self.word}.{self.name}.{key}"

    def current_motor(self, robot: Robot) -> Motor | None:
        """Return None: this part is not a motor."""
        return None

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """Return the robot unchanged: this part is not a motor."""
        return robot


@dataclass(frozen=True)
class EditableTrainMotor(_TrainPart):
    """A motor of a train."""

    word, noun = "motors", "motor"

    def editable_numbers(self, robot: Robot) -> tuple[EditableNumber, ...]:
        """Return rotor inertia and the stiffness of the shaft between rotor and wheel."""
        part: TrainMotor = self._train_element(robot)
        return (
            inertia_number("motor.inertia", "rotor inertia", float(part.motor.inertia)),
            EditableNumber("stiffness", "stiffness [Nm/rad]", float(part.stiffness or 0.0), "stiffness"),
        )

    def with_values(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """Return the robot with the changed motor."""
        part: TrainMotor = self._train_element(robot)
        fresh = typed_values(self.editable_numbers(robot), wanted)
        rotor = replace(part.motor, **values_with_prefix(fresh, "motor."))
        return self._with_element(robot, replace(part, motor=rotor, stiffness=fresh.get("stiffness", part.stiffness)))

    def current_motor(self, robot: Robot) -> Motor:
        """Return the motor."""
        part: TrainMotor = self._train_element(robot)
        return part.motor

    def with_motor(self, robot: Robot, motor: Motor) -> Robot:
        """Return the robot with another motor on the same wheel."""
        return self._with_element(robot, replace(self._train_element(robot), motor=motor))

    def description(self, robot: Robot, mech: Mechanism) -> str:
        """Return the turns of the rotor relative to its stator, per unit of each joint."""
        part: TrainMotor = self._train_element(robot)
        row = next((actuator.row for actuator in mech.actuators if actuator.name == part.name), ())
        turns = [
            f"{float(share):.4g} of {markdown_text(speed)}"
            for speed, share in zip(mech.speeds, row, strict=False)
            if share
        ]
        return f"on {markdown_text(part.wheel)}; ratios **{listed_names(turns) or 'none'}**"


@dataclass(frozen=True)
class EditableMesh(_TrainPart):
    """A gear pair or belt of a train."""

    word, noun = "meshes", "mesh"

    def parameter_path(self, key: str) -> str:
        """Return a path such as gears.meshes.0.ratio: meshes are numbered."""
        return f"{self.train}.{self.word}.{self.index}.{key}"

    def editable_numbers(self, robot: Robot) -> tuple[EditableNumber, ...]:
        """Return its ratio, or the teeth or radii of both wheels."""
        mesh: Mesh = self._train_element(robot)
        if mesh.ratio is not None:
            return (EditableNumber("ratio", "ratio", float(mesh.ratio)),)
        word, unit = ("teeth", "teeth") if mesh.teeth is not None else ("radii", "radius [m]")
        sizes = mesh.teeth or mesh.radii or ()
        count = word == "teeth" and all(float(size).is_integer() for size in sizes)
        return tuple(
            EditableNumber(f"{word}.{place}", f"{unit} of {name}", float(size), "count" if count else "number")
            for place, (name, size) in enumerate(zip((mesh.first, mesh.second), sizes, strict=True))
        )

    def with_values(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """Return the robot with another ratio, or other teeth or radii."""
        mesh: Mesh = self._train_element(robot)
        numbers = self.editable_numbers(robot)
        values = {entry.key: entry.value for entry in numbers} | typed_values(numbers, wanted)
        if mesh.ratio is not None:
            return self._with_element(robot, replace(mesh, ratio=values["ratio"]))
        changes: dict[str, Any] = {numbers[0].key.partition(".")[0]: tuple(values[entry.key] for entry in numbers)}
        return self._with_element(robot, replace(mesh, **changes))

    def description(self, robot: Robot, mech: Mechanism) -> str:
        """Return the kind of mesh and its ratio."""
        mesh: Mesh = self._train_element(robot)
        kind = "ratio" if mesh.ratio is not None else f"{mesh.kind}, ratio"
        return f"{kind} **{float(mesh.signed_ratio):.6g}**"


@dataclass(frozen=True)
class EditableWheel(_TrainPart):
    """A wheel of a train, or a set of equal planets."""

    word, noun = "wheels", "wheel"

    def editable_numbers(self, robot: Robot) -> tuple[EditableNumber, ...]:
        """Return its inertia, and the number of planets."""
        wheel: Gearwheel = self._train_element(robot)
        inertia = inertia_number("inertia", "inertia", float(wheel.inertia))
        return (inertia, EditableNumber("count", "number", wheel.count, "count")) if wheel.count > 1 else (inertia,)

    def with_values(self, robot: Robot, wanted: Mapping[str, Any]) -> Robot:
        """Return the robot with the changed wheel."""
        return self._with_element(
            robot, replace(self._train_element(robot), **typed_values(self.editable_numbers(robot), wanted))
        )

    def description(self, robot: Robot, mech: Mechanism) -> str:
        """Return the name of its carrier."""
        wheel: Gearwheel = self._train_element(robot)
        return f"carried by {markdown_text(wheel.carrier)}"


def editable_parts(robot: Robot) -> tuple[EditablePart, ...]:
    """Return every editable part of the robot, those of a train in sequence.

    >>> import gearwright as gw
    >>> [place.title for place in editable_parts(gw.load("grm3"))][:5]
    ['motor m1', 'motor m2', 'motor m3', 'mesh w4, link1', 'mesh w5, link2']
    """
    parts: list[EditablePart] = [EditableDrive(drive.title) for drive in robot.drives]
    for train in robot.trains:
        parts += _train_parts(train)
    return tuple(parts)


def editable_part(place: EditablePart | str) -> EditablePart:
    """Return a part as it is, or the drive with that title."""
    return EditableDrive(place) if isinstance(place, str) else place


def _train_parts(train: Train) -> Sequence[EditablePart]:
    pairs = [f"{mesh.first}, {mesh.second}" for mesh in train.meshes]
    return (
        *(EditableTrainMotor(train.name, index, motor.name) for index, motor in enumerate(train.motors)),
        *(EditableMesh(train.name, index, pair) for index, pair in enumerate(pairs)),
        *(EditableWheel(train.name, index, wheel.name) for index, wheel in enumerate(train.wheels)),
    )


def _train_by_name(robot: Robot, name: str) -> Train:
    return next(train for train in robot.trains if train.name == name)
