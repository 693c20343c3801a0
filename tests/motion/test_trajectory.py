"""Trajectories: extremes, smoothness, averages, pauses and chains, files and pictures."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import (
    EndRates,
    Motion,
    chain,
    fourier,
    from_accelerations,
    moving_average,
    pause,
    polynomial,
    recorded,
    s_curve,
    spline,
    trapezoid,
)

LIMITS = {"speed": 1.0, "acceleration": 3.0}
WAYS = {
    "polynomial": polynomial([0.0, 1.0], [1.0, -1.0], 0.7, 7),
    "trapezoid": trapezoid([0.0, 1.0], [1.0, 0.4], **LIMITS),
    "s_curve": s_curve([0.0, 1.0], [1.0, 0.4], **LIMITS, jerk=20.0, synchronisation="time"),
    "spline": spline([[0.0, 1.0], [0.5, 0.2], [0.3, 0.1], [1.0, 0.8]], **LIMITS, jerk=20.0),
    "fourier": fourier(2.0, [0.1, 0.2], [[0.3, -0.1], [0.2, 0.1]], [[0.1, 0.2], [0.0, 0.3]]),
    "smoothed": moving_average(s_curve([0.0, 1.0], [1.0, 0.4], **LIMITS, jerk=20.0), 0.03),
    "from_accelerations": from_accelerations([0.0, 0.3, 1.0], [[1.0, 0.0], [-1.0, 2.0], [0.0, 1.0]], [0.0, 1.0]),
    "recorded": recorded(polynomial([0.0, 1.0], [1.0, -1.0], 0.7).sample(20)),
}


@pytest.fixture(params=WAYS.values(), ids=WAYS.keys())
def way(request):
    return request.param


def test_every_derivative_is_the_slope_of_the_one_before(way):
    t = np.linspace(0.011, way.duration - 0.011, 97)
    step = 1e-6
    t = t[np.abs(t[:, None] - way.pieces.x).min(axis=1) > 2 * step]
    for k in range(1, 5):
        slope = (way.at(t + step, k - 1) - way.at(t - step, k - 1)) / (2 * step)
        assert np.allclose(way.at(t, k), slope, rtol=0, atol=1e-7 * max(1.0, way.peak(k).max()) + 1e-3 * (k > 3))


def test_extremes_are_those_of_a_dense_grid(way):
    t = np.linspace(0, way.duration, 20001)
    for k in range(4):
        low, high = way.extremes(k)
        values = way.at(t, k)
        size = max(1.0, np.abs(values).max())
        assert (values >= low - 1e-12 * size).all()
        assert (values <= high + 1e-12 * size).all()
        if k < 2:  # continuous, so the grid comes close
            assert np.allclose([low, high], [values.min(axis=0), values.max(axis=0)], atol=1e-3)


def test_derivatives_are_continuous_as_far_as_it_says(way):
    edges = np.array([0.0, way.duration, *way.pieces.x[1:-1]])
    for k in range(int(min(way.smoothness, 6)) + 1):
        size = max(way.peak(k).max(), 1e-9)
        assert np.allclose(way.at(edges - 1e-12, k), way.at(edges + 1e-12, k), rtol=0, atol=1e-6 * size)
    if way.smoothness < 6:
        k = int(way.smoothness) + 1
        jump = np.abs(way.at(edges - 1e-12, k) - way.at(edges + 1e-12, k)).max()
        assert jump > 1e-3 * way.peak(k).max()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("polynomial", 3), ("trapezoid", 1), ("s_curve", 2), ("spline", 2), ("smoothed", 3), ("fourier", 0)],
)
def test_smoothness(name, expected):
    assert WAYS[name].smoothness == expected
    assert pause([0.0], 1.0).smoothness == np.inf


@pytest.mark.parametrize("width", [1e-3, 0.07, 5.0])
@pytest.mark.parametrize("name", ["trapezoid", "s_curve", "spline", "polynomial"])
def test_an_average_keeps_every_limit_and_adds_its_width(name, width):
    way = WAYS[name]
    soft = moving_average(way, width)
    assert np.isclose(soft.duration, way.duration + width)
    assert soft.smoothness == way.smoothness + 1
    assert np.allclose(soft.at([0.0, soft.duration]), way.at([0.0, way.duration]), rtol=0, atol=1e-11)
    order = int(way.smoothness) + 1
    for k in range(1, order + 1):
        assert (soft.peak(k) <= way.peak(k) * (1 + 1e-9)).all()
    assert (soft.peak(order + 1) <= 2 * way.peak(order) / width * (1 + 1e-9)).all()
    for low, high, inner_low, inner_high in [(*way.extremes(), *soft.extremes())]:
        assert (inner_low >= low - 1e-11).all()
        assert (inner_high <= high + 1e-11).all()


def test_an_average_is_the_average():
    way, width = WAYS["s_curve"], 0.2
    soft = moving_average(way, width)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    for t in (0.05, 0.4, way.duration, way.duration + 0.15):
        mean = weights @ way.at(t - width / 2 + nodes * width / 2) / 2
        assert np.allclose(soft.at(t), mean, atol=1e-6)


def test_jerk_and_snap_exist_for_elastic_drives():
    robot = gw.load("elastic_elbow")
    way = s_curve([0.0] * 3, [0.5, 0.3, -0.4], speed=1.0, acceleration=4.0, jerk=50.0, robot=robot)
    for _ in range(5):
        way = moving_average(way, 0.05)
    needed = max(gw.elastic.required_derivative_orders(gw.assemble(robot)).values())
    assert way.smoothness == 7 == needed
    assert way.names == ("j1", "j2", "j3")
    t = np.linspace(0, way.duration, 101)
    moved = [way.at(t, k) for k in range(needed + 1)]
    found = gw.motor_motion(gw.assemble(robot), *moved[:5], derivatives=moved[5:])
    slope = np.gradient(found.q[:, 3:], t, axis=0, edge_order=2)
    assert np.allclose(found.v[:, 3:], slope, atol=0.02 * np.abs(found.v).max())


def test_pauses_and_chains():
    there = trapezoid([0.0], [1.0], 1.0, 2.0)
    both = chain(there, pause([1.0], 0.5), polynomial([1.0], [0.0], 1.0, order=7))
    assert np.isclose(both.duration, 3.0)
    assert np.allclose(both.at([1.6, 1.9, 2.5])[:, 0], [1.0, 1.0, 0.5])
    assert both.smoothness == 1


def test_a_chain_takes_the_names_of_its_parts():
    robot = gw.load("elbow")
    way = polynomial([0.0] * 3, [0.1] * 3, 1.0)
    assert chain(way, pause([0.1] * 3, 1.0, robot=robot)).names == ("j1", "j2", "j3")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: chain(), "^chain: "),
        (lambda: chain(pause([0.0], 1.0), pause([0.0, 0.0], 1.0)), "part 1 .*joints.*part 0"),
        (
            lambda: chain(pause([0.0], 1.0), polynomial([0.0], [1.0], 1.0, end_rates=EndRates(start_speed=0.5))),
            r"part 1 .*\[0\.5\].*part 0 .*\[0\.0\]",
        ),
        (lambda: moving_average(pause([0.0], 1.0), 0.0), "width=0.0"),
        (
            lambda: moving_average(polynomial([0.0], [1.0], 1.0, end_rates=EndRates(end_speed=0.5)), 0.1),
            "moving_average: .*rest",
        ),
        (lambda: pause([0.0], 0.0), "duration=0.0"),
        (lambda: pause([np.nan], 1.0), r"position\[0\]=nan"),
        (lambda: pause([0.0], 1.0).with_robot_names(gw.load("elbow")), r"\b1 coordinates.*\b3 joints"),
        (lambda: pause([0.0] * 7, 1.0).plot(gw.load("mini_cheetah")), "free.*joints"),
        (lambda: pause([0.0], 1.0).csv(rate=0.0), "rate=0.0"),
        (lambda: pause([0.0], 1.0).extremes(-1), "derivative=-1"),
        (lambda: polynomial([0.0] * 7, [2.5] * 7, 0.5, robot=gw.load("panda_like")), r"'joint4' .*-3\.0718 .*-0\.0698"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_saved_and_recorded_again(tmp_path):
    robot = gw.load("elbow")
    way = s_curve([0.0] * 3, [0.5, 0.3, -0.4], speed=1.0, acceleration=4.0, jerk=50.0, robot=robot)
    path = way.save(tmp_path / "new" / "way.csv", rate=250)
    head, first = path.read_text().splitlines()[:2]
    assert head == "t,q.j1,q.j2,q.j3,v.j1,v.j2,v.j3,a.j1,a.j2,a.j3"
    assert first.startswith("0.0,0.0,0.0,0.0")
    for again in (recorded(path), recorded(path, robot=robot), recorded(path, smoothness=6)):
        t = np.linspace(0, way.duration, 333)
        assert again.names == way.names
        assert np.allclose(again.at(t), way.at(t), atol=1e-6)
        assert np.allclose(again.at(t, 1), way.at(t, 1), atol=1e-3)


def test_a_table_ends_where_the_motion_rests():
    way = polynomial([0.0], [1.0], 1.05)
    last = way.csv(rate=10).splitlines()[-1]
    assert last == "1.1,1.0,0.0,0.0"
    assert len(polynomial([0.0], [1.0], 1.1).csv(rate=10).splitlines()) == 13  # the header, and 0 to 1.1
    assert way.csv(rate=10).startswith("t,q.1,v.1,a.1\n")


def test_pictures_have_names_and_units(tmp_path):
    scara = gw.load("scara")
    way = polynomial([0.0] * 4, [0.1] * 4, 1.0)
    page = way.plot(scara, path=tmp_path / "way.png")
    assert (tmp_path / "way.png").stat().st_size > 1000
    assert [axes.get_ylabel() for axes in page.axes][:3] == ["position [rad]", "position [m]", "speed [rad/s]"]
    assert {text.get_text() for text in page.legends[0].get_texts()} == set(gw.assemble(scara).coordinates)
    assert way.plot().axes[0].get_ylabel() == "position"


def test_a_trajectory_of_ones_own_pieces_is_checked():
    from scipy.interpolate import PPoly

    with pytest.raises(InputError, match=r"\(2, 1, 1\).*\b1\b"):
        gw.motion.Trajectory(PPoly(np.ones((2, 1, 1)), [1.0, 2.0]))
    with pytest.raises(InputError, match=r"\b2 names .*\b1\b"):
        gw.motion.Trajectory(PPoly(np.ones((2, 1, 1)), [0.0, 2.0]), names=("a", "b"))


def test_a_motion_is_sampled():
    assert isinstance(WAYS["spline"].sample(5), Motion)
