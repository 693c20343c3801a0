"""A machine whose numbers are symbols, for reading its equations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from math import cos, sin
from typing import Any

from gearwright.algebra import ZERO, Rot, Scalar, Tensor, Vec, is_number
from gearwright.dynamics.regressor import BODY_PARAMETERS
from gearwright.equations.trig_polynomial import Trig, angle, symbol
from gearwright.errors import InputError, JointError
from gearwright.mechanism import Body, Mechanism, Spin, Spring

KINDS = ("inertias", "lengths", "ratios", "gravity", "springs")
"""What may stay symbolic."""


@dataclass
class Names:
    """The symbols in use: name -> value, and what each means."""

    keep: Collection[str]
    values: dict[str, float] = field(default_factory=dict)
    meanings: dict[str, str] = field(default_factory=dict)

    def scalar(self, kind: str, name: str, value: Scalar, meaning: str) -> Scalar:
        """A symbol for a number that is kept; the number itself if it is not, or is zero."""
        if not is_number(value):
            return value
        value = float(value)
        if abs(value) < 1e-14:
            return 0.0
        if kind not in self.keep and name not in self.keep:
            return value
        self.values[name], self.meanings[name] = value, meaning
        return symbol(name)


def symbolic_machine(
    mech: Mechanism, keep: Collection[str], ratios: Mapping[str, tuple[float, str]] | None = None
) -> tuple[Mechanism, Names]:
    """The machine with symbols for what is kept and numbers for the rest; zeros stay zeros.

    Per body i the ten parameters about its origin, m1, mx1, ..., Ixx1, ...; positions lx1, ly1, lz1, pitch h1; per
    spin J1, ... and its ratios k1, ...; gravity g; stiffness K1 and damping D1 per spring. `ratios` are symbols that
    rows of spins contain already, with value and meaning.
    """
    _refuse(mech)
    names = Names(keep)
    for name, (value, meaning) in (ratios or {}).items():
        names.values[name], names.meanings[name] = value, meaning
    machine = Mechanism(
        bodies=[_body(names, i + 1, body) for i, body in enumerate(mech.bodies)],
        spins=[_spin(names, mech, j + 1, spin) for j, spin in enumerate(mech.spins)],
        shafts=mech.shafts,
        springs=[_spring(names, j + 1, spring) for j, spring in enumerate(mech.springs)],
        gravity=_gravity(names, mech.gravity),
    )
    unknown = [name for name in keep if name not in KINDS and name not in names.values]
    if unknown:
        raise InputError(
            f"closed form: there is nothing called {unknown[0]!r} to keep. Use {', '.join(KINDS)}, or a symbol's name."
        )
    return machine, names


def _refuse(mech: Mechanism) -> None:
    for body in mech.bodies:
        if body.kind.space.quaternion is not None:
            raise JointError(
                f"closed form: body {body.name!r} has a {body.joint} joint, which has no angle to write. "
                "Replace it by revolute and prismatic joints."
            )


def _body(names: Names, number: int, body: Body) -> Body:
    numbers = dict(zip(BODY_PARAMETERS, body.about_origin, strict=True))
    kept = {
        key: names.scalar("inertias", key.replace("mc", "m") + str(number), value, f"{body.name}.{key}")
        for key, value in numbers.items()
    }
    mass, moment = kept["m"], Vec(kept["mcx"], kept["mcy"], kept["mcz"])
    tensor = Tensor(*(kept[key] for key in BODY_PARAMETERS[4:]))
    # Mass and first moment are one symbol each, so that their quotient is a monomial.
    com = ZERO if is_number(mass) and mass == 0 else moment * (1 / mass)
    position = [
        names.scalar("lengths", f"l{axis}{number}", value, f"{body.name}: {axis} of its joint in the parent [m]")
        for axis, value in zip("xyz", body.position, strict=True)
    ]
    return replace(
        body,
        mass=mass,
        com=com,
        inertia=tensor - Tensor.point(com, mass),
        position=position,
        rotation=_snapped(body.rotation),
        axis=_rounded(body.axis),
        axis2=None if body.axis2 is None else _rounded(body.axis2),
        pitch=_pitch(names, number, body),
        effective=True,
    )


def _pitch(names: Names, number: int, body: Body) -> Scalar | None:
    meaning = f"{body.name}: pitch of its joint [m/rad]"
    return None if body.pitch is None else names.scalar("lengths", f"h{number}", body.pitch, meaning)


def _spin(names: Names, mech: Mechanism, number: int, spin: Spin) -> Spin:
    inertia = names.scalar("inertias", f"J{number}", spin.inertia, f"{spin.name}.J")
    single = len(spin.terms) == 1
    if any(not is_number(value) for _, value in spin.terms):  # its row is made of the ratios of a train
        names = Names(())
    ratio = {
        mech.speeds[index]: names.scalar(
            "ratios", f"k{number}" + ("" if single else f"_{index + 1}"), value, f"{spin.name} per {mech.speeds[index]}"
        )
        for index, value in spin.terms
    }
    coupling = None if spin.coupling is None else inertia * spin.coupling_share
    if coupling is not None and spin.coupling_share == 0:
        coupling = 0.0
    return replace(spin, inertia=inertia, ratio=ratio, coupling=coupling, axis=_rounded(spin.axis), rest=None)


def _spring(names: Names, number: int, spring: Spring) -> Spring:
    stiffness = names.scalar("springs", f"K{number}", spring.stiffness, f"{spring.name}.stiffness")
    damping = names.scalar("springs", f"D{number}", spring.damping, f"{spring.name}.damping")
    return replace(spring, stiffness=stiffness, damping=damping)


def _gravity(names: Names, gravity: Vec) -> list[Scalar]:
    """Gravity along a base axis as one symbol g > 0; any other direction in numbers."""
    size = max(abs(x) for x in gravity)
    if sum(1 for x in gravity if x) != 1:
        return list(gravity)
    g = names.scalar("gravity", "g", size, "acceleration of gravity [m/s2]")
    return [g * (1.0 if x > 0 else -1.0) if x else 0.0 for x in gravity]


def _rounded(v: Vec) -> Vec:
    """Entries that are 0 or +-1 but for rounding, made exact."""
    return Vec(*(round(x) * 1.0 if abs(x - round(x)) < 1e-12 else x for x in v))


def _snapped(R: Rot) -> Rot:
    return Rot(_rounded(R.a), _rounded(R.b), _rounded(R.c))


@dataclass(frozen=True)
class Angles:
    """The angles among the coordinates in groups of parallel axes, and cos and sin of their integer combinations."""

    groups: tuple[tuple[int, ...], ...]
    """Per group the coordinate indices."""
    symbols: tuple[str, ...]
    """Per coordinate its symbol."""

    def place(self, coordinate: int) -> tuple[int, int]:
        """Group and place in the group of a coordinate."""
        for g, group in enumerate(self.groups):
            if coordinate in group:
                return g, group.index(coordinate)
        raise InputError(f"closed form: {self.symbols[coordinate]} is not an angle.")

    def cos(self, x: Trig, /) -> Trig:
        """The cosine of a sum of angles and a number."""
        return self._wave(x)[0]

    def sin(self, x: Trig, /) -> Trig:
        """The sine of a sum of angles and a number."""
        return self._wave(x)[1]

    def _wave(self, x: Trig) -> tuple[Trig, Trig]:
        cosine: Any = Trig({((), ()): 1.0})
        sine: Any = Trig({})
        for (_, powers), factor in x.terms.items():
            if not powers:
                c, s = cos(factor), sin(factor)
            else:
                c, s = self._multiple(powers[0][0], factor)
            cosine, sine = cosine * c - sine * s, sine * c + cosine * s
        return cosine, sine

    def _multiple(self, name: str, factor: float) -> tuple[Any, Any]:
        if factor != round(factor):
            raise InputError(
                f"closed form: the angle {factor:g} {name} (a joint that follows another) has no polynomial form. "
                "Only whole multiples do."
            )
        group, place = self.place(self.symbols.index(name))
        k = [0] * len(self.groups[group])
        k[place] = round(factor)
        return angle(group, k)


def parallel_groups(mech: Mechanism) -> tuple[tuple[int, ...], ...]:
    """Angles whose axes stay parallel: a revolute joint and the next one along the chain; all others are alone."""
    groups: list[list[int]] = []
    member: dict[int, list[int]] = {}
    for i, body in enumerate(mech.bodies):
        if body.follows is not None:
            continue
        angles = [mech.joints[i].first + k for k, unit in enumerate(body.kind.units) if unit == "rad"]
        if not body.kind.hinges:
            groups += [[angle] for angle in angles]
            continue
        inner, axis = _inner_revolute(mech, i)
        (coordinate,) = angles
        if inner is not None and abs(abs(axis.dot(mech.bodies[inner].axis)) - 1) < 1e-12 and inner in member:
            group = member[inner]
        else:
            group = []
            groups.append(group)
        group.append(coordinate)
        member[i] = group
    return tuple(tuple(group) for group in groups)


def _inner_revolute(mech: Mechanism, i: int) -> tuple[int | None, Vec]:
    """The next revolute body towards the base, and body i's axis in that body's axes."""
    axis = mech.bodies[i].rotation @ mech.bodies[i].axis
    parent = mech.parent(i)
    while parent >= 0 and not mech.bodies[parent].kind.turns:
        axis = mech.bodies[parent].rotation @ axis
        parent = mech.parent(parent)
    return (parent if parent >= 0 and mech.bodies[parent].kind.hinges else None), axis
