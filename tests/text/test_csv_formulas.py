"""No name becomes a formula in a spreadsheet, and every name comes back from CSV as it was."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gearwright.cli.commands.sweep import _sweep_csv
from gearwright.design import Sweep
from gearwright.files.tables.drive_tables import drive_table_text, read_drive_table
from gearwright.motion.csv_columns import read_columns, write_columns
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.text import csv_cells, csv_row

NAMES = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    " =1",
    "'=1",
    "''+1",
    "\r=1",
    "\uff1d1",
    "-",
    "--1",
    "=",
    "-1",
]
STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|[-+]?(inf|nan)", re.IGNORECASE | re.ASCII)


def as_a_spreadsheet_sees(text: str) -> list[str]:
    """All cells, without the spaces that some programs remove."""
    return [cell.strip() for row in csv.reader(io.StringIO(text)) for cell in row]


def is_computed(cell: str) -> bool:
    return cell.startswith(STARTS) and not NUMBER.fullmatch(cell)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_and_comes_back(name):
    row = csv_row([name, "t"])
    assert not any(map(is_computed, as_a_spreadsheet_sees(row)))
    assert csv_cells(row) == [name, "t"]


@given(st.lists(st.text(st.characters(exclude_characters="\n\r\0")), min_size=1, max_size=4))
def test_any_text_is_shown_and_comes_back(names):
    row = csv_row(names)
    assert not any(map(is_computed, as_a_spreadsheet_sees(row)))
    assert csv_cells(row) == names


@given(st.floats())
def test_numbers_stay_numbers(value):
    assert as_a_spreadsheet_sees(csv_row([repr(value)])) == [repr(value)]


@pytest.mark.parametrize("name", ["=1+1", "-2+3", "@x", "+x", "'=1"])
def test_every_table_shows_names(name, tmp_path):
    sweep = Sweep(
        (f"{name}.gear.ratio",), np.array([[-1.0]]), {f"{name}.peak": np.array([-2.0])}, {0: f"{name} failed"}
    )
    series = write_columns([name, f"q.{name}"], np.array([[-1.0, -2.0]]), np.array([0.0]))
    sheets = [GearboxSheet(key=name, ratio=50.0, manufacturer=name, name=name, note=name)]
    motors = [MotorSheet(key=name, voltage=24.0, source=name)]
    for text in (_sweep_csv(sweep), series, drive_table_text(sheets), drive_table_text(motors)):
        assert not any(map(is_computed, as_a_spreadsheet_sees(text)))
    (tmp_path / "series.csv").write_text(series, encoding="utf-8")
    assert read_columns(tmp_path / "series.csv", letters=None).header == ["t", name, f"q.{name}"]
    (tmp_path / "table.csv").write_text(drive_table_text(sheets), encoding="utf-8")
    assert read_drive_table(tmp_path / "table.csv").gearboxes == {name: sheets[0]}
