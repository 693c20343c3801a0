"""A general gear train: meshes, carriers and tooth numbers; every motor may drive several joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gearwright.algebra import OptionalVector, Scalar, VectorLike, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.drives.motor import Motor
from gearwright.parts.gears.forces.tooth_forces import NORMAL_PRESSURE_ANGLE, require_teeth_angles
from gearwright.parts.gears.member import require_choice, require_positive, require_teeth

MeshKind = Literal["external", "internal", "bevel", "belt", "crossed belt"]
MESH_SIGNS: dict[str, float] = {"external": -1.0, "internal": 1.0, "bevel": -1.0, "belt": 1.0, "crossed belt": -1.0}
"""Sign of a mesh for axes of the same direction (bevel gears: both away from the apex)."""


@check_arguments
@dataclass(frozen=True)
class Gearwheel:
    """A wheel of a train: an axisymmetric body turning on a link, or orbiting on another wheel.

    Args:
        name: its name, unique in the robot.
        carrier: name of the link (or "base") that carries its axis; the name of another wheel makes it a planet
            that orbits with that wheel.
        axis: its axis in the carrier's frame; or the name of a coaxial joint or wheel. For a planet "parallel" (to the
            arm's axis, in the same direction) or "radial" (bevel planets); for planets on a link, the arm's axis is
            that of the link's joint.
        inertia: axial inertia [kg m2].
        mass: mass [kg].
        transverse_inertia: transverse inertia [kg m2]; by default half the axial inertia.
        position: centre of mass in the carrier's frame [m]; by default a point of the axis. For planets the centre of
            their circle.
        count: number of equal wheels, evenly spaced on a circle.
        radius: radius of that circle [m].
        towards: direction to the first wheel.
        coupling: coupling inertia if it differs from the axial one (0: balanced).
        included: whether the carrier's inertia already contains it.
    """

    name: str
    carrier: str = "base"
    axis: VectorLike | str = (0.0, 0.0, 1.0)
    inertia: Scalar = 0.0
    mass: Scalar = 0.0
    transverse_inertia: Scalar | None = None
    position: OptionalVector = None
    count: int = 1
    radius: Scalar = 0.0
    towards: OptionalVector = None
    coupling: Scalar | None = None
    included: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or not 1 <= self.count <= 100:
            raise TrainError(f"wheel {self.name!r}: count {self.count!r} is not a number of wheels from 1 to 100.")
        for name in ("inertia", "mass", "radius", "transverse_inertia"):
            require_range(f"wheel {self.name!r}", name, getattr(self, name), least=0, error=TrainError)


@check_arguments
@dataclass(frozen=True)
class Mesh:
    r"""A gear pair (or belt): $q_{first, carrier} = g \, q_{second, carrier}$, $g = \pm Z_{second} / Z_{first}$.

    Args:
        first, second: names of two wheels or links; a gear fixed to a link is named by the link.
        ratio: g itself, signed: speed of the first per speed of the second, both relative to the carrier; or
        teeth: teeth of the first and of the second; or
        radii: their pitch radii [m], and
        kind: "external", "internal", "bevel", "belt" or "crossed belt", which gives the sign.
        carrier: the link or wheel that carries both axes; by default determined from the train.
        sense: -1 if one of two bevel axes points towards the common apex. (Opposite directions of parallel axes are
            detected automatically.)
        efficiency: of the rolling power in the mesh (relative to the carrier), for either direction of power.
        module: normal module of the teeth [m], for the forces between them; of bevel teeth at their outer end.
        face_width: of bevel teeth along the cone [m]; the force acts at mid-face (where `radii` are measured).
        pressure_angle: normal pressure angle of the teeth [rad].
        helix_angle: of helical or spiral teeth [rad].
        pretension: of each span of a belt without load [N].

    >>> Mesh("pinion", "ring", teeth=(20, 80), kind="internal").signed_ratio
    4.0
    >>> Mesh("left", "right", radii=(0.03, 0.06)).signed_ratio
    -2.0
    """

    first: str
    second: str
    ratio: Scalar | None = None
    teeth: tuple[Scalar, Scalar] | None = None
    kind: MeshKind = "external"
    carrier: str | None = None
    sense: int = 1
    radii: tuple[Scalar, Scalar] | None = None
    efficiency: Scalar = 1.0
    module: Scalar | None = None
    face_width: Scalar | None = None
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    helix_angle: Scalar = 0.0
    pretension: Scalar | None = None

    def __post_init__(self) -> None:
        owner = f"mesh {self.title}"
        require_positive(owner, module=self.module, face_width=self.face_width)
        require_range(owner, "pretension", self.pretension, least=0, unit="N", error=TrainError)
        require_teeth_angles(owner, self.pressure_angle, self.helix_angle)
        require_choice(owner, "kind", self.kind, MESH_SIGNS)
        if sum(size is not None for size in (self.ratio, self.teeth, self.radii)) != 1:
            raise TrainError(f"{owner}: give either its ratio, or the teeth or radii of both gears.")
        if self.ratio is None:
            self._check_sizes(owner)
        if self.ratio is not None and is_number(self.ratio) and not 0 < abs(self.ratio) < float("inf"):
            raise TrainError(
                f"{owner}: ratio {self.ratio} is zero or not finite. Give the speed of the first / speed "
                "of the second gear."
            )
        if self.first == self.second:
            raise TrainError(f"{owner}: a gear cannot mesh with itself. Give two different gears.")
        if self.sense not in (1, -1):
            raise TrainError(f"{owner}: sense {self.sense} is neither 1 nor -1.")
        hint = "Give a fraction, such as 0.98."
        require_range(owner, "efficiency", self.efficiency, above=0, most=1, hint=hint, error=TrainError)

    def _check_sizes(self, owner: str) -> None:
        size_field = "teeth" if self.teeth is not None else "radii"
        if len(self._teeth_or_radii) != 2:
            raise TrainError(
                f"{owner}: {size_field} {self._teeth_or_radii}: give two numbers, of {self.first!r} and "
                f"{self.second!r}."
            )
        by_gear = dict(zip((self.first, self.second), self._teeth_or_radii, strict=True))
        if self.teeth is None or "belt" in self.kind:
            require_positive(owner, **by_gear)
        else:
            require_teeth(owner, **by_gear)
        if self.kind == "internal" and is_zero(self._teeth_or_radii[0] - self._teeth_or_radii[1]):
            raise TrainError(
                f"{owner}: {size_field} {self._teeth_or_radii} of an internal pair are equal. The ring must be larger."
            )

    @property
    def _teeth_or_radii(self) -> tuple[Scalar, ...]:
        return self.teeth or self.radii or ()

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"{self.first!r}-{self.second!r}"

    @property
    def signed_ratio(self) -> Scalar:
        """The ratio g for axes of the same direction (or according to `sense`)."""
        if self.ratio is not None:
            return self.ratio
        return MESH_SIGNS[self.kind] * self.sense * self._teeth_or_radii[1] / self._teeth_or_radii[0]


@check_arguments
@dataclass(frozen=True)
class TrainMotor:
    """A motor of a train: its rotor turns with a wheel, its stator is mounted on a link.

    Args:
        name: its name.
        wheel: the wheel on the rotor's shaft; the rotor's inertia is added to it.
        stator: the link (or wheel) that carries the stator; by default the wheel's carrier.
        motor: the motor. Its position is in the frame of the wheel's carrier; by default that of the wheel. A stator
            with mass must be on that carrier.
        stiffness: of the shaft between rotor and wheel [Nm/rad]; the rotor then has its own speed coordinate, named
            after the motor, at the motor side.
        damping: of that shaft [Nms/rad].
    """

    name: str
    wheel: str
    stator: str | None = None
    motor: Motor = field(default_factory=Motor)
    stiffness: Scalar | None = None
    damping: Scalar = 0.0


class TrainSource(NamedTuple):
    """A part of a train by its name in messages, such as "wheel 'w1'", and its file and line."""

    part: str
    source: str
    line: int


@check_arguments
@dataclass(frozen=True)
class Train:
    """Wheels, meshes and motors on a robot's links; they determine every wheel's speed per unit joint speed.

    Args:
        name: its name.
        wheels: the wheels; the robot's links need not be repeated.
        meshes: the gear pairs and belts.
        motors: the motors.
        free: wheels with an independent speed (a differential with more motors than joints), named after the wheel.
        stated: file and line of its parts, for messages.
    """

    name: str
    wheels: Sequence[Gearwheel] = ()
    meshes: Sequence[Mesh] = ()
    motors: Sequence[TrainMotor] = ()
    free: Sequence[str] = ()
    stated: Sequence[TrainSource] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("wheels", "meshes", "motors", "free", "stated"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def find_wheel(self, name: str) -> Gearwheel | None:
        """The wheel of that name; None if the train does not have it."""
        return next((wheel for wheel in self.wheels if wheel.name == name), None)
