"""What a URDF says, in parts: joints of every type against Pinocchio, inertia in turned axes, limits, names, meshes."""

from __future__ import annotations

import warnings
from importlib.metadata import files

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gearwright as gw
from gearwright.algebra import Rot
from gearwright.errors import FileError, GearwrightWarning
from gearwright.files.urdf.pose import rpy_of_rotation
from gearwright.files.urdf.reader import read_urdf, read_urdf_with_report
from gearwright.parts import Limits
from support.compare import relative

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 0.5"/><mass value="2"/>'
    '<inertia ixx="0.05" ixy="0.01" ixz="-0.005" iyy="0.06" iyz="0.002" izz="0.04"/></inertial>'
)


def chain(*joints: str, first: str = "") -> str:
    """Links l0, l1, ... with inertia, and the joints between them, each given as its attributes and children."""
    links = "".join(f'<link name="l{i}">{INERTIAL if i else first}</link>' for i in range(len(joints) + 1))
    between = "".join(
        f'<joint name="j{i + 1}" {head}><parent link="l{i}"/><child link="l{i + 1}"/>{rest}</joint>'
        for i, (head, _, rest) in enumerate(joint.partition("|") for joint in joints)
    )
    return f'<robot name="chain">{links}{between}</robot>'


HINGE = (
    'type="revolute"|<origin xyz="0.1 0 0.4" rpy="0.2 0.3 -0.7"/><axis xyz="0 0.6 0.8"/>'
    '<limit effort="9" velocity="3"/>'
)


