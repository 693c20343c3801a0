"""The integration to the next event as C99, printed from the source of the event loop, for exported models."""

from __future__ import annotations

from functools import cache

from gearwright.compiling.restricted_python.c_printer import c_text
from gearwright.simulation.compiled_loop.driver import LOOP_MODULES
from gearwright.simulation.compiled_loop.source import loop
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

C_LOOP_ENTRIES = ("advance_to_event",)


@cache
def integration_c_text() -> str:
    """The workspace of the event loop, its results and `advance_to_event`, in C99."""
    results = {name: value for name, value in vars(loop).items() if name.startswith("LOOP_")}
    return c_text(LOOP_MODULES, LoopWorkspace, C_LOOP_ENTRIES, results)
