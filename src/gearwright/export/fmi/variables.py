"""The variables of an FMU: names, value references, units and initial values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gearwright.export.fmi.model_source import FmuModel
from gearwright.mechanism.units import coordinate_unit, force_unit, speed_unit
from gearwright.system.open_systems.open_system import MOTOR_TORQUE_PREFIX, TORQUE_PREFIX
from gearwright.text import c_identifier, unique_name

FMU_ENERGIES = ("energy.stored", "energy.kinetic", "energy.potential")
FMU_WORKS = ("energy.supplied", "energy.dissipated")


@dataclass(frozen=True)
class FmuVariable:
    """One variable; its value reference is its index.

    Args:
        name: its name in the FMU: words of letters, digits and underscores, joined by dots.
        meaning: its name in Gearwright, or a description.
        kind: state, rate, input, parameter, output, event or time.
        unit: its unit; "" for none.
        start: its initial value; None if it is calculated.
        state: for a rate, the index of its state.
    """

    name: str
    meaning: str
    kind: str
    unit: str = ""
    start: float | None = None
    state: int | None = None


def fmu_variables(model: FmuModel) -> list[FmuVariable]:
    """Return all variables in the order of their value references, as in variables.h."""
    unnamed = [
        FmuVariable("time", "time", "time", "s"),
        *_state_variables(model),
        *_input_variables(model),
        *_output_variables(model),
    ]
    names = dotted_identifiers([variable.name for variable in unnamed])
    return [_with_name(variable, name) for variable, name in zip(unnamed, names, strict=True)]


def dotted_identifiers(names: Iterable[str]) -> list[str]:
    """Return names as words joined by dots, numbered if two coincide.

    >>> dotted_identifiers(["q.j 1", "q.j-1", "der(q.j 1)", "tau.関節", "j1.friction.static"])
    ['q.j_1', 'q.j_1_2', 'der(q.j_1)', 'tau.unnamed', 'j1.friction.static']
    """
    used: set[str] = set()
    identifier_of: dict[str, str] = {}
    result = []
    for name in names:
        inner = name.removeprefix("der(").removesuffix(")") if name.startswith("der(") else None
        if inner is not None and inner in identifier_of:
            result.append(f"der({identifier_of[inner]})")
            continue
        plain = ".".join(map(_identifier_word, name.split(".")))
        result.append(unique_name(plain, used))
        identifier_of.setdefault(name, result[-1])
    return result


def _identifier_word(word: str) -> str:
    """Return a word of letters, digits and underscores; C keywords are allowed."""
    plain = c_identifier(word)
    return word if plain == f"{word}_" else plain


def _with_name(variable: FmuVariable, name: str) -> FmuVariable:
    return FmuVariable(name, variable.meaning, variable.kind, variable.unit, variable.start, variable.state)


def _state_variables(model: FmuModel) -> Iterator[FmuVariable]:
    system, mech = model.open_model.system, model.open_model.system.mech
    units = [coordinate_unit(mech, name) for name in mech.coordinates]
    units += [f"{speed_unit(mech, name)}/s" for name in mech.speeds]
    units += [*(state.unit for state in system.states.values()), "J", "J"]
    names = (*model.open_model.states, *FMU_WORKS)
    for name, unit, start in zip(names, units, model.start, strict=True):
        yield FmuVariable(name, name, "state", unit, float(start))
    for k, (name, unit) in enumerate(zip(names, units, strict=True)):
        yield FmuVariable(f"der({name})", f"rate of {name}", "rate", _per_second(unit), state=k)


def _input_variables(model: FmuModel) -> Iterator[FmuVariable]:
    open_model, mech = model.open_model, model.open_model.system.mech
    for name, start in zip(open_model.inputs, model.first_inputs, strict=True):
        if name.startswith(TORQUE_PREFIX):
            unit = force_unit(mech, name.removeprefix(TORQUE_PREFIX))
        else:
            unit = "Nm" if name.startswith(MOTOR_TORQUE_PREFIX) else open_model.system.inputs[name].unit
        yield FmuVariable(name, name, "input", unit, start)
    for path, value in zip(open_model.parameters, open_model.nominal_values, strict=True):
        yield FmuVariable(path, f"parameter {path}", "parameter", start=value)


def _output_variables(model: FmuModel) -> Iterator[FmuVariable]:
    system, mech = model.open_model.system, model.open_model.system.mech
    for name in mech.speeds:
        yield FmuVariable(f"a.{name}", f"a.{name}", "output", f"{speed_unit(mech, name)}/s2")
    used_names = {*model.open_model.states, *model.open_model.inputs, *model.open_model.parameters}
    for signal in system.signals.values():
        variable_name = f"{signal.name}.signal" if signal.name in used_names else signal.name
        yield FmuVariable(variable_name, f"signal {signal.name}", "output", signal.unit)
    for name in FMU_ENERGIES:
        yield FmuVariable(name, name, "output", "J")
    for name in mech.speeds:
        meaning = f"generalized force of inputs and laws at {name}"
        yield FmuVariable(f"torque.{name}", meaning, "output", force_unit(mech, name))
    for k, meaning in enumerate(_indicator_meanings(model)):
        yield FmuVariable(f"event.{k + 1}", meaning, "event")


def _indicator_meanings(model: FmuModel) -> Iterator[str]:
    """Yield the meaning of each event indicator; the modes of a law share them."""
    places = model.instant_programs.places
    for k, law in enumerate(places.system.laws):
        guards = {mode: places.survey.guards[k, mode] for mode in law.modes}
        for j in range(max(map(len, guards.values()))):
            ends = [f"{mode} (then {guards[mode][j].to})" for mode in law.modes if j < len(guards[mode])]
            yield f"positive while {law.name} stays {' or '.join(ends)}"


def _per_second(unit: str) -> str:
    if unit.endswith("/s"):
        return f"{unit}2"
    return f"{unit}/s" if unit else "1/s"


UNIT_POWERS: dict[str, dict[str, int]] = {
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
"""Units as products of base units."""


def base_unit_powers(unit: str) -> dict[str, int] | None:
    """Return the base units of a unit; None if unknown.

    >>> base_unit_powers("rad/s2"), base_unit_powers("A/s")
    ({'rad': 1, 's': -2}, {'A': 1, 's': -1})
    """
    numerator, _, denominator = unit.partition("/")
    if numerator not in UNIT_POWERS or denominator not in ("", "s", "s2"):
        return None
    powers = dict(UNIT_POWERS[numerator])
    powers["s"] = powers.get("s", 0) - {"": 0, "s": 1, "s2": 2}[denominator]
    return {name: power for name, power in powers.items() if power}


def used_units(all_variables: Sequence[FmuVariable]) -> list[str]:
    """Return all units in use."""
    return sorted({variable.unit for variable in all_variables if variable.unit})
