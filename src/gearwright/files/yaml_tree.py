"""YAML as plain data with line numbers, read from events: no object is ever constructed.

Only mappings, lists, texts, numbers, true, false and null exist; tags are refused, keys are texts and come once, depth
and size are bounded, and what anchors repeat counts as often as it is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from gearwright.files.problems import Problems
from gearwright.files.size_limits import LONGEST_NUMBER, MAX_DEPTH, MAX_VALUES

INTEGER = re.compile(r"[+-]?\d{1,18}")
FLOAT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "true": True,
    "True": True,
    "false": False,
    "False": False,
}
MERGE = "<<"

Path = tuple[str | int, ...]


@dataclass
class Node:
    """A piece of the file: its data, its line, how many nodes it is made of, and its members."""

    data: Any
    line: int
    size: int = 1
    members: dict[str | int, Node] = field(default_factory=dict)

    def line_of(self, path: Path) -> int:
        """The line of the innermost node on the path; words the file does not have are passed over.

        A path may hold words that no file has, such as the kind of gear that a schema chose.
        """
        node = self
        for word in path:
            node = node.members.get(word, node)
        return node.line


def parse(text: str, problems: Problems) -> Node:
    """The file as one node; broken YAML is a FileError at once, what can be passed over is collected."""
    reader = _Reader(text, problems)
    try:
        return reader.document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        if mark and _is_indented_by_tab(text, mark.line):
            reader.give_up("the line is indented with a tab. YAML takes spaces only: replace the tabs.", mark.line + 1)
        reader.give_up(f"broken YAML: {what}. Check indentation, colons and brackets.", mark.line + 1 if mark else None)
    except UnicodeError:
        reader.give_up("the text holds characters that are not Unicode. Save the file as UTF-8.", None)


def _is_indented_by_tab(text: str, line: int) -> bool:
    """Whether a tab stands before the first word of a line, counted from 0."""
    rows = text.splitlines()[line : line + 1]
    return any("\t" in row[: len(row) - len(row.lstrip())] for row in rows)


class _Reader:
    """One pass over the events of a YAML text."""

    def __init__(self, text: str, problems: Problems) -> None:
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self.events: Iterator[Any] = yaml.parse(text, Loader=loader)
        self.problems = problems
        self.anchors: dict[str, Node] = {}
        self.size = 0

    def give_up(self, message: str, line: int | None) -> NoReturn:
        self.problems.add(message, line=line)
        raise self.problems.error()

    def document(self) -> Node:
        event = next(self.events)
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            self.give_up("the file holds nothing but comments. Write a robot into it.", None)
        root = self.node(event, 0)
        next(self.events)  # the end of the document
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self.problems.add("a second document starts here. Put one robot into one file.", line=_line(after))
        return root

    def node(self, event: Any, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.give_up(
                f"nested deeper than {MAX_DEPTH} levels. No robot needs that: simplify the file.", _line(event)
            )
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        self.count(1, event)
        if getattr(event, "tag", None) is not None and event.tag != "!":
            self.problems.add(
                f"the tag {event.tag[:60]!r} is not allowed: files hold plain data only. Remove it.", line=_line(event)
            )
        node = self.content(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def content(self, event: Any, depth: int) -> Node:
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(event, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, depth)
        plain = event.implicit[0] and not event.style
        return Node(plain_scalar(event.value) if plain else event.value, _line(event))

    def alias(self, event: Any) -> Node:
        if event.anchor not in self.anchors:
            self.problems.add(
                f"the anchor *{event.anchor} is not defined before. Define it with &{event.anchor}.", line=_line(event)
            )
            return Node(None, _line(event))
        known = self.anchors[event.anchor]
        self.count(known.size, event)
        return known

    def count(self, more: int, event: Any) -> None:
        self.size += more
        if self.size > MAX_VALUES:
            self.give_up(
                f"more than {MAX_VALUES} values, counting what anchors repeat. Make the file smaller.", _line(event)
            )

    def sequence(self, start: Any, depth: int) -> Node:
        node = Node([], _line(start))
        for event in iter(lambda: next(self.events), None):
            if isinstance(event, yaml.SequenceEndEvent):
                return node
            member = self.node(event, depth + 1)
            node.members[len(node.data)] = member
            node.data.append(member.data)
            node.size += member.size
        return node

    def mapping(self, start: Any, depth: int) -> Node:
        node = Node({}, _line(start))
        merged: list[Node] = []
        for event in iter(lambda: next(self.events), None):
            if isinstance(event, yaml.MappingEndEvent):
                break
            key, member = self.key(event, depth), self.node(next(self.events), depth + 1)
            node.size += member.size
            if key == MERGE:
                merged += list(member.members.values()) if isinstance(member.data, list) else [member]
            elif key is not None and key in node.data:
                first = node.members[key].line
                self.problems.add(
                    f"{key!r} is given twice (first in line {first}). Keep one of them.", line=_line(event)
                )
            elif key is not None:
                node.data[key], node.members[key] = member.data, member
        for other in merged:
            self.merge(node, other)
        return node

    def merge(self, node: Node, other: Node) -> None:
        """`<<: *anchor`: words that are not given here come from there."""
        if not isinstance(other.data, dict):
            self.problems.add("'<<' takes in a mapping only. Point it at one, such as *motor.", line=node.line)
            return
        for key, member in other.members.items():
            if key not in node.data:
                node.data[key], node.members[key] = member.data, member

    def key(self, event: Any, depth: int) -> str | None:
        """A key as a text; None, with a problem noted, for anything else."""
        node = self.node(event, depth + 1)
        if isinstance(node.data, str):
            return node.data
        if isinstance(event, yaml.ScalarEvent) and event.value:
            return str(event.value)
        self.problems.add("a key must be a word. Write `word: value`.", line=node.line)
        return None


def plain_scalar(value: str) -> Any:
    """A plain (unquoted) scalar: `1e-3` is a number and `on` a text, other than in YAML 1.1."""
    if value in WORDS:
        return WORDS[value]
    if len(value) > LONGEST_NUMBER:
        return value
    if INTEGER.fullmatch(value):
        return int(value)
    return float(value) if FLOAT.fullmatch(value) else value


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
