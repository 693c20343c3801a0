"""A hydraulic cylinder lifts a boom through a linkage: the valve command for a motion, and the resulting run.

The cylinder is hinged to the base and to the boom, so its length is a nonlinear function of the boom's angle (section
20.3.2 of the handbook chapter of Vukobratovic and Potkonjak: joints that depend on actuators nonlinearly). Its length
is a coordinate of the machine, and the actuator's equations hold along it. With its valve's command the boom follows
within 1e-06 rad; a command computed with a constant lever arm has an error of more than 0.01 rad.
"""

import numpy as np

import gearwright as gw
from gearwright.forces import HydraulicCylinder, Line, ServoValve, distance, servo_cylinder
from gearwright.motion import polynomial

boom = gw.Mechanism(
    [gw.Body("boom", mass=40.0, com=(0.8, 0, 0), inertia=np.diag([0.1, 9.0, 9.0]))], gravity=(0, -9.81, 0)
)
FOOT, EYE = np.array([0.3, -0.6, 0.0]), np.array([0.7, -0.05, 0.0])
strut = distance(boom, ("base", FOOT), ("boom", EYE), name="strut")
cylinder = HydraulicCylinder(area=1.2e-3, volume=5e-4, mass=6.0, damping=400.0, leakage=2e-12, carried=0.0)
valve = ServoValve(rated_flow=4e-3, frequency=300.0)
lift = servo_cylinder(boom, strut, valve, cylinder, name="lift")

motion = polynomial([0.2], [0.8], duration=1.0, order=7)
asked = gw.demands(boom, motion, actuators=[lift], samples=200)
print(asked.report())

run = gw.simulate(boom, asked.start, until=1.0, extra_laws=[lift], inputs=asked.input_signals, samples=41)
exact = float(np.abs(run.q - motion.at(run.t)).max())

turn = np.array([[np.cos(0.5), -np.sin(0.5), 0], [np.sin(0.5), np.cos(0.5), 0], [0, 0, 1]])  # halfway up
eye = turn @ EYE
lever = float(np.cross(eye, (eye - FOOT) / np.linalg.norm(eye - FOOT))[2])
constant = servo_cylinder(boom, Line.for_machine(boom, {"boom": lever}), valve, cylinder, name="lift")
guess = gw.demands(boom, motion, actuators=[constant], samples=200)
rough = gw.simulate(boom, asked.start, until=1.0, extra_laws=[lift], inputs=guess.input_signals, samples=41)
missed = float(np.abs(rough.q - motion.at(rough.t)).max())
print(
    f"with the linkage the boom follows within {exact:.1e} rad, with a constant lever of {lever:.3f} m {missed:.1e} rad"
)
assert exact < 1e-06
assert missed > 0.01
