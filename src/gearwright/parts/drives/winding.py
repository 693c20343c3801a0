r"""Conventions of motor data, and the equivalent two-terminal winding.

A brushless motor with its electronics is a permanent-magnet DC motor at two equivalent terminals: the voltage there is
the amplitude between two lines (so that the largest is that of the DC bus), the current makes voltage times current the
electrical power. With sinusoidal currents of amplitude $\hat\imath$ in three star-connected phases of resistance $R_p$
and back-EMF amplitude $\hat e_p \omega$ power is $\tfrac32 \hat e_p \omega \hat\imath$ and Joule heat
$\tfrac32 R_p \hat\imath^2$. The lines see $\sqrt3\, \hat e_p$, so equal power requires the current
$\tfrac{\sqrt3}{2} \hat\imath$, and equal heat for the resistance $2 R_p$, which is that between two lines. The same
numbers hold for block commutation, where two phases in series carry the current. It is the equivalent DC motor of the
texts on brushless drives (Hendershot and Miller, Design of Brushless Permanent-Magnet Machines).
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from gearwright.algebra import Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import DriveError
from gearwright.text import did_you_mean

MOTOR_CONSTANT_TOLERANCE = 0.05
"""Relative tolerance between kt and kv: data sheets are rounded, and kt is measured warm, kv cold."""


class WindingConvention(NamedTuple):
    """Factors from stated data to data at the terminals.

    Args:
        resistance: factor of resistance and inductance.
        torque: motor constant K at the terminals per stated torque constant.
        emf: the same per stated back-EMF constant (1/kv).
        current: factor of currents.
        rule: relation between the stated kt and kv.
    """

    resistance: float
    torque: float
    emf: float
    current: float
    rule: str


WINDING_CONVENTIONS: dict[str, WindingConvention] = {
    "terminals": WindingConvention(1.0, 1.0, 1.0, 1.0, "kt = 1/kv"),
    "phase": WindingConvention(2.0, 2 / sqrt(3), sqrt(3), sqrt(3) / 2, "kt = 3/2 / kv"),
    "rms": WindingConvention(1.0, sqrt(2 / 3), sqrt(2), sqrt(3 / 2), "kt = sqrt(3) / kv"),
}
"""Conventions for resistance, inductance, torque constant, back-EMF constant and current.

terminals: brushed motors, and brushless ones whose sheet gives values between two lines and kv per volt of the bus.
phase: per star phase, with amplitudes of phase voltage and phase current. rms: resistance and inductance between two
lines, back-EMF constant as rms voltage between two lines, torque constant per rms phase current (servo motors).
"""


@check_arguments
def motor_constant(
    stated: str, torque_constant: Scalar | None, back_emf_constant: Scalar | None = None, kv: Scalar | None = None
) -> Scalar | None:
    """Return the motor constant K at the terminals [Nm/A = Vs/rad] from the stated constants; None without any.

    Args:
        stated: one of `WINDING_CONVENTIONS`.
        torque_constant: [Nm/A].
        back_emf_constant: [Vs/rad].
        kv: speed constant [rad/s/V].

    >>> round(motor_constant("terminals", None, kv=178 * 2 * 3.141592653589793 / 60), 5)
    0.05365

    Raises:
        DriveError: two of them contradict each other.
    """
    if stated not in WINDING_CONVENTIONS:
        raise DriveError(f"motor: stated={stated!r} is not a convention. {did_you_mean(stated, WINDING_CONVENTIONS)}")
    convention = WINDING_CONVENTIONS[stated]
    constants: list[tuple[str, Scalar]] = []
    for name, value, factor in (
        ("torque_constant", torque_constant, convention.torque),
        ("back_emf_constant", back_emf_constant, convention.emf),
        ("kv", kv, convention.emf),
    ):
        if value is not None:
            _require_positive(name, value)
            constant = factor / value if name == "kv" else factor * value
            constants.append((f"{name} {value} {MOTOR_CONSTANT_UNITS[name]}", constant))
    for text, constant in constants[1:]:
        _require_agreement(stated, constants[0], (text, constant))
    return constants[0][1] if constants else None


MOTOR_CONSTANT_UNITS = {"torque_constant": "Nm/A", "back_emf_constant": "Vs/rad", "kv": "rad/s/V"}


def at_terminals(stated: str, **values: Any) -> dict[str, Any]:
    """Return resistances, inductances and currents converted to the terminals; None stays None.

    >>> at_terminals("phase", resistance=0.5, inductance=None, max_current=10.0)
    {'resistance': 1.0, 'inductance': None, 'max_current': 8.660254037844386}
    """
    convention = WINDING_CONVENTIONS[stated]
    return {
        name: value if value is None else value * (convention.current if "current" in name else convention.resistance)
        for name, value in values.items()
    }


def _require_positive(name: str, value: Scalar) -> None:
    require_range(
        "motor", name, value, above=0, unit=MOTOR_CONSTANT_UNITS[name], hint="Check its value.", error=DriveError
    )


def _require_agreement(stated: str, first: tuple[str, Scalar], other: tuple[str, Scalar]) -> None:
    first_constant, other_constant = first[1], other[1]
    if (
        is_number(first_constant)
        and is_number(other_constant)
        and abs(first_constant - other_constant) > MOTOR_CONSTANT_TOLERANCE * max(first_constant, other_constant)
    ):
        raise DriveError(
            f"motor: {first[0]} and {other[0]} contradict each other: stated as {stated!r} the rule is "
            f"{WINDING_CONVENTIONS[stated].rule} in SI units, but they give {first_constant:.6g} and "
            f"{other_constant:.6g} Nm/A at the terminals. "
            f"Give one of them, or state their convention ({', '.join(WINDING_CONVENTIONS)})."
        )
