"""A geared arm as an environment of Gymnasium, with parameters drawn from an identified covariance.

The twin of an arm is fitted to a log of half a second; 256 environments draw their rotor inertias from the covariance
of this fit and follow a swing. The policy is a linear feedback of the observation, in the place of a learned one. It
keeps all arms within 0.05 rad; without the feedback of the speeds the error is more than twice as large.
"""

import numpy as np

import gearwright as gw
from gearwright.control import EnvironmentOptions, Randomisation, gym_environment
from gearwright.identification import RunLog, Unknown, fit_run

arm = gw.load("elbow")
rng = np.random.default_rng(0)
t, held = np.linspace(0, 0.5, 51), gw.analysis.RolloutOptions(every=10)
torques = rng.uniform(-1, 1, (50, 3)) * [60.0, 90.0, 30.0] + np.asarray(gw.gravity(arm, np.zeros(3)))
run = gw.rollout(arm, np.zeros(3), np.zeros(3), 500, 1e-3, inputs=np.repeat(torques, 10, axis=0), options=held)
inputs = {f"tau.j{k + 1}": np.append(torques[:, k], torques[-1, k]) for k in range(3)}
measured = {f"q.j{k + 1}": run.q[:, k] + 1e-3 * rng.standard_normal(51) for k in range(3)}
fit = fit_run(arm, [RunLog(t, inputs, measured)], [Unknown(f"j{k}.motor.inertia", lower=0.0) for k in (1, 2, 3)])
spread = Randomisation.of_fit(fit)
for name, deviation in fit.deviations.items():
    print(f"{name}: {fit.values[name]:.2e} +- {deviation:.1e} kg m2")

swing = gw.motion.s_curve([0, 0, 0], [1.0, 0.5, -0.5], speed=2.0, acceleration=8.0, jerk=80.0)
limits = {"j1.torque": 4.0, "j2.torque": 4.0, "j3.torque": 2.0}
options = EnvironmentOptions(limits=limits, start_deviation=(0.01, 0.0), randomisation=spread)
arms = gym_environment(arm, gw.analysis.Task(swing), 256, options=options)


def largest_error(damping):
    """The largest position error of all arms over an episode under a linear policy."""
    observations, _ = arms.reset(seed=1)
    worst, ended = 0.0, np.zeros(256, dtype=bool)
    while not ended.any():
        q, v, q_next, v_next = np.split(observations, 4, axis=1)
        shares = 8.0 * (q_next - q) + damping * (v_next - v)
        observations, rewards, _, ended, _ = arms.step(shares)
        worst = max(worst, float(np.sqrt(-3 * rewards.min())))
    return worst


errors = [largest_error(damping) for damping in (0.5, 0.0)]
print(f"largest error of 256 arms: {errors[0]:.3f} rad, without feedback of speeds {errors[1]:.3f} rad")

assert errors[0] < 0.05
assert errors[1] > 2 * errors[0]
