"""Trajectories: how the joints move, with exact derivatives."""

from gearwright.motion.chaining import chain, pause, smoothed
from gearwright.motion.fourier_series import FourierMotion, fourier
from gearwright.motion.limited import s_curve, trapezoid
from gearwright.motion.prescribed import from_accelerations
from gearwright.motion.profiles import polynomial
from gearwright.motion.recorded import recorded
from gearwright.motion.trajectory import Motion, Trajectory
from gearwright.motion.via_points import spline

__all__ = [
    "FourierMotion",
    "Motion",
    "Trajectory",
    "chain",
    "fourier",
    "from_accelerations",
    "pause",
    "polynomial",
    "recorded",
    "s_curve",
    "smoothed",
    "spline",
    "trapezoid",
]
