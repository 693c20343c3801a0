"""The redundant model of Melhem and Loria, and its omitted term.

Two links of an elbow arm and their two rotors, coupled to the joints by springs of 8000 and 6000 Nm/rad. As free bodies
they have 30 Cartesian velocities, a constant inertia matrix and a constant left inverse of the kinematics. Projected on
the 4 generalised speeds it is the usual model, but only with the quadratic terms that the paper omits: at this state
-0.00942448 Nm at the first joint and -0.01649283 Nm at the second, 14 % and 29 % of the velocity forces.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

up = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # the second joint's axes in the first link
links = [
    Link("column", joint=Joint("waist"), mass=6, com=(0, 0, -0.05), inertia=np.diag([0.05, 0.05, 0.03])),
    Link("arm", "column", Joint("shoulder", rotation=up), 5, (0.2, 0, 0), np.diag([0.01, 0.09, 0.09])),
]
drives = [
    Drive("waist", Motor(5e-4, 0.9, 4e-4), Gear(120, stiffness=8000), axis=(0, 0, 1)),
    Drive("shoulder", Motor(3e-4, 0.8, 2.5e-4, (0, 0, -0.1)), Gear(100, stiffness=6000), axis=(0, 0, 1)),
]
mech = gw.assemble(Robot("elastic_column", links, drives))
model = gw.elastic.RedundantModel(mech)
q, v = [0.3, -0.5, 0.302, -0.501], [0.7, -0.4, 0.75, -0.38]
print(model.size, "velocities:", *model.names[:4], "...", model.names[-1])
print("ranks:", model.ranks(model.configurations(10)))

found = model.project(q, v)
print("H:", found.H.round(4).tolist())
exact = gw.coriolis_matrix(mech, q, v) @ v
print("velocity forces:", (found.C @ v).round(8), "generalized:", exact.round(8))
print("as printed:     ", (found.C @ v - found.omitted).round(8))

left = model.constant_left_inverse()
error = np.abs(left @ model.jacobian(model.configurations(100)) - np.eye(4)).max()
print(f"constant left inverse, error at 100 configurations: {error:.1e}")

assert np.abs(found.C @ v - exact).max() < 1e-12
assert np.abs(found.omitted - [-0.00942448, -0.01649283, 0, 0]).max() < 1e-8
