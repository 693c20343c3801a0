"""From the voltage at the motors to the motion of the links.

Two maxon RE 40 drive a flat arm of two links through gears of 100 from one battery of 48 V with 0.5 Ohm. The currents
stay at their limit of 15 A while the arm accelerates, and both motors together pull the battery below 39 V. The energy
of the battery is in the motion, in the coils, or lost in windings and battery: the balance closes to 1e-8 of it.
"""

import numpy as np

import gearwright as gw
from gearwright.files import read_yaml

robot = read_yaml("""
robot: flat arm
supply: {voltage: 48 V, resistance: 0.5 Ohm}
links:
  - name: upper
    parent: base
    joint: {name: shoulder, axis: [0, 0, 1]}
    mass: 6
    com: [0.2, 0, 0]
    inertia: {xx: 0.01, yy: 0.08, zz: 0.08}
  - name: fore
    parent: upper
    joint: {name: elbow, axis: [0, 0, 1], position: [0.4, 0, 0]}
    mass: 3
    com: [0.15, 0, 0]
    inertia: {xx: 0.004, yy: 0.03, zz: 0.03}
drives:
  - {joint: shoulder, motor: {catalogue: maxon_re40, max_current: 15 A}, gear: {ratio: 100}}
  - {joint: elbow, motor: {catalogue: maxon_re40, max_current: 15 A, position: [0.4, 0, 0]}, gear: {ratio: 100}}
""")
fine = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
run = gw.simulate(robot, until=0.3, inputs={"shoulder.voltage": 40.0, "elbow.voltage": 40.0}, integrator=fine)
print(*run.remarks, sep="\n")
for name in ("v.shoulder", "v.elbow", "shoulder.current", "elbow.current", "supply.bus_voltage"):
    print(f"{name:20s} from {run[name].min():8.3f} to {run[name].max():8.3f} {run.units[name]}")

supplied, lost = run["energy.supplied"][-1], run["energy.dissipated"][-1]
print(f"the battery gave {supplied:.1f} J, {lost:.1f} J of it became heat")
assert abs(run["shoulder.current"].max() - 15) < 1e-3
assert run["supply.bus_voltage"].min() < 39
assert np.abs(run["energy.balance"]).max() < 1e-8 * supplied
