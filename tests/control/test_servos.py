"""Servos that an MJCF file states, as a controller, against MuJoCo's own run."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.control.drive_outputs import ServoLaw
from gearwright.files.mjcf.reader import read_mjcf_with_report
from gearwright.parts import Cord, Motor, Servo, Waypoint
from gearwright.system.controllers.control_law import Measurement

ARM = """<mujoco model="arm">
  <option timestep="2e-4" integrator="RK4"><flag contact="disable"/></option>
  <worldbody><body name="upper"><joint name="j1" axis="0 1 0" damping="0.1"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/>
    <body name="fore" pos="0.3 0 0"><joint name="j2" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.5"/></body></body></worldbody>
  <actuator>
    <position name="turn" joint="j1" kp="8" kv="0.4" gear="2" forcerange="-3 3"/>
    <velocity name="spin" joint="j2" kv="0.3"/>
  </actuator>
</mujoco>"""


def test_position_and_velocity_servos_run_as_in_mujoco(tmp_path):
    """Half a second; the position servo saturates at first."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    robot, report = read_mjcf_with_report(path)
    assert not report.not_representable
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl = [1.6, 2.0]
    largest = 0.0
    for _ in range(2500):
        mujoco.mj_step(model, data)
        largest = max(largest, abs(float(data.actuator_force[0])))
    assert largest == 3.0
    controller = gw.control.servos(robot, [1.6, 2.0])
    run = gw.simulate(
        robot,
        [0.0, 0.0],
        until=0.5,
        controller=controller,
        samples=2,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    assert np.abs(run.q[-1]).min() > 0.05
    assert run.q[-1] == pytest.approx(data.qpos, abs=1e-6)
    assert run.v[-1] == pytest.approx(data.qvel, abs=1e-5)


def test_a_servo_along_a_cord_sees_its_length():
    """Torque = kp (u - ratio l) - kv ratio dl/dt, l the distance of its two points."""
    mech = gw.assemble(gw.load("elbow"))
    tip = mech.bodies[2].name
    route = [Waypoint("base", (0.4, 0.1, 0.2)), Waypoint(tip, (0.2, 0, 0))]
    servo = Servo(kp=5.0, kv=0.3)
    law = ServoLaw(mech, (("pull", servo),), (Cord("pull", route, motor=Motor(), ratio=-2.0, servo=servo),))
    q, v = np.array([0.3, 0.5, -0.4]), np.array([0.2, -0.7, 0.4])

    def length(t: float) -> float:
        R, p = gw.placement(mech, q + t * v, tip)
        return float(np.linalg.norm(p + R @ [0.2, 0, 0] - [0.4, 0.1, 0.2]))

    rate = (length(1e-6) - length(-1e-6)) / 2e-6
    (torque,) = law.decide(Measurement(q.tolist(), v.tolist(), {"command": [1.5]}, (), FLOATS, mech)).outputs
    assert torque == pytest.approx(5.0 * (1.5 + 2 * length(0.0)) + 0.3 * 2 * rate, abs=1e-8)
