"""The planar arm of Fernini with planetary gears, and the sign of the sun.

Each joint has a planetary stage whose carrier is fixed: sun 40, planet 20 and ring 80 teeth, so the sun turns at -2 and
the planets at +4 times the joint's speed. Along a motion of 1 s the first joint needs up to 299.4219 Nm with 3 planets
and 301.9159 Nm with 6, each of 0.12 kg. The paper prints the sun's ratio as +2; the reaction of its stage on the arm
would then be eleven times too large (0.06916 instead of 0.0062 kg m2 of coupling inertia). A sphere of 2 kg in the hand
adds its inertia, 2/5 m r^2 = 0.002 kg m2, to its weight.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.plots import Panel, panel_figure, save_figure

t = np.linspace(0, 1, 2001)
s = 35 * t**4 - 84 * t**5 + 70 * t**6 - 20 * t**7
rate, change = 140 * t**3 * (1 - t) ** 3, 420 * t**2 * (1 - t) ** 2 * (1 - 2 * t)
end = np.deg2rad([30, 45])
q, v, a = (x[:, None] * end for x in (s, rate, change))

torques, energies = {}, {}
for n in (3, 4, 5, 6):
    mech = gw.assemble(gw.load(f"planetary_2r_{n}"))
    torques[f"{n} planets"] = gw.inverse_dynamics(mech, q, v, a)
    energies[f"{n} planets"] = gw.kinetic_energy(mech, q, v)
    largest = torques[f"{n} planets"].max(axis=0).round(4)
    print(f"{n} planets: up to {largest} Nm, {energies[f'{n} planets'].max():.4f} J")

arm = gw.assemble(gw.load("planetary_2r_3"))
printed = replace(arm, spins=tuple(replace(w, ratio=tuple(map(abs, w.ratio))) for w in arm.spins))
coupling = [sum(wheel.inertia * wheel.ratio[1] for wheel in machine.spins) for machine in (arm, printed)]
torques["sun as printed"] = gw.inverse_dynamics(printed, q, v, a)
print("coupling inertia:", coupling[0], "kg m2; with the printed sign", coupling[1], "kg m2")

for posture, start, stop in (("elbow down", 0 * end, end), ("elbow up", 0 * end, np.array([end.sum(), -end[1]]))):
    path = [x[:, None] * (stop - start) for x in (s, rate, change)]
    power = (gw.inverse_dynamics(arm, *path) * path[1]).sum(axis=1)
    print(f"{posture}: {np.trapezoid(np.abs(power), t):.2f} J through the motors")

sphere = np.eye(3) * 0.4 * 2 * 0.05**2
loaded = gw.assemble(gw.load("planetary_2r_3").with_payload(2.0, (0.4, 0, 0), inertia=sphere))
print("with a sphere of 2 kg: up to", gw.inverse_dynamics(loaded, q, v, a).max(axis=0).round(4), "Nm")

first = torques["3 planets"]
panels = [
    *(Panel(f"torque {k + 1} [Nm]", {name: tau[:, k] for name, tau in torques.items()}) for k in range(2)),
    Panel("torque 1 beyond 3 planets [Nm]", {name: tau[:, 0] - first[:, 0] for name, tau in torques.items()}),
    Panel("kinetic energy [J]", energies),
]
figure = panel_figure(t, "time [s]", panels, columns=2)
print("figure:", save_figure(figure, Path(gettempdir()) / "gearwright_planetary_arm.png"))

assert abs(torques["3 planets"][:, 0].max() - 299.4219) < 1e-4
assert abs(torques["6 planets"][:, 0].max() - 301.9159) < 1e-4
assert abs(coupling[1] - 0.06916) < 1e-12
