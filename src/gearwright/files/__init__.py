"""Robots and tasks in files: Gearwright's own YAML, URDF and MJCF, read into parts and written from them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gearwright.files.formats import check, is_editable, read_yaml, save

if TYPE_CHECKING:
    from gearwright.files.actuator_cards import card_of_drive, drive_of_card, published_parameters, read_card
    from gearwright.files.actuator_configuration import (
        ACTUATOR_QUANTITIES,
        ActuatorConfiguration,
        TransmissionStatement,
        is_configuration,
        read_configuration,
    )
    from gearwright.files.fields.robot import schema
    from gearwright.files.tables.card_data import ActuatorCard, actuator_card, bundled_cards
    from gearwright.files.yaml.writer import write_yaml

__all__ = [
    "ACTUATOR_QUANTITIES",
    "ActuatorCard",
    "ActuatorConfiguration",
    "TransmissionStatement",
    "actuator_card",
    "bundled_cards",
    "card_of_drive",
    "check",
    "drive_of_card",
    "is_configuration",
    "is_editable",
    "published_parameters",
    "read_card",
    "read_configuration",
    "read_yaml",
    "save",
    "schema",
    "write_yaml",
]

_LAZY_MODULES = {
    **dict.fromkeys(
        ("card_of_drive", "drive_of_card", "published_parameters", "read_card"),
        "actuator_cards",
    ),
    **dict.fromkeys(("ActuatorCard", "actuator_card", "bundled_cards"), "tables.card_data"),
    **dict.fromkeys(
        (
            "ACTUATOR_QUANTITIES",
            "ActuatorConfiguration",
            "TransmissionStatement",
            "is_configuration",
            "read_configuration",
        ),
        "actuator_configuration",
    ),
    "schema": "fields.robot",
    "write_yaml": "yaml.writer",
}


def __getattr__(name: str) -> Any:
    """Import the file fields on first use, which keeps `import gearwright` fast."""
    if name in _LAZY_MODULES:
        return getattr(import_module(f"gearwright.files.{_LAZY_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
