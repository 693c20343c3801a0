"""Batches of motions that continue from call to call, each call in machine code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.errors import InputError, SimulationError
from gearwright.parts import Robot
from gearwright.simulation.fixed_step.embedded_loops import whole_start
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import required_sweeps
from gearwright.simulation.fixed_step.rollout import stepping_engine
from gearwright.simulation.fixed_step.step_program import MOREAU_METHOD
from gearwright.text import did_you_mean


class BatchMotion:
    """A batch of motions of a robot with its laws, advanced by a period at a time with inputs held.

    Args:
        robot: the robot.
        inputs: names of the given inputs: `tau.<speed>`, `<motor>.torque`, `<motor>.voltage`, inputs of laws.
        step: duration of a step [s].
        steps: steps per period.
        method: "euler", "rk4" or "moreau"; default: as in `rollout`.
        parameters: paths of parameters that differ between the motions.

    >>> import gearwright as gw
    >>> motion = BatchMotion(gw.load("elbow"), ["tau.j1"], step=1e-3, steps=10)
    >>> x = motion.start(np.zeros((2, 3)), np.zeros((2, 3)))
    >>> after = motion.advance(x, np.array([[0.0], [10.0]]))
    >>> bool(after[1, motion.system.v][0] > after[0, motion.system.v][0])
    True
    """

    def __init__(
        self,
        robot: Robot,
        inputs: Sequence[str],
        step: float,
        steps: int,
        method: str | None = None,
        parameters: Sequence[str] = (),
    ) -> None:
        of_laws = [name for name in inputs if not name.startswith("tau.")]
        self.robot, self.step, self.steps = robot, step, steps
        self._engine = stepping_engine(robot, of_laws, method, parameters)
        for name in inputs:
            if name not in self._engine.inputs:
                raise InputError(
                    f"robot {robot.name!r} has no input {name!r}. {did_you_mean(name, self._engine.inputs)}"
                )
        self._columns = [self._engine.inputs.index(name) for name in inputs]
        self.system = self._engine.system
        self.approximations = self._engine.approximations

    def start(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return states (N, nx) at configurations (N, nq) and speeds (N, n); laws start at their initial values."""
        return self._engine.start_states(*whole_start(self.robot, q, v))

    def prepare(self, x: Array, numbers: Array | None = None) -> None:
        """Raise an error for steps that are too long, or invalid numbers, at states x (N, nx)."""
        self._engine.require_valid(x, self.step, numbers)
        if self._engine.method == MOREAU_METHOD:
            self._engine = self._engine.with_sweeps(required_sweeps(self.system, x, self.step))

    def advance(self, x: Array, values: Array, numbers: Array | None = None) -> Array:
        """Return the states (N, nx) after a period with inputs (N, m); NaN in the rows that diverge.

        Args:
            x: states, (N, nx).
            values: of the inputs, (N, m).
            numbers: of the parameters, (N, P).
        """
        inputs = np.tile(np.asarray(self.system.initial_inputs, dtype=np.float64), (len(x), 1))
        inputs[:, self._columns] = values
        try:
            return self._engine.run_steps(x, inputs[None], self.step, self.steps, self.steps, parameters=numbers)[-1]
        except SimulationError:
            if len(x) == 1:
                return np.full_like(x, np.nan)
        half = len(x) // 2
        parts = [slice(0, half), slice(half, None)]
        return np.concatenate([self.advance(x[k], values[k], None if numbers is None else numbers[k]) for k in parts])
