"""Robots for other programs: a C package for controllers, URDF for other tools."""

from gearwright.export.c_package import export_c
from gearwright.export.mjcf import MjcfReport, mjcf
from gearwright.export.targets import TARGETS, export
from gearwright.export.urdf import save, write_urdf

__all__ = ["TARGETS", "MjcfReport", "export", "export_c", "mjcf", "save", "write_urdf"]
