"""Heights of gears along their axes, and the shafts that carry them: coaxial shafts are nested tubes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from gearwright.scene.trains.axis_lines import SAME_POINT, AxisLine, TrainPlacement
from gearwright.scene.trains.train_gears import BELT, BEVEL, COAXIAL, CROSSED, EXTERNAL, INTERNAL, TrainGear, TrainPair

LAYER_PITCH = 1.7
"""Distance of two layers of gears relative to the width of their teeth."""
SHAFT_TO_GEAR = 0.62
"""Largest radius of a shaft relative to the pitch radius of its smallest gear."""


@dataclass(eq=False)
class TrainShaft:
    """A wheel or a link along one axis, from its lowest gear to its highest, with its motor.

    Args:
        name: of the wheel or link.
        line: its axis.
        gears: on it.
        low, high: its ends along the axis [m].
        bore, radius: inner and outer radius [m]; other shafts run in the bore.
    """

    name: str
    line: AxisLine
    gears: list[TrainGear] = field(default_factory=list)
    low: float = 0.0
    high: float = 0.0
    bore: float = 0.0
    radius: float = 0.0

    def reach_to(self, height: float) -> None:
        """Extend it to a height."""
        self.low, self.high = min(self.low, height), max(self.high, height)


@dataclass(eq=False)
class ShaftAxis:
    """An axis with its nested shafts, the innermost first.

    Args:
        line: the axis.
        shafts: the innermost first.
        outward: direction along the axis in which motors and spur gears lie: +1 or -1.
        start: height beyond which they lie [m], without bevel gears and links.
        room: of the bevel gears at its apex: largest cone distance [m]; 0 without.
        apex: height of that apex [m].
    """

    line: AxisLine
    shafts: list[TrainShaft]
    outward: int
    start: float
    room: float = 0.0
    apex: float = 0.0


def shaft_axes(space: TrainPlacement, pairs: Sequence[TrainPair]) -> dict[str, ShaftAxis]:
    """Shafts on every axis, with gears at heights where they mesh and other shafts pass.

    The innermost shaft has the bevel gear nearest to the apex and the spur gear farthest from it.
    """
    _merge_spur_gears(pairs)
    shafts: dict[tuple[str, str], TrainShaft] = {}
    for gear in dict.fromkeys(gear for pair in pairs for gear in pair.gears):
        key = (gear.shaft, gear.line.label)
        shafts.setdefault(key, TrainShaft(gear.shaft, gear.line)).gears.append(gear)
    axes: dict[str, ShaftAxis] = {}
    for shaft in shafts.values():
        axes.setdefault(shaft.line.label, ShaftAxis(shaft.line, [], 1, 0.0)).shafts.append(shaft)
    for axis in axes.values():
        _orient(space, axis, pairs)
    _place_layers(space, pairs, axes)
    for axis in axes.values():
        for shaft in axis.shafts:
            heights = [end for gear in shaft.gears for end in gear.extent]
            shaft.low, shaft.high = min(heights), max(heights)
        _nest(axis)
    return axes


def _merge_spur_gears(pairs: Sequence[TrainPair]) -> None:
    """Use one gear where a wheel meshes with several partners at the same radius: suns, planets, idlers."""
    known: dict[tuple[str, str, int, float, str], TrainGear] = {}
    for pair in pairs:
        if pair.kind in (EXTERNAL, INTERNAL):
            for k, gear in enumerate(pair.gears):
                key = (gear.shaft, gear.line.label, gear.teeth, round(gear.radius, 9), gear.kind)
                pair.gears[k] = known.setdefault(key, gear)


def _orient(space: TrainPlacement, axis: ShaftAxis, pairs: Sequence[TrainPair]) -> None:
    """Direction of motors: away from the bevel gears, towards the joint's origin or the gears of the wheels."""
    line = axis.line
    bevels = [gear for shaft in axis.shafts for gear in shaft.gears if gear.kind == BEVEL]
    if not bevels:
        stated = [space.stated_position(shaft.name) for shaft in axis.shafts]
        heights = [line.height_of(position) for position in stated if position is not None]
        axis.outward = 1 if heights and sum(heights) > 0 and space.is_joint(line) else -1
        axis.start = axis.outward * 0.06 * space.reach if space.is_joint(line) else 0.0
        return
    at_apex = [pair for pair in pairs if pair.kind == BEVEL and any(gear in bevels for gear in pair.gears)]
    heights = [line.height_of(pair.apex) for pair in at_apex]
    axis.apex = heights[0]
    axis.room = max(gear.radius / max(np.sin(gear.cone), 1e-9) for pair in at_apex for gear in pair.gears)
    wheels = [gear.side for gear in bevels if gear.shaft in space.train.wheels]
    away = -axis.apex if space.is_joint(line) else 0.0
    axis.outward = int(np.sign(away)) if abs(away) > SAME_POINT else int(np.sign(sum(wheels) or bevels[0].side))
    axis.start = axis.apex + axis.outward * 1.3 * axis.room


