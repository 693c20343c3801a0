"""Common parts of all gears: members as bodies of revolution, elasticity and losses, and checks of tooth numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from gearwright.algebra import OptionalVector, Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.gears.elasticity import own_elastic_element
from gearwright.parts.gears.gear import Transmission, Wheel
from gearwright.parts.gears.losses import tooth_loss_factor


def require_teeth(owner: str, **teeth: Any) -> None:
    """Raise unless numbers of teeth are positive integers."""
    for name, z in teeth.items():
        if not is_number(z):
            raise TrainError(f"{owner}: {name} has {z!r} teeth, which is not a number. Give a whole number of teeth.")
        if not 0 < z < float("inf") or z != int(z):
            raise TrainError(f"{owner}: {name} has {z} teeth. Give a whole number of teeth, 1 or more.")


def require_counts(owner: str, **counts: Any) -> None:
    """Raise unless numbers of planets, pins or discs are positive integers."""
    for name, n in counts.items():
        if not is_number(n) or not 0 < n < float("inf") or n != int(n):
            raise TrainError(f"{owner}: {name} {n!r} is not a whole number of at least 1.")


def require_positive(owner: str, **values: Any) -> None:
    """Raise unless lengths, densities and similar quantities are positive."""
    for name, x in values.items():
        require_range(owner, name, x, above=0, error=TrainError)


def require_choice(owner: str, name: str, value: str, choices: Iterable[str]) -> None:
    """Raise unless a value is one of the options."""
    options = tuple(choices)
    if value not in options:
        raise TrainError(f"{owner}: {name} {value!r} is unknown. Use one of {', '.join(options)}.")


@check_arguments
@dataclass(frozen=True)
class Member:
    """One member of a gear (a sun, a pulley, a wave generator) as a body of revolution.

    Args:
        inertia: axial inertia [kg m2].
        mass: mass [kg].
        transverse_inertia: transverse inertia [kg m2]; by default half the axial inertia. A pair of values (a member
            that is not axisymmetric) is averaged; `averaging_error` gives the error.
        position: centre of mass in the frame of the link that carries it [m]; by default that of the motor or, for a
            member about the joint's axis, the joint's origin.
        included: whether that link's inertia already contains it.
        side: the side of the gear's spring on which it turns, "motor" (I' and I'' of Vukobratovic and Potkonjak, eq.
            20.98) or "joint"; irrelevant for a rigid gear.
        coupling: coupling inertia if it differs from the axial one [kg m2]; 0 when only a reflected inertia is known.

    >>> Member(2e-5, transverse_inertia=(1.2e-5, 1.0e-5)).mean_transverse_inertia
    1.1e-05
    """

    inertia: Scalar = 0.0
    mass: Scalar = 0.0
    transverse_inertia: Scalar | tuple[Scalar, Scalar] | None = None
    position: OptionalVector = None
    included: bool = False
    side: Literal["motor", "joint"] = "motor"
    coupling: Scalar | None = None

    def __post_init__(self) -> None:
        require_choice("gear member", "side", self.side, ("motor", "joint"))
        for name in ("inertia", "mass"):
            require_range("gear member", name, getattr(self, name), least=0, error=TrainError)
        across = self.transverse_inertia if isinstance(self.transverse_inertia, tuple) else (self.transverse_inertia,)
        for x in across:
            require_range("gear member", "transverse_inertia", x, least=0, error=TrainError)

    @property
    def mean_transverse_inertia(self) -> Scalar:
        """The transverse inertia, averaged if two are given [kg m2]."""
        across = self.transverse_inertia
        if across is None:
            return self.inertia * 0.5
        return (across[0] + across[1]) * 0.5 if isinstance(across, tuple) else across

    @property
    def averaging_error(self) -> Scalar:
        """Largest error of the transverse inertia by averaging, half the difference of the two [kg m2]."""
        across = self.transverse_inertia
        return abs(across[0] - across[1]) * 0.5 if isinstance(across, tuple) else 0.0

    @property
    def has_inertia(self) -> bool:
        """Whether it has mass or inertia."""
        return not all(is_number(x) and x == 0 for x in (self.inertia, self.mass))

    def combined_rotation(self, count: int) -> Member:
        """`count` equal members with the same rotation combined into one, without their mass."""
        coupling = None if self.coupling is None else count * self.coupling
        across = count * self.mean_transverse_inertia
        return replace(self, inertia=count * self.inertia, mass=0.0, transverse_inertia=across, coupling=coupling)

    def combined_orbit(self, count: int, radius: Scalar) -> Member:
        """`count` equal members as point masses on a circle: their total mass and its orbital inertia."""
        ring = count * self.mass * radius * radius
        return replace(self, inertia=ring, mass=count * self.mass, transverse_inertia=ring * 0.5, coupling=None)

    def as_wheels(self, name: str, ratio: Scalar, **options: Any) -> tuple[Wheel, ...]:
        """The member as a wheel at a ratio; empty if it has neither mass nor inertia nor a shape at rest."""
        if not self.has_inertia and options.get("shape") is None:
            return ()
        placement = {"position": self.position, "included": self.included, "side": self.side, "coupling": self.coupling}
        options = {**placement, **options}
        return (
            Wheel(
                name, self.inertia, ratio, mass=self.mass, transverse_inertia=self.mean_transverse_inertia, **options
            ),
        )


MASSLESS_MEMBER = Member()
"""A member without mass and inertia."""


@dataclass(frozen=True, kw_only=True)
class GearWithMembers(Transmission):
    """The data of a gear in addition to its wheels.

    Args:
        inertia: of the gear at its input [kg m2], turning with the motor, as catalogues give it.
        stiffness: torsional stiffness at the joint side [Nm/rad]; None: rigid.
        damping: of the elastic element at the joint side [Nms/rad].
        efficiency: fraction of the power that reaches the joint, 0 to 1.
        mass: of the complete gearbox [kg], as printed in catalogues, at the motor's position on the link that carries
            it; instead of the masses of its members.
    """

    inertia: Scalar = 0.0
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    efficiency: float | None = None
    mass: Scalar = 0.0

    def __post_init__(self) -> None:
        require_range("gear", "mass", self.mass, least=0, unit="kg", error=TrainError)
        self.require_valid_values()

    def input_wheel(self, ratio: Scalar) -> tuple[Wheel, ...]:
        """Mass and input inertia of the catalogue, as a wheel that turns with the motor."""
        return Member(self.inertia, self.mass).as_wheels("input", ratio)

    @property
    def averaging_error(self) -> Scalar:
        """Error of the transverse inertia by treating members as bodies of revolution [kg m2].

        It is the largest error of the inertia about a transverse axis over a turn of the member.
        """
        return sum((member.averaging_error for member in self.stated_members), 0.0)

    @property
    def stated_members(self) -> tuple[Member, ...]:
        """Its members as bodies of revolution, including those without mass and inertia."""
        return tuple(member for field in fields(self) for member in _members_in(getattr(self, field.name)))

    @property
    def parallel_axes(self) -> bool:
        """True: its shafts are parallel to the joint's axis; `ratio` is for axes of the same direction."""
        return True

    @property
    def driven_frame_fields(self) -> tuple[str, ...]:
        """Its fields that are given in the driven link's frame if the output member is that link."""
        return ()

    @property
    def is_output_rigid(self) -> bool:
        """Whether the output is rigid, so that the output member is the driven link."""
        return not own_elastic_element(self)


