"""Gear trains on the links of a robot: gear graph, wheels as spins, motors as actuators, teeth that must fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from gearwright.algebra import Scalar, Vec, is_zero
from gearwright.errors import SpinError, StructureError, TrainError
from gearwright.mechanism import checks
from gearwright.mechanism.assembly.link_geometry import LinkGeometry, parallel_sense, row_sum
from gearwright.mechanism.assembly.wheel_lumping import PlacedWheel, wheel_centres
from gearwright.mechanism.elements import checked_vector
from gearwright.mechanism.gear_graphs.graph import GearGraph
from gearwright.mechanism.gear_graphs.pairs import Circuit, GearPair, TurningPair
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.rows import as_number
from gearwright.parts import Gearwheel, Link, Mesh, Train, TrainMotor
from gearwright.parts.gears.planetary import require_coaxial_meshes, require_even_spacing, require_planet_clearance
from gearwright.text import did_you_mean, listed_names

# Teeth that must fit


class _MeshSide(NamedTuple):
    """A mesh seen from one of its gears: the other gear, its teeth, and the gear's own teeth."""

    other: str
    other_teeth: int
    own_teeth: int


class _MeshPlace(NamedTuple):
    """A gear, the carrier of one of its meshes, and the axis of its mating gear."""

    gear: str
    carrier: str
    axis: str


def require_teeth_that_fit(
    meshes: Sequence[Mesh], circuits: Sequence[Circuit], wheels: Mapping[str, Gearwheel]
) -> None:
    """Check planets: gears with the same teeth in mesh with a sun and a coaxial ring.

    Meshes given by their ratios, and stepped planets (their modules may differ), are not checked.
    """
    outside, inside = (_mesh_sides(meshes, circuits, kind) for kind in ("external", "internal"))
    for place, suns in outside.items():
        for sun, ring in ((sun, ring) for sun in suns for ring in inside.get(place, ())):
            if sun.own_teeth == ring.own_teeth and ring.other_teeth > ring.own_teeth:
                _require_planet_fits(place.gear, sun, ring, wheels[place.gear].count if place.gear in wheels else 1)


def _require_planet_fits(planet: str, sun: _MeshSide, ring: _MeshSide, count: int) -> None:
    owner = f"sun {sun.other!r}, planet {planet!r}, ring {ring.other!r}"
    require_coaxial_meshes(owner, (sun.other_teeth, sun.own_teeth), (ring.other_teeth, ring.own_teeth))
    require_even_spacing(owner, count, sun.other_teeth, sun.own_teeth, ring.other_teeth, ring.own_teeth)
    require_planet_clearance(owner, count, sun.other_teeth + sun.own_teeth, sun.own_teeth)


def _mesh_sides(meshes: Sequence[Mesh], circuits: Sequence[Circuit], kind: str) -> dict[_MeshPlace, list[_MeshSide]]:
    sides: dict[_MeshPlace, list[_MeshSide]] = {}
    for mesh, circuit in zip(meshes, circuits, strict=True):
        if mesh.kind == kind and mesh.teeth is not None:
            for place, side in _both_sides(mesh, circuit, mesh.teeth):
                sides.setdefault(place, []).append(side)
    return sides


