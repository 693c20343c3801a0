"""A machine whose numbers are symbols: inertial parameters, lengths, ratios of gear trains and numbers of planets.

The rows of a train's wheels are solved from its graph, as products of ratios. What a link or wheel has of planets is
their number times the contribution of one planet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gearwright.algebra import ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_number
from gearwright.dynamics.regressor import BODY_PARAMETERS
from gearwright.equations.symbol_names import NUMBERED, SymbolNames
from gearwright.equations.trigonometric_polynomial import Trig, symbol
from gearwright.errors import GearwrightError, InputError, JointError
from gearwright.mechanism import Actuator, Body, Mechanism, RobotOrMech, Spin, Spring, assemble, machine_of
from gearwright.parts import Drive, Mesh, Robot

# Machines of symbols

KINDS = ("inertias", "lengths", "ratios", "gravity", "springs", "planets")
"""What may stay symbolic."""


@dataclass
class Names:
    """The symbols in use: name -> value, and what each means."""

    keep: Collection[str]
    called: SymbolNames = NUMBERED
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
    mech: Mechanism,
    keep: Collection[str],
    ratios: Mapping[str, tuple[float, str]] | None = None,
    called: SymbolNames = NUMBERED,
) -> tuple[Mechanism, Names]:
    """The machine with symbols for what is kept and numbers for the rest; zeros stay zeros.

    Per body i the ten parameters about its origin, m1, mx1, ..., Ixx1, ...; positions lx1, ly1, lz1, pitch h1; per
    spin J1, ... and its ratios k1, ...; gravity g; stiffness K1 and damping D1 per spring; `called` may name them in
    another way. `ratios` are symbols that rows of spins contain already, with value and meaning.
    """
    _refuse(mech)
    names = Names(keep, called)
    for name, (value, meaning) in (ratios or {}).items():
        names.values[name], names.meanings[name] = value, meaning
    machine = Mechanism(
        bodies=[_body(names, i + 1, body) for i, body in enumerate(mech.bodies)],
        spins=[_spin(names, mech, j + 1, spin) for j, spin in enumerate(mech.spins)],
        shafts=mech.shafts,
        springs=[_spring(names, j + 1, spring) for j, spring in enumerate(mech.springs)],
        actuators=[_actuator(names, mech, actuator) for actuator in mech.actuators],
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


def parameters_of(body: Body, inertia: Inertia, called: SymbolNames) -> dict[str, Scalar]:
    """The ten parameters about the body's origin, in the axes in which they are named."""
    turned = inertia.moved(_snapped(called.axes(body)).T, ZERO)
    return dict(zip(BODY_PARAMETERS, turned, strict=True))


def _body(names: Names, number: int, body: Body) -> Body:
    kept = {
        key: names.scalar("inertias", names.called.inertial(key, number), value, f"{body.name}.{key}")
        for key, value in parameters_of(body, body.about_origin, names.called).items()
    }
    axes = _snapped(names.called.axes(body))
    mass, moment = kept["m"], axes @ Vec(kept["mcx"], kept["mcy"], kept["mcz"])
    tensor = Tensor(*(kept[key] for key in BODY_PARAMETERS[4:])).rotated(axes)
    # Mass and first moment are one symbol each, so that their quotient is a monomial.
    com = ZERO if is_number(mass) and mass == 0 else moment * (1 / mass)
    return replace(
        body,
        mass=mass,
        com=com,
        inertia=tensor - Tensor.point(com, mass),
        position=_position(names, number, body),
        rotation=_snapped(body.rotation),
        axis=_rounded(body.axis),
        axis2=None if body.axis2 is None else _rounded(body.axis2),
        pitch=_pitch(names, number, body),
        effective=True,
    )


def _position(names: Names, number: int, body: Body) -> Vec:
    """Where the joint is in its parent: a sum of the lengths that have names, each along its direction."""
    total = ZERO
    for length in names.called.lengths(number, body):
        size = names.scalar("lengths", length.name, length.value, length.meaning)
        total = total + _rounded(length.direction) * size
    return total


