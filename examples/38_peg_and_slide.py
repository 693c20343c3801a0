"""A peg in a hole, and a block that sticks and slides.

A peg is constrained in four coordinates and free in two, along and about the axis of the hole: the arm of seven joints
keeps three degrees of freedom. A block on a floor with friction 0.3 is pulled with increasing force, at 36.87 degrees
to the axes: it slips when the force reaches 0.3 m g, after 0.589 s, and slides in the direction of the force, because
of the friction cone.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.contact import Constraint, Contact, Plane, fixed_frame
from gearwright.plots import Panel, panel_figure, save_figure

arm = gw.assemble(gw.load("panda_like"))
q = np.array([0.3, -0.4, 0.2, -1.9, 0.1, 1.6, 0.4])
tip = arm.bodies[-1].name
rotation, position = gw.placement(arm, q, tip)
peg = Constraint("peg", tip, fixed_frame("hole", position, rotation), held=("x", "y", "rx", "ry"))
run = gw.simulate(arm, q, until=0.2, extra_laws=[peg], samples=21, method="adaptive")
print(f"the peg slides {run['peg.z'][-1] * 1e3:.2f} mm and turns {run['peg.rz'][-1]:.4f} rad in its hole")
print(f"the hole holds it with {run['peg.force.x'][-1]:.1f} N, {run['peg.torque.rx'][-1]:.2f} Nm")

axes = np.eye(3)
block = gw.Mechanism([gw.Body("xyz"[k], k - 1, "prismatic", axes[k], mass=float(k == 2)) for k in range(3)])
floor = Contact("z", Plane(), friction=0.3, name="floor")
pull = {"tau.x": lambda t: 4.0 * t, "tau.y": lambda t: 3.0 * t}
slid = gw.simulate(block, np.zeros(3), until=1.0, extra_laws=[floor], inputs=pull, samples=51, method="adaptive")
go = next(event.t for event in slid.events if event.kind == "slide" and event.t > 0)
print(f"the block slips after {go:.4f} s and slides to {slid.q[-1, :2].round(4)} m")
slips, rubs = ({f"along {k}": slid[f"floor.{word}_{k}"] for k in (1, 2)} for word in ("slip", "force"))
rubs["the cone"] = np.full(len(slid.t), 0.3 * 9.81)
rubs["both together"] = np.hypot(slid["floor.force_1"], slid["floor.force_2"])
panels = [
    Panel("slip [m/s]", slips, title="a block is pulled"),
    Panel("friction [N]", rubs, "dotted: 0.3 m g", {"the cone": "both together"}),
]
print("figure:", save_figure(panel_figure(slid.t, "time [s]", panels), Path(gettempdir()) / "sticks_and_slides.png"))
felt = {f"{word}": run[f"peg.force.{word}"] for word in "xy"}, {word: run[f"peg.torque.r{word}"] for word in "xy"}
panels = [Panel("peg in its hole [mm]", {"z": 1e3 * run["peg.z"]}), Panel("force of the hole [N]", felt[0])]
page = panel_figure(run.t, "time [s]", [*panels, Panel("torque of the hole [Nm]", felt[1])])
print("figure:", save_figure(page, Path(gettempdir()) / "peg_in_hole.png"))

assert max(np.abs(run[f"peg.{word}"]).max() for word in ("x", "y", "rx", "ry")) < 1e-12
assert abs(go - 0.3 * 9.81 / 5.0) < 1e-6
assert abs(slid.q[-1, 1] / slid.q[-1, 0] - 0.75) < 1e-5
