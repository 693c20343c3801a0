"""Bundled robots and motors, as data, and `load`, which finds them or reads a file."""

from gearwright.catalogue.loading import load, motors, robots

__all__ = ["load", "motors", "robots"]
