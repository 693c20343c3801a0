"""Redundant Cartesian models of a chain: Melhem and Loria, with the quadratic terms that their paper leaves out.

    nu = J(q) v,      M d(nu)/dt + n(nu) + w(q) + (J+)' f(q, v) = Q,      J' Q = tau

with constant M, the weights w, the spring forces f and any left inverse J+ of J. In generalized speeds: H = J' M J,
C = J' (M dJ/dt + G(nu) J) with G nu = n, g = J' w.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec, is_zero
from gearwright.dynamics.jacobian import jacobian as point_jacobian
from gearwright.dynamics.jacobian import jacobian_rate as point_jacobian_rate
from gearwright.dynamics.kinematics import velocities
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.redundant_blocks import Block, BlockLayout
from gearwright.dynamics.redundant_bodies import FreeBody
from gearwright.mechanism import BASE
from gearwright.mechanism.rows import along

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
