"""Where things lie in Python's objects and NumPy's arrays, and which addresses machine code needs to work with them."""

from __future__ import annotations

from gearwright.tracing.graph import LIBRARY

NAMES = (
    *LIBRARY,
    "PyMem_RawMalloc",
    "PyMem_RawFree",
    "PyObject_Vectorcall",
    "PyArray_NewFromDescr",
    "Py_IncRef",
    "Py_DecRef",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "ndarray",
    "float64",
    "out",
    "parameters",
)
"""What stands in the table of addresses, in this order: functions, then Python objects."""

# Fields of PyObject, PyTupleObject and PyArrayObject_fields by offset; `machine_code` checks them.
TYPE, TUPLE_SIZE, TUPLE_ITEM = 8, 16, 24
DATA, NDIM, DIMS, DESCR, FLAGS = 16, 24, 32, 56, 64
KIND = 24
"""Eight bytes of a dtype with its kind, byte order and type number: copies of a dtype have the same."""

READABLE, WRITABLE = 0x101, 0x501
"""NPY_ARRAY_C_CONTIGUOUS | ALIGNED, and the same with WRITEABLE."""
