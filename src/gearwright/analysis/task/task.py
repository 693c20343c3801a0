"""A task: repeated motions of a robot, payloads, ambient temperature and requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from gearwright.analysis.picklable import Picklable
from gearwright.analysis.task.payload_phases import PayloadPhase
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.process_forces import ProcessForce
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, whole_number
from gearwright.errors import InputError
from gearwright.motion import Trajectory, chain
from gearwright.motion import pause as resting
from gearwright.parts import Payload, Robot
from gearwright.parts.drives.thermal import MIN_MOTOR_TEMPERATURE
from gearwright.text import did_you_mean

if TYPE_CHECKING:  # these fields are checked by pydantic, which takes a while to import
    from gearwright.files.fields.robot import PayloadFields
    from gearwright.files.fields.task import ForceFields, PerturbedFields

NO_PAYLOAD: Literal["none"] = "none"
"""The payload of a motion with an empty gripper."""
REQUIREMENT_UNITS = {"cycle_time": "s", "accuracy": "m", "tip_deflection": "m", "life": "h", "frequency": "Hz"}
"""Requirements of a task and their units; life and natural frequency are lower limits, the others upper limits."""


@check_arguments
@dataclass(frozen=True)
class Task(Picklable):
    """A task that a robot repeats.

    Args:
        motions: a trajectory of the joints, or several, each starting at the end of the one before.
        payload: payload that replaces that of the robot.
        pause: rest after every repetition [s].
        repetitions: number of repetitions, or "continuous". Motors start at ambient temperature. Results (temperatures,
            and with them voltage and energy) refer to the last repetition, or to the periodic steady state of a
            continuous task.
        ambient: ambient temperature [K]; by default that of the motors' data.
        required: upper limits of `cycle_time` [s], `accuracy` (tracking error of the tip, [m]) and `tip_deflection`
            [m]; lower limits of the `life` of every rated gearbox [h] and of the natural `frequency` [Hz].
        name: of the task.
        forces: process forces on the robot.
        contact: forces of the robot's contacts and constraints over one cycle, as for `gw.demands`.
        tip: the frame for accuracy and deflection; by default the first frame on the last link, or its origin.
        perturbed: errors and disturbances in a closed loop; its characteristics are computed in addition to those of
            the prescribed motion.
        payloads: payload of each motion: a Payload, "none" for an empty gripper, or None for that of the whole task.
            The pause has that of the last motion.

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
        invalid = [motion for motion in motions if not isinstance(motion, Trajectory)]
        if invalid or not motions:
            received = repr(invalid[0]) if invalid else "an empty list"
            raise InputError(
                f"task {self.name!r}: motions: {received} is no trajectory. Give one Trajectory or several."
            )
        object.__setattr__(self, "motions", motions)
        real_number("task", "pause", self.pause, least=0.0, unit="seconds", example=0.5)
        if self.repetitions != "continuous":
            whole_number("task", "repetitions", self.repetitions, least=1, example=100)
        if self.ambient is not None:
            real_number("task", "ambient", self.ambient, least=MIN_MOTOR_TEMPERATURE, unit="kelvin", example=298.15)
        self._check_requirements()
        self._check_payloads(len(motions))
        object.__setattr__(self, "forces", tuple(self.forces))
        foreign = [force for force in self.forces if not isinstance(force, ProcessForce)]
        if foreign:
            raise InputError(f"task {self.name!r}: {foreign[0]!r} is not a force. Give ProcessForce(frame, force).")

    def _check_payloads(self, motions: int) -> None:
        object.__setattr__(self, "payloads", tuple(self.payloads))
        if self.payloads and len(self.payloads) != motions:
            raise InputError(
                f"task {self.name!r}: {len(self.payloads)} payloads for {motions} motions. Give one each: a Payload, "
                "'none' for an empty gripper, or None for the payload of the task."
            )
        invalid = [
            payload
            for payload in self.payloads
            if not (payload is None or payload == NO_PAYLOAD or _is_payload(payload))
        ]
        if invalid:
            raise InputError(
                f"task {self.name!r}: payloads: {invalid[0]!r} is not a payload. Give a Payload, 'none' or None."
            )

    def _check_requirements(self) -> None:
        for requirement, limit in self.required.items():
            if requirement not in REQUIREMENT_UNITS:
                raise InputError(
                    f"task {self.name!r}: requirement {requirement!r} is unknown. "
                    + did_you_mean(requirement, REQUIREMENT_UNITS)
                )
            real_number("task", f"required[{requirement!r}]", limit, above=0.0, example=1.0)
        object.__setattr__(self, "required", MappingProxyType(dict(self.required)))

    @cached_property
    def cycle(self) -> Trajectory:
        """One repetition: all motions and the pause, as one trajectory."""
        trajectories = list(self.motions) if not isinstance(self.motions, Trajectory) else [self.motions]
        if self.pause:
            trajectories.append(resting(trajectories[-1].at(trajectories[-1].duration), self.pause))
        return trajectories[0] if len(trajectories) == 1 else chain(*trajectories)

    @property
    def is_periodic(self) -> bool:
        """Whether it is repeated continuously."""
        return self.repetitions == "continuous"

    def loaded_robot(self, robot: Robot, purpose: str = "this") -> Robot:
        """The robot with the payload of the task and its motors at the task's ambient temperature, if stated.

        Raises:
            InputError: its motions have different payloads; `purpose` names the function that accepts one only.
        """
        if self.has_changing_payload:
            raise InputError(
                f"task {self.name!r}: its motions have different payloads, but {purpose} accepts one for the whole "
                "cycle. State the heaviest as `payload` of the task, and remove those of its motions."
            )
        return self.payload_phases(robot)[0].robot

    @property
    def has_changing_payload(self) -> bool:
        """Whether the payload changes within the cycle."""
        return len({repr(payload) for payload in self._payload_per_motion}) > 1

    @property
    def _payload_per_motion(self) -> tuple[Payload | Literal["none"] | None, ...]:
        """Per motion its own payload, or that of the task."""
        count = 1 if isinstance(self.motions, Trajectory) else len(self.motions)
        return tuple(self.payload if payload is None else payload for payload in self.payloads or (None,) * count)

    def payload_phases(self, robot: Robot) -> list[PayloadPhase]:
        """The payload phases of a cycle, each with its robot."""
        if self.ambient is not None:
            robot = _with_ambient(robot, self.ambient)
        trajectories = [self.motions] if isinstance(self.motions, Trajectory) else list(self.motions)
        edges = list(accumulate((trajectory.duration for trajectory in trajectories), initial=0.0))
        edges[-1] += self.pause
        carriers: dict[str, Robot] = {}  # by their printed form: payloads with tensors are not hashable
        phases: list[PayloadPhase] = []
        for k, load in enumerate(self._payload_per_motion):
            carrier = carriers.setdefault(repr(load), _with_task_payload(robot, load))
            if phases and phases[-1].robot is carrier:
                phases[-1] = phases[-1]._replace(end=edges[k + 1])
            else:
                phases.append(PayloadPhase(carrier, edges[k], edges[k + 1]))
        return phases

    @property
    def cycle_count(self) -> int | None:
        """Number of repetitions; None: continuous."""
        return None if self.repetitions == "continuous" else int(self.repetitions)

    @staticmethod
    def read(source: str | Path, robot: Robot) -> Task:
        r"""Read a task for a robot from a YAML file or text; motions without limits have those of the robot.

        >>> import gearwright as gw
        >>> words = "task: nod\nmotions: [{to: {j2: 0.5}, speed: 1, acceleration: 5}, {pause: 500 ms}]\n"
        >>> Task.read(words, gw.load("elbow")).cycle.duration
        1.2
        """
        from gearwright.files.fields.task import contact_forces
        from gearwright.files.yaml.reader import as_path
        from gearwright.files.yaml.task_reader import read_task
        from gearwright.planning.paths.task_motions import task_motions, task_payload, with_task_payload

        fields, path = read_task(source), as_path(source)
        loaded = with_task_payload(robot, fields.payload)
        trajectories = task_motions(loaded, fields.motions, fields.start, None if path is None else path.parent)
        payload = None if fields.payload is None else task_payload(robot, fields.payload)
        motion_payloads = [_stated_payload(robot, entry.payload) for entry in fields.motions]
        required = fields.required.model_dump(exclude_none=True)
        return Task(
            trajectories,
            payload,
            fields.pause,
            "continuous" if fields.repetitions is None else fields.repetitions,
            fields.ambient,
            required={requirement: limit for requirement, limit in required.items() if requirement != "tip"},
            name=fields.task,
            forces=_process_forces("process", fields.forces, trajectories),
            contact=contact_forces(fields.contact),
            tip=fields.required.tip,
            perturbed=None if fields.perturbed is None else _read_perturbation(fields.perturbed, trajectories),
            payloads=motion_payloads if any(entry is not None for entry in motion_payloads) else (),
        )


