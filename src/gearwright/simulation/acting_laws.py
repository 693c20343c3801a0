"""The active laws of a run: those of the robot or of the user, and motors with a given voltage, current or torque."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.errors import InputError
from gearwright.forces import Law, MotorTorque
from gearwright.forces.laws_of_robot import LawChoice, choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.system import Controller
from gearwright.system.controllers.law_controller import FORCE_OUTPUT_PREFIX, LawController
from gearwright.system.state import State
from gearwright.text import did_you_mean


def acting_laws(
    caller: str,
    robot: Robot | Mechanism,
    mech: Mechanism,
    laws_and_extra: tuple[Iterable[Law] | None, Iterable[Law]],
    input_names: Collection[str],
    *,
    smooth: bool,
) -> LawChoice:
    """The laws of a run, with the motors whose voltage, current or torque is among the names of inputs.

    `laws_and_extra` are `laws` and `extra_laws` of the user.
    """
    laws, extra_laws = laws_and_extra
    choice = choose_laws(
        caller, robot, laws, extra_laws, lambda robot_itself: laws_of(robot_itself, mech, input_names, smooth=smooth)
    )
    return choice._replace(laws=(*choice.laws, *_torque_sources(caller, mech, input_names, choice.laws)))


@dataclass(frozen=True)
class RobotLaws:
    """The laws of a robot in a simulation, made again for every set of its numbers.

    Args:
        input_names: names of the given inputs.
        extra_laws: laws in addition to those of the robot.
        smooth: friction, stops and gaps without modes.
    """

    input_names: frozenset[str] = frozenset()
    extra_laws: tuple[Law, ...] = ()
    smooth: bool = False

    def laws_for(self, robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
        """The laws of a robot with its numbers, which may be symbols."""
        return acting_laws("rollout", robot, mech, (None, self.extra_laws), self.input_names, smooth=self.smooth).laws


def _torque_sources(caller: str, mech: Mechanism, input_names: Collection[str], chosen: Sequence[Law]) -> list[Law]:
    """Motors whose torque is given by name, unless a law of the user has an input of that name."""
    taken_inputs = {quantity.name for law in chosen for quantity in getattr(law, "inputs", ())}
    _raise_if_unknown_motor(caller, [name for name in sorted(input_names) if name not in taken_inputs], mech)
    sources: list[Law] = []
    for motor in mech.actuators:
        name = f"{motor.name}.torque"
        if name in input_names and name not in taken_inputs:
            conflicting = [
                word for word in (f"{motor.name}.voltage", f"{motor.name}.current_reference") if word in input_names
            ]
            if conflicting:
                raise InputError(f"{caller}: both {name} and {conflicting[0]} are given. Give one of them.")
            sources.append(MotorTorque.for_machine(mech, motor.name))
    return sources


def _raise_if_unknown_motor(caller: str, names: Sequence[str], mech: Mechanism) -> None:
    """Raise an error for the torque of a motor that does not exist: only motors with a given torque are inputs."""
    motors = [f"{motor.name}.torque" for motor in mech.actuators]
    for name in names:
        if motors and name.endswith(".torque") and name not in motors:
            raise InputError(f"{caller}: there is no input {name!r}. {did_you_mean(name, motors)}")


def named_inputs(inputs: Any, control: Controller | None, start: State) -> set[str]:
    """Names of the given inputs; a controller is called once to list its outputs."""
    names = set(inputs) if isinstance(inputs, Mapping) else set()
    return names if control is None else names | _controller_outputs(control, start)


def driven_inputs(control: LawController) -> frozenset[str]:
    """The inputs of laws, such as voltages of motors, that a control law drives."""
    return frozenset(name for name in control.law.outputs if not name.startswith(FORCE_OUTPUT_PREFIX))


def _controller_outputs(control: Controller, start: State) -> set[str]:
    if isinstance(control, LawController):
        return set(driven_inputs(control))
    try:
        outputs, _ = control.outputs_and_rates(0.0, start.with_states({**control.states, **start.states}))
    except InputError:  # it reads states of laws, which are not known yet: it therefore drives motors
        return {"*"}
    return set(outputs) if isinstance(outputs, Mapping) else set()
