"""`gym_environment`: a robot and a task with the interface of Gymnasium, single or as a compiled batch."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.arrays import Array
from gearwright.control.environments.batch_environment import BatchEnvironment, EnvironmentOptions
from gearwright.errors import InputError, MissingExtraError
from gearwright.parts import Robot

ArrayKind = Literal["numpy", "torch"]
DEFAULT_ENVIRONMENT_OPTIONS = EnvironmentOptions()


@check_arguments
def gym_environment(
    robot: Robot,
    task: Any,
    environments: int | None = None,
    *,
    arrays: ArrayKind = "numpy",
    options: EnvironmentOptions = DEFAULT_ENVIRONMENT_OPTIONS,
) -> Any:
    """Return a robot that follows a task as an environment of Gymnasium, with all rotors, gears and laws.

    An action is the share, -1 to 1, of the largest torque or voltage of each motor, held over a period. An observation
    is q, v, and the positions and speeds of the joints in the task one period ahead. An episode is one cycle of the
    task. Time and randomised parameters are in `info`.

    Args:
        robot: the robot, with the laws of its file.
        task: a `gw.analysis.Task` or a trajectory of the joints.
        environments: number of environments in one compiled batch: the result is a `gymnasium.vector.VectorEnv`, which
            resets an environment in the step after its end; None: one `gymnasium.Env`.
        arrays: of batches: "numpy", or "torch" for tensors (double precision, on the processor).
        options: period, actions, reward, ends of episodes, randomised parameters.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=0.5)
    >>> limits = {"j1.torque": 2.0, "j2.torque": 2.0, "j3.torque": 2.0}
    >>> batch = gym_environment(gw.load("elbow"), swing, 16, options=EnvironmentOptions(limits=limits))
    >>> batch.reset(seed=1)[0].shape, batch.step(batch.action_space.sample())[1].shape
    ((16, 12), (16,))

    Raises:
        InputError: an action without a limit, an action or limit of an unknown name, or a task with forces.
        MissingExtraError: gymnasium, or PyTorch, is not installed.
    """
    single, vector = _environment_classes()
    if arrays not in ("numpy", "torch"):
        raise InputError(f"gym_environment: arrays={arrays!r}. Give 'numpy' or 'torch'.")
    if environments is None:
        if arrays == "torch":
            raise InputError("gym_environment: tensors need a batch. Give environments=, such as 1.")
        return single(BatchEnvironment(robot, task, options, 1))
    whole_number("gym_environment", "environments", environments, least=1, example=64)
    return vector(BatchEnvironment(robot, task, options, environments), _torch() if arrays == "torch" else None)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtraError(
            "arrays='torch' needs PyTorch: pip install 'gearwright[torch]'. NumPy arrays need nothing."
        ) from None
    return torch


@cache
def _environment_classes() -> tuple[Any, Any]:
    """Return the classes for one environment and for a batch; Gymnasium is imported at the first call."""
    try:
        import gymnasium
    except ImportError:
        raise MissingExtraError(
            "gym_environment needs gymnasium: pip install 'gearwright[gym]'. gw.rollout needs nothing."
        ) from None
    return _single_class(gymnasium), _batch_class(gymnasium)


def _spaces(gymnasium: Any, work: BatchEnvironment) -> tuple[Any, Any]:
    """Return the spaces of observations and actions of one environment."""
    box = gymnasium.spaces.Box
    actions = box(-1.0, 1.0, (len(work.actions),), np.float64)
    return box(-np.inf, np.inf, (work.observation_size,), np.float64), actions


def _single_class(gymnasium: Any) -> Any:
    class RobotEnvironment(gymnasium.Env):  # type: ignore[misc, unused-ignore]
        """One robot that follows a task."""

        metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - a dictionary by Gymnasium's convention

        def __init__(self, work: BatchEnvironment) -> None:
            self.work = work
            self.observation_space, self.action_space = _spaces(gymnasium, work)

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Array, dict[str, Any]]:
            super().reset(seed=seed)
            self.work.reset(self.np_random)
            return self.work.observations()[0], self._info()

        def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
            reward, terminated, truncated = self.work.step([action])
            return (
                self.work.observations()[0],
                float(reward[0]),
                bool(terminated[0]),
                bool(truncated[0]),
                self._info(),
            )

        def _info(self) -> dict[str, Any]:
            return {"t": float(self.work.t[0]), **{name: float(x[0]) for name, x in self.work.numbers.items()}}

    return RobotEnvironment


def _batch_class(gymnasium: Any) -> Any:
    batch_space = gymnasium.vector.utils.batch_space

    class RobotEnvironments(gymnasium.vector.VectorEnv):  # type: ignore[misc, unused-ignore]
        """A batch of robots that follow a task."""

        metadata: dict[str, Any] = {  # noqa: RUF012 - a dictionary by Gymnasium's convention
            "render_modes": [],
            "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
        }

        def __init__(self, work: BatchEnvironment, torch: Any) -> None:
            self.work, self.torch, self.num_envs = work, torch, work.count
            self.single_observation_space, self.single_action_space = _spaces(gymnasium, work)
            self.observation_space = batch_space(self.single_observation_space, work.count)
            self.action_space = batch_space(self.single_action_space, work.count)
            self._ended = np.zeros(work.count, dtype=bool)

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Any, dict[str, Any]]:
            super().reset(seed=seed)
            self.work.reset(self.np_random)
            self._ended[:] = False
            return self._tensor(self.work.observations()), self._info()

        def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
            values = actions.detach().cpu() if hasattr(actions, "detach") else actions
            restarted = self._ended
            reward, terminated, truncated = self.work.step(values, restarted)
            if restarted.any():
                self.work.reset(self.np_random, restarted)
            self._ended = terminated | truncated
            observations, rewards = self._tensor(self.work.observations()), self._tensor(reward)
            return observations, rewards, self._tensor(terminated), self._tensor(truncated), self._info()

        def _tensor(self, values: Any) -> Any:
            return values if self.torch is None else self.torch.from_numpy(values)

        def _info(self) -> dict[str, Any]:
            infos: dict[str, Any] = {"t": self.work.t, **self.work.numbers}
            present = {f"_{name}": np.ones(self.num_envs, dtype=bool) for name in infos}
            return {**{name: self._tensor(np.array(x)) for name, x in infos.items()}, **present}

    return RobotEnvironments
