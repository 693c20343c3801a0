"""The candidates of a joint: every motor with every gearbox on which it can be mounted, as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import ARRAYS, Operations, Scalar
from gearwright.analysis import ShaftLoad
from gearwright.analysis.drives.limit_kinds import (
    GEARBOX,
    JOINT,
    MOTOR,
    LimitKind,
    LimitSources,
    limit_kinds,
    stated_limit,
)
from gearwright.analysis.drives.steady_temperatures import mean_rise_fraction
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.design.candidates.drive_influence import DriveBasis
from gearwright.design.candidates.usable_entries import mounting_matrix, skipped_entries, usable_entries
from gearwright.errors import InputError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.drive_equation import DriveEquation, DriveLoad
from gearwright.parts import Friction, GearboxSheet, Losses, MotorSheet, gear_losses, mounting_conflict
from gearwright.parts.gears.losses import static_back_efficiency


class Choice(NamedTuple):
    """A motor and a gearbox.

    Args:
        motor: the motor.
        gearbox: None when the joint keeps the gear it has.
        is_kept: whether the joint keeps its motor too, described by the data sheet.
    """

    motor: MotorSheet
    gearbox: GearboxSheet | None
    is_kept: bool = False

    @property
    def mass(self) -> float:
        """Mass of both [kg]."""
        return (self.motor.mass or 0.0) + ((self.gearbox.mass or 0.0) if self.gearbox else 0.0)

    @property
    def inertia(self) -> float:
        """Inertia that turns with the motor's shaft [kg m2]."""
        return (self.motor.inertia or 0.0) + ((self.gearbox.inertia or 0.0) if self.gearbox else 0.0)

    @property
    def price(self) -> float:
        """Price of both; nan if one of them states none."""
        gearbox = 0.0 if self.gearbox is None else self.gearbox.price
        return nan if self.motor.price is None or gearbox is None else self.motor.price + gearbox


@dataclass(frozen=True)
class SheetColumns:
    """Numbers of data sheets as columns, (S,) each; pairs of motor and gearbox index into them.

    Args:
        numbers: name -> its values.
        limits: allowed values of the screened quantity of each limit that a data sheet states; inf where one does not.
    """

    numbers: Mapping[str, Array]
    limits: Mapping[LimitKind, Array]

    def with_tightened_limits(self, factors: Mapping[LimitKind, float]) -> SheetColumns:
        """The columns with limits divided by factors."""
        return SheetColumns(self.numbers, {kind: x / factors.get(kind, 1.0) for kind, x in self.limits.items()})


