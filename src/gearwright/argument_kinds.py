"""Checks of arguments that are not numbers: their kind must be that of the annotation of the public function.

`check_arguments` reads the annotations of a function once, at its first call, and turns each into an `ArgumentKind`: a
class (robot, machine, trajectory, task, law, controller), a text, a path, a choice of words, a function, and sequences,
mappings and alternatives of them. Strict typing keeps the annotations correct. Arrays and ranges of numbers are checked
by `gearwright.arguments`.

    simulate: laws=nan must be a sequence of laws or None, not of type float. Give one: ...
"""

from __future__ import annotations

import functools
import inspect
import os
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from numbers import Real
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from gearwright.arguments import LARGEST_NUMBER, is_function, is_scalar, is_scalar_or_batch, is_whole_number, value_text
from gearwright.errors import GearwrightError, InputError
from gearwright.text import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])

_KIND_PHRASES = {
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
    "FittedRuns": ("a fit of runs", "fits of runs"),
    "LawController": ("a controller of gw.control", "controllers of gw.control"),
}
"""Words of messages for one and for several objects of a class, if its name is not plain enough."""
_KIND_SOURCES = {
    "Robot": "gw.load(...) returns a robot",
    "Mechanism": "gw.assemble(robot) returns a machine",
    "Trajectory": "the functions of gw.motion return trajectories",
    "Motion": "trajectory.sample(n) returns a sampled motion",
    "Law": "gw.laws(robot) lists the laws of a robot",
    "Controller": "the functions of gw.control return controllers",
    "LawController": "gw.control.pd(...) returns one",
    "Analysis": "gw.analyse(robot, task) returns an analysis",
    "Identification": "gw.identify(...) returns an identification",
    "FittedRuns": "gw.identification.fit_run(...) returns one",
    "ConsistentFit": "gw.identification.fit_consistent(...) returns it",
    "Run": "gw.simulate(...) returns a run",
    "CircularPath": "gw.planning.CircularPath(centre=(0.4, 0, 0.3), axis=(0, 0, 1))",
    "DcMotorData": "gw.actuation.DcMotorData(torque_constant=0.05, resistance=0.5)",
    "EndRates": "gw.motion.EndRates(start_speed=0.3)",
    "MotorLimits": "gw.planning.MotorLimits(current=20.0)",
    "PathOptions": "gw.planning.PathOptions(accuracy=1e-6)",
    "RolloutOptions": "gw.analysis.RolloutOptions(every=10)",
    "StruckBody": "gw.contact.StruckBody(mass=2.0)",
    "SweepOptions": "gw.design.SweepOptions(workers=1)",
    "TargetAdmittance": "gw.control.TargetAdmittance(mass=3.0, damping=50.0)",
    "NullSpaceOptions": "gw.planning.NullSpaceOptions(steps=60)",
    "AdmittanceGains": "gw.control.AdmittanceGains(frequency=30.0)",
    "ExcitationOptions": "gw.identification.ExcitationOptions(starts=4)",
    "ForceGains": "gw.control.ForceGains(frequency=10.0)",
    "IntegratorOptions": "gw.analysis.IntegratorOptions(rtol=1e-8)",
    "PathLimits": "gw.planning.PathLimits(speed=0.5)",
    "SearchOptions": "gw.design.SearchOptions(samples=401)",
}
"""How to obtain one."""
_EXAMPLES = {"NoneType": "None", "str": "'a'", "bool": "True", "int": "3", "float": "0.5", "Path": "'file.yaml'"}
"""Examples of values for classes whose constructors state none."""


_NONE = type(None)
_NUMBERS = frozenset({float, int, np.float64})
"""Types of most numbers; asking the abstract class `Real` takes longer."""


