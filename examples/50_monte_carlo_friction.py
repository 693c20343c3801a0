"""Monte Carlo over friction: motor temperatures of a SCARA with uncertain joint friction.

The friction of both arms is drawn from normal distributions, with a standard deviation of a quarter of its mean, in 24
samples; every sample is analysed for a task repeated continuously. The shoulder's winding reaches 70 to 95 degrees
Celsius, the elbow's 40, and nearly all of the spread is due to the joint's own friction.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.design import AnalysisMeasure, Normal, Task
from gearwright.plots import Panel, panel_figure, save_figure

TASK = """
task: pick
motions:
  - {to: {shoulder: 80 deg, elbow: 40 deg}, speed: 2, acceleration: 5, jerk: 100}
  - {to: {shoulder: 0, elbow: 0}, speed: 2, acceleration: 5, jerk: 100}
pause: 500 ms
repetitions: continuous
"""
robot = gw.load("scara").with_joint("shoulder", friction=2.0).with_joint("elbow", friction=1.0)
task = Task.read(TASK, robot)
over = {"shoulder.friction": Normal(2.0, 0.5), "elbow.friction": Normal(1.0, 0.25)}
found = gw.sweep(
    robot, over, AnalysisMeasure(task, samples=61), samples=24, options=gw.design.SweepOptions(seed=1, workers=1)
)

warm = {joint: found[f"{joint}.winding_temperature"] - 273.15 for joint in ("shoulder", "elbow")}
shares = {}
for joint, degrees in warm.items():
    shares[joint] = np.corrcoef(found[f"{joint}.friction"], degrees)[0, 1] ** 2
    print(
        f"{joint}: {degrees.min():.0f} to {degrees.max():.0f} degrees Celsius, {shares[joint]:.0%} by its own friction"
    )

order = np.argsort(found["shoulder.friction"])
curves = {joint: degrees[order] for joint, degrees in warm.items()}
page = panel_figure(found["shoulder.friction"][order], "friction of the shoulder [Nm]", [Panel("winding [°C]", curves)])
print("figure:", save_figure(page, Path(gettempdir()) / "monte_carlo_friction.png"))

assert not found.errors
assert min(shares.values()) > 0.95
assert 70 < warm["shoulder"].min() < warm["shoulder"].max() < 95
