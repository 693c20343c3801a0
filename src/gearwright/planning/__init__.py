"""Inverse kinematics, external coordinates, Cartesian paths, time-optimal motions and redundant arms."""

from gearwright.planning.kinematics.external_coordinates import (
    external_adjoint,
    external_coordinates,
    external_jacobian,
    external_rates,
)
from gearwright.planning.kinematics.inverse_kinematics import InverseKinematics, inverse_kinematics
from gearwright.planning.kinematics.obstacles import Capsule, Obstacles, sphere
from gearwright.planning.kinematics.poses import rotation_from_euler, slerp
from gearwright.planning.kinematics.redundancy_criteria import (
    Criterion,
    HoldingTorque,
    JointLimits,
    KineticEnergy,
    Manipulability,
    MotionShares,
)
from gearwright.planning.paths.approach import approach
from gearwright.planning.paths.cartesian_motions import arc, circle, line
from gearwright.planning.paths.path_limits import PathLimits
from gearwright.planning.paths.pose_tracking import track_poses
from gearwright.planning.redundancy.distributed_positioning import distributed_positioning
from gearwright.planning.redundancy.least_torque import least_torque, torque_ratio
from gearwright.planning.time_optimal.fastest_motion import LimitUse, fastest, limit_use

__all__ = [
    "Capsule",
    "Criterion",
    "HoldingTorque",
    "InverseKinematics",
    "JointLimits",
    "KineticEnergy",
    "LimitUse",
    "Manipulability",
    "MotionShares",
    "Obstacles",
    "PathLimits",
    "approach",
    "arc",
    "circle",
    "distributed_positioning",
    "external_adjoint",
    "external_coordinates",
    "external_jacobian",
    "external_rates",
    "fastest",
    "inverse_kinematics",
    "least_torque",
    "limit_use",
    "line",
    "rotation_from_euler",
    "slerp",
    "sphere",
    "torque_ratio",
    "track_poses",
]