class Choices(Sequence[Choice]):
    """The pairs of one joint by index; each is created on access."""

    def __init__(self, pairs: Candidates) -> None:
        self._pairs = pairs

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, place: Any) -> Any:
        """One pair, or the tuple of those in a slice."""
        if isinstance(place, slice):
            return tuple(self[k] for k in range(*place.indices(len(self))))
        pairs = self._pairs
        return Choice(pairs.motors[pairs.motor_at[place]], pairs.boxes[pairs.box_at[place]], pairs.is_kept)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The index of a pair, by the keys of its data sheets."""
        motors, boxes = self._pairs.positions_by_key
        position = self._pairs.positions_of_pairs[motors[value.motor.key], boxes[_gearbox_key(value.gearbox)]]
        if position < start or (stop is not None and position >= stop):
            raise ValueError(f"{value.motor.key} with {_gearbox_key(value.gearbox)} is not among the choices")
        return int(position)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The choices of one joint, sorted by mass: pairs of indices into a list of motors and a list of gearboxes.

    Args:
        basis: effect of a drive on the forces.
        motors: data sheets, (M,).
        boxes: data sheets, (B,); None for a gear that stays.
        motor_columns: numbers and limits of the motors, (M,) each.
        gearbox_columns: those of the gearboxes and of the joint, (B,) each.
        motor_at: per choice the index of its motor, (C,).
        box_at: per choice the index of its gearbox, (C,).
        is_kept: whether the joint keeps its motor too.
    """

    basis: DriveBasis
    motors: tuple[MotorSheet, ...]
    boxes: tuple[GearboxSheet | None, ...]
    motor_columns: SheetColumns
    gearbox_columns: SheetColumns
    motor_at: NDArray[np.int32]
    box_at: NDArray[np.int32]
    is_kept: bool = False

    @property
    def choices(self) -> Choices:
        """Motor and gearbox of every choice."""
        return Choices(self)

    @cached_property
    def mass(self) -> Array:
        """Mass of motor and gearbox [kg], (C,)."""
        return self._motor_values("mass") + self._gearbox_values("mass")

    @cached_property
    def price(self) -> Array:
        """Price of both, (C,); nan if one of them states none."""
        return self._motor_values("price") + self._gearbox_values("price")

    @cached_property
    def inertia(self) -> Array:
        """Inertia that turns with the motor's shaft [kg m2], (C,)."""
        return self._motor_values("inertia") + self._gearbox_values("inertia")

    @cached_property
    def ratio(self) -> Array:
        """Motor speed / joint speed, signed, (C,)."""
        return self._gearbox_values("ratio")

    @cached_property
    def thermal_resistance(self) -> Array:
        """Thermal resistance from winding to air [K/W], (C,); nan if a data sheet states none."""
        return self._motor_values("thermal")

    @property
    def limits(self) -> dict[LimitKind, Array]:
        """Per limit the allowed values of its screened quantity, (C,); inf where a data sheet states none."""
        boxes = {kind: x[self.box_at] for kind, x in self.gearbox_columns.limits.items()}
        return boxes | {kind: x[self.motor_at] for kind, x in self.motor_columns.limits.items()}

    @property
    def shaft_quantities(self) -> dict[str, Array]:
        """Load of the output shafts by the machine without the chosen drives, (C,) each."""
        return {name: self._gearbox_values(name) for name in SHAFT_QUANTITIES}

    def with_tightened_limits(self, factors: Mapping[LimitKind, float]) -> Candidates:
        """The same choices with limits divided by factors."""
        return replace(
            self,
            motor_columns=self.motor_columns.with_tightened_limits(factors),
            gearbox_columns=self.gearbox_columns.with_tightened_limits(factors),
        )

    def at_samples(self, rows: NDArray[np.intp]) -> Candidates:
        """The same choices for a subset of the samples of the motion."""
        return replace(self, basis=self.basis.with_mapped_series(lambda series: series[rows]))

    def _motor_values(self, field: str) -> Array:
        return np.asarray(self.motor_columns.numbers[field][self.motor_at])

    def _gearbox_values(self, field: str) -> Array:
        return np.asarray(self.gearbox_columns.numbers[field][self.box_at])

    @cached_property
    def positions_by_key(self) -> tuple[dict[str, int], dict[str, int]]:
        """Index of each motor and each gearbox in its list, by key."""
        return {sheet.key: k for k, sheet in enumerate(self.motors)}, {
            _gearbox_key(sheet): k for k, sheet in enumerate(self.boxes)
        }

    @cached_property
    def positions_of_pairs(self) -> NDArray[np.int32]:
        """Index of the choice for each motor and gearbox, (M, B); -1 if the pair is not a choice."""
        positions = np.full((len(self.motors), len(self.boxes)), -1, dtype=np.int32)
        positions[self.motor_at, self.box_at] = np.arange(len(self))
        return positions

    @property
    def equation(self) -> DriveEquation:
        """The drive equation of all choices, with columns (C, 1) for series along the last axis."""
        present_drive = self.basis.drive if self.is_kept else None
        coulomb, viscous = (self._motor_values(field)[:, None] for field in ("coulomb", "viscous"))
        if self.basis.gear is not None:
            losses = gear_losses(self.basis.gear)
        else:
            efficiency = self._gearbox_values("efficiency")[:, None]
            losses = (Losses(0.0, efficiency, static_back_efficiency(efficiency)),)
        return DriveEquation(
            self.ratio[:, None],
            losses,
            Friction(coulomb, viscous) if present_drive is None else present_drive.motor.total_friction,
        )

    def winding_under(self, torque: Scalar) -> DcEquations:
        """The windings of all choices, under any torque at their reference temperatures, with columns (C, 1)."""
        constant = self._motor_values("constant")[:, None]
        return DcEquations(constant, constant, self._motor_values("resistance")[:, None])

    @property
    def life_exponent(self) -> Array:
        """Exponent of the life of each gearbox, (C,)."""
        return self._gearbox_values("life_exponent")

    def added_force(self, share: Array) -> Array:
        """Contribution of the choices to the force at a drive, by its share of the generalized forces, (C, T)."""
        basis, turning = self.basis, self.inertia * self.ratio
        factors = np.column_stack([self.mass, self.inertia, turning, turning * self.ratio])
        return factors @ np.stack([x @ share for x in (basis.mass, basis.rest, basis.first, basis.second)])

    def drive_load(self, force: Array) -> DriveLoad:
        """The load of all choices under the force of the whole machine at their drive, (C, T)."""
        basis = self.basis
        factors = np.column_stack([self.inertia * self.ratio, self.inertia, np.ones(len(self))])
        rotor_torque = factors @ np.stack([basis.acceleration, basis.carrier, basis.kept_rotor])
        return DriveLoad(force - self.ratio[:, None] * rotor_torque, rotor_torque, basis.speed, basis.direction)

    def mean_temperature(self, squares: Scalar, ops: Operations) -> Scalar:
        r"""Temperature [K] of windings with a mean square current, (C,): the resistance rises with it.

        $T = T_a + R_{th} i^2 R (1 + \alpha (T - T_r))$; it exists only if $1 - R_{th} i^2 R \alpha > 0$.
        Below MIN_HEAT_DENOMINATOR of that value the temperature is continued along its tangent, for the optimiser.
        """
        rise, denominator = self._rise_fraction(squares)
        over = ops.where(
            denominator > MIN_HEAT_DENOMINATOR,
            1 / ops.maximum(denominator, MIN_HEAT_DENOMINATOR),
            (2 - denominator / MIN_HEAT_DENOMINATOR) / MIN_HEAT_DENOMINATOR,
        )
        return rise * over + self._motor_values("ambient")

    def steady_temperature(self, squares: Array) -> Array:
        """Temperatures [K] of windings, (C,); inf if there is no steady state."""
        _, denominator = self._rise_fraction(squares)
        return np.where(
            denominator > MIN_HEAT_DENOMINATOR,
            self.mean_temperature(squares, ARRAYS),
            np.where(np.isnan(denominator), nan, inf),
        )

    def _rise_fraction(self, squares: Scalar) -> tuple[Scalar, Scalar]:
        resistance, copper, ambient, reference = map(
            self._motor_values, ("resistance", "copper", "ambient", "reference")
        )
        return mean_rise_fraction(squares * (self.thermal_resistance * resistance), copper, ambient - reference)

    def __getitem__(self, places: NDArray[np.intp] | NDArray[np.bool_]) -> Candidates:
        """A subset, by indices or a mask."""
        return replace(self, motor_at=self.motor_at[places], box_at=self.box_at[places])

    def __len__(self) -> int:
        return len(self.motor_at)


