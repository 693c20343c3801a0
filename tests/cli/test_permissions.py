"""`--xacro` and `--include`: what a robot file may do is said on the command line, by every command that takes one."""

from __future__ import annotations

import json

import pytest
import typer

import gearwright as gw
from gearwright.cli.app import app

XACRO = """<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="${1 + 2}"/>
<link name="a"/><link name="b"><inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
ARM = """
robot: arm
links: [{name: rod, parent: base, joint: {axis: [0, 1, 0]}, mass: 1, com: [0.1, 0, 0]}]
frames: [{name: tip, link: rod}]
attach: [{robot: ../parts/ball.yaml, frame: tip}]
"""
BALL = "robot: ball\nlinks: [{name: ball, parent: base, joint: {kind: fixed}, mass: 2}]\n"
COMMANDS = {name: command.params for name, command in typer.main.get_command(app).commands.items()}  # type: ignore[attr-defined]

TAKING = [
    name
    for name, params in COMMANDS.items()
    if any(p.param_type_name == "argument" and p.metavar in ("ROBOT", "FILE", "IN") for p in params)
]


@pytest.fixture
def xacro(tmp_path):
    path = tmp_path / "made.xacro"
    path.write_text(XACRO)
    return path


@pytest.fixture
def arm(tmp_path):
    for name in ("robots", "parts"):
        (tmp_path / name).mkdir()
    (tmp_path / "robots" / "arm.yaml").write_text(ARM)
    (tmp_path / "parts" / "ball.yaml").write_text(BALL)
    return tmp_path / "robots" / "arm.yaml"


@pytest.mark.parametrize("name", TAKING)
def test_every_command_that_takes_a_robot_takes_the_permissions(name):
    options = {spelling: p for p in COMMANDS[name] for spelling in p.opts}
    assert "code" in options["--xacro"].help
    assert "--include" in options


def test_commands_that_take_a_robot_are_found():
    assert set(COMMANDS) - set(TAKING) == {"list", "catalogue", "schema", "demo", "figure", "audit"}


def test_a_xacro_needs_the_flag(run, refused, xacro):
    refused("info", xacro, words=["made.xacro", "--xacro"])
    assert json.loads(run("info", xacro, "--xacro", "--json").out)["mass"] == 3.0


def test_check_reports_a_xacro_that_is_not_expanded(run, xacro):
    code, out, _ = run("check", xacro)
    assert code == 2
    assert "--xacro" in " ".join(out.split())
    assert json.loads(run("check", xacro, "--xacro", "--json").out)["problems"] == []


def test_convert_makes_data_of_a_xacro(run, refused, xacro, tmp_path):
    target = tmp_path / "made.yaml"
    refused("convert", xacro, target, words=["--xacro"])
    assert run("convert", xacro, target, "--xacro").code == 0
    assert gw.load(target).link("b").mass == 3.0


def test_a_folder_is_included(run, refused, arm):
    refused("info", arm, words=["ball.yaml", "--include FOLDER"])
    assert run("check", arm).code == 2
    parts = arm.parents[1] / "parts"
    assert json.loads(run("info", arm, "--include", parts, "--json").out)["mass"] == 3.0
    assert json.loads(run("check", arm, "--include", parts, "--json").out)["problems"] == []
    refused("info", arm, "--include", parts / "none", words=[str(parts / "none")[-12:]])
