"""Hammering a wall: effect of rotors and of compliance on an impact.

The tool of a geared arm moves downwards at 0.81 m/s. With rotors the reflected mass at the tip is 6.17 kg, without them
1.03 kg: a model without rotors neglects five sixths of the impulse. The diagonal is sufficient for an arm with a motor
per joint; for grm3, whose motors are coupled to several joints, its error is 4.7 %. A rigid wall is compared with a
compliant one and with a block of 3 kg on a spring, which loses least: it moves on together with the tool.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.contact import Contact, Plane, SoftContact, with_wall
from gearwright.plots import bar_figure, save_figure

robot = gw.load("elbow")
mech = gw.assemble(robot)
q, v = [0.2, -0.5, 1.0], [0.0, -1.0, -0.5]
figures = gw.analysis.compare_impacts(mech, q, v, "tool", (0, 0, 1))
for model, x in figures.items():
    print(f"{model:9s}: mass {x.reflected_mass:5.2f} kg, impulse {x.impulse:5.2f} Ns, lost {x.energy_lost:5.2f} J")
coupled, bent = gw.assemble(gw.load("grm3")), [0.79, 1.38, 1.04]  # motors that drive joints together
swing = -0.8 * np.linalg.pinv(gw.jacobian(coupled, bent, "link3")[:1])[:, 0]
beside = gw.analysis.compare_impacts(coupled, bent, swing, "link3", (1, 0, 0))
missed = 1 - beside["diagonal"].reflected_mass / beside["exact"].reflected_mass
print(f"for grm3, whose motors are coupled, the diagonal neglects {100 * missed:.1f} % of the mass at the tip")
names = {"reflected_mass": "mass [kg]", "impulse": "impulse [Ns]", "energy_lost": "lost [J]"}
groups = {
    f"{robot}:{title}": (x, word)
    for robot, x in (("elbow", figures), ("grm3", beside))
    for word, title in names.items()
}
series = {f"rotors: {model}": [getattr(x[model], word) for x, word in groups.values()] for model in figures}
page = bar_figure(list(groups), series, "", title="impact of a tool on a wall", break_at=":")
print("figure:", save_figure(page, Path(gettempdir()) / "hammering_models.png"))

height = gw.placement(mech, q, "tool")[1][2] - 0.01
wall = Plane((0.3, 0.0, height), (0, 0, 1))
face = Plane((0, 0, 0), (0, 0, 1))
block = with_wall(robot, "block", wall, mass=3.0, stiffness=2e4)
cases = {
    "rigid": (mech, Contact("tool", wall, name="blow"), q, v),
    "soft": (mech, SoftContact("tool", wall, 2e4, 200.0, name="blow"), q, v),
    "block": (gw.assemble(block), Contact("tool", face, relative_to="block", name="blow"), [*q, 0.0], [*v, 0.0]),
}
lost = {}
for name, (machine, law, begin, speed) in cases.items():
    run = gw.simulate(machine, (begin, speed), until=0.06, extra_laws=[law], samples=61, method="adaptive")
    lost[name] = run["energy.dissipated"][-1]
    said = ", ".join(f"{event.kind} at {event.t * 1e3:.1f} ms" for event in run.events)
    print(f"{name}: {lost[name]:.3f} J lost; {said}; energy balance error {run.drift:.0e}")

print("figure:", save_figure(run.plot("q", "v", "blow.force", "energy"), Path(gettempdir()) / "hammering_a_block.png"))
assert abs(figures["exact"].reflected_mass - 6.17) < 0.01
assert abs(missed - 0.047) < 0.001
assert lost["block"] < lost["rigid"]
