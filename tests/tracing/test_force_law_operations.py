"""The operations of force laws in machine code: what recursions do not use, and laws will."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import ARRAYS
from gearwright.compiling.compile import array_layout, object_file
from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.compiling.host.processor import generic_processor
from gearwright.programs.program import Program
from gearwright.tracing.trace import TraceJob, trace_graph


def law(_mech, ops, x, _fixed):
    """Friction, saturation, dead band and stops, as laws write them."""
    q, v = x["q"][0], x["v"][0]
    smooth = 0.3 * ops.tanh(v / 0.01) + 0.2 * ops.exp(-(v * v) / 0.5)
    limited = ops.minimum(ops.maximum(q, -0.4), 0.4)
    band = ops.where(ops.absolute(q) < 0.1, 0.0, q - ops.where(q < 0, -0.1, 0.1))
    stop = ops.where(q >= 0.5, 1e3 * (q - 0.5), 0.0) + ops.where(v > 1, v, -v)
    return [
        smooth,
        limited,
        band,
        stop,
        ops.arctan2(q, v),
        ops.sqrt(ops.absolute(q)),
        ops.sin(ops.cos(q)) / (2 + v**2) + q**3,
        0.25 * ops.floor(4.0 * q + 0.5),
    ]


PROGRAM = Program("law", ("q", "v"), law, lambda *_: (8,))


@pytest.mark.parametrize("machine", [host_processor, generic_processor])
def test_every_operation_equals_numpy(machine):
    mech = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0))])
    job, chip = TraceJob(PROGRAM, mech, {}), machine()
    code = MachineCode(object_file(trace_graph(job), array_layout(job), job.result_shape(), chip), chip.width, True)
    q, v = np.random.default_rng(0).uniform(-1.5, 1.5, (2, 41, 1))
    q[:4, 0] = 0.1, -0.1, 0.5, 0.0
    v[4:7, 0] = 1.0, 0.0, -1.0
    expected = np.stack(law(mech, ARRAYS, {"q": [q[:, 0]], "v": [v[:, 0]]}, {}), axis=-1)
    for rows in (1, 41):
        out = np.empty((rows, 8))
        assert code.run_rows([q, v], [8, 8], out, 0, rows)
        np.testing.assert_allclose(out, expected[:rows], rtol=1e-14, atol=1e-15)
