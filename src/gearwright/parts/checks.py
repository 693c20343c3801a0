"""Checks of parts: types and ranges of arguments, physically consistent inertia tensors, axisymmetric rotors.

Each error names the part and the violated rule. Files and machines use the same checks.

- A tensor about the centre of mass is positive semidefinite, and its principal moments satisfy the triangle inequality.
- A carrier contains its wheels: its central tensor minus sum (Jc^2/J) e e' has no negative principal moment.
- A rotor is a body of revolution about its axis, as a spin must be: t 1 + (a - t) e e', with its centre of mass on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gearwright.algebra import Scalar, Tensor, Vec, is_number
from gearwright.arguments import require_range, value_text
from gearwright.errors import DriveError, InputError, SpinError


def require_kind(owner: str, word: str, value: object, kind: type) -> None:
    """Raise if a part is not of the required type.

    >>> require_kind("drive 'j1'", "motor", 2e-4, complex)
    Traceback (most recent call last):
    gearwright.errors.InputError: drive 'j1': its motor is 0.0002, which is not a complex. Give a complex(...).
    """
    if not isinstance(value, kind):
        raise InputError(
            f"{owner}: its {word} is {value!r}, which is not a {kind.__name__}. Give a {kind.__name__}(...)."
        )


def require_gear(function: str, gear: object) -> None:
    """Raise if an argument is neither a gear nor a gear stage (which have a stiffness and an efficiency)."""
    if not hasattr(gear, "stiffness") or not hasattr(gear, "efficiency"):
        raise InputError(f"{function}: gear={value_text(gear)} must be a gear, such as gw.parts.Gear(ratio=100).")


def checked_parts(owner: str, word: str, values: Any, kind: type) -> tuple[Any, ...]:
    """Return the parts of a list as a tuple; raise unless all are of one type.

    >>> checked_parts("robot", "links", [1j, 2j], complex)
    (1j, 2j)
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(
            f"{owner}: its {word} are {values!r}, which is not a list. Give a list of {kind.__name__}(...)."
        )
    parts = tuple(values)
    wrong = [part for part in parts if not isinstance(part, kind)]
    if wrong:
        raise InputError(f"{owner}: its {word} contain {wrong[0]!r}. Give a list of {kind.__name__}(...).")
    return parts


def require_at_least(owner: str, least: float, *, above: bool = False, **values: Any) -> None:
    """Raise for numbers below the bound (or not above it) and for non-finite ones; symbols and None are not checked.

    >>> require_at_least("motor", 0.0, resistance=-2.0)
    Traceback (most recent call last):
    gearwright.errors.DriveError: motor: resistance=-2.0 must be a finite number of at least 0. Check value and units.
    """
    for name, x in values.items():
        require_range(owner, name, x, above=least if above else None, least=None if above else least, error=DriveError)


TENSOR_TOLERANCE = 1e-6
"""Relative tolerance of the physical rules: numbers in files are rounded."""
NEGLIGIBLE_INERTIA = 1e-15
"""Moments of inertia below this are rounding errors of either sign [kg m2]."""


def tensor_defect(inertia: Tensor) -> str | None:
    """Return the violated rule of an inertia tensor about the centre of mass, or None.

    >>> tensor_defect(Tensor.diagonal(1.0, 1.0, 3.0))
    'principal moments 1, 1, 3 kg m2 violate the triangle inequality: 1 + 1 < 3.'
    """
    low, mid, high = (float(x) for x in np.linalg.eigvalsh(inertia.rows()))
    if low < -TENSOR_TOLERANCE * abs(high) - NEGLIGIBLE_INERTIA:
        return f"principal moment {low:.6g} kg m2 is negative."
    if low + mid < high * (1 - TENSOR_TOLERANCE) - NEGLIGIBLE_INERTIA:
        return (
            f"principal moments {low:.6g}, {mid:.6g}, {high:.6g} kg m2 violate the triangle inequality: "
            f"{low:.6g} + {mid:.6g} < {high:.6g}."
        )
    return None


def negative_carrier_moment(inertia: Tensor, wheels: Iterable[tuple[Vec, Scalar, Scalar]]) -> float | None:
    """Return the negative principal moment of a carrier's central tensor minus sum (Jc^2/J) e e', or None.

    `wheels` are (axis, J, Jc). The result is always None for a body that contains its wheels at rest.

    >>> negative_carrier_moment(Tensor.diagonal(1.0, 1.0, 1.0), [(Vec(0, 0, 1), 1.5, 1.5)])
    -0.5
    """
    remainder = np.array(inertia.rows(), dtype=float)
    scale = max(float(np.abs(remainder).max()), 1e-300)
    for e, J, Jc in wheels:
        if J:
            remainder -= np.array(Tensor.dyad(e, Jc * Jc / J).rows(), dtype=float)
    low = float(np.linalg.eigvalsh(remainder).min())
    return low if low < -TENSOR_TOLERANCE * scale else None


REVOLUTION_TOLERANCE = 1e-6
"""Largest deviation from a body of revolution, relative to its size."""


def axial_and_transverse(owner: str, tensor: Tensor, axis: Vec) -> tuple[Scalar, Scalar]:
    """Return the moments (a, t) of a tensor t 1 + (a - t) e e'; raise for any other tensor.

    >>> axial_and_transverse("rotor", Tensor.diagonal(1.0, 1.0, 2.0), Vec(0.0, 0.0, 1.0))
    (2.0, 1.0)
    """
    axial = axis.dot(tensor @ axis)
    transverse = (tensor.xx + tensor.yy + tensor.zz - axial) * 0.5
    model = Tensor.of_revolution(axis, axial, transverse)
    scale = max((abs(x) for x in tensor if is_number(x)), default=0.0)
    worst = max((abs(x) for x in tensor - model if is_number(x)), default=0.0)
    if worst > REVOLUTION_TOLERANCE * scale:
        raise SpinError(
            f"{owner}: its tensor is not axisymmetric about {tuple(axis)} (off by {worst:.3g} kg m2): the robot's "
            "inertia would depend on the rotor's angle. Balance it, average the transverse moments, or make it a link."
        )
    return axial, transverse


def refuse_off_axis(owner: str, com: Vec, point: Vec, axis: Vec) -> None:
    """Raise unless the centre of mass lies on the axis through the point."""
    off = axis.cross(com - point)
    if not all(is_number(x) for x in off):
        return
    distance = off.dot(off) ** 0.5
    if distance > 1e-9:
        raise SpinError(
            f"{owner}: its centre of mass {tuple(com)} lies {distance:.3g} m off its axis through {tuple(point)}: the "
            "robot's inertia would depend on the rotor's angle. Move it onto the axis, or model it as a link."
        )
