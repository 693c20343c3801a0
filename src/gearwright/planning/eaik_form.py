"""Closed forms of more arms, by the library EAIK where it is installed: three parallel axes, and others it knows."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.planning.arm_axes import ArmAxes
from gearwright.planning.poses import placed


@dataclass(frozen=True)
class EaikForm:
    """An arm in EAIK, which takes axes and the ways between them."""

    arm: ArmAxes
    solver: Any

    def configurations(self, pose: Array) -> Array:
        """All angles that bring the frame to a flat pose (12,), (branches, 6)."""
        R, p = placed(pose)
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = R @ self.arm.rotation.T, p
        found = self.solver.IK(target)
        exact = [x for x, rough in zip(found.Q, found.is_LS, strict=True) if not rough]
        return np.array(exact, dtype=float).reshape(-1, 6)


def eaik_form(arm: ArmAxes) -> EaikForm | None:
    """The closed form of an arm, if EAIK (`pip install 'gearwright[ik]'`) is there and knows one."""
    if find_spec("eaik") is None:
        return None
    from eaik.IK_HP import HPRobot

    ways = np.diff(np.vstack([np.zeros(3), arm.points, arm.position]), axis=0)
    solver = HPRobot(arm.axes, ways)
    return EaikForm(arm, solver) if solver.hasKnownDecomposition() else None
