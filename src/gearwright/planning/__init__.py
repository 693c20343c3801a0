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
from gearwright.planning.paths.cartesian_paths import CircularPath
from gearwright.planning.paths.path_limits import PathLimits, PathOptions
from gearwright.planning.paths.pose_tracking import track_poses
from gearwright.planning.redundancy.distributed_positioning import distributed_positioning
from gearwright.planning.redundancy.least_time import least_time
from gearwright.planning.redundancy.least_torque import least_energy, least_torque, mechanical_energy, torque_ratio
from gearwright.planning.redundancy.null_space_search import NullSpaceOptions
from gearwright.planning.time_optimal.drive_limits import MotorLimits
from gearwright.planning.time_optimal.fastest_motion import LimitUse, fastest, limit_use
from gearwright.planning.time_optimal.line_actuators import LineActuator

__all__ = [
    "Capsule",
    "CircularPath",
    "Criterion",
    "HoldingTorque",
    "InverseKinematics",
    "JointLimits",
    "KineticEnergy",
    "LimitUse",
    "LineActuator",
    "Manipulability",
    "MotionShares",
    "MotorLimits",
    "NullSpaceOptions",
    "Obstacles",
    "PathLimits",
    "PathOptions",
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
    "least_energy",
    "least_time",
    "least_torque",
    "limit_use",
    "line",
    "mechanical_energy",
    "rotation_from_euler",
    "slerp",
    "sphere",
    "torque_ratio",
    "track_poses",
]
