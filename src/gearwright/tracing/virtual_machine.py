"""Running a traced task in CasADi: for programs too large to compile, and for angles too large for the fast sine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.programs.batch import leading, singular
from gearwright.tracing.trace import TracedWork


def evaluate_traced(task: TracedWork, inputs: Mapping[str, Array], function: Any) -> Array:
    """The task's result for checked inputs, state by state; `function` is the traced task."""
    lead = leading(task.program.name, inputs)
    rows = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in inputs.values()]
    count = len(rows[0])
    flat = np.empty((count, int(np.prod(task.shape(), dtype=int))))
    for k in range(count):
        flat[k] = np.asarray(function(*(row[k] for row in rows))[1]).ravel()
    if not np.isfinite(flat).all():
        raise singular(task.program.name)
    return flat.reshape(lead + task.shape())
