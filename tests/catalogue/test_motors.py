"""The bundled motors against the data-sheet numbers they are quoted from, and those against each other."""

from __future__ import annotations

import json
from math import pi

import pytest

from gearwright.files import read_yaml
from gearwright.files.motor_data import motor_table
from gearwright.parts import Motor

ROWS = {"maxon_re30": 0, "maxon_re40": 1, "maxon_ec45_flat": 2, "maxon_dcx22l": 3}
RPM = 2 * pi / 60


def motor(name: str) -> Motor:
    text = "robot: x\nlinks: [{name: l, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n"
    return read_yaml(text + f"drives: [{{joint: l, motor: {{catalogue: {name}}}}}]\n").drives[0].motor


def sheet(reference, name: str) -> dict[str, float]:
    return json.loads((reference / "motors_catalogue_samples.json").read_text())["rows"][ROWS[name]]


@pytest.mark.parametrize("name", motor_table())
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
