"""The report of an identification: a folder with a page (Markdown and HTML) and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.file_access import write_text
from gearwright.identification.fit.unknowns import unknowns
from gearwright.identification.identification import Identification, Validation
from gearwright.identification.physical_consistency import ConsistentFit
from gearwright.plots import Panel, figure, save
from gearwright.plots.distributions import intervals
from gearwright.text import html, markdown

TableRow = Sequence[str]


@check_arguments
def write_report(
    found: Identification,
    folder: str | Path,
    validation: Validation | None = None,
    fit: ConsistentFit | None = None,
    title: str = "Identification",
) -> Path:
    """Write figures and page into a folder; returns the page's path (index.html).

    Args:
        found: the identification.
        folder: where to write; made if missing.
        validation: prediction of other data, shown beside the fit.
        fit: physically consistent parameters, listed beside the nominal ones.
        title: of the page.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    shown = validation or found.fit
    save(shown.plot(), target / "torques.png")
    save(_residuals(shown), target / "residuals.png")
    save(_parameters(found), target / "parameters.png")
    sections = _sections(found, validation, fit, title)
    write_text(target / "report.md", _markdown(sections))
    page = target / "index.html"
    write_text(page, _html(sections, title))
    return page


def _residuals(shown: Validation) -> object:
    panels = [
        Panel("residual [Nm, N]", {"measured - predicted": shown.residuals[:, k]}, title=name)
        for k, name in enumerate(shown.speeds)
    ]
    return figure(shown.t, "time [s]", panels, columns=min(2, len(panels)))


def _parameters(found: Identification) -> object:
    half = np.diff(found.intervals(), axis=1)[:, 0] / 2
    nominal = _nominal(found)
    return intervals(found.base.leaders, found.values, half, "identified, 95 %", {"nominal": nominal})


def _sections(
    found: Identification, validation: Validation | None, fit: ConsistentFit | None, title: str
) -> list[tuple[str, object]]:
    """The page as (kind, content): heading, text, image or table (header and rows)."""
    parts: list[tuple[str, object]] = [
        ("heading", title),
        ("text", f"{found.base.rank} base parameters by {found.method}, {len(found.fit.t)} samples. {_filter(found)}"),
    ]
    parts += [("text", remark) for remark in (*found.remarks, *found.doubts)]
    header = ["joint", "fit error", *(["validation error"] if validation else [])]
    rows = []
    for name, error in found.fit.relative_errors.items():
        more = [f"{100 * validation.relative_errors[name]:.2f} %"] if validation else []
        rows.append([name, f"{100 * error:.2f} %", *more])
    parts += [
        ("heading", "Torques"),
        ("text", "Errors are ||measured - predicted|| / ||measured||, torques unfiltered."),
    ]
    parts += [("table", [header, *rows]), ("image", "torques.png"), ("image", "residuals.png")]
    parts += [("heading", "Base parameters"), ("table", _base_table(found)), ("image", "parameters.png")]
    parts += _correlated(found)
    if fit is not None:
        parts += [("heading", "Physically consistent parameters"), ("table", _full_table(fit))]
    return parts


def _filter(found: Identification) -> str:
    """How speeds and accelerations were had."""
    if found.cutoff is None:
        return "Speeds and accelerations as measured."
    if np.isinf(found.cutoff):
        return "Differentiated without a filter."
    how = "chosen from the signal and its noise" if found.asked_cutoff is None else "as asked for"
    return f"Filtered with a cut-off of {found.cutoff:.3g} Hz, {how}."


def _nominal(found: Identification) -> Array:
    """The base parameters as the robot states them, its joints' friction included."""
    stated = unknowns(found.model, found.robot)
    return found.base.combine(stated.parameters(stated.nominal))


def _base_table(found: Identification) -> list[TableRow]:
    nominal = _nominal(found)
    rows: list[TableRow] = [["base parameter", "unit", "value", "standard deviation", "95 % interval", "nominal"]]
    for name, value, deviation, (low, high), own, unit in zip(
        found.names, found.values, found.standard_deviations, found.intervals(), nominal, found.units, strict=True
    ):
        rows.append([name, unit, f"{value:.4g}", f"{deviation:.2g}", f"{low:.4g} to {high:.4g}", f"{own:.4g}"])
    return rows


def _correlated(found: Identification) -> list[tuple[str, object]]:
    """The pairs of estimates that the motion hardly tells apart."""
    strong = np.argwhere(np.triu(np.abs(found.correlation), 1) > 0.95)
    if not len(strong):
        return []
    names = found.base.leaders
    rows: list[TableRow] = [["strongly correlated", "with", "correlation"]]
    rows += [[names[i], names[j], f"{found.correlation[i, j]:.3f}"] for i, j in strong]
    return [("table", rows)]


def _full_table(fit: ConsistentFit) -> list[TableRow]:
    rows: list[TableRow] = [["parameter", "unit", "identified", "nominal"]]
    for column, value, nominal in zip(fit.unknowns.columns, fit.x, fit.unknowns.nominal, strict=True):
        rows.append([column.name, column.unit, f"{value + 0.0:.5g}", f"{nominal + 0.0:.5g}"])
    return rows


def _markdown(sections: list[tuple[str, object]]) -> str:
    lines: list[str] = []
    for kind, content in sections:
        if kind == "heading":
            lines += [f"{'##' if lines else '#'} {markdown(str(content))}", ""]
        elif kind == "text":
            lines += [markdown(str(content)), ""]
        elif kind == "image":
            lines += [f"![{content}]({content})", ""]
        elif isinstance(content, list):
            header, *rows = content
            lines += [_line(header), "|" + " --- |" * len(header), *(_line(row) for row in rows), ""]
    return "\n".join(lines)


def _line(cells: TableRow) -> str:
    return "| " + " | ".join(markdown(cell) for cell in cells) + " |"


def _html(sections: list[tuple[str, object]], title: str) -> str:
    body: list[str] = []
    for kind, content in sections:
        if kind == "heading":
            level = 2 if body else 1
            body.append(f"<h{level}>{html(str(content))}</h{level}>")
        elif kind == "text":
            body.append(f"<p>{html(str(content))}</p>")
        elif kind == "image":
            body.append(f'<img src="{content}" alt="{content}">')
        elif isinstance(content, list):
            header, *rows = content
            body.append("<table><tr>" + "".join(f"<th>{html(x)}</th>" for x in header) + "</tr>")
            body += ["<tr>" + "".join(f"<td>{html(x)}</td>" for x in row) + "</tr>" for row in rows]
            body.append("</table>")
    style = (
        "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b}"
        "img{max-width:100%}table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:right;"
        "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}"
    )
    head = f'<meta charset="utf-8"><title>{html(title)}</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'
