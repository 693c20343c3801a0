"""A thousand friction values at once: the fall of an arm without motor torque.

The PUMA 560 falls from its reach with no torque at its motors. In every one of 1000 motions its second joint has
another dry friction, from 5 to 60 Nm, and every joint has stops at +-2 rad. Time stepping (Moreau's midpoint rule)
treats stiction and stops exactly, all motions in one loop of machine code. From 29.7 Nm on the shoulder does not move
at all: gravity pulls with 28.5 Nm, the forearm adds a little while it swings. It sticks without creep. The event-driven
run of one of the motions ends within 1e-3 rad of it.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.forces import Line, Stops
from gearwright.plots import Panel, panel_figure, save_figure

robot = gw.load("puma560")
arm = gw.assemble(robot)
reach = np.array([0.0, 0.0, np.pi / 2, 0.0, 0.0, 0.0])
stops = [Stops(f"{joint}.stops", Line.for_machine(arm, joint), -2.0, 2.0) for joint in arm.speeds]
frictions = np.linspace(5.0, 60.0, 1000)
run = gw.rollout(
    robot,  # brings the friction of its file
    reach,
    np.zeros(6),
    steps=3000,
    step=1e-3,
    extra_laws=stops,
    options=gw.analysis.RolloutOptions(every=100),
    parameters={"joint2.friction.coulomb": frictions},
)
shoulder = run.q[-1, :, 1]
least = frictions[np.abs(run.q[:, :, 1]).max(axis=0) < 1e-6].min()
print(f"the shoulder falls by up to {-shoulder.min():.2f} rad; from {least:.2f} Nm on it does not move")
print(f"beyond a stop by at most {run.penetration.max():.1e} rad; energy balance error {np.abs(run.drift).max():.1e} J")

k = 400
rub = replace(robot.link_of_joint("joint2").joint.total_friction, coulomb=frictions[k])
alone = robot.with_joint("joint2", friction=rub, damping=0.0)
exact = gw.simulate(alone, reach, until=3.0, extra_laws=stops, samples=2)
apart = np.abs(exact.q[-1] - run.q[-1, k]).max()
print(f"at {frictions[k]:.1f} Nm the event-driven run ends {apart:.1e} rad from it")
panels = [Panel("shoulder after 3 s [rad]", {"time stepping": shoulder})]
page = panel_figure(frictions, "dry friction of the shoulder [Nm]", panels)
print("figure:", save_figure(page, Path(gettempdir()) / "a_thousand_frictions.png"))
assert apart < 1e-3
assert np.all(shoulder[frictions > least] > -1e-6)
assert abs(least - 29.7) < 0.1
