"""An elastic support of the base: springs between ground and robot."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import ZERO, MatrixLike, Scalar, Tensor, Vec, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import PartError, StructureError
from gearwright.parts.builders.mounting import base_wheel_in_frame, drive_in_frame, mounting_link, output_is_link
from gearwright.parts.drives.drive import Drive
from gearwright.parts.gears.elasticity import JointSpring, PassiveSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import Frame
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import FramePlacement, matrix_rows, motor_in_frame
from gearwright.parts.trains.train import Train, TrainMotor

BASE_DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""The six directions in which a base can be compliant: translation along and rotation about its axes."""
MASSLESS_BASE_INERTIA = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@check_arguments
@dataclass(frozen=True)
class ElasticBase:
    """The elastic support between the ground and a robot's base.

    Args:
        stiffness: one value per direction (x, y, z [N/m], rx, ry, rz [Nm/rad]), or None where the base is rigid; or a
            symmetric 6 x 6 matrix over these directions.
        damping: in the same form [Ns/m, Nms/rad]; zero by default.
        position: point at which the support acts, in the robot's base frame [m].
        mass: of the body that moves with the base [kg], such as a foot or a foundation.
        com: its centre of mass, from `position` [m].
        inertia: its inertia tensor about the centre of mass, (3, 3) [kg m2].
    """

    stiffness: Any
    damping: Any = None
    position: VectorLike = ZERO
    mass: Scalar = 0.0
    com: VectorLike = ZERO
    inertia: MatrixLike = MASSLESS_BASE_INERTIA

    def __post_init__(self) -> None:
        matrices = (self.stiffness, range(6) if self.damping is None else self.damping)
        if [len(x) if isinstance(x, Sized) and not isinstance(x, str | Mapping) else 0 for x in matrices] != [6, 6]:
            raise PartError(
                f"elastic base: stiffness {self.stiffness!r}, damping {self.damping!r}: give six numbers for "
                f"{', '.join(BASE_DIRECTIONS)} (none where the base is rigid), or six rows of six."
            )
        if self.is_coupled:
            checked_definite_matrix("elastic base: stiffness", self.stiffness)
            if self.damping is not None:
                checked_definite_matrix("elastic base: damping", self.damping, definite=False)
        elif all(k is None for k in self.stiffness):
            raise PartError(
                "elastic base: all six directions are rigid. Give the stiffness of at least one, or leave "
                "the support out."
            )
        else:
            self._require_not_negative()

    def _require_not_negative(self) -> None:
        coefficients = {"stiffness": self.stiffness, "damping": [None] * 6 if self.damping is None else self.damping}
        for word, values in coefficients.items():
            for direction, x in zip(BASE_DIRECTIONS, values, strict=True):
                hint = "Check its sign and units, or give none where the base is rigid."
                require_range("elastic base", f"{word} along {direction}", x, least=0, hint=hint, error=PartError)

    @property
    def is_coupled(self) -> bool:
        """Whether the directions are coupled by a 6 x 6 matrix."""
        return any(hasattr(row, "__len__") for row in self.stiffness)

    @property
    def moving_body(self) -> tuple[Scalar, Vec, Tensor]:
        """Mass, centre of mass and central inertia tensor of the body that moves with the base."""
        return self.mass, Vec.from_values(self.com), Tensor.from_rows(matrix_rows(self.inertia))

    @property
    def compliant_directions(self) -> list[str]:
        """The compliant directions."""
        return [direction for direction, k in zip(BASE_DIRECTIONS, self.stiffness, strict=True) if k is not None]


@check_arguments
def with_elastic_base(robot: Robot, support: ElasticBase) -> Robot:
    """Return the robot on an elastic support: passive joints `support.x`, ... between the ground and its base.

    A 6 x 6 matrix becomes six springs along its principal directions, with its eigenvalues as stiffness.

    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))])
    >>> soft = with_elastic_base(arm, ElasticBase([None, None, 1e6, 2e4, 2e4, None], mass=30, inertia=np.eye(3)))
    >>> [link.joint_name for link in soft.links]
    ['support.z', 'support.rx', 'support.ry', 'upper']
    """
    if any(link.joint.kind == "free" for link in robot.links):
        raise StructureError(
            f"robot {robot.name!r} has a floating base, which cannot have an elastic support. Fix the base first."
        )
    chain = _support_chain(support)
    foot, back = chain[-1].name, FramePlacement(position=Vec.from_values(support.position) * -1.0)
    return replace(
        robot,
        links=[*chain, *(_link_on_support(link, foot, back) for link in robot.links)],
        drives=[_drive_on_support(drive, robot, foot, back) for drive in robot.drives],
        trains=[_train_on_support(train, robot, foot, back) for train in robot.trains],
        frames=[_frame_on_support(frame, foot, back) for frame in robot.frames],
        springs=[*robot.springs, *_coupled_springs(support)],
    )


