"""Rows of a constant left inverse of a redundant Jacobian, written down joint by joint where that can be done.

- Revolute: v_i = a . w_i - a . w_(i-1), the axis a being constant in either link's frame.
- Prismatic, linear velocities in link axes: the velocity of the centre less that of the point of the parent link there;
  along the axis it does not matter how far the joint is out.
- Prismatic, base axes: the same only while nothing before it turns.
- Shaft: its rotor's own spin, divided by the ratio.
"""

from __future__ import annotations

from gearwright.algebra import IDENTITY, Scalar, Vec
from gearwright.dynamics.redundant_blocks import BlockLayout
from gearwright.mechanism import BASE, Mechanism
from gearwright.mechanism.dofs import Dof

BlockRow = dict[int, Vec]
"""Per block the factors of its three velocities."""


def constant_rows(plan: BlockLayout, mech: Mechanism) -> list[list[Scalar] | None]:
    """Per speed its row of a constant left inverse, None where no formula is known."""
    found: list[BlockRow | None] = [None] * mech.n
    for i, joint in enumerate(mech.joints):
        for dof in joint.dofs:
            found[dof.speed] = _turning(plan, mech, i, dof) if dof.angular else _sliding(plan, mech, i, dof)
    for shaft in range(mech.n - len(mech.shafts), mech.n):
        found[shaft] = _shaft(plan, shaft)
    return [None if row is None else _flat(plan, row) for row in found]


def _turning(plan: BlockLayout, mech: Mechanism, i: int, dof: Dof) -> BlockRow | None:
    here = plan.find(i, "turning")
    if here is None:
        return None
    row = {here: dof.axis}
    before = plan.find(mech.parent(i), "turning") if mech.parent(i) != BASE else None
    if before is not None:
        row[before] = -(mech.bodies[i].rotation @ dof.axis)
    return row


def _sliding(plan: BlockLayout, mech: Mechanism, i: int, dof: Dof) -> BlockRow | None:
    here, parent = plan.find(i, "velocity"), mech.parent(i)
    if here is None or plan.find(i, "turning") is None:
        return None
    in_link = plan.blocks[here].axes == "link"
    if not in_link:
        return _sliding_in_base_axes(plan, mech, i, dof)
    row, body = {here: dof.axis}, mech.bodies[i]
    before, turning = plan.find(parent, "velocity"), plan.find(parent, "turning")
    if parent != BASE and before is not None and turning is not None:
        a = body.rotation @ dof.axis
        arm = body.position + body.rotation @ plan.pieces[i].com - plan.pieces[parent].com
        row |= {before: -a, turning: a.cross(arm)}
    return row


def _sliding_in_base_axes(plan: BlockLayout, mech: Mechanism, i: int, dof: Dof) -> BlockRow | None:
    path = mech.paths[i][::-1]
    if any(mech.bodies[k].kind.turns for k in path):
        return None
    R = IDENTITY
    for k in path:
        R = R.after(mech.bodies[k].rotation)
    a = R @ dof.axis
    velocity = {k: plan.find(k, "velocity") for k in path[-2:]}
    return {block: a if k == i else -a for k, block in velocity.items() if block is not None}


def _shaft(plan: BlockLayout, shaft: int) -> BlockRow | None:
    """A rotor on this shaft alone: its own spin, or its absolute axial rate less that of its carrier."""
    for k, part in enumerate(plan.pieces):
        if part.terms is None or [index for index, _ in part.terms] != [shaft]:
            continue
        e = Vec(0.0, 0.0, 1 / part.terms[0][1])
        spin, turning = plan.find(k, "spin"), plan.find(k, "turning")
        if spin is not None:
            return {spin: e}
        if turning is not None:
            carrier = plan.find(part.body, "turning") if part.body != BASE else None
            return {turning: e} if carrier is None else {turning: e, carrier: -(part.frame @ e)}
    return None


def _flat(plan: BlockLayout, row: BlockRow) -> list[Scalar]:
    flat: list[Scalar] = [0.0] * plan.size
    for block, factors in row.items():
        flat[3 * block : 3 * block + 3] = factors
    return flat
