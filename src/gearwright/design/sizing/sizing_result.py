"""The drives that were chosen, and what a task comes to with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gearwright.analysis import Analysis, Task
from gearwright.design.candidates import Choice
from gearwright.design.gains import JointGains
from gearwright.design.objectives import Found
from gearwright.design.sizing_figure import front_figure, sizing_html
from gearwright.design.sizing_summary import summary
from gearwright.parts import Robot
from gearwright.plots import saved
from gearwright.plots.notebook import Shown


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
