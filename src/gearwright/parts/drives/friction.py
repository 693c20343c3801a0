"""Friction of a bearing or seal, at the motor's shaft or at a joint."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.thermal import require_kelvin

LARGEST_TEMPERATURE_COEFFICIENT = 0.2
"""Largest temperature coefficient of a viscosity [1/K]; mineral oils at -20 degrees Celsius reach 0.15."""


@check_arguments
@dataclass(frozen=True)
class LoadFriction:
    r"""Friction of a geared motor that grows with the transmitted torque, as fractions of it.

    T is the torque of the motor after acceleration of the rotor and O the torque that reaches the joint, both at the
    motor side, and $S = e^{-|\omega/\omega_S|^\alpha}$. To the friction at the motor shaft this adds

    $|\mu_m T + \mu_j O|$ with $\mu_m = m + S m_S$ and $\mu_j = j + S j_S$,

    and, where T and O have the same sign, $S q_j O^2$ while the motor drives and $S q_m T^2$ while the joint drives. At
    constant speed these are the models M3 to M6 of Duclusaud, Passault, Padois and Ly (2025), where O is the external
    torque. Driving, the efficiency is $(1 - \mu_m)/(1 + \mu_j)$, back-driving it is $(1 - \mu_j)/(1 + \mu_m)$.

    Args:
        motor: fraction of the motor's torque, m, below 1.
        joint: fraction of the joint's torque, j, below 1.
        motor_stribeck: the same at low speed, in addition, $m_S$.
        joint_stribeck: the same at low speed, in addition, $j_S$.
        motor_quadratic: friction per squared torque at low speed while the joint drives, $q_m$ [1/Nm].
        joint_quadratic: friction per squared torque at low speed while the motor drives, $q_j$ [1/Nm].
        lag: time constant with which the quadratic terms follow the torque [s].

    >>> LoadFriction(motor=0.2, joint=0.1).motor
    0.2
    """

    motor: Scalar = 0.0
    joint: Scalar = 0.0
    motor_stribeck: Scalar = 0.0
    joint_stribeck: Scalar = 0.0
    motor_quadratic: Scalar | None = None
    joint_quadratic: Scalar | None = None
    lag: Scalar = 2e-3

    def __post_init__(self) -> None:
        words = ("motor", "joint", "motor_stribeck", "joint_stribeck", "motor_quadratic", "joint_quadratic")
        require_at_least("load friction", 0.0, **{word: getattr(self, word) for word in words})
        require_at_least("load friction", 0.0, above=True, lag=self.lag)
        for word in ("motor", "joint"):
            total = getattr(self, word) + getattr(self, f"{word}_stribeck")
            if is_number(total) and total >= 1:
                raise DriveError(
                    f"load friction: {word} and {word}_stribeck are {total} of the torque together, at least 1: the "
                    "gear would transmit none. Give shares with a sum below 1; a self-locking gear is given by its "
                    "efficiency."
                )

    @property
    def has_memory(self) -> bool:
        """Whether it has quadratic terms, which follow the torque with a lag."""
        return self.motor_quadratic is not None or self.joint_quadratic is not None


@check_arguments
@dataclass(frozen=True)
class Lubricant:
    r"""Viscous friction that falls as the lubricant warms up: $d(T) = d \, e^{-\beta (T - T_0)}$ (Reynolds).

    The temperature T is an input of the friction law, `<law>.temperature` [K], or with a heat `capacity` a state that
    the power P lost in this friction heats: $C \dot T = P - (T - T_a) / R$.

    Args:
        temperature_coefficient: $\beta$ [1/K]; 0.02 to 0.05 for greases and oils of gears.
        reference: temperature $T_0$ at which the viscous friction is stated [K].
        capacity: heat capacity C of gear and lubricant [J/K]; None: the temperature is an input.
        lubricant_ambient: thermal resistance R to the air [K/W].
        ambient: temperature of the air $T_a$, and initial temperature [K].

    >>> Friction(viscous=0.5, lubricant=Lubricant(0.03, reference=313.15)).lubricant.reference
    313.15
    """

    temperature_coefficient: Scalar
    reference: Scalar = 298.15
    capacity: Scalar | None = None
    lubricant_ambient: Scalar = 1.0
    ambient: Scalar = 298.15

    def __post_init__(self) -> None:
        coefficient = self.temperature_coefficient
        require_at_least("lubricant", 0.0, temperature_coefficient=coefficient)
        if is_number(coefficient) and coefficient > LARGEST_TEMPERATURE_COEFFICIENT:
            raise DriveError(
                f"lubricant: temperature_coefficient {coefficient} 1/K is above {LARGEST_TEMPERATURE_COEFFICIENT}: its "
                "viscosity would fall to a third within 5 K. Give a number such as 0.03."
            )
        words = ("capacity", "lubricant_ambient")
        require_at_least("lubricant", 0.0, above=True, **{word: getattr(self, word) for word in words})
        require_kelvin("lubricant", reference=self.reference, ambient=self.ambient)


@check_arguments
@dataclass(frozen=True)
class Friction:
    r"""Viscous, Coulomb, Stribeck, LuGre or load-dependent friction; the given parameters determine the model.

    While sliding with the speed $\omega$, the friction against the motion is

    $\mathrm{sign}(\omega) (F_C + (F_S - F_C) e^{-|\omega/\omega_S|^\alpha}) + d \omega$,

    and at rest any value up to $F_S$. With a bristle `stiffness` $\sigma_0$ (and `damping` $\sigma_1$) it is the LuGre
    model: bristles deflect by z with $\dot z = \omega - \sigma_0 |\omega| z / g(\omega)$, where g is the bracket above,
    and friction is $\sigma_0 z + \sigma_1 \dot z + d \omega$.

    Args:
        coulomb: friction while sliding, $F_C$ [Nm or N].
        viscous: per speed, d [Nms/rad or Ns/m].
        static: breakaway friction, $F_S$ [Nm or N]; by default the Coulomb friction.
        stribeck_speed: speed over which static falls to Coulomb friction, $\omega_S$ [rad/s or m/s]; None: immediately.
        stiffness: of the bristles, $\sigma_0$ [Nm/rad or N/m]: makes it the LuGre model.
        damping: of the bristles, $\sigma_1$ [Nms/rad or Ns/m].
        stribeck_exponent: $\alpha$ of the Stribeck transition, at least 0.5.
        load: friction in proportion to the transmitted torque, for the friction of a motor. With bristles it widens
            their range.
        lubricant: temperature dependence of the viscous friction; None: constant.

    >>> Friction(coulomb=0.2, static=0.3, stribeck_speed=0.1).kind
    'stribeck'
    """

    coulomb: Scalar = 0.0
    viscous: Scalar = 0.0
    static: Scalar | None = None
    stribeck_speed: Scalar | None = None
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    stribeck_exponent: Scalar = 2.0
    load: LoadFriction | None = None
    lubricant: Lubricant | None = None

    def __post_init__(self) -> None:
        words = ("coulomb", "viscous", "static", "damping")
        require_at_least("friction", 0.0, **{word: getattr(self, word) for word in words})
        require_at_least("friction", 0.0, above=True, stribeck_speed=self.stribeck_speed, stiffness=self.stiffness)
        require_at_least("friction", 0.5, stribeck_exponent=self.stribeck_exponent)
        if is_number(self.static) and is_number(self.coulomb) and self.static < self.coulomb:
            raise DriveError(
                f"friction: static {self.static} is less than coulomb {self.coulomb}. The breakaway friction is at "
                f"least the sliding friction. Swap them, or leave `static` out."
            )
        if self.stiffness is not None and self.has_stiction and self.stribeck_speed is None:
            raise DriveError(
                f"friction: with bristles (stiffness {self.stiffness}) static {self.static} above coulomb "
                f"{self.coulomb} needs a stribeck_speed. Give one, or leave `static` out."
            )
        if self.stiffness is not None and is_zero(self.coulomb):
            raise DriveError(
                f"friction: bristles of stiffness {self.stiffness} with coulomb 0 transmit no force. Give a coulomb "
                f"friction above 0."
            )
        if self.stiffness is None and not is_zero(self.damping):
            raise DriveError(
                f"friction: `damping` {self.damping} is that of the bristles, which need a `stiffness`. Give one for "
                "the LuGre model, or call it `viscous`."
            )
        if self.lubricant is not None:
            require_kind("friction", "lubricant", self.lubricant, Lubricant)
        if self.load is not None:
            require_kind("friction", "load", self.load, LoadFriction)
            if not is_zero(self.damping):
                raise DriveError(
                    f"friction: `damping` {self.damping} of bristles whose range depends on the load is not defined. "
                    "Give `viscous` friction instead, or leave `load` out."
                )

    @property
    def has_stiction(self) -> bool:
        """Whether the sliding friction is less than the breakaway friction."""
        return self.static is not None and not is_zero(self.static - self.coulomb)

    @property
    def breakaway_friction(self) -> Scalar:
        """The breakaway friction [Nm or N]."""
        return self.coulomb if self.static is None else self.static

    @property
    def kind(self) -> str:
        """none, viscous, coulomb, stribeck, lugre or load."""
        if self.load is not None:
            return "load"
        if self.stiffness is not None:
            return "lugre"
        if self.has_stiction:
            return "stribeck"
        if not is_zero(self.coulomb):
            return "coulomb"
        return "none" if is_zero(self.viscous) else "viscous"


def combined_friction(friction: Scalar | Friction, damping: Scalar) -> Friction:
    """Return the friction of a part: a number is the Coulomb friction; `damping` is additional viscous friction.

    >>> combined_friction(Friction(coulomb=0.5, viscous=0.2), 0.1).viscous
    0.30000000000000004
    """
    if not isinstance(friction, Friction):
        return Friction(friction, damping)
    return friction if is_zero(damping) else replace(friction, viscous=friction.viscous + damping)
