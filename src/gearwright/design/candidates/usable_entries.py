"""Catalogue entries with sufficient data: a limit that a data sheet does not state would always be satisfied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis.drives.limit_kinds import (
    CONTINUOUS_SPEED,
    GEARBOX_INPUT_SPEED,
    GEARBOX_LIFE,
    GEARBOX_MEAN_SPEED,
    GEARBOX_MEAN_TORQUE,
    GEARBOX_PEAK_TORQUE,
    MOTOR_SPEED,
    REQUIRED_MOTOR_DATA,
    VOLTAGE,
    LimitKind,
)
from gearwright.catalogue import Catalogue
from gearwright.parts import DataSheet, GearboxSheet, MotorSheet, mounting_conflict
from gearwright.text import listed_names

Sheet = TypeVar("Sheet", bound=DataSheet)
Optional = TypeVar("Optional", bound=DataSheet | None)
REQUIRED_GEARBOX_DATA = ("mass", "ratio", "efficiency")


def usable_entries(catalogue: Catalogue, life: float | None = None) -> Catalogue:
    """The catalogue entries whose data sheets have all data that a drive and its limits need.

    Args:
        catalogue: motors and gearboxes.
        life: required life of gearboxes [h].
    """
    rated = _requires_life(catalogue, life)
    return replace(
        catalogue,
        motors={key: sheet for key, sheet in catalogue.motors.items() if not missing_motor_data(sheet)},
        gearboxes={key: sheet for key, sheet in catalogue.gearboxes.items() if not missing_gearbox_data(sheet, rated)},
    )


def missing_motor_data(sheet: MotorSheet) -> tuple[str, ...]:
    """Missing cells of a motor's data sheet; a resistance of zero is invalid.

    >>> missing_motor_data(MotorSheet(key="m", mass=0.1, inertia=1e-6, torque_constant=0.02, resistance=0.0))
    ('resistance above 0', 'nominal_torque or nominal_current')
    """
    missing = [field for field in REQUIRED_MOTOR_DATA if getattr(sheet, field) is None]
    missing += [f"{field} above 0" for field in ("torque_constant", "resistance") if getattr(sheet, field) == 0]
    warms = sheet.heat is not None and sheet.max_winding_temperature is not None
    if sheet.continuous_torque is None and not warms:
        missing.append("nominal_torque or nominal_current")
    return tuple(missing)


def missing_gearbox_data(sheet: GearboxSheet, life: bool = False) -> tuple[str, ...]:
    """Missing cells of a gearbox's data sheet; `life`: whether a life is required.

    >>> missing_gearbox_data(GearboxSheet(key="g", mass=0.1, ratio=50.0, efficiency=0.8))
    ('rated_torque or peak_torque',)
    """
    missing = [field for field in REQUIRED_GEARBOX_DATA if getattr(sheet, field) is None]
    if sheet.rated_torque is None and sheet.peak_torque is None:
        missing.append("rated_torque or peak_torque")
    return (*missing, *(field for field in GEARBOX_LIFE.columns if life and not getattr(sheet, field)))


def unlimited_by_sheet(joint: str, motor: MotorSheet, gearbox: GearboxSheet | None) -> Iterator[str]:
    """Remarks on limits that the data sheets of a choice do not state."""
    if not _stated_columns(motor, (VOLTAGE, MOTOR_SPEED, CONTINUOUS_SPEED)):
        yield f"{joint}: the data sheet of {motor.key} states neither voltage nor speed; its speed is not checked."
    if gearbox is None:
        return
    torques, speeds = (GEARBOX_PEAK_TORQUE, GEARBOX_MEAN_TORQUE), (GEARBOX_INPUT_SPEED, GEARBOX_MEAN_SPEED)
    missing = [kind.sheet_field for kind in torques if not _stated_columns(gearbox, (kind,))]
    missing += [] if _stated_columns(gearbox, speeds) else ["input speed"]
    if missing:
        yield f"{joint}: the data sheet of {gearbox.key} states no {listed_names(missing)}; this limit is not checked."


def _stated_columns(sheet: DataSheet, kinds: Sequence[LimitKind]) -> list[str]:
    """The columns of some limits that a data sheet states."""
    return [kind.sheet_field for kind in kinds if getattr(sheet, kind.sheet_field) is not None]


def mounting_matrix(motors: Sequence[MotorSheet], boxes: Sequence[GearboxSheet | None]) -> NDArray[np.bool_]:
    """Whether each motor can be mounted on each gearbox, (M, B); always true for a gear without a data sheet."""
    motor_kinds, motor_at = _grouped_sheets(motors, ("outer_diameter", "flange", "shaft_diameter"))
    box_kinds, box_at = _grouped_sheets(boxes, ("outer_diameter", "flange", "max_motor_shaft"))
    fits = np.array(
        [[box is None or mounting_conflict(motor, box) is None for box in box_kinds] for motor in motor_kinds]
    )
    return fits.reshape(len(motor_kinds), len(box_kinds))[np.ix_(motor_at, box_at)]


def _grouped_sheets(sheets: Sequence[Optional], fields: tuple[str, ...]) -> tuple[list[Optional], NDArray[np.intp]]:
    """The first data sheet of each group with equal values in some columns, and per sheet the index of its group."""
    kinds: dict[tuple[Any, ...], int] = {}
    first: list[Optional] = []
    places = np.zeros(len(sheets), dtype=np.intp)
    for k, sheet in enumerate(sheets):
        values = tuple(getattr(sheet, field, None) for field in fields)
        if values not in kinds:
            kinds[values] = len(first)
            first.append(sheet)
        places[k] = kinds[values]
    return first, places


def skipped_entries(catalogue: Catalogue, life: float | None = None) -> Iterator[str]:
    """Remarks on data sheets that lack a number, and on a life that no data sheet rates."""
    rated = _requires_life(catalogue, life)
    yield from _skipped_remarks(catalogue.motors, missing_motor_data)
    yield from _skipped_remarks(catalogue.gearboxes, lambda sheet: missing_gearbox_data(sheet, rated))
    if life is not None and not rated:
        yield (
            "the life of gearboxes is not checked: no gearbox of the catalogue states "
            f"{listed_names(GEARBOX_LIFE.columns)}."
        )


def _skipped_remarks(sheets: Mapping[str, Sheet], missing_data: Callable[[Sheet], tuple[str, ...]]) -> Iterator[str]:
    by_cells: dict[tuple[str, ...], list[str]] = {}
    for key, sheet in sheets.items():
        by_cells.setdefault(missing_data(sheet), []).append(key)
    for cells, keys in by_cells.items():
        if cells:
            yield f"skipped, because their data sheets lack {listed_names(cells)}: {listed_names(keys)}."


def _requires_life(catalogue: Catalogue, life: float | None) -> bool:
    """Whether gearboxes must state their life: it is required, and some state it."""
    boxes = catalogue.gearboxes.values()
    return life is not None and any(all(getattr(sheet, field) for field in GEARBOX_LIFE.columns) for sheet in boxes)
