"""What a URDF cannot say, in a YAML file beside it: `arm.urdf` and `arm.gearwright.yaml`.

The sidecar holds the words of a robot file that the URDF alone does not give back: drives, gravity, payload, frames,
and per link only what differs, found by reading the URDF and comparing. `null` takes a word away; `without` names links
that only the URDF needs. Whoever edits the URDF keeps his changes, except where the sidecar speaks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

from gearwright.errors import FileError
from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.yaml_reader import read_words
from gearwright.files.yaml_tree import parse
from gearwright.files.yaml_writer import dump, robot_words
from gearwright.parts import Robot
from gearwright.text import visible

Words = dict[str, Any]
GONE = None
MASS = "urdf_mass"
HEAD = """# What {urdf} cannot say of this robot; Gearwright reads the two together. The words are those of robot files:
# what stands here replaces what the URDF says, null takes a word away.
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
    words: Words = {"robot": robot.name}
    surplus = [name for name in given["links"] if name not in wanted["links"]]
    if surplus:
        words["without"] = surplus
    links = [_listed(link, given["links"].get(name, {})) for name, link in wanted["links"].items()]
    wanted["links"] = given["links"] = {}
    words |= _missing(wanted, given)
    words |= {"links": [link for link in links if link]} if any(links) else {}
    return HEAD.format(urdf=visible(urdf)) + dump(words)


def _listed(wanted: Words, given: Words) -> Words:
    """A link's entry: what differs, and the URDF's mass where another one stands, to notice an edited URDF."""
    missing = _missing(wanted, given)
    old = {MASS: given["mass"]} if "mass" in missing and "mass" in given else {}
    return {"name": wanted["name"], **old, **missing} if missing else {}


def completed(alone: Robot, path: Path) -> tuple[Robot, tuple[str, ...]]:
    """The robot of a URDF with what its sidecar adds, and the names of the links that the sidecar speaks of."""
    problems = Problems(str(path))
    words = _sidecar(path, problems)
    restated = _by_name(words.pop("links", None) or [], problems)
    without = words.pop("without", None) or []
    merged = _words(alone)
    _refuse_edits(restated, merged["links"], problems)
    links = {name: link for name, link in merged.pop("links").items() if name not in without}
    links = {name: _overlaid(link, restated.get(name, {})) for name, link in links.items()}
    robot = _read(_overlaid(merged, words) | {"links": list(links.values())}, path)
    _refuse_other_ratios(alone, robot, problems)
    return robot, tuple(restated)


def _refuse_edits(restated: dict[str, Words], given: Words, problems: Problems) -> None:
    """The sidecar replaces numbers of a certain URDF; in another one it would undo an edit without a word."""
    for name, words in restated.items():
        mass = words.pop(MASS, None)
        if name not in given:
            problems.add(f"link {name!r} is not in the URDF. Write both again, or remove it here.")
        elif mass is not None and mass != given[name]["mass"]:
            problems.add(
                f"link {name!r} was written with the mass {mass} kg (with its wheels), but the URDF now says "
                f"{given[name]['mass']} kg. Change the link's numbers here too, and {MASS}, or remove its entry."
            )
    problems.refuse()


def _refuse_other_ratios(alone: Robot, robot: Robot, problems: Problems) -> None:
    """A ratio that both files state is the same."""
    ratios = {drive.joint: drive.gear.ratio for drive in reversed(robot.drives)}
    for drive in alone.drives:
        here, there = ratios.get(drive.joint), drive.gear.ratio
        if here is not None and not isclose(here, there, rel_tol=1e-9):
            problems.add(f"joint {drive.joint!r} has the ratio {here:g} here and {there:g} in the URDF. Correct one.")
    problems.refuse()


def _sidecar(path: Path, problems: Problems) -> Words:
    """The words of a sidecar, with `links` and `without` as lists."""
    root = parse(read_text(path), problems)
    lists = [root.data.get(word) or [] for word in ("links", "without")] if isinstance(root.data, dict) else [None]
    if not all(isinstance(value, list) for value in lists):
        problems.add(
            "a sidecar is a mapping, `links` and `without` are lists of links. Write the robot again.", line=root.line
        )
    problems.refuse()
    words: Words = root.data
    return words


def _read(words: Words, path: Path) -> Robot:
    """The robot of merged words; there are no lines to name, for they come from two files."""
    try:
        return read_words(words)
    except FileError as error:
        problems = Problems(f"{path} with its URDF")
        for problem in error.problems:
            problems.add(problem[2], problem[1])
        raise problems.error() from None


def _words(robot: Robot) -> Words:
    """The words of a robot file, with every joint's name spelled out and the links by name."""
    links = [replace(link, joint=replace(link.joint, name=link.joint_name)) for link in robot.links]
    words: Words = robot_words(replace(robot, links=links))
    words["links"] = {link["name"]: link for link in words["links"]}
    return words


def _missing(wanted: Mapping[str, Any], given: Mapping[str, Any]) -> Words:
    """The words of `wanted` that differ in `given`, and those of `given` that are to go."""
    found: Words = {word: GONE for word in given if word not in wanted}
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


def _by_name(links: list[Any], problems: Problems) -> dict[str, Words]:
    found: dict[str, Words] = {}
    for link in links:
        if not isinstance(link, dict) or not isinstance(link.get("name"), str):
            problems.add("every link of a sidecar is a mapping with a name. Write the URDF again with Gearwright.")
        else:
            found[link["name"]] = link
    return found
