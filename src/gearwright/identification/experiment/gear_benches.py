"""Gears on a bench: backlash from two encoders, and stiffness, lost motion and hysteresis from a slow torque loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError

MIN_BENCH_SAMPLES = 20
"""Least number of samples of a bench test."""

POSITION_ERROR_DEGREE = 3
"""Degree of the polynomial of errors that depend on position alone."""

LOADED_SHARE = 0.4
"""Torque relative to its largest magnitude above which the flanks of a loop are in contact."""


@dataclass(frozen=True)
class LostMotion:
    """The backlash between two encoders, and the error that depends on position alone.

    Args:
        backlash: width of the gap at the output [rad].
        error_coefficients: output minus motor angle by powers 0, 1, 2, ... of the motor's angle at the output, from
            its middle, in units of its half range [rad].
        rms: root mean square of the remaining difference [rad].
        middle: of the motor's angle at the output [rad].
        half_range: of the motor's angle at the output [rad].
    """

    backlash: float
    error_coefficients: tuple[float, ...]
    rms: float
    middle: float
    half_range: float

    def position_error(self, angle: ArrayLike) -> Array:
        """The error of the output [rad] at angles of the motor, counted at the output."""
        share = (np.asarray(angle, dtype=float) - self.middle) / self.half_range
        return np.polynomial.polynomial.polyval(share, np.array(self.error_coefficients))


@check_arguments
def lost_motion(motor: ArrayLike, output: ArrayLike, ratio: float, degree: int = POSITION_ERROR_DEGREE) -> LostMotion:
    r"""Return the backlash between encoders of motor and gear output, from motions with reversals without load.

    The output rests until the gap b is crossed: $y_k = \min(\max(y_{k-1}, x_k - b/2), x_k + b/2)$ with x the motor's
    angle divided by the ratio. Differences that depend on position alone (a wrong ratio, an eccentric encoder,
    kinematic error) are not backlash; they are modelled by a polynomial of x. Both are fitted by least squares.

    Args:
        motor: angles of the motor in order of time [rad], (T,).
        output: angles of the output [rad], (T,).
        ratio: motor speed / output speed; negative if the encoders count in opposite directions.
        degree: of the polynomial; 0: only an offset.

    >>> x = 0.3 * np.sin(np.linspace(0, 20, 2000))
    >>> y = np.empty_like(x)
    >>> y[0] = x[0]
    >>> for k in range(1, len(x)):
    ...     y[k] = min(max(y[k - 1], x[k] - 0.01), x[k] + 0.01)
    >>> round(lost_motion(50 * x, y + 0.05 * x + 0.7, 50.0).backlash, 4)
    0.02
    """
    real_number("lost_motion", "ratio", ratio)
    whole_number("lost_motion", "degree", degree, least=0)
    x, y = _bench_series("lost_motion", motor=motor, output=output)
    if ratio == 0:
        raise InputError("lost_motion: ratio 0 means that the motor never turns. Give motor speed / output speed.")
    x = x / ratio
    middle, half_range = 0.5 * float(x.min() + x.max()), 0.5 * float(np.ptp(x))
    powers = np.polynomial.polynomial.polyvander((x - middle) / half_range, degree)
    from scipy.optimize import minimize_scalar

    def remaining_error(b: float) -> tuple[Array, Array]:
        """Coefficients of the error by position, and what remains."""
        results = []
        for side in (-0.5 * b, 0.0, 0.5 * b):  # where the gap stands at first is not known
            difference = y - _play(x, b, side)
            coefficients = np.asarray(np.linalg.lstsq(powers, difference, rcond=None)[0], dtype=np.float64)
            results.append((coefficients, difference - powers @ coefficients))
        return min(results, key=lambda result: float(result[1] @ result[1]))

    widest = float(np.ptp(y - x)) + 1e-15
    grid = np.linspace(0.0, widest, 25)
    least = int(np.argmin([np.var(remaining_error(b)[1]) for b in grid]))
    bounds = (grid[max(0, least - 1)], grid[min(len(grid) - 1, least + 1)])
    minimum = minimize_scalar(
        lambda b: float(np.var(remaining_error(b)[1])), bounds=bounds, options={"xatol": 1e-6 * widest}
    )
    coefficients, error = remaining_error(float(minimum.x))
    return LostMotion(float(minimum.x), tuple(coefficients.tolist()), float(error.std()), middle, half_range)


def _play(x: Array, b: float, side: float) -> Array:
    """The output of a gap of width b that follows x."""
    position, result = x[0] + side, np.empty_like(x)
    for k, angle in enumerate(x):
        position = min(max(position, angle - 0.5 * b), angle + 0.5 * b)
        result[k] = position
    return result


@dataclass(frozen=True)
class TorsionLoop:
    """Properties of a gear from a slow loop of torque and angle.

    Args:
        stiffness: at the output [Nm/rad].
        stiffness_deviation: its standard deviation [Nm/rad].
        lost_motion: angle between the loaded branches, extrapolated to zero torque [rad].
        hysteresis: half the angle between unloading and loading [rad].
        offset: angle without load [rad].
        rms: root mean square of the remaining angle on the loaded branches [rad].
    """

    stiffness: float
    stiffness_deviation: float
    lost_motion: float
    hysteresis: float
    offset: float
    rms: float


@check_arguments
def torsion_loop(angle: ArrayLike, torque: ArrayLike, loaded: float = LOADED_SHARE) -> TorsionLoop:
    r"""Return stiffness, lost motion and hysteresis of a gear from a slow torque loop with its output or input locked.

    Where $|T|$ exceeds a fraction of its largest value, so that the flanks are in contact,
    $\varphi = \varphi_0 + T / k + \frac{b}{2} \mathrm{sign}(T) - h \, \mathrm{sign}(\dot T)$, fitted by least squares.

    Args:
        angle: in order of time, counted at the output [rad], (T,): divide the angle of the motor by the ratio.
        torque: at the output [Nm], (T,).
        loaded: fraction of the largest torque above which the flanks count as in contact.

    >>> T = 20 * np.sin(np.linspace(0, 2 * np.pi, 800))
    >>> up = np.sign(np.gradient(T))
    >>> loop = torsion_loop(T / 400 + 0.003 * np.sign(T) - 0.001 * up, T)
    >>> round(loop.stiffness, 6), round(loop.lost_motion, 6), round(loop.hysteresis, 6)
    (400.0, 0.006, 0.001)
    """
    real_number("torsion_loop", "loaded", loaded, least=0.0, below=1.0)
    phi, T = _bench_series("torsion_loop", angle=angle, torque=torque)
    rising = np.sign(np.gradient(T))
    inside = (np.abs(T) > loaded * np.abs(T).max()) & (rising != 0)
    columns = np.stack([T, 0.5 * np.sign(T), -rising, np.ones_like(T)], axis=1)[inside]
    if len(columns) < MIN_BENCH_SAMPLES or np.linalg.matrix_rank(columns) < 4:
        raise InputError(
            f"torsion_loop: {len(columns)} samples above {loaded:g} of the largest torque do not contain loading and "
            "unloading in both directions. Give a full loop."
        )
    values, *_ = np.linalg.lstsq(columns, phi[inside], rcond=None)
    error = phi[inside] - columns @ values
    variance = float(error @ error) / (len(error) - 4) * np.linalg.inv(columns.T @ columns)[0, 0]
    compliance, gap, hysteresis, offset = values.tolist()
    if not compliance > 0:
        raise InputError(
            f"torsion_loop: the angle changes by {compliance:g} rad/Nm. Count angle and torque in the same direction."
        )
    deviation = float(np.sqrt(variance)) / compliance**2
    return TorsionLoop(1 / compliance, deviation, gap, hysteresis, offset, float(error.std()))


def _bench_series(owner: str, **series: ArrayLike) -> list[Array]:
    """Two series of one length, with enough samples that change."""
    arrays = [as_float_array(owner, name, x) for name, x in series.items()]
    for name, x in zip(series, arrays, strict=True):
        if x.ndim != 1 or len(x) != len(arrays[0]) or len(x) < MIN_BENCH_SAMPLES or not np.isfinite(x).all():
            raise InputError(
                f"{owner}: {name} has shape {x.shape}. Give at least {MIN_BENCH_SAMPLES} finite numbers, as many for "
                f"{' as for '.join(series)}."
            )
        if np.ptp(x) == 0:
            raise InputError(f"{owner}: {name} is constant. Give a motion with reversals.")
    return arrays
