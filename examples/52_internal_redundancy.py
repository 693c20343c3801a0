"""A counterweight that does not move the tool performs what the motor's limit forbids.

A boom of 6 kg is to rise from hanging to horizontal in 1.5 s; its motor has 20 Nm, but holding it needs 31 Nm. A
counterweight of 8 kg slides behind the joint (internal redundancy, Vukobratovic and Potkonjak, section 20.5.1): the
motion of the tip is the same, the largest torque is 0.84 of the limit, and the limits allow 0.93 s.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Joint, Limits, Link, Robot

links = [
    Link("boom", "base", Joint("j1", limits=Limits(effort=20.0)), 6.0, (0.6, 0, 0), np.diag([0.0, 0.3, 0.3])),
    Link(
        "weight",
        "boom",
        Joint("slide", "prismatic", axis=(-1, 0, 0), limits=Limits(position=(0.0, 0.6), effort=150.0)),
        8.0,
        (0, 0, 0),
        np.zeros((3, 3)),
    ),
    Link("tip", "boom", Joint(kind="fixed", position=(1.0, 0, 0))),
]
robot = Robot("balanced_boom", links, gravity=(0, -9.81, 0))

locked = gw.motion.polynomial([-np.pi / 2, 0.05], [0.0, 0.05], 1.5)
best = gw.planning.least_torque(robot, "tip", locked)
quick = gw.planning.least_time(robot, "tip", best, search=gw.planning.NullSpaceOptions(coefficients=2, steps=8))

needs = {}
for name, motion in (("weight locked", locked), ("least torque", best), ("least time", quick)):
    needs[name] = gw.planning.torque_ratio(robot, motion)
    print(f"{name:14} needs {needs[name].round(2)} of the limits in {motion.duration:.2f} s")
assert needs["weight locked"][0] > 1.5
assert needs["least torque"].max() < 0.95
assert needs["least time"].max() < 1.0001
assert quick.duration < 1.0
