"""Checks of a whole machine: names, tree, rows, and inertia of every speed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gearwright.algebra import is_number, is_zero
from gearwright.errors import InertiaError, JointError, SpinError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.definiteness import require_definite_mass_matrix
from gearwright.mechanism.elements import BASE, Body
from gearwright.text import did_you_mean, is_unicode, listed_names

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism


def check_names(mech: Mechanism) -> None:
    """Check that the names of each kind of element are unique."""
    kinds = {
        "bodies": [b.name for b in mech.bodies],
        "spins": [s.name for s in mech.spins],
        "springs": [s.name for s in mech.springs],
        "actuators": [a.name for a in mech.actuators],
        "shafts": list(mech.shafts),
        "frames": [f.name for f in mech.frames],
    }
    for kind, kind_names in kinds.items():
        _require_unique_names(kind, kind_names)
        _require_unicode_names(kind, kind_names)
    _require_unicode_names("joints", [str(b.speed_name) for b in mech.bodies])
    both = set(kinds["bodies"]) & set(kinds["frames"])
    if both:
        raise StructureError(f"{sorted(both)[0]!r} is the name of a body and of a frame. Rename one.")


def _require_unique_names(kind: str, names_of_kind: Iterable[str]) -> None:
    seen_names: set[str] = set()
    for name in names_of_kind:
        if not isinstance(name, str) or not name:
            raise StructureError(f"a name among the {kind} is {name!r}. Give a non-empty text.")
        if name in seen_names:
            raise StructureError(f"two {kind} are called {name!r}. Rename one of them.")
        if name == "base" and kind in ("bodies", "frames"):
            owner = "body" if kind == "bodies" else "frame"
            raise StructureError(f"a {owner} is named 'base', the reserved name of the ground. Rename it.")
        seen_names.add(name)


def _require_unicode_names(kind: str, names_of_kind: Iterable[str]) -> None:
    for name in names_of_kind:
        if not is_unicode(name):
            raise StructureError(
                f"a name among the {kind}, {name!r}, contains a lone surrogate, which is not a character. Rename it."
            )


def with_parent_indices(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """Return the bodies with parents as indices; check for unknown parents, cycles and order."""
    if not bodies:
        raise StructureError("the machine has no bodies. Give at least one.")
    names_in_order = [b.name for b in bodies]
    numbers = {name: i for i, name in enumerate(names_in_order)}
    parents = [_resolved_parent(body, numbers) for body in bodies]
    for i, parent in enumerate(parents):
        if parent >= i:
            _refuse_circle(i, parents, names_in_order)
            raise StructureError(
                f"body {names_in_order[i]!r} comes before its parent {names_in_order[parent]!r}. List parents before "
                "their children."
            )
    for body, parent in zip(bodies, parents, strict=True):
        if body.kind.on_base and parent != BASE:
            raise JointError(
                f"body {body.name!r}: the parent of a {body.joint} joint must be the base, not "
                f"{names_in_order[parent]!r}. "
                "Give it parent -1, or use a spherical joint and three prismatic ones."
            )
    return tuple(replace(body, parent=parent) for body, parent in zip(bodies, parents, strict=True))


def _resolved_parent(body: Body, number_by_name: Mapping[str, int]) -> int:
    parent = body.parent
    if parent in (BASE, "base"):
        return BASE
    if isinstance(parent, str):
        if parent not in number_by_name:
            raise StructureError(
                f"body {body.name!r}: its parent {parent!r} is unknown. "
                f"{did_you_mean(parent, [*number_by_name, 'base'])}"
            )
        return number_by_name[parent]
    if not checks.is_index(parent) or not 0 <= parent < len(number_by_name):
        raise StructureError(
            f"body {body.name!r}: its parent {parent!r} is not a body. Use -1 (base) or 0 to {len(number_by_name) - 1}."
        )
    return int(parent)


def _refuse_circle(start: int, parents: Sequence[int], names_in_order: Sequence[str]) -> None:
    path = [start]
    while (parent := parents[path[-1]]) != BASE:
        if parent in path:
            loop = listed_names((names_in_order[i] for i in [*path[path.index(parent) :], parent]), " -> ")
            raise StructureError(f"the parents form a cycle: {loop}. Connect one of them to the base.")
        path.append(parent)


def check_machine(mech: Mechanism) -> None:
    """Check the rows, the inertia of wheels in their carriers, and the inertia of every speed."""
    for spin in mech.spins:
        _check_row(
            mech,
            f"spin {spin.name!r}",
            spin.terms,
            "A wheel that does not turn relative to its carrier is part of the carrier's inertia",
        )
    for spring in mech.springs:
        _check_row(mech, f"spring {spring.name!r}", spring.terms, "It would never deflect")
    for actuator in mech.actuators:
        _check_row(mech, f"actuator {actuator.name!r}", actuator.terms, "It would have no effect")
    _check_lumping(mech)
    _shafts_have_inertia(mech)
    require_definite_mass_matrix(mech)


def _check_row(mech: Mechanism, owner: str, terms: tuple[tuple[int, object], ...], why: str) -> None:
    if not terms:
        raise SpinError(f"{owner}: its ratio is zero for every speed. {why}: give a ratio or remove it.")
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


def _check_lumping(mech: Mechanism) -> None:
    for i, body in enumerate(mech.bodies):
        wheels = [(s.name, s.axis, s.inertia, s.coupling_inertia) for s in mech.spins_by_carrier[i]]
        flat = [x for _, e, J, Jc in wheels for x in (*e, J, Jc)]
        if wheels and not body.effective and checks.are_numbers(*body.inertia, *flat):
            checks.check_carried_wheels(f"body {body.name!r}", body.inertia, wheels)


def _shafts_have_inertia(mech: Mechanism) -> None:
    """Check that the spins' rows over the shafts have full rank, so every shaft has inertia."""
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
        subject = (
            f"shaft {idle[0]!r} turns no wheel"
            if idle
            else f"the shafts {listed_names(mech.shafts)} are not independent"
        )
        raise InertiaError(f"{subject}, so the mass matrix is singular. Give a spin with a ratio on it.")
