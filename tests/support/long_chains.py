"""Chains of many links with a rotor per joint."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))


def long_chain(links: int, stiffness: float | None = None) -> Robot:
    """Links on turning axes, each driven by a motor on the link before, through a spring if it has a stiffness."""
    made = []
    for i in range(links):
        joint = Joint(f"j{i}", axis=AXES[i % 3], position=(0.1, 0.02, 0.03) if i else (0.0, 0.0, 0.0))
        tensor = np.diag([0.01, 0.012, 0.013])
        parent = f"l{i - 1}" if i else "base"
        made.append(Link(f"l{i}", parent, joint, 1.0 + 0.01 * (i % 7), (0.05, 0.01, 0.02), tensor))
    drives = [Drive(f"j{i}", Motor(1e-5, mass=0.1), Gear(50, stiffness=stiffness)) for i in range(links)]
    return Robot("chain", made, drives)


def calls(action: Callable[[], Any]) -> int:
    """How many Python functions an action calls."""
    count = 0

    def see(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count
