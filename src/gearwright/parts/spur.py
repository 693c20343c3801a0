"""Pairs and trains of gears on fixed axes: spur, internal, idlers, bevel, worm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.gear import Wheel
from gearwright.parts.losses import Losses, worm_efficiencies
from gearwright.parts.member import (
    NO_MEMBER,
    Elasticity,
    Member,
    Meshing,
    require_choice,
    require_positive,
    require_teeth,
)
from gearwright.parts.teeth import PRESSURE_ANGLE, Teeth, ToothForce, require_teeth_angles


@dataclass(frozen=True, kw_only=True)
class Spur(Meshing):
    r"""A pair of spur gears, with any number of idlers between them: ratio $= \pm Z_{driven} / Z_{driver}$.

    Every external mesh turns the direction round, an internal one (the driven gear is a ring) does not.

    Args:
        driver: teeth of the gear on the motor's shaft.
        driven: teeth of the gear on the joint.
        idlers: teeth of the idlers from driver to driven, each on its own axis fixed in the mount.
        internal: whether the driven gear is a ring with teeth inside.
        driver_member: mass and inertia of the driver.
        driven_member: mass and inertia of the driven gear, unless the driven link's numbers contain it.
        idler_members: mass and inertia of each idler.
        mesh_efficiency: of one mesh, instead of `efficiency`; every idler adds a mesh.
        module: normal module of the teeth [m], for the forces between them.
        pressure_angle: normal pressure angle of the teeth [rad].
        helix_angle: of helical teeth at the pitch circle [rad].

    >>> Spur(driver=20, driven=60).ratio, Spur(driver=20, driven=60, idlers=(30,)).ratio
    (-3.0, 3.0)
    >>> Spur(driver=20, driven=60, internal=True).ratio
    3.0
    """

    driver: int
    driven: int
    idlers: Sequence[int] = ()
    internal: bool = False
    driver_member: Member = NO_MEMBER
    driven_member: Member = NO_MEMBER
    idler_members: Sequence[Member] = ()
    module: Scalar | None = None
    pressure_angle: Scalar = PRESSURE_ANGLE
    helix_angle: Scalar = 0.0
    kind: str = "spur"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self.kind, module=self.module)
        require_teeth_angles(self.kind, self.pressure_angle, self.helix_angle)
        require_teeth(self.kind, driver=self.driver, driven=self.driven)
        require_teeth(self.kind, **{f"idler {k + 1}": z for k, z in enumerate(self.idlers)})
        object.__setattr__(self, "idlers", tuple(self.idlers))
        object.__setattr__(self, "idler_members", tuple(self.idler_members))
        if self.internal and self.driven <= (self.idlers or (self.driver,))[-1]:
            raise TrainError(
                f"{self.kind}: the ring has {self.driven} teeth, not more than the gear inside it. "
                "A ring must be larger: swap the two, or make the pair external."
            )
        if len(self.idler_members) > len(self.idlers):
            raise TrainError(
                f"{self.kind}: {len(self.idler_members)} idler members for {len(self.idlers)} idlers. Give one each."
            )

    @property
    def rates(self) -> tuple[float, ...]:
        """Speeds of driver, idlers and driven gear per unit speed of the driven gear."""
        teeth = (self.driver, *self.idlers, self.driven)
        found = [1.0]
        for place, (z, after) in enumerate(reversed(list(pairwise(teeth)))):
            sign = 1.0 if self.internal and place == 0 else -1.0
            found.append(sign * found[-1] * after / z)
        return tuple(reversed(found))

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return self.rates[0]

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the driven gear; a fixed axis is the same whatever the output turns."""
        first, *between, _ = self.rates
        found = self.input_wheel(first) + self.driver_member.wheel("driver", first)
        for k, (rate, member) in enumerate(zip(between, self.idler_members, strict=False)):
            found += member.wheel(f"idler{k + 1}", rate)
        return found + self.driven_member.wheel("driven", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of all its meshes."""
        return (Losses(efficiency=self.one_mesh ** (1 + len(self.idlers))),)

    def tooth_forces(self) -> tuple[ToothForce, ...]:
        """Every mesh carries the same force T / r; an idler's bearing at most twice that of a wheel at the end."""
        if self.module is None:
            return ()
        teeth = Teeth(float(self.pressure_angle), float(self.helix_angle))
        push = 1 / teeth.radius(self.module, self.driven)
        names = ["driver", *(f"idler{k + 1}" for k in range(len(self.idlers))), "driven"]
        meshes = [teeth.mesh(f"{one}-{other}", push) for one, other in pairwise(names)]
        ends = [teeth.bearing(f"{name} bearing", push) for name in (names[0], names[-1])]
        idlers = [teeth.bearing(f"{name} bearing", push)._replace(axial=0.0).scaled(2.0) for name in names[1:-1]]
        return (*meshes, *ends, *idlers)

    @property
    def unknown_teeth(self) -> str | None:
        """The module."""
        return "its module" if self.module is None else None


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

    >>> Bevel(driver=20, driven=40).ratio
    -2.0
    """

    driver: int
    driven: int
    away: bool = True
    driver_member: Member = NO_MEMBER
    driven_member: Member = NO_MEMBER
    kind: str = "bevel"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth(self.kind, driver=self.driver, driven=self.driven)

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


@dataclass(frozen=True, kw_only=True)
class Worm(Elasticity):
    r"""A worm and its wheel, ratio $= \pm Z_{wheel} / starts$, positive for a right-handed worm.

    Args:
        starts, wheel: threads of the worm and teeth of the wheel.
        hand: "right" or "left".
        worm_member, wheel_member: mass and inertia.
        lead_angle, friction_coefficient: lead angle of the thread [rad] and friction in it, from which both
            efficiencies follow; a worm that locks itself is one with a back-driving efficiency of 0 or less.
        pressure_angle: normal pressure angle of the teeth [rad].

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
        if (self.lead_angle is None) != (self.friction_coefficient is None):
            raise TrainError("worm: its efficiencies need both lead_angle and friction_coefficient. Give both or none.")
        require_positive(self.kind, lead_angle=self.lead_angle)
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
        return None if self.lead_angle is None else "lead_angle"

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
