"""What every column of a torque model stands for: its kind, whose it is, its unit. Names are for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from gearwright.functions.dynamics import parameter_names
from gearwright.mechanism import Mechanism, Spring
from gearwright.mechanism.units import force_unit, speed_unit

Friction: TypeAlias = Literal["viscous", "coulomb", "offset"]
FRICTION: tuple[Friction, ...] = ("viscous", "coulomb", "offset")
Kind: TypeAlias = Literal["mass", "moment", "inertia", "wheel", "stiffness", "damping", "viscous", "coulomb", "offset"]

_MOMENT: tuple[Kind] = ("moment",)
_INERTIA: tuple[Kind] = ("inertia",)
OF_A_BODY: tuple[Kind, ...] = ("mass", *3 * _MOMENT, *6 * _INERTIA)
"""The ten parameters of a rigid body: m, m c, and the six elements of its tensor."""

NOT_NEGATIVE: frozenset[Kind] = frozenset({"wheel", "stiffness", "damping", "viscous", "coulomb"})
"""What cannot be negative on its own; whether a body's ten are possible is a matter of all of them."""

UNITS: dict[Kind, str] = {"mass": "kg", "moment": "kg m", "inertia": "kg m2", "wheel": "kg m2"}


class Column(NamedTuple):
    """One parameter: its name, its kind, the body, wheel, spring or speed it belongs to, and its unit.

    >>> from gearwright.mechanism import Body
    >>> machine_columns(Mechanism([Body("arm", mass=1, com=(0.2, 0, 0))]))[1]
    Column(name='arm.mcx', kind='moment', owner='arm', unit='kg m')
    """

    name: str
    kind: Kind
    owner: str
    unit: str


def machine_columns(mech: Mechanism) -> tuple[Column, ...]:
    """Those of the machine itself, in the order of `parameter_names`."""
    stated = [*_of_bodies(mech), *_of_wheels(mech), *_of_springs(mech)]
    return tuple(Column(name, *rest) for name, rest in zip(parameter_names(mech), stated, strict=True))


def friction_columns(mech: Mechanism, kinds: Sequence[Friction]) -> tuple[Column, ...]:
    """Per speed those of friction."""
    found = []
    for speed in mech.speeds:
        force, way = force_unit(mech, speed), speed_unit(mech, speed)
        for kind in kinds:
            found.append(Column(f"{speed}.{kind}", kind, speed, f"{force} s/{way}" if kind == "viscous" else force))
    return tuple(found)


def payload_columns(mech: Mechanism, word: str) -> tuple[Column, ...]:
    """The ten of a payload, named as those of a body."""
    ends = [name.removeprefix(mech.bodies[0].name) for name in parameter_names(mech)[:10]]
    return tuple(Column(word + end, kind, word, UNITS[kind]) for end, kind in zip(ends, OF_A_BODY, strict=True))


def _of_bodies(mech: Mechanism) -> Iterator[tuple[Kind, str, str]]:
    for body in mech.bodies:
        for kind in OF_A_BODY:
            yield kind, body.name, UNITS[kind]


def _of_wheels(mech: Mechanism) -> Iterator[tuple[Kind, str, str]]:
    for spin in mech.spins:
        yield "wheel", spin.name, UNITS["wheel"]


def _of_springs(mech: Mechanism) -> Iterator[tuple[Kind, str, str]]:
    for spring in mech.springs:
        stiffness = _stiffness_unit(mech, spring)
        yield "stiffness", spring.name, stiffness
        yield "damping", spring.name, stiffness.replace("/", " s/")


def _stiffness_unit(mech: Mechanism, spring: Spring) -> str:
    """N/m when everything that the spring joins slides."""
    ways = {speed_unit(mech, mech.speeds[index]) for index, _ in spring.terms}
    return "N/m" if ways == {"m"} else "Nm/rad"
