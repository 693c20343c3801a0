"""Demands of machines with closed loops and elastic drives, from the motion of their free joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright import forces
from gearwright.contact import Constraint, closed_motion, free_speeds, project
from gearwright.errors import InputError
from gearwright.motion import Motion, polynomial
from gearwright.parts import Drive, Frame, Gear, Joint, Link, Loop, Motor, Robot, StiffnessPiece, Torsion
from support.mechanisms import four_bar


def slim(mass, length):
    """The tensor of a bar along x about its middle."""
    return tuple(map(tuple, np.diag([1e-3, length**2 / 12, length**2 / 12]) * mass))


PLACES = (("column", "base", (0, 0, 1)), ("upper", "column", (0, -1, 0)), ("crank", "column", (0, -1, 0)))
SLIDES = (("x", "base", (1, 0, 0), 0.0), ("y", "x", (0, 1, 0), 0.0), ("platform", "y", (0, 0, 1), 0.6))


def palletizer(stiffness):
    """A column that turns, and on it a parallelogram whose two cranks are driven by motors on the column."""

    def bar(name, parent, length, mass, position=(0, 0, 0), rotation=None):
        turned = {} if rotation is None else {"rotation": rotation}
        joint = Joint(f"{name}_joint", axis=(0, 0, 1), position=position, **turned)
        return Link(name, parent, joint, mass=mass, com=(length / 2, 0, 0), inertia=slim(mass, length))

    column = Link("column", "base", Joint("column_joint", axis=(0, 0, 1)), mass=8.0, inertia=0.05 * np.eye(3))
    upright = ((1, 0, 0), (0, 0, -1), (0, 1, 0))  # the arm moves in the plane of x and the vertical
    links = [
        column,
        bar("upper", "column", 0.5, 3.0, rotation=upright),
        bar("fore", "upper", 0.6, 2.0, position=(0.5, 0, 0)),
        bar("crank", "column", 0.2, 1.0, rotation=upright),
        bar("rod", "crank", 0.5, 0.8, position=(0.2, 0, 0)),
    ]
    frames = [Frame("rod_end", "rod", (0.5, 0, 0)), Frame("fore_pin", "fore", (-0.2, 0, 0))]
    motor = Motor(inertia=2e-4, mass=0.5)
    drives = [
        Drive(f"{name}_joint", motor, Gear(60.0, stiffness=stiffness), on, axis)
        for name, on, axis in (
            ("column", "base", (0, 0, 1)),
            ("upper", "column", (0, -1, 0)),
            ("crank", "column", (0, -1, 0)),
        )
    ]
    loop = Loop("pin", ("rod_end", "fore_pin"), ("x", "y"))
    return Robot("palletizer", links, drives, frames=frames, loops=[loop])


def delta(stiffness):
    """A delta robot: three arms on the base, three pairs of rods without mass, a platform that does not turn."""
    links, drives, rods = [], [], []
    for k in range(3):
        angle = 2 * np.pi * k / 3
        c, s = np.cos(angle), np.sin(angle)
        joint = Joint(
            f"a{k}", axis=(0, 1, 0), position=(0.15 * c, 0.15 * s, 0), rotation=((c, -s, 0), (s, c, 0), (0, 0, 1))
        )
        links.append(Link(f"arm{k}", "base", joint, mass=0.4, com=(0.12, 0, 0), inertia=slim(0.4, 0.25)))
        drives.append(Drive(f"a{k}", Motor(inertia=4e-5), Gear(30.0, stiffness=stiffness), "base"))
        rods.append(((f"arm{k}", (0.25, 0, 0)), ("platform", (0.05 * c, 0.05 * s, 0))))
    for name, parent, axis, mass in SLIDES:
        links.append(Link(name, parent, Joint(f"{name}_slide", "prismatic", axis=axis), mass=mass))
    robot = Robot("delta", links, drives)
    mech = gw.assemble(robot)
    lengths = [forces.distance(mech, *ends, name=f"rod{k}") for k, ends in enumerate(rods)]
    return robot, [Constraint.from_lines(f"rod{k}", [held(mech, line, 0.5)]) for k, line in enumerate(lengths)]


def held(mech, line, length):
    """How much longer a distance is than it may be."""
    return forces.Coordinate.for_machine(mech, f"{line.name}_stretch", lambda c: line.function(c) - length)


BAR, ARM = four_bar("rocker"), palletizer(None)
DELTA, RODS = delta(None)
SOFT, STRUTS = delta(800.0)
BENT = project(BAR, [0.7, 0.4, 1.4]).q
RAISED = project(ARM, [0.0, 1.2, -1.5, -0.3, 1.5]).q
HANGING = project(DELTA, [0.4, 0.4, 0.4, 0.0, 0.0, -0.55], RODS).q
REACH = np.array([0.4, -0.2, 0.3])


def moved(robot, start, way, laws=None, duration=0.3):
    """A smooth motion of the free joints from a closed configuration on, and of all other joints with them."""
    mech = gw.assemble(robot, "tree")
    q = np.append(start, np.zeros(mech.nq - len(start)))
    names = [name for name in free_speeds(robot, q, laws).names if not name.endswith(".motor")]
    first = np.array([q[mech.speeds.index(name)] for name in names])
    return closed_motion(robot, polynomial(first, first + way, duration, order=7), q, laws)


def missed(robot, motion, found, laws):
    """By how much a machine that is fed with what was found misses the motion of its joints."""
    assert not found.unactuated
    run = gw.simulate(
        robot,
        found.start,
        motion.duration,
        inputs=found.force_signals,
        laws=laws,
        samples=5,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-8, atol=1e-11),
    )
    return float(np.abs(run.q[:, : motion.count] - motion.at(run.t)).max())


def softened(**gear):
    """The four-bar with friction at its rocker and an elastic gear at its crank."""
    robot = four_bar("rocker", 2e3)
    drive = robot.drives[0]
    rubbing = robot.with_joint("rocker_joint", friction=0.3, damping=0.1)
    return rubbing.with_drive(replace(drive, gear=replace(drive.gear, **gear)))


CASES = {
    "four-bar": (four_bar("rocker", 2e3), BENT, 0.5, None, 1e-6),
    "dampers and friction": (softened(damping=5.0), BENT, 0.5, None, 1e-5),
    "parallelogram": (palletizer(4e3), RAISED, REACH, None, 1e-6),
    "delta": (SOFT, HANGING, REACH, STRUTS, 1e-6),
}


@pytest.mark.parametrize("pieces", [False, True])
def test_static_springs_in_a_loop_carry_what_virtual_work_says(pieces):
    """The palletizer at rest: per free joint the springs' torques do the work of the weight, g(q) . dq/dq_free."""
    torsion = Torsion(pieces=[StiffnessPiece(4e3, until=5.0), StiffnessPiece(9e3)]) if pieces else None
    arm = palletizer(None if pieces else 4e3)
    if pieces:
        arm = replace(arm, drives=tuple(replace(d, gear=replace(d.gear, torsion=torsion)) for d in arm.drives))
    at = np.append(RAISED, np.zeros(3))
    unloaded, start = (project(arm, at, motors=motors).q for motors in ("unloaded", "static"))
    names = gw.assemble(arm, "tree").speeds
    joints = [names.index(f"{name}_joint") for name, *_ in PLACES]
    np.testing.assert_allclose(unloaded[5:], RAISED[joints], atol=1e-12)
    np.testing.assert_allclose(start[:5], RAISED, atol=1e-12)
    twist = start[5:] - start[joints]
    springs = np.sign(twist) * np.where(
        np.abs(twist) > 5 / 4e3, 5 + 9e3 * (np.abs(twist) - 5 / 4e3), 4e3 * np.abs(twist)
    )
    free = free_speeds(ARM, RAISED)
    wanted = free.directions.T @ gw.gravity(gw.assemble(ARM, "tree"), RAISED)
    found = free.directions.T[:, joints] @ (springs if pieces else 4e3 * twist)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert np.abs(wanted).max() > 5


