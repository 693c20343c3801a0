"""Where motors and gears are when nobody says so: on the joint they drive, against explicit bodies of Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import files

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import DriveError, FileError, InputError, TrainError
from gearwright.files import read_yaml
from gearwright.parts import (
    Belt,
    Drive,
    Gear,
    Gearwheel,
    Joint,
    Link,
    Member,
    Mesh,
    Motor,
    Planetary,
    Robot,
    Spur,
    Train,
    TrainMotor,
    parameter,
)
from trains.arms import axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst

AXIAL, MASS, ACROSS, STATOR, RATIO = 0.02, 0.8, 0.03, 1.7, 12.0
SUN = Member(0.01, 0.6, 0.02)


def agreement(robot: Robot, oracle) -> float:
    """Worst disagreement of mass matrix and torques."""
    mech, found = gw.assemble(robot), 0.0
    for q, v, a in states(mech.n):
        found = max(found, worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)))
        found = max(found, worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)))
    return found


def motor(**words) -> Motor:
    return Motor(AXIAL, MASS, ACROSS, **words)


def stand(oracle, carrier: str, at, mass: float) -> None:
    """A point mass at rest on a link."""
    oracle.add(f"stator on {carrier}", carrier, {}, position=at, mass=mass, inertia=np.zeros((3, 3)))


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("mounted_on", ["l2", "l3"])
def test_a_motor_sits_on_its_joint(mounted_on, across):
    """Rotor and stator at the joint's origin, on either of the joint's links, whatever the rotor's axis."""
    e, p = axis_in_parent("j3") if mounted_on == "l2" else (np.array((0.2, -0.5, 1.0)), np.zeros(3))
    axis = np.array([1.0, 0.4, -0.2]) if across else e
    oracle = explicit_chain()
    oracle.wheel("rotor", mounted_on, {"j3": RATIO}, axis, AXIAL, ACROSS, MASS, p)
    stand(oracle, mounted_on, p, STATOR)
    drive = Drive("j3", motor(stator_mass=STATOR), Gear(RATIO), mounted_on, axis=axis if across else None)
    assert agreement(Robot("arm", chain(), [drive]), oracle) < 1e-12


@pytest.mark.parametrize("stated", [None, (0.0, 0.0, 0.0), (0.1, -0.2, 0.3)])
def test_gear_members_stay_with_the_motor(stated):
    """The sun on the motor's axis is where the motor is; [0, 0, 0] is the link's origin, not the default."""
    e, p = axis_in_parent("j3")
    at = p if stated is None else np.array(stated)
    gear = Planetary(sun=18, planet=27, ring=72, sun_member=SUN)
    oracle = explicit_chain()
    oracle.wheel("rotor", "l2", {"j3": 5.0}, e, AXIAL, ACROSS, MASS, at)
    oracle.wheel("sun", "l2", {"j3": 5.0}, e, SUN.inertia, SUN.mean_transverse_inertia, SUN.mass, at)
    assert agreement(Robot("arm", chain(), [Drive("j3", motor(position=stated), gear)]), oracle) < 1e-12


def test_a_prismatic_joint_has_an_origin_too():
    links = chain()
    links[2] = replace(links[2], joint=replace(links[2].joint, kind="prismatic"))
    default = gw.assemble(Robot("arm", links, [Drive("j3", motor(), Gear(RATIO))]))
    place = links[2].joint.position
    stated = gw.assemble(Robot("arm", links, [Drive("j3", motor(position=place), Gear(RATIO))]))
    q = np.array([0.3, 0.2, 0.1])
    assert gw.mass_matrix(default, q) == pytest.approx(gw.mass_matrix(stated, q), rel=1e-14)


