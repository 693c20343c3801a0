"""Arguments that are not numbers: a public function refuses what is not of the kind that its annotation states.

`check_arguments` reads the annotations of a function once, at its first call, and turns each into a `Kind`: a class
(robot, machine, trajectory, task, law, controller), a text, a path, a choice of words, a function, and sequences,
mappings and alternatives of them. Strict typing keeps annotations true, so that the statement and its check are one.
Arrays and the range of numbers are left to `gearwright.arguments`.

    simulate: laws=nan must be a sequence of laws or None, not of type float. Give one: ...
"""

from __future__ import annotations

import functools
import inspect
import os
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from gearwright.arguments import is_function, is_scalar, is_whole, shown
from gearwright.errors import InputError
from gearwright.text import did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

_WORDS = {
    "NoneType": ("None", "None"),
    "str": ("a text", "texts"),
    "bool": ("True or False", "truth values"),
    "int": ("a whole number", "whole numbers"),
    "float": ("a number", "numbers"),
    "Path": ("a path", "paths"),
    "Robot": ("a robot", "robots"),
    "Mechanism": ("a machine", "machines"),
    "Trajectory": ("a trajectory", "trajectories"),
    "Motion": ("a sampled motion", "sampled motions"),
    "Law": ("a law", "laws"),
    "Controller": ("a controller", "controllers"),
    "LawController": ("a controller of gw.control", "controllers of gw.control"),
}
"""How messages speak of one of a class, and of several, where its name does not say it."""
_SOURCES = {
    "Robot": "gw.load(...) returns a robot",
    "Mechanism": "gw.assemble(robot) returns a machine",
    "Trajectory": "the functions of gw.motion return trajectories",
    "Motion": "trajectory.sample(n) returns a sampled motion",
    "Law": "gw.laws(robot) lists the laws of a robot",
    "Controller": "the functions of gw.control return controllers",
    "LawController": "gw.control.pd(...) returns one",
    "Analysis": "gw.analyse(robot, task) returns an analysis",
    "Identification": "gw.identify(...) returns an identification",
    "ConsistentFit": "gw.identification.fit_consistent(...) returns it",
    "Run": "gw.simulate(...) returns a run",
}
"""How to obtain one."""


class Kind(NamedTuple):
    """What an argument may be: a test, words for one and for several, where to get one, texts to choose from."""

    holds: Callable[[Any], bool]
    one: str
    plural: str
    sources: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


class _Signature(NamedTuple):
    """The arguments of a function with a kind to check: by place, by name, and of every further place."""

    places: tuple[tuple[str, Kind | None], ...]
    names: Mapping[str, Kind]
    further: tuple[str, Kind] | None


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """A public function whose arguments must be of the kinds that its annotations state.

    >>> @check_arguments
    ... def colour(name: str, shades: Sequence[str] = ()) -> str:
    ...     return name
    >>> colour("red", shades=3)
    Traceback (most recent call last):
    gearwright.errors.InputError: colour: shades=3 must be a sequence of texts, not of type int. Give one.
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        places, names, further = _signature(function)
        for (name, kind), value in zip(places, args, strict=False):
            if kind is not None and not kind.holds(value):
                _refuse(function.__name__, name, value, kind)
        if further is not None:
            for k, value in enumerate(args[len(places) :]):
                if not further[1].holds(value):
                    _refuse(function.__name__, f"{further[0]}[{k}]", value, further[1])
        for name, value in kwargs.items():
            if name in names and not names[name].holds(value):
                _refuse(function.__name__, name, value, names[name])
        return function(*args, **kwargs)

    return checked


def _refuse(function: str, name: str, value: Any, kind: Kind) -> typing.NoReturn:
    container = isinstance(value, list | tuple | Mapping)  # its entries are at fault
    if isinstance(value, str) and kind.choices:  # a text, but none of those that may be chosen
        raise InputError(f"{function}: {name}={shown(value)} is unknown. {did_you_mean(value, kind.choices)}")
    given = "" if container else ", not None" if value is None else f", not of type {type(value).__name__}"
    remedy = f"Give one: {', '.join(kind.sources)}." if kind.sources else "Give one."
    raise InputError(f"{function}: {name}={shown(value)} must be {kind.one}{given}. {remedy}")


@functools.cache
def _signature(function: Callable[..., Any]) -> _Signature:
    """What is checked of a function's arguments."""
    hints = typing.get_type_hints(function)
    kinds = {name: kind_of(hint) for name, hint in hints.items()}
    parameters = inspect.signature(function).parameters.values()
    places = tuple((p.name, kinds.get(p.name)) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)
    further = [(p.name, kinds.get(p.name)) for p in parameters if p.kind is p.VAR_POSITIONAL]
    named = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    rest = [(name, kind) for name, kind in further if kind is not None]
    return _Signature(places, {n: k for n, k in kinds.items() if k and n in named}, rest[0] if rest else None)