def _rank(space: TrainPlacement, axis: ShaftAxis, shaft: TrainShaft) -> tuple[float, ...]:
    """Order of nesting: shafts that pass the apex first, then by distance of their bevel gear; links last."""
    bevels = [gear for gear in shaft.gears if gear.kind == BEVEL]
    passes = any(gear.side != axis.outward for gear in bevels)
    nearest = min((abs(gear.height - axis.apex) for gear in bevels), default=inf)
    is_link = shaft.name not in space.train.wheels
    is_ring = any(gear.kind == INTERNAL for gear in shaft.gears)
    return (float(is_link), 0.0 if passes else 1.0, nearest, float(is_ring))


def _place_layers(space: TrainPlacement, pairs: Sequence[TrainPair], axes: dict[str, ShaftAxis]) -> None:
    """Put the gears of every layer at one height of its main axis, clear of the bevel gears and of other layers."""
    layers: dict[str, list[list[TrainPair]]] = {}
    for layer in _layers(pairs):
        lines = {gear.line.label: gear.line for pair in layer for gear in pair.gears}
        main = min(lines.values(), key=lambda line: (bool(line.arm), not space.is_joint(line), line.label))
        layers.setdefault(main.label, []).append(layer)
    for axis in axes.values():
        axis.shafts.sort(key=lambda shaft, axis=axis: _rank(space, axis, shaft))  # type: ignore[misc]
    for label, own in layers.items():
        axis = axes[label]
        order = {shaft.name: k for k, shaft in enumerate(axis.shafts)}
        own.sort(key=lambda layer: -max(order.get(gear.shaft, -1) for pair in layer for gear in pair.gears))
        height = axis.start + axis.outward * _stated_clearance(space, axis, own)
        for layer in own:
            gears = {gear for pair in layer for gear in pair.gears}
            half = axis.outward * LAYER_PITCH / 2 * max(gear.width for gear in gears)
            height += half
            point = axis.line.point_at(height)
            for gear in gears:
                gear.height = gear.line.height_of(point)
            height += half


def _stated_clearance(space: TrainPlacement, axis: ShaftAxis, layers: Sequence[Sequence[TrainPair]]) -> float:
    """Distance from the start to the first layer such that the last one is where a file states its wheel [m]."""
    sizes = [LAYER_PITCH * max(gear.width for pair in layer for gear in pair.gears) for layer in layers]
    stated = [
        position
        for layer in layers
        for pair in layer
        for gear in pair.gears
        if (position := space.stated_position(gear.shaft)) is not None
    ]
    farthest = max((axis.outward * (axis.line.height_of(position) - axis.start) for position in stated), default=0.0)
    return max(0.0, farthest - sum(sizes) + sizes[-1] / 2)


def _layers(pairs: Sequence[TrainPair]) -> list[list[TrainPair]]:
    """Pairs of parallel axes by layer: those that share a gear lie in one plane."""
    layers: list[list[TrainPair]] = []
    for pair in (pair for pair in pairs if pair.kind in (EXTERNAL, INTERNAL, BELT, COAXIAL)):
        shared = [layer for layer in layers if any(gear in other.gears for other in layer for gear in pair.gears)]
        merged = [pair, *(other for layer in shared for other in layer)]
        layers = [layer for layer in layers if layer not in shared] + [merged]
    return layers


def _nest(axis: ShaftAxis) -> None:
    """Radii of nested shafts: each fits in its gears, with the next one around it."""
    limits = []
    for k, shaft in enumerate(axis.shafts):
        inside = [
            gear.radius for other in axis.shafts[k:] for gear in other.gears if gear.kind not in (INTERNAL, CROSSED)
        ]
        limits.append(SHAFT_TO_GEAR * min(inside, default=max(gear.radius for gear in shaft.gears)))
    step = min(limit / (k + 1) for k, limit in enumerate(limits))
    step = min(step, 0.45 * min(limits)) if len(limits) == 1 else step
    for k, shaft in enumerate(axis.shafts):
        shaft.radius = (k + 1) * step
        shaft.bore = shaft.radius - 0.7 * step if k else 0.0
