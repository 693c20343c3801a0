"""Planetary or harmonic reducers for a SCARA's shoulder and elbow: mass and energy of each.

The same task, the same motors, and gearboxes of one kind only; harmonic drives, whose data sheets state curves instead
of an efficiency, are assumed to have 70 %. At the shoulder the harmonic drive is lighter, at the elbow, where the
smallest of the catalogue is too large, the planetary one by far: 1.52 kg against 1.82 kg. Its drawback is a degree of
backlash.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

import gearwright as gw
from gearwright.catalogue import drives
from gearwright.plots import bar_figure, save_figure

TASK = """
task: pick
motions:
  - {to: {shoulder: 80 deg, elbow: 40 deg}, speed: 2.5, acceleration: 8, jerk: 200}
  - {pause: 200 ms}
  - {to: {shoulder: 0, elbow: 0}, speed: 2.5, acceleration: 8, jerk: 200}
payload: {mass: 1}
pause: 300 ms
"""
robot = gw.load("scara")
task = gw.design.Task.read(TASK, robot)
whole = drives()
motors = dict(list(whole.motors.items())[:25])
found = {}
for kind in ("planetary", "harmonic"):
    table = replace(whole, motors=motors, gearboxes=whole.search(kind).gearboxes)
    found[kind] = gw.size_drives(
        robot,
        task,
        table,
        joints=["shoulder", "elbow"],
        search=gw.design.SearchOptions(samples=61, method="evolve", assumed_efficiency=0.7),
    )
    for joint, one in found[kind].choices.items():
        play = one.gearbox.backlash
        told = "not printed" if play is None else f"{1e3 * play:.1f} mrad"
        print(f"{kind}, {joint}: {one.motor.key} with {one.gearbox.key}, {one.mass:.2f} kg, backlash {told}")
    print(f"{kind}: {found[kind].mass:.2f} kg, {found[kind].design.energy:.0f} J per cycle")

masses = {kind: [one.mass for one in sized.choices.values()] for kind, sized in found.items()}
page = bar_figure(
    ["shoulder", "elbow"], masses, "motor and gearbox [kg]", title="The lightest drives that keep every limit"
)
print("figure:", save_figure(page, Path(gettempdir()) / "planetary_or_harmonic.png"))

assert all(sized.analysis.is_feasible for sized in found.values())
assert masses["harmonic"][0] < masses["planetary"][0]
assert abs(found["planetary"].mass - 1.52) < 0.01 < abs(found["harmonic"].mass - 1.52)