def _with_ambient(robot: Robot, ambient: float) -> Robot:
    """The robot with its motors at an ambient temperature [K]."""

    def with_ambient_heat(owner: Any) -> Any:
        motor = owner.motor
        if motor is None or motor.heat is None:
            return owner
        return replace(owner, motor=replace(motor, heat=replace(motor.heat, ambient=ambient)))

    trains = (replace(train, motors=tuple(map(with_ambient_heat, train.motors))) for train in robot.trains)
    drives, tendons = (tuple(map(with_ambient_heat, parts)) for parts in (robot.drives, robot.tendons))
    return replace(robot, drives=drives, tendons=tendons, trains=tuple(trains))


def _is_payload(value: Any) -> bool:
    return isinstance(value, Payload)


def _with_task_payload(robot: Robot, load: Payload | Literal["none"] | None) -> Robot:
    """The robot with another payload, without payload, or unchanged."""
    if load is None:
        return robot
    if isinstance(load, Payload):
        return robot.with_payload(load.mass, load.position, load.link, load.inertia, frame=load.frame)
    return replace(robot, payload=None)


def _stated_payload(robot: Robot, fields: PayloadFields | Literal["none"] | None) -> Payload | Literal["none"] | None:
    """The payload of a motion in a file."""
    from gearwright.planning.paths.task_motions import task_payload

    return fields if fields is None or isinstance(fields, str) else task_payload(robot, fields)


def _process_forces(
    title: str, entries: Sequence[ForceFields], trajectories: Sequence[Trajectory]
) -> list[ProcessForce]:
    """The forces of a task file; those of one motion start and end with it."""
    edges = list(accumulate((trajectory.duration for trajectory in trajectories), initial=0.0))
    forces = []
    for k, entry in enumerate(entries):
        if entry.during is not None and entry.during >= len(trajectories):
            place = entry.location_or(f"forces[{k}]")
            raise InputError(
                f"{place}: during: {entry.during}, but the task has {len(trajectories)} motions. Count them from 0."
            )
        start, end = (0.0, None) if entry.during is None else (edges[entry.during], edges[entry.during + 1])
        name = entry.name or (title if k == 0 else f"{title} {k + 1}")
        forces.append(ProcessForce(entry.frame, entry.force, entry.moment, entry.times, entry.axes, start, end, name))
    return forces


def _read_perturbation(fields: PerturbedFields, trajectories: Sequence[Trajectory]) -> Perturbation:
    pushes = _process_forces("disturbance", fields.disturbance, trajectories)
    errors = fields.start_error, fields.payload_error, fields.parameter_error
    return Perturbation(*errors, disturbance=pushes, frequency=fields.frequency)
