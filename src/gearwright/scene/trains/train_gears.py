"""The gears of a train: one per wheel and mesh, with pitch radii, sides and modules such that every pair touches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import acos, cos, pi, sin

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import Mesh
from gearwright.scene.trains.axis_lines import SAME_POINT, AxisLine, TrainPlacement, are_parallel, common_perpendicular
from gearwright.scene.triangles import as_vector

EXTERNAL, INTERNAL, BEVEL, BELT, CROSSED, COAXIAL = "external", "internal", "bevel", "belt", "crossed", "coaxial"
"""Kinds of pairs by their axes: parallel (outside, inside), intersecting, joined by a belt, skew, the same axis."""
SMALLEST_PINION, MOST_DRAWN_TEETH = 17, 200
EQUAL_SPEEDS = 1e-9
"""Difference of a ratio from 1 up to which parallel wheels turn alike, as by a belt."""
VISIBLE_RADIUS_RATIO = 0.07
"""Radius of the largest gear of open size relative to the robot's reach."""


@dataclass(eq=False)
class TrainGear:
    """One gear on the shaft of a wheel or link.

    Args:
        shaft: the wheel, or the link to which it is fixed.
        line: its axis.
        teeth: number of its teeth; 0 for a smooth wheel.
        kind: "external", "internal" (a ring), "bevel", "belt" (a pulley), "crossed".
        radius: of its pitch circle [m].
        height: of the plane of its pitch circle along the axis [m].
        side: of a bevel gear: +1 if it is on the positive side of the apex.
        cone: half the angle of its pitch cone [rad].
        phase: angle of a tooth from the x axis of its frame [rad]; None until it is determined.
        width: of its teeth along the axis, or along the cone [m].
    """

    shaft: str
    line: AxisLine
    teeth: int
    kind: str
    radius: float = 0.0
    height: float = 0.0
    side: int = 1
    cone: float = 0.0
    phase: float | None = None
    width: float = 0.0

    @property
    def centre(self) -> Array:
        """Centre of its pitch circle in the base frame [m]."""
        return self.line.point_at(self.height)

    @property
    def extent(self) -> tuple[float, float]:
        """Lowest and highest point along the axis [m]."""
        if self.kind != BEVEL:
            return self.height - self.width / 2, self.height + self.width / 2
        ends = self.height - self.side * 1.1 * self.width * cos(self.cone), self.height + self.side * 0.45 * self.width
        return min(ends), max(ends)


@dataclass(eq=False)
class TrainPair:
    """Two gears in mesh.

    Args:
        mesh: the mesh of the file.
        carrier: that carries both axes.
        ratio: signed, speed of the first per speed of the second.
        kind: see the constants of this module.
        gears: the first and the second.
        apex: point at which the axes intersect [m], for bevel gears.
    """

    mesh: Mesh
    carrier: str
    ratio: float
    kind: str
    gears: list[TrainGear]
    apex: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def first(self) -> TrainGear:
        """Its first gear."""
        return self.gears[0]

    @property
    def second(self) -> TrainGear:
        """Its second gear."""
        return self.gears[1]


def train_pairs(space: TrainPlacement, lines: dict[str, AxisLine]) -> list[TrainPair]:
    """Every pair of a train, with the kind that its axes require and gears without size."""
    pairs, train = [], space.train
    for mesh, circuit, edge in zip(train.meshes, train.graph.circuits, train.graph.gears, strict=True):
        a, b = (lines[label] for label in circuit.axes)
        ratio = float(edge.ratio)
        kind = _pair_kind(mesh, a, b, ratio)
        teeth = (0, 0) if kind == BELT else _drawn_teeth(mesh, ratio)
        gears = [
            TrainGear(name, line, z, kind)
            for name, line, z in zip((mesh.first, mesh.second), (a, b), teeth, strict=True)
        ]
        if kind == INTERNAL:
            gears[0 if abs(ratio) < 1 else 1].kind, gears[1 if abs(ratio) < 1 else 0].kind = INTERNAL, EXTERNAL
        pairs.append(TrainPair(mesh, circuit.carrier, ratio, kind, gears))
    return pairs


def _pair_kind(mesh: Mesh, a: AxisLine, b: AxisLine, ratio: float) -> str:
    if "belt" in mesh.kind:
        return BELT
    if not are_parallel(a, b):
        ends = common_perpendicular(a, b)
        return BEVEL if np.linalg.norm(ends[1] - ends[0]) < SAME_POINT else CROSSED
    if a.is_placed and b.is_placed and np.linalg.norm(a.offset_to(b)) < SAME_POINT:
        return COAXIAL
    signed_ratio = ratio * float(a.direction @ b.direction)
    if abs(signed_ratio - 1) < EQUAL_SPEEDS:
        return BELT  # a ring as large as its pinion has no distance from it
    return INTERNAL if signed_ratio > 0 else EXTERNAL


