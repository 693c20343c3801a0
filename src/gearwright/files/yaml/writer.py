"""Robots as YAML: the words that give back the same numbers, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from gearwright import text
from gearwright.algebra import IDENTITY, Rot, Tensor, Vec, is_number
from gearwright.errors import InputError
from gearwright.files.fields.cross_section import section_words
from gearwright.files.fields.from_parts import plain_words
from gearwright.files.fields.gear import gear_words
from gearwright.files.fields.joint import KINDS
from gearwright.files.fields.tendons_and_cords import cord_words
from gearwright.files.fields.train import train_words
from gearwright.files.yaml_tree import plain_scalar
from gearwright.parts import (
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
    Touch,
)
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, words_of_surface

ALWAYS = ("inertia", "mass")
"""Numbers of a motor that are written even if they are zero."""


def write_yaml(robot: Robot) -> str:
    """The robot as YAML text; geometry as placement and axis, numbers in SI units.

    >>> from gearwright.parts import Link
    >>> print(write_yaml(Robot("pendulum", [Link("rod", mass=2.0, com=(0.3, 0, 0))])), end="")
    robot: pendulum
    gravity: [0.0, 0.0, -9.81]
    links:
    - name: rod
      parent: base
      joint:
        type: revolute
        axis: [0.0, 0.0, 1.0]
      mass: 2.0
      com: [0.3, 0.0, 0.0]

    Raises:
        InputError: a number of the robot is a symbol, which no file can hold.
    """
    return dump(robot_words(robot))


def robot_words(robot: Robot) -> dict[str, Any]:
    """The words of a robot file as plain data: mappings, lists, texts and numbers."""
    words: dict[str, Any] = {"robot": robot.name}
    words |= _given({"description": robot.description})
    words["gravity"] = _vector("gravity", robot.gravity)
    words["links"] = [_link(link) for link in robot.links]
    words |= _given({"drives": [_drive(drive) for drive in robot.drives]})
    words |= _given({"trains": [train_words(train, _motor) for train in robot.trains]})
    if robot.payload is not None:
        words["payload"] = _payload(robot.payload)
    if robot.supply is not None:
        words["supply"] = plain_words("supply", robot.supply)
    words |= _given({"springs": [_spring(spring) for spring in robot.springs]})
    words |= _given({"tendons": [_tendon(tendon) for tendon in robot.tendons]})
    words |= _given({"cords": [cord_words(cord, _motor) for cord in robot.cords]})
    words |= _given({"frames": [_frame(frame) for frame in robot.frames]})
    words |= _given({"states": [_state(state) for state in robot.states]})
    words |= _given({"loops": [_loop(loop) for loop in robot.loops]})
    return words | _given({"environment": [_touch(touch) for touch in robot.environment]})


def dump(words: Mapping[str, Any]) -> str:
    """Plain data as YAML; lists of numbers stay on one line."""
    document = yaml.dump(
        dict(words), Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True, default_flow_style=False
    )
    return text.yaml(str(document))


class _Dumper(yaml.SafeDumper):
    """A list without lists or mappings in it is written on one line; nothing is written as an anchor."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_list(dumper: yaml.SafeDumper, values: list[Any]) -> yaml.Node:
    flat = not any(isinstance(x, dict) for x in values)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=flat)


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    if not text.is_unicode(value):
        raise InputError(
            f"{value!r} holds a lone surrogate, which is not a character: no file can hold it. Give another text."
        )
    # PyYAML knows the numbers of YAML 1.1 only: what reads as a number here (1e5) must be quoted by us.
    quoted = "'" if not isinstance(plain_scalar(value), str) else None
    hidden = text.lines(value) != value
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"' if hidden else quoted)


_Dumper.add_representer(list, _represent_list)
_Dumper.add_representer(str, _represent_text)


