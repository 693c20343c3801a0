"""The fields of robot and task files, one file per part: types, units, defaults, JSON Schema."""
