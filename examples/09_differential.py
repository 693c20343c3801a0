"""Motors that share joints: a bevel differential and a remote drive.

Two motors at the base turn the side gears of a bevel differential (20 teeth; the hand's gear has 30): together they
pitch the wrist, against each other they roll the hand. A third motor, also at the base, drives the finger beyond both
through nested shafts, so that every joint is in its row. Rolling alone at 1 rad/s takes both motors at 1.5 rad/s, in
opposite senses, and the remote motor turns along at -1 rad/s to keep the finger still.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Joint, Link, Member, Motor, Robot, Train, TrainMotor, bevel_differential, nested_shafts

body = {"mass": 0.5, "com": (0.0, 0.0, 0.05), "inertia": np.diag([2e-3, 2e-3, 1e-3])}
links = [
    Link("wrist", "base", Joint("pitch", axis=(0, 1, 0)), **body),
    Link("hand", "wrist", Joint("roll", axis=(0, 0, 1)), **body),
    Link("finger", "hand", Joint("grip", axis=(1, 0, 0), position=(0, 0, 0.1)), **body),
]
rotor = Motor(inertia=2e-5, mass=0.1)
side = Member(inertia=5e-5, mass=0.05)
differential = bevel_differential(
    "diff",
    arm="wrist",
    output="hand",
    teeth=(20, 30),
    side_members=(side, side),
    motors=[TrainMotor("left", "diff.left", motor=rotor), TrainMotor("right", "diff.right", motor=rotor)],
    arm_joint="pitch",
)
shafts = nested_shafts("far", ["pitch", "roll", "grip"], ["wrist", "hand", "finger"], [-1.0, 2.0], [1e-5, 1e-5])
remote = Train(shafts.name, shafts.wheels, shafts.meshes, [TrainMotor("grip", "far.1", motor=rotor)])
mech = gw.assemble(Robot("gripper", links, trains=[differential, remote]))

print("turns of every motor (column) per turn of every joint (row):")
for joint, row in zip(mech.speeds, gw.actuation.structure_matrix(mech), strict=True):
    print(f"  {joint:6}", row)
speeds = gw.actuator_speeds(mech, [0.0, 1.0, 0.0])
print("rolling alone at 1 rad/s, the motors turn at", speeds, "rad/s")
hold = gw.actuator_torques(mech, gw.gravity(mech, [0.5, 0.3, -0.4]))
print("to hold the hand still they give", hold.round(4), "Nm")
print("each of them has to accelerate", gw.actuation.motor_inertias(mech, [0.5, 0.3, -0.4]).round(6), "kg m2")

assert np.allclose(speeds, [-1.5, 1.5, -1.0])
