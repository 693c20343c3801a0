"""Gain or inertia: a log that cannot tell them apart, and the experiment that the fit proposes.

A servo without gravity follows a slow goal. Its gain (3), rotor and friction have a factor in common, so every one of
them can be wrong. The fit says so and proposes to repeat the log with 0.05 kg; both logs give the gain within 1 %.
"""

from dataclasses import replace
from pathlib import Path

import gearwright as gw
from gearwright.forces import VoltageServo
from gearwright.forces.robot_lines import motor_line
from gearwright.identification import fit_run, read_run_log
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot

folder = Path(__file__).parent / "logs"
link = Link("arm", joint=Joint("j", axis=(0, 0, 1)), mass=0.1, com=(0.1, 0, 0))
motor = Motor(1e-3, friction=Friction(coulomb=0.005, viscous=5e-4))
bench = Robot("bench", [link], [Drive("j", motor, Gear(1.0))]).with_payload(0.05, (0.1, 0, 0))
servo = VoltageServo("servo", motor_line(gw.assemble(bench), "j"), 2.0, 0.3, 4.0, supply_voltage=7.4)
unknowns = {
    "servo.kp": (0.3, 30.0),
    "j.motor.inertia": (2e-4, 2e-2),
    "j.motor_friction.coulomb": (1e-3, 0.1),
    "j.motor_friction.viscous": (1e-4, 1e-2),
}


def log(name, payload):
    """A bundled log with its known payload."""
    measured = read_run_log(folder / f"{name}.csv", {"servo.goal": "servo.goal"}, {"q.j": "q.j"})
    return replace(measured, numbers={"payload.mass": payload})


empty, loaded = log("servo", 1e-9), log("servo_loaded", 0.05)
alone = fit_run(bench.with_payload(1e-9, (0.1, 0, 0)), [replace(empty, numbers={})], unknowns, extra_laws=[servo])
print("not determined:", ", ".join(alone.information.poorly_determined))
print(alone.information.proposals[0])

both = fit_run(bench, [empty, loaded], unknowns, extra_laws=[servo])
print(f"with both logs: gain {both['servo.kp']:.3f}, rotor {both['j.motor.inertia']:.3g} kg m2")
assert "servo.kp" in alone.information.poorly_determined
assert abs(both["servo.kp"] / 3 - 1) < 0.01
