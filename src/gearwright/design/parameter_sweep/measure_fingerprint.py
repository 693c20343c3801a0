"""What a measure is, as a short text that is the same in every process: whose results a file holds."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from gearwright.errors import InputError


def fingerprint(*things: Any) -> str:
    """A digest of numbers, texts, arrays, dataclasses, functions, and collections of them.

    Of functions count their text, their code, defaults and what they enclose; not what they find in their module.

    >>> fingerprint(1.0, "a") == fingerprint(1.0, "a"), fingerprint(np.zeros(2000)) == fingerprint(np.ones(2000))
    (True, False)
    """
    whole = hashlib.sha256()
    for piece in _Pieces().of_parts(things):
        whole.update(len(piece).to_bytes(8, "little") + piece)
    return whole.hexdigest()


class _Pieces:
    """Things as bytes; functions that enclose each other are told once."""

    def __init__(self) -> None:
        self._told: set[int] = set()

    def of(self, thing: Any) -> Iterator[bytes]:
        """The thing as bytes, its kind first."""
        yield type(thing).__qualname__.encode()
        if thing is None or isinstance(thing, bool | int | float | complex | str | bytes):
            yield repr(thing).encode()
        elif isinstance(thing, np.ndarray) and thing.dtype != object:
            yield from (str((thing.dtype, thing.shape)).encode(), np.ascontiguousarray(thing).tobytes())
        elif isinstance(thing, FunctionType | MethodType | partial | type):
            yield from self._of_callable(thing)
        elif is_dataclass(thing):
            named = [(one.name, getattr(thing, one.name)) for one in fields(thing)]
            yield from self.of_parts([type(thing).__module__, *named])
        elif isinstance(thing, Mapping):
            yield from self.of_parts(sorted(thing.items(), key=repr))
        elif isinstance(thing, set | frozenset):
            yield from self.of_parts(sorted(thing, key=repr))
        elif isinstance(thing, list | tuple):
            yield from self.of_parts(thing)
        else:
            yield _pickled(thing)

    def of_parts(self, parts: Sequence[Any]) -> Iterator[bytes]:
        """Several things, and how many."""
        yield str(len(parts)).encode()
        for part in parts:
            yield from self.of(part)

    def _of_callable(self, thing: Any) -> Iterator[bytes]:
        if isinstance(thing, partial):
            yield from self.of_parts([thing.func, thing.args, thing.keywords])
        elif isinstance(thing, MethodType):
            yield from self.of_parts([thing.__self__, thing.__func__])
        else:
            yield from (f"{thing.__module__}.{thing.__qualname__}".encode(), _source(thing))
            if isinstance(thing, FunctionType) and id(thing) not in self._told:
                self._told.add(id(thing))
                cells = [cell.cell_contents for cell in thing.__closure__ or ()]
                yield from self.of_parts([thing.__defaults__, thing.__kwdefaults__, cells])


def _source(thing: Any) -> bytes:
    """The text of a function or class, as far as there is one, and the byte code of a function."""
    code = _code(thing.__code__) if isinstance(thing, FunctionType) else b""
    try:
        return inspect.getsource(thing).encode() + code  # two functions may stand in one line
    except (OSError, TypeError):
        return code


def _code(code: CodeType) -> bytes:
    constants = [_code(one) if isinstance(one, CodeType) else repr(one).encode() for one in code.co_consts]
    return b"|".join([code.co_code, repr(code.co_names).encode(), *constants])


def _pickled(thing: Any) -> bytes:
    try:
        return pickle.dumps(thing, protocol=4)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise InputError(
            f"sweep: {thing!r} belongs to the measure, and nothing tells it from another ({error}), so that its "
            "results cannot be kept in a store. Give the measure an attribute `identity`, a text that changes with "
            "what it measures, or leave the store out."
        ) from error


def identity_of(measure: Any) -> str:
    """What is measured: the `identity` that the measure states, else a fingerprint of the measure."""
    stated = getattr(measure, "identity", None)
    if isinstance(stated, str):
        return stated
    known = FunctionType | MethodType | partial | type  # type: ignore[type-arg]
    if isinstance(measure, known) or is_dataclass(measure) or not hasattr(measure, "__dict__"):
        return fingerprint(measure)
    return fingerprint(type(measure), vars(measure))  # an object with a `__call__`: its attributes tell what it is
