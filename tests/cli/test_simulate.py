"""`gearwright simulate`: torques and voltages in, a motion out, and what is refused."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import signal
import subprocess

import numpy as np
import pytest

import gearwright as gw
from gearwright.motion import polynomial
from gearwright.motion.csv_files import write_columns
from support.processes import HEEDFUL

LEVER = """robot: lever
links:
  - name: lever
    parent: base
    joint: {name: swing, axis: [0, 1, 0], friction: {coulomb: 0.5, viscous: 0.1}, limits: {position: [-1.5, 1.5]}}
    mass: 2
    com: [0, 0, -0.4]
drives:
  - joint: swing
    motor: {inertia: 2e-5, torque_constant: 0.05, resistance: 1.2, inductance: 2e-3}
    gear: {ratio: 50}
"""


@pytest.fixture
def lever(tmp_path):
    path = tmp_path / "lever.yaml"
    path.write_text(LEVER)
    return path


@pytest.fixture
def columns(tmp_path):
    """Writes a CSV file with named columns over time."""

    def write(name, t, **series):
        path = tmp_path / name
        names = [key.replace("__", ".") for key in series]
        path.write_text(write_columns(names, np.column_stack(list(series.values())), np.asarray(t, dtype=float)))
        return path

    return write


def table(text: str) -> dict[str, np.ndarray]:
    header, *rows = csv.reader(io.StringIO(text))
    return dict(zip(header, np.array(rows, dtype=float).T, strict=True))


def test_a_summary_is_shown_and_units_and_named_states_are_read(run, tmp_path):
    path = tmp_path / "lever.yaml"
    path.write_text(LEVER + "states:\n- {name: raised, q: {swing: 1.2}}\n")
    by_name = run("simulate", path, "--until", "100 ms", "--step", "100 us", "--method", "rk4", "--initial", "raised")
    with_unit = run("simulate", path, "--until", "0.1", "--step", "1e-4", "--method", "rk4", "--initial", "1.2 rad")
    assert by_name.code == 0
    assert by_name.out == with_unit.out
    header, row = by_name.out.splitlines()
    assert header.split() == ["coordinate", "start", "end", "largest"]
    assert row.split()[:2] == ["swing", "1.2"]
    code, out, err = run("simulate", path, "--until", "1 kg")
    assert (code, out) == (2, "")
    assert "'1 kg'" in err


def test_a_falling_arm_on_standard_output(run):
    code, out, err = run("simulate", "elbow", "--initial", "0,0.5,0", "--until", "0.2", "--samples", "5", "-o", "-")
    got = table(out)
    assert code == 0
    assert "method: adaptive" in err
    joints = ("j1", "j2", "j3")
    assert list(got)[:13] == ["t", *(f"{letter}.{name}" for letter in ("q", "v", "a", "tau") for name in joints)]
    assert [name for name in got if name.startswith("energy.")] == [
        f"energy.{kind}" for kind in ("stored", "supplied", "dissipated", "kinetic", "potential", "balance")
    ]
    assert got["t"] == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    assert (got["q.j2"][0], got["v.j2"][0]) == (0.5, 0)
    # The weight of the outer links, levers .4 and .2 m of 5 and 3 kg, turns the shoulder down at once.
    assert got["a.j2"][0] < -4
    assert got["energy.kinetic"] + got["energy.potential"] == pytest.approx(np.full(5, got["energy.potential"][0]))


def test_torques_of_accelerations_alone(run, tmp_path):
    """The same motion stated by its accelerations and start values, or by everything."""
    way = polynomial([0.1, -0.4, 0.9], [0.6, 0.2, 0.3], duration=1.0, order=7)
    motion = way.sample(2001)
    names = ["a.j1", "a.j2", "a.j3"]
    (tmp_path / "a.csv").write_text(write_columns(names, motion.a, motion.t))
    way.save(tmp_path / "all.csv", gw.load("elbow"), rate=2000)
    start = ["--initial", "0.1,-0.4,0.9", "--speeds", "0,0,0"]
    assert run("torque", "elbow", tmp_path / "a.csv", *start, "-o", tmp_path / "tau_a.csv").code == 0
    assert run("torque", "elbow", tmp_path / "all.csv", "-o", tmp_path / "tau.csv").code == 0
    found, expected = (np.loadtxt(tmp_path / f"{x}.csv", delimiter=",", skiprows=1) for x in ("tau_a", "tau"))
    assert np.allclose(found, expected, atol=1e-4)
    refused = run("torque", "elbow", tmp_path / "a.csv")
    assert refused.code != 0
    assert "--initial" in refused.err


def test_torques_of_a_motion_bring_it_about(run, tmp_path):
    mech = gw.assemble(gw.load("elbow"))
    path = polynomial([0.0, 0.5, 0.0], [0.6, -0.2, 0.8], duration=1.5)
    t = np.linspace(0, 1.5, 601)
    names = [f"{letter}.{joint}" for letter in ("q", "v", "a") for joint in mech.speeds]
    motion = np.column_stack([path.at(t), path.at(t, 1), path.at(t, 2)])
    (tmp_path / "motion.csv").write_text(write_columns(names, motion, t))
    payload = ("--payload", "2@0,0,0.1")
    assert run("torque", "elbow", tmp_path / "motion.csv", *payload, "-o", tmp_path / "tau.csv").code == 0
    start = ("--torque", tmp_path / "tau.csv", "--initial", "0,0.5,0", "--until", "1.5", "--samples", "16")
    target = tmp_path / "run.csv"
    code, out, err = run("simulate", "elbow", *start, *payload, "-o", target)
    assert (code, out) == (0, "")
    assert "16 rows" in err
    assert "Energy balance: error" in err
    wanted = path.at(np.linspace(0, 1.5, 16))
    got = gw.Run.read(target)
    np.testing.assert_allclose(got.q, wanted, atol=1e-6)
    without = table(run("simulate", "elbow", *start, "-o", "-").out)
    assert np.abs(without["q.j2"] - wanted[:, 1]).max() > 1e-2, "the payload must matter"


def test_voltages_are_columns_too(run, lever, columns):
    volts = columns("volts.csv", [0, 1, 2, 3, 4], swing__voltage=[0, 3, 3, 3, 3])
    code, out, _ = run("simulate", lever, "--torque", volts, "--until", "12", "--samples", "61", "-o", "-")
    got = table(out)
    assert code == 0
    assert {"swing.voltage", "swing.current", "swing.friction.force", "energy.dissipated"} <= set(got)
    assert got["swing.voltage"][-1] == pytest.approx(3)
    # At rest in the end: the current is voltage over resistance, and what it lifts is within friction of the weight.
    assert got["swing.current"][-1] == pytest.approx(3 / 1.2, rel=1e-3)
    lifted = 0.05 * 50 * got["swing.current"][-1]
    assert abs(lifted - 2 * 9.81 * 0.4 * np.sin(got["q.swing"][-1])) < 0.5 + 1e-3


def test_plain_leaves_friction_and_stops_out(run, lever):
    start = ("--initial", "1.4", "--until", "3", "--samples", "31")
    plain, stated = (table(run("simulate", lever, *start, *more, "-o", "-").out) for more in (["--plain"], []))
    assert "swing.friction.force" in stated
    assert "swing.friction.force" not in plain
    assert plain["q.swing"].min() == pytest.approx(-1.4, abs=0.02)
    assert stated["q.swing"].min() > -1.3


def test_speeds_start_it_and_stops_end_it(run, lever, tmp_path):
    target = tmp_path / "run.csv"
    code, _, err = run("simulate", lever, "--speeds", "9", "--until", "1", "-o", target)
    assert code == 0
    assert "swing.stops -> upper" in err
    got = gw.Run.read(target)
    assert got["v.swing"][0] == 9
    assert 1.49 < got["q.swing"].max() < 1.5 + 1e-8


@pytest.mark.parametrize(("method", "said"), [("stiff", "stiff"), ("euler", "semi-implicit Euler"), ("rk4", "Kutta 4")])
def test_methods(run, method, said):
    start = ("elbow", "--initial", "0,0.5,0", "--until", "0.3", "--samples", "4")
    steps = ("--step", "1e-4") if method in ("euler", "rk4") else ()
    code, out, err = run("simulate", *start, "--method", method, *steps, "-o", "-")
    assert code == 0
    assert said in " ".join(err.split())
    adaptive = table(run("simulate", *start, "-o", "-").out)
    tolerance = {"stiff": 1e-5, "euler": 1e-3, "rk4": 1e-7}[method]
    assert table(out)["q.j2"] == pytest.approx(adaptive["q.j2"], abs=tolerance)


def test_parquet_keeps_numbers_and_units(run, tmp_path):
    pytest.importorskip("pyarrow")
    for ending in ("csv", "parquet"):
        assert run("simulate", "elbow", "--until", "0.1", "--samples", "3", "-o", tmp_path / f"run.{ending}").code == 0
    text, binary = (gw.Run.read(tmp_path / f"run.{ending}") for ending in ("csv", "parquet"))
    assert max(text.compare(binary).values()) < 1e-12
    assert binary.units["v.j1"] == "rad/s"


@pytest.mark.parametrize(("name", "magic"), [("run.png", b"\x89PNG"), ("run.pdf", b"%PDF"), ("run.svg", b"<?xml")])
def test_a_picture(run, lever, tmp_path, name, magic):
    code, out, err = run("simulate", lever, "--initial", "1", "--until", "0.3", "--plot", tmp_path / name)
    assert (code, out) == (0, "")
    assert "Figure:" in err
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_a_motion_in_the_file_is_no_input_and_that_is_said(run, columns):
    both = columns("both.csv", [0, 1], tau__j1=[1, 1], q__j1=[0, 0])
    code, _, err = run("simulate", "elbow", "--torque", both, "--until", "0.1", "--samples", "2")
    assert code == 0
    assert "tau.j1" in err


def test_a_neutral_start_of_a_floating_base_has_a_unit_quaternion(run):
    speeds = ",".join(["0.1"] * 18)
    got = table(run("simulate", "mini_cheetah", "--speeds", speeds, "--until", "0.01", "--samples", "2", "-o", "-").out)
    assert got["q.trunk.qw"][0] == 1


def test_a_run_that_blows_up_is_written_until_then(run, columns, tmp_path):
    t = np.linspace(0, 0.3, 301)
    huge = columns("huge.csv", t, tau__j1=np.exp(300 * t))
    target = tmp_path / "run.csv"
    code, out, err = run("simulate", "elbow", "--torque", huge, "--until", "0.3", "-o", target)
    assert (code, out) == (2, "")
    message = " ".join(err.split())
    assert "t = 0.0" in message
    assert "'j1'" in message
    # 8.5 kg m2 under exp(300 t) Nm are faster than 1e6 rad/s after 0.073 s.
    assert 0.05 < gw.Run.read(target).t[-1] < 0.08


@pytest.mark.parametrize(
    ("header", "rows", "words"),
    [
        ("t,tau.j1", "0,1\n1,nan\n", ["line 3", "tau.j1", "nan"]),
        ("t,tau.j9", "0,1\n1,2\n", ["'tau.j9'", "'tau.j"]),
        ("tau.j1", "1\n2\n", ["column t"]),
        ("t,tau.j1", "0,1\n0,2\n", ["line 3", "increase"]),
        ("t,tau.j1", "0,1\n1\n", ["line 3"]),
        ("t,tau.j1", "0,1\n", ["two or more"]),
        ("t,q.j1", "0,1\n1,2\n", ["tau.<speed>"]),
        ("t,j1.voltage", "0,1\n1,2\n", ["j1"]),
    ],
)
def test_bad_files_are_refused(refused, tmp_path, header, rows, words):
    path = tmp_path / "tau.csv"
    path.write_text(f"{header}\n{rows}")
    refused("simulate", "elbow", "--torque", path, words=words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--initial", "0,0.5"], ["--initial '0,0.5'", "3 finite numbers", "j1, j2, j3"]),
        (["--initial", "0,0,nan"], ["finite"]),
        (["--initial", "0,a,0"], ["--initial '0,a,0'"]),
        (["--speeds", "1"], ["--speeds '1'", "3 finite numbers"]),
        (["--until", "-1"], ["until=-1.0", "positive"]),
        (["--until", "nan"], ["until=nan"]),
        (["--method", "rk5"], ["'rk5'", "rk4"]),
        (["--step", "0.001"], ["step=0.001", "euler, rk4"]),
        (["--method", "rk4", "--step", "-1"], ["step=-1", "positive"]),
        (["--samples", "1"], ["samples=1", " 2"]),
        (["--payload", "heavy"], ["heavy", "MASS@x,y,z"]),
        (["--payload", "-1@0,0,0"], ["-1"]),
        (["--torque", "none.csv"], ["none.csv", "tau.<speed>"]),
        (["--output", "run.txt"], ["run.txt", ".csv or .parquet"]),
        (["--plot", "run.doc"], ["run.doc", ".png, .svg or .pdf"]),
        (["--until", "long"], ["--until"]),
    ],
)
def test_bad_options_are_refused(refused, options, words):
    refused("simulate", "elbow", *options, words=words)


def test_an_unknown_robot_is_refused(refused):
    refused("simulate", "elbo", words=["elbo", "Did you mean 'elbow'?"])
    refused("simulate", words=["Missing argument"])


def test_help_names_every_option(run):
    code, out, _ = run("simulate", "--help")
    assert code == 0
    options = "torque input initial speeds payload until output plot method step samples plain saturate floating-base"
    for option in options.split():
        assert f"--{option}" in out


def test_ctrl_c_behind_a_progress_bar_keeps_what_was_computed(tmp_path):
    target = tmp_path / "run.csv"
    options = ["--plain", "--until", "20000", "--samples", "200001", "-o", str(target)]
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [*HEEDFUL, "simulate", "panda_like", "--initial", "0,1,0,-1,0,1,0", *options],
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    try:
        shown = read_until(master, re.compile(r"simulating.*?[1-9][0-9.e+]* s"))
        process.send_signal(signal.SIGINT)
        said = shown + read_until(master, re.compile(r"rows written"))
        read_until(master, None)
        code = process.wait(timeout=120)
    finally:
        process.kill()
        os.close(master)
    assert code == 130
    assert "user" in said
    assert "Traceback" not in said
    kept = gw.Run.read(target)
    assert 0 < kept.t[-1] < 20000
    assert np.isfinite(kept.q).all()


def read_until(terminal: int, wanted: re.Pattern[str] | None) -> str:
    """What a terminal shows, without colours, until a text appears; None: until it is closed."""
    seen = ""
    while wanted is None or not wanted.search(seen):
        try:
            more = os.read(terminal, 4096).decode(errors="replace")
        except OSError:  # nobody writes any more
            break
        if not more:
            break
        seen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen + more)
    return " ".join(seen.split())


def test_inputs_by_name_by_kind_and_in_steps(run, lever):
    """The same as columns of a file: a constant, all motors, and steps."""
    start = ["simulate", lever, "--until", "0.4", "--samples", "5"]
    by_name = table(run(*start, "--input", "swing.voltage=0:0,0.2:12", "-o", "-").out)
    by_kind = table(run(*start, "--input", "voltage=0:0,0.2:12", "-o", "-").out)
    assert by_name["swing.voltage"].tolist() == [0, 0, 12, 12, 12]
    assert np.abs(by_name["q.swing"] - by_kind["q.swing"]).max() < 1e-9  # the first may run law by law, kernels to come
    pushed, turned = (
        table(run(*start, "--input", x, "-o", "-").out)["q.swing"] for x in ("tau.swing=5", "swing.torque=0.1")
    )
    assert np.abs(pushed - turned).max() < 1e-6
    assert pushed[-1] > 0.1


def test_torques_of_the_motors_of_a_wrist(run):
    got = table(
        run("simulate", "wrist_bendix", "--input", "torque=0.01", "--until", "0.1", "--samples", "3", "-o", "-").out
    )
    assert got["m2.torque"].tolist() == [0.01] * 3


@pytest.mark.parametrize("text", ["voltage", "=3", "tau.j1=x", "tau.j1=0:1,x:2", "tau.j1=1:0,0.5:2"])
def test_bad_inputs_are_refused(refused, text):
    refused("simulate", "elbow", "--input", text, words=["--input"])


def test_a_robot_that_may_not_be_neutral_starts_in_the_middle(run):
    code, out, err = run("simulate", "panda_like", "--until", "0.01", "--samples", "2", "-o", "-")
    said = " ".join(err.split())
    assert code == 0
    assert "joint4" in said
    assert "-1.5708" in said
    assert table(out)["q.joint4"][0] == pytest.approx(-1.5708, abs=1e-3)


def test_effort_cuts_on_request(run, tmp_path):
    path = tmp_path / "weak.yaml"
    path.write_text(LEVER.replace("limits: {position: [-1.5, 1.5]}", "limits: {effort: 2}"))
    start = ["simulate", path, "--input", "tau=9", "--until", "0.1", "--samples", "3"]
    err = run(*start).err
    assert "beyond 2, " in " ".join(err.split())
    assert table(run(*start, "--saturate", "-o", "-").out)["tau.swing"].tolist() == [2, 2, 2]


def test_the_root_of_a_urdf_may_float(run, tmp_path):
    path = tmp_path / "box.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    path.write_text(
        f'<robot name="box"><link name="box"><inertial><mass value="2"/>{inertia}</inertial></link></robot>'
    )
    got = table(run("simulate", path, "--floating-base", "--until", "1", "--samples", "3", "-o", "-").out)
    (fall,) = (got[name] for name in got if name.startswith("q.") and name.endswith(("z", "pz")) and got[name][-1] < -1)
    assert fall[-1] == pytest.approx(-9.81 / 2, rel=1e-6)


def test_a_controller_follows_a_motion(run, tmp_path):
    motion = polynomial([0, 0, 0], [0.6, 0.3, -0.3], 0.4).save(tmp_path / "motion.csv", gw.load("elbow"))
    target, picture = tmp_path / "run.csv", tmp_path / "run.svg"
    given = ["--motion", motion, "--controller", "computed_torque", "--samples", "5"]
    code, _, err = run("simulate", "elbow", *given, "-o", target, "--plot", picture)
    assert code == 0
    assert "error" in err
    got = table(target.read_text())
    assert got["t"][-1] == pytest.approx(0.4)
    assert [got[f"q.j{k}"][-1] for k in (1, 2, 3)] == pytest.approx([0.6, 0.3, -0.3], abs=1e-6)
    assert "dotted: reference" in picture.read_text()
    assert "error" in picture.read_text()


def test_torques_are_drawn_against_their_limits(run, tmp_path):
    robot = gw.load("ur5_like")
    motion = polynomial([0.0] * 6, [0.3] * 6, 0.5)
    at = gw.simulate(robot, until=0.1, controller=gw.control.controller_by_name("pd", robot, motion), samples=3)
    page = gw.control.tracking_plot(at, motion, robot)
    labels = [line.get_label() for line in page.axes[-1].lines]
    assert len(labels) == 18
    assert len(page.axes) == 4
    colours = {line.get_label(): line.get_color() for axes in page.axes for line in axes.lines}
    assert colours["elbow limit +"] == colours["elbow limit -"] == colours["elbow reference"] == colours["elbow"]
    assert len(page.legends[0].get_texts()) == 6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--motion", "motion.csv"], ["--motion and --controller"]),
        (["--controller", "pd"], ["--motion and --controller"]),
        (["--motion", "motion.csv", "--controller", "magic"], ["controller 'magic'", "computed_torque"]),
        (["--motion", "missing.csv", "--controller", "pd"], ["missing.csv"]),
    ],
)
def test_a_controller_that_is_not_there_is_refused(refused, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    polynomial([0, 0, 0], [0.6, 0.3, -0.3], 0.4).save(tmp_path / "motion.csv", gw.load("elbow"))
    refused("simulate", "elbow", *options, words=words)
