"""What all gears share: their members as bodies of revolution, their elasticity and losses, and the rules of teeth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from gearwright.algebra import Scalar, is_number
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.gears.elasticity import own_element
from gearwright.parts.gears.gear import Transmission, Wheel


def require_teeth(owner: str, **teeth: Any) -> None:
    """Numbers of teeth are whole and positive."""
    for name, z in teeth.items():
        if not is_number(z):
            raise TrainError(f"{owner}: {name} has {z!r} teeth, which is not a number. Give a whole number of teeth.")
        if not 0 < z < float("inf") or z != int(z):
            raise TrainError(f"{owner}: {name} has {z} teeth. Give a whole number of teeth, 1 or more.")


def require_counts(owner: str, **counts: Any) -> None:
    """Numbers of planets, pins or discs are whole and positive."""
    for name, n in counts.items():
        if not is_number(n) or not 0 < n < float("inf") or n != int(n):
            raise TrainError(f"{owner}: {name} {n!r} is not a whole number of 1 or more.")


def require_positive(owner: str, **values: Any) -> None:
    """Lengths, densities and the like are positive."""
    for name, x in values.items():
        require_range(owner, name, x, above=0, error=TrainError)


def require_choice(owner: str, name: str, value: str, known: Iterable[str]) -> None:
    """One of a few words."""
    options = tuple(known)
    if value not in options:
        raise TrainError(f"{owner}: {name} {value!r} is unknown. Use one of {', '.join(options)}.")


@dataclass(frozen=True)
class Member:
    """One member of a gear (a sun, a pulley, a wave generator) as a body of revolution.

    Args:
        inertia: axial inertia [kg m2].
        mass: mass [kg].
        transverse_inertia: inertia across the axis [kg m2]; half the axial one unless given. A pair of values (a member
            that is not quite axisymmetric) enters as their mean; `averaging_error` says what that costs.
        position: centre of mass in the frame of the link that carries it [m]; unless given that of the motor, or, for
            a member about the joint's axis, the joint's origin.
        included: that link's numbers contain it already.
        side: which side of the gear's own spring it turns with, "motor" (I' and I'' of Vukobratovic and Potkonjak,
            eq. 20.98) or "joint"; a rigid gear has only one.
        coupling: coupling inertia if it differs from the axial one [kg m2]; 0 when only a reflected inertia is known.

    >>> Member(2e-5, transverse_inertia=(1.2e-5, 1.0e-5)).transverse
    1.1e-05
    """

    inertia: Scalar = 0.0
    mass: Scalar = 0.0
    transverse_inertia: Scalar | tuple[Scalar, Scalar] | None = None
    position: Any = None
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
    def transverse(self) -> Scalar:
        """The inertia across the axis, averaged if two are given [kg m2]."""
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
    def present(self) -> bool:
        """Whether it has mass or inertia at all."""
        return not all(is_number(x) and x == 0 for x in (self.inertia, self.mass))

    def times(self, count: int) -> Member:
        """So many of them turning alike, as one, without their mass."""
        coupling = None if self.coupling is None else count * self.coupling
        across = count * self.transverse
        return replace(self, inertia=count * self.inertia, mass=0.0, transverse_inertia=across, coupling=coupling)

    def orbiting(self, count: int, radius: Scalar) -> Member:
        """So many of them as points on a circle, all their mass and what it turns with when they go round."""
        ring = count * self.mass * radius * radius
        return replace(self, inertia=ring, mass=count * self.mass, transverse_inertia=ring * 0.5, coupling=None)

    def wheel(self, name: str, ratio: Scalar, **where: Any) -> tuple[Wheel, ...]:
        """The member as a wheel at a ratio, or nothing when it has neither mass nor inertia nor a shape at rest."""
        if not self.present and where.get("shape") is None:
            return ()
        own = {"position": self.position, "included": self.included, "side": self.side, "coupling": self.coupling}
        where = {**own, **where}
        return (Wheel(name, self.inertia, ratio, mass=self.mass, transverse_inertia=self.transverse, **where),)


NO_MEMBER = Member()
"""A member whose mass and inertia do not count."""


@dataclass(frozen=True, kw_only=True)
class Elasticity(Transmission):
    """What a gear has beside its wheels.

    Args:
        inertia: of the gear at its input [kg m2], turning with the motor, as catalogues give it.
        stiffness: torsional stiffness at the joint side [Nm/rad]; None: rigid.
        damping: of the elastic element at the joint side [Nms/rad].
        efficiency: fraction of the power that reaches the joint, 0 to 1.
        mass: of the whole gearbox [kg], as catalogues give it, at the motor's place on the link that carries it;
            instead of the masses of its members.
    """

    inertia: Scalar = 0.0
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    efficiency: float | None = None
    mass: Scalar = 0.0

    def __post_init__(self) -> None:
        require_range("gear", "mass", self.mass, least=0, unit="kg", error=TrainError)
        self.require_possible()

    def input_wheel(self, ratio: Scalar) -> tuple[Wheel, ...]:
        """The mass and the inertia at the input that catalogues give, turning with the motor."""
        return Member(self.inertia, self.mass).wheel("input", ratio)

    @property
    def averaging_error(self) -> Scalar:
        """Error of the transverse inertia by taking members that are not quite bodies of revolution for ones [kg m2].

        It is the most that the inertia about an axis across can be off while the member turns.
        """
        return sum((member.averaging_error for member in self.stated_members), 0.0)

    @property
    def stated_members(self) -> tuple[Member, ...]:
        """Its members as bodies of revolution, also those without mass and inertia."""
        return tuple(member for field in fields(self) for member in _members(getattr(self, field.name)))

    @property
    def parallel_axes(self) -> bool:
        """Its shafts are parallel to the joint's axis; `ratio` is that of axes which point the same way."""
        return True

    @property
    def riding(self) -> tuple[str, ...]:
        """Its fields that are stated in the driven link's frame when the output member is that link."""
        return ()

    @property
    def rigid(self) -> bool:
        """Without a spring, the gear's output member is the driven link."""
        return not own_element(self)


@dataclass(frozen=True, kw_only=True)
class Meshing(Elasticity):
    """A gear whose losses may be stated mesh by mesh.

    Args:
        mesh_efficiency: of one mesh, 0 to 1, from which those of the gear follow, instead of `efficiency`.
    """

    mesh_efficiency: Scalar | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        hint = "Give a fraction, such as 0.98."
        require_range("gear", "mesh_efficiency", self.mesh_efficiency, above=0, most=1, hint=hint, error=TrainError)

    @property
    def one_mesh(self) -> Scalar:
        """Efficiency of one mesh, 1 unless given."""
        return 1.0 if self.mesh_efficiency is None else self.mesh_efficiency

    def each_of(self, meshes: int) -> float:
        """Efficiency of each of so many meshes: as given, or the same part of that of the whole gear."""
        return float(self.one_mesh if self.efficiency is None else self.efficiency ** (1 / meshes))

    @property
    def source_of_losses(self) -> str | None:
        """The word from which efficiencies follow, if given."""
        return None if self.mesh_efficiency is None else "mesh_efficiency"


def _members(value: Any) -> tuple[Member, ...]:
    values = value if isinstance(value, tuple) else (value,)
    return tuple(x for x in values if isinstance(x, Member))
