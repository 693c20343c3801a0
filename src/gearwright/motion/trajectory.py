"""Joint trajectories as piecewise polynomials, and motions sampled from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra.differentiation.dual_numbers import Dual
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, value_text, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.file_access import create_folder, write_text
from gearwright.mechanism import Mechanism
from gearwright.motion.csv_columns import motion_text
from gearwright.motion.joint_names_and_units import coordinate_properties
from gearwright.motion.piecewise_polynomials import DERIVATIVE_JUMP_RATIO, curve_extremes, derivative_jump_times
from gearwright.parts import Robot
from gearwright.plots import NotebookFigure, Panel, panel_figure, panels_by_unit, save_if_path
from gearwright.text import listed_names

if TYPE_CHECKING:  # SciPy takes half a second to import; reading motions does not need it
    from scipy.interpolate import PPoly

PLOTTED_DERIVATIVES = (("position", ""), ("speed", "/s"), ("acceleration", "/s²"), ("jerk", "/s³"))
"""The plotted derivatives, and the suffixes of their units."""


@dataclass(frozen=True)
class Motion(NotebookFigure):
    """A sampled motion: t (T,) [s], q (T, nq), v and a (T, n) [rad, rad/s, rad/s2 or m]; lists become arrays.

    >>> Motion([0, 1], [[0.0], [0.5]], [[0.0], [1.0]], [[1.0], [1.0]]).q.shape
    (2, 1)
    """

    t: Array
    q: Array
    v: Array
    a: Array

    def __post_init__(self) -> None:
        for name in "tqva":
            if isinstance(getattr(self, name), Dual):
                continue  # computed, with partial derivatives by parameters
            values = number_array("motion", name, getattr(self, name), axes=1 if name == "t" else 2)
            if len(values) != len(np.atleast_1d(self.t)):
                raise InputError(
                    f"motion: {name} has {len(values)} rows for {np.size(self.t)} times. Give one per time."
                )
            object.__setattr__(self, name, values)
        if not isinstance(self.v, Dual) and not isinstance(self.a, Dual) and self.v.shape != self.a.shape:
            raise InputError(f"motion: v has shape {self.v.shape}, a {self.a.shape}. Give both for every speed.")

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of positions, speeds and accelerations; with `path` (.png, .svg, .pdf) it is saved too."""
        blocks = {"position [rad, m]": self.q, "speed [rad/s, m/s]": self.v, "acceleration [rad/s2, m/s2]": self.a}
        panels = [Panel(label, {str(k + 1): x for k, x in enumerate(values.T)}) for label, values in blocks.items()]
        return save_if_path(panel_figure(self.t, "time [s]", panels), path)


