"""The demonstration's first words: joints whose torque a constant on the diagonal misses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table

from gearwright.analysis import compare
from gearwright.catalogue import load
from gearwright.mechanism import assemble
from gearwright.motion.tour import tour
from gearwright.plots import save
from gearwright.plots.curves import Diagram, curves

JOINTS = {"wrist_puma": ("j3", "a coupled wrist"), "mini_cheetah_leg": ("knee", "a leg")}
"""Per robot the joint that is missed most, and what it is."""
KINDS = ("diagonal", "reflected")


def show_misses(folder: Path, console: Any) -> Path:
    """Print what "armature" misses on a wrist and on a leg, and draw it."""
    table = Table("robot", "joint", title='What "armature" misses', title_justify="left")
    for column in ("exact, peak [mNm]", "off by [mNm]", "of the peak"):
        table.add_column(column, justify="right")
    for name, (joint, words) in JOINTS.items():
        miss = next(x for x in _compared(name).misses() if (x.kind, x.speed) == ("diagonal", joint))
        numbers = (f"{1e3 * miss.peak:.1f}", f"{1e3 * miss.largest:.1f}", f"{miss.share:.0%}")
        table.add_row(f"{name}, {words}", joint, *numbers)
    console.print(table)
    return save(misses_figure(), folder / "armature.png")


def misses_figure() -> Any:
    """Exact torques beside those with a constant on the diagonal, a panel per robot."""
    diagrams = []
    for name, (joint, words) in JOINTS.items():
        found = _compared(name)
        k, t = found.mech.speeds.index(joint), found.motion.t
        miss = next(x for x in found.misses() if (x.kind, x.speed) == ("diagonal", joint))
        tables = {"exact": found.exact, "armature": found.approximations["diagonal"]}
        lines = {kind: (t, 1e3 * tau[:, k]) for kind, tau in tables.items()}
        diagrams.append(Diagram(("time [s]", f"torque of {joint} [mNm]"), lines, f"{words}: {miss.share:.0%} off"))
    return curves(diagrams)


def _compared(name: str) -> Any:
    robot = load(name)
    mech = assemble(robot)
    return compare(mech, tour(robot, mech, 401), KINDS)
