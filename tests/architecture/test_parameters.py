"""Public functions have at most eight parameters; what belongs together is one frozen value of options or data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import gearwright as gw

MOST_PARAMETERS = 8
FIXED_SIGNATURES = {
    "demands": 9,
    "simulate": 12,
    "rollout": 12,
    "fastest": 10,
    "limit_use": 9,
    "s_curve": 9,
}
"""Functions whose parameters the design states one by one, with the number of all their parameters.

demands: robot, motion, laws, contact, actuators, limits, samples; then inputs and states, as of `simulate`.
simulate: robot, state, until, inputs, controller, laws, method, events; then samples, integrator, saturate,
    sensitivities.
rollout: inputs, controller, laws and method are those of `simulate`, q0, v0, steps and step those of every batch.
fastest: robot, path, speed, acceleration, torque; then motors, actuators, share, laws, intervals.
limit_use: the limits of `fastest`.
s_curve: start, end, speed, acceleration, jerk; then robot, synchronisation, minimum_duration, end_rates.
"""


def counted(function: Callable[..., Any]) -> list[str]:
    """The parameters; `laws` and `extra_laws` are one choice, everywhere in the same words."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "extra_laws")]


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions of `gw` and its namespaces, and methods of their classes."""
    spaces = [gw, *(x for x in (getattr(gw, name) for name in gw.__all__) if isinstance(x, ModuleType))]
    for space in spaces:
        for name in space.__all__:
            thing = getattr(space, name)
            if inspect.isfunction(thing):
                yield name, thing
            elif inspect.isclass(thing):
                members = inspect.getmembers(thing, inspect.isroutine)
                yield from (
                    (f"{name}.{member}", x) for member, x in members if inspect.isfunction(x) and member[0] != "_"
                )


FUNCTIONS = dict(public_functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_few(name):
    most = FIXED_SIGNATURES.get(name, MOST_PARAMETERS)
    assert len(counted(FUNCTIONS[name])) <= most, counted(FUNCTIONS[name])


@pytest.mark.parametrize("name", FIXED_SIGNATURES)
def test_exceptions_are_needed(name):
    assert len(counted(FUNCTIONS[name])) > MOST_PARAMETERS


def test_methods_are_counted_without_self():
    assert counted(gw.parts.Robot.with_drive) == ["drive", "replacement"]
    assert "Robot.with_drive" in FUNCTIONS
