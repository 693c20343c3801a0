"""Drives whose axis points along the joint's or against it: the sign of a ratio that geometry fixes follows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import sympy

import gearwright as gw
from gearwright.errors import TrainError
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Drive,
    Gear,
    Gearwheel,
    Harmonic,
    Joint,
    KinematicError,
    Link,
    Member,
    Mesh,
    Motor,
    Planetary,
    Rack,
    Robot,
    Screw,
    Series,
    Shaft,
    Spur,
    Torsion,
    Train,
    Wolfrom,
    Worm,
)
from trains.arms import AXES, across, axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst
from trains.rolling import Motion, rolling

M = Member(1e-3, 0.1, 8e-4)
STAGE = {"sun": 40, "planet": 20, "ring": 80, "planets": 4, "radius": 0.06, "sun_member": M, "planet_member": M}
STAGE |= {"ring_member": M, "carrier_member": M}
CYCLOID = {"pins": 12, "discs": 3, "eccentricity": 0.02, "disc_member": M, "eccentric_member": M}
AXIS, PLACE = axis_in_parent("j3")
ACROSS = across(AXIS)
PARALLEL = {
    "spur": Spur(driver=20, driven=60, driver_member=M, driven_member=M),
    "internal": Spur(driver=20, driven=60, internal=True, driver_member=M),
    "idlers": Spur(driver=20, driven=60, idlers=(30, 25), idler_members=(M, M)),
    "belt": Belt(driver=0.02, driven=0.05, distance=0.3, line_density=0.4, towards=ACROSS[0], driver_member=M),
    "crossed": Belt(driver=0.02, driven=0.05, distance=0.3, line_density=0.4, towards=ACROSS[0], crossed=True),
    "ring held": Planetary(**STAGE),
    "carrier held": Planetary(**STAGE, held="carrier"),
    "sun held": Planetary(**STAGE, held="sun"),
    "one planet": Planetary(**{**STAGE, "planets": 1}, towards=(1, 0, 0)),
    "wolfrom": Wolfrom(
        sun=12, planet=24, ring=60, second_planet=21, second_ring=57, radius=0.05, sun_member=M, planet_member=M
    ),
    "harmonic": Harmonic(reduction=100, generator_member=M, flexspline_member=M),
    "cycloidal": Cycloidal(**CYCLOID),
    "held discs": Cycloidal(**CYCLOID, held="discs"),
    "rv": Cycloidal(**CYCLOID, sun=16, planet=32, radius=0.05, sun_member=M),
    "shaft": Shaft(input_member=M),
    "series": Series(stages=[Spur(driver=20, driven=60, driven_member=M), Planetary(**STAGE)]),
}
ELASTIC = {
    f"elastic {name}": replace(gear, stiffness=9000.0) for name, gear in PARALLEL.items() if name != "one planet"
}


def arm(gear, axis, **more):
    motor = Motor(3e-3, 0.4, 2e-3, position=tuple(PLACE))
    return gw.assemble(Robot("arm", chain(), [Drive("j3", motor, gear, axis=tuple(axis), **more)]))


@pytest.mark.parametrize("gear", [*PARALLEL.values(), *ELASTIC.values()], ids=[*PARALLEL, *ELASTIC])
def test_an_axis_written_backwards_is_the_same_machine(gear):
    """Only the motor's own count of its angle changes sign."""
    one, other = arm(gear, AXIS), arm(gear, -AXIS)
    np.testing.assert_allclose(gw.actuation.structure_matrix(other), -gw.actuation.structure_matrix(one))
    for q, v, a in states(one.n):
        assert worst(gw.mass_matrix(other, q), gw.mass_matrix(one, q)) < 1e-13
        assert worst(gw.inverse_dynamics(other, q, v, a), gw.inverse_dynamics(one, q, v, a)) < 1e-13


STATED = {
    "bare": Gear(-7.0, inertia=1e-4),
    "bevel": Bevel(driver=20, driven=50),
    "worm": Worm(wheel=30),
    "with a bevel": Series(stages=[Spur(driver=20, driven=60), Bevel(driver=20, driven=40)]),
}


@pytest.mark.parametrize("gear", STATED.values(), ids=STATED)
@pytest.mark.parametrize("way", [1, -1])
def test_a_stated_sign_stays(gear, way):
    assert gw.actuation.structure_matrix(arm(gear, way * AXIS))[2, 0] == gear.ratio


