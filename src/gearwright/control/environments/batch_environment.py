"""A task as steps of a batch: actions, observations, rewards and ends of episodes, without a library of learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, real_number
from gearwright.arrays import Array
from gearwright.control.environments.randomisation import Randomisation
from gearwright.errors import InputError
from gearwright.functions.dynamics import difference
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Trajectory
from gearwright.motion_demands.demands import demands
from gearwright.parts import Payload, Robot
from gearwright.programs import machine_of
from gearwright.simulation import BatchMotion
from gearwright.text import did_you_mean, listed_names

SAME_TIME = 1e-9
"""Relative deviation up to which a period is a whole number of steps, and a cycle of periods."""
Flags = NDArray[np.bool_]
ACTION_KINDS = ("motor_torque", "voltage", "torque")


class MotionTask(Protocol):
    """What an environment uses of a `gw.analysis.Task`."""

    name: str
    payload: Payload | None

    @property
    def cycle(self) -> Trajectory:
        """The motion of one cycle."""
        ...


class EnvironmentStep(NamedTuple):
    """The end of a step of N environments, for a reward.

    Args:
        t: time since the beginning of the task [s], (N,).
        q: configurations, (N, nq).
        v: speeds, (N, n).
        action: the inputs during the step, (N, m), in SI units.
        error: difference of the configuration from that of the task, in the tangent space, of the joints, (N, joints).
        speed_error: difference of the speeds, (N, joints).
    """

    t: Array
    q: Array
    v: Array
    action: Array
    error: Array
    speed_error: Array


@check_arguments
def tracking_reward(step: EnvironmentStep) -> Array:
    """Return the negative mean square of the position errors of the joints [rad^2, m^2], (N,)."""
    return np.asarray(-np.mean(step.error**2, axis=-1))


@check_arguments
@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions:
    """Options of `gym_environment`.

    Args:
        period: time during which an action is held [s].
        step: step of the simulation [s]; the period is a multiple of it.
        actions: "motor_torque" (one per motor), "voltage" (one per motor with electrical data), "torque" (one per joint
            with one coordinate), or names of inputs as in `rollout`. Default: "motor_torque", or "torque" of a robot
            without motors.
        limits: largest magnitude by name of an input; by default those of motors and joints.
        reward: function of an `EnvironmentStep` that returns (N,); default: `tracking_reward`.
        largest_error: position error of a joint at which an episode terminates [rad, m]; None: never.
        random_start: whether episodes start at random times of the task.
        start_deviation: standard deviation of the initial positions [rad, m] and speeds [rad/s, m/s].
        randomisation: parameters that are drawn anew for every episode.
        method: of the simulation, as in `rollout`.

    >>> EnvironmentOptions(period=0.02, step=0.001).steps
    20
    """

    period: float = 0.01
    step: float = 1e-3
    actions: str | Sequence[str] | None = None
    limits: Mapping[str, float] | None = None
    reward: Callable[[EnvironmentStep], Array] = tracking_reward
    largest_error: float | None = None
    random_start: bool = False
    start_deviation: tuple[float, float] = (0.0, 0.0)
    randomisation: Randomisation | None = None
    method: str | None = None

    def __post_init__(self) -> None:
        real_number("environment", "period", self.period, above=0.0, unit="seconds", example=0.01)
        real_number("environment", "step", self.step, above=0.0, unit="seconds", example=1e-3)
        if self.steps < 1 or abs(self.steps * self.step - self.period) > SAME_TIME * self.period:
            raise InputError(
                f"environment: the period {self.period:g} s is no multiple of the step {self.step:g} s. Change one of "
                "them."
            )
        if self.largest_error is not None:
            real_number("environment", "largest_error", self.largest_error, above=0.0, example=0.5)
        for size in self.start_deviation:
            real_number("environment", "start_deviation", size, least=0.0, example=0.01)

    @property
    def steps(self) -> int:
        """Steps per period."""
        return round(self.period / self.step)


class BatchEnvironment:
    """N environments of one robot and task.

    Args:
        robot: the robot.
        task: its motion and payload.
        options: of the environments.
        count: their number.
    """

    def __init__(self, robot: Robot, task: MotionTask | Trajectory, options: EnvironmentOptions, count: int) -> None:
        self.robot, motion = _robot_and_motion(robot, task)
        self.options, self.count = options, count
        self.mech = tree_of("gym_environment", self.robot)
        self.actions = action_names(self.robot, self.mech, options.actions)
        self.limits = self._limits()
        spread = options.randomisation
        self._motion = BatchMotion(
            self.robot,
            self.actions,
            options.step,
            options.steps,
            options.method,
            () if spread is None else spread.names,
        )
        self.joints = [k for k, name in enumerate(self.mech.speeds) if name not in self.mech.shafts]
        self._references, self._starts = self._reference_series(motion)
        self.last = len(self._starts) - 1
        self._x, self._k = self._starts[[0] * count].copy(), np.zeros(count, dtype=int)
        self._numbers = None if spread is None else np.tile(np.asarray(spread.mean), (count, 1))
        self._motion.prepare(self._x, self._numbers)

    def _limits(self) -> Array:
        """Return the largest magnitudes of the actions, (m,)."""
        stated = self.options.limits or {}
        for name, value in stated.items():
            if name not in self.actions:
                raise InputError(
                    f"gym_environment: options.limits: there is no action {name!r}. {did_you_mean(name, self.actions)}"
                )
            real_number("gym_environment", f"options.limits[{name!r}]", value, above=0.0, example=10.0)
        known = {name: _own_limit(self.robot, name) for name in self.actions} | dict(stated)
        missing = [name for name, limit in known.items() if limit is None or not 0 < float(limit) < np.inf]
        if missing:
            example = {name: 10.0 for name in missing}
            raise InputError(
                f"gym_environment: robot {self.robot.name!r} states no limit of {listed_names(missing)}. Give the "
                f"largest magnitudes, such as options.limits={example}."
            )
        return np.array([known[name] for name in self.actions], dtype=float)

    @property
    def observation_size(self) -> int:
        """Number of entries of an observation."""
        return self.mech.nq + self.mech.n + self._references.shape[-1]

    @property
    def numbers(self) -> dict[str, Array]:
        """The present values of the randomised parameters, (N,) each."""
        spread = self.options.randomisation
        return {} if spread is None or self._numbers is None else dict(zip(spread.names, self._numbers.T, strict=True))

    @property
    def t(self) -> Array:
        """Time since the beginning of the task [s], (N,)."""
        return self._k * self.options.period

    def _reference_series(self, motion: Trajectory) -> tuple[Array, Array]:
        """Return positions and speeds of the joints (T, ...) and whole states (T, nx) at the ends of all periods."""
        count = int(motion.duration / self.options.period + SAME_TIME)
        if count < 1:
            raise InputError(
                f"gym_environment: the motion of {motion.duration:g} s is shorter than the period of "
                f"{self.options.period:g} s. Give a longer task or a shorter period."
            )
        independent = machine_of("gym_environment", self.robot).independent_coordinates
        joints = [name for name in independent if name not in self.mech.shafts]
        if motion.count not in {len(joints), len(independent), self.mech.nq - len(self.mech.shafts), self.mech.nq}:
            raise InputError(
                f"gym_environment: the motion has {motion.count} coordinates, robot {self.robot.name!r} has "
                f"{len(joints)} ({listed_names(joints)}). Give a motion of these."
            )
        t = self.options.period * np.arange(count + 1)
        q, v = motion.at(t), motion.at(t, 1)
        if self.mech.shafts and q.shape[-1] < self.mech.nq:
            whole = demands(self.robot, motion, actuators=()).motion
            q, v = (np.stack([np.interp(t, whole.t, x) for x in series.T], axis=-1) for series in (whole.q, whole.v))
        starts = self._motion.start(q, v)
        system = self._motion.system
        plain = [k for k in range(self.mech.nq) if self.mech.coordinates[k] not in self.mech.shafts]
        return np.concatenate([starts[:, system.q][:, plain], starts[:, system.v][:, self.joints]], axis=-1), starts

    def reset(self, rng: np.random.Generator, rows: Flags | None = None) -> None:
        """Begin new episodes, of all environments or of some rows."""
        at = np.arange(self.count) if rows is None else np.flatnonzero(rows)
        options = self.options
        self._k[at] = rng.integers(0, self.last, len(at)) if options.random_start else 0
        self._x[at] = self._starts[self._k[at]]
        if any(options.start_deviation):
            self._x[at] = self._deviated(rng, self._x[at])
        if options.randomisation is not None and self._numbers is not None:
            self._numbers[at] = options.randomisation.draw(rng, len(at))
            self._motion.prepare(self._x, self._numbers)

    def _deviated(self, rng: np.random.Generator, x: Array) -> Array:
        """Return states with random deviations of the independent joints."""
        system, (position, speed) = self._motion.system, self.options.start_deviation
        if self.mech.nq != self.mech.n or self.robot.loops:
            raise InputError(
                "gym_environment: start_deviation needs joints with one coordinate and no closed loops. Leave it out."
            )
        noise = rng.standard_normal((2, len(x), self.mech.n))
        q, v = x[:, system.q] + position * noise[0], x[:, system.v] + speed * noise[1]
        return np.concatenate([q, v, x[:, system.v.stop :]], axis=-1)

    def observations(self) -> Array:
        """Return q, v, and position and speed of the joints in the task one period ahead, (N, size)."""
        ahead = np.minimum(self._k + 1, self.last)
        return np.concatenate([self._x[:, : self.mech.nq + self.mech.n], self._references[ahead]], axis=-1)

    def step(self, shares: ArrayLike, idle: Flags | None = None) -> tuple[Array, Flags, Flags]:
        """Advance by a period; return rewards, terminations and truncations, (N,) each.

        A motion that diverges keeps its last finite state and terminates.

        Args:
            shares: actions relative to their limits, (N, m), cut off at -1 and 1.
            idle: whether an environment stays as it is, without reward and end, (N,).
        """
        values = as_float_array("gym_environment", "action", shares)
        if values.shape != (self.count, len(self.actions)):
            raise InputError(
                f"gym_environment: actions have the shape {values.shape}; give ({self.count}, {len(self.actions)}): "
                f"{listed_names(self.actions)}."
            )
        if not np.isfinite(values).all():
            raise InputError("gym_environment: an action is not finite. Give shares from -1 to 1.")
        moving: Flags = np.ones(self.count, dtype=np.bool_) if idle is None else ~idle
        if (moving & (self._k >= self.last)).any():
            raise InputError(
                f"gym_environment: the episode of {self.last} steps has ended. Call reset() before step()."
            )
        action = np.clip(values, -1.0, 1.0) * self.limits
        after = self._motion.advance(self._x, action, self._numbers)
        diverged = ~np.isfinite(after).all(axis=-1)
        self._x = np.where((diverged | ~moving)[:, None], self._x, after)
        self._k = np.where(moving, self._k + 1, self._k)
        step = self._measured(action)
        error = np.abs(step.error).max(axis=-1, initial=0.0)
        largest = np.inf if self.options.largest_error is None else self.options.largest_error
        reward = as_float_array("gym_environment", "reward", self.options.reward(step))
        if reward.shape != (self.count,):
            raise InputError(
                f"gym_environment: the reward has the shape {reward.shape}; it must return ({self.count},), one number "
                "per environment."
            )
        return np.where(moving, reward, 0.0), moving & (diverged | (error > largest)), moving & (self._k >= self.last)

    def _measured(self, action: Array) -> EnvironmentStep:
        system = self._motion.system
        wanted = self._starts[self._k]
        q, v = self._x[:, system.q], self._x[:, system.v]
        error = np.asarray(difference(self.mech, wanted[:, system.q], q))[:, self.joints]
        return EnvironmentStep(self.t, q, v, action, error, (v - wanted[:, system.v])[:, self.joints])


def _robot_and_motion(robot: Robot, task: MotionTask | Trajectory) -> tuple[Robot, Trajectory]:
    """Return the robot with the payload of a task, and its motion."""
    if isinstance(task, Trajectory):
        return robot, task
    cycle = getattr(task, "cycle", None)
    if not isinstance(cycle, Trajectory):
        raise InputError(f"gym_environment: task is {type(task).__name__}. Give a gw.analysis.Task or a Trajectory.")
    ignored = [word for word in ("forces", "contact", "payloads", "perturbed") if getattr(task, word, None)]
    if ignored:
        raise InputError(
            f"gym_environment: task {task.name!r} has {listed_names(ignored)}, which environments do not apply. Remove "
            "them from the task; vary parameters by options.randomisation."
        )
    return (robot if task.payload is None else replace(robot, payload=task.payload)), cycle


def action_names(robot: Robot, mech: Mechanism, actions: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the inputs that are actions."""
    chosen = actions or ("motor_torque" if mech.actuators else "torque")
    if not isinstance(chosen, str):
        return tuple(chosen)
    if chosen not in ACTION_KINDS:
        raise InputError(
            f"gym_environment: actions={chosen!r}. Give {listed_names(ACTION_KINDS)}, or a list of names of inputs."
        )
    if chosen == "torque":
        free = [link.joint_name for link in robot.links]
        names = [f"tau.{speed}" for speed in machine_of("gym_environment", robot).speeds if speed in free]
    else:
        names = [f"{motor.name}.{'torque' if chosen == 'motor_torque' else 'voltage'}" for motor in mech.actuators]
    if not names:
        raise InputError(f"gym_environment: robot {robot.name!r} has no motors for actions={chosen!r}.")
    return tuple(names)


def _own_limit(robot: Robot, name: str) -> Any:
    """Return the largest magnitude of an action by the data of a robot; None if it has none."""
    if name.startswith("tau."):
        joints = {link.joint_name: link.joint for link in robot.links}
        joint = joints.get(name.removeprefix("tau."))
        return None if joint is None else joint.limits.effort
    title, _, word = name.rpartition(".")
    motors = {**{x.title: x.motor for x in robot.drives}, **{m.name: m for x in robot.trains for m in x.motors}}
    return getattr(motors.get(title), "torque_limit" if word == "torque" else "max_voltage", None)
