"""The motions of a task file as trajectories: each starts at the end of the previous one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError
from gearwright.files.permissions import Permissions
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Trajectory, moving_average, pause, recorded, s_curve, spline, trapezoid
from gearwright.motion.piecewise_polynomials import piecewise_polynomial
from gearwright.motion_demands.stated_limits import neutral_within_limits
from gearwright.parts import Payload, Robot
from gearwright.planning.paths.cartesian_motions import arc, circle, line
from gearwright.planning.paths.cartesian_paths import CircularPath
from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot
from gearwright.planning.paths.path_limits import PathLimits, PathOptions
from gearwright.planning.time_optimal.fastest_motion import fastest
from gearwright.programs import machine_of
from gearwright.text import did_you_mean, listed_names

if TYPE_CHECKING:  # pydantic, which checks the fields, is slow to import
    from gearwright.files.fields.robot import PayloadFields
    from gearwright.files.fields.task import GoalFields, MotionFields

RECORDING_START_TOLERANCE = 1e-6
"""Largest deviation of the start of a recording from the present configuration [rad, m]."""
Configuration = Sequence[float] | Mapping[str, float] | str


def task_motions(
    robot: Robot,
    motions: Sequence[MotionFields],
    start: Configuration | None = None,
    folder: str | Path | None = None,
) -> tuple[Trajectory, ...]:
    """Return one joint trajectory per motion of a task, each from the end of the previous one.

    Args:
        robot: the robot with its payload; its limits apply to motions without limits.
        motions: fields of the file (`gearwright.files.yaml.task_reader.read_task`).
        start: initial configuration: a list, joint -> value, or the name of one of the robot's states; by default zero,
            or the middle of a joint range that excludes zero. A recording has its own start.
        folder: folder of the task file, which contains the recordings.

    Returns:
        Motions of the joints without the shafts of elastic drives, which follow (`gw.demands`). They are at rest at
        their ends, except recordings; `chain` checks that they fit together.

    Raises:
        InputError, PlanningError: a motion is infeasible; the message gives its number and line.

    >>> import gearwright as gw
    >>> from gearwright.files.yaml.task_reader import read_task
    >>> words = read_task('''
    ... task: nod
    ... motions:
    ...   - {to: {j2: 0.5}, speed: 1, acceleration: 5}
    ...   - {pause: 0.5}
    ... ''')
    >>> [way.duration for way in task_motions(gw.load("elbow"), words.motions)]
    [0.7, 0.5]
    """
    planner = _MotionPlanner(robot, tree_of("task", robot), None if folder is None else Path(folder))
    configuration = planner.start_configuration(start, motions)
    trajectories: list[Trajectory] = []
    for k, words in enumerate(motions):
        try:
            trajectory = planner.with_payload(words.payload).plan_motion(words, configuration)
        except GearwrightError as error:
            error.args = (f"{words.location_or(f'motions[{k}]')}: {error}", *error.args[1:])
            raise
        trajectories.append(trajectory)
        configuration = trajectory.at(trajectory.duration)
    return tuple(trajectories)


def with_task_payload(robot: Robot, payload: PayloadFields | Literal["none"] | None) -> Robot:
    """Return the robot with the payload of a task or motion, if it states one; "none" is no payload."""
    if payload is None:
        return robot
    if isinstance(payload, str):
        return replace(robot, payload=None)
    load = task_payload(robot, payload)
    return robot.with_payload(load.mass, load.position, load.link, load.inertia, frame=load.frame)


def task_payload(robot: Robot, words: PayloadFields) -> Payload:
    """Return the payload of a task for a robot: its numbers are in the frames of the robot's file."""
    payload = Payload(words.mass, words.position, words.link, words.inertia.as_tensor, words.frame)
    return payload.in_joint_frame(robot)


