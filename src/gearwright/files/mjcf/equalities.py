"""Equalities of a compiled MJCF model as mimic joints; `loops` reads those of bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gearwright.files.import_report import AddUnrepresentable
from gearwright.files.mjcf.names import MjcfNames

JointRow = dict[int, float]
"""A number per joint."""


class JointFollower(NamedTuple):
    """q = factor q_leader + offset; without a leader the joint is fixed at the offset."""

    leader: int | None
    factor: float
    offset: float


def joint_followers(
    model: Any,
    names: MjcfNames,
    rows: dict[int, JointRow],
    off: frozenset[str],
    add_unrepresentable: AddUnrepresentable,
) -> dict[int, JointFollower]:
    """Return the mimic joints, from initially active linear equalities of joints or tendons.

    Args:
        model: the model.
        names: its names.
        rows: of its fixed tendons.
        off: effects that the file disables.
        add_unrepresentable: reports equalities that are not representable.
    """
    by_joint: dict[int, JointFollower] = {}
    _note_inactive(model, names, off)
    for e, kind in active_equalities(model, off):
        if kind in BODY_EQUALITIES:
            continue
        row = _equality_row(model, e, kind, rows)
        reason = row if isinstance(row, str) else _add_follower(by_joint, *row)
        if reason:
            add_unrepresentable(f"equality {kind}", names.element_name("eq", e), reason)
    return by_joint


def active_equalities(model: Any, off: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield number and kind of every initially active equality."""
    kinds = _equality_kinds()
    for e in range(model.neq if "equality" not in off else 0):
        if model.eq_active0[e]:
            yield e, kinds.get(int(model.eq_type[e]), "unknown equality")


def _note_inactive(model: Any, names: MjcfNames, off: frozenset[str]) -> None:
    for e in range(model.neq if "equality" not in off else 0):
        if not model.eq_active0[e]:
            names.findings.add_note(f"equality {names.element_name('eq', e)!r} is not active and is ignored")


def _equality_kinds() -> dict[int, str]:
    from gearwright.files.mjcf.source import mujoco_module

    kinds = mujoco_module().mjtEq
    names = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
    return {int(getattr(kinds, f"mjEQ_{w.upper()}")): w for w in names if hasattr(kinds, f"mjEQ_{w.upper()}")}


BODY_EQUALITIES = ("connect", "weld")
"""Kinds that constrain bodies: loops."""


def _equality_row(model: Any, e: int, kind: str, rows: dict[int, JointRow]) -> tuple[JointRow, float] | str:
    """Return the row of joints and its constant value, or the reason why it is not representable."""
    if kind not in ("joint", "tendon"):
        return "the constraint is ignored: this kind is not supported"
    if any(model.eq_data[e][2:5]):
        return "the constraint is ignored: only linear polynomials are supported"
    first_object, second_object = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    # y - y0 = p0 + p1 (x - x0), where y0 and x0 are the values of qpos0
    constant, slope = float(model.eq_data[e][0]), float(model.eq_data[e][1])
    row: JointRow = {}
    for index, factor in ((first_object, 1.0), (second_object, -slope)):
        if index < 0:
            continue
        if kind == "tendon" and index not in rows:
            return "the constraint is ignored: spatial tendons are not supported here"
        for joint, share in ({index: 1.0} if kind == "joint" else rows[index]).items():
            row[joint] = row.get(joint, 0.0) + factor * share
            constant += factor * share * float(model.qpos0[model.jnt_qposadr[joint]])
    return {joint: x for joint, x in row.items() if x}, constant


def _add_follower(followers_by_joint: dict[int, JointFollower], row: JointRow, constant: float) -> str | None:
    """Make one joint of a row follow the other, or return the reason why not."""
    if not row or len(row) > 2:
        return f"the constraint is ignored: it couples {len(row)} joints, and a joint can follow only one other"
    for joint in row:
        leader = next((k for k in row if k != joint), None)
        if joint in followers_by_joint or (leader is not None and joint in _leader_chain(followers_by_joint, leader)):
            continue
        factor = 0.0 if leader is None else -row[leader] / row[joint]
        followers_by_joint[joint] = JointFollower(leader, factor, constant / row[joint])
        return None
    return "the constraint is ignored: the joints already follow others"


def moving_row(row: JointRow, by_joint: dict[int, JointFollower]) -> JointRow:
    """Return a row of joints without fixed joints; empty if nothing moves along it (followers cancel).

    >>> moving_row({0: 1.0, 1: -2.0}, {0: JointFollower(1, 2.0, 0.5)})
    {}
    """
    total: JointRow = {}
    for joint, share in row.items():
        end: int | None = joint
        while end in by_joint:
            share, end = share * by_joint[end].factor, by_joint[end].leader
        if end is not None:
            total[end] = total.get(end, 0.0) + share
    largest = max(map(abs, row.values()), default=0.0)
    if not any(abs(x) > 1e-12 * largest for x in total.values()):
        return {}
    return {joint: x for joint, x in row.items() if joint not in by_joint or by_joint[joint].leader is not None}


def held_length(row: JointRow, by_joint: dict[int, JointFollower]) -> float:
    """Return the contribution of fixed joints to the length of a row.

    >>> held_length({0: 1.0, 1: -2.0}, {1: JointFollower(None, 0.0, 0.5)})
    -1.0
    """
    return sum(
        x * by_joint[joint].offset for joint, x in row.items() if joint in by_joint and by_joint[joint].leader is None
    )


def _leader_chain(by_joint: dict[int, JointFollower], joint: int | None) -> set[int]:
    """Yield a joint and its leaders."""
    visited: set[int] = set()
    while joint is not None and joint not in visited:
        visited.add(joint)
        joint = by_joint[joint].leader if joint in by_joint else None
    return visited
