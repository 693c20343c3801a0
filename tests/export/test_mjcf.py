"""MJCF that Gearwright writes: against its own approximations, against the exact machine, and read back."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue.loading import robots
from gearwright.errors import FileError, InputError
from gearwright.export.mujoco.actuators import write_actuators
from gearwright.export.mujoco.bodies import unit_quaternion
from gearwright.export.mujoco.coordinates import MujocoCoordinates, rotation_from_quaternion
from gearwright.export.mujoco.document import build_document, document_text
from gearwright.export.mujoco.mjcf import acceleration_error
from gearwright.files import write_yaml
from gearwright.files.mjcf.reader import read_mjcf_with_report
from gearwright.parts import (
    Drive,
    Frame,
    Friction,
    Gear,
    Joint,
    JointSpring,
    Limits,
    Link,
    Motor,
    NamedState,
    PassiveSpring,
    Planetary,
    Robot,
    Servo,
    Tendon,
)
from support.compare import relative
from support.machines import random_design
from support.mjcf_agreement import full_matrix

REFUSED = {"manutec_r3", "manutec_r3_full", "mini_cheetah", "mini_cheetah_leg", "puma560"}
"""Bundled robots with links that no body can be."""
TAKEN = [name for name in robots() if name not in REFUSED]


class Written:
    """A machine as MuJoCo compiles what was written of it."""

    def __init__(self, mech: gw.Mechanism, form: str) -> None:
        made = build_document(mech, "machine", form, {})
        write_actuators(made, Robot("machine", ()), voltage=False)
        self.mech, self.made = mech, made
        self.model = mujoco.MjModel.from_xml_string(document_text(made))
        self.data = mujoco.MjData(self.model)
        self.where = MujocoCoordinates(mech, self.model, made.joints, made.scales, made.hinges)

    def state(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        q = np.asarray(gw.integrate(self.mech, gw.neutral(self.mech), rng.normal(size=self.mech.n)))
        return q, rng.normal(size=self.mech.n)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        self.data.qpos = self.where.mujoco_positions(q)
        mujoco.mj_fwdPosition(self.model, self.data)
        G = self.where.speed_matrix(q)
        return G.T @ full_matrix(self.model, self.data) @ G

    def accelerations(self, q, v, tau) -> np.ndarray:
        self.data.qpos, self.data.qvel = self.where.mujoco_positions(q), self.where.speed_matrix(q) @ v
        self.data.qfrc_applied = self.where.mujoco_forces(q, tau)
        mujoco.mj_forward(self.model, self.data)
        return self.where.machine_accelerations(q, v, self.data.qacc)


@pytest.mark.parametrize("form", ["reflected", "diagonal"])
@pytest.mark.parametrize("name", TAKEN)
def test_armature_is_the_approximation_of_that_name(name, form):
    mech = gw.assemble(gw.load(name), "tree")
    told, there = gw.approximate(mech, form), Written(mech, form)
    for seed in range(3):
        q, v = there.state(seed)
        tau = np.random.default_rng(seed).normal(size=mech.n)
        assert relative(there.mass_matrix(q), gw.mass_matrix(told, q)) < 1e-12
        assert relative(there.accelerations(q, v, tau), gw.forward_dynamics(told, q, v, tau)) < 1e-10


@pytest.mark.parametrize("name", TAKEN)
def test_wheels_as_bodies_are_nearly_exact(name):
    mech = gw.assemble(gw.load(name), "tree")
    there = Written(mech, "bodies")
    assert not there.made.not_representable
    q, _ = there.state(0)
    assert relative(there.mass_matrix(q), gw.mass_matrix(mech, q)) < 1e-12  # along the equalities it is exact
    assert acceleration_error(mech, there.where) < 1e-3


@pytest.mark.parametrize("seed", range(6))
def test_random_machines_with_every_kind_of_joint(seed):
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(["revolute", "prismatic", "spherical", "fixed"], size=5)]
    first = "free" if seed % 2 else "revolute"
    for form in ("reflected", "bodies"):
        chain = form == "reflected"  # MuJoCo adds a tendon's inertia along one branch only
        mech = random_design(rng, [first, *kinds, "revolute"], wheels=4, twins=False, chain=chain).written()
        there = Written(mech, form)
        q, v = there.state(seed)
        told = gw.approximate(mech, "reflected") if form == "reflected" else mech
        assert relative(there.mass_matrix(q), gw.mass_matrix(told, q)) < 1e-10
        if form == "reflected":
            tau = rng.normal(size=mech.n)
            assert relative(there.accelerations(q, v, tau), gw.forward_dynamics(told, q, v, tau)) < 1e-8


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_links_that_no_body_can_be_are_named(name, tmp_path):
    robot = gw.load(name)
    with pytest.raises(InputError, match="MuJoCo") as caught:
        gw.export.mjcf(robot, tmp_path / "robot.xml")
    assert any(link.name in str(caught.value) for link in robot.links)
    assert not list(tmp_path.iterdir())


def test_a_run_of_the_elbow_with_rotor_bodies(tmp_path):
    """Half a second under exact torques of a motion: 1 ms with RK4, below 1e-5 rad; with armature 1e-2."""
    robot = gw.load("elbow")
    mech = gw.assemble(robot)
    ends = {}
    for form in ("bodies", "diagonal"):
        gw.export.mjcf(robot, tmp_path / "elbow.xml", form)
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "elbow.xml"))
        model.opt.timestep, model.opt.integrator = 1e-3, int(mujoco.mjtIntegrator.mjINT_RK4)
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        data = mujoco.MjData(model)
        dofs = [int(model.joint(name).dofadr[0]) for name in mech.speeds]
        w, A = np.array([4.0, 6.0, 8.0]), np.array([0.8, 0.6, 0.9])

        def motion(t, w=w, A=A):
            return A * np.sin(w * t), A * w * np.cos(w * t), -A * w**2 * np.sin(w * t)

        v = motion(0.0)[1]
        for wheel, ratio in (
            {"j1.rotor": 120.0, "j2.rotor": 100.0, "j3.rotor": 80.0}.items() if form == "bodies" else ()
        ):
            joint = int(wheel[1]) - 1
            data.qvel[model.joint(wheel).dofadr[0]] = ratio * v[joint]
        data.qvel[dofs] = v
        for _ in range(500):
            data.qfrc_applied[dofs] = gw.inverse_dynamics(mech, *motion(data.time + 0.5e-3))
            mujoco.mj_step(model, data)
        ends[form] = float(np.abs(data.qpos[dofs] - motion(0.5)[0]).max())
    assert ends["bodies"] < 1e-5
    assert ends["diagonal"] > 1e-3


@pytest.mark.parametrize("form", ["reflected", "bodies", "diagonal"])
@pytest.mark.parametrize("name", ["elbow", "wrist_puma", "harmonic_6", "scara", "planetary_2r_5", "grm3", "sea_leg"])
def test_with_its_sidecar_the_robot_comes_back(name, form, tmp_path):
    robot = gw.load(name)
    report = gw.export.mjcf(robot, tmp_path / "robot.xml", form)
    assert write_yaml(gw.load(tmp_path / "robot.xml")) == write_yaml(robot)
    assert [path.name for path in report.files] == ["robot.xml", "robot.gearwright.yaml"]
    assert f"{report.acceleration_error:.1e}" in str(report)


@pytest.mark.parametrize("form", ["reflected", "bodies", "diagonal"])
@pytest.mark.parametrize("name", ["elbow", "panda_like_calibrated", "planetary_2r_5", "humanoid_30"])
def test_without_it_mass_matrix_bias_and_drives_stay(name, form, tmp_path):
    robot = gw.load(name)
    mech = gw.assemble(robot)
    gw.export.mjcf(robot, tmp_path / "robot.xml", form, sidecar=False)
    alone, report = read_mjcf_with_report(tmp_path / "robot.xml")
    assert not report.not_representable
    back = gw.assemble(alone)
    told = mech if form == "bodies" else gw.approximate(mech, form)
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, mech.n))
    assert back.speeds == mech.speeds
    assert relative(gw.mass_matrix(back, q), gw.mass_matrix(told, q)) < 1e-12
    assert relative(gw.bias(back, q, v), gw.bias(told, q, v)) < 1e-10
    assert [(d.title, d.joint, d.gear.ratio) for d in alone.drives] == [
        (d.title, d.joint, d.gear.ratio) for d in robot.drives
    ]


def rich() -> Robot:
    """A robot with everything that MJCF has words for."""
    inertia = np.diag([0.02, 0.03, 0.025])
    return Robot(
        "rich",
        [
            Link("trunk", joint=Joint("float", "free"), mass=8.0, com=(0.01, 0, 0.1), inertia=inertia),
            Link("pan", "trunk", Joint("pan", axis=(0, 0, 1), position=(0, 0, 0.2))),  # only a joint
            Link("tilt", "pan", Joint("tilt", axis=(0, 1, 0), position=(0.1, 0, 0)), 2.0, (0, 0, 0.1), inertia),
            Link(
                "slide",
                "tilt",
                Joint(
                    "slide",
                    "prismatic",
                    (1, 0, 0),
                    limits=Limits((-0.1, 0.2), effort=30.0),
                    friction=Friction(0.3, 0.2),
                    spring=JointSpring(40.0, 1.0, 0.05),
                    armature=0.7,
                ),
                1.5,
                (0.1, 0, 0),
                inertia,
            ),
            Link("twin", "tilt", Joint("twin", axis=(0, 1, 0), follows=("tilt", -0.5, 0.1)), 0.5, (0, 0.1, 0), inertia),
        ],
        [
            Drive("tilt", Motor(1e-4, 0.2, position=(0, 0, 0.2), max_torque=2.0), Gear(50.0), "trunk", (0, 1, 0)),
            Drive("slide", Motor(2e-4, 0.1), Gear(300.0), servo=Servo(80.0, 2.0, torque=(-1, 1), input=(-60, 60))),
        ],
        frames=[Frame("tool", "slide", (0.2, 0, 0)), Frame("mark", "base", (0, 0, 1))],
        springs=[PassiveSpring("cord", {"pan": 1.0, "tilt": 2.0}, 5.0, 0.1, 0.2)],
        tendons=[Tendon("cable", {"pan": 1.0, "slide": 3.0}, 0.02, Motor(1e-3))],
        states=[NamedState("home", {"float.z": 1.0, "tilt": 0.3}, {"float.vx": 0.5, "slide": 0.1})],
    )


@pytest.mark.parametrize("form", ["reflected", "bodies", "diagonal"])
def test_a_robot_with_everything(form, tmp_path):
    robot, path = rich(), tmp_path / "rich.xml"
    report = gw.export.mjcf(robot, path, form)
    assert write_yaml(gw.load(path)) == write_yaml(robot)
    assert report.acceleration_error < (1e-3 if form == "bodies" else 0.5)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.joint("slide").range == pytest.approx([-0.1, 0.2])
    assert model.joint("slide").frictionloss[0] == 0.3
    assert model.joint("slide").damping[0] == pytest.approx(1.2)
    assert model.actuator("tilt").forcerange == pytest.approx([-2, 2])
    assert model.actuator("slide").biasprm[:3] == pytest.approx([0, -80, -2])
    assert model.body_jntnum[model.body("tilt").id] == 2, "a link without mass is only a joint there"
    assert {model.site(k).name for k in range(model.nsite)} == {"tool", "mark"}
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    assert data.joint("float").qpos == pytest.approx([0, 0, 1, 1, 0, 0, 0])
    assert data.joint("tilt").qpos[0] == 0.3
    assert data.joint("twin").qpos[0] == pytest.approx(-0.05)
    mujoco.mj_forward(model, data)
    assert data.site("mark").xpos == pytest.approx([0, 0, 1])


def test_what_is_read_of_it_alone_moves_as_it_does(tmp_path):
    robot, path = rich(), tmp_path / "rich.xml"
    gw.export.mjcf(robot, path, "reflected", sidecar=False)
    alone, _ = read_mjcf_with_report(path)
    told, back = gw.approximate(gw.assemble(robot), "reflected"), gw.assemble(alone)
    q, v = np.asarray(gw.integrate(told, gw.neutral(told), 0.3 * np.ones(told.n))), np.linspace(-1, 1, told.n)
    assert back.speeds == told.speeds
    assert relative(gw.mass_matrix(back, q), gw.mass_matrix(told, q)) < 1e-12
    slide = told.speeds.index("slide")
    bias = np.array(gw.bias(told, q, v))
    bias[slide] += 0.2 * v[slide]  # viscous friction, a law here, is damping there
    assert relative(gw.bias(back, q, v), bias) < 1e-10
    assert alone.drive("slide").servo == robot.drive("slide").servo
    assert (alone.drive("tilt").motor.inertia, alone.drive("tilt").motor.max_torque) == (1e-4, 2.0)
    assert [tendon.name for tendon in alone.tendons] == ["cable"]


def test_coupling_between_branches_is_reported(tmp_path):
    """MuJoCo's sparse mass matrix has no place for it, and says nothing."""
    links = [Link("a", joint=Joint("a"), mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3))]
    links.append(Link("b", joint=Joint("b"), mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3)))
    report = gw.export.mjcf(Robot("two", links, tendons=[Tendon("t", {"a": 1.0, "b": 2.0}, 3.0)]), tmp_path / "two.xml")
    assert any("'t.tendon'" in what for what in report.not_representable)
    assert report.acceleration_error > 0.1
    _, read = read_mjcf_with_report(tmp_path / "two.xml")
    assert any("branches" in note for note in read.notes)


