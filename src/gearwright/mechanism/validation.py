"""The rules a whole machine must obey: names, tree, rows, and inertia enough for every speed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gearwright.algebra import is_number, is_zero
from gearwright.errors import InertiaError, JointError, SpinError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.definiteness import every_motion_has_inertia
from gearwright.mechanism.elements import BASE, Body
from gearwright.text import did_you_mean, is_unicode, listed

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism


def names(mech: Mechanism) -> None:
    """Every kind of element has its names once."""
    kinds = {
        "bodies": [b.name for b in mech.bodies],
        "spins": [s.name for s in mech.spins],
        "springs": [s.name for s in mech.springs],
        "actuators": [a.name for a in mech.actuators],
        "shafts": list(mech.shafts),
        "frames": [f.name for f in mech.frames],
    }
    for kind, found in kinds.items():
        _once(kind, found)
        _storable(kind, found)
    _storable("joints", [str(b.speed_name) for b in mech.bodies])
    both = set(kinds["bodies"]) & set(kinds["frames"])
    if both:
        raise StructureError(f"{sorted(both)[0]!r} is the name of a body and of a frame. Rename one.")


def _once(kind: str, found: Iterable[str]) -> None:
    taken: set[str] = set()
    for name in found:
        if not isinstance(name, str) or not name:
            raise StructureError(f"a name among the {kind} is {name!r}. Give a non-empty text.")
        if name in taken:
            raise StructureError(f"two {kind} are called {name!r}. Give one of them another name.")
        if name == "base" and kind in ("bodies", "frames"):
            owner = "body" if kind == "bodies" else "frame"
            raise StructureError(f"a {owner} is called 'base', which is the name of the ground. Give it another name.")
        taken.add(name)


def _storable(kind: str, found: Iterable[str]) -> None:
    for name in found:
        if not is_unicode(name):
            raise StructureError(
                f"a name among the {kind}, {name!r}, holds a lone surrogate, which is not a character. Rename it."
            )


def tree(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """The bodies with parents as indices; refuses unknown parents, circles and children before their parents."""
    if not bodies:
        raise StructureError("a machine needs at least one body.")
    found = [b.name for b in bodies]
    numbers = {name: i for i, name in enumerate(found)}
    parents = [_parent(body, numbers) for body in bodies]
    for i, parent in enumerate(parents):
        if parent >= i:
            _refuse_circle(i, parents, found)
            raise StructureError(
                f"body {found[i]!r} comes before its parent {found[parent]!r}. List parents before their children."
            )
    for body, parent in zip(bodies, parents, strict=True):
        if body.kind.on_base and parent != BASE:
            raise JointError(
                f"body {body.name!r}: a {body.joint} joint hangs on the base, not on {found[parent]!r}. "
                "Give it parent -1, or use a spherical joint and three prismatic ones."
            )
    return tuple(replace(body, parent=parent) for body, parent in zip(bodies, parents, strict=True))


def _parent(body: Body, found: Mapping[str, int]) -> int:
    parent = body.parent
    if parent in (BASE, "base"):
        return BASE
    if isinstance(parent, str):
        if parent not in found:
            raise StructureError(
                f"body {body.name!r}: its parent {parent!r} is unknown. {did_you_mean(parent, [*found, 'base'])}"
            )
        return found[parent]
    if not checks.is_index(parent) or not 0 <= parent < len(found):
        raise StructureError(
            f"body {body.name!r}: its parent {parent!r} is not a body. Use -1 (base) or 0 to {len(found) - 1}."
        )
    return int(parent)


def _refuse_circle(start: int, parents: Sequence[int], found: Sequence[str]) -> None:
    path = [start]
    while (parent := parents[path[-1]]) != BASE:
        if parent in path:
            loop = listed((found[i] for i in [*path[path.index(parent) :], parent]), " -> ")
            raise StructureError(f"the parents form a circle: {loop}. Hang one of them on the base.")
        path.append(parent)


def machine(mech: Mechanism) -> None:
    """Rows that make sense, wheels that fit into their carriers, inertia for every speed."""
    for spin in mech.spins:
        _row(
            mech,
            f"spin {spin.name!r}",
            spin.terms,
            "A wheel that does not turn relative to its carrier belongs into the carrier's inertia",
        )
    for spring in mech.springs:
        _row(mech, f"spring {spring.name!r}", spring.terms, "It would never be stretched")
    for actuator in mech.actuators:
        _row(mech, f"actuator {actuator.name!r}", actuator.terms, "It would drive nothing")
    _lumped(mech)
    _shafts_have_inertia(mech)
    every_motion_has_inertia(mech)


def _row(mech: Mechanism, owner: str, terms: tuple[tuple[int, object], ...], why: str) -> None:
    if not terms:
        raise SpinError(f"{owner}: its ratio is zero for every speed. {why}: give a ratio or leave it out.")
    for index, value in terms:
        if mech.layout.coordinate_of[index] < 0:
            raise SpinError(
                f"{owner}: ratio {value} on {mech.speeds[index]!r}, a speed of a {_kind_of_speed(mech, index)} joint, "
                "which no gear can drive. Put the ratio on a speed that is the rate of a coordinate (of a revolute, "
                "prismatic, helical or universal joint) or on a shaft."
            )


def _kind_of_speed(mech: Mechanism, index: int) -> str:
    pairs = zip(mech.bodies, mech.joints, strict=True)
    return next(body.joint for body, joint in pairs for dof in joint.dofs if dof.speed == index)


def _lumped(mech: Mechanism) -> None:
    for i, body in enumerate(mech.bodies):
        wheels = [(s.name, s.axis, s.inertia, s.coupled) for s in mech.wheels[i]]
        flat = [x for _, e, J, Jc in wheels for x in (*e, J, Jc)]
        if wheels and not body.effective and checks.numbers(*body.inertia, *flat):
            checks.carries(f"body {body.name!r}", body.inertia, wheels)


def _shafts_have_inertia(mech: Mechanism) -> None:
    """The spins' rows restricted to the shafts have full rank: every shaft turns something with inertia."""
    count = len(mech.shafts)
    if not count:
        return
    first = mech.n - count
    rows = [[(k - first, x) for k, x in s.terms if k >= first] for s in mech.spins if not is_zero(s.inertia)]
    if not all(is_number(x) for row in rows for _, x in row):
        return
    matrix = np.zeros((len(rows), count))
    for row, entries in zip(matrix, rows, strict=True):
        for k, x in entries:
            row[k] = x
    if np.linalg.matrix_rank(matrix) < count:
        idle = [name for name, column in zip(mech.shafts, matrix.T, strict=True) if not column.any()]
        who = f"shaft {idle[0]!r} turns no wheel" if idle else f"the shafts {listed(mech.shafts)} are not independent"
        raise InertiaError(f"{who}: it would have no inertia. Give a spin with a ratio on it.")
