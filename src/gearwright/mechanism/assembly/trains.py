"""Gear trains on the links of a robot: gear graph, wheels as spins, motors as actuators, teeth that must fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from gearwright.algebra import Scalar, Vec, is_zero
from gearwright.errors import SpinError, StructureError, TrainError
from gearwright.mechanism import checks
from gearwright.mechanism.assembly.link_geometry import Links, pointing, row_sum
from gearwright.mechanism.assembly.wheel_lumping import Placed, places
from gearwright.mechanism.elements import vector
from gearwright.mechanism.gear_graphs.graph import GearGraph
from gearwright.mechanism.gear_graphs.pairs import Circuit, GearPair, TurningPair
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.rows import plain
from gearwright.parts import Gearwheel, Link, Mesh, Train, TrainMotor
from gearwright.parts.gears.planetary import require_apart, require_closing, require_even_spacing
from gearwright.text import did_you_mean, listed

# Teeth that must fit


class _Side(NamedTuple):
    """A mesh seen from one of its gears: the other gear, its teeth, and the own teeth."""

    other: str
    others: int
    own: int


class _Place(NamedTuple):
    """A gear, the carrier of a mesh of it, and the axis of the gear it meets there."""

    gear: str
    carrier: str
    axis: str


def require_teeth_that_fit(
    meshes: Sequence[Mesh], circuits: Sequence[Circuit], wheels: Mapping[str, Gearwheel]
) -> None:
    """A gear that meets a sun outside and a coaxial ring inside with the same teeth is a planet: the rules of one hold.

    Meshes given by their ratios, and stepped planets (their modules may differ), are not judged.
    """
    outside, inside = (_sides(meshes, circuits, kind) for kind in ("external", "internal"))
    for place, suns in outside.items():
        for sun, ring in ((sun, ring) for sun in suns for ring in inside.get(place, ())):
            if sun.own == ring.own and ring.others > ring.own:
                _require_planet(place.gear, sun, ring, wheels[place.gear].count if place.gear in wheels else 1)


def _require_planet(planet: str, sun: _Side, ring: _Side, count: int) -> None:
    owner = f"sun {sun.other!r}, planet {planet!r}, ring {ring.other!r}"
    require_closing(owner, (sun.others, sun.own), (ring.others, ring.own))
    require_even_spacing(owner, count, sun.others, sun.own, ring.others, ring.own)
    require_apart(owner, count, sun.others + sun.own, sun.own)


def _sides(meshes: Sequence[Mesh], circuits: Sequence[Circuit], kind: str) -> dict[_Place, list[_Side]]:
    found: dict[_Place, list[_Side]] = {}
    for mesh, circuit in zip(meshes, circuits, strict=True):
        if mesh.kind == kind and mesh.teeth is not None:
            for place, side in _both(mesh, circuit, mesh.teeth):
                found.setdefault(place, []).append(side)
    return found


def _both(mesh: Mesh, circuit: Circuit, teeth: tuple[Scalar, Scalar]) -> Iterator[tuple[_Place, _Side]]:
    axes = circuit.axes
    yield _Place(mesh.first, circuit.carrier, axes[1]), _Side(mesh.second, int(teeth[1]), int(teeth[0]))
    yield _Place(mesh.second, circuit.carrier, axes[0]), _Side(mesh.first, int(teeth[0]), int(teeth[1]))


# Trains

RowOfSpeeds = dict[str, Scalar]
PARALLEL, RADIAL = "parallel", "radial"


@dataclass(frozen=True)
class TrainStructure:
    """All trains of a robot on its links.

    Args:
        links: the robot's links.
        trains: its trains; wheels of one may mesh with wheels of another.
    """

    links: Sequence[Link]
    trains: Sequence[Train]

    def __post_init__(self) -> None:
        names = ["base", *(link.name for link in self.links)]
        for wheel in self.wheels.values():
            if wheel.name in names:
                raise TrainError(f"wheel {wheel.name!r} has the name of a link. Give it another name.")
            if wheel.carrier not in names and wheel.carrier not in self.wheels:
                raise StructureError(
                    f"wheel {wheel.name!r}: its carrier {wheel.carrier!r} is neither a link nor a wheel. "
                    f"{did_you_mean(wheel.carrier, [*names, *self.wheels])}"
                )
        self._require_meshed([*names, *self.wheels])

    def _require_meshed(self, names: Sequence[str]) -> None:
        for title, gear in ((mesh.title, gear) for mesh in self.meshes for gear in (mesh.first, mesh.second)):
            if gear not in names:
                unknown = f"there is no link or wheel {gear!r}. {did_you_mean(gear, names)}"
                raise TrainError(f"mesh {title}: {unknown}")
        touched = {name for mesh in self.meshes for name in (mesh.first, mesh.second, mesh.carrier)}
        touched |= {wheel.carrier for wheel in self.wheels.values()} | set(self.free)
        for name in self.wheels:
            if name not in touched:
                raise TrainError(
                    f"wheel {name!r} is disconnected: it meshes with nothing. Give a mesh with it, or declare it free."
                )

    @cached_property
    def wheels(self) -> dict[str, Gearwheel]:
        """All wheels by name."""
        found: dict[str, Gearwheel] = {}
        for train in self.trains:
            for wheel in train.wheels:
                if wheel.name in found and found[wheel.name].carrier != wheel.carrier:
                    raise TrainError(
                        f"wheel {wheel.name!r} has two carriers, {found[wheel.name].carrier!r} and {wheel.carrier!r}. "
                        "Keep one: coaxial links follow from the axis."
                    )
                if wheel.name in found:
                    raise TrainError(f"two wheels are called {wheel.name!r}. Give one of them another name.")
                found[wheel.name] = wheel
        return found

    @property
    def meshes(self) -> list[Mesh]:
        """All meshes."""
        return [mesh for train in self.trains for mesh in train.meshes]

    @property
    def motors(self) -> list[TrainMotor]:
        """All motors."""
        return [motor for train in self.trains for motor in train.motors]

    @property
    def free(self) -> list[str]:
        """Wheels with a speed of their own."""
        return [name for train in self.trains for name in train.free]

    @cached_property
    def where(self) -> Links:
        """The geometry of the links."""
        return Links(self.links)

    @property
    def joints(self) -> list[str]:
        """The joints that move, followers included."""
        return [link.joint_name for link in self.links if joint_kind(link.joint.kind).speeds]

    @cached_property
    def graph(self) -> GearGraph:
        """The functional graph: links, joints, wheels and gear pairs."""
        turning = [
            TurningPair(
                link.parent, link.name, link.joint_name if joint_kind(link.joint.kind).speeds else None, link.joint_name
            )
            for link in self.links
        ]
        turning += [TurningPair(wheel.carrier, wheel.name, self._label(wheel)) for wheel in self.wheels.values()]
        bare = GearGraph(turning, [GearPair(m.first, m.second, m.signed, m.carrier) for m in self.meshes], "base")
        require_teeth_that_fit(self.meshes, bare.circuits, self.wheels)
        gears = []
        for mesh, circuit in zip(self.meshes, bare.circuits, strict=True):
            ratio = mesh.signed * self._sense(mesh, circuit.carrier, *circuit.axes)
            gears.append(GearPair(mesh.first, mesh.second, ratio, circuit.carrier))
        return GearGraph(turning, gears, "base")

    def _label(self, wheel: Gearwheel) -> str:
        """Its axis label: that of the joint or wheel it is coaxial with, else its own."""
        visited = [wheel.name]
        while isinstance(wheel.axis, str) and wheel.axis not in (PARALLEL, RADIAL):
            axis = wheel.axis
            if axis in self.where.by_joint:
                return axis
            if axis not in self.wheels:
                raise TrainError(
                    f"wheel {wheel.name!r}: its axis {axis!r} is neither a joint nor another wheel. "
                    f"{did_you_mean(axis, [*self.where.by_joint, *self.wheels])} A vector works too."
                )
            if axis in visited:
                circle = listed([*visited, axis], " -> ")
                raise TrainError(f"wheels take their axis from each other: {circle}. Give one of them as a vector.")
            visited.append(axis)
            wheel = self.wheels[axis]
        return wheel.name

    def direction(self, label: str, carrier: str) -> Vec | None:
        """An axis in the frame of the link that is the carrier or bears it, as far as the drawing says."""
        while carrier in self.wheels:  # an arm that is a wheel: what meshes on it is parallel to its axis
            carrier = self.wheels[carrier].carrier
        if label in self.where.by_joint:
            return self.where.axis_direction(label, carrier)
        wheel = self.wheels[label]
        if not isinstance(wheel.axis, str):
            return self.where.direction(vector(f"wheel {label!r}, axis", wheel.axis), wheel.carrier, carrier)
        if wheel.axis == RADIAL or wheel.carrier == "base":
            return None
        # Planets are parallel to the axis of the arm they ride on.
        arm = self.wheels.get(wheel.carrier)
        of_arm = self.where.by_name[wheel.carrier].joint_name if arm is None else self._label(arm)
        return self.direction(of_arm, carrier)

    def _sense(self, mesh: Mesh, carrier: str, first: str, second: str) -> int:
        """-1 when teeth are given and the two parallel axes point opposite ways."""
        if mesh.ratio is not None:
            return 1
        e, z = self.direction(first, carrier), self.direction(second, carrier)
        if e is None or z is None:
            return 1
        if not checks.numbers(*e, *z):
            raise TrainError(
                f"mesh {mesh.title}: the axes {tuple(e)} and {tuple(z)} on {carrier!r} are not given in numbers, but "
                "its sign follows from where they point. Give numbers, or the signed ratio itself."
            )
        e, z, way = checks.unit("axis", e), checks.unit("axis", z), pointing(e, z)
        parallel = way != 0
        if parallel == (mesh.kind == "bevel"):
            rule = (
                "bevel gears need axes that meet at an angle" if parallel else f"{mesh.kind} gears need parallel axes"
            )
            raise TrainError(
                f"mesh {mesh.title}: the axes {tuple(e)} and {tuple(z)} on {carrier!r} do not fit: {rule}. Change the "
                "kind or an axis, or give the ratio itself."
            )
        return way or 1

    @cached_property
    def rates(self) -> dict[str, RowOfSpeeds]:
        """Per joint and wheel its rate relative to its carrier, over joints and free wheels."""
        for name in self.free:
            if name not in self.wheels:
                raise TrainError(f"free {name!r} is not a wheel. {did_you_mean(name, self.wheels)}")
        return self.graph.rates([*self.joints, *self.free])

    def row(self, wheel: str) -> RowOfSpeeds:
        """The row of a wheel relative to its carrier, over the machine's speeds."""
        return self.where.over_speeds(self.rates[wheel])

    @property
    def placed(self) -> list[Placed]:
        """Every wheel, placed on its link."""
        found: list[Placed] = []
        for wheel in self.wheels.values():
            found += self._orbiting(wheel) if wheel.carrier in self.wheels else self._on_link(wheel)
        return [w for w in found if not (is_zero(w.inertia) and is_zero(w.mass))]

    def axis_and_point(self, wheel: Gearwheel) -> tuple[Vec, Vec]:
        """The axis of a wheel on a link, and a point on it, in that link's frame."""
        owner = f"wheel {wheel.name!r}"
        label = self._label(wheel)
        if label in self.where.by_joint:
            axis_and_point = self.where.joint_axis(label, wheel.carrier)
            if axis_and_point is None:
                raise TrainError(
                    f"{owner}: its carrier {wheel.carrier!r} is on neither side of joint {label!r}. Let one of the "
                    "joint's two links carry it."
                )
            e, point = axis_and_point
        elif label != wheel.name:
            other = self.wheels[label].carrier
            if other != wheel.carrier:
                raise TrainError(
                    f"{owner} on {wheel.carrier!r} takes its axis from wheel {label!r} on {other!r}. "
                    "Coaxial wheels need one carrier, or the axis of a joint."
                )
            e, point = self.axis_and_point(self.wheels[label])
        elif isinstance(wheel.axis, str):
            raise TrainError(f"{owner}: axis {wheel.axis!r} is for planets. Give its axis in {wheel.carrier!r}.")
        else:
            e, point = vector(owner, wheel.axis), Vec(0.0, 0.0, 0.0)
        at = point if wheel.position is None else vector(owner, wheel.position)
        return checks.unit(f"{owner}, axis", e), at

    def _on_link(self, wheel: Gearwheel) -> list[Placed]:
        e, at = self.arm_axis(wheel)
        if wheel.axis == RADIAL:
            circle = self._body(wheel, wheel.carrier, e, at, self.row(wheel.name))
            return [
                replace(
                    circle,
                    name=f"{wheel.name}{k + 1}",
                    axis=checks.unit(wheel.name, spot - at),
                    position=spot,
                    count=1,
                    radius=0.0,
                )
                for k, spot in enumerate(places(circle))
            ]
        return [self._body(wheel, wheel.carrier, e, at, self.row(wheel.name))]

    def arm_axis(self, wheel: Gearwheel) -> tuple[Vec, Vec]:
        """The axis of a wheel on a link; planets on a link lie about the axis of that link's joint."""
        if not (isinstance(wheel.axis, str) and wheel.axis in (PARALLEL, RADIAL)):
            return self.axis_and_point(wheel)
        if wheel.carrier == "base":
            raise TrainError(f"wheel {wheel.name!r}: {wheel.axis!r} to what? The base has no joint. Give the axis.")
        link = self.where.by_name[wheel.carrier]
        at = Vec(0.0, 0.0, 0.0) if wheel.position is None else vector(f"wheel {wheel.name!r}", wheel.position)
        return checks.unit(f"wheel {wheel.name!r}", vector(f"wheel {wheel.name!r}", link.joint.axis)), at

    def _body(self, wheel: Gearwheel, carrier: str, e: Vec, at: Vec, row: RowOfSpeeds) -> Placed:
        owner = f"wheel {wheel.name!r}"
        inertia = plain(owner, wheel.inertia)
        across = inertia * 0.5 if wheel.transverse_inertia is None else plain(owner, wheel.transverse_inertia)
        towards = None if wheel.towards is None else vector(f"{owner}, towards", wheel.towards)
        more = {"coupling": wheel.coupling, "included": wheel.included, "count": wheel.count, "radius": wheel.radius}
        return Placed(
            wheel.name, carrier, e, at, row, inertia, plain(owner, wheel.mass), across, towards=towards, **more
        )

    def _orbiting(self, wheel: Gearwheel) -> list[Placed]:
        """Planets on an arm that is not a link: coaxial spins on the arm's link (N >= 3 look the same from every side).

        Parallel: arm + N m r^2 at s_arm, planets N I_p at s_arm + s_p. Radial (bevel): arm + N (m r^2 + It_p), the
        planets' own spin is balanced; at rest they add N (m r^2 + I_p + It_p) / 2 across.
        """
        arm = self.wheels[wheel.carrier]
        if wheel.axis not in (PARALLEL, RADIAL) or arm.carrier in self.wheels:
            raise TrainError(
                f"wheel {wheel.name!r} rides on wheel {arm.name!r}: its axis must be 'parallel' or 'radial' to that "
                "wheel's, and that wheel must turn on a link. Carry it by a link, or model it as a link."
            )
        if wheel.count < 3 and not (is_zero(wheel.mass) and is_zero(wheel.inertia)):
            raise SpinError(
                f"wheel {wheel.name!r} has {wheel.count} planets on a carrier that is not a link; its inertia then "
                "depends on the carrier angle. Use >= 3 planets, make the carrier a link, or model them as bodies."
            )
        e, at = self.axis_and_point(arm)
        one = replace(self._body(wheel, arm.carrier, e, at, {}), count=1, radius=0.0, coupling=None)
        return _orbit(one, wheel, self.row(arm.name), self.row(wheel.name))


def _orbit(one: Placed, wheel: Gearwheel, arm: RowOfSpeeds, own: RowOfSpeeds) -> list[Placed]:
    """What turns with the arm, and the planets' own turning (relative to the arm in `own`)."""
    n, ring = wheel.count, wheel.count * one.mass * wheel.radius * wheel.radius
    radial = wheel.axis == RADIAL
    with_arm = ring + n * one.across if radial else ring
    across = (ring + n * (one.inertia + one.across)) * 0.5 if radial else ring * 0.5
    orbit = replace(one, name=f"{wheel.name}.orbit", ratio=arm, inertia=with_arm, mass=n * one.mass, across=across)
    turning = replace(one, inertia=n * one.inertia, mass=0.0, across=n * one.across)
    if radial:  # balanced, and at rest already counted with the orbit
        turning = replace(turning, ratio=own, coupling=0.0, included=True)
    else:
        turning = replace(turning, ratio=row_sum(arm, own))
    return [w for w in (orbit, turning) if w.ratio]