@dataclass(frozen=True)
class _MotionPlanner:
    """Common data of all motions of a task."""

    robot: Robot
    mech: Mechanism
    folder: Path | None

    def with_payload(self, payload: PayloadFields | Literal["none"] | None) -> _MotionPlanner:
        """Return the planner with the payload of a motion."""
        if payload is None:
            return self
        robot = with_task_payload(self.robot, payload)
        return replace(self, robot=robot, mech=tree_of("task", robot))

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the joint coordinates."""
        return tuple(self.mech.coordinates[: self.mech.nq - len(self.mech.shafts)])

    @cached_property
    def closed_robot(self) -> ClosedLoopRobot | None:
        """The robot with its closed loops; None without loops."""
        return ClosedLoopRobot.from_robot(self.robot, self.mech)

    def start_configuration(self, start: Configuration | None, motions: Sequence[MotionFields]) -> Array:
        """Return the initial configuration of the first motion."""
        if start is None and motions and motions[0].file is not None:
            return self._recorded_motion(motions[0].file).at(0.0)[: len(self.coordinate_names)]
        if self.closed_robot is not None:
            neutral = self.closed_robot.start_configuration[: len(self.coordinate_names)]
            return (
                neutral
                if start is None
                else self.closed_robot.start_with(self.read_configuration(start, neutral), self._stated_joints(start))
            )
        neutral = neutral_within_limits(self.robot, self.mech)[0][: len(self.coordinate_names)]
        return neutral if start is None else self.read_configuration(start, neutral)

    def _stated_joints(self, configuration: Configuration) -> set[str]:
        """Return the joints stated by a configuration; a list states all."""
        if isinstance(configuration, str):
            return set(self.robot.state(configuration).q)
        configuration = self._by_independent_joints(configuration)
        return set(configuration if isinstance(configuration, Mapping) else self.coordinate_names)

    def _by_independent_joints(self, values: Configuration) -> Configuration:
        """Return a list with one value per independent joint of closed loops as a mapping; others are unchanged."""
        if self.closed_robot is None or isinstance(values, str | Mapping) or len(values) == len(self.coordinate_names):
            return values
        independent = [x for x in machine_of("task", self.robot).independent_coordinates if x in self.coordinate_names]
        return dict(zip(independent, values, strict=True)) if len(values) == len(independent) else values

    def read_configuration(self, values: Configuration, current: Array) -> Array:
        """Return a joint configuration from a list, a mapping applied to the present one, or the name of a state.

        With closed loops a list may state the independent joints only.
        """
        values = self._by_independent_joints(values)
        if isinstance(values, str):
            stated = self.robot.state(values).q
            return self.read_configuration({name: stated.get(name, 0.0) for name in self.coordinate_names}, current)
        if isinstance(values, Mapping):
            unknown = [name for name in values if name not in self.coordinate_names]
            if unknown:
                raise InputError(f"joint {unknown[0]!r} is unknown. {did_you_mean(unknown[0], self.coordinate_names)}")
            return np.array(
                [values.get(name, x) for name, x in zip(self.coordinate_names, current.tolist(), strict=True)]
            )
        if len(values) != len(self.coordinate_names):
            raise InputError(
                f"{len(values)} values for the {len(self.coordinate_names)} joints "
                f"{listed_names(self.coordinate_names)}. Give one each, or a "
                "mapping such as {elbow: 0.5}."
            )
        return np.array(values, dtype=np.float64)

    def plan_motion(self, words: MotionFields, start: Array) -> Trajectory:
        """Return the trajectory of one motion from a configuration."""
        kinds: dict[str, Callable[[MotionFields, Array], Trajectory]] = {
            **{
                "to": self._joint_motion,
                "via": self._spline_motion,
                "fastest": self._fastest_motion,
                "file": self._file_motion,
                "pause": self._pause_motion,
            },
            **{"line": self._line_motion, "arc": self._arc_motion, "circle": self._circle_motion},
        }
        trajectory = kinds[words.kind](words, start)
        if trajectory.count > len(self.coordinate_names):  # the shafts of elastic drives follow
            trajectory = Trajectory(
                piecewise_polynomial(trajectory.pieces.c[:, :, : len(self.coordinate_names)], trajectory.pieces.x)
            )
        trajectory = trajectory.with_robot_names(self.robot)
        trajectory = trajectory if words.smoothing is None else moving_average(trajectory, words.smoothing)
        return trajectory if self.closed_robot is None else self._close_loops(self.closed_robot, words, trajectory)

    def _close_loops(self, loops: ClosedLoopRobot, words: MotionFields, trajectory: Trajectory) -> Trajectory:
        """Return the motion with closed loops; a recording must be closed itself."""
        if words.file is not None:
            loops.require_closed(words.file, trajectory)
            return trajectory
        *between, last = words.via or [{} if words.to is None else words.to]
        for point in between:
            loops.closed_configuration(self.read_configuration(point, trajectory.at(0.0)), self._stated_joints(point))
        return loops.closed_trajectory(trajectory, self._stated_joints(last))

    def _joint_motion(self, words: MotionFields, start: Array) -> Trajectory:
        assert words.to is not None
        end = self.read_configuration(words.to, start)
        limits: dict[str, Any] = {"speed": words.speed, "acceleration": words.acceleration, "robot": self.robot}
        if words.jerk is None:
            return trapezoid(start, end, **limits)
        return s_curve(start, end, jerk=words.jerk, **limits)

    def _spline_motion(self, words: MotionFields, start: Array) -> Trajectory:
        points = self._via_configurations(words.via or [], start)
        times = None if words.times is None else [0.0, *words.times]
        limits: dict[str, Any] = {"speed": words.speed, "acceleration": words.acceleration, "jerk": words.jerk}
        return spline(points, times, robot=self.robot, **limits)

    def _fastest_motion(self, words: MotionFields, start: Array) -> Trajectory:
        options = words.fastest
        assert options is not None
        limits: dict[str, Any] = {name: getattr(options, name) for name in ("speed", "acceleration", "torque")}
        path = self._via_configurations(options.via, start, closes_loops=True)
        return fastest(self.robot, path, share=options.share, **limits)

    def _via_configurations(self, points: Sequence[Configuration], start: Array, closes_loops: bool = False) -> Array:
        configurations = [start]
        for point in points:
            configuration = self.read_configuration(point, configurations[-1])
            if self.closed_robot is not None and closes_loops:
                configuration = self.closed_robot.closed_configuration(configuration, self._stated_joints(point))
            configurations.append(configuration)
        return np.array(configurations)

    def _line_motion(self, words: MotionFields, start: Array) -> Trajectory:
        options = words.line
        assert options is not None
        return line(self.robot, options.frame, start, _goal_pose(options.to), **_path_options(options))

    def _arc_motion(self, words: MotionFields, start: Array) -> Trajectory:
        options = words.arc
        assert options is not None
        return arc(self.robot, options.frame, start, options.through, _goal_pose(options.to), **_path_options(options))

    def _circle_motion(self, words: MotionFields, start: Array) -> Trajectory:
        options = words.circle
        assert options is not None
        path = CircularPath(
            centre=options.centre,
            axis=options.axis,
            angle=2 * np.pi if options.angle is None else options.angle,
            turning=options.turning,
            oriented=options.orientation == "kept",
        )
        return circle(self.robot, options.frame, start, path, **_path_options(options))

    def _file_motion(self, words: MotionFields, start: Array) -> Trajectory:
        assert words.file is not None
        trajectory = self._recorded_motion(words.file)
        first = trajectory.at(0.0)[: len(self.coordinate_names)]
        distance = float(np.abs(first - start).max())
        if distance > RECORDING_START_TOLERANCE:
            k = int(np.abs(first - start).argmax())
            raise InputError(
                f"{words.file}: it starts with {self.coordinate_names[k]!r} at {first[k]:g}, but the robot is at "
                f"{start[k]:g}. Add a motion `to: {np.round(first, 9).tolist()}` before it."
            )
        return trajectory

    def _recorded_motion(self, name: str) -> Trajectory:
        return recorded(Permissions().resolve_file(self.folder or Path.cwd(), name), robot=self.robot)

    def _pause_motion(self, words: MotionFields, start: Array) -> Trajectory:
        assert words.pause is not None
        return pause(start, words.pause, robot=self.robot)


def _goal_pose(words: GoalFields) -> Any:
    """Return the end of a path: a pose, or a position with constant or free orientation."""
    position = None if words.position is None else [*words.position]
    if words.has_rotation:
        return np.array(words.rotation_rows), position
    return (None, position) if words.orientation == "any" else position


def _path_options(words: Any) -> dict[str, Any]:
    """Return the stated limits and fixed joints of a path."""
    stated = {field.name: getattr(words, field.name) for field in fields(PathLimits)}
    limits = PathLimits(**{name: value for name, value in stated.items() if value is not None})
    return {"limits": limits, "options": PathOptions(held=words.held)}
