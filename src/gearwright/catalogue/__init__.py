"""Bundled robots, motors and gearboxes as data, and `load` for bundled robots and robot files."""

from gearwright.catalogue.drive_catalogue import Catalogue, drives
from gearwright.catalogue.generic_families import (
    generic_gearboxes,
    generic_motors,
    heavy_drives,
    rated_efficiency,
)
from gearwright.catalogue.loading import load, motors, robot_file, robots
from gearwright.parts.drives.data_sheet_consistency import conflict_sentences, identity_deviations

__all__ = [
    "Catalogue",
    "conflict_sentences",
    "drives",
    "generic_gearboxes",
    "generic_motors",
    "heavy_drives",
    "identity_deviations",
    "load",
    "motors",
    "rated_efficiency",
    "robot_file",
    "robots",
]
