"""A palletiser with three parallelograms: the inertia that its motors see, a straight line, and control along it.

The crank on the column moves the forearm through a rod; two guides keep the wrist horizontal. The inertia at the crank
is 0.61 kg m2, of the open tree only 0.18 kg m2. A line is planned for the tool, and a controller that knows the loops
tracks it within 1e-4 rad without friction.
"""

import numpy as np

import gearwright as gw

robot = gw.load("palletiser")
mech = gw.assemble(robot)
print(f"independent: {', '.join(mech.independent)}; dependent: {', '.join(mech.dependent)}")

closed, tree = (np.diag(gw.mass_matrix(x, np.zeros(10))) for x in (mech, mech.tree))
crank = mech.tree.speeds.index("crank")
print(f"inertia at the crank: {closed[2]:.3f} kg m2 with its loops, {tree[crank]:.3f} kg m2 of the open tree")

start = mech.closed([-0.4, 0.5, 0.3, 0.0])
tool = gw.placement(mech, start, "tool")
x, y, z = tool.position
limits = gw.planning.PathLimits(speed=0.8, acceleration=3.0)
line = gw.planning.line(robot, "tool", start, (x, y + 0.4, z + 0.1), limits=limits)
t = np.linspace(0, line.duration, 101)
q, v, a = (line.at(t, order)[..., list(mech.independent_indices)] for order in range(3))
tilt = np.abs(gw.placement(mech, line.at(t), "tool").rotation[:, 2] - [0, 0, 1]).max()
tau = gw.inverse_dynamics(mech, line.at(t), v, a)
print(f"line of {line.duration:.2f} s: peak torques", np.abs(tau).max(axis=0).round(2), "Nm")

space = gw.actuation.motor_space(robot, start, ["turn", "shoulder", "elbow", "flange"])
print("crank motor: turns per turn of shoulder and elbow", space.ratios[2, 1:3].round(6))

control = gw.control.computed_torque(robot, line, frequency=30.0)
closing = [law for law in gw.laws(robot) if law.name in {loop.name for loop in robot.loops}]  # no friction, no losses
run = gw.simulate(robot, start, line.duration, controller=control, laws=closing, samples=41)
error = float(np.abs(run.q - line.at(run.t)).max())
print(f"tracking error {error:.0e} rad without friction")
assert closed[2] > 3.4 * tree[crank]
assert tilt < 1e-12
assert np.allclose(space.ratios[2, 1:3], 100.0)
assert error < 1e-4
