"""The equations of the elbow arm, as printed by Sciavicco, Siciliano and Villani.

Their section 7 derives by hand the inertia matrix, the Coriolis matrix and the gravity terms of an arm with three
motors. Here they come out of the same recursions that compute the numbers. The coupling of the third rotor with the
first joint is b13 = k3 s2 J3: at q2 = pi/2 it is 80 * 2e-4 = 0.016 kg m2, which "armature" neglects.
"""

from math import pi

import gearwright as gw

arm = gw.load("elbow")
for function in (gw.mass_matrix, gw.coriolis_matrix, gw.gravity):
    print(gw.closed_form(function, arm).latex(), "\n")

form = gw.closed_form(gw.mass_matrix, arm)
print("b13 =", form.entries[2])

assert str(form.entries[2]) == "J3*k3*s2"
assert abs(abs(form.evaluate([0.0, pi / 2, 0.0])[0, 2]) - 0.016) < 1e-15
