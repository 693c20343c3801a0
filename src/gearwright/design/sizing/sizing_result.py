"""The result of a sizing: chosen drives, Pareto front and analysis, with tables, figure and plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from gearwright.analysis import Analysis, Task
from gearwright.design.candidates.candidates import Choice
from gearwright.design.candidates.objectives import Found, titled
from gearwright.design.sizing.controller_gains import JointGains
from gearwright.parts import Material, Robot
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import saved
from gearwright.plots.notebook import Shown, svg, table
from gearwright.plots.pareto_front import front


def summary(sizing: Sizing) -> dict[str, Any]:
    """Choices, values of the variables, gains, front and analysis."""
    return {
        "choices": {joint: _choice(one) for joint, one in sizing.choices.items()},
        "mass": sizing.mass,
        "values": {name: plain_value(value) for name, value in sizing.values.items()},
        "gains": {joint: one._asdict() for joint, one in sizing.gains.items()},
        "front": {"objectives": list(sizing.pair), "designs": [_design(sizing, one) for one in sizing.front]},
        "looked_at": sizing.looked_at,
        "remarks": list(sizing.remarks),
        "analysis": sizing.analysis.summary(),
    }


def _choice(one: Choice) -> dict[str, Any]:
    return {
        "motor": None if one.kept else one.motor.key,
        "gearbox": one.gearbox.key if one.gearbox else None,
        "mass": one.mass,
    }


def _design(sizing: Sizing, one: Found) -> dict[str, Any]:
    return {
        **{name: None if isnan(one.value(name)) else one.value(name) for name in sizing.pair},
        "choices": {joint: _choice(choice) for joint, choice in zip(sizing.choices, one.choices, strict=True)},
        "values": {name: plain_value(value) for name, value in one.values},
    }


def plain_value(value: Any) -> float | str:
    """A number, or the name of a link or material."""
    if isinstance(value, Material):
        return value.name
    return value if isinstance(value, float | str) else str(value.link)


def front_figure(sizing: Sizing) -> Any:
    """A matplotlib figure of the Pareto front with the chosen design; temperatures in degrees Celsius."""
    points = [_point(sizing, one) for one in sizing.front]
    labels = [titled(name).replace("[K]", "[°C]") for name in sizing.pair]
    chosen = None if sizing.found is None else _point(sizing, sizing.found)
    return front([x for x, _ in points], [y for _, y in points], (labels[0], labels[1]), chosen)


def sizing_html(sizing: Sizing) -> str:
    """Choices, values of the variables, and the front for a notebook."""
    rows = [
        (
            joint,
            "(kept)" if one.kept else one.motor.key,
            one.gearbox.key if one.gearbox else "(kept)",
            f"{one.mass:.4g}",
        )
        for joint, one in sizing.choices.items()
    ]
    values = [(name, plain_value(value)) for name, value in sizing.values.items()]
    return (
        table(["joint", "motor", "gearbox", "mass [kg]"], rows)
        + (table(["variable", "value"], values) if values else "")
        + svg(front_figure(sizing))
    )


def _point(sizing: Sizing, one: Found) -> tuple[float, float]:
    first, second = (one.value(name) - (ZERO_CELSIUS if name == "temperature" else 0.0) for name in sizing.pair)
    return first, second


@dataclass(frozen=True)
class Sizing(Shown):
    """The drives that were chosen.

    Args:
        choices: per joint the motor and the gearbox (None where the gear was kept).
        robot: with them, and with the values of the variables.
        analysis: of the task with them, at the full number of samples.
        front: designs of which none is better than another in both objectives of the front, by the first of them.
        looked_at: how many sets were looked at.
        remarks: what was passed over or assumed.
        values: of the variables.
        gains: per joint those of a controller: as stiff as the torque allows that the task leaves.
        found: the design's own numbers, as those of the front.
        pair: the two objectives of the front.
    """

    choices: Mapping[str, Choice]
    robot: Robot
    analysis: Analysis
    front: tuple[Found, ...]
    looked_at: int
    remarks: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    gains: Mapping[str, JointGains] = field(default_factory=dict)
    found: Found | None = None
    pair: tuple[str, str] = ("mass", "energy")

    @property
    def mass(self) -> float:
        """Of all motors and gearboxes chosen [kg]."""
        return sum(choice.mass for choice in self.choices.values())

    def summary(self) -> dict[str, Any]:
        """Everything that is one number or name, as JSON can hold it."""
        return summary(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """The front: the least of one objective that can be had at every value of the other."""
        return saved(front_figure(self), path)

    def _repr_html_(self) -> str:
        return sizing_html(self)

    @property
    def task(self) -> Task:
        """The task, at the pace that was found."""
        return self.analysis.task
