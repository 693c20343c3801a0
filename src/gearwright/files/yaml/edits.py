"""Minimal edits of a robot file: comments, order and units stay wherever the robot is the same.

The fields of the robot as the file states it and as it shall be are compared, and only the text of fields that differ
is replaced. The result is read again: if it is not the wanted robot, there is no such edit, and the file is written
anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from gearwright.errors import GearwrightError
from gearwright.files.field_synonyms import FIELDS_BY_SYNONYM, POSE_FIELDS, POSE_SYNONYM
from gearwright.files.yaml.writer import robot_fields
from gearwright.parts import Robot

LONGEST_FLOW_VALUE = 100
"""Number of characters up to which a mapping is written on one line."""
FieldMapping = Mapping[str, Any]
BY_ENTRY, BY_CHANGE, IN_FULL = "entry", "change", "full"
"""How a part from a catalogue is stated: by the name of its entry, by the fields that differ from it, by all fields."""


class TextEdit(NamedTuple):
    """A replacement of the characters from start to end."""

    start: int
    end: int
    text: str


class FieldEntry(NamedTuple):
    """A field in the text: the mapping that contains it, its key and its value."""

    mapping: yaml.MappingNode
    key: yaml.Node
    value: yaml.Node


class _NoMinimalEdit(Exception):
    """The text cannot be edited to state the wanted robot."""


def edited_yaml(text: str, robot: Robot, read: Callable[[str], Robot]) -> str | None:
    """Return the text of a robot file edited to state another robot; None if the file must be written anew.

    Args:
        text: the file.
        robot: what it shall state.
        read: reads the text of a robot file.
    """
    new_fields = robot_fields(robot)
    present = robot_fields(read(text))
    if present == new_fields:
        return text
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:  # stricter than the C library that reads robot files, about tabs
        return None
    for statement in (BY_ENTRY, BY_CHANGE, IN_FULL):
        try:
            edits = list(_Comparison(text, statement).mapping_edits(root, present, new_fields))
            edited = _with_edits(text, edits)
            if robot_fields(read(edited)) == new_fields:
                return edited
        except (_NoMinimalEdit, GearwrightError):
            continue
    return None


def _with_edits(text: str, edits: Sequence[TextEdit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


class _Comparison:
    """The edits of a text between two states of its fields.

    Args:
        text: the file.
        statement: how a part from a catalogue is stated.
    """

    def __init__(self, text: str, statement: str) -> None:
        self.text, self.statement = text, statement

    def mapping_edits(
        self, node: yaml.Node | None, present: FieldMapping, new_fields: FieldMapping
    ) -> Iterator[TextEdit]:
        """Yield the edits of a mapping."""
        if not isinstance(node, yaml.MappingNode):
            raise _NoMinimalEdit
        entries = _entries_by_field(node, {*present, *new_fields})
        added: dict[str, Any] = {}
        for word in [*new_fields, *(word for word in present if word not in new_fields)]:
            if present.get(word) == new_fields.get(word):
                continue
            if word not in new_fields:
                if word in entries:
                    yield self.removal(*entries[word])
            elif word in entries:
                yield from self.value_edits(entries[word].value, present.get(word), new_fields[word])
            else:
                added[word] = (
                    _short_payload(new_fields[word])
                    if word == "payload" and self.statement == BY_ENTRY
                    else new_fields[word]
                )
        origin = next((value for key, value in node.value if key.value == POSE_SYNONYM), None)
        if isinstance(origin, yaml.MappingNode):
            pose = {word: added.pop(word) for word in POSE_FIELDS if word in added}
            if pose:
                yield self.addition(origin, pose)
        if added:
            yield self.addition(node, added)

    def value_edits(self, node: yaml.Node, present: Any, new_value: Any) -> Iterator[TextEdit]:
        """Yield the edits of the value of a field."""
        names_entry = isinstance(node, yaml.MappingNode) and any(key.value == "catalogue" for key, _ in node.value)
        if isinstance(new_value, dict) and self.statement == BY_ENTRY and new_value.get("catalogue") is not None:
            present_keys = [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
            places = {
                word: new_value[word]
                for word in ("position", "included", "coupling")
                if word in present_keys and word in new_value
            }
            yield self.replacement(node, {"catalogue": new_value["catalogue"], **places})
        elif (
            isinstance(new_value, dict)
            and isinstance(present, dict)
            and not (names_entry and self.statement == IN_FULL)
        ):
            yield from self.mapping_edits(node, present, new_value)
        elif _is_list_of_parts(new_value) and _is_list_of_parts(present):
            yield from self.list_edits(node, present, new_value)
        else:
            yield self.replacement(node, new_value)

    def list_edits(
        self, node: yaml.Node, present: Sequence[FieldMapping], new_entries: Sequence[FieldMapping]
    ) -> Iterator[TextEdit]:
        """Yield the edits of a list of parts, each known by its name."""
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != len(present):
            raise _NoMinimalEdit  # parts that are not entries of the file: of attachments, or segments of beams
        by_name = {_part_name(part): part for part in new_entries}
        names = [_part_name(part) for part in present]
        if [name for name in by_name if name in names] != [name for name in names if name in by_name]:
            raise _NoMinimalEdit  # another order
        for item, part, name in zip(node.value, present, names, strict=True):
            if name in by_name:
                yield from self.mapping_edits(item, part, by_name[name])
            else:
                yield self.removal(node, item, item)
        new = [part for name, part in by_name.items() if name not in names]
        if new:
            yield self.addition(node, new)

    def replacement(self, node: yaml.Node, value: Any) -> TextEdit:
        """Return the edit that replaces a value, on one line if it is short."""
        start, end = node.start_mark.index, self.end_of(node)
        line = _flow_text(value)
        in_block = self.text[: node.start_mark.index].rpartition("\n")[2].count("{") == 0
        if len(line) > LONGEST_FLOW_VALUE and in_block and isinstance(value, dict):
            indent = self.indent_of_line(start) + 2
            return TextEdit(start, end, "\n" + _block_text(value, indent).rstrip("\n"))
        return TextEdit(start, end, line)

    def addition(self, node: yaml.CollectionNode, values: Any) -> TextEdit:
        """Return the edit that adds fields to a mapping, or parts to a list."""
        items = (
            [f"{word}: {_flow_text(value)}" for word, value in values.items()]
            if isinstance(values, Mapping)
            else [_flow_text(value) for value in values]
        )
        if node.flow_style:
            end = self.end_of(node) - 1
            return TextEdit(end, end, (", " if node.value else "") + ", ".join(items))
        end = self.text.find("\n", self.end_of(node))
        end = len(self.text) if end < 0 else end
        first = node.value[0]
        column = node.start_mark.column if isinstance(node, yaml.SequenceNode) else first[0].start_mark.column
        mark = "- " if isinstance(node, yaml.SequenceNode) else ""
        return TextEdit(end, end, "".join(f"\n{' ' * column}{mark}{item}" for item in items))

    def removal(self, node: yaml.CollectionNode, first: yaml.Node, last: yaml.Node) -> TextEdit:
        """Return the edit that removes a field or a part."""
        start, end = first.start_mark.index, self.end_of(last)
        if node.flow_style:
            following = self.text[end:].lstrip()
            if following.startswith(","):
                end = self.text.index(",", end) + 1
                end += len(self.text[end:]) - len(self.text[end:].lstrip(" "))
            else:
                start = self.text.rindex(",", 0, start) if "," in self.text[node.start_mark.index : start] else start
            return TextEdit(start, end, "")
        line = self.text.rfind("\n", 0, start) + 1
        before = self.text[line:start].strip()
        if before not in ("", "-") or (before == "-" and isinstance(node, yaml.MappingNode)):
            raise _NoMinimalEdit  # the first field of a part shares the line of its dash
        after = self.text.find("\n", end)
        return TextEdit(line, len(self.text) if after < 0 else after + 1, "")

    def end_of(self, node: yaml.Node) -> int:
        """Return the end of the last character of a node, without comments and lines that follow it."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self.end_of(last[1] if isinstance(last, tuple) else last)
        written = self.text[node.start_mark.index : node.end_mark.index]
        return int(node.start_mark.index) + len(written.rstrip())

    def indent_of_line(self, index: int) -> int:
        """Return the column of the key whose value starts at an index."""
        line = self.text[self.text.rfind("\n", 0, index) + 1 : index]
        return len(line) - len(line.lstrip(" -"))


