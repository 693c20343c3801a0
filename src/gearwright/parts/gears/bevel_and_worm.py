"""Gear pairs with intersecting or crossed axes: bevel, worm."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gearwright.algebra import Scalar, is_number
from gearwright.algebra.differentiation.dual_numbers import DUAL_FLOATS
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearStatics
from gearwright.parts.gears.forces.pitch_points import bevel_contact, cone_angles, worm_contact
from gearwright.parts.gears.forces.tooth_forces import (
    NORMAL_PRESSURE_ANGLE,
    missing_fields_text,
    require_teeth_angles,
    tangent,
)
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses, gear_losses, require_thread_friction, worm_efficiencies, worm_friction
from gearwright.parts.gears.member import (
    MASSLESS_MEMBER,
    GearWithMembers,
    GearWithMeshes,
    Member,
    require_choice,
    require_positive,
    require_teeth,
)


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Bevel(GearWithMeshes):
    r"""A pair of bevel gears, ratio $= \mp Z_{driven} / Z_{driver}$.

    When the motor's axis and the joint's axis both point away from the common apex (or both towards it) they turn in
    opposite directions and the ratio is negative: `away=True`. When one points towards the apex it is positive.

    Args:
        driver: teeth of the wheel at the motor.
        driven: teeth of the wheel at the joint.
        away: whether both axes point away from the common apex, or both towards it.
        driver_member: mass and inertia of the first.
        driven_member: mass and inertia of the second.
        module: transverse module at the outer end of the teeth [m], for the forces between them.
        face_width: of the teeth along the cone [m]; the force acts at mid-face.
        shaft_angle: between the two axes [rad].
        pressure_angle: normal pressure angle of the teeth [rad].
        helix_angle: spiral angle of the teeth at mid-face [rad].

    >>> Bevel(driver=20, driven=40).ratio
    -2.0
    """

    driver: int
    driven: int
    away: bool = True
    driver_member: Member = MASSLESS_MEMBER
    driven_member: Member = MASSLESS_MEMBER
    module: Scalar | None = None
    face_width: Scalar | None = None
    shaft_angle: Scalar = math.pi / 2
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    helix_angle: Scalar = 0.0
    kind: str = "bevel"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth(self.kind, driver=self.driver, driven=self.driven)
        require_positive(self.kind, module=self.module, face_width=self.face_width)
        require_teeth_angles(self.kind, self.pressure_angle, self.helix_angle)
        hint = "Give an angle between 0 and half a turn, in radians."
        angle = self.shaft_angle
        require_range(self.kind, "shaft_angle", angle, above=0, below=math.pi, unit="rad", hint=hint, error=TrainError)
        if is_number(angle):
            self._require_cones()

    def _require_cones(self) -> None:
        """Raise unless shaft angle and face width give valid pitch cones."""
        if self.unknown_teeth is None and not self.middle_radius > 0:
            raise TrainError(
                f"bevel: a face_width of {self.face_width} m reaches beyond the apex of wheels of {self.driver} and "
                f"{self.driven} teeth of module {self.module} m. Give a smaller width, usually a third of the cone "
                "distance."
            )
        if min(self.pitch_cone_angles) <= 0 or max(self.pitch_cone_angles) >= math.pi / 2:
            raise TrainError(
                f"bevel: at a shaft_angle of {self.shaft_angle} rad the larger of {self.driver} and {self.driven} "
                "teeth would be a crown gear or an internal bevel gear. Give a smaller angle."
            )

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return (-1.0 if self.away else 1.0) * self.driven / self.driver

    @property
    def parallel_axes(self) -> bool:
        """False: its axes intersect, and `away` gives the sign of the ratio."""
        return False

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of the driven gear."""
        wheels = self.input_wheel(self.ratio) + self.driver_member.as_wheels("driver", self.ratio)
        return wheels + self.driven_member.as_wheels("driven", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of its mesh."""
        return (Losses(efficiency=self._mesh_efficiency),)

    @property
    def _mesh_efficiency(self) -> Scalar:
        """Efficiency of the mesh: of the whole gear, or that of the equivalent spur gears (Tredgold)."""
        if self.efficiency is not None:
            return self.efficiency
        driver_cone, driven_cone = self.pitch_cone_angles
        first, second = self.driver / DUAL_FLOATS.cos(driver_cone), self.driven / DUAL_FLOATS.cos(driven_cone)
        return self.efficiency_of_mesh(first, second)

    @property
    def pitch_cone_angles(self) -> tuple[Scalar, Scalar]:
        """Pitch cone angles of driver and driven wheel [rad]."""
        return cone_angles(self.driver, self.driven, self.shaft_angle)

    @property
    def middle_radius(self) -> Scalar:
        """Pitch radius of the driven wheel at mid-face [m]."""
        assert self.module is not None
        assert self.face_width is not None
        return (self.module * self.driven - self.face_width * DUAL_FLOATS.sin(self.pitch_cone_angles[1])) / 2

    def gear_statics(self) -> GearStatics | None:
        """Two cones in contact along a line; the separating force pushes both away from the apex."""
        if self.unknown_teeth is not None:
            return None
        words = {"pressure_angle": self.pressure_angle, "efficiency": self._mesh_efficiency}
        wheels, contact = bevel_contact(self.pitch_cone_angles, self.middle_radius, self.helix_angle, **words)
        return GearStatics(wheels, (contact,), "driver", "driven")

    @property
    def unknown_teeth(self) -> str | None:
        """Module and face width."""
        return missing_fields_text(module=self.module, face_width=self.face_width)


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Worm(GearWithMembers):
    r"""A worm and its wheel, ratio $= \pm Z_{wheel} / starts$, positive for a right-handed worm.

    Args:
        starts, wheel: threads of the worm and teeth of the wheel.
        hand: "right" or "left".
        worm_member, wheel_member: mass and inertia.
        lead_angle, friction_coefficient: lead angle of the thread [rad] and friction in it, which give both
            efficiencies; a self-locking worm has a back-driving efficiency of 0 or less. An `efficiency` instead of the
            friction coefficient gives that coefficient.
        pressure_angle: normal pressure angle of the teeth [rad].
        module: transverse module of the wheel, axial module of the worm [m], for the forces between them.

    >>> Worm(starts=2, wheel=60).ratio
    30.0
    >>> [round(x, 4) for x in Worm(wheel=60, lead_angle=0.1, friction_coefficient=0.05).thread_efficiencies]
    [0.65, 0.4672]
    """

    starts: int = 1
    wheel: int
    hand: str = "right"
    worm_member: Member = MASSLESS_MEMBER
    wheel_member: Member = MASSLESS_MEMBER
    lead_angle: Scalar | None = None
    friction_coefficient: Scalar | None = None
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    module: Scalar | None = None
    kind: str = "worm"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_thread()
        require_teeth(self.kind, starts=self.starts, wheel=self.wheel)
        require_choice(self.kind, "hand", self.hand, ("right", "left"))

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return (1.0 if self.hand == "right" else -1.0) * self.wheel / self.starts

    @property
    def parallel_axes(self) -> bool:
        """False: its axes cross, and `hand` gives the sign of the ratio."""
        return False

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of the worm wheel."""
        wheels = self.input_wheel(self.ratio) + self.worm_member.as_wheels("worm", self.ratio)
        return wheels + self.wheel_member.as_wheels("wheel", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    def _require_thread(self) -> None:
        lossy = self.friction_coefficient is not None
        if (self.lead_angle is None) == lossy and not (self.efficiency or self.losses):
            raise TrainError("worm: its efficiencies need both lead_angle and friction_coefficient. Give both or none.")
        require_positive(self.kind, lead_angle=self.lead_angle, module=self.module)
        for name in ("lead_angle", "pressure_angle"):
            hint = "Give an angle below a quarter turn, in radians."
            angle = getattr(self, name)
            require_range("worm", name, angle, least=0, below=math.pi / 2, unit="rad", hint=hint, error=TrainError)
        require_thread_friction(self.kind, self.friction_coefficient, self.lead_angle, self.thread_efficiencies[0])

    @property
    def source_of_losses(self) -> str | None:
        """The fields that determine the efficiencies, if given."""
        return None if self.friction_coefficient is None else "friction_coefficient"

    @property
    def thread_efficiencies(self) -> tuple[Scalar, Scalar]:
        """Driving and back-driving efficiency of the thread."""
        if self.lead_angle is None or self.friction_coefficient is None:
            return 1.0, 1.0
        return worm_efficiencies(self.lead_angle, self.friction_coefficient, self.pressure_angle)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of the thread."""
        efficiency, back = self.thread_efficiencies
        return (Losses(efficiency=efficiency, back_efficiency=back),)

    @property
    def thread_friction(self) -> Scalar:
        """Friction coefficient of the thread, as given or derived from the efficiency."""
        if self.friction_coefficient is not None:
            return self.friction_coefficient
        table = gear_losses(self)
        assert self.lead_angle is not None
        return worm_friction(self.lead_angle, table[0].efficiency, self.pressure_angle) if table else 0.0

    def gear_statics(self) -> GearStatics | None:
        r"""A worm of radius $starts \, m / (2 \tan\lambda)$: the force that drives the wheel is axial for the worm."""
        if self.module is None or self.lead_angle is None:
            return None
        lead = self.lead_angle
        radius, wheel = self.module * self.starts / (2 * tangent(lead)), self.module * self.wheel / 2
        words = {"pressure_angle": self.pressure_angle, "friction": self.thread_friction}
        members, contact = worm_contact(radius, wheel, lead if self.hand == "right" else -lead, **words)
        return GearStatics(members, (contact,), "worm", "wheel")

    @property
    def unknown_teeth(self) -> str | None:
        """Module and lead angle."""
        return missing_fields_text(module=self.module, lead_angle=self.lead_angle)
