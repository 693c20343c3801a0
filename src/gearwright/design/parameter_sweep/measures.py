"""What is measured at the points of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gearwright.analysis import Task, analyse
from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.quadrature import trapezoid_weights
from gearwright.analysis.summary import CHARACTERISTICS, SLIDING
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.compiling.kernel import compile as compiled
from gearwright.design.parameter_sweep.measure_fingerprint import fingerprint
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.mechanism import assemble, machine_of
from gearwright.mechanism.units import force_unit
from gearwright.motion import Motion
from gearwright.parts import Robot

WORDS = ("peak", "rms")
"""What is told of a force over a motion."""
CHUNK = 32
"""Designs that go through a kernel together: their forces must fit into the processor's cache."""


PERTURBED = "perturbed."
"""Before the names of what a closed loop with errors comes to."""


@dataclass(frozen=True)
class Analysed:
    """Every characteristic of a task that is one number.

    `<drive>.<characteristic>`, `<link>.peak_stress` and `<link>.peak_deflection` of links with sections,
    `tip.deflection`, `energy`, `cycle_time` and the least `margin` of all limits. Where the task states what goes
    wrong, the same of the closed loop behind `perturbed.`, with `perturbed.accuracy`; `margin` then counts both.

    Args:
        task: the task.
        samples: at how many times at least the cycle is looked at.
        catalogue: where data sheets are found that motors and gears name; the bundled one unless given.
    """

    task: Task
    samples: int = 201
    catalogue: Catalogue | None = None

    @property
    def identity(self) -> str:
        """What is measured, the same in every process."""
        return fingerprint(self.task, self.samples, self.catalogue)

    def units(self, robot: Robot) -> dict[str, str]:
        """Unit of every number; those of a joint that slides are its own."""
        mech = assemble(robot)
        own = {drive.joint: SLIDING if force_unit(mech, drive.joint) == "N" else {} for drive in robot.drives}
        drives = {*own, *(actuator.name for actuator in mech.actuators)}
        found = {
            f"{name}.{word}": own.get(name, {}).get(word, unit)
            for name in drives
            for word, unit in CHARACTERISTICS.items()
        }
        for link in robot.links:
            found |= {f"{link.name}.peak_stress": "Pa", f"{link.name}.peak_deflection": "m"}
        found |= {"tip.deflection": "m", "energy": "J"}
        perturbed = {f"{PERTURBED}{name}": unit for name, unit in {**found, "accuracy": "m"}.items()}
        return {**found, **(perturbed if self.task.perturbed else {}), "cycle_time": "s"}

    def __call__(self, robot: Robot) -> dict[str, float]:
        """The numbers of one robot."""
        found = analyse(robot, self.task, samples=self.samples, catalogue=self.catalogue)
        numbers = {**dict(_characteristics(found)), "cycle_time": self.task.cycle.duration}
        checks = found.limits
        if found.perturbed is not None:
            numbers |= {f"{PERTURBED}{name}": x for name, x in _characteristics(found.perturbed)}
            checks += found.perturbed.limits
            if found.perturbed.accuracy is not None:
                numbers[f"{PERTURBED}accuracy"] = found.perturbed.accuracy
        return {**numbers, "margin": min((check.margin for check in checks), default=float("inf"))}


def _characteristics(found: Characteristics) -> Iterator[tuple[str, float]]:
    """Those of the prescribed motion, or of the closed loop, as far as they are known."""
    for name, drive in found.drives.items():
        for word in CHARACTERISTICS:
            if getattr(drive, word) is not None:
                yield f"{name}.{word}", float(getattr(drive, word))
    for name, link in found.links.items():
        yield f"{name}.peak_stress", link.peak_stress
        yield f"{name}.peak_deflection", link.peak_deflection
    if found.tip is not None:
        yield "tip.deflection", float(found.tip.peak)
    if found.energy is not None:
        yield "energy", float(found.energy)


@dataclass(frozen=True)
class Forces:
    """Peak and rms of the joint forces of a motion, without friction: `peak.<speed>`, `rms.<speed>`.

    Parameters that a kernel takes vary inside machine code: thousands of designs per second.
    """

    motion: Motion

    @property
    def identity(self) -> str:
        """What is measured, the same in every process."""
        return fingerprint(self.motion.t, self.motion.q, self.motion.v, self.motion.a)

    def units(self, robot: Robot) -> dict[str, str]:
        """Unit of every number."""
        mech = assemble(robot)
        return {f"{word}.{name}": force_unit(mech, name) for word in WORDS for name in mech.speeds}

    def __call__(self, robot: Robot) -> dict[str, float]:
        """The numbers of one robot."""
        mech = machine_of("sweep", robot)
        tau = inverse_dynamics(mech, self.motion.q, self.motion.v, self.motion.a)
        return {name: float(values[0]) for name, values in _named(mech.speeds, self._numbers(tau[None])).items()}

    def batches(self, robot: Robot, names: tuple[str, ...]) -> Callable[[Array], dict[str, Array]]:
        """A function that gives the numbers of many designs (N, P) at once, (N,) each; its kernel is compiled here."""
        kernel, speeds = compiled(inverse_dynamics, robot, parameters=names), assemble(robot).speeds
        count = len(self.motion.t)
        # Rows one after the other: a kernel is quickest where nothing must be broadcast.
        rows = [np.tile(x, (CHUNK, 1)) for x in (self.motion.q, self.motion.v, self.motion.a)]

        def numbers(values: Array) -> dict[str, Array]:
            found = []
            for start in range(0, len(values), CHUNK):
                some = np.repeat(values[start : start + CHUNK], count, axis=0)
                tau = kernel(*(x[: len(some)] for x in rows), parameters=some)
                found.append(self._numbers(tau.reshape(-1, count, tau.shape[-1])))
            return _named(speeds, np.concatenate(found, axis=1))

        return numbers

    def _numbers(self, tau: Array) -> Array:
        """Peak and rms of forces (N, T, n) over the motion, (2, N, n)."""
        weights = trapezoid_weights(self.motion.t) if len(self.motion.t) > 1 else np.ones(1)
        along = np.ascontiguousarray(np.moveaxis(tau, 1, 2))  # time last: sums and maxima run over neighbours
        means = (along * along) @ (weights / weights.sum())
        return np.stack([np.maximum(along.max(axis=2), -along.min(axis=2)), np.sqrt(means)])


def _named(speeds: tuple[str, ...], numbers: Array) -> dict[str, Array]:
    return {f"{word}.{name}": numbers[k, :, j] for k, word in enumerate(WORDS) for j, name in enumerate(speeds)}
