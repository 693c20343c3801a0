"""Reasons to doubt estimates: residuals that are not white, values that move with the filter's cut-off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import BaseParameters
from gearwright.identification.experiment.filtering import sampling_rate
from gearwright.identification.experiment.log import Log
from gearwright.identification.fit.least_squares import Fit, weighted
from gearwright.identification.model.torque_model import Model

LAGS = 10
"""Samples over which residuals are compared with themselves."""

COLOURED = 0.3
"""Residuals count as white when none of their correlations exceeds this, or what chance explains."""

CLIPPED = 2.0
"""Standard deviations at which residuals are cut off before they are compared."""

NEGLIGIBLE = 3e-3
"""Residuals below this share of the torques are hardly measured: where joints turn back, a wrong sign of friction alone
leaves 2e-3. Nor do torques of one joint below this share of another's count."""

NEIGHBOUR = 1.25
"""Factor to the cut-offs at which estimates are found again."""

MOVED = 2.0
"""Standard deviations by which an estimate may move."""

LISTED = 5
"""Estimates that a sentence names."""


class Correlation(NamedTuple):
    """The largest correlation of a joint's residuals with themselves, and after how many samples."""

    joint: str
    value: float
    lag: int


def about_residuals(log: Log, joints: Sequence[str], found: Fit) -> tuple[str, ...]:
    """A sentence on the joints whose residuals are not white."""
    which = coloured(joints, found.residuals, log.torques)
    if not which:
        return ()
    listed = ", ".join(f"{c.joint} ({c.value:.2f} after {c.lag} sample{'s' * (c.lag > 1)})" for c in which)
    return (
        f"Residuals are not white but correlated in time: {listed}. Something is missing in the model (friction, "
        "elasticity, a load), or the cut-off lets too much noise through. Standard deviations allow for the "
        "correlation, not for what is missing.",
    )


def about_cutoff(log: Log, model: Model, base: BaseParameters, found: Fit) -> tuple[str, ...]:
    """A sentence on the estimates that move with the cut-off of a log whose speeds or accelerations were derived."""
    if log.origin is None or np.isinf(log.origin.cutoff):
        return ()
    cutoff = log.origin.cutoff
    others = []
    for other in neighbours(cutoff, sampling_rate(log.origin.log.times)):
        rows = model.blocks(log.refiltered(model.mech, other), base)
        others.append(weighted(rows, log.torques, found.weights))
    far = moved(found.values, others, np.sqrt(np.maximum(np.diag(found.covariance), 0.0)))
    worst = [int(k) for k in np.argsort(-far) if far[k] > MOVED]
    if not worst:
        return ()
    listed = ", ".join(f"{base.leaders[k]} by {far[k]:.1f}" for k in worst[:LISTED])
    more = f" and {len(worst) - LISTED} more" if len(worst) > LISTED else ""
    return (
        f"Estimates move with the cut-off: at {cutoff / NEIGHBOUR:.3g} or {cutoff * NEIGHBOUR:.3g} Hz instead of "
        f"{cutoff:.3g} Hz they differ, in standard deviations, {listed}{more}. Give another cutoff, or measure speeds.",
    )


def coloured(joints: Sequence[str], residuals: Array, torques: Array) -> list[Correlation]:
    """The joints whose residuals (T, n) are not white, and not negligible beside the torques.

    The correlation of white noise with itself has a standard deviation of 1/sqrt(T). Outliers are clipped: where a
    joint turns back, Coulomb friction changes sign a few samples early or late, which is not what this is about.
    """
    T = len(residuals)
    size = np.sqrt(np.mean(torques**2, axis=0))
    least = NEGLIGIBLE * np.maximum(size, NEGLIGIBLE * size.max(initial=0.0))
    found = []
    for joint, own, negligible in zip(joints, residuals.T, least, strict=True):
        spread = 1.4826 * float(np.median(np.abs(own)))
        if spread <= negligible or T <= 10 * LAGS:
            continue
        x = np.clip(own, -CLIPPED * spread, CLIPPED * spread)
        correlations = np.array([x[:-k] @ x[k:] for k in range(1, LAGS + 1)]) / (x @ x)
        k = int(np.argmax(np.abs(correlations)))
        if abs(correlations[k]) > max(COLOURED, 4 / np.sqrt(T)):
            found.append(Correlation(joint, float(correlations[k]), k + 1))
    return found


def neighbours(cutoff: float, rate: float) -> Iterator[float]:
    """Cut-offs a little below and above, as far as a filter can have them."""
    yield cutoff / NEIGHBOUR
    if cutoff * NEIGHBOUR < rate / 2:
        yield cutoff * NEIGHBOUR


def moved(values: Array, others: Sequence[Array], deviations: Array) -> Array:
    """How many standard deviations every estimate moves with the cut-off (rank,).

    Noise that passes the filter biases with the fifth power of the cut-off, motion that does not with its minus eighth.
    So of a cut-off that is right on one side and wrong on the other, the smaller move tells about the bias itself.
    """
    ways = np.array([np.abs(other - values) for other in others])
    least: Array = ways.min(axis=0) / np.maximum(deviations, 1e-300)
    return least
