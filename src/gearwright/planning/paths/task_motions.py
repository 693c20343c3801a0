"""The motions of a task file as trajectories: each starts where the one before ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError
from gearwright.files.permissions import Permissions
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Trajectory, pause, recorded, s_curve, smoothed, spline, trapezoid
from gearwright.motion.piecewise_polynomials import piecewise
from gearwright.motion_demands.stated_limits import neutral_within_limits
from gearwright.parts import Payload, Robot
from gearwright.planning.paths.cartesian_motions import arc, circle, line
from gearwright.planning.paths.motions_of_closed_robots import ClosedRobot
from gearwright.planning.time_optimal.fastest_motion import fastest
from gearwright.text import did_you_mean, listed

if TYPE_CHECKING:  # the words are checked by pydantic, which takes a while to import
    from gearwright.files.fields.robot import PayloadWords
    from gearwright.files.fields.task import GoalWords, MotionWords

MET = 1e-6
"""How far a recording may start from where the robot is [rad, m]."""
Configuration = Sequence[float] | Mapping[str, float] | str


def task_motions(
    robot: Robot,
    motions: Sequence[MotionWords],
    start: Configuration | None = None,
    folder: str | Path | None = None,
) -> tuple[Trajectory, ...]:
    """One trajectory of the joints per motion of a task, each from where the one before ended.

    Args:
        robot: the robot, with the payload it carries meanwhile; its limits hold where a motion states none.
        motions: what the file says (`gearwright.files.yaml.task_reader.read_task`).
        start: where the first motion starts: a list, joint -> value, or the name of one of the robot's states; zero, or
            the middle of the range of a joint that may not be there, unless given. A file starts where it starts.
        folder: that of the task file, below which recordings are.

    Returns:
        Motions of the joints without the shafts of elastic drives, which follow (`gw.demands`). They rest at their
        ends, except recordings: `chain` says where two do not meet.

    Raises:
        InputError, PlanningError: a motion that the robot cannot make; the message names it by its number and line.

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
    planner = _Planner(robot, machine_of("task", robot), None if folder is None else Path(folder))
    here = planner.first(start, motions)
    found: list[Trajectory] = []
    for k, words in enumerate(motions):
        try:
            way = planner.carrying(words.payload).planned(words, here)
        except GearwrightError as error:
            error.args = (f"{words.where(f'motions[{k}]')}: {error}", *error.args[1:])
            raise
        found.append(way)
        here = way.at(way.duration)
    return tuple(found)


def carrying(robot: Robot, payload: PayloadWords | Literal["none"] | None) -> Robot:
    """The robot with the payload of a task or motion instead of its own, if it states one; "none" is an empty hand."""
    if payload is None:
        return robot
    if isinstance(payload, str):
        return replace(robot, payload=None)
    load = stated_payload(payload)
    return robot.with_payload(load.mass, load.position, load.link, load.inertia, frame=load.frame)


def stated_payload(words: PayloadWords) -> Payload:
    """What a task says of its payload, in the frame that it names or in that of the link, on its joint."""
    return Payload(words.mass, words.position, words.link, words.inertia.tensor, words.frame)


