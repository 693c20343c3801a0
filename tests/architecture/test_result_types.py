"""What a public function returns can be imported from where the function is."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import gearwright as gw

SPACES = {"gw": gw, **{name: getattr(gw, name) for name in gw.__all__ if isinstance(getattr(gw, name), ModuleType)}}
SPACES["studio"] = sys.modules["gearwright.studio"]  # `gearwright.studio` is the function
FUNCTIONS = [
    pytest.param(space, name, id=f"{space}.{name}")
    for space, module in SPACES.items()
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
]
RESULTS = ("analysis", "equations", "elastic", "actuation", "identification", "export", "bench", "motion")
"""The namespaces whose results users hold in their hands."""
INSIDE = {"LinearInverse", "SynchronousInverse", "TorqueInverse", "TraceJob"}
"""What laws, and what exports and kernels, hand to each other."""


def classes(annotation: Any) -> Iterator[type]:
    """Gearwright's own classes in a type annotation."""
    if inspect.isclass(annotation) and annotation.__module__.startswith("gearwright."):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from classes(inner)


def returned(function: Any) -> list[type]:
    return list(classes(typing.get_type_hints(function).get("return")))


def spaces_of(thing: type) -> set[str]:
    name = thing.__name__
    return {space for space, module in SPACES.items() if name in module.__all__ and getattr(module, name) is thing}


@pytest.mark.parametrize(("space", "name"), FUNCTIONS)
def test_result_is_importable(space, name):
    """From the function's own namespace; results of functions of `gearwright` itself may stand in any namespace."""
    function = getattr(SPACES[space], name)
    same = {other for other, module in SPACES.items() if getattr(module, name, None) is function}
    for thing in returned(function):
        places = spaces_of(thing)
        shared = places & {"gw", "parts", "motion"}  # machines, robots, parts and trajectories are everybody's
        assert places & same or shared or (space == "gw" and places), f"{thing.__name__} of {space}.{name}"


def members(thing: type) -> Iterator[Any]:
    """Public methods and properties of a class."""
    for name, value in vars(thing).items():
        function = getattr(value, "fget", None) or getattr(value, "func", None) or value
        if not name.startswith("_") and inspect.isfunction(function):
            yield function


@pytest.mark.parametrize("space", RESULTS)
def test_what_results_return_is_importable(space):
    """Tables and rows that a result's own methods return stand in some namespace."""
    for name in SPACES[space].__all__:
        thing = getattr(SPACES[space], name)
        if inspect.isclass(thing) and thing.__module__.startswith("gearwright."):
            hidden = [c.__name__ for f in members(thing) for c in returned(f) if not spaces_of(c)]
            assert set(hidden) <= INSIDE, name


def test_the_test_sees_results():
    assert gw.Kernel in returned(gw.compile)
    assert len(FUNCTIONS) > 60
    assert len(gw.__all__) <= 75
