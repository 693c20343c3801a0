"""Actuator cards as data: one identified actuator as a JSON file, with the fields of `motor` and `gear` of robot files.

    {"actuator_card": 1, "name": "servo", "description": "...", "motor": {"inertia": "0.2 kgcm2", ...},
     "gear": {"ratio": 100}, "fit": {"error": 0.016, "unit": "rad"}, "uncertainty": {"motor.inertia": 1e-7},
     "source": "...", "licence": "..."}

The bundled cards are published parameter sets of the friction models M1 to M6, at the output shaft.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import FileError
from gearwright.file_access import write_text
from gearwright.files.problems import FileProblems
from gearwright.files.reading import file_error, read_text
from gearwright.files.yaml_tree import parse_yaml
from gearwright.text import did_you_mean

CARD_VERSION = 1
CARD_ENDING = ".json"
CARD_KEYS = (*("actuator_card", "name", "description", "motor", "gear", "fit", "uncertainty", "source", "licence"),)
_CARD_FOLDER: ContextVar[Path | None] = ContextVar("card_folder", default=None)
"""The folder of the robot file that is read; cards that it names are in it."""


@check_arguments
@dataclass(frozen=True)
class ActuatorCard:
    """One identified actuator.

    Args:
        name: its name.
        motor: fields of `motor` of a robot file.
        gear: fields of `gear` of a robot file.
        description: one line.
        fit: what was fitted and how well, as data.
        uncertainty: standard deviation of fitted numbers by path, such as `motor.friction.coulomb`.
        source: origin of the numbers.
        licence: of the numbers.
    """

    name: str
    motor: Mapping[str, Any] = field(default_factory=dict)
    gear: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    fit: Mapping[str, Any] = field(default_factory=dict)
    uncertainty: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    licence: str = ""

    def save(self, path: str | Path) -> None:
        """Write the card as JSON."""
        words = {word: getattr(self, word) for word in CARD_KEYS if word != "actuator_card"}
        kept = {word: dict(x) if isinstance(x, Mapping) else x for word, x in words.items() if x}
        write_text(Path(path), json.dumps({"actuator_card": CARD_VERSION, **kept}, indent=1) + "\n")


def card_of_file(path: Path) -> ActuatorCard:
    """Return the actuator card of a JSON file; its motor and gear are not validated yet."""
    problems = FileProblems(str(path))
    data = parse_yaml(read_text(path, "an actuator card"), problems).data
    problems.raise_if_any()
    if not isinstance(data, dict) or data.get("actuator_card") != CARD_VERSION or not data.get("name"):
        raise file_error(path, f'this is no actuator card. It starts with "actuator_card": {CARD_VERSION} and "name".')
    for word in data:
        if word not in CARD_KEYS:
            raise file_error(path, f"the key {str(word)!r} is unknown. {did_you_mean(word, CARD_KEYS)}")
    return ActuatorCard(**{word: x for word, x in data.items() if word != "actuator_card" and x is not None})


@cache
def _published_table() -> dict[str, Any]:
    path = Path(str(files("gearwright").joinpath("catalogue", "actuator_cards.json")))
    return dict(json.loads(read_text(path, "actuator cards")))


@cache
def bundled_cards() -> dict[str, ActuatorCard]:
    """Return the bundled cards by name, such as `xl330_m6`: published parameter sets, all at the output shaft."""
    table = _published_table()
    cards = {}
    for actuator, data in table["actuators"].items():
        for model, numbers in data["models"].items():
            name = f"{actuator.lower()}_{model}"
            motor = _motor_of_published(numbers, data["controller"])
            text = f"{actuator}, friction model {model.upper()}, at the output shaft"
            fit = {"model": model.upper(), "controller": data["controller"]}
            cards[name] = ActuatorCard(name, motor, {"ratio": 1.0}, text, fit, {}, table["source"], table["licence"])
    return cards


@check_arguments
def actuator_card(name: str) -> ActuatorCard:
    """Return a bundled actuator card by its name."""
    cards = bundled_cards()
    if name not in cards:
        raise FileError(f"there is no actuator card {name!r}. {did_you_mean(name, cards)}")
    return cards[name]


def named_card(name: str) -> ActuatorCard | None:
    """Return a bundled card, or one in the folder of the robot file that is read; None without one."""
    if name in bundled_cards():
        return bundled_cards()[name]
    folder = _CARD_FOLDER.get()
    if not name.endswith(CARD_ENDING) or folder is None:
        return None
    if Path(name).name != name:
        raise FileError(f"actuator card {name!r}: cards are in the folder of the robot file. Give the file name only.")
    return card_of_file(folder / name)


def card_entry(name: str) -> dict[str, Any] | None:
    """Return the motor fields of a card that a robot file names; None if there is no such card."""
    card = named_card(name)
    return None if card is None else {"description": card.description, **card.motor}


def with_gear_of_card(fields: Any) -> Any:
    """Return the fields of a drive with the gear of the card that its motor names, unless they state a gear."""
    motor = fields.get("motor") if isinstance(fields, dict) else None
    name = motor.get("catalogue") if isinstance(motor, dict) else None
    if not isinstance(name, str) or fields.get("gear") is not None:
        return fields
    try:
        card = named_card(name)
    except FileError:  # reported with the motor
        return fields
    return fields if card is None or not card.gear else {**fields, "gear": dict(card.gear)}


@contextmanager
def cards_of_folder(folder: Path) -> Iterator[None]:
    """Context in which robot files may name the actuator cards of a folder."""
    token = _CARD_FOLDER.set(folder)
    try:
        yield
    finally:
        _CARD_FOLDER.reset(token)


def _motor_of_published(numbers: Mapping[str, float], controller: Mapping[str, Any]) -> dict[str, Any]:
    """Return the motor fields of a published parameter set."""
    load = {
        "motor": numbers.get("load_friction_motor", numbers.get("load_friction_base", 0.0)),
        "joint": numbers.get("load_friction_external", numbers.get("load_friction_base", 0.0)),
        "motor_stribeck": numbers.get("load_friction_motor_stribeck", numbers.get("load_friction_stribeck", 0.0)),
        "joint_stribeck": numbers.get("load_friction_external_stribeck", numbers.get("load_friction_stribeck", 0.0)),
    }
    if "load_friction_motor_quad" in numbers:
        load["motor_quadratic"] = numbers["load_friction_motor_quad"]
        load["joint_quadratic"] = numbers["load_friction_external_quad"]
    friction: dict[str, Any] = {"coulomb": numbers["friction_base"], "viscous": numbers["friction_viscous"]}
    if "friction_stribeck" in numbers:
        friction["static"] = numbers["friction_base"] + numbers["friction_stribeck"]
        friction["stribeck_speed"] = numbers["dtheta_stribeck"]
        friction["stribeck_exponent"] = numbers["alpha"]
    if any(load.values()):
        friction["load"] = {word: x for word, x in load.items() if x}
    motor = {"inertia": numbers["armature"], "coupling": 0.0, "included": True, "torque_constant": numbers["kt"]}
    if "R" in numbers:
        motor["resistance"] = numbers["R"]
    voltage = controller.get("max_volts", controller.get("vin", 0.0) * controller.get("max_pwm", 1.0))
    motor |= {"max_voltage": voltage} if voltage else {}
    motor |= {"max_current": controller["max_amps"]} if "max_amps" in controller else {}
    return {**motor, "friction": friction}
