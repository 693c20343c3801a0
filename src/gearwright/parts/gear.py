"""Gears between a motor and a joint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from gearwright.algebra import Scalar, is_number
from gearwright.errors import TrainError


@dataclass(frozen=True)
class Wheel:
    """A wheel of a gear: an axisymmetric body at a fixed ratio to the drive.

    Args:
        name: its name within the drive.
        inertia: axial inertia [kg m2].
        ratio: its speed per unit speed of the side it belongs to: of the joint, or (elastic drive) of the motor's
            shaft, which counts at the joint side too.
        side: "motor" or "joint": which side of the spring it turns with, when the drive is elastic.
        carrier: "mount" (the link that carries the motor) or "driven" (the link that the joint moves).
        mass: mass [kg].
        transverse_inertia: inertia across the axis [kg m2]; half the axial one unless given.
        position: centre of mass in the carrier's frame [m]; unless given that of the motor, or, for a wheel about the
            joint's axis, the joint's origin.
        axis: its axis in the carrier's frame; unless given the drive's or the joint's, see `about`.
        coupling: coupling inertia if it differs from the axial one (0: balanced).
        included: the carrier's numbers contain it already.
        about: "motor" (a wheel in line with the motor) or "joint": whose axis it turns about when no axis is given.
        count: how many equal wheels there are, evenly spread on a circle of `radius` [m] about `position`; inertia,
            coupling and mass are those of one.
        radius: radius of that circle [m].
        towards: direction from `position` to the first of them, in the carrier's frame.
        shape: instead of the body of revolution, the central moments at rest (along `towards`, across it, axial)
            of one copy [kg m2]: a belt.
    """

    name: str
    inertia: Scalar
    ratio: Scalar
    side: Literal["motor", "joint"] = "motor"
    carrier: Literal["mount", "driven"] = "mount"
    mass: Scalar = 0.0
    transverse_inertia: Scalar | None = None
    position: Any = None
    axis: Any = None
    coupling: Scalar | None = None
    included: bool = False
    about: Literal["motor", "joint"] = "motor"
    count: int = 1
    radius: Scalar = 0.0
    towards: Any = None
    shape: tuple[Scalar, Scalar, Scalar] | None = None


class AnyGear(Protocol):
    """What every gear between a motor and a joint states: a new kind of gear is one more class that does."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed, signed."""

    @property
    def stiffness(self) -> Scalar | None:
        """Torsional stiffness at the joint side [Nm/rad]; None: rigid."""

    @property
    def damping(self) -> Scalar:
        """Damping of the elastic element at the joint side [Nms/rad]."""

    @property
    def efficiency(self) -> float | None:
        """Fraction of the power that reaches the joint."""

    @property
    def kind(self) -> str:
        """What it is called in files and reports."""

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""


def refuse_impossible(efficiency: Any, inertia: Scalar, stiffness: Scalar | None) -> None:
    """Refuse numbers that no gear of any kind can have; symbols are left to their nominal values."""
    if efficiency is not None and not (is_number(efficiency) and 0 < efficiency <= 1):
        raise TrainError(f"gear: efficiency {efficiency} is not between 0 and 1. Give a fraction, such as 0.75.")
    if is_number(inertia) and inertia < 0:
        raise TrainError(f"gear: inertia {inertia} kg m2 is negative. Give 0 or more.")
    if stiffness is not None and is_number(stiffness) and stiffness <= 0:
        raise TrainError(f"gear: stiffness {stiffness} Nm/rad must be positive. Leave it out for a rigid gear.")


@dataclass(frozen=True)
class Gear:
    """A gear known by its ratio.

    Args:
        ratio: motor speed / joint speed, signed; |ratio| > 1 reduces. For a prismatic joint in rad/m.
        inertia: inertia of the gear at its input [kg m2], turning with the motor, as catalogues give it.
        stiffness: torsional stiffness at the joint side [Nm/rad]; None: rigid.
        damping: of the elastic element at the joint side [Nms/rad].
        efficiency: fraction of the power that reaches the joint, 0 to 1.
        kind: what it is called in files and reports.
    """

    ratio: Scalar = 1.0
    inertia: Scalar = 0.0
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    efficiency: float | None = None
    kind: str = "simple"

    def __post_init__(self) -> None:
        if is_number(self.ratio) and not math.isfinite(self.ratio):
            raise TrainError(f"gear: ratio {self.ratio} is not finite. Give motor speed / joint speed, such as 100.")
        if is_number(self.ratio) and self.ratio == 0:
            raise TrainError(
                f"gear: ratio {self.ratio}: the motor would never turn. Give motor speed / joint speed, such as 100."
            )
        refuse_impossible(self.efficiency, self.inertia, self.stiffness)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        if is_number(self.inertia) and self.inertia == 0:
            return ()
        return (Wheel("gear", self.inertia, self.ratio),)
