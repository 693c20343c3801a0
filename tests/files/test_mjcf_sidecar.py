"""Gears and motors for files that state none: a sidecar of an MJCF, the rotor_params of an SRDF."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError
from gearwright.files.mjcf.reader import read_mjcf_with_report

MJCF = """<mujoco model="arm"><worldbody>
  <body name="upper"><joint name="j1" axis="0 0 1" armature="0.9"/><geom type="box" size="0.1 0.1 0.2" mass="4"/>
    <body name="fore" pos="0 0 0.4"><joint name="j2" axis="0 1 0" armature="0.2"/>
      <geom type="box" size="0.1 0.1 0.2" mass="3"/></body></body></worldbody>
  <actuator><position name="a1" joint="j1" kp="10"/></actuator></mujoco>"""
SIDECAR = """robot: arm
drives:
  - {joint: j2, mounted_on: upper, axis: [1, 0, 0], motor: {inertia: 2.0e-5, mass: 0.3}, gear: {ratio: 100}}
"""
URDF = """<robot name="arm"><link name="world"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.3"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def srdf(joint: str = 'name="pivot" mass="4e-4" gear_ratio="50"') -> str:
    return f'<robot name="arm"><group name="g"/><rotor_params><joint {joint}/></rotor_params></robot>'


def test_a_drive_of_the_sidecar_takes_the_place_of_its_joints_armature(tmp_path):
    (tmp_path / "arm.xml").write_text(MJCF)
    (tmp_path / "arm.gearwright.yaml").write_text(SIDECAR)
    robot, report = read_mjcf_with_report(tmp_path / "arm.xml")
    assert robot.link_of_joint("j1").joint.armature == 0.9
    assert robot.link_of_joint("j2").joint.armature == 0.0
    assert any("j2" in note and "0.2" in note for note in report.notes)
    mech = gw.assemble(robot)
    (rotor,) = [spin for spin in mech.spins if spin.name == "j2.rotor"]
    assert (rotor.carrier, rotor.coupling_inertia) == (0, 2e-5)
    bare = gw.mass_matrix(gw.approximate(mech, "none"), [0.1, 0.2])
    assert np.diag(gw.mass_matrix(mech, [0.1, 0.2]) - bare) == pytest.approx([0.9, 0.2])


def test_an_armature_that_the_sidecar_restates_stays(tmp_path):
    (tmp_path / "arm.xml").write_text(MJCF)
    words = SIDECAR + "links:\n  - {name: fore, joint: {armature: 0.05}}\n"
    (tmp_path / "arm.gearwright.yaml").write_text(words)
    assert gw.load(tmp_path / "arm.xml").link_of_joint("j2").joint.armature == 0.05


def test_rotor_params_of_an_srdf(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.srdf").write_text(srdf())
    robot = gw.load(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf")
    tau = gw.inverse_dynamics(gw.assemble(robot), [0.0], [0.0], [3.0])
    assert tau[0] == pytest.approx(3.6)  # (0.2 + 50^2 4e-4) 3


def test_rotor_params_are_those_of_pinocchio(tmp_path):
    pin = pytest.importorskip("pinocchio")
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.srdf").write_text(srdf())
    model = pin.buildModelFromUrdf(str(tmp_path / "arm.urdf"))
    pin.loadRotorParameters(model, str(tmp_path / "arm.srdf"), False)
    robot = gw.load(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf")
    assert (robot.drives[0].motor.inertia, robot.drives[0].gear.ratio) == (
        model.rotorInertia[0],
        model.rotorGearRatio[0],
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (srdf('name="pivo" mass="1" gear_ratio="1"'), "'pivo'.*'pivot'"),
        (srdf('name="pivot" mass="-1" gear_ratio="1"'), "mass -1 "),
        (srdf('name="pivot" mass="x" gear_ratio="1"'), "mass.*'x'"),
        (srdf('name="pivot" gear_ratio="1"'), "mass"),
        ('<robot name="arm"/>', "<rotor_params>"),
        ("<mujoco/>", "<mujoco>.*<robot>"),
    ],
)
def test_a_bad_srdf_is_refused(text, word, tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.srdf").write_text(text)
    with pytest.raises(FileError, match=word):
        gw.load(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf")


def test_an_srdf_that_contradicts_the_robot_is_refused(tmp_path):
    (tmp_path / "arm.srdf").write_text(srdf('name="j1" mass="1e-3" gear_ratio="7"'))
    with pytest.raises(FileError, match=r"joint 'j1'.*7.*0\.001 kg m2"):
        gw.load("elbow", srdf=tmp_path / "arm.srdf")
