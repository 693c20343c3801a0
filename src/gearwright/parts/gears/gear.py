"""Gears between a motor and a joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.errors import TrainError
from gearwright.parts.checks import sequence_of
from gearwright.parts.gears.elasticity import Element, Torsion, own_element, refuse_impossible_twist
from gearwright.parts.gears.forces.gear_statics import GearBox, forces_told
from gearwright.parts.gears.forces.tooth_forces import ToothForce
from gearwright.parts.gears.losses import Losses, refuse_impossible_losses, refuse_two_sources


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
        behind: in a transmission with several elastic elements, how many of them lie between the motor and this wheel;
            unless given none or all, by its side.
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
    behind: int | None = None

    def springs_before(self, count: int) -> int:
        """How many of a transmission's `count` elastic elements lie between the motor and this wheel."""
        if self.behind is not None:
            return self.behind
        return 0 if self.side == "motor" else count


class AnyGear(Protocol):
    """What every gear between a motor and a joint states: a new kind of gear is one more class that does."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed, signed; of a gear with parallel axes, for axes that point the same way."""

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


@dataclass(frozen=True, kw_only=True)
class Transmission:
    """What every gear may state about its twist and its losses beyond a linear spring and one efficiency.

    Args:
        torsion: what it does beside its linear spring: hardening, pieces, hysteresis, backlash, kinematic errors.
        back_efficiency: fraction of the power that reaches the motor when the joint drives; 0 or less: the gear locks
            itself. It follows from statics unless given, 2 - 1/efficiency.
        no_load_torque: torque at the motor side that it takes to turn the gear without load [Nm].
        losses: efficiencies and no-load torque over rising speeds of the motor, instead of `efficiency`.
        catalogue: key of the catalogue's gearbox that it is: an analysis checks it against that data sheet.
    """

    torsion: Torsion | None = None
    back_efficiency: Scalar | None = None
    no_load_torque: Scalar = 0.0
    losses: Sequence[Losses] = ()
    catalogue: str | None = None

    def require_possible(self) -> None:
        """Refuse numbers that no gear of any kind can have; symbols are left to their nominal values."""
        object.__setattr__(self, "losses", sequence_of("gear", "losses", self.losses, Losses))
        inertia = self.inertia  # type: ignore[attr-defined]
        if is_number(inertia) and inertia < 0:
            raise TrainError(f"gear: inertia {inertia} kg m2 is negative. Give 0 or more.")
        refuse_impossible_losses(self)
        refuse_two_sources(self, self.source_of_losses)
        refuse_impossible_twist(self)

    @property
    def source_of_losses(self) -> str | None:
        """The words from which efficiencies follow, if the gear states any."""
        return None

    @property
    def parallel_axes(self) -> bool:
        """Whether its shafts are parallel to the joint's axis: where the axes point then fixes the ratio's sign."""
        return False

    def elements(self) -> tuple[Element, ...]:
        """Its elastic elements from motor to joint, counted at the joint side."""
        return own_element(self)

    def gear_box(self) -> GearBox | None:
        """Its members and where they touch; None where its geometry is not known, as `unknown_teeth` tells."""
        return None

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        """Forces in its meshes and on its bearings [N]; none where its geometry is not known.

        Args:
            torque: that it hands to the joint [Nm; N where it slides], a number or (T,); its sign does not matter.
            driving: whether the motor drives, or the joint drives the motor.
        """
        box = self.gear_box()
        return () if box is None else forces_told(box, torque, driving)

    @property
    def unknown_teeth(self) -> str | None:
        """What is missing for these forces; None when nothing is."""
        return "the gear is not drawn by its teeth"


@dataclass(frozen=True)
class Gear(Transmission):
    """A gear known by its ratio.

    Args:
        ratio: motor speed / joint speed, signed; |ratio| > 1 reduces. For a prismatic joint in rad/m.
        inertia: inertia of the gear at its input [kg m2], turning with the motor, as catalogues give it.
        stiffness: torsional stiffness at the joint side [Nm/rad]; None: rigid.
        damping: of the elastic element at the joint side [Nms/rad].
        efficiency: fraction of the power that reaches the joint, 0 to 1.
        kind: what it is called in files and reports.
        mass: of the whole gearbox [kg], at the motor's place on the link that carries it.
        torsion, back_efficiency, no_load_torque, losses, catalogue: as for every transmission.
    """

    ratio: Scalar = 1.0
    inertia: Scalar = 0.0
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    efficiency: float | None = None
    kind: str = "simple"
    mass: Scalar = 0.0

    def __post_init__(self) -> None:
        if is_number(self.mass) and not 0 <= self.mass < math.inf:
            raise TrainError(f"gear: mass {self.mass} kg is not a finite number of 0 or more. Check value and units.")
        if is_number(self.ratio) and not math.isfinite(self.ratio):
            raise TrainError(f"gear: ratio {self.ratio} is not finite. Give motor speed / joint speed, such as 100.")
        if is_number(self.ratio) and self.ratio == 0:
            raise TrainError(
                f"gear: ratio {self.ratio}: the motor would never turn. Give motor speed / joint speed, such as 100."
            )
        self.require_possible()

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        if is_zero(self.inertia) and is_zero(self.mass):
            return ()
        return (Wheel("gear", self.inertia, self.ratio, mass=self.mass),)
