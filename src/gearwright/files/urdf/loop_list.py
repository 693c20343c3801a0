"""The list of closed loops beside a URDF: `robot.urdf` and `robot.yaml` with the key `closed_loop`.

Collections of parallel robots state their loops in this form:

- `closed_loop`: pairs of frames that coincide, each the name of a link, or of the joint that carries it;
- `type`: for each pair 3d (points) or 6d (points and orientation);
- `name_mot`: the joints with motors;
- `joint_name` and `joint_type`: joints of the URDF to be replaced by FIXED, SPHERICAL or UJOINT_XY (about x, then y).

A YAML file without the key `closed_loop` is something else and is not used, nor is a list beside a URDF that states
loops itself (URDF+).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gearwright.errors import FileError
from gearwright.files.import_report import ImportFindings
from gearwright.files.problems import FileProblems
from gearwright.files.reading import read_text
from gearwright.files.size_limits import part_count_problem, quoted_short
from gearwright.files.yaml.writer import dump_yaml
from gearwright.files.yaml_tree import YamlNode, parse_yaml
from gearwright.parts import Drive, Joint, Link, Loop, Robot
from gearwright.parts.environment.loops_and_contacts import HOLDABLE_COORDINATES
from gearwright.text import did_you_mean

LOOP_KEY = "closed_loop"
LOOP_LINE = re.compile(rf"^{LOOP_KEY}\s*:", re.MULTILINE)
LOOP_LIST_KEYS = (LOOP_KEY, "type", "name_mot", "joint_name", "joint_type")
HELD_BY_TYPE = {"3d": HOLDABLE_COORDINATES[:3], "6d": HOLDABLE_COORDINATES}
DRIVEN_KINDS = ("revolute", "prismatic")
JOINTS_BY_TYPE: dict[str, dict[str, Any]] = {
    "FIXED": {"kind": "fixed"},
    "SPHERICAL": {"kind": "spherical"},
    "UJOINT_XY": {"kind": "universal", "axis": (1.0, 0.0, 0.0), "axis2": (0.0, 1.0, 0.0)},
}


def with_loop_list(findings: ImportFindings, robot: Robot, path: Path) -> Robot:
    """Return the robot with the loops and motors of a list of loops; unchanged if the YAML file is something else.

    Raises:
        FileError: with every problem of the list and its line.
    """
    problems = FileProblems(str(path))
    try:
        text = read_text(path, "a list of loops")
    except FileError as error:
        findings.add_note(f"{path.name} beside the URDF is not used: {error.problems[0][2]}")
        return robot
    if LOOP_LINE.search(text) is None:
        return robot
    if robot.loops:
        findings.add_note(f"the loops of {path.name} are not used: the URDF states loops itself")
        return robot
    root = parse_yaml(text, problems)
    if not isinstance(root.data, dict) or LOOP_KEY not in root.data:
        return robot
    completed = _LoopList(root, problems, findings).complete(robot)
    problems.raise_if_any()
    for key in root.data:
        if key not in LOOP_LIST_KEYS:
            findings.add_ignored(f"{path.name}: {key}", root.line_of((key,)))
    findings.add_note(f"read together with the loops of {path.name}")
    return completed


def loop_list_text(robot: Robot) -> str:
    """Return the list of the loops and driven joints of a robot whose loops are of points or whole frames."""
    types = {tuple(held): kind for kind, held in HELD_BY_TYPE.items()}
    fields: dict[str, Any] = {
        LOOP_KEY: [list(loop.frames) for loop in robot.loops],
        "type": [types[tuple(loop.held)] for loop in robot.loops],
    }
    motors = [drive.joint for drive in robot.drives]
    return dump_yaml(fields | ({"name_mot": motors} if motors else {}))


class _LoopList:
    """The fields of a list of loops.

    Args:
        root: the file.
        problems: takes its problems.
        findings: takes motors of the list that the robot does not have; they change nothing else.
    """

    def __init__(self, root: YamlNode, problems: FileProblems, findings: ImportFindings) -> None:
        self.root, self.problems, self.findings = root, problems, findings

    def complete(self, robot: Robot) -> Robot:
        """Return the robot with replaced joints, loops and motors."""
        links = self._with_joint_types(robot.links)
        places = {link.joint_name: link.name for link in links} | {link.name: link.name for link in links}
        loops = []
        pairs, kinds = self._entries(LOOP_KEY), self._entries("type")
        if kinds and len(kinds) != len(pairs):
            self._add("type", f"there are {len(kinds)} types for {len(pairs)} loops. Give one each.")
            kinds = []
        for k, pair in enumerate(pairs):
            held = self._held_coordinates(k, kinds[k] if kinds else "6d")
            ends = self._pair(k, pair, places)
            if ends is not None and held is not None:
                loops.append(Loop(f"loop{k + 1}", ends, held))
        drives = [*robot.drives, *self._motors(robot, links)]
        return replace(robot, links=links, loops=loops, drives=drives)

    def _entries(self, key: str) -> list[Any]:
        value = self.root.data.get(key, [])
        if not isinstance(value, list):
            self._add(key, f"it is {quoted_short(str(value))}. Give a list.")
            return []
        reason = part_count_problem(len(value), key)
        if reason is not None:
            self._add(key, reason)
            return []
        return value

    def _add(self, key: str, message: str, index: int | None = None) -> None:
        path = (key,) if index is None else (key, index)
        self.problems.add(message, key if index is None else f"{key}[{index}]", self.root.line_of(path))

    def _held_coordinates(self, index: int, kind: Any) -> tuple[str, ...] | None:
        held = HELD_BY_TYPE.get(str(kind).lower())
        if held is None:
            self._add(
                "type", f"{quoted_short(str(kind))} is unknown. Give 3d (points) or 6d (points and orientation).", index
            )
        return None if held is None else tuple(held)

    def _pair(self, index: int, pair: Any, places: Mapping[str, str]) -> list[str] | None:
        if not isinstance(pair, list) or len(pair) != 2:
            self._add(LOOP_KEY, f"{quoted_short(str(pair))} is not a pair of frames. Give two names.", index)
            return None
        for name in pair:
            if not isinstance(name, str) or name not in places:
                text = f"{quoted_short(str(name))} is neither a link nor a joint. {did_you_mean(str(name), places)}"
                self._add(LOOP_KEY, text, index)
                return None
        return [places[name] for name in pair]

    def _with_joint_types(self, links: Sequence[Link]) -> list[Link]:
        names, kinds = self._entries("joint_name"), self._entries("joint_type")
        if len(names) != len(kinds):
            self._add("joint_type", f"there are {len(kinds)} types for {len(names)} joints. Give one each.")
            return list(links)
        replaced: dict[Any, Any] = {}
        joints = [link.joint_name for link in links]
        for k, (name, kind) in enumerate(zip(names, kinds, strict=True)):
            if name not in joints:
                self._add(
                    "joint_name", f"there is no joint {quoted_short(str(name))}. {did_you_mean(str(name), joints)}", k
                )
            elif not isinstance(kind, str) or kind not in JOINTS_BY_TYPE:
                self._add(
                    "joint_type", f"{quoted_short(str(kind))} is unknown. {did_you_mean(str(kind), JOINTS_BY_TYPE)}", k
                )
            else:
                replaced[name] = JOINTS_BY_TYPE[kind]
        return [
            replace(link, joint=_joint_of_kind(link, replaced[link.joint_name]))
            if link.joint_name in replaced
            else link
            for link in links
        ]

    def _motors(self, robot: Robot, links: list[Link]) -> list[Drive]:
        driven, joints = {drive.joint for drive in robot.drives}, {link.joint_name: link for link in links}
        motors = []
        for k, name in enumerate(self._entries("name_mot")):
            if not isinstance(name, str):
                self._add("name_mot", f"{quoted_short(str(name))} is not a name. Give the name of a joint.", k)
            elif name not in joints or joints[name].joint.kind not in DRIVEN_KINDS:
                text = f"{quoted_short(name)} is not a joint with one speed, so it has no motor."
                line = self.root.line_of(("name_mot", k))
                self.findings.add_accepted(f"name_mot[{k}]", line, f"{text} {did_you_mean(name, joints)}")
            elif name not in driven:
                motors.append(Drive(name))
                driven.add(name)
        return motors


def _joint_of_kind(link: Link, fields: Mapping[str, Any]) -> Joint:
    """Return the joint of a link as one of another kind at the same place, without limits and friction."""
    placed = {"rotation": link.joint.rotation, "position": link.joint.position}
    return Joint(link.joint_name, **{"axis": link.joint.axis, **placed, **fields})
