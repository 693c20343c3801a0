"""YAML as plain data with line numbers, read from events: no object is ever constructed.

Only mappings, lists, texts, numbers, true, false and null exist; tags are rejected or ignored, keys are unique texts,
depth and size are limited, and every repetition by an anchor counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from gearwright.files.problems import FileProblems
from gearwright.files.size_limits import MAX_NESTING_DEPTH, MAX_NUMBER_LENGTH, MAX_YAML_VALUES

INTEGER_PATTERN = re.compile(r"[+-]?\d{1,18}")
FLOAT_PATTERN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
YAML_CONSTANTS: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "true": True,
    "True": True,
    "false": False,
    "False": False,
}
MERGE_KEY = "<<"

KeyPath = tuple[str | int, ...]


@dataclass
class YamlNode:
    """A node of the file: its data, its line, its number of nodes, and its children."""

    data: Any
    line: int
    size: int = 1
    members: dict[str | int, YamlNode] = field(default_factory=dict)

    def line_of(self, path: KeyPath) -> int:
        """Return the line of the innermost node on the path; keys that the file does not have are skipped.

        A path may contain keys that no file has, such as the kind of gear selected by the schema.
        """
        node = self
        for word in path:
            node = node.members.get(word, node)
        return node.line


def parse_yaml(text: str, problems: FileProblems, ignores_tags: bool = False) -> YamlNode:
    """Return the file as one node; raise a FileError for invalid YAML, collect other problems.

    With `ignores_tags`, data with a tag of other programs are the plain data below it; nothing is constructed.
    """
    reader = _EventReader(text, problems, ignores_tags)
    try:
        return reader.read_document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        if mark and _is_indented_by_tab(text, mark.line):
            reader.raise_problem(
                "the line is indented with a tab, but YAML allows spaces only. Replace the tabs.", mark.line + 1
            )
        reader.raise_problem(
            f"invalid YAML: {reason}. Check indentation, colons and brackets.", mark.line + 1 if mark else None
        )
    except UnicodeError:
        reader.raise_problem("the text has characters that are not Unicode. Save the file as UTF-8.", None)


def anchored_data(text: str) -> dict[str, Any]:
    """Return the data of each anchor of a valid file."""
    reader = _EventReader(text, FileProblems(""))
    reader.read_document()
    return {name: node.data for name, node in reader.anchors.items()}


def _is_indented_by_tab(text: str, line: int) -> bool:
    """Whether a line, counted from 0, is indented with a tab."""
    rows = text.splitlines()[line : line + 1]
    return any("\t" in row[: len(row) - len(row.lstrip())] for row in rows)


class _EventReader:
    """One pass over the events of a YAML text."""

    def __init__(self, text: str, problems: FileProblems, ignores_tags: bool = False) -> None:
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self.events: Iterator[Any] = yaml.parse(text, Loader=loader)
        self.problems, self.ignores_tags = problems, ignores_tags
        self.anchors: dict[str, YamlNode] = {}
        self.size = 0

    def raise_problem(self, message: str, line: int | None) -> NoReturn:
        self.problems.add(message, line=line)
        raise self.problems.to_error()

    def read_document(self) -> YamlNode:
        event = next(self.events)
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            self.raise_problem("the file contains only comments. Write a robot into it.", None)
        root = self.read_node(event, 0)
        next(self.events)  # the end of the document
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self.problems.add("a second document starts here. Put one robot into one file.", line=_event_line(after))
        return root

    def read_node(self, event: Any, depth: int) -> YamlNode:
        if depth > MAX_NESTING_DEPTH:
            self.raise_problem(
                f"the data are nested deeper than {MAX_NESTING_DEPTH} levels. Simplify the file.", _event_line(event)
            )
        if isinstance(event, yaml.AliasEvent):
            return self.resolve_alias(event)
        self.count_values(1, event)
        if not self.ignores_tags and getattr(event, "tag", None) is not None and event.tag != "!":
            self.problems.add(
                f"the tag {event.tag[:60]!r} is not allowed, since files contain plain data only. Remove it.",
                line=_event_line(event),
            )
        node = self.read_content(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def read_content(self, event: Any, depth: int) -> YamlNode:
        if isinstance(event, yaml.MappingStartEvent):
            return self.read_mapping(event, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.read_sequence(event, depth)
        plain = event.implicit[0] and not event.style
        return YamlNode(plain_scalar(event.value) if plain else event.value, _event_line(event))

    def resolve_alias(self, event: Any) -> YamlNode:
        if event.anchor not in self.anchors:
            self.problems.add(
                f"the anchor *{event.anchor} is undefined at this point. Define it before with &{event.anchor}.",
                line=_event_line(event),
            )
            return YamlNode(None, _event_line(event))
        anchored = self.anchors[event.anchor]
        self.count_values(anchored.size, event)
        return anchored

    def count_values(self, more: int, event: Any) -> None:
        self.size += more
        if self.size > MAX_YAML_VALUES:
            self.raise_problem(
                f"there are more than {MAX_YAML_VALUES} values, including repetitions by anchors. Reduce the file.",
                _event_line(event),
            )

    def read_sequence(self, start: Any, depth: int) -> YamlNode:
        node = YamlNode([], _event_line(start))
        for event in iter(lambda: next(self.events), None):
            if isinstance(event, yaml.SequenceEndEvent):
                return node
            member = self.read_node(event, depth + 1)
            node.members[len(node.data)] = member
            node.data.append(member.data)
            node.size += member.size
        return node

    def read_mapping(self, start: Any, depth: int) -> YamlNode:
        node = YamlNode({}, _event_line(start))
        merged: list[YamlNode] = []
        for event in iter(lambda: next(self.events), None):
            if isinstance(event, yaml.MappingEndEvent):
                break
            key, member = self.read_key(event, depth), self.read_node(next(self.events), depth + 1)
            node.size += member.size
            if key == MERGE_KEY:
                merged += list(member.members.values()) if isinstance(member.data, list) else [member]
            elif key is not None and key in node.data:
                first = node.members[key].line
                self.problems.add(
                    f"{key!r} is given twice (first in line {first}). Keep one of them.", line=_event_line(event)
                )
            elif key is not None:
                node.data[key], node.members[key] = member.data, member
        for merged_node in merged:
            self.merge_mapping(node, merged_node)
        return node

    def merge_mapping(self, node: YamlNode, source: YamlNode) -> None:
        """Merge `<<: *anchor`: keys that are not given here are taken from the anchor."""
        if not isinstance(source.data, dict):
            self.problems.add("'<<' merges mappings only. Give an anchor of a mapping, such as *motor.", line=node.line)
            return
        for key, member in source.members.items():
            if key not in node.data:
                node.data[key], node.members[key] = member.data, member

    def read_key(self, event: Any, depth: int) -> str | None:
        """Return a key as a text; None with a problem for anything else."""
        node = self.read_node(event, depth + 1)
        if isinstance(node.data, str):
            return node.data
        if isinstance(event, yaml.ScalarEvent) and event.value:
            return str(event.value)
        self.problems.add("a key must be a text. Write `key: value`.", line=node.line)
        return None


def plain_scalar(value: str) -> Any:
    """Return a plain (unquoted) scalar: `1e-3` is a number and `on` a text, unlike in YAML 1.1."""
    if value in YAML_CONSTANTS:
        return YAML_CONSTANTS[value]
    if len(value) > MAX_NUMBER_LENGTH:
        return value
    if INTEGER_PATTERN.fullmatch(value):
        return int(value)
    return float(value) if FLOAT_PATTERN.fullmatch(value) else value


def _event_line(event: Any) -> int:
    return int(event.start_mark.line) + 1