@dataclass(frozen=True)
class _Planner:
    """What all motions of a task share."""

    robot: Robot
    mech: Mechanism
    folder: Path | None

    def carrying(self, payload: PayloadWords | Literal["none"] | None) -> _Planner:
        """The same for a motion that states what is carried."""
        if payload is None:
            return self
        robot = carrying(self.robot, payload)
        return replace(self, robot=robot, mech=machine_of("task", robot))

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates that a motion moves: those of the joints."""
        return tuple(self.mech.coordinates[: self.mech.nq - len(self.mech.shafts)])

    @cached_property
    def loops(self) -> ClosedRobot | None:
        """The robot as its loops close it; None without loops."""
        return ClosedRobot.of(self.robot, self.mech)

    def first(self, start: Configuration | None, motions: Sequence[MotionWords]) -> Array:
        """Where the first motion starts."""
        if start is None and motions and motions[0].file is not None:
            return self._recorded(motions[0].file).at(0.0)[: len(self.names)]
        if self.loops is not None:
            neutral = self.loops.start[: len(self.names)]
            return neutral if start is None else self.loops.at(self.configuration(start, neutral), self._stated(start))
        neutral = neutral_within_limits(self.robot, self.mech)[0][: len(self.names)]
        return neutral if start is None else self.configuration(start, neutral)

    def _stated(self, given: Configuration) -> set[str]:
        """The joints that a configuration names; a list names all."""
        if isinstance(given, str):
            return set(self.robot.state(given).q)
        return set(given if isinstance(given, Mapping) else self.names)

    def configuration(self, given: Configuration, here: Array) -> Array:
        """A configuration of the joints from a list, a mapping over the present one, or the name of a state."""
        if isinstance(given, str):
            stated = self.robot.state(given).q
            return self.configuration({name: stated.get(name, 0.0) for name in self.names}, here)
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in self.names]
            if unknown:
                raise InputError(f"there is no joint {unknown[0]!r}. {did_you_mean(unknown[0], self.names)}")
            return np.array([given.get(name, x) for name, x in zip(self.names, here.tolist(), strict=True)])
        if len(given) != len(self.names):
            raise InputError(
                f"{len(given)} values for the {len(self.names)} joints {listed(self.names)}. Give one each, or a "
                "mapping such as {elbow: 0.5}."
            )
        return np.array(given, dtype=np.float64)

    def planned(self, words: MotionWords, here: Array) -> Trajectory:
        """One motion from a configuration."""
        kinds: dict[str, Callable[[MotionWords, Array], Trajectory]] = {
            **{"to": self._to, "via": self._via, "fastest": self._fastest, "file": self._file, "pause": self._pause},
            **{"line": self._line, "arc": self._arc, "circle": self._circle},
        }
        way = kinds[words.kind](words, here)
        if way.count > len(self.names):  # the shafts of elastic drives follow
            way = Trajectory(piecewise(way.pieces.c[:, :, : len(self.names)], way.pieces.x))
        way = way.of(self.robot)
        way = way if words.smoothing is None else smoothed(way, words.smoothing)
        return way if self.loops is None else self._closed(self.loops, words, way)

    def _closed(self, loops: ClosedRobot, words: MotionWords, way: Trajectory) -> Trajectory:
        """The motion with the free joints as planned, the others closing the loops; a recording must do so itself."""
        if words.file is not None:
            loops.require_closed(words.file, way)
            return way
        *between, last = words.via or [{} if words.to is None else words.to]
        for point in between:
            loops.at(self.configuration(point, way.at(0.0)), self._stated(point))
        return loops.closed(way, self._stated(last))

    def _to(self, words: MotionWords, here: Array) -> Trajectory:
        assert words.to is not None
        end = self.configuration(words.to, here)
        limits: dict[str, Any] = {"speed": words.speed, "acceleration": words.acceleration, "robot": self.robot}
        if words.jerk is None:
            return trapezoid(here, end, **limits)
        return s_curve(here, end, jerk=words.jerk, **limits)

    def _via(self, words: MotionWords, here: Array) -> Trajectory:
        points = self._through(words.via or [], here)
        times = None if words.times is None else [0.0, *words.times]
        limits: dict[str, Any] = {"speed": words.speed, "acceleration": words.acceleration, "jerk": words.jerk}
        return spline(points, times, robot=self.robot, **limits)

    def _fastest(self, words: MotionWords, here: Array) -> Trajectory:
        asked = words.fastest
        assert asked is not None
        limits: dict[str, Any] = {name: getattr(asked, name) for name in ("speed", "acceleration", "torque")}
        return fastest(self.robot, self._through(asked.via, here), share=asked.share, **limits)

    def _through(self, points: Sequence[Configuration], here: Array) -> Array:
        passed = [here]
        for point in points:
            passed.append(self.configuration(point, passed[-1]))
        return np.array(passed)

    def _line(self, words: MotionWords, here: Array) -> Trajectory:
        asked = words.line
        assert asked is not None
        return line(self.robot, asked.frame, here, _goal(asked.to), **_paces(asked))

    def _arc(self, words: MotionWords, here: Array) -> Trajectory:
        asked = words.arc
        assert asked is not None
        return arc(self.robot, asked.frame, here, asked.through, _goal(asked.to), **_paces(asked))

    def _circle(self, words: MotionWords, here: Array) -> Trajectory:
        asked = words.circle
        assert asked is not None
        how: dict[str, Any] = {"turning": asked.turning, "oriented": asked.orientation == "kept"}
        angle = 2 * np.pi if asked.angle is None else asked.angle
        return circle(self.robot, asked.frame, here, asked.centre, asked.axis, angle, **how, **_paces(asked))

    def _file(self, words: MotionWords, here: Array) -> Trajectory:
        assert words.file is not None
        way = self._recorded(words.file)
        first = way.at(0.0)[: len(self.names)]
        apart = float(np.abs(first - here).max())
        if apart > MET:
            k = int(np.abs(first - here).argmax())
            raise InputError(
                f"{words.file}: it starts with {self.names[k]!r} at {first[k]:g}, but the robot is at {here[k]:g}. Put "
                f"a motion `to: {np.round(first, 9).tolist()}` before it."
            )
        return way

    def _recorded(self, name: str) -> Trajectory:
        return recorded(Permissions().found(self.folder or Path.cwd(), name), robot=self.robot)

    def _pause(self, words: MotionWords, here: Array) -> Trajectory:
        assert words.pause is not None
        return pause(here, words.pause, robot=self.robot)


def _goal(words: GoalWords) -> Any:
    """The end of a path: a pose, a position with the orientation kept, or one that leaves it free."""
    position = None if words.xyz is None else [*words.xyz]
    if words.turned:
        return np.array(words.rows), position
    return (None, position) if words.orientation == "any" else position


def _paces(words: Any) -> dict[str, Any]:
    """The limits of a path that are given."""
    names = ("speed", "acceleration", "jerk", "turn_speed", "turn_acceleration", "turn_jerk", "held")
    given = {name: getattr(words, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}
