"""An elastic support of the base: springs between ground and robot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import ZERO, Scalar, Tensor, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import PartError, StructureError
from gearwright.parts.builders.mounting import mount_of, moved_base_wheel, moved_drive, output_is_link
from gearwright.parts.drives.drive import Drive
from gearwright.parts.gears.elasticity import JointSpring, PassiveSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import Frame
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import PartPlace, moved_motor, rows
from gearwright.parts.trains.train import Train, TrainMotor

WAYS = ("x", "y", "z", "rx", "ry", "rz")
"""The six ways a base can give: along and about its axes."""
NO_MEMBER = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class ElasticBase:
    """What stands between the ground and a robot's base.

    Args:
        stiffness: per way (x, y, z [N/m], rx, ry, rz [Nm/rad]) a number, or None where the base is held; or a whole
            symmetric 6 x 6 matrix over these ways.
        damping: in the same form [Ns/m, Nms/rad]; none unless given.
        position: where the support acts, in the robot's base frame [m].
        mass: of what moves with the base [kg]: a foot, a foundation.
        com: its centre of mass, from `position` [m].
        inertia: its tensor about that, (3, 3) [kg m2].
    """

    stiffness: Any
    damping: Any = None
    position: Any = ZERO
    mass: Scalar = 0.0
    com: Any = ZERO
    inertia: Any = NO_MEMBER

    def __post_init__(self) -> None:
        given = (self.stiffness, range(6) if self.damping is None else self.damping)
        if [len(x) if hasattr(x, "__len__") else 0 for x in given] != [6, 6]:
            raise PartError(
                f"elastic base: stiffness {self.stiffness!r}, damping {self.damping!r}: give six numbers for "
                f"{', '.join(WAYS)} (none where the base is held), or six rows of six."
            )
        if self.coupled:
            positive_definite("elastic base: stiffness", self.stiffness)
            if self.damping is not None:
                positive_definite("elastic base: damping", self.damping, definite=False)
        elif all(k is None for k in self.stiffness):
            raise PartError("elastic base: it is held every way. Give the stiffness of one, or leave the support out.")
        else:
            self._require_not_negative()

    def _require_not_negative(self) -> None:
        given = {"stiffness": self.stiffness, "damping": [None] * 6 if self.damping is None else self.damping}
        for word, values in given.items():
            for way, x in zip(WAYS, values, strict=True):
                hint = "Check its sign and units, or give none where the base is held."
                require_range("elastic base", f"{word} along {way}", x, least=0, hint=hint, error=PartError)

    @property
    def coupled(self) -> bool:
        """Whether the ways are coupled by a matrix."""
        return any(hasattr(row, "__len__") for row in self.stiffness)

    @property
    def body(self) -> tuple[Scalar, Vec, Tensor]:
        """Mass, centre of mass and central tensor of what moves with the base."""
        return self.mass, Vec.of(self.com), Tensor.of(rows(self.inertia))

    @property
    def ways(self) -> list[str]:
        """The ways it gives."""
        return [way for way, k in zip(WAYS, self.stiffness, strict=True) if k is not None]


@check_arguments
def with_elastic_base(robot: Robot, support: ElasticBase) -> Robot:
    """The robot on an elastic support: passive joints `support.x`, ... between ground and what was its base.

    A 6 x 6 matrix becomes six springs along its principal directions, with its eigenvalues as stiffness.

    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))])
    >>> soft = with_elastic_base(arm, ElasticBase([None, None, 1e6, 2e4, 2e4, None], mass=30, inertia=np.eye(3)))
    >>> [link.joint_name for link in soft.links]
    ['support.z', 'support.rx', 'support.ry', 'upper']
    """
    if any(link.joint.kind == "free" for link in robot.links):
        raise StructureError(f"robot {robot.name!r} floats freely: a base that is none cannot stand on springs.")
    chain = _chain(support)
    foot, back = chain[-1].name, PartPlace(position=Vec.of(support.position) * -1.0)
    return replace(
        robot,
        links=[*chain, *(_rehung(link, foot, back) for link in robot.links)],
        drives=[_remounted(drive, robot, foot, back) for drive in robot.drives],
        trains=[_recarried(train, robot, foot, back) for train in robot.trains],
        frames=[_moved_frame(frame, foot, back) for frame in robot.frames],
        springs=[*robot.springs, *_coupled_springs(support)],
    )


def positive_definite(owner: str, matrix: Any, definite: bool = True) -> NDArray[np.float64]:
    """A symmetric positive definite (or semidefinite) matrix of numbers, or an error that says why it is none."""
    try:
        K = np.array(matrix, dtype=float)
    except (TypeError, ValueError):
        raise PartError(f"{owner} {matrix!r} is not a matrix of numbers. Give six rows of six.") from None
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not np.isfinite(K).all():
        raise PartError(f"{owner} has the shape {K.shape} or a value that is not finite. Give six rows of six numbers.")
    scale = float(np.abs(K).max())
    if np.abs(K - K.T).max() > 1e-9 * scale:
        raise PartError(f"{owner} is not symmetric: no potential has it. Take the mean of K and its transpose.")
    low = float(np.linalg.eigvalsh(K)[0])
    if low < (1e-14 if definite else -1e-12) * scale:
        raise PartError(
            f"{owner} is not positive {'definite' if definite else 'semidefinite'}: it has the eigenvalue {low:.6g}, "
            "and would push the base away. Check its signs, or give six numbers (none where the base is held)."
        )
    return K


def _chain(support: ElasticBase) -> list[Link]:
    """One link per way, massless but the last."""
    ways, links, parent = support.ways, [], "base"
    for place, way in enumerate(ways):
        axis = Vec(*(1.0 if k == "xyz".index(way[-1]) else 0.0 for k in range(3)))
        kind = "revolute" if way.startswith("r") else "prismatic"
        where = Vec.of(support.position) if place == 0 else ZERO
        joint = Joint(f"support.{way}", kind, axis, position=where, spring=_joint_spring(support, way))
        name = "support" if place == len(ways) - 1 else f"support.{way}"
        mass, com, inertia = support.body if name == "support" else (0.0, ZERO, Tensor.diagonal(0.0, 0.0, 0.0))
        links.append(Link(name, parent, joint, mass, com, inertia))
        parent = name
    return links


def _joint_spring(support: ElasticBase, way: str) -> JointSpring | None:
    if support.coupled:
        return None
    k = WAYS.index(way)
    damping = 0.0 if support.damping is None or support.damping[k] is None else support.damping[k]
    return JointSpring(support.stiffness[k], damping)


def _coupled_springs(support: ElasticBase) -> list[PassiveSpring]:
    if not support.coupled:
        return []
    found = _along("support.spring", positive_definite("elastic base: stiffness", support.stiffness), "stiffness")
    if support.damping is None:
        return found
    damping = positive_definite("elastic base: damping", support.damping, definite=False)
    return [*found, *_along("support.damper", damping, "damping")]


def _along(name: str, K: NDArray[np.float64], word: str) -> list[PassiveSpring]:
    """K = sum k e e' as one spring (or damper) per principal direction."""
    values, vectors = np.linalg.eigh(K)
    springs = []
    for number, (k, e) in enumerate(zip(values, vectors.T, strict=True)):
        row = {f"support.{way}": float(x) for way, x in zip(WAYS, e, strict=True) if x}
        springs.append(PassiveSpring(f"{name}{number + 1}", row, **{word: max(float(k), 0.0)}))
    return springs


