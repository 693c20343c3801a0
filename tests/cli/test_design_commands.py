"""`size`, `sweep` and `catalogue` for somebody who uses them the first time: what they say, and how they refuse."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

import gearwright as gw
from gearwright.catalogue import drives
from gearwright.cli.commands import size as size_command

TASK = """
task: nod
motions:
  - {to: {shoulder: 0.4}, speed: 1, acceleration: 5, jerk: 100}
  - {to: {shoulder: 0}, speed: 1, acceleration: 5, jerk: 100}
pause: 200 ms
"""
MOTORS = """key,V,k_t,R,inertia,mass,I_nom,max_int_speed,price,source
small,24,0.03,0.5,2e-6,0.1,2,900,40,me
large,24,0.05,0.4,1e-5,0.4,6,900,90,me
"""
GEARBOXES = """key,ratio,mass,inertia,efficiency,max_int_torque,max_cont_torque,price,source
g50,50,0.2,1e-7,0.8,40,20,60,me
g100,100,0.2,1e-7,0.75,60,30,65,me
"""


@pytest.fixture
def files(tmp_path):
    for name, text in (("nod.yaml", TASK), ("motors.csv", MOTORS), ("gearboxes.csv", GEARBOXES)):
        (tmp_path / name).write_text(text)
    return tmp_path


def size(run, files, *words):
    return run("size", "scara", files / "nod.yaml", "--joint", "shoulder", *words)


def test_size_chooses_writes_and_reports(run, files):
    front = files / "front.svg"
    code, out, err = size(run, files, "-o", files / "sized.yaml", "--report", files / "sized.html", "--plot", front)
    assert code == 0, err
    assert "<svg" in front.read_text(encoding="utf-8")
    assert "kp" in out
    assert "mass" in out
    assert gw.load(files / "sized.yaml").drive("shoulder").motor.catalogue in out
    assert "Chosen drives" in (files / "sized.html").read_text(encoding="utf-8")


def test_size_as_json_tells_gains_and_front(run, files):
    own = ("--catalogue", files / "motors.csv", "--catalogue", files / "gearboxes.csv")
    code, out, _ = size(run, files, *own, "--objective", "price", "--front", "price,mass", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["choices"]["shoulder"]["motor"] in ("small", "large")
    assert found["gains"]["shoulder"]["kp"] > 0
    assert found["front"]["objectives"] == ["price", "mass"]


def test_a_robot_sized_with_own_articles_is_read_again(run, files):
    """With their files its data sheets are checked; without them the numbers of its own file hold, with a warning."""
    own = ("--catalogue", files / "motors.csv", "--catalogue", files / "gearboxes.csv")
    sized = files / "sized.yaml"
    code, _, err = size(run, files, *own, "--objective", "price", "-o", sized)
    assert code == 0, err
    code, out, err = run("analyse", sized, files / "nod.yaml", *own)
    assert code == 0, err
    assert "shoulder: gearbox mean torque" in out
    articles = drives(files / "motors.csv", files / "gearboxes.csv")
    known = gw.load(sized, catalogue=articles).drive("shoulder")
    assert known.gear.catalogue in ("g50", "g100")
    with pytest.warns(gw.errors.GearwrightWarning) as told:
        assert gw.load(sized).drive("shoulder") == known
    for what in (f"motor {known.motor.catalogue!r}", f"gearbox {known.gear.catalogue!r}"):
        assert any(what in str(one.message) for one in told)


def test_a_robot_may_name_own_articles_alone(files):
    """The numbers are then those of their files; a key without them is refused."""
    link = "{name: a, parent: base, joint: {name: a, axis: [0, 0, 1]}, mass: 1, inertia: {zz: 1, xx: 1, yy: 1}}"
    text = f"robot: r\nlinks: [{link}]\ndrives: [{{joint: a, gear: {{catalogue: g50}}}}]\n"
    (files / "r.yaml").write_text(text)
    known = gw.load(files / "r.yaml", catalogue=drives(files / "gearboxes.csv"))
    assert known.drive("a").gear.ratio == 50.0
    with pytest.raises(gw.errors.FileError, match="'g50'"):
        gw.load(files / "r.yaml")


HARD = """
task: hurry
motions:
  - {to: {shoulder: 80 deg}, speed: 2.5, acceleration: 8, jerk: 200}
  - {to: {shoulder: 0}, speed: 2.5, acceleration: 8, jerk: 200}
