"""Errors of the usual approximations on an elbow arm.

The arm of Sciavicco, Siciliano and Villani with three motors, of which the second is mounted on the first link and the
third on the second. At one state the exact torques are (9.60148721, 25.10781709, 3.26984181) Nm. Without the rotors
("none") the first joint has an error of 90 % of its torque; a number per joint ("diagonal") neglects the reaction of
the rotors on their carriers.
"""

import numpy as np

import gearwright as gw

mech = gw.assemble(gw.load("elbow"))
q, v, a = [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8]
exact = gw.inverse_dynamics(mech, q, v, a)

for kind in ("exact", "reflected", "diagonal", "none"):
    tau = gw.inverse_dynamics(gw.approximate(mech, kind), q, v, a)
    print(f"{kind:10}", tau.round(4), "Nm, error", (tau - exact).round(4))

assert np.abs(exact - [9.60148721, 25.10781709, 3.26984181]).max() < 1e-8
