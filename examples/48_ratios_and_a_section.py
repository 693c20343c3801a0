"""Ratios and a link's section together: least energy per cycle of an arm with a tip deflection of at most 0.5 mm.

The motors are fixed. Both ratios, the diameter and wall of the upper arm's tube and its metal may vary: optuna
proposes, and gradients from kernels finish. A thin tube of aluminium, as narrow as the tip allows, and ratios of 183
and 114 instead of 100 and 100 save a quarter of the energy; a sweep over the shoulder's ratio has its minimum at the
same place.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.design import Range, Task
from gearwright.motion import s_curve
from gearwright.parts import Drive, Gear, Joint, Link, LinkSection, Motor, Robot, Tube
from gearwright.plots import Panel, panel_figure, save_figure

bar, motor = np.diag([0.002, 0.03, 0.03]), dict(torque_constant=0.06, resistance=0.6, motor_mass=0.5)
links = [
    Link("upper", "base", Joint("shoulder", axis=(0, 1, 0)), 2.5, (0.18, 0, 0), bar),
    Link("fore", "upper", Joint("elbow", axis=(0, 1, 0), position=(0.4, 0, 0)), 1.2, (0.15, 0, 0), bar / 3),
]
drives = [
    Drive("shoulder", Motor(4e-5, **motor), Gear(100, efficiency=0.8), mounted_on="base"),
    Drive("elbow", Motor(2e-5, position=(0.38, 0, 0), **motor), Gear(100, efficiency=0.8), mounted_on="upper"),
]
arm = Robot("arm", links, drives)
limits = {"speed": 2.5, "acceleration": 12.0, "jerk": 300.0}
there, back = ([-0.4, 0.5], [0.8, -0.6]), ([0.8, -0.6], [-0.4, 0.5])
task = Task([s_curve(*there, **limits), s_curve(*back, **limits)], pause=0.2, required={"tip_deflection": 5e-4})
variables = {
    "shoulder.gear.ratio": Range(20, 200),
    "elbow.gear.ratio": Range(20, 200),
    "upper.section.outer": Range(0.03, 0.08),
    "upper.section.wall": Range(0.0015, 0.006),
    "upper.material": ["aluminium", "steel", "magnesium"],
}
arm = arm.with_sections({"upper": LinkSection((0.4, 0, 0), Tube(0.06, 0.05))})
before = gw.analyse(arm, task)
search = gw.design.SearchOptions(samples=101, trials=30)
best = gw.size_drives(arm, task, objective="energy", joints=(), variables=variables, search=search)
for name, value in best.values.items():
    print(f"{name}: {value if isinstance(value, str) else format(value, '.4g')}")
print(f"{before.energy:.1f} J per cycle before, {best.analysis.energy:.1f} J now")

ratios = np.linspace(40, 200, 17)
energies = gw.sweep(best.robot, {"shoulder.gear.ratio": ratios}, task, options=gw.design.SweepOptions(workers=1))
curve = {"shoulder": energies["shoulder.energy"]}
page = panel_figure(ratios, "ratio of the shoulder", [Panel("energy of the shoulder [J]", curve)])
print("figure:", save_figure(page, Path(gettempdir()) / "ratios_and_a_section.png"))

nearest = ratios[energies["shoulder.energy"].argmin()]
tip = next(check for check in best.analysis.limits if check.name == "tip deflection")
assert abs(nearest - best.values["shoulder.gear.ratio"]) <= 10
assert abs(tip.margin) < 0.01
assert best.analysis.energy < 0.77 * before.energy
assert abs(best.values["shoulder.gear.ratio"] - 183) < 3
