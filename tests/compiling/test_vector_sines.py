"""The kernels' own sine and cosine against 60 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from gearwright.compiling.compile import object_file
from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.compiling.host.processor import generic_processor
from gearwright.compiling.llvm.schedule import ArrayLayout
from gearwright.tracing.graph import GraphBuilder


@pytest.fixture(scope="module", params=["host", "generic"])
def sincos(request):
    """(x, one state at a time?) -> (all fine?, sines, cosines) of machine code for this processor or any."""
    machine = host_processor() if request.param == "host" else generic_processor()
    builder = GraphBuilder()
    x = builder.add_node("input", 0, 0)
    graph = builder.make_graph([builder.sin(x), builder.cos(x)])
    code = MachineCode(object_file(graph, ArrayLayout((1,), 2), (2,), machine), machine.width, True)

    def run(values: np.ndarray) -> tuple[bool, np.ndarray]:
        out = np.empty((len(values), 2))
        return code.run_rows([np.ascontiguousarray(values)], [8], out, 0, len(values)), out

    return run


def points() -> np.ndarray:
    """Angles of all sizes up to 1e5, and doubles next to multiples of pi/2, where relative errors are worst."""
    rng = np.random.default_rng(0)
    spread = rng.choice([-1, 1], 6000) * 10 ** rng.uniform(-8, 5, 6000)
    near = np.round(rng.uniform(-63_000, 63_000, 3000)) * (np.pi / 2)
    known = [0.0, np.pi / 4, -364.424747816416, 5e-324, 1e-300, 99_999.99]
    return np.concatenate([spread, near, np.nextafter(near, np.inf), known, rng.uniform(-1e5, 1e5, 3000)])


def test_error_below_two_ulp_up_to_1e5(sincos):
    x = points()
    fine, found = sincos(x)
    assert fine
    with mpmath.workdps(60):
        exact = [(mpmath.sin(mpmath.mpf(float(v))), mpmath.cos(mpmath.mpf(float(v)))) for v in x]
        for column in (0, 1):
            worst = max(
                float(abs(mpmath.mpf(float(y)) - right[column]) / np.spacing(abs(float(right[column]))))
                for y, right in zip(found[:, column], exact, strict=True)
                if abs(float(right[column])) > 1e-290
            )
            assert worst < 2.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e16, -1e300])
def test_what_it_cannot_do_is_reported(sincos, bad):
    for place in range(9):
        x = np.linspace(0, 1, 9)
        assert sincos(x)[0]
        x[place] = bad
        assert not sincos(x)[0]
