"""A geared mechanism from its drawing, as Chen and Wang read it.

Seven turning pairs and four gear pairs leave 3 degrees of freedom. The graph alone determines the speed of every wheel:
w6 is carried by link 1, passes joint 2 and drives joint 3 through w7, so its row is j2 + g76 g37 j3. With numbers (g76
= -1.5, g37 = 2.5) the motors' torques at one state are (2.64888758, 8.61431435, -0.16434889) Nm, and w7, spinning
across the arm, adds a gyroscopic torque at every joint; the bar chart shows the contribution of each wheel at joint 3.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np
import sympy as sp

import gearwright as gw
from gearwright.mechanism import GearGraph, GearPair, TurningPair
from gearwright.plots import bar_figure, save_figure

g14, g25, g76, g37 = sp.symbols("g14 g25 g76 g37")
turning = [
    TurningPair("base", "link1", "a", "j1"),
    TurningPair("link1", "link2", "b", "j2"),
    TurningPair("link2", "link3", "c", "j3"),
    TurningPair("base", "w4", "d"),
    TurningPair("base", "w5", "a"),
    TurningPair("link1", "w6", "b"),
    TurningPair("link2", "w7", "e"),
]
gears = [
    GearPair("w4", "link1", g14),
    GearPair("w5", "link2", g25),
    GearPair("w6", "w7", g76),
    GearPair("w7", "link3", g37),
]
graph = GearGraph(turning, gears, base="base")
print("degrees of freedom:", graph.degrees_of_freedom)
print("carriers of the gear pairs:", [circuit.carrier for circuit in graph.circuits])
for wheel, row in graph.link_rows(["j1", "j2", "j3"]).items():
    print(f"{wheel} turns on {graph.carrier_of(wheel)} at", " + ".join(f"{b} {joint}" for joint, b in row.items()))
print("structure matrix:", graph.structure_matrix(["j1", "j2", "j3"], ["w4", "w5", "w6"]))

mech = gw.assemble(gw.load("grm3"))  # the same graph, with numbers
q, v, a = [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8]
torques = gw.actuator_torques(mech, gw.inverse_dynamics(mech, q, v, a))
print("motor torques:", torques.round(8), "Nm")
told = gw.equations.explain(mech, q, v, a)
for row in told.table_rows():
    print(
        "{wheel} at {speed}: {inertia:.6f} inertia, {coupling:.6f} coupling, {gyroscopic:.6f} gyroscopic".format(**row)
    )
page = bar_figure(told.wheels, told.bar_values("j3"), "torque at j3 [Nm]")
print("figure:", save_figure(page, Path(gettempdir()) / "gearwright_wheels.png"))

assert graph.degrees_of_freedom == 3
assert np.abs(torques - [2.64888758, 8.61431435, -0.16434889]).max() < 1e-8
