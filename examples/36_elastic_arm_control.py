"""Control of an arm with elastic drives: stability depends on the side of measurement.

An elbow manipulator with springs of 8000, 6000 and 3000 Nm/rad in its drives is to be at rest. PD control on the links'
angles is unstable (a pole at +35 1/s), the same gains on the motors' angles are stable, and feedback of the joints'
torque damps the springs about six times better. A controller with the springs in its model (feedback linearisation)
then tracks a motion to 1e-7 rad, one with rigid springs to 5 mrad.
"""

import numpy as np

import gearwright as gw
from gearwright.analysis import RolloutOptions
from gearwright.motion import polynomial

mech = gw.assemble(gw.load("elastic_elbow"))
hold, zero = [0.2, -0.1, 0.3], np.zeros(6)
rest = gw.control.state_feedback(mech, hold, np.zeros((3, 12))).references(np.zeros(1))["q_ref"][0]
A, B = gw.linearise(mech, rest, zero, gw.inverse_dynamics(mech, rest, zero, zero))
springs, one = np.diag([8000.0, 6000.0, 3000.0]), np.eye(3)
gains = {  # columns: links, motors, their speeds
    "link": np.hstack([2000 * one, 0 * one, 100 * one, 0 * one]),
    "motor": np.hstack([0 * one, 2000 * one, 0 * one, 100 * one]),
    "torque": np.hstack([-2 * springs, 3 * 2000 * one + 2 * springs, 0 * one, 3 * 100 * one]),
}
poles = {name: np.linalg.eigvals(A - B[:, 3:] @ K).real.max() for name, K in gains.items()}
print({name: round(float(pole), 2) for name, pole in poles.items()})
controllers = {
    "motor": gw.control.pd(mech, hold, 2000, 100),
    "torque": gw.control.pd(mech, hold, 2000, 100, torque_feedback=2.0),
}
sparse = RolloutOptions(every=80)
for name, controller in controllers.items():
    run = gw.rollout(mech, rest + 0.01, zero, 8000, 2.5e-4, method="rk4", controller=controller, options=sparse)
    print(f"{name} feedback: speed left after {run.t[-1]:.0f} s {np.abs(run.v[-10:]).max():.1e} rad/s")

# Following a motion: rotors that do not push on the links, as the model of feedback linearisation has it.
spong = gw.approximate(mech, "spong")
motion = polynomial([0, 0, 0], [0.8, 0.5, -0.5], duration=0.8, order=7)
start = gw.motor_motion(spong, *(motion.at(0.0, k) for k in range(5))).q
errors = {}
for name, controller in {
    "springs known": gw.control.feedback_linearisation(spong, motion, 20.0),
    "springs taken as stiff": gw.control.computed_torque(spong, motion, 20.0),
}.items():
    run = gw.rollout(
        spong, start, zero, 3200, 2.5e-4, method="rk4", controller=controller, options=RolloutOptions(every=32)
    )
    errors[name] = np.abs(run.q[:, :3] - motion.at(run.t)).max()
    print(f"{name}: largest error {errors[name]:.1e} rad")
assert poles["link"] > 30 > 0 > poles["motor"] > 5 * poles["torque"]
assert errors["springs known"] < 1e-7 < 1e-3 < errors["springs taken as stiff"]