def test_by_hand():
    """0.5 kg at the elbow, 0.4 m out: 0.5 g 0.4 Nm at the shoulder. At the link's origin it would be 0."""
    links = [
        Link("upper", joint=Joint("shoulder", axis=(0, -1, 0)), inertia=np.eye(3)),
        Link("fore", "upper", Joint("elbow", axis=(0, -1, 0), position=(0.4, 0, 0)), inertia=np.eye(3)),
    ]
    for words in ({"mass": 0.5}, {"stator_mass": 0.5}, {"mass": 0.2, "motor_mass": 0.5}, {"motor_mass": 0.5}):
        mech = gw.assemble(Robot("arm", links, [Drive("elbow", Motor(**words), Gear(50))]))
        assert gw.gravity(mech, [0, 0]) == pytest.approx([0.5 * 9.81 * 0.4, 0])
        assert gw.mass_matrix(mech, [0, 0])[0, 0] == pytest.approx(2 + 0.5 * 0.4**2)
        there = gw.assemble(Robot("arm", links, [Drive("elbow", Motor(**words, position=(0, 0, 0)), Gear(50))]))
        assert gw.gravity(there, [0, 0]) == pytest.approx([0, 0])


@pytest.mark.parametrize("stated", [None, (0.0, 0.0, 0.0)])
def test_the_motor_of_a_train_sits_on_its_wheel(stated):
    place = np.array([0.1, 0.2, -0.1])
    e, _ = axis_in_parent("j3")
    wheels = [Gearwheel("w", "l2", tuple(e), 0.01, 0.3, 0.02, position=tuple(place))]
    motors = [TrainMotor("m", "w", motor=motor(stator_mass=STATOR, position=stated))]
    oracle = explicit_chain()
    oracle.wheel("w", "l2", {"j3": -3.0}, e, 0.01, 0.02, 0.3, place)
    at = place if stated is None else np.zeros(3)
    oracle.wheel("rotor", "l2", {"j3": -3.0}, e, AXIAL, ACROSS, MASS, at)
    stand(oracle, "l2", at, STATOR)
    train = Train("t", wheels, [Mesh("w", "l3", teeth=(20, 60))], motors)
    assert agreement(Robot("arm", chain(), trains=[train]), oracle) < 1e-12


def test_the_rotor_of_a_train_is_judged_from_its_wheel():
    """A centre of mass apart lies on the wheel's axis, wherever that is."""
    e, _ = axis_in_parent("j3")
    place = np.array([0.1, 0.2, -0.1])
    wheel = Gearwheel("w", "l2", tuple(e), 0.01, position=tuple(place))
    train = Train(
        "t", [wheel], [Mesh("w", "l3", teeth=(20, 60))], [TrainMotor("m", "w", motor=motor(com=place + 0.1 * e))]
    )
    spin = gw.assemble(Robot("arm", chain(), trains=[train])).spins[-1]
    assert tuple(spin.rest.position) == pytest.approx(place + 0.1 * e)


FAR = {"axis": (1.0, 0.0, 0.0), "mounted_on": "base"}
FAR_MASSES = {
    "rotor": Drive("j3", motor(), Gear(10.0), **FAR),
    "stator": Drive("j3", Motor(1e-3, motor_mass=2.0), Gear(10.0), **FAR),
    "driver": Drive("j3", Motor(1e-3), Spur(driver=20, driven=40, driver_member=Member(1e-3, 0.3)), **FAR),
}


@pytest.mark.parametrize("part", FAR_MASSES)
def test_a_mass_elsewhere_needs_a_place(part):
    """A carrier on neither side of the joint: no default makes sense, unless the link contains the mass already."""
    drive = FAR_MASSES[part]
    with pytest.raises(DriveError, match=rf"drive 'j3'.*{part}.* kg.*'base'"):
        gw.assemble(Robot("arm", chain(), [drive]))
    gw.assemble(Robot("arm", chain(), [replace(drive, motor=replace(drive.motor, position=(0, 0, 0.1)))]))
    gear = replace(drive.gear, driver_member=Member(1e-3, 0.3, included=True)) if part == "driver" else drive.gear
    gw.assemble(Robot("arm", chain(), [replace(drive, motor=replace(drive.motor, included=True), gear=gear)]))