@dataclass(frozen=True, kw_only=True)
class GearWithMeshes(GearWithMembers):
    """A gear with optional losses per mesh.

    Args:
        mesh_efficiency: of one mesh, 0 to 1, instead of `efficiency`; it determines that of the gear.
        friction_coefficient: between the teeth, which gives the efficiency of every mesh by its geometry (see
            `losses.tooth_loss_factor`), instead of `mesh_efficiency`.
    """

    mesh_efficiency: Scalar | None = None
    friction_coefficient: Scalar | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        hint = "Give a fraction, such as 0.98."
        require_range("gear", "mesh_efficiency", self.mesh_efficiency, above=0, most=1, hint=hint, error=TrainError)
        hint = "Give the coefficient of friction between the teeth, such as 0.06."
        mu = self.friction_coefficient
        require_range("gear", "friction_coefficient", mu, least=0, hint=hint, error=TrainError)
        if mu is not None and self.mesh_efficiency is not None:
            raise TrainError(
                "gear: mesh_efficiency and friction_coefficient are given, which define the same efficiencies. Keep "
                "one of them."
            )

    def efficiency_of_mesh(self, first: Scalar, second: Scalar, internal: bool = False) -> Scalar:
        """Efficiency of the mesh of two numbers of teeth: as given, or by the friction of the teeth; otherwise 1."""
        if self.mesh_efficiency is not None:
            return self.mesh_efficiency
        if self.friction_coefficient is None:
            return 1.0
        pressure, helix = (getattr(self, name, 0.0) for name in ("pressure_angle", "helix_angle"))
        efficiency = 1 - self.friction_coefficient * tooth_loss_factor(first, second, internal, pressure, helix)
        hint = f"Give less than {self.friction_coefficient}."
        require_range("gear", "efficiency by friction_coefficient", efficiency, above=0, hint=hint, error=TrainError)
        return efficiency

    @property
    def source_of_losses(self) -> str | None:
        """The field that determines the efficiencies, if given."""
        stated = [x for x in ("mesh_efficiency", "friction_coefficient") if getattr(self, x) is not None]
        return stated[0] if stated else None


def _members_in(value: Any) -> tuple[Member, ...]:
    values = value if isinstance(value, tuple) else (value,)
    return tuple(x for x in values if isinstance(x, Member))
