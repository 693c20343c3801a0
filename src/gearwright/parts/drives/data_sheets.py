"""Data sheets of motors and gearboxes: what a catalogue prints about one article, and the parts it makes.

A number that a sheet does not print is None and stays so: nothing is guessed. `motor()` and `gear()` say what they
need and do not find.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from gearwright.errors import DriveError
from gearwright.parts.drives.data_sheet_ranges import impossible
from gearwright.parts.drives.motor import Motor
from gearwright.parts.drives.thermal import Heat
from gearwright.parts.gears.gear import Gear
from gearwright.text import listed


@dataclass(frozen=True, kw_only=True)
class DataSheet:
    """What every article of a catalogue has.

    Args:
        key: its name in the catalogue, unique.
        manufacturer: who makes it; "generic" for one of a family that follows from scaling laws.
        article: the manufacturer's own number.
        name: what the manufacturer calls it.
        kind: "DC" or "BLDC" of a motor; "planetary", "harmonic", ... of a gearbox.
        mass: of the whole article [kg].
        inertia: axial inertia of what turns with the motor's shaft [kg m2].
        outer_diameter: of the housing [m].
        flange: of a motor the designation of its mounting face, such as "NEMA23"; of a gearbox those of the motors that
            it takes, separated by semicolons.
        price: in the currency of the user's own file.
        source: where its numbers come from.
        note: what its numbers mean where it differs from what they are called.
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
        for word, rule in impossible(vars(self)):
            raise DriveError(f"data sheet {self.key!r}: {word}={getattr(self, word)!r} {rule}. Check value and units.")

    @property
    def empty(self) -> tuple[str, ...]:
        """The numbers that the sheet does not print."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is None)

    def require(self, purpose: str, *words: str) -> None:
        """Refuse a purpose for which numbers are missing.

        >>> MotorSheet(key="m1").require("a motor", "inertia")
        Traceback (most recent call last):
        gearwright.errors.DriveError: data sheet 'm1' does not print inertia, which a motor needs. Choose another.
        """
        missing = [word for word in words if getattr(self, word) is None]
        if missing:
            raise DriveError(
                f"data sheet {self.key!r} does not print {listed(missing)}, which {purpose} needs. Choose another."
            )


@dataclass(frozen=True, kw_only=True)
class MotorSheet(DataSheet):
    """The data sheet of a motor.

    Args:
        voltage: nominal [V].
        torque_constant: [Nm/A].
        speed_constant: [rad/s/V]; one over the torque constant, as a second figure of the sheet.
        resistance: between the terminals [Ohm].
        inductance: between the terminals [H].
        mechanical_time_constant: of the rotor alone at a constant voltage [s].
        no_load_speed: at the nominal voltage [rad/s].
        no_load_current: [A].
        nominal_current: that it bears for ever [A].
        nominal_speed: [rad/s].
        nominal_torque: that it gives for ever [Nm].
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
        """What it gives for ever [Nm]: as printed, or the torque constant times the nominal current."""
        if self.nominal_torque is not None:
            return self.nominal_torque
        if self.torque_constant is None or self.nominal_current is None:
            return None
        return self.torque_constant * self.nominal_current

    @property
    def top_speed(self) -> float | None:
        """The speed that it must not exceed [rad/s]: as printed, or the one without load."""
        return next((x for x in (self.peak_speed, self.continuous_speed, self.no_load_speed) if x is not None), None)

    @property
    def friction(self) -> float:
        """Coulomb friction of the shaft [Nm]: as printed, or what the current without load overcomes."""
        if self.coulomb_friction is not None:
            return self.coulomb_friction
        if self.torque_constant is None or self.no_load_current is None:
            return 0.0
        return self.torque_constant * self.no_load_current

    @property
    def heat(self) -> Heat | None:
        """How it gets warm, if the sheet prints both resistances and both time constants."""
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
        """The motor of a drive; `words` replace or add what the sheet does not say, such as `mass` of the rotor.

        >>> sheet = MotorSheet(key="m1", inertia=1e-5, mass=0.4, torque_constant=0.05, resistance=1.0)
        >>> sheet.motor().motor_mass
        0.4
        """
        self.require("a motor", "inertia")
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


@dataclass(frozen=True, kw_only=True)
class GearboxSheet(DataSheet):
    """The data sheet of a gearbox; torques and stiffness are those of its output.

    Args:
        stages: how many.
        ratio: input speed / output speed, without its sign.
        direction: 1 when both shafts turn the same way, -1 when not; None where the sheet does not print it: then that
            of a drawn gear of its kind, see `signed_ratio`.
        ratio_exact: the same as a fraction of numbers of teeth.
        efficiency: above 0, at most 1.
        peak_torque: repeated peaks [Nm].
        rated_torque: for ever, or at the rated life [Nm].
        momentary_torque: in an emergency [Nm].
        peak_input_speed, rated_input_speed: [rad/s].
        backlash: [rad].
        stiffness: [Nm/rad].
        starting_torque, backdriving_torque: without load, at input and output [Nm].
        life: rated life L10 at the rated torque and `life_speed` [h].
        life_speed: input speed at which the life is rated [rad/s].
        life_exponent: 3 for ball bearings, 10/3 for rollers.
        max_motor_shaft: diameter of the thickest motor shaft that the input takes [m].
        radial_load: permissible radial load of the output shaft [N], at `radial_load_distance`.
        radial_load_distance: from the output flange at which the radial load acts [m].
        axial_load: permissible axial load of the output shaft [N].
        tilting_moment: permissible moment across the output axis [Nm], about the output flange.
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
        """Input speed / output speed with its sign, for axes that point the same way; None where no ratio is printed.

        A direction that is not printed is that of the drawn gear of the same kind: a harmonic drive with its circular
        spline held turns its output backwards, and so does every stage of external spur gears.

        >>> GearboxSheet(key="g1", kind="harmonic", ratio=100.0).signed_ratio
        -100.0
        """
        if self.ratio is None:
            return None
        reversals = {"harmonic": 1, "spur": int(self.stages or 0)}.get(self.kind, 0)
        return ((-1) ** reversals if self.direction is None else self.direction) * self.ratio

    def gear(self, elastic: bool = False, **words: Any) -> Gear:
        """The gear of a drive, rigid unless `elastic`; `words` replace what the sheet says.

        >>> GearboxSheet(key="g1", ratio=50.0, inertia=1e-6, efficiency=0.8).gear().ratio
        50.0
        """
        self.require("a gear", "ratio")
        if elastic:
            self.require("an elastic gear", "stiffness")
        stated: dict[str, Any] = {
            "ratio": self.signed_ratio,
            "inertia": self.inertia or 0.0,
            "efficiency": self.efficiency,
            "stiffness": self.stiffness if elastic else None,
            "mass": self.mass or 0.0,
            "catalogue": self.key,
        }
        return Gear(**{**stated, **words})
