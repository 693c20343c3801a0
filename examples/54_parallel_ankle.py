"""A parallel ankle: two motors move pitch and roll of a foot through cranks and rods.

One "armature" per joint cannot describe it: both motors move both joints, by ratios that depend on the posture. The
motor space has the exact ratios, the inertia of the rotors at the joints, and the torques and speeds that both motors
together can produce: 25.2 Nm in pitch at zero. Gains tuned at the joints are carried over to the motors.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Frame, Gear, Joint, Link, Loop, Motor, Robot

CRANK, ROD, WIDTH = 0.05, 0.2, 0.04  # m

foot = np.diag([0.5e-3, 2.8e-3, 3.1e-3])
links = [
    Link("cross", "base", Joint("pitch", axis=(0, 1, 0)), 0.02, inertia=np.eye(3) * 1e-6),
    Link("foot", "cross", Joint("roll", axis=(1, 0, 0)), 0.8, (0.03, 0, -0.05), foot),
]
frames, loops, drives = [], [], []
motor = Motor(inertia=6e-5, mass=0.1, max_torque=1.4, max_speed=300.0, damping=2e-5)
for side, y in (("left", WIDTH), ("right", -WIDTH)):
    crank = Joint(side, axis=(0, 1, 0), position=(0, y, ROD))
    ball = Joint(f"{side}_ball", "universal", (0, 1, 0), position=(-CRANK, 0, 0), axis2=(1, 0, 0))
    links += [
        Link(f"{side}_crank", "base", crank, 0.05, (-CRANK / 2, 0, 0), np.eye(3) * 1e-5),
        Link(f"{side}_rod", f"{side}_crank", ball, 0.04, (0, 0, -ROD / 2), np.diag([1.3e-4, 1.3e-4, 1e-6])),
    ]
    frames += [Frame(f"{side}_end", f"{side}_rod", (0, 0, -ROD)), Frame(f"{side}_lever", "foot", (-CRANK, y, 0))]
    loops.append(Loop(f"{side}_pin", (f"{side}_end", f"{side}_lever")))
    drives.append(Drive(side, motor, Gear(9.0), mounted_on="base", axis=(0, 1, 0)))
ankle = Robot("ankle", links, drives, frames=frames, loops=loops)

joints = ["pitch", "roll"]
mech = gw.assemble(ankle, independent=joints, start=np.zeros(8))
for posture in ([0.0, 0.0], [0.3, 0.2], [-0.4, 0.0]):
    space = gw.actuation.motor_space(ankle, mech.closed(posture), joints)
    share = np.diag(space.reflected_inertia) / np.diag(space.inertia)
    torque, speed = space.torque_polygon(), space.speed_polygon()
    print(f"pitch {posture[0]:+.1f}, roll {posture[1]:+.1f} rad")
    print("  ratios       ", " ".join(f"{x:7.3f}" for x in space.ratios.ravel()))
    print(f"  rotors are {share[0]:.0%} of the inertia in pitch, {share[1]:.0%} in roll")
    print(f"  up to {torque[:, 0].max():.1f} Nm in pitch, {torque[:, 1].max():.1f} Nm in roll;", end=" ")
    print(f"{speed[:, 0].max():.0f} and {speed[:, 1].max():.0f} rad/s")

gains = space.motor_gains(np.diag([80.0, 40.0]))
print("gains at the motors for 80 and 40 Nm/rad at the joints:", gains.round(3).tolist())
tau = gw.inverse_dynamics(mech, mech.closed([0.1, 0.05]), [2.0, -1.0], [30.0, 10.0])
there = gw.actuation.motor_space(ankle, mech.closed([0.1, 0.05]), joints)
print("motor torques of a motion:", there.motor_torques(tau).round(4), "Nm")
assert abs(space.torque_polygon()[:, 0].max() - 25.2) < 1e-9
