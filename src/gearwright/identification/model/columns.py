"""The columns of a torque model: kind, owner, unit and name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from gearwright.functions import parameter_names
from gearwright.mechanism import Mechanism, Spring
from gearwright.mechanism.units import force_unit, speed_unit

FrictionKind: TypeAlias = Literal["viscous", "coulomb", "offset"]
FRICTION_KINDS: tuple[FrictionKind, ...] = ("viscous", "coulomb", "offset")
ParameterKind: TypeAlias = Literal[
    "mass", "moment", "inertia", "wheel", "stiffness", "damping", "viscous", "coulomb", "offset"
]

_MOMENT_KIND: tuple[ParameterKind] = ("moment",)
_INERTIA_KIND: tuple[ParameterKind] = ("inertia",)
BODY_PARAMETER_KINDS: tuple[ParameterKind, ...] = ("mass", *3 * _MOMENT_KIND, *6 * _INERTIA_KIND)
"""The ten parameters of a rigid body: m, m c, and the six elements of its tensor."""

NONNEGATIVE_KINDS: frozenset[ParameterKind] = frozenset({"wheel", "stiffness", "damping", "viscous", "coulomb"})
"""Kinds of single parameters that cannot be negative; the ten of a body have a common condition."""

UNIT_BY_KIND: dict[ParameterKind, str] = {"mass": "kg", "moment": "kg m", "inertia": "kg m2", "wheel": "kg m2"}


class ParameterColumn(NamedTuple):
    """One parameter: its name, its kind, the body, wheel, spring or speed it belongs to, and its unit.

    >>> from gearwright.mechanism import Body
    >>> machine_columns(Mechanism([Body("arm", mass=1, com=(0.2, 0, 0))]))[1]
    ParameterColumn(name='arm.mcx', kind='moment', owner='arm', unit='kg m')
    """

    name: str
    kind: ParameterKind
    owner: str
    unit: str


def machine_columns(mech: Mechanism) -> tuple[ParameterColumn, ...]:
    """The columns of the machine, in the order of `parameter_names`."""
    stated = [*_body_columns(mech), *_wheel_columns(mech), *_spring_columns(mech)]
    return tuple(
        ParameterColumn(name, *description) for name, description in zip(parameter_names(mech), stated, strict=True)
    )


class FrictionLine(NamedTuple):
    """A line with friction: a speed, or the shaft of a motor that turns with several joints.

    Args:
        owner: name of the speed, or `<motor>.motor`.
        terms: its speed as a sum over generalized speeds.
        kinds: the kinds of its columns.
    """

    owner: str
    terms: tuple[tuple[int, float], ...]
    kinds: tuple[FrictionKind, ...]


def friction_lines(mech: Mechanism, kinds: Sequence[FrictionKind], has_motors: bool) -> tuple[FrictionLine, ...]:
    """The lines with friction: every speed and, of a coupled wrist, the motors that turn with several joints.

    The offset of such a motor is contained in those of its joints.
    """
    speeds = [FrictionLine(speed, ((k, 1.0),), tuple(kinds)) for k, speed in enumerate(mech.speeds)]
    of_motor = tuple(kind for kind in kinds if kind != "offset")
    coupled = [actuator for actuator in mech.actuators if len(actuator.terms) > 1] if has_motors else []
    motors = [
        FrictionLine(f"{actuator.name}.motor", tuple((k, float(x)) for k, x in actuator.terms), of_motor)
        for actuator in coupled
    ]
    return (*motors, *speeds)


def friction_columns(mech: Mechanism, lines: Sequence[FrictionLine]) -> tuple[ParameterColumn, ...]:
    """The friction columns of each line."""
    columns = []
    for line in lines:
        is_speed = line.owner in mech.speeds
        force = force_unit(mech, line.owner) if is_speed else "Nm"
        motion_unit = speed_unit(mech, line.owner) if is_speed else "rad"
        for kind in line.kinds:
            unit = f"{force} s/{motion_unit}" if kind == "viscous" else force
            columns.append(ParameterColumn(f"{line.owner}.{kind}", kind, line.owner, unit))
    return tuple(columns)


def payload_columns(mech: Mechanism, title: str) -> tuple[ParameterColumn, ...]:
    """The ten columns of a payload, named as those of a body."""
    ends = [name.removeprefix(mech.bodies[0].name) for name in parameter_names(mech)[:10]]
    return tuple(
        ParameterColumn(title + end, kind, title, UNIT_BY_KIND[kind])
        for end, kind in zip(ends, BODY_PARAMETER_KINDS, strict=True)
    )


def _body_columns(mech: Mechanism) -> Iterator[tuple[ParameterKind, str, str]]:
    for body in mech.bodies:
        for kind in BODY_PARAMETER_KINDS:
            yield kind, body.name, UNIT_BY_KIND[kind]


def _wheel_columns(mech: Mechanism) -> Iterator[tuple[ParameterKind, str, str]]:
    for spin in mech.spins:
        yield "wheel", spin.name, UNIT_BY_KIND["wheel"]


def _spring_columns(mech: Mechanism) -> Iterator[tuple[ParameterKind, str, str]]:
    for spring in mech.springs:
        stiffness = _stiffness_unit(mech, spring)
        yield "stiffness", spring.name, stiffness
        yield "damping", spring.name, stiffness.replace("/", " s/")


def _stiffness_unit(mech: Mechanism, spring: Spring) -> str:
    """N/m if the spring connects prismatic joints only, otherwise Nm/rad."""
    units = {speed_unit(mech, mech.speeds[index]) for index, _ in spring.terms}
    return "N/m" if units == {"m"} else "Nm/rad"
