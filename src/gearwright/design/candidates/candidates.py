"""The candidates of a joint, every motor with every gearbox, as columns of numbers, and their screening.

Screening computes for all candidates at once what the motion demands of each, and the share of its limits that it
takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drives.limit_checks import LIFE, WINDING
from gearwright.analysis.drives.steady_temperatures import mean_rise
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.design.candidates.drive_equations import VOLTAGE, Article, OfArrays, compared, drive_demand
from gearwright.design.candidates.drive_influence import DriveBasis
from gearwright.design.candidates.usable_entries import able, passed_over
from gearwright.errors import InputError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.mesh_efficiency import Mesh
from gearwright.motion import Motion
from gearwright.parts import GearboxSheet, MotorSheet
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
class Candidates:
    """The choices of one joint, sorted by mass, and their numbers, (C,) each; what a sheet does not limit is inf."""

    basis: DriveBasis
    choices: tuple[Choice, ...]
    mass: Array
    price: Array
    inertia: Array
    ratio: Array
    efficiency: Array
    back_efficiency: Array
    no_load: Array
    constant: Array
    resistance: Array
    coulomb: Array
    viscous: Array
    thermal: Array
    copper: Array
    reference: Array
    ambient: Array
    life_exponent: Array
    limits: dict[str, Array]

    @property
    def article(self) -> Article:
        """Their numbers as columns (C, 1), for series along the last axis."""
        mesh = Mesh(self.efficiency[:, None], self.back_efficiency[:, None], self.no_load[:, None], 0.0)
        constant = self.constant[:, None]
        winding = DcEquations(constant, constant, self.resistance[:, None])
        columns = (self.coulomb[:, None], self.viscous[:, None])
        return Article(self.ratio[:, None], mesh, *columns, winding, self.life_exponent[:, None])

    def temperature(self, squares: Scalar, ops: Operations) -> Scalar:
        r"""Temperature [K] of windings with a mean square current, (C,): the resistance rises with it.

        $T = T_a + R_{th} i^2 R (1 + \alpha (T - T_r))$; only where $1 - R_{th} i^2 R \alpha > 0$ is there such a one.
        Below BARELY of that the temperature goes on along its tangent, so that an optimiser finds its way back.
        """
        rise, rest = self._rise(squares)
        over = ops.where(rest > BARELY, 1 / ops.maximum(rest, BARELY), (2 - rest / BARELY) / BARELY)
        return rise * over + self.ambient

    def warmed(self, squares: Array) -> Array:
        """The same for many windings, (C,); inf where there is no such temperature."""
        _, rest = self._rise(squares)
        return np.where(rest > BARELY, self.temperature(squares, ARRAYS), np.where(np.isnan(rest), nan, inf))

    def _rise(self, squares: Scalar) -> tuple[Scalar, Scalar]:
        return mean_rise(squares * (self.thermal * self.resistance), self.copper, self.ambient - self.reference)

    def __getitem__(self, places: NDArray[np.intp] | NDArray[np.bool_]) -> Candidates:
        """Some of them, by their places or a mask."""
        kept = np.arange(len(self))[places]
        columns: dict[str, Any] = {name: x[kept] for name, x in vars(self).items() if isinstance(x, np.ndarray)}
        limits = {name: x[kept] for name, x in self.limits.items()}
        return replace(self, choices=tuple(self.choices[k] for k in kept), limits=limits, **columns)

    def __len__(self) -> int:
        return len(self.choices)


BARELY = 0.05
"""Of the heat that warms a winding without end: what less is left counts as none."""


def kept_candidate(
    basis: DriveBasis, motor: MotorSheet, catalogue: Catalogue, ambient: float | None = None, life: float | None = None
) -> Candidates:
    """The one choice of a joint that keeps its motor and its gear."""
    return _columns(basis, (Choice(motor, None, kept=True),), (_kept_box(basis, catalogue),), ambient, life)


def candidates(
    basis: DriveBasis, catalogue: Catalogue, ambient: float | None = None, life: float | None = None
) -> Candidates:
    """The choices of a joint; sheets that lack a number which every drive or its limits need are passed over.

    Args:
        basis: what a drive does to the forces.
        catalogue: what there is.
        ambient: temperature of the air [K]; that of the sheets unless given.
        life: that the task requires of gearboxes [h].
    """
    whole = able(catalogue, life)
    motors, boxes = whole.motors.values(), whole.gearboxes.values()
    paired = [Choice(motor, box) for motor in motors for box in boxes]
    choices = sorted(
        paired if basis.gear is None else (Choice(motor, None) for motor in motors), key=lambda one: one.mass
    )
    if not choices:
        raise InputError(" ".join([NONE_ABLE, *passed_over(catalogue, life)]))
    stays = _kept_box(basis, catalogue)
    return _columns(basis, tuple(choices), tuple(one.gearbox or stays for one in choices), ambient, life)


NONE_ABLE = (
    "size_drives: no motor and gearbox of the catalogue print all that a drive and its limits need. Add a file of your "
    "own, fill in what is missing, or assume an efficiency."
)


def _kept_box(basis: DriveBasis, catalogue: Catalogue) -> GearboxSheet | None:
    """The data sheet of a gear that stays, if it names one."""
    return catalogue.gearboxes.get(getattr(basis.gear, "catalogue", None) or "")


def _columns(
    basis: DriveBasis,
    choices: tuple[Choice, ...],
    rated: Sequence[GearboxSheet | None],
    ambient: float | None,
    life: float | None,
) -> Candidates:
    """The numbers of choices; `rated` are the sheets whose limits hold, of gearboxes chosen or kept."""

    def of(*numbers: float | None, empty: float = inf) -> Array:
        return np.array([empty if x is None else x for x in numbers])

    motors = [one.motor for one in choices]
    boxes = [one.gearbox for one in choices]
    losses = [_losses(basis, box) for box in boxes]
    heats = [sheet.heat for sheet in motors]
    return Candidates(
        basis,
        choices,
        mass=np.array([one.mass for one in choices]),
        price=np.array([one.price for one in choices]),
        inertia=np.array([one.inertia for one in choices]),
        ratio=np.array([_ratio(basis, box) for box in boxes]),
        efficiency=np.array([one[0] for one in losses]),
        back_efficiency=np.array([one[1] for one in losses]),
        no_load=np.array([one[2] for one in losses]),
        constant=of(*(sheet.torque_constant for sheet in motors)),
        resistance=of(*(sheet.resistance for sheet in motors)),
        coulomb=np.array([sheet.friction for sheet in motors]),
        viscous=of(*(sheet.viscous_friction for sheet in motors), empty=0.0),
        thermal=np.array([nan if heat is None else heat.winding_housing + heat.housing_ambient for heat in heats]),
        copper=np.array([nan if heat is None else heat.copper for heat in heats]),
        reference=np.array([nan if heat is None else heat.reference for heat in heats]),
        ambient=np.array([ambient or (nan if heat is None else heat.ambient) for heat in heats]),
        life_exponent=of(*_numbers(rated, "life_exponent"), empty=3.0),
        limits={
            **{name: np.full(len(choices), limit) for name, limit in basis.limits.items() if name != VOLTAGE},
            **({} if life is None else {LIFE: np.array([_wear(box, life) for box in rated])}),
            "peak motor torque": of(*(sheet.peak_torque for sheet in motors)),
            "motor speed": of(*(sheet.peak_speed for sheet in motors)),
            VOLTAGE: np.minimum(of(*(sheet.voltage for sheet in motors)), basis.limits.get(VOLTAGE, inf)),
            "continuous motor torque": of(*(sheet.continuous_torque for sheet in motors)),
            "continuous motor speed": of(*(sheet.continuous_speed for sheet in motors)),
            WINDING: np.array([_heating_limit(sheet, ambient) for sheet in motors]),
            "gearbox peak torque": of(*_numbers(rated, "peak_torque")),
            "gearbox mean torque": of(*_numbers(rated, "rated_torque")),
            "gearbox input speed": of(*_numbers(rated, "peak_input_speed")),
            "gearbox mean input speed": of(*_numbers(rated, "rated_input_speed")),
        },
    )


def _numbers(boxes: Sequence[GearboxSheet | None], word: str) -> list[float | None]:
    return [None if box is None else getattr(box, word) for box in boxes]


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
    over = OfArrays(motion.t)
    found = drive_demand(some.article, load, own, motion.v[:, at], ARRAYS)
    values = compared(found, some.article, over)
    return Screening(
        {name: values[name] / limit for name, limit in some.limits.items()},
        energy=over.span * over.mean(found.voltage * found.current),
        temperature=some.warmed(values[WINDING]),
    )
