"""Redundant Cartesian models of a chain (Melhem and Loria), with the quadratic terms that their paper leaves out.

    nu = J(q) v,      M d(nu)/dt + n(nu) + w(q) + (J+)' f(q, v) = Q,      J' Q = tau

with constant M, the weights w, the spring forces f and any left inverse J+ of J. In generalized speeds: H = J' M J, C =
J' (M dJ/dt + G(nu) J) with G nu = n, g = J' w.

Rows of a constant left inverse are given joint by joint where a formula exists:

- Revolute: v_i = a . w_i - a . w_(i-1), the axis a being constant in either link's frame.
- Prismatic, linear velocities in link axes: the velocity of the centre less that of the point of the parent link there;
  along the axis it does not matter how far the joint is out.
- Prismatic, base axes: the same only while nothing before it turns.
- Shaft: its rotor's own spin, divided by the ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec, is_zero
from gearwright.dynamics.kinematics import velocities
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.other_formulations.melhem_loria_blocks import Block, BlockLayout, FreeBody
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.task_space.jacobian import jacobian as point_jacobian
from gearwright.dynamics.task_space.jacobian import jacobian_rate as point_jacobian_rate
from gearwright.mechanism import BASE, Mechanism
from gearwright.mechanism.joints.dofs import Dof
from gearwright.mechanism.rows import along

# The model

Z = Vec(0.0, 0.0, 1.0)


class Motion(NamedTuple):
    """How a piece moves per unit of each speed, world axes: its centre, the link that carries it, and its own spin."""

    link: Rot
    own: Rot
    centre: list[Vec]
    carried: list[Vec]
    ratios: list[Scalar]

    @property
    def axis(self) -> Vec:
        """The axis about which a rotor turns in its carrier."""
        return self.own.columns()[2]

    @property
    def turning(self) -> list[Vec]:
        """The absolute angular velocity per unit of each speed."""
        return [c if is_zero(b) else c + self.axis * b for c, b in zip(self.carried, self.ratios, strict=True)]


class Rate(NamedTuple):
    """The time derivatives of a motion, and the angular velocities of the carrier and of the piece, world axes."""

    centre: list[Vec]
    carried: list[Vec]
    turning: list[Vec]
    link: Vec
    own: Vec


def jacobian(plan: BlockLayout, pose: Pose, ops: Operations) -> Matrix:
    """J(q) of nu = J v, eq. (12) for any choice of velocities: (size, n)."""
    moving = [_motion(pose, part, ops) for part in plan.pieces]
    rows: Matrix = []
    for block in plan.blocks:
        columns, axes = _columns(block, moving[block.piece])
        rows += _rows([axes.T @ c for c in columns])
    return rows


def jacobian_rate(plan: BlockLayout, pose: Pose, v: Sequence[Scalar], ops: Operations) -> Matrix:
    """dJ/dt: in axes R that turn at Omega, d(R' c)/dt = R' (dc/dt - Omega x c)."""
    moving = [_motion(pose, part, ops) for part in plan.pieces]
    rates = [_rate(pose, v, part, motion) for part, motion in zip(plan.pieces, moving, strict=True)]
    rows: Matrix = []
    for block in plan.blocks:
        motion, rate = moving[block.piece], rates[block.piece]
        columns, axes = _columns(block, motion)
        changes, omega = _changes(block, motion, rate)
        turned = [axes.T @ (dc - omega.cross(c)) for dc, c in zip(changes, columns, strict=True)]
        rows += _rows(turned)
    return rows


def inertia(plan: BlockLayout) -> Matrix:
    """The constant M of eq. (10), (size, size)."""
    M: Matrix = [[0.0] * plan.size for _ in range(plan.size)]
    for (i, j), weight in plan.weights.items():
        for a, row in enumerate(weight.rows()):
            M[3 * i + a][3 * j : 3 * j + 3] = row
    return M


def quadratic(plan: BlockLayout, nu: Sequence[Scalar]) -> list[Scalar]:
    """n(nu): per block Omega x h, the momentum carried round by the axes it is counted in."""
    parts = _vectors(nu)
    n: list[Scalar] = []
    for block, h in zip(plan.blocks, _momenta(plan, parts), strict=True):
        omega = ZERO
        for k in block.turned_by:
            omega = omega + parts[k]
        n += omega.cross(h)
    return n


def quadratic_matrix(plan: BlockLayout, nu: Sequence[Scalar]) -> Matrix:
    """The skew G(nu) with G nu = n(nu): -S(h_b) where the axes of block b turn with block j, and its mirror image.

    The mirror image of a linear velocity's block gives v x m v = 0, so that it adds nothing to n but makes G skew.
    """
    G: Matrix = [[0.0] * plan.size for _ in range(plan.size)]
    for b, h in enumerate(_momenta(plan, _vectors(nu))):
        for j in plan.blocks[b].turned_by:
            for a, row in enumerate(Rot.cross(-h).rows()):
                G[3 * b + a][3 * j : 3 * j + 3] = row
                if b not in plan.blocks[j].turned_by:
                    G[3 * j + a][3 * b : 3 * b + 3] = row
    return G


def weights(plan: BlockLayout, pose: Pose) -> list[Scalar]:
    """w: -m g0 for every linear velocity, in its axes; zero for the others."""
    w: list[Scalar] = []
    for k, block in enumerate(plan.blocks):
        if block.quantity == "velocity":
            R = IDENTITY if block.axes == "base" else pose.world[plan.pieces[block.piece].body][0]
            w += R.T @ (-(plan.weights[k, k] @ pose.mech.gravity))
        else:
            w += ZERO
    return w


def _motion(pose: Pose, part: FreeBody, ops: Operations) -> Motion:
    n = pose.mech.n
    own = link = pose.world[part.body][0]
    centre, carried, ratios = [ZERO] * n, [ZERO] * n, [0.0] * n
    if part.body != BASE:
        centre, carried = _halves(point_jacobian(pose, part.body, part.com))
    if part.terms is not None:
        where = pose.mech.layout.coordinate_of
        angle = along(tuple((where[index], ratio) for index, ratio in part.terms), pose.q)
        own = link.after(part.frame.after(Rot.about(Z, ops.cos(angle), ops.sin(angle))))
        for index, ratio in part.terms:
            ratios[index] = ratio
    return Motion(link, own, centre, carried, ratios)


def _rate(pose: Pose, v: Sequence[Scalar], part: FreeBody, motion: Motion) -> Rate:
    n = pose.mech.n
    centre, carried, omega = [ZERO] * n, [ZERO] * n, ZERO
    if part.body != BASE:
        centre, carried = _halves(point_jacobian_rate(pose, v, part.body, part.com))
        omega = motion.link @ velocities(pose, v)[part.body].omega
    if part.terms is None:
        return Rate(centre, carried, carried, omega, omega)
    swung = omega.cross(motion.axis)
    turning = [c if is_zero(b) else c + swung * b for c, b in zip(carried, motion.ratios, strict=True)]
    return Rate(centre, carried, turning, omega, omega + motion.axis * along(part.terms, v))


def _columns(block: Block, motion: Motion) -> tuple[list[Vec], Rot]:
    """Per speed the block's quantity, and the axes in which it is counted, both in world axes.

    A rotor's own spin is counted along the third of its own axes, where it is constant, and turned nowhere.
    """
    if block.quantity == "spin":
        return [Z * b for b in motion.ratios], IDENTITY
    axes = {"base": IDENTITY, "link": motion.link, "own": motion.own}[block.axes]
    if block.quantity == "turning":
        return motion.turning, axes
    if block.quantity == "carrier":
        return motion.carried, axes
    arm = motion.own @ block.offset
    return [c + w.cross(arm) for c, w in zip(motion.centre, motion.turning, strict=True)], axes


def _changes(block: Block, motion: Motion, rate: Rate) -> tuple[list[Vec], Vec]:
    """Per speed the rate of the block's quantity in world axes, and the angular velocity of its axes."""
    if block.quantity == "spin":
        return [ZERO] * len(motion.ratios), ZERO
    omega = {"base": ZERO, "link": rate.link, "own": rate.own}[block.axes]
    if block.quantity == "turning":
        return rate.turning, omega
    if block.quantity == "carrier":
        return rate.carried, omega
    arm = motion.own @ block.offset
    arm_rate = rate.own.cross(arm)
    terms = zip(rate.centre, rate.turning, motion.turning, strict=True)
    return [dc + dw.cross(arm) + w.cross(arm_rate) for dc, dw, w in terms], omega


def _momenta(plan: BlockLayout, nu: Sequence[Vec]) -> list[Vec]:
    """h_b = sum_j W_bj nu_j."""
    momenta = [ZERO] * len(plan.blocks)
    for (i, j), weight in plan.weights.items():
        momenta[i] = momenta[i] + weight @ nu[j]
    return momenta


def _vectors(nu: Sequence[Scalar]) -> list[Vec]:
    return [Vec(*nu[k : k + 3]) for k in range(0, len(nu), 3)]


def _halves(rows: Matrix) -> tuple[list[Vec], list[Vec]]:
    """Linear and angular columns of a Jacobian."""
    columns = list(zip(*rows, strict=True))
    return [Vec(*c[:3]) for c in columns], [Vec(*c[3:]) for c in columns]


def _rows(columns: Sequence[Vec]) -> Matrix:
    return [list(row) for row in zip(*columns, strict=True)]


# Rows of a constant left inverse

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
