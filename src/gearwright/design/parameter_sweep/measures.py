"""Measures of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gearwright.analysis import Task, analyse
from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.quadrature import trapezoid_weights
from gearwright.analysis.summary import CHARACTERISTIC_UNITS, PRISMATIC_UNITS
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.compiling.kernel import compile as compiled
from gearwright.design.parameter_sweep.measure_fingerprint import fingerprint
from gearwright.functions import inverse_dynamics
from gearwright.mechanism import assemble_tree, tree_of
from gearwright.mechanism.units import force_unit
from gearwright.motion import Motion
from gearwright.parts import Robot

FORCE_STATISTICS = ("peak", "rms")
"""Statistics of a force over a motion."""
DESIGNS_PER_KERNEL_CALL = 32
"""Designs in one call of a kernel: their forces must fit into the processor's cache."""


PERTURBED_PREFIX = "perturbed."
"""Prefix of the names of closed-loop characteristics."""


@check_arguments
@dataclass(frozen=True)
class AnalysisMeasure:
    """All scalar characteristics of a task.

    `<drive>.<characteristic>`, `<link>.peak_stress` and `<link>.peak_deflection` of links with sections,
    `tip.deflection`, `energy`, `cycle_time` and the smallest `margin` of all limits. If the task states `perturbed`,
    the same of the closed loop with the prefix `perturbed.`, and `perturbed.accuracy`; `margin` then covers both.

    Args:
        task: the task.
        samples: smallest number of samples of the cycle.
        catalogue: data sheets that motors and gears name; by default the bundled ones.
    """

    task: Task
    samples: int = 201
    catalogue: Catalogue | None = None

    @property
    def identity(self) -> str:
        """What is measured, the same in every process."""
        return fingerprint(self.task, self.samples, self.catalogue)

    def units(self, robot: Robot) -> dict[str, str]:
        """Unit of every result, also for prismatic joints."""
        mech = assemble_tree(robot)
        units_by_joint = {
            drive.joint: PRISMATIC_UNITS if force_unit(mech, drive.joint) == "N" else {} for drive in robot.drives
        }
        drives = {*units_by_joint, *(actuator.name for actuator in mech.actuators)}
        units_by_name = {
            f"{name}.{field}": units_by_joint.get(name, {}).get(field, unit)
            for name in drives
            for field, unit in CHARACTERISTIC_UNITS.items()
        }
        for link in robot.links:
            units_by_name |= {f"{link.name}.peak_stress": "Pa", f"{link.name}.peak_deflection": "m"}
        units_by_name |= {"tip.deflection": "m", "energy": "J"}
        perturbed = {f"{PERTURBED_PREFIX}{name}": unit for name, unit in {**units_by_name, "accuracy": "m"}.items()}
        return {**units_by_name, **(perturbed if self.task.perturbed else {}), "cycle_time": "s"}

    def __call__(self, robot: Robot) -> dict[str, float]:
        """The numbers of one robot."""
        analysis = analyse(robot, self.task, samples=self.samples, catalogue=self.catalogue)
        numbers = {**dict(_characteristic_values(analysis)), "cycle_time": self.task.cycle.duration}
        checks = analysis.limits
        if analysis.perturbed is not None:
            numbers |= {f"{PERTURBED_PREFIX}{name}": x for name, x in _characteristic_values(analysis.perturbed)}
            checks += analysis.perturbed.limits
            if analysis.perturbed.accuracy is not None:
                numbers[f"{PERTURBED_PREFIX}accuracy"] = analysis.perturbed.accuracy
        return {**numbers, "margin": min((check.margin for check in checks), default=float("inf"))}


def _characteristic_values(characteristics: Characteristics) -> Iterator[tuple[str, float]]:
    """Known characteristics of the prescribed motion, or of the closed loop."""
    for name, drive in characteristics.drives.items():
        for field in CHARACTERISTIC_UNITS:
            if getattr(drive, field) is not None:
                yield f"{name}.{field}", float(getattr(drive, field))
    for name, link in characteristics.links.items():
        yield f"{name}.peak_stress", link.peak_stress
        yield f"{name}.peak_deflection", link.peak_deflection
    if characteristics.tip is not None:
        yield "tip.deflection", float(characteristics.tip.peak_deflection)
    if characteristics.energy is not None:
        yield "energy", float(characteristics.energy)


@check_arguments
@dataclass(frozen=True)
class ForceMeasure:
    """Peak and rms of the joint forces of a motion, without friction: `peak.<speed>`, `rms.<speed>`.

    Parameters are inputs of a compiled kernel if possible: thousands of designs per second.
    """

    motion: Motion

    @property
    def identity(self) -> str:
        """What is measured, the same in every process."""
        return fingerprint(self.motion.t, self.motion.q, self.motion.v, self.motion.a)

    def units(self, robot: Robot) -> dict[str, str]:
        """Unit of every result."""
        mech = assemble_tree(robot)
        return {f"{statistic}.{name}": force_unit(mech, name) for statistic in FORCE_STATISTICS for name in mech.speeds}

    def __call__(self, robot: Robot) -> dict[str, float]:
        """The numbers of one robot."""
        mech = tree_of("sweep", robot)
        tau = inverse_dynamics(mech, self.motion.q, self.motion.v, self.motion.a)
        return {
            name: float(values[0])
            for name, values in _values_by_name(mech.speeds, self._force_statistics(tau[None])).items()
        }

    def batches(self, robot: Robot, names: tuple[str, ...]) -> Callable[[Array], dict[str, Array]]:
        """A function that returns the results of many designs (N, P), (N,) each; it compiles the kernel."""
        kernel, speeds = compiled(inverse_dynamics, robot, parameters=names), assemble_tree(robot).speeds
        count = len(self.motion.t)
        # Rows in sequence: a kernel is fastest without broadcasting.
        rows = [np.tile(x, (DESIGNS_PER_KERNEL_CALL, 1)) for x in (self.motion.q, self.motion.v, self.motion.a)]

        def batch_values(values: Array) -> dict[str, Array]:
            parts = []
            for start in range(0, len(values), DESIGNS_PER_KERNEL_CALL):
                repeated = np.repeat(values[start : start + DESIGNS_PER_KERNEL_CALL], count, axis=0)
                tau = kernel(*(x[: len(repeated)] for x in rows), parameters=repeated)
                parts.append(self._force_statistics(tau.reshape(-1, count, tau.shape[-1])))
            return _values_by_name(speeds, np.concatenate(parts, axis=1))

        return batch_values

    def _force_statistics(self, tau: Array) -> Array:
        """Peak and rms of forces (N, T, n) over the motion, (2, N, n)."""
        weights = trapezoid_weights(self.motion.t) if len(self.motion.t) > 1 else np.ones(1)
        time_last = np.ascontiguousarray(np.moveaxis(tau, 1, 2))  # time last: sums and maxima run over neighbours
        means = (time_last * time_last) @ (weights / weights.sum())
        return np.stack([np.maximum(time_last.max(axis=2), -time_last.min(axis=2)), np.sqrt(means)])


def _values_by_name(speeds: tuple[str, ...], numbers: Array) -> dict[str, Array]:
    return {
        f"{statistic}.{name}": numbers[k, :, j]
        for k, statistic in enumerate(FORCE_STATISTICS)
        for j, name in enumerate(speeds)
    }
