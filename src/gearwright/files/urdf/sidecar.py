"""The sidecar of a URDF, a YAML file beside it for what URDF cannot state: `arm.urdf` and `arm.gearwright.yaml`.

The sidecar holds the fields of a robot file that the URDF alone does not give back: drives, gravity, payload, frames,
and per link only what differs, found by reading the URDF and comparing. `null` removes a field; `without` names links
that only the URDF needs. Edits of the URDF hold, except where the sidecar states the same: a ratio that both state is
the sidecar's, with a note; a mass that the sidecar replaces must be the one it was written for. Problems of the robot
that both make together are reported with the lines of the sidecar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

from gearwright.errors import FileError
from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.yaml.build import with_lines
from gearwright.files.yaml.reader import read_words
from gearwright.files.yaml.writer import dump, robot_words
from gearwright.files.yaml_tree import Node, parse
from gearwright.files.yaml_tree import Path as Words
from gearwright.parts import Robot
from gearwright.text import did_you_mean, visible

# Lines of the sidecar

STEP = re.compile(r"\[(\d+)\]|([^.\[]+)")


@dataclass(frozen=True)
class SidecarLines:
    """Where a sidecar states what.

    Args:
        root: the sidecar.
        path: its file.
    """

    root: Node
    path: Path

    def of_link(self, name: str, word: str) -> int:
        """The line of a word of a link, or of the link."""
        return self.root.line_of((*self._link(name), word))

    def of_words(self, spelled: str, links: tuple[str, ...]) -> int | None:
        """The line of words of the whole robot, such as `links[0].mass`; None where the URDF states them.

        Args:
            spelled: the words.
            links: names of the whole robot's links, in its order.
        """
        path = _steps(spelled)
        if len(path) > 1 and path[0] == "links" and isinstance(path[1], int):
            own = self._link(links[path[1]])
            stated = bool(own) and _stated(self.root, (*own, *path[2:3]))
            return self.root.line_of((*own, *path[2:])) if stated else None
        return self.root.line_of(path) if _stated(self.root, path[:1]) else None

    def _link(self, name: str) -> Words:
        entries = self.root.data.get("links") or []
        found = [k for k, entry in enumerate(entries) if isinstance(entry, dict) and entry.get("name") == name]
        return ("links", found[0]) if found else ()

    def refuse(self, problems: Problems) -> None:
        """Raise the error if anything was found."""
        if problems.found:
            raise self.named(problems)

    def named(self, problems: Problems) -> FileError:
        """The error, whose problems name the sidecar: who reads the list has the URDF in mind."""
        error = problems.error()
        listed = []
        for line, words, message in error.problems:
            place = f"{self.path.name}, line {line}" if line is not None else self.path.name
            listed.append((None, f"{place}, {words}" if words else place, message))
        return FileError(str(error), listed)


def _steps(spelled: str) -> Words:
    """The words that a path spells.

    >>> _steps("links[0].joint.axis")
    ('links', 0, 'joint', 'axis')
    """
    return tuple(int(number) if number else word for number, word in STEP.findall(spelled))


def _stated(root: Node, path: Words) -> bool:
    """Whether a file has these words."""
    node = root
    for word in path:
        if word not in node.members:
            return False
        node = node.members[word]
    return True


# The sidecar

Fields = dict[str, Any]
GONE = None
MASS = "urdf_mass"
HEAD = """# What {urdf} cannot say of this robot; Gearwright reads the two together. The words are those of robot files:
# what stands here replaces what is said there, null takes a word away.
"""


def sidecar_of(path: Path) -> Path:
    """The name of the sidecar of a URDF.

    >>> sidecar_of(Path("arm.urdf")).name
    'arm.gearwright.yaml'
    """
    return path.with_name(f"{path.stem}.gearwright.yaml")


def sidecar_text(robot: Robot, alone: Robot, urdf: str) -> str:
    """What the URDF (read back as `alone`) does not say of the robot."""
    wanted, given = _words(robot), _words(alone)
    words: Fields = {"robot": robot.name}
    surplus = [name for name in given["links"] if name not in wanted["links"]]
    if surplus:
        words["without"] = surplus
    links = [_listed(link, given["links"].get(name, {})) for name, link in wanted["links"].items()]
    wanted["links"] = given["links"] = {}
    words |= _missing(wanted, given)
    words |= {"links": [link for link in links if link]} if any(links) else {}
    return HEAD.format(urdf=visible(urdf)) + dump(words)


def _listed(wanted: Fields, given: Fields) -> Fields:
    """A link's entry: what differs, and the URDF's mass where another one stands, to notice an edited URDF."""
    missing = _missing(wanted, given)
    old = {MASS: given["mass"]} if "mass" in missing and "mass" in given else {}
    return {"name": wanted["name"], **old, **missing} if missing else {}


class Completed(NamedTuple):
    """The robot of a URDF and its sidecar, the links that the sidecar speaks of, and where it had the last word."""

    robot: Robot
    restated: tuple[str, ...]
    notes: tuple[str, ...]


def completed(alone: Robot, path: Path) -> Completed:
    """The robot of a URDF with what its sidecar adds; problems have the sidecar's lines."""
    problems = Problems(str(path))
    root = _sidecar(path, problems)
    lines = SidecarLines(root, path)
    words = dict(root.data)
    restated = _by_name(words.pop("links", None) or [], lines, problems)
    without = words.pop("without", None) or []
    merged = _words(alone)
    _refuse_edits(restated, merged["links"], lines, problems)
    _refuse_strangers(without, merged["links"], lines, problems)
    links = {name: link for name, link in merged.pop("links").items() if name not in without}
    links = {name: _overlaid(link, restated.get(name, {})) for name, link in links.items()}
    robot = _read(_overlaid(merged, words) | {"links": list(links.values())}, lines, tuple(links))
    return Completed(_with_train_lines(robot, root, path), tuple(restated), _other_ratios(alone, robot, lines))


