"""Robots as YAML, with fields that reproduce all numbers exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from gearwright import text
from gearwright.algebra import IDENTITY, Rot, Tensor, Vec, is_number
from gearwright.errors import InputError
from gearwright.files.fields.cross_section import section_fields
from gearwright.files.fields.from_parts import plain_fields
from gearwright.files.fields.gear import gear_fields
from gearwright.files.fields.joint import JOINT_FIELDS_BY_KIND
from gearwright.files.fields.tendons_and_cords import cord_fields
from gearwright.files.fields.train import train_fields
from gearwright.files.yaml_tree import plain_scalar
from gearwright.parts import (
    ContactPoint,
    Drive,
    Frame,
    Friction,
    Joint,
    Link,
    Loop,
    Motor,
    NamedState,
    PassiveSpring,
    Payload,
    Robot,
    Shape,
    Tendon,
)
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, surface_fields

ALWAYS_WRITTEN = ("inertia", "mass")
"""Fields of a motor that are written even if they are zero."""


def write_yaml(robot: Robot) -> str:
    """Return the robot as YAML text; geometry as placement and axis, numbers in SI units.

    >>> from gearwright.parts import Link
    >>> print(write_yaml(Robot("pendulum", [Link("rod", mass=2.0, com=(0.3, 0, 0))])), end="")
    robot: pendulum
    gravity: [0.0, 0.0, -9.81]
    links:
    - name: rod
      parent: base
      joint:
        kind: revolute
        axis: [0.0, 0.0, 1.0]
      mass: 2.0
      com: [0.3, 0.0, 0.0]

    Raises:
        InputError: a parameter of the robot is symbolic, which cannot be written to a file.
    """
    return dump_yaml(robot_fields(robot))


def robot_fields(robot: Robot) -> dict[str, Any]:
    """Return the fields of a robot file as plain data: mappings, lists, texts and numbers."""
    words: dict[str, Any] = {"robot": robot.name}
    words |= _without_empty({"description": robot.description})
    words["gravity"] = _plain_vector("gravity", robot.gravity)
    words["links"] = [_link_fields(link) for link in robot.links]
    words |= _without_empty({"drives": [_drive_fields(drive) for drive in robot.drives]})
    words |= _without_empty({"trains": [train_fields(train, _motor_fields) for train in robot.trains]})
    if robot.payload is not None:
        words["payload"] = _payload_fields(robot.payload)
    if robot.supply is not None:
        words["supply"] = plain_fields("supply", robot.supply)
    words |= _without_empty({"springs": [_spring_fields(spring) for spring in robot.springs]})
    words |= _without_empty({"tendons": [_tendon_fields(tendon) for tendon in robot.tendons]})
    words |= _without_empty({"cords": [cord_fields(cord, _motor_fields) for cord in robot.cords]})
    words |= _without_empty({"frames": [_frame_fields(frame) for frame in robot.frames]})
    words |= _without_empty({"states": [_state_fields(state) for state in robot.states]})
    words |= _without_empty({"loops": [_loop_fields(loop) for loop in robot.loops]})
    words |= _without_empty({"independent": list(robot.independent)})
    return words | _without_empty({"environment": [_contact_fields(touch) for touch in robot.environment]})


def dump_yaml(words: Mapping[str, Any]) -> str:
    """Return plain data as YAML; lists of numbers are on one line."""
    document = yaml.dump(
        dict(words), Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True, default_flow_style=False
    )
    return text.yaml_text(str(document))


class _Dumper(yaml.SafeDumper):
    """YAML dumper: a flat list is written on one line; anchors are not used."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_list(dumper: yaml.SafeDumper, values: list[Any]) -> yaml.Node:
    flat = not any(isinstance(x, dict) for x in values)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=flat)


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    if not text.is_unicode(value):
        raise InputError(
            f"{value!r} contains a lone surrogate, which is not a character and cannot be written. Give another text."
        )
    # PyYAML quotes texts that are numbers in YAML 1.1 only; other numbers of this reader (1e5) are quoted here.
    quoted = "'" if not isinstance(plain_scalar(value), str) else None
    hidden = text.visible_lines(value) != value
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"' if hidden else quoted)


_Dumper.add_representer(list, _represent_list)
_Dumper.add_representer(str, _represent_text)


