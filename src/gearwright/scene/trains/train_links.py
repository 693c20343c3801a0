"""Links around wheels of trains: forks about bevel gears, hollow hubs, and the transparent housing of the base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import Link
from gearwright.scene.solid import Solid
from gearwright.scene.tooth_profiles import circle_outline
from gearwright.scene.trains.axis_lines import SAME_POINT, AxisLine
from gearwright.scene.trains.shafts import ShaftAxis
from gearwright.scene.trains.train_gears import BEVEL, INTERNAL, TrainPair
from gearwright.scene.trains.train_solids import TrainScene
from gearwright.scene.triangles import (
    Triangles,
    as_vector,
    cylinder_mesh,
    join_meshes,
    ring_mesh,
    rod_mesh,
    rotation_towards,
    sphere_mesh,
    tube_mesh,
)

HOUSING_OPACITY = 0.16
CLEARANCE = 1.12
"""Distance of a fork from the gears inside it, as a ratio."""


@dataclass(frozen=True)
class Fork:
    """Two cheeks across a pitch axis, joined by a bridge across another axis through the same apex.

    Args:
        link: to which it belongs.
        apex: intersection of the axes in the base frame [m].
        across: unit vector along the pitch axis.
        towards: unit vector from the apex to the bridge.
        half_span: from the apex to the middle of a cheek [m].
        height: from the apex to the middle of the bridge [m].
        eye: radius of the holes on the pitch axis [m].
        bore: radius of the hole in the bridge [m].
    """

    link: str
    apex: Array
    across: Array
    towards: Array
    half_span: float
    height: float
    eye: float
    bore: float

    @property
    def thickness(self) -> float:
        """Of the cheeks and of the bridge [m]."""
        return 0.1 * self.height

    def mesh(self) -> Triangles:
        """The fork in the base frame."""
        t, c, b = self.thickness, self.half_span, self.height
        outer = max(1.5 * self.eye, 1.5 * self.bore, 0.3 * c)
        cheek = _plate_with_hole(self.eye, (-outer, outer, -b - t / 2, outer), t, is_round=True)
        bridge = _plate_with_hole(self.bore, (-c, c, -outer, outer), t)
        upright = np.column_stack([(0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0)])
        pieces = [bridge.with_pose(np.eye(3), (0, 0, b))]
        pieces += [cheek.with_pose(upright, (side * c, 0, 0)) for side in (1.0, -1.0)]
        frame = rotation_towards(self.towards, self.across)
        return join_meshes(pieces).with_pose(frame, self.apex)


def _plate_with_hole(
    hole: float, box: tuple[float, float, float, float], thickness: float, is_round: bool = False
) -> Triangles:
    """A plate between x and y limits with a round hole at the origin; its upper end may be round."""
    left, right, low, high = box
    angle = 2 * np.pi * np.arange(96) / 96
    corners = [np.arctan2(y, x) % (2 * np.pi) for x in (left, right) for y in (low, high)]
    angle = np.unique(np.concatenate([angle, corners]))
    direction = np.column_stack([np.cos(angle), np.sin(angle)])
    with np.errstate(divide="ignore"):
        limits = np.where(direction > 0, [right, high], [left, low]) / direction
    size = np.nanmin(np.where(np.isfinite(limits), limits, np.inf), axis=1)
    if is_round:
        size = np.where(direction[:, 1] > 0, high, size)
    return tube_mesh(hole * direction, size[:, None] * direction, thickness)


def train_link_solids(scene: TrainScene) -> dict[str, list[Solid]]:
    """Per link beside wheels of trains, and for "base", solids that leave room for them."""
    return _LinkForms(scene).solids()


class _LinkForms:
    def __init__(self, scene: TrainScene) -> None:
        self.scene, self.space = scene, scene.space
        self.links = scene.space.train.link_geometry
        self.bevels = [pair for pair in scene.pairs if pair.kind == BEVEL]
        self.forks = self._forks()

    def solids(self) -> dict[str, list[Solid]]:
        solids: dict[str, list[Solid]] = {}
        for fork in self.forks.values():
            mesh = fork.mesh()
            solids[fork.link] = [self._solid(fork.link, "link", mesh)]
        for axis in self.scene.axes.values():
            for shaft in axis.shafts:
                if shaft.name in self.links.by_name and self.space.is_joint(axis.line):
                    solids.setdefault(shaft.name, []).extend(self._hub(axis.line, shaft.name))
        for pair in self.bevels:
            solids.setdefault(pair.carrier, []).extend(self._gear_case(pair))
        base = [*solids.pop("base", []), *self._forearm()]
        if base:
            solids["base"] = base
        for name, link in self.links.by_name.items():
            rods = self._rods(link)
            holds_shafts = any(self.scene.body_of(gear.shaft) == name for gear in self.scene.gears)
            if name in solids or holds_shafts or any(rod.kind == "housing" for rod in rods):
                solids.setdefault(name, []).extend(rods)
        return {name: parts for name, parts in solids.items() if name in self.space.poses}

    def _solid(self, link: str, kind: str, mesh: Triangles, opacity: float = 1.0) -> Solid:
        rotation, origin = self.space.poses[link]
        return Solid(link, kind, link, mesh, rotation.T, -rotation.T @ origin, opacity=opacity)

    # Forks

    def _forks(self) -> dict[str, Fork]:
        """Forks of the links that carry the perpendicular axes of bevel gears; the inner fork first."""
        forks: dict[str, Fork] = {}
        carriers = list(dict.fromkeys(pair.carrier for pair in self.bevels if pair.carrier in self.links.by_name))
        depth = {name: len(self.links.links_to_base(name)) for name in carriers}
        for carrier in sorted(carriers, key=lambda name: -depth[name]):
            fork = self._fork(carrier, forks)
            if fork is not None:
                forks[carrier] = fork
        return forks

    def _fork(self, carrier: str, inner: dict[str, Fork]) -> Fork | None:
        own_joint = self.links.by_name[carrier].joint_name
        carried = [pair for pair in self.bevels if pair.carrier == carrier]
        pairs = [pair for pair in carried if np.allclose(pair.apex, carried[0].apex, atol=SAME_POINT)]
        lines = {gear.line.label: gear.line for pair in pairs for gear in pair.gears}
        own = lines.get(own_joint)
        child = next((line for label, line in lines.items() if label != own_joint and self.space.is_joint(line)), None)
        if own is None or child is None or abs(own.direction @ child.direction) > 1e-6:
            return None
        apex = pairs[0].apex
        carriers_of = {
            line.label: {p.carrier for p in self.bevels if line in (p.first.line, p.second.line)}
            for line in (own, child)
        }
        own_is_pitch = len(carriers_of[own.label]) > 1 or (
            len(carriers_of[child.label]) < 2 and np.linalg.norm(own.point - apex) < SAME_POINT
        )
        pitch, roll = (own, child) if own_is_pitch else (child, own)
        gears = [g for p in self.bevels if np.allclose(p.apex, apex, atol=SAME_POINT) for g in p.gears]
        sides = [gear.side for pair in pairs for gear in pair.gears if gear.line is roll]
        side = sides[0] if sides else 1
        across = [gear for gear in gears if gear.line is pitch]
        along = [gear for gear in gears if gear.line is roll and gear.side == side]
        others = [gear for gear in gears if gear.line is not pitch]
        module = max((2 * gear.radius / max(gear.teeth, 20) for gear in gears), default=0.0)
        apex_of = pitch.height_of(apex), roll.height_of(apex)
        span = max(
            [abs(end - apex_of[0]) for gear in across for end in gear.extent]
            + [gear.radius + module for gear in others]
        )
        height = max(
            [gear.radius + module for gear in across] + [abs(end - apex_of[1]) for gear in along for end in gear.extent]
        )
        inside = [fork for fork in inner.values() if np.allclose(fork.apex, apex, atol=SAME_POINT)]
        for fork in inside:
            span = max(span, fork.half_span + 0.6 * fork.thickness)
        eye = (
            max(shaft.radius for shaft in self.scene.axes[pitch.label].shafts if self._passes(shaft.name))
            if any(self._passes(shaft.name) for shaft in self.scene.axes[pitch.label].shafts)
            else 0.15 * span
        )
        bore = max((shaft.radius for shaft in self.scene.axes[roll.label].shafts if shaft.name != carrier), default=0.0)
        sign = side * roll.direction
        height = CLEARANCE * height
        return Fork(
            carrier,
            apex,
            pitch.direction,
            sign,
            CLEARANCE * span + 0.06 * height,
            height * 1.06,
            1.08 * eye,
            1.08 * bore or 0.2 * span,
        )

    def _passes(self, name: str) -> bool:
        return name in self.space.train.wheels

    # Hubs, rods and housings

    def _hub(self, line: AxisLine, name: str) -> list[Solid]:
        """The tube by which the gear of a link is fixed to it: to its fork, or through the bridge to its hand."""
        shaft = self.scene.shaft(name, line.label)
        assert shaft is not None
        fork = self.forks.get(name)
        gear = shaft.gears[0]
        if fork is not None and abs(line.direction @ fork.across) > 0.5:
            inner = fork.half_span
        elif fork is not None:
            inner = fork.height
        else:
            outer = [f for f in self.forks.values() if abs(line.direction @ f.towards) > 0.5]
            inner = max((f.height + 1.2 * f.thickness for f in outer), default=0.0)
            if gear.kind != BEVEL:
                return self._flange(line, name, shaft.high if gear.height > 0 else shaft.low)
        apex = line.height_of(fork.apex) if fork is not None else line.height_of(self._apex(gear.line, name))
        if fork is not None and abs(line.direction @ fork.towards) > 0.5:
            side = float(np.sign(line.direction @ fork.towards))
        else:
            side = float(gear.side)
        inner = max(inner, abs(gear.height - apex) + 0.5 * gear.width)
        shaft.reach_to(apex + side * inner)
        return [] if fork is not None else self._flange(line, name, apex + side * inner, side)

    def _apex(self, line: AxisLine, name: str) -> Array:
        pairs = [p for p in self.bevels if any(g.shaft == name and g.line is line for g in p.gears)]
        return pairs[0].apex if pairs else line.point

    def _flange(self, line: AxisLine, name: str, height: float, side: float = 1.0) -> list[Solid]:
        """A disc at the end of a hub, from which the link continues."""
        shaft = self.scene.shaft(name, line.label)
        assert shaft is not None
        radius = 1.5 * shaft.radius
        disc = cylinder_mesh(radius, 0.5 * radius, shaft.bore)
        frame = rotation_towards(line.direction)
        return [self._solid(name, "link", disc.with_pose(frame, line.point_at(height + side * 0.25 * radius)))]

    def _gear_case(self, pair: TrainPair) -> list[Solid]:
        """A transparent sphere around bevel gears between oblique axes."""
        if pair.carrier in self.forks or pair.carrier not in self.space.poses:
            return []
        distance = max(pair.first.radius / max(np.sin(pair.first.cone), 1e-9), 1e-6)
        same = [p for p in self.bevels if p.carrier == pair.carrier and np.allclose(p.apex, pair.apex, atol=SAME_POINT)]
        largest = max(same, key=lambda p: p.first.radius / max(np.sin(p.first.cone), 1e-9))
        if pair is not largest:
            return []
        mesh = sphere_mesh(1.15 * distance, 16).with_pose(np.eye(3), pair.apex)
        return [self._solid(pair.carrier, "housing", mesh, HOUSING_OPACITY)]

    def _rods(self, link: Link) -> list[Solid]:
        """Rods from the outside of the fork, gear case or hub of a link to its other joints and frames.

        One through which wheels run that the link does not carry is a transparent case around them.
        """
        rotation, origin = self.space.poses[link.name]
        starts = self._outlets(link.name, origin)
        pieces = []
        for end in self._ends(link):
            point = origin + rotation @ end
            start = min(starts, key=lambda place: float(np.linalg.norm(place - point)))
            radius, length = 0.026 * self.space.reach, float(np.linalg.norm(point - start))
            begin, stop = (self._room(place) for place in (start, point))
            if length > 0.06 * self.space.reach + begin + stop:
                direction = (point - start) / length
                start, point = start + begin * direction, point - stop * direction
                rod = rod_mesh(point - start, radius).with_pose(np.eye(3), start)
                is_case = self._is_crossed(link.name, start, point, radius)
                pieces.append(
                    self._solid(
                        link.name, "housing" if is_case else "link", rod, 2 * HOUSING_OPACITY if is_case else 1.0
                    )
                )
        return pieces

    def _room(self, point: Array) -> float:
        """Radius of the case of bevel gears around a point [m]; 0 elsewhere."""
        rooms = [
            1.15 * pair.first.radius / max(np.sin(pair.first.cone), 1e-9)
            for pair in self.bevels
            if np.linalg.norm(point - pair.apex) < SAME_POINT
        ]
        return max(rooms, default=0.0)

    def _is_crossed(self, link: str, start: Array, end: Array, radius: float) -> bool:
        """Whether a rod meets a wheel that its link does not carry."""
        points = start + np.linspace(0.0, 1.0, 60)[:, None] * (end - start)
        for gear in self.scene.gears:
            if self.scene.body_of(gear.shaft) == link:
                continue
            low, high = gear.extent
            heights = (points - gear.line.point) @ gear.line.direction
            away = np.linalg.norm(points - gear.line.point - heights[:, None] * gear.line.direction, axis=1)
            size = 1.15 * gear.radius + radius
            if ((heights > low - radius) & (heights < high + radius) & (away < size)).any():
                return True
        return False

    def _outlets(self, name: str, origin: Array) -> list[Array]:
        """Points of a link from which rods may start."""
        fork = self.forks.get(name)
        if fork is not None:
            return [fork.apex + fork.height * fork.towards]
        points = [origin]
        for axis in self.scene.axes.values():
            shaft = self.scene.shaft(name, axis.line.label)
            if shaft is not None:
                points = [axis.line.point_at(end) for end in (shaft.low, shaft.high)]
        return points

    def _ends(self, link: Link) -> list[Array]:
        """The joints of the next links in the frame of a link; where it carries shafts, the outer end of these."""
        ends = []
        rotation, origin = self.space.poses[link.name]
        for other in self.space.train.links:
            if other.parent == link.name:
                axis = self.scene.axes.get(other.joint_name)
                end = as_vector(other.joint.position)
                held = [] if axis is None else [s for s in axis.shafts if self.scene.body_of(s.name) == link.name]
                if axis is not None and held and not axis.room:
                    last = max(axis.outward * end for s in held for end in (s.low, s.high))
                    end = rotation.T @ (axis.line.point_at(axis.outward * last) - origin)
                ends.append(end)
        return ends or [as_vector(link.com)]

    def _forearm(self) -> list[Solid]:
        """The transparent housing of the base around its motors and spur gears, with a plate at its end."""
        train = self.space.train
        carried = [
            (axis, shaft)
            for axis in self.scene.axes.values()
            for shaft in axis.shafts
            if shaft.name in train.wheels and train.wheels[shaft.name].carrier == "base"
        ]
        if not carried:
            return []
        roots = (axis for axis in self.scene.axes.values() if self._is_joint_of_base(axis.line))
        main = next(roots, carried[0][0])
        line, sizes, ends = main.line, [0.0], []
        for axis, shaft in carried:
            if abs(axis.line.direction @ line.direction) < 1 - 1e-9:
                continue
            away = float(np.linalg.norm(line.offset_to(axis.line)))
            shift = line.height_of(axis.line.point)
            sense = 1.0 if axis.line.direction @ line.direction > 0 else -1.0
            gears = [gear for gear in shaft.gears if gear.kind != BEVEL]
            sizes += [away + gear.radius * (1.25 if gear.kind == INTERNAL else 1.1) for gear in gears]
            ends += [shift + sense * end for gear in gears for end in gear.extent]
            if shaft.name in self.scene.motor_ends:
                low, high, radius = self.scene.motor_ends[shaft.name]
                sizes.append(away + 1.1 * radius)
                ends += [shift + sense * low, shift + sense * high]
        partners = [
            gear for pair in self.scene.pairs for gear in pair.gears if gear.line is line and gear.kind != BEVEL
        ]
        sizes += [1.1 * gear.radius for gear in partners]
        ends += [end for gear in partners for end in gear.extent]
        if not ends or max(sizes) <= 0:
            return []
        radius = max(sizes)
        low, high = min(ends) - 0.06 * radius, max(ends) + 0.06 * radius
        out = main.outward
        tip, end = (low, high) if out > 0 else (high, low)
        neck = 1.25 * max([1.02 * shaft.radius for shaft in main.shafts] + [0.2 * radius])
        front = self._front_of_forearm(main, tip)
        pieces = [
            (_shell(radius, low, high), 1.0),
            (_disc(0.96 * neck, 1.04 * radius, tip, 0.05 * radius), 2.0),
            (_disc(0.2 * radius, 1.04 * radius, end, 0.05 * radius), 2.0),
        ]
        if out * (tip - front) > 0.1 * radius:
            pieces.append((_shell(neck, min(tip, front), max(tip, front)), 1.0))
        frame = rotation_towards(line.direction)
        return [
            self._solid("base", "housing", mesh.with_pose(frame, line.point), opacity * HOUSING_OPACITY)
            for mesh, opacity in pieces
        ]

    def _is_joint_of_base(self, line: AxisLine) -> bool:
        return self.space.is_joint(line) and self.links.by_joint[line.label].parent == "base"

    def _front_of_forearm(self, main: ShaftAxis, tip: float) -> float:
        """The height up to which the forearm encloses its shafts: before the fork of the next link [m]."""
        bridges = [
            main.line.height_of(fork.apex) - main.outward * -1.0 * (fork.height + 1.5 * fork.thickness)
            for fork in self.forks.values()
            if fork.towards @ main.line.direction * main.outward > 0.5
        ]
        return bridges[0] if bridges else tip


def _shell(radius: float, low: float, high: float) -> Triangles:
    """A thin tube about z."""
    return ring_mesh(circle_outline(radius, 64), 1.04 * radius, high - low).with_pose(
        np.eye(3), (0, 0, (low + high) / 2)
    )


def _disc(bore: float, radius: float, height: float, thickness: float) -> Triangles:
    return ring_mesh(circle_outline(bore, 64), radius, thickness).with_pose(np.eye(3), (0, 0, height))