@pytest.mark.parametrize("name", CASES)
def test_fed_with_its_demands_a_machine_makes_the_motion(name):
    """The motors of the parallelogram ride on its column: their wheels push on its joint."""
    robot, start, way, loops, bound = CASES[name]
    acting = [*gw.laws(robot), *(loops or ())]
    motion = moved(robot, start, way, loops)
    found = gw.demands(robot, motion, laws=acting, samples=101)
    joints = motion.count
    assert np.abs(found.tau[:, :joints]).max() == 0  # the motors alone push
    assert missed(robot, motion, found, acting) < bound


@pytest.mark.parametrize(
    ("make", "start", "way", "loops"),
    [
        (lambda k: (four_bar("rocker", k), None), BENT, 0.5, None),
        (lambda k: (palletizer(k), None), RAISED, REACH, None),
        (delta, HANGING, REACH, RODS),
    ],
    ids=["four-bar", "parallelogram", "delta"],
)
def test_ever_stiffer_drives_approach_rigid_ones(make, start, way, loops):
    """The difference falls with the stiffness, and the forces that close the loops are the same all along."""
    rigid = make(None)[0]
    motion = moved(rigid, start, way, loops)
    wanted = gw.demands(rigid, motion, laws=[*gw.laws(rigid), *(loops or ())], actuators=(), samples=41)
    off = []
    for stiffness in (1e5, 1e6):
        robot, own = make(stiffness)
        found = gw.demands(robot, motion, laws=[*gw.laws(robot), *(own or ())], actuators=(), samples=41)
        off.append(max(np.abs(found[name] - wanted[name]).max() / wanted.peak(name) for name in wanted.names))
    tied = [name for name in wanted.series if ".force." in name]
    assert len(tied) >= 2
    assert off[0] < 0.02
    assert off[1] == pytest.approx(0.1 * off[0], rel=0.02)


