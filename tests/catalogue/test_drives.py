"""Motors and gearboxes as data: what real sheets imply about themselves, and how bad tables are refused."""

from __future__ import annotations

import csv
from importlib.resources import files

import numpy as np
import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.catalogue import contradictions, deviations, drives, generic_gearboxes, generic_motors
from gearwright.cli.app import app
from gearwright.errors import DriveError, FileError, InputError
from gearwright.files import read_yaml
from gearwright.files.drive_tables import GEARBOX_COLUMNS, MOTOR_COLUMNS
from gearwright.parts import GearboxSheet, MotorSheet
from support.hostile_names import NAMES

BUNDLED = drives()
MOTORS = "key,V,k_t,R,inertia,mass,source\n"


def rows(name: str) -> list[dict[str, str]]:
    text = files("gearwright").joinpath("catalogue", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize("key", BUNDLED.motors)
def test_every_motor_agrees_with_itself_or_says_why_not(key):
    sheet = BUNDLED.motor(key)
    for name, deviation in deviations(sheet).items():
        assert abs(deviation) < 0.03 or "as printed" in sheet.note, (name, deviation)


def test_the_deviations_are_those_printed_beside_the_table():
    """Computed here from the cells, and by whoever made the table: kt kn and tau_m need figures that it leaves out."""
    for row in rows("motors.csv"):
        found = deviations(BUNDLED.motor(row["key"]))
        if row["dev_no_load"]:
            assert found["no_load"] == pytest.approx(float(row["dev_no_load"]), abs=1e-6)
        for column in ("dev_kt_kn", "dev_tau_m"):
            assert not row[column] or abs(float(row[column])) < 0.03


def test_the_headers_are_those_of_the_open_tables():
    """The convention of the open motor and gearbox tables; what they lack stands in columns of our own after theirs."""
    motors = "key manufacturer ID type V k_t R L mass inertia omega_nl I_nl I_nom max_int_torque max_int_speed"
    motors += " max_cont_speed max_cont_power coulomb_friction viscous_friction Rth1 Rth2"
    gearboxes = "key manufacturer ID type stages ratio mass inertia efficiency direction max_int_torque max_cont_torque"
    assert set(motors.split()) <= set(MOTOR_COLUMNS)
    assert set(gearboxes.split()) <= set(GEARBOX_COLUMNS)
    assert set(motors.split()) - set(rows("motors.csv")[0]) == {"max_cont_power"}  # which no sheet prints
    assert set(gearboxes.split()) <= set(rows("gearboxes.csv")[0])


def test_every_article_names_its_source():
    assert all(sheet.source for sheet in (*BUNDLED.motors.values(), *BUNDLED.gearboxes.values()))


def test_gearboxes_do_not_contradict_themselves():
    assert not [text for sheet in BUNDLED.gearboxes.values() for text in contradictions(sheet)]


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


def test_a_drawn_gear_may_name_its_article():
    words = "drives: [{joint: l, gear: {type: planetary, sun: 18, planet: 27, ring: 72, catalogue: MM_203120}}]\n"
    robot = read_yaml("robot: x\nlinks: [{name: l, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n" + words)
    assert robot.drives[0].gear.catalogue == "MM_203120"
    assert robot.drives[0].gear.ratio == 5.0


def test_an_unknown_gearbox_gets_a_hint():
    with pytest.raises(FileError, match="Did you mean 'MM_203120'"):
        read_yaml(
            "robot: x\nlinks: [{name: l, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n"
            "drives: [{joint: l, gear: {catalogue: MM_2031200}}]\n"
        )


def test_missing_numbers_are_named():
    with pytest.raises(DriveError, match="'NB_RV-42N' does not print ratio"):
        BUNDLED.gearbox("NB_RV-42N").gear()
    with pytest.raises(DriveError, match="does not print stiffness"):
        BUNDLED.gearbox("MM_203120").gear(elastic=True)


def test_unknown_articles_get_a_hint():
    with pytest.raises(InputError, match="Did you mean 'MM_148877'"):
        BUNDLED.motor("MM_14887")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (MOTORS + "m1,24,a lot,1,1e-5,0.2,x\n", ["line 2", "m1.k_t", "'a lot' is not a number"]),
        (MOTORS + "m1,24,-0.1,1,1e-5,0.2,x\n", ["m1", "torque_constant=-0.1"]),
        (MOTORS + "m1,24,0.1,nan,1e-5,0.2,x\n", ["m1.R", "not finite"]),
        (MOTORS + "m1,24,0.1,1,1e-5,0.2,x\nm1,24,0.1,1,1e-5,0.2,x\n", ["line 3", "stands in line 2 already"]),
        (MOTORS + "m1,24,0.1\n", ["line 2", "3 cells, the header 7"]),
        (MOTORS + ",24,0.1,1,1e-5,0.2,x\n", ["line 2", "key is empty"]),
        ("key,ratio,ratio_exact\ng1,20,3249/169\n", ["g1.ratio_exact", "19.22485", "ratio is 20"]),
        ("key,ratio,direction\ng1,20,2\n", ["direction 2 is neither 1 nor -1"]),
        ("a,b\n1,2\n", ["line 1", "is not a catalogue"]),
        ("", ["is not a catalogue"]),
    ],
)
def test_bad_tables_name_row_and_column(table, words, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(table)
    with pytest.raises(FileError) as caught:
        drives(path)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_own_files_join_and_replace(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("key,V,k_t,colour,price\nMM_148877,48,0.07,red,99\nmine,24,0.1,,\n")
    both = drives(path)
    assert both.motor("MM_148877").torque_constant == 0.07
    assert both.motor("mine").price is None
    assert [remark for remark in both.remarks if "'colour' was not read" in remark]
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
    assert deviations(big)["stall"] == pytest.approx(deviations(like)["stall"], rel=1e-9)
    assert abs(deviations(big)["no_load"]) < 0.03
    gearbox: GearboxSheet = BUNDLED.gearbox("HD_CSF-25-50-2UH")
    half = next(iter(generic_gearboxes(gearbox, [0.5]).gearboxes.values()))
    assert half.rated_torque == pytest.approx(gearbox.rated_torque / 8)
    with pytest.raises(InputError, match="scale"):
        generic_motors(like, [-1.0])


def test_the_command_lists_searches_and_checks():
    listed = CliRunner().invoke(app, ["catalogue", "maxon", "EC-i"])
    assert "MM_606793" in listed.output
    assert "AM_" not in listed.output
    checked = CliRunner().invoke(app, ["catalogue", "--check", "MM_353295"])
    assert "-3.9% apart" in checked.output
    assert "not printed" in checked.output
