"""Time stepping beside the event-driven engine: convergence, impact laws, the paradox of Painleve."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from contact.random_bodies import floors, planar_body, random_throw
from contact.test_rigid_bodies_stepping import random_body
from gearwright.contact import ForceSensor
from gearwright.errors import GearwrightWarning
from gearwright.functions.constrained.impulse_path import impulse_of_impact

PHASES = (1.0, 1.07, 1.15, 1.23)
"""Steps per run, relative: where in a step an impact falls is a matter of chance, and its error with it."""


def mean_error(mech, laws, start, until, count, exact) -> float:
    """Of the configuration at the end, over runs with about so many steps."""
    counts = [round(count * phase) for phase in PHASES]
    ends = (
        gw.rollout(
            mech, *start, n, until / n, method="moreau", laws=laws, options=gw.analysis.RolloutOptions(every=n)
        ).q[-1]
        for n in counts
    )
    return float(np.mean([np.abs(end - exact).max() for end in ends]))


def require_first_order(mech, laws, start, until, small) -> None:
    """Four times the steps, a quarter of the error, about."""
    run = gw.simulate(mech, start, until=until, laws=laws, samples=2, method="adaptive")
    assert run.events
    errors = [mean_error(mech, laws, start, until, count, run.q[-1]) for count in (100, 400, 1600)]
    assert errors[0] > errors[1] > errors[2]
    assert 0.7 < np.log(errors[0] / errors[2]) / np.log(16) < 1.6
    assert errors[2] < small


SLOW = (1, 6, 11, 14, 21, 23, 24, 36, 37)


@pytest.mark.parametrize("seed", [34, 27, *(pytest.param(k, marks=pytest.mark.slow) for k in SLOW)])
def test_plastic_rough_impacts_come_to_the_event_driven_result_with_first_order(seed):
    """Planar and free bodies, 1 to 4 contacts that land, stick, slide and turn within an impact, for 0.3 s."""
    mech, laws, start = random_body(seed)
    friction = np.random.default_rng(seed).uniform(0.2, 0.8)
    rough = [replace(law, restitution=0.0, friction=friction, impact="energetic") for law in laws]
    require_first_order(mech, rough, start, 0.3, 1e-3)


def test_what_slides_and_turns_on_four_feet_has_no_unique_motion():
    """Friction depends on how the feet share the load: engines agree until the body lies on them, and a remark says so.

    With friction on one foot at a time they converge to each other; the last four land at 0.2197 s.
    """
    mech, laws, start = random_body(33)
    rough = [replace(law, restitution=0.0, friction=0.4662, impact="energetic") for law in laws]
    require_first_order(mech, rough, start, 0.21, 1e-3)
    run = gw.simulate(mech, start, until=0.25, laws=rough, samples=2, method="adaptive")
    remarks = [remark for remark in run.remarks if "unique" in remark]
    assert len(remarks) == 1
    assert all(name in remarks[0] for name in ("p2", "p5", "p6", "p7", "motion"))
    still = gw.simulate(mech, start, until=0.25, laws=[replace(x, friction=0.0) for x in rough], samples=2)
    assert not any("unique" in remark and "motion" in remark for remark in still.remarks)


THROWN = (1, 4, 5, 8, 10, 13, 14, 16, 18, 20, 23, 25, 33, 35, 39, 41, 45, 50, 55, 57, 59)


@pytest.mark.parametrize("seed", [0, 9, *(pytest.param(k, marks=pytest.mark.slow) for k in THROWN)])
def test_bodies_without_restitution_come_to_the_event_driven_result(seed):
    """1 to 8 contacts, with and without friction, for 0.3 s: order 1 or more, down to what both leave out.

    That is 1e-5 of the forces in time stepping, and feet that an impact lifts with less than 1 mm/s in event-driven
    runs (seed 33 rocks): together less than 1e-5 m.
    """
    throw = random_throw(seed)
    laws, start = [replace(law, restitution=0.0) for law in throw.laws], (throw.q, throw.v)
    exact = gw.simulate(throw.mech, start, until=0.3, laws=laws, samples=2, method="adaptive").q[-1]
    errors = [mean_error(throw.mech, laws, start, 0.3, count, exact) for count in (100, 6400)]
    assert errors[1] < max(errors[0] / 64**0.8, 1e-5)
    assert errors[1] < 3e-4


def test_shorter_steps_do_not_add_up_what_each_neglects():
    """A body that turns about its smooth contacts, second order: 16 times the steps, a hundredth of the error."""
    throw = random_throw(27)
    laws, start = [replace(law, restitution=0.0) for law in throw.laws], (throw.q, throw.v)
    exact = gw.simulate(throw.mech, start, until=0.3, laws=laws, samples=2, method="adaptive").q[-1]
    errors = [mean_error(throw.mech, laws, start, 0.3, count, exact) for count in (400, 6400)]
    assert errors[1] < 0.01 * errors[0]


def test_what_lands_stops_within_a_step_and_is_on_the_surface():
    """Wherever in a step it falls: after it neither a speed along the normal nor a gap is left."""
    block = planar_body([(0.0, -0.5)], 1.0, 1.0)
    for height in np.linspace(0.5, 0.52, 7)[1:]:
        run = gw.rollout(block, [0, height, 0], [0.3, -1.0, 0.0], 30, 1e-3, method="moreau", laws=floors(1, 0, 0.3))
        pairs = zip(run.q, run.v, strict=True)
        speeds = np.array([gw.jacobian(block, q, "p0")[2] @ v for q, v in pairs])
        landed = np.flatnonzero(speeds > -0.99)[0]
        assert speeds[landed - 1] < -1.0
        assert abs(speeds[landed]) < 1e-5
        assert abs(gw.placement(block, run.q[landed], "p0").position[2]) < 1e-6


@pytest.mark.parametrize("impact", ["energetic", "poisson", "newton"])
def test_plastic_impacts_are_one_law(impact):
    """Of one contact and of several: no approach, and friction against the slip that is left."""
    rng = np.random.default_rng(3)
    for size in (2, 3):
        for _ in range(10):
            root, speeds = rng.normal(size=(size, 5)), rng.normal(size=size)
            W, u, friction = root @ root.T, np.array([-abs(speeds[0]), *speeds[1:]]), rng.uniform(0.1, 0.9)
            P = impulse_of_impact(W, u, friction, 0.0, impact)
            normal, *slip = u + W @ P
            assert abs(normal) < 1e-9
            pulled, sliding = np.linalg.norm(P[1:]), np.linalg.norm(slip)
            assert pulled <= friction * P[0] * (1 + 1e-9)
            assert abs(P[1:] @ slip + friction * P[0] * sliding) < 1e-8


def test_a_bounce_without_friction_comes_to_the_event_driven_result_with_first_order():
    """A rod that lands on its tip once and is thrown back, turning."""
    rod = planar_body([(0.0, -0.5)], 1.0, 1 / 12)
    require_first_order(rod, floors(1, 0.6), ([0.0, 0.6, 0.5], [0.3, 0.0, 0.5]), 0.3, 3e-3)


SLIDING = ([0.0, 0.6, 0.5], [1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("restitution", "friction", "impact", "differs"),
    [
        (0.5, 0.4, "energetic", True),
        (0.5, 0.4, "poisson", True),
        (0.5, 0.4, "newton", False),
        (0.0, 0.4, "energetic", False),
        (0.5, 0.0, "energetic", False),
    ],
)
def test_an_impact_law_that_time_stepping_does_not_take_is_said_once(restitution, friction, impact, differs):
    """By a remark of a run and a warning of a rollout, with the names of all contacts; a sensor does not hide it."""
    body = planar_body([(0.0, -0.5), (0.2, -0.5)])
    first, second = floors(2, restitution, friction, impact=impact)
    laws = [first, ForceSensor(second)]
    run = gw.simulate(body, SLIDING, until=0.01, laws=laws, samples=2, method="moreau")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        gw.rollout(body, *SLIDING, 10, 1e-3, method="moreau", laws=laws)
    for texts in (run.remarks, [str(one.message) for one in said if issubclass(one.category, GearwrightWarning)]):
        told = [text for text in texts if "Newton" in text]
        assert len(told) == differs
        assert all("c0, c1" in text and repr(impact) in text and "impact='newton'" in text for text in told)
    assert all(one.filename == __file__ for one in said)


@pytest.mark.parametrize(("friction", "lean"), [(2.5, 1.0), (1.6, 1.05)])
@pytest.mark.parametrize("speed", [5.0, 0.5])
def test_the_paradox_of_painleve_ends_alike(friction, lean, speed):
    """A rod pushed ahead over a rough floor: its tip stops within a step; dragged, it slides on. Errors are O(step)."""
    rod, step, until = planar_body([(0.0, -0.5)], 1.0, 1 / 12), 1e-4, 0.02
    angle, laws = lean - np.pi / 2, floors(1, friction=friction)
    for pushed, sense in ((True, 1.0), (False, -1.0)):
        start = ([0.0, 0.5 * np.cos(angle), angle], [sense * speed, 0.0, 0.0])
        exact = gw.simulate(rod, start, until=until, laws=laws, samples=11, method="adaptive")
        run = gw.simulate(
            rod,
            start,
            until=until,
            laws=laws,
            samples=201,
            method="moreau",
            integrator=gw.analysis.IntegratorOptions(step=step),
        )
        for one in (exact, run):
            assert pushed == any("Painleve" in remark and "'c0'" in remark for remark in one.remarks)
        tip = gw.jacobian(rod, run.q[1], "p0")[0] @ run.v[1]
        assert abs(tip) < 2e-3 * speed if pushed else abs(tip) > 0.9 * speed
        np.testing.assert_allclose(run.v[20:][::20], exact.v[1:], atol=2e-3)
        np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-3)


def test_a_batch_names_the_contact_that_its_sliding_strikes():
    """One member is pushed, the other one dragged; neither an impact nor turning about the tip is taken for it."""
    rod, laws, angle = planar_body([(0.0, -0.5)], 1.0, 1 / 12), floors(1, friction=2.5), 1.0 - np.pi / 2
    q = np.array([0.0, 0.5 * np.cos(angle), angle])
    with pytest.warns(GearwrightWarning, match=r"\b1\b.*'c0'.*t = 0 s.*Painleve"):
        gw.rollout(rod, q, [[-5.0, 0.0, 0.0], [5.0, 0.0, 0.0]], 20, 1e-3, method="moreau", laws=laws)
    turning = [-0.5 * np.cos(angle), 0.5 * np.sin(angle), -1.0]
    gw.rollout(rod, q, np.outer([1.0, -1.0, 3.0, -3.0], turning), 50, 1e-3, method="moreau", laws=laws)
    gw.rollout(rod, np.add(q, [0.0, 0.01, 0.0]), [5.0, -1.0, 0.0], 50, 1e-3, method="moreau", laws=laws)


def test_very_rough_contacts_that_are_open_get_no_impulse():
    """Two points and a friction of 2, where sliding jams: no motion leaves all bounds, and no energy comes in."""
    throw = random_throw(27)
    laws = [replace(law, restitution=0.0, friction=2.0) for law in throw.laws]
    run = gw.rollout(throw.mech, throw.q, throw.v, 600, 1e-3, method="moreau", laws=laws)
    energies = throw.energies(run)
    assert np.diff(energies).max() < 1e-4 * np.ptp(energies)