payload: {mass: 1}
"""


def test_limits_that_are_not_kept_are_seen_from_the_exit_code(run, files):
    """3 where one is not kept, 0 with --no-fail and where all are; what was asked for is written all the same."""
    (files / "hard.yaml").write_text(HARD)
    hard, out = files / "hard.yaml", files / "sized.yaml"
    assert run("analyse", "scara", hard).code == 3
    assert run("analyse", "scara", hard, "--no-fail").code == 0
    assert run("analyse", "scara", files / "nod.yaml").code == 0
    assert run("size", "scara", hard, "--joint", "elbow", "-o", out).code == 3
    assert out.exists()


@pytest.mark.parametrize("text", [MOTORS, GEARBOXES])
def test_a_catalogue_without_keys_says_so_at_once(run, files, text):
    (files / "own.csv").write_text(text.replace("key,", "model,", 1))
    code, _, err = run("size", "scara", files / "nod.yaml", "--catalogue", files / "own.csv")
    assert code == 2
    assert "`key`" in err
    with pytest.raises(gw.errors.FileError) as refused:
        drives(files / "own.csv")
    assert "column `key`" in str(refused.value).splitlines()[0]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("upper.section.outer=30mm..80mm", (0.03, 0.08)),
        ("upper.section.width=3 cm..80 mm", (0.03, 0.08)),
        ("upper.section.wall=0.003..0.005", (0.003, 0.005)),
        ("upper.length=-1e-1..1e-1", (-0.1, 0.1)),
        ("upper.com.x=10 mm..20 mm", (0.01, 0.02)),
        ("elbow.motor.inertia=35 gcm2..70 gcm2", (3.5e-6, 7e-6)),
        ("elbow.gear.efficiency=70%..90%", (0.7, 0.9)),
        ("elbow.motor.heat.ambient=20..40 ", (293.15, 313.15)),
        ("task.time_scale=0.5..2", (0.5, 2.0)),
    ],
)
def test_ranges_have_units_as_in_files(text, ends):
    name, domain = size_command._parse_variable(text)
    assert name == text.partition("=")[0]
    assert (domain.low, domain.high) == pytest.approx(ends, rel=1e-14)


def test_size_varies_what_it_is_told(run, files):
    words = (
        "--keep-drives",
        "--vary",
        "shoulder.gear.ratio=30..120",
        "--objective",
        "energy",
        "--trials",
        "3",
        "--json",
    )
    code, out, err = run("size", "scara", files / "nod.yaml", *words)
    assert code == 0, err
    assert 30 <= json.loads(out)["values"]["shoulder.gear.ratio"] <= 120


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--objective", "weight"], "mass, energy"),
        (["--joint", "sholder"], "Did you mean 'shoulder'"),
        (["--vary", "elbow.gear.ratio=30-120"], "low..high"),
        (["--vary", "elbow.gear.ratio=120..30"], "high"),
        (["--vary", "elbow.gear.ratio"], "NAME=low..high"),
        (["--vary", "upper.section.outer=30..80mm"], "State it at both"),
        (["--vary", "upper.section.outer=30deg..80deg"], "30deg"),
        (["--vary", "upper.mass=1km..2km"], "1km"),
        (["--vary", "elbow.gear.rato=30..40"], "Did you mean 'ratio'"),
        (["--front", "mass"], "two different"),
        (["--margin", "30"], "margin"),
        (["-o", "out.txt"], ".yaml"),
        (["--report", "out.pdf"], ".html"),
        (["--keep-drives"], "--vary"),
        (["--catalogue", "nothere.csv"], "nothere.csv"),
    ],
)
def test_size_refuses_in_words(run, files, words, message):
    code, _, err = size(run, files, *words)
    assert code == 2
    assert message in " ".join(err.split())
    assert "bug" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--over", "elbow.gear.ratio"], "PATH=1,2,3"),
        (["--over", "elbow.gear.ratio=uniform(3)"], "uniform(low, high)"),
        (["--over", "elbow.gear.rato=3,4"], "Did you mean 'ratio'"),
        (["--over", "elbow.gear.ratio=40,50", "--workers", "0"], "workers"),
        ([], "--over PATH=VALUES"),
        (["--over", "elbow.gear.ratio=40", "--points", "bad.csv"], "--over PATH=VALUES"),
        (["--points", "nofile.csv"], "nofile.csv: there is no such file"),
        (["--over", "task.pose=3,4"], "Did you mean 'pause'"),
        (["--over", "elbow.gear.ratio=40,50", "--scheduler", "nonsense"], "cannot be reached"),
        (["--over", "elbow.gear.ratio=40,50", "--store", "nofolder/x.db"], "x.db"),
    ],
)
def test_sweep_refuses_in_words(run, files, words, message):
    code, _, err = run("sweep", "scara", files / "nod.yaml", *words)
    assert code == 2
    assert message in " ".join(err.split())
    assert "bug" not in err


def test_sweep_takes_a_table_of_points_and_a_catalogue(run, files):
    """Points one by one; a gearbox of the user's file replaces the bundled one, and limits the torque."""
    (files / "points.csv").write_text("elbow.gear.ratio,task.pause\n40,0\n60,1.5\n")
    (files / "own.csv").write_text("key,ratio,max_int_torque\nHD_CSF-17-50-2UH,50,0.001\n")
    robot = gw.load("scara")
    drive = next(one for one in robot.drives if one.joint == "elbow")
    gw.save(
        robot.with_drive("elbow", replace(drive, gear=replace(drive.gear, catalogue="HD_CSF-17-50-2UH"))),
        files / "own.yaml",
    )
    over = ("--points", files / "points.csv")
    words = (*over, "--catalogue", files / "own.csv", "--workers", "1", "--json")
    code, out, err = run("sweep", files / "own.yaml", files / "nod.yaml", *words)
    assert code == 0, err
    columns = json.loads(out)["columns"]
    assert columns["elbow.gear.ratio"] == [40.0, 60.0]
    assert columns["cycle_time"][1] - columns["cycle_time"][0] == pytest.approx(1.5)
    assert columns["margin"] == pytest.approx([1 - x / 0.001 for x in columns["elbow.peak_output_torque"]])
    (files / "motors.csv").write_text("key,k_t,R,inertia,mass\nmine,0.05,1.0,1e-5,0.2\n")
    (files / "named.yaml").write_text((files / "own.yaml").read_text().replace("maxon_re40", "mine"))
    words = (*over, "--catalogue", files / "motors.csv", "--workers", "1")
    code, _, err = run("sweep", files / "named.yaml", files / "nod.yaml", *words)
    assert code == 0, err
    (files / "points.csv").write_text("elbow.gear.ratio\n40\nmany\n")
    code, _, err = run("sweep", "scara", files / "nod.yaml", "--points", files / "points.csv")
    assert code == 2
    assert "line 3: 'many'" in " ".join(err.split())