def _pitch(names: Names, number: int, body: Body) -> Scalar | None:
    meaning = f"{body.name}: pitch of its joint [m/rad]"
    return None if body.pitch is None else names.scalar("lengths", f"h{number}", body.pitch, meaning)


def _spin(names: Names, mech: Mechanism, number: int, spin: Spin) -> Spin:
    called = names.called
    inertia = names.scalar("inertias", called.wheel(number, spin.name), spin.inertia, f"{spin.name}.J")
    single = len(spin.terms) == 1
    if any(not is_number(value) for _, value in spin.terms):  # its row is made of the ratios of a train
        names = Names(())
    ratio = {
        mech.speeds[index]: names.scalar(
            "ratios",
            called.ratio(number, spin.name) + ("" if single else f"_{index + 1}"),
            value,
            f"{spin.name} per {mech.speeds[index]}",
        )
        for index, value in spin.terms
    }
    coupling = None if spin.coupling is None else inertia * spin.coupling_share
    if coupling is not None and spin.coupling_share == 0:
        coupling = 0.0
    return replace(spin, inertia=inertia, ratio=ratio, coupling=coupling, axis=_rounded(spin.axis), rest=None)


def _actuator(names: Names, mech: Mechanism, actuator: Actuator) -> Actuator:
    """A motor whose row is that of a wheel has the wheel's ratio; any other row stays as it is."""
    for number, spin in enumerate(mech.spins, start=1):
        if spin.terms == actuator.terms and spin.name.startswith(f"{actuator.name}."):
            return replace(actuator, row=_spin(names, mech, number, spin).ratio)
    return replace(actuator, row={mech.speeds[index]: value for index, value in actuator.terms})


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


# Numbers of planets

FEWEST = 3
"""Fewer planets do not look the same from every side: the links' numbers are then not proportional to them."""


class Planets(NamedTuple):
    """The planets of a drive's stage: the wheel that stands for them, how many, and the symbol of that number."""

    wheel: str
    number: int
    symbol: str
    drive: Drive


def shown_planets(machine: RobotOrMech, names: Names) -> dict[str, Trig]:
    """Per symbol that counts planets what it is made of, n times that of one planet (Fernini, eqs 55 to 62).

    The symbols of a link become those of the link without its planets.
    """
    if not isinstance(machine, Robot) or "planets" not in names.keep:
        return {}
    table: dict[str, Trig] = {}
    whole = assemble(machine)
    for planets in _planets(machine):
        names.values[planets.symbol] = float(planets.number)
        names.meanings[planets.symbol] = f"{planets.wheel}: how many"
        table |= _wheel(planets, whole, names)
        for name, share in _links(planets, machine, whole, names).items():
            table[name] = table.get(name, symbol(name)) + share
    return table


def _planets(robot: Robot) -> Iterator[Planets]:
    numbers = {k: int(getattr(drive.gear, "planets", 0)) for k, drive in enumerate(robot.drives)}
    shown = {k: number for k, number in numbers.items() if number >= FEWEST}
    alike = len(set(shown.values())) == 1
    for k, number in shown.items():
        drive = robot.drives[k]
        yield Planets(f"{drive.title}.planets", number, "n" if alike else f"n{k + 1}", drive)


def _wheel(planets: Planets, mech: Mechanism, names: Names) -> dict[str, Trig]:
    """The wheels that stand for all planets: those that spin, and their mass where it orbits with a carrier."""
    table: dict[str, Trig] = {}
    for number, spin in enumerate(mech.spins, start=1):
        name = names.called.wheel(number, spin.name)
        if spin.name in (planets.wheel, f"{planets.drive.title}.orbit") and name in names.values:
            names.values[name] /= planets.number
            names.meanings[name] += " of one planet"
            table[name] = symbol(planets.symbol) * symbol(name)
    return table


