"""The candidates of a joint, every motor with every gearbox, as columns of numbers, and their screening.

Screening computes for all candidates at once what the motion demands of each, and the share of its limits that it
takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drives.limit_checks import LIFE, SHAFT_LIMITS, WINDING, shaft_limits
from gearwright.analysis.drives.steady_temperatures import mean_rise
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.design.candidates.drive_equations import (
    AT_ANY_LOAD,
    JOINT_SPEED,
    VOLTAGE,
    Article,
    OfArrays,
    compared,
    drive_demand,
)
from gearwright.design.candidates.drive_influence import DriveBasis
from gearwright.design.candidates.usable_entries import able, mountable, passed_over
from gearwright.errors import InputError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.mesh_efficiency import Mesh
from gearwright.motion import Motion
from gearwright.parts import GearboxSheet, MotorSheet, mounting_conflict
from gearwright.parts.gears.losses import back_driving, losses_of

# Candidates


class Choice(NamedTuple):
    """A motor and a gearbox.

    Args:
        motor: the motor.
        gearbox: None when the joint keeps the gear it has.
        kept: whether the joint keeps its motor too, which the sheet then describes.
    """

    motor: MotorSheet
    gearbox: GearboxSheet | None
    kept: bool = False

    @property
    def mass(self) -> float:
        """Of both [kg]."""
        return (self.motor.mass or 0.0) + ((self.gearbox.mass or 0.0) if self.gearbox else 0.0)

    @property
    def inertia(self) -> float:
        """Of what turns with the motor's shaft [kg m2]."""
        return (self.motor.inertia or 0.0) + ((self.gearbox.inertia or 0.0) if self.gearbox else 0.0)

    @property
    def price(self) -> float:
        """Of both; nan when one of them states none."""
        gearbox = 0.0 if self.gearbox is None else self.gearbox.price
        return nan if self.motor.price is None or gearbox is None else self.motor.price + gearbox


@dataclass(frozen=True)
class SheetColumns:
    """Numbers of data sheets as columns, (S,) each: per pair of a motor and a gearbox they are only looked up.

    Args:
        numbers: name -> its values.
        limits: name of a limit as in an analysis -> its values; inf where a sheet states none.
    """

    numbers: Mapping[str, Array]
    limits: Mapping[str, Array]

    def tightened(self, factors: Mapping[str, float]) -> SheetColumns:
        """The same with limits divided by factors, by their names."""
        return SheetColumns(self.numbers, {name: x / factors.get(name, 1.0) for name, x in self.limits.items()})


