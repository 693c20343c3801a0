"""The sidecar of a URDF, a YAML file for data that URDF cannot represent: `arm.urdf` and `arm.gearwright.yaml`.

The sidecar contains the fields of a robot file that the URDF does not reproduce: drives, gravity, payload, frames, and
the differing fields of each link, found by reading the URDF back. `null` removes a field; `without` lists links that
only the URDF needs. Edits of the URDF take effect, except for fields that the sidecar also gives: for a ratio in both
files the sidecar has priority, with a note; a mass that the sidecar replaces must be the one for which it was written.
Problems of the combined robot are reported with the lines of the sidecar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

from gearwright.errors import FileError
from gearwright.files.field_synonyms import with_fields_of
from gearwright.files.problems import FileProblems
from gearwright.files.reading import read_text
from gearwright.files.yaml.build import with_train_lines
from gearwright.files.yaml.reader import read_robot_fields
from gearwright.files.yaml.writer import dump_yaml, robot_fields
from gearwright.files.yaml_tree import KeyPath as Words
from gearwright.files.yaml_tree import YamlNode, parse_yaml
from gearwright.parts import Robot
from gearwright.text import did_you_mean, visible_text

# Lines of the sidecar

PATH_STEP = re.compile(r"\[(\d+)\]|([^.\[]+)")


@dataclass(frozen=True)
class SidecarLines:
    """The line numbers of the fields of a sidecar.

    Args:
        root: the sidecar.
        path: its file.
    """

    root: YamlNode
    path: Path

    def link_line(self, name: str, word: str) -> int:
        """Return the line of a field of a link, or of the link."""
        return self.root.line_of((*self._link_path(name), word))

    def path_line(self, spelled: str, links: tuple[str, ...]) -> int | None:
        """Return the line of a field of the whole robot, such as `links[0].mass`; None if the URDF gives it.

        Args:
            spelled: the path of the field.
            links: names of the whole robot's links, in its order.
        """
        path = _path_steps(spelled)
        if len(path) > 1 and path[0] == "links" and isinstance(path[1], int):
            link_path = self._link_path(links[path[1]])
            stated = bool(link_path) and _is_stated(self.root, (*link_path, *path[2:3]))
            return self.root.line_of((*link_path, *path[2:])) if stated else None
        return self.root.line_of(path) if _is_stated(self.root, path[:1]) else None

    def _link_path(self, name: str) -> Words:
        entries = self.root.data.get("links") or []
        indices = [k for k, entry in enumerate(entries) if isinstance(entry, dict) and entry.get("name") == name]
        return ("links", indices[0]) if indices else ()

    def raise_if_any(self, problems: FileProblems) -> None:
        """Raise the error if there are problems."""
        if problems.entries:
            raise self.located_error(problems)

    def located_error(self, problems: FileProblems) -> FileError:
        """Return the error, whose problems name the sidecar, not the URDF."""
        error = problems.to_error()
        listed = []
        for line, words, message in error.problems:
            place = f"{self.path.name}, line {line}" if line is not None else self.path.name
            listed.append((None, f"{place}, {words}" if words else place, message))
        return FileError(str(error), listed)


def _path_steps(spelled: str) -> Words:
    """Return the keys of a path text.

    >>> _path_steps("links[0].joint.axis")
    ('links', 0, 'joint', 'axis')
    """
    return tuple(int(number) if number else word for number, word in PATH_STEP.findall(spelled))


def _is_stated(root: YamlNode, path: Words) -> bool:
    """Whether a file has the field at these keys."""
    node = root
    for word in path:
        if word not in node.members:
            return False
        node = node.members[word]
    return True


# The sidecar

FieldMapping = dict[str, Any]
REMOVED_FIELD = None
URDF_MASS_FIELD = "urdf_mass"
SIDECAR_HEADER = """# Data of this robot that {urdf} cannot represent; Gearwright reads both files together.
# The fields are those of robot files: a field here replaces that of the URDF, null removes it.
"""


def sidecar_path(path: Path) -> Path:
    """Return the sidecar path of a URDF.

    >>> sidecar_path(Path("arm.urdf")).name
    'arm.gearwright.yaml'
    """
    return path.with_name(f"{path.stem}.gearwright.yaml")


def sidecar_text(robot: Robot, alone: Robot, urdf: str) -> str:
    """Return the data of the robot that its URDF (read back as `alone`) lacks."""
    robot_fields_by_link, urdf_fields = _fields_by_link(robot), _fields_by_link(alone)
    words: FieldMapping = {"robot": robot.name}
    surplus = [name for name in urdf_fields["links"] if name not in robot_fields_by_link["links"]]
    if surplus:
        words["without"] = surplus
    links = [
        _changed_link_fields(link, urdf_fields["links"].get(name, {}))
        for name, link in robot_fields_by_link["links"].items()
    ]
    robot_fields_by_link["links"] = urdf_fields["links"] = {}
    words |= _changed_fields(robot_fields_by_link, urdf_fields)
    words |= {"links": [link for link in links if link]} if any(links) else {}
    return SIDECAR_HEADER.format(urdf=visible_text(urdf)) + dump_yaml(words)


def _changed_link_fields(new_fields: FieldMapping, urdf_link: FieldMapping) -> FieldMapping:
    """Return a link's entry: differing fields, and the URDF's mass if replaced, to detect an edited URDF."""
    missing = _changed_fields(new_fields, urdf_link)
    old = {URDF_MASS_FIELD: urdf_link["mass"]} if "mass" in missing and "mass" in urdf_link else {}
    return {"name": new_fields["name"], **old, **missing} if missing else {}


class CompletedRobot(NamedTuple):
    """The robot of a URDF and its sidecar, the links in the sidecar, and notes on values that it replaced."""

    robot: Robot
    restated: tuple[str, ...]
    notes: tuple[str, ...]


def complete_with_sidecar(alone: Robot, path: Path) -> CompletedRobot:
    """Return the robot of a URDF with its sidecar; problems have the sidecar's lines."""
    problems = FileProblems(str(path))
    root = _read_sidecar(path, problems)
    lines = SidecarLines(root, path)
    words = dict(root.data)
    restated = _links_by_name(words.pop("links", None) or [], lines, problems)
    without = words.pop("without", None) or []
    merged = _fields_by_link(alone)
    _require_unedited_urdf(restated, merged["links"], lines, problems)
    _require_known_links(without, merged["links"], lines, problems)
    links = {name: link for name, link in merged.pop("links").items() if name not in without}
    links = {name: _with_overlay(link, restated.get(name, {})) for name, link in links.items()}
    robot = _robot_from_fields(_with_overlay(merged, words) | {"links": list(links.values())}, lines, tuple(links))
    return CompletedRobot(
        _with_train_lines(robot, root, path), tuple(restated), _changed_ratio_notes(alone, robot, lines)
    )


