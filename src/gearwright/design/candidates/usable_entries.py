"""Which articles of a catalogue can be judged at all: a limit that a sheet does not print would always be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gearwright.catalogue import Catalogue
from gearwright.parts import DataSheet, GearboxSheet, MotorSheet, mounting_conflict
from gearwright.text import listed

Sheet = TypeVar("Sheet", bound=DataSheet)
Optional = TypeVar("Optional", bound=DataSheet | None)
OF_MOTOR = ("mass", "inertia", "torque_constant", "resistance")
OF_GEARBOX = ("mass", "ratio", "efficiency")
OF_LIFE = ("life", "life_speed", "rated_torque")


def able(catalogue: Catalogue, life: float | None = None) -> Catalogue:
    """The articles whose sheets print what a drive and its limits need.

    Args:
        catalogue: what there is.
        life: that the task requires of gearboxes [h].
    """
    rated = _asks_for_life(catalogue, life)
    return replace(
        catalogue,
        motors={key: sheet for key, sheet in catalogue.motors.items() if not lacking_of_motor(sheet)},
        gearboxes={key: sheet for key, sheet in catalogue.gearboxes.items() if not lacking_of_gearbox(sheet, rated)},
    )


def lacking_of_motor(sheet: MotorSheet) -> tuple[str, ...]:
    """The cells without which a motor cannot be judged; one without any resistance cannot exist.

    >>> lacking_of_motor(MotorSheet(key="m", mass=0.1, inertia=1e-6, torque_constant=0.02, resistance=0.0))
    ('resistance above 0', 'nominal_torque or nominal_current')
    """
    missing = [word for word in OF_MOTOR if getattr(sheet, word) is None]
    missing += [f"{word} above 0" for word in ("torque_constant", "resistance") if getattr(sheet, word) == 0]
    warms = sheet.heat is not None and sheet.max_winding_temperature is not None
    if sheet.continuous_torque is None and not warms:
        missing.append("nominal_torque or nominal_current")
    return tuple(missing)


def lacking_of_gearbox(sheet: GearboxSheet, life: bool = False) -> tuple[str, ...]:
    """The cells without which a gearbox cannot be judged; `life`: whether a life is asked of it.

    >>> lacking_of_gearbox(GearboxSheet(key="g", mass=0.1, ratio=50.0, efficiency=0.8))
    ('rated_torque or peak_torque',)
    """
    missing = [word for word in OF_GEARBOX if getattr(sheet, word) is None]
    if sheet.rated_torque is None and sheet.peak_torque is None:
        missing.append("rated_torque or peak_torque")
    return (*missing, *(word for word in OF_LIFE if life and not getattr(sheet, word)))


def unlimited(joint: str, motor: MotorSheet, gearbox: GearboxSheet | None) -> Iterator[str]:
    """What the sheets of a choice do not limit, because they do not print it."""
    if motor.voltage is None and motor.peak_speed is None and motor.continuous_speed is None:
        yield f"{joint}: the sheet of {motor.key} prints neither voltage nor speed: how fast it turns is not judged."
    if gearbox is None:
        return
    speeds = (gearbox.peak_input_speed, gearbox.rated_input_speed)
    words = {"peak_torque": gearbox.peak_torque, "rated_torque": gearbox.rated_torque}
    missing = [word for word, x in words.items() if x is None] + ["input speed"] * (speeds == (None, None))
    if missing:
        yield f"{joint}: the sheet of {gearbox.key} prints no {listed(missing)}, which therefore is not judged."


def mountable(motors: Sequence[MotorSheet], boxes: Sequence[GearboxSheet | None]) -> NDArray[np.bool_]:
    """Whether each motor can be mounted on each gearbox, (M, B); nothing speaks against a gear without a data sheet."""
    motor_kinds, motor_at = _alike(motors, ("outer_diameter", "flange", "shaft_diameter"))
    box_kinds, box_at = _alike(boxes, ("outer_diameter", "flange", "max_motor_shaft"))
    fits = np.array([[box is None or mounting_conflict(one, box) is None for box in box_kinds] for one in motor_kinds])
    return fits.reshape(len(motor_kinds), len(box_kinds))[np.ix_(motor_at, box_at)]


def _alike(sheets: Sequence[Optional], words: tuple[str, ...]) -> tuple[list[Optional], NDArray[np.intp]]:
    """The first sheet of each kind that has the same values of these words, and per sheet the place of its kind."""
    kinds: dict[tuple[Any, ...], int] = {}
    first: list[Optional] = []
    places = np.zeros(len(sheets), dtype=np.intp)
    for k, sheet in enumerate(sheets):
        values = tuple(getattr(sheet, word, None) for word in words)
        if values not in kinds:
            kinds[values] = len(first)
            first.append(sheet)
        places[k] = kinds[values]
    return first, places


def passed_over(catalogue: Catalogue, life: float | None = None) -> Iterator[str]:
    """Remarks on sheets that lack a number, and on a life that no sheet rates."""
    rated = _asks_for_life(catalogue, life)
    yield from _told(catalogue.motors, lacking_of_motor)
    yield from _told(catalogue.gearboxes, lambda sheet: lacking_of_gearbox(sheet, rated))
    if life is not None and not rated:
        yield f"the life of gearboxes is not judged: no gearbox of the catalogue prints {listed(OF_LIFE)}."


def _told(sheets: Mapping[str, Sheet], lacking: Callable[[Sheet], tuple[str, ...]]) -> Iterator[str]:
    by_cells: dict[tuple[str, ...], list[str]] = {}
    for key, sheet in sheets.items():
        by_cells.setdefault(lacking(sheet), []).append(key)
    for cells, keys in by_cells.items():
        if cells:
            yield f"passed over, because their sheets lack {listed(cells)}: {listed(keys)}."


def _asks_for_life(catalogue: Catalogue, life: float | None) -> bool:
    """Whether gearboxes must print their life: it is required, and some do."""
    boxes = catalogue.gearboxes.values()
    return life is not None and any(all(getattr(sheet, word) for word in OF_LIFE) for sheet in boxes)