class Choices(Sequence[Choice]):
    """The pairs of one joint by their places; each is made when it is asked for."""

    def __init__(self, some: Candidates) -> None:
        self._some = some

    def __len__(self) -> int:
        return len(self._some)

    def __getitem__(self, place: Any) -> Any:
        """One pair, or the tuple of those in a slice."""
        if isinstance(place, slice):
            return tuple(self[k] for k in range(*place.indices(len(self))))
        some = self._some
        return Choice(some.motors[some.motor_at[place]], some.boxes[some.box_at[place]], some.kept)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The place of a pair, known by the keys of its data sheets."""
        motors, boxes = self._some.places_of_keys
        found = self._some.place_of_pair[motors[value.motor.key], boxes[_key(value.gearbox)]]
        if found < start or (stop is not None and found >= stop):
            raise ValueError(f"{value.motor.key} with {_key(value.gearbox)} is not among the choices")
        return int(found)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The choices of one joint, sorted by mass: pairs of places in a list of motors and one of gearboxes.

    Args:
        basis: what a drive does to the forces.
        motors: data sheets, (M,).
        boxes: data sheets, (B,); None for the gear that stays.
        of_motor: numbers and limits of the motors, (M,) each.
        of_box: those of the gearboxes and of the joint, (B,) each.
        motor_at: per choice the place of its motor, (C,).
        box_at: per choice that of its gearbox, (C,).
        kept: whether the joint keeps its motor too.
    """

    basis: DriveBasis
    motors: tuple[MotorSheet, ...]
    boxes: tuple[GearboxSheet | None, ...]
    of_motor: SheetColumns
    of_box: SheetColumns
    motor_at: NDArray[np.int32]
    box_at: NDArray[np.int32]
    kept: bool = False

    @property
    def choices(self) -> Choices:
        """Motor and gearbox of every choice."""
        return Choices(self)

    @cached_property
    def mass(self) -> Array:
        """Of motor and gearbox [kg], (C,)."""
        return self._motor("mass") + self._box("mass")

    @cached_property
    def price(self) -> Array:
        """Of both, (C,); nan when one of them states none."""
        return self._motor("price") + self._box("price")

    @cached_property
    def inertia(self) -> Array:
        """Of what turns with the motor's shaft [kg m2], (C,)."""
        return self._motor("inertia") + self._box("inertia")

    @cached_property
    def ratio(self) -> Array:
        """Motor speed / joint speed, signed, (C,)."""
        return self._box("ratio")

    @cached_property
    def thermal(self) -> Array:
        """Thermal resistance from winding to air [K/W], (C,); nan where a sheet states none."""
        return self._motor("thermal")

    @property
    def limits(self) -> dict[str, Array]:
        """Per limit its values, (C,); inf where a sheet states none."""
        return {name: self.limit(name) for name in (*self.of_box.limits, *self.of_motor.limits)}

    def limit(self, name: str) -> Array:
        """The values of one limit, (C,)."""
        if name in self.of_motor.limits:
            return np.asarray(self.of_motor.limits[name][self.motor_at])
        return np.asarray(self.of_box.limits[name][self.box_at])

    def tightened(self, factors: Mapping[str, float]) -> Candidates:
        """The same choices with limits divided by factors, by their names."""
        return replace(self, of_motor=self.of_motor.tightened(factors), of_box=self.of_box.tightened(factors))

    def at_times(self, rows: NDArray[np.intp]) -> Candidates:
        """The same choices for a motion of which only these samples are looked at."""
        return replace(self, basis=self.basis.changed(lambda series: series[rows]))

    def _motor(self, word: str) -> Array:
        return np.asarray(self.of_motor.numbers[word][self.motor_at])

    def _box(self, word: str) -> Array:
        return np.asarray(self.of_box.numbers[word][self.box_at])

    @cached_property
    def places_of_keys(self) -> tuple[dict[str, int], dict[str, int]]:
        """Where each motor and each gearbox stands in its list, by key."""
        return {one.key: k for k, one in enumerate(self.motors)}, {_key(one): k for k, one in enumerate(self.boxes)}

    @cached_property
    def place_of_pair(self) -> NDArray[np.int32]:
        """The choice with a motor and a gearbox, (M, B); -1 where there is none."""
        found = np.full((len(self.motors), len(self.boxes)), -1, dtype=np.int32)
        found[self.motor_at, self.box_at] = np.arange(len(self))
        return found

    @property
    def article(self) -> Article:
        """Their numbers as columns (C, 1), for series along the last axis."""
        drive, back, no_load = (self._box(word)[:, None] for word in ("efficiency", "back_efficiency", "no_load"))
        mesh = Mesh(drive, back, no_load, 0.0)
        constant = self._motor("constant")[:, None]
        winding = DcEquations(constant, constant, self._motor("resistance")[:, None])
        coulomb, viscous = (self._motor(word)[:, None] for word in ("coulomb", "viscous"))
        return Article(self.ratio[:, None], mesh, coulomb, viscous, winding, self._box("life_exponent")[:, None])

    def temperature(self, squares: Scalar, ops: Operations) -> Scalar:
        r"""Temperature [K] of windings with a mean square current, (C,): the resistance rises with it.

        $T = T_a + R_{th} i^2 R (1 + \alpha (T - T_r))$; only where $1 - R_{th} i^2 R \alpha > 0$ is there such a one.
        Below BARELY of that the temperature goes on along its tangent, so that an optimiser finds its way back.
        """
        rise, rest = self._rise(squares)
        over = ops.where(rest > BARELY, 1 / ops.maximum(rest, BARELY), (2 - rest / BARELY) / BARELY)
        return rise * over + self._motor("ambient")

    def warmed(self, squares: Array) -> Array:
        """The same for many windings, (C,); inf where there is no such temperature."""
        _, rest = self._rise(squares)
        return np.where(rest > BARELY, self.temperature(squares, ARRAYS), np.where(np.isnan(rest), nan, inf))

    def _rise(self, squares: Scalar) -> tuple[Scalar, Scalar]:
        resistance, copper, ambient, reference = map(self._motor, ("resistance", "copper", "ambient", "reference"))
        return mean_rise(squares * (self.thermal * resistance), copper, ambient - reference)

    def __getitem__(self, places: NDArray[np.intp] | NDArray[np.bool_]) -> Candidates:
        """Some of them, by their places or a mask."""
        return replace(self, motor_at=self.motor_at[places], box_at=self.box_at[places])

    def __len__(self) -> int:
        return len(self.motor_at)


