"""What an MJCF file switches off for the whole model."""

from __future__ import annotations

from typing import Any

from gearwright.files.mjcf_source import mujoco_module
from gearwright.files.urdf_report import Findings

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
