"""Graphs of links and joints: the open tree is chosen, and the machine is that of a tree cut by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import gearwright as gw
from contact.test_closing_joints import GROUND, LENGTHS, four_bar, machine
from gearwright.errors import FileError, StructureError
from gearwright.files import read_yaml
from gearwright.functions.constrained.closing import speed_directions, whole_motion
from gearwright.parts import Connection, Drive, Frame, Gear, Joint, JointSpring, Limits, Link, Motor, linkage
from support.closed_machines import closed_state, projected_accelerations


def bar(name: str) -> Link:
    """A bar of the four-bar, its frame at its first end."""
    length = LENGTHS[name]
    tensor = ((1e-3, 0, 0), (0, length**2 / 12, 0), (0, 0, length**2 / 12))
    return Link(name, mass=1.0, com=(length / 2, 0.02, 0), inertia=tensor)


def pin(name: str, parent: str, x: float, child: str, y: float = 0.0, **fields: object) -> Connection:
    """A hinge about z at x of the parent and y of the child, with the friction of the four-bar cut by hand."""
    damping = {"a": 0.05, "b": 0.04, "c": 0.03, "d": 0.02}[name]
    joint = Joint(name, axis=(0, 0, 1), position=(x, 0, 0), damping=damping, friction=2 * damping, **fields)
    return Connection(joint, parent, child, (y, 0, 0))


PINS = [
    pin("a", "base", 0.0, "crank"),
    pin("b", "crank", LENGTHS["crank"], "coupler"),
    pin("c", "coupler", LENGTHS["coupler"], "rocker", LENGTHS["rocker"]),
    pin("d", "base", GROUND, "rocker"),
]
DRIVE = Drive("a", Motor(3e-4, 0.2, position=(0, 0, 0.1)), Gear(30.0), "base")
REFERENCE = {"a": 0.7, "b": -0.2, "c": 1.0, "d": 1.5}


def graph_machine(pins: list[Connection], drives: list[Drive], **fields: object) -> gw.Mechanism:
    robot = linkage("four_bar", [bar(name) for name in LENGTHS], pins, drives=drives, gravity=(0, -9.81, 0), **fields)
    tree = gw.assemble(robot, "tree")
    return gw.assemble(robot, independent=["a"], start=[REFERENCE[name] for name in tree.speeds])


def exchanged(connection: Connection) -> Connection:
    """The same joint stated from its child: the coordinate counts the other way about the opposite axis."""
    joint = connection.joint
    axis = tuple(-np.array(joint.axis, dtype=float))
    turned = replace(joint, axis=axis, position=connection.position, rotation=connection.rotation)
    return Connection(turned, connection.child, connection.parent, joint.position, joint.rotation)


def test_the_machine_is_that_of_a_tree_cut_by_hand():
    wanted, mech = machine("c"), graph_machine(PINS, [DRIVE])
    q, p = wanted.closed([0.9]), mech.closed([0.9])
    assert gw.inverse_dynamics(mech, p, [2.0], [1.5]) == pytest.approx(
        gw.inverse_dynamics(wanted, q, [2.0], [1.5]), rel=1e-10
    )


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::9])
@pytest.mark.parametrize("turned", [(2,), (0, 3), (0, 1, 2, 3)])
def test_neither_order_nor_direction_of_the_joints_matters(order, turned):
    """Every coordinate is as stated: a joint stated from its child about the opposite axis has the same one."""
    pins = [exchanged(x) if k in turned else x for k, x in enumerate(PINS)]
    drive = replace(DRIVE, axis=(0, 0, 1))
    wanted, mech = graph_machine(PINS, [DRIVE]), graph_machine([pins[k] for k in order], [drive])
    q, p = wanted.closed([0.9]), mech.closed([0.9])
    at = [mech.coordinates.index(name) for name in wanted.coordinates]
    assert p[at] == pytest.approx(q, abs=1e-9)
    assert gw.inverse_dynamics(mech, p, [2.0], [1.5]) == pytest.approx(
        gw.inverse_dynamics(wanted, q, [2.0], [1.5]), rel=1e-9
    )


def test_a_chain_stated_from_its_tip():
    """No loop, but every joint stated from the far link: the arm with the same coordinates, rotors included."""
    arms = []
    for stated_from_tip in (False, True):
        pins = [
            Connection(Joint("s", axis=(0, 0.6, 0.8)), "base", "upper", (0.1, 0.2, 0)),
            Connection(Joint("e", axis=(0, 1, 0), position=(0.4, 0, 0)), "upper", "fore", (0, 0, 0.05)),
            Connection(Joint("w", "prismatic", axis=(1, 0, 0), position=(0.3, 0, 0)), "fore", "hand"),
        ]
        pins = [exchanged(x) for x in pins] if stated_from_tip else pins
        drives = [
            Drive("s", Motor(1e-4, 0.1), Gear(50.0), "base", (0, 0.6, 0.8)),
            Drive("e", Motor(1e-4, 0.1, position=(0.4, 0, 0)), Gear(-40.0), "upper", (0, 1, 0)),
        ]
        heavy = dict(mass=1.0, com=(0.1, 0.02, 0.03), inertia=np.diag([0.01, 0.02, 0.025]))
        links = [Link(name, **heavy) for name in ("hand", "fore", "upper")]
        frames = [Frame("tip", "hand", (0.1, 0, 0))]
        arms.append(linkage("arm", links, pins, drives=drives, frames=frames))
    mechs = [gw.assemble(robot) for robot in arms]
    assert mechs[0].speeds == mechs[1].speeds == ("s", "e", "w")
    q, v, a = np.random.default_rng(0).normal(size=(3, 3))
    for function in (lambda m: gw.inverse_dynamics(m, q, v, a), lambda m: gw.placement(m, q, "tip").position):
        assert function(mechs[1]) == pytest.approx(function(mechs[0]), rel=1e-12)


@pytest.mark.parametrize("gear", [Gear(20.0), gw.parts.Planetary(sun=18, ring=72, planet=27, planets=3)], ids=str)
def test_a_driven_joint_stated_from_its_outer_link(gear):
    """The motor sits on the stated parent, here the outer link, and the sense of its gear is kept."""
    links = [Link("upper", mass=1.0, com=(0.2, 0, 0), inertia=np.diag([0.01] * 3))]
    door = Connection(Joint("s", axis=(0, 0, 1)), "upper", "base")
    drive = Drive("s", Motor(1e-3, 0.1), Gear(gear.ratio))
    mech = gw.assemble(linkage("door", links, [door], drives=[drive]))
    spin = mech.spins[0]
    assert mech.carrier_name(spin.carrier) == "upper"
    assert np.array([*spin.axis]) * spin.ratio[0] == pytest.approx([0, 0, gear.ratio])


def test_loops_are_short():
    """A ladder of six rungs: every loop has four bars, although a chain visits them all."""
    names, pins = [], []
    for k in range(6):
        names += [f"left{k}", f"right{k}"]
        below = [f"left{k - 1}", f"right{k - 1}"] if k else ["base", "base"]
        pins += [
            Connection(Joint(f"{side}_{k}", position=(x, 1, 0)), parent, f"{side}{k}")
            for side, parent, x in zip(("left", "right"), below, (0, 0), strict=True)
        ]
        names.append(f"rung{k}")
        pins += [
            Connection(Joint(f"r{k}", position=(0, 1, 0)), f"left{k}", f"rung{k}"),
            Connection(Joint(f"s{k}", position=(1, 0, 0)), f"rung{k}", f"right{k}", (0, 1, 0)),
        ]
    links = [Link(name, mass=1.0, inertia=np.eye(3)) for name in names]
    for order in (1, -1):
        robot = linkage("ladder", links, pins[::order])
        mech = gw.assemble(robot, "tree")
        lengths = []
        for loop in robot.loops:
            paths = [set(mech.body_paths[mech.place_of(frame)[0]]) for frame in loop.frames]
            lengths.append(len([i for i in paths[0] ^ paths[1] if mech.bodies[i].kind.speeds]))
        assert sorted(lengths) == [4, *[6] * 5]  # each rung joins two sides, which turn about the rung below


@pytest.mark.parametrize("name", ["b", "c", "d"])
def test_springs_and_end_stops_of_a_joint_act_wherever_the_loop_is_cut(name):
    """A spring at one joint and end stops at it, in linkages that are cut at other joints and at this one."""
    start = machine("c").closed([0.7])
    at = dict(zip(machine("c").coordinates, start, strict=True))
    fields = {"spring": JointSpring(40.0, 0.3, at[name] - 0.3), "limits": Limits((at[name] - 0.01, at[name] + 0.01))}
    runs = []
    for cut in (name, "d" if name == "b" else "b"):
        robot, mech = four_bar(cut).with_joint(name, **fields), machine(cut)
        run = gw.simulate(robot, mech.closed([0.7]), until=0.3, samples=7)
        runs.append(run.q[:, [mech.coordinates.index(x) for x in ("a", name)]])
    assert np.abs(runs[0][:, 1] - at[name]).max() == pytest.approx(0.01, abs=1e-6)  # it reaches a stop
    assert runs[1] == pytest.approx(runs[0], abs=1e-6)


YAML = """
robot: four_bar
gravity: [0, -9.81, 0]
links:
  - {name: rocker, mass: 1, com: [0.25, 0.02, 0], inertia: {xx: 0.001, yy: 0.0208333333333333, zz: 0.0208333333333333}}
  - {name: crank, mass: 1, com: [0.15, 0.02, 0], inertia: {xx: 0.001, yy: 0.0075, zz: 0.0075}}
  - {name: coupler, mass: 1, com: [0.35, 0.02, 0], inertia: {xx: 0.001, yy: 0.0408333333333333, zz: 0.0408333333333333}}
