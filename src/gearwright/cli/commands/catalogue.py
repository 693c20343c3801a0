"""`gearwright catalogue`: list, search and check motors and gearboxes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from gearwright.catalogue import Catalogue, conflict_sentences, drives, generic_gearboxes, generic_motors
from gearwright.cli.arguments import JsonOption, output_file_option, parse_numbers
from gearwright.cli.output import count_text, number_text, plain_table, print_remark, result_screen, write_json
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.files.tables.drive_tables import drive_table_text
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.text import did_you_mean, listed_names, visible_text

SHOWN_MOTOR_COLUMNS = {
    "V [V]": "voltage",
    "continuous torque [Nm]": "continuous_torque",
    "speed [rad/s]": "top_speed",
    "inertia [kg m2]": "inertia",
    "mass [kg]": "mass",
}
SHOWN_GEARBOX_COLUMNS = {
    "ratio": "ratio",
    "rated torque [Nm]": "rated_torque",
    "peak torque [Nm]": "peak_torque",
    "efficiency": "efficiency",
    "mass [kg]": "mass",
}

MIN_NAME_WIDTH = 8
"""Characters of a name that are always shown, also on a narrow screen."""


def show_catalogue(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]...", help="Only entries with all of these words in key, maker, number, name or kind."
        ),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="CSV", help="A table of your own, added to the bundled ones; may be repeated."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="List inconsistent entries and empty cells.")] = False,
    generic: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="List a scaled family of this entry instead; not commercial products."),
    ] = None,
    scales: Annotated[str | None, typer.Option(metavar="S1,S2,...", help="Length scale factors for --generic.")] = None,
    output: Annotated[
        Path | None,
        output_file_option(
            "--output",
            "-o",
            text="Write the entries found as a table for --catalogue and --file (.csv).",
            endings=(".csv",),
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List, search and check motors and gearboxes: the bundled ones and those of your own CSV files.

    The exit code is 2 if no entry matches, or if a row of a file is invalid; the message gives line and column.
    Families of --generic follow from one entry by similarity laws, which their column `source` states.

    Example: gearwright catalogue maxon --check

    Example: gearwright catalogue --generic MM_606793 --scales 0.5,0.7,1.4 -o family.csv
    """
    all_entries = _generic_family(drives(*(files or ())), generic, scales)
    matches = all_entries.search(" ".join(words or ()))
    if words and not _all_sheets(matches):
        raise InputError(_no_match_text(all_entries, " ".join(words).split()))
    for remark in all_entries.remarks:
        print_remark(f"Note: {remark}")
    if output is not None:
        write_text(output, drive_table_text(_all_sheets(matches)))
    if json:
        write_json([_sheet_record(sheet) for sheet in _all_sheets(matches)])
    elif check:
        _show_check(matches)
    else:
        _show_tables(matches)
    if output is not None:
        print_remark(
            f"{count_text(_all_sheets(matches), 'row')} written to {output}. Read them with --catalogue {output}."
        )


def _generic_family(whole: Catalogue, generic: str | None, scales: str | None) -> Catalogue:
    """Return the whole catalogue, or the family of `--generic`."""
    if generic is None:
        if scales is not None:
            raise InputError(f"--scales {scales}: the catalogue entry to scale is missing. Add --generic KEY.")
        return whole
    if scales is None:
        raise InputError(f"--generic {generic}: the scale factors are missing. Add --scales, such as --scales 0.5,1.4.")
    sizes = parse_numbers("--scales", scales)
    if generic in whole.motors:
        return generic_motors(whole.motor(generic), sizes)
    if generic in whole.gearboxes:
        return generic_gearboxes(whole.gearbox(generic), sizes)
    hint = did_you_mean(generic, [*whole.motors, *whole.gearboxes])
    raise InputError(f"--generic {generic}: no motor or gearbox has this key. {hint}")


