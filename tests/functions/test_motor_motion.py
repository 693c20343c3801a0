"""Inverse dynamics of elastic machines: forward dynamics gives the motion back, and it is one motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gearwright as gw
from gearwright.errors import InputError
from support.compare import STEPS, rate, relative
from support.elastic_arms import elastic, elastic_elbow, path, random_elastic, turntable

FEW = settings(max_examples=15, deadline=None)


def followed(mech: gw.Mechanism, t: np.ndarray, seed: int = 0):
    """The motor motion along a smooth path of the joints."""
    joints = mech.n - len(mech.shafts)
    order = max(gw.elastic.required_derivative_orders(mech).values())
    motion = path(t, joints, order, seed)
    return gw.motor_motion(mech, *motion[:5], derivatives=motion[5:])


def assert_exact(mech: gw.Mechanism, seed: int = 0) -> None:
    """Forward dynamics returns the accelerations; speeds and accelerations are the rates of positions and speeds."""
    here = followed(mech, np.array(0.3), seed)
    assert relative(gw.forward_dynamics(mech, here.q, here.v, here.tau), here.a) < 1e-8
    near = followed(mech, 0.3 + STEPS, seed)
    assert relative(rate(near.q), here.v) < 1e-8
    assert relative(rate(near.v), here.a) < 1e-8


@pytest.mark.parametrize("name", ["elbow", "panda_like", "scara"])
def test_bundled_arms(name):
    mech = gw.assemble(elastic(name, 9000.0))
    assert_exact(mech)
    here = followed(mech, np.array(0.3))
    joints = mech.n - len(mech.shafts)
    assert not here.tau[:joints].any(), "no motor acts on a link"
    assert relative(gw.inverse_dynamics(mech, here.q, here.v, here.a), here.tau) < 1e-10


@FEW
@given(st.integers(0, 2**31), st.lists(st.sampled_from(["revolute", "prismatic"]), min_size=1, max_size=4))
def test_random_machines(seed, kinds):
    """Motors on the link before their joint, axes anywhere."""
    assert_exact(random_elastic(seed, kinds), seed)


def test_which_derivatives_are_needed():
    """A chain with rotors in general position takes 2 (n + 1); the elbow less, for two of its couplings vanish."""
    assert list(gw.elastic.required_derivative_orders(gw.assemble(elastic("panda_like", 1e4))).values()) == [
        16,
        14,
        12,
        10,
        8,
        6,
        4,
    ]
    elbow = gw.assemble(elastic_elbow())
    assert gw.elastic.required_derivative_orders(elbow) == {"j1.motor": 7, "j2.motor": 5, "j3.motor": 4}
    assert set(gw.elastic.required_derivative_orders(gw.approximate(elbow, "spong")).values()) == {4}


def test_the_derivatives_named_are_needed_and_no_others():
    """The highest one moves the motor that it is named for and none beyond it."""
    mech = gw.assemble(elastic_elbow())
    motion = path(np.array(0.3), 3, 7)
    exact = gw.motor_motion(mech, *motion[:5], derivatives=motion[5:])
    other = gw.motor_motion(mech, *motion[:5], derivatives=[*motion[5:7], motion[7] + 1e12])
    moved = np.abs(other.a - exact.a) > 1e-9
    assert moved.tolist() == [False, False, False, True, False, False]


def test_published_pendulum_formula():
    """One joint: theta = q + (J a + m g l cos q)/K and its derivatives by hand."""
    J, K, rotor, m, length, g = 0.6, 800.0, 1.0, 2.0, 0.5, 9.81
    link = gw.parts.Link("arm", mass=m, com=(length, 0, 0), inertia=np.diag([0, J - m * length**2, 0.1]))
    joint = replace(link.joint, axis=(0, -1, 0))
    drive = gw.parts.Drive("arm", gw.parts.Motor(inertia=1e-4), gw.parts.Gear(ratio=100, stiffness=K))
    mech = gw.assemble(gw.parts.Robot("pendulum", [replace(link, joint=joint)], [drive]))
    q, v, a, jerk, snap = 0.4, 1.3, -2.0, 5.0, 40.0
    w = m * g * length
    theta = q + (J * a + w * np.cos(q)) / K
    theta_a = a + (J * snap - w * (np.sin(q) * a + np.cos(q) * v**2)) / K
    found = gw.motor_motion(mech, [q], [v], [a], [jerk], [snap])
    assert found.q[1] == pytest.approx(theta, rel=1e-14)
    assert found.v[1] == pytest.approx(v + (J * jerk - w * np.sin(q) * v) / K, rel=1e-14)
    assert found.a[1] == pytest.approx(theta_a, rel=1e-13)
    assert found.tau[1] == pytest.approx(rotor * theta_a + J * a + w * np.cos(q), rel=1e-13)


def test_stiff_gears_give_the_rigid_torques():
    """The motor torques of ever stiffer gears converge to those of the rigid arm like 1/K."""
    errors = []
    for factor in (1e2, 1e3, 1e4):
        mech = gw.assemble(elastic("elbow", 1e4 * factor))
        found = followed(mech, np.linspace(0, 1, 5))
        q, v, a = path(np.linspace(0, 1, 5), 3, 2)
        rigid = gw.inverse_dynamics(gw.approximate(mech, "rigid"), q, v, a)
        errors.append(np.abs(found.tau[:, 3:] - rigid).max())
    assert 9 < errors[0] / errors[1] < 11
    assert 9 < errors[1] / errors[2] < 11


@pytest.mark.parametrize("name", ["harmonic_6", "manutec_r3_full"])
def test_dampers_of_bundled_arms(name):
    """With dampers: the torque fits the state exactly, and the state moves as one once the transient has died out."""
    mech = gw.assemble(gw.load(name))
    assert any(spring.damping for spring in mech.springs)
    assert_exact(mech)


def test_damped_pendulum_without_gravity():
    """J a = K (th - q) + d (th' - q'): theta is the steady answer of a first-order lag, exactly, for a sine."""
    w, K, d, J, size = 1.7, 800.0, 40.0, 1.0, 0.3
    mech = turntable(2.0, J, K, d)
    angle = w * 0.4
    motion = [np.array([size * w**k * np.sin(angle + k * np.pi / 2)]) for k in range(25)]
    lag = 1 - J * w**2 / (K + 1j * w * d)  # theta = q (1 + J s^2 / (K + d s)) at s = i w
    found = gw.motor_motion(mech, *motion[:5], derivatives=motion[5:])
    for k, series in enumerate((found.q, found.v, found.a)):
        assert series[1] == pytest.approx((lag * size * (1j * w) ** k * np.exp(1j * angle)).imag, rel=1e-12)


def test_more_derivatives_make_what_dampers_leave_more_exact():
    """Each further one by about D/K times the rate of the motion."""
    mech = turntable(2.0, 1.0, 800.0, 100.0)
    motion = [np.array([np.sin(0.5 + k * np.pi / 2)]) for k in range(25)]
    exact = gw.motor_motion(mech, *motion[:5], derivatives=motion[5:]).a[1]
    errors = [abs(gw.motor_motion(mech, *motion[:5], derivatives=motion[5:n]).a[1] - exact) for n in (9, 11, 13)]
    assert 20 < errors[0] / errors[1] < 200
    assert 20 < errors[1] / errors[2] < 200


def two_stages() -> gw.Mechanism:
    """Motor, spring, a wheel, spring, link; and a second joint with a rigid drive."""
    bodies = [
        gw.Body("upper", mass=3, com=(0.2, 0, 0), inertia=np.diag([0.02, 0.05, 0.05]), axis=(0, -1, 0)),
        gw.Body("fore", 0, mass=2, com=(0.1, 0.05, 0), inertia=np.diag([0.01, 0.03, 0.03]), position=(0.4, 0, 0)),
    ]
    spins = [
        gw.Spin("rotor", "base", (0, 1, 0), 1e-4, {"upper.motor": 100}),
        gw.Spin("wheel", "base", (0, 1, 0), 2e-3, {"upper.stage1": 10}),
        gw.Spin("second", "upper", (0, 0.6, 0.8), 1e-4, {"fore": 50}),
    ]
    springs = [
        gw.Spring("fine", {"upper.motor": 1, "upper.stage1": -1}, 20_000.0),
        gw.Spring("coarse", {"upper.stage1": 1, "upper": -1}, 6_000.0),
    ]
    motors = [gw.Actuator("m1", {"upper.motor": 100}), gw.Actuator("m2", {"fore": 50})]
    return gw.Mechanism(bodies, spins, ("upper.motor", "upper.stage1"), springs, motors)


def test_several_springs_in_a_row_take_two_derivatives_each():
    mech = two_stages()
    assert gw.elastic.required_derivative_orders(mech) == {"upper.motor": 6, "upper.stage1": 4}
    assert_exact(mech)
    here = followed(mech, np.array(0.3))
    assert (here.tau != 0).tolist() == [False, True, True, False]
    assert gw.actuator_torques(mech, here.tau).shape == (2,)


def test_springs_that_share_joints_are_solved_together():
    """Two motors behind a differential: each spring ties one shaft to both joints."""
    bodies = two_stages().bodies
    spins = [gw.Spin(f"r{k}", "base", (0, 1, 0), 1e-3, {f"m{k}": 1.0}) for k in (0, 1)]
    springs = [
        gw.Spring("k0", {"upper": 50, "fore": 40, "m0": -1}, 2.0),
        gw.Spring("k1", {"upper": 50, "fore": -40, "m1": -1}, 3.0),
    ]
    motors = [gw.Actuator(f"m{k}", {f"m{k}": 1.0}) for k in (0, 1)]
    assert_exact(gw.Mechanism(bodies, spins, ("m0", "m1"), springs, motors))


def test_batches_broadcast_and_equal_their_single_states():
    mech = gw.assemble(elastic_elbow())
    motion = path(np.linspace(0, 1, 6).reshape(2, 3), 3, 7)
    batch = gw.motor_motion(mech, *motion[:5], derivatives=motion[5:])
    single = [x[1, 2] for x in motion]
    one = gw.motor_motion(mech, *single[:5], derivatives=single[5:])
    assert batch.tau.shape == (2, 3, 6)
    for many, alone in zip(batch, one, strict=True):
        assert relative(many[1, 2], alone) < 1e-12


def wheel_beyond() -> gw.Mechanism:
    """A motor carried by the link that it drives."""
    body = gw.Body("arm", mass=3, com=(0.2, 0, 0), inertia=np.diag([0.02, 0.05, 0.05]))
    spin = gw.Spin("rotor", "arm", (0, 0, 1), 1e-4, {"arm.motor": 50})
    spring = gw.Spring("k", {"arm": 1, "arm.motor": -1}, 900.0)
    return gw.Mechanism([body], [spin], ("arm.motor",), [spring], [gw.Actuator("m", {"arm.motor": 50})])


def test_what_cannot_be_solved_is_said_in_words():
    still = [np.zeros(3)] * 5
    elbow = gw.assemble(elastic_elbow())
    with pytest.raises(InputError, match=r"j1\.motor .*7th.* j2\.motor .*5th.*'spong'"):
        gw.motor_motion(elbow, *still)
    with pytest.raises(InputError, match=r"j1\.motor .*11th.*approximate\(mech, 'undamped'\)"):
        gw.motor_motion(gw.assemble(elastic_elbow(damping=2.0)), *still)
    with pytest.raises(InputError, match=r"motor_motion: .*inverse_dynamics"):
        gw.motor_motion(gw.assemble(gw.load("elbow")), *still)
    with pytest.raises(InputError, match=r"jerk .*\(2,\).*\b3\b.*\(j1, j2, j3\)"):
        gw.motor_motion(gw.approximate(elbow, "spong"), *still[:3], np.zeros(2), still[4])
    with pytest.raises(InputError, match=r"'arm\.motor' .*'arm'.*'spong'"):
        gw.motor_motion(wheel_beyond(), *[np.zeros(1)] * 5)
    with pytest.raises(InputError, match=r"'upper\.motor'.*stiffness"):
        gw.motor_motion(replace(two_stages(), springs=two_stages().springs[1:]), *[np.zeros(2)] * 5)
    with pytest.raises(InputError, match="mech='elastic_elbow'"):
        gw.motor_motion("elastic_elbow", *still)


def test_the_way_out_of_each_refusal_works():
    still = [np.zeros(3)] * 5
    gw.motor_motion(gw.approximate(gw.assemble(elastic_elbow()), "spong"), *still)
    assert_exact(gw.approximate(gw.assemble(elastic_elbow(damping=2.0)), "undamped"))
    assert_exact(gw.approximate(wheel_beyond(), "spong"))