joints:
  - {parent: base, joint: {name: a, axis: [0, 0, 1]}, child: {link: crank}}
  - {parent: crank, joint: {name: b, axis: [0, 0, 1], position: [0.3, 0, 0]}, child: {link: coupler}}
  - {parent: coupler, joint: {name: c, axis: [0, 0, 1], position: [0.7, 0, 0], limits: {position: [-2, 2]}},
     child: {link: rocker, position: [0.5, 0, 0]}}
  - {parent: base, joint: {name: d, axis: [0, 0, 1], position: [0.8, 0, 0], friction: 0.1}, child: {link: rocker}}
drives:
  - {joint: a, mounted_on: base, motor: {inertia: 0.0003, mass: 0.2, position: [0, 0, 0.1]}, gear: {ratio: 30}}
"""


def test_a_file_states_a_graph(tmp_path):
    path = tmp_path / "bars.yaml"
    path.write_text(YAML)
    robot = gw.load(path)
    mech = gw.assemble(robot, start=[REFERENCE[name] for name in gw.assemble(robot, "tree").speeds])
    wanted = machine("c")
    q, p = wanted.closed([0.9]), mech.closed([0.9])
    assert gw.inverse_dynamics(mech, p, [2.0], [1.5]) == pytest.approx(
        gw.inverse_dynamics(wanted, q, [2.0], [1.5]), rel=1e-10
    )
    cut = robot.loops[0].name
    assert robot.link_of_joint("c").joint.limits.position == (-2, 2)
    gw.save(robot, tmp_path / "again.yaml")
    again = gw.assemble(gw.load(tmp_path / "again.yaml"), start=mech.reference)
    assert gw.inverse_dynamics(again, p, [2.0], [1.5]) == pytest.approx(gw.inverse_dynamics(mech, p, [2.0], [1.5]))
    assert cut in ("b", "c", "d")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("child: {link: crank}", "child: {link: krank}"), "krank"),
        (("{parent: base, joint: {name: a,", "{parent: nowhere, joint: {name: a,"), "nowhere"),
        (("joint: {name: b,", "joint: {name: a,"), "joints.*'a'"),
        (("joint: {name: b, ", "joint: {"), "name"),
        (("axis: [0, 0, 1], position: [0.3, 0, 0]}", "dh: {a: 0.3}}"), "'b'"),
        (("  - {name: crank, mass", "  - {name: idle, mass: 1}\n  - {name: crank, mass"), "parent"),
        (("  - {name: crank, mass", "  - {name: crank, parent: base, mass"), "joint"),
        (("joint: {name: d,", "joint: {name: d, kind: ball,"), "ball"),
    ],
)
def test_bad_graphs_of_a_file(change, named):
    assert change[0] in YAML
    with pytest.raises(FileError, match=named):
        read_yaml(YAML.replace(*change))


def test_units_of_joints_of_a_graph_are_those_of_its_kind():
    wrong = YAML.replace("gear: {ratio: 30}", "gear: {ratio: 30, stiffness: 5 N/m}")
    with pytest.raises(FileError, match="revolute"):
        read_yaml(wrong)


def test_bad_linkages():
    links = [Link("rod", mass=1.0), Link("tip", mass=1.0)]
    with pytest.raises(StructureError, match="tip"):
        linkage("r", links, [Connection(Joint("a"), "base", "rod")])
    with pytest.raises(StructureError, match="nothing"):
        linkage("r", links, [Connection(Joint("a"), "base", "nothing")])
    with pytest.raises(StructureError, match=r"joints.*'a'"):
        linkage("r", links, [Connection(Joint("a"), "base", "rod"), Connection(Joint("a"), "rod", "tip")])
    with pytest.raises(StructureError, match="name"):
        Connection(Joint(), "base", "rod")
    with pytest.raises(StructureError, match=r"'a' connects 'rod' with itself"):
        Connection(Joint("a"), "rod", "rod")
    with pytest.raises(StructureError, match=r"two links are called 'rod'"):
        linkage("r", [links[0], links[0]], [Connection(Joint("a"), "base", "rod")])
    with pytest.raises(StructureError, match=r"'rod'.*connections"):
        linkage("r", [Link("rod", joint=Joint("own"))], [Connection(Joint("a"), "base", "rod")])
    table = Connection(Joint("table", "planar"), "rod", "base")
    with pytest.raises(StructureError, match=r"'table'.*Exchange"):
        linkage("r", links[:1], [table])


@pytest.mark.parametrize("kind", ["universal", "spherical"])
def test_a_joint_of_several_speeds_stated_from_its_outer_link(kind):
    """The outer link is placed by the inverse of the joint's displacement; its angles come in the other order."""
    first, second = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])
    axes = {"axis": tuple(first), "axis2": tuple(second)} if kind == "universal" else {}
    own, other = np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.1, 0.2])
    joint = Connection(Joint("j", kind, position=tuple(own), **axes), "outer", "base", tuple(other))
    mech = gw.assemble(linkage("r", [Link("outer", mass=1.0, inertia=np.eye(3))], [joint]))
    a, b = 0.4, -0.7
    turn = Rotation.from_rotvec(a * first) * Rotation.from_rotvec(b * second)
    quaternion = np.roll(turn.inv().as_quat(), 1)
    q = np.concatenate([[b, a]]) if kind == "universal" else quaternion
    placed = gw.placement(mech, q, "outer")
    assert placed.rotation == pytest.approx(turn.inv().as_matrix(), abs=1e-12)
    assert placed.position == pytest.approx(other - turn.inv().as_matrix() @ own, abs=1e-12)


