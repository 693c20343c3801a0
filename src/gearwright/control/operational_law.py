"""Laws in the space of a frame: operational space and impedance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.control.tracking import Gains, Tracking, minus, plus, scaled
from gearwright.dynamics.elimination import solve
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.jacobian import jacobian, jacobian_rate
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose, place
from gearwright.system.control_law import Decision, Measurement

AXES = ("x", "y", "z", "rx", "ry", "rz")
ROTATION = tuple(f"r{row}{column}" for row in "xyz" for column in "xyz")
POSE, TWIST, ACCELERATION = "pose_ref", "twist_ref", "acceleration_ref"
"""References: position (and rotation row by row), velocity and acceleration of the frame, world axes."""


@dataclass(frozen=True)
class Operational(Tracking):
    """Forces at a frame: F = L (acc_ref + kp e + kd e' - J' v), or with an impedance L (acc_ref - J' v) + kp e + kd e'.

    tau = J^T F + bias + what damps the motion that the frame does not see; L = (J M^-1 J^T)^-1.

    Args:
        mech: the controlled machine.
        feedback: where elastic drives are measured.
        frame: the body or frame.
        size: 3 for its position, 6 for its orientation too.
        kp: [1/s2], or [N/m, Nm/rad] of an impedance, per axis of the world.
        kd: [1/s], or [Ns/m, Nms/rad].
        impedance: whether the gains are forces, and the inertia of the frame is left as it is.
        damping: of the motion that the frame does not see [Nms/rad].
    """

    frame: str | int = 0
    size: int = 3
    kp: Gains = ()
    kd: Gains = ()
    impedance: bool = False
    damping: float = 0.0

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "impedance" if self.impedance else "operational_space"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Pose, velocity and acceleration of the frame."""
        axes = AXES[: self.size]
        return {POSE: AXES[:3] + (ROTATION if self.size == 6 else ()), TWIST: axes, ACCELERATION: axes}

    def decide(self, measured: Measurement) -> Decision:
        """The forces that move the frame as wanted."""
        q, v = self.side.position(measured.q, self.feedback), self.side.speed(measured.v, self.feedback)
        pose = place(measured.model, q, measured.ops)
        index, rotation, position = measured.model.place_of(self.frame)
        point = Vec(0.0, 0.0, 0.0) if position is None else position
        J = jacobian(pose, index, point)[: self.size]
        drift = _times(jacobian_rate(pose, v, index, point)[: self.size], v)
        lag = self._pose_error(measured, pose, index, rotation, point)
        lack = minus(measured.reference[TWIST], _times(J, v))
        pull = plus(scaled(self.kp, lag), scaled(self.kd, lack))
        wanted = minus(measured.reference[ACCELERATION], drift)
        M = mass_matrix(pose)
        answers = [_solved(M, row) for row in J]  # M^-1 J^T by columns
        inverse = [[_dot(row, answer) for answer in answers] for row in J]
        force = _solved(inverse, wanted if self.impedance else plus(wanted, pull))
        force = plus(force, pull) if self.impedance else force
        tau = plus(_transposed(J, force), bias(pose, v))
        if self.damping and len(v) > self.size:
            tau = plus(tau, self._unseen([-self.damping * x for x in v], J, answers, inverse))
        return Decision(self.side.forces(tau))

    def _pose_error(
        self, measured: Measurement, pose: Pose, index: int, rotation: Rot | None, point: Vec
    ) -> list[Scalar]:
        R, p = pose.world[index]
        where = p + R @ point
        wanted = measured.reference[POSE]
        error = [a - b for a, b in zip(wanted[:3], where, strict=True)]
        return error if self.size == 3 else [*error, *_turn(R if rotation is None else R.after(rotation), wanted[3:])]

    @staticmethod
    def _unseen(
        tau: Sequence[Scalar],
        J: Sequence[Sequence[Scalar]],
        answers: Sequence[Sequence[Scalar]],
        inverse: Sequence[Sequence[Scalar]],
    ) -> list[Scalar]:
        """Forces without what would accelerate the frame: tau - J^T L J M^-1 tau."""
        measured = _solved(inverse, [_dot(answer, tau) for answer in answers])
        return minus(tau, _transposed(J, measured))


def _turn(R: Rot, wanted: Sequence[Scalar]) -> list[Scalar]:
    """Half the sum of cross products of the axes, the axis of the missing turn times its sine, world axes."""
    columns, target = zip(*R.rows(), strict=True), zip(wanted[:3], wanted[3:6], wanted[6:], strict=True)
    total = Vec(0.0, 0.0, 0.0)
    for now, then in zip(columns, target, strict=True):
        total = total + Vec(*now).cross(Vec(*then))
    return [0.5 * x for x in total]


def _dot(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


def _times(rows: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    return [_dot(row, x) for row in rows]


def _transposed(rows: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    return [_dot(column, x) for column in zip(*rows, strict=True)]


def _solved(matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar]) -> list[Scalar]:
    size = range(len(matrix))
    return solve([list(row) for row in matrix], [frozenset(size) - {k} for k in size], list(size), right)