BARELY = 0.05
"""Of the heat that warms a winding without end: what less is left counts as none."""


def kept_candidate(
    basis: DriveBasis, motor: MotorSheet, catalogue: Catalogue, ambient: float | None = None, life: float | None = None
) -> Candidates:
    """The one choice of a joint that keeps its motor and its gear."""
    only = np.zeros(1, dtype=np.int32)
    boxes = _box_columns(basis, (None,), (_kept_box(basis, catalogue),), life)
    return Candidates(basis, (motor,), (None,), _motor_columns(basis, (motor,), ambient), boxes, only, only, kept=True)


def candidates(
    basis: DriveBasis, catalogue: Catalogue, ambient: float | None = None, life: float | None = None
) -> Candidates:
    """The choices of a joint: all motors with all gearboxes on which they can be mounted, as far as that is known.

    Sheets that lack a number which every drive or its limits need are passed over.

    Args:
        basis: what a drive does to the forces.
        catalogue: what there is.
        ambient: temperature of the air [K]; that of the sheets unless given.
        life: that the task requires of gearboxes [h].
    """
    whole = able(catalogue, life)
    stays = _kept_box(basis, catalogue)
    motors = tuple(whole.motors.values())
    boxes: tuple[GearboxSheet | None, ...] = tuple(whole.gearboxes.values()) if basis.gear is None else (None,)
    rated = tuple(one or stays for one in boxes)
    if not motors or not boxes:
        raise InputError(" ".join([NONE_ABLE, *passed_over(catalogue, life)]))
    of_motor, of_box = _motor_columns(basis, motors, ambient), _box_columns(basis, boxes, rated, life)
    motor_at, box_at = (places.astype(np.int32) for places in np.nonzero(mountable(motors, rated)))
    some = Candidates(basis, motors, boxes, of_motor, of_box, motor_at, box_at)
    if not len(some):
        raise InputError(f"size_drives: joint {basis.drive.joint!r}: {' '.join(mounting_remarks(some, catalogue))}")
    return some[np.argsort(some.mass, kind="stable")]


def mounting_remarks(some: Candidates, catalogue: Catalogue) -> Iterator[str]:
    """How many pairs were left out because they cannot be bolted together, and why the first."""
    rated = [box or _kept_box(some.basis, catalogue) for box in some.boxes]
    unfit = ~mountable(some.motors, rated)
    if unfit.any():
        first = np.argwhere(unfit)[0]
        motor, box = some.motors[first[0]], rated[first[1]]
        assert box is not None
        yield (
            f"left out, because motor and gearbox cannot be bolted together: {unfit.sum()} of {unfit.size} pairs, such "
            f"as {motor.key} on {box.key}: {mounting_conflict(motor, box)}. Where they do fit, name the flange in the "
            "column `flange` of both."
        )


NONE_ABLE = (
    "size_drives: no motor and gearbox of the catalogue print all that a drive and its limits need. Add a file of your "
    "own, fill in what is missing, or assume an efficiency."
)


def _kept_box(basis: DriveBasis, catalogue: Catalogue) -> GearboxSheet | None:
    """The data sheet of a gear that stays, if it names one."""
    return catalogue.gearboxes.get(getattr(basis.gear, "catalogue", None) or "")


