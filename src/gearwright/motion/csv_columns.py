"""The named columns of CSV files, read (errors name file, column and line) and written; rates of sampled columns."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.errors import FileError
from gearwright.file_access import open_regular
from gearwright.text import csv_cells, csv_row, listed_names


def sampled_rates(t: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the time derivative of sampled columns by a quintic spline, (T, ...) -> (T, ...).

    The spline interpolates (it does not filter) and is exact for polynomials up to degree 5.
    It needs at least 6 increasing times.

    >>> t = np.linspace(0, 1, 11)
    >>> bool(np.allclose(sampled_rates(t, t**5), 5 * t**4))
    True
    """
    from scipy.interpolate import make_interp_spline

    derivative: NDArray[np.float64] = make_interp_spline(t, values, k=5).derivative()(t)
    return derivative


MAX_CSV_BYTES = 1_000_000_000


def read_columns(path: Path, letters: Sequence[str] | None = ("q", "v", "a")) -> CsvColumns:
    """The columns of a file whose first line names them; t and <letter>.<name> hold numbers (None: all do)."""
    try:
        with (
            open_regular(path) as content,
            TextIOWrapper(content, encoding="utf-8-sig", newline="") as file,
        ):
            if os.fstat(content.fileno()).st_size > MAX_CSV_BYTES:
                raise FileError(
                    f"{path}: larger than {MAX_CSV_BYTES // 10**6} MB. Split the motion into several files."
                )
            header, above = _read_header(file)
            reader = csv.reader(file)
            rows = [(above + reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror}). Give a CSV file that you may read.") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path}: this is not CSV text ({error}). Save it as comma-separated UTF-8 text.") from None
    if header is None:
        raise FileError(f"{path}: the file is empty. The first line must name the columns: t, q.<coordinate>, ...")
    if not rows:
        raise FileError(f"{path}: no rows of numbers below the header line. Add at least one row.")
    return CsvColumns(str(path), header, rows, letters)


def _read_header(file: Iterator[str]) -> tuple[list[str] | None, int]:
    """Return the cells of the first record that is not blank, from its text (which shows quotes), and its line."""
    lines: list[str] = []
    start = 0
    for row in csv.reader(_recorded_lines(file, lines)):
        if any(cell.strip() for cell in row):
            return csv_cells("".join(lines[start:])), len(lines)
        start = len(lines)
    return None, len(lines)


def _recorded_lines(file: Iterator[str], lines: list[str]) -> Iterator[str]:
    for line in file:
        lines.append(line)
        yield line


def write_columns(names: Sequence[str], values: Array, t: Array) -> str:
    """CSV text of columns (T, len(names)), preceded by the times; numbers read back to the last bit.

    >>> print(write_columns(["tau.elbow"], np.array([[0.1], [0.25]]), np.array([0.0, 0.5])), end="")
    t,tau.elbow
    0.0,0.1
    0.5,0.25
    """
    rows = np.column_stack([t, values]).tolist()
    return csv_row(["t", *names]) + "".join(",".join(map(repr, row)) + "\n" for row in rows)


def motion_text(coordinates: Sequence[str], speeds: Sequence[str], t: Array, arrays: Sequence[Array]) -> str:
    """CSV text of a motion (q, v, a), each (T, n): columns t, q.<coordinate>, v.<speed>, a.<speed>."""
    names = [f"q.{name}" for name in coordinates]
    names += [f"{letter}.{name}" for letter in "va" for name in speeds]
    return write_columns(names, np.column_stack(list(arrays)), t)


class CsvColumns:
    """The named columns of a file: `header` and numbers `values`, (T, columns)."""

    def __init__(
        self,
        path: str,
        header: list[str],
        rows: list[tuple[int, list[str]]],
        letters: Sequence[str] | None = ("q", "v", "a"),
    ) -> None:
        self.path, self.header, self.letters = path, header, letters
        twice = sorted({name for name in header if header.count(name) > 1})
        if twice:
            raise FileError(f"{path}: column {twice[0]!r} appears twice. Remove one of them.")
        for line, row in rows:
            if len(row) != len(header):
                raise FileError(
                    f"{path}, line {line}: {len(row)} values for {len(header)} columns. A CSV file names its columns "
                    "(t, q.<joint>, ...) in the first line, and every line below has a value for each."
                )
        self.lines = [line for line, _ in rows]
        self.values = self._number_table([row for _, row in rows])

    def _is_number(self, name: str) -> bool:
        return name == "t" or self.letters is None or name.partition(".")[0] in self.letters

    def _number_table(self, rows: list[list[str]]) -> Array:
        used = [k for k, name in enumerate(self.header) if self._is_number(name)]
        chosen = [[row[k] for k in used] for row in rows]
        try:
            values = np.array(chosen, dtype=np.float64).reshape(len(rows), len(used))
        except ValueError:
            values = np.array([[self._cell_number(cell) for cell in row] for row in chosen])
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise FileError(
                f"{self.path}, line {self.lines[row]}: {self.header[used[column]]} is {chosen[row][column]!r}, which "
                "is not a finite number. Give numbers in SI units with a decimal point."
            )
        full = np.zeros((len(rows), len(self.header)))
        full[:, used] = values
        return full

    @staticmethod
    def _cell_number(cell: str) -> float:
        try:
            return float(cell)
        except ValueError:
            return np.nan

    def has_letter(self, letter: str) -> bool:
        """Whether the file has a column with this letter."""
        return any(name.startswith(f"{letter}.") for name in self.header)

    def column_block(self, letter: str, names: Sequence[str]) -> Array:
        """The columns `<letter>.<name>` in order, (T, len(names))."""
        expected_columns = [f"{letter}.{name}" for name in names]
        missing = [name for name in expected_columns if name not in self.header]
        if missing:
            raise FileError(
                f"{self.path}: missing column{'s' * (len(missing) > 1)} {_first_of(missing)}. The header must name "
                f"{_first_of(expected_columns)}; it names {_first_of(self.header)}."
            )
        return self.values[:, [self.header.index(name) for name in expected_columns]]

    def time_column(self) -> Array:
        """The column t, strictly increasing."""
        if "t" not in self.header:
            raise FileError(f"{self.path}: missing column t (the times). The header names {_first_of(self.header)}.")
        t: Array = self.values[:, self.header.index("t")]
        back = np.flatnonzero(np.diff(t) <= 0)
        if back.size:
            row = int(back[0])
            raise FileError(
                f"{self.path}, line {self.lines[row + 1]}: time {t[row + 1]:g} s is not after {t[row]:g} s. "
                "Times must increase from line to line."
            )
        return t

    def derive_rates(self, letter: str, t: Array, values: Array, source: str) -> Array:
        """The time derivatives of columns that are missing in the file."""
        if len(t) < 6:
            raise FileError(
                f"{self.path}: columns {letter}.<speed> are missing, and {len(t)} rows are too few to derive them from "
                f"{source}.<name> (6 are needed). Add the columns or more rows."
            )
        with np.errstate(all="ignore"):
            derived = sampled_rates(t, values)
        if not np.isfinite(derived).all():
            raise FileError(
                f"{self.path}: columns {letter}.<speed> are missing, and deriving them from {source}.<name> overflows. "
                "Check the largest numbers and the smallest time steps."
            )
        return derived


def _first_of(names: Sequence[str], most: int = 8) -> str:
    listed = listed_names(names[:most])
    return listed if len(names) <= most else f"{listed}, ... ({len(names)} in all)"