def checked_definite_matrix(owner: str, matrix: Any, definite: bool = True) -> NDArray[np.float64]:
    """Return a 6 x 6 matrix as an array; raise if it is not symmetric and positive definite (or semidefinite)."""
    try:
        K = np.array(matrix, dtype=float)
    except (TypeError, ValueError):
        raise PartError(f"{owner} {matrix!r} is not a matrix of numbers. Give six rows of six.") from None
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not np.isfinite(K).all():
        raise PartError(f"{owner} has the shape {K.shape} or a value that is not finite. Give six rows of six numbers.")
    scale = float(np.abs(K).max())
    if np.abs(K - K.T).max() > 1e-9 * scale:
        raise PartError(
            f"{owner} is not symmetric, so it derives from no potential. Use the mean of K and its transpose."
        )
    low = float(np.linalg.eigvalsh(K)[0])
    if low < (1e-14 if definite else -1e-12) * scale:
        raise PartError(
            f"{owner} is not positive {'definite' if definite else 'semidefinite'}: its smallest eigenvalue is "
            f"{low:.6g}, so the support would be unstable. Check its signs, or give six numbers (none where the base "
            f"is rigid)."
        )
    return K


def _support_chain(support: ElasticBase) -> list[Link]:
    """One link per compliant direction; all but the last are massless."""
    directions, links, parent = support.compliant_directions, [], "base"
    for place, direction in enumerate(directions):
        axis = Vec(*(1.0 if k == "xyz".index(direction[-1]) else 0.0 for k in range(3)))
        kind = "revolute" if direction.startswith("r") else "prismatic"
        origin = Vec.from_values(support.position) if place == 0 else ZERO
        joint = Joint(f"support.{direction}", kind, axis, position=origin, spring=_direction_spring(support, direction))
        name = "support" if place == len(directions) - 1 else f"support.{direction}"
        mass, com, inertia = support.moving_body if name == "support" else (0.0, ZERO, Tensor.diagonal(0.0, 0.0, 0.0))
        links.append(Link(name, parent, joint, mass, com, inertia))
        parent = name
    return links


def _direction_spring(support: ElasticBase, direction: str) -> JointSpring | None:
    if support.is_coupled:
        return None
    k = BASE_DIRECTIONS.index(direction)
    damping = 0.0 if support.damping is None or support.damping[k] is None else support.damping[k]
    return JointSpring(support.stiffness[k], damping)


def _coupled_springs(support: ElasticBase) -> list[PassiveSpring]:
    if not support.is_coupled:
        return []
    springs = _principal_springs(
        "support.spring", checked_definite_matrix("elastic base: stiffness", support.stiffness), "stiffness"
    )
    if support.damping is None:
        return springs
    damping = checked_definite_matrix("elastic base: damping", support.damping, definite=False)
    return [*springs, *_principal_springs("support.damper", damping, "damping")]


def _principal_springs(name: str, K: NDArray[np.float64], word: str) -> list[PassiveSpring]:
    """K = sum k e e' as one spring (or damper) per principal direction."""
    values, vectors = np.linalg.eigh(K)
    springs = []
    for number, (k, e) in enumerate(zip(values, vectors.T, strict=True)):
        row = {f"support.{direction}": float(x) for direction, x in zip(BASE_DIRECTIONS, e, strict=True) if x}
        springs.append(PassiveSpring(f"{name}{number + 1}", row, **{word: max(float(k), 0.0)}))
    return springs


def _link_on_support(link: Link, foot: str, back: FramePlacement) -> Link:
    if link.parent != "base":
        return link
    return replace(link, parent=foot, joint=replace(link.joint, position=back.point_in_outer(link.joint.position)))


def _drive_on_support(drive: Drive, robot: Robot, foot: str, back: FramePlacement) -> Drive:
    driven = robot.link_of_joint(drive.joint)
    if mounting_link(drive, driven) != "base":
        return drive
    return replace(drive_in_frame(drive, output_is_link(drive, driven), back), mounted_on=foot)


def _frame_on_support(frame: Frame, foot: str, back: FramePlacement) -> Frame:
    return frame if frame.link != "base" else replace(frame, link=foot, position=back.point_in_outer(frame.position))


def _train_on_support(train: Train, robot: Robot, foot: str, back: FramePlacement) -> Train:
    """The train with the wheels, meshes and stators of the ground moved to the supported base link."""

    def support_name(link: Any) -> Any:
        return foot if link == "base" else link

    grounded = {wheel.name for wheel in train.wheels if wheel.carrier == "base"}
    wheels = [
        replace(base_wheel_in_frame(robot, wheel, back), carrier=foot) if wheel.name in grounded else wheel
        for wheel in train.wheels
    ]
    meshes = [
        replace(m, first=support_name(m.first), second=support_name(m.second), carrier=support_name(m.carrier))
        for m in train.meshes
    ]
    return replace(
        train,
        wheels=wheels,
        meshes=meshes,
        motors=[_train_motor_on_support(m, grounded, support_name, back) for m in train.motors],
    )


def _train_motor_on_support(motor: TrainMotor, grounded: set[str], name: Any, back: FramePlacement) -> TrainMotor:
    moved = motor_in_frame(motor.motor, back) if motor.wheel in grounded else motor.motor
    return replace(motor, stator=name(motor.stator), motor=moved)
