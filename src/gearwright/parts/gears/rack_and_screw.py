"""Gears that convert rotation into translation: rack and pinion, ball screw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import DUAL_FLOATS
from gearwright.argument_kinds import check_arguments
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import X_DIRECTION, Y_DIRECTION, GearStatics, MovingMember
from gearwright.parts.gears.forces.pitch_points import cylinder_contact
from gearwright.parts.gears.forces.tooth_forces import NORMAL_PRESSURE_ANGLE, ToothForce, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses, require_thread_friction, worm_efficiencies
from gearwright.parts.gears.member import (
    MASSLESS_MEMBER,
    GearWithMembers,
    Member,
    require_choice,
    require_positive,
    require_teeth,
)

TRAPEZOIDAL_FLANK_ANGLE = math.radians(15)
"""Angle of the flanks of metric trapezoidal threads [rad]."""


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Rack(GearWithMembers):
    r"""A rack and its pinion, ratio $= \pm 1 / r$ [rad/m].

    Args:
        radius: pitch radius of the pinion [m]; or
        teeth, module: its teeth and module [m], r = module * teeth / 2.
        reverse: whether a positive rotation of the motor moves the joint backwards.
        pinion_member: mass and inertia of the pinion.
        pressure_angle: of the teeth [rad].

    >>> Rack(teeth=20, module=0.002).ratio
    50.0
    """

    radius: Scalar | None = None
    teeth: int | None = None
    module: Scalar | None = None
    reverse: bool = False
    pinion_member: Member = MASSLESS_MEMBER
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    kind: str = "rack"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth_angles(self.kind, self.pressure_angle, 0.0)
        require_positive(self.kind, radius=self.radius, module=self.module)
        if self.teeth is not None:
            require_teeth(self.kind, pinion=self.teeth)
        if (self.radius is None) == (self.teeth is None or self.module is None):
            raise TrainError("rack: give either the pinion's radius, or its teeth and module.")

    @property
    def pitch_radius(self) -> Scalar:
        """Pitch radius of the pinion [m]."""
        if self.radius is not None:
            return self.radius
        assert self.teeth is not None
        assert self.module is not None
        return self.module * self.teeth / 2

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed [rad/m]."""
        return (-1.0 if self.reverse else 1.0) / self.pitch_radius

    @property
    def parallel_axes(self) -> bool:
        """False: the pinion's axis is perpendicular to the joint's; `reverse` gives the sign of the ratio."""
        return False

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.input_wheel(self.ratio) + self.pinion_member.as_wheels("pinion", self.ratio)

    def gear_statics(self) -> GearStatics:
        """A pinion and a sliding rack."""
        radius, loses = self.pitch_radius, 1.0 if self.efficiency is None else self.efficiency
        pinion, rack = (
            MovingMember("pinion"),
            MovingMember("rack", Y_DIRECTION, radius * X_DIRECTION, slides=True, bearing="rack guide"),
        )
        words = {"pressure_angle": self.pressure_angle, "efficiency": loses}
        return GearStatics(
            (pinion, rack), (cylinder_contact(pinion, rack, radius, X_DIRECTION, **words),), "pinion", "rack"
        )

    @property
    def unknown_teeth(self) -> str | None:
        """Nothing."""
        return None


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Screw(GearWithMembers):
    r"""A ball screw, ratio $= \mp 2 \pi / lead$ [rad/m], negative for a right-handed one.

    The screw turns with the motor on the joint's parent and does not translate; the nut is fixed to the driven link: it
    translates and does not turn. On a right-handed screw that turns about +z the nut moves along -z. The ratio is
    therefore negative if the motor's axis has the direction of the joint's axis, and positive if it is opposite. With
    the motor on the driven link (`mounted_on`) the screw turns and travels with that link, the nut is fixed to the
    parent, and the sign is reversed.

    Args:
        lead: travel of the nut per turn [m].
        hand: of the thread, "right" or "left".
        screw_member: mass and inertia of the screw.
        diameter, friction_coefficient: pitch diameter of the thread [m] and friction in it, which give both
            efficiencies; a self-locking screw has a back-driving efficiency of 0 or less.
        pressure_angle: normal angle of the thread's flanks against the radial direction [rad]; 15 degrees for metric
            trapezoidal threads.

    >>> [round(x, 3) for x in Screw(lead=0.002, diameter=0.011, friction_coefficient=0.1).thread_efficiencies]
    [0.356, -0.784]
    >>> round(Screw(lead=0.01).ratio, 4), round(Screw(lead=0.01, hand="left").ratio, 4)
    (-628.3185, 628.3185)
    """

    lead: Scalar
    hand: str = "right"
    screw_member: Member = MASSLESS_MEMBER
    diameter: Scalar | None = None
    friction_coefficient: Scalar | None = None
    pressure_angle: Scalar = TRAPEZOIDAL_FLANK_ANGLE
    kind: str = "screw"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self.kind, lead=self.lead)
        require_choice(self.kind, "hand", self.hand, ("right", "left"))
        require_positive(self.kind, diameter=self.diameter)
        require_teeth_angles(self.kind, self.pressure_angle, 0.0)
        if (self.diameter is None) != (self.friction_coefficient is None):
            raise TrainError("screw: its efficiencies need both diameter and friction_coefficient. Give both or none.")
        require_thread_friction(self.kind, self.friction_coefficient, self.lead_angle, self.thread_efficiencies[0])

    @property
    def source_of_losses(self) -> str | None:
        """The fields that determine the efficiencies, if given."""
        return None if self.friction_coefficient is None else "friction_coefficient"

    @property
    def lead_angle(self) -> Scalar | None:
        """Lead angle at the pitch diameter [rad]; None if that is not given."""
        return None if self.diameter is None else DUAL_FLOATS.arctan2(self.lead, math.pi * self.diameter)

    @property
    def thread_efficiencies(self) -> tuple[float, float]:
        """Driving and back-driving efficiency of the thread."""
        if self.lead_angle is None or self.friction_coefficient is None:
            return 1.0, 1.0
        return worm_efficiencies(self.lead_angle, self.friction_coefficient, self.pressure_angle)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of the thread."""
        efficiency, back = self.thread_efficiencies
        return (Losses(efficiency=efficiency, back_efficiency=back),)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed [rad/m]."""
        return (-1.0 if self.hand == "right" else 1.0) * 2 * math.pi / self.lead

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.input_wheel(self.ratio) + self.screw_member.as_wheels("screw", self.ratio)

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        """The axial force of the nut on the screw, equal to the joint force, and the thrust on the screw's bearing."""
        force = abs(torque)
        names = (("screw-nut", False), ("screw bearing", True))
        return tuple(ToothForce(name, bears, 0.0 * force, 0.0 * force, force) for name, bears in names)

    @property
    def unknown_teeth(self) -> str | None:
        """Nothing."""
        return None
