"""Machine code in this process: loaded, given the addresses it needs, and made callable from Python."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.host import python_objects as objects
from gearwright.compiling.host.loading import Loaded, loaded
from gearwright.tracing.graph import LIBRARY

_BATCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_FASTCALL_KEYWORDS = 0x82


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class MachineCode:
    """A loaded kernel.

    `run` works on any rows of arrays given by address and row stride; `builtin` makes the fast entry. The code lives as
    long as this object, which every entry made from it keeps alive.
    """

    def __init__(self, code: bytes, width: int, scalar: bool, remarks: tuple[str, ...] = ()) -> None:
        self.remarks = remarks
        """Why it is slower than it could be."""
        self._engine = linked(code)
        self._batch = _BATCH(self._engine.get_function_address(f"batch{width}"))
        self._single = _BATCH(self._engine.get_function_address("batch1")) if scalar else self._batch
        self.address: int = self._engine.get_function_address("batch1" if scalar else f"batch{width}")
        """Where the function `(table, begin, end)` for one state begins, for machine code that calls it."""

    def run(self, inputs: Sequence[Array], strides: Sequence[int], out: Array, begin: int, end: int) -> bool:
        """Compute rows begin to end; False if an input or result is not finite. The interpreter is let go meanwhile.

        Every stride counts bytes from row to row, 0 where one row serves all.
        """
        table = [x for array, stride in zip(inputs, strides, strict=True) for x in (address_of(array), stride)]
        packed = (ctypes.c_int64 * (len(table) + 2))(*table, address_of(out), out.strides[0])
        function = self._single if end - begin == 1 else self._batch
        result: int = function(ctypes.addressof(packed), begin, end)
        if result == 2:
            raise MemoryError("no memory for the workspace of a kernel")
        return result == 0

    def builtin(self, name: str, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """The entry as a Python builtin whose slow path is `fallback`, or the fallback where that is not possible."""
        if not known_layout():
            return fallback
        owner = _Fallback(fallback, self)
        address = self._engine.get_function_address("pycall")
        owner.definition = _MethodDef(name.encode(), address, _FASTCALL_KEYWORDS, b"A compiled kernel.")
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
        made: Callable[..., Any] = make(ctypes.addressof(owner.definition), owner, "gearwright")
        return made


def linked(code: bytes) -> Loaded:
    """Loaded code that has the addresses it needs."""
    engine = loaded(code)
    table = engine.get_global_value_address("addresses")
    for place, address in enumerate(addresses()):
        ctypes.c_void_p.from_address(table + 8 * place).value = address
    return engine


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Where an array's numbers begin."""
    address: int = array.__array_interface__["data"][0]  # twice as quick as array.ctypes.data
    return address


class _Fallback:
    """What a builtin falls back to; owns everything the builtin needs to live."""

    __slots__ = ("__call__", "code", "definition")

    def __init__(self, function: Callable[..., Any], code: MachineCode) -> None:
        self.__call__ = function
        self.code = code
        self.definition: Any = None


@cache
def addresses() -> tuple[int, ...]:
    """What `objects.NAMES` stand for in this process."""
    library = ctypes.CDLL(ctypes.util.find_library("m")) if sys.platform != "win32" else ctypes.cdll.msvcrt
    functions: dict[str, Any] = {name: getattr(library, name) for name in LIBRARY}
    for name in objects.NAMES:
        if name.startswith("Py") and name != "PyArray_NewFromDescr":
            functions[name] = getattr(ctypes.pythonapi, name)
    found = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in functions.items()}
    found["PyArray_NewFromDescr"] = _numpy_api(94) if known_layout() else 0
    found |= {
        "ndarray": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "out": id(sys.intern("out")),
        "parameters": id(sys.intern("parameters")),
    }
    return tuple(found[name] or 0 for name in objects.NAMES)


def _numpy_api(slot: int) -> int:
    """An entry of NumPy's C interface."""
    umath = import_module("numpy._core._multiarray_umath")

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table: int = get(umath._ARRAY_API, None)
    return ctypes.c_void_p.from_address(table + 8 * slot).value or 0


@cache
def known_layout() -> bool:
    """Whether Python objects and arrays lie in memory as the machine code expects: CPython with its lock, NumPy 2."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or sys.maxsize < 2**32:
        return False
    try:
        return _array_layout() and _dtype_layout() and _tuple_layout() and _numpy_api(2) == id(np.ndarray)
    except (AttributeError, ImportError, ValueError):
        return False


def _array_layout() -> bool:
    """The fields of two unlike arrays are found at the expected places."""
    for array in (np.zeros((3, 5)), np.zeros((4, 7, 2))[:, ::2]):
        where = id(array)
        flags = ctypes.c_int.from_address(where + objects.FLAGS).value & objects.WRITABLE
        expected = 0x501 if array.flags.c_contiguous else 0x500
        dims = ctypes.c_void_p.from_address(where + objects.DIMS).value or 0
        shape = tuple(ctypes.c_int64.from_address(dims + 8 * k).value for k in range(array.ndim))
        right = (
            ctypes.c_void_p.from_address(where + objects.TYPE).value == id(np.ndarray)
            and ctypes.c_void_p.from_address(where + objects.DATA).value == array.ctypes.data
            and ctypes.c_int.from_address(where + objects.NDIM).value == array.ndim
            and ctypes.c_void_p.from_address(where + objects.DESCR).value == id(array.dtype)
            and shape == array.shape
            and flags == expected
        )
        if not right:
            return False
    return True


def _dtype_layout() -> bool:
    """The bytes that tell a dtype tell float64 from its relatives, and not from its copies."""
    double = np.dtype(np.float64)
    kind = ctypes.c_int64.from_address(id(double) + objects.KIND).value
    others = [np.dtype(name) for name in (">f8", "<f8", "f4", "i8", "u8", "c16", "M8[s]", "m8", "O")]
    told = [ctypes.c_int64.from_address(id(other) + objects.KIND).value == kind for other in others]
    return told == [other == double for other in others] and _same_kind(double.newbyteorder("="), kind)


def _same_kind(copy: np.dtype[Any], kind: int) -> bool:
    return ctypes.c_int64.from_address(id(copy) + objects.KIND).value == kind


def _tuple_layout() -> bool:
    sample = ("out", "other")
    size = ctypes.c_int64.from_address(id(sample) + objects.TUPLE_SIZE).value
    return size == 2 and ctypes.c_void_p.from_address(id(sample) + objects.TUPLE_ITEM).value == id(sample[0])
