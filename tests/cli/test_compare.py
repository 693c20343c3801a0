"""`compare` and `demo`: exact torques beside the approximations."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gearwright import assemble
from gearwright.catalogue import load, robots
from gearwright.cli.start_pose import motion_to_show
from gearwright.motion.default_motion import default_motion


def test_compare_as_json(run):
    facts = json.loads(run("compare", "elbow", "--json").out)
    errors = {(row["kind"], row["speed"]): row["largest"] for row in facts["errors"]}
    assert len(errors) == 9
    # Rotors on the moving links push on them; without any rotor most of the first joint's torque is gone.
    assert 0.1 < errors["diagonal", "j2"] < errors["none", "j2"]
    assert facts["uncoupled"] == ["j1.rotor"]


def test_compare_prints_a_table(run):
    code, out, _ = run("compare", "elbow")
    assert code == 0
    assert "diagonal" in out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80


def test_compare_draws(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "elbow.png" in run("compare", "elbow", "--plot", "elbow.png").err
    assert (tmp_path / "elbow.png").read_bytes().startswith(b"\x89PNG")
    assert run("compare", "elbow", "--plot", "other.svg").code == 0
    assert "<svg" in (tmp_path / "other.svg").read_text()


def test_compare_of_a_given_motion(run, tmp_path):
    path = tmp_path / "still.csv"
    path.write_text("t,q.j1,q.j2,q.j3,v.j1,v.j2,v.j3,a.j1,a.j2,a.j3\n0,0,0,0,0,0,0,0,0,0\n1,0,0,0,0,0,0,0,0,0\n")
    errors = json.loads(run("compare", "elbow", path, "--json").out)["errors"]
    assert all(row["largest"] == 0 for row in errors)  # at rest only weight counts, and all keep the wheels' mass


def test_compare_refuses(refused, tmp_path):
    refused("compare", "elbow", tmp_path / "none.csv", words=["none.csv"])
    refused("compare", "elbow", "--plot", tmp_path / "x.bmpp", words=["bmpp"])


@pytest.mark.parametrize("name", robots())
def test_the_tour_keeps_the_limits_and_its_rates_are_consistent(name):
    robot = load(name)
    mech = assemble(robot, "tree")
    motion = motion_to_show(robot, mech, None)
    for link in robot.links:
        limits = link.joint.limits
        if link.joint_name not in mech.speeds:
            continue
        k = mech.speeds.index(link.joint_name)
        q, v = motion.q[:, mech.layout.coordinate_of[k]], motion.v[:, k]
        assert np.abs(v).max() > 0
        if limits.position:
            assert limits.position[0] <= q.min()
            assert q.max() <= limits.position[1]
        if limits.speed:
            assert np.abs(v).max() <= limits.speed * (1 + 1e-9)
        assert np.abs(np.gradient(q, motion.t)[5:-5] - v[5:-5]).max() < 1e-2 * np.abs(v).max()


def test_demo_shows_numbers_and_draws(run, tmp_path):
    code, out, _ = run("demo", "--folder", tmp_path / "shown")
    assert code == 0
    assert "approximations" in out
    assert list((tmp_path / "shown").glob("*.png"))
    page = (tmp_path / "shown" / "scara_pick.html").read_text(encoding="utf-8")
    assert "All 28 known limits " in page
    assert ": motor peak torque" in page
    assert "Chosen drives" in page
    assert "MM_614949" in out


def test_intermediate_shafts_move_with_their_joint():
    robot = load("sea_leg")
    mech = assemble(robot)
    q = default_motion(robot, mech, 11).q
    columns = [mech.coordinates.index(name) for name in ("hip", "hip.stage1", "hip.motor")]
    assert np.abs(q[:, columns[1:]] - q[:, columns[:1]]).max() == 0


def test_elastic_robots_show_their_reduced_models(run):
    out = run("compare", "elastic_elbow").out
    assert "Reduced models" in out
    assert "spong_bare" in out
    facts = json.loads(run("compare", "elastic_elbow", "--json").out)
    assert {error["motor"] for error in facts["reduced"]} == {"j1.motor", "j2.motor", "j3.motor"}
    worst = {kind: max(e["largest"] for e in facts["reduced"] if e["kind"] == kind) for kind in ("spong", "rigid")}
    assert 0 < worst["spong"] < worst["rigid"]
    assert "reduced" not in json.loads(run("compare", "elbow", "--json").out)
