"""Small robots, tasks and catalogues that the tests of sizing share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright.analysis import Task
from gearwright.catalogue import Catalogue, drives
from gearwright.motion import s_curve
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

JOINTS = ["shoulder", "elbow"]
WHOLE = drives()
SAMPLES = 61


def small(motors: int, boxes: int, *, warm: bool = False) -> Catalogue:
    """The first articles that print all that a drive needs; no inductance and, unless warm, no heat: left out early.

    No diameters either, so that every motor may be mounted on every gearbox.
    """
    left_out = {"inductance": None, "outer_diameter": None} | ({} if warm else {"winding_housing": None})
    able = [m for m in WHOLE.motors.values() if None not in (m.mass, m.inertia, m.torque_constant, m.resistance)]
    whole = [g for g in WHOLE.gearboxes.values() if None not in (g.mass, g.ratio, g.efficiency)]
    return Catalogue(
        {m.key: replace(m, **left_out) for m in able[:motors]},
        {g.key: g for g in whole[:boxes]},
    )


def arm() -> Robot:
    """Two links that swing in a vertical plane; the second motor sits on the first link, its axis across."""
    links = [
        Link("upper", "base", Joint("shoulder", axis=(0, 1, 0)), 0.8, (0.12, 0, 0), np.diag([1e-3, 4e-3, 4e-3])),
        Link(
            "fore",
            "upper",
            Joint("elbow", axis=(0, 1, 0), position=(0.3, 0, 0), friction=0.05),
            0.4,
            (0.1, 0, 0),
            np.diag([5e-4, 2e-3, 2e-3]),
        ),
    ]
    motor = Motor(1e-6, position=(0.25, 0, 0.02))
    first = Drive("shoulder", Motor(1e-6), Gear(50), mounted_on="base", axis=(0, 1, 0))
    return Robot("arm", links, [first, Drive("elbow", motor, Gear(50), mounted_on="upper", axis=(1, 0, 0))])


def swing() -> Task:
    limits = {"speed": 4.0, "acceleration": 25.0, "jerk": 600.0}
    start, end = [-0.3, 0.4], [0.9, -0.5]
    return Task([s_curve(start, end, **limits), s_curve(end, start, **limits)], pause=0.4)
