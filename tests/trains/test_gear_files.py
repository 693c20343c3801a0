"""The files of examples/gears: one per part, with the ratio that its drawing gives."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.files.fields.gear import GEAR_PARTS
from trains.arms import states

FOLDER = Path(__file__).parents[2] / "examples" / "gears"
BY_HAND = {  # rows of the motors over the speeds
    "spur": [(0, -60 / 20)],
    "internal": [(0, 60 / 20)],
    "idler": [(0, 60 / 20)],
    "bevel": [(0, -40 / 20)],
    "multi_stage": [(0, -(60 / 20) * (72 / 18) * (50 / 25))],
    "belt": [(0, 60 / 20)],
    "chain": [(0, 60 / 30)],
    "rack_and_pinion": [(0, 1 / (20 * 0.002 / 2))],
    "worm": [(0, 40 / 1)],
    "ball_screw": [(0, 2 * math.pi / 0.01)],
    "planetary_ring_held": [(0, 1 + 72 / 18)],
    "planetary_carrier_held": [(0, -72 / 18)],
    "planetary_sun_held": [(0, 1 + 18 / 72)],
    "planetary_free": [(0, 1 + 72 / 18, -72 / 18), (0, 0, 1)],
    "stepped_planets": [(0, 1 + 40 * 85 / (20 * 25))],
    "planetary_series": [(0, (1 + 80 / 40) * (1 + 72 / 18))],
    "wolfrom": [(0, (1 + 60 / 12) / (1 - 60 * 21 / (24 * 57)))],
    "harmonic": [(0, -200 / 2)],
    "cycloidal": [(0, -39)],
    "rv": [(0, 1 + 32 / 16 * 40)],
    "shaft": [(0, 0, 1)],
    "bevel_differential": [(1, -30 / 20), (1, 30 / 20)],
    "nested_shafts": [(-60 / 20, 0), (1, -40 / 20)],
}


def test_there_is_one_for_every_part():
    assert {path.stem for path in FOLDER.iterdir()} == set(BY_HAND)
    robots = [gw.load(path) for path in FOLDER.iterdir()]
    assert {drive.gear.kind for robot in robots for drive in robot.drives} == set(GEAR_PARTS) - {"simple"}


@pytest.mark.parametrize("name", BY_HAND)
def test_file(name, tmp_path):
    """Its motors turn as the drawing says, every member has inertia, and it survives being written and read."""
    robot = gw.load(FOLDER / f"{name}.yaml")
    mech = gw.assemble(robot)
    assert robot.name == name
    assert gw.actuation.structure_matrix(mech).T.tolist() == [pytest.approx(row) for row in BY_HAND[name]]
    assert len(mech.spins) >= 2
    assert all(spin.inertia > 0 for spin in mech.spins)
    gw.save(robot, tmp_path / "again.yaml")
    again = gw.assemble(gw.load(tmp_path / "again.yaml"))
    for q, v, a in states(mech.n):
        assert gw.inverse_dynamics(again, q, v, a) == pytest.approx(gw.inverse_dynamics(mech, q, v, a), rel=1e-12)
