"""Calls of kernels without a detour: arguments go to the machine code as the interpreter holds them."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

FLAGS = 168
"""Where a type keeps its flags (CPython, 64 bits); checked before it is used."""

HAVE_VECTORCALL = 1 << 11


def inherit_vectorcall(kind: type[partial[Any]]) -> None:
    """Let a subclass of `partial` be called the quick way that `partial` itself is called.

    From Python 3.12 on subclasses inherit that; 3.11 packs the arguments into a tuple and a dictionary instead, which
    takes longer than half a kernel. Where types look different from what is expected, nothing is changed.
    """
    if kind.__flags__ & HAVE_VECTORCALL or ctypes.sizeof(ctypes.c_void_p) != 8:
        return
    if not partial.__flags__ & HAVE_VECTORCALL:
        return
    flags = ctypes.c_uint64.from_address(id(kind) + FLAGS)
    if flags.value == kind.__flags__:
        flags.value |= HAVE_VECTORCALL
