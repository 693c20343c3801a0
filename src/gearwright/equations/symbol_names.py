"""What the symbols of a closed form are called: by numbers, or as in the file and in print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Scalar, Vec, is_number
from gearwright.mechanism import Body, Mechanism
from gearwright.parts import Link, Robot
from gearwright.parts.link import UNSTATED, StatedFrame, StatedLength

UNITS = (Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))


class NamedLength(NamedTuple):
    """A length with the name of its symbol, its value [m], its direction in the parent's axes, and what it is."""

    name: str
    value: Scalar
    direction: Vec
    meaning: str


@dataclass(frozen=True)
class SymbolNames:
    """Names by numbers: m2, mx2, Ixx2, lx2, J2, k2; base parameters p1, p2, ..."""

    group: str = "p"
    """The letter of base parameters."""

    def inertial(self, key: str, number: int) -> str:
        """One of the ten parameters of a body."""
        return key.replace("mc", "m") + str(number)

    def axes(self, body: Body) -> Rot:
        """The axes, in the body's own, in which its parameters are named."""
        return IDENTITY

    def lengths(self, number: int, body: Body) -> list[NamedLength]:
        """What leads from the parent's origin to the joint."""
        return [
            NamedLength(self.length(axis, number), value, unit, f"{body.name}: {axis} of its joint in the parent [m]")
            for axis, value, unit in zip("xyz", body.position, UNITS, strict=True)
        ]

    def length(self, axis: str, number: int) -> str:
        """A coordinate of a joint."""
        return f"l{axis}{number}"

    def wheel(self, number: int, name: str) -> str:
        """The inertia of a wheel."""
        return f"J{number}"

    def ratio(self, number: int, name: str) -> str:
        """The ratio of a wheel."""
        return f"k{number}"

    def mesh(self, number: int, first: str, second: str) -> str:
        """The ratio of a gear pair."""
        return f"g{number}"


NUMBERED = SymbolNames()


@dataclass(frozen=True)
class FileNames(SymbolNames):
    """Names as in print: m2, m2x (its first moment), I2xx, a2, d1, Im2 and kr2 of the motor at joint 2, I4 of wheel w4.

    Parameters of a link are in the axes in which the file states it, about its joint's origin: with standard
    Denavit-Hartenberg these are the hatted ones of Sciavicco, Siciliano and Villani, eq. (31). What the file does not
    name (a position by its coordinates) is called l2x; a wheel without a number of its own J5.
    """

    group: str = "pi"
    stated: Mapping[str, StatedFrame] = field(default_factory=dict)
    parents: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Per body its parent's name and number."""
    wheels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Per wheel the names of its inertia and of its ratio."""

    def inertial(self, key: str, number: int) -> str:
        """m2, m2x, I2xx."""
        letter, axes = key[0], key[1:].replace("c", "")
        return f"{letter}{number}{axes}"

    def axes(self, body: Body) -> Rot:
        """The axes of the frame in which the file states the link."""
        return self.stated.get(body.name, UNSTATED).rotation

    def lengths(self, number: int, body: Body) -> list[NamedLength]:
        """The file's a and d where they make up the position; else its coordinates."""
        parent, parent_number = self.parents.get(body.name, ("base", 0))
        before, own = self.stated.get(parent, UNSTATED), self.stated.get(body.name, UNSTATED)
        joint = [StatedLength(x.letter, x.value, before.rotation @ x.direction) for x in own.joint]
        found = [
            *_named(parent, parent_number, before.lengths),
            *_named(body.name, number, joint),
        ]
        total = sum((x.direction * x.value for x in found), ZERO)
        gap = body.position - total
        if found and all(is_number(x) and abs(x) < 1e-12 for x in gap):
            return found
        return super().lengths(number, body)

    def length(self, axis: str, number: int) -> str:
        """A coordinate of a joint that the file gives as such."""
        return f"l{number}{axis}"

    def wheel(self, number: int, name: str) -> str:
        """Im2 of the motor at joint 2, I4 of wheel w4."""
        return self.wheels[name][0] if name in self.wheels else super().wheel(number, name)

    def ratio(self, number: int, name: str) -> str:
        """kr2 of the motor at joint 2."""
        return self.wheels[name][1] if name in self.wheels else f"kJ{number}"

    def mesh(self, number: int, first: str, second: str) -> str:
        """g14 where wheel w4 meshes with link1: the numbers in the names, as Chen and Wang write, eq. (9)."""
        inner, outer = _digits(second), _digits(first)
        return f"g{inner}{outer}" if inner and outer else f"g_{number}"


def file_names(machine: Robot | Mechanism, mech: Mechanism) -> FileNames:
    """The names of a robot's file; of a machine without one those of its bodies' own frames."""
    links: Iterable[Link] = machine.links if isinstance(machine, Robot) else ()
    numbers = {body.name: (k + 1) for k, body in enumerate(mech.bodies)}
    names = [body.name for body in mech.bodies]
    parents = {body.name: names[mech.parent(k)] for k, body in enumerate(mech.bodies) if mech.parent(k) >= 0}
    return FileNames(
        stated={link.name: link.stated for link in links},
        parents={name: (parent, numbers[parent]) for name, parent in parents.items()},
        wheels=_wheels(mech),
    )


def _named(owner: str, number: int, lengths: Iterable[StatedLength]) -> list[NamedLength]:
    return [
        NamedLength(f"{x.letter}{number}", x.value, x.direction, f"{owner}: {x.letter} of its joint [m]")
        for x in lengths
    ]


def _wheels(mech: Mechanism) -> dict[str, tuple[str, str]]:
    """Names of inertia and ratio per wheel, where they can be told from the wheel's own name."""
    numbers = {body.speed_name: k + 1 for k, body in enumerate(mech.bodies)}
    found: dict[str, tuple[str, str]] = {}
    for spin in mech.spins:
        joint, _, member = spin.name.rpartition(".")
        digits = _digits(spin.name)
        if joint in numbers and re.fullmatch("[A-Za-z]+", member):
            letters = ("m", "r") if member == "rotor" else (member, member)
            pair = (f"I{letters[0]}{numbers[joint]}", f"k{letters[1]}{numbers[joint]}")
        elif digits and "." not in spin.name:
            pair = (f"I{digits}", f"k{digits}")
        else:
            continue
        if all(pair[0] != other[0] for other in found.values()):
            found[spin.name] = pair
    return found


def _digits(name: str) -> str:
    """The number at the end of a name, if it has one."""
    found = re.search("[0-9]+$", name)
    return found[0] if found else ""