def _refuse_edits(restated: dict[str, Fields], given: Fields, lines: SidecarLines, problems: Problems) -> None:
    """The sidecar replaces numbers of a certain URDF; in another one it would undo an edit without a word."""
    for name, words in restated.items():
        mass, line = words.get(MASS), lines.of_link(name, MASS)
        if name not in given:
            text = f"link {name!r} is not in the URDF. {did_you_mean(name, given)} Write both again, or remove it here."
            problems.add(text, "links", line)
        elif mass is not None and mass != given[name]["mass"]:
            problems.add(
                f"link {name!r} was written with the mass {mass} kg (with its wheels), but the URDF now says "
                f"{given[name]['mass']} kg. Change the link's numbers here too, and {MASS}, or remove its entry.",
                "links",
                line,
            )
    for words in restated.values():
        words.pop(MASS, None)
    lines.refuse(problems)


def _refuse_strangers(without: list[Any], given: Fields, lines: SidecarLines, problems: Problems) -> None:
    """What is to go must be there."""
    for k, name in enumerate(without):
        if name not in given:
            line = lines.root.line_of(("without", k))
            problems.add(f"link {name!r} is not in the URDF. {did_you_mean(str(name), given)}", f"without[{k}]", line)
    lines.refuse(problems)


def _other_ratios(alone: Robot, robot: Robot, lines: SidecarLines) -> tuple[str, ...]:
    """Notes about ratios that both files state, and not as the same: that of the sidecar holds."""
    ratios = {drive.joint: (k, drive.gear.ratio) for k, drive in reversed(list(enumerate(robot.drives)))}
    notes = []
    for drive in alone.drives:
        place, here = ratios.get(drive.joint, (0, drive.gear.ratio))
        if not isclose(here, drive.gear.ratio, rel_tol=1e-9):
            line = lines.root.line_of(("drives", place, "gear", "ratio"))
            where = f"{lines.path.name}, line {line}"
            notes.append(f"joint {drive.joint!r}: ratio {here:g} from {where}, not {drive.gear.ratio:g} of the URDF")
    return tuple(notes)


def _with_train_lines(robot: Robot, root: Node, path: Path) -> Robot:
    """The robot whose trains know their lines: those of the sidecar if it states them, else none."""
    if "trains" not in root.data:
        return replace(robot, trains=[replace(train, stated=()) for train in robot.trains])
    return replace(robot, trains=[with_lines(train, i, root, str(path)) for i, train in enumerate(robot.trains)])


def _sidecar(path: Path, problems: Problems) -> Node:
    """A sidecar, with `links` and `without` as lists."""
    root = parse(read_text(path), problems)
    lists = [root.data.get(word) or [] for word in ("links", "without")] if isinstance(root.data, dict) else [None]
    if not all(isinstance(value, list) for value in lists):
        problems.add(
            "a sidecar is a mapping, `links` and `without` are lists of links. Write the robot again.", line=root.line
        )
    problems.refuse()
    return root


def _read(words: Fields, lines: SidecarLines, links: tuple[str, ...]) -> Robot:
    """The robot of merged words; its problems have the lines of the sidecar, or none where the URDF speaks."""
    try:
        return read_words(words)
    except FileError as error:
        problems = Problems(str(lines.path))
        for _, path, message in error.problems:
            line = lines.of_words(path, links)
            problems.add(message, path if line is not None else f"with its URDF, {path}", line)
        raise lines.named(problems) from None


def _words(robot: Robot) -> Fields:
    """The words of a robot file, with every joint's name spelled out and the links by name."""
    links = [replace(link, joint=replace(link.joint, name=link.joint_name)) for link in robot.links]
    words: Fields = robot_words(replace(robot, links=links))
    words["links"] = {link["name"]: link for link in words["links"]}
    return words


def _missing(wanted: Mapping[str, Any], given: Mapping[str, Any]) -> Fields:
    """The words of `wanted` that differ in `given`, and those of `given` that are to go."""
    found: Fields = {word: GONE for word in given if word not in wanted}
    for word, value in wanted.items():
        if word not in given:
            found[word] = value
        elif isinstance(value, dict) and isinstance(given[word], dict):
            inner = _missing(value, given[word])
            found |= {word: inner} if inner else {}
        elif not (_same_turn(value, given[word]) if word == "rotation" else value == given[word]):
            found[word] = value
    return found


def _same_turn(one: list[list[float]], other: list[list[float]]) -> bool:
    """Equal but for the rounding of three angles, which is not worth a word."""
    pairs = [(x, y) for a, b in zip(one, other, strict=True) for x, y in zip(a, b, strict=True)]
    return all(abs(x - y) < 4e-15 for x, y in pairs)


def _overlaid(words: Any, over: Any) -> Any:
    """The words with those of `over` in their place; None takes one away."""
    if not isinstance(words, dict) or not isinstance(over, dict):
        return over
    changed = {word: _overlaid(words.get(word), value) for word, value in over.items() if value is not GONE}
    return {word: value for word, value in words.items() if word not in over} | changed


def _by_name(links: list[Any], lines: SidecarLines, problems: Problems) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    for k, link in enumerate(links):
        if not isinstance(link, dict) or not isinstance(link.get("name"), str):
            text = "every link of a sidecar is a mapping with a name. Write the URDF again with Gearwright."
            problems.add(text, f"links[{k}]", lines.root.line_of(("links", k)))
        else:
            found[link["name"]] = dict(link)
    lines.refuse(problems)
    return found
