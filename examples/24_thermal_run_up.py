"""Heating of a motor that holds a load: winding and housing, and the effect of temperature.

A maxon RE 30 holds a load with its nominal current of 1.74 A. Its data sheet gives the thermal resistances 1.7 and 6.0
K/W; the resistance of copper grows with the temperature, so the winding ends at 98.5 degC and the housing at 82 degC.
With three times the current the winding passes 125 degC after 20 s, while the housing is still cool.
"""

from dataclasses import replace

import numpy as np

import gearwright as gw
from gearwright.files import read_yaml
from gearwright.parts import CurrentControl

robot = read_yaml("""
robot: holding
links: [{name: load, parent: base, joint: {axis: [0, 0, 1]}, mass: 1, inertia: {xx: 1e9, yy: 1e9, zz: 1e9}}]
drives: [{joint: load, motor: {catalogue: maxon_re30}, gear: {ratio: 100}}]
""")
(drive,) = robot.drives
robot = robot.with_drive(replace(drive, current_control=CurrentControl(bandwidth=1000.0)))


def temperatures(current, until):
    """Times, and the temperatures of winding and housing in degC, under a constant current."""
    run = gw.simulate(robot, until=until, inputs={"load.current_reference": current}, method="stiff")
    return run.t, run["load.winding_temperature"] - 273.15, run["load.housing_temperature"] - 273.15


t, winding, housing = temperatures(1.74, 9000.0)
print(f"with 1.74 A the winding ends at {winding[-1]:.1f} degC, the housing at {housing[-1]:.1f} degC")
motor, heat = drive.motor, drive.motor.heat
gain = (heat.winding_housing + heat.housing_ambient) * motor.resistance * 1.74**2
print(f"theory: {25 + gain / (1 - heat.copper * gain):.1f} degC")

t, hot, slow = temperatures(3 * 1.74, 120.0)
too_hot = float(np.interp(125.0, hot, t))
print(f"with 5.22 A it passes 125 degC after {too_hot:.0f} s; the housing has {np.interp(too_hot, t, slow):.0f} degC")
assert abs(winding[-1] - 98.5) < 0.1
assert abs(too_hot - 20) < 1
