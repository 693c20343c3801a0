"""Springs between stages and on joints are unknowns of a fit, by their paths; friction by words counts as stated."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.identification.unknowns import knobs
from gearwright.parts import Joint, JointSpring, Link, Robot


def test_springs_of_every_stage_can_be_turned():
    robot = gw.load("sea_leg")
    found = {knob.path: knob for knob in knobs(robot)}
    assert found["ankle.gear.stages.0.stiffness"].value == 13000
    softer = found["ankle.gear.stages.1.stiffness"].put(robot, 500.0)
    assert [s.stiffness for s in gw.assemble(softer).springs][-2:] == [13000, 500]


def test_springs_of_joints_can_be_turned():
    robot = Robot("r", [Link("a", joint=Joint("j", spring=JointSpring(5.0, 0.1)), mass=1, com=(0.1, 0, 0))])
    found = {knob.path: knob.value for knob in knobs(robot)}
    assert found == {"j.spring.stiffness": 5.0, "j.spring.damping": 0.1}


def test_friction_by_words_counts_as_stated():
    from gearwright.identification.unknowns import _stated_friction

    robot = gw.load("manutec_r3_full")
    assert _stated_friction(robot, "joint4.viscous") == pytest.approx(9.8)
    assert _stated_friction(robot, "joint4.coulomb") == pytest.approx(21.8)
    assert _stated_friction(robot, "joint4.offset") == 0
