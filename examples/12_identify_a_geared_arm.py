"""Identify a geared arm from a simulated log, and write the parameters back to the robot.

The elbow arm moves along an exciting trajectory; its torques have noise of 0.3 Nm and friction that is not in the robot
file. The file's masses are 20 % wrong. The identified base parameters agree with the true values within their
confidence intervals, the third rotor's 2e-4 kg m2 is found to 5 %, and the corrected robot is physically consistent.
"""

from dataclasses import replace

import numpy as np

import gearwright as gw
from gearwright.identification import Log, MotionLimits, excite, fit_consistent, identified_robot, identify

true = gw.load("elbow")
mech = gw.assemble(true)
limits = MotionLimits(lower=[-2] * 3, upper=[2] * 3, speed=[2] * 3, acceleration=[6] * 3)
excitation = excite(mech, limits, search=gw.identification.ExcitationOptions(starts=2, steps=40, samples=50))
print(f"condition number of the exciting trajectory: {excitation.condition:.0f}")


def measure(motion, seed):
    """Positions and noisy torques, with friction 5 v + 2 sign(v), at 100 samples per second for 20 s."""
    t = np.arange(2000) * 0.01
    q, v, a = (motion.at(t, k) for k in range(3))
    noise = 0.3 * np.random.default_rng(seed).normal(size=v.shape)
    return Log(t, q, gw.inverse_dynamics(mech, q, v, a) + 5 * v + 2 * np.sign(v) + noise)


stated = replace(true, links=tuple(replace(link, mass=1.2 * link.mass) for link in true.links))
found = identify(stated, measure(excitation.motion, seed=0))
print(f"{found.base.rank} base parameters, torque errors {found.fit.relative_errors}")
for name, value, deviation in zip(found.names, found.values, found.standard_deviations, strict=True):
    print(f"{value:10.4g} +- {deviation:7.2g}   {name}")

fit = fit_consistent(found)
robot, remarks = identified_robot(fit)
print(remarks[0])

rotor = found.values[found.names.index("j3.rotor.J")]
assert abs(rotor - 2e-4) < 0.05 * 2e-4
assert min(np.linalg.eigvalsh(pseudo).min() for pseudo in fit.pseudo_inertias()) > 0
assert abs(robot.link_of_joint("j2").joint.damping - 5) < 0.3
