"""The resonance of an elastic drive.

A rotor of 1e-4 kg m2 behind a gear of ratio 100 has 1 kg m2 at the joint, as much as the link. A gear stiffness of 5000
Nm/rad connects the two: they oscillate against each other at sqrt(5000 * (1/1 + 1/1)) = 100 rad/s.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Gear, Link, Motor, Robot

link = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
mech = gw.assemble(Robot("turntable", [link], [drive]))
print("speeds:", mech.speeds)
print("mass matrix:", gw.mass_matrix(mech, [0.0, 0.0]).tolist())

A, _ = gw.linearise(mech, q=[0.0, 0.0], v=[0.0, 0.0], tau=[0.0, 0.0])
resonance = np.abs(np.linalg.eigvals(A).imag).max()
print(f"resonance at {resonance:.3f} rad/s")

assert abs(resonance - 100) < 1e-4
