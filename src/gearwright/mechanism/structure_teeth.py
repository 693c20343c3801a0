"""Teeth of a free train that must fit each other: a planet between a sun and a ring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gearwright.algebra import Scalar
from gearwright.mechanism.gear_graph_pairs import Circuit
from gearwright.parts import Gearwheel, Mesh
from gearwright.parts.planet_rules import require_apart, require_closing, require_even_spacing


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
