"""Effects of errors in print: against a Newton-Euler recursion with the printed terms, and published numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import gearwright as gw
from gearwright.errors import InputError
from gearwright.works import ELBOW_PARAMETERS, errata_effects
from gearwright.works.errata import ERRATA, ErrataStates
from support.machines import random_design

EFFECT = {(x.work, x.equation): x.values for x in ERRATA}


def newton_euler(mech, q, v, a, error=None):
    """(35) to (45) of Sciavicco, Siciliano and Villani in world axes, corrected but for one printed term."""
    n = len(mech.bodies)
    place = [gw.placement(mech, q, i) for i in range(n)]
    w, wd, acc = [np.zeros(3)] * (n + 1), [np.zeros(3)] * (n + 1), [-np.array([*mech.gravity])] * (n + 1)
    z = [place[i].rotation @ np.array([*mech.bodies[i].axis]) for i in range(n)]
    tau, F, N = np.zeros(mech.n), [np.zeros(3)] * (n + 1), [np.zeros(3)] * (n + 1)
    arms = []
    for i, body in enumerate(mech.bodies):
        k, speed = mech.parent_of(i), mech.joints[i].dofs[0].speed
        r = place[i].position - (place[k].position if k >= 0 else 0)
        arms.append(r)
        turning = np.cross(wd[k], r) + np.cross(w[k], np.cross(w[k], r))
        if error == "(43) revolute":
            turning = np.cross(wd[k], np.cross(w[k], r))
        acc[i] = acc[k] + turning
        if body.joint == "revolute":
            w[i], wd[i] = w[k] + v[speed] * z[i], wd[k] + a[speed] * z[i] + v[speed] * np.cross(w[k], z[i])
        else:
            w[i], wd[i] = w[k], wd[k]
            rate = wd[k] if error == "(43) prismatic" else w[k]
            acc[i] = acc[i] + a[speed] * z[i] + 2 * v[speed] * np.cross(rate, z[i])
    for i, body in enumerate(mech.bodies):
        R = place[i].rotation
        c, inertia = R @ np.array([*body.com]), R @ np.array(body.inertia.rows()) @ R.T
        F[i] = body.mass * (acc[i] + np.cross(wd[i], c) + np.cross(w[i], np.cross(w[i], c)))
        N[i] = np.cross(c, F[i]) + inertia @ wd[i] + np.cross(w[i], inertia @ w[i])
    for spin in mech.spins:
        i, b, J, Jc = int(spin.carrier), np.array(spin.ratio), spin.inertia, spin.coupling_inertia
        e = (place[i].rotation if i >= 0 else np.eye(3)) @ np.array([*spin.axis])
        first = b @ v if error == "(38)" else b @ a
        N[i] = N[i] + Jc * (first * e + (b @ v) * np.cross(w[i], e))
        tau += b * (J * (b @ v) if error == "(45)" else J * (b @ a) + Jc * (e @ wd[i]))
    for i in reversed(range(n)):
        k, speed = mech.parent_of(i), mech.joints[i].dofs[0].speed
        tau[speed] += z[i] @ (N[i] if mech.bodies[i].joint == "revolute" else F[i])
        F[k], N[k] = F[k] + F[i], N[k] + N[i] + np.cross(arms[i], F[i])
    return tau


@pytest.fixture(scope="module")
def motion():
    rng = np.random.default_rng(3)
    mech = random_design(rng, ("revolute", "prismatic", "revolute", "revolute"), wheels=3, chain=True).written()
    q, v, a = rng.uniform(-1, 1, (3, 4, mech.n))
    return ErrataStates(mech, q, v, a)


@pytest.mark.parametrize("equation", ["(38)", "(43) revolute", "(43) prismatic", "(45)"])
def test_printed_recursions(motion, equation):
    printed, corrected = EFFECT["sciavicco", equation](motion)
    states = list(zip(motion.q, motion.v, motion.a, strict=True))
    np.testing.assert_allclose(corrected, [newton_euler(motion.mech, *x) for x in states], rtol=1e-10, atol=1e-10)
    wrong = [newton_euler(motion.mech, *x, error=equation) for x in states]
    np.testing.assert_allclose(printed, wrong, rtol=1e-10, atol=1e-10)
    assert np.abs(printed - corrected).max() > 1e-4 * np.abs(corrected).max()


def test_energies(motion):
    """(25) counts the rotation of links about the origins twice; (26) loses the rate of the prismatic joint."""
    mech, q, v = motion.mech, motion.q[0], motion.v[0]
    half, (slow, right) = EFFECT["sciavicco", "(25)"](motion)[0][0], EFFECT["sciavicco", "(26)"](motion)
    energies = {"(25)": 0.0, "(26)": 0.0}
    for i, body in enumerate(mech.bodies):
        J = gw.jacobian(mech, q, i)
        velocity, w = J[:3] @ v, J[3:] @ v
        R = gw.placement(mech, q, i).rotation
        c, central = R @ np.array([*body.com]), R @ np.array(body.inertia.rows()) @ R.T
        about_origin = central + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        linear = 0.5 * body.mass * velocity @ velocity + body.mass * velocity @ np.cross(w, c)
        energies["(25)"] += linear + w @ about_origin @ w
        z = R @ np.array([*body.axis])
        lost = v[mech.joints[i].dofs[0].speed] * z if body.joint == "prismatic" else 0
        u = velocity + np.cross(w, c) - lost
        energies["(26)"] += 0.5 * body.mass * u @ u + 0.5 * w @ central @ w
    for spin in mech.spins:
        s = np.array(spin.ratio) @ v
        e = np.array([*spin.axis])
        carrier = gw.jacobian(mech, q, int(spin.carrier), axes="body")[3:] @ v @ e if spin.carrier >= 0 else 0.0
        for name in energies:
            energies[name] += 0.5 * spin.inertia * s * s + spin.coupling_inertia * s * carrier
    assert half == pytest.approx(energies["(25)"], rel=1e-10)
    assert slow[0] == pytest.approx(energies["(26)"], rel=1e-10)
    assert right[0] == pytest.approx(gw.kinetic_energy(mech, q, v), rel=1e-12)


def test_the_terms_that_melhem_and_loria_omit():
    """A two-joint elastic elbow at a known state: the omitted term is (-0.00942448, -0.01649283, 0, 0)."""
    arm = gw.load("elastic_elbow")
    two = arm.__class__(
        "two", arm.links[:2], tuple(x for x in arm.drives if x.joint in ("j1", "j2")), gravity=arm.gravity
    )
    mech = gw.assemble(two)
    carried = [x for x in gw.assemble(arm).spins if x.name.startswith("j3")]
    assert carried  # rotor 3 is absent from link 2 of the reference, as it is here
    state = ErrataStates(mech, np.array([0.3, -0.5, 0.302, -0.501]), np.array([0.7, -0.4, 0.75, -0.38]), np.zeros(4))
    printed, corrected = EFFECT["melhem_loria", "(27), (28), (32)"](state)
    np.testing.assert_allclose(corrected - printed, [-0.00942448, -0.01649283, 0, 0], atol=5e-9)


def test_the_sun_of_fernini():
    """Peak of joint 1 with the printed sign: 299.7931 instead of 299.4219 Nm."""
    mech = gw.assemble(gw.load("planetary_2r_3"))
    t = np.linspace(0, 1, 2001)
    way = gw.motion.polynomial([0, 0], np.deg2rad([30, 45]), duration=1.0, order=7)
    printed, corrected = EFFECT["fernini", "(9)"](ErrataStates(mech, *(way.at(t, k) for k in range(3))))
    assert printed[:, 0].max() == pytest.approx(299.7931, abs=2e-4)
    assert corrected[:, 0].max() == pytest.approx(299.4219, abs=2e-4)


def test_reports_of_robots():
    report = errata_effects(gw.load("scara"))
    assert [x.erratum for x in report.effects] == list(ERRATA)
    errors = {(x.erratum.work, x.erratum.equation): x.relative_error for x in report.effects}
    assert errors["fernini", "(9)"] is None
    assert errors["sciavicco", "(26)"] > 0.05
    assert errors["melhem_loria", "(27), (28), (32)"] < 1e-12  # every axis is vertical
    assert {x.erratum.work for x in errata_effects(gw.load("elbow"), "chen_wang").effects} == {"chen_wang"}
    with pytest.raises(InputError, match=r"'fernin'.*'fernini'"):
        errata_effects(gw.load("elbow"), "fernin")
    with pytest.raises(InputError, match="samples"):
        errata_effects(gw.load("elbow"), samples=0)


def test_the_elbow_in_the_printed_parameters():
    """pi 1 to pi 9 of section 7: B as printed, and the numbers of the parameters."""
    arm = gw.load("elbow")
    form = gw.closed_form(gw.mass_matrix, arm, names="file", base_parameters=ELBOW_PARAMETERS)
    names = {name: sp.Symbol(name) for name in ELBOW_PARAMETERS}
    printed = [
        "pi1 + s2**2*pi3 + s23**2*pi5 + 2*a2*c2*c23*pi6",
        *("kr2*pi8", "kr3*s2*pi9", "kr2*pi8", "pi4 + 2*a2*c3*pi6 + pi7", "a2*c3*pi6 + pi7"),
        *("kr3*s2*pi9", "a2*c3*pi6 + pi7", "pi7 + kr3**2*pi9"),
    ]
    assert [sp.expand(x) for x in form.entries] == [sp.expand(sp.sympify(x, locals=names)) for x in printed]
    torques = gw.closed_form(gw.inverse_dynamics, arm, names="file", base_parameters=ELBOW_PARAMETERS)
    values = [torques.group_values[f"pi{k}"] for k in range(1, 10)]
    assert values == pytest.approx([8.0992, 2.225, -0.7612, 3.7714, -0.0915, 0.45, 0.0975, 3e-4, 2e-4], abs=1e-12)
    state = [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8]
    assert torques.evaluate(*state) == pytest.approx([9.60148721, 25.10781709, 3.26984181], abs=5e-9)


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"pi6": "m3z"}, r"'pi6'.*'m3z'"),
        ({"pi6": "m3x**m3"}, r"'pi6'.*sum of products"),
        ({"pi6": "sin(m3x)"}, r"'pi6'.*sum of products"),
        ({"pi6": "I3zz"}, r"do not contain the term .*m3x"),
    ],
)
def test_wrong_base_parameters_are_refused(changes, fact):
    with pytest.raises(InputError, match=fact):
        gw.closed_form(gw.gravity, gw.load("elbow"), names="file", base_parameters={**ELBOW_PARAMETERS, **changes})
