"""Springs between stages and on joints are unknowns of a fit, by their paths; friction by words counts as stated."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightWarning
from gearwright.identification.fit.friction import stated_friction
from gearwright.identification.fit.unknowns import fitted_numbers
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.parts import Drive, Joint, JointSpring, Link, Member, Motor, Robot, Series, Shaft, Spur


def test_springs_of_every_stage_can_be_turned():
    robot = gw.load("sea_leg")
    found = {number.parameter_path: number for number in fitted_numbers(robot)}
    assert found["ankle.gear.stages.0.stiffness"].value == 13000
    softer = found["ankle.gear.stages.1.stiffness"].with_value(robot, 500.0)
    assert [s.stiffness for s in gw.assemble(softer).springs][-2:] == [13000, 500]


def test_springs_of_joints_can_be_turned():
    robot = Robot("r", [Link("a", joint=Joint("j", spring=JointSpring(5.0, 0.1)), mass=1, com=(0.1, 0, 0))])
    found = {number.parameter_path: number.value for number in fitted_numbers(robot)}
    assert found == {"j.spring.stiffness": 5.0, "j.spring.damping": 0.1}


def test_friction_by_words_counts_as_stated():
    robot = gw.load("manutec_r3_full")
    model = TorqueModel(gw.assemble(robot))
    stated = {column.name: stated_friction(robot, model, column) for column in model.every_column}
    assert stated["joint4.viscous"] == pytest.approx(9.8)
    assert stated["joint4.coulomb"] == pytest.approx(21.8)
    assert stated["joint4.offset"] == 0


def swing() -> Robot:
    """An arm behind a gear pair and a shaft, both elastic, with a second arm that hangs on a passive spring."""
    lying = {"axis": (0, 1, 0)}
    arm = {"mass": 3.0, "com": (0.2, 0, 0), "inertia": np.diag([0.01, 0.05, 0.05])}
    links = [
        Link("upper", "base", Joint("a", **lying), **arm),
        Link("fore", "upper", Joint("b", position=(0.4, 0, 0), spring=JointSpring(40.0, 0.8), **lying), **arm),
    ]
    stages = [
        Spur(driver=20, driven=80, stiffness=600.0, damping=0.4),
        Shaft(stiffness=350.0, damping=0.2, input_member=Member(0.02)),
    ]
    return Robot("swing", links, [Drive("a", Motor(8e-3), Series(stages=stages))])


def test_stiffness_and_damping_are_found_from_a_simulated_log():
    """Of springs between stages, at a joint, and from positions and torques alone."""
    robot = swing()
    mech = gw.assemble(robot)
    motor = mech.speeds.index("a.motor")

    def shake(t, state):
        wanted = 0.4 * np.sin(3 * t) + 0.05 * np.sin(17 * t) + 0.02 * np.sin(41 * t)
        return {"tau.a.motor": 300 * (wanted - state.q[motor]) - 5 * state.v[motor]}

    run = gw.simulate(mech, until=4.0, controller=shake, samples=4001)
    assert np.abs(run["q.a"] - run["q.a.stage1"]).max() > 0.01
    log = gw.identification.Log(run.t, run.q, run.tau)
    with pytest.warns(GearwrightWarning, match="white"):  # without noise, what is left is the filter's own error
        found = gw.identify(robot, log, friction=(), cutoff=60.0)
    values = dict(zip(found.base.names, found.values, strict=True))
    true = {
        "a.spring1.stiffness": 600.0,
        "a.spring1.damping": 0.4,
        "a.spring2.stiffness": 350.0,
        "a.spring2.damping": 0.2,
        "b.passive_spring.stiffness": 40.0,
        "b.passive_spring.damping": 0.8,
    }
    assert {name: values[name] for name in true} == pytest.approx(true, rel=0.01)
