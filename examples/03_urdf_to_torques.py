"""From a URDF to torques.

A URDF describes a pendulum of 2 kg with a transmission of ratio 50 and a rotor of 4e-4 kg m2. To accelerate from
hanging (0 rad) with 3 rad/s2, the rod's 0.02 + 2 * 0.3^2 = 0.2 kg m2 and the rotor's 50^2 * 4e-4 = 1 kg m2 need
1.2 * 3 = 3.6 Nm. Without the drive it would be 0.6 Nm.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import gearwright as gw

URDF = """<?xml version="1.0"?>
<robot name="pendulum">
  <link name="world"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.3"/>
      <mass value="2"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="pivot" type="revolute">
    <parent link="world"/>
    <child link="rod"/>
    <axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="5" effort="20"/>
  </joint>
  <transmission name="drive">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="pivot"/>
    <actuator name="motor">
      <mechanicalReduction>50</mechanicalReduction>
      <motorInertia>4e-4</motorInertia>
    </actuator>
  </transmission>
</robot>
"""

with TemporaryDirectory() as folder:
    path = Path(folder) / "pendulum.urdf"
    path.write_text(URDF)
    robot = gw.load(path)

state = [0.0], [0.0], [3.0]
bare = gw.inverse_dynamics(gw.assemble(replace(robot, drives=())), *state)
tau = gw.inverse_dynamics(gw.assemble(robot), *state)
print(f"without drive {bare[0]:.3f} Nm, with drive {tau[0]:.3f} Nm")

assert abs(bare[0] - 0.6) < 1e-12
assert abs(tau[0] - 3.6) < 1e-12
