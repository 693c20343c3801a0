"""Writing: a pen on a desk, with a prescribed motion and a prescribed force.

The arm moves its pen along an arc on a desk and presses with 15 N. Inverse dynamics in contact gives the torques for
both; with them the simulated contact force is 15 N within 0.1 %, and the distance from the desk is below 1e-12 m.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.contact import Constraint, fixed_frame, project
from gearwright.motion import polynomial
from gearwright.plots import Panel, panel_figure, save_figure

robot = gw.load("elbow")
mech = gw.assemble(robot)
pen = Constraint("pen", "tool", fixed_frame("desk", (0.0, 0.0, 0.1)), held=("z",))

start = project(mech, [0.3, -0.3, 0.9], [pen])
arc = polynomial(start.q, np.asarray(start.q) + np.array([0.6, 0.0, 0.0]), duration=0.5)  # about the vertical
asked = gw.demands(robot, arc, extra_laws=[pen], contact={"pen": 15.0}, samples=401)

torques = {f"tau.{name}": (asked.motion.t, asked.tau[:, k]) for k, name in enumerate(mech.speeds)}
run = gw.simulate(mech, asked.start, until=0.5, extra_laws=[pen], inputs=torques, samples=51, method="adaptive")

print(f"the pen presses with {run['pen.force.z'].min():.4f} to {run['pen.force.z'].max():.4f} N")
print(f"it leaves the desk by {np.abs(run['pen.z']).max():.1e} m, and moves along x by {np.ptp(run['pen.x']):.3f} m")
panels = [
    Panel("the pen on the desk [m]", {word: run[f"pen.{word}"] for word in "xyz"}),
    Panel("force of the desk [N]", {"force": run["pen.force.z"]}),
    Panel("torque of the drives [Nm]", {name: run[f"tau.{name}"] for name in mech.speeds}),
]
print("figure:", save_figure(panel_figure(run.t, "time [s]", panels), Path(gettempdir()) / "writing_on_a_desk.png"))

assert np.abs(run["pen.force.z"] - 15.0).max() < 0.015
assert np.abs(run["pen.z"]).max() < 1e-12
