"""What springs cost: the shafts are eliminated first, so that twice the speeds are far from eight times the work."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.bench.bench import BenchmarkRun
from gearwright.bench.cases import with_elastic_drives
from support.compare import relative


@pytest.fixture(scope="module")
def arm() -> gw.Mechanism:
    return gw.assemble(gw.load("panda_like"))


def test_the_elastic_arm_of_the_benchmark_is_the_rigid_one_with_springs(arm):
    soft = with_elastic_drives(arm)
    assert soft.n == 14
    rigid = gw.approximate(soft, "rigid")
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 7))
    assert relative(gw.inverse_dynamics(rigid, q, v, a), gw.inverse_dynamics(arm, q, v, a)) < 1e-13


def test_shafts_are_eliminated_first(arm):
    """They couple only with the joints before them: no fill-in comes from them."""
    assert set(with_elastic_drives(arm).elimination_order[:7]) == set(range(7, 14))


def test_operations_stay_below_twice_those_of_the_rigid_arm(arm):
    rigid, soft = (gw.compile("forward_dynamics", m).operations for m in (arm, with_elastic_drives(arm)))
    assert soft.arithmetic_count < 1.6 * rigid.arithmetic_count
    assert soft.sincos == rigid.sincos


def test_the_benchmark_has_its_line(arm):
    run = BenchmarkRun({"panda_like": arm}, states=16, rounds=1, progress=lambda _: None)
    run.run_elastic(arm)
    (promise,) = run.targets
    assert promise.limit == 2.5
    assert promise.at_most
    assert promise.value > 0
    assert [c.contender for c in run.comparisons] == ["Gearwright", "Gearwright, every drive elastic"]
