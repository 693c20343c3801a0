"""A palletiser with three closed loops from its file to sized drives, by commands only."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gearwright as gw
from gearwright.motion import polynomial

TASK = """task: palletise
start: {turn: -60 deg, shoulder: 35 deg, crank: 35 deg}
motions:
  - {to: {shoulder: 20 deg, crank: 10 deg}, speed: 1.5, acceleration: 6, jerk: 60}
  - {to: {turn: 60 deg, flange: 90 deg}, speed: 2, acceleration: 6, jerk: 60}
  - {pause: 300 ms}
payload: {mass: 4}
"""
ROBOT = gw.load("palletiser")
MECH = gw.assemble(ROBOT)
Q = MECH.closed([-1.0, 0.5, 0.4, 0.2])


@pytest.fixture
def task(tmp_path):
    (tmp_path / "task.yaml").write_text(TASK)
    return tmp_path / "task.yaml"


def table(path):
    rows = path.read_text().splitlines()
    return {
        name: column for name, column in zip(rows[0].split(","), np.loadtxt(rows[1:], delimiter=",").T, strict=True)
    }


def test_the_wrist_stays_horizontal():
    """What the parallelograms are for: the tool turns about the vertical only, wherever the arm is."""
    for q_i in ([0.3, -0.5, -0.3, 0.1], [1.0, 0.9, 0.6, -2.0], [-2.0, 0.2, 1.0, 0.0]):
        assert gw.placement(MECH, MECH.closed(q_i), "tool").rotation[2] == pytest.approx([0, 0, 1], abs=1e-12)


def test_info_shows_inertia_of_the_closed_machine(run):
    facts = json.loads(run("info", "palletiser", "--json").out)
    assert facts["independent"] == ["turn", "shoulder", "crank", "flange"]
    total = {entry["name"]: entry["total"] for entry in facts["speeds"]}
    assert [total[name] for name in MECH.speeds] == pytest.approx(np.diag(gw.mass_matrix(MECH, np.zeros(10))))
    assert total["elbow"] is None
    assert "follows" in run("info", "palletiser").out
    shares = {wheel["name"]: wheel["share"] for wheel in json.loads(run("train", "palletiser", "--json").out)["wheels"]}
    assert shares["crank.rotor"]["crank"] == pytest.approx(1.37e-5 * 100**2 / total["crank"])


def test_a_plan_keeps_limits_and_loops(run, task, tmp_path):
    assert run("plan", "palletiser", task, "-o", tmp_path / "m.csv", "--rate", "1000").code == 0
    columns = table(tmp_path / "m.csv")
    q = np.stack([columns[f"q.{name}"] for name in MECH.coordinates], axis=-1)
    gw.inverse_dynamics(MECH, q, np.zeros(4), np.zeros(4))  # raises where a loop is open
    assert np.abs(columns["v.turn"]).max() == pytest.approx(2.0, rel=1e-9)
    assert np.abs(columns["a.turn"]).max() == pytest.approx(6.0, rel=1e-9)
    assert columns["v.elbow"] == pytest.approx(columns["v.crank"] - columns["v.shoulder"], abs=1e-12)


def test_the_torques_are_those_of_the_independent_joints(run, tmp_path):
    swing = polynomial(Q[list(MECH.independent_indices)], [0.2, 0.1, 0.6, 1.0], duration=0.8)
    motion = gw.contact.closed_motion(ROBOT, swing, Q)
    motion.save(tmp_path / "m.csv", MECH.tree)
    out = run("torque", "palletiser", tmp_path / "m.csv", "--plain").out.splitlines()
    rows = np.loadtxt(out[1:], delimiter=",")
    names = out[0].split(",")
    t = rows[:, 0]
    tau = gw.inverse_dynamics(MECH, motion.at(t), swing.at(t, 1), swing.at(t, 2))
    for name, column in zip(MECH.speeds, tau.T, strict=True):
        assert rows[:, names.index(f"tau.{name}")] == pytest.approx(column, abs=1e-7)
    peaks = {
        e["speed"]: e["peak"]
        for e in json.loads(run("compare", "palletiser", tmp_path / "m.csv", "--json").out)["errors"]
    }
    assert peaks["crank"] == pytest.approx(np.abs(tau[:, 2]).max(), rel=1e-3)
    assert "elbow" not in run("compare", "palletiser", tmp_path / "m.csv").out


def test_a_run_starts_from_independent_coordinates(run, tmp_path):
    start = ("--initial", "-1,0.5,0.4,0.2", "--speeds", "0.5,0,0.3,0", "--until", "0.1", "--samples", "3")
    assert run("simulate", "palletiser", *start, "-o", tmp_path / "run.csv").code == 0
    columns = table(tmp_path / "run.csv")
    first = gw.simulate(ROBOT, gw.State(Q, [0.5, 0, 0.3, 0]), until=0.1, samples=3)
    for name in MECH.coordinates:
        assert columns[f"q.{name}"] == pytest.approx(first[f"q.{name}"], abs=1e-9)
    assert columns["v.elbow"][0] == pytest.approx(0.3)
    code, _, err = run("simulate", "palletiser", "--initial", "0,0.5,0.4")
    assert code == 2
    assert "turn, shoulder, crank" in " ".join(err.split())
    assert run("draw", "palletiser", "-o", tmp_path / "a.png", "--q=-1,0.5,0.4,0.2").code == 0
    assert (tmp_path / "a.png").stat().st_size > 5000


@pytest.mark.parametrize("controller", ["pd", "computed_torque", "feedforward", "cascade"])
def test_controllers_track_a_planned_motion(run, task, tmp_path, controller):
    run("plan", "palletiser", task, "-o", tmp_path / "m.csv")
    found = run("simulate", "palletiser", "--motion", tmp_path / "m.csv", "--controller", controller, "--plain",
                "--until", "0.3", "--frequency", "60", "-o", tmp_path / "run.csv")  # fmt: skip
    assert found.code == 0
    wanted, columns = table(tmp_path / "m.csv"), table(tmp_path / "run.csv")
    errors = [
        np.abs(columns[f"q.{name}"] - np.interp(columns["t"], wanted["t"], wanted[f"q.{name}"])).max()
        for name in MECH.coordinates
    ]
    assert max(errors) < {"computed_torque": 1e-4, "feedforward": 1e-4, "pd": 0.02, "cascade": 0.05}[controller]
    assert np.ptp(columns["q.elbow"]) > 0.02


@pytest.mark.slow
def test_a_drive_is_sized_and_the_file_keeps_its_loops(run, task, tmp_path):
    sized = run("size", "palletiser", task, "--joint", "shoulder", "-o", tmp_path / "sized.yaml", "--no-fail")
    assert sized.code == 0
    again = gw.load(tmp_path / "sized.yaml")
    assert again.loops == ROBOT.loops
    assert again.drives[1].motor != ROBOT.drives[1].motor
    found = run("analyse", tmp_path / "sized.yaml", task, "--json", "--report", tmp_path / "r.html")
    assert found.code == 3  # the small motors of the other joints are too weak
    exceeded = [check["name"] for check in json.loads(found.out)["limits"] if check["margin"] < 0]
    assert exceeded
    assert all(name.startswith("crank") for name in exceeded)
    assert (tmp_path / "r.html").stat().st_size > 10_000
