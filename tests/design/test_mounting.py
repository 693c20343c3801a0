"""Pairs of motor and gearbox that can be bolted together, and output shafts that bear their links."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from design.arms import JOINTS, arm, small, swing
from gearwright.analysis import Task, analyse
from gearwright.catalogue import Catalogue, drives
from gearwright.design import size_drives
from gearwright.design.candidates.candidates import catalogue_candidates
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.errors import InputError
from gearwright.motion import pause, polynomial
from gearwright.parts import (
    Drive,
    GearboxSheet,
    Gearwheel,
    Joint,
    Link,
    Mesh,
    MotorSheet,
    Robot,
    Train,
    TrainMotor,
)
from gearwright.parts.drives.mounting import is_mounting_known, mounting_conflict

G = 9.81
MAKERS_OWN = {0.0429: {0.042, 0.045}, 0.04: {0.032, 0.042, 0.052}, 0.06: {0.052}, 0.065: {0.081}, 0.022: {0.022, 0.032}}
"""maxon's list of combinations (2020): diameters of motors, and of gearheads on which they are sold."""


def motor(**words) -> MotorSheet:
    return MotorSheet(key="m", **words)


def box(**words) -> GearboxSheet:
    return GearboxSheet(key="g", **words)


@pytest.mark.parametrize("wide", MAKERS_OWN)
def test_the_rule_admits_what_a_maker_sells(wide):
    for size in MAKERS_OWN[wide]:
        assert mounting_conflict(motor(outer_diameter=wide), box(outer_diameter=size)) is None


def test_a_motor_twice_as_wide_as_its_gearhead_does_not_fit():
    reason = mounting_conflict(motor(outer_diameter=0.0429), box(outer_diameter=0.022))
    assert reason is not None
    assert "42.9 mm" in reason
    assert "22 mm" in reason
    assert mounting_conflict(motor(outer_diameter=0.022), box(outer_diameter=0.081)) is not None


def test_flanges_decide_before_diameters_and_shafts_always():
    wide = {"outer_diameter": 0.09}
    flange = {"flange": "NEMA17; nema23"}
    assert mounting_conflict(motor(flange="NEMA23", **wide), box(outer_diameter=0.02, **flange)) is None
    assert "NEMA34" in str(mounting_conflict(motor(flange="NEMA34", outer_diameter=0.02), box(**flange)))
    thick = motor(flange="NEMA23", shaft_diameter=0.008)
    assert "8 mm" in str(mounting_conflict(thick, box(max_motor_shaft=0.0063, **flange)))
    assert not is_mounting_known(motor(flange="NEMA23"), box(outer_diameter=0.06))
    assert is_mounting_known(motor(**wide), box(outer_diameter=0.06))


def test_no_pair_of_the_bundled_catalogue_that_cannot_be_bolted_together_is_a_choice():
    space = drive_space(arm(), swing(), JOINTS, 3)
    some = catalogue_candidates(space.drives[0], drives())
    widths = [(one.motor.outer_diameter, one.gearbox.outer_diameter) for one in some.choices]
    known = np.array([pair for pair in widths if None not in pair])
    assert len(known) > 500
    assert (known[:, 0] <= 1.25 * known[:, 1] * (1 + 1e-9)).all()
    assert (known[:, 0] >= 0.65 * known[:, 1] * (1 - 1e-9)).all()


def test_the_winner_can_be_bolted_together_and_what_was_left_out_is_reported():
    found = size_drives(arm(), swing(), search=gw.design.SearchOptions(samples=31))
    for one in found.choices.values():
        assert one.motor.outer_diameter is None or mounting_conflict(one.motor, one.gearbox) is None
    assert any("cannot be mounted" in remark for remark in found.remarks)


def test_a_catalogue_in_which_nothing_fits_says_so():
    table = small(4, 3)
    wide = Catalogue(
        {key: replace(sheet, outer_diameter=0.2) for key, sheet in table.motors.items()},
        {key: replace(sheet, outer_diameter=0.022) for key, sheet in table.gearboxes.items()},
    )
    with pytest.raises(InputError, match=r"12 of 12 pairs.*200 mm"):
        size_drives(arm(), swing(), wide, search=gw.design.SearchOptions(samples=31))


MASS, LENGTH = 3.0, 0.4


def beam(axis, gear: GearboxSheet, sheet: MotorSheet) -> Robot:
    """A link that is held still, its centre a length from the joint along x; the motor sits on the base."""
    link = Link("beam", "base", Joint("hinge", axis=axis), MASS, (LENGTH, 0, 0), np.diag([0.01, 0.1, 0.1]))
    return Robot("crane", [link], [Drive("hinge", sheet.motor(), gear.gear(), mounted_on="base", axis=axis)])


def still() -> Task:
    return Task([pause([0.0], 1.0)])


def articles(**words) -> tuple[GearboxSheet, MotorSheet, Catalogue]:
    gear = GearboxSheet(
        key="g",
        ratio=100.0,
        mass=0.1,
        efficiency=0.8,
        peak_torque=200.0,
        rated_torque=100.0,
        outer_diameter=0.05,
        **words,
    )
    sheet = MotorSheet(
        key="m",
        mass=0.2,
        inertia=1e-6,
        torque_constant=0.1,
        resistance=0.5,
        nominal_torque=5.0,
        voltage=48.0,
        outer_diameter=0.05,
    )
    return gear, sheet, Catalogue({"m": sheet}, {"g": gear})


