"""Time-optimal motion along a path under limits of motors and electronics, with friction.

An arm on two geared DC motors passes three points. With 20 A and 28 V, and 0.02 Nm of friction at each rotor, the
fastest motion takes 0.425 s: at every instant a current or a voltage (R i + K w, without inductance) is at its limit.
Planned without the rotors' inertia it would take 0.332 s, which needs 1.75 times a motor's current limit.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

motor = Motor(1.4e-4, mass=0.4, torque_constant=0.06, resistance=0.4, friction=0.02, max_current=20, max_voltage=28)
bar = np.diag([0.002, 0.06, 0.06])
arm = Robot(
    "two_bars",
    [
        Link("upper", "base", Joint("shoulder", axis=(0, 1, 0)), mass=6, com=(0.25, 0, 0), inertia=bar),
        Link(
            "fore", "upper", Joint("elbow", axis=(0, 1, 0), position=(0.5, 0, 0)), mass=3, com=(0.2, 0, 0), inertia=bar
        ),
    ],
    [
        Drive("shoulder", motor, Gear(ratio=80), mounted_on="base", axis=(0, 1, 0)),
        Drive("elbow", motor, Gear(ratio=60), mounted_on="upper", axis=(0, 1, 0)),
    ],
)
path = [[0.0, 0.3], [-0.6, 1.2], [-1.2, 0.4]]

quick = gw.planning.fastest(arm, path)
use = gw.planning.limit_use(arm, quick)
print(f"{quick.duration:.3f} s; largest shares of the limits: ", end="")
print(", ".join(f"{name} {share:.2f}" for name, share in use.peak_shares.items()))
print(f"at a limit {100 * (use.largest_share > 0.99).mean():.1f} % of the time")

light = gw.approximate(gw.assemble(arm), "none")  # the rotors' mass at rest is kept, their spinning is not
torques = {"shoulder": 20 * 0.06, "elbow": 20 * 0.06}
hoped = gw.planning.fastest(light, path, motors=gw.planning.MotorLimits(torque=torques), laws=gw.laws(arm))
truth = gw.planning.limit_use(arm, hoped)
print(f"without rotors {hoped.duration:.3f} s, which takes {truth.peak_shares['shoulder.current']:.2f} of the current")

spare = gw.planning.fastest(arm, path, share=0.95)  # leaves a controller something
print(f"with 5 % to spare {spare.duration:.3f} s")

assert abs(quick.duration - 0.425) < 0.001
assert use.largest_share.max() < 1 + 1e-6
assert (use.largest_share > 0.99).mean() > 0.95
assert abs(truth.peak_shares["shoulder.current"] - 1.75) < 0.01
