"""Tables of a sizing: chosen drives with their controller gains, and the Pareto front."""

from __future__ import annotations

from gearwright.design import DesignPoint, Sizing
from gearwright.design.candidates.objectives import title_with_unit
from gearwright.design.sizing.sizing_result import plain_value
from gearwright.report.numbers import number_text
from gearwright.report.tables import page_break
from gearwright.text import html_text

TEXT_HEADING = '<th class="words">{}</th>'
MAX_FRONT_ROWS = 30
"""Number of designs of the Pareto front on the page."""


def sizing_section(sizing: Sizing) -> str:
    """Return the section on drives, gains, values of variables, and the Pareto front."""
    return "".join(
        [
            page_break("Chosen drives"),
            _choice_table(sizing),
            _value_table(sizing),
            f"<h2>Pareto front of {_objective_text(sizing.pair[0])} and {_objective_text(sizing.pair[1])}</h2>",
            _front_table(sizing),
        ]
    )


def _objective_text(objective: str) -> str:
    return html_text(objective.replace("_", " "))


def _choice_table(sizing: Sizing) -> str:
    rows = []
    for joint, choice in sizing.choices.items():
        motor = "(kept)" if choice.is_kept else choice.motor.key
        gearbox = choice.gearbox.key if choice.gearbox else "(kept)"
        gains = sizing.gains[joint]
        cells = [number_text(x) for x in (choice.mass, gains.frequency, gains.kp, gains.kd)]
        rows.append(
            [
                html_text(joint),
                f'<td class="words">{html_text(motor)}</td><td class="words">{html_text(gearbox)}</td>',
                cells,
            ]
        )
    head = ["mass [kg]", "loop [rad/s]", "kp [Nm/rad, N/m]", "kd [Nms/rad, Ns/m]"]
    body = "".join(
        f"<tr><td>{joint}</td>{words}{''.join(f'<td>{html_text(cell)}</td>' for cell in cells)}</tr>"
        for joint, words, cells in rows
    )
    words = "".join(TEXT_HEADING.format(word) for word in ("joint", "motor", "gearbox"))
    return f"<table><tr>{words}{''.join(f'<th>{html_text(word)}</th>' for word in head)}</tr>{body}</table>"


def _value_table(sizing: Sizing) -> str:
    if not sizing.values:
        return ""
    rows = "".join(
        f"<tr><td>{html_text(name)}</td><td>{html_text(_value_text(value))}</td></tr>"
        for name, value in sizing.values.items()
    )
    return f"<table><tr><th>variable</th><th>value</th></tr>{rows}</table>"


def _value_text(value: object) -> str:
    text = plain_value(value)
    return number_text(text) if isinstance(text, float) else text


def _front_table(sizing: Sizing) -> str:
    head = "".join(f"<th>{html_text(title_with_unit(name))}</th>" for name in sizing.pair) + TEXT_HEADING.format(
        "drives"
    )
    rows = "".join(
        f"<tr><td>{html_text(number_text(design.objective_value(sizing.pair[0])))}</td><td>{html_text(number_text(design.objective_value(sizing.pair[1])))}</td>"
        f'<td class="words">{html_text(_catalogue_entries(design))}</td></tr>'
        for design in sizing.front[:MAX_FRONT_ROWS]
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _catalogue_entries(design: DesignPoint) -> str:
    return "; ".join(
        " + ".join(filter(None, ("" if c.is_kept else c.motor.key, c.gearbox.key if c.gearbox else ""))) or "(kept)"
        for c in design.choices
    )
