"""All branches of arms with a closed form, against EAIK, where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.planning.kinematics import solution_branches
from gearwright.planning.kinematics.joint_ranges import JointRanges

HP = pytest.importorskip("eaik.IK_HP", reason="EAIK is not installed")


def closed_form(mech, frame):
    """The arm in EAIK: axes of the joints and ways between them, at rest, in the world."""
    rest = np.zeros(mech.n)
    places = [gw.placement(mech, rest, body.name) for body in mech.bodies]
    tool = gw.placement(mech, rest, frame)
    axes = np.array([R @ [*body.axis] for (R, _), body in zip(places, mech.bodies, strict=True)])
    points = np.array([np.zeros(3), *(p for _, p in places), tool.position])
    return HP.HPRobot(axes, np.diff(points, axis=0)), tool.rotation


@pytest.mark.parametrize("name", ["ur5_like", "puma560"])
def test_branches_are_those_of_the_closed_form(name, monkeypatch):
    """Puma by our own closed form, the other one by restarts: EAIK itself does not help."""
    monkeypatch.setattr(solution_branches, "eaik_arm", lambda arm: None)
    mech = gw.assemble(gw.load(name))
    joints = JointRanges.from_robot(mech)
    arm, at_rest = closed_form(mech, "tool")
    q = np.random.default_rng(4).uniform(-3, 3, (40, mech.n))
    R, p = gw.placement(mech, q, "tool")
    found = gw.inverse_kinematics(mech, "tool", (R, p), branches="all")
    for k in range(len(q)):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = R[k] @ at_rest.T, p[k]
        solved = arm.IK(pose)
        exact = [np.asarray(x) for x, rough in zip(solved.Q, solved.is_LS, strict=True) if not rough]
        mine = found.q[k][found.reached[k]]
        distinct: list[np.ndarray] = []
        for x in exact:
            if all(joints.largest_difference(y, x) > 1e-4 for y in distinct):
                distinct.append(x)
        assert len(mine) == len(distinct)
        for x in distinct:
            assert joints.largest_difference(mine, x).min() < 1e-5
