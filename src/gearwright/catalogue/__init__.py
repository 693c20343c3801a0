"""Bundled robots, motors and gearboxes, as data, and `load`, which finds them or reads a file."""

from gearwright.catalogue.drives import Catalogue, drives
from gearwright.catalogue.families import generic_gearboxes, generic_motors
from gearwright.catalogue.loading import load, motors, robots
from gearwright.parts.sheet_identities import contradictions, deviations

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
