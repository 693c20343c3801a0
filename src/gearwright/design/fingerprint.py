"""What a measure is, as a short text that is the same in every process: whose results a file holds."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from gearwright.errors import InputError


def fingerprint(*things: Any) -> str:
    """A digest of numbers, texts, arrays, dataclasses, functions with their source, and collections of them.

    >>> fingerprint(1.0, "a") == fingerprint(1.0, "a"), fingerprint(np.zeros(2000)) == fingerprint(np.ones(2000))
    (True, False)
    """
    whole = hashlib.sha256()
    for thing in things:
        for piece in _pieces(thing):
            whole.update(len(piece).to_bytes(8, "little") + piece)
    return whole.hexdigest()


def _pieces(thing: Any) -> Iterator[bytes]:
    """The thing as bytes, its kind first."""
    yield type(thing).__qualname__.encode()
    if thing is None or isinstance(thing, bool | int | float | complex | str | bytes):
        yield repr(thing).encode()
    elif isinstance(thing, np.ndarray) and thing.dtype != object:
        yield from (str((thing.dtype, thing.shape)).encode(), np.ascontiguousarray(thing).tobytes())
    elif isinstance(thing, FunctionType | MethodType | partial | type):
        yield from _of_callable(thing)
    elif is_dataclass(thing):
        yield from _of_parts([type(thing).__module__, *((f.name, getattr(thing, f.name)) for f in fields(thing))])
    elif isinstance(thing, Mapping):
        yield from _of_parts(sorted(thing.items(), key=repr))
    elif isinstance(thing, set | frozenset):
        yield from _of_parts(sorted(thing, key=repr))
    elif isinstance(thing, list | tuple):
        yield from _of_parts(thing)
    else:
        yield _pickled(thing)


def _of_parts(parts: Any) -> Iterator[bytes]:
    yield str(len(parts)).encode()
    for part in parts:
        yield from _pieces(part)


def _of_callable(thing: Any) -> Iterator[bytes]:
    if isinstance(thing, partial):
        yield from _of_parts([thing.func, thing.args, thing.keywords])
    elif isinstance(thing, MethodType):
        yield from _of_parts([thing.__self__, thing.__func__])
    elif isinstance(thing, type):
        yield from (f"{thing.__module__}.{thing.__qualname__}".encode(), _source(thing))
    else:
        cells = [cell.cell_contents for cell in thing.__closure__ or () if cell.cell_contents is not thing]
        yield from (f"{thing.__module__}.{thing.__qualname__}".encode(), _source(thing))
        yield from _of_parts([thing.__defaults__, thing.__kwdefaults__, cells])


def _source(thing: Any) -> bytes:
    """The text of a function or class; its byte code where there is no text, as in a console."""
    try:
        return inspect.getsource(thing).encode()
    except (OSError, TypeError):
        return _code(thing.__code__) if isinstance(thing, FunctionType) else b""


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
