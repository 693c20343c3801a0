"""Bundled robots, motors and gearboxes as data, and `load`, which finds them or reads a file."""

from gearwright.catalogue.drive_catalogue import Catalogue, drives
from gearwright.catalogue.generic_families import generic_gearboxes, generic_motors
from gearwright.catalogue.loading import load, motors, robots
from gearwright.parts.drives.data_sheet_consistency import contradictions, deviations

__all__ = [
    "Catalogue",
    "contradictions",
    "deviations",
    "drives",
    "generic_gearboxes",
    "generic_motors",
    "load",
    "motors",
    "robots",
]
