"""A twin from measured logs of a small servo on a pendulum; the folder with the logs is named by the user.

The folder `XL330_LOGS` contains logs of a Dynamixel XL330 (github.com/Rhoban/bam), `kp<gain>_<trajectory>.csv` with
t, goal, position, volts, torque_enable. Without it the example says so and ends. Motor constants, current limit, rotor
and load-dependent friction are fitted to the runs at gains 200 and 800; those at gain 100, unseen, are predicted within
40 mrad.
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.forces import VoltageServo
from gearwright.forces.robot_lines import motor_line
from gearwright.identification import RunFitOptions, Unknown, fit_run, read_run_log
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Motor, Robot

reference = os.environ.get("GEARWRIGHT_REFERENCE")
folder = Path(os.environ.get("XL330_LOGS") or (f"{reference}/measured/xl330" if reference else "no folder"))
DUTY_PER_GAIN = 4096 / (2 * np.pi) / (256 * 885)  # duty per rad and unit of gain, as the firmware computes it


TRAJECTORIES, STARTS = ("sin_sin", "sin_time_square", "up_and_down"), 2


def log(gain, trajectory):
    """A run with one gain."""
    inputs = {"servo.goal": "goal", "servo.supply": "volts", "servo.enabled": "torque_enable"}
    measured = read_run_log(folder / f"kp{gain}_{trajectory}.csv", inputs, {"q.j": "position"})
    return replace(measured, numbers={"servo.kp": gain * DUTY_PER_GAIN})


def predicted_error():
    """The mean absolute error [mrad] on the gain that was not fitted."""
    load = LoadFriction(0.2, 0.02, 0.05, 0.02)
    friction = Friction(coulomb=0.01, viscous=0.004, stribeck_speed=3.0, load=load)
    arm = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=0.49, com=(0, 0, -0.1))
    bench = Robot("bench", [arm], [Drive("j", Motor(0.0018, friction=friction), Gear(1.0))])
    line = motor_line(gw.assemble(bench), "j")
    servo = VoltageServo("servo", line, 0.3, 0.38, 3.0, max_current=1.5, limit_exponent=1.2, port="j")
    bounds = {"servo.torque_constant": (0.15, 0.8), "servo.resistance": (1, 8), "servo.max_current": (0.5, 6)}
    bounds |= {"servo.limit_exponent": (0.7, 6), "j.motor.inertia": (2e-4, 6e-3), "offset.q.j": (-0.1, 0.1)}
    bounds |= {f"j.motor_friction.{word}": (1e-5, 0.1) for word in ("coulomb", "viscous")}
    shares = ("motor", "joint", "motor_stribeck", "joint_stribeck")
    bounds |= {f"j.motor_friction.load.{word}": (1e-3, 0.35) for word in shares}
    bounds["j.motor_friction.stribeck_speed"] = (0.05, 10)
    unknowns = [Unknown(name, None, *limits) for name, limits in bounds.items()]
    logs = [log(gain, trajectory) for gain in (200, 800) for trajectory in TRAJECTORIES]
    options = RunFitOptions(step=0.7e-3, scales={"q.j": 0.03}, evaluations=60, starts=STARTS, proposals=False)
    fit = fit_run(bench, logs, unknowns, extra_laws=[servo], options=options)
    print(fit)
    return 1e3 * np.mean([score.mean_absolute for score in fit.validate([log(100, name) for name in TRAJECTORIES])])


error = predicted_error() if (folder / "kp100_sin_sin.csv").exists() else None
print(f"{folder}: no logs, nothing to do" if error is None else f"unseen trajectory: {error:.1f} mrad")
assert error is None or error < 40
