"""Integrals over a cycle: Simpson's rule of SciPy, from each repeated time to the next."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson

from gearwright.analysis.quadrature import integral, integral_weights, smooth_spans


@pytest.mark.parametrize("seed", range(6))
def test_weights_are_those_of_scipy_on_every_span(seed):
    """Spans of 1 to 9 samples at uneven distances, with jumps between them."""
    rng = np.random.default_rng(seed)
    t, start = [], 0.0
    for count in rng.integers(1, 10, size=5):
        times = start + np.concatenate([[0.0], np.cumsum(rng.uniform(0.1, 1.0, size=count - 1))])
        t, start = [*t, *times], times[-1]
    t = np.array(t)
    values = rng.normal(size=(3, len(t)))
    expected = sum(simpson(values[:, a:b], x=t[a:b], axis=1) for a, b in smooth_spans(t) if b - a > 1)
    assert integral(t, values) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert not integral_weights(t).flags.writeable
