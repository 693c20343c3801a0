"""Simulated figures of Vukobratovic and Potkonjak: control, an elastic base, an elastic transmission."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.catalogue import load
from gearwright.control import feedforward, joint_gains, pd
from gearwright.forces import SoftContact
from gearwright.functions import placement
from gearwright.mechanism import assemble_tree
from gearwright.motion import polynomial
from gearwright.parts import Plane
from gearwright.plots import Panel, panel_figure
from gearwright.plots.sketch import SketchItem, sketch_figure
from gearwright.simulation import rollout, simulate
from gearwright.works.sketch_symbols import blank_sheet, signal_block, signal_path, signal_sum


def feedforward_schemes() -> Any:
    """Figure 20.10: the schemes (a) and (b), and errors with PD control only and with feedforward by each of them."""
    robot = load("puma560")
    start = np.array([0.3, -0.5, 0.8, 0.4, 0.6, -0.3])
    motion = polynomial(start, start + np.array([0.8, -0.6, 0.5, 1.0, -0.7, 0.9]), duration=0.8)
    kp, kd = joint_gains(robot, start, frequency=10.0)
    plant = robot.with_payload(0.2, (0.0, 0.0, 0.1))  # unknown to the controllers
    controllers = {
        "PD only": pd(robot, motion, kp, kd),
        "scheme (a)": feedforward(robot, motion, kp, kd, "reference"),
        "scheme (b)": feedforward(robot, motion, kp, kd, "measured"),
    }
    errors, t = {}, np.zeros(0)
    for name, controller in controllers.items():
        run = rollout(plant, start, np.zeros(6), 800, 1e-3, method="rk4", laws=(), controller=controller)
        t = np.asarray(run.t)
        errors[name] = 1e3 * np.abs(run.q - motion.at(t)).max(axis=-1)
    drawings = {
        "(a) nominal control from the reference motion": _feedforward_scheme(from_state=False),
        "(b) nominal control from the measured state": _feedforward_scheme(from_state=True),
    }
    curves = (t, "time [s]", Panel("largest joint error [mrad]", errors))
    return sketch_figure(drawings, "above", size=(5.4, 3.0), curves=curves)


def _feedforward_scheme(from_state: bool) -> list[SketchItem]:
    """The block diagram of a controller with a feedforward signal u* from a model of the dynamics."""
    blocks = [
        *blank_sheet((-0.3, -0.9), (5.0, 1.9)),
        *signal_block((1.5, 1.1), "model"),
        *signal_block((1.5, 0.0), "gains"),
        *signal_block((3.6, 0.0), "robot"),
        *signal_sum((0.6, 0.0), [((-0.32, 0.3), "+"), ((-0.3, -0.12), "-")]),
        *signal_sum((2.5, 0.0), [((-0.3, 0.34), "+"), ((0.08, 0.36), "+")]),
    ]
    signals = [
        *signal_path([(-0.3, 0.0), (0.51, 0.0)], "q*", (-0.3, 0.3)),
        *signal_path([(0.69, 0.0), (1.08, 0.0)]),
        *signal_path([(1.92, 0.0), (2.41, 0.0)]),
        *signal_path([(1.92, 1.1), (2.5, 1.1), (2.5, 0.09)], "u*", (2.05, 1.42)),
        *signal_path([(2.59, 0.0), (3.18, 0.0)], "u", (2.95, 0.3)),
        *signal_path([(4.02, 0.0), (4.9, 0.0)], "q, dq/dt", (4.42, 0.3)),
        *signal_path([(4.4, 0.0), (4.4, -0.7), (0.6, -0.7), (0.6, -0.09)]),
        *signal_path([(0.0, 0.0), (0.0, 1.1 if not from_state else 1.22), (1.08, 1.1 if not from_state else 1.22)]),
    ]
    if from_state:  # the model gets the state; the reference gives the accelerations
        signals += signal_path([(4.4, 0.0), (4.4, 1.75), (0.6, 1.75), (0.6, 0.98), (1.08, 0.98)])
    return [*blocks, *signals]


def elastic_base() -> Any:
    """Figure 20.16: the hand of the elbow arm lands on a base with stiffness and damping."""
    robot = load("elbow")
    mech = assemble_tree(robot)
    q, v = [0.2, -0.5, 1.0], [0.0, -1.0, -0.5]
    height = float(np.asarray(placement(mech, q, "tool").position)[2]) - 0.01
    base = SoftContact("tool", Plane((0.3, 0.0, height), (0, 0, 1)), 2e4, 200.0, name="base")
    run = simulate(mech, (q, v), until=0.06, extra_laws=[base], samples=241, method="adaptive")
    tip = np.asarray(placement(mech, run.q, "tool").position)[:, 2]
    panels = [
        Panel("height above the base at rest [mm]", {"hand": 1e3 * (tip - height)}),
        Panel("force on the hand [N]", {"base": run["base.force"]}),
    ]
    return panel_figure(run.t, "time [s]", panels)


def elastic_transmission() -> Any:
    """Figure 20.17: joint and motor of an elastic elbow arm, released from rest without motor torque."""
    mech = assemble_tree(load("elastic_elbow"))
    run = simulate(mech, until=0.3, samples=301)
    k = mech.speeds.index("j2")
    m = mech.speeds.index("j2.motor")
    angles = Panel("angle at the joint side [mrad]", {"joint 2": 1e3 * run.q[:, k], "its motor": 1e3 * run.q[:, m]})
    twist = Panel("twist of the gear [mrad]", {"motor minus joint": 1e3 * (run.q[:, m] - run.q[:, k])})
    return panel_figure(run.t, "time [s]", [angles, twist])