def _both_sides(mesh: Mesh, circuit: Circuit, teeth: tuple[Scalar, Scalar]) -> Iterator[tuple[_MeshPlace, _MeshSide]]:
    axes = circuit.axes
    yield _MeshPlace(mesh.first, circuit.carrier, axes[1]), _MeshSide(mesh.second, int(teeth[1]), int(teeth[0]))
    yield _MeshPlace(mesh.second, circuit.carrier, axes[0]), _MeshSide(mesh.first, int(teeth[0]), int(teeth[1]))


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
                raise TrainError(f"wheel {wheel.name!r} has the name of a link. Rename it.")
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
        touched |= {wheel.carrier for wheel in self.wheels.values()} | set(self.free_wheels)
        for name in self.wheels:
            if name not in touched:
                raise TrainError(
                    f"wheel {name!r} is disconnected: it has no mesh. Add a mesh with it, or declare it free."
                )

    @cached_property
    def wheels(self) -> dict[str, Gearwheel]:
        """All wheels by name."""
        by_name: dict[str, Gearwheel] = {}
        for train in self.trains:
            for wheel in train.wheels:
                if wheel.name in by_name and by_name[wheel.name].carrier != wheel.carrier:
                    raise TrainError(
                        f"wheel {wheel.name!r} has two carriers, {by_name[wheel.name].carrier!r} and "
                        f"{wheel.carrier!r}. Keep one: coaxial links follow from the axis."
                    )
                if wheel.name in by_name:
                    raise TrainError(f"two wheels are called {wheel.name!r}. Rename one of them.")
                by_name[wheel.name] = wheel
        return by_name

    @property
    def meshes(self) -> list[Mesh]:
        """All meshes."""
        return [mesh for train in self.trains for mesh in train.meshes]

    @property
    def motors(self) -> list[TrainMotor]:
        """All motors."""
        return [motor for train in self.trains for motor in train.motors]

    @property
    def free_wheels(self) -> list[str]:
        """Wheels with a speed of their own."""
        return [name for train in self.trains for name in train.free]

    @cached_property
    def link_geometry(self) -> LinkGeometry:
        """The geometry of the links."""
        return LinkGeometry(self.links)

    @property
    def joints(self) -> list[str]:
        """Return the moving joints, mimic joints included."""
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
        turning += [TurningPair(wheel.carrier, wheel.name, self._axis_label(wheel)) for wheel in self.wheels.values()]
        bare = GearGraph(turning, [GearPair(m.first, m.second, m.signed_ratio, m.carrier) for m in self.meshes], "base")
        require_teeth_that_fit(self.meshes, bare.circuits, self.wheels)
        gears = []
        for mesh, circuit in zip(self.meshes, bare.circuits, strict=True):
            ratio = mesh.signed_ratio * self._mesh_sense(mesh, circuit.carrier, *circuit.axes)
            gears.append(GearPair(mesh.first, mesh.second, ratio, circuit.carrier))
        return GearGraph(turning, gears, "base")

    def _axis_label(self, wheel: Gearwheel) -> str:
        """Return its axis label: that of the coaxial joint or wheel, otherwise its own."""
        visited = [wheel.name]
        while isinstance(wheel.axis, str) and wheel.axis not in (PARALLEL, RADIAL):
            axis = wheel.axis
            if axis in self.link_geometry.by_joint:
                return axis
            if axis not in self.wheels:
                raise TrainError(
                    f"wheel {wheel.name!r}: its axis {axis!r} is neither a joint nor another wheel. "
                    f"{did_you_mean(axis, [*self.link_geometry.by_joint, *self.wheels])} A vector is also accepted."
                )
            if axis in visited:
                circle = listed_names([*visited, axis], " -> ")
                raise TrainError(f"wheels take their axis from each other: {circle}. Give one of them as a vector.")
            visited.append(axis)
            wheel = self.wheels[axis]
        return wheel.name

    def axis_direction(self, label: str, carrier: str) -> Vec | None:
        """Return an axis in the frame of the carrier link, or of the link under the carrier; None if unknown."""
        while carrier in self.wheels:  # an arm that is a wheel: gears on it are parallel to its axis
            carrier = self.wheels[carrier].carrier
        if label in self.link_geometry.by_joint:
            return self.link_geometry.axis_direction(label, carrier)
        wheel = self.wheels[label]
        if not isinstance(wheel.axis, str):
            return self.link_geometry.direction_seen_from(
                checked_vector(f"wheel {label!r}, axis", wheel.axis), wheel.carrier, carrier
            )
        if wheel.axis == RADIAL or wheel.carrier == "base":
            return None
        # Planets are parallel to the axis of their arm.
        arm = self.wheels.get(wheel.carrier)
        of_arm = self.link_geometry.by_name[wheel.carrier].joint_name if arm is None else self._axis_label(arm)
        return self.axis_direction(of_arm, carrier)

    def _mesh_sense(self, mesh: Mesh, carrier: str, first: str, second: str) -> int:
        """Return -1 if teeth are given and the two parallel axes have opposite directions."""
        if mesh.ratio is not None:
            return 1
        e, z = self.axis_direction(first, carrier), self.axis_direction(second, carrier)
        if e is None or z is None:
            return 1
        if not checks.are_numbers(*e, *z):
            raise TrainError(
                f"mesh {mesh.title}: the axes {tuple(e)} and {tuple(z)} on {carrier!r} are symbolic, but "
                "the sign depends on their directions. Give numbers, or the signed ratio itself."
            )
        e, z, sense = checks.unit_axis("axis", e), checks.unit_axis("axis", z), parallel_sense(e, z)
        parallel = sense != 0
        if parallel == (mesh.kind == "bevel"):
            rule = "bevel gears require intersecting axes" if parallel else f"{mesh.kind} gears require parallel axes"
            raise TrainError(
                f"mesh {mesh.title}: the axes {tuple(e)} and {tuple(z)} on {carrier!r} are inconsistent: {rule}. "
                "Change the kind or an axis, or give the ratio itself."
            )
        return sense or 1

    @cached_property
    def relative_rates(self) -> dict[str, RowOfSpeeds]:
        """Return per joint and wheel its rate relative to its carrier, over joints and free wheels."""
        for name in self.free_wheels:
            if name not in self.wheels:
                raise TrainError(f"free {name!r} is not a wheel. {did_you_mean(name, self.wheels)}")
        return self.graph.turning_rates([*self.joints, *self.free_wheels])

    def wheel_row(self, wheel: str) -> RowOfSpeeds:
        """Return the row of a wheel relative to its carrier, over the machine's speeds."""
        return self.link_geometry.row_over_speeds(self.relative_rates[wheel])

    @property
    def placed_wheels(self) -> list[PlacedWheel]:
        """Every wheel, placed on its link."""
        wheels: list[PlacedWheel] = []
        for wheel in self.wheels.values():
            wheels += self._orbiting_wheels(wheel) if wheel.carrier in self.wheels else self._wheels_on_link(wheel)
        return [w for w in wheels if not (is_zero(w.inertia) and is_zero(w.mass))]

    def axis_and_point(self, wheel: Gearwheel) -> tuple[Vec, Vec]:
        """Return the axis of a wheel on a link, and a point on it, in that link's frame."""
        owner = f"wheel {wheel.name!r}"
        label = self._axis_label(wheel)
        if label in self.link_geometry.by_joint:
            axis_and_point = self.link_geometry.joint_axis(label, wheel.carrier)
            if axis_and_point is None:
                raise TrainError(
                    f"{owner}: its carrier {wheel.carrier!r} is on neither side of joint {label!r}. Mount it on one "
                    "of the joint's two links."
                )
            e, point = axis_and_point
        elif label != wheel.name:
            other_carrier = self.wheels[label].carrier
            if other_carrier != wheel.carrier:
                raise TrainError(
                    f"{owner} on {wheel.carrier!r} takes its axis from wheel {label!r} on {other_carrier!r}. "
                    "Give coaxial wheels the same carrier, or the axis of a joint."
                )
            e, point = self.axis_and_point(self.wheels[label])
        elif isinstance(wheel.axis, str):
            raise TrainError(f"{owner}: axis {wheel.axis!r} is for planets. Give its axis in {wheel.carrier!r}.")
        else:
            e, point = checked_vector(owner, wheel.axis), Vec(0.0, 0.0, 0.0)
        position = point if wheel.position is None else checked_vector(owner, wheel.position)
        return checks.unit_axis(f"{owner}, axis", e), position

    def _wheels_on_link(self, wheel: Gearwheel) -> list[PlacedWheel]:
        e, centre = self.arm_axis(wheel)
        if wheel.axis == RADIAL:
            circle = self._wheel_body(wheel, wheel.carrier, e, centre, self.wheel_row(wheel.name))
            return [
                replace(
                    circle,
                    name=f"{wheel.name}{k + 1}",
                    axis=checks.unit_axis(wheel.name, spot - centre),
                    position=spot,
                    count=1,
                    radius=0.0,
                )
                for k, spot in enumerate(wheel_centres(circle))
            ]
        return [self._wheel_body(wheel, wheel.carrier, e, centre, self.wheel_row(wheel.name))]

    def arm_axis(self, wheel: Gearwheel) -> tuple[Vec, Vec]:
        """Return the axis of a wheel on a link; for planets on a link, the axis of that link's joint."""
        if not (isinstance(wheel.axis, str) and wheel.axis in (PARALLEL, RADIAL)):
            return self.axis_and_point(wheel)
        if wheel.carrier == "base":
            raise TrainError(
                f"wheel {wheel.name!r}: axis {wheel.axis!r} is undefined: the base has no joint. Give the axis."
            )
        link = self.link_geometry.by_name[wheel.carrier]
        position = (
            Vec(0.0, 0.0, 0.0) if wheel.position is None else checked_vector(f"wheel {wheel.name!r}", wheel.position)
        )
        return checks.unit_axis(
            f"wheel {wheel.name!r}", checked_vector(f"wheel {wheel.name!r}", link.joint.axis)
        ), position

    def _wheel_body(self, wheel: Gearwheel, carrier: str, e: Vec, position: Vec, row: RowOfSpeeds) -> PlacedWheel:
        owner = f"wheel {wheel.name!r}"
        inertia = as_number(owner, wheel.inertia)
        across = inertia * 0.5 if wheel.transverse_inertia is None else as_number(owner, wheel.transverse_inertia)
        towards = None if wheel.towards is None else checked_vector(f"{owner}, towards", wheel.towards)
        wheel_data = {
            "coupling": wheel.coupling,
            "included": wheel.included,
            "count": wheel.count,
            "radius": wheel.radius,
        }
        return PlacedWheel(
            wheel.name,
            carrier,
            e,
            position,
            row,
            inertia,
            as_number(owner, wheel.mass),
            across,
            towards=towards,
            **wheel_data,
        )

    def _orbiting_wheels(self, wheel: Gearwheel) -> list[PlacedWheel]:
        """Return planets on an arm that is not a link as coaxial spins on the arm's link (N >= 3: constant inertia).

        Parallel: arm + N m r^2 at s_arm, planets N I_p at s_arm + s_p. Radial (bevel): arm + N (m r^2 + It_p), the
        planets' own spin is balanced; at rest they add the transverse inertia N (m r^2 + I_p + It_p) / 2.
        """
        arm = self.wheels[wheel.carrier]
        if wheel.axis not in (PARALLEL, RADIAL) or arm.carrier in self.wheels:
            raise TrainError(
                f"wheel {wheel.name!r} is carried by wheel {arm.name!r}: its axis must be 'parallel' or 'radial' to "
                "that wheel's, and that wheel must turn on a link. Mount it on a link, or model it as a link."
            )
        if wheel.count < 3 and not (is_zero(wheel.mass) and is_zero(wheel.inertia)):
            raise SpinError(
                f"wheel {wheel.name!r} has {wheel.count} planets on a carrier that is not a link; its inertia then "
                "depends on the carrier angle. Use >= 3 planets, make the carrier a link, or model them as bodies."
            )
        e, centre = self.axis_and_point(arm)
        planet = replace(self._wheel_body(wheel, arm.carrier, e, centre, {}), count=1, radius=0.0, coupling=None)
        return _orbit_and_rotation(planet, wheel, self.wheel_row(arm.name), self.wheel_row(wheel.name))


def _orbit_and_rotation(
    planet: PlacedWheel, wheel: Gearwheel, arm: RowOfSpeeds, planet_row: RowOfSpeeds
) -> list[PlacedWheel]:
    """Return the spins of the arm with the planets' orbit, and of the planets' rotation (`planet_row`: relative)."""
    n, ring = wheel.count, wheel.count * planet.mass * wheel.radius * wheel.radius
    radial = wheel.axis == RADIAL
    with_arm = ring + n * planet.transverse_inertia if radial else ring
    across = (ring + n * (planet.inertia + planet.transverse_inertia)) * 0.5 if radial else ring * 0.5
    orbit = replace(
        planet, name=f"{wheel.name}.orbit", ratio=arm, inertia=with_arm, mass=n * planet.mass, transverse_inertia=across
    )
    turning = replace(planet, inertia=n * planet.inertia, mass=0.0, transverse_inertia=n * planet.transverse_inertia)
    if radial:  # balanced; inertia at rest already counted with the orbit
        turning = replace(turning, ratio=planet_row, coupling=0.0, included=True)
    else:
        turning = replace(turning, ratio=row_sum(arm, planet_row))
    return [w for w in (orbit, turning) if w.ratio]
