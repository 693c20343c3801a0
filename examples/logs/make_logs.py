"""Write the synthetic logs of the examples: `python examples/logs/make_logs.py`.

Machines whose numbers differ from the models in the examples, simulated with steps of 0.1 ms, with noisy encoders.
"""

from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.forces import VoltageServo
from gearwright.forces.robot_lines import motor_line
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Lubricant, Motor, Robot

FOLDER, STEP, PERIOD = Path(__file__).parent, 1e-4, 0.01
EVERY = round(PERIOD / STEP)


def write(name, run, noise, columns, seed=0):
    """Times, inputs and noisy positions as CSV."""
    q = run.q[:, 0] + noise * np.random.default_rng(seed).standard_normal(len(run.t))
    table = {"t": run.t, **columns, "q.j": q}
    rows = [",".join(f"{x:.7g}" for x in row) for row in np.column_stack(list(table.values()))]
    (FOLDER / f"{name}.csv").write_text("\n".join([",".join(table), *rows, ""]))


def simulated(robot, until, **more):
    """A run from rest, a sample per period."""
    steps = round(until / STEP)
    sparse = gw.analysis.RolloutOptions(every=EVERY)
    return gw.rollout(robot, [0.0], [0.0], steps, STEP, method="moreau", options=sparse, **more)


def servo_logs():
    """A pendulum servo without and with 0.05 kg, for a slow goal: gain 3 instead of 2, rotor 2e-3 instead of 1e-3."""
    link = Link("arm", joint=Joint("j", axis=(0, 0, 1)), mass=0.1, com=(0.1, 0, 0))
    bench = Robot("bench", [link], [Drive("j", Motor(2e-3, friction=Friction(coulomb=0.01, viscous=1e-3)), Gear(1.0))])
    for name, robot in (("servo", bench), ("servo_loaded", bench.with_payload(0.05, (0.1, 0, 0)))):
        servo = VoltageServo("servo", motor_line(gw.assemble(robot), "j"), 3.0, 0.3, 4.0, supply_voltage=7.4)
        t = 0.5 * STEP * np.arange(2 * 40000 + 1)
        goal = 0.08 * np.sin(2 * np.pi * 1.0 * t)
        run = simulated(robot, 4.0, extra_laws=[servo], inputs={"servo.goal": goal})
        write(name, run, 2e-5, {"servo.goal": goal[:: 2 * EVERY]})


def gear_logs():
    """A gear that warms up by 20 K: viscous friction falls by 3.5 % per kelvin."""
    grease = Lubricant(temperature_coefficient=0.035, reference=298.15)
    motor = Motor(1e-4, friction=Friction(coulomb=0.01, viscous=3e-3, lubricant=grease))
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
    robot = Robot("arm", [link], [Drive("j", motor, Gear(10.0))])
    t = 0.5 * STEP * np.arange(2 * 60000 + 1)
    for name, seed in (("gear", 0), ("gear_held_out", 1)):
        torque = 4 * np.sin(6 * t + seed) + 2 * np.sin(15 * t)
        warm = 298.15 + 20.0 * (1 - np.exp(-t / (2.0 + seed)))
        run = simulated(robot, 6.0, inputs={"tau": torque[:, None], "j.motor_friction.temperature": warm})
        columns = {"tau.j": torque[:: 2 * EVERY], "j.motor_friction.temperature": warm[:: 2 * EVERY]}
        write(name, run, 1e-4, columns, seed)


def controller_log():
    """A joint under PD control whose encoder is read 6 ms late with an offset of 0.02 rad."""
    motor = Motor(2e-4, friction=Friction(coulomb=0.01, viscous=2e-4))
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
    robot = Robot("arm", [link], [Drive("j", motor, Gear(20.0))])

    def reference(t):
        return [0.4 * np.sin(5 * t)], [2.0 * np.cos(5 * t)], [-10.0 * np.sin(5 * t)]

    run = simulated(robot, 4.0, controller=gw.control.pd(robot, reference, kp=12.0, kd=0.6, gravity=False))
    late = run._replace(q=np.interp(run.t - 0.006, run.t, run.q[:, 0])[:, None] + 0.02)
    q, v, _ = reference(run.t)
    write("controller", late, 1e-4, {"q_ref.j": q[0], "v_ref.j": v[0]})


if __name__ == "__main__":
    servo_logs()
    gear_logs()
    controller_log()