class ArgumentKind(NamedTuple):
    """What an argument may be: a test, words for one and several, where to get one, texts to choose, an example.

    `types` are those whose instances all pass the test, so that it need not run: most arguments are of one of them.
    """

    accepts: Callable[[Any], bool]
    singular: str
    plural: str
    sources: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    example: str = ""
    types: frozenset[type] = frozenset()

    @property
    def remedy(self) -> str:
        """What to give: where to get one, else an example."""
        return f"Give one: {', '.join(self.sources)}." if self.sources else f"Give one such as {self.example}."


_NO_SEQUENCE = (type, str, bytes, set, np.ma.MaskedArray, Mapping)
"""What can be iterated over, but is no vector or matrix."""


def _is_iterable(x: Any) -> bool:
    try:
        iter(x)
    except TypeError:
        return False
    return True


def _is_usable(x: Any) -> bool:
    """Whether a value, if it is a number, is one to compute with; infinity may stand for no limit."""
    return not (type(x) in _NUMBERS or isinstance(x, Real)) or _is_moderate(x) or x in (inf, -inf)


def _is_moderate(x: Any) -> bool:
    return bool(abs(x) <= LARGEST_NUMBER)


def _entries(x: Any) -> Sequence[Any]:
    """The entries of a sequence or an array; none of what is neither."""
    if type(x) is tuple or type(x) is list:
        return cast(Sequence[Any], x)
    if isinstance(x, _NO_SEQUENCE) or not _is_iterable(x):
        return ()
    return cast(Sequence[Any], x.tolist() if isinstance(x, np.ndarray) and x.ndim == 1 else list(x))


def _is_finite_scalar(x: Any) -> bool:
    if type(x) in _NUMBERS:
        return _is_moderate(x)
    return is_scalar_or_batch(x) and (not isinstance(x, Real) or _is_moderate(x))


def _is_vector(x: Any) -> bool:
    """Whether a value is three scalars, those that are numbers finite."""
    if _is_three_floats(x):
        return True
    entries = _entries(x)
    return len(entries) == 3 and all(map(_is_finite_scalar, entries))


def _is_three_floats(x: Any) -> bool:
    """Whether a value consists of three finite floats: a fast test for vectors."""
    try:
        a, b, c = x
    except (TypeError, ValueError):
        return False
    floats = type(a) is float and type(b) is float and type(c) is float and abs(a) + abs(b) + abs(c) <= LARGEST_NUMBER
    return floats and not isinstance(x, (set, frozenset)) and not hasattr(x, "keys")


def _is_matrix(x: Any) -> bool:
    """Whether a value is three rows of three scalars."""
    entries = _entries(x.rows() if hasattr(x, "rows") and not inspect.isclass(x) else x)
    return len(entries) == 3 and all(map(_is_vector, entries))


_ANNOTATED = {
    "scalar": ArgumentKind(is_scalar_or_batch, "a number", "numbers", example="0.5", types=_NUMBERS),
    "vector": ArgumentKind(_is_vector, "three finite numbers", "vectors of three numbers", example="(0.0, 0.0, 1.0)"),
    "matrix": ArgumentKind(
        _is_matrix, "three rows of three finite numbers", "3 x 3 matrices", example="[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
    ),
}
"""Kinds that annotations name: scalars of any kind (numbers, symbols, arrays), vectors and matrices of them."""


class _CheckedSignature(NamedTuple):
    """The kinds of a function's arguments: by position, by name, and of further positional arguments."""

    positional: tuple[tuple[str, ArgumentKind | None], ...]
    by_name: Mapping[str, ArgumentKind]
    variadic: tuple[str, ArgumentKind] | None