def kind_of(hint: Any) -> Kind | None:
    """The kind that an annotation states; None for arrays and what may be anything."""
    members = _members(hint)
    if len(members) > 1:
        kinds = [kind_of(x) for x in members]
        if any(kind is None for kind in kinds):
            return None
        return _either([kind for kind in kinds if kind is not None])
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or hint is object:
        return None
    if origin is Literal:
        return _choice(inner)
    if origin is tuple and inner[-1] is not ...:
        return _fixed(inner)
    if origin in (tuple, list, Sequence, Iterable, Collection):
        return _sequence(inner[0], by_key=origin in (Iterable, Collection))
    if origin in (dict, Mapping):
        return _mapping(*inner)
    if origin is Callable or hint is Callable:
        return Kind(is_function, "a function", "functions")
    return _instance(hint) if inspect.isclass(hint) and origin is None else None


def _members(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _instance(cls: type) -> Kind | None:
    """Something of a class, or with all that a protocol asks for."""
    if cls.__module__.startswith("numpy"):
        return None
    article = "an" if cls.__name__[0] in "AEIOU" else "a"
    one, plural = _WORDS.get(cls.__name__, (f"{article} {cls.__name__}", f"{cls.__name__} objects"))
    sources = (_SOURCES[cls.__name__],) if cls.__name__ in _SOURCES else ()
    if getattr(cls, "_is_protocol", False):
        asked = [name for name in dir(cls) if not name.startswith("_")]
        return Kind(lambda x: not inspect.isclass(x) and all(hasattr(x, name) for name in asked), one, plural)
    if cls in (int, float):
        return Kind(is_whole if cls is int else is_scalar, one, plural)
    wider: Any = bool | np.bool_ if cls is bool else os.PathLike if issubclass(cls, os.PathLike) else cls
    return Kind(lambda x: isinstance(x, wider), one, plural, sources)


def _either(kinds: Sequence[Kind]) -> Kind:
    stated = [kind for kind in kinds if kind.one != "None"]
    return Kind(
        lambda x: any(kind.holds(x) for kind in kinds),
        " or ".join(kind.one for kind in kinds),
        " or ".join(kind.plural for kind in stated),
        tuple(source for kind in kinds for source in kind.sources),
        tuple(choice for kind in kinds for choice in kind.choices),
    )


def _choice(values: Sequence[Any]) -> Kind:
    words = " or ".join(map(repr, values))
    texts = tuple(value for value in values if isinstance(value, str))
    return Kind(
        lambda x: any(type(x) is type(value) and x == value for value in values),
        words,
        f"entries {words}",
        choices=texts,
    )


def _sequence(inner: Any, by_key: bool) -> Kind:
    """Several of a kind, `by_key` also the keys of a mapping; a text is one, an iterator is taken as it comes."""
    entry = kind_of(inner)
    others = str | bytes if by_key else str | bytes | Mapping

    def holds(x: Any) -> bool:
        if isinstance(x, others) or inspect.isclass(x) or not _is_iterable(x):
            return False
        return entry is None or isinstance(x, Iterator) or all(map(entry.holds, x))

    words = f"a sequence of {entry.plural}" if entry else "a sequence"
    return Kind(holds, words, words.replace("a sequence", "sequences"), entry.sources if entry else ())


def _fixed(inner: Sequence[Any]) -> Kind:
    """A fixed number of entries, each of its own kind."""
    entries = [kind_of(x) for x in inner]

    def holds(x: Any) -> bool:
        if isinstance(x, str | bytes | Mapping) or not hasattr(x, "__len__") or not _is_iterable(x):
            return False
        return len(x) == len(entries) and all(kind is None or kind.holds(y) for kind, y in zip(entries, x, strict=True))

    words = ", ".join(kind.one if kind else "a value" for kind in entries)
    return Kind(holds, f"a pair ({words})" if len(entries) == 2 else f"({words})", f"entries ({words})")


def _mapping(key: Any, value: Any) -> Kind:
    keys, values = kind_of(key), kind_of(value)

    def holds(x: Any) -> bool:
        if not isinstance(x, Mapping):
            return False
        return (keys is None or all(map(keys.holds, x))) and (values is None or all(map(values.holds, x.values())))

    words = f"a mapping from {keys.plural if keys else 'keys'} to {values.plural if values else 'values'}"
    return Kind(holds, words, words.replace("a mapping", "mappings"))


def _is_iterable(x: Any) -> bool:
    try:
        iter(x)
    except TypeError:
        return False
    return True
