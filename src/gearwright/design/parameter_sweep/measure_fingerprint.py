"""Fingerprint of a measure, the same in every process: it identifies the results in a store."""

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


def fingerprint(*values: Any) -> str:
    """A digest of numbers, texts, arrays, dataclasses, functions, and collections of them.

    A function is identified by its source, code, defaults and closure, not by globals of its module.

    >>> fingerprint(1.0, "a") == fingerprint(1.0, "a"), fingerprint(np.zeros(2000)) == fingerprint(np.ones(2000))
    (True, False)
    """
    digest = hashlib.sha256()
    for piece in _ByteEncoder().encode_parts(values):
        digest.update(len(piece).to_bytes(8, "little") + piece)
    return digest.hexdigest()


class _ByteEncoder:
    """Objects as bytes; functions in each other's closures are written once."""

    def __init__(self) -> None:
        self._encoded_functions: set[int] = set()

    def encode_value(self, value: Any) -> Iterator[bytes]:
        """An object as bytes, its type first."""
        yield type(value).__qualname__.encode()
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            yield repr(value).encode()
        elif isinstance(value, np.ndarray) and value.dtype != object:
            yield from (str((value.dtype, value.shape)).encode(), np.ascontiguousarray(value).tobytes())
        elif isinstance(value, FunctionType | MethodType | partial | type):
            yield from self._encode_callable(value)
        elif is_dataclass(value):
            named = [(field.name, getattr(value, field.name)) for field in fields(value)]
            yield from self.encode_parts([type(value).__module__, *named])
        elif isinstance(value, Mapping):
            yield from self.encode_parts(sorted(value.items(), key=repr))
        elif isinstance(value, set | frozenset):
            yield from self.encode_parts(sorted(value, key=repr))
        elif isinstance(value, list | tuple):
            yield from self.encode_parts(value)
        else:
            yield _pickle_bytes(value)

    def encode_parts(self, parts: Sequence[Any]) -> Iterator[bytes]:
        """Several objects and their number."""
        yield str(len(parts)).encode()
        for part in parts:
            yield from self.encode_value(part)

    def _encode_callable(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, partial):
            yield from self.encode_parts([value.func, value.args, value.keywords])
        elif isinstance(value, MethodType):
            yield from self.encode_parts([value.__self__, value.__func__])
        else:
            yield from (f"{value.__module__}.{value.__qualname__}".encode(), _source_bytes(value))
            if isinstance(value, FunctionType) and id(value) not in self._encoded_functions:
                self._encoded_functions.add(id(value))
                cells = [cell.cell_contents for cell in value.__closure__ or ()]
                yield from self.encode_parts([value.__defaults__, value.__kwdefaults__, cells])


def _source_bytes(value: Any) -> bytes:
    """The source of a function or class, if available, and the byte code of a function."""
    code = _code_bytes(value.__code__) if isinstance(value, FunctionType) else b""
    try:
        return inspect.getsource(value).encode() + code  # one line may define two functions
    except (OSError, TypeError):
        return code


def _code_bytes(code: CodeType) -> bytes:
    constants = [
        _code_bytes(constant) if isinstance(constant, CodeType) else repr(constant).encode()
        for constant in code.co_consts
    ]
    return b"|".join([code.co_code, repr(code.co_names).encode(), *constants])


def _pickle_bytes(value: Any) -> bytes:
    try:
        return pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise InputError(
            f"sweep: {value!r} is part of the measure and cannot be identified ({error}), so results cannot be "
            "stored. Give the measure an attribute `identity`, a text that changes with the measured quantity, or omit "
            "store."
        ) from error


def measure_identity(measure: Any) -> str:
    """Identity of a measure: its attribute `identity`, else its fingerprint."""
    stated = getattr(measure, "identity", None)
    if isinstance(stated, str):
        return stated
    callable_types = FunctionType | MethodType | partial | type  # type: ignore[type-arg]
    if isinstance(measure, callable_types) or is_dataclass(measure) or not hasattr(measure, "__dict__"):
        return fingerprint(measure)
    return fingerprint(type(measure), vars(measure))  # an object with a `__call__` is identified by its attributes