SHAFT_QUANTITIES = tuple(f"output_shaft_load.{field}" for field in ShaftLoad._fields)
"""Limited quantities of output shafts."""
MIN_HEAT_DENOMINATOR = 0.05
"""Smallest denominator of the temperature rise [1]: below it there is no steady state."""


def present_drive_candidate(
    basis: DriveBasis, motor: MotorSheet, catalogue: Catalogue, ambient: float | None = None, life: float | None = None
) -> Candidates:
    """The one choice of a joint that keeps its motor and its gear."""
    only = np.zeros(1, dtype=np.int32)
    boxes = _gearbox_columns(basis, (None,), (_kept_gearbox_sheet(basis, catalogue),), life)
    return Candidates(
        basis, (motor,), (None,), _motor_columns(basis, (motor,), ambient), boxes, only, only, is_kept=True
    )


def catalogue_candidates(
    basis: DriveBasis, catalogue: Catalogue, ambient: float | None = None, life: float | None = None
) -> Candidates:
    """The choices of a joint: all motors with all gearboxes on which they can be mounted by their data sheets.

    Data sheets without a number that every drive or its limits need are skipped.

    Args:
        basis: effect of a drive on the forces.
        catalogue: motors and gearboxes.
        ambient: ambient temperature [K]; by default that of the data sheets.
        life: required life of gearboxes [h].
    """
    usable_catalogue = usable_entries(catalogue, life)
    kept_sheet = _kept_gearbox_sheet(basis, catalogue)
    motors = tuple(usable_catalogue.motors.values())
    boxes: tuple[GearboxSheet | None, ...] = (
        tuple(usable_catalogue.gearboxes.values()) if basis.gear is None else (None,)
    )
    rated = tuple(sheet or kept_sheet for sheet in boxes)
    if not motors or not boxes:
        raise InputError(" ".join([NO_USABLE_ENTRY, *skipped_entries(catalogue, life)]))
    of_motor, of_box = _motor_columns(basis, motors, ambient), _gearbox_columns(basis, boxes, rated, life)
    motor_at, box_at = (places.astype(np.int32) for places in np.nonzero(mounting_matrix(motors, rated)))
    pairs = Candidates(basis, motors, boxes, of_motor, of_box, motor_at, box_at)
    if not len(pairs):
        raise InputError(f"size_drives: joint {basis.drive.joint!r}: {' '.join(mounting_remarks(pairs, catalogue))}")
    return pairs[np.argsort(pairs.mass, kind="stable")]


