"""Equalities of a compiled MJCF model: joints that follow others; `loops` reads those of bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gearwright.files.mjcf.names import Names

JointRow = dict[int, float]
"""A number per joint."""
Lose = Callable[[str, str, str], None]


class Follower(NamedTuple):
    """q = factor q_leader + offset; without a leader the joint is held at the offset."""

    leader: int | None
    factor: float
    offset: float


def followers(
    model: Any, names: Names, rows: dict[int, JointRow], off: frozenset[str], lose: Lose
) -> dict[int, Follower]:
    """The joints that follow others, by linear equalities of joints or tendons that are active from the start.

    Args:
        model: the model.
        names: its names.
        rows: of its fixed tendons.
        off: what the file switches off.
        lose: reports what is left out.
    """
    found: dict[int, Follower] = {}
    _note_inactive(model, names, off)
    for e, kind in active_equalities(model, off):
        if kind in OF_BODIES:
            continue
        row = _row(model, e, kind, rows)
        reason = row if isinstance(row, str) else _add(found, *row)
        if reason:
            lose(f"equality {kind}", names.of("eq", e), reason)
    return found


def active_equalities(model: Any, off: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Number and kind of every equality that is active from the start."""
    kinds = _kinds()
    for e in range(model.neq if "equality" not in off else 0):
        if model.eq_active0[e]:
            yield e, kinds.get(int(model.eq_type[e]), "unknown equality")


def _note_inactive(model: Any, names: Names, off: frozenset[str]) -> None:
    for e in range(model.neq if "equality" not in off else 0):
        if not model.eq_active0[e]:
            names.found.note(f"equality {names.of('eq', e)!r} is not active: left out")


def _kinds() -> dict[int, str]:
    from gearwright.files.mjcf.source import mujoco_module

    kinds = mujoco_module().mjtEq
    names = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
    return {int(getattr(kinds, f"mjEQ_{w.upper()}")): w for w in names if hasattr(kinds, f"mjEQ_{w.upper()}")}


OF_BODIES = ("connect", "weld")
"""Kinds that hold bodies together: loops."""


def _row(model: Any, e: int, kind: str, rows: dict[int, JointRow]) -> tuple[JointRow, float] | str:
    """The joints' row and the constant that it keeps; or why there is none."""
    if kind not in ("joint", "tendon"):
        return "what it holds is free: this kind is not supported"
    if any(model.eq_data[e][2:5]):
        return "the joints move freely: a polynomial of higher order is not supported"
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    # y - y0 = p0 + p1 (x - x0), where y0 and x0 are the values of qpos0
    constant, slope = float(model.eq_data[e][0]), float(model.eq_data[e][1])
    row: JointRow = {}
    for index, factor in ((one, 1.0), (two, -slope)):
        if index < 0:
            continue
        if kind == "tendon" and index not in rows:
            return "the joints move freely: spatial tendons are not supported yet"
        for joint, share in ({index: 1.0} if kind == "joint" else rows[index]).items():
            row[joint] = row.get(joint, 0.0) + factor * share
            constant += factor * share * float(model.qpos0[model.jnt_qposadr[joint]])
    return {joint: x for joint, x in row.items() if x}, constant


def _add(found: dict[int, Follower], row: JointRow, constant: float) -> str | None:
    """Let one joint of a row follow the other; or why not."""
    if not row or len(row) > 2:
        return f"the joints move freely: it joins {len(row)} joints, and a joint can follow one other"
    for joint in row:
        other = next((k for k in row if k != joint), None)
        if joint in found or (other is not None and joint in _leaders(found, other)):
            continue
        factor = 0.0 if other is None else -row[other] / row[joint]
        found[joint] = Follower(other, factor, constant / row[joint])
        return None
    return "the joints follow others already: this one is left out"


def moving(row: JointRow, found: dict[int, Follower]) -> JointRow:
    """A row over joints without those that are held; empty where nothing moves along it, as followers cancel.

    >>> moving({0: 1.0, 1: -2.0}, {0: Follower(1, 2.0, 0.5)})
    {}
    """
    total: JointRow = {}
    for joint, share in row.items():
        end: int | None = joint
        while end in found:
            share, end = share * found[end].factor, found[end].leader
        if end is not None:
            total[end] = total.get(end, 0.0) + share
    largest = max(map(abs, row.values()), default=0.0)
    if not any(abs(x) > 1e-12 * largest for x in total.values()):
        return {}
    return {joint: x for joint, x in row.items() if joint not in found or found[joint].leader is not None}


def held_length(row: JointRow, found: dict[int, Follower]) -> float:
    """What the held joints add to the length of a row.

    >>> held_length({0: 1.0, 1: -2.0}, {1: Follower(None, 0.0, 0.5)})
    -1.0
    """
    return sum(x * found[joint].offset for joint, x in row.items() if joint in found and found[joint].leader is None)


def _leaders(found: dict[int, Follower], joint: int | None) -> set[int]:
    """A joint and all that it follows."""
    visited: set[int] = set()
    while joint is not None and joint not in visited:
        visited.add(joint)
        joint = found[joint].leader if joint in found else None
    return visited