@pytest.mark.parametrize("gear", ELASTIC.values(), ids=ELASTIC)
@pytest.mark.parametrize("way", [1, -1])
def test_an_axis_at_an_angle_keeps_the_sign(gear, way):
    assert gw.actuation.structure_matrix(arm(gear, way * AXIS + 0.1 * ACROSS[0]))[3, 0] == gear.ratio


def wheels_on_the_drive(kind, axis, motion):
    """The motor's rate per unit of every speed, from radii and places: 20 mm on the motor, 60 mm on the joint."""
    k = motion.direction("l2", AXIS)
    e, centre = motion.direction("l2", axis), motion.place("l2", PLACE)
    out, along = across(k)
    if kind in ("spur", "internal"):
        motor = centre + (0.08 if kind == "spur" else 0.04) * out
        pitch = centre + 0.06 * out
        return rolling(motion.velocity("l3", pitch), motion.velocity("l2", pitch), e, motor, pitch, along)
    if kind in ("belt", "crossed"):  # the straight part moves as both rims do: on one side, or from side to side
        rim, side = centre + 0.05 * along, 1 if kind == "belt" else -1
        there = rolling(motion.velocity("l3", rim), motion.velocity("l2", rim), k, centre, rim, out)
        motor = centre + 0.3 * out
        start = motor + side * 0.02 * along
        speed = np.outer(there, np.cross(k, 0.05 * along))
        return rolling(speed, 0 * speed, e, motor, start, out)
    # Planetary: sun of 40 mm, planets of 20 mm on a circle of 60 mm, ring of 80 mm; "l2" holds one, "l3" is another.
    carrier, ring = {"ring held": ("l3", "l2"), "carrier held": ("l2", "l3")}[kind]
    planet, inner, outer = (centre + r * out for r in (0.06, 0.04, 0.08))
    own = rolling(motion.velocity(ring, outer), motion.velocity(carrier, outer), k, planet, outer, along)
    rim = motion.velocity(carrier, inner) + np.outer(own, np.cross(k, inner - planet))
    return rolling(rim, motion.velocity("l2", inner), e, centre, inner, along)


@pytest.mark.parametrize("kind", ["spur", "internal", "belt", "crossed", "ring held", "carrier held"])
@pytest.mark.parametrize("joint_way", [1, -1])
@pytest.mark.parametrize("way", [1, -1])
def test_wheels_roll_without_slip(kind, joint_way, way):
    """Velocities at the pitch points of a moving arm give the motor's row, whichever way the two axes point."""
    links = chain()
    links[2] = replace(links[2], joint=replace(links[2].joint, axis=tuple(joint_way * np.array(AXES["j3"]))))
    motor = Motor(3e-3, 0.4, 2e-3, position=tuple(PLACE))
    drive = Drive("j3", motor, PARALLEL[kind], axis=tuple(way * AXIS))
    mech = gw.assemble(Robot("arm", links, [drive]))
    row = wheels_on_the_drive(kind, way * AXIS, Motion(links, [0.4, -0.2, 0.9]))
    assert gw.actuation.structure_matrix(mech)[:, 0] == pytest.approx(row, abs=1e-12)
    assert mech.spins[0].ratio == pytest.approx(row, abs=1e-12)


def test_a_backward_spur_drive_against_explicit_bodies():
    """External gears, axes opposite: the motor turns with the joint's sign."""
    mech, oracle = arm(PARALLEL["spur"], -AXIS), explicit_chain()
    oracle.wheel("rotor", "l2", {"j3": 3.0}, -AXIS, 3e-3, 2e-3, 0.4, PLACE)
    oracle.wheel("driver", "l2", {"j3": 3.0}, -AXIS, 1e-3, 8e-4, 0.1, PLACE)
    oracle.wheel("driven", "l2", {"j3": 1.0}, AXIS, 1e-3, 8e-4, 0.1, PLACE)
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


@pytest.mark.parametrize("way", [1, -1])
def test_a_motor_on_a_plate_welded_to_the_parent(way):
    """The plate sees the joint's axis through the weld."""
    turn = pin.exp3(np.array([0.4, -1.1, 0.7]))
    plate = Link("plate", "l2", Joint("weld", "fixed", rotation=turn))
    drive = Drive("j3", Motor(3e-3), Spur(driver=20, driven=60), "plate", tuple(way * turn.T @ AXIS))
    mech = gw.assemble(Robot("arm", [*chain(), plate], [drive]))
    assert gw.actuation.structure_matrix(mech)[2, 0] == -3.0 * way


