"""Checks of elements, with their error messages.

Only numbers are checked; a symbol is checked when its nominal value is set.
"""

from __future__ import annotations

import math
from numbers import Integral

from gearwright.algebra import Rot, Scalar, Tensor, Vec, is_number
from gearwright.errors import InertiaError, PartError, SpinError
from gearwright.parts.checks import TENSOR_TOLERANCE, negative_carrier_moment, tensor_defect
from gearwright.text import listed_names


def are_numbers(*values: Scalar) -> bool:
    """Whether all values are plain numbers."""
    return all(is_number(x) for x in values)


def is_index(x: object) -> bool:
    """Whether x is an integer and not a boolean."""
    return isinstance(x, Integral) and not isinstance(x, bool)


def unit_axis(owner: str, axis: Vec) -> Vec:
    """Return the axis as a unit vector."""
    if not are_numbers(*axis):
        return axis
    length = math.sqrt(axis.dot(axis))
    if length < 1e-12:
        raise PartError(f"{owner} is {tuple(axis)}, a zero vector without direction. Give a nonzero vector.")
    # A unit vector is returned unchanged, to the last bit.
    return axis if abs(length - 1) < 1e-15 else axis * (1 / length)


def check_rotation(owner: str, R: Rot) -> None:
    """Check R R' = 1 and det R = +1."""
    if not are_numbers(*R.a, *R.b, *R.c):
        return
    error = max(abs(x - (i == j)) for i, row in enumerate(R.after(R.T).rows()) for j, x in enumerate(row))
    if error > TENSOR_TOLERANCE:
        raise PartError(f"{owner} is not orthogonal: R R' differs from the identity by {error:.3g}. Give a rotation.")
    if R.a.dot(R.b.cross(R.c)) < 0:
        raise PartError(f"{owner} is a reflection (determinant -1). Swap the sign of one axis.")


def check_symmetry(owner: str, rows: tuple[Vec, Vec, Vec]) -> None:
    """Check that the matrix equals its transpose."""
    a, b, c = rows
    pairs = {"xy": (a.y, b.x), "xz": (a.z, c.x), "yz": (b.z, c.y)}
    for name, (upper, lower) in pairs.items():
        if are_numbers(upper, lower) and abs(upper - lower) > TENSOR_TOLERANCE * (abs(upper) + abs(lower)) + 1e-15:
            raise InertiaError(
                f"{owner}: element {name} is {upper} above and {lower} below the diagonal. Make it symmetric."
            )


def check_body(owner: str, mass: Scalar, inertia: Tensor, effective: bool) -> None:
    """Check that the mass is not negative and the principal moments satisfy the triangle inequality."""
    if is_number(mass) and mass < 0 and not effective:
        raise PartError(f"{owner}: mass {mass} kg is negative. Give 0 or more, or mark the body effective.")
    if effective or not are_numbers(*inertia):
        return
    problem = tensor_defect(inertia)
    if problem:
        raise InertiaError(
            f"{owner}: {problem} Check that the tensor is about the centre of mass and in body axes, "
            "or mark the body effective if its inertial parameters are combinations of several bodies."
        )


def check_spin(owner: str, inertia: Scalar, coupling: Scalar | None) -> None:
    """Check that the inertia is not negative, and zero only without coupling."""
    if is_number(inertia) and inertia < 0:
        raise SpinError(
            f"{owner}: inertia {inertia} kg m2 is negative. Give the axial inertia of the wheel, 0 or more."
        )
    if is_number(inertia) and inertia == 0 and coupling is not None and not (is_number(coupling) and coupling == 0):
        raise SpinError(f"{owner}: coupling {coupling} kg m2 requires an inertia. Give the inertia, or coupling 0.")


def check_spring(name: str, stiffness: Scalar, damping: Scalar) -> None:
    """Check that neither stiffness nor damping is negative."""
    for quantity, value in (("stiffness", stiffness), ("damping", damping)):
        if is_number(value) and value < 0:
            raise PartError(f"spring {name!r}: {quantity} {value} is negative. Give 0 or more.")


def check_carried_wheels(owner: str, inertia: Tensor, wheels: list[tuple[str, Vec, Scalar, Scalar]]) -> None:
    """Check that the body's central tensor minus sum (Jc^2/J) e e' is positive semidefinite: it contains the wheels.

    `wheels` are (name, axis, J, Jc). The mass matrix is then positive semidefinite.
    """
    low = negative_carrier_moment(inertia, [wheel[1:] for wheel in wheels])
    if low is not None:
        names = listed_names(name for name, *_ in wheels)
        raise InertiaError(
            f"{owner}: its inertia is smaller than that of its wheels ({names}): minus sum (Jc^2/J) e e', its smallest "
            f"principal moment is {low:.6g} kg m2. A body of a Mechanism includes its wheels at rest: add them to "
            "mass, com and inertia (as assemble does), or mark the body effective."
        )
