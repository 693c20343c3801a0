"""Machines that cannot exist: one error of the right class that names the part and the value or the quantity."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import (
    GearwrightError,
    InertiaError,
    InputError,
    JointError,
    PartError,
    SpinError,
    StructureError,
    TrainError,
)
from gearwright.parts import FREE_JOINT, Drive, Gear, Harmonic, Joint, Limits, Link, Motor, Robot, Screw, Spur

NAN, INF = float("nan"), float("inf")
TENSOR = np.diag([0.01, 0.02, 0.02])
Z = (0, 0, 1)


def body(name="arm", parent=-1, **changes):
    return gw.Body(name, parent, **{"mass": 2, "com": (0.2, 0, 0), "inertia": TENSOR, **changes})


def arm(*drives, **link):
    return gw.assemble(
        Robot("robot", [Link("upper", **{"mass": 2, "com": (0.2, 0, 0), "inertia": TENSOR, **link})], drives)
    )


def machine(*bodies, **more):
    return gw.Mechanism(bodies, **more)


CASES = {
    # mass
    "negative mass": (lambda: body(mass=-1), PartError, ["body 'arm'", "mass", "-1"]),
    "negative mass of a link": (lambda: arm(mass=-3), PartError, ["'upper'", "mass", "-3"]),
    "negative payload": (
        lambda: gw.assemble(Robot("r", [Link("upper", mass=1, com=(1, 0, 0))]).with_payload(-2, (1, 0, 0))),
        PartError,
        ["payload", "mass", "-2"],
    ),
    "mass that is not a number": (
        lambda: body(mass="two"),
        PartError,
        ["'arm', mass", "'two'"],
    ),
    "mass NaN": (lambda: body(mass=NAN), PartError, ["'arm', mass", "nan"]),
    "massless moving link": (
        lambda: machine(body(), gw.Body("tip", 0)),
        InertiaError,
        ["'tip'", "inertia", "singular"],
    ),
    "massless slide": (
        lambda: machine(gw.Body("slide", joint="prismatic", inertia=TENSOR)),
        InertiaError,
        ["'slide'", "inertia"],
    ),
    "point mass on its own axis": (
        lambda: machine(gw.Body("pin", mass=3, com=(0, 0, 0.5))),
        InertiaError,
        ["'pin'", "inertia"],
    ),
    "two coaxial joints, the inner link massless": (
        lambda: machine(gw.Body("inner", rotation=turned()), body("outer", 0)),
        InertiaError,
        ["'inner', 'outer'", "positive definite"],
    ),
    "effective link of negative inertia": (
        lambda: machine(body(inertia=np.diag([0, 0, -1]), effective=True)),
        InertiaError,
        ["'arm'", "negative", "positive definite"],
    ),
    "free body without rotational inertia": (
        lambda: machine(gw.Body("ball", joint="free", mass=1)),
        InertiaError,
        ["'ball.wx'", "inertia"],
    ),
    "shaft without a wheel": (
        lambda: machine(body(), shafts=["motor"]),
        InertiaError,
        ["shaft 'motor'", "wheel"],
    ),
    # inertia
    "triangle inequality": (
        lambda: body(inertia=np.diag([1, 1, 3])),
        InertiaError,
        ["body 'arm'", "1, 1, 3", "triangle inequality"],
    ),
    "negative principal moment": (
        lambda: body(inertia=np.diag([-0.5, 1, 1])),
        InertiaError,
        ["body 'arm'", "-0.5", "negative"],
    ),
    "tensor not symmetric": (
        lambda: body(inertia=[[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]),
        InertiaError,
        ["'arm', inertia", "xy", "0.1", "0.2"],
    ),
    "tensor of three moments": (
        lambda: body(inertia=(1, 1, 1)),
        PartError,
        ["'arm', inertia", "(1, 1, 1)", "3 x 3"],
    ),
    "inertia smaller than its spins": (
        lambda: machine(body(), body("tip", 0), spins=[gw.Spin("rotor", 0, Z, 0.5, {"tip": 10})]),
        InertiaError,
        ["body 'arm'", "rotor", "-0.48"],
    ),
    "coupling larger than its inertia allows": (
        lambda: machine(body(), body("tip", 0), spins=[gw.Spin("belt", 0, Z, 1e-3, {"tip": 10}, coupling=0.01)]),
        InertiaError,
        ["body 'arm'", "belt", "(Jc^2/J)"],
    ),
    # axes and rotations
    "zero axis": (
        lambda: body(axis=(0, 0, 0)),
        PartError,
        ["'arm', axis", "(0.0, 0.0, 0.0)", "zero"],
    ),
    "zero axis of a spin": (
        lambda: gw.Spin("s", -1, (0, 0, 0), 1, [1]),
        PartError,
        ["'s', axis", "zero"],
    ),
    "zero axis of a drive": (
        lambda: arm(Drive("upper", Motor(1e-4), Gear(10), "base", (0, 0, 0))),
        PartError,
        ["drive 'upper', axis", "zero"],
    ),
    "axis of two numbers": (
        lambda: body(axis=(0, 1)),
        PartError,
        ["'arm', axis", "(0, 1)"],
    ),
    "no rotation": (
        lambda: body(rotation=2 * np.eye(3)),
        PartError,
        ["'arm', rotation", "orthogonal", "by 3"],
    ),
    "reflection": (lambda: body(rotation=-np.eye(3)), PartError, ["'arm', rotation", "reflection"]),
    "unknown joint kind": (lambda: body(joint="hinge"), JointError, ["body 'arm'", "'hinge'", "revolute"]),
    # the tree
    "unknown parent": (
        lambda: machine(body(parent="bose")),
        StructureError,
        ["'arm'", "'bose'", "'base'"],
    ),
    "unknown parent of a link": (
        lambda: arm(parent="bose"),
        StructureError,
        ["'upper'", "'bose'", "'base'"],
    ),
    "parent out of range": (lambda: machine(body(parent=4)), StructureError, ["'arm'", "4", "body"]),
    "parent None": (lambda: machine(body(parent=None)), InputError, ["'arm'", "parent=None"]),
    "parent 0.5": (lambda: machine(body(), body("tip", 0.5)), InputError, ["'tip'", "parent=0.5"]),
    "cycle": (
        lambda: machine(body("a", "b"), body("b", "a")),
        StructureError,
        ["a -> b -> a", "cycle", "base"],
    ),
    "cycle of links": (
        lambda: gw.assemble(Robot("r", [Link("a", "b", mass=1, com=(1, 0, 0)), Link("b", "a", mass=1, com=(1, 0, 0))])),
        StructureError,
        ["a -> b -> a", "cycle"],
    ),
    "own parent": (lambda: machine(body("a", "a")), StructureError, ["a -> a", "cycle"]),
    "child before parent": (
        lambda: machine(body("a", "b"), body("b")),
        StructureError,
        ["'a'", "'b'", "before"],
    ),
    "free joint on a link": (
        lambda: machine(body(), body("tip", 0, joint="free")),
        JointError,
        ["'tip'", "free", "base"],
    ),
    "no bodies": (lambda: machine(), StructureError, ["bodies"]),
    # names
    "duplicate bodies": (
        lambda: machine(body(), body(parent=0)),
        StructureError,
        ["two bodies", "'arm'"],
    ),
    "duplicate links": (
        lambda: gw.assemble(Robot("r", [Link("a", mass=1, com=(1, 0, 0)), Link("a", "a", mass=1, com=(1, 0, 0))])),
        StructureError,
        ["two bodies", "'a'"],
    ),
    "duplicate joints": (
        lambda: machine(body(joint_name="j"), body("tip", 0, joint_name="j")),
        StructureError,
        ["two speeds", "'j'"],
    ),
    "duplicate spins": (
        lambda: machine(body(), spins=[gw.Spin("s", -1, Z, 1, [2])] * 2),
        StructureError,
        ["two spins", "'s'"],
    ),
    "shaft called like a joint": (
        lambda: machine(body(), shafts=["arm"], spins=[gw.Spin("s", -1, Z, 1, [2, 1])]),
        StructureError,
        ["two speeds", "'arm'"],
    ),
    "body called base": (
        lambda: machine(body("base")),
        StructureError,
        ["'base'", "ground"],
    ),
    "empty name": (lambda: machine(body("")), StructureError, ["bodies", "''", "non-empty"]),
    # ratios
    "ratio zero": (
        lambda: machine(body(), spins=[gw.Spin("s", -1, Z, 1, [0])]),
        SpinError,
        ["spin 's'", "zero"],
    ),
    "gear ratio zero": (
        lambda: Gear(0),
        TrainError,
        ["gear", "ratio 0"],
    ),
    "gear ratio NaN": (lambda: Gear(NAN), TrainError, ["gear", "ratio", "nan"]),
    "gear ratio infinite": (lambda: Gear(INF), TrainError, ["gear", "ratio", "inf"]),
    "ratio infinite": (
        lambda: machine(body(), spins=[gw.Spin("s", -1, Z, 1, [INF])]),
        PartError,
        ["spin 's', row", "inf"],
    ),
    "ratio on a free joint": (
        lambda: machine(body(joint="free"), spins=[gw.Spin("s", 0, Z, 1e-3, {"arm.wx": 5})]),
        SpinError,
        ["spin 's'", "ratio 5", "'arm.wx'", "free"],
    ),
    "ratio on a spherical joint": (
        lambda: machine(body(joint="spherical"), spins=[gw.Spin("s", 0, Z, 1e-3, {"arm.wz": 5})]),
        SpinError,
        ["spin 's'", "'arm.wz'", "spherical"],
    ),
    "ratio on a planar joint": (
        lambda: machine(body(joint="planar"), spins=[gw.Spin("s", 0, Z, 1e-3, {"arm.wz": 5})]),
        SpinError,
        ["spin 's'", "ratio 5", "'arm.wz'", "planar"],
    ),
    "spring on a planar joint": (
        lambda: machine(body(joint="planar"), springs=[gw.Spring("k", {"arm.vx": 1}, 100.0)]),
        SpinError,
        ["spring 'k'", "'arm.vx'", "planar"],
    ),
    "drive of a universal joint": (
        lambda: arm(Drive("upper", Motor(1e-4), Gear(10)), joint=Joint(kind="universal", axis2=(0, 1, 0))),
        JointError,
        ["drive 'upper'", "joint 'upper'", "universal"],
    ),
    "screw without pitch": (lambda: body(joint="helical"), JointError, ["body 'arm'", "helical", "pitch"]),
    "screw that never slides": (
        lambda: body(joint="helical", pitch=0.0),
        JointError,
        ["body 'arm'", "pitch", "0 m/rad"],
    ),
    "pitch of a hinge": (lambda: body(pitch=0.1), JointError, ["body 'arm'", "revolute", "pitch"]),
    "cross of one axis": (
        lambda: body(joint="universal"),
        JointError,
        ["body 'arm'", "universal", "axis2"],
    ),
    "cross of parallel axes": (
        lambda: body(joint="universal", axis=Z, axis2=(0, 0, -2)),
        JointError,
        ["body 'arm'", "axis2", "parallel"],
    ),
    "drive of a free joint": (
        lambda: arm(Drive("upper", Motor(1e-4), Gear(10)), joint=FREE_JOINT),
        JointError,
        ["drive 'upper'", "joint 'upper'", "free"],
    ),
    "ratio on an unknown speed": (
        lambda: machine(body(), spins=[gw.Spin("s", -1, Z, 1, {"amr": 2})]),
        InputError,
        ["spin 's'", "'amr'", "'arm'"],
    ),
    "row too long": (
        lambda: machine(body(), spins=[gw.Spin("s", -1, Z, 1, [1, 2])]),
        InputError,
        ["spin 's'", "2 numbers", "1 speeds"],
    ),
    "row that is one number": (
        lambda: machine(body(), body("tip", 0), spins=[gw.Spin("s", -1, Z, 1, 5.0)]),
        InputError,
        ["Spin 's'", "ratio=5.0"],
    ),
    "unknown carrier": (
        lambda: machine(body(), spins=[gw.Spin("s", "am", Z, 1, [1])]),
        StructureError,
        ["spin 's'", "'am'", "'arm'"],
    ),
    "negative spin inertia": (
        lambda: gw.Spin("s", -1, Z, -1, [1]),
        SpinError,
        ["spin 's'", "-1", "negative"],
    ),
    "negative stiffness": (
        lambda: gw.Spring("k", [1], -5),
        PartError,
        ["spring 'k'", "-5", "negative"],
    ),
    # rotors
    "rotor not axisymmetric": (
        lambda: arm(Drive("upper", Motor(tensor=np.diag([1e-4, 2e-4, 2.5e-4]), mass=1), Gear(10))),
        SpinError,
        ["drive 'upper', rotor", "axisymmetric", "5e-05"],
    ),
    "rotor off its axis": (
        lambda: arm(Drive("upper", Motor(1e-4, 1, com=(0.005, 0, 0)), Gear(10))),
        SpinError,
        ["drive 'upper', rotor", "0.005 m"],
    ),
    "rotor flatter than a disc": (
        lambda: Motor(1e-3, 1, 1e-4),
        SpinError,
        ["motor", "0.001", "0.0001", "twice"],
    ),
    "negative rotor inertia": (lambda: Motor(-1e-3), SpinError, ["motor", "-0.001", "negative"]),
    "drive of an unknown joint": (
        lambda: arm(Drive("uper", Motor(1e-4))),
        StructureError,
        ["drive 'uper'", "'upper'"],
    ),
    "drive mounted nowhere": (
        lambda: arm(Drive("upper", Motor(1e-4), mounted_on="bench")),
        StructureError,
        ["drive 'upper'", "'bench'", "upper"],
    ),
    # followers
    "follows nobody": (
        lambda: machine(body(), body("tip", 0, follows=("amr", 1, 0))),
        JointError,
        ["'tip'", "'amr'", "'arm'"],
    ),
    "followers in a circle": (
        lambda: machine(body("a", follows=("b", 1, 0)), body("b", 0, follows=("a", 1, 0))),
        JointError,
        ["a -> b -> a", "cycle"],
    ),
    "a universal joint that follows": (
        lambda: machine(body(), body("tip", 0, joint="universal", axis2=(0, 1, 0), follows=("arm", 1, 0))),
        JointError,
        ["body 'tip'", "universal", "follow"],
    ),
    "follows a spherical joint": (
        lambda: machine(body(joint="spherical"), body("tip", 0, follows=("arm", 1, 0))),
        JointError,
        ["'tip'", "'arm'", "spherical"],
    ),
    # the rest
    "one link instead of a list": (
        lambda: Robot("r", Link("upper", mass=1)),
        InputError,
        ["robot 'r'", "Link(name='upper'", "links"],
    ),
    "a text among the links": (lambda: Robot("r", ["upper"]), InputError, ["robot", "'upper'", "links"]),
    "a payload that is a number": (
        lambda: Robot("r", [Link("upper", mass=1)], payload=3),
        InputError,
        ["robot 'r'", "payload", "3", "Payload"],
    ),
    "a drive whose motor is a number": (
        lambda: Drive("upper", 1e-4, Gear(10)),
        InputError,
        ["drive 'upper'", "motor", "0.0001", "Motor"],
    ),
    "a drive whose gear is a number": (
        lambda: Drive("upper", Motor(1e-4), 100),
        InputError,
        ["drive 'upper'", "gear", "100", "Gear"],
    ),
    "a link whose joint is a text": (
        lambda: Link("upper", "base", "revolute"),
        InputError,
        ["link 'upper'", "joint", "'revolute'", "Joint"],
    ),
    "bodies None": (lambda: gw.Mechanism(None), InputError, ["machine", "None", "bodies"]),
    "a number among the spins": (
        lambda: machine(body(), spins=[3]),
        InputError,
        ["machine", "3", "spins"],
    ),
    "shafts as one text": (lambda: machine(body(), shafts="ab"), InputError, ["machine", "'ab'", "shafts"]),
    "limits in the wrong order": (
        lambda: Limits((2, 1)),
        JointError,
        ["position", "(2, 1)", "(lower, upper)"],
    ),
    "limits of one number": (lambda: Limits(3), JointError, ["position", "3", "(lower, upper)"]),
    "an efficiency that is a text": (lambda: Gear(2, efficiency="good"), TrainError, ["efficiency", "good"]),
    "the same of a gear with teeth": (
        lambda: Harmonic(reduction=100, efficiency="good"),
        TrainError,
        ["efficiency", "good"],
    ),
    "a screw at a revolute joint": (
        lambda: arm(Drive("upper", Motor(1e-4), Screw(lead=0.01))),
        TrainError,
        ["drive 'upper'", "joint 'upper'", "revolute", "screw"],
    ),
    "a spur gear at a prismatic joint": (
        lambda: arm(Drive("upper", Motor(1e-4), Spur(driver=20, driven=60)), joint=Joint(kind="prismatic")),
        TrainError,
        ["drive 'upper'", "joint 'upper'", "prismatic", "spur"],
    ),
    "a motor as a drive": (
        lambda: Robot("r", [Link("upper", mass=1)]).with_drive("upper", Motor(1e-4)),
        InputError,
        ["with_drive('upper')", "Motor", "Drive"],
    ),
    "gravity as a number": (lambda: machine(body(), gravity=9.81), PartError, ["gravity", "9.81"]),
    "assembling twice": (
        lambda: gw.assemble(machine(body())),
        InputError,
        ["assemble", "Mechanism", "a robot"],
    ),
}


def turned():
    """A rotation about the joint axis with rounding in it: the mass matrix is singular but for the last bits."""
    c, s = np.cos(1.234), np.sin(1.234)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


@pytest.mark.parametrize("name", CASES)
def test_refusals_name_part_and_value(name):
    build, kind, facts = CASES[name]
    with pytest.raises(GearwrightError) as caught:
        build()
    assert isinstance(caught.value, kind), f"{type(caught.value).__name__}: {caught.value}"
    missing = [fact for fact in facts if fact not in str(caught.value)]
    assert not missing, f"{missing} not in: {caught.value}"


def test_massless_fixed_links_are_fine():
    mech = machine(body(), gw.Body("flange", 0, joint="fixed"), gw.Body("tool", 1, joint="fixed"))
    bare = machine(body())
    assert gw.inverse_dynamics(mech, [0.3], [0.2], [0.1]) == pytest.approx(
        gw.inverse_dynamics(bare, [0.3], [0.2], [0.1])
    )


def test_massless_links_further_in_are_fine():
    """A gimbal: two massless moving links that carry a body with inertia about both axes."""
    gimbal = machine(gw.Body("yaw"), gw.Body("pitch", 0, axis=(0, 1, 0)), body("arm", 1, axis=(1, 0, 0)))
    assert np.linalg.eigvalsh(gw.mass_matrix(gimbal, [0.1, 0.2, 0.3])).min() > 0


def test_a_rotor_gives_a_massless_link_its_inertia():
    mech = machine(gw.Body("wheel"), spins=[gw.Spin("rotor", -1, Z, 1e-4, [100])])
    assert gw.mass_matrix(mech, [0.0]) == pytest.approx(np.array([[1.0]]))


def test_symbols_are_left_to_their_nominal_value():
    """A symbolic mass cannot be checked; it must not be refused."""
    import sympy

    mech = machine(body(mass=sympy.Symbol("m")))
    assert mech.bodies[0].mass == sympy.Symbol("m")


def test_joint_defaults():
    assert Joint().kind == "revolute"
    assert FREE_JOINT.kind == "free"
