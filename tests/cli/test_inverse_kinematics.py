"""`gearwright inverse-kinematics`: table, JSON, all branches, out of reach, what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gearwright as gw

COMMAND = ("inverse-kinematics", "ur5_like", "--frame", "tool")


def test_table(run):
    code, out, _ = run(*COMMAND, "--xyz", "-0.4,0.2,0.3", "--rpy", "3,0,0.5")
    assert code == 0
    assert "ur5_like, tool" in out
    assert "shoulder_pan" in out


def test_json_is_what_the_library_finds(run):
    facts = json.loads(run(*COMMAND, "--xyz", "0.4,0.2,0.3", "--rpy", "3,0.1,0.5", "--all", "--json").out)
    assert len(facts["configurations"]) == 8
    mech = gw.assemble(gw.load("ur5_like"))
    for row in facts["configurations"]:
        there = gw.placement(mech, list(row["q"].values()), "tool")
        assert np.allclose(there.position, [0.4, 0.2, 0.3], atol=1e-8)
        assert np.allclose(there.yaw_pitch_roll, [0.5, 0.1, 3.0], atol=1e-8)
        assert row["reached"]


def test_position_alone_and_a_start(run):
    found = json.loads(
        run(
            "inverse-kinematics", "elbow", "--frame", "tool", "--xyz", "0.3,0.2,0.4", "--start", "0.5,0,1", "--json"
        ).out
    )
    q = list(found["configurations"][0]["q"].values())
    assert np.allclose(gw.placement(gw.assemble(gw.load("elbow")), q, "tool").position, [0.3, 0.2, 0.4], atol=1e-8)


def test_out_of_reach(run):
    code, out, err = run(*COMMAND, "--xyz", "3,0,0")
    assert code == 2
    assert "shoulder_pan" in out
    assert "error" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--xyz", "0.4,0.2"], ["--xyz '0.4,0.2'", "x, y, z"]),
        (["--rpy", "a,b,c"], ["--rpy"]),
        ([], ["rotation", "position"]),
        (["--xyz", "0,0,1", "--start", "9,0,0,0,0,0"], ["shoulder_pan", "limits"]),
        (["--xyz", "0,0,1", "--frame", "tol"], ["'tol'", "'tool'"]),
        (["--xyz", "0,0,1", "--all"], ["infinitely many"]),
    ],
)
def test_refused(refused, arguments, words):
    refused(*COMMAND, *arguments, words=words)


def test_limits_that_are_in_the_way_are_named(run, tmp_path):
    arm = gw.load("elbow")
    near, far = (0.0, 0.5, 0.3), (9.0, 0.0, 0.3)
    gw.save(arm.with_joint("j1", limits=gw.parts.Limits(position=(-0.2, 0.2))), tmp_path / "arm.yaml")
    for place, limited in ((near, True), (far, False)):
        where = ",".join(map(str, place))
        code, out, _ = run(
            "inverse-kinematics", str(tmp_path / "arm.yaml"), "--frame", "tool", f"--xyz={where}", "--json"
        )
        assert code == 2
        assert json.loads(out)["configurations"][0]["beyond_limits"] is limited
    assert "limits" in run("inverse-kinematics", str(tmp_path / "arm.yaml"), "--frame", "tool", "--xyz=0,0.5,0.3").err
