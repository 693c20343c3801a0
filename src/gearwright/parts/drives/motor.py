"""Motors: the rotor as a body of revolution, and the data sheet."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import OptionalMatrix, OptionalVector, Scalar, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError, SpinError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.friction import Friction, combined_friction
from gearwright.parts.drives.thermal import Heat


@check_arguments
@dataclass(frozen=True)
class Cogging:
    r"""Cogging torque between stator teeth and magnets, without current: $A \sin(n \theta + \varphi)$.

    Args:
        amplitude: of the torque, A [Nm].
        periods: n per turn of the rotor (the least common multiple of poles and slots).
        phase: $\varphi$, at angle 0 [rad].
    """

    amplitude: Scalar
    periods: Scalar
    phase: Scalar = 0.0

    def __post_init__(self) -> None:
        require_at_least("cogging", 0.0, amplitude=self.amplitude)
        require_at_least("cogging", 0.0, above=True, periods=self.periods)


@check_arguments
@dataclass(frozen=True)
class Ripple:
    r"""Torque ripple, $K (1 + f \sin(n \theta + \varphi))$ over a turn; the back-EMF has the same shape.

    Args:
        fraction: f, from 0 to below 1.
        periods: n per turn of the rotor.
        phase: $\varphi$, at angle 0 [rad].
    """

    fraction: Scalar
    periods: Scalar
    phase: Scalar = 0.0

    def __post_init__(self) -> None:
        require_at_least("ripple", 0.0, fraction=self.fraction)
        require_at_least("ripple", 0.0, above=True, periods=self.periods)
        if is_number(self.fraction) and self.fraction >= 1:
            raise DriveError(
                f"ripple: fraction {self.fraction} would reverse the sign of the torque. Give a number below 1, such "
                f"as 0.02."
            )


@check_arguments
@dataclass(frozen=True)
class Motor:
    """A motor on the link that carries its stator.

    Args:
        inertia: axial inertia of the rotor [kg m2], at the motor side as data sheets give it.
        mass: mass of the rotor [kg].
        transverse_inertia: inertia about a transverse axis through the centre of mass [kg m2]; by default half the
            axial inertia (a thin disc).
        position: centre of mass of rotor and stator in the carrying link's frame [m]. By default the origin of the
            driven joint, and in a train the position of the rotor's wheel. Required for a motor with mass on a link
            that is not adjacent to the driven joint. (0, 0, 0) is that link's origin.
        tensor: instead of the two inertias, the full tensor about the centre of mass in the carrier's axes, (3, 3).
        com: centre of mass, if `position` is another point of the axis; it must lie on the axis.
        included: whether the inertia of the carrying link already contains the motor (rotor and stator).
        coupling: coupling inertia if it differs from the axial one [kg m2]; 0 if only the reflected inertia
            ("armature") is known: it stores energy, without a reaction on the carrier.
        torque_constant: [Nm/A], equal to the back-EMF constant [Vs/rad] and to 1/kv in SI units. Files may give any of
            them, also per phase or line (`motor_constant`).
        resistance: between the terminals [Ohm].
        inductance: between the terminals [H]; None or 0: the current follows without delay.
        max_torque: limit of the electronics at the motor shaft [Nm]; not the stall torque, which is derived.
        max_speed: limit of the electronics at the motor shaft [rad/s], which a load may exceed; not the no-load speed,
            which follows from the voltage.
        catalogue: name of the catalogue entry it came from.
        max_voltage: limit of the terminal voltage by the electronics [V].
        max_current: limit of the current by the electronics [A].
        max_current_rate: limit of the rate of the current [A/s]; needs an inductance.
        damping: viscous friction at the motor shaft [Nms/rad].
        friction: Coulomb friction at the motor shaft [Nm], or a Friction.
        cogging: cogging torque of the stator teeth.
        ripple: variation of the torque constant over a turn.
        heat: thermal model.
        stator_mass: mass of the non-rotating parts [kg], a point mass on the carrying link at the motor's position.
        motor_mass: alternatively the mass of the complete motor [kg], rotor and stator, as printed on data sheets;
            without the rotor's `mass` all of it counts as stator mass.

    >>> Motor(1e-4, mass=0.3, motor_mass=1.2).mass_at_rest
    0.8999999999999999
    >>> round(Motor(torque_constant=0.0538).kv * 60 / (2 * 3.141592653589793), 1)    # rpm/V
    177.5
    """

    inertia: Scalar = 0.0
    mass: Scalar = 0.0
    transverse_inertia: Scalar | None = None
    position: OptionalVector = None
    tensor: OptionalMatrix = None
    com: OptionalVector = None
    included: bool = False
    coupling: Scalar | None = None
    torque_constant: Scalar | None = None
    resistance: Scalar | None = None
    inductance: Scalar | None = None
    max_torque: Scalar | None = None
    max_speed: Scalar | None = None
    catalogue: str | None = None
    max_voltage: Scalar | None = None
    max_current: Scalar | None = None
    max_current_rate: Scalar | None = None
    damping: Scalar = 0.0
    friction: Scalar | Friction = 0.0
    cogging: Cogging | None = None
    ripple: Ripple | None = None
    heat: Heat | None = None
    stator_mass: Scalar = 0.0
    motor_mass: Scalar | None = None

    def __post_init__(self) -> None:
        self._check_rotor()
        self._check_masses()
        self._check_winding()
        for word, kind in {"cogging": Cogging, "ripple": Ripple, "heat": Heat}.items():
            if getattr(self, word) is not None:
                require_kind("motor", word, getattr(self, word), kind)
        combined_friction(self.friction, self.damping)

    @property
    def kv(self) -> Scalar | None:
        """The speed constant 1/K [rad/s/V]."""
        return None if self.torque_constant is None else 1 / self.torque_constant

    @property
    def torque_limit(self) -> Scalar | None:
        """Limit of the torque by the electronics [Nm]: `max_torque` or that of `max_current`; None if unlimited."""
        limits = [self.max_torque]
        if self.max_current is not None and self.torque_constant is not None:
            limits.append(self.max_current * self.torque_constant)
        return min((x for x in limits if x is not None), default=None)

    @property
    def mass_at_rest(self) -> Scalar:
        """Mass of the stator [kg]: as given, or the mass of the complete motor minus that of its rotor."""
        return self.stator_mass if self.motor_mass is None else self.motor_mass - self.mass

    @property
    def has_inductance(self) -> bool:
        """Whether the current is a state variable."""
        return self.inductance is not None and not is_zero(self.inductance)

    @property
    def total_friction(self) -> Friction:
        """Friction and damping at the motor shaft, as one part."""
        return combined_friction(self.friction, self.damping)

    def _check_winding(self) -> None:
        require_at_least("motor", 0.0, above=True, torque_constant=self.torque_constant)
        limits = ("max_torque", "max_speed", "max_voltage", "max_current", "max_current_rate")
        data = ("resistance", "inductance", *limits)
        require_at_least("motor", 0.0, **{word: getattr(self, word) for word in data})
        if self.max_current_rate is not None and not self.has_inductance:
            raise DriveError(
                f"motor: max_current_rate {self.max_current_rate} A/s without an inductance. Without it the current "
                f"follows without delay. Give the inductance, or leave the limit out."
            )

    def _check_masses(self) -> None:
        require_at_least("motor", 0.0, stator_mass=self.stator_mass, motor_mass=self.motor_mass)
        if self.motor_mass is None:
            return
        if not is_zero(self.stator_mass):
            raise DriveError(
                f"motor: both motor_mass {self.motor_mass} kg (rotor and stator) and stator_mass {self.stator_mass} "
                f"kg are given. Keep one of them, in addition to the rotor's mass."
            )
        if is_number(self.mass_at_rest) and self.mass_at_rest < 0:
            raise DriveError(
                f"motor: the rotor's mass {self.mass} kg exceeds motor_mass {self.motor_mass} kg, the mass of the "
                f"complete motor. Check both, or give stator_mass instead."
            )

    def _check_rotor(self) -> None:
        for name in ("inertia", "mass"):
            value = getattr(self, name)
            if is_number(value) and value < 0:
                raise SpinError(f"motor: rotor {name} {value} is negative. Give 0 or more.")
        across = self.transverse_inertia
        if (
            across is not None
            and is_number(across)
            and is_number(self.inertia)
            and self.inertia > 2 * across * (1 + 1e-6)
        ):
            raise SpinError(
                f"motor: axial inertia {self.inertia} is more than twice the transverse inertia {across} kg m2, which "
                f"is physically impossible (the limit, exactly twice, is a thin disc). Check both numbers, or leave "
                f"the transverse one out."
            )
