"""Gear pairs and trains on parallel axes: spur, helical, internal, with idlers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import DUAL_FLOATS
from gearwright.argument_kinds import check_arguments
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearStatics, MovingMember
from gearwright.parts.gears.forces.pitch_points import cylinder_contact, planar_unit_vector
from gearwright.parts.gears.forces.tooth_forces import (
    NORMAL_PRESSURE_ANGLE,
    ToothAngles,
    missing_fields_text,
    require_teeth_angles,
    transverse_pressure_angle,
)
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses
from gearwright.parts.gears.member import MASSLESS_MEMBER, GearWithMeshes, Member, require_positive, require_teeth


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Spur(GearWithMeshes):
    r"""A pair of spur gears, with any number of idlers between them: ratio $= \pm Z_{driven} / Z_{driver}$.

    Every external mesh reverses the direction of rotation; an internal one (the driven gear is a ring) does not.

    Args:
        driver: teeth of the gear on the motor's shaft.
        driven: teeth of the gear on the joint.
        idlers: teeth of the idlers from driver to driven, each on its own axis fixed in the mount.
        internal: whether the driven gear is a ring with internal teeth.
        driver_member: mass and inertia of the driver.
        driven_member: mass and inertia of the driven gear, if the inertia of the driven link does not contain it.
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
    driver_member: Member = MASSLESS_MEMBER
    driven_member: Member = MASSLESS_MEMBER
    idler_members: Sequence[Member] = ()
    module: Scalar | None = None
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
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
                f"{self.kind}: the ring has {self.driven} teeth, not more than the gear inside it. The ring must be "
                "larger. Swap the two, or make the pair external."
            )
        if len(self.idler_members) > len(self.idlers):
            raise TrainError(
                f"{self.kind}: {len(self.idler_members)} idler members for {len(self.idlers)} idlers. Give one each."
            )

    @property
    def member_rates(self) -> tuple[float, ...]:
        """Speeds of driver, idlers and driven gear per unit speed of the driven gear."""
        teeth = (self.driver, *self.idlers, self.driven)
        rates = [1.0]
        for place, (z, after) in enumerate(reversed(list(pairwise(teeth)))):
            sign = 1.0 if self.internal and place == 0 else -1.0
            rates.append(sign * rates[-1] * after / z)
        return tuple(reversed(rates))

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return self.member_rates[0]

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of the driven gear; its fixed axes do not depend on the output."""
        first, *between, _ = self.member_rates
        wheels = self.input_wheel(first) + self.driver_member.as_wheels("driver", first)
        for k, (rate, member) in enumerate(zip(between, self.idler_members, strict=False)):
            wheels += member.as_wheels(f"idler{k + 1}", rate)
        return wheels + self.driven_member.as_wheels("driven", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of all its meshes."""
        return (Losses(efficiency=math.prod(self.mesh_efficiencies)),)

    @property
    def mesh_efficiencies(self) -> tuple[Scalar, ...]:
        """Efficiencies of the meshes from driver to driven gear; equal parts of an efficiency of the whole gear."""
        pairs = list(pairwise((self.driver, *self.idlers, self.driven)))
        if self.efficiency is not None:
            return (DUAL_FLOATS.exp(DUAL_FLOATS.log(self.efficiency) / len(pairs)),) * len(pairs)
        return tuple(
            self.efficiency_of_mesh(*pair, internal=self.internal and k == len(pairs) - 1)
            for k, pair in enumerate(pairs)
        )

    def gear_statics(self) -> GearStatics | None:
        """Wheels in a row, idlers offset by twice the pressure angle: the position with the largest bearing load."""
        if self.module is None:
            return None
        teeth = ToothAngles(self.pressure_angle, self.helix_angle)
        radii = [teeth.pitch_radius(self.module, z) for z in (self.driver, *self.idlers, self.driven)]
        bend = 2 * transverse_pressure_angle(self.pressure_angle, self.helix_angle)
        wheels, contacts = [MovingMember("driver")], []
        names = [*(f"idler{k + 1}" for k in range(len(self.idlers))), "driven"]
        for k, (name, near, far) in enumerate(zip(names, radii[:-1], radii[1:], strict=True)):
            out, hand = planar_unit_vector(-bend * (k % 2)), (-1) ** k
            inside = self.internal and name == "driven"
            wheels.append(MovingMember(name, at=wheels[-1].at + (near - far if inside else near + far) * out))
            words: dict[str, Any] = {
                "pressure_angle": teeth.pressure_angle,
                "efficiency": self.mesh_efficiencies[k],
            }
            contacts.append(cylinder_contact(wheels[-2], wheels[-1], near, out, hand * teeth.helix_angle, **words))
        return GearStatics(wheels, contacts, "driver", "driven")

    @property
    def unknown_teeth(self) -> str | None:
        """The module."""
        return missing_fields_text(module=self.module)
