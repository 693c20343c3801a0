"""Constrained motion and impact: the planar arm of the reference numbers, and laws."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, SingularityError

Q, BEFORE = np.array([0.6, 0.9]), np.array([-1.2, -0.8])
WALL = np.array([[0.68131923, 0.39899799]])


def planar_arm():
    """Lengths .5, .4; rotor 1 on the base, rotor 2 on link 1 at .1, axes parallel; gravity along -y."""
    parts = gw.parts
    links = [
        parts.Link("one", joint=parts.Joint("j1"), mass=4, com=(0.25, 0, 0), inertia=np.diag([0.0, 0.09, 0.09])),
        parts.Link(
            "two",
            "one",
            parts.Joint("j2", position=(0.5, 0, 0)),
            mass=3,
            com=(0.2, 0, 0),
            inertia=np.diag([0.0, 0.05, 0.05]),
        ),
    ]
    drives = [
        parts.Drive("j1", parts.Motor(1e-4), parts.Gear(100)),
        parts.Drive("j2", parts.Motor(8e-5, mass=0.5, position=(0.1, 0, 0)), parts.Gear(80), mounted_on="one"),
    ]
    return gw.assemble(parts.Robot("planar", links, drives, gravity=(0, -9.81, 0)))


def test_mass_matrix_is_the_printed_one():
    expected = [[2.63804598, 0.36288299], [0.36288299, 0.682]]
    np.testing.assert_allclose(gw.mass_matrix(planar_arm(), Q), expected, atol=1e-8)


def test_plastic_impact_has_the_printed_speeds_impulse_and_loss():
    mech = planar_arm()
    after, impulse = gw.impact(mech, Q, BEFORE, WALL)
    np.testing.assert_allclose(after, [-0.52570242, 0.89767662], atol=1e-7)
    np.testing.assert_allclose(impulse, 3.51507174, atol=1e-7)
    lost = gw.kinetic_energy(mech, Q, BEFORE) - gw.kinetic_energy(mech, Q, after)
    assert lost == pytest.approx(1.99793422, abs=1e-7)


def test_impact_against_a_movable_base_has_the_printed_speeds():
    after, impulse = gw.impact(planar_arm(), Q, BEFORE, WALL, against=gw.contact.StruckBody(mass=2.0))
    np.testing.assert_allclose(after, [-0.9351607, -0.13321502], atol=1e-7)
    np.testing.assert_allclose(impulse, 1.38059099, atol=1e-7)


def test_constrained_motion_right_after_has_the_printed_accelerations_and_force():
    mech = planar_arm()
    v = gw.impact(mech, Q, BEFORE, WALL).v_after
    tau = gw.gravity(mech, Q) + np.array([-5.0, -2.0])
    np.testing.assert_allclose(tau, [16.06254224, -1.58364083], atol=1e-7)
    rate = gw.jacobian_rate(mech, Q, v, "two", (0.4, 0, 0))[:1]
    a, force = gw.constrained_dynamics(mech, Q, v, tau, WALL, -(rate @ v))
    np.testing.assert_allclose(a, [-0.51468028, 0.58321203], atol=1e-6)
    np.testing.assert_allclose(force, 5.70410552, atol=1e-6)


def test_an_elastic_impact_keeps_the_energy_and_batches_are_singles():
    mech = planar_arm()
    rng = np.random.default_rng(3)
    q, v, J = rng.normal(size=(5, 2)), rng.normal(size=(5, 2)), rng.normal(size=(5, 1, 2))
    after, _ = gw.impact(mech, q, v, J, restitution=1.0)
    np.testing.assert_allclose(gw.kinetic_energy(mech, q, after), gw.kinetic_energy(mech, q, v), rtol=1e-12)
    alone = [gw.impact(mech, q[k], v[k], J[k], restitution=1.0).v_after for k in range(5)]
    np.testing.assert_allclose(after, alone, rtol=1e-12)


def test_dependent_rows_and_impossible_restitution_are_refused():
    mech = planar_arm()
    with pytest.raises(SingularityError, match=r"constrained_dynamics: .*\bJ\b"):
        gw.constrained_dynamics(mech, Q, BEFORE, [0, 0], [[1, 0], [2, 0]], [0, 0])
    for row in ([0.0, 0.0], [1e-17, -3e-16]):  # rounding would act as a constraint
        with pytest.raises(SingularityError, match=r"impact: row 1 of J"):
            gw.impact(mech, Q, BEFORE, [[1.0, 0.5], row])
        with pytest.raises(SingularityError, match=r"constrained_dynamics: row 0 of J"):
            gw.constrained_dynamics(mech, Q, BEFORE, [0, 0], [row], [0])
    with pytest.raises(InputError, match=r"restitution=1\.5 .*\b0\b.*\b1\b"):
        gw.impact(mech, Q, BEFORE, WALL, restitution=1.5)
    with pytest.raises(InputError, match=r"\bJ .*\(2,\).*\(\.\.\., m, 2\)"):
        gw.impact(mech, Q, BEFORE, [1.0, 0.0])
