"""Trajectories: motions of the joints with exact derivatives, from formulas, via points or recordings."""

from gearwright.motion.chaining import chain, moving_average, pause
from gearwright.motion.fourier_series import FourierMotion, fourier
from gearwright.motion.polynomials import EndRates, polynomial
from gearwright.motion.prescribed_accelerations import from_accelerations
from gearwright.motion.recorded_motion import recorded
from gearwright.motion.time_optimal_profiles import s_curve, trapezoid
from gearwright.motion.trajectory import Motion, Trajectory
from gearwright.motion.via_points import spline

__all__ = [
    "EndRates",
    "FourierMotion",
    "Motion",
    "Trajectory",
    "chain",
    "fourier",
    "from_accelerations",
    "moving_average",
    "pause",
    "polynomial",
    "recorded",
    "s_curve",
    "spline",
    "trapezoid",
]