def _rehung(link: Link, foot: str, back: PartPlace) -> Link:
    if link.parent != "base":
        return link
    return replace(link, parent=foot, joint=replace(link.joint, position=back.point(link.joint.position)))


def _remounted(drive: Drive, robot: Robot, foot: str, back: PartPlace) -> Drive:
    driven = robot.link_of_joint(drive.joint)
    if mount_of(drive, driven) != "base":
        return drive
    return replace(moved_drive(drive, output_is_link(drive, driven), back), mounted_on=foot)


def _moved_frame(frame: Frame, foot: str, back: PartPlace) -> Frame:
    return frame if frame.link != "base" else replace(frame, link=foot, position=back.point(frame.position))


def _recarried(train: Train, robot: Robot, foot: str, back: PartPlace) -> Train:
    """The train with its wheels, meshes and stators on the base moved to what was the base."""

    def name(link: Any) -> Any:
        return foot if link == "base" else link

    grounded = {wheel.name for wheel in train.wheels if wheel.carrier == "base"}
    wheels = [
        replace(moved_base_wheel(robot, wheel, back), carrier=foot) if wheel.name in grounded else wheel
        for wheel in train.wheels
    ]
    meshes = [replace(m, first=name(m.first), second=name(m.second), carrier=name(m.carrier)) for m in train.meshes]
    return replace(train, wheels=wheels, meshes=meshes, motors=[_motor(m, grounded, name, back) for m in train.motors])


def _motor(motor: TrainMotor, grounded: set[str], name: Any, back: PartPlace) -> TrainMotor:
    moved = moved_motor(motor.motor, back) if motor.wheel in grounded else motor.motor
    return replace(motor, stator=name(motor.stator), motor=moved)
