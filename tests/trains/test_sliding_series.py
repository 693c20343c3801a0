"""A series whose last stage is a screw or a rack: ratio, wheels, elasticity and losses against the parts by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import TrainError
from gearwright.parts import (
    Belt,
    Drive,
    Gear,
    Hysteresis,
    Joint,
    Link,
    Member,
    Motor,
    Rack,
    Robot,
    Screw,
    Series,
    Shaft,
    Spur,
    Torsion,
    elastic_elements,
    gear_losses,
)

LEAD = 0.01
TURNS = 2 * math.pi / LEAD


def slide(gear, **more) -> Robot:
    link = Link("table", joint=Joint("x", kind="prismatic", axis=(0, 0, 1)), mass=20.0)
    return Robot("axis", [link], [Drive("x", Motor(2e-4), gear, **more)], gravity=(0, 0, 0))


BELT_AND_SCREW = Series(
    stages=[
        Belt(driver=0.02, driven=0.05, driver_member=Member(1e-5), driven_member=Member(3e-4)),
        Screw(lead=LEAD, hand="left", screw_member=Member(8e-4)),
    ]
)


def test_a_belt_and_a_screw_move_a_table():
    """m + J_motor r^2 + J_screw (2 pi / lead)^2, with r = 2.5 * 2 pi / lead."""
    mech = gw.assemble(slide(BELT_AND_SCREW))
    assert BELT_AND_SCREW.ratio == pytest.approx(2.5 * TURNS)
    expected = 20.0 + (2e-4 + 1e-5) * (2.5 * TURNS) ** 2 + (3e-4 + 8e-4) * TURNS**2
    np.testing.assert_allclose(gw.mass_matrix(mech, [0.1]), [[expected]], rtol=1e-12)
    assert gw.actuation.structure_matrix(mech)[0, 0] == pytest.approx(2.5 * TURNS)


def test_the_screw_alone_is_a_series_of_one():
    one, series = (gw.assemble(slide(gear)) for gear in (Screw(lead=LEAD), Series(stages=[Screw(lead=LEAD)])))
    np.testing.assert_allclose(gw.mass_matrix(one, [0.0]), gw.mass_matrix(series, [0.0]), rtol=1e-14)
    assert one.actuators[0].row == series.actuators[0].row


def test_a_rack_behind_a_spur_stage_with_losses():
    gear = Series(stages=[Spur(driver=20, driven=60, efficiency=0.95), Rack(radius=0.02, efficiency=0.9)])
    assert gear_losses(gear)[0].efficiency == pytest.approx(0.95 * 0.9)
    assert gear.ratio == pytest.approx(-3 / 0.02)
    robot = slide(gear, axis=(1, 0, 0))
    run = gw.simulate(robot, ([0.0], [0.1]), until=0.05, inputs=[50.0])
    M = 20.0 + 0.855 * 2e-4 * 150.0**2
    np.testing.assert_allclose(run.a[:, 0], 0.855 * 50.0 / M, rtol=1e-9)


def test_elastic_stages_count_at_the_slide():
    """A shaft of 400 Nm/rad before the screw is 400 (2 pi / lead)^2 N/m at the table; the nut's own is in N/m."""
    shaft = Shaft(stiffness=400.0, output_member=Member(1e-4))
    gear = Series(stages=[Spur(driver=20, driven=40), shaft, Screw(lead=LEAD, stiffness=8e7)])
    stiffness = [element.stiffness for element in elastic_elements(gear)]
    np.testing.assert_allclose(stiffness, [400.0 * TURNS**2, 8e7], rtol=1e-14)
    mech = gw.assemble(slide(gear, axis=(0, 0, 1)))
    assert mech.n == 3


def test_files_hold_it(tmp_path):
    gw.save(slide(BELT_AND_SCREW), tmp_path / "axis.yaml")
    back = gw.load(tmp_path / "axis.yaml").drives[0].gear
    assert back.ratio == BELT_AND_SCREW.ratio
    assert [stage.kind for stage in back.stages] == ["belt", "screw"]


def test_what_does_not_fit_is_refused():
    with pytest.raises(TrainError, match=r"series: stage 1 .*screw"):
        Series(stages=[Screw(lead=LEAD), Spur(driver=20, driven=40)])
    with pytest.raises(TrainError, match=r"series: stage 1 .*Gear"):
        Series(stages=[Gear(10.0)])
    turning = Robot("arm", [Link("arm", mass=1, com=(1, 0, 0))], [Drive("arm", Motor(1e-4), BELT_AND_SCREW)])
    with pytest.raises(TrainError, match=r"joint 'arm'.*revolute.*series"):
        gw.assemble(turning)
    with pytest.raises(TrainError, match=r"joint 'x'.*prismatic.*series"):
        gw.assemble(slide(Series(stages=[Spur(driver=20, driven=40)])))


def test_hysteresis_and_backlash_in_one_element_are_refused_with_the_way_out():
    """The way out works: two elements, one with the loop, one with the gap."""
    loop = Hysteresis(0.5, 1e-3)
    with pytest.raises(TrainError, match=r"hysteresis .*0\.5 Nm.*backlash 0\.001 rad"):
        Torsion(hysteresis=loop, backlash=1e-3)
    gap = Shaft(stiffness=900.0, torsion=Torsion(backlash=1e-3), output_member=Member(1e-4))
    gear = Series(stages=[gap, Spur(driver=20, driven=40, stiffness=4e3, torsion=Torsion(hysteresis=loop))])
    robot = Robot("arm", [Link("arm", mass=1, com=(0.3, 0, 0))], [Drive("arm", Motor(1e-4), gear)])
    assert [law.name for law in gw.laws(robot)] == ["arm.spring1", "arm.spring2.hysteresis"]
