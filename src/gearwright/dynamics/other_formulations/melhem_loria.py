"""Redundant Cartesian models of a chain (Melhem and Loria), with the quadratic terms that their paper omits.

    nu = J(q) v,      M d(nu)/dt + n(nu) + w(q) + (J+)' f(q, v) = Q,      J' Q = tau

with constant M, the weights w, the spring forces f and any left inverse J+ of J. In generalized speeds: H = J' M J, C =
J' (M dJ/dt + G(nu) J) with G nu = n, g = J' w.

Rows of a constant left inverse are given joint by joint where a formula exists:

- Revolute: v_i = a . w_i - a . w_(i-1), the axis a being constant in either link's frame.
- Prismatic, linear velocities in link axes: the velocity of the centre minus that of the coincident point of the
  parent link; along the axis it does not depend on the joint's position.
- Prismatic, base axes: the same, only without revolute joints before it.
- Shaft: its rotor's own spin, divided by the ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import IDENTITY, Z_AXIS, ZERO, Operations, Rot, Scalar, Vec, is_zero
from gearwright.dynamics.kinematics import body_velocities
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.other_formulations.melhem_loria_blocks import BlockLayout, FreeBody, VelocityBlock
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.task_space.jacobian import jacobian as point_jacobian
from gearwright.dynamics.task_space.jacobian import jacobian_rate as point_jacobian_rate
from gearwright.mechanism import BASE, Mechanism, row_dot
from gearwright.mechanism.joints.dofs import Dof

# The model


class PieceMotion(NamedTuple):
    """Motion of a body per unit of each speed, world axes: its centre, its carrier link, and its own spin."""

    link: Rot
    own: Rot
    centre: list[Vec]
    carried: list[Vec]
    ratios: list[Scalar]

    @property
    def spin_axis(self) -> Vec:
        """The axis about which a rotor turns in its carrier."""
        return self.own.columns()[2]

    @property
    def angular_velocities(self) -> list[Vec]:
        """The absolute angular velocity per unit of each speed."""
        return [c if is_zero(b) else c + self.spin_axis * b for c, b in zip(self.carried, self.ratios, strict=True)]


class PieceMotionRate(NamedTuple):
    """The time derivatives of a motion, and the angular velocities of the carrier and of the piece, world axes."""

    centre: list[Vec]
    carried: list[Vec]
    angular_velocities: list[Vec]
    link: Vec
    own: Vec


def redundant_jacobian(plan: BlockLayout, pose: Pose, ops: Operations) -> Matrix:
    """J(q) of nu = J v, eq. (12) for any choice of velocities: (size, n)."""
    moving = [_piece_motion(pose, part, ops) for part in plan.pieces]
    rows: Matrix = []
    for block in plan.blocks:
        columns, axes = _block_columns(block, moving[block.piece])
        rows += _matrix_rows([axes.T @ c for c in columns])
    return rows


def redundant_jacobian_rate(plan: BlockLayout, pose: Pose, v: Sequence[Scalar], ops: Operations) -> Matrix:
    """dJ/dt: in axes R that turn at Omega, d(R' c)/dt = R' (dc/dt - Omega x c)."""
    moving = [_piece_motion(pose, part, ops) for part in plan.pieces]
    rates = [_piece_motion_rate(pose, v, part, motion) for part, motion in zip(plan.pieces, moving, strict=True)]
    rows: Matrix = []
    for block in plan.blocks:
        motion, rate = moving[block.piece], rates[block.piece]
        columns, axes = _block_columns(block, motion)
        changes, omega = _block_column_rates(block, motion, rate)
        turned = [axes.T @ (dc - omega.cross(c)) for dc, c in zip(changes, columns, strict=True)]
        rows += _matrix_rows(turned)
    return rows


def redundant_inertia(plan: BlockLayout) -> Matrix:
    """The constant M of eq. (10), (size, size)."""
    M: Matrix = [[0.0] * plan.size for _ in range(plan.size)]
    for (i, j), weight in plan.weights.items():
        for a, row in enumerate(weight.rows()):
            M[3 * i + a][3 * j : 3 * j + 3] = row
    return M


def quadratic_forces(plan: BlockLayout, nu: Sequence[Scalar]) -> list[Scalar]:
    """n(nu): per block Omega x h, the rate of the momentum due to the rotation of its axes."""
    parts = _split_vectors(nu)
    n: list[Scalar] = []
    for block, h in zip(plan.blocks, _block_momenta(plan, parts), strict=True):
        omega = ZERO
        for k in block.turned_by:
            omega = omega + parts[k]
        n += omega.cross(h)
    return n


def quadratic_matrix(plan: BlockLayout, nu: Sequence[Scalar]) -> Matrix:
    """The skew G(nu) with G nu = n(nu): -S(h_b) where the axes of block b turn with block j, and its transpose.

    The transpose for a linear velocity's block gives v x m v = 0: it does not change n but makes G skew.
    """
    G: Matrix = [[0.0] * plan.size for _ in range(plan.size)]
    for b, h in enumerate(_block_momenta(plan, _split_vectors(nu))):
        for j in plan.blocks[b].turned_by:
            for a, row in enumerate(Rot.cross_matrix(-h).rows()):
                G[3 * b + a][3 * j : 3 * j + 3] = row
                if b not in plan.blocks[j].turned_by:
                    G[3 * j + a][3 * b : 3 * b + 3] = row
    return G


def weight_forces(plan: BlockLayout, pose: Pose) -> list[Scalar]:
    """w: -m g0 for every linear velocity, in its axes; zero for the others."""
    w: list[Scalar] = []
    for k, block in enumerate(plan.blocks):
        if block.quantity == "velocity":
            R = IDENTITY if block.axes == "base" else pose.world_placements[plan.pieces[block.piece].body][0]
            w += R.T @ (-(plan.weights[k, k] @ pose.mech.gravity))
        else:
            w += ZERO
    return w


def _piece_motion(pose: Pose, part: FreeBody, ops: Operations) -> PieceMotion:
    n = pose.mech.n
    piece_rotation = link = pose.world_placements[part.body][0]
    centre, carried, ratios = [ZERO] * n, [ZERO] * n, [0.0] * n
    if part.body != BASE:
        centre, carried = _split_jacobian(point_jacobian(pose, part.body, part.com))
    if part.terms is not None:
        coordinate_of = pose.mech.layout.coordinate_of
        angle = row_dot(tuple((coordinate_of[index], ratio) for index, ratio in part.terms), pose.q)
        piece_rotation = link.after(part.frame.after(Rot.about_axis(Z_AXIS, ops.cos(angle), ops.sin(angle))))
        for index, ratio in part.terms:
            ratios[index] = ratio
    return PieceMotion(link, piece_rotation, centre, carried, ratios)


def _piece_motion_rate(pose: Pose, v: Sequence[Scalar], part: FreeBody, motion: PieceMotion) -> PieceMotionRate:
    n = pose.mech.n
    centre, carried, omega = [ZERO] * n, [ZERO] * n, ZERO
    if part.body != BASE:
        centre, carried = _split_jacobian(point_jacobian_rate(pose, v, part.body, part.com))
        omega = motion.link @ body_velocities(pose, v)[part.body].omega
    if part.terms is None:
        return PieceMotionRate(centre, carried, carried, omega, omega)
    swung = omega.cross(motion.spin_axis)
    turning = [c if is_zero(b) else c + swung * b for c, b in zip(carried, motion.ratios, strict=True)]
    return PieceMotionRate(centre, carried, turning, omega, omega + motion.spin_axis * row_dot(part.terms, v))


def _block_columns(block: VelocityBlock, motion: PieceMotion) -> tuple[list[Vec], Rot]:
    """Return per speed the block's quantity, and the axes of its components, both in world axes.

    A rotor's own spin is along the third of its own axes, where it is constant, without rotation.
    """
    if block.quantity == "spin":
        return [Z_AXIS * b for b in motion.ratios], IDENTITY
    axes = {"base": IDENTITY, "link": motion.link, "own": motion.own}[block.axes]
    if block.quantity == "turning":
        return motion.angular_velocities, axes
    if block.quantity == "carrier":
        return motion.carried, axes
    arm = motion.own @ block.offset
    return [c + w.cross(arm) for c, w in zip(motion.centre, motion.angular_velocities, strict=True)], axes


def _block_column_rates(block: VelocityBlock, motion: PieceMotion, rate: PieceMotionRate) -> tuple[list[Vec], Vec]:
    """Return per speed the rate of the block's quantity in world axes, and the angular velocity of its axes."""
    if block.quantity == "spin":
        return [ZERO] * len(motion.ratios), ZERO
    omega = {"base": ZERO, "link": rate.link, "own": rate.own}[block.axes]
    if block.quantity == "turning":
        return rate.angular_velocities, omega
    if block.quantity == "carrier":
        return rate.carried, omega
    arm = motion.own @ block.offset
    arm_rate = rate.own.cross(arm)
    terms = zip(rate.centre, rate.angular_velocities, motion.angular_velocities, strict=True)
    return [dc + dw.cross(arm) + w.cross(arm_rate) for dc, dw, w in terms], omega


def _block_momenta(plan: BlockLayout, nu: Sequence[Vec]) -> list[Vec]:
    """h_b = sum_j W_bj nu_j."""
    momenta = [ZERO] * len(plan.blocks)
    for (i, j), weight in plan.weights.items():
        momenta[i] = momenta[i] + weight @ nu[j]
    return momenta


def _split_vectors(nu: Sequence[Scalar]) -> list[Vec]:
    return [Vec(*nu[k : k + 3]) for k in range(0, len(nu), 3)]


def _split_jacobian(rows: Matrix) -> tuple[list[Vec], list[Vec]]:
    """Linear and angular columns of a Jacobian."""
    columns = list(zip(*rows, strict=True))
    return [Vec(*c[:3]) for c in columns], [Vec(*c[3:]) for c in columns]


def _matrix_rows(columns: Sequence[Vec]) -> Matrix:
    return [list(row) for row in zip(*columns, strict=True)]


# Rows of a constant left inverse

BlockRow = dict[int, Vec]
"""Per block the factors of its three velocities."""


def constant_inverse_rows(plan: BlockLayout, mech: Mechanism) -> list[list[Scalar] | None]:
    """Return per speed its row of a constant left inverse, None where no formula is known."""
    block_rows: list[BlockRow | None] = [None] * mech.n
    for i, joint in enumerate(mech.joints):
        for dof in joint.dofs:
            block_rows[dof.speed] = (
                _rotation_row(plan, mech, i, dof) if dof.angular else _translation_row(plan, mech, i, dof)
            )
    for shaft in range(mech.n - len(mech.shafts), mech.n):
        block_rows[shaft] = _shaft_row(plan, shaft)
    return [None if row is None else _flat_row(plan, row) for row in block_rows]


def _rotation_row(plan: BlockLayout, mech: Mechanism, i: int, dof: Dof) -> BlockRow | None:
    own_block = plan.find_block(i, "turning")
    if own_block is None:
        return None
    row = {own_block: dof.axis}
    before = plan.find_block(mech.parent_of(i), "turning") if mech.parent_of(i) != BASE else None
    if before is not None:
        row[before] = -(mech.bodies[i].rotation @ dof.axis)
    return row


def _translation_row(plan: BlockLayout, mech: Mechanism, i: int, dof: Dof) -> BlockRow | None:
    own_block, parent = plan.find_block(i, "velocity"), mech.parent_of(i)
    if own_block is None or plan.find_block(i, "turning") is None:
        return None
    in_link = plan.blocks[own_block].axes == "link"
    if not in_link:
        return _base_translation_row(plan, mech, i, dof)
    row, body = {own_block: dof.axis}, mech.bodies[i]
    before, turning = plan.find_block(parent, "velocity"), plan.find_block(parent, "turning")
    if parent != BASE and before is not None and turning is not None:
        a = body.rotation @ dof.axis
        arm = body.position + body.rotation @ plan.pieces[i].com - plan.pieces[parent].com
        row |= {before: -a, turning: a.cross(arm)}
    return row


def _base_translation_row(plan: BlockLayout, mech: Mechanism, i: int, dof: Dof) -> BlockRow | None:
    path = mech.body_paths[i][::-1]
    if any(mech.bodies[k].kind.has_rotation for k in path):
        return None
    R = IDENTITY
    for k in path:
        R = R.after(mech.bodies[k].rotation)
    a = R @ dof.axis
    velocity = {k: plan.find_block(k, "velocity") for k in path[-2:]}
    return {block: a if k == i else -a for k, block in velocity.items() if block is not None}


def _shaft_row(plan: BlockLayout, shaft: int) -> BlockRow | None:
    """Return the row for a rotor on this shaft alone: its own spin, or its axial rate minus that of its carrier."""
    for k, part in enumerate(plan.pieces):
        if part.terms is None or [index for index, _ in part.terms] != [shaft]:
            continue
        e = Vec(0.0, 0.0, 1 / part.terms[0][1])
        spin, turning = plan.find_block(k, "spin"), plan.find_block(k, "turning")
        if spin is not None:
            return {spin: e}
        if turning is not None:
            carrier = plan.find_block(part.body, "turning") if part.body != BASE else None
            return {turning: e} if carrier is None else {turning: e, carrier: -(part.frame @ e)}
    return None


def _flat_row(plan: BlockLayout, row: BlockRow) -> list[Scalar]:
    flat: list[Scalar] = [0.0] * plan.size
    for block, factors in row.items():
        flat[3 * block : 3 * block + 3] = factors
    return flat
