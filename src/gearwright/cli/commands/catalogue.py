"""`gearwright catalogue`: motors and gearboxes to choose from, listed, searched, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from gearwright.catalogue import Catalogue, contradictions, drives, generic_gearboxes, generic_motors
from gearwright.cli.arguments import Json, number_list, written
from gearwright.cli.output import counted, number, results, say, table, write_json
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.files.tables.drive_tables import drive_table_text
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.text import did_you_mean, listed, visible

MOTOR_CELLS = {
    "V [V]": "voltage",
    "continuous torque [Nm]": "continuous_torque",
    "speed [rad/s]": "top_speed",
    "inertia [kg m2]": "inertia",
    "mass [kg]": "mass",
}
GEARBOX_CELLS = {
    "ratio": "ratio",
    "rated torque [Nm]": "rated_torque",
    "peak torque [Nm]": "peak_torque",
    "efficiency": "efficiency",
    "mass [kg]": "mass",
}

SHORTEST_NAME = 8
"""Characters of a name that are shown however narrow the screen is."""


def catalogue(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD]...", help="Only articles with all of these in key, maker, number, name, kind."),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="CSV", help="A table of your own beside the bundled ones; may be repeated."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Tell which articles contradict themselves and which cells are empty.")
    ] = False,
    generic: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Instead: a family like this article, of other sizes; not for sale."),
    ] = None,
    scales: Annotated[
        str | None, typer.Option(metavar="S1,S2,...", help="Of --generic: all lengths times each of these.")
    ] = None,
    output: Annotated[
        Path | None,
        written(
            "--output",
            "-o",
            text="Write the motors or gearboxes found as a table for --catalogue and --file (.csv).",
            endings=(".csv",),
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List, search and check motors and gearboxes: the bundled ones and those of your own CSV files.

    The exit code is 2 when no article has the words, or when a row of a file cannot be right: its line and column are
    told. Families of --generic follow from one article by laws of similarity, which their column `source` states.

    Example: gearwright catalogue maxon --check

    Example: gearwright catalogue --generic MM_606793 --scales 0.5,0.7,1.4 -o family.csv
    """
    whole = _family(drives(*(files or ())), generic, scales)
    found = whole.search(" ".join(words or ()))
    if words and not _sheets(found):
        raise InputError(_nothing(whole, " ".join(words).split()))
    for remark in whole.remarks:
        say(f"Note: {remark}")
    if output is not None:
        write_text(output, drive_table_text(_sheets(found)))
    if json:
        write_json([_record(sheet) for sheet in _sheets(found)])
    elif check:
        _show_check(found)
    else:
        _show(found)
    if output is not None:
        say(f"{counted(_sheets(found), 'article')} written to {output}. Read them with --catalogue {output}.")


def _family(whole: Catalogue, generic: str | None, scales: str | None) -> Catalogue:
    """The whole catalogue, or the family that was asked for."""
    if generic is None:
        if scales is not None:
            raise InputError(f"--scales {scales}: nothing says of which article. Add --generic KEY.")
        return whole
    if scales is None:
        raise InputError(f"--generic {generic}: nothing says of which sizes. Add --scales, such as --scales 0.5,1.4.")
    sizes = number_list("--scales", scales)
    if generic in whole.motors:
        return generic_motors(whole.motor(generic), sizes)
    if generic in whole.gearboxes:
        return generic_gearboxes(whole.gearbox(generic), sizes)
    hint = did_you_mean(generic, [*whole.motors, *whole.gearboxes])
    raise InputError(f"--generic {generic}: there is no such motor or gearbox. {hint}")


def _nothing(whole: Catalogue, words: list[str]) -> str:
    """Why a search finds nothing: a word that no article has, or words that none has together."""
    for word in words:
        if not _sheets(whole.search(word)):
            known = sorted({text for sheet in _sheets(whole) for text in (sheet.manufacturer, sheet.kind) if text})
            hint = did_you_mean(word, known)
            return f"catalogue: no article has {word!r} in its key, maker, number, name or kind. {hint}"
    return f"catalogue: no article has {listed(words)} together, though each is found by itself. Leave one out."


def _sheets(found: Catalogue) -> list[MotorSheet | GearboxSheet]:
    return [*found.motors.values(), *found.gearboxes.values()]


def _record(sheet: MotorSheet | GearboxSheet) -> dict[str, Any]:
    """All that is known of an article; `category` tells motors and gearboxes apart, `article` is the maker's number."""
    return {
        "category": "motor" if isinstance(sheet, MotorSheet) else "gearbox",
        **asdict(sheet),
        "contradictions": list(contradictions(sheet)),
    }


def _show(found: Catalogue) -> None:
    for title, sheets, cells in (
        ("motor", list(found.motors.values()), MOTOR_CELLS),
        ("gearbox", list(found.gearboxes.values()), GEARBOX_CELLS),
    ):
        for kind in dict.fromkeys(sheet.kind for sheet in sheets):
            alike = [sheet for sheet in sheets if sheet.kind == kind]
            results().print(_listing(f"{kind} {title}".strip(), alike, cells))
            results().print("")
    say(
        f"{counted(found.motors, 'motor')}, {len(found.gearboxes)} gearboxes. Continuous torque of a motor: its "
        "nominal torque, or torque constant times nominal current. Rated torque of a gearbox: continuous, or at its "
        "rated life; peak torque: repeated peaks. --json states every number and its source."
    )


def _listing(title: str, sheets: Sequence[MotorSheet | GearboxSheet], cells: Mapping[str, str]) -> Table:
    """One line per article: key, name as far as the width allows, numbers."""

    def with_names(names: Sequence[str]) -> Table:
        numbers = [[_cell(sheet, word) for word in cells.values()] for sheet in sheets]
        rows = [[sheet.key, name, *row] for sheet, name, row in zip(sheets, names, numbers, strict=True)]
        return table([title, "name", *cells], rows, text=2, whole=1)

    screen = results()
    names = [_name(sheet) for sheet in sheets]
    longest = max(map(len, names))
    excess = screen.measure(
        with_names(["x" * longest] * len(sheets)), options=screen.options.update(width=1000)
    ).maximum
    left = max(longest - max(excess - screen.width, 0), SHORTEST_NAME)
    return with_names([name if len(name) <= left else f"{name[: left - 1].rstrip(' ,')}\u2026" for name in names])


def _name(sheet: MotorSheet | GearboxSheet) -> str:
    """The name of an article without the kind, which is in the title of the table."""
    name = visible(sheet.name)
    return re.sub(rf"^{re.escape(sheet.kind)} gearhead ", "", name, flags=re.IGNORECASE)


def _cell(sheet: MotorSheet | GearboxSheet, word: str) -> str:
    value = getattr(sheet, word)
    return "-" if value is None else number(value)


def _show_check(found: Catalogue) -> None:
    screen = results()
    doubtful = 0
    for sheet in _sheets(found):
        sentences = list(contradictions(sheet))
        doubtful += bool(sentences)
        for sentence in sentences:
            screen.print(f"{visible(sheet.key)}: {sentence}.")
        if sheet.empty:
            screen.print(f"{visible(sheet.key)}: not printed: {', '.join(sheet.empty)}.")
    say(f"{doubtful} of {len(_sheets(found))} articles contradict themselves by more than 3 %.")
