"""Robots for other programs: a C package for controllers."""

from gearwright.export.c_package import export_c
from gearwright.export.targets import TARGETS, export

__all__ = ["TARGETS", "export", "export_c"]
