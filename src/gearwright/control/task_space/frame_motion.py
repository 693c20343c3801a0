"""Motion and operational-space inertia of a frame, for task-space laws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.dynamics.closed_loops.closed_dynamics import OPEN_TREE, SpeedMap, placed_machine
from gearwright.dynamics.closed_loops.closed_dynamics import bias as closed_bias
from gearwright.dynamics.closed_loops.embedding import OpenTree
from gearwright.dynamics.elimination import solve_by_elimination
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.task_space.jacobian import jacobian, jacobian_rate
from gearwright.forces import Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import dense_row

MatrixRows = Sequence[Sequence[Scalar]]
FrameAxes = tuple[Vec, ...]
"""Three orthogonal axes in world coordinates at the frame; () for those of the world."""

WORLD_AXES: FrameAxes = ()


@dataclass(frozen=True)
class FrameMotion:
    """Pose, velocity and operational-space inertia of a frame, along three axes.

    Some directions may be coordinates s(q, t) instead, such as the gap to a surface: then J has the row ds/dq there,
    and the speed and the drift are those of s.

    Args:
        pose: the placed machine.
        speed_map: the map between its independent and all speeds.
        v: speeds; of closed loops the independent ones.
        position: of the frame's origin, world.
        rotation: of the frame.
        J: Jacobian along the axes, (size, n).
        rates: explicit time derivative added to J v, (size).
        drift: J' v plus the explicit time derivative.
        mass_matrix: M(q).
        response_rows: M^-1 J^T by columns.
        inverse_inertia: J M^-1 J^T.
        axes: axes of the components.
    """

    pose: Pose
    speed_map: SpeedMap
    v: Sequence[Scalar]
    position: Vec
    rotation: Rot
    J: MatrixRows
    rates: Sequence[Scalar]
    drift: Sequence[Scalar]
    mass_matrix: MatrixRows
    response_rows: MatrixRows
    inverse_inertia: MatrixRows
    axes: FrameAxes

    @property
    def twist(self) -> list[Scalar]:
        """Velocity of the frame, linear, then angular."""
        return [a + b for a, b in zip(matrix_product(self.J, self.v), self.rates, strict=True)]

    def axis_components(self, vectors: Sequence[Scalar]) -> list[Scalar]:
        """Return a world vector, or two (linear, angular), along the axes."""
        return components_along(self.axes, vectors)

    def pose_error(self, target: Sequence[Scalar]) -> list[Scalar]:
        """Return the position error, and with a rotation (row by row) the rotation error as axis times sine."""
        error = [a - b for a, b in zip(target[:3], self.position, strict=True)]
        turn = orientation_error(self.rotation, target[3:]) if len(target) > 3 else []
        return self.axis_components([*error, *turn])

    def task_forces(self, acceleration: Sequence[Scalar]) -> list[Scalar]:
        """Return the forces for an acceleration along the axes, L (acceleration - J' v), L = (J M^-1 J^T)^-1."""
        return solve_symmetric(self.inverse_inertia, [a - b for a, b in zip(acceleration, self.drift, strict=True)])

    def joint_forces(self, force: Sequence[Scalar]) -> list[Scalar]:
        """Return J^T F + b(q, v)."""
        push = transposed_product(self.J, force)
        return [a + b for a, b in zip(push, self._bias(), strict=True)]

    def _bias(self) -> Sequence[Scalar]:
        if isinstance(self.speed_map, OpenTree):
            return bias(self.pose, self.v)
        return closed_bias(self.pose, self.speed_map, self.speed_map.speeds(self.v))

    def frame_force(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """Return the force at the frame equivalent to joint forces, L J M^-1 tau."""
        return solve_symmetric(self.inverse_inertia, [dot_product(response, tau) for response in self.response_rows])

    def null_space_forces(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """Return the null-space part of joint forces: tau - J^T L J M^-1 tau."""
        return [a - b for a, b in zip(tau, transposed_product(self.J, self.frame_force(tau)), strict=True)]


def frame_motion(
    kinematics: SharedKinematics,
    frame: str | int,
    size: int,
    axes: FrameAxes = WORLD_AXES,
    held: Mapping[int, Line] | None = None,
) -> FrameMotion:
    """Return the motion of a frame; size 3: position, 6: position and orientation; `held`: constraint lines."""
    mech = kinematics.mech
    placed: tuple[Pose, SpeedMap] = (
        (kinematics.pose, OPEN_TREE) if mech.closure is None else placed_machine(mech, kinematics.q, kinematics.ops)
    )
    pose, speed_map = placed
    v = speed_map.speeds(kinematics.v)
    index, rotation, point = mech.place_of(frame)
    point = Vec(0.0, 0.0, 0.0) if point is None else point
    R, p = pose.world_placements[index]
    columns = zip(*jacobian(pose, index, point)[:size], strict=True)
    whole = [list(row) for row in zip(*(components_along(axes, column) for column in columns), strict=True)]
    drift = components_along(axes, matrix_product(jacobian_rate(pose, v, index, point)[:size], v))
    dependent: Sequence[Scalar] = [0.0] * len(v)  # accelerations at constant independent speeds
    if not isinstance(speed_map, OpenTree):
        dependent = speed_map.accelerations(v, [0.0] * mech.n)
        drift = [a + b for a, b in zip(drift, matrix_product(whole, dependent), strict=True)]
    rates: list[Scalar] = [0.0] * size
    for k, line in (held or {}).items():
        whole[k], rates[k] = dense_row(line.terms, len(v)), line.time_rate
        drift[k] = line.drift + dot_product(whole[k], dependent)
    J = [tuple(row) for row in speed_map.columns(whole)]
    M = speed_map.congruent(mass_matrix(pose))
    responses = [solve_symmetric(M, row) for row in J]
    inverse = [[dot_product(row, response) for response in responses] for row in J]
    origin, orientation = p + R @ point, R if rotation is None else R.after(rotation)
    return FrameMotion(pose, speed_map, kinematics.v, origin, orientation, J, rates, drift, M, responses, inverse, axes)


def components_along(axes: FrameAxes, vectors: Sequence[Scalar]) -> list[Scalar]:
    """Return a sequence of 3-vectors, each along the axes."""
    if not axes:
        return list(vectors)
    components: list[Scalar] = []
    for first in range(0, len(vectors), 3):
        components += [dot_product(axis, vectors[first : first + 3]) for axis in axes]
    return components


def orientation_error(R: Rot, target_rows: Sequence[Scalar]) -> list[Scalar]:
    """Return the rotation error, axis times sine: half the sum of cross products of the axes, world axes."""
    columns, target = zip(*R.rows(), strict=True), zip(target_rows[:3], target_rows[3:6], target_rows[6:], strict=True)
    total = Vec(0.0, 0.0, 0.0)
    for current, desired in zip(columns, target, strict=True):
        total = total + Vec(*current).cross(Vec(*desired))
    return [0.5 * x for x in total]


def dot_product(x: Iterable[Scalar], y: Iterable[Scalar]) -> Scalar:
    """Return the dot product."""
    total: Scalar = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


def matrix_product(rows: MatrixRows, x: Sequence[Scalar]) -> list[Scalar]:
    """Return a matrix times a vector."""
    return [dot_product(row, x) for row in rows]


def transposed_product(rows: MatrixRows, x: Sequence[Scalar]) -> list[Scalar]:
    """Return a transposed matrix times a vector."""
    return [dot_product(column, x) for column in zip(*rows, strict=True)]


def solve_symmetric(matrix: MatrixRows, right: Sequence[Scalar]) -> list[Scalar]:
    """Return the solution of a symmetric positive definite system."""
    size = range(len(matrix))
    return solve_by_elimination(
        [list(row) for row in matrix], [frozenset(size) - {k} for k in size], list(size), list(right)
    )