def _links(planets: Planets, robot: Robot, whole: Mechanism, names: Names) -> dict[str, Trig]:
    """What one planet brings to its link is the difference to the robot without planets, by their number."""
    table: dict[str, Any] = {}
    bare = assemble(_without(robot, planets.drive))
    for number, (full, rest) in enumerate(zip(whole.bodies, bare.bodies, strict=True), start=1):
        values = parameters_of(full, full.about_origin, names.called)
        others = parameters_of(rest, rest.about_origin, names.called)
        for key, value in values.items():
            one = float(value - others[key]) / planets.number
            name = names.called.inertial(key, number)
            if abs(one) > 1e-12 * (1 + abs(value)) and name in names.values:
                table[name] = _share(name, one, planets, names)
    return table


def _share(name: str, one: float, planets: Planets, names: Names) -> Trig:
    """The planets' part of a link's number, which is then that of the link without them."""
    planet = f"{name}p{planets.symbol[1:]}"  # m1p, or m1p2 where the stage has a number of its own
    if "without planets" not in names.meanings[name]:
        names.meanings[name] += " without planets"
    names.values[name] -= one * planets.number
    names.values[planet] = names.values.get(planet, 0.0) + one
    names.meanings[planet] = f"{names.meanings[name].removesuffix(' without planets')} of one planet"
    return symbol(planets.symbol) * symbol(planet)


def _without(robot: Robot, drive: Drive) -> Robot:
    gear: Any = drive.gear
    bare = replace(gear, planet_member=replace(gear.planet_member, included=True))
    drives = [replace(other, gear=bare) if other is drive else other for other in robot.drives]
    return replace(robot, drives=tuple(drives))


def written_out(value: Any, table: Mapping[str, Trig]) -> Any:
    """The value with every symbol of the table replaced; those stand in it to the first power only."""
    if not isinstance(value, Trig) or not table:
        return value
    total: Any = Trig({})
    for (waves, powers), factor in value.terms.items():
        kept = tuple((name, power) for name, power in powers if name not in table)
        term: Any = Trig({(waves, kept): factor})
        for name, power in powers:
            if name in table:
                term = _times(term, table[name], power)
        total = total + term
    return total


def _times(term: Trig, factor: Trig, power: int) -> Trig:
    for _ in range(power):
        term = term * factor
    return term


# Ratios of gear trains

Ratios = dict[str, tuple[float, str]]
"""Symbol -> its value, and which gears it belongs to."""


def machine_with_ratios(
    caller: str, machine: RobotOrMech, keep: Collection[str], called: SymbolNames = NUMBERED
) -> tuple[Mechanism, Ratios]:
    """The machine, with a symbol g1, g2, ... for every kept ratio of a train's mesh (Chen and Wang, eq. 9).

    Meshes that state teeth, and trains that cannot be solved with symbols (a loop closes for certain numbers only, or a
    row is a quotient of sums), stay numbers: their wheels' rows are then symbols of their own.
    """
    if isinstance(machine, Robot) and machine.trains:
        robot, ratios = _with_symbols(machine, keep, called)
        if ratios:
            try:
                return assemble(robot), ratios
            except GearwrightError:
                pass  # the numbers will do; if they do not either, the next line says why
    return machine_of(caller, machine, "names"), {}


def _with_symbols(robot: Robot, keep: Collection[str], called: SymbolNames) -> tuple[Robot, Ratios]:
    ratios: Ratios = {}
    number = 0
    trains = []
    for train in robot.trains:
        meshes: list[Mesh] = []
        for mesh in train.meshes:
            number += 1
            name = called.mesh(number, mesh.first, mesh.second)
            name = name if name not in ratios else f"g_{number}"
            if mesh.ratio is not None and ("ratios" in keep or name in keep):
                ratios[name] = float(mesh.ratio), f"{train.name}: {mesh.first} per {mesh.second}"
                mesh = replace(mesh, ratio=symbol(name))
            meshes.append(mesh)
        trains.append(replace(train, meshes=tuple(meshes)))
    return replace(robot, trains=tuple(trains)), ratios
