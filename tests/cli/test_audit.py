"""`gearwright audit`: findings with number, rule and remedy, and the exit code."""

from __future__ import annotations

import json

CONFIGURATION = """
actuators:
  legs:
    joint_names_expr: [FL_hip, FL_calf]
    effort_limit: 18 Nm
    velocity_limit: 40
period: 2 ms
"""
ARGUMENTS = ("--against", "leg.yaml", "--joint", "FL_hip=hip", "--joint", "FL_calf=knee")
LEG = """
robot: leg
links:
  - {name: hip, parent: base, joint: {axis: [0, 1, 0]}, mass: 1, com: [0, 0, -100 mm],
     inertia: {xx: 0.01, yy: 0.01, zz: 0.001}}
  - {name: knee, parent: hip, joint: {axis: [0, 1, 0], position: [0, 0, -0.2]}, mass: 0.2, com: [0, 0, -100 mm],
     inertia: {xx: 0.01, yy: 0.01, zz: 0.001}}
drives:
  - {joint: hip, motor: {inertia: 6.3e-5, max_torque: 3, max_speed: 240}, gear: {ratio: 6}}
  - {joint: knee, motor: {inertia: 6.3e-5, max_torque: 3, max_speed: 240}, gear: {ratio: 9.33}}
"""


def test_forgotten_knee_ratio(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "isaac.yaml").write_text(CONFIGURATION)
    (tmp_path / "leg.yaml").write_text(LEG)
    code, out, _ = run("audit", "isaac.yaml", *ARGUMENTS)
    text = " ".join(out.split())
    assert code == 2
    assert "joint 'FL_calf'" in text
    assert "FL_hip" not in text
    assert "27.99 Nm" in text
    code, out, _ = run("audit", "isaac.yaml", *ARGUMENTS, "--json")
    facts = json.loads(out)
    assert code == 2
    assert [x["kind"] for x in facts["findings"]] == ["ratio"]
    assert abs(facts["findings"][0]["number"] - 9.33 / 6) < 0.01


def test_a_sound_model_and_bad_input(run, refused, tmp_path):
    assert run("audit", "elbow", "--against", "elbow", "--catalogue").code == 0
    refused("audit", "elbow", "--joint", "j1", words=("--joint", "FL_calf=knee"))
    refused("audit", tmp_path / "none.urdf", words=("none.urdf",))
