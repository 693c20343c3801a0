"""Spatial tendons read from MJCF as cords, against MuJoCo: lengths, accelerations, a run with servos."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.files import read_yaml, write_yaml
from gearwright.files.mjcf.reader import read_mjcf_with_report
from gearwright.forces.cords.cords_of_robot import cord_line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.system.evaluation import evaluate_system
from gearwright.system.system import System
from support.compare import relative
from support.references import Reference

MUJOCO = Reference("MuJoCo, spatial tendons")

FINGER = """<mujoco model="finger">
  <option timestep="1e-4" integrator="RK4"><flag contact="disable" limit="disable" frictionloss="disable"/></option>
  <worldbody>
    <site name="fixed" pos="-0.3 0.05 0.02"/>
    <geom name="post" type="sphere" size="0.05" pos="-0.1 0.03 0.0"/>
    <body name="near">
      <joint name="j1" axis="0 0 1" pos="0.01 0 0" ref="10"/>
      <joint name="j2" axis="0 1 0"/>
      <geom name="drum" type="cylinder" size="0.04 0.1" pos="0.15 0 0" euler="10 5 0" mass="0.5"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/>
      <site name="eye" pos="0.03 0.06 0.01"/>
      <site name="side" pos="0.15 0.2 0"/>
      <body name="far" pos="0.3 0 0">
        <joint name="j3" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.5"/>
        <site name="end" pos="0.1 0.05 0.03"/>
        <site name="tip" pos="0.2 0.01 0"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="flexor" stiffness="200" damping="3" springlength="0.1 0.3">
      <site site="fixed"/><geom geom="post"/><site site="eye"/><geom geom="drum" sidesite="side"/><site site="end"/>
    </spatial>
    <spatial name="tackle" stiffness="100" frictionloss="1" limited="true" range="0.1 2">
      <site site="fixed"/><geom geom="post"/><site site="eye"/><pulley divisor="2"/>
      <site site="eye"/><geom geom="drum"/><site site="tip"/><pulley divisor="3"/><site site="fixed"/><site site="end"/>
    </spatial>
    <spatial name="stay" armature="0.2" damping="1"><site site="fixed"/><site site="end"/></spatial>
    <spatial name="eyelet" stiffness="1">
      <site site="fixed"/><site site="eye"/><geom geom="drum" sidesite="side"/><site site="eye"/><site site="end"/>
    </spatial>
    <spatial name="idle"><site site="fixed"/><site site="tip"/></spatial>
  </tendon>
  <actuator>
    <motor name="pull" tendon="flexor" gear="3"/>
    <position name="hold" tendon="tackle" gear="-2" kp="5" kv="0.3"/>
    <position name="turn" joint="j1" kp="4" kv="0.5" gear="3"/>
    <velocity name="spin" joint="j3" kv="0.2" forcerange="-0.3 0.3"/>
  </actuator>
</mujoco>"""


@pytest.fixture(scope="module")
def finger(tmp_path_factory):
    """The robot, read and gone through YAML, with its report, and MuJoCo's model and data."""
    path = tmp_path_factory.mktemp("cords") / "finger.xml"
    path.write_text(FINGER, encoding="utf-8")
    robot, report = read_mjcf_with_report(path)
    text = write_yaml(robot)
    robot = read_yaml(text)
    assert write_yaml(robot) == text
    model = mujoco.MjModel.from_xml_path(str(path))
    return robot, report, model, mujoco.MjData(model)


def test_everything_is_read_or_reported(finger):
    robot, report, _, _ = finger
    assert not report.not_representable
    assert [cord.name for cord in robot.cords] == ["flexor", "tackle", "stay", "eyelet", "pull", "hold"]
    assert any("'idle'" in note and "gw.laws" not in note for note in report.notes)
    assert any("'flexor'" in note and "gw.laws" in note for note in report.notes)


