"""The report of an identification: a folder with a page (Markdown and HTML) and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.file_access import create_folder, write_text
from gearwright.identification.fit.unknowns import model_unknowns
from gearwright.identification.identification import Identification, Validation
from gearwright.identification.physical_consistency import ConsistentFit
from gearwright.plots import Panel, interval_figure, panel_figure, save_figure
from gearwright.text import html_text, markdown_text

TableRow = Sequence[str]


@check_arguments
def write_report(
    identification: Identification,
    folder: str | Path,
    validation: Validation | None = None,
    fit: ConsistentFit | None = None,
    title: str = "Identification",
) -> Path:
    """Write a page with figures into a folder and return the path of the page (index.html).

    Args:
        identification: the identification.
        folder: target folder; created if missing.
        validation: prediction of other data, shown in addition to the fit.
        fit: physically consistent parameters, listed with the nominal ones.
        title: of the page.
    """
    target = create_folder(Path(folder))
    displayed_validation = validation or identification.fit
    save_figure(displayed_validation.plot(), target / "torques.png")
    save_figure(_residual_figure(displayed_validation), target / "residuals.png")
    save_figure(_parameter_figure(identification), target / "parameters.png")
    sections = _page_sections(identification, validation, fit, title)
    write_text(target / "report.md", _markdown_page(sections))
    page = target / "index.html"
    write_text(page, _html_page(sections, title))
    return page


def _residual_figure(validation: Validation) -> object:
    panels = [
        Panel("residual [Nm, N]", {"measured - predicted": validation.residuals[:, k]}, title=name)
        for k, name in enumerate(validation.speeds)
    ]
    return panel_figure(validation.t, "time [s]", panels, columns=min(2, len(panels)))


def _parameter_figure(identification: Identification) -> object:
    half = np.diff(identification.intervals(), axis=1)[:, 0] / 2
    nominal = _nominal_values(identification)
    return interval_figure(
        identification.base.leading_parameters, identification.values, half, "identified, 95 %", {"nominal": nominal}
    )


def _page_sections(
    identification: Identification, validation: Validation | None, fit: ConsistentFit | None, title: str
) -> list[tuple[str, object]]:
    """The page as (kind, content): heading, text, image or table (header and rows)."""
    parts: list[tuple[str, object]] = [
        ("heading", title),
        (
            "text",
            f"{identification.base.rank} base parameters by {identification.method}, {len(identification.fit.t)} "
            f"samples. {_filter_text(identification)}",
        ),
    ]
    parts += [("text", remark) for remark in (*identification.remarks, *identification.warnings)]
    header = ["joint", "fit error", *(["validation error"] if validation else [])]
    rows = []
    for name, error in identification.fit.relative_errors.items():
        more = [f"{100 * validation.relative_errors[name]:.2f} %"] if validation else []
        rows.append([name, f"{100 * error:.2f} %", *more])
    parts += [
        ("heading", "Torques"),
        ("text", "Errors are ||measured - predicted|| / ||measured||, torques unfiltered."),
    ]
    parts += [("table", [header, *rows]), ("image", "torques.png"), ("image", "residuals.png")]
    parts += [("heading", "Base parameters"), ("table", _base_table(identification)), ("image", "parameters.png")]
    parts += _correlation_tables(identification)
    if fit is not None:
        parts += [("heading", "Physically consistent parameters"), ("table", _full_table(fit))]
    return parts


def _filter_text(identification: Identification) -> str:
    """Source of speeds and accelerations."""
    if identification.cutoff is None:
        return "Speeds and accelerations were measured."
    if np.isinf(identification.cutoff):
        return "Differentiated without a filter."
    origin = "chosen from the signal and its noise" if identification.requested_cutoff is None else "as given"
    return f"Filtered with a cut-off of {identification.cutoff:.3g} Hz, {origin}."


def _nominal_values(identification: Identification) -> Array:
    """The base parameters of the nominal robot, including the friction of its joints."""
    stated = model_unknowns(identification.model, identification.robot)
    return identification.base.combine(stated.model_parameters(stated.nominal))


def _base_table(identification: Identification) -> list[TableRow]:
    nominal = _nominal_values(identification)
    rows: list[TableRow] = [["base parameter", "unit", "value", "standard deviation", "95 % interval", "nominal"]]
    for name, value, deviation, (low, high), stated, unit in zip(
        identification.names,
        identification.values,
        identification.standard_deviations,
        identification.intervals(),
        nominal,
        identification.units,
        strict=True,
    ):
        rows.append([name, unit, f"{value:.4g}", f"{deviation:.2g}", f"{low:.4g} to {high:.4g}", f"{stated:.4g}"])
    return rows


def _correlation_tables(identification: Identification) -> list[tuple[str, object]]:
    """The pairs of estimates that the motion hardly separates."""
    strong = np.argwhere(np.triu(np.abs(identification.correlation_matrix), 1) > 0.95)
    if not len(strong):
        return []
    names = identification.base.leading_parameters
    rows: list[TableRow] = [["strongly correlated", "with", "correlation"]]
    rows += [[names[i], names[j], f"{identification.correlation_matrix[i, j]:.3f}"] for i, j in strong]
    return [("table", rows)]


def _full_table(fit: ConsistentFit) -> list[TableRow]:
    rows: list[TableRow] = [["parameter", "unit", "identified", "nominal"]]
    for column, value, nominal in zip(fit.unknowns.columns, fit.x, fit.unknowns.nominal, strict=True):
        rows.append([column.name, column.unit, f"{value + 0.0:.5g}", f"{nominal + 0.0:.5g}"])
    return rows


def _markdown_page(sections: list[tuple[str, object]]) -> str:
    lines: list[str] = []
    for kind, content in sections:
        if kind == "heading":
            lines += [f"{'##' if lines else '#'} {markdown_text(str(content))}", ""]
        elif kind == "text":
            lines += [markdown_text(str(content)), ""]
        elif kind == "image":
            lines += [f"![{content}]({content})", ""]
        elif isinstance(content, list):
            header, *rows = content
            lines += [_table_line(header), "|" + " --- |" * len(header), *(_table_line(row) for row in rows), ""]
    return "\n".join(lines)


def _table_line(cells: TableRow) -> str:
    return "| " + " | ".join(markdown_text(cell) for cell in cells) + " |"


def _html_page(sections: list[tuple[str, object]], title: str) -> str:
    body: list[str] = []
    for kind, content in sections:
        if kind == "heading":
            level = 2 if body else 1
            body.append(f"<h{level}>{html_text(str(content))}</h{level}>")
        elif kind == "text":
            body.append(f"<p>{html_text(str(content))}</p>")
        elif kind == "image":
            body.append(f'<img src="{content}" alt="{content}">')
        elif isinstance(content, list):
            header, *rows = content
            body.append("<table><tr>" + "".join(f"<th>{html_text(x)}</th>" for x in header) + "</tr>")
            body += ["<tr>" + "".join(f"<td>{html_text(x)}</td>" for x in row) + "</tr>" for row in rows]
            body.append("</table>")
    style = (
        "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b}"
        "img{max-width:100%}table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:right;"
        "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}"
    )
    head = f'<meta charset="utf-8"><title>{html_text(title)}</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'
