"""Whatever takes a frame, with one of the base, of a link that is fixed to it, and of a link that moves.

A frame of the base stands still: it does what the same place does that is stated without a frame (a point of the
world), and what a frame on a massless link does that is bolted there. The last body moves, so that an index of -1 that
reaches into a list of bodies shows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.analysis import ProcessForce, Task, analyse
from gearwright.analysis.task.contact_wrenches import contact_wrenches
from gearwright.analysis.task.process_forces import applied_wrenches, wrenches_by_body
from gearwright.contact import Catch, Constraint, Contact, Plane, SoftContact, fixed_frame, free_speeds, project
from gearwright.errors import InputError, StructureError
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import BASE, PerBody, validation
from gearwright.motion import polynomial
from gearwright.parts import Drive, Frame, Gear, Joint, Link, Loop, Motor, Robot
from gearwright.scene import drawing, scene_of
from support.mechanisms import LENGTHS, four_bar

WHERE = (LENGTHS["ground"], 0.0, 0.0)
TILT = ((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
"""The still frames stand here, turned about z by the angle with the sine 0.6."""
STILL = ["ground_pin", "pedestal_pin"]


class NoLast(tuple):
    """A list that -1 does not reach into."""

    __slots__ = ()

    def __getitem__(self, index):
        assert isinstance(index, slice) or index >= 0, "the base reached into a list of bodies"
        return super().__getitem__(index)


@pytest.fixture(autouse=True)
def no_body_is_the_base(monkeypatch):
    """Users may write `mech.bodies[-1]`; nothing of ours may."""
    tree = validation.with_parent_indices
    monkeypatch.setattr(validation, "with_parent_indices", lambda bodies: NoLast(tree(bodies)))


def arm(loop: str | None = None) -> Robot:
    """A pedestal on the base, and a chain of three bars like those of `four_bar`; `loop` pins its end to a frame."""

    def bar(name, parent, start):
        length = LENGTHS[name]
        tensor = tuple(map(tuple, np.diag([0.001, length**2, length**2]) * length / 3))
        joint = Joint(f"{name}_joint", "revolute", axis=(0, 0, 1), position=(start, 0, 0))
        return Link(name, parent, joint, mass=2 * length, com=(0.45 * length, 0.02, 0), inertia=tensor)

    rocker = bar("rocker", "coupler", LENGTHS["coupler"])
    rocker = replace(rocker, com=(0.55 * LENGTHS["rocker"], -0.02, 0))  # four_bar counts it from its other end
    links = [
        Link("pedestal", "base", Joint("bolted", "fixed", position=(0.1, -0.2, 0.3)), mass=0.0),
        bar("crank", "base", 0.0),
        bar("coupler", "crank", LENGTHS["crank"]),
        rocker,
    ]
    frames = [
        Frame("ground_pin", "base", WHERE, TILT),
        Frame("pedestal_pin", "pedestal", tuple(np.subtract(WHERE, (0.1, -0.2, 0.3))), TILT),
        Frame("tip", "rocker", (LENGTHS["rocker"], 0, 0)),
    ]
    motor = Motor(inertia=3e-4, mass=0.3, torque_constant=0.05, resistance=0.6)
    drives = [Drive("crank_joint", motor, Gear(50.0), "base", (0, 0, 1))]
    loops = [Loop("pin", ("tip", loop), ("x", "y"))] if loop else []
    return Robot("arm", links, drives, frames=frames, loops=loops, gravity=(0, -9.81, 0))


RNG = np.random.default_rng(29)
Q, V, A = RNG.normal(size=(3, 3))
OPEN = arm()
CUT_ELSEWHERE = four_bar("rocker")


def soft(frame, surface, **more):
    return SoftContact(frame, surface, 2e4, 20.0, **more)


def closed(robot: Robot) -> np.ndarray:
    return project(robot, [0.7, -0.4, -1.9]).q


def as_elsewhere(q):
    """Of the chain to the ground as of the four-bar whose rocker stands on the ground, seen from its other end."""
    return np.array([q[0], q[1], q[0] + q[1] + q[2] + np.pi])


@pytest.mark.parametrize("frame", [*STILL, "base"])
def test_what_stands_still_has_a_constant_place_and_no_jacobian(frame):
    rotation, position = gw.placement(OPEN, Q, frame)
    assert rotation == pytest.approx(np.eye(3) if frame == "base" else np.array(TILT), abs=1e-15)
    assert position == pytest.approx([0, 0, 0] if frame == "base" else WHERE, abs=1e-15)
    point = (0.1, 0.2, 0.3)
    for found in (
        gw.jacobian(OPEN, Q, frame, point),
        gw.jacobian_rate(OPEN, Q, V, frame, point),
        gw.compile(gw.jacobian, OPEN, body=frame)(Q),
    ):
        assert found.shape == (6, 3)
        assert not found.any()
    assert not gw.closed_form(gw.jacobian, OPEN, body=frame).evaluate(Q).any()


def test_a_frame_that_moves_has_the_jacobian_of_its_motion():
    h = 1e-6
    there, back = (gw.placement(OPEN, Q + s * h * V, "tip").position for s in (1, -1))
    assert gw.jacobian(OPEN, Q, "tip")[:3] @ V == pytest.approx((there - back) / (2 * h), abs=1e-8)


@pytest.mark.parametrize("frame", [*STILL, "base"])
def test_what_pushes_the_ground_moves_nothing(frame):
    push = np.array([3.0, -4.0, 5.0, 0.6, -0.7, 0.8])
    free = gw.inverse_dynamics(OPEN, Q, V, A)
    assert gw.inverse_dynamics(OPEN, Q, V, A, wrenches={frame: push}) == pytest.approx(free, abs=1e-14)
    assert gw.forward_dynamics(OPEN, Q, V, free, wrenches={frame: push}) == pytest.approx(A, abs=1e-12)
    felt = gw.reactions(OPEN, Q, V, A, wrenches={frame: push}) - gw.reactions(OPEN, Q, V, A)
    moving = [k for k, body in enumerate(gw.assemble(OPEN).bodies) if body.name != "pedestal"]
    assert not felt[moving].any()
    names = ("fx", "fy", "fz", "mx", "my", "mz")
    inputs = {f"push.{name}": x for name, x in zip(names, push, strict=True)}
    for axes in ("world", "frame"):
        run = gw.simulate(OPEN, Q, until=0.02, laws=[gw.forces.Wrench("push", frame, axes)], inputs=inputs, samples=2)
        assert run.q[-1] == pytest.approx(gw.simulate(OPEN, Q, until=0.02, laws=(), samples=2).q[-1], abs=1e-10)


def test_a_push_at_a_frame_that_moves_does_the_work_of_its_jacobian():
    push = np.array([3.0, -4.0, 5.0, 0.6, -0.7, 0.8])
    found = gw.inverse_dynamics(OPEN, Q, V, A) - gw.inverse_dynamics(OPEN, Q, V, A, wrenches={"tip": push})
    assert found == pytest.approx(gw.jacobian(OPEN, Q, "tip").T @ push, abs=1e-13)


@pytest.mark.parametrize("frame", STILL)
def test_coordinates_from_a_still_frame_are_those_from_the_place_where_it_stands(frame):
    mech = gw.assemble(OPEN)
    world = fixed_frame("world", WHERE, TILT)
    pairs = [
        (gw.forces.distance(mech, frame, "tip"), gw.forces.distance(mech, ("base", WHERE), "tip")),
        (gw.forces.distance(mech, "tip", frame), gw.forces.distance(mech, "tip", ("base", WHERE))),
        *(
            (gw.forces.displacement(mech, "tip", frame, axis), gw.forces.displacement(mech, "tip", world, axis))
            for axis in ((1, 0, 0), (0, 1, 0))
        ),
        (gw.forces.angle(mech, "tip", frame), gw.forces.angle(mech, "tip", world)),
        (
            gw.forces.tendon(mech, [frame, gw.forces.Pulley("coupler", 0.02), "tip"]),
            gw.forces.tendon(mech, [("base", WHERE), gw.forces.Pulley("coupler", 0.02), "tip"]),
        ),
        (gw.forces.displacement(mech, frame, "tip", (1, 0, 0)), None),
    ]
    h = 1e-6
    at = [SharedKinematics(mech, q.tolist(), V.tolist(), FLOATS) for q in (Q, Q + h * V, Q - h * V)]
    for line, same in pairs:
        now, later, before = (line.placed_in(scene) for scene in at)
        slope, drift = (
            (end(later) - end(before)) / (2 * h) for end in (lambda x: x.position(x.terms), lambda x: x.speed(V))
        )
        assert now.speed(V) == pytest.approx(slope, abs=1e-8)
        assert now.drift == pytest.approx(drift, abs=1e-7)
        if same is not None:
            other = same.placed_in(at[0])
            assert now.position(Q) == pytest.approx(other.position(Q), abs=1e-14)
            assert dict(now.terms) == pytest.approx(dict(other.terms), abs=1e-14)


@pytest.mark.parametrize("frame", STILL)
@pytest.mark.parametrize(("make", "limit"), [(Contact, 1e-6), (soft, 0.05)])
def test_a_floor_in_a_still_frame_is_met_when_the_floor_of_the_world_is(frame, make, limit):
    """The tip falls on a plane that is level in the frame's turned axes."""
    level = np.array(TILT).T @ [0, 1, 0]  # the vertical in the frame
    flat = Plane((0, 0, 0), tuple(level)), Plane(WHERE, (0, 1, 0))
    laws = [make("tip", flat[0], relative_to=frame, name="floor"), make("tip", flat[1], name="floor")]
    start = np.array([0.9, -0.3, -0.4])
    runs = [gw.simulate(OPEN, start, until=0.6, laws=[law], samples=13) for law in laws]
    assert [event.kind for event in runs[0].events] == [event.kind for event in runs[1].events] != []
    assert runs[0].events[0].t == pytest.approx(runs[1].events[0].t, abs=1e-9)
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-6
    assert gw.placement(OPEN, runs[0].q, "tip").position[:, 1].min() > -limit


