"""Tables of a sizing: drives that were chosen with the gains of their controllers, and what could be had instead."""

from __future__ import annotations

from gearwright.design import Found, Sizing
from gearwright.design.candidates.objectives import titled
from gearwright.design.sizing.sizing_result import plain_value
from gearwright.report.limit_tables import number
from gearwright.text import html

LEFT = '<th class="words">{}</th>'
SHOWN = 30
"""Designs of the front on the page."""


def sizing_section(sizing: Sizing) -> str:
    """The drives, their gains, the values of variables, and the front."""
    return "".join(
        [
            "<h2>Chosen drives</h2>",
            _choices(sizing),
            _values(sizing),
            f"<h2>What nothing beats in {_plain(sizing.pair[0])} and {_plain(sizing.pair[1])}</h2>",
            _front(sizing),
        ]
    )


def _plain(objective: str) -> str:
    return html(objective.replace("_", " "))


def _choices(sizing: Sizing) -> str:
    rows = []
    for joint, one in sizing.choices.items():
        motor = "(kept)" if one.kept else one.motor.key
        gearbox = one.gearbox.key if one.gearbox else "(kept)"
        gains = sizing.gains[joint]
        cells = [number(x) for x in (one.mass, gains.frequency, gains.kp, gains.kd)]
        rows.append([html(joint), f'<td class="words">{html(motor)}</td><td class="words">{html(gearbox)}</td>', cells])
    head = ["mass [kg]", "loop [rad/s]", "kp [Nm/rad, N/m]", "kd [Nms/rad, Ns/m]"]
    body = "".join(
        f"<tr><td>{joint}</td>{words}{''.join(f'<td>{html(cell)}</td>' for cell in cells)}</tr>"
        for joint, words, cells in rows
    )
    words = "".join(LEFT.format(word) for word in ("joint", "motor", "gearbox"))
    return f"<table><tr>{words}{''.join(f'<th>{html(word)}</th>' for word in head)}</tr>{body}</table>"


def _values(sizing: Sizing) -> str:
    if not sizing.values:
        return ""
    rows = "".join(
        f"<tr><td>{html(name)}</td><td>{html(_word(value))}</td></tr>" for name, value in sizing.values.items()
    )
    return f"<table><tr><th>variable</th><th>value</th></tr>{rows}</table>"


def _word(value: object) -> str:
    found = plain_value(value)
    return number(found) if isinstance(found, float) else found


def _front(sizing: Sizing) -> str:
    head = "".join(f"<th>{html(titled(name))}</th>" for name in sizing.pair) + LEFT.format("drives")
    rows = "".join(
        f"<tr><td>{html(number(one.value(sizing.pair[0])))}</td><td>{html(number(one.value(sizing.pair[1])))}</td>"
        f'<td class="words">{html(_articles(one))}</td></tr>'
        for one in sizing.front[:SHOWN]
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _articles(one: Found) -> str:
    return "; ".join(
        " + ".join(filter(None, ("" if c.kept else c.motor.key, c.gearbox.key if c.gearbox else ""))) or "(kept)"
        for c in one.choices
    )
