"""The rules that elements must obey, each with the message for breaking it.

Only numbers are checked; a symbol is checked where it gets its nominal value.
"""

from __future__ import annotations

import math
from numbers import Integral

from gearwright.algebra import Rot, Scalar, Tensor, Vec, is_number
from gearwright.errors import InertiaError, PartError, SpinError
from gearwright.parts.checks import TENSOR_TOLERANCE, overdrawn, unphysical
from gearwright.text import listed


def numbers(*values: Scalar) -> bool:
    """Whether all values are plain numbers, which can be checked."""
    return all(is_number(x) for x in values)


def is_index(x: object) -> bool:
    """Whether x counts something: a whole number that is not a truth value."""
    return isinstance(x, Integral) and not isinstance(x, bool)


def unit(owner: str, axis: Vec) -> Vec:
    """The axis as a unit vector."""
    if not numbers(*axis):
        return axis
    length = math.sqrt(axis.dot(axis))
    if length < 1e-12:
        raise PartError(f"{owner} is {tuple(axis)}: it has no direction. Give a vector of non-zero length.")
    # An axis that is one already stays as it is to the last bit.
    return axis if abs(length - 1) < 1e-15 else axis * (1 / length)


def rotation(owner: str, R: Rot) -> None:
    """R R' = 1 and det R = +1."""
    if not numbers(*R.a, *R.b, *R.c):
        return
    error = max(abs(x - (i == j)) for i, row in enumerate(R.after(R.T).rows()) for j, x in enumerate(row))
    if error > TENSOR_TOLERANCE:
        raise PartError(f"{owner} is not orthogonal: R R' differs from the identity by {error:.3g}. Give a rotation.")
    if R.a.dot(R.b.cross(R.c)) < 0:
        raise PartError(f"{owner} is a reflection (determinant -1). Swap the sign of one axis.")


def symmetric(owner: str, rows: tuple[Vec, Vec, Vec]) -> None:
    """The matrix equals its transpose."""
    a, b, c = rows
    pairs = {"xy": (a.y, b.x), "xz": (a.z, c.x), "yz": (b.z, c.y)}
    for name, (upper, lower) in pairs.items():
        if numbers(upper, lower) and abs(upper - lower) > TENSOR_TOLERANCE * (abs(upper) + abs(lower)) + 1e-15:
            raise InertiaError(
                f"{owner}: element {name} is {upper} above and {lower} below the diagonal. Make it symmetric."
            )


def body(owner: str, mass: Scalar, inertia: Tensor, effective: bool) -> None:
    """Mass not negative; the principal moments of a physical body obey the triangle inequality."""
    if is_number(mass) and mass < 0 and not effective:
        raise PartError(f"{owner}: mass {mass} kg is negative. Give 0 or more, or mark the body effective.")
    if effective or not numbers(*inertia):
        return
    problem = unphysical(inertia)
    if problem:
        raise InertiaError(
            f"{owner}: {problem} Check that the tensor is about the centre of mass and in body axes, "
            "or mark the body effective if only combinations of its numbers matter."
        )


def spin(owner: str, inertia: Scalar, coupling: Scalar | None) -> None:
    """Inertia not negative; no coupling without inertia."""
    if is_number(inertia) and inertia < 0:
        raise SpinError(
            f"{owner}: inertia {inertia} kg m2 is negative. Give the axial inertia of the wheel, 0 or more."
        )
    if is_number(inertia) and inertia == 0 and coupling is not None and not (is_number(coupling) and coupling == 0):
        raise SpinError(
            f"{owner}: coupling {coupling} without inertia is not a wheel. Give its inertia, or coupling 0."
        )


def spring(name: str, stiffness: Scalar, damping: Scalar) -> None:
    """Neither stiffness nor damping is negative."""
    for what, value in (("stiffness", stiffness), ("damping", damping)):
        if is_number(value) and value < 0:
            raise PartError(f"spring {name!r}: {what} {value} is negative. Give 0 or more.")


def carries(owner: str, inertia: Tensor, wheels: list[tuple[str, Vec, Scalar, Scalar]]) -> None:
    """The body's central tensor less sum (Jc^2/J) e e' is positive semidefinite: the wheels are lumped into it.

    `wheels` are (name, axis, J, Jc). Equations: M is then positive semidefinite.
    """
    low = overdrawn(inertia, [wheel[1:] for wheel in wheels])
    if low is not None:
        names = listed(name for name, *_ in wheels)
        raise InertiaError(
            f"{owner}: its inertia is smaller than the wheels it carries ({names}): less sum (Jc^2/J) e e' it has the "
            f"principal moment {low:.6g} kg m2. A body of a Mechanism contains its wheels at rest: add them to mass, "
            "com and inertia (assemble does it), or mark the body effective."
        )
