"""Numbers of planets as symbols: what a link or wheel has of them is so many times what one planet brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from gearwright.equations.symbolic_machine import Names, parameters_of
from gearwright.equations.trig_polynomial import Trig, symbol
from gearwright.mechanism import Mechanism, RobotOrMech, assemble
from gearwright.parts import Drive, Robot

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
