"""`gearwright plan`: a task file becomes a motion that other commands read."""

from __future__ import annotations

import numpy as np

import gearwright as gw

TASK = """
task: swing
motions:
  - {to: [0.5, 0.3, -0.4], speed: 2, acceleration: 8, jerk: 100}
  - {pause: 0.2}
  - {fastest: {via: [[0, 0, 0]], torque: [40, 60, 25]}}
repetitions: continuous
"""


def test_a_task_becomes_a_motion_that_torque_reads(run, tmp_path):
    (tmp_path / "swing.yaml").write_text(TASK)
    code, out, err = run(
        "plan", "elbow", tmp_path / "swing.yaml", "-o", tmp_path / "m.csv", "--plot", tmp_path / "m.svg", "--rate", 500
    )
    assert (code, out) == (0, "")
    assert "fastest" in err
    assert "motion 2." in " ".join(err.split()), "the motion whose acceleration has steps"
    assert (tmp_path / "m.svg").read_text().startswith("<?xml")
    way = gw.motion.recorded(tmp_path / "m.csv", robot=gw.load("elbow"))
    assert np.allclose(way.at([0.0, way.duration]), 0.0, atol=1e-9)
    assert np.allclose(way.extremes()[1][0], 0.5, atol=1e-6)
    assert run("torque", "elbow", tmp_path / "m.csv", "-o", tmp_path / "tau.csv").code == 0


def test_a_smoothed_motion_keeps_its_limits_in_the_file(run, tmp_path):
    """What rows and their smooth joints take of the torques: more than planned at steps, as planned without them."""
    given, share = {"torque": [40, 60, 25]}, {}
    for name, smoothing in (("steps", ""), ("smooth", ", smoothing: 20 ms")):
        text = f"motions: [{{fastest: {{via: [[0.5, 0.3, -0.4]], torque: [40, 60, 25], share: 95 %}}{smoothing}}}]"
        (tmp_path / "swing.yaml").write_text(f"task: t\n{text}")
        done = run("plan", "elbow", tmp_path / "swing.yaml", "-o", tmp_path / "m.csv")
        assert ("motion 0." in " ".join(done.err.split())) is (name == "steps")
        way = gw.motion.recorded(tmp_path / "m.csv", robot=gw.load("elbow"))
        share[name] = gw.planning.limit_use(gw.load("elbow"), way, **given).largest_share.max()
    assert share["smooth"] < 1.0 < share["steps"]


def test_without_a_file_the_motion_is_printed(run, tmp_path):
    (tmp_path / "swing.yaml").write_text("task: t\nmotions: [{pause: 0.1}]")
    assert run("plan", "elbow", tmp_path / "swing.yaml").out.startswith("t,q.j1,q.j2,q.j3,v.j1")


def test_what_is_wrong_is_said(refused, tmp_path):
    (tmp_path / "bad.yaml").write_text("task: t\nmotions: [{pause: -1}]")
    refused("plan", "elbow", tmp_path / "bad.yaml", words=["bad.yaml, line 2", "-1"])
    refused("plan", "elbow", tmp_path / "none.yaml", words=["none.yaml"])
    (tmp_path / "short.yaml").write_text("task: t\nmotions: [{to: [1], speed: 1, acceleration: 1}]")
    refused("plan", "elbow", tmp_path / "short.yaml", words=["short.yaml, line 2: motions[0]: ", "3 joints"])
