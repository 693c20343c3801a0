"""S-curves and trapezoids: closed forms, limits kept and reached, synchronised, and nothing sent over the network."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import EndRates, s_curve, trapezoid

LIMITS = {"speed": [1.5, 1.0, 2.0], "acceleration": [6.0, 9.0, 4.0], "jerk": [60.0, 50.0, 80.0]}


def peaks(way, *orders):
    """Largest magnitudes on a dense grid and just beside every knot, independent of Trajectory.peak."""
    knots = way.pieces.x
    t = np.concatenate([np.linspace(0, way.duration, 4001), np.nextafter(knots, np.inf), np.nextafter(knots, -np.inf)])
    t = np.clip(t, 0, way.duration)
    return [np.abs(way.at(t, k)).max(axis=0) for k in orders]


def kept(way, limits=LIMITS, orders=(1, 2, 3)):
    for found, limit in zip(peaks(way, *orders), limits.values(), strict=False):
        assert (found <= np.array(limit) * (1 + 1e-9)).all()


def test_full_s_curve_is_the_textbook_one():
    """Way / speed + speed / acceleration + acceleration / jerk, when all three limits are reached."""
    way = s_curve([0.0], [1.0], speed=1.0, acceleration=2.0, jerk=10.0)
    assert np.isclose(way.duration, 1 / 1 + 1 / 2 + 2 / 10, rtol=0, atol=1e-12)
    assert np.allclose([p[0] for p in peaks(way, 1, 2, 3)], [1.0, 2.0, 10.0], rtol=1e-9)


def test_a_short_s_curve_is_four_phases_of_jerk():
    """With neither speed nor acceleration reached the way is 2 j (T/4)^3."""
    way = s_curve([0.0], [1e-3], speed=10.0, acceleration=100.0, jerk=50.0)
    assert np.isclose(way.duration, 4 * (1e-3 / (2 * 50.0)) ** (1 / 3), rtol=1e-9)


@pytest.mark.parametrize("synchronisation", ["phase", "time"])
@pytest.mark.parametrize("profile", ["s_curve", "trapezoid"])
def test_random_ways_keep_limits_and_reach_one(profile, synchronisation):
    rng = np.random.default_rng(5)
    for _ in range(25):
        ends = rng.uniform(-3, 3, (2, 3)) * 10.0 ** rng.uniform(-3, 1)
        limits = {k: np.array(x) for k, x in LIMITS.items() if profile == "s_curve" or k != "jerk"}
        way = getattr(gw.motion, profile)(*ends, **limits, synchronisation=synchronisation)
        orders = range(1, len(limits) + 1)
        kept(way, limits, orders)
        assert np.allclose(way.at([0.0, way.duration]), ends, rtol=0, atol=1e-12 * max(1, np.abs(ends).max()))
        assert way.smoothness == (2 if profile == "s_curve" else 1)
        used = [np.abs(found / limit).max() for found, limit in zip(peaks(way, *orders), limits.values(), strict=True)]
        assert max(used) > 1 - 1e-9
        if synchronisation == "phase":
            t = np.linspace(0, way.duration, 50)
            share = (way.at(t) - ends[0]) / (ends[1] - ends[0])
            assert np.allclose(share, share[:, :1], atol=1e-9)


def test_time_is_never_slower_than_phase():
    rng = np.random.default_rng(6)
    for _ in range(20):
        ends = rng.uniform(-2, 2, (2, 3))
        assert s_curve(*ends, **LIMITS, synchronisation="time").duration <= s_curve(*ends, **LIMITS).duration + 1e-12


def test_s_curve_tends_to_the_trapezoid():
    ends, limits = ([0.0, 1.0], [1.0, 0.4]), {"speed": 1.0, "acceleration": 3.0}
    stiff, sharp = s_curve(*ends, **limits, jerk=1e7), trapezoid(*ends, **limits)
    assert np.isclose(stiff.duration, sharp.duration, atol=1e-6)
    assert np.allclose(stiff.at(0.4), sharp.at(0.4), atol=1e-6)


@pytest.mark.parametrize("synchronisation", ["phase", "time"])
def test_minimum_duration_stretches(synchronisation):
    way = s_curve([0.0] * 3, [1.0, -0.5, 0.2], **LIMITS, synchronisation=synchronisation, minimum_duration=4.0)
    assert np.isclose(way.duration, 4.0, atol=1e-12)
    kept(way)


def test_states_at_the_ends_are_met():
    rng = np.random.default_rng(7)
    for _ in range(25):
        ends, v, a = rng.uniform(-2, 2, (2, 3)), rng.uniform(-0.9, 0.9, (2, 3)), rng.uniform(-2, 2, (2, 3))
        rates = EndRates(start_speed=v[0], end_speed=v[1], start_acceleration=a[0], end_acceleration=a[1])
        way = s_curve(*ends, **LIMITS, end_rates=rates, synchronisation="time")
        for k, expected in enumerate((ends, v, a)):
            assert np.allclose(way.at([0.0, way.duration], k), expected, atol=1e-9)
        kept(way)
        assert way.derivative_jumps(2) == []


def test_speeds_along_the_line_stay_on_it():
    way = trapezoid([0.0, 0.0], [1.0, 2.0], 1.0, 4.0, end_rates=EndRates(start_speed=[0.3, 0.6], end_speed=[0.1, 0.2]))
    t = np.linspace(0, way.duration, 40)
    assert np.allclose(way.at(t)[:, 1], 2 * way.at(t)[:, 0])
    assert np.allclose(way.at([0.0, way.duration], 1), [[0.3, 0.6], [0.1, 0.2]])


@pytest.mark.parametrize("size", [1e-9, 1e-4, 1e5])
def test_any_scale_of_length_and_time(size):
    for time in (1e-4, 1e3):
        limits = {"speed": size / time, "acceleration": size / time**2, "jerk": 5 * size / time**3}
        way = s_curve([0.0], [size], **limits)
        one = s_curve([0.0], [1.0], speed=1.0, acceleration=1.0, jerk=5.0)
        assert np.isclose(way.duration, one.duration * time, rtol=1e-9)


def test_derivatives_belong_together():
    way = s_curve([0.0, 1.0], [1.0, -1.0], speed=2.0, acceleration=8.0, jerk=100.0, synchronisation="time")
    t = np.linspace(0.01, way.duration - 0.01, 101)
    for k in (1, 2):
        slope = (way.at(t + 1e-6, k - 1) - way.at(t - 1e-6, k - 1)) / 2e-6
        assert np.allclose(way.at(t, k), slope, atol=1e-4)


@pytest.fixture
def robot():
    limits = gw.parts.Limits(position=(-1.0, 1.0), speed=2.0, acceleration=8.0)
    arm = gw.parts.Link("arm", joint=gw.parts.Joint("shoulder", limits=limits), mass=1, inertia=np.eye(3))
    return gw.parts.Robot("one", [arm])


def test_limits_come_from_the_robot(robot):
    way = trapezoid([-0.9], [0.9], robot=robot)
    assert np.allclose([way.peak(1)[0], way.peak(2)[0]], [2.0, 8.0])
    assert way.names == ("shoulder",)
    assert way.units == ("rad",)
    assert trapezoid([-0.9], [0.9], speed=1.0, robot=robot).peak(1)[0] == pytest.approx(1.0)


def test_ruckig_never_gets_via_points(monkeypatch):
    """It would send them to a service in the network: neither the words nor a value of them may appear."""
    import ruckig

    seen = []

    class Spy:
        def __init__(self, *arguments):
            assert len(arguments) == 1  # a second would be a control cycle, a third a number of via points
            self._real = ruckig_class(*arguments)

        def calculate(self, asked, found):
            seen.append(list(asked.intermediate_positions))
            return self._real.calculate(asked, found)

    ruckig_class = ruckig.Ruckig
    monkeypatch.setattr(ruckig, "Ruckig", Spy)
    s_curve([0.0, 0.0], [1.0, 0.5], speed=1.0, acceleration=2.0, jerk=9.0, synchronisation="time")
    trapezoid([0.0, 0.0], [1.0, 0.5], 1.0, 2.0)
    gw.motion.spline([[0.0], [1.0], [0.5]], speed=1.0, acceleration=2.0, jerk=9.0)
    assert seen == [[], []]
    for file in Path(gw.__file__).parent.rglob("*.py"):
        named = [x.attr for x in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(x, ast.Attribute)]
        assert not [x for x in named if x.startswith(("intermediate_positions", "per_section"))], file


NONE = {"speed": 1.0, "acceleration": 2.0, "jerk": 10.0}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: s_curve([0.0], [1.0], speed=1.0, acceleration=2.0),
            "coordinate 0 .*jerk",
        ),
        (lambda: trapezoid([0.0], [1.0], speed=1.0), "coordinate 0 .*acceleration"),
        (lambda: s_curve([0.0], [1.0, 2.0, 3.0], **{**NONE, "jerk": [1.0, 2.0]}), r"\bjerk .*\b2\b.*\b3\b"),
        (lambda: s_curve([0.0], [1.0], **{**NONE, "jerk": 0.0}), r"jerk\[0\]=0.0"),
        (lambda: s_curve([0.0], [1.0], **NONE, synchronisation="none"), "synchronisation='none'.*phase, time"),
        (lambda: s_curve([0.0], [1.0], **NONE, minimum_duration=-1.0), "minimum_duration=-1.0"),
        (
            lambda: s_curve([0.0], [1.0], **NONE, end_rates=EndRates(start_speed=1.5)),
            r"start_speed .*coordinate 0 .*\b1\.5\b",
        ),
        (
            lambda: s_curve([0.0], [1.0], **NONE, end_rates=EndRates(end_acceleration=-3.0)),
            r"end_acceleration .*coordinate 0 .*-3\b",
        ),
        (
            lambda: s_curve([0.0], [1.0], **NONE, end_rates=EndRates(start_speed=0.95, start_acceleration=1.9)),
            r"speed .*coordinate 0 .*\b1\.13",
        ),
        (
            lambda: s_curve([0.0, 0.0], [1.0, 1.0], **NONE, end_rates=EndRates(start_speed=[0.5, 0.1])),
            "synchronisation='time'",
        ),
        (lambda: s_curve([0.0], [0.0], **NONE), "s_curve: start .*end"),
    ],
)
def test_what_cannot_be_is_refused_in_words(call, words):
    with pytest.raises(InputError, match=words):
        call()


@pytest.mark.parametrize(
    ("start", "end", "given", "words"),
    [
        (-1.5, 0.5, {}, r"start .*'shoulder' .*-1\.5\b.*-1 .*\b1\b"),
        (0.0, 1.2, {}, r"end .*'shoulder' .*\b1\.2\b"),
        (0.5, 0.9, {"end_rates": EndRates(start_speed=2.0), "acceleration": 2.0}, r"motion .*'shoulder' .*\b1\.5\b"),
        ([0.0, 0.0], [0.5, 0.5], {}, r"\b2 coordinates.*\b1 joints"),
    ],
)
def test_the_robots_positions_are_kept(robot, start, end, given, words):
    with pytest.raises(InputError, match=words):
        trapezoid(start, end, robot=robot, **given)


def test_a_limit_of_zero_is_reached_in_spite_of_rounding():
    """A way up to the end stop at 0 ends some 1e-18 m beyond it; a micrometre is beyond."""
    lift = gw.load("scara")
    limits = {"speed": 0.5, "acceleration": 4.0, "jerk": 100.0, "robot": lift}
    for low in np.linspace(-0.19, -0.01, 37):
        s_curve([0, 0, low, 0], [0, 0, 0, 0], **limits)
    with pytest.raises(InputError, match="1e-06, outside its limits"):
        s_curve([0, 0, -0.1, 0], [0, 0, 1e-6, 0], **limits)


def test_what_is_not_a_robot():
    with pytest.raises(InputError, match="trapezoid: robot='elbow'"):
        trapezoid([0.0], [1.0], 1.0, 1.0, robot="elbow")


@pytest.mark.parametrize(
    ("end", "limits"),
    [(1e90, {"speed": 1e-80, "acceleration": 1e80}), (1e99, {"speed": 1e-99, "acceleration": 1e-99, "jerk": 1e-99})],
)
def test_durations_that_overflow_are_refused(end, limits):
    with pytest.raises(InputError, match="units"):
        (s_curve if "jerk" in limits else trapezoid)([0.0], [end], **limits)
