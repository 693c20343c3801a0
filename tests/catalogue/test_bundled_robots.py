"""Every bundled robot loads, says what it is and where it comes from, and is what its name promises."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra import Tensor, Vec
from gearwright.catalogue import load, motors, robots
from gearwright.catalogue.loading import bundled_files
from gearwright.errors import FileError, InputError
from gearwright.files import check

NAMES = {
    *("elbow", "manutec_r3", "puma560", "ur5_like", "panda_like", "panda_like_calibrated", "humanoid_30"),
    *("mini_cheetah_leg", "mini_cheetah", "scara", "vector_arm"),
    *("elastic_elbow", "harmonic_6", "sea_leg", "manutec_r3_full"),
}


@pytest.mark.parametrize("name", robots())
def test_it_loads_without_problems_and_moves(name):
    assert check(bundled_files()[name]) == []
    mech = gw.assemble(load(name))
    q = gw.integrate(mech, gw.neutral(mech), np.linspace(0.3, 0.9, mech.n))
    assert np.linalg.eigvalsh(gw.mass_matrix(mech, q)).min() > 0


@pytest.mark.parametrize("name", robots())
def test_it_states_its_sources(name):
    text = bundled_files()[name].read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert robots()[name]
    assert load(name).name == name


def test_the_promised_robots_are_there():
    assert set(robots()) >= NAMES


def test_unknown_names_say_what_to_do():
    with pytest.raises(FileError, match="'elbow'"):
        load("elbo")
    with pytest.raises(InputError, match="name_or_path=3"):
        load(3)


def test_every_motor_of_the_table_can_be_used():
    from gearwright.files import read_yaml

    for name, line in motors().items():
        robot = read_yaml(f"""
robot: one
links: [{{name: rod, parent: base, joint: {{axis: [0, 0, 1]}}, mass: 1, com: [0.1, 0, 0]}}]
drives: [{{joint: rod, motor: {{catalogue: {name}}}, gear: {{ratio: 50}}}}]
""")
        assert robot.drives[0].motor.inertia > 0
        assert robot.drives[0].motor.catalogue == name
        assert line


@pytest.mark.parametrize("name", ["ur5_like", "panda_like", "panda_like_calibrated"])
def test_the_like_arms_are_in_general_position(name):
    robot = load(name)
    for link in robot.links:
        assert all(Tensor.from_rows(link.inertia)), link.name
    for drive in robot.drives:
        assert all(drive.axis), drive.title
        assert 50 <= drive.gear.ratio <= 160


def test_the_calibrated_arm_has_no_convenient_zero():
    for link in load("panda_like_calibrated").links:
        numbers = [
            *Vec.from_values(link.joint.axis),
            *Vec.from_values(link.joint.position),
            *(x for r in link.joint.rotation.rows() for x in r),
        ]
        assert all(abs(x) > 1e-6 and abs(abs(x) - 1) > 1e-9 for x in numbers), link.name


def test_the_humanoid_has_its_thirty_joints():
    robot = load("humanoid_30")
    mech = gw.assemble(robot)
    assert mech.n == 30 == len(mech.spins)
    children = {link.name: [k.name for k in robot.links if k.parent == link.name] for link in robot.links}
    assert len(children["torso"]) == 3
    assert len([link for link in robot.links if link.parent == "base"]) == 3


def test_the_mini_cheetah_floats():
    mech = gw.assemble(load("mini_cheetah"))
    assert (mech.n, mech.nq, len(mech.spins)) == (18, 19, 12)


def test_the_scara_lifts_with_a_ball_screw():
    mech = gw.assemble(load("scara"))
    lift = load("scara").drive("lift")
    assert lift.gear.ratio == pytest.approx(2 * np.pi / 0.02)
    # Holding the quill and the tool (1.25 kg) against gravity.
    assert gw.gravity(mech, np.zeros(4))[2] == pytest.approx(1.25 * 9.81)