def platform_leg(k):
    """One of six legs: a lower and an upper part with a slide, with a universal joint below and a ball above."""
    foot, head = (np.deg2rad(x[k]) for x in ((10, 110, 130, 230, 250, 350), (50, 70, 170, 190, 290, 310)))
    start = np.array([0.5 * np.cos(foot), 0.5 * np.sin(foot), 0.0])
    end = np.array([0.3 * np.cos(head), 0.3 * np.sin(head), -0.02])
    along = end - start + np.array([0, 0, 0.8])
    length = np.linalg.norm(along)
    side = np.cross([0, 1, 0], along)
    x, z = side / np.linalg.norm(side), along / length
    rod = dict(mass=0.2, inertia=np.diag([1e-3, 1e-3, 1e-4]))
    links = [Link(f"low{k}", com=(0, 0, 0.1), **rod), Link(f"high{k}", com=(0, 0, -0.1), **rod)]
    foot_joint = Joint(
        f"foot{k}", "universal", axis=(1, 0, 0), axis2=(0, 1, 0), position=tuple(start),
        rotation=np.column_stack([x, np.cross(z, x), z]),
    )  # fmt: skip
    return links, [
        Connection(foot_joint, "base", f"low{k}"),
        Connection(Joint(f"slide{k}", "prismatic", position=(0, 0, length)), f"low{k}", f"high{k}"),
        Connection(Joint(f"ball{k}", "spherical", position=tuple(end)), "top", f"high{k}"),
    ]


