"""A redundant arm performs a motion that is infeasible without its redundancy.

Three bars of 1 kg move in a vertical plane; every joint has 12 Nm. The tip is to move 0.4 m along a line at up to 1.2
m/s. With the third joint locked, or with all joints moving as little as possible, a motor would need 1.18 times its
limit. The arm has one redundant joint for the line: the best null-space motion needs 0.91 of the limit, with the same
motion of the tip.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Joint, Limits, Link, Robot


def arm(lengths=(0.4, 0.4, 0.3)) -> Robot:
    """Bars on revolute joints about z, gravity along -y, and `tip` at the end."""
    links, parent, at = [], "base", 0.0
    for k, length in enumerate(lengths):
        joint = Joint(f"j{k + 1}", position=(at, 0, 0), limits=Limits(effort=12.0))
        bar = np.diag([0.0, 0.01, 0.01])
        links.append(Link(f"bar{k + 1}", parent, joint, mass=1, com=(length / 2, 0, 0), inertia=bar))
        parent, at = f"bar{k + 1}", length
    tip = Link("tip", parent, Joint(kind="fixed", position=(at, 0, 0)))
    return Robot("three_bars", [*links, tip], gravity=(0, -9.81, 0))


robot = arm()
mech = gw.assemble(robot)
start = [0.2, 1.4, 1.45]
tip = gw.placement(mech, start, "tip").position
goal = (None, tip + 0.4 * np.array([np.cos(-2.7), np.sin(-2.7), 0.0]))  # any orientation, this position

locked = gw.planning.line(
    robot, "tip", start, goal, limits=gw.planning.PathLimits(speed=1.2), options=gw.planning.PathOptions(held=["j3"])
)
plain = gw.planning.line(robot, "tip", start, goal, limits=gw.planning.PathLimits(speed=1.2))
best = gw.planning.least_torque(robot, "tip", plain, search=gw.planning.NullSpaceOptions(oriented=False))

needs = {}
for name, motion in (("third joint locked", locked), ("least joint motion", plain), ("least torque", best)):
    ratio = gw.planning.torque_ratio(robot, motion)
    needs[name] = ratio.max()
    print(f"{name:20} needs {ratio.round(2)} of the torque limits, {motion.duration:.2f} s")

t = np.linspace(0, plain.duration, 200)
apart = gw.placement(mech, best.at(t), "tip").position - gw.placement(mech, plain.at(t), "tip").position
print(f"the tip deviates from its motion by at most {np.abs(apart).max():.1e} m")
assert np.abs(apart).max() < 1e-6
assert abs(needs["third joint locked"] - 1.18) < 0.02
assert abs(needs["least torque"] - 0.91) < 0.02
