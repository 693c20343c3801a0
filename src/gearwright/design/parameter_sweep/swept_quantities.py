"""What a sweep varies: numbers of a robot, of its surroundings, of the beams of its links, and of the task it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gearwright.algebra import Scalar
from gearwright.design.parameter_sweep.measures import Analysed
from gearwright.design.variables.beam_links import require_links
from gearwright.design.variables.design_variables import STRETCH, Design, DesignSpace, is_of_link
from gearwright.design.variables.task_speed import stretched
from gearwright.errors import InputError
from gearwright.parts import Robot, parameter
from gearwright.parts.parameter_paths import changed_at, number_at

Measure = Callable[[Robot], Mapping[str, float]]
TASK, PAYLOAD = "task.", "task.payload."


@dataclass(frozen=True)
class Subject:
    """A robot with what it is measured by, and the names of the numbers that vary.

    Args:
        robot: with the payload that it really carries: a task's own payload counts instead of the robot's.
        measure: what is asked of the robot; the task of an analysis varies with it.
        names: paths of the numbers.
    """

    robot: Robot
    measure: Measure
    names: tuple[str, ...]

    @property
    def is_of_robot(self) -> bool:
        """Whether every number is one of the robot's own, so that a kernel may take it."""
        return not self._of_task and not self._space.links

    def at(self, values: Mapping[str, float]) -> tuple[Robot, Measure]:
        """The robot and its measure with these numbers."""
        mine = {name: x for name, x in values.items() if name in self._of_task}
        robot, _ = self._space.built({_plain(name): x for name, x in values.items() if name not in mine})
        return robot, self._measured(mine)

    def numbers(self, values: Mapping[str, float]) -> dict[str, float]:
        """What is measured with these numbers."""
        robot, measure = self.at(values)
        return {str(name): float(x) for name, x in dict(measure(robot)).items()}

    @cached_property
    def _of_task(self) -> tuple[str, ...]:
        if not isinstance(self.measure, Analysed):
            return ()
        return tuple(name for name in self.names if name.startswith(TASK) and not name.startswith(PAYLOAD))

    @cached_property
    def _space(self) -> DesignSpace:
        task: Any = getattr(self.measure, "task", None)  # the space is asked for its robot alone
        mine = [_plain(name) for name in self.names if name not in self._of_task]
        return DesignSpace(Design(self.robot, task, self.robot.sections), dict.fromkeys(mine, ()))

    def _measured(self, values: Mapping[str, Scalar]) -> Measure:
        if not isinstance(self.measure, Analysed) or not values:
            return self.measure
        task = self.measure.task
        for name, x in values.items():
            if name == STRETCH:
                task = stretched(task, x)
            else:
                task = changed_at(name, task, name.removeprefix(TASK).split("."), x)
        return replace(self.measure, task=task)

    def require_known(self) -> None:
        """Refuse names that lead to no number."""
        plain = [_plain(name) for name in self.names]
        twice = [name for name in plain if plain.count(name) > 1]
        if twice:
            raise InputError(f"sweep: {twice[0]!r} is named twice, as payload of the robot and of the task. Name one.")
        require_links(dict(self._space.base.sections), self._space.links)
        for name in self.names:
            self._require(name)

    def _require(self, name: str) -> None:
        changes = isinstance(self.measure, Analysed) and self.measure.task.changes_payload
        if changes and _plain(name).startswith("payload."):
            raise InputError(
                f"sweep: {name!r} does not vary while motions of the task carry payloads of their own. Give the task "
                "one payload, or sweep something else."
            )
        if name.startswith(TASK) and not isinstance(self.measure, Analysed) and self._robot_lacks(name):
            raise InputError(f"sweep: {name!r} is a number of a task, but the measure is not one. Sweep a task.")
        if name in self._of_task:
            self._require_of_task(name)
        elif not is_of_link(self.robot, name):
            parameter(self.robot, _plain(name))

    def _robot_lacks(self, name: str) -> bool:
        """Whether no part of the robot is called like the first word of a path."""
        parts: list[Any] = [*self.robot.links, *self.robot.trains, *self.robot.frames]
        return name.split(".")[0] not in [part.name for part in parts]

    def _require_of_task(self, name: str) -> None:
        assert isinstance(self.measure, Analysed)
        if name != STRETCH:
            number_at(name, self.measure.task, name.removeprefix(TASK).split("."))


def subject_of(robot: Robot, measure: Measure, names: tuple[str, ...]) -> Subject:
    """What is to vary, every name checked; a task's payload is put onto the robot, whose payload it replaces.

    Payloads of single motions stay with the task and do not vary.
    """
    if isinstance(measure, Analysed) and not measure.task.changes_payload:
        bare = replace(measure.task, payload=None, payloads=())
        robot, measure = measure.task.carried_by(robot), replace(measure, task=bare)
    subject = Subject(robot, measure, names)
    subject.require_known()
    return subject


def _plain(name: str) -> str:
    """The payload of a task is the one that the robot carries."""
    return name.removeprefix(TASK) if name.startswith(PAYLOAD) else name
