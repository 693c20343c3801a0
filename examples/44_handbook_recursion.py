"""The recursion of Vukobratovic and Potkonjak, matrix by matrix, and the reactions of a joint.

`vector_arm` is written in the vectors of their handbook chapter: from mass centres to joints, and axes; its third joint
is prismatic. Velocities and accelerations of the links are linear forms: w = Lambda v, v_C = Xi v, dw/dt = Lambda a +
Gamma, dv_C/dt = Xi a + Delta. They give H and h, which agree with the other recursions to 1e-10. The part of the joint
wrench along its axis is the drive torque and the rest is reaction; the remainder of the joint torque acts on the rotor.
"""

import numpy as np

import gearwright as gw

mech = gw.assemble(gw.load("vector_arm"))
q, v, a = [0.3, -0.5, 0.2, 0.8], [0.7, -0.4, 0.1, 0.9], [1.2, 0.5, -0.3, -0.8]

forms = gw.equations.linear_forms(mech, q, v)  # (20.32) to (20.43)
for k, body in enumerate(mech.bodies):
    print(f"{body.name}: Lambda {forms.Lambda[k].round(3).tolist()}  Gamma {forms.Gamma[k].round(3).tolist()}")
    print(f"{' ' * len(body.name)}  Xi {forms.Xi[k].round(3).tolist()}  Delta {forms.Delta[k].round(3).tolist()}")

H, h = gw.equations.recursive_form(mech, q, v)  # (20.44) to (20.60)
tau = H @ a + h
print("H a + h:         ", tau.round(6))
print("inverse dynamics:", gw.inverse_dynamics(mech, q, v, a).round(6))

parts = gw.equations.joint_forces(mech, q, v, a)  # (20.17) to (20.19)
split = []
for body, drive, reaction in zip(mech.bodies, parts.drive, parts.reaction, strict=True):
    axis = np.array([*body.axis])
    split.append(drive[:3] @ axis + drive[3:] @ axis)
    print(f"{body.name}: drives {drive.round(4)}, reacts {reaction.round(4)}")

print("rotors:", [spin.name for spin in mech.spins], "take", (tau - split).round(6), "of the joint torques")
assert np.abs(tau - gw.inverse_dynamics(mech, q, v, a)).max() < 1e-10
