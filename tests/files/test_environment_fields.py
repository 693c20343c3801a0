"""Loops and environment in robot files."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, Plane, SoftContact, project
from gearwright.errors import FileError
from gearwright.files import read_yaml, write_yaml

FOUR_BAR = """
robot: four_bar
gravity: [0, -9.81, 0]
links:
  - name: crank
    parent: base
    joint: {axis: [0, 0, 1]}
    mass: 1
    com: [0.1, 0, 0]
    inertia: &slim {zz: 0.01}
    effective: true
  - name: rod
    parent: crank
    joint: {axis: [0, 0, 1], position: [0.2, 0, 0]}
    mass: 1
    com: [0.25, 0, 0]
    inertia: *slim
    effective: true
  - name: rocker
    parent: base
    joint: {axis: [0, 0, 1], position: [0.5, 0, 0]}
    mass: 1
    com: [0.15, 0, 0]
    inertia: *slim
    effective: true
frames:
  - {name: rod_end, link: rod, position: [0.5, 0, 0]}
  - {name: pin, link: rocker, position: [300 mm, 0, 0]}
loops:
  - {name: closed, frames: [rod_end, pin], held: [x, y]}
"""

TOUCHING = """
robot: ram
links:
  - {name: ram, parent: base, joint: {kind: prismatic, axis: [1, 0, 0]}, mass: 1}
environment:
  - name: wall
    frame: ram
    surface: {plane: {point: [0.6, 0, 0], normal: [-1, 0, 0]}}
    friction: 0.2
    restitution: 0.1
  - {name: mat, frame: ram, surface: {sphere: {centre: [2, 0, 0], radius: 1}}, behind: {stiffness: 1e4, damping: 50}}
  - name: block
    frame: ram
    surface: {plane: {point: [0.3, 0, 0], normal: [-1, 0, 0]}}
    behind: {mass: 2, stiffness: 1e4}
"""


def test_a_loop_closes_a_robot():
    robot = read_yaml(FOUR_BAR)
    assert gw.laws(robot) == (Constraint("closed", "rod_end", "pin", ("x", "y")),)
    start = project(robot, [1.0, -0.8, 1.5])
    run = gw.simulate(robot, start, until=0.3, samples=7, method="adaptive")
    assert np.abs([run["closed.x"], run["closed.y"]]).max() < 1e-12
    assert run.drift < 1e-7
    assert np.ptp(run.q[:, 0]) > 0.01


def test_surfaces_are_laws_and_mass_behind_one_is_a_link():
    robot = read_yaml(TOUCHING)
    wall, mat, block = gw.laws(robot)
    assert wall == Contact("ram", Plane((0.6, 0, 0), (-1, 0, 0)), 0.1, 0.2, name="wall")
    assert isinstance(mat, SoftContact)
    assert (mat.stiffness, mat.damping) == (1e4, 50.0)
    assert block == Contact("ram", Plane((0, 0, 0), (-1, 0, 0)), relative_to="block", name="block")
    assert robot.links[1].mass == 2.0
    assert robot.links[1].joint.spring.stiffness == 1e4


@pytest.mark.parametrize("text", [FOUR_BAR, TOUCHING], ids=["loop", "environment"])
def test_what_is_written_reads_back(text):
    robot = read_yaml(text)
    again = read_yaml(write_yaml(robot))
    assert (again.loops, again.environment) == (robot.loops, robot.environment)
    assert gw.laws(again) == gw.laws(robot)


def test_an_attached_robot_brings_its_loops():
    arm = read_yaml(FOUR_BAR)
    both = gw.parts.attach(arm, arm, "pin", "left_")
    assert [loop.frames for loop in both.loops] == [("rod_end", "pin"), ("left_rod_end", "left_pin")]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (FOUR_BAR.replace("held: [x, y]", "held: [x, w]"), "held"),
        (FOUR_BAR.replace("[rod_end, pin]", "[rod_end]"), "frames"),
        (TOUCHING.replace("friction: 0.2", "friction: -0.2"), "friction"),
        (TOUCHING.replace("restitution: 0.1", "restitution: 2"), "restitution"),
        (
            TOUCHING.replace("sphere: {centre: [2, 0, 0], radius: 1}", ""),
            r"environment\[1\]\.surface: .*plane.*sphere.*cylinder",
        ),
        (TOUCHING.replace("stiffness: 1e4, damping: 50", "stiffness: -1"), "stiffness"),
        (TOUCHING.replace("name: mat", "name: wall"), "wall"),
        (FOUR_BAR.replace("[rod_end, pin]", "[rod_end, pen]"), "pen"),
        (TOUCHING.replace("frame: ram", "frame: rom", 1), "rom"),
    ],
)
def test_bad_words_are_named(text, word):
    with pytest.raises(FileError, match=word):
        read_yaml(text)
