"""A run along the cords of an MJCF file, in the compiled event loop, against MuJoCo at a fine step."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.files.mjcf.reader import read_mjcf_with_report

ARM = """<mujoco model="arm"><option timestep="2e-4" integrator="RK4"><flag contact="disable"/></option><worldbody>
  <site name="anchor" pos="-0.1 0 0.08"/><site name="low" pos="-0.1 0.02 -0.08"/><site name="above" pos="0.03 0 0.1"/>
  <geom name="hub" type="cylinder" size="0.05 0.1" euler="90 0 0"/>
  <body name="upper"><joint name="j1" axis="0 1 0" damping="0.2"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/><geom name="knob" size="0.04" pos="0.3 0 0"/>
    <site name="eye" pos="0.15 0 0.04"/><site name="under" pos="0.15 0.01 -0.04"/>
    <body name="fore" pos="0.3 0 0"><joint name="j2" axis="0 1 0" damping="0.05"/>
      <joint name="j3" axis="1 0 0.1" damping="0.05"/>
      <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.02" mass="0.6"/>
      <site name="end" pos="0.12 0.01 0.05"/><site name="tip" pos="0.2 0 -0.03"/></body></body></worldbody>
  <tendon>
    <spatial name="lift" stiffness="150" damping="1" springlength="0.25"><site site="anchor"/>
      <geom geom="hub" sidesite="above"/><site site="eye"/><geom geom="knob"/><site site="end"/></spatial>
    <spatial name="tackle" stiffness="60" springlength="0 0.2"><site site="low"/><site site="under"/>
      <pulley divisor="2"/><site site="under"/><site site="tip"/></spatial>
    <spatial name="stay" armature="0.1"><site site="anchor"/><site site="tip"/></spatial>
  </tendon></mujoco>"""


def test_a_second_of_motion_along_cords(tmp_path):
    """Cords that touch and leave their guides, go slack and have inertia, in the compiled event loop."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    robot, report = read_mjcf_with_report(path)
    assert not report.not_representable
    start = np.array([0.3, 0.4, 0.2])
    run = gw.simulate(
        robot,
        (start, np.zeros(3)),
        until=1.0,
        samples=11,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos = start
    touching = set()
    for sample in range(1, 11):
        while data.time < 0.1 * sample - 1e-4:
            mujoco.mj_step(model, data)
            touching.add(int(data.ten_wrapnum[0]))
        assert run.q[sample] == pytest.approx(data.qpos, abs=1e-6)
    assert np.ptp(run.q, axis=0).min() > 1.0
    assert len(touching) > 1  # points of the path: the cord came on or off a guide
    assert [event for event in run.events if "tackle" in str(event)]
