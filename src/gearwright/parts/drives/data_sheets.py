"""Data sheets of motors and gearboxes: the data of one catalogue entry, and the parts made from them.

A number that a sheet does not print is None; no value is guessed. `motor()` and `gear()` report the numbers that they
need and that are missing.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.parts.drives.data_sheet_ranges import invalid_values
from gearwright.parts.drives.motor import Motor
from gearwright.parts.drives.thermal import Heat
from gearwright.parts.gears.gear import Gear
from gearwright.text import listed_names


@check_arguments
@dataclass(frozen=True, kw_only=True)
class DataSheet:
    """The data common to every catalogue entry.

    Args:
        key: its name in the catalogue, unique.
        manufacturer: name of the manufacturer; "generic" for an entry of a family made by scaling laws.
        article: the manufacturer's part number.
        name: the manufacturer's designation.
        kind: "DC" or "BLDC" of a motor; "planetary", "harmonic", ... of a gearbox.
        mass: of the complete motor or gearbox [kg].
        inertia: axial inertia of the parts that turn with the motor's shaft [kg m2].
        outer_diameter: of the housing [m].
        flange: designation of a motor's mounting face, such as "NEMA23"; for a gearbox those of the compatible motors,
            separated by semicolons.
        price: in the currency of the user's own file.
        source: origin of the data.
        note: remarks on fields whose meaning differs from the usual one.
    """

    key: str
    manufacturer: str = ""
    article: str = ""
    name: str = ""
    kind: str = ""
    mass: float | None = None
    inertia: float | None = None
    outer_diameter: float | None = None
    flange: str = ""
    price: float | None = None
    source: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for word, rule in invalid_values(vars(self)):
            raise DriveError(f"data sheet {self.key!r}: {word}={getattr(self, word)!r} {rule}. Check value and units.")

    @property
    def missing_fields(self) -> tuple[str, ...]:
        """The names of the fields that the data sheet does not state."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is None)

    def require_fields(self, purpose: str, *words: str) -> None:
        """Raise an error if fields that are needed for a purpose are missing.

        >>> MotorSheet(key="m1").require_fields("a motor", "inertia")
        Traceback (most recent call last):
        gearwright.errors.DriveError: data sheet 'm1' does not print inertia, which a motor needs. Choose another.
        """
        missing = [word for word in words if getattr(self, word) is None]
        if missing:
            raise DriveError(
                f"data sheet {self.key!r} does not print {listed_names(missing)}, which {purpose} needs. Choose "
                "another."
            )


@check_arguments
@dataclass(frozen=True, kw_only=True)
class MotorSheet(DataSheet):
    """The data sheet of a motor.

    Args:
        voltage: nominal [V].
        torque_constant: [Nm/A].
        speed_constant: [rad/s/V]; the reciprocal of the torque constant, as printed separately on the sheet.
        resistance: between the terminals [Ohm].
        inductance: between the terminals [H].
        mechanical_time_constant: of the rotor alone at a constant voltage [s].
        no_load_speed: at the nominal voltage [rad/s].
        no_load_current: [A].
        nominal_current: largest continuous current [A].
        nominal_speed: [rad/s].
        nominal_torque: largest continuous torque [Nm].
        stall_torque: at the nominal voltage [Nm].
        peak_torque: for a short time [Nm].
        peak_speed: [rad/s].
        continuous_speed: [rad/s].
        continuous_power: [W].
        coulomb_friction: [Nm].
        viscous_friction: [Nms/rad].
        winding_housing, housing_ambient: thermal resistances [K/W].
        winding_time_constant, housing_time_constant: thermal [s].
        max_winding_temperature: [K].
        pole_pairs: of the rotor.
        shaft_diameter: [m].
    """

    voltage: float | None = None
    torque_constant: float | None = None
    speed_constant: float | None = None
    resistance: float | None = None
    inductance: float | None = None
    mechanical_time_constant: float | None = None
    no_load_speed: float | None = None
    no_load_current: float | None = None
    nominal_current: float | None = None
    nominal_speed: float | None = None
    nominal_torque: float | None = None
    stall_torque: float | None = None
    peak_torque: float | None = None
    peak_speed: float | None = None
    continuous_speed: float | None = None
    continuous_power: float | None = None
    coulomb_friction: float | None = None
    viscous_friction: float | None = None
    winding_housing: float | None = None
    housing_ambient: float | None = None
    winding_time_constant: float | None = None
    housing_time_constant: float | None = None
    max_winding_temperature: float | None = None
    pole_pairs: float | None = None
    shaft_diameter: float | None = None

    @property
    def continuous_torque(self) -> float | None:
        """Continuous torque [Nm]: as printed, or the torque constant times the nominal current."""
        if self.nominal_torque is not None:
            return self.nominal_torque
        if self.torque_constant is None or self.nominal_current is None:
            return None
        return self.torque_constant * self.nominal_current

    @property
    def top_speed(self) -> float | None:
        """Maximum speed [rad/s]: as printed, or the no-load speed."""
        return next((x for x in (self.peak_speed, self.continuous_speed, self.no_load_speed) if x is not None), None)

    @property
    def friction(self) -> float:
        """Coulomb friction of the shaft [Nm]: as printed, or the torque of the no-load current."""
        if self.coulomb_friction is not None:
            return self.coulomb_friction
        if self.torque_constant is None or self.no_load_current is None:
            return 0.0
        return self.torque_constant * self.no_load_current

    @property
    def heat(self) -> Heat | None:
        """The thermal model, if the sheet prints both thermal resistances and both time constants."""
        printed = (
            self.winding_housing,
            self.housing_ambient,
            self.winding_time_constant,
            self.housing_time_constant,
        )
        if any(x is None for x in printed):
            return None
        winding_housing, housing_ambient, winding, housing = (float(x) for x in printed if x is not None)
        return Heat(
            winding_housing,
            housing_ambient,
            winding / winding_housing,
            housing / housing_ambient,
            max_temperature=self.max_winding_temperature,
        )

    def motor(self, **words: Any) -> Motor:
        """Return the motor of a drive; `words` replace or complete data of the sheet, such as `mass` of the rotor.

        >>> sheet = MotorSheet(key="m1", inertia=1e-5, mass=0.4, torque_constant=0.05, resistance=1.0)
        >>> sheet.motor().motor_mass
        0.4
        """
        self.require_fields("a motor", "inertia")
        stated: dict[str, Any] = {
            "inertia": self.inertia,
            "motor_mass": self.mass,
            "torque_constant": self.torque_constant,
            "resistance": self.resistance,
            "inductance": self.inductance,
            "max_voltage": self.voltage,
            "max_torque": self.peak_torque,
            "max_speed": self.peak_speed,
            "friction": self.friction,
            "damping": self.viscous_friction or 0.0,
            "heat": self.heat,
            "catalogue": self.key,
        }
        return Motor(**{**stated, **words})


