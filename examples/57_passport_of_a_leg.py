"""Hand a leg over to MuJoCo with a stated error.

Three joints, motors at ratio 6 and 9.33, friction in the gears. MuJoCo represents one armature, damping and friction
loss per joint, not the reaction of fast rotors on the links that carry them. The passport fits these numbers to a step
of 0.5 s, runs the written file in MuJoCo and states the error that remains. The losses of the gears in proportion to
the load, which no number per joint represents, are at most 1 / efficiency - 1 of the torque, 0.064 and 0.111; the fit,
a least squares one, leaves less than that.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

motor = Motor(6.3e-5, mass=0.055, max_torque=3.0, max_speed=240.0, friction=0.01)
box = np.diag([6e-4, 5e-4, 5e-4])
long = np.diag([2.4e-3, 2.4e-3, 1e-4])
hip, knee = (0.0, 0.06, 0.0), (0.0, 0.0, -0.21)
links = [
    Link("hip", "base", Joint("abad", axis=(1, 0, 0), damping=0.02), 0.6, (0, 0.03, 0), box),
    Link("thigh", "hip", Joint("hip", axis=(0, 1, 0), position=hip, damping=0.02), 0.7, (0, 0, -0.03), long),
    Link("shank", "thigh", Joint("knee", axis=(0, 1, 0), position=knee, damping=0.02), 0.15, (0, 0, -0.08), long / 5),
]
drives = [
    Drive("abad", motor, Gear(6.0, efficiency=0.94)),
    Drive("hip", motor, Gear(6.0, efficiency=0.94)),
    Drive("knee", motor, Gear(9.33, efficiency=0.9)),
]
leg = Robot("leg", links, drives)
forth = gw.motion.polynomial([0.1, 0.8, -1.6], [-0.1, -0.2, -0.9], duration=0.25)
back = gw.motion.polynomial([-0.1, -0.2, -0.9], [0.1, 0.8, -1.6], duration=0.25)
page = gw.export.passport(leg, "mjcf", gw.analysis.Task([forth, back], name="step"))

for number, error in zip(page.joints, page.errors, strict=True):
    print(
        f"{number.joint:5} armature {number.armature:.5f} kg m2, friction {number.friction:.3f} Nm; torque error "
        f"{error.relative_torque:.2%} rms, path {error.path_peak:.1e} rad after 0.2 s"
    )
for text in (*page.not_representable, *page.checks):
    print("-", text)

losses = {drive.joint: 1 / drive.gear.efficiency - 1 for drive in leg.drives}
assert [round(losses[joint], 3) for joint in ("abad", "knee")] == [0.064, 0.111]
assert all(error.relative_torque < losses[error.joint] for error in page.errors)
