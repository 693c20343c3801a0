"""Pairs and trains of gears on parallel axes: spur, helical, internal, idlers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gearwright.algebra import Scalar
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearBox, Turning
from gearwright.parts.gears.forces.pitch_points import cylinders, towards
from gearwright.parts.gears.forces.tooth_forces import PRESSURE_ANGLE, Teeth, missing, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses
from gearwright.parts.gears.member import NO_MEMBER, Member, Meshing, require_positive, require_teeth


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

    def gear_box(self) -> GearBox | None:
        """Wheels in a row, idlers bent out of it by twice the pressure angle: where their bearings carry most."""
        if self.module is None:
            return None
        teeth = Teeth(float(self.pressure_angle), float(self.helix_angle))
        radii = [teeth.radius(self.module, z) for z in (self.driver, *self.idlers, self.driven)]
        bend = 2 * math.atan(math.tan(teeth.pressure_angle) / math.cos(teeth.helix_angle))
        wheels, contacts = [Turning("driver")], []
        names = [*(f"idler{k + 1}" for k in range(len(self.idlers))), "driven"]
        for k, (name, near, far) in enumerate(zip(names, radii[:-1], radii[1:], strict=True)):
            out, hand = towards(-bend * (k % 2)), (-1) ** k
            inside = self.internal and name == "driven"
            wheels.append(Turning(name, at=wheels[-1].at + (near - far if inside else near + far) * out))
            words: dict[str, Any] = {"pressure_angle": teeth.pressure_angle, "efficiency": self.each_of(len(names))}
            contacts.append(cylinders(wheels[-2], wheels[-1], near, out, hand * teeth.helix_angle, **words))
        return GearBox(wheels, contacts, "driver", "driven")

    @property
    def unknown_teeth(self) -> str | None:
        """The module."""
        return missing(module=self.module)