def check_arguments(target: F) -> F:
    """A public function, or a class with its constructor, whose arguments must be of the kinds that annotations state.

    >>> @check_arguments
    ... def colour(name: str, shades: Sequence[str] = ()) -> str:
    ...     return name
    >>> colour("red", shades=3)
    Traceback (most recent call last):
    gearwright.errors.InputError: colour: shades=3 must be a sequence of texts, not of type int. Give one such as ['a'].
    """
    if inspect.isclass(target):
        target.__init__ = _checked_constructor(target.__init__, target)  # type: ignore[method-assign]
        return cast(F, target)

    title = target.__qualname__.rpartition("<locals>.")[2]

    @functools.wraps(target)
    def checked_function(*args: Any, **kwargs: Any) -> Any:
        _check(_checked_signature(target, target), title, args, kwargs)
        try:
            return target(*args, **kwargs)
        except TypeError:
            _require_call(target, title, args, kwargs)
            raise

    return cast(F, checked_function)


def _checked_constructor(constructor: Callable[..., Any], cls: type) -> Callable[..., Any]:
    """Return a constructor with a check of its arguments after its own checks, whose messages are more specific."""

    @functools.wraps(constructor)
    def checked_constructor(*args: Any, **kwargs: Any) -> None:
        try:
            constructor(*args, **kwargs)
        except GearwrightError:
            raise
        except Exception:
            _check(_checked_signature(constructor, cls), cls.__name__, args, kwargs, builds=True)
            _require_call(constructor, cls.__name__, args, kwargs)
            raise
        _check(_checked_signature(constructor, cls), cls.__name__, args, kwargs, builds=True)

    return checked_constructor


def _check(
    signature: _CheckedSignature, title: str, args: Sequence[Any], kwargs: Mapping[str, Any], builds: bool = False
) -> None:
    """Raise an error for the first argument of the wrong kind; `builds`: generic scalars are accepted as numbers."""
    places, names, further = signature
    if args:
        for (name, kind), value in zip(places, args, strict=False):
            if kind is not None and not _fits(value, kind, builds):
                _raise_wrong_kind(_owner(title, places, args, kwargs), name, value, kind)
    if further is not None:
        for k, value in enumerate(args[len(places) :]):
            if not further[1].accepts(value):
                _raise_wrong_kind(title, f"{further[0]}[{k}]", value, further[1])
    for name, value in kwargs.items():
        kind = names.get(name)
        if kind is None or (value is None and _NONE in kind.types):  # most that is optional is left out
            continue
        if not _fits(value, kind, builds):
            _raise_wrong_kind(_owner(title, places, args, kwargs), name, value, kind)


