"""Joints that close a loop are joints: the same linkage cut at any of its joints moves in the same way."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightError, StructureError
from gearwright.files import read_yaml
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot, with_closing_joint

LENGTHS = {"crank": 0.3, "coupler": 0.7, "rocker": 0.5}
GROUND = 0.8
NAMES = ("a", "b", "c", "d")
"""Joints around the loop: ground-crank, crank-coupler, coupler-rocker, rocker-ground."""


def body(name: str, parent: str, joint: Joint, turned: bool = False) -> Link:
    """A bar, from its first joint along x; `turned`: its frame is at its other end, and it extends backwards."""
    length = LENGTHS[name]
    tensor = ((1e-3, 0, 0), (0, length**2 / 12, 0), (0, 0, length**2 / 12))
    return Link(name, parent, joint, 1.0, (-length / 2 if turned else length / 2, 0.02, 0), tensor)


def joint(name: str, x: float, turned: bool = False) -> Joint:
    """A joint about z with friction; `turned` counts the other way: parent and child are exchanged."""
    damping = {"a": 0.05, "b": 0.04, "c": 0.03, "d": 0.02}[name]
    return Joint(name, axis=(0, 0, -1 if turned else 1), position=(x, 0, 0), damping=damping, friction=2 * damping)


def four_bar(cut: str) -> Robot:
    """The linkage as a tree without one joint, which `with_closing_joint` adds."""
    from_crank = [body("crank", "base", joint("a", 0.0)), body("coupler", "crank", joint("b", LENGTHS["crank"]))]
    rocker = body("rocker", "base", joint("d", GROUND))
    if cut == "c":
        links, closing = [*from_crank, rocker], (joint("c", LENGTHS["coupler"]), "coupler", "rocker", LENGTHS["rocker"])
    elif cut == "d":  # the rocker hangs on the coupler, its frame at its upper end
        hanging = body("rocker", "coupler", joint("c", LENGTHS["coupler"]), turned=True)
        links, closing = [*from_crank, hanging], (joint("d", GROUND), "base", "rocker", -LENGTHS["rocker"])
    else:  # the coupler hangs on the rocker
        hanging = body("coupler", "rocker", joint("c", LENGTHS["rocker"], turned=True), turned=True)
        links = [from_crank[0], rocker, hanging]
        closing = (joint("b", LENGTHS["crank"]), "crank", "coupler", -LENGTHS["coupler"])
    motor = Motor(3e-4, 0.2, position=(0, 0, 0.1))
    drives = [Drive("a", motor, Gear(30.0))]
    robot = Robot("four_bar", links, drives, gravity=(0, -9.81, 0))
    added, parent, child, x = closing
    return with_closing_joint(robot, added, parent, child, (x, 0, 0))


def machine(cut: str) -> gw.Mechanism:
    start = {"a": 0.7, "b": -0.2, "c": 1.0, "d": 1.5}
    robot = four_bar(cut)
    tree = gw.assemble(robot, "tree")
    return gw.assemble(robot, independent=["a"], start=[start[name] for name in tree.speeds])


@pytest.mark.parametrize("cut", ["b", "d"])
def test_any_joint_may_be_cut(cut):
    wanted, mech = machine("c"), machine(cut)
    for crank in (0.7, 0.9, 1.3):
        q, p = wanted.closed([crank]), mech.closed([crank])
        tau = gw.inverse_dynamics(wanted, q, [2.0], [1.5])
        assert gw.inverse_dynamics(mech, p, [2.0], [1.5]) == pytest.approx(tau, rel=1e-10)
        assert gw.mass_matrix(mech, p) == pytest.approx(gw.mass_matrix(wanted, q), rel=1e-10)


@pytest.mark.parametrize("cut", ["b", "d"])
def test_friction_of_the_cut_joint_acts(cut):
    """Runs from rest: friction and damping in all four joints, one of them closing the loop."""
    angles = []
    for each in ("c", cut):
        mech = machine(each)
        run = gw.simulate(four_bar(each), mech.closed([0.7]), until=0.4, samples=9)
        angles.append(run.q[:, mech.coordinates.index("a")])
    assert angles[1] == pytest.approx(angles[0], abs=1e-7)


def test_a_motor_may_drive_the_cut_joint():
    """The torque of a motor at the closing joint against the same motor in a tree that is cut elsewhere."""
    motor = Drive("b", Motor(2e-4), Gear(20.0), mounted_on="crank")
    torques = []
    for cut in ("c", "b"):
        robot = four_bar(cut).with_drive(motor)
        start = machine(cut).closed([0.8])
        mech = gw.assemble(robot, independent=["b"], start=start)
        torques.append(gw.inverse_dynamics(mech, start, [1.0], [2.0]))
        assert mech.speeds == ("b",)
    assert torques[1] == pytest.approx(torques[0], rel=1e-10)


YAML = """
robot: four_bar
links:
  - {name: crank, parent: base, joint: {name: a, kind: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.15, 0, 0],
     inertia: {xx: 0.001, yy: 0.0075, zz: 0.0075}}
  - {name: coupler, parent: crank, joint: {name: b, kind: revolute, axis: [0, 0, 1], position: [0.3, 0, 0]},
     mass: 1, com: [0.35, 0, 0], inertia: {xx: 0.001, yy: 0.04, zz: 0.04}}
  - {name: rocker, parent: base, joint: {name: d, kind: revolute, axis: [0, 0, 1], position: [0.8, 0, 0]}, mass: 1,
     com: [0.25, 0, 0], inertia: {xx: 0.001, yy: 0.02, zz: 0.02}}
  - {name: rocker_end, parent: coupler, closes: {link: rocker, position: [0.5, 0, 0]},
     joint: {name: c, kind: revolute, axis: [0, 0, 1], position: [0.7, 0, 0], friction: 0.1,
             limits: {position: [-2, 2]}}}