def test_lengths_round_cylinders_and_spheres(finger):
    """Touching, clear, the shorter way, on a side, from a point to itself: whatever 300 states meet."""
    robot, _, model, data = finger
    mech = gw.assemble(robot)
    lines = [cord_line(mech, cord) for cord in robot.cords[:4]]
    rng = np.random.default_rng(1)
    for q in 1.5 * rng.normal(size=(300, 3)):
        data.qpos = q
        mujoco.mj_fwdPosition(model, data)
        scene = SharedKinematics(mech, q.tolist(), [0.0] * 3, FLOATS)
        found = [line.placed_in(scene).position(q) for line in lines]
        assert found == pytest.approx(data.ten_length[:4], abs=1e-12)


def slides(name: str) -> str:
    axes = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
    joints = "".join(f'<joint name="{name}{a}" type="slide" axis="{axis}"/>' for a, axis in axes.items())
    return f'<body name="{name}">{joints}<geom size="0.01"/><site name="{name}"/></body>'


GUIDES = [(geom, side) for geom in ("drum", "ball") for side in (None, "s1", "s2")]
ROUND = f"""<mujoco><worldbody>
  <geom name="drum" type="cylinder" size="0.1 0.3" euler="20 30 10" pos="0.01 0.02 0.03"/>
  <geom name="ball" type="sphere" size="0.12" pos="0.03 0 0"/>
  <site name="s1" pos="0.2 0.1 0.05"/><site name="s2" pos="-0.1 -0.15 0.2"/>{slides("p")}{
    slides("q")
}</worldbody><tendon>
  {
    "".join(
        f'<spatial name="t{k}" stiffness="1"><site site="p"/><geom geom="{geom}"'
        + (f' sidesite="{side}"' if side else "")
        + '/><site site="q"/></spatial>'
        for k, (geom, side) in enumerate(GUIDES)
    )
}</tendon></mujoco>"""


def test_ways_round_cylinders_and_spheres_with_and_without_sides(tmp_path):
    """Two points anywhere about a guide: the side decides as in MuJoCo, more than half a turn and snapping included."""
    if int(mujoco.__version__.split(".")[0]) < 4:
        pytest.skip("the rule of side sites is that of MuJoCo 4")
    path = tmp_path / "round.xml"
    path.write_text(ROUND)
    robot, report = read_mjcf_with_report(path)
    assert not report.not_representable
    mech, model = gw.assemble(robot), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    lines = [cord_line(mech, cord) for cord in robot.cords]
    rng = np.random.default_rng(0)
    by_side = 0
    for scale in (0.12, 0.2, 0.4):
        for q in scale * rng.normal(size=(150, 6)):
            data.qpos = q
            mujoco.mj_fwdPosition(model, data)
            scene = SharedKinematics(mech, q.tolist(), [0.0] * 6, FLOATS)
            found = [line.placed_in(scene).position(q) for line in lines]
            assert found == pytest.approx(data.ten_length, abs=1e-12)
            by_side += found[1] > found[0] + 1e-3
    assert by_side > 20


def test_accelerations(finger):
    """Springs that may be slack, dampers, inertia along the length, branches and motors."""
    robot, _, model, data = finger
    mech = gw.assemble(robot)
    laws = [law for law in gw.laws(robot, mech, smooth=True) if law.name not in ("tackle.friction", "tackle.stops")]
    system = System(mech, tuple(laws))
    names = [law.name for law in laws if law.inputs]
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, v = 0.8 * rng.normal(size=3), rng.normal(size=3)
        data.qpos, data.qvel, data.ctrl = q, v, rng.normal(size=4)
        mujoco.mj_forward(model, data)
        force = {f"{model.actuator(k).name}.torque": data.actuator_force[k] for k in range(4)}
        tau = [3 * force["turn.torque"], 0.0, force["spin.torque"]]
        x = np.concatenate([q, v, [0.0, 0.0]])
        found = evaluate_system(system, 0.0, x, np.array([*tau, *(force[name] for name in names)]), ("on",) * len(laws))
        MUJOCO.agrees("acceleration, relative", relative(found.a, data.qacc), 1e-10)
