"""A four-bar linkage from MuJoCo, closed by `connect`, that a cord pulls over a drum.

MuJoCo's `connect` is read as a loop of the robot, its spatial tendon as a cord. The loop is rigid here and soft in
MuJoCo: with a stiff equality and steps of 0.1 ms MuJoCo agrees within 1e-5 rad over 0.3 s. On export the loop is a
`connect` again.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco
import numpy as np

import gearwright as gw
from gearwright.contact import project

LINKAGE = """<mujoco model="linkage"><option timestep="1e-4" integrator="RK4"><flag contact="disable"/></option>
  <worldbody><site name="winch" pos="-0.2 0 0.4"/><geom name="drum" type="cylinder" size="0.05 0.05" pos="0 0 0.35"
      euler="90 0 0"/><site name="above" pos="0 0 0.45"/>
    <body name="crank"><joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02"/>
      <body name="coupler" pos="0 0 0.2"><joint name="pin" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.02"/><site name="eye" pos="0.2 0 0.1"/></body></body>
    <body name="rocker" pos="0.4 0 0"><joint name="rocker" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/></body></worldbody>
  <equality><connect name="hinge" body1="coupler" body2="rocker" anchor="0.4 0 0.1" solref="4e-4 1"
      solimp="0.9999 0.9999 0.001 0.5 1"/></equality>
  <tendon><spatial name="rope" stiffness="30" damping="1" springlength="0 0.3"><site site="winch"/>
      <geom geom="drum" sidesite="above"/><site site="eye"/></spatial></tendon></mujoco>"""

with TemporaryDirectory() as folder:
    path = Path(folder) / "linkage.xml"
    path.write_text(LINKAGE)
    robot = gw.load(path)
    report = gw.export.mjcf(robot, path)
    written = path.read_text()

(loop,) = robot.loops
print(f"loop {loop.name!r} holds {', '.join(loop.held)}; cords: {', '.join(cord.name for cord in robot.cords)}")
start = project(robot, [0.0, 0.0, 0.0], gw.laws(robot))
run = gw.simulate(robot, start, until=0.3, samples=6)

model = mujoco.MjModel.from_xml_string(LINKAGE)
data = mujoco.MjData(model)
worst = 0.0
for sample in range(1, 6):
    while data.time < 0.06 * sample - 5e-5:
        mujoco.mj_step(model, data)
    worst = max(worst, float(np.abs(run.q[sample] - data.qpos).max()))
print(f"the crank turns by {np.ptp(run['q.crank']):.2f} rad, MuJoCo is within {worst:.0e} rad")
assert np.ptp(run["q.crank"]) > 0.3
assert worst < 1e-5
assert loop.held == ("x", "z")
assert '<connect name="hinge"' in written