@dataclass(frozen=True)
class Trajectory(NotebookFigure):
    """A motion of all joints over [0, duration] with exact derivatives; at rest before and after.

    Args:
        pieces: SciPy piecewise polynomial of time with values (n,).
        names: names of the coordinates, if known; functions that return trajectories take them from their `robot`.
        units: units of the coordinates, "rad" or "m", if known.

    >>> from gearwright.motion import polynomial
    >>> polynomial([0.0], [1.0], duration=2.0).at(1.0)
    array([0.5])
    """

    pieces: PPoly
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not hasattr(self.pieces, "c"):
            raise InputError(
                f"trajectory: pieces={value_text(self.pieces)} must be a piecewise polynomial. Give a "
                "scipy.interpolate.PPoly; the functions of gw.motion return trajectories."
            )
        shape = self.pieces.c.shape
        if len(shape) != 3 or self.pieces.x[0] != 0.0:
            raise InputError(
                f"trajectory: coefficients of shape {shape} from time {self.pieces.x[0]:g} on. Give them as "
                "(order + 1, pieces, n), with the first knot at zero."
            )
        for labels in (self.names, self.units):
            if labels and len(labels) != self.count:
                raise InputError(
                    f"trajectory: {len(labels)} names or units for {self.count} coordinates. Give one each."
                )

    def __repr__(self) -> str:
        names_text = f" of {listed_names(self.names)}" if self.names else ""
        return f"<Trajectory{names_text}: {self.count} coordinates, {self.duration:.6g} s>"

    def with_pieces(self, pieces: Any) -> Trajectory:
        """Return other polynomials of the same coordinates."""
        return Trajectory(pieces, self.names, self.units)

    def with_time_law(self, pieces: Any) -> Trajectory:
        """Return the motion along the same path with another time law, whose polynomials are given."""
        return self.with_pieces(pieces)

    def with_joined_pieces(self, parts: Sequence[Trajectory], pieces: Any) -> Trajectory:
        """Return motions in sequence as one with these polynomials; see `chain`."""
        return self.with_pieces(pieces)

    @property
    def duration(self) -> float:
        """Duration [s]."""
        return float(self.pieces.x[-1])

    @property
    def count(self) -> int:
        """Number of coordinates."""
        return int(self.pieces.c.shape[-1])

    @cached_property
    def _derivative_cache(self) -> dict[int, PPoly]:
        return {0: self.pieces}

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Position (0), speed (1), acceleration (2), jerk (3) ... at times t, shape t.shape + (n,)."""
        whole_number("trajectory", "derivative", derivative)
        if derivative not in self._derivative_cache:
            self._derivative_cache[derivative] = self.pieces.derivative(derivative)
        times = number_array("trajectory", "t", t)
        values: Array = self._derivative_cache[derivative](np.clip(times, 0.0, self.duration))
        if derivative:
            resting = (times < 0) | (times > self.duration)
            values = np.where(resting[..., None], 0.0, values)
        return values

    def sample(self, count: int = 201) -> Motion:
        """Return the motion at equally spaced times from start to end."""
        whole_number("trajectory", "count", count, least=2, unit="samples", example=201)
        return self._at_times(np.linspace(0.0, self.duration, count))

    def _at_times(self, t: Array) -> Motion:
        return Motion(t, self.at(t), self.at(t, 1), self.at(t, 2))

    def extremes(self, derivative: int = 0) -> tuple[Array, Array]:
        """Return the minimum and maximum position (0), speed (1) ... of each coordinate, (n,) each.

        They are computed from the polynomials, not from samples.

        >>> from gearwright.motion import polynomial
        >>> polynomial([0.0], [1.0], duration=1.0, order=5).extremes(1)
        (array([0.]), array([1.875]))
        """
        whole_number("trajectory", "derivative", derivative)
        return curve_extremes(self.pieces, derivative)

    def peak(self, derivative: int = 1) -> Array:
        """Return the largest magnitude of the speed (1), acceleration (2), jerk (3) ... of each coordinate, (n,)."""
        low, high = self.extremes(derivative)
        return np.maximum(-low, high)

    def derivative_jumps(self, order: int) -> list[float]:
        """Return the times between start and end at which a derivative up to the order is discontinuous."""
        return derivative_jump_times(self.pieces, whole_number("trajectory", "order", order))

    @cached_property
    def smoothness(self) -> float:
        """Number of continuous derivatives over all times, including the rest before and after; `inf` if all are.

        Elastic drives require four or more (`gw.elastic.required_derivative_orders`): `moving_average` adds one.

        >>> from gearwright.motion import polynomial, trapezoid
        >>> trapezoid([0.0], [1.0], 1.0, 2.0).smoothness, polynomial([0.0], [1.0], 1.0, order=7).smoothness
        (1, 3)
        """
        for k in range(len(self.pieces.c)):
            ends = self.at([0.0, self.duration], k) if k else np.zeros(1)
            size = max(float(self.peak(k).max()), 1e-12)
            if (np.abs(ends) > DERIVATIVE_JUMP_RATIO * size).any() or self.derivative_jumps(k):
                return k - 1
        return inf

    def with_robot_names(self, robot: Robot | Mechanism) -> Trajectory:
        """Return the same motion with the names and units of a robot's coordinates."""
        joints = coordinate_properties("trajectory", robot, self.count)
        return self if joints is None else replace(self, names=joints.names, units=joints.units)

    def csv(self, robot: Robot | Mechanism | None = None, rate: float = 100.0) -> str:
        """Return CSV text with columns t, q.<coordinate>, v.<speed>, a.<speed>, `rate` rows per second.

        The last row is at or after the end, at rest. Without names the coordinates are 1, 2, ...
        """
        real_number("trajectory", "rate", rate, above=0.0, unit="Hz", example=100.0)
        names = (self if robot is None else self.with_robot_names(robot)).names or tuple(
            str(k + 1) for k in range(self.count)
        )
        motion = self._at_times(np.arange(ceil(self.duration * rate * (1 - 1e-12)) + 1) / rate)
        return motion_text(names, names, motion.t, (motion.q, motion.v, motion.a))

    @check_arguments
    def save(self, path: str | Path, robot: Robot | Mechanism | None = None, rate: float = 100.0) -> Path:
        """Write the CSV text to a file that `recorded` and `gearwright torque` can read."""
        target = Path(path)
        create_folder(target.parent)
        write_text(target, self.csv(robot, rate))
        return target

    def plot(self, robot: Robot | Mechanism | None = None, path: str | Path | None = None, count: int = 1001) -> Any:
        """A figure of positions, speeds, accelerations and jerks; with `path` (.png, .svg, .pdf) it is saved too."""
        named_trajectory = self if robot is None else self.with_robot_names(robot)
        whole_number("trajectory", "count", count, least=2, unit="samples", example=1001)
        t = np.linspace(0.0, self.duration, count)
        panels = [panel for k in range(len(PLOTTED_DERIVATIVES)) for panel in named_trajectory._derivative_panels(k, t)]
        return save_if_path(panel_figure(t, "time [s]", panels, columns=2), path)

    def _derivative_panels(self, derivative: int, t: Array) -> list[Panel]:
        word, suffix = PLOTTED_DERIVATIVES[derivative]
        names = self.names or tuple(f"coordinate {k + 1}" for k in range(self.count))
        units = {name: f"{unit}{suffix}" for name, unit in zip(names, self.units, strict=False)}
        return panels_by_unit(word, dict(zip(names, self.at(t, derivative).T, strict=True)), units)
