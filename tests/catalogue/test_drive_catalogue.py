"""Motors and gearboxes as data: what real sheets imply about themselves, and how bad tables are refused."""

from __future__ import annotations

import csv
import json
from importlib.resources import files

import numpy as np
import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.catalogue import conflict_sentences, drives, generic_gearboxes, generic_motors, identity_deviations
from gearwright.cli.app import app
from gearwright.errors import DriveError, FileError, InputError
from gearwright.files import check, read_yaml
from gearwright.files.tables.drive_tables import GEARBOX_TABLE_FIELDS, MOTOR_TABLE_FIELDS, drive_table_text
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.parts.gears.losses import gear_losses
from support.hostile_names import NAMES

BUNDLED = drives()
MOTORS = "key,V,k_t,R,inertia,mass,source\n"


def rows(name: str) -> list[dict[str, str]]:
    text = files("gearwright").joinpath("catalogue", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize("key", BUNDLED.motors)
def test_every_motor_agrees_with_itself_or_says_why_not(key):
    sheet = BUNDLED.motor(key)
    for name, deviation in identity_deviations(sheet).items():
        assert abs(deviation) < 0.03 or "as printed" in sheet.note, (name, deviation)


def test_the_deviations_are_those_printed_beside_the_table():
    """Computed here from the figures of the cells, and by whoever made the table: each tells the other's mistakes."""
    compared = 0
    for row in rows("motors.csv"):
        found = identity_deviations(BUNDLED.motor(row["key"]))
        for name in ("kt_kn", "stall", "tau_m", "no_load"):
            printed = row[f"dev_{name}"]
            assert not printed or found[name] == pytest.approx(float(printed), abs=1e-6), (row["key"], name)
            compared += bool(printed)
    assert compared > 140


def test_figures_of_one_motor_are_those_of_its_page():
    """maxon 148867: 317 rpm/V, 4.67 ms, 30.2 mNm/A, 0.299 Ohm, 142 gcm2; 6 A less 137 mA give 177 mNm."""
    sheet = BUNDLED.motor("MM_148867")
    assert sheet.speed_constant == pytest.approx(317 * np.pi / 30, rel=1e-6)
    assert sheet.mechanical_time_constant == 4.67e-3
    found = identity_deviations(sheet)
    assert found["kt_kn"] == pytest.approx(0.0302 * 317 * np.pi / 30 - 1, abs=1e-6)
    assert found["tau_m"] == pytest.approx(4.67e-3 / (0.299 * 142e-7 / 0.0302**2) - 1, abs=1e-9)
    assert found["nominal"] == pytest.approx(0.0302 * (6 - 0.137) / 0.177 - 1, abs=1e-9)


@pytest.mark.parametrize(("torque", "deviation"), [(0.1, 0.0), (0.095, 0.0), (0.09, 0.0), (0.08, 0.125), (0.125, -0.2)])
def test_friction_leaves_room_for_the_nominal_torque(torque, deviation):
    """Between k_t I less what the current without load overcomes, and all of k_t I."""
    sheet = MotorSheet(key="m", torque_constant=0.1, nominal_current=1.0, no_load_current=0.1, nominal_torque=torque)
    assert identity_deviations(sheet)["nominal"] == pytest.approx(deviation, abs=1e-12)


def test_the_headers_are_those_of_the_open_tables():
    """The convention of the open motor and gearbox tables; what they lack stands in columns of our own after theirs."""
    motors = "key manufacturer ID type V k_t R L mass inertia omega_nl I_nl I_nom max_int_torque max_int_speed"
    motors += " max_cont_speed max_cont_power coulomb_friction viscous_friction Rth1 Rth2"
    gearboxes = "key manufacturer ID type stages ratio mass inertia efficiency direction max_int_torque max_cont_torque"
    assert set(motors.split()) <= set(MOTOR_TABLE_FIELDS)
    assert set(gearboxes.split()) <= set(GEARBOX_TABLE_FIELDS)
    assert set(motors.split()) - set(rows("motors.csv")[0]) == {"max_cont_power"}  # which no sheet prints
    assert set(gearboxes.split()) <= set(rows("gearboxes.csv")[0])


def test_every_article_names_its_source():
    assert all(sheet.source for sheet in (*BUNDLED.motors.values(), *BUNDLED.gearboxes.values()))


def test_gearboxes_do_not_contradict_themselves():
    assert not [text for sheet in BUNDLED.gearboxes.values() for text in conflict_sentences(sheet)]


def test_exact_ratios_are_used():
    assert BUNDLED.gearbox("MM_370689").ratio == 3249 / 169


def test_temperatures_are_kelvin_inside():
    heat = BUNDLED.motor("MM_148867").heat
    assert heat is not None
    assert heat.max_temperature == 155 + 273.15
    assert heat.winding_time_constant == pytest.approx(42.8)


def test_an_article_drives_a_joint():
    """Mass of both on the carrier, inertia of both at the shaft: the mass matrix has J n^2 of them."""
    motor, gear = BUNDLED.motor("MM_148877").motor(), BUNDLED.gearbox("MM_203120").gear()
    links = [
        gw.parts.Link("k", "base", gw.parts.Joint(axis=(0, 0, 1)), mass=1.0, inertia=np.eye(3)),
        gw.parts.Link("l", "k", gw.parts.Joint(axis=(0, 0, 1)), mass=1.0),
    ]
    robot = gw.parts.Robot("r", links, [gw.parts.Drive("l", motor=motor, gear=gear)])
    inertia = BUNDLED.motor("MM_148877").inertia + BUNDLED.gearbox("MM_203120").inertia
    assert gw.mass_matrix(robot, [0.0, 0.0])[1, 1] == pytest.approx(inertia * gear.ratio**2, rel=1e-12)
    assert gw.assemble(robot).bodies[0].mass == pytest.approx(1.0 + 0.48 + BUNDLED.gearbox("MM_203120").mass)


def test_a_robot_file_names_an_article(tmp_path):
    path = tmp_path / "r.yaml"
    path.write_text(
        "robot: x\nlinks: [{name: l, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n"
        "drives: [{joint: l, motor: {catalogue: MM_148877}, gear: {catalogue: MM_203120, efficiency: 0.7}}]\n"
    )
    drive = gw.load(path).drives[0]
    assert drive.motor == BUNDLED.motor("MM_148877").motor()
    assert drive.gear == BUNDLED.gearbox("MM_203120").gear(efficiency=0.7)
    gw.save(gw.load(path), tmp_path / "again.yaml")
    assert gw.load(tmp_path / "again.yaml").drives[0] == drive


SECOND_LINK = """robot: x
links:
- {name: k, parent: base, joint: {axis: [0, 0, 1]}, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
- {name: l, parent: k, joint: {axis: [0, 0, 1]}, mass: 1}
"""
HARMONIC = {"by its key": "", "by its type": "type: harmonic,", "drawn": "type: harmonic, reduction: 100,"}


def _with_gear(words):
    drive = f"drives: [{{joint: l, motor: {{catalogue: MM_148877}}, gear: {{{words}}}}}]\n"
    return read_yaml(SECOND_LINK + drive)


@pytest.mark.parametrize("words", HARMONIC.values(), ids=HARMONIC)
def test_a_named_gearbox_is_that_article_by_any_type(words):
    """Mass and inertia of the data sheet count, J n^2 at the joint, and a harmonic drive turns its output backwards."""
    robot = _with_gear(f"{words} catalogue: HD_CSF-17-100-2UH")
    motor, box = BUNDLED.motor("MM_148877"), BUNDLED.gearbox("HD_CSF-17-100-2UH")
    assert robot.drives[0].gear.ratio == -100.0
    assert gw.mass_matrix(robot, [0.0, 0.0])[1, 1] == pytest.approx((motor.inertia + 7.9e-6) * 1e4, rel=1e-12)
    assert gw.assemble(robot).bodies[0].mass == pytest.approx(1.0 + motor.mass + 0.68, rel=1e-12)
    assert box.gear().ratio == -100.0


def test_a_drawing_replaces_what_its_data_sheet_says():
    """Numbers of members count instead of those of the whole gearbox, and so do losses of meshes."""
    drawn = "type: harmonic, reduction: 100, catalogue: HD_CSF-17-100-2UH"
    gear = _with_gear(f"{drawn}, generator_member: {{inertia: 6e-6}}").drives[0].gear
    assert (gear.inertia, gear.mass) == (0.0, 0.68)
    stage = "{kind: planetary, sun: 24, planet: 18, ring: 60, efficiency: 0.9}"  # 3.5 each: 343/8 together
    series = _with_gear(f"kind: series, stages: [{stage}, {stage}, {stage}], catalogue: MM_203120").drives[0].gear
    assert (series.ratio, series.mass, series.inertia) == (343 / 8, 0.46, 1.5e-6)
    assert gear_losses(series)[0].efficiency == pytest.approx(0.9**3)


CONTRADICTIONS = {
    "stated": "catalogue: MM_203120, ratio: 50",
    "drawn": "type: planetary, sun: 18, planet: 27, ring: 72, catalogue: MM_203120",
    "by its type": "type: harmonic, ratio: 50, catalogue: HD_CSF-17-100-2UH",
    "direction": "kind: series, stages: [{kind: spur, driver: 8, driven: 343}], catalogue: MM_203120",
    "kind with its ratio": "type: worm, ratio: 43, catalogue: MM_203120",
    "kind as drawn": "type: harmonic, reduction: 43, catalogue: MM_203120",
}


@pytest.mark.parametrize("words", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_gear_that_contradicts_its_data_sheet_is_named(words, tmp_path):
    """Kind and size of the ratio must be those of the sheet; as drawn, its direction too where the sheet prints it."""
    path = tmp_path / "r.yaml"
    path.write_text(SECOND_LINK + f"drives: [{{joint: l, gear: {{{words}}}}}]\n")
    (problem,) = check(path)
    assert problem.path == "drives[0].gear"
    assert words.split("catalogue: ")[1].split(",")[0] in problem.message


def test_a_stated_sign_and_rounded_ratios_stay():
    """A bare ratio says which way the axes point, and makers round: 43 for 343/8."""
    assert _with_gear("catalogue: MM_203120, ratio: -43").drives[0].gear.ratio == -43.0
    assert _with_gear("type: harmonic, ratio: 100, catalogue: HD_CSF-17-100-2UH").drives[0].gear.ratio == 100.0


def test_a_named_gear_without_the_numbers_of_its_sheet_survives_its_file(tmp_path):
    """What a robot does not state is written, or reading would take it from the data sheet."""
    gear = gw.parts.Harmonic(reduction=100, catalogue="HD_CSF-17-100-2UH")
    link = gw.parts.Link("l", "base", gw.parts.Joint(axis=(0, 0, 1)), mass=1.0)
    for one in (gear, gw.parts.Gear(42.875, catalogue="MM_203120")):
        robot = gw.parts.Robot("r", [link], [gw.parts.Drive("l", gear=one)])
        gw.save(robot, tmp_path / "r.yaml")
        assert gw.load(tmp_path / "r.yaml").drives[0].gear == one


def test_an_unknown_gearbox_gets_a_hint():
    with pytest.raises(FileError, match=r"'MM_2031200'.*'MM_203120'"):
        read_yaml(
            "robot: x\nlinks: [{name: l, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n"
            "drives: [{joint: l, gear: {catalogue: MM_2031200}}]\n"
        )


def test_missing_numbers_are_named():
    with pytest.raises(DriveError, match=r"'NB_RV-42N'.*ratio"):
        BUNDLED.gearbox("NB_RV-42N").gear()
    with pytest.raises(DriveError, match=r"'MM_203120'.*stiffness"):
        BUNDLED.gearbox("MM_203120").gear(elastic=True)


def test_unknown_articles_get_a_hint():
    with pytest.raises(InputError, match=r"'MM_14887'.*'MM_148877'"):
        BUNDLED.motor("MM_14887")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (MOTORS + "m1,24,a lot,1,1e-5,0.2,x\n", ["line 2", "m1.k_t", "'a lot'"]),
        (MOTORS + "m1,24,-0.1,1,1e-5,0.2,x\n", ["line 2: m1.k_t: -0.1 "]),
        (MOTORS + "m1,24,0.1,1,-1e-5,0.2,x\n", ["line 2: m1.inertia: -1e-5 "]),
        (MOTORS + "m1,24,0.1,nan,1e-5,0.2,x\n", ["line 2: m1.R: nan"]),
        (MOTORS + "m1,24,0.1,1,1e-5,0.2,x\nm1,24,0.1,1,1e-5,0.2,x\n", ["line 3", "'m1'", "line 2"]),
        (MOTORS + "m1,24,0.1\n", ["line 2", " 3 ", " 7"]),
        (MOTORS + ",24,0.1,1,1e-5,0.2,x\n", ["line 2", "key"]),
        ("key,ratio,ratio_exact\ng1,20,3249/169\n", ["g1.ratio_exact", "19.22485", " 20"]),
        ("key,ratio,direction\ng1,20,2\n", ["line 2: g1.direction: 2 ", " 1 ", " -1"]),
        ("key,ratio,direction\ng1,20,1.7\n", ["line 2: g1.direction: 1.7 ", " 1 ", " -1"]),
        ("key,ratio,efficiency\ng0,9,0.8\ng1,9,0\n", ["line 3: g1.efficiency: 0 ", " 1"]),
        ("key,ratio,stages\ng1,9,1.5\n", ["line 2: g1.stages: 1.5 "]),
        (
            "key,ratio,efficiency,max_cont_torque,max_int_torque\ng1,9,1.8,9,6\ng2,0,0.9,5,6\n",
            [
                "3 problems",
                "line 2: g1.efficiency: 1.8 ",
                "line 2: g1.max_cont_torque: ",
                "max_cont_torque 9",
                "max_int_torque 6",
                "line 3: g2.ratio: 0 ",
            ],
        ),
        (
            "key,V,k_t,R,torque_stall,omega_nl,omega_nom,note\nm1,24,0.03,0.3,4,800,900,friction in Nm\n",
            [
                "line 2: m1.torque_stall: ",
                "k_t V / R",
                "+66.7%",
                "torque_stall 4, k_t 0.03, V 24",
                "'as printed'",
                "m1.omega_nom: ",
                "omega_nom 900",
                "omega_nl 800",
            ],
        ),
        ("key,k_t,R,Rth1,Rth2\nm1,0.1,0,0,0\n", ["m1.R: 0", "m1.Rth1: 0", "m1.Rth2: 0"]),
        ("key,ratio,mass,mass\ng1,9,0.5,0.7\n", ["line 1", "column 'mass'"]),
        ("a,b\n1,2\n", ["line 1", "a, b"]),
        ("", ["the file is empty"]),
    ],
)
def test_bad_tables_name_row_and_column(table, words, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(table)
    with pytest.raises(FileError) as caught:
        drives(path)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_note_explains_what_a_maker_printed(tmp_path):
    """Numbers that contradict each other are read where their note says that they are printed so, and listed still."""
    path = tmp_path / "own.csv"
    path.write_text("key,V,k_t,R,torque_stall,note\nm1,24,0.03,0.3,4,stall torque of the electronics as printed\n")
    (text,) = conflict_sentences(drives(path, bundled=False).motor("m1"))
    assert "+66.7%" in text
    assert "electronics" in text


@pytest.mark.parametrize(
    ("word", "value"), [("efficiency", 0.0), ("efficiency", 1.8), ("direction", 2), ("ratio", 0.0)]
)
def test_sheets_in_python_keep_the_same_rules(word, value):
    with pytest.raises(DriveError, match=f"'g': {word}={value}"):
        GearboxSheet(**{"key": "g", "ratio": 50.0, word: value})


@pytest.mark.parametrize("words", [["catalogue", "--check", "--file"], ["size", "elbow", "task.yaml", "--catalogue"]])
def test_commands_refuse_a_row_that_cannot_be(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.csv"
    path.write_text("key,ratio,mass,efficiency\ng1,50,0.3,0\n")
    (tmp_path / "task.yaml").write_text("task: nod\nmotions: [{to: {j2: 0.5}, speed: 1, acceleration: 5}]\n")
    result = CliRunner().invoke(app, [*words, str(path)])
    assert isinstance(result.exception, FileError), result.output
    assert "line 2: g1.efficiency: 0 " in str(result.exception)


def test_own_files_join_and_replace(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("key,V,k_t,colour,price\nMM_148877,48,0.07,red,99\nmine,24,0.1,,\n")
    both = drives(path)
    assert both.motor("MM_148877").torque_constant == 0.07
    assert both.motor("mine").price is None
    assert [remark for remark in both.remarks if "'colour'" in remark]
    assert len(drives(path, bundled=False).motors) == 2


def test_hostile_keys_are_shown(tmp_path):
    """Names out of a table anybody may have written reach the screen as letters and codes."""
    path = tmp_path / "own.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["key", "V", "k_t"])
        writer.writerows([[name.strip() or "x", 24, 0.1] for name in dict.fromkeys(NAMES)][:5])
    result = CliRunner().invoke(app, ["catalogue", "--file", str(path)])
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output


def test_hostile_keys_come_back_from_a_written_table(tmp_path):
    keys = list(dict.fromkeys(name.strip() for name in NAMES if name.strip() and name.isprintable()))
    path = tmp_path / "own.csv"
    path.write_text(drive_table_text([GearboxSheet(key=key, ratio=50.0) for key in keys]), encoding="utf-8")
    assert list(drives(path, bundled=False).gearboxes) == keys


def test_families_keep_the_laws_they_state():
    """Torque that heat allows, by K^2/R and thermal resistance, scales as the table says; the sheet stays sound."""
    like = BUNDLED.motor("MM_606793")
    big = next(iter(generic_motors(like, [2.0]).motors.values()))
    assert big.manufacturer == "generic"
    assert like.key in big.source

    def lasting(sheet: MotorSheet) -> float:
        resistance = sheet.winding_housing + sheet.housing_ambient
        return sheet.torque_constant / np.sqrt(sheet.resistance * resistance)

    assert lasting(big) / lasting(like) == pytest.approx(big.nominal_torque / like.nominal_torque, rel=1e-12)
    assert identity_deviations(big)["stall"] == pytest.approx(identity_deviations(like)["stall"], rel=1e-9)
    assert abs(identity_deviations(big)["no_load"]) < 0.03
    gearbox: GearboxSheet = BUNDLED.gearbox("HD_CSF-25-50-2UH")
    half = next(iter(generic_gearboxes(gearbox, [0.5]).gearboxes.values()))
    assert half.rated_torque == pytest.approx(gearbox.rated_torque / 8)
    with pytest.raises(InputError, match="scale"):
        generic_motors(like, [-1.0])
    assert identity_deviations(big)["kt_kn"] == pytest.approx(identity_deviations(like)["kt_kn"], rel=1e-9)
    assert identity_deviations(big)["tau_m"] == pytest.approx(identity_deviations(like)["tau_m"], rel=1e-9)


@pytest.mark.parametrize(("key", "family"), [("MM_606793", generic_motors), ("HD_CSF-25-50-2UH", generic_gearboxes)])
def test_a_family_goes_through_a_file(key, family, tmp_path):
    """What the command writes, --catalogue reads: the same sheets, labelled generic, with their law."""
    path = tmp_path / "family.csv"
    words = ["catalogue", "--generic", key, "--scales", "0.5,1.4", "-o", str(path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    made = family({**BUNDLED.motors, **BUNDLED.gearboxes}[key], [0.5, 1.4])
    again = drives(path, bundled=False)
    for there, here in ((again.motors, made.motors), (again.gearboxes, made.gearboxes)):
        assert list(there) == list(here)
        for name, sheet in here.items():
            assert sheet.manufacturer == "generic"
            assert "mass" in sheet.source.partition(" with power 3;")[0]
            for word, value in vars(sheet).items():
                same = pytest.approx(value, rel=1e-14) if isinstance(value, float) else value
                assert getattr(there[name], word) == same, word
    found = CliRunner().invoke(app, ["catalogue", "generic", "--file", str(path)])
    assert f"generic_{key}_x1.4" in found.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--generic", "MM_606793"], "--scales"),
        (["--scales", "2"], "--generic KEY"),
        (["--generic", "MM_60679", "--scales", "2"], "'MM_606793'"),
        (["--generic", "MM_606793", "--scales", "a"], "--scales 'a'"),
        (["-o", "both.csv"], "motors"),
    ],
)
def test_bad_families_are_refused(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["catalogue", *words])
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_json_tells_motors_and_gearboxes_apart():
    result = CliRunner().invoke(app, ["catalogue", "maxon", "--json"])
    told = {one["key"]: (one["category"], one["article"]) for one in json.loads(result.stdout)}
    assert told["MM_148877"] == ("motor", "148877")
    assert told["MM_203120"] == ("gearbox", "203120")


def test_the_command_lists_searches_and_checks():
    listed = CliRunner().invoke(app, ["catalogue", "maxon", "EC-i"])
    assert "MM_606793" in listed.output
    assert "AM_" not in listed.output
    checked = CliRunner().invoke(app, ["catalogue", "--check", "MM_353295"])
    words = checked.output.split()
    assert words.count("MM_353295:") == 2  # its contradiction and its missing fields
    assert "-3.9%" in words
    missing = BUNDLED.motor("MM_353295").missing_fields
    assert missing
    assert " ".join(words).count(", ".join(missing) + ".") == 1
