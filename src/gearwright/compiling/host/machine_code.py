"""Machine code in this process: loaded, linked to the addresses it needs, and callable from Python."""

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
from gearwright.compiling.host.loading import LoadedCode, load_code
from gearwright.tracing.graph import LIBRARY_FUNCTIONS

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

    `run_rows` works on any rows of arrays given by address and row stride; `python_builtin` makes the fast entry. The
    code exists as long as this object, to which every entry holds a reference.
    """

    def __init__(self, code: bytes, width: int, scalar: bool, remarks: tuple[str, ...] = ()) -> None:
        self.remarks = remarks
        """Remarks on its speed."""
        self._engine = load_linked_code(code)
        self._batch = _BATCH(self._engine.get_function_address(f"batch{width}"))
        self._single = _BATCH(self._engine.get_function_address("batch1")) if scalar else self._batch
        self.address: int = self._engine.get_function_address("batch1" if scalar else f"batch{width}")
        """Address of the function `(table, begin, end)` for one state, for calls from machine code."""

    def run_rows(self, inputs: Sequence[Array], strides: Sequence[int], out: Array, begin: int, end: int) -> bool:
        """Compute rows begin to end without holding the GIL; False if an input or result is not finite.

        Every stride is in bytes from row to row; 0 if one row serves all.
        """
        table = [x for array, stride in zip(inputs, strides, strict=True) for x in (array_address(array), stride)]
        packed = (ctypes.c_int64 * (len(table) + 2))(*table, array_address(out), out.strides[0])
        function = self._single if end - begin == 1 else self._batch
        result: int = function(ctypes.addressof(packed), begin, end)
        if result == 2:
            raise MemoryError("no memory for the workspace of a kernel")
        return result == 0

    def python_builtin(self, name: str, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """The entry as a Python builtin whose slow path is `fallback`; the fallback itself if that is not possible."""
        if not has_known_layout():
            return fallback
        owner = _Fallback(fallback, self)
        address = self._engine.get_function_address("pycall")
        owner.definition = _MethodDef(name.encode(), address, _FASTCALL_KEYWORDS, b"A compiled kernel.")
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
        function: Callable[..., Any] = make(ctypes.addressof(owner.definition), owner, "gearwright")
        return function


def load_linked_code(code: bytes) -> LoadedCode:
    """Loaded code with its table of addresses filled in."""
    engine = load_code(code)
    table = engine.get_global_value_address("addresses")
    for place, address in enumerate(symbol_addresses()):
        ctypes.c_void_p.from_address(table + 8 * place).value = address
    return engine


def array_address(array: np.ndarray[Any, Any]) -> int:
    """The address of an array's data."""
    address: int = array.__array_interface__["data"][0]  # twice as fast as array.ctypes.data
    return address


class _Fallback:
    """The fallback of a builtin; holds references to everything that the builtin needs."""

    __slots__ = ("__call__", "code", "definition")

    def __init__(self, function: Callable[..., Any], code: MachineCode) -> None:
        self.__call__ = function
        self.code = code
        self.definition: Any = None


@cache
def symbol_addresses() -> tuple[int, ...]:
    """The addresses of `objects.ADDRESS_NAMES` in this process."""
    library = ctypes.CDLL(ctypes.util.find_library("m")) if sys.platform != "win32" else ctypes.cdll.msvcrt
    functions: dict[str, Any] = {name: getattr(library, name) for name in LIBRARY_FUNCTIONS}
    for name in objects.ADDRESS_NAMES:
        if name.startswith("Py") and name != "PyArray_NewFromDescr":
            functions[name] = getattr(ctypes.pythonapi, name)
    table = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in functions.items()}
    table["PyArray_NewFromDescr"] = _numpy_api(94) if has_known_layout() else 0
    table |= {
        "ndarray": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "out": id(sys.intern("out")),
        "parameters": id(sys.intern("parameters")),
    }
    return tuple(table[name] or 0 for name in objects.ADDRESS_NAMES)


def _numpy_api(slot: int) -> int:
    """An entry of NumPy's C interface."""
    umath = import_module("numpy._core._multiarray_umath")

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table: int = get(umath._ARRAY_API, None)
    return ctypes.c_void_p.from_address(table + 8 * slot).value or 0


@cache
def has_known_layout() -> bool:
    """Whether Python objects and arrays have the expected memory layout: CPython with GIL, NumPy 2."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or sys.maxsize < 2**32:
        return False
    try:
        return _has_array_layout() and _has_dtype_layout() and _has_tuple_layout() and _numpy_api(2) == id(np.ndarray)
    except (AttributeError, ImportError, ValueError):
        return False


def _has_array_layout() -> bool:
    """Whether the fields of two different arrays are at the expected offsets."""
    for array in (np.zeros((3, 5)), np.zeros((4, 7, 2))[:, ::2]):
        address = id(array)
        flags = ctypes.c_int.from_address(address + objects.FLAGS_OFFSET).value & objects.WRITABLE_FLAGS
        expected = 0x501 if array.flags.c_contiguous else 0x500
        dims = ctypes.c_void_p.from_address(address + objects.DIMS_OFFSET).value or 0
        shape = tuple(ctypes.c_int64.from_address(dims + 8 * k).value for k in range(array.ndim))
        right = (
            ctypes.c_void_p.from_address(address + objects.TYPE_OFFSET).value == id(np.ndarray)
            and ctypes.c_void_p.from_address(address + objects.DATA_OFFSET).value == array.ctypes.data
            and ctypes.c_int.from_address(address + objects.NDIM_OFFSET).value == array.ndim
            and ctypes.c_void_p.from_address(address + objects.DESCR_OFFSET).value == id(array.dtype)
            and shape == array.shape
            and flags == expected
        )
        if not right:
            return False
    return True


def _has_dtype_layout() -> bool:
    """Whether the identifying bytes of a dtype distinguish float64 from similar dtypes, but not from its copies."""
    double = np.dtype(np.float64)
    kind = ctypes.c_int64.from_address(id(double) + objects.DTYPE_KIND_OFFSET).value
    dtypes = [np.dtype(name) for name in (">f8", "<f8", "f4", "i8", "u8", "c16", "M8[s]", "m8", "O")]
    matches = [ctypes.c_int64.from_address(id(dtype) + objects.DTYPE_KIND_OFFSET).value == kind for dtype in dtypes]
    return matches == [dtype == double for dtype in dtypes] and _is_same_kind(double.newbyteorder("="), kind)


def _is_same_kind(copy: np.dtype[Any], kind: int) -> bool:
    return ctypes.c_int64.from_address(id(copy) + objects.DTYPE_KIND_OFFSET).value == kind


def _has_tuple_layout() -> bool:
    sample = ("out", "other")
    size = ctypes.c_int64.from_address(id(sample) + objects.TUPLE_SIZE_OFFSET).value
    return size == 2 and ctypes.c_void_p.from_address(id(sample) + objects.TUPLE_ITEM_OFFSET).value == id(sample[0])