def test_sweep_writes_a_table_and_a_figure(run, files):
    over = ("--over", "elbow.gear.ratio=40,50", "--workers", "1", "-o", files / "ratios.csv")
    drawn = ("--plot", files / "ratios.svg", "--of", "elbow.peak_motor_speed")
    code, out, _ = run("sweep", "scara", files / "nod.yaml", *over, *drawn)
    assert code == 0
    assert "least" in out
    assert "<svg" in (files / "ratios.svg").read_text(encoding="utf-8")
    assert len((files / "ratios.csv").read_text().splitlines()) == 3


def test_sweep_shows_what_changes_most_and_takes_units(run, files):
    """Rotors couple, so that a ratio of the last joint changes the torques of all others a little."""
    (files / "arm.yaml").write_text("task: a\nmotions: [{to: [0.5, 0.3, 0.2], speed: 1, acceleration: 5}]\n")
    code, out, err = run("sweep", "elbow", files / "arm.yaml", "--over", "j3.gear.ratio=40,60", "--workers", "1")
    assert code == 0, err
    shown = [line.split()[0] for line in out.splitlines()[1:]]
    assert "j3.peak_motor_speed" in shown[:4]
    assert all(name.startswith("j3.") for name in shown[:6])
    words = (
        "--over",
        "j3.motor.inertia=uniform(1 gcm2, 1e-6)",
        "--over",
        "task.ambient=normal(25, 5)",
        "--samples",
        "4",
    )
    code, out, err = run("sweep", "elbow", files / "arm.yaml", *words, "--workers", "1", "-o", "-")
    assert code == 0, err
    header, *rows = csv.reader(out.splitlines())
    points = [dict(zip(header, map(float, row), strict=True)) for row in rows]
    assert all(1e-7 <= point["j3.motor.inertia"] <= 1e-6 for point in points)
    assert all(abs(point["task.ambient"] - 298.15) < 30 for point in points)
    (files / "points.csv").write_text("j3.motor.inertia\n1 gcm2\n")
    code, out, err = run("sweep", "elbow", files / "arm.yaml", "--points", files / "points.csv", "--json")
    assert json.loads(out)["columns"]["j3.motor.inertia"] == [pytest.approx(1e-7)]
    code, _, err = run("sweep", "elbow", files / "arm.yaml", "--over", "j3.motor.inertia=1 kg")
    assert code == 2
    assert "'1 kg'" in err