@pytest.mark.parametrize("law", ["contact", "catch"])
def test_a_stake_in_the_ground_is_met_where_a_bolted_one_is(law):
    """The frame that touches stands still, and the surface that it touches is the last link's side."""
    runs = []
    for frame in STILL:
        side = Plane((0, 0, 0), (0, -1, 0))
        made = (
            Contact(frame, side, relative_to="rocker", name="stake")
            if law == "contact"
            else Catch(frame, "rocker", side, ("y",), "stake")
        )
        runs.append(gw.simulate(OPEN, [0.8, -0.2, -0.1], until=0.6, laws=[made], samples=13))
    assert [event.kind for event in runs[0].events] == [event.kind for event in runs[1].events] != []
    assert runs[0].events[0].t == pytest.approx(runs[1].events[0].t, abs=1e-9)
    gap = runs[0]["stake.gap"]
    R, p = gw.placement(OPEN, runs[0].q, "rocker")
    assert gap == pytest.approx(-np.einsum("tij,ti->tj", R, np.array(WHERE) - p)[:, 1], abs=1e-9)
    assert gap.min() > -1e-6


@pytest.mark.parametrize("frame", STILL)
def test_a_four_bar_that_is_pinned_to_the_ground_has_one_freedom(frame):
    """It is the machine whose loop is cut between two links that move."""
    robot = arm(loop=frame)
    q = closed(robot)
    other = as_elsewhere(q)
    free, there = free_speeds(robot, q), free_speeds(CUT_ELSEWHERE, other)
    assert free.names == there.names == ("crank_joint",)
    T = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 1.0]])
    assert T @ free.directions == pytest.approx(there.directions, abs=1e-10)
    v, tau = free.directions[:, 0] * 1.3, np.array([4.0, 0, 0])
    A, B = gw.linearise(robot, q, v, tau)
    wanted = gw.linearise(CUT_ELSEWHERE, other, T @ v, tau)
    assert A.shape == (2, 2)
    assert np.abs(A - wanted.A).max() < 1e-7
    assert B[:, 0] == pytest.approx(wanted.B[:, 0], abs=1e-9)
    run = gw.simulate(
        robot,
        (q, v),
        until=0.3,
        inputs={"tau.crank_joint": 4.0},
        samples=4,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    same = gw.simulate(
        CUT_ELSEWHERE,
        (other, T @ v),
        until=0.3,
        inputs={"tau.crank_joint": 4.0},
        samples=4,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    assert run["q.crank_joint"] == pytest.approx(same["q.crank_joint"], abs=1e-7)


@pytest.mark.parametrize("frame", STILL)
def test_forces_of_a_loop_to_the_ground(frame):
    """Joints between the same links bear the same, wherever the loop is cut; the drive needs the same torque."""
    robot = arm(loop=frame)
    q = closed(robot)
    mech = gw.assemble(robot, "tree")
    free = free_speeds(robot, q)
    v = free.directions[:, 0] * 1.3
    tau = np.array([4.0, 0, 0])
    row, drift = gw.jacobian(mech, q, "tip")[:2], (gw.jacobian_rate(mech, q, v, "tip") @ v)[:2]
    a = gw.constrained_dynamics(mech, q, v, tau, row, drift).a
    T = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 1.0]])
    found = gw.reactions(robot, q, v, a)
    wanted = gw.reactions(CUT_ELSEWHERE, as_elsewhere(q), T @ v, T @ a)
    names = [body.name for body in mech.bodies]
    for k, name in enumerate(("crank", "coupler")):
        assert found[names.index(name)] == pytest.approx(wanted[k], abs=1e-8)
    move = polynomial([0.7], [1.1], duration=0.5)
    one, other = (
        gw.demands(machine, gw.contact.closed_motion(machine, move, start=start), samples=6).tau[:, 0]
        for machine, start in ((robot, q), (CUT_ELSEWHERE, as_elsewhere(q)))
    )
    assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("frame", STILL)
