"""The variables of an FMU: names, value references, units and numbers at the start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gearwright.export.fmi.model_source import FmuModel
from gearwright.mechanism.units import coordinate_unit, force_unit, speed_unit
from gearwright.system.open_systems.open_system import MOTOR_TORQUE, TORQUE
from gearwright.text import c_identifier, fresh_name

ENERGIES = ("energy.stored", "energy.kinetic", "energy.potential")
WORKS = ("energy.supplied", "energy.dissipated")


@dataclass(frozen=True)
class Variable:
    """One variable; its value reference is its place.

    Args:
        name: its name in the FMU: words of letters, digits and underscores, joined by dots.
        meaning: its name in Gearwright, and what it is.
        kind: state, rate, input, parameter, output, event or time.
        unit: its unit; "" where it has none, or none is known.
        start: its value at the start; None where it is calculated.
        state: of a rate, the place of its state.
    """

    name: str
    meaning: str
    kind: str
    unit: str = ""
    start: float | None = None
    state: int | None = None


def variables(model: FmuModel) -> list[Variable]:
    """All variables in the order of their value references, which is that of variables.h."""
    found = [Variable("time", "time", "time", "s"), *_states(model), *_inputs(model), *_outputs(model)]
    names = identifiers([one.name for one in found])
    return [_renamed(one, name) for one, name in zip(found, names, strict=True)]


def identifiers(names: Iterable[str]) -> list[str]:
    """Names as words joined by dots, numbered where two become one.

    >>> identifiers(["q.j 1", "q.j-1", "der(q.j 1)", "tau.関節", "j1.friction.static"])
    ['q.j_1', 'q.j_1_2', 'der(q.j_1)', 'tau.unnamed', 'j1.friction.static']
    """
    used: set[str] = set()
    found: dict[str, str] = {}
    result = []
    for name in names:
        inner = name.removeprefix("der(").removesuffix(")") if name.startswith("der(") else None
        if inner is not None and inner in found:
            result.append(f"der({found[inner]})")
            continue
        plain = ".".join(map(_word, name.split(".")))
        result.append(fresh_name(plain, used))
        found.setdefault(name, result[-1])
    return result


def _word(word: str) -> str:
    """A word of letters, digits and underscores; what C reserves is a word like any other."""
    plain = c_identifier(word)
    return word if plain == f"{word}_" else plain


def _renamed(one: Variable, name: str) -> Variable:
    return Variable(name, one.meaning, one.kind, one.unit, one.start, one.state)


def _states(model: FmuModel) -> Iterator[Variable]:
    system, mech = model.opened.system, model.opened.system.mech
    units = [coordinate_unit(mech, name) for name in mech.coordinates]
    units += [f"{speed_unit(mech, name)}/s" for name in mech.speeds]
    units += [*(one.unit for one in system.states.values()), "J", "J"]
    names = (*model.opened.states, *WORKS)
    for name, unit, start in zip(names, units, model.start, strict=True):
        yield Variable(name, name, "state", unit, float(start))
    for k, (name, unit) in enumerate(zip(names, units, strict=True)):
        yield Variable(f"der({name})", f"rate of {name}", "rate", _per_second(unit), state=k)


def _inputs(model: FmuModel) -> Iterator[Variable]:
    opened, mech = model.opened, model.opened.system.mech
    for name, start in zip(opened.inputs, model.first_inputs, strict=True):
        if name.startswith(TORQUE):
            unit = force_unit(mech, name.removeprefix(TORQUE))
        else:
            unit = "Nm" if name.startswith(MOTOR_TORQUE) else opened.system.inputs[name].unit
        yield Variable(name, name, "input", unit, start)
    for path, value in zip(opened.parameters, opened.nominal, strict=True):
        yield Variable(path, f"parameter {path}", "parameter", start=value)


def _outputs(model: FmuModel) -> Iterator[Variable]:
    system, mech = model.opened.system, model.opened.system.mech
    for name in mech.speeds:
        yield Variable(f"a.{name}", f"a.{name}", "output", f"{speed_unit(mech, name)}/s2")
    taken = {*model.opened.states, *model.opened.inputs, *model.opened.parameters}
    for one in system.signals.values():
        shown = f"{one.name}.signal" if one.name in taken else one.name
        yield Variable(shown, f"signal {one.name}", "output", one.unit)
    for name in ENERGIES:
        yield Variable(name, name, "output", "J")
    for name in mech.speeds:
        meaning = f"generalized force of inputs and laws at {name}"
        yield Variable(f"torque.{name}", meaning, "output", force_unit(mech, name))
    for k, ((law, mode), guard) in enumerate(model.programs.table.guards):
        ends = f"positive while {system.laws[law].name} stays {mode}; then {guard.to}"
        yield Variable(f"event.{k + 1}", ends, "event")


def _per_second(unit: str) -> str:
    if unit.endswith("/s"):
        return f"{unit}2"
    return f"{unit}/s" if unit else "1/s"


BASE: dict[str, dict[str, int]] = {
    "s": {"s": 1},
    "rad": {"rad": 1},
    "m": {"m": 1},
    "Nm": {"kg": 1, "m": 2, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "A": {"A": 1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "K": {"K": 1},
    "1": {},
}
"""Units as products of base units; their rates follow."""


def base_of(unit: str) -> dict[str, int] | None:
    """The base units of a unit; None where they are not known.

    >>> base_of("rad/s2"), base_of("A/s")
    ({'rad': 1, 's': -2}, {'A': 1, 's': -1})
    """
    whole, _, per = unit.partition("/")
    if whole not in BASE or per not in ("", "s", "s2"):
        return None
    powers = dict(BASE[whole])
    powers["s"] = powers.get("s", 0) - {"": 0, "s": 1, "s2": 2}[per]
    return {name: power for name, power in powers.items() if power}


def units(found: Sequence[Variable]) -> list[str]:
    """All units that are used."""
    return sorted({one.unit for one in found if one.unit})
