"""Curves through points, series, recordings and accelerations."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, InputError
from gearwright.motion import (
    EndRates,
    FourierMotion,
    fourier,
    from_accelerations,
    moving_average,
    polynomial,
    recorded,
    spline,
)
from gearwright.motion.csv_files import read_recording
from gearwright.motion.piecewise_polynomials import hermite_interpolant

RNG = np.random.default_rng(2)
POINTS = RNG.uniform(-1, 1, (6, 3))
LIMITS = {"speed": [1.0, 1.5, 2.0], "acceleration": [4.0, 6.0, 8.0], "jerk": [40.0, 60.0, 90.0]}


@pytest.mark.parametrize("order", [3, 5, 7])
def test_spline_meets_points_at_times_and_rests_at_the_ends(order):
    times = np.array([1.0, 1.4, 2.0, 2.1, 3.0, 4.0])
    way = spline(POINTS, times, order=order)
    assert np.allclose(way.at(times - 1.0), POINTS, rtol=0, atol=1e-12)
    for k in range(1, (order + 1) // 2):
        assert np.allclose(way.at([0.0, 3.0], k), 0, atol=1e-7)
    assert way.derivative_jumps(order - 1) == []
    assert way.smoothness == (order - 1) // 2


def test_two_points_are_the_polynomial():
    for order in (3, 5, 7):
        way, expected = spline(POINTS[:2], [0.0, 0.8], order=order), polynomial(*POINTS[:2], 0.8, order=order)
        t = np.linspace(0, 0.8, 30)
        assert np.allclose(way.at(t), expected.at(t), atol=1e-12)


@pytest.mark.parametrize("order", [3, 5, 7])
def test_chosen_times_keep_every_limit_and_reach_one(order):
    for k in range(4):
        points = np.random.default_rng(k).uniform(-2, 2, (3 + 2 * k, 3))
        way = spline(points, order=order, **LIMITS)
        ratios = [way.peak(k) / LIMITS[name] for k, name in enumerate(LIMITS, start=1)]
        assert np.isclose(np.max(ratios), 1.0, rtol=0, atol=1e-9)
        dense = way.sample(5001)
        assert (np.abs(dense.v) <= np.array(LIMITS["speed"]) * (1 + 1e-9)).all()
        assert (np.abs(dense.a) <= np.array(LIMITS["acceleration"]) * (1 + 1e-9)).all()
        for point in points:
            assert np.abs(way.at(way.pieces.x) - point).max(axis=1).min() < 1e-12


def test_chosen_times_are_shorter_than_equal_ones():
    points = np.array([[0.0], [1.0], [1.05], [0.0], [2.0]])
    way, limits = spline(points, **{k: x[0] for k, x in LIMITS.items()}), [x[0] for x in LIMITS.values()]
    even = spline(points, np.arange(5.0))
    slower = max((even.peak(k)[0] / limit) ** (1 / k) for k, limit in enumerate(limits, start=1))
    assert way.duration < 0.9 * 4.0 * slower


def limited():
    limits = gw.parts.Limits(position=(-1.0, 1.0), speed=2.0, acceleration=8.0)
    arm = gw.parts.Link("arm", joint=gw.parts.Joint("shoulder", limits=limits), mass=1, inertia=np.eye(3))
    return gw.parts.Robot("one", [arm])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: spline([[0.0], [1.4]], robot=limited()), r"point 1 .*'shoulder' .*\b1\.4\b.*-1 .*\b1\b"),
        (lambda: spline([[0.0], [1.0], [0.99], [-1.0]], robot=limited()), r"'shoulder' .*\b1\.00104\b.*-1 .*\b1\b"),
        (lambda: spline([[0.0], [0.5]], [0.0, 0.1], robot=limited()), r"'shoulder' .*\b9\.375\b.*\b2\b"),
        (lambda: spline([[0.0], [1.0]], [0.0, 0.0]), r"times .*entry 1 .*\b0 .*\b0\b"),
        (lambda: spline([[0.0], [1.0]], [0.0, 1.0, 2.0]), r"\b3 times .*\b2 points"),
        (lambda: spline([[0.0], [0.0], [1.0]], speed=1.0, acceleration=1.0), r"points 0 .*\b1\b.*times"),
        (lambda: spline([[0.0], [1.0]], speed=1.0), "coordinate 0 .*acceleration"),
        (lambda: spline([[0.0]], [0.0]), r"shape \(1, 1\)"),
        (lambda: spline([0.0, 1.0], [0.0, 1.0]), r"points .*\(2,\).*\b2\b"),
        (lambda: spline([[0.0], [np.inf]], [0.0, 1.0]), r"points\[1, 0\]=inf"),
        (lambda: spline([[0.0], [1.0]], [0.0, 1.0], order=4), "order=4"),
        (
            lambda: spline([[0.0], [1.0]], speed=1.0, acceleration=1.0, end_rates=EndRates(start_speed=0.1)),
            "spline: .*speeds.*times",
        ),
        (lambda: spline([[0.0], [1.0]], speed=[1.0, 1.0], acceleration=1.0), r"\bspeed .*\b2\b.*\b1\b"),
        (lambda: fourier(1.0, [0.0], [[1.0, 2.0]], [[1.0]]), r"sines .*\(1, 2\).*cosines .*\(1, 1\)"),
        (lambda: fourier(1.0, [0.0, 0.0], [[1.0]], [[1.0]]), r"centre .*\(2,\).*sines .*\(1, 1\)"),
        (lambda: fourier(1.0, [0.0], [[1.0]], [[1.0]], periods=0), "periods=0"),
        (lambda: fourier(1.0, [0.9], [[1.0]], [[1.0]], robot=limited()), r"'shoulder' .*\b1\.12"),
        (lambda: from_accelerations([0.0, 1.0], [[1.0]], [0.0]), r"accelerations .*\(1, 1\).*\b2 times"),
        (lambda: from_accelerations([0.0, 0.0], [[1.0], [1.0]], [0.0]), r"times .*entry 1 .*\b0 .*\b0\b"),
        (lambda: from_accelerations([0.0, 1.0], [[1.0], [np.nan]], [0.0]), r"accelerations\[1, 0\]=nan"),
        (lambda: from_accelerations([0.0, 1.0], [[1.0], [1.0]], [0.0, 1.0, 2.0]), r"\bstart .*\b3\b.*\b1\b"),
        (lambda: from_accelerations([0.0, 1.0], [[1.0], [1.0]], [0.0], between="x"), "between='x'.*line, hold"),
        (lambda: recorded(3.0), "source=3.0"),
        (lambda: recorded((np.arange(3.0), np.zeros((3, 1)))), r"\b3 samples .*\b8\b"),
        (lambda: recorded((np.arange(3.0), np.zeros((3, 1)), np.zeros((3, 2)))), r"\bv .*\(3, 2\).*\(3, 1\)"),
        (lambda: recorded((np.arange(3.0), np.zeros((4, 1)), np.zeros((4, 1)))), r"\bq .*\(4, 1\).*\(3, 1\)"),
        (lambda: recorded((np.zeros(9), np.zeros((9, 1)))), r"\bt .*entry 1 .*\b0 .*\b0\b"),
        (lambda: recorded((np.arange(9.0), np.zeros((9, 1))), smoothness=3), "smoothness=3"),
        (lambda: recorded((np.arange(9.0), np.zeros((9, 1))), start=[0.0]), "start .*start_speed .*accelerations"),
        (lambda: recorded((np.arange(9.0), np.zeros((9, 1))), start_speed=1.0), "start .*start_speed .*accelerations"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_a_fourier_trajectory_is_its_series():
    series = FourierMotion(3.0, RNG.normal(size=2), *RNG.normal(size=(2, 2, 5)))
    way = series.to_trajectory(periods=2)
    t = np.linspace(0, 6.0, 777)
    for k in range(9):
        assert np.allclose(way.at(t, k), series.at(t, k), rtol=0, atol=1e-11 * way.peak(k).max())
    assert way.derivative_jumps(9) == []


def test_a_fourier_motion_that_rests_at_its_ends_is_smooth_as_far_as_that():
    """Speed and acceleration vanish at the ends (as in `excite`), the jerk does not."""
    way = fourier(2.0, [0.0], [[-1.0, 1.0]], [[-2.0, 1.0]])
    assert way.smoothness == 2


def test_constant_and_linear_accelerations_are_integrated_exactly():
    t = np.array([2.0, 2.5, 3.0, 4.0])
    held = from_accelerations(t, [[2.0], [2.0], [2.0], [2.0]], [1.0], [-1.0], between="hold")
    s = np.linspace(0, 2, 9)
    assert np.allclose(held.at(s)[:, 0], 1.0 - s + s**2)
    ramp = from_accelerations(t, 6 * (t[:, None] - 2.0), [0.0])
    assert np.allclose(ramp.at(s)[:, 0], s**3)
    assert np.allclose(ramp.at(s, 1)[:, 0], 3 * s**2)


def test_accelerations_bring_a_motion_back():
    way = polynomial([0.2, -0.3], [1.0, 0.5], 1.0, order=7)
    dense = way.sample(2001)
    again = from_accelerations(dense.t, dense.a, way.at(0.0))
    t = np.linspace(0, 1, 57)
    assert np.allclose(again.at(t), way.at(t), atol=1e-6)
    assert again.smoothness >= 1


@pytest.mark.parametrize("count", [2, 3, 4])
def test_recordings_meet_their_samples(count):
    way = polynomial([0.2, -0.3], [1.0, 0.5], 1.0, order=7)
    dense = way.sample(41)
    again = recorded((dense.t + 5.0, dense.q, dense.v, dense.a)[:count])
    for k in range(count - 1):
        assert np.allclose(again.at(dense.t, k), (dense.q, dense.v, dense.a)[k], rtol=0, atol=1e-11)
    t = np.linspace(0, 1, 333)
    assert np.allclose(again.at(t), way.at(t), atol=2e-5)
    assert not again.derivative_jumps({2: 6, 3: 1, 4: 2}[count])


def test_accelerations_in_a_file_are_integrated(tmp_path):
    mech = gw.assemble(gw.load("elbow"))
    way = polynomial([0.1, -0.2, 0.3], [0.5, 0.4, 0.0], 1.0, order=7)
    path = tmp_path / "a.csv"
    rows = [",".join(map(repr, [float(t), *map(float, way.at(t, 2))])) for t in np.linspace(0, 1, 1001)]
    path.write_text("t,a.j1,a.j2,a.j3\n" + "\n".join(rows) + "\n")
    motion, remarks = read_recording(path, mech, start=[0.1, -0.2, 0.3])
    assert np.allclose(motion.q, way.at(motion.t), atol=1e-5)
    assert np.allclose(motion.v, way.at(motion.t, 1), atol=1e-5)
    assert np.array_equal(motion.a, way.at(motion.t, 2))
    assert "integrated" in remarks[0]
    again = recorded(path, start=[0.1, -0.2, 0.3], robot=gw.load("elbow"))
    assert np.allclose(again.at(motion.t), motion.q, atol=1e-14)
    assert again.names == recorded(path, start=0.0).names == ("j1", "j2", "j3")
    for read in (lambda: read_recording(path, mech), lambda: recorded(path)):
        with pytest.raises(FileError, match=r"a\.csv.*start=.*q\.<coordinate>"):
            read()
    with pytest.raises(InputError, match=r"smoothness=6\b.*accelerations.*\b2\b"):
        recorded(path, start=0.0, smoothness=6)


def test_accelerations_of_a_free_body_are_refused(tmp_path):
    box = gw.Mechanism([gw.Body("box", joint="free", mass=1, inertia=np.eye(3))])
    path = tmp_path / "a.csv"
    path.write_text(",".join(["t", *(f"a.{name}" for name in box.speeds)]) + "\n0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n")
    with pytest.raises(FileError, match=r"a\.csv.*free.*q\.<coordinate>"):
        read_recording(path, box, start=np.zeros(7))


def test_a_file_may_leave_out_the_shafts(tmp_path):
    robot = gw.load("elastic_elbow")
    path = polynomial([0.0] * 3, [0.3] * 3, 1.0, robot=robot).save(tmp_path / "way.csv")
    assert recorded(path, robot=robot).names == ("j1", "j2", "j3")
    path = polynomial([0.0] * 6, [0.3] * 6, 1.0, robot=robot).save(tmp_path / "way.csv")
    assert recorded(path, robot=robot).count == 6
    (tmp_path / "v.csv").write_text("t,v.j1\n0,0\n1,0\n")
    with pytest.raises(FileError, match=r"v\.csv.*q\.<coordinate>.*a\.<speed>"):
        recorded(tmp_path / "v.csv")


def test_small_motions_far_from_zero_keep_the_digits_of_their_speeds():
    """The same motion, moved by 2 rad: no difference of positions may lose its last digits."""
    size, t = 2.0**-20, np.linspace(0, 1, 1001)
    ways = [
        moving_average(moving_average(polynomial([x], [x + size], duration=0.8, order=5), 0.125), 0.075)
        for x in (0.0, 2.0)
    ]
    here, there = (way.at(t, 1) for way in ways)
    assert np.abs(there - here).max() < 1e-14 * np.abs(here).max()
    met = hermite_interpolant(t, [ways[1].at(t, k) for k in range(3)]).derivative()
    between = (t[1:] + t[:-1]) / 2
    assert np.abs(met(between) - ways[1].at(between, 1)).max() < 1e-10 * np.abs(here).max()