def _column(*numbers: float | None, empty: float = inf) -> Array:
    return np.array([empty if x is None else x for x in numbers], dtype=float)


def _motor_columns(basis: DriveBasis, motors: Sequence[MotorSheet], ambient: float | None) -> SheetColumns:
    """The numbers of motors, and their limits."""
    heats = [sheet.heat for sheet in motors]
    numbers = {
        "mass": _column(*(sheet.mass for sheet in motors), empty=0.0),
        "price": _column(*(sheet.price for sheet in motors), empty=nan),
        "inertia": _column(*(sheet.inertia for sheet in motors), empty=0.0),
        "constant": _column(*(sheet.torque_constant for sheet in motors)),
        "resistance": _column(*(sheet.resistance for sheet in motors)),
        "coulomb": _column(*(sheet.friction for sheet in motors)),
        "viscous": _column(*(sheet.viscous_friction for sheet in motors), empty=0.0),
        "thermal": _column(*(nan if heat is None else heat.winding_housing + heat.housing_ambient for heat in heats)),
        "copper": _column(*(nan if heat is None else heat.copper for heat in heats)),
        "reference": _column(*(nan if heat is None else heat.reference for heat in heats)),
        "ambient": _column(*(ambient or (nan if heat is None else heat.ambient) for heat in heats)),
    }
    limits = {
        "peak motor torque": _column(*(sheet.peak_torque for sheet in motors)),
        "motor speed": _column(*(sheet.peak_speed for sheet in motors)),
        VOLTAGE: np.minimum(_column(*(sheet.voltage for sheet in motors)), basis.limits.get(VOLTAGE, inf)),
        "continuous motor torque": _column(*(sheet.continuous_torque for sheet in motors)),
        "continuous motor speed": _column(*(sheet.continuous_speed for sheet in motors)),
        WINDING: np.array([_heating_limit(sheet, ambient) for sheet in motors]),
    }
    return SheetColumns(numbers, limits)


def _box_columns(
    basis: DriveBasis,
    boxes: Sequence[GearboxSheet | None],
    rated: Sequence[GearboxSheet | None],
    life: float | None,
) -> SheetColumns:
    """The numbers of gearboxes; `rated` are the sheets whose limits hold, of gearboxes chosen or kept."""
    losses = np.array([_losses(basis, box) for box in boxes])
    numbers = {
        "mass": _column(*_numbers(boxes, "mass"), empty=0.0),
        "price": np.array([0.0 if box is None else nan if box.price is None else box.price for box in boxes]),
        "inertia": _column(*_numbers(boxes, "inertia"), empty=0.0),
        "ratio": np.array([_ratio(basis, box) for box in boxes]),
        **dict(zip(("efficiency", "back_efficiency", "no_load"), losses.T, strict=True)),
        "life_exponent": _column(*_numbers(rated, "life_exponent"), empty=3.0),
    }
    limits = {
        **{name: np.full(len(boxes), limit) for name, limit in basis.limits.items() if name != VOLTAGE},
        **({} if life is None else {LIFE: np.array([_wear(box, life) for box in rated])}),
        "gearbox peak torque": _column(*_numbers(rated, "peak_torque")),
        "gearbox mean torque": _column(*_numbers(rated, "rated_torque")),
        "gearbox input speed": _column(*_numbers(rated, "peak_input_speed")),
        "gearbox mean input speed": _column(*_numbers(rated, "rated_input_speed")),
        **_shaft_multiples(basis, rated),
    }
    return SheetColumns(numbers, limits)


def _shaft_multiples(basis: DriveBasis, rated: Sequence[GearboxSheet | None]) -> dict[str, Array]:
    """Per limit of output shafts how many times the load of the machine without the drives in question they bear."""
    found, load = {name: np.full(len(rated), inf) for name in SHAFT_LIMITS}, basis.shaft
    for k, box in enumerate(rated):
        for name, value, limit, _ in shaft_limits(box, *load) if box is not None and load is not None else ():
            if limit is not None and value > 0:
                found[name][k] = limit / value
    return found


def _numbers(boxes: Sequence[GearboxSheet | None], word: str) -> list[float | None]:
    return [None if box is None else getattr(box, word) for box in boxes]


