"""Evaluation of a job without machine code: before a kernel pays, for large programs, or for large angles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.arrays import Array
from gearwright.programs.batch import batch_shape, evaluate_program, require_closed_loops, singular_result_error
from gearwright.tracing.trace import TraceJob


def evaluate_job(job: TraceJob, inputs: Mapping[str, Array]) -> Array:
    """The job's result for checked inputs: by the recursion over NumPy or, if tracing is needed, in CasADi."""
    if not job.needs_tracing:
        return evaluate_program(job.program, job.mech, inputs, job.fixed)
    lead = batch_shape(job.program.name, inputs)
    if job.mech.closure is not None and job.program.needs_closed_loops:
        require_closed_loops(job.program, job.mech, inputs)
    count = int(np.prod(lead, dtype=int))  # stated explicitly: rows may have no entries
    rows = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(count, x.shape[-1]) for x in inputs.values()]
    flat = np.empty((count, int(np.prod(job.result_shape(), dtype=int))))
    for k in range(count):
        flat[k] = np.asarray(job.casadi_trace(*(row[k] for row in rows))[1]).ravel()
    if not np.isfinite(flat).all():
        raise singular_result_error(job.program.name)
    return flat.reshape(lead + job.result_shape())
