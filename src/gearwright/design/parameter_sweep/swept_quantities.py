"""Swept quantities: numbers of a robot, of its contacts, of the beams of its links, and of the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gearwright.algebra import Scalar
from gearwright.design.parameter_sweep.measures import AnalysisMeasure
from gearwright.design.variables.beam_links import require_links
from gearwright.design.variables.design_variables import TIME_SCALE_VARIABLE, Design, DesignSpace, is_link_variable
from gearwright.design.variables.task_speed import slowed_task
from gearwright.errors import InputError
from gearwright.parts import Robot, parameter
from gearwright.parts.parameter_paths import number_at_path, with_number_at

Measure = Callable[[Robot], Mapping[str, float]]
TASK_PREFIX, TASK_PAYLOAD_PREFIX = "task.", "task.payload."


@dataclass(frozen=True)
class SweepSubject:
    """A robot, its measure, and the names of the swept numbers.

    Args:
        robot: with its actual payload: that of the task replaces that of the robot.
        measure: measure of the robot; the task of an analysis may vary.
        names: paths of the numbers.
    """

    robot: Robot
    measure: Measure
    names: tuple[str, ...]

    @property
    def is_of_robot(self) -> bool:
        """Whether every number is one of the robot, so that a kernel can accept it."""
        return not self._task_names and not self._design_space.varied_links

    def robot_and_measure(self, values: Mapping[str, float]) -> tuple[Robot, Measure]:
        """The robot and its measure with these numbers."""
        task_values = {name: x for name, x in values.items() if name in self._task_names}
        robot, _ = self._design_space.robot_and_sections(
            {_robot_parameter(name): x for name, x in values.items() if name not in task_values}
        )
        return robot, self._measure_with(task_values)

    def measured_numbers(self, values: Mapping[str, float]) -> dict[str, float]:
        """The results of the measure with these numbers."""
        robot, measure = self.robot_and_measure(values)
        return {str(name): float(x) for name, x in dict(measure(robot)).items()}

    @cached_property
    def _task_names(self) -> tuple[str, ...]:
        if not isinstance(self.measure, AnalysisMeasure):
            return ()
        return tuple(
            name for name in self.names if name.startswith(TASK_PREFIX) and not name.startswith(TASK_PAYLOAD_PREFIX)
        )

    @cached_property
    def _design_space(self) -> DesignSpace:
        task: Any = getattr(self.measure, "task", None)  # only the robot of the space is used
        robot_names = [_robot_parameter(name) for name in self.names if name not in self._task_names]
        return DesignSpace(Design(self.robot, task, self.robot.sections), dict.fromkeys(robot_names, ()))

    def _measure_with(self, values: Mapping[str, Scalar]) -> Measure:
        if not isinstance(self.measure, AnalysisMeasure) or not values:
            return self.measure
        task = self.measure.task
        for name, x in values.items():
            if name == TIME_SCALE_VARIABLE:
                task = slowed_task(task, x)
            else:
                task = with_number_at(name, task, name.removeprefix(TASK_PREFIX).split("."), x)
        return replace(self.measure, task=task)

    def require_known_names(self) -> None:
        """Raise an error for names without a number."""
        plain = [_robot_parameter(name) for name in self.names]
        repeated = [name for name in plain if plain.count(name) > 1]
        if repeated:
            raise InputError(
                f"sweep: {repeated[0]!r} is named twice, as payload of the robot and of the task. Name one."
            )
        require_links(dict(self._design_space.base.sections), self._design_space.varied_links)
        for name in self.names:
            self._require_name(name)

    def _require_name(self, name: str) -> None:
        changes = isinstance(self.measure, AnalysisMeasure) and self.measure.task.has_changing_payload
        if changes and _robot_parameter(name).startswith("payload."):
            raise InputError(
                f"sweep: {name!r} cannot be swept, because motions of the task have their own payloads. Give the task "
                "one payload, or sweep another quantity."
            )
        if (
            name.startswith(TASK_PREFIX)
            and not isinstance(self.measure, AnalysisMeasure)
            and self._is_unknown_part(name)
        ):
            raise InputError(f"sweep: {name!r} is a number of a task, but the measure is not a task. Sweep a task.")
        if name in self._task_names:
            self._require_task_number(name)
        elif not is_link_variable(self.robot, name):
            parameter(self.robot, _robot_parameter(name))

    def _is_unknown_part(self, name: str) -> bool:
        """Whether no part of the robot has the name at the start of a path."""
        parts: list[Any] = [*self.robot.links, *self.robot.trains, *self.robot.frames]
        return name.split(".")[0] not in [part.name for part in parts]

    def _require_task_number(self, name: str) -> None:
        assert isinstance(self.measure, AnalysisMeasure)
        if name != TIME_SCALE_VARIABLE:
            number_at_path(name, self.measure.task, name.removeprefix(TASK_PREFIX).split("."))


def subject_of(robot: Robot, measure: Measure, names: tuple[str, ...]) -> SweepSubject:
    """The subject of a sweep, with every name checked; the payload of a task replaces that of the robot.

    Payloads of single motions stay with the task and do not vary.
    """
    if isinstance(measure, AnalysisMeasure) and not measure.task.has_changing_payload:
        bare = replace(measure.task, payload=None, payloads=())
        robot, measure = measure.task.loaded_robot(robot), replace(measure, task=bare)
    subject = SweepSubject(robot, measure, names)
    subject.require_known_names()
    return subject


def _robot_parameter(name: str) -> str:
    """The path of a number, with the payload of the task as payload of the robot."""
    return name.removeprefix(TASK_PREFIX) if name.startswith(TASK_PAYLOAD_PREFIX) else name
