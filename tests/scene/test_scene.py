"""A robot as something to look at: every wheel where and as fast as the machine has it; meshes, and bad ones."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue.loading import robots
from gearwright.errors import GearwrightWarning, InputError
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot, Shape
from gearwright.scene import SOLID_COLOURS, scene_of

COLLADA = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="METER" name="u"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="12">0 0 0 2 0 0 0 3 0 0 0 4</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><translate>0 0 7</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""
STL = """solid tile
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 1 0
 endloop
endfacet
endsolid tile
"""


@pytest.fixture(scope="module")
def scenes():
    return {name: scene_of(gw.load(name)) for name in robots()}


@pytest.mark.parametrize("name", sorted(robots()))
def test_every_bundled_robot_can_be_drawn(scenes, name):
    scene = scenes[name]
    carriers = {*(body.name for body in scene.mech.bodies), "base"}
    for solid in scene.solids:
        assert solid.carrier in carriers
        assert solid.kind in SOLID_COLOURS
        assert set(solid.turning) | set(solid.orbit) <= set(scene.mech.speeds)
        assert np.isfinite(solid.mesh.vertices).all()


@pytest.mark.parametrize("name", sorted(robots()))
def test_rotors_turn_as_the_machine_says(scenes, name):
    """The rate of a drawn rotor is the ratio row of its spin: true rates."""
    scene = scenes[name]
    spins = {spin.name: spin for spin in scene.mech.spins}
    rotors = [solid for solid in scene.solids if solid.kind == "rotor"]
    assert {spin for spin in spins if spin.endswith(".rotor")} <= {rotor.name for rotor in rotors}
    for rotor in rotors:
        if rotor.name in spins:
            row = {scene.mech.speeds[k]: float(x) for k, x in spins[rotor.name].terms}
            assert dict(rotor.turning) == pytest.approx(row)
            assert rotor.rotation[:, 2] == pytest.approx(np.array([*spins[rotor.name].axis]))


def test_planets_ride_with_the_driven_link(scenes):
    """With the ring held, the place of a planet stays the same as seen from the link that carries it."""
    scene = scenes["planetary_3r"]
    planet = next(solid for solid in scene.solids if solid.name == "j1.planet1")
    seen = []
    for angle in (0.0, 0.4, 1.1):
        q = np.array([angle, 0.2, -0.3, 0.0])[: scene.mech.nq]
        _, place = planet.pose_on_body(scene.coordinates_by_speed(q))
        (to_base, origin), (to_link, at) = (scene.body_placements(q)[name] for name in ("base", "turret"))
        seen.append(to_link.T @ (to_base @ place + origin - at))
    assert seen[1] == pytest.approx(seen[0])
    assert seen[2] == pytest.approx(seen[0])


def test_bodies_are_where_placement_has_them(scenes):
    scene = scenes["panda_like"]
    q = np.linspace(-0.5, 0.7, scene.mech.nq)
    for body in scene.mech.bodies:
        pose = gw.placement(scene.mech, q, body.name)
        rotation, position = scene.body_placements(q)[body.name]
        assert rotation == pytest.approx(pose.rotation)
        assert position == pytest.approx(pose.position)


def test_a_robot_without_geometry_is_drawn_all_the_same():
    """All joints at one point, no masses apart, no frames: something is seen."""
    heavy = {"mass": 1.0, "inertia": np.eye(3)}
    links = [Link("a", **heavy), Link("b", "a", Joint(axis=(1, 0, 0)), **heavy)]
    robot = Robot("point", links, [Drive("a", Motor(1e-5), Gear(50))])
    scene = scene_of(robot)
    assert scene.reach > 0
    assert {"link", "joint", "rotor"} <= {solid.kind for solid in scene.solids}


def test_a_mechanism_has_no_parts_to_draw():
    with pytest.raises(InputError, match=r"Mechanism.*Robot"):
        scene_of(gw.assemble(gw.load("elbow")))


def arm_with(*shapes: Shape) -> Robot:
    return Robot("arm", [Link("upper", mass=1, com=(0.2, 0, 0), shapes=shapes)])


def test_shapes_are_drawn_where_they_are():
    shape = Shape("box", (0.1, 0.2, 0.3), position=(0.5, 0, 0))
    drawn = [solid for solid in scene_of(arm_with(shape)).solids if solid.kind == "mesh"]
    assert drawn[0].position == pytest.approx([0.5, 0, 0])
    assert drawn[0].mesh.volume == pytest.approx(0.006)


@pytest.mark.parametrize("reference", ["tile.stl", "meshes/tile.stl", "package://arm/meshes/tile.stl"])
def test_a_mesh_is_found_beside_the_file(tmp_path, reference):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "tile.stl").write_text(STL)
    scene = scene_of(arm_with(Shape("mesh", (2.0, 2.0, 2.0), reference)), tmp_path)
    drawn = [solid for solid in scene.solids if solid.kind == "mesh"]
    assert drawn[0].mesh.vertices.max() == 2.0
    assert scene.remarks == ()


@pytest.mark.parametrize(
    ("reference", "content", "told"),
    [
        ("gone.stl", None, r"gone\.stl.*exist"),
        ("broken.stl", b"\x00\x01nonsense" * 20, r"broken\.stl.*(readable|triangles)"),
        ("empty.obj", b"# nothing\n", r"empty\.obj.*(readable|triangles)"),
        ("broken.dae", COLLADA.replace("</COLLADA>", "").encode(), r"broken\.dae.*readable"),
        ("cut.dae", COLLADA.replace("0 1 2 0", "0 1").encode(), r"cut\.dae.*readable"),
        ("empty.dae", b"<COLLADA/>", r"empty\.dae.*readable"),
        ("binary.dae", b"PK\x03\x04\xff\xfe", r"binary\.dae.*UTF-8"),
        ("hidden.dae", b"<?xml version='1.0' encoding='utf-7'?>" + COLLADA.encode(), r"hidden\.dae.*UTF-8"),
        ("bomb.dae", b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + COLLADA.encode(), "DOCTYPE"),
        ("strange.xyz9", b"?", r"strange\.xyz9.*readable"),
        ("../outside.stl", STL.encode(), r"'\.\./outside\.stl'.*folder"),
        ("/etc/hosts", None, "'/etc/hosts'.*folder"),
        ("http://example.com/a.stl", None, "'http://example.com/a.stl'.*folder"),
    ],
)
def test_a_bad_mesh_becomes_a_rod_and_a_warning(tmp_path, reference, content, told):
    folder = tmp_path / "robot"
    folder.mkdir()
    if content is not None:
        (folder / reference).write_bytes(content)
    with pytest.warns(GearwrightWarning, match=told):
        scene = scene_of(arm_with(Shape("mesh", (1.0, 1.0, 1.0), reference)), folder)
    assert "mesh" not in {solid.kind for solid in scene.solids}
    assert any(solid.name == "upper" and solid.kind == "link" for solid in scene.solids)


def test_a_robot_that_came_without_a_file_says_where_its_mesh_would_be():
    with pytest.warns(GearwrightWarning, match=r"'a\.stl'.*`folder`"):
        scene_of(arm_with(Shape("mesh", (1.0, 1.0, 1.0), "a.stl")))


def urdf_with(mesh: str, folder) -> gw.Robot:
    """An arm of one link that is drawn by a mesh."""
    (folder / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="upper"><inertial><mass value="1"/><inertia ixx="1" ixy="0" '
        'ixz="0" iyy="1" iyz="0" izz="1"/></inertial><visual><origin xyz="0 0 0.1"/><geometry>'
        f'<mesh filename="package://arm/{mesh}" scale="0.5 0.5 0.5"/></geometry></visual></link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="upper"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        return gw.load(folder / "arm.urdf")


def test_a_mesh_of_a_urdf_is_drawn(tmp_path):
    (tmp_path / "tile.stl").write_text(STL)
    robot = urdf_with("tile.stl", tmp_path)
    drawn = [solid for solid in scene_of(robot, tmp_path).solids if solid.kind == "mesh"]
    assert drawn[0].mesh.vertices.max() == 0.5
    assert drawn[0].position == pytest.approx([0, 0, 0.1])


@pytest.mark.parametrize("unit", [1.0, 0.001])
def test_a_collada_mesh_of_a_urdf_is_drawn_in_its_unit(tmp_path, unit):
    """The file's own unit counts, then the scale of the URDF; nodes place what they hold."""
    pytest.importorskip("collada")
    (tmp_path / "tile.dae").write_text(COLLADA.replace("METER", str(unit)))
    scene = scene_of(urdf_with("tile.dae", tmp_path), tmp_path)
    (drawn,) = (solid for solid in scene.solids if solid.kind == "mesh")
    expected = 0.5 * unit * np.array([[0, 0, 7], [0, 0, 11], [0, 3, 7], [2, 0, 7]])
    assert np.unique(drawn.mesh.vertices, axis=0) == pytest.approx(expected)
    assert len(drawn.mesh.faces) == 2
    assert scene.remarks == ()


