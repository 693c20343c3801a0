"""Running a traced job in CasADi: for programs too large to compile, and for angles too large for the fast sine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.programs.batch import leading, singular
from gearwright.tracing.trace import TraceJob


def evaluate_traced(job: TraceJob, inputs: Mapping[str, Array], function: Any) -> Array:
    """The job's result for checked inputs, state by state; `function` is the traced job."""
    lead = leading(job.program.name, inputs)
    rows = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in inputs.values()]
    count = len(rows[0])
    flat = np.empty((count, int(np.prod(job.shape(), dtype=int))))
    for k in range(count):
        flat[k] = np.asarray(function(*(row[k] for row in rows))[1]).ravel()
    if not np.isfinite(flat).all():
        raise singular(job.program.name)
    return flat.reshape(lead + job.shape())
