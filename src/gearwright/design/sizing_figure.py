"""The picture of a sizing, and the table of what was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gearwright.design.objectives import Found, titled
from gearwright.design.sizing_summary import plain_value
from gearwright.parts.heat import ZERO_CELSIUS
from gearwright.plots.front import front
from gearwright.plots.notebook import svg, table

if TYPE_CHECKING:
    from gearwright.design.sized_drives import Sizing


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