def mounting_remarks(pairs: Candidates, catalogue: Catalogue) -> Iterator[str]:
    """A remark on the pairs that cannot be mounted, with the reason for the first one."""
    rated = [box or _kept_gearbox_sheet(pairs.basis, catalogue) for box in pairs.boxes]
    unfit = ~mounting_matrix(pairs.motors, rated)
    if unfit.any():
        first = np.argwhere(unfit)[0]
        motor, box = pairs.motors[first[0]], rated[first[1]]
        assert box is not None
        yield (
            f"excluded because the motor cannot be mounted on the gearbox: {unfit.sum()} of {unfit.size} pairs, such "
            f"as {motor.key} on {box.key}: {mounting_conflict(motor, box)}. If they do fit, state a common `flange` in "
            "both data sheets."
        )


NO_USABLE_ENTRY = (
    "size_drives: no motor or no gearbox of the catalogue has all data that a drive and its limits need. Add your own "
    "catalogue file, complete the data sheets, or give assumed_efficiency."
)


def _kept_gearbox_sheet(basis: DriveBasis, catalogue: Catalogue) -> GearboxSheet | None:
    """The data sheet of a gear that stays, if it names one."""
    return catalogue.gearboxes.get(getattr(basis.gear, "catalogue", None) or "")


def _as_column(*numbers: float | None, empty: float = inf) -> Array:
    return np.array([empty if x is None else x for x in numbers], dtype=float)


def _motor_columns(basis: DriveBasis, motors: Sequence[MotorSheet], ambient: float | None) -> SheetColumns:
    """The numbers of motors, and their limits."""
    heats = [sheet.heat for sheet in motors]
    numbers = {
        "mass": _as_column(*(sheet.mass for sheet in motors), empty=0.0),
        "price": _as_column(*(sheet.price for sheet in motors), empty=nan),
        "inertia": _as_column(*(sheet.inertia for sheet in motors), empty=0.0),
        "constant": _as_column(*(sheet.torque_constant for sheet in motors)),
        "resistance": _as_column(*(sheet.resistance for sheet in motors)),
        "coulomb": _as_column(*(sheet.friction for sheet in motors)),
        "viscous": _as_column(*(sheet.viscous_friction for sheet in motors), empty=0.0),
        "thermal": _as_column(
            *(nan if heat is None else heat.winding_housing + heat.housing_ambient for heat in heats)
        ),
        "copper": _as_column(*(nan if heat is None else heat.copper for heat in heats)),
        "reference": _as_column(*(nan if heat is None else heat.reference for heat in heats)),
        "ambient": _as_column(*(ambient or (nan if heat is None else heat.ambient) for heat in heats)),
    }
    sources = basis.limit_sources._replace(ambient=ambient)
    return SheetColumns(numbers, _limit_columns((MOTOR,), [sources._replace(motor_sheet=sheet) for sheet in motors]))