def test_a_rotor_without_mass_needs_none():
    spin = gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(1e-3), Gear(10.0), **FAR)])).spins[0]
    assert spin.inertia == 1e-3


def test_a_belt_does_not_start_on_its_joint():
    belt = Belt(driver=0.02, driven=0.06, distance=0.3, line_density=0.5)
    with pytest.raises(TrainError, match=r"j3\.belt.*joint 'j3'.*`position`.*`towards`"):
        gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(1e-3), belt)]))
    gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(1e-3), replace(belt, towards=(1.0, 0.3, 0.2)))]))


def test_the_stator_on_another_link_sits_on_the_axis_between_them():
    """A point of the joint's axis belongs to both links; one apart from it moves in the stator's."""
    e, p = axis_in_parent("j3")
    on_axis = p + 0.07 * e / np.linalg.norm(e)
    wheel = Gearwheel("w", "l2", tuple(e), 0.01, position=tuple(p))

    def robot(at) -> Robot:
        fitted = TrainMotor("m", "w", "l3", motor(stator_mass=STATOR, position=tuple(at)))
        return Robot("arm", chain(), trains=[Train("t", [wheel], [Mesh("w", "l3", teeth=(20, 60))], [fitted])])

    oracle = explicit_chain()
    oracle.wheel("w", "l2", {"j3": -3.0}, e, 0.01, 0.005, 0.0, p)
    oracle.wheel("rotor", "l2", {"j3": -3.0}, e, AXIAL, ACROSS, MASS, on_axis)
    axis = np.array(chain()[2].joint.axis, dtype=float)
    stand(oracle, "l3", 0.07 * axis / np.linalg.norm(axis), STATOR)
    assert agreement(robot(on_axis), oracle) < 1e-12
    with pytest.raises(TrainError, match=rf"motor 'm'.*{STATOR} kg.*'l3'"):
        gw.assemble(robot(on_axis + np.array([0.01, 0.0, 0.0])))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"motor_mass": 1.0, "stator_mass": 0.4},
            r"motor_mass 1\.0 kg.*stator_mass 0\.4 kg",
        ),
        ({"motor_mass": 1.0, "mass": 1.2}, r"mass 1\.2 kg.*motor_mass 1\.0"),
        ({"stator_mass": -1.0}, r"stator_mass=-1\.0"),
        ({"motor_mass": float("nan")}, r"motor_mass=nan"),
    ],
)
def test_masses_that_contradict_each_other(words, message):
    with pytest.raises(DriveError, match=message):
        Motor(1e-4, **words)


ARM = """
robot: arm
links:
  - {name: upper, parent: base, joint: {name: shoulder, dh: {a: 0.4, alpha: 90 deg, d: 0.1}}, mass: 2}
  - {name: fore, parent: upper, joint: {name: elbow, dh: {a: 0.3, alpha: 0, d: 0.2}}, mass: 1}
drives:
  - joint: elbow
    motor: {inertia: 1e-4, MOTOR}
    gear: {ratio: 50}
"""


@pytest.mark.parametrize(
    ("words", "place", "rest", "rotor"),
    [
        ("mass: 0.5", (0.4, 0, 0.1), 0.0, 0.5),  # a DH frame is at the far end of its link: the elbow
        ("mass: 0.5, position: [0, 0, 0]", (0.4, 0, 0.1), 0.0, 0.5),
        ("mass: 0.5, position: [-0.4, 0, 0]", (0.0, 0, 0.1), 0.0, 0.5),
        ("mass: 200 g, motor_mass: 1.5 kg", (0.4, 0, 0.1), 1.3, 0.2),
        ("stator_mass: 1.5", (0.4, 0, 0.1), 1.5, 0.0),
        ("motor_mass: 1.5", (0.4, 0, 0.1), 1.5, 0.0),
    ],
)
def test_words_of_places_and_masses(words, place, rest, rotor, tmp_path):
    robot = read_yaml(ARM.replace("MOTOR", words))
    mech = gw.assemble(robot)
    assert mech.bodies[0].mass == pytest.approx(2 + rest + rotor)
    first = 2 * np.array([0.4, 0, 0.1]) + (rest + rotor) * np.array(place)
    assert np.array([*mech.bodies[0].com]) * (2 + rest + rotor) == pytest.approx(first, abs=1e-12)
    assert tuple(mech.spins[0].rest.position) == pytest.approx(place, abs=1e-12)
    gw.save(robot, tmp_path / "arm.yaml")
    back = gw.load(tmp_path / "arm.yaml")
    assert back == robot
    q = [0.3, 0.4]
    assert (gw.mass_matrix(gw.assemble(back), q) == gw.mass_matrix(mech, q)).all()


