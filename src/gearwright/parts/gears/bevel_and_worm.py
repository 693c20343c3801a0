"""Pairs of gears whose axes meet or cross: bevel, worm."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gearwright.algebra import Scalar, is_number
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearBox
from gearwright.parts.gears.forces.pitch_points import cone_angles, cones, thread
from gearwright.parts.gears.forces.tooth_forces import PRESSURE_ANGLE, missing, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses, losses_of, worm_efficiencies, worm_friction
from gearwright.parts.gears.member import (
    NO_MEMBER,
    Elasticity,
    Member,
    Meshing,
    require_choice,
    require_positive,
    require_teeth,
)


@dataclass(frozen=True, kw_only=True)
class Bevel(Meshing):
    r"""A pair of bevel gears, ratio $= \mp Z_{driven} / Z_{driver}$.

    When the motor's axis and the joint's axis both point away from the common apex (or both towards it) they turn in
    opposite senses and the ratio is negative: `away=True`. When one points towards the apex it is positive.

    Args:
        driver: teeth of the wheel at the motor.
        driven: teeth of the wheel at the joint.
        away: whether both axes point away from the common apex, or both towards it.
        driver_member: mass and inertia of the first.
        driven_member: mass and inertia of the second.
        module: transverse module at the outer end of the teeth [m], for the forces between them.
        face_width: of the teeth along the cone [m]; their middle carries.
        shaft_angle: between the two axes [rad].
        pressure_angle: normal pressure angle of the teeth [rad].
        helix_angle: spiral angle of the teeth in their middle [rad].

    >>> Bevel(driver=20, driven=40).ratio
    -2.0
    """

    driver: int
    driven: int
    away: bool = True
    driver_member: Member = NO_MEMBER
    driven_member: Member = NO_MEMBER
    module: Scalar | None = None
    face_width: Scalar | None = None
    shaft_angle: Scalar = math.pi / 2
    pressure_angle: Scalar = PRESSURE_ANGLE
    helix_angle: Scalar = 0.0
    kind: str = "bevel"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth(self.kind, driver=self.driver, driven=self.driven)
        require_positive(self.kind, module=self.module, face_width=self.face_width)
        require_teeth_angles(self.kind, self.pressure_angle, self.helix_angle)
        hint = "It is between 0 and half a turn: check its unit."
        angle = self.shaft_angle
        require_range(self.kind, "shaft_angle", angle, above=0, below=math.pi, unit="rad", hint=hint, error=TrainError)
        if is_number(angle):
            self._require_cones()

    def _require_cones(self) -> None:
        """The teeth lie on cones, and on their outer half."""
        if self.unknown_teeth is None and not self.middle_radius > 0:
            raise TrainError(
                f"bevel: a face_width of {self.face_width} m reaches beyond the apex of wheels of {self.driver} and "
                f"{self.driven} teeth of module {self.module} m. Give less, mostly a third of the cone's length."
            )
        if min(self.cones) <= 0 or max(self.cones) >= math.pi / 2:
            raise TrainError(
                f"bevel: at a shaft_angle of {self.shaft_angle} rad the larger of {self.driver} and {self.driven} "
                "teeth would be a flat or hollow wheel. Give less."
            )

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return (-1.0 if self.away else 1.0) * self.driven / self.driver

    @property
    def parallel_axes(self) -> bool:
        """Its axes meet; `away` says which way they point."""
        return False

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the driven gear."""
        found = self.input_wheel(self.ratio) + self.driver_member.wheel("driver", self.ratio)
        return found + self.driven_member.wheel("driven", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of its mesh."""
        return (Losses(efficiency=self.one_mesh),)

    @property
    def cones(self) -> tuple[float, float]:
        """Pitch cone angles of driver and driven wheel [rad]."""
        return cone_angles(self.driver, self.driven, float(self.shaft_angle))

    @property
    def middle_radius(self) -> float:
        """Pitch radius of the driven wheel in the middle of its teeth [m]."""
        assert self.module is not None
        assert self.face_width is not None
        return float(self.module * self.driven - self.face_width * math.sin(self.cones[1])) / 2

    def gear_box(self) -> GearBox | None:
        """Two cones that touch along a line; what separates them pushes both away from their apex."""
        if self.unknown_teeth is not None:
            return None
        words = {"pressure_angle": float(self.pressure_angle), "efficiency": self.each_of(1)}
        wheels, contact = cones(self.cones, self.middle_radius, float(self.helix_angle), **words)
        return GearBox(wheels, (contact,), "driver", "driven")

    @property
    def unknown_teeth(self) -> str | None:
        """Module and face width."""
        return missing(module=self.module, face_width=self.face_width)


@dataclass(frozen=True, kw_only=True)
class Worm(Elasticity):
    r"""A worm and its wheel, ratio $= \pm Z_{wheel} / starts$, positive for a right-handed worm.

    Args:
        starts, wheel: threads of the worm and teeth of the wheel.
        hand: "right" or "left".
        worm_member, wheel_member: mass and inertia.
        lead_angle, friction_coefficient: lead angle of the thread [rad] and friction in it, from which both
            efficiencies follow; a worm that locks itself is one with a back-driving efficiency of 0 or less. With an
            `efficiency` instead of the friction, that friction follows from it.
        pressure_angle: normal pressure angle of the teeth [rad].
        module: of the wheel across its axis, of the worm along it [m], for the forces between them.

    >>> Worm(starts=2, wheel=60).ratio
    30.0
    >>> [round(x, 4) for x in Worm(wheel=60, lead_angle=0.1, friction_coefficient=0.05).efficiencies]
    [0.65, 0.4672]
    """

    starts: int = 1
    wheel: int
    hand: str = "right"
    worm_member: Member = NO_MEMBER
    wheel_member: Member = NO_MEMBER
    lead_angle: Scalar | None = None
    friction_coefficient: Scalar | None = None
    pressure_angle: Scalar = PRESSURE_ANGLE
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
        """Its axes cross; `hand` gives the sign."""
        return False

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the worm wheel."""
        found = self.input_wheel(self.ratio) + self.worm_member.wheel("worm", self.ratio)
        return found + self.wheel_member.wheel("wheel", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    def _require_thread(self) -> None:
        lossy = self.friction_coefficient is not None
        if (self.lead_angle is None) == lossy and not (self.efficiency or self.losses):
            raise TrainError("worm: its efficiencies need both lead_angle and friction_coefficient. Give both or none.")
        require_positive(self.kind, lead_angle=self.lead_angle, module=self.module)
        for name in ("lead_angle", "pressure_angle"):
            hint = "It is below a quarter turn: check its unit."
            angle = getattr(self, name)
            require_range("worm", name, angle, least=0, below=math.pi / 2, unit="rad", hint=hint, error=TrainError)
        mu = self.friction_coefficient
        hint = "Give that of thread on tooth."
        require_range("worm", "friction_coefficient", mu, least=0, hint=hint, error=TrainError)
        if mu is not None and self.efficiencies[0] <= 0:
            raise TrainError(
                f"worm: friction_coefficient {mu} and lead_angle {self.lead_angle} rad let nothing through "
                f"(efficiency {self.efficiencies[0]:.4g}). Lower one of the two."
            )

    @property
    def source_of_losses(self) -> str | None:
        """The words from which efficiencies follow, if given."""
        return None if self.friction_coefficient is None else "friction_coefficient"

    @property
    def efficiencies(self) -> tuple[float, float]:
        """Driving and back-driving efficiency of the thread."""
        if self.lead_angle is None or self.friction_coefficient is None:
            return 1.0, 1.0
        return worm_efficiencies(self.lead_angle, self.friction_coefficient, self.pressure_angle)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of the thread."""
        efficiency, back = self.efficiencies
        return (Losses(efficiency=efficiency, back_efficiency=back),)

    @property
    def friction(self) -> float:
        """Friction coefficient of the thread, as given or as it follows from the efficiency."""
        if self.friction_coefficient is not None:
            return float(self.friction_coefficient)
        table = losses_of(self)
        assert self.lead_angle is not None
        return worm_friction(self.lead_angle, table[0].efficiency, self.pressure_angle) if table else 0.0

    def gear_box(self) -> GearBox | None:
        r"""A worm of radius $starts \, m / (2 \tan\lambda)$: what drives the wheel pushes along the worm's axis."""
        if self.module is None or self.lead_angle is None:
            return None
        lead = float(self.lead_angle)
        radius, wheel = self.module * self.starts / (2 * math.tan(lead)), self.module * self.wheel / 2
        words = {"pressure_angle": float(self.pressure_angle), "friction": self.friction}
        members, contact = thread(float(radius), float(wheel), lead if self.hand == "right" else -lead, **words)
        return GearBox(members, (contact,), "worm", "wheel")

    @property
    def unknown_teeth(self) -> str | None:
        """Module and lead angle."""
        return missing(module=self.module, lead_angle=self.lead_angle)
