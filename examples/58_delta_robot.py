"""A delta robot: three arms on a frame carry a platform through rods; a pick-and-place arc and its motor torques.

Each pair of parallel rods is one rod here, and the platform slides without turning, as the pairs of rods enforce. The
platform is where three spheres of the rods' length meet, within 1e-12 m. Textbooks lump half of each rod at its ends;
on this fast arc the error is more than 5 % of the peak torque.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import gearwright as gw
from gearwright.parts import Drive, Frame, Gear, Joint, Link, Loop, Motor, NamedState, Robot

BASE, ARM, ROD, PLATFORM = 0.2, 0.3, 0.8, 0.05  # m
LEAN = float(np.arcsin((BASE + ARM - PLATFORM) / ROD))  # of the rods with horizontal arms [rad]
TURNS = [Rotation.from_euler("z", 120 * k, degrees=True).as_matrix() for k in range(3)]


def delta(rod_mass, lumped=0.0):
    """The robot; `lumped` is the mass at each end of a rod instead."""
    links = [
        Link("x", "base", Joint("x", "prismatic", (1, 0, 0))),
        Link("y", "x", Joint("y", "prismatic", (0, 1, 0))),
        Link("platform", "y", Joint("z", "prismatic", (0, 0, 1)), 0.6 + 3 * lumped, inertia=np.eye(3) * 1e-3),
    ]
    frames, loops, drives, home = [], [], [], {"z": -ROD * np.cos(LEAN)}
    for k, turn in enumerate(TURNS, start=1):
        arm = Joint(f"arm{k}", axis=(0, 1, 0), position=turn @ [BASE, 0, 0], rotation=turn)
        ball = Joint(f"rod{k}", "universal", (0, 1, 0), position=(ARM, 0, 0), axis2=(1, 0, 0))
        com, moment = (ARM * (0.2 + lumped) / (0.4 + lumped), 0, 0), 3e-3 + lumped * 0.4 / (lumped + 0.4) * ARM**2 / 4
        links.append(Link(f"arm{k}", "base", arm, 0.4 + lumped, com, np.diag([1e-4, 1, 1]) * moment))
        slim = np.diag([1, 1, 1e-3]) * rod_mass * ROD**2 / 12
        links.append(Link(f"rod{k}", f"arm{k}", ball, rod_mass, (0, 0, -ROD / 2), slim))
        frames += [Frame(f"end{k}", f"rod{k}", (0, 0, -ROD)), Frame(f"pin{k}", "platform", turn @ [PLATFORM, 0, 0])]
        loops.append(Loop(f"loop{k}", (f"end{k}", f"pin{k}")))
        drives.append(Drive(f"arm{k}", Motor(inertia=2e-4, mass=0.0), Gear(12.0), "base", tuple(turn @ [0, 1, 0])))
        home[f"rod{k}.angle1"] = LEAN
    return Robot("delta", links, drives, frames=frames, loops=loops, states=[NamedState("home", home)])


robot = delta(rod_mass=0.15)
mech = gw.assemble(robot)
start = mech.closed([0.4, 0.4, 0.4])
x, y, z = gw.placement(mech, start, "platform").position
arms, limits = list(mech.independent_indices), gw.planning.PathLimits(speed=3.0, acceleration=60.0, jerk=5e3)
pick = gw.planning.arc(robot, "platform", start, (x, y + 0.15, z + 0.1), (x, y + 0.3, z), limits=limits)
q, v, a = (pick.at(np.linspace(0, pick.duration, 201), order) for order in range(3))
v, a = v[:, arms], a[:, arms]
p = gw.placement(mech, q, "platform").position
gaps = []
for turn, angle in zip(TURNS, q[:, arms].T, strict=True):
    knee = turn @ np.array([BASE + ARM * np.cos(angle), 0 * angle, -ARM * np.sin(angle)])
    gaps.append(np.linalg.norm(p + turn @ [PLATFORM, 0, 0] - knee.T, axis=1) - ROD)
tau = gw.inverse_dynamics(mech, q, v, a)
simple = gw.inverse_dynamics(delta(rod_mass=1e-6, lumped=0.075), q, v, a)
error = np.abs(tau - simple).max() / np.abs(tau).max()
print(f"{pick.duration:.2f} s for the arc; up to {np.abs(tau).max():.1f} Nm, {np.abs(v).max():.1f} rad/s at the arms")
print(f"{len(mech.assembly_modes(start[arms]))} assembly modes; lumped rods: error {error:.1%} of the peak torque")
assert np.abs(gaps).max() < 1e-12
assert error > 0.05
