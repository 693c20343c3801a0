"""Runs in files: CSV through the columns of motions, Parquet with units as metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.arguments import as_floats, increasing
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError, MissingExtraError
from gearwright.motion.columns import read_columns
from gearwright.motion.recording import write_columns
from gearwright.text import listed


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(
            "Parquet files need pyarrow, which is not installed: pip install 'gearwright[parquet]'. CSV needs nothing."
        ) from None
    return pyarrow, pyarrow.parquet


def write_parquet(path: Path, t: Array, series: Mapping[str, Array], units: Mapping[str, str]) -> None:
    """All series as columns; the unit of each is its field's metadata."""
    arrow, parquet = _parquet()
    columns = {"t": t, **series}
    fields = [
        arrow.field(name, arrow.float64(), metadata={"unit": "s" if name == "t" else units.get(name, "")})
        for name in columns
    ]
    parquet.write_table(arrow.table([np.asarray(x) for x in columns.values()], schema=arrow.schema(fields)), path)


def csv_text(t: Array, series: Mapping[str, Array]) -> str:
    """All series as CSV text, the times first."""
    values = np.column_stack(list(series.values())) if series else np.zeros((len(t), 0))
    return write_columns(list(series), values, t)


def read_series(path: Path) -> tuple[Array, dict[str, Array], dict[str, str]]:
    """Times, series and units from a file."""
    if path.suffix == ".parquet":
        return _read_parquet(path)
    table = read_columns(path, letters=None)
    t = table.times()
    return t, {name: table.values[:, k] for k, name in enumerate(table.header) if name != "t"}, {}


def _floats(path: Path, name: str, column: Any) -> Array:
    """A column of real numbers; what is missing is nan, except among the times."""
    try:
        values = as_floats(str(path), f"column {name!r}", column.to_numpy())
        return increasing(str(path), "column 't'", values) if name == "t" else values
    except InputError as error:
        raise FileError(str(error)) from None


def _read_parquet(path: Path) -> tuple[Array, dict[str, Array], dict[str, str]]:
    arrow, parquet = _parquet()
    try:
        table = parquet.read_table(path)
    except (OSError, arrow.ArrowInvalid) as error:
        raise FileError(f"{path}: {error}. Give a Parquet file that a run was saved to.") from None
    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FileError(f"{path}: column {twice[0]!r} appears twice. Remove one of them.")
    columns = {name: _floats(path, name, table.column(name)) for name in names}
    if "t" not in columns:
        raise FileError(f"{path}: missing column t (the times). It has {listed(columns)}.")
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in table.schema}
    return columns.pop("t"), columns, {name: units[name] for name in columns}
