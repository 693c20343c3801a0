"""Frictional impact: the path of impulse through sliding, sticking and turning round never gains energy."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.functions.constrained.impulse_path import impulse_of_impact


def stick() -> gw.Mechanism:
    """A uniform rod in a plane: x, y of its centre and its angle."""
    return gw.Mechanism(
        [
            gw.Body("x", joint="prismatic", axis=(1, 0, 0)),
            gw.Body("y", 0, "prismatic", axis=(0, 1, 0)),
            gw.Body("rod", 1, "revolute", axis=(0, 0, 1), mass=1.0, inertia=np.eye(3) / 12),
        ],
        gravity=(0, -10, 0),
    )


def rows(theta: float) -> np.ndarray:
    return np.array([[0.0, 1.0, 0.5 * np.sin(theta)], [-1.0, 0.0, -0.5 * np.cos(theta)]])


def test_the_impacting_stick_does_not_gain_what_newtons_law_gains(reference):
    """Siconos, with Newton's restitution, gains 7e-4 J at the first impact, where sliding turns round."""
    data = json.loads((reference / "contact" / "impacting_stick.json").read_text())
    mech, p = stick(), data["parameters"]
    for word in ("impact 1", "impact 2"):
        case = data[word]
        q, v = np.array(case["q"]), np.array(case["v_before"])
        after, impulse = gw.impact(mech, q, v, rows(q[2]), p["e"], friction=p["mu"])
        gained = gw.kinetic_energy(mech, q, after) - gw.kinetic_energy(mech, q, v)
        assert case["kinetic_energy"][1] - case["kinetic_energy"][0] > 0
        assert gained <= 1e-12
        # Friction is small, so the impulses of both laws are close (the step of the reference also holds some gravity).
        assert impulse[0] == pytest.approx(case["impulse_normal"], rel=2e-2)
        assert abs(impulse[1]) <= p["mu"] * impulse[0] + 1e-12


@pytest.mark.parametrize("k", [2, 3])
def test_energy_is_never_gained_and_impulses_stay_in_the_cone(k):
    rng = np.random.default_rng(k)
    for _ in range(60):
        A = rng.normal(size=(k, k + 1))
        W, u = A @ A.T, rng.normal(size=k)
        u[0] = -abs(u[0])
        mu, e = rng.uniform(0, 1.5), rng.uniform(0, 1)
        P = impulse_of_impact(W, u, mu, e)
        after = u + W @ P
        assert 0.5 * P @ (u + after) <= 1e-9  # the change of kinetic energy
        assert np.linalg.norm(P[1:]) <= mu * P[0] * (1 + 1e-8) + 1e-12
        assert after[0] >= -1e-8


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_without_friction_it_is_newtons_law(e):
    rng = np.random.default_rng(1)
    A = rng.normal(size=(3, 4))
    W, u = A @ A.T, np.array([-0.7, 0.3, -0.2])
    P = impulse_of_impact(W, u, 0.0, e)
    assert pytest.approx([(1 + e) * 0.7 / W[0, 0], 0, 0], abs=1e-8) == P
    assert (u + W @ P)[0] == pytest.approx(0.7 * e, abs=1e-8)


def test_enough_friction_sticks():
    """A plastic impact that sticks removes exactly the constrained part of the kinetic energy."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(3, 6))
    W, u = A @ A.T, np.array([-0.7, 0.01, -0.02])
    P = impulse_of_impact(W, u, 50.0, 0.0)
    assert np.abs(u + W @ P).max() < 1e-8
    assert 0.5 * P @ u == pytest.approx(-0.5 * u @ np.linalg.solve(W, u), rel=1e-7)


def test_nothing_happens_to_what_leaves():
    assert not impulse_of_impact(np.eye(2), np.array([0.1, 1.0]), 0.5, 0.5).any()


def test_bad_input():
    mech, q, v = stick(), np.array([0.0, 0.5, 0.3]), np.array([0.0, -1.0, 0.0])
    with pytest.raises(InputError, match=r"friction=-0\.1"):
        gw.impact(mech, q, v, rows(0.3), friction=-0.1)
    with pytest.raises(InputError, match=r"friction.*\(1, 1\)"):
        gw.impact(mech, q, v, rows(0.3)[:1], friction=0.1)
