"""Options and keyframes of a compiled MJCF model: effects that it disables, and keyframes as named states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.files.import_report import ImportFindings
from gearwright.files.mjcf.equalities import JointFollower
from gearwright.files.mjcf.links import MJ_BALL, MJ_FREE, SPEED_COUNTS_BY_TYPE, rotation_of_quaternion, vector_of_array
from gearwright.files.mjcf.names import MjcfNames
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import NamedState

DISABLE_FLAGS = {
    "gravity": "mjDSBL_GRAVITY",
    "spring": "mjDSBL_SPRING",
    "damper": "mjDSBL_DAMPER",
    "frictionloss": "mjDSBL_FRICTIONLOSS",
    "limit": "mjDSBL_LIMIT",
    "equality": "mjDSBL_EQUALITY",
    "actuation": "mjDSBL_ACTUATION",
    "constraint": "mjDSBL_CONSTRAINT",
    "passive": "mjDSBL_PASSIVE",
}
"""Attributes of <flag> and MuJoCo's bits; `passive` meant springs and dampers until both got separate bits."""
IMPLIED_FLAGS = {"constraint": ("frictionloss", "limit", "equality"), "passive": ("spring", "damper")}


def disabled_flags(model: Any, findings: ImportFindings) -> frozenset[str]:
    """Return the disabled attributes of <flag>; their effects are omitted from the robot, and noted."""
    bits = mujoco_module().mjtDisableBit
    flag_bits = {word: int(getattr(bits, bit)) for word, bit in DISABLE_FLAGS.items() if hasattr(bits, bit)}
    off = {word for word, bit in flag_bits.items() if model.opt.disableflags & bit}
    off |= {inner for word in off for inner in IMPLIED_FLAGS.get(word, ())}
    for word in sorted(off):
        findings.add_note(f"the file disables {word}, which is therefore ignored")
    if model.opt.disableflags & int(bits.mjDSBL_CLAMPCTRL):
        findings.add_note("the file disables clampctrl; the input ranges are kept nevertheless")
    return frozenset(off)


POSITION_SUFFIXES = (".x", ".y", ".z")
QUATERNION_SUFFIXES = (".qw", ".qx", ".qy", ".qz")
LINEAR_SPEED_SUFFIXES = (".vx", ".vy", ".vz")
ANGULAR_SPEED_SUFFIXES = (".wx", ".wy", ".wz")
COORDINATE_SUFFIXES = {MJ_FREE: (*POSITION_SUFFIXES, *QUATERNION_SUFFIXES), MJ_BALL: QUATERNION_SUFFIXES}
SPEED_SUFFIXES = {MJ_FREE: (*LINEAR_SPEED_SUFFIXES, *ANGULAR_SPEED_SUFFIXES), MJ_BALL: ANGULAR_SPEED_SUFFIXES}


def keyframe_states(
    model: Any,
    names: MjcfNames,
    followers: dict[int, JointFollower],
    add_unrepresentable: Callable[[str, str, str], None],
) -> list[NamedState]:
    """Return all keyframes, without mimic joints."""
    named_states = []
    for k in range(model.nkey):
        title = str(model.key(k).name) or f"key{k}"
        for word, values in {"ctrl": model.key_ctrl, "act": model.key_act}.items():
            if values[k].any():
                add_unrepresentable(f"{word} of a keyframe", title, "a state contains coordinates and speeds only")
        q: dict[str, float] = {}
        v: dict[str, float] = {}
        for joint in range(model.njnt):
            if joint not in followers:
                _read_keyframe_joint(model, names.joints[joint], joint, model.key_qpos[k], model.key_qvel[k], q, v)
        named_states.append(NamedState(names.unique_name("states", title), q, {name: x for name, x in v.items() if x}))
    return named_states


def _read_keyframe_joint(
    model: Any, name: str, joint: int, qpos: Any, qvel: Any, q: dict[str, float], v: dict[str, float]
) -> None:
    kind, at, dof = int(model.jnt_type[joint]), int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    ends = COORDINATE_SUFFIXES.get(kind, ("",))
    values, rates = qpos[at : at + len(ends)], [float(x) for x in qvel[dof : dof + SPEED_COUNTS_BY_TYPE[kind]]]
    if kind == MJ_FREE:  # MuJoCo's linear speeds of a free joint are in world axes
        rates[:3] = rotation_of_quaternion(values[3:]).T @ vector_of_array(rates[:3])
    q.update({name + end: float(x) for end, x in zip(ends, values, strict=True)})
    v.update({name + end: x for end, x in zip(SPEED_SUFFIXES.get(kind, ("",)), rates, strict=True)})
