"""A gear that warms up: the temperature dependence of its friction from one log, and a comparison of structures.

The log has torque, housing temperature and position of 6 s in which the gear warms up by 20 K. A model with constant
viscosity fits it badly; with viscosity over temperature the fit finds 3.5 % per kelvin, the information criterion
prefers it, and a held-out log is predicted 10 times better.
"""

from dataclasses import replace
from pathlib import Path

from gearwright.identification import fit_run, read_run_log
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Lubricant, Motor, Robot

folder = Path(__file__).parent / "logs"
TEMPERATURE, COEFFICIENT = "j.motor_friction.temperature", "j.motor_friction.lubricant.temperature_coefficient"
friction = Friction(coulomb=0.02, viscous=2e-3, lubricant=Lubricant(temperature_coefficient=0.01))
link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
warm = Robot("arm", [link], [Drive("j", Motor(1e-4, friction=friction), Gear(10.0))])
constant = replace(warm, drives=[Drive("j", Motor(1e-4, friction=replace(friction, lubricant=None)), Gear(10.0))])
unknowns = {"j.motor_friction.coulomb": (1e-3, 0.1), "j.motor_friction.viscous": (2e-4, 2e-2)}


def log(name, inputs):
    """A bundled log with these inputs."""
    return read_run_log(folder / f"{name}.csv", {x: x for x in inputs}, {"q.j": "q.j"})


torque, both = ["tau.j"], ["tau.j", TEMPERATURE]
plain = fit_run(constant, [log("gear", torque)], unknowns)
fit = fit_run(warm, [log("gear", both)], {**unknowns, COEFFICIENT: (1e-3, 0.1)})
low, high = fit.intervals[COEFFICIENT]
print(f"viscosity falls by {100 * fit[COEFFICIENT]:.2f} % per kelvin (95 %: {100 * low:.2f} to {100 * high:.2f})")
print(f"information criterion: {plain.information_criterion:.0f} constant, {fit.information_criterion:.0f} with it")
(poor,), (good,) = plain.validate([log("gear_held_out", torque)]), fit.validate([log("gear_held_out", both)])
errors = [1e3 * score.mean_absolute for score in (poor, good)]
print(f"held-out log: {errors[0]:.2f} mrad constant, {errors[1]:.2f} mrad with temperature")
assert fit.information_criterion < plain.information_criterion
assert poor.mean_absolute > 10 * good.mean_absolute
assert abs(100 * fit[COEFFICIENT] - 3.5) < 0.1
