"""Whether a rotor is a body of revolution about its axis, which a spin must be."""

from __future__ import annotations

from gearwright.algebra import Scalar, Tensor, Vec, is_number
from gearwright.errors import SpinError

TOLERANCE = 1e-6


def axial_and_transverse(owner: str, tensor: Tensor, axis: Vec) -> tuple[Scalar, Scalar]:
    """The two moments of a tensor t 1 + (a - t) e e'; refuses any other tensor.

    >>> axial_and_transverse("rotor", Tensor.diagonal(1.0, 1.0, 2.0), Vec(0.0, 0.0, 1.0))
    (2.0, 1.0)
    """
    axial = axis.dot(tensor @ axis)
    transverse = (tensor.xx + tensor.yy + tensor.zz - axial) * 0.5
    model = Tensor.of_revolution(axis, axial, transverse)
    scale = max((abs(x) for x in tensor if is_number(x)), default=0.0)
    worst = max((abs(x) for x in tensor - model if is_number(x)), default=0.0)
    if worst > TOLERANCE * scale:
        raise SpinError(
            f"{owner}: its tensor is not axisymmetric about {tuple(axis)} (off by {worst:.3g} kg m2): the robot's "
            "inertia would depend on the rotor's angle. Balance it, average the transverse moments, or make it a link."
        )
    return axial, transverse


def refuse_off_axis(owner: str, com: Vec, point: Vec, axis: Vec) -> None:
    """The centre of mass must lie on the axis through the point."""
    off = axis.cross(com - point)
    if not all(is_number(x) for x in off):
        return
    distance = off.dot(off) ** 0.5
    if distance > 1e-9:
        raise SpinError(
            f"{owner}: its centre of mass {tuple(com)} lies {distance:.3g} m off its axis through {tuple(point)}: the "
            "robot's inertia would depend on the rotor's angle. Move it onto the axis, or model it as a link."
        )
