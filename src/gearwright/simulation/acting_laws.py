"""Which laws act in a run: those of the robot or of the user, and motors where somebody gives what drives them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import LawChoice, choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.motors.torque_source import MotorTorque
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.system.controllers.controller import Controller
from gearwright.system.controllers.law_controller import FORCE, LawController
from gearwright.system.state import State
from gearwright.text import did_you_mean


def acting_laws(
    caller: str,
    robot: Robot | Mechanism,
    mech: Mechanism,
    given: tuple[Iterable[Law] | None, Iterable[Law]],
    named: Collection[str],
    *,
    smooth: bool,
) -> LawChoice:
    """The laws of a run; motors join in where a voltage, current or torque of theirs is among the names of inputs.

    `given` are `laws` and `extra_laws` as the user states them.
    """
    laws, extra_laws = given
    choice = choose_laws(caller, robot, laws, extra_laws, lambda own: laws_of(own, mech, named, smooth=smooth))
    return choice._replace(laws=(*choice.laws, *_torques(caller, mech, named, choice.laws)))


@dataclass(frozen=True)
class RobotLaws:
    """The laws that a robot brings into a motion, made anew for every robot of other numbers.

    Args:
        named: the inputs that somebody gives by name.
        extra: laws beside those of the robot.
        smooth: friction, stops and gaps without modes.
    """

    named: frozenset[str] = frozenset()
    extra: tuple[Law, ...] = ()
    smooth: bool = False

    def of(self, robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
        """Those of a robot with the numbers (of any kind) that it has."""
        return acting_laws("rollout", robot, mech, (None, self.extra), self.named, smooth=self.smooth).laws


def _torques(caller: str, mech: Mechanism, named: Collection[str], chosen: Sequence[Law]) -> list[Law]:
    """Motors whose torque is given by name, unless a law of the user's takes an input of that name."""
    known = {one.name for law in chosen for one in getattr(law, "inputs", ())}
    _refuse_unknown(caller, [name for name in sorted(named) if name not in known], mech)
    found: list[Law] = []
    for motor in mech.actuators:
        name = f"{motor.name}.torque"
        if name in named and name not in known:
            also = [word for word in (f"{motor.name}.voltage", f"{motor.name}.current_reference") if word in named]
            if also:
                raise InputError(f"{caller}: both {name} and {also[0]} are given. Give one of them.")
            found.append(MotorTorque.of(mech, motor.name))
    return found


def _refuse_unknown(caller: str, names: Sequence[str], mech: Mechanism) -> None:
    """The torque of a motor that does not exist: inputs know motors only once their torques are given."""
    motors = [f"{motor.name}.torque" for motor in mech.actuators]
    for name in names:
        if motors and name.endswith(".torque") and name not in motors:
            raise InputError(f"{caller}: there is no input {name!r}. {did_you_mean(name, motors)}")


def named_inputs(inputs: Any, control: Controller | None, begin: State) -> set[str]:
    """Which inputs somebody gives by name; a controller is asked once."""
    named = set(inputs) if isinstance(inputs, Mapping) else set()
    return named if control is None else named | _outputs(control, begin)


def driven_inputs(control: LawController) -> frozenset[str]:
    """The inputs of laws, such as voltages of motors, that a control law drives."""
    return frozenset(name for name in control.law.outputs if not name.startswith(FORCE))


def _outputs(control: Controller, begin: State) -> set[str]:
    if isinstance(control, LawController):
        return set(driven_inputs(control))
    try:
        answer, _ = control.answer(0.0, begin.with_states({**control.states, **begin.states}))
    except InputError:  # it needs states of laws, which are not known yet: then it drives motors
        return {"*"}
    return set(answer) if isinstance(answer, Mapping) else set()
