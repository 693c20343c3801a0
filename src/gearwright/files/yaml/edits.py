"""Minimal edits of a robot file: comments, order and units stay wherever the robot is the same.

The fields of the robot as the file states it and as it shall be are compared, and only the text of fields that differ
is replaced. The result is read again: if it is not the wanted robot, there is no such edit, and the file is written
anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import yaml

from gearwright.errors import GearwrightError
from gearwright.files.field_synonyms import FIELDS_BY_SYNONYM, POSE_FIELDS, POSE_SYNONYM
from gearwright.files.units import in_stated_unit
from gearwright.files.yaml.build import in_file_frames, inverse_frames
from gearwright.files.yaml.writer import robot_fields
from gearwright.files.yaml_tree import anchored_data, plain_scalar
from gearwright.parts import Robot

MOST_ALIASES = 20
"""Number of aliases up to which each is tried without its anchor."""
LONGEST_FLOW_VALUE = 100
"""Number of characters up to which a mapping is written on one line."""
TENSOR_FIELDS = frozenset(("xx", "yy", "zz", "xy", "xz", "yz"))
FRAME_ROUNDING = 1e-14
"""Relative rounding of vectors and tensors whose frame is changed twice: sixty times that of one number."""
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


def edited_yaml(
    text: str, robot: Robot, read: Callable[[str], Robot], read_target: Callable[[str], Robot] | None = None
) -> str | None:
    """Return the text of a robot file edited to state another robot; None if the file must be written anew.

    Args:
        text: the file.
        robot: what it shall state.
        read: reads the text of a robot file at its place.
        read_target: reads a text at the place where it will be written; by default the same place.
    """
    source, read_target = read(text), read_target or read
    states_robot = _same_at(read_target, robot_fields(robot))
    with suppress(GearwrightError):
        if robot_fields(source) == robot_fields(robot) and states_robot(text):
            return text
    frames = inverse_frames(source)
    present, new_fields = (robot_fields(in_file_frames(x, frames)) for x in (source, robot))
    for stated, statement in itertools.product((text, *_without_aliases(text)), (BY_ENTRY, BY_CHANGE, IN_FULL)):
        with suppress(_NoMinimalEdit, GearwrightError, yaml.YAMLError):  # YAMLError: its parser is stricter about tabs
            ordered = _in_order(stated, new_fields)
            edits = list(_Comparison(ordered, statement).mapping_edits(_composed(ordered), present, new_fields))
            edited = _with_edits(ordered, edits)
            if states_robot(edited):
                return edited
    return None


def _without_aliases(text: str) -> Iterator[str]:
    """Yield the text with one alias after the other, and then all, replaced by the data of their anchor.

    An edit of a part that an alias states would change the part with the anchor, too.
    """
    with suppress(GearwrightError, yaml.YAMLError):
        tokens = [x for x in yaml.scan(text, Loader=yaml.SafeLoader) if isinstance(x, yaml.AliasToken)]
        if not tokens or len(tokens) > MOST_ALIASES:
            return
        data = anchored_data(text)
        edits = [TextEdit(x.start_mark.index, x.end_mark.index, _flow_text(data[x.value])) for x in tokens]
        for chosen in (*([edit] for edit in edits), edits):
            yield _with_edits(text, chosen)


def _composed(text: str) -> yaml.Node | None:
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _same_at(read: Callable[[str], Robot], wanted: FieldMapping) -> Callable[[str], bool]:
    """Return whether a text states wanted fields, up to the rounding of a change of frame."""
    return lambda text: _is_same(robot_fields(read(text)), wanted)


def _is_same(value: Any, wanted: Any, size: float = 0.0) -> bool:
    if isinstance(value, dict) and isinstance(wanted, dict):
        numbers = [abs(x) for x in (*value.values(), *wanted.values()) if type(x) is float]
        size = max(numbers, default=0.0) if value.keys() | wanted.keys() <= TENSOR_FIELDS else 0.0
        shared = value.keys() & wanted.keys() if size else value.keys() | wanted.keys()
        alone = (x for words in (value, wanted) for word, x in words.items() if word not in shared)
        return all(
            word in value and word in wanted and _is_same(value[word], wanted[word], size) for word in shared
        ) and (all(abs(x) <= FRAME_ROUNDING * size for x in alone))
    if isinstance(value, list) and isinstance(wanted, list):
        size = max((abs(x) for x in (*value, *wanted) if type(x) is float), default=0.0)
        return len(value) == len(wanted) and all(_is_same(x, y, size) for x, y in zip(value, wanted, strict=True))
    if type(value) is float and type(wanted) is float:
        return value == wanted or abs(value - wanted) <= FRAME_ROUNDING * size
    return bool(value == wanted)


def _in_order(text: str, fields: FieldMapping) -> str:
    """Return the text with the parts of each list in the order of the wanted fields."""
    root = _composed(text)
    if not isinstance(root, yaml.MappingNode):
        raise _NoMinimalEdit
    edits: list[TextEdit] = []
    for key, value in root.value:
        wanted = fields.get(str(key.value))
        if isinstance(value, yaml.SequenceNode) and _is_list_of_parts(wanted):
            edits += _order_edits(text, value, [_part_name(part) for part in wanted])  # type: ignore[union-attr]
    return _with_edits(text, edits)


def _order_edits(text: str, node: yaml.SequenceNode, names: Sequence[str]) -> list[TextEdit]:
    """Return the edits that sort the entries of a list by names; an entry moves with the comments before it."""
    present = [_stated_name(item) for item in node.value]
    kept = [name for name in names if name in present]
    slots = [k for k, name in enumerate(present) if name in kept]
    if len(set(present)) < len(present) or [present[k] for k in slots] == kept:
        return []
    spans = _entry_spans(text, node)
    entries = [text[slice(*spans[present.index(name)])] for name in kept]
    return [TextEdit(*spans[k], entry) for k, entry in zip(slots, entries, strict=True)]


def _entry_spans(text: str, node: yaml.SequenceNode) -> list[tuple[int, int]]:
    """Return the characters of each entry of a list; of lists in block style the whole lines, comments before them."""
    place = _Comparison(text, IN_FULL)
    ends = [place.end_of(item) for item in node.value]
    if node.flow_style:
        return [(int(item.start_mark.index), end) for item, end in zip(node.value, ends, strict=True)]
    lines = [text.find("\n", end) + 1 or len(text) for end in ends]
    first = text.rfind("\n", 0, node.value[0].start_mark.index) + 1
    before = text.rfind(":", 0, first)  # comments between the key and the first entry belong to this entry
    start = text.find("\n", before) + 1
    return list(zip([start, *lines[:-1]], lines, strict=True))


def _stated_name(node: yaml.Node) -> str:
    words = {
        str(key.value): str(value.value) for key, value in getattr(node, "value", ()) if isinstance(key, yaml.Node)
    }
    return words.get("name", words.get("joint", ""))


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
        elif isinstance(new_value, list) and _states_numbers(node, present) and len(present) == len(new_value):
            for item, number, new_number in zip(node.value, present, new_value, strict=True):
                if number != new_number:
                    yield from self.value_edits(item, number, new_number)
        else:
            yield self.replacement(node, new_value, present)

    def list_edits(
        self, node: yaml.Node, present: Sequence[FieldMapping], new_entries: Sequence[FieldMapping]
    ) -> Iterator[TextEdit]:
        """Yield the edits of a list of parts, each known by its name."""
        if not isinstance(node, yaml.SequenceNode):
            raise _NoMinimalEdit
        by_name = {_part_name(part): part for part in new_entries}
        present_parts = {_part_name(part): part for part in present}
        items = {_stated_name(item): item for item in node.value}
        if len(items) < len(node.value) or not items.keys() <= present_parts.keys():
            raise _NoMinimalEdit  # names that are not unique, or segments of beams
        for name, item in items.items():
            if name in by_name:
                yield from self.mapping_edits(item, present_parts[name], by_name[name])
            else:
                yield self.removal(node, item, item)
        before = None
        for name, part in by_name.items():  # parts of attachments are no entries of the file
            if name not in present_parts:
                yield self.addition(node, [part], before)
            before = items.get(name, before)

    def replacement(self, node: yaml.Node, value: Any, present: Any = None) -> TextEdit:
        """Return the edit that replaces a value, on one line if it is short; a number keeps its unit."""
        start, end = node.start_mark.index, self.end_of(node)
        line = _flow_text(value)
        if isinstance(node, yaml.ScalarNode) and isinstance(present, float) and isinstance(value, float):
            with suppress(ValueError):  # not a number within the bounds
                line = in_stated_unit(str(node.value), present, value) or line
        in_block = self.text[: node.start_mark.index].rpartition("\n")[2].count("{") == 0
        if len(line) > LONGEST_FLOW_VALUE and in_block and isinstance(value, dict):
            indent = self.indent_of_line(start) + 2
            return TextEdit(start, end, "\n" + _block_text(value, indent).rstrip("\n"))
        return TextEdit(start, end, line)

    def addition(self, node: yaml.CollectionNode, values: Any, before: yaml.Node | None = None) -> TextEdit:
        """Return the edit that adds fields to a mapping, or parts to a list behind an entry, by default at its end."""
        items = (
            [f"{word}: {_flow_text(value)}" for word, value in values.items()]
            if isinstance(values, Mapping)
            else [_flow_text(value) for value in values]
        )
        if node.flow_style:
            end = self.end_of(node) - 1 if before is None else self.end_of(before)
            return TextEdit(end, end, (", " if node.value else "") + ", ".join(items))
        end = self.text.find("\n", self.end_of(node if before is None else before))
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


def _states_numbers(node: yaml.Node, values: Any) -> bool:
    """Whether a list in the text has the numbers of a list of fields, with or without units, one by one."""
    if not (isinstance(node, yaml.SequenceNode) and isinstance(values, list) and len(node.value) == len(values)):
        return False
    return all(
        isinstance(item, yaml.ScalarNode)
        and isinstance(number, float)
        and (plain_scalar(item.value) == number or in_stated_unit(item.value, number, number) is not None)
        for item, number in zip(node.value, values, strict=True)
    )


def _flow_text(value: Any) -> str:
    text: str = yaml.safe_dump([value], default_flow_style=True, width=10**6, sort_keys=False, allow_unicode=True)
    return text.strip()[1:-1]


def _block_text(value: FieldMapping, indent: int) -> str:
    lines = [f"{word}: {_flow_text(inner)}" for word, inner in value.items()]
    return "".join(f"{' ' * indent}{line}\n" for line in lines)
