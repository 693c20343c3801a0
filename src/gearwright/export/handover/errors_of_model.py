"""Errors of a handed-over model: torque, acceleration and path of each joint over motions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.export.handover.projection import MotionSamples, PerJointModel

PATH_HORIZON = 0.2
"""Time [s] after which a run of the path error starts anew at the exact state."""
REFERENCE_STEP = 2e-3
"""Step of the Runge-Kutta integration of a model that is not run in its simulator [s]."""

PathRun = Callable[[Array, Array, Callable[[float], Array], float], Array]
"""Positions at the end of runs, (runs, n): of q, v, torques as a function of time since the start, and duration."""


class JointErrors(NamedTuple):
    """Errors of one joint: root mean square over time and peak of torque [Nm], acceleration [rad/s2] and path [rad]."""

    joint: str
    torque_rms: float
    torque_peak: float
    torque_size: float
    acceleration_rms: float
    acceleration_peak: float
    path_rms: float
    path_peak: float

    @property
    def relative_torque(self) -> float:
        """Root mean square of the torque error relative to that of the exact torque."""
        return self.torque_rms / self.torque_size if self.torque_size else 0.0


def joint_errors(
    names: tuple[str, ...], samples: MotionSamples, torque: Array, rate: Array, path: Array
) -> list[JointErrors]:
    """Return the errors of each joint from series of differences: of torque and acceleration (T, n), of the path."""
    rows, time = [], time_weights(samples.t)
    for k, name in enumerate(names):
        series = ((torque, time), (rate, time), (path, np.ones(len(path))))
        rms, peaks = zip(*((mean_root(x[:, k], weights), _peak(x[:, k])) for x, weights in series), strict=True)
        size = mean_root(samples.tau[:, k], time)
        rows.append(JointErrors(name, rms[0], peaks[0], size, rms[1], peaks[1], rms[2], peaks[2]))
    return rows


def time_weights(t: Array) -> Array:
    """Return the time that each sample stands for; `t` restarts with every motion."""
    halves = np.maximum(np.diff(t), 0.0) / 2
    return np.concatenate([halves, [0.0]]) + np.concatenate([[0.0], halves])


def mean_root(x: Array, weights: Array) -> float:
    """Return the weighted root mean square."""
    return float(np.sqrt(np.average(np.square(x), weights=weights))) if x.size else 0.0


def _peak(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))


def path_errors(samples: MotionSamples, run: PathRun) -> Array:
    """Return errors of the position at the end of runs that start at exact states, (runs, n).

    Each run lasts `PATH_HORIZON` under the exact torques, interpolated linearly.
    """
    windows = _windows(samples)
    at = [np.stack([_value_at(t, x, start) for t, start, x in _series(windows, word)]) for word in ("q", "v")]
    ends = np.stack([_value_at(t, x, start + PATH_HORIZON) for t, start, x in _series(windows, "q")])

    def torque(elapsed: float) -> Array:
        return np.stack([_value_at(t, x, start + elapsed) for t, start, x in _series(windows, "tau")])

    return run(at[0], at[1], torque, PATH_HORIZON) - ends


Window = tuple[MotionSamples, float]
"""Samples of one motion, and the time at which a run starts."""


def _windows(samples: MotionSamples) -> list[Window]:
    starts = np.flatnonzero(np.concatenate([[True], np.diff(samples.t) <= 0]))
    windows = []
    for first, end in zip(starts, [*starts[1:], len(samples.t)], strict=True):
        motion = MotionSamples(*(x[first:end] for x in vars(samples).values()))
        duration = motion.t[-1] - motion.t[0]
        windows += [(motion, motion.t[0] + k * PATH_HORIZON) for k in range(int(duration / PATH_HORIZON + 1e-9))]
    if not windows:
        raise InputError(f"passport: the motion is shorter than {PATH_HORIZON:g} s. Give a longer task.")
    return windows


def _series(windows: list[Window], word: str) -> list[tuple[Array, float, Array]]:
    return [(motion.t, start, getattr(motion, word)) for motion, start in windows]


def _value_at(t: Array, series: Array, time: float) -> Array:
    k = min(max(int(np.searchsorted(t, time, side="right")) - 1, 0), len(t) - 2)
    share = (time - t[k]) / (t[k + 1] - t[k])
    return np.asarray((1 - share) * series[k] + share * series[k + 1])


def run_model(model: PerJointModel) -> PathRun:
    """Return the Runge-Kutta run of a model in Gearwright itself, for targets that cannot be run here."""

    def run(q: Array, v: Array, tau: Callable[[float], Array], duration: float) -> Array:
        count = round(duration / REFERENCE_STEP)
        h = duration / count

        def rates(q: Array, v: Array, s: float) -> tuple[Array, Array]:
            return v, model.accelerations(q, v, tau(s))

        for i in range(count):
            s = i * h
            k1 = rates(q, v, s)
            k2 = rates(q + h / 2 * k1[0], v + h / 2 * k1[1], s + h / 2)
            k3 = rates(q + h / 2 * k2[0], v + h / 2 * k2[1], s + h / 2)
            k4 = rates(q + h * k3[0], v + h * k3[1], s + h)
            q = q + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
            v = v + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
        return q

    return run


def model_errors(model: PerJointModel, samples: MotionSamples, run: PathRun | None = None) -> list[JointErrors]:
    """Return the errors of a model computed by Gearwright, of the path by other runs if they are given."""
    names = tuple(model.mech.speeds)
    torque = model.torques(samples) - samples.tau
    rate = model.acceleration_errors(samples, torque)
    return joint_errors(names, samples, torque, rate, path_errors(samples, run or run_model(model)))
