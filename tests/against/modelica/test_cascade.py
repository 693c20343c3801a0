"""The bundled Manutec r3 under our cascade, against the reference trajectory of Modelica's FullRobot.

`test_modelica_trajectories` runs the same cascade with Modelica's own current loops in place, and asks for agreement as
long as our own runs agree. Here the motors have current controllers of ten times the rate of their windings.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import gearwright as gw
from support.modelica import read
from support.modelica_robot import AXES, point_to_point

BEGIN, END = np.deg2rad([-60, 20, 90, 0, -110, 0]), np.deg2rad([60, -70, -35, 45, 110, 45])
CLOSE = 5e-4
"""What the other current controllers may change [rad]; the joints move by 0.8 to 3.8 rad."""


def test_the_bundled_robot_follows_the_reference(reference):
    columns = read(reference, "Systems.RobotR3.FullRobot")
    first = {name: float(column[0]) for name, column in columns.items()}
    robot = gw.load("manutec_r3_full")  # Modelica's motors draw 15.7 A, beyond the 9 A of the data sheet
    robot = replace(robot, drives=[replace(x, motor=replace(x.motor, max_current=None)) for x in robot.drives])
    path, kinks = point_to_point(BEGIN, END, [3, 1.5, 5, 3.1, 3.1, 4.1], [15, 15, 15, 60, 60, 60])
    control = gw.control.cascade(robot, path, kp=5.0, ks=0.5, Ts=0.05, output="current")
    sag = [first[f"axis{k + 1}.gear.spring.phi_rel"] / AXES[k].ratio for k in range(3)]
    states = {}
    for k in range(6):
        states[f"joint{k + 1}.integral"] = first[f"axis{k + 1}.controller.PI.x"]
        states[f"joint{k + 1}.current"] = first[f"axis{k + 1}.motor.La.i"]
    run = gw.simulate(
        robot,
        gw.State(np.concatenate([BEGIN, BEGIN[:3] - sag]), states=states),
        float(columns["time"][-1]),
        controller=replace(control, breaks=tuple(kinks)),
        samples=101,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-6, atol=1e-8),
    )
    for k in range(6):
        there = np.interp(run.t, columns["time"], columns[f"mechanics.r{k + 1}.phi"])
        assert np.abs(run[f"q.joint{k + 1}"] - there).max() < CLOSE
