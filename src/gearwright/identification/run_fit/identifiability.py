r"""Identifiability from a log: Fisher information, correlations, and combinations that cannot be distinguished.

With residuals r and their derivatives J by the unknowns, each in its own scale, the information is $J'J$. A direction
without information is a combination of unknowns that leaves every output unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.run_fit.measurement_unknowns import is_of_measurement

NO_INFORMATION_RATIO = 1e-6
"""Singular value of the scaled derivatives, relative to the largest, below which a direction has no information."""

STRONG_CORRELATION = 0.95
"""Correlation coefficient above which two unknowns can hardly be distinguished."""

DOUBTFUL_RATIO = 0.5
"""Standard deviation relative to the value above which an unknown is poorly determined."""

IMPRECISE_RATIO = 0.1
"""Standard deviation relative to the value below which an unknown is determined, however strong its correlations."""

LEAST_INFORMATION = 1e-12
"""Eigenvalue of an information matrix with unit diagonal below which a combination of parameters has no information."""

LARGEST_SHARE = 0.3
"""Share of the largest effect in a direction above which an unknown is named in it."""


class Information(NamedTuple):
    """The information of a fit.

    Args:
        names: of the unknowns.
        singular_values: of the derivatives by relative changes of the unknowns, largest first.
        covariance: of the unknowns, (K, K); infinite in directions without information is left out.
        correlations: (K, K).
        remarks: a text for every parameter or combination that the log does not determine.
        poorly_determined: names of the unknowns that the log does not determine well.
        unbounded: names of those that neither log nor prior knowledge bounds.
        proposals: experiments that would determine them, also among the remarks.
    """

    names: tuple[str, ...]
    singular_values: Array
    covariance: Array
    correlations: Array
    remarks: tuple[str, ...]
    poorly_determined: tuple[str, ...]
    unbounded: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()

    def with_proposals(self, proposals: tuple[str, ...]) -> Information:
        """The same with proposed experiments."""
        return self._replace(proposals=proposals, remarks=(*self.remarks, *proposals))


def information(
    names: Sequence[str],
    values: Array,
    J: Array,
    residuals: Array,
    blocks: Sequence[slice],
    priors: Array,
    scale: Array,
) -> Information:
    """The information of weighted residuals (N,) with derivatives J (N, K).

    Args:
        names: of the unknowns.
        values: of the unknowns, (K,).
        J: derivatives of the residuals.
        residuals: (N,).
        blocks: the rows of each log and signal, in order of time: residuals are correlated within them.
        priors: inverse standard deviations of prior knowledge, 0 where there is none, (K,).
        scale: of the unknowns, by which their changes are compared, (K,).
    """
    relative = J * scale
    _U, sizes, directions = np.linalg.svd(relative, full_matrices=False)
    largest = sizes[0] if len(sizes) and sizes[0] > 0 else 1.0
    is_known = sizes > NO_INFORMATION_RATIO * largest
    effects = np.linalg.norm(relative, axis=0)
    without_effect = np.flatnonzero(effects <= NO_INFORMATION_RATIO * largest).tolist()
    mixed = [_cancelling_parts(row, effects, largest) for row in directions[~is_known]]
    remarks = [_no_effect_sentence(names[k]) for k in without_effect]
    remarks += [
        _direction_sentence(names, row, parts) for row, parts in zip(directions[~is_known], mixed, strict=True) if parts
    ]
    variance = float(residuals @ residuals) / max(1, len(residuals) - len(values))
    inverse = (directions[is_known].T / np.maximum(sizes[is_known], 1e-300) ** 2) @ directions[is_known]
    inflation = _coloured_inflation(relative, residuals, blocks, inverse, variance)
    covariance = inflation * scale[:, None] * scale[None, :]
    if priors.any():
        weight = np.linalg.pinv(covariance) + np.diag(priors**2)
        covariance = np.linalg.pinv(weight)
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    safe = np.where(deviation > 0, deviation, 1.0)
    correlations = covariance / safe[:, None] / safe[None, :]
    lost = {names[k] for parts in (without_effect, *mixed) for k in parts}
    poorly_determined = [
        name
        for k, name in enumerate(names)
        if name in lost or (not is_of_measurement(name) and deviation[k] > DOUBTFUL_RATIO * scale[k])
    ]
    imprecise = [bool(x) for x in deviation > IMPRECISE_RATIO * scale]
    remarks += _pair_remarks(names, correlations, lost, imprecise)
    remarks += [
        f"{name} is {values[k]:.4g} with a standard deviation of {deviation[k]:.2g}: this log does not determine it. "
        "Add an experiment in which it has an effect, or fix it."
        for k, name in enumerate(names)
        if name in poorly_determined and name not in lost
    ]
    free = _unresolved_directions(directions[~is_known], priors * scale)
    open_parts = {k for row in free for k in _cancelling_parts(row, effects, largest)}
    open_parts |= {k for k in without_effect if not priors[k]}
    unbounded = tuple(names[k] for k in sorted(open_parts))
    return Information(
        tuple(names), sizes, covariance, correlations, tuple(remarks), tuple(poorly_determined), unbounded
    )


def without_starts(J: Array, count: int) -> Array:
    """Derivatives by the unknowns with the part that the initial states explain removed."""
    if J.shape[1] == count:
        return J
    nuisance = J[:, count:]
    return np.asarray(J[:, :count] - nuisance @ np.linalg.lstsq(nuisance, J[:, :count], rcond=None)[0])


def output_derivatives(
    slopes: Mapping[str, Array], start_slopes: Mapping[str, Array], scales: Mapping[str, float]
) -> Array:
    """Derivatives of signals by the unknowns, divided by their scales, without what unknown initial states explain."""
    count = next(iter(slopes.values())).shape[1]
    rows = [np.hstack([slopes[name], start_slopes[name]]) / scale for name, scale in scales.items()]
    return without_starts(np.concatenate(rows), count)


def relative_deviations(information_matrix: Array) -> Array | None:
    """Standard deviations (K,) from an information matrix (K, K), in the scales of its parameters.

    None where a combination of parameters has no information, which does not depend on these scales.
    """
    sizes = np.sqrt(np.maximum(np.diag(information_matrix), 0.0))
    if not (sizes > 0).all():
        return None
    weights, directions = np.linalg.eigh(information_matrix / np.outer(sizes, sizes))
    if not weights[0] > LEAST_INFORMATION:
        return None
    return np.asarray(np.sqrt((directions**2 / weights).sum(axis=1)) / sizes)


def _unresolved_directions(directions: Array, weights: Array) -> Array:
    """The directions without information in which prior knowledge, weights (K,), does not act either."""
    if not len(directions) or not weights.any():
        return directions
    _U, sizes, combinations = np.linalg.svd(weights[:, None] * directions.T)
    rank = int(np.sum(sizes > NO_INFORMATION_RATIO * np.abs(weights).max()))
    return np.asarray(combinations[rank:] @ directions)


def _coloured_inflation(J: Array, residuals: Array, blocks: Sequence[slice], inverse: Array, variance: float) -> Array:
    """The covariance for residuals that are correlated in time (Newey and West); the plain one if they are white."""
    plain = variance * inverse
    meat = np.zeros_like(inverse)
    is_white = True
    for rows in blocks:
        r, part = residuals[rows], J[rows]
        if len(r) < 10:
            continue
        score = part * r[:, None]
        lag = correlation_length(r)
        is_white &= lag == 0
        meat += score.T @ score
        for k in range(1, lag + 1):
            cross = (1 - k / (lag + 1)) * (score[k:].T @ score[:-k])
            meat += cross + cross.T
    if is_white:
        return plain
    coloured = inverse @ meat @ inverse
    factor = np.sqrt(np.maximum(np.diag(coloured), np.diag(plain)) / np.maximum(np.diag(plain), 1e-300))
    return plain * factor[:, None] * factor[None, :]


def autocorrelation(residuals: Array, lags: int) -> Array:
    """Autocorrelation of residuals at lags 1 to `lags`."""
    r = residuals - residuals.mean()
    power = float(r @ r)
    if not power > 0:
        return np.zeros(lags)
    return np.array([float(r[k:] @ r[:-k]) / power for k in range(1, lags + 1)])


def correlation_length(residuals: Array) -> int:
    """Number of samples after which the autocorrelation stays below its limit for white noise; 0 if it is white."""
    count = len(residuals)
    lags = min(count // 4, 400)
    values = np.abs(autocorrelation(residuals, lags)) if lags else np.zeros(0)
    above = values > 3.0 / np.sqrt(count)
    if not above[:5].any():
        return 0
    below = np.flatnonzero(~above)
    return int(below[0] + 1) * 2 if len(below) else lags


def _cancelling_parts(row: Array, effects: Array, largest: float) -> list[int]:
    """Unknowns of a direction without information whose effects cancel, largest change first."""
    shares = np.abs(row) * effects
    if not shares.max() > NO_INFORMATION_RATIO * largest:
        return []
    least = min(LARGEST_SHARE * shares.max(), np.sort(shares)[-2])  # one effect alone does not cancel
    return sorted(np.flatnonzero(shares >= least).tolist(), key=lambda k: -abs(row[k]))


def _no_effect_sentence(name: str) -> str:
    return (
        f"{name} has no effect on any measured signal of these logs: it cannot be identified. Fix it, or measure a "
        "signal that depends on it."
    )


def _direction_sentence(names: Sequence[str], row: Array, parts: Sequence[int]) -> str:
    """A sentence on a combination of unknowns without information; entries are relative changes."""
    text = ", ".join(f"{names[k]} by {row[k] / row[parts[0]]:+.2g} %" for k in parts)
    return (
        f"a change of {text} leaves every measured signal unchanged: these parameters cannot be distinguished. Fix "
        "one of them, or add an experiment (another load, another signal) that separates them."
    )


def _pair_remarks(names: Sequence[str], correlations: Array, lost: set[str], imprecise: Sequence[bool]) -> list[str]:
    remarks = []
    for i in range(len(names)):
        for j in range(i):
            is_strong = abs(correlations[i, j]) > STRONG_CORRELATION and (imprecise[i] or imprecise[j])
            if is_strong and not {names[i], names[j]} <= lost:
                remarks.append(
                    f"{names[j]} and {names[i]} can hardly be distinguished in these logs (correlation "
                    f"{correlations[i, j]:.2f}): only a combination of them is well determined. Add an experiment "
                    "in which one of them acts alone."
                )
    return remarks
