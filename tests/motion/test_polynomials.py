"""Trajectories: closed forms, boundary conditions, derivatives that belong together, limits kept."""

import numpy as np
import pytest

from gearwright.errors import InputError
from gearwright.motion import EndRates, chain, polynomial, trapezoid

CLOSED_FORMS = {
    3: lambda s: 3 * s**2 - 2 * s**3,
    5: lambda s: 10 * s**3 - 15 * s**4 + 6 * s**5,
    7: lambda s: 35 * s**4 - 84 * s**5 + 70 * s**6 - 20 * s**7,
}


@pytest.mark.parametrize("order", CLOSED_FORMS)
def test_rest_to_rest_is_the_closed_form(order):
    way = polynomial([0.2, -1.0], [1.0, 0.5], duration=0.8, order=order)
    t = np.linspace(0, 0.8, 41)
    expected = np.array([0.2, -1.0]) + CLOSED_FORMS[order](t / 0.8)[:, None] * np.array([0.8, 1.5])
    assert np.allclose(way.at(t), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("order", "highest"), [(3, 1), (5, 2), (7, 3)])
def test_derivatives_vanish_at_the_ends_up_to_the_order(order, highest):
    way = polynomial([0.0], [1.0], duration=0.5, order=order)
    for derivative in range(1, highest + 1):
        assert np.allclose(way.at([0.0, 0.5], derivative), 0, atol=1e-9)
    assert np.abs(way.at([0.0, 0.5], highest + 1)).min() > 1


def test_boundary_speeds_and_accelerations_are_met():
    way = polynomial(
        [0.0],
        [1.0],
        2.0,
        5,
        end_rates=EndRates(start_speed=[0.3], end_speed=-0.2, start_acceleration=0.5, end_acceleration=1.0),
    )
    ends = [0.0, 2.0]
    assert np.allclose(way.at(ends)[:, 0], [0.0, 1.0])
    assert np.allclose(way.at(ends, 1)[:, 0], [0.3, -0.2])
    assert np.allclose(way.at(ends, 2)[:, 0], [0.5, 1.0])


@pytest.mark.parametrize(
    "way",
    [polynomial([0.0, 1.0], [1.0, -1.0], 0.7, 7), trapezoid([0.0, 1.0], [1.0, -1.0], [2.0, 3.0], [10.0, 8.0])],
    ids=["polynomial", "trapezoid"],
)
def test_speed_and_acceleration_are_the_derivatives(way):
    t = np.linspace(0.013, way.duration - 0.013, 60)
    for derivative in (1, 2):
        slope = (way.at(t + 1e-6, derivative - 1) - way.at(t - 1e-6, derivative - 1)) / 2e-6
        assert np.allclose(way.at(t, derivative), slope, atol=1e-5)


def test_trapezoid_keeps_its_limits_and_one_joint_uses_them():
    start, end, speed, strength = np.zeros(2), np.array([2.0, -0.5]), np.array([1.5, 1.0]), np.array([6.0, 9.0])
    way = trapezoid(start, end, speed, strength)
    motion = way.sample(4001)
    assert np.allclose(motion.q[[0, -1]], [start, end])
    assert np.all(np.abs(motion.v) <= speed + 1e-12)
    assert np.all(np.abs(motion.a) <= strength + 1e-12)
    assert np.isclose(np.abs(motion.v).max(axis=0) / speed, 1).any()
    assert np.isclose(way.duration, 2.0 / 1.5 + 1.5 / 6.0)  # way / speed + speed / acceleration


def test_a_short_way_is_a_triangle():
    way = trapezoid([0.0], [0.1], speed=10.0, acceleration=4.0)
    assert np.isclose(way.duration, 2 * np.sqrt(0.1 / 4.0))
    assert np.isclose(np.abs(way.sample(2001).v).max(), np.sqrt(0.1 * 4.0), rtol=1e-3)


def test_it_rests_before_and_after():
    way = polynomial([0.0], [1.0], 1.0)
    assert np.allclose(way.at([-1.0, 2.0])[:, 0], [0.0, 1.0])
    assert np.allclose(way.at([-1.0, 2.0], 2), 0.0)


def test_chain_joins_and_refuses_a_jump():
    a, b = polynomial([0.0], [1.0], 1.0, 5), trapezoid([1.0], [0.5], 1.0, 2.0)
    both = chain(a, b)
    assert np.isclose(both.duration, a.duration + b.duration)
    assert np.allclose(both.at([0.5, 1.0, 1.25])[:, 0], [*a.at([0.5, 1.0])[:, 0], *b.at([0.25])[:, 0]])
    with pytest.raises(InputError, match=r"chain: part 1 .* part 0"):
        chain(a, a)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: polynomial([0.0], [1.0], 1.0, order=4), "order=4"),
        (lambda: polynomial([0.0], [1.0], 0.0), "duration=0.0"),
        (lambda: polynomial([0.0], [np.nan], 1.0), r"end\[0\]=nan"),
        (
            lambda: polynomial([0.0], [1.0], 1.0, 3, end_rates=EndRates(start_acceleration=1.0)),
            r"order 3 .*\b5\b.*\b7\b",
        ),
        (lambda: trapezoid([0.0], [0.0], 1.0, 1.0), "trapezoid: start .*end"),
        (lambda: trapezoid([0.0], [1.0], -1.0, 1.0), r"speed\[0\]=-1.0"),
        (lambda: polynomial([0.0], [1.0], 1.0).sample(1), r"count=1\b.*\b2\b"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(InputError, match=words):
        call()
