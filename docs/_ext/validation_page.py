"""How closely every outside reference is met, from what the tests noted."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

NOTED = Path(__file__).resolve().parents[1] / "_static" / "validation.json"

INTRODUCTION = """# Validation

Gearwright is compared with programs and numbers that nobody on this project wrote. Each row below is a test: the
largest deviation that it found over all its cases, and the bound that it asserts at every run of `make test`. `make
validation` measures anew and writes the numbers of this page.

Deviations called relative are divided by the largest number of the compared array. Signals of the Modelica Standard
Library have [a page of their own](../../modelica_agreement.md); printed equations of the five works have
[theirs](../../works.md), with the errors found in print. Besides these, every function is checked against its own laws
(power balance, symmetry, skewness, limits, one formulation against another) on random machines.
"""


def validation_page() -> str:
    """One table per reference."""
    rows = json.loads(NOTED.read_text(encoding="utf-8"))
    tables = [_table(name, list(inside)) for name, inside in groupby(rows, key=lambda row: row["reference"])]
    return "\n".join([INTRODUCTION, *tables])


def _table(name: str, rows: list[dict[str, Any]]) -> str:
    lines = [
        "| {what} | {cases} | {} | {bound:g} | `{}` |".format(_short(row["deviation"]), Path(row["test"]).name, **row)
        for row in rows
    ]
    head = ["| quantity | comparisons | largest deviation | bound | test |", "|---|---|---|---|---|"]
    return "\n".join([f"## {name}\n", *head, *lines, ""])


def _short(deviation: float) -> str:
    """A deviation to two digits; zero is zero.

    >>> _short(1.2345e-11), _short(0.0)
    ('1.2e-11', '0')
    """
    return f"{deviation:.1e}" if deviation else "0"
