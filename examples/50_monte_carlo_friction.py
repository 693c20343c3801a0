"""Monte Carlo over friction: how warm the motors of a SCARA get when nobody knows the friction of its joints.

The friction of both arms is drawn from normal distributions, a quarter about its mean, two dozen times; every sample is
analysed for a task that goes on for ever. The shoulder's winding comes to 70 to 95 degrees Celsius, the elbow's to 40,
and nearly all of the spread is the joint's own friction: what the other joint's does to it is lost.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.design import Analysed, Normal, Task
from gearwright.plots import Panel, figure, save

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
found = gw.sweep(robot, over, Analysed(task, samples=61), samples=24, seed=1, workers=1)

warm = {joint: found[f"{joint}.winding_temperature"] - 273.15 for joint in ("shoulder", "elbow")}
shares = {}
for joint, degrees in warm.items():
    shares[joint] = np.corrcoef(found[f"{joint}.friction"], degrees)[0, 1] ** 2
    print(
        f"{joint}: {degrees.min():.0f} to {degrees.max():.0f} degrees Celsius, {shares[joint]:.0%} by its own friction"
    )

order = np.argsort(found["shoulder.friction"])
curves = {joint: degrees[order] for joint, degrees in warm.items()}
page = figure(found["shoulder.friction"][order], "friction of the shoulder [Nm]", [Panel("winding [°C]", curves)])
print("figure:", save(page, Path(gettempdir()) / "monte_carlo_friction.png"))

assert not found.errors
assert min(shares.values()) > 0.95
assert 70 < warm["shoulder"].min() < warm["shoulder"].max() < 95
