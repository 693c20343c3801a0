"""A gear train drawn freely: who meshes with whom, who carries whom, how many teeth; any motor may move any joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.drives.motor import Motor
from gearwright.parts.gears.forces.tooth_forces import PRESSURE_ANGLE, require_teeth_angles
from gearwright.parts.gears.member import require_choice, require_positive, require_teeth

MeshKind = Literal["external", "internal", "bevel", "belt", "crossed belt"]
SIGNS: dict[str, float] = {"external": -1.0, "internal": 1.0, "bevel": -1.0, "belt": 1.0, "crossed belt": -1.0}
"""Sign of a mesh when both axes point the same way (bevel gears: both away from the apex)."""


@dataclass(frozen=True)
class Gearwheel:
    """A wheel of a train: an axisymmetric body turning on a link, or orbiting on another wheel.

    Args:
        name: its name, unique in the robot.
        carrier: name of the link (or "base") that carries its axis; the name of another wheel makes it a planet
            that orbits with that wheel.
        axis: its axis in the carrier's frame; or the name of a joint (or of another wheel) it is coaxial with. For a
            planet "parallel" (to the arm's axis, pointing the same way) or "radial" (bevel planets), and so for
            planets on a link, where the arm's axis is that of the link's joint.
        inertia: axial inertia [kg m2].
        mass: mass [kg].
        transverse_inertia: inertia across the axis [kg m2]; half the axial one unless given.
        position: centre of mass in the carrier's frame [m]; a point of the axis unless given. For planets the centre
            of their circle.
        count: how many equal ones, evenly spaced on a circle.
        radius: radius of that circle [m].
        towards: direction to the first of them.
        coupling: coupling inertia if it differs from the axial one (0: balanced).
        included: the carrier's numbers contain it already.
    """

    name: str
    carrier: str = "base"
    axis: Any = (0.0, 0.0, 1.0)
    inertia: Scalar = 0.0
    mass: Scalar = 0.0
    transverse_inertia: Scalar | None = None
    position: Any = None
    count: int = 1
    radius: Scalar = 0.0
    towards: Any = None
    coupling: Scalar | None = None
    included: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or not 1 <= self.count <= 100:
            raise TrainError(f"wheel {self.name!r}: count {self.count!r} is not a number of wheels from 1 to 100.")
        for name in ("inertia", "mass", "radius", "transverse_inertia"):
            require_range(f"wheel {self.name!r}", name, getattr(self, name), least=0, error=TrainError)


@dataclass(frozen=True)
class Mesh:
    r"""A gear pair (or belt): $q_{first, carrier} = g \, q_{second, carrier}$, $g = \pm Z_{second} / Z_{first}$.

    Args:
        first, second: names of two wheels or links; a gear fixed to a link is named by the link.
        ratio: g itself, signed: speed of the first per speed of the second, both relative to the carrier; or
        teeth: teeth of the first and of the second; or
        radii: their pitch radii [m], and
        kind: "external", "internal", "bevel", "belt" or "crossed belt", which gives the sign.
        carrier: the link or wheel that keeps the two axes apart; found from the drawing unless given.
        sense: -1 when one of two bevel axes points towards the common apex. (Parallel axes that point opposite ways
            are seen from the drawing.)
        efficiency: fraction of the power rolling in the mesh (seen from the carrier) that arrives, whichever of the two
            gears drives.
        module: normal module of the teeth [m], for the forces between them; of bevel teeth at their outer end.
        face_width: of bevel teeth along the cone [m]; their middle carries (their `radii` are taken there).
        pressure_angle: normal pressure angle of the teeth [rad].
        helix_angle: of helical or spiral teeth [rad].
        pretension: of each span of a belt while nothing is driven [N].

    >>> Mesh("pinion", "ring", teeth=(20, 80), kind="internal").signed
    4.0
    >>> Mesh("left", "right", radii=(0.03, 0.06)).signed
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
    pressure_angle: Scalar = PRESSURE_ANGLE
    helix_angle: Scalar = 0.0
    pretension: Scalar | None = None

    def __post_init__(self) -> None:
        owner = f"mesh {self.title}"
        require_positive(owner, module=self.module, face_width=self.face_width)
        require_range(owner, "pretension", self.pretension, least=0, unit="N", error=TrainError)
        require_teeth_angles(owner, self.pressure_angle, self.helix_angle)
        require_choice(owner, "kind", self.kind, SIGNS)
        if sum(given is not None for given in (self.ratio, self.teeth, self.radii)) != 1:
            raise TrainError(f"{owner}: give either its ratio, or the teeth or radii of both gears.")
        if self.ratio is None:
            self._check_sizes(owner)
        if self.ratio is not None and is_number(self.ratio) and not 0 < abs(self.ratio) < float("inf"):
            raise TrainError(f"{owner}: ratio {self.ratio}: it must be finite and not zero. Give speed / speed.")
        if self.first == self.second:
            raise TrainError(f"{owner}: a gear cannot mesh with itself. Name two.")
        if self.sense not in (1, -1):
            raise TrainError(f"{owner}: sense {self.sense} is neither 1 nor -1.")
        hint = "Give a fraction, such as 0.98."
        require_range(owner, "efficiency", self.efficiency, above=0, most=1, hint=hint, error=TrainError)

    def _check_sizes(self, owner: str) -> None:
        what = "teeth" if self.teeth is not None else "radii"
        if len(self._sizes) != 2:
            raise TrainError(f"{owner}: {what} {self._sizes}: give two numbers, of {self.first!r} and {self.second!r}.")
        named = dict(zip((self.first, self.second), self._sizes, strict=True))
        if self.teeth is None or "belt" in self.kind:
            require_positive(owner, **named)
        else:
            require_teeth(owner, **named)
        if self.kind == "internal" and is_zero(self._sizes[0] - self._sizes[1]):
            raise TrainError(f"{owner}: {what} {self._sizes} of an internal pair are equal. Its ring must be larger.")

    @property
    def _sizes(self) -> tuple[Scalar, ...]:
        return self.teeth or self.radii or ()

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return f"{self.first!r}-{self.second!r}"

    @property
    def signed(self) -> Scalar:
        """The ratio g for axes that point the same way (or as `sense` says)."""
        if self.ratio is not None:
            return self.ratio
        return SIGNS[self.kind] * self.sense * self._sizes[1] / self._sizes[0]


@dataclass(frozen=True)
class TrainMotor:
    """A motor of a train: its rotor turns with a wheel, its stator sits on a link.

    Args:
        name: its name.
        wheel: the wheel its rotor is fixed to; the rotor's inertia is added there.
        stator: the link (or wheel) that carries the stator; the wheel's carrier unless given.
        motor: the motor. Its position is in the frame of the wheel's carrier; unless given the wheel's. A stator with
            a mass must sit on that carrier.
        stiffness: of the shaft between rotor and wheel [Nm/rad]; the rotor then has a speed of its own, named after
            the motor, that counts at the motor side.
        damping: of that shaft [Nms/rad].
    """

    name: str
    wheel: str
    stator: str | None = None
    motor: Motor = field(default_factory=Motor)
    stiffness: Scalar | None = None
    damping: Scalar = 0.0


class Stated(NamedTuple):
    """A part of a train as messages call it, such as "wheel 'w1'", and the file and line that state it."""

    part: str
    source: str
    line: int


@dataclass(frozen=True)
class Train:
    """Wheels, meshes and motors on a robot's links; solved for every wheel's speed per unit joint speed.

    Args:
        name: its name.
        wheels: the wheels; the robot's links need not be repeated.
        meshes: the gear pairs and belts.
        motors: the motors.
        free: wheels that move on their own (a differential with more motors than joints): each gets a speed, named
            after the wheel.
        stated: where a file states its parts, for messages.
    """

    name: str
    wheels: Sequence[Gearwheel] = ()
    meshes: Sequence[Mesh] = ()
    motors: Sequence[TrainMotor] = ()
    free: Sequence[str] = ()
    stated: Sequence[Stated] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("wheels", "meshes", "motors", "free", "stated"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def wheel(self, name: str) -> Gearwheel | None:
        """The wheel of that name, if it is one of the train's."""
        return next((wheel for wheel in self.wheels if wheel.name == name), None)
