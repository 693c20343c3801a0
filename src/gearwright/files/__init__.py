"""Robots in files: Gearwright's own YAML and URDF, read into parts and written from them."""

from gearwright.files.formats import save
from gearwright.files.robot_words import schema
from gearwright.files.yaml_reader import read_yaml
from gearwright.files.yaml_writer import write_yaml

__all__ = ["read_yaml", "save", "schema", "write_yaml"]
