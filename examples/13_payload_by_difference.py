"""A payload from two logs: one of the empty robot, one with the payload.

The elbow arm carries 2.5 kg at (0.35, 0.02, 0.05) m in the frame of its last link. The difference between its torques
and those expected of the empty arm gives the mass to 2 % and the position to 2 cm.
"""

import numpy as np

import gearwright as gw
from gearwright.identification import Log, MotionLimits, excite, identify, identify_payload

empty = gw.load("elbow")
loaded = empty.with_payload(2.5, (0.35, 0.02, 0.05), inertia=np.diag([0.01, 0.012, 0.008]))
limits = MotionLimits(lower=[-2] * 3, upper=[2] * 3, speed=[2] * 3, acceleration=[6] * 3)
motion = excite(empty, limits, search=gw.identification.ExcitationOptions(starts=1, steps=40, samples=50)).motion


def measure(robot, seed):
    """Positions and torques with noise of 0.3 Nm, at 100 samples per second for 20 s."""
    t = np.arange(2000) * 0.01
    q, v, a = (motion.at(t, k) for k in range(3))
    tau = gw.inverse_dynamics(gw.assemble(robot), q, v, a)
    return Log(t, q, tau + 0.3 * np.random.default_rng(seed).normal(size=tau.shape))


known = identify(empty, measure(empty, seed=0))
found = identify_payload(known, measure(loaded, seed=1))
for name, value, deviation in zip(found.names, found.values, found.standard_deviations, strict=True):
    print(f"{value:10.4f} +- {deviation:.4f}   {name}")
payload = found.payload
print(f"mass {payload.mass:.3f} kg at {np.round(payload.position, 3)} m on {payload.link}")

assert abs(payload.mass - 2.5) < 0.02 * 2.5
assert np.abs(np.subtract(payload.position, (0.35, 0.02, 0.05))).max() < 0.02
