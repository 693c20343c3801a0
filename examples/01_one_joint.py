"""One joint with a rotor.

An arm of 2 kg, its centre of mass 0.5 m from the hinge and 0.1 kg m2 about it, is driven by a rotor of 1e-4 kg m2
through a gear of ratio 100. The inertia at the hinge is 0.1 + 2 * 0.5^2 + 100^2 * 1e-4 = 1.6 kg m2, of which the rotor
is 1.
"""

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

arm = Link(
    "arm",
    joint=Joint("hinge", axis=(0, 1, 0)),
    mass=2,
    com=(0.5, 0, 0),
    inertia=[[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
)
robot = Robot("lever", [arm], [Drive("hinge", Motor(inertia=1e-4), Gear(ratio=100))])
mech = gw.assemble(robot)

print("speeds      ", mech.speeds)
print("mass matrix ", gw.mass_matrix(mech, [0.0]))
print("to hold it  ", gw.gravity(mech, [0.0]), "Nm")
print("to move it  ", gw.inverse_dynamics(mech, [0.0], [0.0], [1.0]), "Nm")

assert abs(gw.mass_matrix(mech, [0.0])[0, 0] - 1.6) < 1e-12
