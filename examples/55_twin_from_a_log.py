"""A twin from a log: friction and rotor inertia of one joint from its position and torque alone.

The robot file has a rotor of 1e-4 kg m2 and guessed friction; the machine behind the log has 2e-4 kg m2 and twice the
Coulomb friction. The log has 2 s of positions with noise of 0.1 mrad and neither speeds nor accelerations. The fit
finds every number within 0.5 %, says that the inertia of the link would not be separable from the rotor's, and predicts
another run.
"""

import numpy as np

import gearwright as gw
from gearwright.identification import RunLog, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot

link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
motor = Motor(inertia=1e-4, friction=Friction(coulomb=0.01, viscous=2e-4))
arm = Robot("arm", [link], [Drive("j", motor, Gear(20))])
TRUE = {"j.motor.inertia": 2e-4, "j.motor_friction.coulomb": 0.02, "j.motor_friction.viscous": 3e-4}
STEP, STEPS, EVERY = 1e-4, 20000, 50


def measure(seed: int) -> RunLog:
    """The log of one run: torque at the joint and a noisy position, every 5 ms."""
    t = 0.5 * STEP * np.arange(2 * STEPS + 1)
    torque = 3 * np.sin(4.4 * t + seed) + 2 * np.sin(11.9 * t)
    sparse = gw.analysis.RolloutOptions(every=EVERY)
    run = gw.rollout(
        arm, [0.2], [0.0], STEPS, STEP, method="moreau", inputs=torque[:, None], parameters=TRUE, options=sparse
    )
    noise = 1e-4 * np.random.default_rng(seed).standard_normal(len(run.t))
    return RunLog(run.t, {"tau.j": torque[:: 2 * EVERY]}, {"q.j": run.q[:, 0] + noise}, name=f"run {seed}")


log = measure(0)
bounds = {
    "j.motor.inertia": (1e-5, 1e-2),
    "j.motor_friction.coulomb": (1e-4, 1.0),
    "j.motor_friction.viscous": (1e-6, 0.1),
}
fit = fit_run(arm, [log], bounds)
for name, true in TRUE.items():
    print(f"{name:26} {fit[name]:.4g}, true {true:g}")

both = fit_run(arm, [log], {**bounds, "arm.inertia.yy": (1e-3, 1.0)})
print("not determined if the link is unknown too:", ", ".join(sorted(both.information.poorly_determined)))

(score,) = fit.validate([measure(1)])
print(f"another run is predicted with R2 = {score.r_squared:.4f}")
print(f"Coulomb friction in the fitted robot: {fit.robot.drives[0].motor.friction.coulomb:.4f} Nm")

assert sorted(both.information.poorly_determined) == ["arm.inertia.yy", "j.motor.inertia"]
assert max(100 * abs(fit[name] / true - 1) for name, true in TRUE.items()) < 0.5
