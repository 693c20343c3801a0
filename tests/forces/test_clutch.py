"""Clutches and brakes: what they hold, how they slip, that they are free without pressure."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.forces import Clutch, FunctionForce, Line, Load, OneWayClutch, Stops

J1, J2 = 1.0, 0.5


def disc(name: str, J: float) -> gw.Body:
    return gw.Body(name, axis=(0, 0, 1), mass=1.0, inertia=np.diag([J] * 3))


SHAFTS = gw.Mechanism([disc("a", J1), disc("b", J2)], gravity=(0, 0, 0))


def test_two_shafts_slip_until_they_turn_together():
    """Angular momentum is kept; the slip ends after (w1 - w2) / (T/J1 + T/J2) and costs the known energy."""
    clutch = Clutch.between_speeds(SHAFTS, "clutch", "a", "b", normal_force=40.0, coefficients=[(0, 0.5)], geometry=0.1)
    run = gw.simulate(SHAFTS, ([0, 0], [10.0, 0.0]), until=5.0, laws=[clutch], inputs={"clutch.level": 1.0})
    together = J1 * 10 / (J1 + J2)
    np.testing.assert_allclose(run.v[-1], together, rtol=1e-9)
    locked = next(h.t for h in run.events if h.kind == "stick")
    assert locked == pytest.approx(10 / (2.0 / J1 + 2.0 / J2), rel=1e-8)
    assert run["energy.dissipated"][-1] == pytest.approx(J1 * J2 / (J1 + J2) * 10**2 / 2, rel=1e-8)


def test_it_holds_up_to_its_peak_and_then_drags():
    brake = Clutch.brake(SHAFTS, "brake", "a", normal_force=10.0, coefficients=[(0, 0.5)], peak=1.2)
    push = Load("push", Line.for_machine(SHAFTS, "a"))
    inputs = {"brake.level": 1.0, "push": lambda t: 2.0 * t}
    run = gw.simulate(SHAFTS, until=4.0, laws=[brake, push], inputs=inputs)
    sliding = np.maximum(run.t - 3.0, 0.0)
    np.testing.assert_allclose(run.v[:, 0], (sliding**2 + sliding) / J1, atol=1e-7)


def test_friction_follows_its_table_over_speed():
    """mu = 0.5 - 0.03 w down to 0.2 at 10 rad/s: w' = -c (0.5 - 0.03 w) below that speed."""
    table = [(0.0, 0.5), (10.0, 0.2)]
    brake = Clutch.brake(SHAFTS, "brake", "a", normal_force=10.0, coefficients=table)
    run = gw.simulate(SHAFTS, ([0, 0], [8.0, 0.0]), until=1.0, laws=[brake], inputs={"brake.level": 1.0})
    k = 10 * 0.03 / J1
    expected = 0.5 / 0.03 + (8 - 0.5 / 0.03) * np.exp(k * run.t)
    np.testing.assert_allclose(run.v[:, 0], expected, rtol=1e-7)


def test_without_pressure_it_is_free_and_grips_as_it_is_pressed():
    brake = Clutch.brake(SHAFTS, "brake", "a", normal_force=10.0, coefficients=[(0, 0.5)])
    level = {"brake.level": lambda t: max(t - 1.0, 0.0)}
    run = gw.simulate(SHAFTS, ([0, 0], [3.0, 0.0]), until=3.0, laws=[brake], inputs=level)
    assert np.all(run.v[run.t <= 1, 0] == 3.0)
    braked = np.maximum(run.t - 1.0, 0.0)
    expected = np.maximum(3.0 - 5.0 / J1 * braked**2 / 2, 0.0)
    np.testing.assert_allclose(run.v[:, 0], expected, atol=1e-7)
    assert [h.kind for h in run.events] == ["forward", "stick"]
    assert np.all(run.v[:, 1] == 0)


def test_it_lets_go():
    """A brake that holds a pull is released: the shaft starts at that moment."""
    brake = Clutch.brake(SHAFTS, "brake", "a", normal_force=10.0, coefficients=[(0, 0.5)])
    push = Load("push", Line.for_machine(SHAFTS, "a"))
    inputs = {"brake.level": lambda t: max(1.0 - t, 0.0), "push": 1.0}
    run = gw.simulate(SHAFTS, until=2.0, laws=[brake, push], inputs=inputs)
    # it slips from 5 (1 - t) = 1 on
    slipping = np.clip(run.t - 0.8, 0.0, 0.2)
    expected = (5 * slipping**2 / 2 + np.maximum(run.t - 1.0, 0.0)) / J1
    np.testing.assert_allclose(run.v[:, 0], expected, atol=1e-7)
    assert run.modes["brake"][-1] == "free"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"normal_force": -1.0}, "brake: normal_force=-1.0"),
        ({"peak": 0.5}, "brake: peak=0.5 .*1"),
        ({"coefficients": [(0, -0.2)]}, r"brake: .*\(0.0, -0.2\)"),
        ({"coefficients": [(1, 0.2), (0, 0.1)]}, r"brake, coefficients: .*\(1, 0.2\), \(0, 0.1\)"),
        ({"coefficients": []}, r"brake, coefficients: \[\]"),
        ({"geometry": 0.0}, "brake: geometry=0.0"),
    ],
)
def test_impossible_clutches_are_refused(data, words):
    with pytest.raises(InputError, match=words):
        Clutch.brake(SHAFTS, "brake", "a", **data)


