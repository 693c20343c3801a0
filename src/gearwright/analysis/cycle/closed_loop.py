"""A task in a closed loop with all that goes wrong: its characteristics stand beside those of the prescribed motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.analysis.cycle.characteristics import Characteristics
from gearwright.analysis.cycle.cycle_motion import Followed
from gearwright.analysis.links.tip_deflection import Tip, where
from gearwright.analysis.task.contact_wrenches import turning_contacts
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.process_forces import loads_of
from gearwright.analysis.task.task import Task
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import Mechanism, assemble
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Robot
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.simulation.acting_laws import named_inputs
from gearwright.simulation.run import Run
from gearwright.simulation.simulate import simulate
from gearwright.system.controllers.controller import controller_of
from gearwright.system.state import State
from gearwright.text import did_you_mean, listed

RTOL, ATOL = 1e-6, 1e-8
"""Of the closed loop: what goes wrong is known to a few per cent at best."""

TEMPERATURE = "_temperature"
"""How names of states end that are temperatures."""

INVISIBLE = 1e-12
"""Errors [rad, m] below this are rounding, and drawn as none."""


@dataclass(frozen=True)
class PerturbedAnalysis(Characteristics, Shown):
    """What the task asks of the robot as it really is, followed in a closed loop.

    Args:
        run: the closed loop.
        joint_error: how far the joints are from the motion [rad, m], (T, joints), at the times of the run.
        tip_error: how far the tip is from its path [m], (T,), at the times of the run; None for a robot with several.
    """

    run: Run
    joint_error: Array
    tip_error: Array | None

    def plot(self, path: str | Path | None = None) -> Any:
        """How far the tip and the joints are from the motion; with `path` (.png, .svg, .pdf) it is saved too."""
        panels = [] if self.tip_error is None else [Panel("tip [mm]", {"tip": 1e3 * self.tip_error})]
        names = self._coordinates
        visible = np.where(np.abs(self.joint_error) > INVISIBLE, self.joint_error, 0.0)
        for unit in ("rad", "m"):
            mine = [k for k in range(self.joint_error.shape[1]) if self.run.units.get(f"q.{names[k]}") == unit]
            if mine:
                panels.append(Panel(f"joints [m{unit}]", {names[k]: 1e3 * visible[:, k] for k in mine}))
        return saved(figure(self.run.t, "time [s]", panels, columns=len(panels)), path)

    @property
    def _coordinates(self) -> list[str]:
        return [name.removeprefix("q.") for name in self.run.series if name.startswith("q.")]

    @property
    def peak_joint_error(self) -> dict[str, float]:
        """Per joint the largest distance from the motion [rad, m]."""
        peaks = np.abs(self.joint_error).max(axis=0)
        return dict(zip(self._coordinates, peaks.tolist(), strict=False))  # shafts follow the joints

    @property
    def accuracy(self) -> float | None:
        """The largest distance of the tip from where it should be [m]."""
        return None if self.tip_error is None else float(self.tip_error.max())

    def left_out(self) -> Iterator[str]:
        """A remark on contacts whose forces have no fixed direction in the world, where they touched."""
        touched = {name.rsplit(".force", 1)[0] for name, x in self.run.series.items() if ".force" in name and np.any(x)}
        aside = [name for name in turning_contacts(assemble(self.robot), laws_of(self.robot)) if name in touched]
        if aside:
            yield f"the closed loop touches {listed(aside)}, whose forces are left out of reactions and links."


def followed(known: Robot, real: Robot, task: Task, plan: MotionDemands, how: Perturbation, samples: int) -> Followed:
    """The closed loop over one cycle.

    Args:
        known: what the controller knows.
        real: what there is.
        task: the task.
        plan: demands of the prescribed motion, for the motors' places and temperatures at the start.
        how: what goes wrong.
        samples: how many times are recorded.
    """
    mech, forces = assemble(real), (*task.forces, *how.disturbance)
    loads, inputs = loads_of(forces)
    start, controller = _start(mech, plan, how), how.control(known, task.cycle)
    named = named_inputs(inputs, controller_of(controller), State(*start))
    warm = {name: x for name, x in plan.start.states.items() if name.endswith(TEMPERATURE)}
    remembered = {state.name for law in laws_of(real, mech, named) for state in law.states}
    run = simulate(
        real,
        State(*start, {name: x for name, x in warm.items() if name in remembered}),
        until=task.cycle.duration,
        controller=controller,
        extra_laws=loads,
        inputs=inputs or None,
        samples=samples,
        progress=False,
        rtol=RTOL,
        atol=ATOL,
    )
    return Followed(run, forces, warm)


def _start(mech: Mechanism, plan: MotionDemands, how: Perturbation) -> tuple[Array, Array]:
    """Where the loop begins; a motor behind a spring is off by as much as its joint."""
    q, v = np.array(plan.start.q), np.array(plan.start.v)
    for joint, error in how.start_error.items():
        if joint not in mech.coordinates:
            known = mech.coordinates[: mech.nq - len(mech.shafts)]
            raise InputError(f"perturbation: start_error names {joint!r}. {did_you_mean(joint, known)}")
        for k, name in enumerate(mech.coordinates):
            if name == joint or (name in mech.shafts and name.startswith(f"{joint}.")):
                q[k] += error
    return q, v


def joint_errors(task: Task, run: Run) -> Array:
    """How far the joints are from the motion, (T, joints)."""
    asked = task.cycle.at(run.t)
    return np.asarray(run.q[:, : asked.shape[1]] - asked)


def tip_errors(mech: Mechanism, task: Task, run: Run, tip: Tip | None) -> Array | None:
    """How far the tip is from its path, (T,)."""
    if tip is None:
        return None
    asked = run.q.copy()
    ways = task.cycle.at(run.t)
    asked[:, : ways.shape[1]] = ways
    return np.asarray(np.linalg.norm(where(mech, run.q, tip) - where(mech, asked, tip), axis=1))
