"""Gearwright's own YAML files: reading, validation, building parts, writing."""
