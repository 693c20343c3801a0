"""Catching: a ball flies into the hand of a geared arm and moves on with it.

The ball of 0.5 kg comes at 3.1 m/s. Where it meets the hand both get one velocity, as in a plastic impact, and move on
together under impedance control. With its rotors the reflected mass of the arm is large: 2.35 J are lost and its joints
move by up to 0.1 rad/s. A model without rotors expects 1.8 rad/s, 18 times as much.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.contact import Catch, Sphere, with_object
from gearwright.plots import Panel, panel_figure, save_figure

robot = gw.load("elbow")
wide = gw.assemble(with_object(robot, "ball", mass=0.5))
ready = np.array([0.3, -0.2, 0.9])
hand = gw.placement(robot, ready, "tool")
meet, flight = hand.position, 0.25
velocity = np.array([-2.5, -0.8, -1.7])  # when it arrives
start = meet - velocity * flight - 0.5 * np.array([0, 0, 9.81]) * flight**2
thrown = velocity + np.array([0, 0, 9.81]) * flight
q = np.concatenate([ready, start, [1, 0, 0, 0]])
v = np.concatenate([np.zeros(3), thrown, np.zeros(3)])
catch = Catch("ball", "tool", Sphere((0, 0, 0), 0.03), held=("x", "y", "z"), name="catch")
runs = {}
for rotors in ("exact", "none"):
    machine = wide if rotors == "exact" else gw.approximate(wide, "none")
    arm = robot if rotors == "exact" else gw.approximate(gw.assemble(robot), "none")
    soft = gw.control.impedance(arm, "tool", (hand.rotation, meet), 400.0, 60.0, orientation=False)
    control = gw.control.in_larger_machine(soft, machine)
    runs[rotors] = gw.simulate(machine, (q, v), until=1.0, extra_laws=[catch], controller=control, samples=501)
for rotors, run in runs.items():
    told = f"{run['energy.dissipated'][-1]:.3f} J lost, joints up to {np.abs(run.v[:, :3]).max():.2f} rad/s"
    print(f"rotors {rotors}: caught at {run.events[0].t:.3f} s, {told}; energy balance error {run.drift:.0e}")

apart, away = {}, {}
for rotors, run in runs.items():
    place = gw.placement(wide, run.q, "tool").position
    name = f"{rotors} rotors" if rotors == "exact" else "no rotors"
    apart[name] = np.linalg.norm(gw.placement(wide, run.q, "ball").position - place, axis=1)
    away[name] = 1e3 * np.linalg.norm(place - meet, axis=1)
panels = [Panel("ball to hand [m]", apart), Panel("hand to where it waited [mm]", away)]
page = panel_figure(runs["exact"].t, "time [s]", panels, spans=runs["exact"].phases)
print("figure:", save_figure(page, Path(gettempdir()) / "catching_a_ball.png"))

assert np.ptp(apart["exact rotors"][runs["exact"].t > 0.25]) < 1e-6
assert abs(runs["exact"]["energy.dissipated"][-1] - 2.35) < 0.01
assert np.abs(runs["none"].v[:, :3]).max() > 15 * np.abs(runs["exact"].v[:, :3]).max()