def test_motors_with_a_winding_as_dcmotor(tmp_path):
    robot, path = gw.load("scara"), tmp_path / "scara.xml"
    gw.export.mjcf(robot, path, drives="voltage", sidecar=False)
    alone, _ = read_mjcf_with_report(path)
    for drive in robot.drives:
        back = alone.drive(drive.title).motor
        assert back.torque_constant == pytest.approx(drive.motor.torque_constant)
        assert back.resistance == pytest.approx(drive.motor.resistance)
        assert (back.inductance or 0.0) == pytest.approx(drive.motor.inductance or 0.0)


def test_there_is_something_to_look_at(tmp_path):
    robot = gw.load("panda_like")
    gw.export.mjcf(robot, tmp_path / "panda.xml", "bodies")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "panda.xml"))
    seen = set(model.geom_bodyid)
    assert seen >= set(range(1, model.nbody)) - {0}
    assert not model.geom_contype.any()


@pytest.mark.parametrize("turn", [np.eye(3), np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1])])
def test_quaternions_of_half_turns(turn):
    assert rotation_from_quaternion(np.array(unit_quaternion(turn))) == pytest.approx(turn, abs=1e-15)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"rotors": "body"}, "'bodies'"),
        ({"drives": "current"}, "drives='current'"),
        ({"path": "elbow.urdf"}, r"elbow\.urdf"),
        ({"robot": 3}, "robot=3"),
    ],
)
def test_bad_arguments(arguments, word, tmp_path):
    given = {"robot": gw.load("elbow"), "path": "elbow.xml", **arguments}
    robot, path = given.pop("robot"), tmp_path / given.pop("path")
    with pytest.raises((InputError, FileError), match=word):
        gw.export.mjcf(robot, path, **given)