def _require_call(function: Callable[..., Any], title: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise an error if arguments are missing, unknown, stated twice or too many."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        names = [name for name in signature.parameters if name != "self"]
        unknown = [name for name in kwargs if name not in names]
        required = [name for name in names if signature.parameters[name].default is inspect.Parameter.empty]
        stated = [*list(signature.parameters)[: len(args)], *kwargs]
        missing = [name for name in required if name not in stated]
        if unknown:
            raise InputError(
                f"{title}: there is no argument {unknown[0]!r}. {did_you_mean(unknown[0], names)}"
            ) from None
        if missing:
            raise InputError(f"{title}: missing: {', '.join(missing)}. Call {title}({', '.join(required)}).") from None
        raise InputError(f"{title}: {error}. Call {title}({', '.join(required)}), others by name.") from None


def _fits(value: Any, kind: ArgumentKind, builds: bool) -> bool:
    cls = type(value)
    if cls in kind[-1]:
        return cls not in _NUMBERS or not builds or -LARGEST_NUMBER <= value <= LARGEST_NUMBER or value in (inf, -inf)
    return kind[0](value) and (not builds or _is_usable(value))


def _owner(title: str, places: Sequence[tuple[str, Any]], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the subject of the message: a function, or a part with its name."""
    arguments = {**{name: value for (name, _), value in zip(places, args, strict=False)}, **kwargs}
    name = arguments.get("name")
    return f"{title} {name!r}" if "self" in arguments and isinstance(name, str) and name else title


def _raise_wrong_kind(function: str, name: str, value: Any, kind: ArgumentKind) -> typing.NoReturn:
    container = isinstance(value, list | tuple | Mapping)  # its entries are wrong
    if isinstance(value, str) and kind.choices:  # a text, but not an allowed one
        raise InputError(f"{function}: {name}={value_text(value)} is unknown. {did_you_mean(value, kind.choices)}")
    if isinstance(value, Real) and kind.accepts(value):
        raise InputError(
            f"{function}: {name}={value_text(value)} must be {kind.singular} of magnitude {LARGEST_NUMBER:g} or "
            "less. Check its unit."
        )
    mismatch = "" if container else ", not None" if value is None else f", not of type {type(value).__name__}"
    raise InputError(f"{function}: {name}={value_text(value)} must be {kind.singular}{mismatch}. {kind.remedy}")


@functools.cache
def _checked_signature(function: Callable[..., Any], stated: Callable[..., Any]) -> _CheckedSignature:
    """What is checked of a function's arguments."""
    hints = typing.get_type_hints(stated, include_extras=True)
    kinds = {name: kind_of(hint) for name, hint in hints.items()}
    parameters = inspect.signature(function).parameters.values()
    positional = tuple((p.name, kinds.get(p.name)) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)
    variadic = [(p.name, kinds.get(p.name)) for p in parameters if p.kind is p.VAR_POSITIONAL]
    named = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    checked_variadic = [(name, kind) for name, kind in variadic if kind is not None]
    return _CheckedSignature(
        positional,
        {n: k for n, k in kinds.items() if k and n in named},
        checked_variadic[0] if checked_variadic else None,
    )


def kind_of(hint: Any) -> ArgumentKind | None:
    """Return the kind of an annotation; None for arrays and `Any`."""
    members = _union_members(hint)
    if len(members) > 1:
        kinds = [kind_of(x) for x in members]
        if any(kind is None for kind in kinds):
            return None
        return _union_kind([kind for kind in kinds if kind is not None])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:  # by name, or by what the constructor converts
        return _kind_by_name(inner[1]) if isinstance(inner[1], str) else kind_of(inner[1])
    if hint is Any or hint is object:
        return None
    if origin is Literal:
        return _literal_kind(inner)
    if origin is tuple and inner[-1] is not ...:
        return _tuple_kind(inner)
    if origin in (tuple, list, Sequence, Iterable, Collection):
        return _sequence_kind(inner[0], by_key=origin in (Iterable, Collection))
    if origin in (dict, Mapping):
        return _mapping_kind(*inner)
    if origin is Callable or hint is Callable:
        return ArgumentKind(is_function, "a function", "functions", example="lambda x: x")
    return _class_kind(hint) if inspect.isclass(hint) and origin is None else None


def _kind_by_name(word: str) -> ArgumentKind:
    """The kind that an annotation names, or None beside it."""
    name, _, none = word.partition(" or ")
    nothing = _class_kind(type(None))
    return _union_kind([_ANNOTATED[name], nothing]) if none and nothing else _ANNOTATED[name]


def _union_members(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _class_kind(cls: type) -> ArgumentKind | None:
    """Return the kind of objects of a class or of a protocol."""
    if cls.__module__.startswith("numpy"):
        return None
    article = "an" if cls.__name__[0] in "AEIOU" else "a"
    singular, plural = _KIND_PHRASES.get(cls.__name__, (f"{article} {cls.__name__}", f"{cls.__name__} objects"))
    sources = (_KIND_SOURCES[cls.__name__],) if cls.__name__ in _KIND_SOURCES else ()
    example = _EXAMPLES.get(cls.__name__, f"{cls.__name__}(...)")
    if getattr(cls, "_is_protocol", False):
        members = [name for name in dir(cls) if not name.startswith("_")]
        return ArgumentKind(lambda x: _has_all(x, members), singular, plural, sources, (), example)
    if cls is int:
        return ArgumentKind(is_whole_number, singular, plural, example=example, types=frozenset({int}))
    if cls is float:
        return ArgumentKind(is_scalar, singular, plural, example=example, types=_NUMBERS)
    accepted: Any = bool | np.bool_ if cls is bool else os.PathLike if issubclass(cls, os.PathLike) else cls
    return ArgumentKind(lambda x: isinstance(x, accepted), singular, plural, sources, (), example, frozenset({cls}))


def _has_all(x: Any, names: Sequence[str]) -> bool:
    return not inspect.isclass(x) and all(hasattr(x, name) for name in names)


def _union_kind(kinds: Sequence[ArgumentKind]) -> ArgumentKind:
    stated = [kind for kind in kinds if kind.singular != "None"]
    return ArgumentKind(
        lambda x: any(kind.accepts(x) for kind in kinds),
        " or ".join(kind.singular for kind in kinds),
        " or ".join(kind.plural for kind in stated),
        tuple(source for kind in kinds for source in kind.sources),
        tuple(choice for kind in kinds for choice in kind.choices),
        stated[0].example,
        frozenset().union(*(kind.types for kind in kinds)),
    )


def _literal_kind(values: Sequence[Any]) -> ArgumentKind:
    words = " or ".join(map(repr, values))
    texts = tuple(value for value in values if isinstance(value, str))
    return ArgumentKind(
        lambda x: any(type(x) is type(value) and x == value for value in values),
        words,
        f"entries {words}",
        choices=texts,
        example=repr(values[0]),
    )


def _sequence_kind(inner: Any, by_key: bool) -> ArgumentKind:
    """Return the kind of a sequence, with `by_key` also of an iterator or a mapping's keys; texts are no sequences."""
    entry = kind_of(inner)
    excluded = (type, str, bytes) if by_key else (type, str, bytes, Mapping)

    def is_accepted(x: Any) -> bool:
        if not isinstance(x, (tuple, list)):  # no abstract class is needed for these
            if isinstance(x, excluded) or not _is_iterable(x):
                return False
            if isinstance(x, Iterator):  # it can be read once: entries are not looked at
                return by_key
        elif not x:
            return True
        return entry is None or all(type(y) in entry.types or entry.accepts(y) for y in x)

    phrase = f"a sequence of {entry.plural}" if entry else "a sequence"
    sources, example = (entry.sources, entry.example) if entry else ((), "1.0")
    return ArgumentKind(is_accepted, phrase, phrase.replace("a sequence", "sequences"), sources, (), f"[{example}]")


def _tuple_kind(inner: Sequence[Any]) -> ArgumentKind:
    """Return the kind of a tuple with a fixed number of entries."""
    entries = [kind_of(x) for x in inner]

    def is_accepted(x: Any) -> bool:
        if isinstance(x, str | bytes | Mapping) or not hasattr(x, "__len__") or not _is_iterable(x):
            return False
        return len(x) == len(entries) and all(
            kind is None or kind.accepts(y) for kind, y in zip(entries, x, strict=True)
        )

    phrase = ", ".join(kind.singular if kind else "a value" for kind in entries)
    singular = f"a pair ({phrase})" if len(entries) == 2 else f"({phrase})"
    example = ", ".join(kind.example if kind else "1.0" for kind in entries)
    return ArgumentKind(is_accepted, singular, f"entries ({phrase})", example=f"({example})")


def _mapping_kind(key: Any, value: Any) -> ArgumentKind:
    keys, values = kind_of(key), kind_of(value)

    def is_accepted(x: Any) -> bool:
        if not isinstance(x, Mapping):
            return False
        return (keys is None or all(map(keys.accepts, x))) and (values is None or all(map(values.accepts, x.values())))

    phrase = f"a mapping from {keys.plural if keys else 'keys'} to {values.plural if values else 'values'}"
    example = f"{{{keys.example if keys else 'key'}: {values.example if values else '1.0'}}}"
    return ArgumentKind(is_accepted, phrase, phrase.replace("a mapping", "mappings"), example=example)
