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

from gearwright.arguments import number, numbers, whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.mechanism import Mechanism
from gearwright.motion.csv_columns import motion_text
from gearwright.motion.joint_names_and_units import joints_of
from gearwright.motion.piecewise_polynomials import JUMP, extremes, kinks
from gearwright.parts import Robot
from gearwright.plots import Panel, figure, panels_by_unit, saved
from gearwright.plots.notebook import Shown
from gearwright.text import listed

if TYPE_CHECKING:  # SciPy takes half a second to import; who only reads motions need not wait for it
    from scipy.interpolate import PPoly

DRAWN = (("position", ""), ("speed", "/s"), ("acceleration", "/s²"), ("jerk", "/s³"))
"""The derivatives that a picture shows, and what follows the unit of the position."""


@dataclass(frozen=True)
class Motion(Shown):
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
            values = numbers("motion", name, getattr(self, name), axes=1 if name == "t" else 2)
            if len(values) != len(self.t):
                raise InputError(f"motion: {name} has {len(values)} rows for {len(self.t)} times. Give one per time.")
            object.__setattr__(self, name, values)
        if self.v.shape != self.a.shape:
            raise InputError(f"motion: v has shape {self.v.shape}, a {self.a.shape}. Give both of every speed.")

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of positions, speeds and accelerations; with `path` (.png, .svg, .pdf) it is saved too."""
        blocks = {"position [rad, m]": self.q, "speed [rad/s, m/s]": self.v, "acceleration [rad/s2, m/s2]": self.a}
        panels = [Panel(label, {str(k + 1): x for k, x in enumerate(values.T)}) for label, values in blocks.items()]
        return saved(figure(self.t, "time [s]", panels), path)


@dataclass(frozen=True)
class Trajectory(Shown):
    """A motion of all joints over [0, duration], exact in every derivative; before and after it rests.

    Args:
        pieces: SciPy piecewise polynomial of time with values (n,).
        names: of the coordinates, if known; functions that make trajectories take them from their `robot`.
        units: of the coordinates, "rad" or "m", if known.

    >>> from gearwright.motion import polynomial
    >>> polynomial([0.0], [1.0], duration=2.0).at(1.0)
    array([0.5])
    """

    pieces: PPoly
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shape = self.pieces.c.shape
        if len(shape) != 3 or self.pieces.x[0] != 0.0:
            raise InputError(
                f"trajectory: coefficients of shape {shape} from time {self.pieces.x[0]:g} on. Give them as "
                "(order + 1, pieces, n), with the first knot at zero."
            )
        for what in (self.names, self.units):
            if what and len(what) != self.count:
                raise InputError(f"trajectory: {len(what)} names or units for {self.count} coordinates. Give one each.")

    def __repr__(self) -> str:
        named = f" of {listed(self.names)}" if self.names else ""
        return f"<Trajectory{named}: {self.count} coordinates, {self.duration:.6g} s>"

    def with_pieces(self, pieces: Any) -> Trajectory:
        """Other polynomials of the same coordinates."""
        return Trajectory(pieces, self.names, self.units)

    def joined(self, parts: Sequence[Trajectory], pieces: Any) -> Trajectory:
        """Motions one after the other as one, of which these are the polynomials; see `chain`."""
        return self.with_pieces(pieces)

    @property
    def duration(self) -> float:
        """Its length [s]."""
        return float(self.pieces.x[-1])

    @property
    def count(self) -> int:
        """How many coordinates it moves."""
        return int(self.pieces.c.shape[-1])

    @cached_property
    def _derivatives(self) -> dict[int, PPoly]:
        return {0: self.pieces}

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Position (0), speed (1), acceleration (2), jerk (3) ... at times t, shape t.shape + (n,)."""
        whole("trajectory", "derivative", derivative)
        if derivative not in self._derivatives:
            self._derivatives[derivative] = self.pieces.derivative(derivative)
        times = numbers("trajectory", "t", t)
        values: Array = self._derivatives[derivative](np.clip(times, 0.0, self.duration))
        if derivative:
            resting = (times < 0) | (times > self.duration)
            values = np.where(resting[..., None], 0.0, values)
        return values

    def sample(self, count: int = 201) -> Motion:
        """The motion at equally spaced times from start to end."""
        whole("trajectory", "count", count, least=2, unit="samples", example=201)
        return self._at_times(np.linspace(0.0, self.duration, count))

    def _at_times(self, t: Array) -> Motion:
        return Motion(t, self.at(t), self.at(t, 1), self.at(t, 2))

    def extremes(self, derivative: int = 0) -> tuple[Array, Array]:
        """The lowest and the highest position (0), speed (1) ... of each coordinate, (n,) each.

        They are found from the polynomials, not from samples.

        >>> from gearwright.motion import polynomial
        >>> polynomial([0.0], [1.0], duration=1.0, order=5).extremes(1)
        (array([0.]), array([1.875]))
        """
        whole("trajectory", "derivative", derivative)
        return extremes(self.pieces, derivative)

    def peak(self, derivative: int = 1) -> Array:
        """The largest magnitude of the speed (1), acceleration (2), jerk (3) ... of each coordinate, (n,)."""
        low, high = self.extremes(derivative)
        return np.maximum(-low, high)

    def kinks(self, order: int) -> list[float]:
        """Times between start and end at which a derivative up to the order jumps."""
        return kinks(self.pieces, whole("trajectory", "order", order))

    @cached_property
    def smoothness(self) -> float:
        """How many derivatives are continuous over all times, with the rest before and after; `inf` if all are.

        A drive with elastic joints needs four or more (`gw.elastic.needed_derivatives`): `smoothed` adds one.

        >>> from gearwright.motion import polynomial, trapezoid
        >>> trapezoid([0.0], [1.0], 1.0, 2.0).smoothness, polynomial([0.0], [1.0], 1.0, order=7).smoothness
        (1, 3)
        """
        for k in range(len(self.pieces.c)):
            ends = self.at([0.0, self.duration], k) if k else np.zeros(1)
            size = max(float(self.peak(k).max()), 1e-12)
            if (np.abs(ends) > JUMP * size).any() or self.kinks(k):
                return k - 1
        return inf

    def of(self, robot: Robot | Mechanism) -> Trajectory:
        """The same motion with the names and units of a robot's coordinates."""
        joints = joints_of("trajectory", robot, self.count)
        return self if joints is None else replace(self, names=joints.names, units=joints.units)

    def csv(self, robot: Robot | Mechanism | None = None, rate: float = 100.0) -> str:
        """Text with columns t, q.<coordinate>, v.<speed>, a.<speed>, `rate` rows per second.

        The last row comes at the end, or after it, where the motion rests. Without names the coordinates are 1, 2, ...
        """
        number("trajectory", "rate", rate, above=0.0, unit="Hz", example=100.0)
        names = (self if robot is None else self.of(robot)).names or tuple(str(k + 1) for k in range(self.count))
        moved = self._at_times(np.arange(ceil(self.duration * rate * (1 - 1e-12)) + 1) / rate)
        return motion_text(names, names, moved.t, (moved.q, moved.v, moved.a))

    def save(self, path: str | Path, robot: Robot | Mechanism | None = None, rate: float = 100.0) -> Path:
        """Write the CSV text into a file, which `recorded` and `gearwright torque` read."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_text(target, self.csv(robot, rate))
        return target

    def plot(self, robot: Robot | Mechanism | None = None, path: str | Path | None = None, count: int = 1001) -> Any:
        """A figure of positions, speeds, accelerations and jerks; with `path` (.png, .svg, .pdf) it is saved too."""
        shown = self if robot is None else self.of(robot)
        whole("trajectory", "count", count, least=2, unit="samples", example=1001)
        t = np.linspace(0.0, self.duration, count)
        panels = [one for k in range(len(DRAWN)) for one in shown._panels(k, t)]
        return saved(figure(t, "time [s]", panels, columns=2), path)

    def _panels(self, derivative: int, t: Array) -> list[Panel]:
        word, suffix = DRAWN[derivative]
        names = self.names or tuple(f"coordinate {k + 1}" for k in range(self.count))
        units = {name: f"{unit}{suffix}" for name, unit in zip(names, self.units, strict=False)}
        return panels_by_unit(word, dict(zip(names, self.at(t, derivative).T, strict=True)), units)
