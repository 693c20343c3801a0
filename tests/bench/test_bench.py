"""The benchmark compares like with like; it asserts no times."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.bench import bench, cases, peers
from gearwright.bench.bench import BENCH_ROBOTS, BenchmarkRun
from gearwright.bench.compilation import chain_machine, chain_timings
from gearwright.bench.report import BenchmarkReport, Target
from gearwright.bench.timing import peak_flops
from gearwright.errors import InputError
from support.machines import random_design


@pytest.fixture
def mech() -> gw.Mechanism:
    return random_design(
        np.random.default_rng(4), ("revolute", "prismatic", "fixed", "revolute"), wheels=0, chain=True
    ).written()


@pytest.fixture
def geared() -> gw.Mechanism:
    return chain_machine(4)


def state(mech):
    return np.random.default_rng(0).uniform(-1, 1, (3, mech.n))


def test_pinocchio_without_wheels_is_the_machine_without_spins(mech):
    pytest.importorskip("pinocchio")
    q, v, a = state(mech)
    np.testing.assert_allclose(
        peers.Pinocchio(mech).exact_torque(q, v, a), gw.inverse_dynamics(mech, q, v, a), rtol=1e-10
    )


def test_pinocchio_with_wheels_is_the_whole_machine(geared):
    pytest.importorskip("pinocchio")
    q, v, a = state(geared)
    found = peers.Pinocchio(geared, wheels=True).exact_torque(q, v, a)
    np.testing.assert_allclose(found, gw.inverse_dynamics(geared, q, v, a), rtol=1e-10)
    plain = peers.Pinocchio(geared).exact_torque(q, v, a)
    assert np.abs(plain - found).max() > 1e-3


def test_mujoco_has_the_reflected_inertia_as_armature(geared):
    pytest.importorskip("mujoco")
    q, v, a = state(geared)
    peer = peers.Mujoco(geared)
    peer.batch_call(q[None], v[None], a[None])()
    expected = gw.inverse_dynamics(gw.approximate(geared, "diagonal"), q, v, a)
    np.testing.assert_allclose(peer.data.qfrc_inverse, expected, rtol=1e-9)


def test_mujoco_steps_as_we_do(geared):
    """The same semi-implicit Euler: its motion is that of the machine with armatures, to the last digits."""
    pytest.importorskip("mujoco")
    q, v, _ = np.random.default_rng(0).uniform(-1, 1, (3, 5, geared.n))
    record = np.moveaxis(peers.Mujoco(geared).rollout_call(q, v, 30, 1e-3)(), 0, 1)
    ours = gw.rollout(gw.approximate(geared, "diagonal"), q, v, 30, 1e-3)
    np.testing.assert_allclose(record[..., : geared.n], ours.q[1:], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(record[..., geared.n :], ours.v[1:], rtol=1e-10, atol=1e-11)
    exact = gw.rollout(geared, q, v, 30, 1e-3)
    assert np.abs(exact.v - ours.v).max() > 1e-6


def test_peers_are_given_what_they_can_do():
    free = random_design(np.random.default_rng(1), ("free", "revolute")).written()
    with pytest.raises(InputError, match="free"):
        peers.Pinocchio(free)


def test_tensors_that_no_rigid_body_has_do_not_end_in_a_traceback():
    """Those of the leg miss the triangle inequality a little; those of the Manutec less its wheels are none."""
    pytest.importorskip("mujoco")
    pytest.importorskip("pinocchio")
    peers.Mujoco(gw.assemble(gw.load("mini_cheetah_leg")))
    with pytest.raises(InputError, match=r"Pinocchio.*'arm"):
        peers.Pinocchio(gw.assemble(gw.load("manutec_r3")), wheels=True)


def test_a_run_notes_every_contender(geared):
    run = BenchmarkRun({"four": geared}, states=64, rounds=3, progress=lambda _: None)
    timed = run.add_comparison("four", "task", cases.inverse_batch(geared, 64, 3, everyone=False))
    assert [x.contender for x in run.comparisons] == list(timed.states)
    assert run.comparisons[0].ratio == 1.0


def test_a_broken_promise_is_told():
    report = BenchmarkReport([], [Target("fast", 3.0, 4.0), Target("small", 3.0, 4.0, "s", at_most=True)], [])
    assert not report.is_met
    assert [str(x).split()[0] for x in report.targets] == ["FAIL", "pass"]
    assert "FAIL" in str(report)
    assert report.as_data()["promises"][0]["kept"] is False


def test_operations_grow_linearly_with_the_joints():
    four, eight, sixteen = (x.operations for x in chain_timings((4, 8, 16), states=16, rounds=1))
    assert sixteen - eight == pytest.approx(2 * (eight - four), rel=0.01)


def test_peak_is_that_of_a_processor():
    assert 1e8 < peak_flops(rounds=3) < 1e12


@pytest.mark.slow
def test_the_whole_run_names_every_number_that_must_hold():
    pytest.importorskip("pinocchio")
    robots = {name: gw.load(name) for name in BENCH_ROBOTS}
    report = bench(robots, states=64, rounds=1)
    told = " ".join(promise.description for promise in report.targets)
    for word in (
        "rneaInParallel",
        "calibrated",
        "humanoid_30",
        "abaInParallel",
        "crba",
        "derivatives",
        "peak",
        "cache",
        "elastic",
    ):
        assert word in told
    assert "64 joints" in told
    assert len(report.targets) == 20
    counted = [promise for promise in report.targets if "operations" in promise.description]
    assert len(counted) == 2
    assert all(promise.is_met for promise in counted)
    assert {x.robot for x in report.comparisons} == set(BENCH_ROBOTS) - {"manutec_r3"}


def test_the_benchmark_of_designs_runs(monkeypatch, capsys):
    """Whether it keeps its promise is for an idle machine; that its numbers agree with a loop it checks itself."""
    script = Path(__file__).parents[2] / "benchmarks" / "design.py"
    monkeypatch.syspath_prepend(str(script.parent))
    monkeypatch.setattr(sys, "argv", [str(script), "--designs", "200", "--no-sizing"])
    with pytest.raises(SystemExit):
        runpy.run_path(str(script), run_name="__main__")
    assert "designs/s" in capsys.readouterr().out
