"""The model of a robot with its laws for exported simulations: its inputs, parameters, laws and initial state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from gearwright.errors import InputError, NotTraceableError
from gearwright.export.fmi.model_source import FmuModel
from gearwright.forces import Law
from gearwright.mechanism import RobotOrMech
from gearwright.parts import Robot
from gearwright.system.kernels.traced_laws import law_survey
from gearwright.system.open_systems.open_system import OpenSystem, open_system
from gearwright.system.state import State, initial_state, state_vector
from gearwright.text import listed_names


def robot_model(
    caller: str,
    robot: RobotOrMech,
    inputs: str | Iterable[str],
    parameters: Sequence[str],
    state: Any,
    laws: tuple[Iterable[Law] | None, Iterable[Law]] = (None, ()),
) -> FmuModel:
    """The model of a robot or machine.

    Args:
        caller: the name of the called function, for messages.
        robot: the robot (with the laws of its file) or a machine.
        inputs: "torque", "motor_torque", "voltage", or names; see `fmu`.
        parameters: paths of parameters that can be changed.
        state: the initial state, or the name of a state of the robot.
        laws: laws that replace those of the robot (None: its own), and laws added to them.
    """
    open_model = _open_model(caller, robot, inputs, parameters, laws)
    system = open_model.system
    start = state_vector(system, initial_state(system.mech, _first_state(caller, robot, open_model, state), robot))
    model = FmuModel(str(getattr(robot, "name", "machine")), open_model, start)
    _require_tunable_parameters(caller, model)
    _require_single_contact(caller, model)
    return model


def _open_model(
    caller: str,
    robot: RobotOrMech,
    inputs: str | Iterable[str],
    parameters: Sequence[str],
    laws: tuple[Iterable[Law] | None, Iterable[Law]],
) -> OpenSystem:
    open_model = open_system(caller, robot, inputs, parameters, *laws, smooth=False)
    for obstacle in law_survey(open_model.system).obstacles:
        raise InputError(f"{caller}: {obstacle}")
    return open_model


def _require_single_contact(caller: str, model: FmuModel) -> None:
    """Raise an error if modes or impacts of contacts are determined outside the event engine."""
    structure = model.instant_programs.places.structure
    contacts = [
        law.name for law, flag in zip(model.open_model.system.laws, structure.modes_together, strict=True) if flag
    ]
    if contacts and structure.contact_law < 0:
        raise InputError(
            f"{caller}: the modes and impacts of the rigid contacts {listed_names(contacts)} are found by `simulate` "
            "only: exported code takes one rigid contact. Use compliant surfaces (SoftContact), end stops, or leave "
            "contacts out (laws=)."
        )


def _first_state(caller: str, robot: RobotOrMech, open_model: OpenSystem, state: Any) -> Any:
    if isinstance(state, str):
        if not isinstance(robot, Robot):
            raise InputError(f"{caller}: state={state!r}: a machine has no named states. Give numbers.")
        return State.from_robot(robot, state, open_model.system.mech)
    return state


def _require_tunable_parameters(caller: str, model: FmuModel) -> None:
    """Raise an error for a parameter that changes the structure of a law or part."""
    try:
        _ = model.instantiation_token
    except NotTraceableError:
        for path in model.open_model.parameters:
            try:
                _ = replace(model, open_model=replace(model.open_model, parameters=(path,))).instantiation_token
            except NotTraceableError:
                raise InputError(
                    f"{caller}: parameter {path!r} cannot be changed in exported code: it determines the "
                    "structure of a law or part of the robot. Remove it, and export once per value."
                ) from None
        raise