def pinocchio(text: str, q: np.ndarray, root: pin.JointModel | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix and gravity torques of Pinocchio's model of the text."""
    model = pin.buildModelFromXML(text) if root is None else pin.buildModelFromXML(text, root)
    data = model.createData()
    M = pin.crba(model, data, q)
    return np.triu(M) + np.triu(M, 1).T, pin.computeGeneralizedGravity(model, data, q)


def test_inertia_is_turned_into_link_axes() -> None:
    (link,) = [k for k in read_urdf(chain(HINGE)).links if k.name == "l1"]
    R = Rotation.from_euler("xyz", [0.3, -0.4, 0.5]).as_matrix()  # about fixed axes, as URDF means it
    own = np.array([[0.05, 0.01, -0.005], [0.01, 0.06, 0.002], [-0.005, 0.002, 0.04]])
    np.testing.assert_allclose(np.array(link.inertia), R @ own @ R.T, atol=1e-16)
    assert tuple(link.com) == (0.1, 0.2, 0.3)


@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("side", [-1, 1])
def test_angles_at_the_right_angle_of_pitch(side: int, off: float) -> None:
    """Where roll and yaw turn alike, each alone is lost in rounding, but the rotation is not."""
    R = Rotation.from_euler("xyz", [0.7, side * (np.pi / 2 - off), -1.1]).as_matrix()
    back = Rotation.from_euler("xyz", rpy_of_rotation(Rot.from_rows(R.tolist()))).as_matrix()
    np.testing.assert_allclose(back, R, atol=1e-15)


def planar_q(x: float, y: float, angle: float) -> list[float]:
    return [x, y, np.cos(angle), np.sin(angle)]


def test_planar_joint() -> None:
    """Linear speed in body axes, as Pinocchio's planar joint has it."""
    text = chain(HINGE, 'type="planar"|<origin xyz="0 0.1 0" rpy="0.1 0 0"/><axis xyz="0 0 1"/>')
    mech = gw.assemble(read_urdf(text))
    assert mech.speeds == ("j1", "j2.vx", "j2.vy", "j2.wz")
    assert mech.coordinates == ("j1", "j2.x", "j2.y", "j2.angle")
    M, g = pinocchio(text, np.array([0.4, *planar_q(0.3, -0.2, 0.9)]))
    q = np.array([0.4, 0.3, -0.2, 0.9])
    assert relative(gw.mass_matrix(mech, q), M) < 1e-12
    assert relative(gw.gravity(mech, q), g) < 1e-12


@pytest.mark.parametrize("normal", [(1, 0, 0), (0, 1, 0), (0, 0, -1), (0.36, 0.48, 0.8)])
def test_a_plane_is_across_its_normal(normal: tuple[float, ...]) -> None:
    text = chain(f'type="planar"|<axis xyz="{normal[0]} {normal[1]} {normal[2]}"/>')
    mech = gw.assemble(read_urdf(text))
    body = mech.bodies[-1].name
    start = gw.placement(mech, np.zeros(3), body).position
    x, y = (gw.placement(mech, q, body).position - start for q in np.eye(3)[:2])
    assert np.cross(x, y) == pytest.approx(np.array(normal) / np.linalg.norm(normal), abs=1e-15)
    turned = gw.placement(mech, [0, 0, 0.7], body).rotation
    assert turned @ normal == pytest.approx(normal, abs=1e-15)
    assert np.trace(turned) == pytest.approx(1 + 2 * np.cos(0.7))


def test_what_a_planar_joint_cannot_hold_is_reported() -> None:
    limit = '<limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="0.1"/>'
    _, report = read_urdf_with_report(chain(f'type="planar"|<axis xyz="0 0 1"/>{limit}'))
    assert any("joint/limit" in what and "planar" in what for what in report.ignored)
    assert any("joint/dynamics" in what and "planar" in what for what in report.ignored)


def test_floating_joint_on_the_ground() -> None:
    """Its placement is kept, also through a fixed joint, and the free joint hangs on the base."""
    fixed = 'type="fixed"|<origin xyz="0.3 0 0" rpy="0 0.5 0"/>'
    text = chain(fixed, 'type="floating"|<origin xyz="0 0.2 0" rpy="0.4 0 0"/>', HINGE)
    mech = gw.assemble(read_urdf(text))
    assert mech.speeds[:6] == ("j2.vx", "j2.vy", "j2.vz", "j2.wx", "j2.wy", "j2.wz")
    w, x, y, z = np.array([0.5, 0.1, -0.7, 0.4]) / np.linalg.norm([0.5, 0.1, -0.7, 0.4])
    M, g = pinocchio(text, np.array([0.1, 0.2, 0.3, x, y, z, w, 0.8]))
    q = np.array([0.1, 0.2, 0.3, w, x, y, z, 0.8])
    assert relative(gw.mass_matrix(mech, q), M) < 1e-12
    assert relative(gw.gravity(mech, q), g) < 1e-12


def test_floating_joint_on_a_moving_link() -> None:
    """Three slides and a ball: our linear speeds are in the parent's axes, Pinocchio's in the body's."""
    text = chain(HINGE, 'type="floating"|<origin xyz="0 0.2 0" rpy="0.4 0 0"/>')
    mech = gw.assemble(read_urdf(text))
    assert mech.speeds == ("j1", "j2.x", "j2.y", "j2.z", "j2.wx", "j2.wy", "j2.wz")
    turn = Rotation.from_rotvec([0.3, -0.5, 0.2])
    x, y, z, w = turn.as_quat()
    G = np.eye(7)
    G[1:4, 1:4] = turn.as_matrix().T
    M, g = pinocchio(text, np.array([0.4, 0.1, 0.2, 0.3, x, y, z, w]))
    q = np.array([0.4, 0.1, 0.2, 0.3, w, x, y, z])
    assert relative(gw.mass_matrix(mech, q), G.T @ M @ G) < 1e-12
    assert relative(gw.gravity(mech, q), G.T @ g) < 1e-12


def test_a_root_that_floats() -> None:
    text = chain(HINGE, HINGE, first=INERTIAL)
    mech = gw.assemble(read_urdf(text, floating_base=True))
    w, x, y, z = np.array([0.5, 0.1, -0.7, 0.4]) / np.linalg.norm([0.5, 0.1, -0.7, 0.4])
    M, g = pinocchio(text, np.array([0.1, 0.2, 0.3, x, y, z, w, 0.8, -0.3]), pin.JointModelFreeFlyer())
    q = np.array([0.1, 0.2, 0.3, w, x, y, z, 0.8, -0.3])
    assert relative(gw.mass_matrix(mech, q), M) < 1e-12
    assert relative(gw.gravity(mech, q), g) < 1e-12


def test_the_root_keeps_its_inertia_on_a_fixed_base() -> None:
    robot, report = read_urdf_with_report(chain(HINGE, first=INERTIAL))
    assert (robot.link("l0").mass, robot.link("l0").parent, robot.link("l0").joint.kind) == (2.0, "base", "fixed")
    assert any("'l0'" in note and "fixed" in note for note in report.notes)


def test_an_empty_root_is_the_base() -> None:
    robot, report = read_urdf_with_report(chain(HINGE))
    assert [(link.name, link.parent) for link in robot.links] == [("l1", "base")]
    assert any("'l0'" in note and "base" in note for note in report.notes)


def test_a_link_called_base_gets_another_name() -> None:
    text = chain(HINGE, HINGE, first=INERTIAL).replace('"l1"', '"base"').replace('"l0"', '"base_link"')
    robot, report = read_urdf_with_report(text)
    assert [link.name for link in robot.links] == ["base_link", "base_link_2", "l2"]
    assert robot.link("l2").parent == "base_link_2"
    assert any("'base'" in note and "'base_link_2'" in note for note in report.notes)


def test_links_keep_their_order_with_parents_first() -> None:
    joint = '<joint name="{0}" type="fixed"><parent link="{1}"/><child link="{0}"/></joint>'
    links = "".join(f'<link name="{name}"/>' for name in ("d", "c", "a", "b", "root"))
    pairs = (("a", "root"), ("b", "root"), ("c", "b"), ("d", "c"))
    text = f'<robot name="r">{links}{"".join(joint.format(*pair) for pair in pairs)}</robot>'
    assert [link.name for link in read_urdf(text).links] == ["a", "b", "c", "d"]


def test_limits_friction_and_followers() -> None:
    text = chain(
        'type="revolute"|<axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="30" velocity="4"/>'
        '<dynamics damping="0.5" friction="0.25"/>',
        'type="prismatic"|<limit lower="0" upper="0.3" effort="1e16" velocity="1"/>'
        '<mimic joint="j1" multiplier="0.1" offset="0.02"/>',
        'type="continuous"|<mimic joint="j1"/>',
    )
    first, second, third = (link.joint for link in read_urdf(text).links)
    assert first.limits == Limits((-1.0, 2.0), 4.0, None, 30.0)
    assert (first.damping, first.friction) == (0.5, 0.25)
    assert second.limits == Limits((0.0, 0.3), 1.0, None, None)
    assert (second.follows, third.follows) == (("j1", 0.1, 0.02), ("j1", 1.0, 0.0))
    assert tuple(second.axis) == (1.0, 0.0, 0.0)  # the default of URDF
    assert third.limits == Limits()


def test_a_mimic_of_nobody_is_reported() -> None:
    text = chain('type="continuous"|<mimic joint="jj1"/>')
    with pytest.warns(GearwrightWarning, match="'jj1'.*'j1'"):
        assert read_urdf(text).links[0].joint.follows is None


def test_shapes_are_references() -> None:
    text = chain(HINGE).replace(
        '<link name="l1">',
        '<link name="l1"><visual><origin xyz="1 0 0"/><geometry><mesh filename="package://a/b.stl" scale="2 2 2"/>'
        '</geometry><material name="red"/></visual><collision><geometry><sphere radius="0.1"/></geometry></collision>'
        '<visual><geometry><mesh filename="file:///etc/passwd"/></geometry></visual>'
        '<visual><geometry><mesh filename="../../secret.stl"/></geometry></visual>',
    )
    robot, report = read_urdf_with_report(text)
    mesh, ball = robot.link("l1").shapes
    assert (mesh.file, mesh.size, tuple(mesh.position), mesh.role) == (
        "package://a/b.stl",
        (2.0, 2.0, 2.0),
        (1.0, 0.0, 0.0),
        "visual",
    )
    assert (ball.kind, ball.size, ball.role) == ("sphere", (0.1,), "collision")
    assert sum(line.startswith("mesh ") for line in report.ignored) == 2
    assert any("materials" in note for note in report.notes)


def test_one_warning_names_everything() -> None:
    thin = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3"/></inertial>'
    text = chain(HINGE, HINGE, first=thin).replace("</robot>", "<gazebo/><gazebo/><sensor/></robot>")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = read_urdf(text)
    (warning,) = caught
    assert warning.category is GearwrightWarning
    for words in ("link 'l0': ", "triangle inequality", "robot/gazebo: 2 times", "robot/sensor"):
        assert words in str(warning.message)
    assert robot.link("l0").effective
    assert not robot.link("l1").effective


def test_a_joint_that_moves_nothing_is_fixed() -> None:
    text = chain(HINGE, HINGE).replace(f'<link name="l2">{INERTIAL}', '<link name="l2">')
    with pytest.warns(GearwrightWarning, match="joint 'j2': .*fixed"):
        robot = read_urdf(text)
    assert gw.assemble(robot).speeds == ("j1",)


def test_a_published_quadruped_floats() -> None:
    (path,) = [str(f.locate()) for f in files("example-robot-data") or () if f.name == "solo12.urdf"]
    with pytest.warns(GearwrightWarning):
        mech = gw.assemble(read_urdf(path, floating_base=True))
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    assert (mech.nq, mech.n) == (model.nq, model.nv)
    assert gw.mass_matrix(mech, gw.neutral(mech))[0, 0] == pytest.approx(pin.computeTotalMass(model), rel=1e-12)


def test_load_lets_the_root_float(tmp_path):
    path = tmp_path / "pole.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    path.write_text(f'<robot name="r"><link name="pole"><inertial><mass value="2"/>{inertia}</inertial></link></robot>')
    assert gw.assemble(gw.load(path, floating_base=True)).n == 6
    assert gw.assemble(gw.load(path)).n == 0
    with pytest.raises(FileError, match="floating_base"):
        gw.load("elbow", floating_base=True)
