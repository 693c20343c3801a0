"""The result of a sizing: chosen drives, Pareto front and analysis, with tables, figure and plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from gearwright.analysis import Analysis, Task
from gearwright.design.candidates.candidates import Choice
from gearwright.design.candidates.objectives import DesignPoint, title_with_unit
from gearwright.design.sizing.controller_gains import JointGains
from gearwright.design.sizing.verification import Violations
from gearwright.parts import Material, Robot
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import NotebookFigure, html_table, pareto_figure, save_if_path, svg_text
from gearwright.text import visible_text


def summary(sizing: Sizing) -> dict[str, Any]:
    """Choices, values of the variables, gains, Pareto front and analysis."""
    return {
        "choices": {joint: _choice_summary(item) for joint, item in sizing.choices.items()},
        "mass": sizing.mass,
        "values": {name: plain_value(value) for name, value in sizing.values.items()},
        "gains": {joint: item._asdict() for joint, item in sizing.gains.items()},
        "front": {"objectives": list(sizing.pair), "designs": [_design_summary(sizing, item) for item in sizing.front]},
        "looked_at": sizing.evaluated_count,
        "remarks": list(sizing.remarks),
        "analysis": sizing.analysis.summary(),
    }


def _choice_summary(choice: Choice) -> dict[str, Any]:
    return {
        "motor": None if choice.is_kept else choice.motor.key,
        "gearbox": choice.gearbox.key if choice.gearbox else None,
        "mass": choice.mass,
    }


def _choice_texts(sizing: Sizing) -> list[str]:
    """Motor and gearbox of each joint; parts that stay are not named."""
    return [
        f"{visible_text(joint)}: "
        + (
            " + ".join(sheet.key for sheet in (None if choice.is_kept else choice.motor, choice.gearbox) if sheet)
            or "kept"
        )
        for joint, choice in sizing.choices.items()
    ]


def _design_summary(sizing: Sizing, design: DesignPoint) -> dict[str, Any]:
    return {
        **{name: None if isnan(design.objective_value(name)) else design.objective_value(name) for name in sizing.pair},
        "choices": {
            joint: _choice_summary(choice) for joint, choice in zip(sizing.choices, design.choices, strict=True)
        },
        "values": {name: plain_value(value) for name, value in design.values},
    }


def plain_value(value: Any) -> float | str:
    """A number, or the name of a link or material, or the teeth of a mesh."""
    if isinstance(value, Material):
        return value.name
    if isinstance(value, tuple):
        return ":".join(f"{z:g}" for z in value)
    return value if isinstance(value, float | str) else str(value.link)


def front_figure(sizing: Sizing) -> Any:
    """A matplotlib figure of the Pareto front with the chosen design; temperatures in degrees Celsius."""
    points = [_front_point(sizing, design) for design in sizing.front]
    labels = [title_with_unit(name).replace("[K]", "[°C]") for name in sizing.pair]
    chosen = _front_point(sizing, sizing.design)
    return pareto_figure([x for x, _ in points], [y for _, y in points], (labels[0], labels[1]), chosen)


def sizing_html(sizing: Sizing) -> str:
    """Choices, values of the variables, and the Pareto front for a notebook."""
    rows = [
        (
            joint,
            "(kept)" if choice.is_kept else choice.motor.key,
            choice.gearbox.key if choice.gearbox else "(kept)",
            f"{choice.mass:.4g}",
        )
        for joint, choice in sizing.choices.items()
    ]
    values = [(name, plain_value(value)) for name, value in sizing.values.items()]
    return (
        html_table(["joint", "motor", "gearbox", "mass [kg]"], rows)
        + (html_table(["variable", "value"], values) if values else "")
        + svg_text(front_figure(sizing))
    )


def _front_point(sizing: Sizing, design: DesignPoint) -> tuple[float, float]:
    first, second = (
        design.objective_value(name) - (ZERO_CELSIUS if name == "temperature" else 0.0) for name in sizing.pair
    )
    return first, second


@dataclass(frozen=True)
class Sizing(NotebookFigure):
    """The chosen drives.

    Args:
        choices: per joint the motor and the gearbox (None where the gear was kept).
        robot: with these drives and the values of the variables.
        analysis: of the task with these drives, with the full number of samples.
        design: objectives and choices of the design, as for the front.
        front: Pareto front of two objectives, sorted by the first.
        evaluated_count: number of evaluated sets.
        remarks: on skipped entries and assumptions.
        values: of the variables.
        gains: controller gains of each joint: the highest that the torque reserve allows.
        pair: the two objectives of the front.
        violations: limits that the analysis exceeds; of drives that were not chosen.
    """

    choices: Mapping[str, Choice]
    robot: Robot
    analysis: Analysis
    design: DesignPoint
    front: tuple[DesignPoint, ...] = ()
    evaluated_count: int = 0
    remarks: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    gains: Mapping[str, JointGains] = field(default_factory=dict)
    pair: tuple[str, str] = ("mass", "energy")
    violations: Violations = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Sizing {visible_text(self.robot.name)}: {self.mass:.4g} kg, {', '.join(_choice_texts(self))}>"

    def __str__(self) -> str:
        return "\n".join([*_choice_texts(self), self.analysis.verdict.text, *self.remarks])

    @property
    def mass(self) -> float:
        """Mass of all chosen motors and gearboxes [kg]."""
        return sum(choice.mass for choice in self.choices.values())

    def summary(self) -> dict[str, Any]:
        """All results and names, for JSON."""
        return summary(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the Pareto front; with `path` it is also saved."""
        return save_if_path(front_figure(self), path)

    def _repr_html_(self) -> str:
        return sizing_html(self)

    @property
    def task(self) -> Task:
        """The task at the selected speed."""
        return self.analysis.task
