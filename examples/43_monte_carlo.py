"""Monte Carlo over uncertain parameters: effect of rotor inertia, payload and its position on the forces of a motion.

Five thousand designs go through one kernel, in which the parameters are inputs. A deviation of 10 % of one rotor's
inertia causes four fifths of the variance of the peak torque at j2, four times as much as 10 % of the payload.
"""

import numpy as np

import gearwright as gw
from gearwright.design import Normal, Uniform
from gearwright.motion import polynomial

robot = gw.load("elbow").with_payload(2.0, (0.0, 0.0, 0.1))
swing = polynomial([0, 0, 0], [1.0, 0.8, -0.6], duration=0.8)
inertia = float(robot.drive("j2").motor.inertia)
over = {
    "payload.mass": Normal(2.0, 0.2),
    "payload.position.z": Uniform(0.05, 0.15),
    "j2.motor.inertia": Normal(inertia, 0.1 * inertia),
}
found = gw.sweep(robot, over, swing, samples=5000, options=gw.design.SweepOptions(seed=1))
peak = found["peak.j2"]
print(f"peak torque at j2: {peak.mean():.1f} Nm, {np.percentile(peak, 5):.1f} to {np.percentile(peak, 95):.1f} Nm")
shares = {name: np.corrcoef(found[name], peak)[0, 1] ** 2 for name in found.names}
for name, share in shares.items():
    print(f"{name}: {share:.0%} of the variance")

assert len(found) == 5000
assert not found.errors
assert abs(shares["j2.motor.inertia"] - 0.8) < 0.05
