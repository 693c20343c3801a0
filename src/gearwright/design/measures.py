"""What is measured at the points of a sweep."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.analysis import Task, analyse
from gearwright.analysis.summary import CHARACTERISTICS
from gearwright.arrays import Array
from gearwright.compiling.kernel import compile as compiled
from gearwright.functions.functions import inverse_dynamics
from gearwright.mechanism import assemble
from gearwright.motion import Motion
from gearwright.parts import Robot


def digest(*things: Any) -> str:
    """A short text for arrays and whatever prints itself in full."""
    whole = hashlib.sha256()
    for thing in things:
        whole.update(thing.tobytes() if isinstance(thing, np.ndarray) else repr(thing).encode())
    return whole.hexdigest()


CHUNK = 512
"""Designs that go through a kernel together: their forces must fit into memory."""


@dataclass(frozen=True)
class Analysed:
    """Every characteristic of every drive for a task: `<drive>.<characteristic>`, and the least `margin`."""

    task: Task
    samples: int = 201

    @property
    def identity(self) -> str:
        """What is measured, the same in every process."""
        pieces, task = self.task.cycle.pieces, self.task
        about = (self.samples, task.payload, task.pause, task.repetitions, task.ambient, sorted(task.required.items()))
        return digest(pieces.x, pieces.c, about)

    def __call__(self, robot: Robot) -> dict[str, float]:
        """The numbers of one robot."""
        found = analyse(robot, self.task, samples=self.samples)
        numbers = {
            f"{name}.{word}": float(getattr(drive, word))
            for name, drive in found.drives.items()
            for word in CHARACTERISTICS
            if getattr(drive, word) is not None
        }
        return {**numbers, "margin": min((check.margin for check in found.limits), default=float("inf"))}


@dataclass(frozen=True)
class Forces:
    """Peak and rms of the joint forces of a motion, without friction: `peak.<speed>`, `rms.<speed>`.

    Parameters that a kernel takes vary inside machine code: thousands of designs per second.
    """

    motion: Motion

    @property
    def identity(self) -> str:
        """What is measured, the same in every process."""
        return digest(self.motion.t, self.motion.q, self.motion.v, self.motion.a)

    def __call__(self, robot: Robot) -> dict[str, float]:
        """The numbers of one robot."""
        mech = assemble(robot)
        tau = inverse_dynamics(mech, self.motion.q, self.motion.v, self.motion.a)
        return self._numbers(mech.speeds, tau)

    def batch(self, robot: Robot, names: tuple[str, ...], values: Array) -> list[dict[str, float]]:
        """The numbers of many designs (N, P) at once."""
        kernel = compiled(inverse_dynamics, robot, parameters=names)
        speeds = assemble(robot).speeds
        found: list[dict[str, float]] = []
        for start in range(0, len(values), CHUNK):
            some = values[start : start + CHUNK, None, :]
            tau = kernel(self.motion.q, self.motion.v, self.motion.a, parameters=some)
            peaks = np.abs(tau).max(axis=1)
            means = np.sqrt(np.trapezoid(tau**2, self.motion.t, axis=1) / (self.motion.t[-1] - self.motion.t[0]))
            found += [_named(speeds, *row) for row in zip(peaks, means, strict=True)]
        return found

    def _numbers(self, speeds: tuple[str, ...], tau: Array) -> dict[str, float]:
        span = self.motion.t[-1] - self.motion.t[0]
        return _named(speeds, np.abs(tau).max(axis=0), np.sqrt(np.trapezoid(tau**2, self.motion.t, axis=0) / span))


def _named(speeds: tuple[str, ...], peaks: Array, means: Array) -> dict[str, float]:
    numbers: Mapping[str, float] = {
        **{f"peak.{name}": float(x) for name, x in zip(speeds, peaks, strict=True)},
        **{f"rms.{name}": float(x) for name, x in zip(speeds, means, strict=True)},
    }
    return dict(numbers)
