"""Inverse kinematics, external coordinates, Cartesian paths and redundant arms."""

from gearwright.planning.external import external_adjoint, external_coordinates, external_jacobian
from gearwright.planning.inverse_kinematics import InverseKinematics, inverse_kinematics
from gearwright.planning.poses import rotation_of, slerp

__all__ = [
    "InverseKinematics",
    "external_adjoint",
    "external_coordinates",
    "external_jacobian",
    "inverse_kinematics",
    "rotation_of",
    "slerp",
]
