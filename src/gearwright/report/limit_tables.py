"""Tables of the report: limits with their margins, and remarks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gearwright.analysis import Analysis, LimitCheck, UncheckedLimit, sorted_by_margin
from gearwright.report.numbers import margin_text, number_text, readable_unit
from gearwright.report.tables import UNKNOWN_CELL, table_row, wrapped_table
from gearwright.text import html_text, listed_names


def limit_table(analysis: Analysis, owners: Collection[str] | None = None) -> str:
    """Return the table of limits, smallest margin first; exceeded ones are marked and have a recommendation.

    Args:
        analysis: the analysis.
        owners: names of the drive, joint or link whose limits are shown; by default all.
    """
    perturbed = {} if analysis.perturbed is None else {check.key: check for check in analysis.perturbed.limits}
    prescribed = {check.key: check for check in analysis.limits}
    both = {key: (prescribed.get(key), perturbed.get(key)) for key in {**prescribed, **perturbed}}
    worst = sorted_by_margin(
        sorted_by_margin(candidate for candidate in pair if candidate is not None)[0] for pair in both.values()
    )
    shown = [check for check in worst if owners is None or check.owner in owners]
    if not shown:
        return "<p>No limits are stated.</p>"
    rows = [_limit_row(*both[check.key], both_shown=bool(perturbed)) for check in shown]
    second = ["perturbed"] if perturbed else []
    head = ["limit", "value", *second, "allowed", "margin", "source or recommendation"]
    return wrapped_table(head, rows, kind="limits")


def _limit_row(prescribed: LimitCheck | None, perturbed: LimitCheck | None, both_shown: bool) -> str:
    worst = min((check for check in (prescribed, perturbed) if check is not None), key=lambda check: check.margin)
    unit, factor = readable_unit(worst.unit, worst.limit)
    values = [prescribed, perturbed] if both_shown else [prescribed]
    cells = [UNKNOWN_CELL if check is None else number_text(factor * check.value) for check in values]
    cells += [f"{number_text(factor * worst.limit)} {unit}", margin_text(worst.margin)]
    words = worst.source if worst.is_satisfied else worst.advice_text
    last = f'<td class="words long">{html_text(words)}</td>'
    row = table_row([html_text(cell) for cell in (worst.name, *cells)], mark="" if worst.is_satisfied else "bad")
    return row.removesuffix("</tr>") + last + "</tr>"


def unchecked_table(unchecked: Iterable[UncheckedLimit]) -> str:
    """Return the section on limits that could not be checked; empty if there are none."""
    rows = [
        table_row([html_text(x) for x in (listed_names(one.kinds), one.part, listed_names(one.drives), one.reason)], 4)
        for one in unchecked
    ]
    if not rows:
        return ""
    head = ["limits", "of the", "drives", "reason"]
    return f"<h2>Limits that could not be checked</h2>{wrapped_table(head, rows, kind='text', words=4)}"


def remark_list(remarks: Sequence[str], title: str = "Ignored or unknown data") -> str:
    """Return a section of remarks; empty if there are none."""
    if not remarks:
        return ""
    return f"<h2>{html_text(title)}</h2><ul>" + "".join(f"<li>{html_text(x)}</li>" for x in remarks) + "</ul>"
