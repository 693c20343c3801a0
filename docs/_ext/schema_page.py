"""The file format, from the JSON Schema that also checks the files."""

from __future__ import annotations

import json
import re
from typing import Any

from gearwright.files import schema
from gearwright.files.units import UNITS_BY_DIMENSION

Rule = dict[str, Any]

INTRODUCTION = """# Robot files: every key

Generated from the JSON Schema (`gearwright schema`), which also checks the files. A number "in kg" may also be a text
with a unit, such as `350 g`; the [units](#units) are at the end.
"""


def schema_page() -> str:
    """One section per object, in the order in which one meets them from the top, then the units."""
    top = schema()
    objects = top.get("$defs", {})
    sections = [_section("The file", top), *(_section(_short(name), objects[name]) for name in _met(top, objects))]
    return "\n".join([INTRODUCTION, *sections, _units()])


def _met(top: Rule, objects: dict[str, Rule]) -> list[str]:
    found: list[str] = []
    waiting = [top]
    while waiting:
        for name in _references(waiting.pop(0)):
            if name not in found:
                found.append(name)
                waiting.append(objects[name])
    return found


def _references(rule: Any) -> list[str]:
    if isinstance(rule, dict):
        own = [rule["$ref"].rsplit("/", 1)[-1]] if "$ref" in rule else []
        return own + [name for key, inner in rule.items() if key != "$defs" for name in _references(inner)]
    return [name for inner in rule for name in _references(inner)] if isinstance(rule, list) else []


def _short(name: str) -> str:
    return name.removesuffix("Fields")


def _section(title: str, thing: Rule) -> str:
    words = next((way for way in (thing, *thing.get("anyOf", [])) if "properties" in way), thing)
    with_synonyms = [rule["oneOf"][0]["required"] for rule in words.get("allOf", []) if "oneOf" in rule]
    required = [*words.get("required", []), *(field for fields in with_synonyms for field in fields)]
    lines = [f"## {title}", "", thing.get("description", ""), ""]
    for key, rule in words.get("properties", {}).items():
        kind = _kind(rule)
        text = _without_units(" ".join(rule.get("description", "").split()), kind)
        lines.append(f"- **`{key}`** ({kind}{_presence(key, rule, required)}){': ' + text if text else ''}")
    return "\n".join([*lines, ""])


def _without_units(text: str, kind: str) -> str:
    """A description without the unit that the kind of the value states already, as in "number in kg"."""
    for unit in re.findall(r"\bin (\S+)", kind):
        text = re.sub(rf"(^| )\[{re.escape(unit)}\](?=$|[ ,.;:])", "", text).lstrip(" ,.;:")
    return text


def _presence(key: str, rule: Rule, required: list[str]) -> str:
    if key in required:
        return ", required"
    default = rule.get("default")
    return "" if default in (None, [], {}, "") or isinstance(default, dict) else f", default `{json.dumps(default)}`"


def _kind(rule: Rule) -> str:
    """A rule in words: `number in kg`, `list of Link`, ..."""
    if "$ref" in rule:
        name = _short(rule["$ref"].rsplit("/", 1)[-1])
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf", "allOf"):
        if key in rule:
            kinds = [_kind(option) for option in rule[key] if not _redundant(option)]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in rule or "enum" in rule:
        return " or ".join(f"`{value}`" for value in rule.get("enum", [rule.get("const")]))
    return _list(rule) if rule.get("type") == "array" else _plain(rule)


def _redundant(option: Rule) -> bool:
    """Nothing, and the text with a unit that every number with a dimension may be."""
    return option.get("type") == "null" or option.get("description", "").startswith("a number and one of")


def _list(rule: Rule) -> str:
    size = rule.get("minItems") if rule.get("minItems") == rule.get("maxItems") else None
    items = rule["prefixItems"][0] if "prefixItems" in rule else rule.get("items", {})
    return f"list of {size} × {_kind(items)}" if size else f"list of {_kind(items)}"


def _plain(rule: Rule) -> str:
    kind = rule.get("type", "anything")
    words = {"string": "text", "object": "mapping", "boolean": "true or false", "integer": "whole number"}
    unit = rule.get("description", "")
    return f"{words.get(kind, kind)} {unit}" if unit.startswith(("in ", "as a ")) else str(words.get(kind, kind))


def _units() -> str:
    rows = [
        f"| {name} | {', '.join(f'`{u}`' for u in units if u)} |"
        for name, units in UNITS_BY_DIMENSION.items()
        if any(units)
    ]
    return "\n".join(
        ["## Units", "", "| quantity | units, the first is the one without a text |", "|---|---|", *rows, ""]
    )