def _entries_by_field(node: yaml.MappingNode, fields: Collection[str]) -> dict[str, FieldEntry]:
    """Return the entries of a mapping by their fields, also those given by synonyms of these fields."""
    entries: dict[str, FieldEntry] = {}
    for key, value in node.value:
        name = str(key.value)
        field = FIELDS_BY_SYNONYM.get(name, name)
        if name == POSE_SYNONYM and isinstance(value, yaml.MappingNode):
            entries |= _entries_by_field(value, fields)
        else:
            entries[field if field in fields and name not in fields else name] = FieldEntry(node, key, value)
    return entries


def _short_payload(fields: FieldMapping) -> FieldMapping:
    """Return a payload without its place, for one at the tool frame or the tip."""
    return {word: value for word, value in fields.items() if word not in ("position", "link", "frame")}


def _part_name(part: FieldMapping) -> str:
    return str(part.get("name", part.get("joint")))


def _is_list_of_parts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)


def _flow_text(value: Any) -> str:
    text: str = yaml.safe_dump([value], default_flow_style=True, width=10**6, sort_keys=False, allow_unicode=True)
    return text.strip()[1:-1]


def _block_text(value: FieldMapping, indent: int) -> str:
    lines = [f"{word}: {_flow_text(inner)}" for word, inner in value.items()]
    return "".join(f"{' ' * indent}{line}\n" for line in lines)