def assert_projected(robot, start=None, size=0.05):
    """Accelerations of all speeds against a projection of the open tree, at moving states."""
    mech = gw.assemble(robot, start=start)
    for seed in range(3):
        q, v, tau = closed_state(mech, seed, size)
        whole, V, A = whole_motion("test", mech, q, v, gw.forward_dynamics(mech, q, v, tau))
        forces = np.zeros(mech.tree.n)
        forces[list(mech.closure.independent)] = tau
        wanted = projected_accelerations(robot, mech, whole, V, forces)
        assert np.abs(A - wanted).max() < 1e-11 * np.abs(wanted).max()
    return mech


def test_a_platform_on_six_legs():
    links, connections = [Link("top", mass=5.0, com=(0.01, 0.02, 0.05), inertia=np.diag([0.1, 0.12, 0.2]))], []
    for k in range(6):
        more, joints = platform_leg(k)
        links, connections = links + more, connections + joints
    drives = [Drive(f"slide{k}", Motor(1e-4), Gear(200.0)) for k in range(6)]
    mech = assert_projected(linkage("platform", links, connections, drives=drives), size=0.02)
    assert mech.speeds == tuple(f"slide{k}" for k in range(6))


def six_cylinders():
    """The crank train of an engine whose two banks stand at 60 degrees."""
    links = [Link("crank", mass=10.0, inertia=np.diag([0.3, 0.3, 0.3]))]
    connections = [Connection(Joint("shaft", axis=(1, 0, 0)), "base", "crank")]
    for k in range(6):
        bank, throw = np.deg2rad(30 if k % 2 else -30), np.deg2rad(120 * (k // 2))
        up = np.array([0, -np.sin(bank), np.cos(bank)])
        frame = np.column_stack([[1, 0, 0], np.cross(up, [1, 0, 0]), up])
        pin = np.array([0.1 * k, -0.05 * np.sin(throw), 0.05 * np.cos(throw)])
        links.append(Link(f"piston{k}", mass=0.5, inertia=np.diag([1e-4] * 3)))
        links.append(Link(f"rod{k}", mass=0.4, com=(0, 0, -0.1), inertia=np.diag([1e-3, 1e-3, 1e-4])))
        slide = Joint(f"slide{k}", "prismatic", rotation=frame, position=(0.1 * k, 0, 0))
        connections.append(Connection(slide, "base", f"piston{k}"))
        connections.append(Connection(Joint(f"gudgeon{k}", axis=(1, 0, 0)), f"piston{k}", f"rod{k}"))
        big_end = Joint(f"pin{k}", axis=(1, 0, 0), position=tuple(pin))
        connections.append(Connection(big_end, "crank", f"rod{k}", (0, 0, -0.2)))
    return linkage("engine", links, connections, independent=["shaft"])


def test_a_crank_train_of_six_cylinders():
    mech = assert_projected(six_cylinders(), size=0.3)
    assert mech.speeds == ("shaft",)
    assert len(mech.redundant) == 18  # three rows of every planar loop that is welded
    q = np.linspace(mech.reference[0], mech.reference[0] + 2 * np.pi, 9)
    ways = mech.closed(q[:, None])
    strokes = [ways[:, mech.coordinates.index(f"slide{k}")] for k in range(6)]
    assert [x[-1] for x in strokes] == pytest.approx([x[0] for x in strokes], abs=1e-9)


def test_a_rod_without_mass():
    """Crank and slider joined by a massless rod with a ball and a universal joint: only its length acts."""
    heavy = dict(inertia=np.diag([0.02, 0.01, 0.01]))
    links = [Link("crank", mass=1.0, com=(0, 0.25, 0.1), **heavy), Link("slider", mass=2.0, **heavy), Link("rod")]
    end, offset, ball = np.array([1.0, -0.3, -0.1]), np.array([-0.2, 0.2, 0.0]), np.array([0.0, 0.5, 0.1])
    joints = [
        Connection(Joint("turn", axis=(1, 0, 0)), "base", "crank"),
        Connection(Joint("slide", "prismatic", axis=(1, 0, 0), position=(1.2, 0, 0)), "base", "slider"),
        Connection(
            Joint("fork", "universal", axis=(0, 1, 0), axis2=(0, 0, 1), position=tuple(offset)), "slider", "rod"
        ),
        Connection(Joint("ball", "spherical", position=tuple(ball)), "crank", "rod", tuple(-end)),
    ]
    robot = linkage("rod", links, joints, gravity=(0, -9.81, 0), independent=["turn"])
    mech = assert_projected(robot)
    turn, slide = (mech.coordinates.index(name) for name in ("turn", "slide"))

    def slide_at(angle):
        arm = Rotation.from_rotvec([angle, 0, 0]).apply(ball)
        across = (arm - offset)[1:]
        return arm[0] + np.sqrt(end @ end - across @ across) - offset[0] - 1.2

    angles = mech.reference[turn] + np.array([-0.4, 0.0, 0.4])
    assert mech.closed(angles[:, None])[:, slide] == pytest.approx([slide_at(x) for x in angles], abs=1e-10)
    run = gw.simulate(mech, mech.reference, until=0.3, samples=3)
    energies = [
        gw.kinetic_energy(mech.tree, *x) + gw.potential_energy(mech.tree, x[0]) for x in zip(run.q, run.v, strict=True)
    ]
    assert np.ptp(energies) < 1e-8
    assert abs(run.v[-1, turn]) > 0.1


def gas_force(s, speed, t, ops):
    """More pressure while the piston goes down than while it is pushed up, both falling with the volume."""
    return ops.where(speed < 0.0, 900.0, 300.0) * 0.02 / (0.35 - s)


def test_an_engine_with_a_gas_force():
    """A piston on a rod without mass against the equation of the crank alone, integrated by SciPy."""
    r, length, inertia, mass, g = 0.1, 0.2, 0.3, 1.5, 9.81
    links = [Link("crank", mass=1.0, inertia=np.diag([inertia] * 3)), Link("piston", mass=mass), Link("rod")]
    up = {"axis": (0, 0, 1)}
    joints = [
        Connection(Joint("shaft", axis=(1, 0, 0)), "base", "crank"),
        Connection(Joint("slide", "prismatic", **up), "base", "piston"),
        Connection(Joint("gudgeon", axis=(1, 0, 0)), "piston", "rod"),
        Connection(Joint("pin", axis=(1, 0, 0), position=(0, 0, r)), "crank", "rod", (0, 0, -length)),
    ]
    robot = linkage("engine", links, joints, gravity=(0, 0, -g), independent=["shaft"])
    tree = gw.assemble(robot, "tree")
    near = {"slide": r + length}
    mech = gw.assemble(robot, start=[near.get(name, 0.0) for name in tree.coordinates])
    gas = gw.forces.FunctionForce("gas", gw.forces.Line.for_machine(tree, "slide"), lambda *x: -gas_force(*x), "N")
    start = gw.State(mech.closed([0.3]), mech.closed([0.3]) * 0.0)
    v0 = speed_directions(mech, start.q) @ [30.0]
    t = np.linspace(0.0, 0.6, 13)
    exact = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    run = gw.simulate(robot, gw.State(start.q, v0), until=t[-1], samples=t, extra_laws=[gas], integrator=exact)

    def rates(_, y):
        angle, speed = y
        root = np.sqrt(length**2 - (r * np.sin(angle)) ** 2)
        slope = -r * np.sin(angle) - r**2 * np.sin(angle) * np.cos(angle) / root
        bend = -r * np.cos(angle) - r**2 * np.cos(2 * angle) / root - (r**2 * np.sin(2 * angle) / 2) ** 2 / root**3
        x, moving = r * np.cos(angle) + root, slope * speed
        force = -(900.0 if moving < 0 else 300.0) * 0.02 / (0.35 - x) - mass * g
        return [speed, (force * slope - mass * slope * bend * speed**2) / (inertia + mass * slope**2)]

    wanted = solve_ivp(rates, (0.0, t[-1]), [0.3, 30.0], t_eval=t, rtol=1e-11, atol=1e-11, max_step=1e-4)
    shaft = mech.coordinates.index("shaft")
    assert run.q[:, shaft] == pytest.approx(wanted.y[0], abs=1e-6)
    assert run.v[:, shaft] == pytest.approx(wanted.y[1], abs=1e-5)
    assert run.drift < 1e-8