drives:
  - {joint: c, mounted_on: coupler, axis: [0, 0, 1], motor: {inertia: 0.0002}, gear: {ratio: 20}}
"""


def test_a_file_states_a_closing_joint(tmp_path):
    path = tmp_path / "bars.yaml"
    path.write_text(YAML)
    robot = gw.load(path)
    assert (robot.link("rocker_end").mass, robot.link("rocker").mass) == (0.5, 0.5)
    assert robot.link("rocker_end").joint.limits.position == (-2, 2)
    mech = gw.assemble(robot, start=[0.7, -0.2, 1.5, 1.0])
    assert mech.speeds == ("c",)  # the driven joint
    gw.save(robot, tmp_path / "again.yaml")
    again = gw.assemble(gw.load(tmp_path / "again.yaml"), start=mech.reference)
    q = mech.reference
    tau = gw.inverse_dynamics(mech, q, [1.0], [2.0])
    assert gw.inverse_dynamics(again, q, [1.0], [2.0]) == pytest.approx(tau, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("closes: {link: rocker,", "closes: {link: nothing,"), "nothing"),
        (("closes: {link: rocker,", "mass: 2, closes: {link: rocker,"), "mass"),
        (("closes: {link: rocker,", "closes: {link: rocker_end,"), "rocker_end"),
    ],
)
def test_bad_closing_joints_of_a_file(change, named):
    with pytest.raises(FileError, match=named):
        read_yaml(YAML.replace(*change))


def test_bad_closing_joints():
    robot = Robot("one", [Link("rod", mass=1.0), Link("tip", "rod")])
    with pytest.raises(StructureError, match="tip"):
        with_closing_joint(robot, Joint("pin"), "base", "tip")
    with pytest.raises(StructureError, match="name"):
        with_closing_joint(robot, Joint(), "base", "rod")
    with pytest.raises(GearwrightError, match="nowhere"):
        with_closing_joint(robot, Joint("pin"), "nowhere", "rod")