def _drawn_teeth(mesh: Mesh, ratio: float) -> tuple[int, int]:
    """Numbers of teeth: those stated, or small ones of the ratio; 0 where no whole numbers have it."""
    stated = mesh.teeth
    if stated is not None and min(float(z) for z in stated) >= 6 and all(float(z).is_integer() for z in stated):
        return int(stated[0]), int(stated[1])
    share = Fraction(abs(ratio)).limit_denominator(60)
    if abs(float(share) - abs(ratio)) > 1e-9 * abs(ratio):
        return 0, 0
    times = -(-SMALLEST_PINION // min(share.numerator, share.denominator))
    teeth = times * share.denominator, times * share.numerator
    return teeth if max(teeth) <= MOST_DRAWN_TEETH else (0, 0)


# Bevel gears: spherical shells about a common apex

FACE_WIDTH_RATIO = 0.24
"""Width of bevel teeth relative to the cone distance."""
SHELL_RATIO = 1.08 / (1 - FACE_WIDTH_RATIO)
"""Cone distance of a pair relative to that of the next smaller one at the same apex: their teeth do not meet."""
LARGEST_SHELL_RATIO = 0.62
"""Largest cone distance relative to the distance from the apex to the next joint."""


def size_bevel_pairs(space: TrainPlacement, pairs: Sequence[TrainPair]) -> None:
    """Give bevel gears their sides, cones and radii: pairs at one apex lie in spherical shells about it.

    A pair of cone distance R has pitch radii R sin(delta) and lies R cos(delta) from the apex along its axes, with
    sin(delta_1) / sin(delta_2) = z_1 / z_2 and delta_1 + delta_2 the angle between the axes.
    """
    bevels = [pair for pair in pairs if pair.kind == BEVEL]
    for pair in bevels:
        pair.apex = common_perpendicular(pair.first.line, pair.second.line)[0]
        _choose_sides(space, pair)
    _merge_gears(bevels)
    places = {tuple(np.round(pair.apex, 6).tolist()) for pair in bevels}
    for place in sorted(places):
        at_apex = [pair for pair in bevels if np.allclose(pair.apex, place, atol=1e-5)]
        shells = _shells(space, at_apex)
        smallest = _smallest_cone_distance(space, shells, [np.array(p) for p in places if p != place])
        for k, shell in enumerate(shells):
            for gear in {gear for pair in shell for gear in pair.gears}:
                distance = smallest * SHELL_RATIO**k
                gear.radius, gear.width = distance * sin(gear.cone), FACE_WIDTH_RATIO * distance
                gear.height = gear.line.height_of(shell[0].apex) + gear.side * distance * cos(gear.cone)


def _choose_sides(space: TrainPlacement, pair: TrainPair) -> None:
    """Sides of the apex: their product is minus the sign of the ratio; wheels are where they are stated."""
    product = -1 if pair.ratio > 0 else 1
    preference = sum(
        side * _preferred_side(space, gear, pair.apex) for gear, side in zip(pair.gears, (1, product), strict=True)
    )
    pair.first.side = 1 if preference >= 0 else -1
    pair.second.side = product * pair.first.side
    a, b = (gear.side * gear.line.direction for gear in pair.gears)
    angle = acos(float(np.clip(a @ b, -1.0, 1.0)))
    ratio = abs(pair.ratio)  # sin(delta_2) / sin(delta_1)
    pair.first.cone = float(np.arctan2(sin(angle), ratio + cos(angle)))
    pair.second.cone = angle - pair.first.cone


def _preferred_side(space: TrainPlacement, gear: TrainGear, apex: Array) -> float:
    """Where a gear would be: a wheel at its stated position, a coaxial shaft beside its joint, a link on itself [m]."""
    line, height = gear.line, gear.line.height_of(apex)
    stated = space.stated_position(gear.shaft)
    if stated is not None and abs(line.height_of(stated) - height) > SAME_POINT:
        return line.height_of(stated) - height
    if gear.shaft in space.train.wheels:
        return -0.5 * height if abs(height) > SAME_POINT else 1e-6
    link, (rotation, _) = space.train.link_geometry.by_name[gear.shaft], space.poses[gear.shaft]
    return 0.5 * float(line.direction @ rotation @ as_vector(link.com))


def _merge_gears(bevels: Sequence[TrainPair]) -> None:
    """Use one gear where a shaft has the same cone for two partners: an idler or a crown gear of a differential."""
    known: list[tuple[TrainGear, Array]] = []
    for pair in bevels:
        for k, gear in enumerate(pair.gears):
            same = [
                old
                for old, apex in known
                if (old.shaft, old.side, old.teeth) == (gear.shaft, gear.side, gear.teeth)
                and abs(old.cone - gear.cone) < 1e-9
                and np.allclose(apex, pair.apex, atol=SAME_POINT)
            ]
            if same:
                pair.gears[k] = same[0]
            else:
                known.append((gear, pair.apex))


def _shells(space: TrainPlacement, pairs: Sequence[TrainPair]) -> list[list[TrainPair]]:
    """Pairs at one apex by size: those that move the last link first, as the innermost shaft is the longest."""
    links = space.train.link_geometry
    depth = {name: len(links.links_to_base(name)) for name in links.by_name}
    for mesh in space.train.meshes:  # a wheel is as far out as the link that it drives
        for wheel, link in ((mesh.first, mesh.second), (mesh.second, mesh.first)):
            if link in links.by_name and wheel not in links.by_name:
                depth[wheel] = max(depth.get(wheel, 0), depth[link])

    def depth_of(pair: TrainPair) -> int:
        return max(depth.get(gear.shaft, 0) for gear in pair.gears)

    remaining = sorted(pairs, key=depth_of, reverse=True)
    ordered: list[TrainPair] = []
    while remaining:
        reached = {gear.shaft for pair in ordered for gear in pair.gears}
        chain = [pair for pair in remaining if reached & {gear.shaft for gear in pair.gears}]
        follower = (chain or remaining)[0]
        ordered.append(follower)
        remaining.remove(follower)
    shells: list[list[TrainPair]] = []
    for pair in ordered:
        shared = [shell for shell in shells if any(gear in other.gears for other in shell for gear in pair.gears)]
        if shared:
            shared[0].append(pair)
        else:
            shells.append([pair])
    return shells


def _smallest_cone_distance(
    space: TrainPlacement, shells: Sequence[Sequence[TrainPair]], other_apices: Sequence[Array]
) -> float:
    """Cone distance of the innermost shell: from stated modules, stated positions of wheels, or the space [m]."""
    factors = [(pair, SHELL_RATIO**k) for k, shell in enumerate(shells) for pair in shell]
    for pair, factor in factors:
        if pair.mesh.module is not None and pair.first.teeth:
            return float(pair.mesh.module) * pair.first.teeth / (2 * sin(pair.first.cone)) / factor
        if pair.mesh.radii is not None:
            return float(pair.mesh.radii[0]) / sin(pair.first.cone) / factor
    by_wheel: dict[str, list[float]] = {}
    for pair, factor in factors:
        for gear in pair.gears:
            stated = space.stated_position(gear.shaft)
            away = 0.0 if stated is None else abs(gear.line.height_of(stated) - gear.line.height_of(pair.apex))
            if away > SAME_POINT and space.is_joint(gear.line) and cos(gear.cone) > 0.1:
                by_wheel.setdefault(gear.shaft, []).append(away / (factor * cos(gear.cone)))
    wanted = [float(np.exp(np.mean(np.log(sizes)))) for sizes in by_wheel.values()]
    largest = _largest_cone_distance(space, [pair for pair, _ in factors], other_apices)
    return min([*wanted[:1], largest / factors[-1][1]])


def _largest_cone_distance(space: TrainPlacement, pairs: Sequence[TrainPair], other_apices: Sequence[Array]) -> float:
    """The space at an apex: to the next joint on its axes, or to the next apex [m]."""
    apex = pairs[0].apex
    sizes = [0.2 * space.reach]
    for line in (gear.line for pair in pairs for gear in pair.gears):
        sizes.append(LARGEST_SHELL_RATIO * float(np.linalg.norm(line.point - apex)))
        sizes += [
            0.45 * float(np.linalg.norm(other - apex))
            for other in other_apices
            if np.linalg.norm(np.cross(line.direction, other - apex)) < SAME_POINT
        ]
    return min(size for size in sizes if size > 1e-6)


# Parallel and skew axes


def size_parallel_pairs(space: TrainPlacement, pairs: Sequence[TrainPair]) -> None:
    """Give spur gears and pulleys their radii; axes that a file leaves open move to where the gears touch."""
    visible = max([gear.radius for pair in pairs for gear in pair.gears], default=0.0)
    visible = visible or VISIBLE_RADIUS_RATIO * space.reach
    waiting = [pair for pair in pairs if pair.kind in (EXTERNAL, INTERNAL, BELT)]
    angles = _angles_of_open_axes(waiting)
    while waiting:
        waiting.sort(key=lambda pair: -sum(gear.line.is_placed for gear in pair.gears))
        _size_parallel(waiting.pop(0), visible, angles)
    for pair in pairs:
        if pair.kind == CROSSED:
            ends = common_perpendicular(pair.first.line, pair.second.line)
            offset, share = float(np.linalg.norm(ends[1] - ends[0])), 1 / (1 + abs(pair.ratio))
            for gear, part, end in zip(pair.gears, (share, 1 - share), ends, strict=True):
                gear.radius, gear.height, gear.width = part * offset, gear.line.height_of(end), 0.2 * offset
        if pair.kind == COAXIAL:
            for gear in pair.gears:
                gear.radius, gear.width, gear.teeth = 0.5 * visible, 0.2 * visible, 0


def _angles_of_open_axes(pairs: Sequence[TrainPair]) -> dict[str, float]:
    """Open axes spread evenly about the axis on which they mesh [rad]."""
    about: dict[str, list[str]] = {}
    for pair in pairs:
        for gear, other in (pair.gears, pair.gears[::-1]):
            if not gear.line.is_placed and other.line.is_placed:
                about.setdefault(other.line.label, []).append(gear.line.label)
    return {
        label: 2 * pi * k / len(set(labels))
        for labels in about.values()
        for k, label in enumerate(dict.fromkeys(labels))
    }


def _size_parallel(pair: TrainPair, visible: float, angles: dict[str, float]) -> None:
    (a, b), sign = (gear.line for gear in pair.gears), -1.0 if INTERNAL in {gear.kind for gear in pair.gears} else 1.0
    if not a.is_placed and not b.is_placed:
        a.is_placed = True
    if a.is_placed and b.is_placed:
        distance = float(np.linalg.norm(a.offset_to(b)))
        radii = _radii_at_distance(pair, distance, sign)
    else:
        radii = _open_radii(pair, visible)
        gap = 2.4 * sum(radii) if pair.kind == BELT else abs(radii[0] + sign * radii[1])
        placed, moved = (a, b) if a.is_placed else (b, a)
        _move_axis(placed, moved, gap, angles.get(moved.label, 0.0))
    for gear, radius in zip(pair.gears, radii, strict=True):
        gear.radius = radius
        gear.width = min(0.6 * min(radii), 0.2 * max(radii))


def _radii_at_distance(pair: TrainPair, distance: float, sign: float) -> tuple[float, float]:
    """Radii of gears that touch at a centre distance; of pulleys as stated if they fit."""
    shares = 1.0, abs(pair.ratio)
    if pair.kind != BELT:
        scale = distance / abs(shares[0] + sign * shares[1])
        return scale * shares[0], scale * shares[1]
    stated = _stated_pulleys(pair)
    if stated is not None and sum(stated) < distance:
        return stated
    scale = 0.4 * distance / sum(shares)
    return scale * shares[0], scale * shares[1]


def _open_radii(pair: TrainPair, visible: float) -> tuple[float, float]:
    """Radii of gears whose centre distance is open: as stated, from the module, or of visible size."""
    shares = 1.0, abs(pair.ratio)
    stated = _stated_pulleys(pair) if pair.kind == BELT else pair.mesh.radii
    if stated is not None:
        return float(stated[0]), float(stated[1])
    largest = visible
    if pair.mesh.module is not None and min(gear.teeth for gear in pair.gears):
        module = float(pair.mesh.module) / cos(float(pair.mesh.helix_angle))
        largest = module * max(gear.teeth for gear in pair.gears) / 2
    return largest * shares[0] / max(shares), largest * shares[1] / max(shares)


def _stated_pulleys(pair: TrainPair) -> tuple[float, float] | None:
    """Radii of pulleys [m]: numbers below 1 given as "teeth" of a belt are radii."""
    sizes = pair.mesh.radii or pair.mesh.teeth
    if sizes is None or (pair.mesh.radii is None and max(float(size) for size in sizes) > 1):
        return None
    return float(sizes[0]), float(sizes[1])


def _move_axis(placed: AxisLine, moved: AxisLine, distance: float, angle: float) -> None:
    """Move an axis to its distance from a parallel one, about which it is at an angle."""
    x = np.eye(3)[0 if abs(placed.direction[0]) < 0.9 else 1]
    x = x - placed.direction * (placed.direction @ x)
    x = x / np.linalg.norm(x)
    direction = cos(angle) * x + sin(angle) * np.cross(placed.direction, x)
    if moved.arm == placed.label:
        direction = moved.towards
    along = placed.direction * (placed.direction @ (moved.point - placed.point))
    moved.point, moved.is_placed = placed.point + distance * direction + along, True