def test_a_mesh_of_an_mjcf_is_drawn(tmp_path):
    pytest.importorskip("mujoco")
    corners = "0 0 0  1 0 0  0 1 0  0 0 1"
    faces = ["0 2 1", "0 1 3", "0 3 2", "1 2 3"]
    points = [corner.split() for corner in corners.split("  ")]
    lines = [f"v {' '.join(point)}" for point in points]
    lines += ["f " + " ".join(str(int(k) + 1) for k in face.split()) for face in faces]
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "corner.obj").write_text("\n".join(lines) + "\n")
    (tmp_path / "arm.xml").write_text(
        '<mujoco model="arm"><compiler meshdir="meshes"/><asset><mesh name="c" file="corner.obj" scale=".2 .2 .2"/>'
        '</asset><worldbody><body name="upper"><joint name="j" type="hinge" axis="0 0 1"/>'
        '<geom type="mesh" mesh="c" pos="0 0 .1"/></body></worldbody></mujoco>'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        robot = gw.load(tmp_path / "arm.xml")
    drawn = [solid for solid in scene_of(robot, tmp_path).solids if solid.kind == "mesh"]
    rotation, place = drawn[0].pose_on_body({})
    placed = drawn[0].mesh.vertices @ rotation.T + place
    expected = 0.2 * np.array([[float(x) for x in point] for point in points]) + [0, 0, 0.1]
    for corner in expected:
        assert np.abs(placed - corner).max(axis=1).min() < 1e-6


def test_paths_of_power_run_from_motors_to_links():
    """The three motors of a coupled wrist: each through its own shafts, to its link."""
    from gearwright.scene.gear_graph_figure import gear_graphs, motor_names, power_path

    robot = gw.load("wrist_puma")
    graphs = gear_graphs(robot, gw.assemble(robot))
    assert motor_names(robot) == ["m4", "m5", "m6"]
    paths = [[{edge.first, edge.second} for edge in power_path(robot, graphs, name)] for name in motor_names(robot)]
    assert paths[0] == [{"shaft4", "link1"}]
    assert paths[1] == [{"shaft5", "tube5"}, {"tube5", "link2"}]
    assert paths[2] == [{"shaft6", "tube6"}, {"tube6", "bevel6"}, {"bevel6", "link3"}]
    arm = gw.load("planetary_3r")
    edges = power_path(arm, gear_graphs(arm, gw.assemble(arm)), "j2")
    assert {end for edge in edges for end in (edge.first, edge.second)} >= {"turret", "j2.sun", "j2.planets", "upper"}
    assert not [edge for edge in edges if "j1." in edge.first + edge.second]