def _require_unedited_urdf(
    restated: dict[str, FieldMapping], urdf_links: FieldMapping, lines: SidecarLines, problems: FileProblems
) -> None:
    """Add a problem if the sidecar was written for another version of the URDF: it would silently undo an edit."""
    for name, words in restated.items():
        mass, line = words.get(URDF_MASS_FIELD), lines.link_line(name, URDF_MASS_FIELD)
        if name not in urdf_links:
            text = (
                f"link {name!r} is not in the URDF. {did_you_mean(name, urdf_links)} Write both files again, or remove "
                "the link here."
            )
            problems.add(text, "links", line)
        elif mass is not None and mass != urdf_links[name]["mass"]:
            problems.add(
                f"link {name!r} was written with the mass {mass} kg (with its wheels), but the URDF now has "
                f"{urdf_links[name]['mass']} kg. Change the link's numbers and {URDF_MASS_FIELD} here too, or remove "
                "its entry.",
                "links",
                line,
            )
    for words in restated.values():
        words.pop(URDF_MASS_FIELD, None)
    lines.raise_if_any(problems)


def _require_known_links(
    without: list[Any], urdf_links: FieldMapping, lines: SidecarLines, problems: FileProblems
) -> None:
    """Add a problem for removed links that the URDF does not have."""
    for k, name in enumerate(without):
        if name not in urdf_links:
            line = lines.root.line_of(("without", k))
            problems.add(
                f"link {name!r} is not in the URDF. {did_you_mean(str(name), urdf_links)}", f"without[{k}]", line
            )
    lines.raise_if_any(problems)


