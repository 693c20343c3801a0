"""The motor space of linkages: ratios by closed form, by differences and by virtual work; polygons of limits."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

import gearwright as gw
from gearwright.actuation import motor_ratios, motor_space
from gearwright.errors import InputError, SingularityError
from support.parallel_ankle import ANKLE_JOINTS, ankle_machine, parallel_ankle


def ankle_posture(pitch: float, roll: float) -> np.ndarray:
    return ankle_machine().closed([pitch, roll])


def test_ratios_are_the_rates_of_the_motor_angles():
    """Differences of closed configurations, of eighth order."""
    ankle, mech, h = parallel_ankle(), ankle_machine(), 1e-2
    q = ankle_posture(0.15, -0.1)
    space = motor_space(ankle, q, ANKLE_JOINTS)
    coordinates = [mech.coordinates.index(name) for name in space.motors]
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    for k in range(2):
        rate = sum(
            w * (ankle_posture(*(np.array([0.15, -0.1]) + s * np.eye(2)[k] * h * i))[coordinates]) * s / h
            for i, w in weights.items()
            for s in (1, -1)
        )
        assert space.ratios[:, k] == pytest.approx(9.0 * rate, abs=1e-9)


def test_four_bar_ratio_by_freudenstein():
    """Crank angle a, rocker angle b: d/da of (l cos b + g - r cos a)^2 + (l sin b - r sin a)^2 = c^2."""
    from support.closed_machines import four_bar_robot

    r, c, rocker, g = 0.3, 0.7, 0.5, 0.8
    robot = four_bar_robot(r, c, rocker, g, ratio=50.0)
    mech = gw.assemble(robot, start=[0.7, -0.2, 1.5])
    start, tree = mech.reference, mech.tree
    space = motor_space(robot, start, ["rocker"])
    a, b = start[tree.speeds.index("crank")], start[tree.speeds.index("rocker")]
    x, y = rocker * cos(b) + g - r * cos(a), rocker * sin(b) - r * sin(a)
    crank_per_rocker = (x * rocker * sin(b) - y * rocker * cos(b)) / (x * r * sin(a) - y * r * cos(a))
    assert space.ratios == pytest.approx(50.0 * crank_per_rocker, rel=1e-11)


def test_torques_at_motors_and_joints_do_the_same_work():
    """Inverse dynamics in the motors' and in the joints' independent speeds differ by the ratios."""
    ankle, rng = parallel_ankle(), np.random.default_rng(3)
    q = ankle_posture(0.2, 0.1)
    by_motor = gw.assemble(ankle, independent=["left", "right"], start=q)
    by_joint = gw.assemble(ankle, independent=ANKLE_JOINTS, start=q)
    space = motor_space(ankle, q, ANKLE_JOINTS)
    v = rng.normal(size=2)
    at_motors = gw.mass_matrix(by_motor, q) / 81.0
    assert space.inertia == pytest.approx(space.ratios.T @ at_motors @ space.ratios, rel=1e-11)
    weight_at_motors = gw.gravity(by_motor, q) / 9.0
    assert space.joint_torques(weight_at_motors) == pytest.approx(gw.gravity(by_joint, q), rel=1e-11)
    assert space.motor_torques(gw.gravity(by_joint, q)) == pytest.approx(weight_at_motors, rel=1e-11)
    torque = rng.normal(size=2)
    assert space.joint_torques(torque) @ v == pytest.approx(torque @ space.motor_speeds(v), rel=1e-13)


def test_rotors_and_damping_are_reflected():
    space = motor_space(parallel_ankle(), ankle_posture(0.2, 0.1), ANKLE_JOINTS)
    T = space.ratios
    assert space.reflected_inertia == pytest.approx(6e-5 * T.T @ T, rel=1e-13)
    assert space.reflected_damping == pytest.approx(2e-5 * T.T @ T, rel=1e-13)
    light = parallel_ankle(rotor_inertia=0.0)
    without = motor_space(light, space.q, ANKLE_JOINTS).inertia
    assert space.inertia - without == pytest.approx(space.reflected_inertia, rel=1e-9)  # stators on the ground


def test_gains_at_the_motors_give_those_at_the_joints():
    space = motor_space(parallel_ankle(), ankle_posture(-0.1, 0.2), ANKLE_JOINTS)
    wanted = np.array([[80.0, 3.0], [3.0, 40.0]])
    gains = space.motor_gains(wanted)
    assert space.ratios.T @ gains @ space.ratios == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(InputError, match="joint_gains"):
        space.motor_gains([1.0, 2.0])


def test_polygons_are_what_the_motors_can_do():
    space = motor_space(parallel_ankle(), ankle_posture(0.2, 0.1), ANKLE_JOINTS)
    for corner in space.torque_polygon():
        assert np.abs(space.motor_torques(corner)) == pytest.approx(space.torque_limits, rel=1e-12)
    for corner in space.speed_polygon():
        assert np.abs(space.motor_speeds(corner)) == pytest.approx(space.speed_limits, rel=1e-9)
    assert len(space.torque_polygon()) == len(space.speed_polygon()) == 4


def test_three_motors_at_two_joints():
    """A zonotope and a polygon with six corners: the support in any direction is that of the motors."""
    rng = np.random.default_rng(8)
    space = motor_space(parallel_ankle(), ankle_posture(0.0, 0.0), ANKLE_JOINTS)
    from dataclasses import replace

    wide = replace(
        space, motors=("a", "b", "c"), ratios=rng.normal(size=(3, 2)),
        torque_limits=np.array([1.0, 2.0, 0.5]), speed_limits=np.array([10.0, 20.0, 5.0]),
    )  # fmt: skip
    corners, speeds = wide.torque_polygon(), wide.speed_polygon()
    assert len(corners) == 6
    for direction in rng.normal(size=(20, 2)):
        support = np.abs(wide.ratios @ direction) @ wide.torque_limits
        assert (corners @ direction).max() == pytest.approx(support, rel=1e-12)
    assert (np.abs(speeds @ wide.ratios.T) <= wide.speed_limits * (1 + 1e-9)).all()
    assert ((np.abs(speeds @ wide.ratios.T) > wide.speed_limits * (1 - 1e-9)).sum(axis=1) == 2).all()


def test_postures_in_a_batch_and_in_machine_code():
    ankle, mech = parallel_ankle(), ankle_machine()
    q = mech.closed(np.random.default_rng(2).uniform(-0.3, 0.3, (7, 2)))
    space = motor_space(ankle, q, ANKLE_JOINTS)
    single = [motor_space(ankle, x, ANKLE_JOINTS).ratios for x in q]
    assert space.ratios == pytest.approx(np.array(single), rel=1e-12)
    kernel = gw.compile(motor_ratios, mech)
    assert kernel(q) == pytest.approx(motor_ratios(mech, q), rel=1e-12)


def test_an_open_robot_has_its_structure_matrix():
    wrist = gw.load("wrist_puma")
    space = motor_space(wrist, [0.3, -0.2, 0.4])
    assert space.ratios == pytest.approx(gw.actuation.structure_matrix(wrist).T, rel=1e-13)


def test_bad_input_is_refused_by_name():
    ankle, q = parallel_ankle(), ankle_posture(0.0, 0.0)
    with pytest.raises(InputError, match="joints="):
        motor_space(ankle, q)
    with pytest.raises(gw.errors.GearwrightError, match="toes"):
        motor_space(ankle, q, ["toes"])
    with pytest.raises(InputError, match="middle"):
        motor_space(ankle, q, ANKLE_JOINTS, torque_limits={"middle": 1.0})
    unlimited = motor_space(parallel_ankle(max_torque=None), q, ANKLE_JOINTS)
    with pytest.raises(InputError, match="torque_limits"):
        unlimited.torque_polygon()
    with pytest.raises(InputError, match="posture"):
        motor_space(ankle, np.stack([q, q]), ANKLE_JOINTS).torque_polygon()


def test_sizes_and_limits_are_checked():
    ankle, q = parallel_ankle(), ankle_posture(0.0, 0.0)
    space = motor_space(ankle, q, ANKLE_JOINTS)
    for call in (space.motor_speeds, space.joint_torques, space.motor_torques):
        for value in (np.ones(5), [np.nan, 1.0], [1e308, 1.0], np.ma.masked_array([1.0, 1.0], [True, False])):
            with pytest.raises(InputError, match=call.__name__):
                call(value)
    for bad in (q[:2], [np.nan, *q[1:]], np.full(q.shape, 1e308), []):
        with pytest.raises(InputError, match="motor_space: q"):
            motor_space(ankle, bad, ANKLE_JOINTS)
    for limit in (-1.0, np.nan):
        with pytest.raises(InputError, match=space.motors[0]):
            motor_space(ankle, q, ANKLE_JOINTS, torque_limits={space.motors[0]: limit})


def test_a_dead_point_is_a_singularity():
    space = motor_space(parallel_ankle(), ankle_posture(0.0, 0.0), ANKLE_JOINTS)
    from dataclasses import replace

    stuck = replace(space, ratios=np.array([[9.0, 9.0], [9.0, 9.0]]))
    with pytest.raises(SingularityError, match="pitch"):
        stuck.motor_torques([1.0, 1.0])
