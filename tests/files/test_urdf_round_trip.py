"""Robot -> URDF and sidecar -> robot leaves the dynamics unchanged, and other tools load the URDF."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gearwright as gw
from gearwright.errors import FileError, InputError, TrainError
from gearwright.export import write_urdf
from gearwright.files.urdf.reader import read_urdf, read_urdf_with_report
from gearwright.files.urdf.sidecar import sidecar_path
from gearwright.parts import Drive, Frame, Gear, Joint, Limits, Link, Motor, Robot, Shape
from support.compare import relative
from support.designs import PLAIN
from support.machines import KINDS, random_parts_design, random_state

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows


def random_robot(seed: int, kinds: list[str], elastic: int = 0) -> Robot:
    return random_parts_design(np.random.default_rng(seed), kinds, wheels=4, elastic=elastic).robot()


def written(robot: Robot, folder: Path) -> Path:
    path = folder / "robot.urdf"
    write_urdf(robot, path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("urdf")


@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=5).filter(lambda x: {*x} & {*PLAIN}),
    seed=st.integers(0, 10**6),
    elastic=st.integers(0, 2),
)
def test_dynamics_survive(folder: Path, kinds: list[str], seed: int, elastic: int) -> None:
    robot = random_robot(seed, kinds, elastic)
    before, after = gw.assemble(robot), gw.assemble(read_urdf(written(robot, folder)))
    assert (after.speeds, after.coordinates) == (before.speeds, before.coordinates)
    state = random_state(np.random.default_rng(seed), before)
    expected = gw.inverse_dynamics(before, state.q, state.v, state.a)
    assert relative(gw.inverse_dynamics(after, state.q, state.v, state.a), expected) < 1e-12
    assert relative(gw.mass_matrix(after, state.q), gw.mass_matrix(before, state.q)) < 1e-12


def serial(kinds: tuple[str, ...] = ("revolute", "prismatic", "revolute", "fixed", "revolute")) -> Robot:
    robot = random_robot(11, list(kinds))
    return replace(robot, gravity=(0.0, 0.0, -9.81))


def none_of(robot: Robot) -> gw.Mechanism:
    return gw.approximate(gw.assemble(robot), "none")


def test_pinocchio_loads_it_as_the_robot_without_wheels(tmp_path: Path) -> None:
    robot = serial()
    mech = none_of(robot)
    model = pin.buildModelFromUrdf(str(written(robot, tmp_path)))
    data = model.createData()
    masses = sum(inertia.mass for inertia in model.inertias)
    assert masses == pytest.approx(sum(body.mass for body in mech.bodies), rel=1e-14)
    q = np.random.default_rng(1).uniform(-1.5, 1.5, mech.n)
    full, order = pin.neutral(model), [model.idx_vs[model.getJointId(name)] for name in mech.speeds]
    for name, x in zip(mech.speeds, q, strict=True):
        j = model.getJointId(name)
        at = model.idx_qs[j]
        full[at : at + model.nqs[j]] = (np.cos(x), np.sin(x)) if model.nqs[j] == 2 else x
    M = pin.crba(model, data, full)
    M = np.triu(M) + np.triu(M, 1).T
    assert relative(gw.mass_matrix(mech, q), M[np.ix_(order, order)]) < 1e-12
    assert relative(gw.gravity(mech, q), pin.computeGeneralizedGravity(model, data, full)[order]) < 1e-12


def test_mujoco_loads_it_as_the_robot_without_wheels(tmp_path: Path) -> None:
    robot = serial()
    mech = none_of(robot)
    model = mujoco.MjModel.from_xml_path(str(written(robot, tmp_path)))
    data = mujoco.MjData(model)
    moving = sum(body.mass for body in mech.bodies if body.parent != -1 or body.joint != "fixed")
    assert model.body_mass.sum() == pytest.approx(moving, rel=1e-9)
    q = np.random.default_rng(1).uniform(-1.5, 1.5, mech.n)
    dofs = [model.joint(name).dofadr[0] for name in mech.speeds]
    for name, x in zip(mech.speeds, q, strict=True):
        data.qpos[model.joint(name).qposadr[0]] = x
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, M)
    assert relative(gw.mass_matrix(mech, q), M[np.ix_(dofs, dofs)]) < 1e-9
    assert relative(gw.gravity(mech, q), data.qfrc_bias[dofs]) < 1e-9


def test_every_field_survives(tmp_path: Path) -> None:
    upper = Link(
        "upper",
        joint=Joint("shoulder", limits=Limits((-1.0, 2.0), 3.0, 40.0, 120.0), damping=0.1, friction=0.2),
        mass=2.0,
        com=(0.2, 0.0, 0.0),
        inertia=((0.01, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.02)),
        shapes=[
            Shape("mesh", (1.0, 2.0, 1.0), "package://arm/upper.stl"),
            Shape("cylinder", (0.1, 0.4), role="collision"),
        ],
    )
    slide = Link("slide", "upper", Joint("lift", "prismatic", (1, 0, 0)), 1.0, effective=True)
    drive = Drive("shoulder", Motor(1e-4, 0.3, position=(0.0, 0.0, -0.1), torque_constant=0.05), Gear(-80.0, 1e-5, 9e3))
    robot = Robot("arm", [upper, slide], [drive], None, [Frame("tool", "slide", (0.1, 0.0, 0.0))], (0.0, -9.81, 0.0))
    robot = robot.with_payload(1.5, (0.1, 0.0, 0.0), "slide")
    back = read_urdf(written(robot, tmp_path))
    assert back.link("upper").joint.limits == upper.joint.limits
    assert (back.link("upper").joint.damping, back.link("upper").joint.friction) == (0.1, 0.2)
    assert [(s.kind, s.size, s.file, s.role) for s in back.link("upper").shapes] == [
        (s.kind, s.size, s.file, s.role) for s in upper.shapes
    ]
    assert (back.link("slide").effective, back.link("upper").effective) == (True, False)
    assert back.link("slide").joint.limits == Limits()
    assert tuple(back.gravity) == (0.0, -9.81, 0.0)
    assert back.drives[0].gear == drive.gear
    assert back.drives[0].motor.torque_constant == 0.05
    assert back.payload is not None
    assert back.payload.mass == 1.5
    assert back.frames[0].name == "tool"


def test_a_ball_is_one_joint_again(tmp_path: Path) -> None:
    robot = random_robot(3, ["revolute", "spherical", "revolute"])
    path = written(robot, tmp_path)
    assert "ball" not in path.read_text()
    assert pin.buildModelFromUrdf(str(path)).nv == 5
    assert [link.joint.kind for link in read_urdf(path).links] == ["revolute", "spherical", "revolute"]


@pytest.mark.parametrize(("kind", "speeds"), [("universal", 2), ("helical", 2), ("planar", 3)])
def test_other_tools_see_the_same_machine(tmp_path: Path, kind: str, speeds: int) -> None:
    """A cross is two turns there, a screw a turn and a slide that follows it, a plane a plane; here they are again."""
    bar = random_parts_design(np.random.default_rng(4), [kind], wheels=0).robot().links[0]
    bar = replace(bar, joint=replace(bar.joint, axis=(0.0, 0.0, 1.0)))
    robot = Robot("one", [bar])
    path, mech = written(robot, tmp_path), gw.assemble(robot)
    assert read_urdf(path).links[0].joint.kind == kind
    model = pin.buildModelFromUrdf(str(path))
    assert model.nv == speeds
    q = np.array([0.4, -0.3, 0.7])[: mech.nq]
    full = {  # an unlimited turn is cosine and sine there
        "universal": [x for angle in q for x in cos_sin(angle)],
        "helical": [*cos_sin(q[0]), *(bar.joint.pitch or 0.0) * q],
        "planar": [*q[:2], *cos_sin(q[-1])],
    }[kind]
    G = np.array([[1.0], [bar.joint.pitch]]) if kind == "helical" else np.eye(speeds)
    M = pin.crba(model, model.createData(), np.array(full))
    M = np.triu(M) + np.triu(M, 1).T
    assert relative(gw.mass_matrix(mech, q), G.T @ M @ G) < 1e-10


def cos_sin(angle: float) -> tuple[float, float]:
    return float(np.cos(angle)), float(np.sin(angle))


def test_an_edited_urdf_keeps_its_edit_where_the_sidecar_is_silent(tmp_path: Path) -> None:
    robot = Robot("arm", [Link("rod", mass=2.0, com=(0.25, 0.0, 0.0))])
    path = written(robot, tmp_path)
    path.write_text(path.read_text().replace('value="2.0"', 'value="3.0"'))
    assert read_urdf(path).link("rod").mass == 3.0


def line_in(path: Path, words: str) -> int:
    """The first line of a file that holds these words."""
    return next(k for k, line in enumerate(path.read_text().splitlines(), 1) if words in line)


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_an_edited_mass_that_the_sidecar_would_undo_is_refused(tmp_path: Path) -> None:
    path = written(gw.load("elbow"), tmp_path)
    edited(path, '<mass value="5.5"/>', '<mass value="6.5"/>')
    line = line_in(sidecar_path(path), "urdf_mass: 5.5")
    says = rf"gearwright.yaml, line {line}: links: link 'link2'.* 5\.5 kg.* 6\.5"
    with pytest.raises(FileError, match=says):
        read_urdf(path)


def test_the_ratio_of_the_sidecar_wins_with_a_note(tmp_path: Path) -> None:
    path = written(gw.load("elbow"), tmp_path)
    edited(path, ">100.0<", ">110.0<")
    robot, report = read_urdf_with_report(path)
    assert robot.drive("j2").gear.ratio == 100.0
    line = line_in(sidecar_path(path), "ratio: 100")
    note = f"joint 'j2': ratio 100 from robot.gearwright.yaml, line {line}, not 110 of the URDF"
    assert note in report.notes
    assert not any("'j1': ratio 120 from robot" in one for one in report.notes)


@pytest.mark.parametrize(
    ("old", "new", "words", "says"),
    [
        ("joint: j2", "joint: j22", "joint: j22", "drives[1].joint: | 'j22'"),
        ("ratio: 100.0", "ratio: many", "ratio: many", "drives[1].gear.ratio: | 'many'"),
        ("\n  mass: 5.0", "\n  masss: 5.0", "masss", "links[1].masss: | 'masss'"),
    ],
)
def test_problems_of_a_sidecar_are_named_with_file_and_line(
    tmp_path: Path, old: str, new: str, words: str, says: str
) -> None:
    path = written(gw.load("elbow"), tmp_path)
    side = sidecar_path(path)
    edited(side, old, new)
    with pytest.raises(FileError) as refused:
        read_urdf(path)
    place = f"robot.gearwright.yaml, line {line_in(side, words)}"
    field, value = says.split(" | ")
    assert f"{place}: {field}" in str(refused.value)
    assert any(place in problem[1] and value in problem[2] for problem in refused.value.problems)


def test_problems_of_the_urdf_are_not_blamed_on_the_sidecar(tmp_path: Path) -> None:
    """A link that the sidecar does not speak of has no line there."""
    path = tmp_path / "arm.urdf"
    path.write_text('<robot name="arm"><link name="a"/></robot>')
    sidecar_path(path).write_text("drives:\n  - {joint: b}\nlinks: []\n")
    with pytest.raises(FileError, match="line 2: drives"):
        read_urdf(path)
    sidecar_path(path).write_text("without: [c]\n")
    with pytest.raises(FileError, match=r"line 1: without\[0\]: .*'c'.*: a\."):
        read_urdf(path)


def test_trains_of_a_sidecar_have_its_lines(tmp_path: Path) -> None:
    path = written(gw.load("grm3"), tmp_path)
    side = sidecar_path(path)
    edited(side, "wheel: w4", "wheel: w4\n    stator: w4")
    line = line_in(side, "name: m1")
    with pytest.raises(TrainError, match=rf"robot.gearwright.yaml, line {line}: motor 'm1'.*rotor 'w4'.*stator 'w4'"):
        gw.assemble(read_urdf(path))


def test_without_the_sidecar_the_urdf_is_a_robot_with_simple_drives(tmp_path: Path) -> None:
    robot = gw.load("elbow")
    path = written(robot, tmp_path)
    sidecar_path(path).unlink()
    alone, report = read_urdf_with_report(path)
    assert [drive.gear.ratio for drive in alone.drives] == [120.0, 100.0, 80.0]
    assert not report.accepted_problems
    q = np.array([0.3, -0.4, 0.5])
    assert relative(gw.gravity(gw.assemble(alone), q), gw.gravity(gw.assemble(robot), q)) < 1e-14


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1, 2]", "mapping"),
        ("links: 3", "`links` and `without`"),
        ("links: [{mass: 3}]", r"links\[0\]"),
        ("links: [{name: nobody}]", "'nobody'"),
        ("drives: [{joint: elbo}]", "elbo"),
        ("gravity: [0, 0", "invalid YAML"),
        ("without: 3", "`links` and `without`"),
    ],
)
def test_a_broken_sidecar_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = written(gw.load("elbow"), tmp_path)
    sidecar_path(path).write_text(text)
    with pytest.raises(FileError, match=says):
        read_urdf(path)


def test_neither_a_name_nor_a_text() -> None:
    with pytest.raises(InputError, match="NoneType"):
        read_urdf(None)  # type: ignore[arg-type]


def test_what_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'empty'"):
        write_urdf(Robot("empty", ()), tmp_path / "a.urdf")
    with pytest.raises(InputError, match="URDF"):
        write_urdf(Robot("a\0b", [Link("rod", mass=1.0, com=(1, 0, 0))]), tmp_path / "a.urdf")
    with pytest.raises(FileError, match=r"a\.urdf"):
        write_urdf(Robot("a", [Link("rod", mass=1.0, com=(1, 0, 0))]), tmp_path / "nowhere" / "a.urdf")