def _changed_ratio_notes(alone: Robot, robot: Robot, lines: SidecarLines) -> tuple[str, ...]:
    """Return notes on ratios that differ between both files; that of the sidecar is used."""
    ratios = {drive.joint: (k, drive.gear.ratio) for k, drive in reversed(list(enumerate(robot.drives)))}
    notes = []
    for drive in alone.drives:
        place, sidecar_ratio = ratios.get(drive.joint, (0, drive.gear.ratio))
        if not isclose(sidecar_ratio, drive.gear.ratio, rel_tol=1e-9):
            line = lines.root.line_of(("drives", place, "gear", "ratio"))
            location = f"{lines.path.name}, line {line}"
            notes.append(
                f"joint {drive.joint!r}: ratio {sidecar_ratio:g} from {location}, not {drive.gear.ratio:g} of the URDF"
            )
    return tuple(notes)


def _with_train_lines(robot: Robot, root: YamlNode, path: Path) -> Robot:
    """Return the robot with the lines of its trains in the sidecar, if given there."""
    if "trains" not in root.data:
        return replace(robot, trains=[replace(train, stated=()) for train in robot.trains])
    return replace(robot, trains=[with_train_lines(train, i, root, str(path)) for i, train in enumerate(robot.trains)])


def _read_sidecar(path: Path, problems: FileProblems) -> YamlNode:
    """Return a sidecar, with `links` and `without` as lists."""
    root = parse_yaml(read_text(path), problems)
    lists = [root.data.get(word) or [] for word in ("links", "without")] if isinstance(root.data, dict) else [None]
    if not all(isinstance(value, list) for value in lists):
        problems.add(
            "the sidecar is not a mapping with lists `links` and `without`. Save the robot again.", line=root.line
        )
    problems.raise_if_any()
    return root


def _robot_from_fields(words: FieldMapping, lines: SidecarLines, links: tuple[str, ...]) -> Robot:
    """Return the robot of the merged fields; problems have the lines of the sidecar, or none for URDF fields."""
    try:
        return read_robot_fields(words)
    except FileError as error:
        problems = FileProblems(str(lines.path))
        for _, path, message in error.problems:
            line = lines.path_line(path, links)
            problems.add(message, path if line is not None else f"with its URDF, {path}", line)
        raise lines.located_error(problems) from None


def _fields_by_link(robot: Robot) -> FieldMapping:
    """Return the fields of a robot file, with explicit joint names and the links by name."""
    links = [replace(link, joint=replace(link.joint, name=link.joint_name)) for link in robot.links]
    words: FieldMapping = robot_fields(replace(robot, links=links))
    words["links"] = {link["name"]: link for link in words["links"]}
    return words


def _changed_fields(new_fields: Mapping[str, Any], present: Mapping[str, Any]) -> FieldMapping:
    """Return the fields of `wanted` that differ from `present`, with None for those to remove."""
    changes: FieldMapping = {word: REMOVED_FIELD for word in present if word not in new_fields}
    for word, value in new_fields.items():
        if word not in present:
            changes[word] = value
        elif isinstance(value, dict) and isinstance(present[word], dict):
            inner = _changed_fields(value, present[word])
            changes |= {word: inner} if inner else {}
        elif not (_is_same_rotation(value, present[word]) if word == "rotation" else value == present[word]):
            changes[word] = value
    return changes


def _is_same_rotation(first: list[list[float]], second: list[list[float]]) -> bool:
    """Whether two values are equal up to the rounding of three angles."""
    pairs = [(x, y) for a, b in zip(first, second, strict=True) for x, y in zip(a, b, strict=True)]
    return all(abs(x - y) < 4e-15 for x, y in pairs)


def _with_overlay(words: Any, over: Any) -> Any:
    """Return the fields with those of `over` replaced; None removes a field."""
    if not isinstance(words, dict) or not isinstance(over, dict):
        return over
    over = with_fields_of(over, words)
    changed = {
        word: _with_overlay(words.get(word), value) for word, value in over.items() if value is not REMOVED_FIELD
    }
    return {word: value for word, value in words.items() if word not in over} | changed


def _links_by_name(links: list[Any], lines: SidecarLines, problems: FileProblems) -> dict[str, FieldMapping]:
    by_name: dict[str, FieldMapping] = {}
    for k, link in enumerate(links):
        if not isinstance(link, dict) or not isinstance(link.get("name"), str):
            text = "a link of the sidecar is not a mapping with a name. Save the robot again with Gearwright."
            problems.add(text, f"links[{k}]", lines.root.line_of(("links", k)))
        else:
            by_name[link["name"]] = dict(link)
    lines.raise_if_any(problems)
    return by_name
