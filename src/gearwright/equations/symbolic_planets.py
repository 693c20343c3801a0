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
    count: int
    symbol: str
    drive: Drive


def shown_planets(machine: RobotOrMech, names: Names) -> dict[str, Trig]:
    """Per symbol that counts planets what it is made of, n times that of one planet (Fernini, eqs 55 to 62).

    The symbols of a link become those of the link without its planets.
    """
    if not isinstance(machine, Robot) or "planets" not in names.keep:
        return {}
    found = list(_planets(machine))
    table: dict[str, Trig] = {}
    whole = assemble(machine)
    for planets in found:
        names.values[planets.symbol] = float(planets.count)
        names.meanings[planets.symbol] = f"{planets.wheel}: how many"
        table |= _wheel(planets, whole, names)
        table |= _links(planets, machine, whole, names)
    return table


def _planets(robot: Robot) -> Iterator[Planets]:
    drives = [drive for drive in robot.drives if getattr(drive.gear, "planets", 0) >= FEWEST]
    alike = len({drive.gear.planets for drive in drives}) == 1  # type: ignore[union-attr]
    for drive in drives:
        count = drive.gear.planets  # type: ignore[union-attr]
        yield Planets(f"{drive.title}.planets", count, "n" if alike else f"n{robot.drives.index(drive) + 1}", drive)


def _wheel(planets: Planets, mech: Mechanism, names: Names) -> dict[str, Trig]:
    for number, spin in enumerate(mech.spins, start=1):
        name = names.called.wheel(number, spin.name)
        if spin.name == planets.wheel and name in names.values:
            names.values[name] /= planets.count
            names.meanings[name] += " of one planet"
            return {name: symbol(planets.symbol) * symbol(name)}
    return {}


def _links(planets: Planets, robot: Robot, whole: Mechanism, names: Names) -> dict[str, Trig]:
    """What one planet brings to its link is the difference to the robot without planets, by their number."""
    table: dict[str, Any] = {}
    bare = assemble(_without(robot, planets.drive))
    for number, (full, rest) in enumerate(zip(whole.bodies, bare.bodies, strict=True), start=1):
        values = parameters_of(full, full.about_origin, names.called)
        others = parameters_of(rest, rest.about_origin, names.called)
        for key, value in values.items():
            one = float(value - others[key]) / planets.count
            name = names.called.inertial(key, number)
            if abs(one) > 1e-12 * (1 + abs(value)) and name in names.values:
                table[name] = _share(name, one, planets, names)
    return table


def _share(name: str, one: float, planets: Planets, names: Names) -> Trig:
    planet = f"{name}p"
    names.values[name] -= one * planets.count
    names.values[planet] = one
    names.meanings[planet] = f"{names.meanings[name]} of one planet"
    names.meanings[name] += " without planets"
    rest = symbol(name) if abs(names.values[name]) > 1e-14 else 0.0
    return symbol(planets.symbol) * symbol(planet) + rest


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