def _limit_columns(
    parts: Sequence[str], sources: Sequence[LimitSources], life: float | None = None
) -> dict[LimitKind, Array]:
    """The limits of some parts that any of the sources states."""
    columns = {
        kind: _as_column(*(_screened_limit(kind, source, life) for source in sources)) for kind in limit_kinds(*parts)
    }
    return {kind: x for kind, x in columns.items() if np.isfinite(x).any()}


def _screened_limit(kind: LimitKind, sources: LimitSources, life: float | None) -> float | None:
    """The allowed value of the screened quantity of a limit; None if it is not stated or does not apply."""
    if kind.screened_as == "mean_square_current":
        return _allowed_mean_square(sources)
    if kind.screened_as == "wear":
        return None if life is None else _rated_wear(sources.gearbox_sheet, life)
    return stated_limit(kind, sources)[0] if kind.unit_at(sources.link) else None


def _gearbox_columns(
    basis: DriveBasis,
    boxes: Sequence[GearboxSheet | None],
    rated: Sequence[GearboxSheet | None],
    life: float | None,
) -> SheetColumns:
    """The numbers of gearboxes; `rated` are the data sheets whose limits apply, of chosen or kept gearboxes."""
    numbers = {
        "mass": _as_column(*_sheet_values(boxes, "mass"), empty=0.0),
        "price": np.array([0.0 if box is None else nan if box.price is None else box.price for box in boxes]),
        "inertia": _as_column(*_sheet_values(boxes, "inertia"), empty=0.0),
        "ratio": np.array([_gear_ratio(basis, box) for box in boxes]),
        "efficiency": _as_column(*_sheet_values(boxes, "efficiency"), empty=1.0),
        "life_exponent": _as_column(*_sheet_values(rated, "life_exponent"), empty=3.0),
    }
    sources = [basis.limit_sources._replace(gearbox_sheet=box) for box in rated]
    return SheetColumns(numbers | _shaft_columns(basis, rated), _limit_columns((JOINT, GEARBOX), sources, life))


def _shaft_columns(basis: DriveBasis, rated: Sequence[GearboxSheet | None]) -> dict[str, Array]:
    """Load of output shafts by the machine without the chosen drives."""
    load = basis.bearing_load or ShaftLoad(0.0, 0.0, 0.0)
    loads = [load.at_distance(None if box is None else box.radial_load_distance) for box in rated]
    return dict(zip(SHAFT_QUANTITIES, np.array(loads).T, strict=True))


def _sheet_values(boxes: Sequence[GearboxSheet | None], field: str) -> list[float | None]:
    return [None if box is None else getattr(box, field) for box in boxes]


def _gearbox_key(box: GearboxSheet | None) -> str:
    return "" if box is None else box.key


def _rated_wear(box: GearboxSheet | None, life: float) -> float | None:
    r"""The mean of $\lvert\omega\rvert T^p$ at which a gearbox has the required life; None if it is not rated."""
    if box is None or box.life is None or not box.rated_torque or not box.life_speed:
        return None
    return float(box.life * box.life_speed * box.rated_torque ** (box.life_exponent or 3.0) / life)


def _gear_ratio(basis: DriveBasis, box: GearboxSheet | None) -> float:
    if box is None:
        assert basis.gear is not None
        return float(basis.gear.ratio)
    assert box.signed_ratio is not None
    return box.signed_ratio


def _allowed_mean_square(sources: LimitSources) -> float | None:
    r"""The mean square current at which the mean temperature of the winding is at its limit [A^2]."""
    sheet = sources.motor_sheet
    if sheet is None or sheet.heat is None or sheet.max_winding_temperature is None or not sheet.resistance:
        return None
    heat, limit = sheet.heat, sheet.max_winding_temperature
    hot = sheet.resistance * (1 + heat.copper * (limit - heat.reference))
    air = heat.ambient if sources.ambient is None else sources.ambient
    return float(max(limit - air, 1e-9) / (heat.winding_housing + heat.housing_ambient) / hot)