def one_way(level: float = 1.0) -> tuple[OneWayClutch, dict[str, float]]:
    clutch = OneWayClutch.of_speeds(
        SHAFTS, "freewheel", "a", "b", normal_force=40.0, coefficients=[(0, 0.5)], geometry=0.1
    )
    return clutch, {"freewheel.level": level}


def test_a_one_way_clutch_is_a_clutch_while_it_turns_forwards():
    """A swinging torque on the first shaft: slip, and grip with less than the static limit."""
    clutch, level = one_way()
    plain = Clutch.between_speeds(
        SHAFTS, "freewheel", "a", "b", normal_force=40.0, coefficients=[(0, 0.5)], geometry=0.1
    )
    drive = {"tau.a": lambda t: 4.0 * np.sin(2 * np.pi * t) if t < 0.5 else 0.0}
    runs = [gw.simulate(SHAFTS, ([0, 0], [3.0, 0.0]), 3.0, laws=[x], inputs=level | drive) for x in (clutch, plain)]
    assert runs[0].v == pytest.approx(runs[1].v, abs=1e-7)
    assert runs[0].v[-1] == pytest.approx(runs[0].v[-1, ::-1], abs=1e-9)


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_one_way_clutch_locks_backwards_without_limit(level, engine):
    """50 Nm backwards: both shafts turn together, and the force on the slower one is what accelerates it."""
    clutch, inputs = one_way(level)
    options = gw.analysis.IntegratorOptions(engine=engine)
    drive = inputs | {"tau.a": -50.0}
    run = gw.simulate(SHAFTS, ([0, 0], [3.0, 0.0]), 1.0, laws=[clutch], inputs=drive, samples=5, integrator=options)
    assert run.v[-1] == pytest.approx((3.0 * J1 - 50.0) / (J1 + J2), rel=1e-9)
    assert run["freewheel.force"][-1] == pytest.approx(50.0 * J2 / (J1 + J2), rel=1e-9)
    stepped = gw.rollout(
        SHAFTS, [0, 0], [3.0, 0.0], 1000, 1e-3, laws=[clutch], method="moreau",
        inputs={"tau": np.array([-50.0, 0.0]), **inputs},
    )  # fmt: skip
    assert stepped.v[-1] == pytest.approx(run.v[-1], rel=1e-9)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_freewheel_is_released_where_the_torque_turns(engine):
    """At level 0 nothing holds it forwards: a torque of 2 cos t pushes from 3 pi / 2 on, without chattering."""
    disc_alone = gw.Mechanism([disc("a", J1)], gravity=(0, 0, 0))
    line = Line.for_machine(disc_alone, "a")
    laws = [OneWayClutch("freewheel", line), FunctionForce("torque", line, lambda s, w, t, ops: 2.0 * ops.cos(t))]
    options = gw.analysis.IntegratorOptions(engine=engine)
    run = gw.simulate(disc_alone, until=6.0, laws=laws, inputs={"freewheel.level": 0.0}, samples=2, integrator=options)
    assert [(event.kind, event.t) for event in run.events[1:]] == [
        ("stick", pytest.approx(np.pi, abs=1e-7)), ("forward", pytest.approx(1.5 * np.pi, abs=1e-7)),
    ]  # fmt: skip
    assert run.v[-1, 0] == pytest.approx(2.0 * (np.sin(6.0) + 1.0) / J1, abs=1e-7)


def test_a_shaft_that_is_thrown_backwards_takes_the_other_with_it():
    """An elastic stop reverses the first shaft; the clutch locks by an impact, which keeps the angular momentum."""
    clutch, inputs = one_way(0.0)
    stop = Stops("stop", Line.for_machine(SHAFTS, "a"), -5.0, 1.0, restitution=1.0)
    run = gw.simulate(SHAFTS, ([0, 0], [3.0, 1.0]), 0.9, laws=[clutch, stop], inputs=inputs, samples=4)
    assert run.v[-1] == pytest.approx((-3.0 * J1 + 1.0 * J2) / (J1 + J2), rel=1e-9)


def test_a_one_way_clutch_does_not_start_backwards():
    clutch, inputs = one_way()
    with pytest.raises(InputError, match=r"'freewheel'.* -1\b"):
        gw.simulate(SHAFTS, ([0, 0], [-1.0, 0.0]), laws=[clutch], inputs=inputs)
