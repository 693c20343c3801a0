"""The bundled motors against the data-sheet numbers they are quoted from, and those against each other."""

from __future__ import annotations

import json
from dataclasses import replace
from math import pi

import pytest

import gearwright as gw
from gearwright.files import read_yaml
from gearwright.files.tables.catalogue_data import motor_fields_by_key
from gearwright.parts import Motor, Robot

ROWS = {"maxon_re30": 0, "maxon_re40": 1, "maxon_ec45_flat": 2, "maxon_dcx22l": 3}
RPM = 2 * pi / 60


def driven(name: str) -> Robot:
    text = "robot: x\nlinks: [{name: l, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n"
    return read_yaml(text + f"drives: [{{joint: l, motor: {{catalogue: {name}}}}}]\n")


def motor(name: str) -> Motor:
    return driven(name).drives[0].motor


def sheet(reference, name: str) -> dict[str, float]:
    return json.loads((reference / "motors_catalogue_samples.json").read_text())["rows"][ROWS[name]]


@pytest.mark.parametrize("name", motor_fields_by_key())
def test_every_motor_can_be_named(name):
    assert motor(name).catalogue == name


@pytest.mark.parametrize("name", ROWS)
def test_numbers_of_the_sheet(name, reference):
    """kt kn = 1, tau_m = R J / kt^2, stall torque = kt V / R: three ways to find a misread unit."""
    row, found = sheet(reference, name), motor(name)
    assert found.torque_constant == pytest.approx(row["kt_mNm_A"] * 1e-3)
    assert found.resistance == pytest.approx(row["R"])
    assert found.inductance == pytest.approx(row["L_mH"] * 1e-3)
    assert found.kv == pytest.approx(row["kn_rpm_V"] * RPM, rel=0.01)
    if "tau_m_ms" in row:
        constant = found.resistance * found.inertia / found.torque_constant**2
        assert constant == pytest.approx(row["tau_m_ms"] * 1e-3, rel=0.01)
    if "V" in row:
        stall = found.torque_constant * row["V"] / found.resistance
        assert stall == pytest.approx(row["T_stall_mNm"] * 1e-3, rel=0.01)


@pytest.mark.parametrize("name", ["maxon_re30", "maxon_re40"])
def test_heat_of_the_sheet(name, reference):
    row, heat = (
        json.loads((reference / "motors_catalogue_samples.json").read_text())["rows"][ROWS[name]],
        motor(name).heat,
    )
    assert (heat.winding_housing, heat.housing_ambient) == (row["Rth1"], row["Rth2"])
    assert heat.winding_time_constant == pytest.approx(row["tau_w_s"])
    assert heat.housing_time_constant == pytest.approx(row["tau_motor_s"])


@pytest.mark.parametrize("name", ["maxon_re30", "maxon_re40"])
def test_working_points_of_the_sheet(name, reference):
    """At the nominal voltage it stalls, runs free and runs under the nominal load as its sheet says (cold)."""
    row, robot = sheet(reference, name), driven(name)
    found = replace(
        robot.drives[0].motor, friction=robot.drives[0].motor.torque_constant * row["I0_mA"] * 1e-3, heat=None
    )
    robot = robot.with_drive(replace(robot.drives[0], motor=found))

    def end(load: float, until: float, robot: Robot) -> gw.Run:
        return gw.simulate(robot, until=until, inputs={"l.voltage": row["V"], "tau.l": load}, method="stiff")

    free = end(0.0, 0.2, robot)
    assert free["v.l"][-1] / RPM == pytest.approx(row["no_load_rpm"], rel=5e-3)
    assert free["l.current"][-1] == pytest.approx(row["I0_mA"] * 1e-3, rel=1e-3)
    loaded = end(-row["T_nom_mNm"] * 1e-3, 0.2, robot)
    assert loaded["v.l"][-1] / RPM == pytest.approx(row["n_nom"], rel=0.02)
    assert loaded["l.current"][-1] == pytest.approx(row["I_nom"], rel=0.015)
    blocked = end(-1.01 * found.torque_constant * row["V"] / found.resistance, 5e-3, _held(robot))
    assert blocked["l.current"][-1] == pytest.approx(row["I_stall"], rel=2e-3)
    assert blocked["l.motor_torque"][-1] == pytest.approx(row["T_stall_mNm"] * 1e-3, rel=7e-3)


def _held(robot: Robot) -> Robot:
    """The same with a joint that does not turn: its bearing holds anything."""
    (link,) = robot.links
    return replace(robot, links=[replace(link, joint=replace(link.joint, friction=1e3))])


def test_a_load_may_turn_a_motor_faster_than_its_no_load_speed():
    """No limit of the catalogue stands in the way: it brakes as a generator then."""
    run = gw.simulate(driven("maxon_re30"), until=0.1, inputs={"l.voltage": 24.0, "tau.l": 0.05})
    assert run["v.l"][-1] > 24.0 / 53.8e-3
    assert run["l.current"][-1] == pytest.approx(-0.05 / 53.8e-3, rel=1e-2)
