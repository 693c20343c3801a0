"""A task: motions that a robot repeats, what it carries, how warm it is, and what is required of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from gearwright.analysis.picklable import Sendable
from gearwright.analysis.task.payload_phases import Stretch
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.process_forces import ProcessForce
from gearwright.arguments import number, whole
from gearwright.errors import InputError
from gearwright.motion import Trajectory, chain
from gearwright.motion import pause as resting
from gearwright.parts import Payload, Robot
from gearwright.parts.drives.thermal import COLDEST
from gearwright.text import did_you_mean

if TYPE_CHECKING:  # the words are checked by pydantic, which takes a while to import
    from gearwright.files.fields.robot import PayloadWords
    from gearwright.files.fields.task import ForceWords, PerturbedWords

NOTHING_CARRIED: Literal["none"] = "none"
"""The payload of a motion with an empty gripper."""
REQUIREMENTS = {"cycle_time": "s", "accuracy": "m", "tip_deflection": "m", "life": "h", "frequency": "Hz"}
"""What a task may require, and its unit; life and natural frequency at least, all else at most."""


@dataclass(frozen=True)
class Task(Sendable):
    """What a robot is to do, again and again.

    Args:
        motions: a trajectory of the joints, or several, each from where the one before ended.
        payload: what the robot carries instead of its own payload.
        pause: rest after every repetition [s].
        repetitions: how often, or "continuous". Motors start as cold as the air; what is told (temperatures, and with
            them voltage and energy) is the last repetition, of a continuous task the periodic steady state.
        ambient: temperature of the air [K]; that of the motors' data unless given.
        required: largest `cycle_time` [s], `accuracy` (tracking error of the tip, [m]) and `tip_deflection` [m]; least
            `life` of every gearbox that is rated [h] and natural `frequency` [Hz].
        name: its name.
        forces: what the process does to the robot.
        contact: forces of the robot's contacts and constraints over one cycle, as `gw.demands` takes them.
        tip: the frame whose accuracy and deflection count; the first frame on the last link, or its origin, unless
            given.
        perturbed: what goes wrong in a closed loop; its characteristics then stand beside those of the prescribed
            motion.
        payloads: per motion what the robot carries meanwhile: a Payload, "none" for an empty gripper, or None for that
            of the whole task. The pause has that of the last motion.

    >>> from gearwright.motion import s_curve
    >>> there = s_curve([0.0], [1.0], speed=2.0, acceleration=8.0, jerk=80.0)
    >>> back = s_curve([1.0], [0.0], speed=2.0, acceleration=8.0, jerk=80.0)
    >>> round(Task([there, back], pause=0.5).cycle.duration - 2 * there.duration, 12)
    0.5
    """

    motions: Trajectory | Sequence[Trajectory]
    payload: Payload | None = None
    pause: float = 0.0
    repetitions: int | Literal["continuous"] = "continuous"
    ambient: float | None = None
    required: Mapping[str, float] = field(default_factory=dict)
    name: str = "task"
    forces: Sequence[ProcessForce] = ()
    contact: Mapping[str, Any] = field(default_factory=dict)
    tip: str | None = None
    perturbed: Perturbation | None = None
    payloads: Sequence[Payload | Literal["none"] | None] = ()

    def __post_init__(self) -> None:
        motions = (self.motions,) if isinstance(self.motions, Trajectory) else tuple(self.motions)
        strange = [way for way in motions if not isinstance(way, Trajectory)]
        if strange or not motions:
            given = repr(strange[0]) if strange else "an empty list"
            raise InputError(f"task {self.name!r}: {given} stands for its motions. Give one Trajectory or several.")
        object.__setattr__(self, "motions", motions)
        number("task", "pause", self.pause, least=0.0, unit="seconds", example=0.5)
        if self.repetitions != "continuous":
            whole("task", "repetitions", self.repetitions, least=1, example=100)
        if self.ambient is not None:
            number("task", "ambient", self.ambient, least=COLDEST, unit="kelvin", example=298.15)
        self._check_requirements()
        self._check_payloads(len(motions))
        object.__setattr__(self, "forces", tuple(self.forces))
        other = [force for force in self.forces if not isinstance(force, ProcessForce)]
        if other:
            raise InputError(f"task {self.name!r}: {other[0]!r} stands for a force. Give ProcessForce(frame, force).")

    def _check_payloads(self, motions: int) -> None:
        object.__setattr__(self, "payloads", tuple(self.payloads))
        if self.payloads and len(self.payloads) != motions:
            raise InputError(
                f"task {self.name!r}: {len(self.payloads)} payloads for {motions} motions. Give one each: a Payload, "
                "'none' for an empty gripper, or None for the payload of the task."
            )
        strange = [one for one in self.payloads if not (one is None or one == NOTHING_CARRIED or _is_payload(one))]
        if strange:
            raise InputError(
                f"task {self.name!r}: {strange[0]!r} stands for a payload. Give a Payload, 'none' or None."
            )

    def _check_requirements(self) -> None:
        for word, most in self.required.items():
            if word not in REQUIREMENTS:
                raise InputError(f"task {self.name!r}: required {word!r}: {did_you_mean(word, REQUIREMENTS)}")
            number("task", f"required[{word!r}]", most, above=0.0, example=1.0)
        object.__setattr__(self, "required", MappingProxyType(dict(self.required)))

    @cached_property
    def cycle(self) -> Trajectory:
        """One repetition: all motions and the pause, as one trajectory."""
        ways = list(self.motions) if not isinstance(self.motions, Trajectory) else [self.motions]
        if self.pause:
            ways.append(resting(ways[-1].at(ways[-1].duration), self.pause))
        return ways[0] if len(ways) == 1 else chain(*ways)

    @property
    def is_periodic(self) -> bool:
        """Whether it goes on for ever."""
        return self.repetitions == "continuous"

    def carried_by(self, robot: Robot, what: str = "this") -> Robot:
        """The robot with the task's payload, and its motors in the task's air, if the task states them.

        Raises:
            InputError: its motions carry different payloads; `what` is what takes one only.
        """
        if self.changes_payload:
            raise InputError(
                f"task {self.name!r}: its motions carry different payloads, and {what} takes one for the whole cycle. "
                "State the heaviest as `payload` of the task, and leave those of its motions out."
            )
        return self.stretches(robot)[0].robot

    @property
    def changes_payload(self) -> bool:
        """Whether what the robot carries changes along the cycle."""
        return len({repr(one) for one in self._carried}) > 1

    @property
    def _carried(self) -> tuple[Payload | Literal["none"] | None, ...]:
        """Per motion its payload, or that of the task."""
        count = 1 if isinstance(self.motions, Trajectory) else len(self.motions)
        return tuple(self.payload if one is None else one for one in self.payloads or (None,) * count)

    def stretches(self, robot: Robot) -> list[Stretch]:
        """The stretches of a cycle on which the robot carries one payload each, with the robot that does."""
        if self.ambient is not None:
            robot = _in_air(robot, self.ambient)
        ways = [self.motions] if isinstance(self.motions, Trajectory) else list(self.motions)
        edges = list(accumulate((way.duration for way in ways), initial=0.0))
        edges[-1] += self.pause
        carriers: dict[str, Robot] = {}  # by what they print as: payloads with tensors are not hashable
        found: list[Stretch] = []
        for k, load in enumerate(self._carried):
            carrier = carriers.setdefault(repr(load), _carrying(robot, load))
            if found and found[-1].robot is carrier:
                found[-1] = found[-1]._replace(end=edges[k + 1])
            else:
                found.append(Stretch(carrier, edges[k], edges[k + 1]))
        return found

    @property
    def cycles(self) -> int | None:
        """How often the cycle is done; None: for ever."""
        return None if self.repetitions == "continuous" else int(self.repetitions)

    @staticmethod
    def read(source: str | Path, robot: Robot) -> Task:
        r"""The task of a YAML file or text for a robot, whose limits hold where a motion states none.

        >>> import gearwright as gw
        >>> words = "task: nod\nmotions: [{to: {j2: 0.5}, speed: 1, acceleration: 5}, {pause: 500 ms}]\n"
        >>> Task.read(words, gw.load("elbow")).cycle.duration
        1.2
        """
        from gearwright.files.fields.task import contact_of
        from gearwright.files.yaml.reader import as_path
        from gearwright.files.yaml.task_reader import read_task
        from gearwright.planning.paths.task_motions import carrying, stated_payload, task_motions

        words, path = read_task(source), as_path(source)
        loaded = carrying(robot, words.payload)
        ways = task_motions(loaded, words.motions, words.start, None if path is None else path.parent)
        payload = None if words.payload is None else stated_payload(words.payload)
        each = [_stated(one.payload) for one in words.motions]
        required = words.required.model_dump(exclude_none=True)
        return Task(
            ways,
            payload,
            words.pause,
            "continuous" if words.repetitions is None else words.repetitions,
            words.ambient,
            required={word: most for word, most in required.items() if word != "tip"},
            name=words.task,
            forces=_forces("process", words.forces, ways),
            contact=contact_of(words.contact),
            tip=words.required.tip,
            perturbed=None if words.perturbed is None else _perturbed(words.perturbed, ways),
            payloads=each if any(one is not None for one in each) else (),
        )


def _in_air(robot: Robot, ambient: float) -> Robot:
    """The robot whose motors stand in air of a temperature [K]."""

    def placed(owner: Any) -> Any:
        motor = owner.motor
        if motor is None or motor.heat is None:
            return owner
        return replace(owner, motor=replace(motor, heat=replace(motor.heat, ambient=ambient)))

    trains = (replace(train, motors=tuple(map(placed, train.motors))) for train in robot.trains)
    drives, tendons = (tuple(map(placed, parts)) for parts in (robot.drives, robot.tendons))
    return replace(robot, drives=drives, tendons=tendons, trains=tuple(trains))


def _is_payload(given: Any) -> bool:
    return isinstance(given, Payload)


def _carrying(robot: Robot, load: Payload | Literal["none"] | None) -> Robot:
    """The robot with a payload instead of its own, with nothing, or as it is."""
    if load is None:
        return robot
    if isinstance(load, Payload):
        return robot.with_payload(load.mass, load.position, load.link, load.inertia, frame=load.frame)
    return replace(robot, payload=None)


def _stated(words: PayloadWords | Literal["none"] | None) -> Payload | Literal["none"] | None:
    """What a motion of a file says of its payload."""
    from gearwright.planning.paths.task_motions import stated_payload

    return words if words is None or isinstance(words, str) else stated_payload(words)


def _forces(title: str, words: Sequence[ForceWords], ways: Sequence[Trajectory]) -> list[ProcessForce]:
    """The forces of a task file; those of one motion begin and end with it."""
    edges = list(accumulate((way.duration for way in ways), initial=0.0))
    found = []
    for k, one in enumerate(words):
        if one.during is not None and one.during >= len(ways):
            place = one.where(f"forces[{k}]")
            raise InputError(f"{place}: during: {one.during}, but the task has {len(ways)} motions. Count them from 0.")
        start, end = (0.0, None) if one.during is None else (edges[one.during], edges[one.during + 1])
        name = one.name or (title if k == 0 else f"{title} {k + 1}")
        found.append(ProcessForce(one.frame, one.force, one.moment, one.times, one.axes, start, end, name))
    return found


def _perturbed(words: PerturbedWords, ways: Sequence[Trajectory]) -> Perturbation:
    pushes = _forces("disturbance", words.disturbance, ways)
    errors = words.start_error, words.payload_error, words.parameter_error
    return Perturbation(*errors, disturbance=pushes, frequency=words.frequency)
