"""The event engine determines a single rigid contact: impulses as SciPy integrates them, runs as by the Python loop."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import gearwright as gw
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.simulation.simulation import Simulation
from support.fmus import arm

CASES = 20


def onset_direction(W: np.ndarray, friction: float) -> np.ndarray:
    """The direction in which slip begins from rest: that of its own change, of several the one that grows most."""

    def across(angle: float) -> float:
        d = np.array([np.cos(angle), np.sin(angle)])
        x, y = W[1:, 0] - friction * W[1:, 1:] @ d
        return d[0] * y - d[1] * x

    angles = np.linspace(0.0, 2 * np.pi, 401)
    pairs = [(a, b) for a, b in pairwise(angles) if across(a) * across(b) <= 0]
    found = [brentq(across, a, b, xtol=1e-15) for a, b in pairs]
    directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in found]
    return max(directions, key=lambda d: d @ (W[1:, 0] - friction * W[1:, 1:] @ d))


def integrated_impulse(W: np.ndarray, u: np.ndarray, friction: float, e: float, is_poisson: bool) -> np.ndarray:
    """The impulse along its path by SciPy, sliding and sticking, to the end of compression and of restitution."""
    k, rest = len(u), 1e-10 * np.abs(u).max()
    y = np.concatenate([u, np.zeros(k), [0.0]])  # speeds, impulses, work
    for phase in ("compression", "restitution"):
        levels = {
            "compression": (0, 0.0),
            "restitution": (k, (1 + e) * y[k]) if is_poisson else (-1, (1 - e * e) * y[-1]),
        }
        component, level = levels[phase]
        ended = False
        while not ended:
            sticking, is_stuck = -np.linalg.solve(W[1:, 1:], W[1:, 0]), np.linalg.norm(y[1:k]) <= rest
            if is_stuck and np.linalg.norm(sticking) > friction:
                y[1:k] = 2 * rest * (-np.sign(sticking) if k == 2 else onset_direction(W, friction))
                is_stuck = False

            def rates(_, y, stuck=is_stuck, held=sticking):
                share = np.array([1.0, *(held if stuck else -friction * y[1:k] / np.linalg.norm(y[1:k]))])
                return np.concatenate([W @ share, share, y[:1]])

            ends = [lambda _, y, c=component, value=level: y[c] - value]
            ends += [] if is_stuck else [lambda _, y: np.linalg.norm(y[1:k]) - 0.5 * rest]
            for one, sense in zip(ends, (1.0, -1.0), strict=False):
                one.terminal, one.direction = True, sense
            found = solve_ivp(rates, (0.0, 1e3), y, "DOP853", events=ends, rtol=1e-11, atol=1e-14)
            y, ended = found.y[:, -1], bool(found.t_events[0].size)
            y[1:k] *= np.linalg.norm(y[1:k]) > rest
    return y[k : 2 * k]


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("law", ["energetic", "poisson"])
def test_impulses_are_those_of_an_integrated_path(rows, law):
    """Slip that ends, reverses, turns, and begins at rest."""
    rng = np.random.default_rng(rows)
    for case in range(CASES):
        J, slips = rng.normal(size=(rows, 4)), case % 4 != 1
        W, u = J @ J.T, rng.normal(size=rows) * [1.0, *[float(slips)] * (rows - 1)]
        u[0] = -abs(u[0])
        friction, e = float(rng.uniform(0.1, 0.6)), float(rng.uniform(0.1, 1.0))
        expected = integrated_impulse(W, u, friction, e, law == "poisson")
        found = impulse_of_impact(W, u, friction, e, law)
        assert np.abs(W @ (found - expected)).max() < 1e-8 * np.abs(u).max(), case


@pytest.mark.parametrize("law", ["energetic", "poisson"])
@pytest.mark.parametrize("e", [0.3, 1.0])
def test_a_lever_that_wedges_stays(law, e):
    """One freedom: normal speed and slip end together, and friction inside its cone holds the tip without a rebound."""
    g = np.array([0.11, 0.41, -0.21])
    for speed in np.random.default_rng(0).uniform(0.1, 3.0, size=20):
        W, u = np.outer(g, g), -speed * g
        P = impulse_of_impact(W, u, 0.5, e, law)
        assert np.abs(u + W @ P).max() < 1e-9 * speed
        assert np.linalg.norm(P[1:]) <= 0.5 * P[0] * (1 + 1e-12)
        assert P[0] < 2 * speed / g[0]


def test_a_plastic_impact_slides_along_a_belt_that_moves_aside():
    """Impulses change the slip along one direction; the surface moves across it, so that the contact cannot stick."""
    axis = np.array([0.6, 0.8])
    J = np.array([[1.0, 0.2], [0.1 * axis[0], 0.9 * axis[0]], [0.1 * axis[1], 0.9 * axis[1]]])
    W, u = J @ J.T, np.array([-1.0, *(0.3 * axis + 0.5 * np.array([-axis[1], axis[0]]))])
    P = impulse_of_impact(W, u, 0.4, 0.0)
    normal, *slip = u + W @ P
    assert abs(normal) < 1e-12
    assert P[1:] == pytest.approx(-0.4 * P[0] * np.array(slip) / np.linalg.norm(slip), abs=1e-12)


@pytest.fixture
def searches_in_python(monkeypatch):
    """Counts the changes of modes that are found in Python."""
    times, find = [], Simulation._find_modes_in_python
    monkeypatch.setattr(
        Simulation, "_find_modes_in_python", lambda run, point: times.append(point.t) or find(run, point)
    )
    return times


@pytest.mark.parametrize(
    ("restitution", "friction", "impact"),
    [(0.0, 0.0, "energetic"), (0.5, 0.0, "energetic"), (0.0, 0.4, "energetic"), (0.5, 0.4, "poisson")],
)
def test_a_run_with_one_contact_never_leaves_the_engine(restitution, friction, impact, searches_in_python):
    """The end of an arm falls on a floor, bounces, slides, sticks, and slides back."""
    robot = replace(arm(), frames=[gw.parts.Frame("tip", "fore", position=(0.3, 0.0, 0.0))])
    surface = gw.contact.Plane((0.0, 0.0, -0.3), (0.0, 0.0, 1.0))
    floor = gw.contact.Contact("tip", surface, restitution, friction, name="floor", impact=impact)
    runs = []
    for engine in ("compiled", "python"):
        options = gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13, engine=engine)
        state, laws = gw.State([0.2, 0.1], [0.5, 1.0]), (*gw.laws(robot), floor)
        runs.append(gw.simulate(robot, state, 0.8, laws=laws, integrator=options, samples=81, method="adaptive"))
        assert bool(searches_in_python) == (engine == "python")
    compiled, plain = runs
    assert [(x.name, x.kind) for x in compiled.events] == [(x.name, x.kind) for x in plain.events]
    for name in ("q.shoulder", "v.shoulder", "v.elbow", "floor.force", "energy.dissipated"):
        assert np.abs(compiled[name] - plain[name]).max() < 1e-9 * (1.0 + np.abs(plain[name]).max())


def test_several_contacts_and_newtons_law_with_friction_are_left_to_python(searches_in_python):
    robot = replace(arm(), frames=[gw.parts.Frame("tip", "fore", position=(0.3, 0.0, 0.0))])
    surface = gw.contact.Plane((0.0, 0.0, -0.3), (0.0, 0.0, 1.0))
    newton = gw.contact.Contact("tip", surface, 0.5, 0.4, name="floor", impact="newton")
    two = (gw.contact.Contact("tip", surface, name="floor"), gw.contact.Contact("fore", surface, name="knee"))
    options = gw.analysis.IntegratorOptions(engine="compiled")
    for contacts in ((newton,), two):
        searches_in_python.clear()
        gw.simulate(robot, gw.State([0.2, 0.1], [0.5, 1.0]), 0.3, laws=(*gw.laws(robot), *contacts), integrator=options)
        assert searches_in_python
