"""Options and keyframes of a compiled MJCF model: effects that it disables, and keyframes as named states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.files.import_report import Findings
from gearwright.files.mjcf.equalities import Follower
from gearwright.files.mjcf.links import BALL, FREE, SPEEDS, rot, vec
from gearwright.files.mjcf.names import Names
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import NamedState

FLAGS = {
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
"""Words of <flag> and MuJoCo's bits; `passive` stood for springs and dampers until both got bits of their own."""
IMPLIED = {"constraint": ("frictionloss", "limit", "equality"), "passive": ("spring", "damper")}


def switched_off(model: Any, found: Findings) -> frozenset[str]:
    """The words of <flag> that are disabled; what they switch off is left out of the robot, and noted."""
    bits = mujoco_module().mjtDisableBit
    known = {word: int(getattr(bits, bit)) for word, bit in FLAGS.items() if hasattr(bits, bit)}
    off = {word for word, bit in known.items() if model.opt.disableflags & bit}
    off |= {inner for word in off for inner in IMPLIED.get(word, ())}
    for word in sorted(off):
        found.note(f"the file disables {word}: left out")
    if model.opt.disableflags & int(bits.mjDSBL_CLAMPCTRL):
        found.note("the file disables clampctrl: ranges of inputs are kept here all the same")
    return frozenset(off)


PLACES = (".x", ".y", ".z")
TURNS = (".qw", ".qx", ".qy", ".qz")
LINEAR = (".vx", ".vy", ".vz")
ANGULAR = (".wx", ".wy", ".wz")
COORDINATES = {FREE: (*PLACES, *TURNS), BALL: TURNS}
RATES = {FREE: (*LINEAR, *ANGULAR), BALL: ANGULAR}


def states(
    model: Any, names: Names, followers: dict[int, Follower], lose: Callable[[str, str, str], None]
) -> list[NamedState]:
    """All keyframes; joints that follow others are not mentioned."""
    made = []
    for k in range(model.nkey):
        title = str(model.key(k).name) or f"key{k}"
        for word, values in {"ctrl": model.key_ctrl, "act": model.key_act}.items():
            if values[k].any():
                lose(f"{word} of a keyframe", title, "a state holds coordinates and speeds only")
        q: dict[str, float] = {}
        v: dict[str, float] = {}
        for joint in range(model.njnt):
            if joint not in followers:
                _read(model, names.joints[joint], joint, model.key_qpos[k], model.key_qvel[k], q, v)
        made.append(NamedState(names.among("states", title), q, {name: x for name, x in v.items() if x}))
    return made


def _read(model: Any, name: str, joint: int, qpos: Any, qvel: Any, q: dict[str, float], v: dict[str, float]) -> None:
    kind, at, dof = int(model.jnt_type[joint]), int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    ends = COORDINATES.get(kind, ("",))
    values, rates = qpos[at : at + len(ends)], [float(x) for x in qvel[dof : dof + SPEEDS[kind]]]
    if kind == FREE:  # MuJoCo counts the linear speeds of a free joint in world axes
        rates[:3] = rot(values[3:]).T @ vec(rates[:3])
    q.update({name + end: float(x) for end, x in zip(ends, values, strict=True)})
    v.update({name + end: x for end, x in zip(RATES.get(kind, ("",)), rates, strict=True)})