def thread_height(hand, turned, lead):
    """Height at which the thread of a screw, turned about +z, passes the nut's mark at the azimuth 0."""
    climb = lead / (2 * np.pi) * (1 if hand == "right" else -1)  # a right-handed helix climbs as it turns about +z
    azimuth = lambda t: t + turned  # noqa: E731  the point t of the helix, carried round by the screw
    t = -turned
    assert azimuth(t) == 0
    return climb * t


@pytest.mark.parametrize("hand", ["right", "left"])
@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("mounted_on", ["base", "carriage"])
def test_a_nut_on_a_thread(hand, way, mounted_on):
    """The nut's mark stays on the thread: on a right-handed screw turning about +z it moves along -z."""
    lead = 0.01
    turn = pin.exp3(np.array([0.4, -1.1, 0.7]))
    slide = [Link("carriage", joint=Joint("x", "prismatic", (0, 0, 1), rotation=turn), mass=3.0)]
    axis = way * (turn @ np.array([0, 0, 1.0]) if mounted_on == "base" else np.array([0, 0, 1.0]))
    drive = Drive("x", Motor(2e-6), Screw(lead=lead, hand=hand), mounted_on, tuple(axis))
    mech = gw.assemble(Robot("slide", slide, [drive]))
    turned = 0.3  # of the motor about its own axis; about the joint's it is way * turned
    moved = turned / gw.actuation.structure_matrix(mech)[0, 0]
    thread = thread_height(hand, way * turned, lead)
    if mounted_on == "base":
        assert moved == pytest.approx(thread)  # the nut goes where the thread is
    else:
        assert moved + thread == pytest.approx(0)  # the screw travels, the nut stays
    if (hand, way, mounted_on) == ("right", 1, "base"):
        assert moved < 0


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("gear", [Rack(radius=0.02), Gear(40.0)], ids=["rack", "bare"])
def test_a_slide_by_a_stated_sign(gear, way):
    slide = [Link("carriage", joint=Joint("x", "prismatic", (0, 0, 1)), mass=3.0)]
    drive = Drive("x", Motor(2e-6), gear, axis=(0, 0, way))
    assert gw.actuation.structure_matrix(gw.assemble(Robot("slide", slide, [drive])))[0, 0] == gear.ratio


@pytest.mark.parametrize("way", [1, -1])
def test_errors_of_a_gear_follow_the_motor_angle(way):
    """e = A sin(n theta + phase) with the motor's angle about its own axis."""
    torsion = Torsion(errors=[KinematicError(1e-4, 2.0, "motor", 0.3)])
    gear = Spur(driver=20, driven=60, stiffness=9000.0, torsion=torsion)
    robot = Robot("arm", chain(), [Drive("j3", Motor(3e-3), gear, axis=tuple(way * AXIS))])
    mech = gw.assemble(robot)
    (law,) = elastic_laws(robot, mech)
    (ripple,) = law.twist.ripples
    q = np.array([0.2, -0.4, 0.5, 0.6])
    motor_angle = gw.actuation.structure_matrix(mech)[:, 0] @ q
    assert ripple.periods * ripple.line.position(q) == pytest.approx(2.0 * motor_angle)


def test_an_axis_that_is_a_symbol_fixes_no_sign():
    """Neither in a drive nor in a train; a stated ratio takes it."""
    x = sympy.Symbol("x")
    with pytest.raises(TrainError, match=r"'j3'.*symbolic"):
        arm(Spur(driver=20, driven=60), (x, 0, 1))
    assert arm(Gear(3.0), (x, 0, 1)).actuators[0].row[2] == 3.0
    wheel = Gearwheel("w", "l2", (x, 0, 1), 1e-3)
    with pytest.raises(TrainError, match=r"'w'-'l3'.*symbolic"):
        gw.assemble(Robot("arm", chain(), trains=[Train("t", [wheel], [Mesh("w", "l3", teeth=(20, 60))])]))
    assert gw.assemble(Robot("arm", chain(), trains=[Train("t", [wheel], [Mesh("w", "l3", ratio=3.0)])])).spins
