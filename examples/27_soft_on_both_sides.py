"""Deformation on both sides of a contact: a compliant tool touches a compliant surface with a mass.

The ram (2 kg) carries a tool of 0.1 kg on rubber of 20 kN/m; the surface has 30 kN/m and is on a block of 50 kg on a
spring. Springs in series have 12 kN/m: the contact lasts half a period of sqrt(12000 / 2) rad/s, 40.6 ms, within 5 %;
the mass of the tool causes force ripple.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.contact import Plane, SoftContact, with_wall
from gearwright.parts import Joint, JointSpring, Link, Robot
from gearwright.plots import Panel, panel_figure, save_figure

X = (1, 0, 0)
ram = Link("ram", "base", Joint(None, "prismatic", axis=X), 2.0)
tool = Link("tool", "ram", Joint(None, "prismatic", axis=X, spring=JointSpring(20e3, 4.0)), 0.1)
face = Plane((0.05, 0, 0), (-1, 0, 0))
robot = with_wall(Robot("ram", [ram, tool]), "block", face, mass=50.0, stiffness=1e5, damping=50.0)
skin = SoftContact("tool", Plane((0, 0, 0), (-1, 0, 0)), 30e3, 5.0, relative_to="block", name="skin")
run = gw.simulate(robot, ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), until=0.12, extra_laws=[skin], samples=601)

touched = [span for span in run.phases["skin"] if span.kind == "constrained"]
lasting = touched[-1].end - touched[0].begin
half = np.pi / np.sqrt(12e3 / 2.0)
print(
    f"in contact for {lasting * 1e3:.1f} ms, half a period is {half * 1e3:.1f} ms; energy balance error {run.drift:.0e}"
)
ways = {name: run[f"q.{name}"] * 1e3 for name in ("ram", "tool", "block")}
panels = [
    Panel("way of ram, rubber, block [mm]", ways),
    Panel("depth of the surface [mm]", {"skin": run["skin.deformation"] * 1e3}),
    Panel("force [N]", {"skin": run["skin.force"]}),
]
page = panel_figure(run.t, "time [s]", panels, spans=run.phases)
print("figure:", save_figure(page, Path(gettempdir()) / "soft_on_both_sides.png"))

assert abs(half * 1e3 - 40.6) < 0.1
assert abs(lasting / half - 1) < 0.05
