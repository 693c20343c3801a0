"""Actuator configurations of other programs, in YAML or JSON: limits, gains, armature, gears of named joints.

The key `actuators`, at any depth, holds groups of joints. The names are those of Isaac Lab, with synonyms:

    actuators:
      legs:
        joint_names_expr: [".*_hip", ".*_knee"]     # regular expressions over whole names
        effort_limit: 23.5                          # or per joint: {".*_hip": 23.5, ".*_knee": 45.4}
        velocity_limit: 30
        stiffness: 25
        damping: 0.5
        armature: 0.01
    transmissions:
      - {name: wrist, joints: [roll, pitch], speed_matrix: [[20, 20], [20, -20]], effort_matrix: [[20, 20], [20, -20]]}
    period: 0.005
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gearwright.files.problems import FileProblems
from gearwright.files.reading import read_text
from gearwright.files.size_limits import quoted_short
from gearwright.files.units import parse_quantity
from gearwright.files.yaml_tree import YamlNode, parse_yaml
from gearwright.text import listed_names

CONFIGURATION_ENDINGS = (".yaml", ".yml", ".json")
ACTUATOR_QUANTITIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "armature": (("armature",), ("inertia", "mass")),
    "rotor_inertia": (("rotor_inertia", "motor_inertia"), ("inertia",)),
    "ratio": (("gear_ratio", "ratio", "reduction", "mechanical_reduction"), ("number",)),
    "effort": (("effort_limit", "effort_limit_sim", "saturation_effort", "torque_limit"), ("torque", "force")),
    "speed": (("velocity_limit", "velocity_limit_sim", "speed_limit"), ("angular speed", "speed")),
    "kp": (("stiffness", "kp"), ("angular stiffness", "stiffness")),
    "kd": (("damping", "kd"), ("angular damping", "damping")),
    "friction": (("friction", "frictionloss", "coulomb_friction"), ("torque", "force")),
    "viscous_friction": (("viscous_friction",), ("angular damping", "damping")),
    "motor_torque": (("motor_torque", "motor_peak_torque"), ("torque",)),
    "motor_speed": (("motor_speed", "motor_no_load_speed"), ("angular speed",)),
    "motor_mass": (("motor_mass",), ("mass",)),
    "torque_ratio": (("torque_ratio",), ("number",)),
    "speed_ratio": (("speed_ratio",), ("number",)),
}
"""Quantity -> its keys in files, and its dimensions. Of several limits of effort the largest counts."""
INFINITE_WORDS = (".inf", "inf", "infinity")
"""Numbers, in small letters, that state no limit."""
JOINT_KEYS = ("joint_names_expr", "joint_names", "joints")
SEARCH_DEPTH = 8
"""Levels of mappings in which `actuators` is looked for."""


@dataclass(frozen=True)
class ActuatorGroup:
    """One group of a configuration: patterns of joint names, and each quantity by patterns.

    Args:
        name: of the group.
        patterns: regular expressions over whole joint names.
        values: quantity -> pairs of a pattern and a number in SI units.
        ignored: keys of the group that are not quantities of an actuator.
    """

    name: str
    patterns: tuple[str, ...]
    values: Mapping[str, tuple[tuple[str, float], ...]]
    ignored: tuple[str, ...] = ()

    def covers(self, joint: str) -> bool:
        """Whether a joint belongs to the group."""
        return any(re.fullmatch(pattern, joint) for pattern in self.patterns)

    def value(self, quantity: str, joint: str) -> float | None:
        """The number of a quantity for a joint; None if the group does not state it."""
        matching = [x for pattern, x in self.values.get(quantity, ()) if re.fullmatch(pattern, joint)]
        return max(matching) if matching else None


@dataclass(frozen=True)
class TransmissionStatement:
    """A transmission with both of its maps: motor speeds per joint speed, joint efforts per motor torque.

    Args:
        name: its name.
        joints: names of its joints.
        speed_matrix: motor speeds = speed_matrix @ joint speeds, (motors, joints).
        effort_matrix: joint efforts = effort_matrix @ motor torques, (joints, motors).
    """

    name: str
    joints: tuple[str, ...]
    speed_matrix: tuple[tuple[float, ...], ...]
    effort_matrix: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class ActuatorConfiguration:
    """An actuator configuration as written in a file."""

    source: str
    groups: tuple[ActuatorGroup, ...] = ()
    transmissions: tuple[TransmissionStatement, ...] = ()
    period: float | None = None
    notes: tuple[str, ...] = field(default=())

    def group_of(self, joint: str) -> ActuatorGroup | None:
        """The group of a joint; None without one."""
        return next((group for group in self.groups if group.covers(joint)), None)


def is_configuration(path: Path) -> bool:
    """Whether a file states actuators and no links, that is, is not a robot."""
    if path.suffix.lower() == ".json":
        return True
    if path.suffix.lower() not in CONFIGURATION_ENDINGS or not path.is_file():
        return False
    text = read_text(path)
    states_actuators = re.search(r"""["'{\s](actuators|transmissions)["']?\s*:""", f"\n{text}") is not None
    return states_actuators and re.search(r"^links\s*:", text, re.M) is None


def read_configuration(path: str | Path) -> ActuatorConfiguration:
    """Return the actuator configuration of a YAML or JSON file.

    Raises:
        FileError: the file states no actuators, or a value is not a number of its dimension; lists all problems.
    """
    problems = FileProblems(str(path))
    root = parse_yaml(read_text(Path(path), "an actuator configuration"), problems, ignores_tags=True)
    problems.raise_if_any()
    reader = _ConfigurationReader(problems)
    configuration = reader.read(root, str(path))
    problems.raise_if_any()
    return configuration


class _ConfigurationReader:
    """Reads one file; every problem is collected with its line."""

    def __init__(self, problems: FileProblems) -> None:
        self.problems = problems

    def read(self, root: YamlNode, source: str) -> ActuatorConfiguration:
        groups = [
            self._group(name, node) for outer in _nodes_by_key(root, "actuators") for name, node in _entries(outer)
        ]
        statements = [node for outer in _nodes_by_key(root, "transmissions") for node in outer.members.values()]
        transmissions = [self._transmission(node) for node in statements]
        if not groups and not transmissions:
            self.problems.add(
                "the file states no actuators. Give groups under the key `actuators`, each with `joint_names_expr` "
                "and its numbers.",
                line=root.line,
            )
        periods = [outer for key in ("period", "dt") for outer in _nodes_by_key(root, key)]
        period = self._number("period", periods[0], ("time",)) if periods else None
        ignored = sorted({key for group in groups for key in group.ignored})
        notes = (f"keys that are no numbers of an actuator: {listed_names(ignored)}",) if ignored else ()
        return ActuatorConfiguration(source, tuple(groups), tuple(transmissions), period, notes)

    def _group(self, name: str, node: YamlNode) -> ActuatorGroup:
        patterns = next((node.members[key] for key in JOINT_KEYS if key in node.members), None)
        texts = [name] if patterns is None else patterns.data if isinstance(patterns.data, list) else [patterns.data]
        known = {key: quantity for quantity, (keys, _) in ACTUATOR_QUANTITIES.items() for key in keys}
        values: dict[str, tuple[tuple[str, float], ...]] = {}
        for key, member in node.members.items():
            quantity = known.get(str(key))
            if quantity is not None and member.data is not None:
                pairs = tuple(self._pairs(f"actuators.{name}.{key}", member, ACTUATOR_QUANTITIES[quantity][1]))
                values[quantity] = (*values.get(quantity, ()), *pairs)
        ignored = [str(key) for key in node.members if str(key) not in known and key not in JOINT_KEYS]
        checked = tuple(self._pattern(f"actuators.{name}", text, node.line) for text in texts)
        return ActuatorGroup(name, checked, values, tuple(ignored))

    def _pairs(self, path: str, node: YamlNode, dimensions: tuple[str, ...]) -> Iterator[tuple[str, float]]:
        entries = [(".*", node)] if not node.members else [(str(key), inner) for key, inner in node.members.items()]
        for pattern, inner in entries:
            number = self._number(path, inner, dimensions)
            if number is not None:
                yield self._pattern(path, pattern, inner.line), number

    def _pattern(self, path: str, text: Any, line: int) -> str:
        try:
            re.compile(str(text))
        except re.error as error:
            self.problems.add(
                f"{quoted_short(str(text))} is not a regular expression ({error}). Give one over joint names, such as "
                "'.*_knee'.",
                path,
                line,
            )
            return "(?!)"
        return str(text)

    def _number(self, path: str, node: YamlNode, dimensions: tuple[str, ...]) -> float | None:
        value = node.data
        try:
            if isinstance(value, str) and value.lstrip("+").lower() in INFINITE_WORDS:
                return None
            if isinstance(value, str):
                return parse_quantity(value, *dimensions)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
            raise ValueError(f"{quoted_short(str(value))} is not a number. Give one in SI units or with its unit.")
        except ValueError as error:
            self.problems.add(str(error), path, node.line)
            return None

    def _transmission(self, node: YamlNode) -> TransmissionStatement:
        data = node.data if isinstance(node.data, dict) else {}
        name = str(data.get("name", "transmission"))
        speed, effort = (self._matrix(f"{name}.{key}", node, key) for key in ("speed_matrix", "effort_matrix"))
        if speed and effort and (len(speed), len(speed[0])) != (len(effort[0]), len(effort)):
            self.problems.add(
                f"transmission {name!r}: speed_matrix is {len(speed)} x {len(speed[0])} and effort_matrix "
                f"{len(effort)} x {len(effort[0])}. Give (motors, joints) and (joints, motors).",
                name,
                node.line,
            )
        return TransmissionStatement(name, tuple(map(str, data.get("joints") or ())), speed, effort)

    def _matrix(self, path: str, node: YamlNode, key: str) -> tuple[tuple[float, ...], ...]:
        member = node.members.get(key)
        rows = [] if member is None else [list(row.members.values()) for row in member.members.values()]
        if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
            self.problems.add(f"{key} is missing or not a matrix. Give its rows as lists of numbers.", path, node.line)
            return ()
        return tuple(tuple(self._number(path, x, ("number",)) or 0.0 for x in row) for row in rows)


def _nodes_by_key(node: YamlNode, key: str, depth: int = 0) -> Iterator[YamlNode]:
    """Yield the nodes of a key, the outermost ones first."""
    if key in node.members:
        yield node.members[key]
    elif depth < SEARCH_DEPTH:
        for inner in node.members.values():
            yield from _nodes_by_key(inner, key, depth + 1)


def _entries(node: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    for key, inner in node.members.items():
        name = inner.data.get("name") if isinstance(inner.data, dict) else None
        yield str(name or key), inner
