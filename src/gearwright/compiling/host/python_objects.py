"""Field offsets of Python objects and NumPy arrays, and the addresses that machine code needs to use them."""

from __future__ import annotations

from gearwright.tracing.graph import LIBRARY_FUNCTIONS

ADDRESS_NAMES = (
    *LIBRARY_FUNCTIONS,
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
"""Entries of the table of addresses, in this order: functions, then Python objects."""

# Fields of PyObject, PyTupleObject and PyArrayObject_fields by offset; `object_file` checks them.
TYPE_OFFSET, TUPLE_SIZE_OFFSET, TUPLE_ITEM_OFFSET = 8, 16, 24
DATA_OFFSET, NDIM_OFFSET, DIMS_OFFSET, DESCR_OFFSET, FLAGS_OFFSET = 16, 24, 32, 56, 64
DTYPE_KIND_OFFSET = 24
"""Eight bytes of a dtype with its kind, byte order and type number: copies of a dtype have the same."""

READABLE_FLAGS, WRITABLE_FLAGS = 0x101, 0x501
"""NPY_ARRAY_C_CONTIGUOUS | ALIGNED, and the same with WRITEABLE."""
