"""What is measured at the points of a sweep."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.analysis import Task, analyse
from gearwright.analysis.quadrature import trapezoid_weights
from gearwright.analysis.summary import CHARACTERISTICS, SLIDING
from gearwright.arrays import Array
from gearwright.compiling.kernel import compile as compiled
from gearwright.functions.functions import inverse_dynamics
from gearwright.mechanism import assemble
from gearwright.mechanism.units import force_unit
from gearwright.motion import Motion
from gearwright.parts import Robot


def digest(*things: Any) -> str:
    """A short text for arrays and whatever prints itself in full."""
    whole = hashlib.sha256()
    for thing in things:
        whole.update(thing.tobytes() if isinstance(thing, np.ndarray) else repr(thing).encode())
    return whole.hexdigest()


WORDS = ("peak", "rms")
"""What is told of a force over a motion."""
CHUNK = 32
"""Designs that go through a kernel together: their forces must fit into the processor's cache."""


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
        about_forces = (task.forces, dict(task.contact), task.tip, task.perturbed)
        about_payloads = (task.payloads,) if task.payloads else ()
        return digest(pieces.x, pieces.c, about, about_forces, *about_payloads)

    def units(self, robot: Robot) -> dict[str, str]:
        """Unit of every number; those of a joint that slides are its own."""
        mech = assemble(robot)
        own = {drive.joint: SLIDING if force_unit(mech, drive.joint) == "N" else {} for drive in robot.drives}
        drives = {*own, *(actuator.name for actuator in mech.actuators)}
        return {
            f"{name}.{word}": own.get(name, {}).get(word, unit)
            for name in drives
            for word, unit in CHARACTERISTICS.items()
        }

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

    def units(self, robot: Robot) -> dict[str, str]:
        """Unit of every number."""
        mech = assemble(robot)
        return {f"{word}.{name}": force_unit(mech, name) for word in WORDS for name in mech.speeds}

    def __call__(self, robot: Robot) -> dict[str, float]:
        """The numbers of one robot."""
        mech = assemble(robot)
        tau = inverse_dynamics(mech, self.motion.q, self.motion.v, self.motion.a)
        return {name: float(values[0]) for name, values in _named(mech.speeds, self._numbers(tau[None])).items()}

    def batch(self, robot: Robot, names: tuple[str, ...], values: Array) -> dict[str, Array]:
        """The numbers of many designs (N, P) at once, (N,) each."""
        kernel = compiled(inverse_dynamics, robot, parameters=names)
        count = len(self.motion.t)
        # Rows one after the other: a kernel is quickest where nothing must be broadcast.
        rows = [np.tile(x, (CHUNK, 1)) for x in (self.motion.q, self.motion.v, self.motion.a)]
        found = []
        for start in range(0, len(values), CHUNK):
            some = np.repeat(values[start : start + CHUNK], count, axis=0)
            tau = kernel(*(x[: len(some)] for x in rows), parameters=some)
            found.append(self._numbers(tau.reshape(-1, count, tau.shape[-1])))
        return _named(assemble(robot).speeds, np.concatenate(found, axis=1))

    def _numbers(self, tau: Array) -> Array:
        """Peak and rms of forces (N, T, n) over the motion, (2, N, n)."""
        weights = trapezoid_weights(self.motion.t) if len(self.motion.t) > 1 else np.ones(1)
        along = np.ascontiguousarray(np.moveaxis(tau, 1, 2))  # time last: sums and maxima run over neighbours
        means = (along * along) @ (weights / weights.sum())
        return np.stack([np.maximum(along.max(axis=2), -along.min(axis=2)), np.sqrt(means)])


def _named(speeds: tuple[str, ...], numbers: Array) -> dict[str, Array]:
    return {f"{word}.{name}": numbers[k, :, j] for k, word in enumerate(WORDS) for j, name in enumerate(speeds)}