def _key(box: GearboxSheet | None) -> str:
    return "" if box is None else box.key


def _wear(box: GearboxSheet | None, life: float) -> float:
    r"""The mean of $\lvert\omega\rvert T^p$ at which a gearbox lives as long as required; inf where it is not rated."""
    if box is None or box.life is None or not box.rated_torque or not box.life_speed:
        return inf
    return float(box.life * box.life_speed * box.rated_torque ** (box.life_exponent or 3.0) / life)


def _ratio(basis: DriveBasis, box: GearboxSheet | None) -> float:
    if box is None:
        assert basis.gear is not None
        return float(basis.gear.ratio)
    assert box.signed_ratio is not None
    return box.signed_ratio


def _losses(basis: DriveBasis, box: GearboxSheet | None) -> tuple[float, float, float]:
    if box is not None:
        assert box.efficiency is not None
        return box.efficiency, float(back_driving(box.efficiency)), 0.0
    stated = losses_of(basis.gear)
    if not stated:
        return 1.0, 1.0, 0.0
    return float(stated[0].efficiency), float(stated[0].back), float(stated[0].no_load_torque)


def _heating_limit(sheet: MotorSheet, ambient: float | None) -> float:
    r"""The mean square of the current at which the winding comes to its limit in the mean [A^2]."""
    heat, limit = sheet.heat, sheet.max_winding_temperature
    if heat is None or limit is None or not sheet.resistance:
        return inf
    hot = sheet.resistance * (1 + heat.copper * (limit - heat.reference))
    air = heat.ambient if ambient is None else ambient
    return float(max(limit - air, 1e-9) / (heat.winding_housing + heat.housing_ambient) / hot)


# Screening


@dataclass(frozen=True)
class Screening:
    """What a motion asks of every choice of one joint.

    Args:
        use: per limit the share of it that is taken, (C,).
        energy: electrical energy over the motion [J], with regeneration, (C,).
        temperature: of the winding in the mean of a cycle that goes on for ever [K], (C,); nan where a sheet does not
            print its thermal data, inf where the winding heats faster than it cools.
    """

    use: dict[str, Array]
    energy: Array
    temperature: Array

    @property
    def worst(self) -> Array:
        """The largest share of any limit, (C,)."""
        return np.max(list(self.use.values()), axis=0)


def screen(some: Candidates, motion: Motion, carried: Array) -> Screening:
    r"""What a motion asks of choices for one joint; the rotor itself takes $J (n Y^2 + Y^1)$.

    Args:
        some: the choices.
        motion: of all joints.
        carried: force at the joint of the machine with all other drives, without this one, (T,) or (C, T).
    """
    basis, at = some.basis, some.basis.at
    load = carried + some.mass[:, None] * basis.mass[:, at] + some.inertia[:, None] * basis.rest[:, at]
    own = some.inertia[:, None] * (some.ratio[:, None] * basis.second[:, at] + basis.first[:, at])
    over, article = OfArrays(motion.t), some.article
    found = drive_demand(article, load, own, motion.v[:, at], ARRAYS)
    values = compared(found, article, over) | dict.fromkeys(SHAFT_LIMITS, 1.0)
    return Screening(
        {name: values[name] / limit for name, limit in some.limits.items()},
        energy=over.span * over.mean(found.voltage * found.current),
        temperature=some.warmed(values[WINDING]),
    )


def speed_uses(some: Candidates, motion: Motion) -> dict[str, Array]:
    """Per limit of a speed the share of it that is taken, (C,) or one number: it does not depend on the load."""
    v, over = np.abs(motion.v[:, some.basis.at]), OfArrays(motion.t)
    peak, mean = over.peak(v), over.mean(v)
    turning = np.abs(some.ratio)
    uses = {name: turning * (mean if "continuous" in name or "mean" in name else peak) for name in AT_ANY_LOAD}
    found = {name: value / some.limit(name) for name, value in uses.items()}
    return {JOINT_SPEED: peak / some.limit(JOINT_SPEED), **found} if JOINT_SPEED in some.of_box.limits else found
