"""Gears that turn rotation into translation: rack and pinion, ball screw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearBox, Turning, X, Y
from gearwright.parts.gears.forces.pitch_points import cylinders
from gearwright.parts.gears.forces.tooth_forces import PRESSURE_ANGLE, ToothForce, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.member import NO_MEMBER, Elasticity, Member, require_choice, require_positive, require_teeth


@dataclass(frozen=True, kw_only=True)
class Rack(Elasticity):
    r"""A rack and its pinion, ratio $= \pm 1 / r$ [rad/m].

    Args:
        radius: pitch radius of the pinion [m]; or
        teeth, module: its teeth and module [m], r = module * teeth / 2.
        reverse: whether a positive turn of the motor moves the joint backwards.
        pinion_member: mass and inertia of the pinion.
        pressure_angle: of the teeth [rad].

    >>> Rack(teeth=20, module=0.002).ratio
    50.0
    """

    radius: Scalar | None = None
    teeth: int | None = None
    module: Scalar | None = None
    reverse: bool = False
    pinion_member: Member = NO_MEMBER
    pressure_angle: Scalar = PRESSURE_ANGLE
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
        """The pinion turns across the joint's axis; `reverse` gives the sign."""
        return False

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.input_wheel(self.ratio) + self.pinion_member.wheel("pinion", self.ratio)

    def gear_box(self) -> GearBox:
        """A pinion beside a rack that slides."""
        radius, loses = float(self.pitch_radius), 1.0 if self.efficiency is None else float(self.efficiency)
        pinion, rack = Turning("pinion"), Turning("rack", Y, radius * X, slides=True, bearing="rack guide")
        words = {"pressure_angle": float(self.pressure_angle), "efficiency": loses}
        return GearBox((pinion, rack), (cylinders(pinion, rack, radius, X, **words),), "pinion", "rack")

    @property
    def unknown_teeth(self) -> str | None:
        """Nothing."""
        return None


@dataclass(frozen=True, kw_only=True)
class Screw(Elasticity):
    r"""A ball screw, ratio $= \mp 2 \pi / lead$ [rad/m], negative for a right-handed one.

    The screw turns with the motor on the joint's parent and does not move along; the nut is fixed to the driven link:
    it moves and does not turn. On a right-handed screw that turns about +z such a nut moves along -z, so with the
    motor's axis along the joint's axis the ratio is negative, with the axis opposite to it positive. With the motor on
    the driven link (`mounted_on`) the screw turns and travels with that link while the nut stands on the parent, and
    the sign is the other one.

    Args:
        lead: how far the nut moves per turn [m].
        hand: of the thread, "right" or "left".
        screw_member: mass and inertia of the screw.

    >>> round(Screw(lead=0.01).ratio, 4), round(Screw(lead=0.01, hand="left").ratio, 4)
    (-628.3185, 628.3185)
    """

    lead: Scalar
    hand: str = "right"
    screw_member: Member = NO_MEMBER
    kind: str = "screw"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self.kind, lead=self.lead)
        require_choice(self.kind, "hand", self.hand, ("right", "left"))

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed [rad/m]."""
        return (-1.0 if self.hand == "right" else 1.0) * 2 * math.pi / self.lead

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.input_wheel(self.ratio) + self.screw_member.wheel("screw", self.ratio)

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        """The balls all round the screw push along its axis by what the joint needs; the screw's bearing holds that."""
        force = np.abs(torque)
        names = (("screw-nut", False), ("screw bearing", True))
        return tuple(ToothForce(name, bears, 0.0 * force, 0.0 * force, force) for name, bears in names)

    @property
    def unknown_teeth(self) -> str | None:
        """Nothing."""
        return None
