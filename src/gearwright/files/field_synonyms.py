"""Synonyms of fields: robot files use the words of parts in Python, and accept the words of URDF for some of them.

A file is written with the field, not with the synonym.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FIELDS_BY_SYNONYM = {
    "type": "kind",
    "xyz": "position",
    "reduction": "ratio",
    "mimic": "follows",
    "velocity": "speed",
}
"""The field of each synonym. Which of them a mapping accepts is a property of its model, `SynonymFields.synonyms`."""
SYNONYMS_BY_FIELD = {field: synonym for synonym, field in FIELDS_BY_SYNONYM.items()}
POSE_SYNONYM = "origin"
"""The mapping that holds the pose of a joint or a shape in URDF, instead of the fields of the pose themselves."""
POSE_FIELDS = ("position", "rpy", "rotation", "quaternion")
"""The fields of a pose."""


def stated_value(data: Mapping[str, Any], field: str) -> Any:
    """The value of a field in a mapping of the file, under its name or its synonym; None if it is missing.

    >>> stated_value({"mimic": {"joint": "left"}}, "follows")
    {'joint': 'left'}
    """
    return data.get(stated_name(data, field))


def stated_name(data: Mapping[str, Any], field: str) -> str:
    """The name under which a mapping of the file states a field: its own, or its synonym."""
    synonym = SYNONYMS_BY_FIELD.get(field, field)
    return synonym if field not in data and synonym in data else field


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


def with_fields_of(data: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping of the file in the words of another one, which it changes: fields in place of synonyms.

    A synonym beside its own field is unchanged, so that the reader refuses both.

    >>> with_fields_of({"type": "free", "origin": {"xyz": [0, 0, 1]}}, {"kind": "fixed", "position": [0, 0, 2]})
    {'kind': 'free', 'position': [0, 0, 1]}
    """
    pose = data.get(POSE_SYNONYM)
    words = dict(data)
    if isinstance(pose, dict) and POSE_SYNONYM not in stated and data.keys().isdisjoint((*POSE_FIELDS, *pose)):
        del words[POSE_SYNONYM]
        words |= pose
    fields = {name: FIELDS_BY_SYNONYM.get(name, name) for name in words}
    return {
        field if field in stated and field not in words and name not in stated else name: words[name]
        for name, field in fields.items()
    }


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


def add_origin_to_schema(schema: dict[str, Any]) -> None:
    """Add to the JSON Schema of a mapping that its pose is given by `origin` or by the fields of the pose."""
    rules = [{"not": {"required": [POSE_SYNONYM, name]}} for name in (*POSE_FIELDS, SYNONYMS_BY_FIELD["position"])]
    schema.setdefault("allOf", []).extend(rules)


def _synonym_schema(schema: Mapping[str, Any], field: str) -> dict[str, Any]:
    return {name: rule for name, rule in schema.items() if name != "default"} | {"description": f"synonym of {field}"}
