"""Random robots with random laws: the books balance, nothing chatters, heat only grows, no law lets a joint through."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from support.random_robots import Case, random_case

QUICK, ALL = 6, 40
"""How many seeds every run of the tests takes, and how many the slow ones."""

SEEDS = [*range(QUICK), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(QUICK, ALL))]

UNTIL = 0.4

MOST_EVENTS = 60
"""Changes of mode at most: about ten laws whose inputs turn round once or twice, and backlash that rattles."""


def ran(case: Case, until: float = UNTIL) -> gw.Run:
    return gw.simulate(
        case.robot,
        case.state,
        until,
        inputs=case.inputs,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13),
        samples=51,
    )


def check(case: Case, run: gw.Run, until: float = UNTIL) -> None:
    assert run.t[-1] == until
    assert np.isfinite(np.column_stack(list(run.series.values()))).all()
    assert run.drift < 1e-8
    assert len(run.events) < MOST_EVENTS
    supplied = np.abs(run["energy.supplied"]).max() + run["energy.kinetic"].max()
    assert np.diff(run["energy.dissipated"]).min() > -1e-9 * (1.0 + supplied)
    for link in case.robot.links:
        ends = link.joint.limits.position
        if ends is not None:
            q = run[f"q.{link.joint_name}"]
            assert ends[0] - 1e-7 <= q.min() <= q.max() <= ends[1] + 1e-7


@pytest.mark.parametrize("seed", SEEDS)
def test_rigid_drives(seed):
    case = random_case(seed)
    check(case, ran(case))


@pytest.mark.parametrize("seed", SEEDS)
def test_elastic_drives(seed):
    case = random_case(seed, elastic=True)
    check(case, ran(case))


@pytest.mark.slow
def test_friction_beside_a_gear_that_locks_itself_may_let_go_against_its_sense():
    """At 0.586 s neither sticking nor sliding on fits: the third joint's gear turns the sense of forces round."""
    case = random_case(3, elastic=True)
    run = ran(case, 0.6)
    check(case, run, 0.6)
    assert any(h.name == "j0.friction" and h.kind == "forward" and 0.586 < h.t < 0.5862 for h in run.events)


def test_a_supply_that_takes_nothing_back_floats_between_braking_and_drawing():
    """The motor stops braking at 0.685 s, and draws again when more voltage is asked for at 0.7 s."""
    case = random_case(14, elastic=True)
    run = ran(case, 0.8)
    check(case, run, 0.8)
    assert not [remark for remark in run.remarks if "stiff from" in remark]
    supply = case.robot.supply
    later = run.t > 0.7
    assert (run["j0.current"][later] > 0.5).all()
    sag = supply.voltage - supply.resistance * run["supply.source_current"][later]
    np.testing.assert_allclose(run["supply.bus_voltage"][later], sag, rtol=1e-9)
