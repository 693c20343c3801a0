"""What is drawn could be built: gears touch and roll at their pitch points, on shafts, and links leave them room."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import gearwright as gw
from gearwright.catalogue.loading import bundled_files
from gearwright.parts import Gearwheel, Link, Mesh, Robot, Train, TrainMotor
from gearwright.scene import scene_of
from gearwright.scene.link_solids import link_rods
from gearwright.scene.triangles import box_mesh

GEAR_FILES = sorted((Path(__file__).resolve().parents[2] / "examples" / "gears").glob("*.yaml"))
TRAINS = [
    *("wrist_puma", "wrist_bendix", "wrist_roll3", "wrist_wam", "grm3"),
    *("bevel_differential", "nested_shafts", "planetary_free"),
]
NAMES = [
    "planetary_2r",
    *(f"planetary_2r_{planets}" for planets in (3, 4, 5, 6)),
    "planetary_3r",
    *TRAINS[:5],
    *(file.stem for file in GEAR_FILES),
]
"""Bundled robots with teeth, and the gallery of gears."""
WITHOUT_TRAINS = sorted({*bundled_files()} - {*TRAINS})
SKEW = {"worm"}
"""Kinds of drives whose teeth also slide along each other at the pitch point."""


@pytest.fixture(scope="module")
def scenes():
    return {name: scene_of(load(name)) for name in NAMES}


def load(name):
    return gw.load(next((file for file in GEAR_FILES if file.stem == name), name))


def poses(scene, q):
    """Pose of every solid in the world, by name."""
    bodies, x = scene.body_placements(q), scene.coordinates_by_speed(q)
    found = {}
    for solid in scene.solids:
        (turn, origin), (rotation, position) = bodies[solid.carrier], solid.pose_on_body(x)
        found[solid.name] = (turn @ rotation, turn @ position + origin)
    return found


def configuration(scene, seed):
    """A configuration near neutral, shafts of elastic drives with their joints."""
    q = np.array(gw.neutral(scene.mech), dtype=float)
    at = [index for index in scene.mech.layout.coordinate_of if index >= 0]
    q[at] += 0.4 * np.random.default_rng(seed).standard_normal(len(at))
    for k in at:
        name = scene.mech.coordinates[k]
        if name in scene.mech.shafts:
            q[k] = q[scene.mech.coordinates.index(name.split(".")[0])]
    return q


def circle_point(pose, radius, angle):
    angle = np.asarray(angle)
    return pose[1] + np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=-1) @ pose[0].T


def distance_to_circle(point, pose, radius):
    x, y, z = ((point - pose[1]) @ pose[0]).T
    return np.hypot(np.hypot(x, y) - radius, z)


def pitch_point(first, second, radii):
    """The point of the first circle nearest to the second one, and the distance [m]."""

    def gap(angle):
        return distance_to_circle(circle_point(first, radii[0], angle), second, radii[1])

    grid = np.linspace(0.0, 2 * np.pi, 721)
    best = grid[np.argmin(gap(grid))]
    for width in (0.01, 1e-4, 1e-6):
        best = minimize_scalar(gap, bounds=(best - width, best + width), method="bounded", options={"xatol": 1e-14}).x
    return circle_point(first, radii[0], best), gap(best)


def touching_pairs(scene):
    solids = {solid.name: solid for solid in scene.solids if solid.pitch_radius}
    return [(solid, solids[mate]) for solid in solids.values() for mate in solid.mates]


@pytest.mark.parametrize("name", NAMES)
def test_pitch_circles_touch_in_every_configuration(scenes, name):
    scene = scenes[name]
    for q in (gw.neutral(scene.mech), configuration(scene, 1)):
        at = poses(scene, q)
        for first, second in touching_pairs(scene):
            radii = first.pitch_radius, second.pitch_radius
            _, gap = pitch_point(at[first.name], at[second.name], radii)
            assert gap < 1e-8 * min(radii), (first.name, second.name)  # a module is more than a hundredth of it


@pytest.mark.parametrize("name", NAMES)
def test_gears_roll_on_each_other(scenes, name):
    """At their pitch point both gears have the same velocity: sides of bevel gears and rates are right."""
    scene, step = scenes[name], 1e-5
    q = configuration(scene, 2)
    v = np.zeros_like(q)
    v[[k for k in scene.mech.layout.coordinate_of if k >= 0]] = 1.0
    motion = configuration(scene, 3) - np.array(gw.neutral(scene.mech))
    before, now, after = (poses(scene, q + sign * step * motion) for sign in (-1, 0, 1))
    for first, second in touching_pairs(scene):
        if any(word in SKEW for word in first.name.split(".")):
            continue
        point, _ = pitch_point(now[first.name], now[second.name], (first.pitch_radius, second.pitch_radius))
        speeds = []
        for solid in (first, second):
            local = now[solid.name][0].T @ (point - now[solid.name][1])
            ends = [pose[solid.name][1] + pose[solid.name][0] @ local for pose in (before, after)]
            speeds.append((ends[1] - ends[0]) / (2 * step))
        scale = max(np.linalg.norm(speeds[0]), np.linalg.norm(speeds[1]), 1e-3)
        assert np.linalg.norm(speeds[0] - speeds[1]) < 1e-5 * scale, (first.name, second.name)


def random_train(name, seed):
    """A bundled robot with other numbers of teeth, and with some positions of wheels left open."""
    rng, robot = np.random.default_rng(seed), gw.load(name)

    def other_teeth(mesh):
        factors = rng.uniform(0.6, 1.6, 2)
        teeth = tuple(max(12, int(factor * count)) for factor, count in zip(factors, mesh.teeth or (), strict=False))
        return replace(mesh, teeth=teeth) if teeth else mesh

    def placed(wheel):
        return replace(wheel, position=None) if rng.random() < 0.5 else wheel

    trains = (
        replace(train, meshes=[*map(other_teeth, train.meshes)], wheels=[*map(placed, train.wheels)])
        for train in robot.trains
    )
    return replace(robot, trains=tuple(trains))


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for seed, name in enumerate(TRAINS[:5])])
def test_random_trains_mesh_on_shafts(name, seed):
    """Whatever the teeth, and with positions that the file leaves open."""
    scene = {name: scene_of(random_train(name, seed))}
    assert touching_pairs(scene[name])
    test_pitch_circles_touch_in_every_configuration(scene, name)
    test_gears_roll_on_each_other(scene, name)
    test_every_wheel_is_on_a_shaft_or_carrier(scene, name)


def test_every_mesh_of_a_train_is_a_pair_that_touches(scenes):
    """Nothing is left out: as many pairs as the file has meshes with teeth, once per planet."""
    for name in TRAINS:
        robot = load(name)
        wheels = {wheel.name: wheel for train in robot.trains for wheel in train.wheels}
        wanted = sum(
            max(wheels[side].count if side in wheels else 1 for side in (mesh.first, mesh.second))
            for train in robot.trains
            for mesh in train.meshes
            if "belt" not in mesh.kind
        )
        names = {frozenset((a.name, b.name)) for a, b in touching_pairs(scenes[name])}
        assert len(names) >= wanted, name


@pytest.mark.parametrize("name", TRAINS)
def test_every_wheel_is_on_a_shaft_or_carrier(scenes, name):
    """Some solid that turns with the wheel reaches through its middle, or a pin of a carrier through a planet."""
    scene = scenes[name]
    at = poses(scene, gw.neutral(scene.mech))
    bearers = [solid for solid in scene.solids if solid.kind in ("shaft", "carrier")]
    for wheel in (solid for solid in scene.solids if solid.kind in ("gear", "ring", "planet")):
        height = np.ptp(wheel.mesh.vertices[:, 2])
        carried = False
        for bearer in bearers:
            if wheel.kind != "planet" and (bearer.carrier, dict(bearer.turning)) != (
                wheel.carrier,
                dict(wheel.turning),
            ):
                continue
            points = bearer.mesh.vertices @ at[bearer.name][0].T + at[bearer.name][1]
            x, y, z = ((points - at[wheel.name][1]) @ at[wheel.name][0]).T
            size = np.hypot(x, y)
            near = size < (0.7 if wheel.kind != "ring" else 1.3) * wheel.mesh.vertices[:, :2].max()
            carried = carried or bool(near.any() and z[near].min() < 0.6 * height and z[near].max() > -1.2 * height)
        assert carried, wheel.name


def winding_number(points, mesh):
    """How often a closed mesh surrounds points: 1 inside, 0 outside."""
    total = np.zeros(len(points))
    corners = mesh.vertices[mesh.faces]
    for part in np.array_split(corners, len(corners) * len(points) // 200_000 + 1):
        x, y, z = (part[None, :, k] - points[:, None] for k in range(3))
        lx, ly, lz = (np.linalg.norm(k, axis=2) for k in (x, y, z))
        top = np.einsum("ijk,ijk->ij", x, np.cross(y, z))
        xy, yz, zx = (np.einsum("ijk,ijk->ij", i, j) for i, j in ((x, y), (y, z), (z, x)))
        total += np.arctan2(top, lx * ly * lz + xy * lz + yz * lx + zx * ly).sum(axis=1)
    return total / (2 * np.pi)


def test_winding_numbers_tell_inside_from_outside():
    assert winding_number(np.array([[0.1, 0, 0], [2.0, 0, 0]]), box_mesh(1, 1, 1)) == pytest.approx([1, 0])


@pytest.mark.parametrize("name", TRAINS)
def test_no_link_crosses_a_wheel_that_it_does_not_carry(scenes, name):
    """No corner of a wheel of a train is inside an opaque link, nor the other way round."""
    scene = scenes[name]
    of_drives = tuple(f"{drive.title}." for drive in scene.robot.drives)
    at = poses(scene, gw.neutral(scene.mech))
    bodies = scene.body_placements(gw.neutral(scene.mech))
    wheels = [solid for solid in scene.solids if solid.kind in ("gear", "ring", "planet")]
    for link in (solid for solid in scene.solids if solid.kind in ("link", "joint") and solid.opacity == 1):
        turn, origin = bodies[link.carrier]
        rotation, position = link.pose_on_body({})
        corners = (link.mesh.vertices @ rotation.T + position) @ turn.T + origin
        for wheel in wheels:
            if wheel.carrier == link.carrier or wheel.name.startswith(of_drives):
                continue
            R, p = at[wheel.name]
            seen = (corners - p) @ R
            size = wheel.mesh.vertices
            near = (seen > size.min(axis=0)).all(axis=1) & (seen < size.max(axis=0)).all(axis=1)
            if near.any():
                inside = winding_number(seen[near], wheel.mesh)
                assert inside.max() < 0.5, (link.name, wheel.name)
            points = size @ R.T + p
            low, high = corners.min(axis=0), corners.max(axis=0)
            near = (points > low).all(axis=1) & (points < high).all(axis=1)
            if near.any():
                local = ((points[near] - origin) @ turn - position) @ rotation
                inside = winding_number(local, link.mesh)
                assert inside.max() < 0.5, (link.name, wheel.name)


def test_every_bundled_robot_with_teeth_is_tried(scenes):
    with_teeth = {name for name in bundled_files() if touching_pairs(scene_of(load(name)))}
    assert with_teeth <= set(NAMES)


@pytest.mark.parametrize("name", WITHOUT_TRAINS)
def test_every_drive_is_held_by_its_link(name):
    """Its stator meets a rod or a joint of the link that carries it, or a bracket that begins on a rod."""
    scene = scene_of(load(name))
    held = 0
    for stator in (solid for solid in scene.solids if solid.kind == "stator"):
        middle, radius = stator.position, np.hypot(*stator.mesh.vertices[:, :2].T).max()
        rods = link_rods(scene.robot, stator.carrier, scene.reach)
        nearest = [end * np.clip(end @ middle / (end @ end), 0.0, 1.0) for end in rods] or [np.zeros(3)]
        foot = min(nearest, key=lambda point: float(np.linalg.norm(middle - point)))
        title = stator.name.removesuffix(".stator")
        bracket = next((solid for solid in scene.solids if solid.name == f"{title}.bracket"), None)
        gap = np.linalg.norm(middle - foot) - radius
        if bracket is None:
            assert gap <= 0.03 * scene.reach or not rods, stator.name
            continue
        ends = [bracket.position + sign * bracket.rotation[:, 2] * gap / 2 for sign in (-1, 1)]
        assert np.ptp(bracket.mesh.vertices[:, 2]) == pytest.approx(gap)
        assert ends[0] == pytest.approx(foot, abs=1e-9)
        assert np.linalg.norm(ends[1] - middle) == pytest.approx(radius)
        held += 1
    assert held or name != "scara"


def test_gears_on_one_axis_are_where_their_motors_are_stated():
    """Motors whose axes lean a little: the axes of motor and joint would be nearest to each other far away."""
    for name in ("ur5_like", "panda_like"):
        scene = scene_of(load(name))
        for drive in scene.robot.drives:
            gear = next(solid for solid in scene.solids if solid.name == f"{drive.title}.circular_spline")
            assert gear.position == pytest.approx([float(x) for x in drive.motor.position], abs=1e-12)


def test_shafts_are_nested_tubes():
    """On every axis of a coupled wrist the bore of each shaft leaves room for the one inside."""
    from gearwright.mechanism.assembly.assemble import parents_first
    from gearwright.mechanism.assembly.trains import TrainStructure
    from gearwright.scene.trains.axis_lines import TrainPlacement
    from gearwright.scene.trains.train_solids import TrainScene

    robot = gw.load("wrist_puma")
    scene = scene_of(robot)
    trains = TrainScene(
        TrainPlacement(
            TrainStructure(parents_first(robot.links), robot.trains),
            scene.body_placements(gw.neutral(scene.mech)),
            scene.reach,
        )
    )
    nested = trains.axes["j1"].shafts
    assert [shaft.name for shaft in nested] == ["tube6", "tube5", "link1"]
    for inner, outer in pairwise(nested):
        assert inner.radius < outer.bore


def test_wheels_that_turn_alike_are_joined_by_a_belt():
    """Two parallel wheels of the same speed and sense cannot mesh: a ring would be as large as its pinion."""
    link = Link("arm", mass=1.0, com=(0.1, 0, 0), inertia=0.01 * np.eye(3))
    wheel = Gearwheel("wheel", position=(0.1, 0, 0))
    train = Train("chain", [wheel], [Mesh("wheel", "arm", ratio=1.0, kind="internal")], [TrainMotor("motor", "wheel")])
    scene = scene_of(Robot("r", [link], trains=[train]))
    assert "wheel.arm.belt" in {solid.name for solid in scene.solids}
    assert all(np.isfinite(solid.mesh.vertices).all() for solid in scene.solids)