def _without_empty(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields without empty ones."""
    return {word: value for word, value in words.items() if value not in (None, "", [], {}, False)}


def _plain_number(owner: str, x: Any) -> float:
    if not is_number(x):
        raise InputError(
            f"{owner} is {x!r}, which is not a number and cannot be written to a file. Replace it by a number first."
        )
    return float(x)


def _plain_numbers(owner: str, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields as plain numbers, without those that are None."""
    stated = {word: value for word, value in words.items() if value is not None}
    return {w: x if isinstance(x, str | bool) else _plain_number(f"{owner}, {w}", x) for w, x in stated.items()}


def _plain_vector(owner: str, v: Any) -> list[float]:
    return [_plain_number(owner, x) for x in Vec.from_values(v)]


def _matrix_rows(matrix: Any) -> Any:
    return matrix.rows() if isinstance(matrix, Rot | Tensor) else matrix


def _tensor_fields(owner: str, inertia: Any) -> dict[str, float]:
    tensor = Tensor.from_rows(_matrix_rows(inertia))
    names = ("xx", "yy", "zz", "xy", "xz", "yz")
    elements = {name: _plain_number(f"{owner}, {name}", getattr(tensor, name)) for name in names}
    return {name: x for name, x in elements.items() if x != 0}


def _pose_fields(owner: str, position: Any, rotation: Any) -> dict[str, Any]:
    words: dict[str, Any] = {}
    origin = _plain_vector(owner, position)
    if any(origin):
        words["position"] = origin
    if Rot.from_rows(_matrix_rows(rotation)) != IDENTITY:
        words["rotation"] = [_plain_vector(owner, row) for row in _matrix_rows(rotation)]
    return words


def _link_fields(link: Link) -> dict[str, Any]:
    owner = f"link {link.name!r}"
    words: dict[str, Any] = {"name": link.name, "parent": link.parent, "joint": _joint_fields(link.joint, owner)}
    words["mass"] = _plain_number(f"{owner}, mass", link.mass)
    com = _plain_vector(f"{owner}, com", link.com)
    words |= {"com": com} if any(com) else {}
    words |= _without_empty({"inertia": _tensor_fields(f"{owner}, inertia", link.inertia), "effective": link.effective})
    if link.tip is not None:
        words["tip"] = _plain_vector(f"{owner}, tip", link.tip)
    if link.section is not None:
        words["section"] = section_fields(f"link {link.name!r}", link.section)
    return words | _without_empty({"shapes": [_shape_fields(shape) for shape in link.shapes]})


def _joint_fields(joint: Joint, owner: str) -> dict[str, Any]:
    owner = f"{owner}, joint"
    words = _without_empty({"name": joint.name}) | {"kind": joint.kind}
    words |= _pose_fields(owner, joint.position, joint.rotation)
    for word in ("axis", "axis2"):
        if joint.kind in JOINT_FIELDS_BY_KIND and word in JOINT_FIELDS_BY_KIND[joint.kind].model_fields:
            words[word] = _plain_vector(f"{owner}, {word}", getattr(joint, word))
    if joint.pitch is not None:
        words["pitch"] = _plain_number(f"{owner}, pitch", joint.pitch)
    words |= _without_empty({"limits": _limit_fields(joint)})
    if joint.follows is not None:
        leader, multiplier, offset = joint.follows
        words["follows"] = {"joint": leader, **_plain_numbers(owner, {"multiplier": multiplier, "offset": offset})}
    if joint.spring is not None:
        words["spring"] = plain_fields(f"{owner}, spring", joint.spring)
    words |= _without_empty({"armature": _plain_number(f"{owner}, armature", joint.armature)})
    return words | _friction_fields(joint, owner)


def _friction_fields(part: Joint | Motor, owner: str) -> dict[str, Any]:
    """Return damping and friction, if any: a number, or fields."""
    words = {"damping": _plain_number(f"{owner}, damping", part.damping)}
    if isinstance(part.friction, Friction):
        words["friction"] = plain_fields(f"{owner}, friction", part.friction)  # type: ignore[assignment]
    else:
        words["friction"] = _plain_number(f"{owner}, friction", part.friction)
    return {word: x for word, x in words.items() if x}


def _limit_fields(joint: Joint) -> dict[str, Any]:
    limits = joint.limits
    words: dict[str, Any] = {} if limits.position is None else {"position": [float(x) for x in limits.position]}
    return words | _plain_numbers("limits", {w: getattr(limits, w) for w in ("speed", "acceleration", "effort")})


def _shape_fields(shape: Shape) -> dict[str, Any]:
    words: dict[str, Any] = {"kind": shape.kind, "size": [float(x) for x in shape.size]}
    pose = _pose_fields("shape", shape.position, shape.rotation)
    return words | _without_empty({"file": shape.file}) | pose | {"role": shape.role}


def _drive_fields(drive: Drive) -> dict[str, Any]:
    words: dict[str, Any] = {"joint": drive.joint} | _without_empty(
        {"name": drive.name, "mounted_on": drive.mounted_on}
    )
    if drive.axis is not None:
        words["axis"] = _plain_vector(f"drive {drive.title!r}, axis", drive.axis)
    words["motor"] = _motor_fields(drive.motor, f"drive {drive.title!r}, motor")
    words["gear"] = gear_fields(f"drive {drive.title!r}, gear", drive.gear)
    for word in ("supply", "current_control", "servo"):
        if getattr(drive, word) is not None:
            words[word] = plain_fields(f"drive {drive.title!r}, {word}", getattr(drive, word))
    return words


def _motor_fields(motor: Motor, owner: str) -> dict[str, Any]:
    plain = replace(motor, position=None, com=None, tensor=None, damping=0.0, friction=0.0)
    words: dict[str, Any] = {word: _plain_number(f"{owner}, {word}", getattr(motor, word)) for word in ALWAYS_WRITTEN}
    words |= plain_fields(owner, plain) | _friction_fields(motor, owner)
    for word in ("position", "com"):  # [0, 0, 0] is a valid position
        if getattr(motor, word) is not None:
            words[word] = _plain_vector(f"{owner}, {word}", getattr(motor, word))
    return words | ({} if motor.tensor is None else {"tensor": _tensor_fields(f"{owner}, tensor", motor.tensor)})


def _spring_fields(spring: PassiveSpring) -> dict[str, Any]:
    owner = f"spring {spring.name!r}"
    row = {joint: _plain_number(owner, factor) for joint, factor in spring.row.items()}
    numbers = {word: getattr(spring, word) for word in ("stiffness", "damping", "rest")}
    return {"name": spring.name, "row": row, **{w: x for w, x in _plain_numbers(owner, numbers).items() if x}}


def _tendon_fields(tendon: Tendon) -> dict[str, Any]:
    owner = f"tendon {tendon.name!r}"
    words: dict[str, Any] = {"name": tendon.name}
    words["row"] = {joint: _plain_number(owner, factor) for joint, factor in tendon.row.items()}
    words |= _without_empty({"inertia": _plain_number(f"{owner}, inertia", tendon.inertia)})
    if tendon.motor is not None:
        words["motor"] = _motor_fields(tendon.motor, f"{owner}, motor")
    return words | ({} if tendon.servo is None else {"servo": plain_fields(f"{owner}, servo", tendon.servo)})


def _state_fields(state: NamedState) -> dict[str, Any]:
    return {"name": state.name} | _without_empty({"q": dict(state.q), "v": dict(state.v)})


def _loop_fields(loop: Loop) -> dict[str, Any]:
    return {"name": loop.name, "frames": list(loop.frames), "held": list(loop.held)}


def _contact_fields(touch: ContactPoint) -> dict[str, Any]:
    words: dict[str, Any] = {"name": touch.name}
    if touch.surface is not None:
        words |= {"frame": touch.frame, "surface": surface_fields(touch.surface)}
    words |= _without_empty({"row": dict(touch.row or {}), "rest": touch.rest, "slip": dict(touch.slip or {})})
    words |= _without_empty({"restitution": touch.restitution, "friction": touch.friction})
    words |= {} if touch.impact == ENERGETIC else {"impact": touch.impact}
    if touch.stiffness is not None:
        words["behind"] = {"stiffness": touch.stiffness, **_without_empty({"damping": touch.damping})}
    return words | ({} if touch.relative_to == "base" else {"relative_to": touch.relative_to})


def _payload_fields(payload: Payload) -> dict[str, Any]:
    words: dict[str, Any] = {"mass": _plain_number("payload, mass", payload.mass)}
    if payload.position is not None:
        words["position"] = _plain_vector("payload, position", payload.position)
    words |= _without_empty({"link": payload.link, "frame": payload.frame})
    return words | _without_empty({"inertia": _tensor_fields("payload, inertia", payload.inertia)})


def _frame_fields(frame: Frame) -> dict[str, Any]:
    return {
        "name": frame.name,
        "link": frame.link,
        **_pose_fields(f"frame {frame.name!r}", frame.position, frame.rotation),
    }
