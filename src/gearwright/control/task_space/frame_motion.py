"""How a frame moves and what it takes to move it: what laws in the space of a frame share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.dynamics.elimination import solve
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.task_space.jacobian import jacobian, jacobian_rate
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism.rows import spread

MatrixRows = Sequence[Sequence[Scalar]]
Axes = tuple[Vec, ...]
"""Three axes at right angles, world coordinates, where the frame is now; () for those of the world."""

WORLD: Axes = ()


@dataclass(frozen=True)
class FrameMotion:
    """A frame of a placed machine, seen along three axes: where it is, how it moves, what its inertia is.

    Some of its ways may be coordinates s(q, t) instead, such as the gap to a surface: then J has the row ds/dq there,
    and the speed and the drift are those of s.

    Args:
        pose: the placed machine.
        v: speeds.
        position: of the frame's origin, world.
        rotation: of the frame.
        J: Jacobian along the axes, (size, n).
        rates: what explicit time adds to J v, (size).
        drift: J' v, and what explicit time adds to it.
        mass: M(q).
        answers: M^-1 J^T by columns.
        inverse: J M^-1 J^T.
        axes: along which it is seen.
    """

    pose: Pose
    v: Sequence[Scalar]
    position: Vec
    rotation: Rot
    J: MatrixRows
    rates: Sequence[Scalar]
    drift: Sequence[Scalar]
    mass: MatrixRows
    answers: MatrixRows
    inverse: MatrixRows
    axes: Axes

    @property
    def twist(self) -> list[Scalar]:
        """Velocity of the frame, linear, then angular."""
        return [a + b for a, b in zip(times(self.J, self.v), self.rates, strict=True)]

    def along(self, given: Sequence[Scalar]) -> list[Scalar]:
        """A vector of the world, or two (linear, angular), along the axes."""
        return along_axes(self.axes, given)

    def missing(self, wanted: Sequence[Scalar]) -> list[Scalar]:
        """What is missing to a position, and with a rotation (row by row) the turn as its axis times its sine."""
        error = [a - b for a, b in zip(wanted[:3], self.position, strict=True)]
        turn = missing_turn(self.rotation, wanted[3:]) if len(wanted) > 3 else []
        return self.along([*error, *turn])

    def forces(self, acceleration: Sequence[Scalar]) -> list[Scalar]:
        """What accelerates the frame so along the axes, L (acceleration - J' v), L = (J M^-1 J^T)^-1."""
        return solved(self.inverse, [a - b for a, b in zip(acceleration, self.drift, strict=True)])

    def joint_forces(self, force: Sequence[Scalar]) -> list[Scalar]:
        """J^T F + b(q, v)."""
        push = transposed(self.J, force)
        return [a + b for a, b in zip(push, bias(self.pose, self.v), strict=True)]

    def felt(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """The force at the frame of forces at the joints, L J M^-1 tau."""
        return solved(self.inverse, [dot(answer, tau) for answer in self.answers])

    def unseen(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """Forces without what would accelerate the frame: tau - J^T L J M^-1 tau."""
        return [a - b for a, b in zip(tau, transposed(self.J, self.felt(tau)), strict=True)]


def frame_motion(
    scene: Scene,
    frame: str | int,
    size: int,
    axes: Axes = WORLD,
    held: Mapping[int, Line] | None = None,
) -> FrameMotion:
    """A frame of a machine as it is; size 3 for its position, 6 for its orientation too; `held` are placed lines."""
    mech, pose, v = scene.mech, scene.pose, scene.v
    index, rotation, point = mech.place_of(frame)
    point = Vec(0.0, 0.0, 0.0) if point is None else point
    R, p = pose.world[index]
    columns = zip(*jacobian(pose, index, point)[:size], strict=True)
    J = list(zip(*(along_axes(axes, column) for column in columns), strict=True))
    drift = along_axes(axes, times(jacobian_rate(pose, v, index, point)[:size], v))
    rates: list[Scalar] = [0.0] * size
    for k, line in (held or {}).items():
        J[k], rates[k], drift[k] = tuple(spread(line.terms, mech.n)), line.rate, line.drift
    M = mass_matrix(pose)
    answers = [solved(M, row) for row in J]
    inverse = [[dot(row, answer) for answer in answers] for row in J]
    where, turned = p + R @ point, R if rotation is None else R.after(rotation)
    return FrameMotion(pose, v, where, turned, J, rates, drift, M, answers, inverse, axes)


def along_axes(axes: Axes, given: Sequence[Scalar]) -> list[Scalar]:
    """Vectors of three one after the other, each along the axes."""
    if not axes:
        return list(given)
    found: list[Scalar] = []
    for first in range(0, len(given), 3):
        found += [dot(axis, given[first : first + 3]) for axis in axes]
    return found


def missing_turn(R: Rot, wanted: Sequence[Scalar]) -> list[Scalar]:
    """Half the sum of cross products of the axes, the axis of the missing turn times its sine, world axes."""
    columns, target = zip(*R.rows(), strict=True), zip(wanted[:3], wanted[3:6], wanted[6:], strict=True)
    total = Vec(0.0, 0.0, 0.0)
    for now, then in zip(columns, target, strict=True):
        total = total + Vec(*now).cross(Vec(*then))
    return [0.5 * x for x in total]


def dot(x: Iterable[Scalar], y: Iterable[Scalar]) -> Scalar:
    """The sum of products."""
    total: Scalar = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


def times(rows: MatrixRows, x: Sequence[Scalar]) -> list[Scalar]:
    """A matrix times a vector."""
    return [dot(row, x) for row in rows]


def transposed(rows: MatrixRows, x: Sequence[Scalar]) -> list[Scalar]:
    """A transposed matrix times a vector."""
    return [dot(column, x) for column in zip(*rows, strict=True)]


def solved(matrix: MatrixRows, right: Sequence[Scalar]) -> list[Scalar]:
    """The answer of a symmetric positive matrix to a right-hand side."""
    size = range(len(matrix))
    return solve([list(row) for row in matrix], [frozenset(size) - {k} for k in size], list(size), list(right))
