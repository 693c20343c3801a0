r"""Generic families: motors and gearboxes of any size, scaled from a real one by similarity laws.

All lengths are multiplied by $\lambda$; materials, temperatures and rim speeds are unchanged. Then for a motor mass
$\propto \lambda^3$, inertia $\propto \lambda^5$, motor constant $K / \sqrt R \propto \lambda^{5/2}$ (copper and flux),
thermal resistances $\propto \lambda^{-2}$ (surface), heat capacities $\propto \lambda^3$, hence thermal time constants
$\propto \lambda$ and continuous torque $\propto \lambda^{7/2}$; the electrical time constant $L / R \propto \lambda^2$;
speeds $\propto \lambda^{-1}$. The winding is chosen for the same voltage: $K \propto \lambda$,
$R \propto \lambda^{-3}$, so that the mechanical time constant is unchanged. For a gearbox torque, mass and stiffness
$\propto \lambda^3$, inertia $\propto \lambda^5$, input speed $\propto \lambda^{-1}$. Friction of bearings and brushes
does not follow such laws; it is scaled like the continuous torque.

Such an entry is not a commercial product: its manufacturer is "generic", and its source names the original product and
the powers of the scale.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.catalogue.drive_catalogue import Catalogue, Sheet, drives
from gearwright.parts import GearboxSheet, MotorSheet

MOTOR_SCALING_POWERS = {
    "mass": 3.0,
    "inertia": 5.0,
    "torque_constant": 1.0,
    "speed_constant": -1.0,
    "resistance": -3.0,
    "inductance": -1.0,
    "mechanical_time_constant": 0.0,
    "no_load_speed": -1.0,
    "nominal_speed": -1.0,
    "peak_speed": -1.0,
    "continuous_speed": -1.0,
    "no_load_current": 2.5,
    "nominal_current": 2.5,
    "nominal_torque": 3.5,
    "stall_torque": 4.0,
    "peak_torque": 3.5,
    "continuous_power": 2.5,
    "coulomb_friction": 3.5,
    "viscous_friction": 4.5,
    "winding_housing": -2.0,
    "housing_ambient": -2.0,
    "winding_time_constant": 1.0,
    "housing_time_constant": 1.0,
    "outer_diameter": 1.0,
    "shaft_diameter": 1.0,
}
GEARBOX_SCALING_POWERS = {
    "mass": 3.0,
    "inertia": 5.0,
    "peak_torque": 3.0,
    "rated_torque": 3.0,
    "momentary_torque": 3.0,
    "peak_input_speed": -1.0,
    "rated_input_speed": -1.0,
    "stiffness": 3.0,
    "starting_torque": 3.0,
    "backdriving_torque": 3.0,
    "life_speed": -1.0,
    "outer_diameter": 1.0,
    "max_motor_shaft": 1.0,
    "radial_load": 2.0,
    "radial_load_distance": 1.0,
    "axial_load": 2.0,
    "tilting_moment": 3.0,
}


def generic_motors(like: MotorSheet, scales: Iterable[float]) -> Catalogue:
    """Return motors scaled from a real one: every length times each of `scales`.

    >>> from gearwright.catalogue import drives
    >>> family = generic_motors(drives().motor("MM_606793"), [0.5, 1.0, 2.0])
    >>> [f"{sheet.mass:.3g} kg, {sheet.continuous_torque:.3g} Nm" for sheet in family.motors.values()]
    ['0.138 kg, 0.0566 Nm', '1.1 kg, 0.64 Nm', '8.8 kg, 7.24 Nm']
    """
    sheets = (_scaled_sheet(like, scale, MOTOR_SCALING_POWERS) for scale in scales)
    return Catalogue({sheet.key: sheet for sheet in sheets}, {})


def generic_gearboxes(like: GearboxSheet, scales: Iterable[float]) -> Catalogue:
    """Return gearboxes scaled from a real one: every length times each of `scales`."""
    sheets = (_scaled_sheet(like, scale, GEARBOX_SCALING_POWERS) for scale in scales)
    return Catalogue({}, {sheet.key: sheet for sheet in sheets})


HEAVY_MOTORS = {"MM_607950": (1.4, 1.7, 2.0), "MM_606793": (1.6, 2.0, 2.4)}
"""Motors and scales of heavy drives: 1.4 to 14 Nm continuously, flat and slender."""
HEAVY_GEARBOXES = {"HD_CSF-25-50-2UH": (32 / 25, 40 / 25, 50 / 25)}
"""Gearboxes and scales of heavy drives: the sizes 32, 40 and 50 of a series, by their pitch diameters."""
EFFICIENCY_NOTE = (
    "efficiency at rated torque computed, not printed: from starting and back-driving torque, see "
    "gearwright.catalogue.rated_efficiency"
)


@check_arguments
def rated_efficiency(sheet: GearboxSheet) -> float:
    r"""Return the efficiency of a gearbox at its rated torque, from its starting and back-driving torques.

    With the ratio n, the load-independent torque c at the input is the starting torque. The back-driving torque
    $T_b = n c / \eta_b$ gives the efficiency of the teeth when driven backwards, and equal friction in both directions
    that when driving, $\eta_m = 1 / (2 - \eta_b)$. At the output torque T the efficiency is
    $\eta = (1 / \eta_m + n c / T)^{-1}$: it falls towards small loads. Speed and temperature are neglected.

    >>> from gearwright.catalogue import drives
    >>> round(rated_efficiency(drives().gearbox("HD_CSF-25-50-2UH")), 3)
    0.736
    """
    sheet.require_fields("an efficiency", "ratio", "starting_torque", "backdriving_torque", "rated_torque")
    ratio, starting, backdriving, rated = (
        real_number(f"data sheet {sheet.key!r}", word, getattr(sheet, word), above=0.0)
        for word in ("ratio", "starting_torque", "backdriving_torque", "rated_torque")
    )
    idle = ratio * starting
    return 1.0 / (2.0 - min(1.0, idle / backdriving) + idle / rated)


def heavy_drives() -> Catalogue:
    """Return generic motors and strain wave gears for shoulders of some hundred newton metres.

    The bundled data sheets end at about 100 Nm for gears of a stated ratio. Until sheets with a source are available,
    these families fill the gap; every entry is labelled generic and states how it follows from which sheet. They are
    not among `drives()`: add them, `drives() + heavy_drives()`.

    >>> family = heavy_drives()
    >>> [round(sheet.rated_torque) for sheet in family.gearboxes.values()]
    [82, 160, 312]
    >>> {sheet.manufacturer for sheet in [*family.motors.values(), *family.gearboxes.values()]}
    {'generic'}
    """
    entries = drives()
    families = [generic_motors(entries.motor(key), scales) for key, scales in HEAVY_MOTORS.items()]
    for key, scales in HEAVY_GEARBOXES.items():
        sheet = entries.gearbox(key)
        efficient = replace(sheet, efficiency=rated_efficiency(sheet), note=f"{sheet.note}; {EFFICIENCY_NOTE}")
        families.append(generic_gearboxes(efficient, scales))
    return sum(families, Catalogue({}, {}))


def _scaling_law_text(words: Iterable[str], powers: dict[str, float]) -> str:
    """Return the power of the scale for each number, as text."""
    by_power: dict[float, list[str]] = {}
    for word in words:
        by_power.setdefault(powers[word], []).append(word)
    return "; ".join(f"{', '.join(names)} with power {power:g}" for power, names in sorted(by_power.items()))


def _scaled_sheet(like: Sheet, scale: float, powers: dict[str, float]) -> Sheet:
    size = real_number("generic family", "scale", scale, above=0, most=100, example=1.5)
    words: dict[str, Any] = {word: getattr(like, word) for word in powers}
    return replace(
        like,
        key=f"generic_{like.key}_x{size:g}",
        manufacturer="generic",
        article="",
        name=f"{size:g} times {like.name or like.key}",
        price=None,
        flange="",
        source=f"generic: scaled from {like.key} by similarity laws, all lengths times {size:g} "
        f"({_scaling_law_text((word for word, x in words.items() if x is not None), powers)}); from: {like.source}",
        **{word: x * size ** powers[word] for word, x in words.items() if x is not None},
    )