def test_a_given_force_along_the_axes_of_a_still_frame_is_one_in_the_world(frame):
    """Of `demands`, and of what an analysis makes of it for reactions."""
    motion = polynomial([0.9, -0.3, -0.4], [0.7, -0.2, -0.6], duration=0.5)
    rail = Constraint("rail", "tip", frame, held=("x",))
    asked, free = (gw.demands(OPEN, motion, laws=laws, contact=force, samples=5)
                   for laws, force in (([rail], {"rail": 20.0}), ((), None)))  # fmt: skip
    push = 20.0 * np.array(TILT)[:, 0]
    J = np.array([gw.jacobian(OPEN, q, "tip")[:3] for q in asked.motion.q])
    assert asked.tau == pytest.approx(free.tau - np.einsum("tij,i->tj", J, push), abs=1e-9)
    wrenches, left_out = contact_wrenches(gw.assemble(OPEN), [rail], {"rail": 20.0}, np.zeros(1))
    assert not left_out
    assert [float(np.squeeze(x)) for x in wrenches[0].force] == pytest.approx(push, abs=1e-14)


@pytest.mark.parametrize("frame", [*STILL, "base"])
def test_what_must_move_a_frame_refuses_one_that_stands_still(frame):
    pose = gw.placement(OPEN, Q, frame)
    calls = [
        lambda: gw.inverse_kinematics(OPEN, frame, pose),
        lambda: gw.control.operational_space(OPEN, frame, pose, frequency=10.0, orientation=False),
    ]
    for call in calls:
        with pytest.raises(InputError, match=f"frame {frame!r}.* base"):
            call()
    assert gw.planning.external_coordinates(OPEN, Q, frame)[:3] == pytest.approx(pose[1], abs=1e-15)
    assert not gw.planning.external_jacobian(OPEN, Q, frame).any()


