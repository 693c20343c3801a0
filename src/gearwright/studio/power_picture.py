"""The flow of power through every drive at one time, as SVG: arrows by size and direction, losses in red."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from gearwright.analysis import Analysis, DriveAnalysis
from gearwright.report.numbers import quantity_text
from gearwright.text import html_text

STAGE_X = {"supply": 28.0, "motor": 152.0, "gear": 276.0, "joint": 384.0}
"""Where stages are in the picture of width `PICTURE_WIDTH` [pixels]."""
PICTURE_WIDTH, ROW_HEIGHT, WIDEST_ARROW = 412.0, 76.0, 20.0
BOX_WIDTH, BOX_HEIGHT = 46.0, 24.0
POWER_COLOUR, LOSS_COLOUR, ROTOR_COLOUR = "#2e86ab", "#d1352b", "#5c6b73"
SMALLEST_POWER_RATIO = 1e-6
"""Losses below this share of the largest power of the cycle are not shown: most are rounding errors."""


def power_picture(analysis: Analysis, at: float) -> str:
    """Return the flow of power [W] at a time [s] from the start as SVG, a row per drive.

    The widths of all arrows are in proportion to the largest power of the cycle; an arrow to the left is power that
    returns from a load which drives its motor. What accelerates the rotor is written beside the gear.
    """
    index = int(np.argmin(np.abs(analysis.t - analysis.t[0] - at)))
    flows = {name: drive_powers(drive) for name, drive in analysis.drives.items()}
    largest = max((float(np.max(np.abs(series))) for flow in flows.values() for series in flow.values()), default=0.0)
    rows = [
        _row(name, {stage: float(series[index]) for stage, series in flow.items()}, largest or 1.0, ROW_HEIGHT * k)
        for k, (name, flow) in enumerate(flows.items())
    ]
    height = ROW_HEIGHT * len(rows)
    shape = f'viewBox="0 0 {PICTURE_WIDTH:g} {height:g}" font-size="10" font-family="sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {shape}>{"".join(rows)}</svg>'


def drive_powers(drive: DriveAnalysis) -> Mapping[str, np.ndarray]:
    """Return the powers of a drive over the cycle [W] by the stages at which they arrive, as far as they are known."""
    flow = drive.power_flow
    electrical = drive.electrical_power
    powers = {} if electrical is None else {"motor": electrical, "winding": electrical - drive.power}
    powers["gear"] = drive.power
    return powers if flow is None else {**powers, "losses": flow.gear_loss, "rotor": flow.rotor, "joint": flow.output}


def _row(name: str, powers: Mapping[str, float], largest: float, top: float) -> str:
    """One drive: its name, boxes of its stages, arrows between them, and losses downwards."""
    middle = top + 34.0
    stages = [stage for stage in STAGE_X if stage != "joint" or "joint" in powers]
    stages = stages if "motor" in powers else stages[1:]
    parts = [f'<text x="4" y="{top + 13:g}" font-weight="bold">{html_text(name)}</text>']
    for before, stage in pairwise(stages):
        start, end = STAGE_X[before] + BOX_WIDTH / 2 + 2, STAGE_X[stage] - BOX_WIDTH / 2 - 2
        ends = (start, end) if powers[stage] >= 0 else (end, start)
        parts.append(_arrow((ends[0], middle), (ends[1], middle), _width(powers[stage], largest), POWER_COLOUR))
        parts.append(_label(powers[stage], (start + end) / 2, middle - 14, "#1b1b1b", "middle"))
    foot, smallest = middle + BOX_HEIGHT / 2, SMALLEST_POWER_RATIO * largest
    for loss, stage, side in (("winding", "motor", "end"), ("losses", "gear", "start")):
        if abs(powers.get(loss, 0.0)) > smallest:
            ends = (foot + 1, foot + 19) if powers[loss] >= 0 else (foot + 19, foot + 1)
            x, width = STAGE_X[stage], _width(powers[loss], largest)
            parts.append(_arrow((x, ends[0]), (x, ends[1]), width, LOSS_COLOUR))
            parts.append(_label(powers[loss], x + (14 if side == "start" else -14), foot + 15, LOSS_COLOUR, side))
    if abs(powers.get("rotor", 0.0)) > smallest:
        words = "to rotor " if powers["rotor"] > 0 else "from rotor "
        parts.append(_label(powers["rotor"], STAGE_X["gear"] - 14, foot + 15, ROTOR_COLOUR, "end", words))
    titles = {"gear": "gear" if "joint" in powers else "train"}
    return "".join([*parts, *(_box(stage, titles.get(stage, stage), middle) for stage in stages)])


def _label(power: float, x: float, y: float, colour: str, anchor: str, words: str = "") -> str:
    text = words + quantity_text(float(f"{abs(power):.3g}"), "W")
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}">{text}</text>'


def _box(stage: str, title: str, middle: float) -> str:
    left = STAGE_X[stage] - BOX_WIDTH / 2
    shape = f'x="{left:g}" y="{middle - BOX_HEIGHT / 2:g}" width="{BOX_WIDTH:g}" height="{BOX_HEIGHT:g}"'
    text = f'<text x="{STAGE_X[stage]:g}" y="{middle + 3.5:g}" text-anchor="middle">{title}</text>'
    return f'<rect {shape} rx="4" fill="#f2efe6" stroke="#1b1b1b" stroke-width="0.8"/>{text}'


def _width(power: float, largest: float) -> float:
    return max(0.8, WIDEST_ARROW * abs(power) / largest)


def _arrow(start: tuple[float, float], end: tuple[float, float], width: float, colour: str) -> str:
    """An arrow of some width, whose head ends at its end; its length is kept."""
    along = np.subtract(end, start)
    length = float(np.hypot(*along))
    x, y = along / length
    head = min(0.5 * length, 4.0 + 0.5 * width)
    half, wide = width / 2, width / 2 + 3.0
    outline = [(0, half), (length - head, half), (length - head, wide), (length, 0.0)]
    outline += [(length - head, -wide), (length - head, -half), (0, -half)]
    points = " ".join(f"{start[0] + u * x - v * y:.1f},{start[1] + u * y + v * x:.1f}" for u, v in outline)
    return f'<polygon points="{points}" fill="{colour}"/>'
