"""Inverse kinematics, external coordinates, Cartesian paths, time-optimal motions and redundant arms."""

from gearwright.planning.approach import approach
from gearwright.planning.criteria import Criterion, HoldingTorque, JointLimits, KineticEnergy, Manipulability, Shares
from gearwright.planning.distribution import distribute
from gearwright.planning.external import external_adjoint, external_coordinates, external_jacobian
from gearwright.planning.fastest import LimitUse, fastest, limit_use
from gearwright.planning.inverse_kinematics import InverseKinematics, inverse_kinematics
from gearwright.planning.least_torque import least_torque, torque_ratio
from gearwright.planning.obstacles import Capsule, Obstacles, sphere
from gearwright.planning.paths import arc, circle, line
from gearwright.planning.poses import rotation_of, slerp
from gearwright.planning.tracking import track

__all__ = [
    "Capsule",
    "Criterion",
    "HoldingTorque",
    "InverseKinematics",
    "JointLimits",
    "KineticEnergy",
    "LimitUse",
    "Manipulability",
    "Obstacles",
    "Shares",
    "approach",
    "arc",
    "circle",
    "distribute",
    "external_adjoint",
    "external_coordinates",
    "external_jacobian",
    "fastest",
    "inverse_kinematics",
    "least_torque",
    "limit_use",
    "line",
    "rotation_of",
    "slerp",
    "sphere",
    "torque_ratio",
    "track",
]
