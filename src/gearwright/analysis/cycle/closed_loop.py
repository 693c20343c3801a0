"""A task in a closed loop with errors and disturbances, with the same characteristics as the prescribed motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.cycle.cycle_motion import ClosedLoopMotion
from gearwright.analysis.links.tip_deflection import TipPoint, tip_position
from gearwright.analysis.task.contact_wrenches import contacts_without_fixed_direction
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.process_forces import process_laws
from gearwright.analysis.task.task import Task
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Robot
from gearwright.plots import NotebookFigure, Panel, panel_figure, save_if_path
from gearwright.simulation import IntegratorOptions, Run, simulate
from gearwright.simulation.acting_laws import named_inputs
from gearwright.system.controllers.controller import as_controller
from gearwright.system.state import State
from gearwright.text import did_you_mean, listed_names

CLOSED_LOOP_RTOL, CLOSED_LOOP_ATOL = 1e-6, 1e-8
"""Relative and absolute tolerance of the closed-loop simulation: its errors are known to a few per cent at best."""

TEMPERATURE_SUFFIX = "_temperature"
"""Suffix of the names of temperature states."""

ERROR_ROUNDING = 1e-12
"""Errors [rad, m] below this are rounding and drawn as zero."""


@dataclass(frozen=True)
class PerturbedAnalysis(Characteristics, NotebookFigure):
    """Demands of a task on the actual robot in a closed loop.

    Args:
        run: simulation of the closed loop.
        joint_error: tracking error of the joints [rad, m], (T, joints), at the times of the run.
        tip_error: distance of the tip from its path [m], (T,), at the times of the run; None for a robot with several
            tips.
    """

    run: Run
    joint_error: Array
    tip_error: Array | None

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the tracking errors of tip and joints; with `path` (.png, .svg, .pdf) it is also saved."""
        panels = [] if self.tip_error is None else [Panel("tip [mm]", {"tip": 1e3 * self.tip_error})]
        names = self._coordinate_names
        visible = np.where(np.abs(self.joint_error) > ERROR_ROUNDING, self.joint_error, 0.0)
        for unit in ("rad", "m"):
            columns = [k for k in range(self.joint_error.shape[1]) if self.run.units.get(f"q.{names[k]}") == unit]
            if columns:
                panels.append(Panel(f"joints [m{unit}]", {names[k]: 1e3 * visible[:, k] for k in columns}))
        return save_if_path(panel_figure(self.run.t, "time [s]", panels, columns=len(panels)), path)

    @property
    def _coordinate_names(self) -> list[str]:
        return [name.removeprefix("q.") for name in self.run.series if name.startswith("q.")]

    @property
    def peak_joint_error(self) -> dict[str, float]:
        """Per joint the largest tracking error [rad, m]."""
        peaks = np.abs(self.joint_error).max(axis=0)
        return dict(zip(self._coordinate_names, peaks.tolist(), strict=False))  # shafts follow the joints

    @property
    def accuracy(self) -> float | None:
        """The largest tracking error of the tip [m]."""
        return None if self.tip_error is None else float(self.tip_error.max())

    def ignored_contact_remarks(self) -> Iterator[str]:
        """A remark on active contacts whose forces have no fixed direction in the world."""
        touched = {name.rsplit(".force", 1)[0] for name, x in self.run.series.items() if ".force" in name and np.any(x)}
        ignored = [
            name
            for name in contacts_without_fixed_direction(assemble_tree(self.robot), laws_of(self.robot))
            if name in touched
        ]
        if ignored:
            yield (
                f"the closed loop touches {listed_names(ignored)}: reactions and link loads do not include these "
                "forces."
            )


def follow_closed_loop(
    nominal: Robot, real: Robot, task: Task, plan: MotionDemands, perturbation: Perturbation, samples: int
) -> ClosedLoopMotion:
    """Simulate the closed loop over one cycle.

    Args:
        nominal: the robot model of the controller.
        real: the actual robot.
        task: the task.
        plan: demands of the prescribed motion, for the initial positions and temperatures of the motors.
        perturbation: errors and disturbances.
        samples: number of recorded times.
    """
    mech, forces = assemble_tree(real), (*task.forces, *perturbation.disturbance)
    loads, inputs = process_laws(forces)
    start, controller = _loop_start(mech, plan, perturbation), perturbation.make_controller(nominal, task.cycle)
    input_signals = named_inputs(inputs, as_controller(controller), State(*start))
    warm = {name: x for name, x in plan.start.states.items() if name.endswith(TEMPERATURE_SUFFIX)}
    state_names = {state.name for law in laws_of(real, mech, input_signals) for state in law.states}
    run = simulate(
        real,
        State(*start, {name: x for name, x in warm.items() if name in state_names}),
        until=task.cycle.duration,
        controller=controller,
        extra_laws=loads,
        inputs=inputs or None,
        samples=samples,
        integrator=IntegratorOptions(rtol=CLOSED_LOOP_RTOL, atol=CLOSED_LOOP_ATOL, progress=False),
    )
    return ClosedLoopMotion(run, forces, warm)


def _loop_start(mech: Mechanism, plan: MotionDemands, perturbation: Perturbation) -> tuple[Array, Array]:
    """Initial state of the loop; a motor behind a spring has the same start error as its joint."""
    q, v = np.array(plan.start.q), np.array(plan.start.v)
    for joint, error in perturbation.start_error.items():
        if joint not in mech.coordinates:
            joints = mech.coordinates[: mech.nq - len(mech.shafts)]
            raise InputError(f"perturbation: start_error names {joint!r}. {did_you_mean(joint, joints)}")
        for k, name in enumerate(mech.coordinates):
            if name == joint or (name in mech.shafts and name.startswith(f"{joint}.")):
                q[k] += error
    return q, v


def joint_errors(task: Task, run: Run) -> Array:
    """Tracking errors of the joints, (T, joints)."""
    reference = task.cycle.at(run.t)
    return np.asarray(run.q[:, : reference.shape[1]] - reference)


def tip_errors(mech: Mechanism, task: Task, run: Run, tip: TipPoint | None) -> Array | None:
    """Distance of the tip from its path, (T,)."""
    if tip is None:
        return None
    reference = run.q.copy()
    joint_reference = task.cycle.at(run.t)
    reference[:, : joint_reference.shape[1]] = joint_reference
    return np.asarray(np.linalg.norm(tip_position(mech, run.q, tip) - tip_position(mech, reference, tip), axis=1))
