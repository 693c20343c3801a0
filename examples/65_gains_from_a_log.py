"""Gains of a controller from a log of reference and position, with the delay and offset of its encoder.

The joint is under PD control with unknown gains (12 Nm/rad and 0.6 Nms/rad in truth); the encoder is read 6 ms late
and has an offset. One fit finds gains, delay and offset together; an exciting reference for the rotor's inertia, which
is known here, would be found by `excite_run`.
"""

from pathlib import Path

import gearwright as gw
from gearwright.identification import RunExcitationOptions, Unknown, excite_run, fit_run, read_run_log
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot

motor = Motor(2e-4, friction=Friction(coulomb=0.01, viscous=2e-4))
link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
robot = Robot("arm", [link], [Drive("j", motor, Gear(20.0))])
guess = gw.control.pd(robot, [0.0], kp=20.0, kd=1.0, gravity=False)

log = read_run_log(
    Path(__file__).parent / "logs" / "controller.csv",
    inputs={"q_ref.j": "q_ref.j", "v_ref.j": "v_ref.j"},
    measured={"q.j": "q.j"},
)
unknowns = [
    Unknown("pd.kp.0", 20.0, 2.0, 100.0),
    Unknown("pd.kd.0", 1.0, 0.1, 10.0),
    Unknown("delay", 0.0, -0.02, 0.02),
    Unknown("offset.q.j", 0.0, -0.1, 0.1),
]
fit = fit_run(robot, [log], unknowns, controller=guess)
print(f"kp {fit['pd.kp.0']:.2f} Nm/rad, kd {fit['pd.kd.0']:.3f} Nms/rad")
print(f"encoder: {1e3 * fit['delay']:.2f} ms late, offset {fit['offset.q.j']:.4f} rad")

search = RunExcitationOptions(duration=3.0, bandwidth=5.0, limits={"v.j": (-4.0, 4.0)}, candidates=12, generations=5)
best = excite_run(robot, ["j.motor.inertia"], {"q_ref.j": (-0.5, 0.5)}, {"q.j": 1e-4}, controller=guess, options=search)
print(f"best reference: rotor inertia within {best.relative['j.motor.inertia']:.2%}")
assert abs(1e3 * fit["delay"] - 6) < 0.5
assert abs(fit["pd.kd.0"] / 0.6 - 1) < 0.05
assert abs(fit["pd.kp.0"] / 12 - 1) < 0.02
