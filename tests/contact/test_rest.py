"""When bodies on a floor come to rest: rocking in closed form, bounds by friction, and what still moves after 2 s."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import gearwright as gw
from contact.random_bodies import G, floors, friction_excess, planar_body, random_throw, reason_to_move

HALF_WIDTH, HALF_HEIGHT, LEAN = 0.1, 0.3, 0.12
"""A uniform block of 1 kg [m], released at rest while it leans on one foot [rad]."""


class RockingBlock:
    """Housner's block (1963): no slip, and angular momentum about the new foot is kept in each impact."""

    inertia = (HALF_WIDTH**2 + HALF_HEIGHT**2) / 3
    about_foot = 4 * inertia
    kept_speed = (inertia + HALF_HEIGHT**2 - HALF_WIDTH**2) / about_foot
    mech = planar_body([(-HALF_WIDTH, -HALF_HEIGHT), (HALF_WIDTH, -HALF_HEIGHT)], 1.0, inertia)
    start = np.array(
        [
            HALF_HEIGHT * np.sin(LEAN) - HALF_WIDTH * np.cos(LEAN),
            HALF_HEIGHT * np.cos(LEAN) + HALF_WIDTH * np.sin(LEAN),
            LEAN,
        ]
    )

    @staticmethod
    def raised_energy(lean: float) -> float:
        """Potential energy above that at rest [J]."""
        return G * (HALF_HEIGHT * (np.cos(lean) - 1.0) + HALF_WIDTH * np.sin(lean))

    @classmethod
    def falling_time(cls, lean: float) -> float:
        """From rest at a lean to the impact [s], with lean (1 - s^2) for the angle."""
        top = cls.raised_energy(lean)

        def integrand(s: float) -> float:
            speed = np.sqrt(2 * (top - cls.raised_energy(lean * (1 - s * s))) / cls.about_foot)
            return 2 * lean * s / speed

        return quad(integrand, 0.0, 1.0)[0]

    @classmethod
    def remaining_time(cls, speed: float) -> float:
        """From an impact that leaves an angular speed so small that gravity's moment is constant, to rest [s]."""
        return 2 * speed * cls.about_foot / (G * HALF_WIDTH) / (1 - cls.kept_speed)

    @classmethod
    def rest_time(cls) -> float:
        """Of all impacts: each leaves the share r^2 of the energy."""
        total, energy = cls.falling_time(LEAN), cls.raised_energy(LEAN)
        while energy > 1e-7:
            energy *= cls.kept_speed**2
            lean = brentq(lambda x: cls.raised_energy(x) - energy, 0.0, LEAN, xtol=1e-15)  # noqa: B023
            total += 2 * cls.falling_time(lean)
        return total + cls.remaining_time(cls.kept_speed * np.sqrt(2 * energy / cls.about_foot))


@pytest.mark.parametrize("capture", [1e-6, 1e-9])
def test_a_rocking_block_rests_when_housner_says(capture):
    """Up to what the last impacts, which lift a foot with less than 1 mm/s, would take; capture does not go below."""
    laws, until = floors(2, 0.0, 1.0, capture=capture), RockingBlock.rest_time()
    run = gw.simulate(RockingBlock.mech, RockingBlock.start, until=until, laws=laws, samples=2, method="adaptive")
    assert np.abs(run.v[-1]).max() < 1e-12
    left_out = until - run.events[-1].t
    assert 0 < left_out < RockingBlock.remaining_time(1e-3 / (2 * HALF_WIDTH))
    assert len(run.events) < 100


def test_time_stepping_comes_to_the_time_of_housner():
    """Each impact loses the order of a step, some thirty of them before rest."""
    errors = []
    for step in (1e-3, 1e-4):
        steps = round(2.4 / step)
        run = gw.rollout(
            RockingBlock.mech, RockingBlock.start, np.zeros(3), steps, step, method="moreau", laws=floors(2, 0.0, 1.0)
        )
        errors.append(abs(step * np.flatnonzero(np.abs(run.v).max(axis=1) > 1e-6)[-1] - RockingBlock.rest_time()))
    assert errors[0] < 0.3
    assert errors[1] < 0.25 * errors[0]


def stepped_run(throw, until: float, step: float):
    laws = [replace(law, impact="newton") for law in throw.laws]
    count = round(until / step)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = gw.rollout(
            throw.mech,
            throw.q,
            throw.v,
            count,
            step,
            method="moreau",
            laws=laws,
            options=gw.analysis.RolloutOptions(every=count // 200),
        )
    return SimpleNamespace(t=np.linspace(0.0, until, len(run.q)), q=run.q, v=run.v)


ROUGH = [1, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21]
"""Seeds with friction and restitution below 1."""


@pytest.mark.parametrize("seed", [8, *(pytest.param(k, marks=pytest.mark.slow) for k in ROUGH if k != 8)])
@pytest.mark.parametrize("engine", ["events", "steps"])
def test_rough_bodies_rest_after_two_seconds_or_cannot_yet(seed, engine):
    """At rest, or friction has not had the time, or it swings about stuck points, or it loses energy by impacts."""
    throw = random_throw(seed)
    if engine == "events":
        run = gw.simulate(throw.mech, (throw.q, throw.v), until=2.0, laws=throw.laws, samples=201)
        assert friction_excess(throw, run) < 1e-7
    else:
        run = stepped_run(throw, 2.0, 1e-3)
    reason = reason_to_move(throw, run)
    assert reason != "unknown"
    if seed in (1, 6, 12, 13, 16, 18, 19, 20):
        assert reason == ""
    if seed == 5:
        assert reason == "friction"


def test_a_body_whose_impulses_are_hard_to_find_rests():
    """Three of its eight contacts meet at once, one of them at the edge of its cone."""
    throw = random_throw(181)
    run = gw.simulate(throw.mech, (throw.q, throw.v), until=2.0, laws=throw.laws, samples=201)
    assert len(throw.laws) == 8
    assert friction_excess(throw, run) < 1e-7
    assert reason_to_move(throw, run) == ""


@pytest.mark.slow
def test_a_contact_that_was_stiff_before_it_stuck_leaves_the_stiff_method():
    """The run equals that of the explicit method; in the stiff one it took more than 200 s of processor time."""
    throw = random_throw(39)
    runs = [
        gw.simulate(throw.mech, (throw.q, throw.v), until=8.0, laws=throw.laws, samples=2, method=method)
        for method in (None, "adaptive")
    ]
    assert sum(remark.startswith("method: stiff") for remark in runs[0].remarks) == 1
    assert sum(remark.startswith("method: adaptive again") for remark in runs[0].remarks) == 1
    np.testing.assert_allclose(runs[0].v[-1], runs[1].v[-1], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "until"), [(4, 3.0), (15, 3.0), (8, 7.0)])
def test_bodies_that_rock_come_to_rest_later(seed, until):
    throw = random_throw(seed)
    run = gw.simulate(throw.mech, (throw.q, throw.v), until=until, laws=throw.laws, samples=2)
    assert np.abs(run.v[-1]).max() < 1e-9


def test_a_body_on_one_rough_point_ends_as_a_pendulum():
    """Its point sticks below the slip limit, and nothing takes energy: it never rests."""
    throw = random_throw(34)
    run = gw.simulate(throw.mech, (throw.q, throw.v), until=2.0, laws=throw.laws, samples=201)
    assert len(throw.laws) == 1
    assert reason_to_move(throw, run) == "swing"
