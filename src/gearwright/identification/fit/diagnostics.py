"""Diagnostics of estimates: residuals that are not white, values that depend on the cut-off of the filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import BaseParameters
from gearwright.identification.experiment.filtering import sampling_rate
from gearwright.identification.experiment.log import Log
from gearwright.identification.fit.least_squares import LeastSquaresFit, solve_weighted
from gearwright.identification.model.torque_model import TorqueModel

RESIDUAL_LAGS = 10
"""Largest lag of the autocorrelation of residuals, in samples."""

MAX_WHITE_CORRELATION = 0.3
"""Autocorrelation coefficient up to which residuals are white, unless random fluctuations are larger."""

CLIP_DEVIATIONS = 2.0
"""Deviation, relative to the standard deviation, at which residuals are clipped before the autocorrelation."""

NEGLIGIBLE_RESIDUAL_RATIO = 3e-3
"""Residuals below this share of the torques are ignored: at reversals a wrong sign of friction alone gives 2e-3. Joints
with torques below this share of those of another joint are ignored too."""

NEIGHBOUR_CUTOFF_FACTOR = 1.25
"""Factor of the cut-offs at which the estimation is repeated."""

MAX_ESTIMATE_SHIFT = 2.0
"""Largest change of an estimate, relative to its standard deviation."""

MAX_LISTED_ESTIMATES = 5
"""Largest number of estimates in a message."""


class ResidualCorrelation(NamedTuple):
    """The largest autocorrelation of a joint's residuals, and its lag in samples."""

    joint: str
    value: float
    lag: int


def residual_warning(log: Log, joints: Sequence[str], fit: LeastSquaresFit) -> tuple[str, ...]:
    """A warning about the joints whose residuals are not white."""
    correlations = correlated_residuals(joints, fit.residuals, log.torques)
    if not correlations:
        return ()
    listed = ", ".join(f"{c.joint} ({c.value:.2f} after {c.lag} sample{'s' * (c.lag > 1)})" for c in correlations)
    return (
        f"Residuals are not white but correlated in time: {listed}. The model is incomplete (friction, elasticity, a "
        "load), or the cut-off is too high and noise passes. Standard deviations account for the correlation, not for "
        "the model error.",
    )


def cutoff_warning(log: Log, model: TorqueModel, base: BaseParameters, fit: LeastSquaresFit) -> tuple[str, ...]:
    """A warning about estimates that depend on the cut-off, for a log with computed speeds or accelerations."""
    if log.origin is None or np.isinf(log.origin.cutoff):
        return ()
    cutoff = log.origin.cutoff
    estimates = []
    for neighbour in neighbouring_cutoffs(cutoff, sampling_rate(log.origin.log.times)):
        rows = model.sample_blocks(log.motion_at_cutoff(model.mech, neighbour), base)
        estimates.append(solve_weighted(rows, log.torques, fit.weights))
    shifts = estimate_shifts(fit.values, estimates, np.sqrt(np.maximum(np.diag(fit.covariance), 0.0)))
    worst = [int(k) for k in np.argsort(-shifts) if shifts[k] > MAX_ESTIMATE_SHIFT]
    if not worst:
        return ()
    listed = ", ".join(f"{base.leading_parameters[k]} by {shifts[k]:.1f}" for k in worst[:MAX_LISTED_ESTIMATES])
    rest = f" and {len(worst) - MAX_LISTED_ESTIMATES} more" if len(worst) > MAX_LISTED_ESTIMATES else ""
    return (
        f"Estimates depend on the cut-off: at {cutoff / NEIGHBOUR_CUTOFF_FACTOR:.3g} or "
        f"{cutoff * NEIGHBOUR_CUTOFF_FACTOR:.3g} Hz instead of "
        f"{cutoff:.3g} Hz they differ, in standard deviations: {listed}{rest}. Give another cutoff, or measure speeds.",
    )


def correlated_residuals(joints: Sequence[str], residuals: Array, torques: Array) -> list[ResidualCorrelation]:
    """The joints whose residuals (T, n) are not white and not negligible compared with the torques.

    The autocorrelation of white noise has a standard deviation of 1/sqrt(T). Outliers are clipped: at a reversal,
    Coulomb friction changes sign a few samples early or late, which is not a model error.
    """
    T = len(residuals)
    size = np.sqrt(np.mean(torques**2, axis=0))
    least = NEGLIGIBLE_RESIDUAL_RATIO * np.maximum(size, NEGLIGIBLE_RESIDUAL_RATIO * size.max(initial=0.0))
    listed_correlations = []
    for joint, joint_residuals, negligible in zip(joints, residuals.T, least, strict=True):
        spread = 1.4826 * float(np.median(np.abs(joint_residuals)))
        if spread <= negligible or T <= 10 * RESIDUAL_LAGS:
            continue
        x = np.clip(joint_residuals, -CLIP_DEVIATIONS * spread, CLIP_DEVIATIONS * spread)
        correlations = np.array([x[:-k] @ x[k:] for k in range(1, RESIDUAL_LAGS + 1)]) / (x @ x)
        k = int(np.argmax(np.abs(correlations)))
        if abs(correlations[k]) > max(MAX_WHITE_CORRELATION, 4 / np.sqrt(T)):
            listed_correlations.append(ResidualCorrelation(joint, float(correlations[k]), k + 1))
    return listed_correlations


def neighbouring_cutoffs(cutoff: float, rate: float) -> Iterator[float]:
    """Cut-offs slightly below and above, if they are valid for a filter."""
    yield cutoff / NEIGHBOUR_CUTOFF_FACTOR
    if cutoff * NEIGHBOUR_CUTOFF_FACTOR < rate / 2:
        yield cutoff * NEIGHBOUR_CUTOFF_FACTOR


def estimate_shifts(values: Array, estimates: Sequence[Array], deviations: Array) -> Array:
    """Change of every estimate with the cut-off, in standard deviations (rank,).

    The bias by noise that passes the filter grows with the fifth power of the cut-off, the bias by lost motion with its
    power of minus eight. The smaller of the two changes therefore estimates the bias at the present cut-off.
    """
    differences = np.array([np.abs(estimate - values) for estimate in estimates])
    least: Array = differences.min(axis=0) / np.maximum(deviations, 1e-300)
    return least