def _given(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words without those that say nothing."""
    return {word: value for word, value in words.items() if value not in (None, "", [], {}, False)}


def _number(owner: str, x: Any) -> float:
    if not is_number(x):
        raise InputError(f"{owner} is {x!r}, no number: a file cannot hold it. Put a number in its place first.")
    return float(x)


def _numbers(owner: str, words: Mapping[str, Any]) -> dict[str, Any]:
    """The words with plain numbers, without those that are None."""
    kept = {word: value for word, value in words.items() if value is not None}
    return {w: x if isinstance(x, str | bool) else _number(f"{owner}, {w}", x) for w, x in kept.items()}


def _vector(owner: str, v: Any) -> list[float]:
    return [_number(owner, x) for x in Vec.of(v)]


def _rows(matrix: Any) -> Any:
    return matrix.rows() if isinstance(matrix, Rot | Tensor) else matrix


def _tensor(owner: str, inertia: Any) -> dict[str, float]:
    tensor = Tensor.of(_rows(inertia))
    names = ("xx", "yy", "zz", "xy", "xz", "yz")
    elements = {name: _number(f"{owner}, {name}", getattr(tensor, name)) for name in names}
    return {name: x for name, x in elements.items() if x != 0}


def _place(owner: str, position: Any, rotation: Any) -> dict[str, Any]:
    words: dict[str, Any] = {}
    xyz = _vector(owner, position)
    if any(xyz):
        words["xyz"] = xyz
    if Rot.of(_rows(rotation)) != IDENTITY:
        words["rotation"] = [_vector(owner, row) for row in _rows(rotation)]
    return words


def _link(link: Link) -> dict[str, Any]:
    owner = f"link {link.name!r}"
    words: dict[str, Any] = {"name": link.name, "parent": link.parent, "joint": _joint(link.joint, owner)}
    words["mass"] = _number(f"{owner}, mass", link.mass)
    com = _vector(f"{owner}, com", link.com)
    words |= {"com": com} if any(com) else {}
    words |= _given({"inertia": _tensor(f"{owner}, inertia", link.inertia), "effective": link.effective})
    if link.tip is not None:
        words["tip"] = _vector(f"{owner}, tip", link.tip)
    if link.section is not None:
        words["section"] = section_words(f"link {link.name!r}", link.section)
    return words | _given({"shapes": [_shape(shape) for shape in link.shapes]})


def _joint(joint: Joint, owner: str) -> dict[str, Any]:
    owner = f"{owner}, joint"
    words = _given({"name": joint.name}) | {"type": joint.kind}
    words |= _given({"origin": _place(owner, joint.position, joint.rotation)})
    for word in ("axis", "axis2"):
        if joint.kind in KINDS and word in KINDS[joint.kind].model_fields:
            words[word] = _vector(f"{owner}, {word}", getattr(joint, word))
    if joint.pitch is not None:
        words["pitch"] = _number(f"{owner}, pitch", joint.pitch)
    words |= _given({"limits": _limits(joint)})
    if joint.follows is not None:
        leader, multiplier, offset = joint.follows
        words["follows"] = {"joint": leader, **_numbers(owner, {"multiplier": multiplier, "offset": offset})}
    if joint.spring is not None:
        words["spring"] = plain_words(f"{owner}, spring", joint.spring)
    words |= _given({"armature": _number(f"{owner}, armature", joint.armature)})
    return words | _friction(joint, owner)


def _friction(part: Joint | Motor, owner: str) -> dict[str, Any]:
    """Damping and friction where there is any: a number, or words."""
    words = {"damping": _number(f"{owner}, damping", part.damping)}
    if isinstance(part.friction, Friction):
        words["friction"] = plain_words(f"{owner}, friction", part.friction)  # type: ignore[assignment]
    else:
        words["friction"] = _number(f"{owner}, friction", part.friction)
    return {word: x for word, x in words.items() if x}


def _limits(joint: Joint) -> dict[str, Any]:
    limits = joint.limits
    words: dict[str, Any] = {} if limits.position is None else {"position": [float(x) for x in limits.position]}
    return words | _numbers("limits", {w: getattr(limits, w) for w in ("speed", "acceleration", "effort")})


def _shape(shape: Shape) -> dict[str, Any]:
    words: dict[str, Any] = {"kind": shape.kind, "size": [float(x) for x in shape.size]}
    place = _place("shape", shape.position, shape.rotation)
    return words | _given({"file": shape.file, "origin": place}) | {"role": shape.role}


def _drive(drive: Drive) -> dict[str, Any]:
    words: dict[str, Any] = {"joint": drive.joint} | _given({"name": drive.name, "mounted_on": drive.mounted_on})
    if drive.axis is not None:
        words["axis"] = _vector(f"drive {drive.title!r}, axis", drive.axis)
    words["motor"] = _motor(drive.motor, f"drive {drive.title!r}, motor")
    words["gear"] = gear_words(f"drive {drive.title!r}, gear", drive.gear)
    for word in ("supply", "current_control", "servo"):
        if getattr(drive, word) is not None:
            words[word] = plain_words(f"drive {drive.title!r}, {word}", getattr(drive, word))
    return words


def _motor(motor: Motor, owner: str) -> dict[str, Any]:
    plain = replace(motor, position=None, com=None, tensor=None, damping=0.0, friction=0.0)
    words: dict[str, Any] = {word: _number(f"{owner}, {word}", getattr(motor, word)) for word in ALWAYS}
    words |= plain_words(owner, plain) | _friction(motor, owner)
    for word in ("position", "com"):  # [0, 0, 0] is a place too
        if getattr(motor, word) is not None:
            words[word] = _vector(f"{owner}, {word}", getattr(motor, word))
    return words | ({} if motor.tensor is None else {"tensor": _tensor(f"{owner}, tensor", motor.tensor)})


def _spring(spring: PassiveSpring) -> dict[str, Any]:
    owner = f"spring {spring.name!r}"
    row = {joint: _number(owner, factor) for joint, factor in spring.row.items()}
    numbers = {word: getattr(spring, word) for word in ("stiffness", "damping", "rest")}
    return {"name": spring.name, "row": row, **{w: x for w, x in _numbers(owner, numbers).items() if x}}


def _tendon(tendon: Tendon) -> dict[str, Any]:
    owner = f"tendon {tendon.name!r}"
    words: dict[str, Any] = {"name": tendon.name}
    words["row"] = {joint: _number(owner, factor) for joint, factor in tendon.row.items()}
    words |= _given({"inertia": _number(f"{owner}, inertia", tendon.inertia)})
    if tendon.motor is not None:
        words["motor"] = _motor(tendon.motor, f"{owner}, motor")
    return words | ({} if tendon.servo is None else {"servo": plain_words(f"{owner}, servo", tendon.servo)})


def _state(state: NamedState) -> dict[str, Any]:
    return {"name": state.name} | _given({"q": dict(state.q), "v": dict(state.v)})


def _loop(loop: Loop) -> dict[str, Any]:
    return {"name": loop.name, "frames": list(loop.frames), "held": list(loop.held)}


def _touch(touch: Touch) -> dict[str, Any]:
    words: dict[str, Any] = {"name": touch.name}
    if touch.surface is not None:
        words |= {"frame": touch.frame, "surface": words_of_surface(touch.surface)}
    words |= _given({"row": dict(touch.row or {}), "rest": touch.rest, "slip": dict(touch.slip or {})})
    words |= _given({"restitution": touch.restitution, "friction": touch.friction})
    words |= {} if touch.impact == ENERGETIC else {"impact": touch.impact}
    if touch.stiffness is not None:
        words["behind"] = {"stiffness": touch.stiffness, **_given({"damping": touch.damping})}
    return words | ({} if touch.relative_to == "base" else {"relative_to": touch.relative_to})


def _payload(payload: Payload) -> dict[str, Any]:
    words: dict[str, Any] = {"mass": _number("payload, mass", payload.mass)}
    if payload.position is not None:
        words["position"] = _vector("payload, position", payload.position)
    words |= _given({"link": payload.link, "frame": payload.frame})
    return words | _given({"inertia": _tensor("payload, inertia", payload.inertia)})


def _frame(frame: Frame) -> dict[str, Any]:
    return {"name": frame.name, "link": frame.link, **_place(f"frame {frame.name!r}", frame.position, frame.rotation)}
