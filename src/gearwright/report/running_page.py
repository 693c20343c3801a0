"""The part of a report that computes: the robot's exact dynamics as WebAssembly, with sliders for its parameters."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import numpy as np

from gearwright.analysis import Analysis
from gearwright.analysis.drives.drive_program import drive_program, motion_directions
from gearwright.analysis.quadrature import integral_weights
from gearwright.errors import InputError
from gearwright.export.c_code.webassembly import web_module
from gearwright.parts import Robot, parameter
from gearwright.report.running_script import RUNNING_SCRIPT, RUNNING_STYLE
from gearwright.text import listed_names

RATIO_RANGE = (0.5, 2.0)
"""Range of a ratio's slider, as multiples of the ratio."""
PAYLOAD_RANGE = (0.0, 2.5)
"""Range of the payload's slider, as multiples of the payload."""
PACE_POWERS = {"v": 1, "a": 2}
"""Powers of the pace in speeds and accelerations."""
INTRODUCTION = (
    "This page contains the dynamics of this robot: every rotor, gear, friction and loss, compiled. Motor torques "
    "below are computed as you move the sliders; grey curves are those of the analysis. Percentages are shares of the "
    "limits of data sheet and robot file; rms torques are compared with continuous ones. Temperatures, links and the "
    "tables below remain those of the analysis."
)


def running_section(analysis: Analysis) -> str:
    """Return the section with sliders and curves, with its script.

    Raises:
        InputError: if motor torques of this task do not follow from the motion and the robot alone.
        MissingExtraError: without the Zig compiler of the extra `web`.
    """
    robot = analysis.robot
    _require_simple_task(analysis)
    sliders = list(_sliders(robot))
    motion = analysis.demands.motion
    rows = {"q": motion.q, "v": motion.v, "a": motion.a, "direction": motion_directions(motion)}
    code = web_module(robot, drive_program(robot), [one["path"] for one in sliders], rows, PACE_POWERS)
    weights, span = integral_weights(np.asarray(motion.t)), float(motion.t[-1] - motion.t[0])
    titles = [drive.title for drive in robot.drives]
    by_title = {drive.name: drive for drive in analysis.drives.values()}
    data = {
        "time": np.asarray(motion.t).tolist(),
        "duration": span,
        "weights": (weights / span).tolist(),
        "parameters": sliders,
        "drives": [{"name": title, "limits": by_title[title].motor_limits} for title in titles],
    }
    return (
        f'<section class="interactive"><style>{RUNNING_STYLE}</style><h2>Try it</h2><p>{INTRODUCTION}</p>'
        '<div id="running-sliders"></div>'
        '<p><label>drive <select id="running-drive"></select></label> <button id="running-reset">Reset</button> '
        'cycle time <output id="running-time"></output></p>'
        '<div class="running"><svg id="running-torque" role="img" aria-label="motor torque over time"></svg>'
        '<svg id="running-plane" role="img" aria-label="motor torque over speed"></svg></div>'
        '<div class="wide"><table><thead><tr><th>drive</th><th>rms torque</th><th>peak torque</th><th>top speed</th>'
        '<th>peak power</th></tr></thead><tbody id="running-table"></tbody></table></div>'
        f'<script type="application/json" id="running-data">{_safe_json(data)}</script>'
        f'<script type="text/plain" id="running-module">{b64encode(code).decode()}</script>'
        f"<script>{RUNNING_SCRIPT}</script></section>"
    )


def _safe_json(data: Any) -> str:
    """Return JSON that cannot end its element."""
    return json.dumps(data, allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026")


def _require_simple_task(analysis: Analysis) -> None:
    """Refuse tasks with forces beside those of the motion."""
    task = analysis.task
    reasons = [
        word
        for word, present in (
            ("process forces", task.forces),
            ("contact forces", task.contact),
            ("a changing payload", task.has_changing_payload),
        )
        if present
    ]
    if reasons:
        raise InputError(
            f"report: interactive=True: the task {task.name!r} has {listed_names(reasons)}, which the page cannot "
            "vary. Use interactive=False."
        )


def _sliders(robot: Robot) -> Iterator[dict[str, Any]]:
    """The parameters that the page varies: payload, and the ratios that the robot states as numbers."""
    if robot.payload is not None and robot.payload.mass:
        mass = float(robot.payload.mass)
        yield _slider("payload.mass", "payload", mass, PAYLOAD_RANGE, "kg")
    for drive in robot.drives:
        path = f"{drive.title}.gear.ratio"
        try:
            ratio = float(parameter(robot, path))
        except InputError:  # a ratio of teeth
            continue
        yield _slider(path, f"ratio of {drive.title}", ratio, RATIO_RANGE, "")


def _slider(path: str, label: str, value: float, factors: tuple[float, float], unit: str) -> dict[str, Any]:
    low, high = sorted(factor * value for factor in factors)
    return {"path": path, "label": label, "value": value, "low": low, "high": high, "unit": unit}