def test_the_table_of_a_sweep_says_why_points_failed(run, files):
    over = ("--over", "elbow.gear.ratio=40,0", "--workers", "1", "-o", files / "ratios.csv")
    code, _, err = run("sweep", "scara", files / "nod.yaml", *over)
    assert code == 0, err
    header, good, bad = csv.reader((files / "ratios.csv").read_text().splitlines())
    assert header[-1] == "error"
    assert good[-1] == ""
    assert "ratio" in bad[-1]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("maxom",), ("'maxom'", "'maxon'")),
        (("maxon", "warp", "--json"), ("'warp'",)),
        (("maxon", "harmonic drive"), ("maxon, harmonic, drive",)),
    ],
)
def test_catalogue_says_when_nothing_is_found(run, words, names):
    code, out, err = run("catalogue", *words)
    assert code == 2
    assert not out
    assert all(name in " ".join(err.split()) for name in names)


def test_keys_of_articles_stay_in_one_line(run):
    out = run("catalogue", "maxon", "planetary").out
    assert "MM_DCX22L01EBKL637" in run("catalogue", "maxon").out
    assert all(len(line) <= 80 for line in out.splitlines())


@pytest.mark.parametrize("columns", [80, 120])
def test_catalogue_lists_names_and_says_which_torque(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, err = run("catalogue")
    lines = out.splitlines()
    assert all(len(line) <= columns for line in lines)
    for key, name in (
        ("MM_148877", "RE 40"),
        ("MM_GPX32UPKLSL35D0CPLW", "GPX 32 UP"),
        ("NB_RV-42N", "Nabtesco RV-42N"),
    ):
        assert any(line.startswith(f"{key} ") and name in line for line in lines)
    for title in ("DC", "BLDC", "planetary", "harmonic", "continuous", "rated", "peak", "torque"):
        assert title in out
    assert "nominal current" in " ".join(err.split())


def test_catalogue_checks_own_files(run, refused, files):
    """A row that contradicts itself is refused by line and column; one whose note says why is listed."""
    head, row = "key,V,k_t,R,torque_stall,note\n", "odd,24,0.03,0.5,9.9,"
    (files / "odd.csv").write_text(f"{head}{row}\n")
    words = "catalogue", "--check", "odd", "--file", files / "odd.csv"
    refused(*words, words=["line 2: odd.torque_stall: ", "k_t V / R", "as printed"])
    (files / "odd.csv").write_text(f"{head}{row}of the electronics as printed\n")
    code, out, _ = run(*words)
    assert code == 0
    assert "odd: " in out
    assert "k_t V / R" in " ".join(out.split())
    assert "not stated" in out


def test_info_and_analyse_state_where_the_payload_sits(run, files):
    robot = files / "loaded.yaml"
    gw.save(gw.load("scara").with_payload(0.1, (0.1, 0.2, 0.3)), robot)
    place = gw.load(robot).payload_place
    assert place in run("info", robot).out
    assert json.loads(run("info", robot, "--json").out)["payload"] == {"mass": 0.1, "place": place}
    for task, where in ((TASK, place), (TASK + "payload: {mass: 100 g, frame: flange}\n", "at frame 'flange'")):
        (files / "nod.yaml").write_text(task)
        assert f"0.1 kg {where}" in " ".join(run("analyse", robot, files / "nod.yaml").out.split())