@check_arguments
@dataclass(frozen=True, kw_only=True)
class GearboxSheet(DataSheet):
    """The data sheet of a gearbox; torques and stiffness are those of its output.

    Args:
        stages: number of stages.
        ratio: input speed / output speed, without its sign.
        direction: 1 if both shafts turn in the same direction, -1 if not; None if the sheet does not print it: then
            that of a gear of the same kind defined by its teeth, see `signed_ratio`.
        ratio_exact: the ratio as a fraction of tooth numbers.
        efficiency: above 0, at most 1.
        peak_torque: repeated peaks [Nm].
        rated_torque: continuous torque, or torque at the rated life [Nm].
        momentary_torque: emergency-stop torque [Nm].
        peak_input_speed, rated_input_speed: [rad/s].
        backlash: [rad].
        stiffness: [Nm/rad].
        starting_torque, backdriving_torque: without load, at input and output [Nm].
        life: rated life L10 at the rated torque and `life_speed` [h].
        life_speed: input speed at which the life is rated [rad/s].
        life_exponent: 3 for ball bearings, 10/3 for rollers.
        max_motor_shaft: largest motor shaft diameter that fits the input [m].
        radial_load: permissible radial load of the output shaft [N], at `radial_load_distance`.
        radial_load_distance: from the output flange at which the radial load acts [m].
        axial_load: permissible axial load of the output shaft [N].
        tilting_moment: permissible moment perpendicular to the output axis [Nm], about the output flange.
    """

    stages: float | None = None
    ratio: float | None = None
    direction: int | None = None
    ratio_exact: str = ""
    efficiency: float | None = None
    peak_torque: float | None = None
    rated_torque: float | None = None
    momentary_torque: float | None = None
    peak_input_speed: float | None = None
    rated_input_speed: float | None = None
    backlash: float | None = None
    stiffness: float | None = None
    starting_torque: float | None = None
    backdriving_torque: float | None = None
    life: float | None = None
    life_speed: float | None = None
    life_exponent: float | None = None
    max_motor_shaft: float | None = None
    radial_load: float | None = None
    radial_load_distance: float | None = None
    axial_load: float | None = None
    tilting_moment: float | None = None

    @property
    def signed_ratio(self) -> float | None:
        """Signed ratio input speed / output speed, for axes of the same direction; None if no ratio is printed.

        A direction that is not printed is that of a gear of the same kind defined by its teeth: a harmonic drive with a
            fixed circular spline reverses the direction, as does every stage of external spur gears.

        >>> GearboxSheet(key="g1", kind="harmonic", ratio=100.0).signed_ratio
        -100.0
        """
        if self.ratio is None:
            return None
        reversals = {"harmonic": 1, "spur": int(self.stages or 0)}.get(self.kind, 0)
        return ((-1) ** reversals if self.direction is None else self.direction) * self.ratio

    def gear(self, elastic: bool = False, **words: Any) -> Gear:
        """Return the gear of a drive, rigid unless `elastic`; `words` replace data of the sheet.

        >>> GearboxSheet(key="g1", ratio=50.0, inertia=1e-6, efficiency=0.8).gear().ratio
        50.0
        """
        self.require_fields("a gear", "ratio")
        if elastic:
            self.require_fields("an elastic gear", "stiffness")
        stated: dict[str, Any] = {
            "ratio": self.signed_ratio,
            "inertia": self.inertia or 0.0,
            "efficiency": self.efficiency,
            "stiffness": self.stiffness if elastic else None,
            "mass": self.mass or 0.0,
            "catalogue": self.key,
        }
        return Gear(**{**stated, **words})
