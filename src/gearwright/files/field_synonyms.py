"""Synonyms of fields: parts in Python, URDF and robot files name some quantities differently; files accept each name.

A file is written with the field, not with the synonym.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PAIRED_NAMES = (
    ("type", "kind"),
    ("xyz", "position"),
    ("ratio", "reduction"),
    ("follows", "mimic"),
    ("speed", "velocity"),
)
"""Names of the same quantity."""
OTHER_NAMES = {name: other for pair in PAIRED_NAMES for name, other in (pair, pair[::-1])}
"""The other name of the same quantity, by either name."""
POSE_FIELDS = {"position": "xyz", "rotation": "rotation"}
"""Pose of a part as in Python, and the fields of `origin` that hold it."""


def stated_value(data: Mapping[str, Any], field: str) -> Any:
    """The value of a field in a mapping of the file, under its name or its synonym; None if it is missing.

    >>> stated_value({"mimic": {"joint": "left"}}, "follows")
    {'joint': 'left'}
    """
    return data.get(stated_name(data, field))


def stated_name(data: Mapping[str, Any], field: str) -> str:
    """The name under which a mapping of the file states a field: its own, or its synonym."""
    other = OTHER_NAMES.get(field, field)
    return other if field not in data and other in data else field


def without_synonyms(data: Any, synonyms: Mapping[str, str]) -> Any:
    """Return a mapping of the file with fields in place of synonyms; any other value is unchanged.

    Args:
        data: from the file.
        synonyms: the field of each synonym.

    Raises:
        ValueError: a field and its synonym are both given.
    """
    if not isinstance(data, dict) or synonyms.keys().isdisjoint(data):
        return data
    for synonym, field in synonyms.items():
        if synonym in data and field in data:
            raise ValueError(f"both {field} and its synonym {synonym} are given. Keep one of them.")
    return {synonyms.get(name, name): value for name, value in data.items()}


def with_origin(data: Any) -> Any:
    """Return a mapping of the file with `origin` in place of `position` and `rotation`.

    Raises:
        ValueError: both forms are given.
    """
    if not isinstance(data, dict) or POSE_FIELDS.keys().isdisjoint(data):
        return data
    pose = [name for name in POSE_FIELDS if name in data]
    if "origin" in data:
        raise ValueError(f"both origin and {' and '.join(pose)} are given. Keep one of them.")
    others = {name: value for name, value in data.items() if name not in POSE_FIELDS}
    return {**others, "origin": {POSE_FIELDS[name]: data[name] for name in pose}}


def add_synonyms_to_schema(schema: dict[str, Any], synonyms: Mapping[str, str]) -> None:
    """Add synonyms to the JSON Schema of a mapping: one of both names may be given, or must be if it is required."""
    properties, required = schema["properties"], schema.get("required", [])
    for synonym, field in synonyms.items():
        names = [{"required": [field]}, {"required": [synonym]}]
        rule = {"oneOf": names} if field in required else {"not": {"required": [field, synonym]}}
        properties[synonym] = _synonym_schema(properties[field], field)
        schema.setdefault("allOf", []).append(rule)
    if required:
        schema["required"] = [name for name in required if name not in synonyms.values()]
        if not schema["required"]:
            del schema["required"]


def add_pose_to_schema(schema: dict[str, Any], origin_properties: Mapping[str, Any]) -> None:
    """Add `position` and `rotation` to the JSON Schema of a mapping with an `origin`."""
    for name, field in POSE_FIELDS.items():
        schema["properties"][name] = _synonym_schema(origin_properties[field], f"origin.{field}")
        schema.setdefault("allOf", []).append({"not": {"required": ["origin", name]}})


def _synonym_schema(schema: Mapping[str, Any], field: str) -> dict[str, Any]:
    return {name: rule for name, rule in schema.items() if name != "default"} | {"description": f"synonym of {field}"}