@pytest.mark.parametrize(
    ("axis", "loads"),
    [((0, 0, 1), (0.0, MASS * G, MASS * G * LENGTH)), ((0, 1, 0), (MASS * G, 0.0, 0.0))],
)
def test_an_output_shaft_carries_the_weight_of_its_link(axis, loads):
    """Statics: about a vertical axis the weight is axial and tilts by its arm, about a level one it is radial."""
    gear, sheet, table = articles(radial_load=100.0, axial_load=50.0, tilting_moment=20.0)
    found = analyse(beam(axis, gear, sheet), still(), catalogue=table)
    checks = {check.quantity: check for check in found.limits}
    names = ("output-shaft radial load", "output-shaft axial load", "output-shaft tilting moment")
    assert [checks[name].value for name in names] == pytest.approx(loads, abs=1e-9)
    assert [checks[name].limit for name in names] == [100.0, 50.0, 20.0]
    kinds = {kind for one in found.unchecked for kind in one.kinds}
    assert not {"mounting", "output-shaft load"} & kinds


def test_a_tilting_moment_counts_as_a_radial_load_at_its_distance():
    gear, sheet, table = articles(radial_load=500.0, radial_load_distance=0.02)
    found = analyse(beam((0, 0, 1), gear, sheet), still(), catalogue=table)
    check = next(one for one in found.limits if one.quantity == "output-shaft radial load")
    assert check.value == pytest.approx(MASS * G * LENGTH / 0.02, rel=1e-12)
    assert not check.is_satisfied


def test_what_the_sheets_leave_open_is_listed():
    gear, sheet, table = articles()
    bare = Catalogue({"m": replace(sheet, outer_diameter=None)}, table.gearboxes)
    found = analyse(beam((0, 0, 1), gear, sheet), still(), catalogue=bare)
    kinds = {kind: one for one in found.unchecked for kind in one.kinds if one.part == "gearbox"}
    assert {"mounting", "output-shaft load"} <= set(kinds)
    assert re.search(r"outer_diameter.*\bm\b", str(kinds["mounting"]))
    assert "radial_load" in kinds["output-shaft load"].reason
    assert found.verdict.grade == "open"


def test_a_pair_that_does_not_fit_is_reported_by_the_analysis():
    gear, sheet, table = articles()
    narrow = Catalogue(table.motors, {"g": replace(gear, outer_diameter=0.03)})
    found = analyse(beam((0, 0, 1), gear, sheet), still(), catalogue=narrow)
    assert any(re.search(r"\bm .*\bg\b", remark) for remark in found.remarks)


def test_a_gearbox_whose_shaft_bears_the_link_is_chosen():
    """The lighter one would do but for the axial load of 3 kg."""
    gear, sheet, table = articles(axial_load=20.0)
    strong = replace(gear, key="strong", mass=0.5, axial_load=60.0)
    both = Catalogue(table.motors, {"g": gear, "strong": strong})
    robot = beam((0, 0, 1), gear, sheet)
    assert (
        size_drives(robot, still(), both, search=gw.design.SearchOptions(samples=11)).choices["hinge"].gearbox.key
        == "strong"
    )
    with pytest.raises(InputError, match="output-shaft axial load"):
        size_drives(robot, still(), table, search=gw.design.SearchOptions(samples=11))


def test_motors_of_trains_are_sized_with_the_drives():
    hand = Link("hand", "fore", Joint("hand", axis=(0, 1, 0), position=(0.2, 0, 0)), 0.05, (0, 0, 0), 1e-4 * np.eye(3))
    wheel = Gearwheel("pinion", "fore", axis=(0, 1, 0), position=(0.15, 0, 0))
    train = Train("lift", [wheel], [Mesh("pinion", "hand", teeth=(20, 40))], [TrainMotor("winch", "pinion")])
    mixed = replace(arm(), links=[*arm().links, hand], trains=[train])
    move = polynomial([0.0, 0.0, 0.0], [0.5, -0.5, 0.3], duration=1.0)
    found = size_drives(mixed, Task([move]), small(8, 6), search=gw.design.SearchOptions(samples=21))
    assert list(found.choices) == ["shoulder", "elbow", "winch"]
    assert found.choices["winch"].gearbox is None
    only = size_drives(mixed, Task([move]), small(8, 6), joints=["winch"], search=gw.design.SearchOptions(samples=21))
    assert list(only.choices) == ["winch"]


def test_no_motor_is_advised_that_cannot_be_mounted():
    """Two motors would bear the weight about a level axis; the lighter one is four times as wide as the gearbox."""
    gear, sheet, table = articles()
    weak = replace(sheet, nominal_torque=0.01)
    wide = replace(sheet, key="wide", mass=0.21, outer_diameter=0.2)
    slim = replace(sheet, key="slim", mass=0.3)
    offers = Catalogue({one.key: one for one in (weak, wide, slim)}, table.gearboxes)
    found = analyse(beam((0, 1, 0), gear, weak), still(), catalogue=offers)
    check = next(one for one in found.limits if one.quantity == "continuous motor torque")
    assert not check.is_satisfied
    assert [advice.entry for advice in check.advice if advice.entry] == ["slim"]
