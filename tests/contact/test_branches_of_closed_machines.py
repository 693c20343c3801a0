"""All solutions of inverse kinematics of machines with closed loops."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from support.mechanisms import four_bar, with_parallelogram

LOOPED, FOLLOWING = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))


def test_every_branch_in_both_assembly_modes():
    """Those of the machine of followers, where crank and fore-arm are parallel, and as many with crossed bars."""
    target = (None, gw.placement(LOOPED, [0.3, -0.5, 0.8], "tool").position)
    found, wanted = (gw.inverse_kinematics(x, "tool", target, branches="all") for x in (LOOPED, FOLLOWING))
    assert found.reached.all()
    assert len(found.q) == 2 * len(wanted.q) > 2
    modes = gw.assemble(LOOPED).assembly_modes
    for q in wanted.q:
        same = found.q[np.abs(np.sin((found.q[:, :3] - q) / 2)).max(axis=1) < 1e-6]
        assert len(same) == 2
        expected = np.array([*modes(same[0, :3]).values()])
        for x in same:
            assert np.abs(np.sin((expected - x) / 2)).max(axis=1).min() < 1e-6


def test_a_coupler_point_of_a_four_bar():
    robot = four_bar("rocker")
    mech = gw.assemble(robot)
    q = mech.closed([0.9])
    target = (None, gw.placement(robot, q, "rocker_end").position)
    found = gw.inverse_kinematics(robot, "rocker_end", target, start=q, branches="all")
    rocker = mech.coordinates.index("rocker_joint")
    assert found.reached.all()
    assert len(found.q) == 2  # the coupler on either side
    assert found.q[:, rocker] == pytest.approx(q[rocker], abs=1e-8)
    assert found.q[0] == pytest.approx(q, abs=1e-8)


def test_redundant_machines_have_no_list_of_branches():
    """The flange turns about the axis through the tool, so a position leaves one motion free."""
    with pytest.raises(InputError, match="infinitely many"):
        gw.inverse_kinematics(gw.load("palletiser"), "tool", (None, [1.0, 0.0, 1.0]), branches="all")