@pytest.mark.parametrize("frame", STILL)
def test_inverse_kinematics_of_a_machine_that_is_pinned_to_the_ground(frame):
    robot = arm(loop=frame)
    q = closed(robot)
    pose = gw.placement(robot, q, "rocker")
    found = gw.inverse_kinematics(robot, "rocker", (None, pose.position), start=q)
    assert bool(found.reached)
    assert gw.placement(robot, found.q, "tip").position == pytest.approx(WHERE, abs=1e-8)


def test_force_control_against_a_desk_that_stands_in_a_frame_of_the_base():
    elbow = gw.load("elbow")
    robot = replace(elbow, frames=[*elbow.frames, Frame("desk_top", "base", (0, 0, 0.1), TILT)])
    desk = Constraint("desk", "tool", "desk_top", held=("z",))
    world = replace(desk, relative_to=fixed_frame("world", (0, 0, 0.1), TILT))
    start = project(robot, [0.3, -0.3, 0.9], [desk])
    pose, runs = gw.placement(robot, start.q, "tool"), []
    for law in (desk, world):
        control = gw.control.hybrid_control(
            robot, law, (pose.rotation, pose.position), 10.0, gains=gw.control.ForceGains(frequency=20.0)
        )
        runs.append(gw.simulate(robot, start, until=0.05, laws=[law], controller=control, samples=3))
    assert runs[0]["desk.force.z"] == pytest.approx(10.0, abs=1e-6)
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-8)
    with pytest.raises(InputError, match=r"'link1'.*link"):
        gw.control.hybrid_control(
            robot,
            replace(desk, relative_to="link1"),
            (pose.rotation, pose.position),
            10.0,
            gains=gw.control.ForceGains(frequency=20.0),
        )