def _no_match_text(whole: Catalogue, words: list[str]) -> str:
    """Return why a search has no result: a word that no entry has, or words that no entry has together."""
    for word in words:
        if not _all_sheets(whole.search(word)):
            makers_and_kinds = sorted(
                {text for sheet in _all_sheets(whole) for text in (sheet.manufacturer, sheet.kind) if text}
            )
            hint = did_you_mean(word, makers_and_kinds)
            return f"catalogue: no entry has {word!r} in its key, maker, number, name or kind. {hint}"
    return f"catalogue: no entry has {listed_names(words)} together; each word alone has results. Leave one out."


def _all_sheets(catalogue_part: Catalogue) -> list[MotorSheet | GearboxSheet]:
    return [*catalogue_part.motors.values(), *catalogue_part.gearboxes.values()]


def _sheet_record(sheet: MotorSheet | GearboxSheet) -> dict[str, Any]:
    """Return all data of an entry; `category` is motor or gearbox, `article` is the maker's order number."""
    return {
        "category": "motor" if isinstance(sheet, MotorSheet) else "gearbox",
        **asdict(sheet),
        "contradictions": list(conflict_sentences(sheet)),
    }


def _show_tables(matches: Catalogue) -> None:
    for title, sheets, cells in (
        ("motor", list(matches.motors.values()), SHOWN_MOTOR_COLUMNS),
        ("gearbox", list(matches.gearboxes.values()), SHOWN_GEARBOX_COLUMNS),
    ):
        for kind in dict.fromkeys(sheet.kind for sheet in sheets):
            alike = [sheet for sheet in sheets if sheet.kind == kind]
            result_screen().print(_entry_table(f"{kind} {title}".strip(), alike, cells))
            result_screen().print("")
    print_remark(
        f"{count_text(matches.motors, 'motor')}, {len(matches.gearboxes)} gearboxes. Continuous torque of a motor: its "
        "nominal torque, or torque constant times nominal current. Rated torque of a gearbox: continuous, or at its "
        "rated life; peak torque: repeated peaks. --json states every number and its source."
    )


def _entry_table(title: str, sheets: Sequence[MotorSheet | GearboxSheet], cells: Mapping[str, str]) -> Table:
    """Return a table with one line per entry: key, name as far as the width allows, numbers."""

    def table_with_names(names: Sequence[str]) -> Table:
        numbers = [[_sheet_cell(sheet, word) for word in cells.values()] for sheet in sheets]
        rows = [[sheet.key, name, *row] for sheet, name, row in zip(sheets, names, numbers, strict=True)]
        return plain_table([title, "name", *cells], rows, text=2, unbroken_columns=1)

    screen = result_screen()
    names = [_short_name(sheet) for sheet in sheets]
    longest = max(map(len, names))
    excess = screen.measure(
        table_with_names(["x" * longest] * len(sheets)), options=screen.options.update(width=1000)
    ).maximum
    left = max(longest - max(excess - screen.width, 0), MIN_NAME_WIDTH)
    return table_with_names([name if len(name) <= left else f"{name[: left - 1].rstrip(' ,')}\u2026" for name in names])


def _short_name(sheet: MotorSheet | GearboxSheet) -> str:
    """Return the name of an entry without its kind, which is in the title of the table."""
    name = visible_text(sheet.name)
    return re.sub(rf"^{re.escape(sheet.kind)} gearhead ", "", name, flags=re.IGNORECASE)


def _sheet_cell(sheet: MotorSheet | GearboxSheet, attribute: str) -> str:
    value = getattr(sheet, attribute)
    return "-" if value is None else number_text(value)


def _show_check(matches: Catalogue) -> None:
    screen = result_screen()
    doubtful = 0
    for sheet in _all_sheets(matches):
        sentences = list(conflict_sentences(sheet))
        doubtful += bool(sentences)
        for sentence in sentences:
            screen.print(f"{visible_text(sheet.key)}: {sentence}.")
        if sheet.missing_fields:
            screen.print(f"{visible_text(sheet.key)}: not stated: {', '.join(sheet.missing_fields)}.")
    print_remark(f"{doubtful} of {len(_all_sheets(matches))} entries are inconsistent by more than 3 %.")
