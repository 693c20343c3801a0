"""A job without machine code: before a kernel pays, where a program is too large, or an angle for the fast sine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.arrays import Array
from gearwright.programs.batch import evaluate, leading, singular
from gearwright.tracing.trace import TraceJob


def evaluate_job(job: TraceJob, inputs: Mapping[str, Array]) -> Array:
    """The job's result for checked inputs: the recursion over NumPy, or where that cannot give it, what was traced."""
    if not job.needs_tracing:
        return evaluate(job.program, job.mech, inputs, job.fixed)
    lead = leading(job.program.name, inputs)
    count = int(np.prod(lead, dtype=int))  # stated, not left to reshape: rows may have no entries
    rows = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(count, x.shape[-1]) for x in inputs.values()]
    flat = np.empty((count, int(np.prod(job.shape(), dtype=int))))
    for k in range(count):
        flat[k] = np.asarray(job.function(*(row[k] for row in rows))[1]).ravel()
    if not np.isfinite(flat).all():
        raise singular(job.program.name)
    return flat.reshape(lead + job.shape())