def test_a_file_that_states_two_masses_says_its_line():
    with pytest.raises(FileError, match=r"line 8.*motor_mass 1\.0 kg"):
        read_yaml(ARM.replace("MOTOR", "motor_mass: 1, stator_mass: 0.4"))


@pytest.mark.parametrize(("entry", "word"), [("motor_mass", "stator_mass"), ("stator_mass", "motor_mass")])
def test_a_file_may_weigh_a_catalogue_motor_otherwise(entry, word, monkeypatch):
    monkeypatch.setattr("gearwright.files.fields.drive.motor_entry", lambda _: {entry: "2 kg"})
    robot = read_yaml(ARM.replace("MOTOR", f"catalogue: some, {word}: 1.5 kg"))
    assert robot.drives[0].motor.mass_at_rest == 1.5


def test_a_place_that_is_not_stated_has_no_parameters():
    robot = read_yaml(ARM.replace("MOTOR", "stator_mass: 1.5"))
    assert parameter(robot, "elbow.motor.stator_mass") == 1.5
    with pytest.raises(InputError, match=r"'elbow\.motor\.position\.x'"):
        parameter(robot, "elbow.motor.position.x")


def test_the_knee_of_mini_cheetah_survives_a_file(tmp_path):
    """Its motor sits at the hip, at [0, 0, 0] of the upper leg, not at the knee 0.209 m below."""
    leg = gw.load("mini_cheetah_leg")
    gw.save(leg, tmp_path / "leg.yaml")
    back = gw.load(tmp_path / "leg.yaml")
    assert tuple(back.drive("knee").motor.position) == (0, 0, 0)
    knee = leg.drive("knee")
    below = leg.with_drive(replace(knee, motor=replace(knee.motor, position=None)))
    here, again, there = (gw.gravity(gw.assemble(robot), [0.3, 0.4, 0.5]) for robot in (leg, back, below))
    assert (again == here).all()
    assert there[1] != pytest.approx(here[1], rel=1e-2)


def test_the_elbow_motor_of_a_ur5_weighs_on_its_shoulder():
    """0.6 kg at the elbow, 0.425 m out on the stretched arm: -2.5 Nm at the shoulder, not 0 as at the link's origin."""
    (path,) = [str(f.locate()) for f in files("example-robot-data") or () if f.name == "ur5_robot.urdf"] or [None]
    if path is None:
        pytest.skip("example-robot-data is not installed")
    with pytest.warns(gw.errors.GearwrightWarning, match="gazebo"):
        robot = gw.load(path)

    def held(**motor) -> np.ndarray:
        drive = next(one for one in robot.drives if one.joint == "elbow_joint")
        counted = replace(drive.motor, included=False, **motor)
        return gw.gravity(robot.with_drive(replace(drive, motor=counted)), np.zeros(6))

    assert held(mass=0.6)[1] - held()[1] == pytest.approx(-0.6 * 9.81 * 0.425, rel=1e-9)
    assert held(mass=0.6, position=(0.0, 0.0, 0.0))[1] - held()[1] == pytest.approx(0.0, abs=1e-9)
