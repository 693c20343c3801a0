"""Names, order and indices of the flat machine, as design fixes them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gearwright as gw

COMMON = {"mass": 1, "com": (0.1, 0.02, 0.03), "inertia": 0.1 * np.eye(3)}


def machine() -> gw.Mechanism:
    bodies = [
        gw.Body("trunk", joint="free", joint_name="float", **COMMON),
        gw.Body("hip", "trunk", joint="spherical", **COMMON),
        gw.Body("bracket", "hip", joint="fixed"),
        gw.Body("leg", "bracket", joint_name="knee", **COMMON),
        gw.Body("rod", "trunk", axis=(0, 1, 0), follows=("knee", -2.0, 0.3), **COMMON),
        gw.Body("foot", "leg", joint="prismatic", axis=(1, 0, 0), follows=("rod", 0.5, 0.1), **COMMON),
    ]
    spins = [gw.Spin("rotor", "hip", (0, 0, 1), 1e-4, {"motor": 30.0})]
    frames = [gw.BodyFrame("sole", "foot", rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]], position=(0.1, 0.2, 0.3))]
    spring = gw.Spring("k", {"knee": 1, "motor": -1}, 100.0)
    return gw.Mechanism(bodies, spins, ["motor"], [spring], frames=frames)


def test_speeds_and_coordinates():
    mech = machine()
    free = ["vx", "vy", "vz", "wx", "wy", "wz"]
    assert mech.speeds == (*(f"float.{x}" for x in free), "hip.wx", "hip.wy", "hip.wz", "knee", "motor")
    places = ["x", "y", "z", "qw", "qx", "qy", "qz"]
    quaternion = ["hip.qw", "hip.qx", "hip.qy", "hip.qz"]
    assert mech.coordinates == (*(f"float.{x}" for x in places), *quaternion, "knee", "motor")
    assert (mech.n, mech.nq) == (11, 13)
    assert gw.neutral(mech).tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_names_of_joints_of_several_speeds():
    bodies = [
        gw.Body("cart", joint="planar", **COMMON),
        gw.Body("nut", "cart", joint="helical", pitch=0.01, joint_name="screw", **COMMON),
        gw.Body("disc", "nut", joint="universal", axis2=(0, 1, 0), joint_name="cross", **COMMON),
    ]
    mech = gw.Mechanism(bodies, springs=[gw.Spring("k", {"screw": 1, "cross.angle2": -1}, 10.0)])
    assert mech.speeds == ("cart.vx", "cart.vy", "cart.wz", "screw", "cross.angle1", "cross.angle2")
    assert mech.coordinates == ("cart.x", "cart.y", "cart.angle", "screw", "cross.angle1", "cross.angle2")
    assert mech.layout.units == ("m", "m", "rad", "rad", "rad", "rad")
    assert (mech.n, mech.nq, mech.speeds_are_rates) == (6, 6, False)


def test_a_nut_slides_by_its_pitch():
    mech = gw.Mechanism([gw.Body("nut", joint="helical", axis=(0, 1, 0), pitch=0.02, **COMMON)])
    assert gw.placement(mech, [3.0], "nut").position == pytest.approx([0, 0.06, 0])
    weightless = gw.Mechanism([gw.Body("nut", joint="helical", pitch=0.02, mass=2)])
    assert gw.mass_matrix(weightless, [0.3])[0, 0] == pytest.approx(2 * 0.02**2)
    assert gw.gravity(weightless, [0.3])[0] == pytest.approx(2 * 9.81 * 0.02)


def test_a_cross_turns_about_its_first_axis_then_its_second():
    mech = gw.Mechanism([gw.Body("disc", joint="universal", axis=(1, 0, 0), axis2=(0, 1, 0), **COMMON)])
    (ca, cb), (sa, sb) = np.cos([0.4, 0.9]), np.sin([0.4, 0.9])
    first = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    second = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    assert gw.placement(mech, [0.4, 0.9], "disc").rotation == pytest.approx(first @ second, abs=1e-15)


def test_names_and_indices_mean_the_same():
    mech = machine()
    q = gw.integrate(mech, gw.neutral(mech), np.linspace(-1, 1, mech.n))
    for i, body in enumerate(mech.bodies):
        assert gw.jacobian(mech, q, i) == pytest.approx(gw.jacobian(mech, q, body.name), abs=0)
    by_name = gw.bias(mech, q, np.ones(mech.n), {"leg": np.arange(6.0)})
    assert gw.bias(mech, q, np.ones(mech.n), {3: np.arange(6.0)}) == pytest.approx(by_name, abs=0)
    assert [body.parent for body in mech.bodies] == [-1, 0, 1, 2, 0, 3]
    assert mech.spins[0].carrier == 1


def test_rows_by_name_or_in_order():
    mech = machine()
    row = [0.0] * 10 + [30.0]
    assert mech.spins[0].ratio == tuple(row)
    again = gw.Mechanism(mech.bodies, [gw.Spin("rotor", 1, (0, 0, 1), 1e-4, row)], ["motor"], mech.springs)
    assert gw.mass_matrix(again, gw.neutral(mech)) == pytest.approx(gw.mass_matrix(mech, gw.neutral(mech)), abs=0)


def test_a_follower_of_a_follower():
    """foot = 0.5 (-2 knee + 0.3) + 0.1."""
    mech = machine()
    q = gw.neutral(mech)
    q[mech.coordinates.index("knee")] = 0.4
    bare = gw.placement(mech, q, "leg")
    foot = gw.placement(mech, q, "foot")
    slide = bare.rotation.T @ (foot.position - bare.position)
    assert slide == pytest.approx([0.5 * (-2 * 0.4 + 0.3) + 0.1, 0, 0])
    column = gw.jacobian(mech, q, "foot")[:, mech.speeds.index("knee")]
    turning = gw.jacobian(mech, q, "leg", slide)[:, mech.speeds.index("knee")]
    assert column - turning == pytest.approx([*(bare.rotation[:, 0] * -1.0), 0, 0, 0])


def test_frames_are_places_on_bodies():
    mech = machine()
    q = gw.integrate(mech, gw.neutral(mech), np.linspace(-1, 1, mech.n))
    foot, sole = gw.placement(mech, q, "foot"), gw.placement(mech, q, "sole")
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert sole.rotation == pytest.approx(foot.rotation @ turn)
    assert sole.position == pytest.approx(foot.rotation @ [0.1, 0.2, 0.3] + foot.position)
    point = np.array([0.3, -0.1, 0.2])
    on_body = turn @ point + [0.1, 0.2, 0.3]
    assert gw.jacobian(mech, q, "sole", point) == pytest.approx(gw.jacobian(mech, q, "foot", on_body))
    v = np.linspace(1, -1, mech.n)
    rates = gw.jacobian_rate(mech, q, v, "sole", point), gw.jacobian_rate(mech, q, v, "foot", on_body)
    assert rates[0] == pytest.approx(rates[1])


def test_a_quaternion_of_any_length_is_a_rotation():
    mech = machine()
    q = gw.integrate(mech, gw.neutral(mech), np.linspace(-1, 1, mech.n))
    longer = q.copy()
    longer[3:7] *= -3.7
    longer[7:11] *= 0.2
    v = np.linspace(1, -1, mech.n)
    assert gw.bias(mech, longer, v) == pytest.approx(gw.bias(mech, q, v), rel=1e-12)
    assert gw.difference(mech, longer, q) == pytest.approx(np.zeros(mech.n), abs=1e-12)


def test_aliases_for_people_from_elsewhere():
    from gearwright.functions import aliases

    assert aliases.rnea is gw.inverse_dynamics
    assert aliases.crba is gw.mass_matrix
    assert aliases.aba is gw.forward_dynamics


@pytest.mark.parametrize(
    ("name", "answer"), [("Robot", "gearwright.parts.Robot"), ("fk", "gearwright.placement"), ("nonsense", None)]
)
def test_a_missing_name_is_answered_with_the_name_here(name, answer):
    with pytest.raises(AttributeError, match=repr(name)) as caught:
        getattr(gw, name)
    assert re.findall(r"gearwright\.[\w.]+\w", str(caught.value)) == ([answer] if answer else [])


def test_a_machine_is_a_value():
    assert machine() == machine()
    assert hash(machine()) == hash(machine())
    with pytest.raises(AttributeError):
        machine().gravity = (0, 0, 0)