def test_the_motors_stand_where_their_springs_carry_the_joint_torques():
    """Of the rigid machine, which another formulation gives: the base carries the motors."""
    soft = four_bar("rocker", 2e3)
    motion = moved(soft, BENT, 0.5)
    found = gw.demands(soft, motion, actuators=(), samples=41)
    rotors = replace(BAR, drives=[replace(BAR.drives[0], motor=replace(BAR.drives[0].motor, inertia=1e-12))])
    light = gw.demands(rotors, motion, actuators=(), samples=41)
    twist = found["q.crank_joint.motor"] - found.motion.q[:, 0]
    assert 2e3 * twist == pytest.approx(light.tau[:, 0], abs=1e-6)
    for name in ("pin.force.x", "pin.force.y"):
        assert found[name] == pytest.approx(light[name], abs=1e-6)


def test_behind_a_spring_that_is_not_linear():
    """Pieces of stiffness: the motor's motion is integrated, with the forces of the loop in its equation."""
    pieces = Torsion(pieces=[StiffnessPiece(2e3, 4.0), StiffnessPiece(4e3)])
    bent = softened(stiffness=None, damping=5.0, torsion=pieces)
    motion = moved(bent, BENT, 0.5)
    found = gw.demands(bent, motion, samples=101)
    assert missed(bent, motion, found, gw.laws(bent)) < 1e-5


def test_a_closed_motion_is_exact_in_every_derivative():
    motion = moved(BAR, BENT, 0.5)
    t, h = np.linspace(0.03, 0.27, 5), 1e-4
    for k in range(6):
        slope = (motion.at(t + h, k) - motion.at(t - h, k)) / (2 * h)
        assert motion.at(t, k + 1) == pytest.approx(slope, abs=1e-5 * np.abs(slope).max())
    end = [gw.placement(BAR, q, name)[1] for q in motion.at(t) for name in ("coupler_end", "rocker_end")]
    assert np.abs(np.array(end[::2]) - end[1::2]).max() < 1e-14
    assert motion.at(0.3 + h, 1) == pytest.approx(np.zeros(3))  # afterwards it rests


def test_more_drives_than_freedom_are_refused():
    """Two elastic drives on one freedom: how they share the load does not follow from the motion."""
    one = four_bar("rocker", 2e3)
    both = replace(one, drives=[*one.drives, replace(one.drives[0], joint="rocker_joint")])
    motion = moved(BAR, BENT, 0.5)
    with pytest.raises(InputError, match=r"demands: .*pin\.force\.x, pin\.force\.y.*contact="):
        gw.demands(both, motion)


def test_a_motor_on_a_link_of_the_loop_without_drive_is_refused():
    """Its wheels push on joints whose equations give the forces of the loop, which stretch its own spring."""
    one = four_bar("rocker", 2e3)
    riding = replace(one, drives=[replace(one.drives[0], mounted_on="coupler", motor=Motor(inertia=3e-4))])
    with pytest.raises(InputError, match=r"'crank_joint\.motor'.*'crank_joint'"):
        gw.demands(riding, moved(BAR, BENT, 0.5))


def test_a_floating_machine_with_a_loop_needs_a_force_at_its_base():
    """Loops close it from within: what lifts it at rest relative to itself is its mass times (a + g), and named."""
    fixed = palletizer(None)
    hull = Link("hull", "base", Joint("float", kind="free"), mass=5.0, inertia=0.1 * np.eye(3))
    links = [hull, *(replace(link, parent="hull") if link.parent == "base" else link for link in fixed.links)]
    drives = [replace(one, mounted_on="hull") if one.mounted_on == "base" else one for one in fixed.drives]
    robot = replace(fixed, links=links, drives=drives)
    mech = gw.assemble(robot, "tree")
    closed = project(fixed, [0.0, 0.8, -1.2, -0.4, 1.2]).q
    q = np.array([[*gw.neutral(gw.assemble(Robot("hull", [hull]))), *closed]])
    rising = np.zeros((1, mech.n))
    vertical = mech.speeds.index("float.vz")
    rising[0, vertical] = 2.0
    found = gw.demands(robot, Motion(np.zeros(1), q, 0 * rising, rising))
    mass = sum(link.mass for link in links) + sum(one.motor.mass for one in drives)
    assert found.tau[0, vertical] == pytest.approx(mass * (9.81 + 2.0), rel=1e-9)
    assert mech.speeds[vertical] in found.unactuated
    assert {"upper_joint", "crank_joint"}.isdisjoint(found.unactuated)
