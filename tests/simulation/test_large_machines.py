"""Runs of machines with many joints."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.compiling import compile as compiling
from support.long_chains import long_chain


def test_a_run_says_that_its_rates_were_not_optimised(monkeypatch):
    monkeypatch.setattr(compiling, "MAX_OPTIMISED_OPERATIONS_PER_RUN", 1000)
    run = gw.simulate(gw.assemble(long_chain(14)), until=1e-3, samples=3)
    assert any("1,000" in remark and "LLVM" in remark for remark in run.remarks)


def test_energy_is_kept_by_a_long_chain():
    run = gw.simulate(gw.assemble(long_chain(42)), until=5e-3, samples=5)
    assert run.drift == pytest.approx(0.0, abs=1e-7)
