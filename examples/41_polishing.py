"""Polishing an elastic surface: impedance control and stiff position control on an uneven surface.

The tool moves along 15 cm of a soft surface (15,000 N/m) and presses on it. Impedance control puts a spring of 1500 N/m
in series with it, 15 mm below the assumed surface: 20.45 N. The true surface rises by 4 mm along the path, and the
force to 25.9 N. Position control with the same initial force responds with 54 N.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.contact import Plane, SoftContact
from gearwright.motion import polynomial
from gearwright.plots import Panel, panel_figure, save_figure

arm = gw.assemble(gw.load("elbow"))
begin = gw.inverse_kinematics(arm, "tool", (None, [0.5, -0.075, 0.1]), start=[0.0, -0.3, 0.9]).q
surface = Plane((0.5, -0.075, 0.1), (0.0, -4.0 / 150.0, 1.0))
mat = SoftContact("tool", surface, stiffness=15e3, damping=100.0, name="mat")
K, force = 1500.0, 0.015 / (1 / 1500.0 + 1 / 15e3)
stroke = polynomial([-0.075], [0.075], 1.5)


def hand(depth):
    """The tool's reference: it rests half a second, then goes along y, so deep below a level surface."""

    def at(t):
        y, v, a = (stroke.at(min(max(t - 0.5, 0.0), 1.5), n)[0] for n in range(3))
        return [0.5, y, 0.1 - depth], [0.0, v, 0.0], [0.0, a, 0.0]

    return at


J = gw.jacobian(arm, begin, "tool")[2]
stiff = 40.0**2 / (J @ np.linalg.solve(gw.mass_matrix(arm, begin), J))  # of position control at 40 rad/s [N/m]
controllers = {
    "impedance": gw.control.impedance(arm, "tool", hand(0.015), [4e3, 4e3, K], [500, 500, 300], orientation=False),
    "position": gw.control.operational_space(arm, "tool", hand(force / 15e3 + force / stiff), 40.0, orientation=False),
}
runs = {
    name: gw.simulate(arm, begin, until=2.2, extra_laws=[mat], controller=control, samples=441)
    for name, control in controllers.items()
}
forces = {name: run["mat.force"] for name, run in runs.items()}
for name in runs:
    print(f"{name}: {forces[name][95]:.2f} N before the stroke, {forces[name][-1]:.2f} N after it")
t = runs["impedance"].t
ways = {name: gw.placement(arm, run.q, "tool").position[:, 1] * 1e3 for name, run in runs.items()}
depths = {name: run["mat.deformation"] * 1e3 for name, run in runs.items()}
panels = [Panel("force [N]", forces), Panel("depth [mm]", depths), Panel("way along the surface [mm]", ways)]
page = panel_figure(t, "time [s]", panels)
print("figure:", save_figure(page, Path(gettempdir()) / "polishing.png"))

assert abs(forces["impedance"][95] - 20.45) < 0.05
assert forces["impedance"][-1] < 26.0
assert forces["position"][-1] > 54.0