@pytest.mark.parametrize("frame", STILL)
def test_a_process_that_pushes_the_ground_asks_nothing_of_the_robot(frame):
    there = polynomial([0.9, -0.3, -0.4], [0.7, -0.2, -0.6], duration=0.5)
    push = ProcessForce(frame, (30.0, 40.0, 50.0), (1.0, 2.0, 3.0), axes="frame")
    bare = replace(OPEN.drives[0], motor=replace(OPEN.drives[0].motor, mass=0.0))
    robot = replace(OPEN, drives=[replace(bare, joint=link.joint_name) for link in OPEN.links[1:]])
    pushed, free = (analyse(robot, Task(there, forces=forces)) for forces in ([push], []))
    for joint, drive in free.drives.items():
        assert pushed.drives[joint].rms_torque == pytest.approx(drive.rms_torque, rel=1e-12)
    mech, q = gw.assemble(robot, "tree"), there.sample(3).q
    found = wrenches_by_body(mech, q, applied_wrenches(mech, q, np.zeros(3), [push]))
    assert set(found) == {"base" if frame == "ground_pin" else "pedestal"}
    with pytest.raises(InputError, match=r"'ground_pin'.*base"):
        analyse(robot, Task(there, tip="ground_pin", required={"tip_deflection": 1e-3}))


@pytest.mark.parametrize("frame", STILL)
def test_a_loop_to_the_ground_goes_to_mjcf_and_back(frame, tmp_path):
    """MuJoCo writes it as `connect` to the world, which is then a loop with one freedom again."""
    robot = arm(loop=frame)
    q = closed(robot)
    path = tmp_path / "arm.xml"
    gw.export.mjcf(robot, path)
    back = gw.load(path)
    assert len(back.loops) == 1
    start = project(back, q)
    assert start.q == pytest.approx(q, abs=1e-8)
    assert free_speeds(back, start.q).names == ("crank_joint",)
    v = free_speeds(robot, q).directions[:, 0]
    assert free_speeds(back, start.q).directions[:, 0] == pytest.approx(v, abs=1e-8)


@pytest.mark.parametrize("frame", STILL)
def test_a_still_frame_is_drawn_where_it_stands(frame):
    scene = scene_of(OPEN)
    at = drawing._named_frames(scene, scene.body_placements(Q))[frame]
    assert at[0] == pytest.approx(np.array(TILT), abs=1e-15)
    assert at[1] == pytest.approx(WHERE, abs=1e-15)


def test_the_base_is_none_of_the_bodies():
    mech = gw.assemble(OPEN)
    assert mech.body_paths[BASE] == ()
    assert mech.carrier_name(BASE) == "base"
    assert not mech.is_moved(BASE)
    for values in (mech.joints, PerBody("ab")):
        with pytest.raises(StructureError, match="base"):
            values[BASE]
    with pytest.raises(InputError, match=r"body -1: .* 0 to 3"):
        gw.jacobian(mech, Q, BASE)  # who writes -1 may mean the last one
    with pytest.raises(StructureError, match=r"frame.*'base'"):
        gw.assemble(replace(OPEN, frames=[Frame("base", "crank")]))


def test_no_source_compares_a_body_with_a_bare_number():
    """The index of the base has one name, `BASE`."""
    bare = re.compile(r"\b(carrier|parent|host|body|parent_of\(\w+\))\)? *((==|!=) *-1\b|(<|>=) *0\b|in \(-1\b)")
    sources = sorted(Path(gw.__file__).parent.rglob("*.py"))
    lines = [f"{path.name}: {line}" for path in sources for line in path.read_text().splitlines() if bare.search(line)]
    assert lines == []
