"""Gears between a motor and a joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from gearwright.algebra import OptionalVector, Scalar, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import TrainError
from gearwright.parts.checks import checked_parts
from gearwright.parts.gears.elasticity import Element, Torsion, own_elastic_element, require_valid_elasticity
from gearwright.parts.gears.forces.gear_statics import GearStatics, gear_forces
from gearwright.parts.gears.forces.tooth_forces import ToothForce
from gearwright.parts.gears.losses import Losses, require_one_loss_source, require_valid_losses


@check_arguments
@dataclass(frozen=True)
class Wheel:
    """A wheel of a gear: an axisymmetric body at a fixed ratio to the drive.

    Args:
        name: its name within the drive.
        inertia: axial inertia [kg m2].
        ratio: its speed per unit speed of its side: of the joint, or (elastic drive) of the motor's shaft, also counted
            at the joint side.
        side: "motor" or "joint": the side of the spring on which it turns in an elastic drive.
        carrier: "mount" (the link that carries the motor) or "driven" (the link that the joint moves).
        mass: mass [kg].
        transverse_inertia: transverse inertia [kg m2]; by default half the axial inertia.
        position: centre of mass in the carrier's frame [m]; by default that of the motor or, for a wheel about the
            joint's axis, the joint's origin.
        axis: its axis in the carrier's frame; by default that of the drive or the joint, see `about`.
        coupling: coupling inertia if it differs from the axial one (0: balanced).
        included: whether the carrier's inertia already contains it.
        about: "motor" (a wheel in line with the motor) or "joint": its axis of rotation if `axis` is not given.
        count: number of equal wheels, evenly spaced on a circle of `radius` [m] about `position`; inertia, coupling and
            mass are those of one wheel.
        radius: radius of that circle [m].
        towards: direction from `position` to the first of them, in the carrier's frame; "joint": to the joint's axis.
        shape: instead of the body of revolution, the central moments at rest (along `towards`, perpendicular to it,
            axial) of one copy [kg m2], for a belt.
        behind: in a transmission with several elastic elements, the number of elements between the motor and this
            wheel; by default none or all, according to its side.
    """

    name: str
    inertia: Scalar
    ratio: Scalar
    side: Literal["motor", "joint"] = "motor"
    carrier: Literal["mount", "driven"] = "mount"
    mass: Scalar = 0.0
    transverse_inertia: Scalar | None = None
    position: OptionalVector = None
    axis: OptionalVector = None
    coupling: Scalar | None = None
    included: bool = False
    about: Literal["motor", "joint"] = "motor"
    count: int = 1
    radius: Scalar = 0.0
    towards: OptionalVector | Literal["joint"] = None
    shape: tuple[Scalar, Scalar, Scalar] | None = None
    behind: int | None = None

    def springs_before(self, count: int) -> int:
        """The number of a transmission's `count` elastic elements between the motor and this wheel."""
        if self.behind is not None:
            return self.behind
        return 0 if self.side == "motor" else count


class GearType(Protocol):
    """The interface of every gear between a motor and a joint; implement it to add another kind of gear."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed, signed; for a gear with parallel axes, for axes of the same direction."""

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
        """Its name in files and reports."""

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""


@dataclass(frozen=True, kw_only=True)
class Transmission:
    """Optional data of every gear on elasticity and losses, beyond a linear spring and one efficiency.

    Args:
        torsion: nonlinear elasticity: hardening, pieces, hysteresis, backlash, kinematic errors.
        back_efficiency: fraction of the power that reaches the motor when the joint drives; 0 or less: the gear is
            self-locking. By default from statics, 2 - 1/efficiency.
        no_load_torque: torque at the motor side needed to turn the gear without load [Nm].
        losses: efficiencies and no-load torque over increasing speeds of the motor, instead of `efficiency`.
        catalogue: key of its gearbox in the catalogue; an analysis checks the limits of that data sheet.
    """

    torsion: Torsion | None = None
    back_efficiency: Scalar | None = None
    no_load_torque: Scalar = 0.0
    losses: Sequence[Losses] = ()
    catalogue: str | None = None

    def require_valid_values(self) -> None:
        """Raise for numbers that are impossible for any gear; symbols are checked at their nominal values."""
        object.__setattr__(self, "losses", checked_parts("gear", "losses", self.losses, Losses))
        inertia = self.inertia  # type: ignore[attr-defined]
        if is_number(inertia) and inertia < 0:
            raise TrainError(f"gear: inertia {inertia} kg m2 is negative. Give 0 or more.")
        require_valid_losses(self)
        require_one_loss_source(self, self.source_of_losses)
        require_valid_elasticity(self)

    @property
    def source_of_losses(self) -> str | None:
        """The fields that determine the efficiencies, if the gear has any."""
        return None

    @property
    def parallel_axes(self) -> bool:
        """Whether its shafts are parallel to the joint's axis; the axis directions then determine the ratio's sign."""
        return False

    def elements(self) -> tuple[Element, ...]:
        """Its elastic elements from motor to joint, counted at the joint side."""
        return own_elastic_element(self)

    def gear_statics(self) -> GearStatics | None:
        """Its members and contacts; None if its geometry is unknown, see `unknown_teeth`."""
        return None

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        """Return the forces in its meshes and on its bearings [N]; empty if its geometry is unknown.

        Args:
            torque: output torque on the joint [Nm; N for a prismatic joint], a number or (T,); its sign is irrelevant.
            driving: whether the motor drives, or the joint drives the motor.
        """
        box = self.gear_statics()
        return () if box is None else gear_forces(box, torque, driving)

    @property
    def unknown_teeth(self) -> str | None:
        """The missing data for these forces; None if complete."""
        return "the gear is not defined by its teeth"


@check_arguments
@dataclass(frozen=True)
class Gear(Transmission):
    """A gear defined by its ratio.

    Args:
        ratio: motor speed / joint speed, signed; |ratio| > 1 reduces. For a prismatic joint in rad/m.
        inertia: inertia of the gear at its input [kg m2], turning with the motor, as catalogues give it.
        stiffness: torsional stiffness at the joint side [Nm/rad]; None: rigid.
        damping: of the elastic element at the joint side [Nms/rad].
        efficiency: fraction of the power that reaches the joint, 0 to 1.
        kind: its name in files and reports.
        mass: of the whole gearbox [kg], at the motor's position on the link that carries it.
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
            raise TrainError(f"gear: mass {self.mass} kg is not a finite number of at least 0. Check value and units.")
        if is_number(self.ratio) and not math.isfinite(self.ratio):
            raise TrainError(f"gear: ratio {self.ratio} is not finite. Give motor speed / joint speed, such as 100.")
        if is_number(self.ratio) and self.ratio == 0:
            raise TrainError(
                f"gear: ratio {self.ratio} means that the motor never turns. Give motor speed / joint speed, such as "
                "100."
            )
        self.require_valid_values()

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        if is_zero(self.inertia) and is_zero(self.mass):
            return ()
        return (Wheel("gear", self.inertia, self.ratio, mass=self.mass),)