def test_an_old_sidecar_is_reported(tmp_path):
    gw.export.mjcf(gw.load("elbow"), tmp_path / "elbow.xml")
    report = gw.export.mjcf(gw.load("elbow"), tmp_path / "elbow.xml", sidecar=False)
    assert any("elbow.gearwright.yaml" in what for what in report.not_representable)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="gone"):
        gw.export.mjcf(gw.load("elbow"), tmp_path / "gone" / "elbow.xml")


def test_a_bare_machine_can_be_written(tmp_path):
    report = gw.export.mjcf(gw.assemble(gw.load("elbow")), tmp_path / "machine.xml")
    assert report.files == (Path(tmp_path / "machine.xml"),)


@pytest.mark.parametrize(
    ("gear", "word"),
    [
        (Gear(50.0), None),
        (Gear(50.0, efficiency=0.8), "efficiency"),
        (Planetary(sun=18, planet=27, ring=72, mesh_efficiency=0.99), "mesh_efficiency"),
    ],
)
def test_losses_of_gears_are_among_what_is_lost(gear, word, tmp_path):
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 1.0, (0.2, 0, 0), np.diag([0.01] * 3))
    report = gw.export.mjcf(Robot("axis", [link], [Drive("arm", Motor(1e-5), gear)]), tmp_path / "axis.xml")
    assert [what for what in report.not_representable if "of the gear" in what] == (
        [] if word is None else [f"of the gear of 'arm': {word}"]
    )
