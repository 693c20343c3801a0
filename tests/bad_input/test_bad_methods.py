"""Wrong values for the methods of robots, motions, runs and other results: never a foreign error, never a crash."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.bad_input import test_bad_constructors as constructors
from tests.bad_input.test_bad_arguments import (
    AT,
    FEW,
    LOG,
    MECH,
    MOTION,
    PD,
    ROBOT,
    STAY,
    analysis,
    identification,
    run,
)

import gearwright as gw
from gearwright.errors import GearwrightError, InputError

OBJECTS: dict[str, Callable[[], Any]] = {
    "Robot": lambda: ROBOT,
    "Drive": lambda: ROBOT.drives[0],
    "Gear": lambda: ROBOT.drives[0].gear,
    "Motor": lambda: ROBOT.drives[0].motor,
    "Mechanism": lambda: MECH,
    "Trajectory": lambda: MOTION,
    "Motion": lambda: FEW,
    "Kernel": lambda: gw.compile("gravity", MECH),
    "Run": run,
    "MotionDemands": lambda: gw.demands(ROBOT, MOTION, samples=5),
    "Analysis": analysis,
    "Comparison": lambda: gw.analysis.compare(ROBOT, FEW),
    "Task": lambda: gw.analysis.Task(MOTION),
    "Log": lambda: LOG,
    "Identification": identification,
    "InverseKinematics": lambda: gw.inverse_kinematics(ROBOT, "tool", AT),
    "LawController": lambda: PD,
}
USUAL: dict[str, Any] = {
    **{
        "joint": "j1",
        "path": "out.csv",
        "other": None,
        "drive": "j1",
        "t": 0.5,
        "log": LOG,
        "motion": FEW,
        "mech": MECH,
    },
    **{"name": "j1", "payload": None, "body": "link1", "body_or_frame": "tool", "robot": ROBOT, "run": None},
}
WRONG: dict[str, Any] = {**constructors.WRONG, "iterator": iter(()), "set": {1, 2}, "bytes": b"x", "function": len}
INTERNAL = {
    "Mechanism.is_moved", "Mechanism.parent_of", "Mechanism.carrier_name", "Kernel.from_cache",
    "LawController.outputs_and_rates",
}  # fmt: skip
"""Methods that recursions, the compiler and the simulation call with indices, requests and states they made."""


def methods(title: str) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any], list[str]]]:
    """Public methods of an object: title, bound method, usual arguments, all argument names."""
    result = OBJECTS[title]()
    for name in dir(type(result)):
        method = None if name.startswith("_") else getattr(result, name, None)
        if f"{title}.{name}" in INTERNAL or not (inspect.ismethod(method) or inspect.isfunction(method)):
            continue
        named = [
            p for p in inspect.signature(method).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        usual = {p.name: USUAL.get(p.name) for p in named if p.default is p.empty}
        yield f"{title}.{name}", method, usual, [p.name for p in named]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", OBJECTS)
def test_methods_answer_wrong_values_with_an_error_of_ours(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for method_title, method, usual, names in methods(title):
        for name in names:
            for word, value in WRONG.items():
                try:
                    method(**{**usual, name: value})
                except GearwrightError:
                    pass
                except Exception as error:
                    pytest.fail(f"{method_title} {name}={word}: {type(error).__name__}: {error}")


def public_classes() -> Iterator[tuple[str, type, list[inspect.Parameter]]]:
    """Public classes that can be constructed, whose constructors are not decorated."""
    for name, cls in constructors.PUBLIC.items():
        if not inspect.isclass(cls) or issubclass(cls, BaseException) or cls in constructors.BUILT:
            continue
        try:
            parameters = inspect.signature(cls).parameters.values()
        except ValueError:  # a class that is made by functions only
            continue
        yield name, cls, [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


@pytest.mark.parametrize(("name", "cls", "parameters"), [pytest.param(*x, id=x[0]) for x in public_classes()])
def test_classes_that_check_their_arguments_themselves_raise_no_foreign_error(name, cls, parameters):
    usual = {p.name: constructors.USUAL.get(p.name) for p in parameters if p.default is p.empty}
    for parameter in parameters:
        for word, value in WRONG.items():
            try:
                cls(**{**usual, parameter.name: value})
            except GearwrightError:
                pass
            except Exception as error:
                pytest.fail(f"{name} {parameter.name}={word}: {type(error).__name__}: {error}")


def test_arguments_of_methods_are_named():
    with pytest.raises(InputError) as caught:
        run().compare("other.csv")
    assert str(caught.value).startswith("Run.compare: other='other.csv' must be a Run")


@pytest.mark.parametrize(
    "arrays", [{}, {"q": np.zeros(2)}, {"q": np.zeros(3, int)}, {"v": np.zeros(3)}, None, {"q": STAY}]
)
def test_machine_code_is_never_called_with_other_arrays_than_its_inputs(arrays):
    """It reads memory by the sizes of its inputs: a missing or shorter array would end the process."""
    with pytest.raises(InputError):
        gw.compile("gravity", MECH).evaluate(arrays)


@pytest.mark.parametrize(
    "call", [lambda x: gw.simulate(ROBOT, STAY, 0.01, laws=x), lambda x: gw.parts.interpolated_losses(x)]
)
def test_iterators_are_refused_where_a_sequence_is_expected(call):
    """An iterator can be read once only; a function that reads it twice would find it empty."""
    with pytest.raises(InputError):
        call(iter(()))
