"""A motor turns a satellite.

A satellite of 0.5 kg m2 floats freely and turns an antenna of 0.2 kg m2 at 1 rad/s by a rotor of 1e-4 kg m2, 100 times
as fast. Their angular momentum stays zero, so the satellite turns at -(0.2 + 100 * 1e-4) / (0.5 + 0.2 + 1e-4) =
-0.29995715 rad/s. A number per joint ("diagonal") includes the rotor's energy but not its momentum: an error of 5 %.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import FREE_JOINT, Drive, Gear, Joint, Link, Motor, Robot

satellite = Link("satellite", joint=FREE_JOINT, mass=50, inertia=np.diag([0.5, 0.5, 0.5]))
antenna = Link("antenna", "satellite", Joint(axis=(0, 0, 1)), mass=1, inertia=np.diag([0.1, 0.1, 0.2]))
drive = Drive("antenna", Motor(inertia=1e-4), Gear(ratio=100))
mech = gw.assemble(Robot("satellite", [satellite, antenna], [drive], gravity=(0, 0, 0)))


def answer(machine: gw.Mechanism) -> np.ndarray:
    """The six speeds of the satellite that keep all momentum zero while the antenna turns at 1 rad/s."""
    M = gw.mass_matrix(machine, gw.neutral(machine))
    return -np.linalg.solve(M[:6, :6], M[:6, 6])


exact, approximate = answer(mech), answer(gw.approximate(mech, "diagonal"))
print(f"the satellite turns at {exact[5]:.6f} rad/s; approximated {approximate[5]:.6f} rad/s")
momentum = gw.momentum(mech, gw.neutral(mech), [*exact, 1.0])

assert abs(exact[5] + 0.29995715) < 1e-8
assert np.abs(momentum).max() < 1e-12
