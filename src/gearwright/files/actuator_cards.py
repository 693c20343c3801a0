"""Actuator cards and drives: the drive of a card, the card of a drive, and the friction models M1 to M6 of a card."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import FileError
from gearwright.files.formats import read_yaml
from gearwright.files.tables.card_data import ActuatorCard, card_of_file
from gearwright.files.yaml.writer import robot_fields
from gearwright.parts import Drive, Link, Robot


@check_arguments
def drive_of_card(card: ActuatorCard, joint: str, **words: Any) -> Drive:
    """Return the drive of a joint: motor and gear of the card.

    Args:
        card: the card.
        joint: the driven joint.
        words: further fields of `Drive`, such as `mounted_on`.

    >>> from gearwright.files.tables.card_data import actuator_card
    >>> drive_of_card(actuator_card("xl330_m6"), "knee").motor.torque_constant
    0.366013
    """
    fields = {"joint": joint, "motor": dict(card.motor), "gear": dict(card.gear) or {"ratio": 1.0}}
    link = {"name": "card_link", "parent": "base", "joint": {"name": joint, "axis": [0, 0, 1]}, "mass": 1}
    robot = read_yaml(json.dumps({"robot": "card", "links": [link], "drives": [fields]}) + "\n")
    return replace(robot.drives[0], **words)


@check_arguments
def read_card(path: str | Path) -> ActuatorCard:
    """Return the actuator card of a JSON file.

    Raises:
        FileError: the file is not an actuator card, or its motor or gear is not valid.
    """
    card = card_of_file(Path(path))
    drive_of_card(card, "joint")
    return card


@check_arguments
def card_of_drive(drive: Drive, name: str, **words: Any) -> ActuatorCard:
    """Return the card of a drive of a robot, such as one that `fit_run` identified.

    Args:
        drive: the drive.
        name: of the card.
        words: further fields of the card: description, fit, uncertainty, source, licence.
    """
    plain = replace(drive, joint="j", mounted_on=None, axis=None, name=None)
    fields = robot_fields(Robot("card", [Link("j", mass=1.0)], [plain]))["drives"][0]
    return ActuatorCard(name, fields.get("motor", {}), fields.get("gear", {}), **words)


@check_arguments
def published_parameters(card: ActuatorCard) -> tuple[str, dict[str, float]]:
    """Return the friction model (M1 to M6) that holds a card's friction, and its parameters at the output shaft.

    >>> from gearwright.files.tables.card_data import actuator_card
    >>> model, numbers = published_parameters(actuator_card("xl330_m6"))
    >>> model, numbers["kt"]
    ('M6', 0.366013)

    Raises:
        FileError: the card has friction that none of these models represents.
    """
    drive = drive_of_card(card, "joint")
    motor, n = drive.motor, abs(float(drive.gear.ratio))
    friction, load = motor.total_friction, motor.total_friction.load
    if friction.stiffness is not None:
        raise FileError(
            f"card {card.name!r}: bristles (LuGre) are not part of the models M1 to M6. Omit the stiffness."
        )
    if friction.lubricant is not None:
        raise FileError(
            f"card {card.name!r}: temperature-dependent viscosity is not part of the models M1 to M6. Omit the "
            "lubricant."
        )
    numbers = {"armature": float(motor.inertia) * n * n, "friction_base": float(friction.coulomb) * n}
    numbers |= {"friction_viscous": float(friction.viscous) * n * n}
    numbers |= {} if motor.torque_constant is None else {"kt": float(motor.torque_constant) * n}
    numbers |= {} if motor.resistance is None else {"R": float(motor.resistance)}
    stribeck = friction.static is not None and friction.stribeck_speed is not None
    if friction.static is not None and friction.stribeck_speed is not None:
        numbers["friction_stribeck"] = float(friction.static - friction.coulomb) * n
        numbers["dtheta_stribeck"] = float(friction.stribeck_speed) / n
        numbers["alpha"] = float(friction.stribeck_exponent)
    if load is None:
        return ("M2" if stribeck else "M1"), numbers
    if load.motor == load.joint and load.motor_stribeck == load.joint_stribeck and not load.has_memory:
        numbers["load_friction_base"] = float(load.motor)
        if not stribeck:
            return "M3", numbers
        return "M4", {**numbers, "load_friction_stribeck": float(load.motor_stribeck)}
    names = {"motor": "motor", "joint": "external"}
    for word, other in names.items():
        numbers[f"load_friction_{other}"] = float(getattr(load, word))
        numbers[f"load_friction_{other}_stribeck"] = float(getattr(load, f"{word}_stribeck"))
        if load.has_memory:
            numbers[f"load_friction_{other}_quad"] = float(getattr(load, f"{word}_quadratic") or 0.0) / n
    return ("M6" if load.has_memory else "M5"), numbers
