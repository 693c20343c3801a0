"""The file format, from the JSON Schema that also checks the files."""

from __future__ import annotations

from typing import Any

from gearwright.files import schema


def schema_page() -> str:
    """One section per object of the schema, the robot first."""
    top = schema()
    inner = top.get("$defs", {})
    sections = [_section(top.get("title", "Robot"), top), *(_section(name, inner[name]) for name in inner)]
    return "\n".join(
        ["# Robot files: every key", "", "Generated from the JSON Schema (`gearwright schema`).", "", *sections]
    )


def _section(name: str, thing: dict[str, Any]) -> str:
    lines = [f"## {name}", "", thing.get("description", ""), ""]
    if "enum" in thing:
        lines += ["One of " + ", ".join(f"`{value}`" for value in thing["enum"]) + ".", ""]
    required = thing.get("required", [])
    for key, rule in thing.get("properties", {}).items():
        lines += [f"`{key}` ({_kind(rule)}{_presence(key, rule, required)})", f": {_text(rule)}", ""]
    return "\n".join(lines)


def _text(rule: dict[str, Any]) -> str:
    return " ".join(rule.get("description", rule.get("title", "")).split()) or "–"


def _presence(key: str, rule: dict[str, Any], required: list[str]) -> str:
    if key in required:
        return ", required"
    plain = "default" not in rule or rule["default"] in (None, [], {}) or isinstance(rule["default"], dict)
    return "" if plain else f", default `{rule['default']}`"


def _kind(rule: dict[str, Any]) -> str:
    """A rule in words: `number or text`, `list of Link`, ..."""
    if "$ref" in rule:
        name = rule["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf", "allOf"):
        if key in rule:
            kinds = [_kind(option) for option in rule[key] if option.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in rule or "enum" in rule:
        return " or ".join(f"`{value}`" for value in rule.get("enum", [rule.get("const")]))
    return _plain_kind(rule)


def _plain_kind(rule: dict[str, Any]) -> str:
    kind = rule.get("type", "anything")
    if kind == "array":
        size = rule.get("minItems") if rule.get("minItems") == rule.get("maxItems") else None
        of = _kind(rule["items"]) if isinstance(rule.get("items"), dict) else "anything"
        if "prefixItems" in rule:
            of = _kind(rule["prefixItems"][0])
        return f"list of {size} {of}" if size else f"list of {of}"
    words = {"string": "text", "object": "mapping", "boolean": "true or false", "integer": "whole number"}
    return words.get(kind, str(kind))
