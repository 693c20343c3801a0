"""Names of the symbols of a closed form: numbered, or as in the file and the literature."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gearwright.algebra import IDENTITY, UNIT_AXES, ZERO, Rot, Scalar, Vec, is_number
from gearwright.mechanism import BASE, Body, Mechanism
from gearwright.parts import Link, Robot
from gearwright.parts.link import LINK_FRAME, StatedFrame, StatedLength


class NamedLength(NamedTuple):
    """A length with the name of its symbol, its value [m], its direction in the parent's axes, and its meaning."""

    name: str
    value: Scalar
    direction: Vec
    meaning: str


@dataclass(frozen=True)
class SymbolNames:
    """Numbered names: m2, mx2, Ixx2, lx2, J2, k2; base parameters p1, p2, ..."""

    group: str = "p"
    """The letter of base parameters."""

    def inertial_name(self, key: str, number: int) -> str:
        """One of the ten parameters of a body."""
        return key.replace("mc", "m") + str(number)

    def parameter_axes(self, body: Body) -> Rot:
        """Return the axes of its named parameters, relative to the body's own axes."""
        return IDENTITY

    def joint_lengths(self, number: int, body: Body) -> list[NamedLength]:
        """Return the lengths from the parent's origin to the joint."""
        return [
            NamedLength(
                self.length_name(axis, number), value, unit, f"{body.name}: {axis} of its joint in the parent [m]"
            )
            for axis, value, unit in zip("xyz", body.position, UNIT_AXES, strict=True)
        ]

    def length_name(self, axis: str, number: int) -> str:
        """A coordinate of a joint."""
        return f"l{axis}{number}"

    def inertia_name(self, number: int, name: str) -> str:
        """The inertia of a wheel."""
        return f"J{number}"

    def ratio_name(self, number: int, name: str) -> str:
        """The ratio of a wheel."""
        return f"k{number}"

    def mesh_name(self, number: int, first: str, second: str) -> str:
        """The ratio of a gear pair."""
        return f"g{number}"


NUMBERED_NAMES = SymbolNames()


@dataclass(frozen=True)
class FileSymbolNames(SymbolNames):
    """Names as in the literature: m2, m2x (first moment), I2xx, a2, d1, Im2 and kr2 of motor 2, I4 of wheel w4.

    Parameters of a link are in the axes in which the file states it, about its joint's origin: with standard
    Denavit-Hartenberg these are the hatted ones of Sciavicco, Siciliano and Villani, eq. (31). A position given
    by its coordinates has the name l2x; a wheel without a number of its own J5.
    """

    group: str = "pi"
    stated: Mapping[str, StatedFrame] = field(default_factory=dict)
    parents: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Name and number of each body's parent."""
    wheels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Names of the inertia and the ratio of each wheel."""

    def inertial_name(self, key: str, number: int) -> str:
        """m2, m2x, I2xx."""
        letter, axes = key[0], key[1:].replace("c", "")
        return f"{letter}{number}{axes}"

    def parameter_axes(self, body: Body) -> Rot:
        """The axes of the frame in which the file states the link."""
        return self.stated.get(body.name, LINK_FRAME).rotation

    def joint_lengths(self, number: int, body: Body) -> list[NamedLength]:
        """Return the file's a and d if they define the position; otherwise its coordinates."""
        parent, parent_number = self.parents.get(body.name, ("base", 0))
        before, stated_frame = self.stated.get(parent, LINK_FRAME), self.stated.get(body.name, LINK_FRAME)
        joint = [StatedLength(x.letter, x.value, before.rotation @ x.direction) for x in stated_frame.joint]
        named_lengths = [
            *_named_lengths(parent, parent_number, before.lengths),
            *_named_lengths(body.name, number, joint),
        ]
        total = sum((x.direction * x.value for x in named_lengths), ZERO)
        gap = body.position - total
        if named_lengths and all(is_number(x) and abs(x) < 1e-12 for x in gap):
            return named_lengths
        return super().joint_lengths(number, body)

    def length_name(self, axis: str, number: int) -> str:
        """A coordinate of a joint that the file gives as such."""
        return f"l{number}{axis}"

    def inertia_name(self, number: int, name: str) -> str:
        """Im2 of the motor at joint 2, I4 of wheel w4."""
        return self.wheels[name][0] if name in self.wheels else super().inertia_name(number, name)

    def ratio_name(self, number: int, name: str) -> str:
        """kr2 of the motor at joint 2."""
        return self.wheels[name][1] if name in self.wheels else f"kJ{number}"

    def mesh_name(self, number: int, first: str, second: str) -> str:
        """g14 where wheel w4 meshes with link1: the numbers in the names, as Chen and Wang write, eq. (9)."""
        inner, outer = _trailing_digits(second), _trailing_digits(first)
        return f"g{inner}{outer}" if inner and outer else f"g_{number}"


def file_symbol_names(machine: Robot | Mechanism, mech: Mechanism) -> FileSymbolNames:
    """Return the names of a robot's file, or, for a machine without a file, those of its bodies' own frames."""
    links: Iterable[Link] = machine.links if isinstance(machine, Robot) else ()
    numbers = {body.name: (k + 1) for k, body in enumerate(mech.bodies)}
    names = [body.name for body in mech.bodies]
    parents = {body.name: names[mech.parent_of(k)] for k, body in enumerate(mech.bodies) if mech.parent_of(k) != BASE}
    return FileSymbolNames(
        stated={link.name: link.stated for link in links},
        parents={name: (parent, numbers[parent]) for name, parent in parents.items()},
        wheels=_wheel_symbols(mech),
    )


def _named_lengths(owner: str, number: int, lengths: Iterable[StatedLength]) -> list[NamedLength]:
    return [
        NamedLength(f"{x.letter}{number}", x.value, x.direction, f"{owner}: {x.letter} of its joint [m]")
        for x in lengths
    ]


def _wheel_symbols(mech: Mechanism) -> dict[str, tuple[str, str]]:
    """Return the names of inertia and ratio of each wheel whose own name has a number."""
    numbers = {body.speed_name: k + 1 for k, body in enumerate(mech.bodies)}
    symbols_by_wheel: dict[str, tuple[str, str]] = {}
    for spin in mech.spins:
        joint, _, member = spin.name.rpartition(".")
        digits = _trailing_digits(spin.name)
        if joint in numbers and re.fullmatch("[A-Za-z]+", member):
            letters = ("m", "r") if member == "rotor" else (member, member)
            pair = (f"I{letters[0]}{numbers[joint]}", f"k{letters[1]}{numbers[joint]}")
        elif digits and "." not in spin.name:
            pair = (f"I{digits}", f"k{digits}")
        else:
            continue
        if all(pair[0] != used_pair[0] for used_pair in symbols_by_wheel.values()):
            symbols_by_wheel[spin.name] = pair
    return symbols_by_wheel


def _trailing_digits(name: str) -> str:
    """Return the number at the end of a name, if it has one."""
    match = re.search("[0-9]+$", name)
    return match[0] if match else ""
