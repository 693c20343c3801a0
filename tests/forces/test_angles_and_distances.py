"""Coordinates s(q, t): rows, rates and drifts are derivatives of what is stated, for every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.errors import InputError, SingularityError
from gearwright.forces import (
    Coordinate,
    ElementDeflection,
    Line,
    MovingFrame,
    NonlinearSpring,
    Pulley,
    Reaction,
    Situation,
    TorqueCurve,
    angle,
    displacement,
    distance,
    tendon,
)
from gearwright.forces.branch_points import law_branch_levels
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism.rows import dense_row
from support.machines import KINDS, random_design, random_state

POINTS = (0.3, -0.4, 0.2), (0.25, 0.15, -0.35)
SHIP = MovingFrame(
    "ship",
    lambda t, ops: (0.2 * t, 0.3 * ops.sin(t), 3.0),
    lambda t, ops: ((ops.cos(t), -ops.sin(t), 0.0), (ops.sin(t), ops.cos(t), 0.0), (0.0, 0.0, 1.0)),
)
NOW = 0.7


def own(c):
    """A function as users write them: of placements, coordinates and time."""
    return c.ops.sin(c.q[0]) * c.t**2 + c.point(0, POINTS[0]).x / (2.0 + c.ops.tanh(c.q[-1]))


def coordinates_of(mech: gw.Mechanism) -> list[Coordinate]:
    """One of every kind, between the last body and others."""
    last, one, other = len(mech.bodies) - 1, *POINTS
    return [
        distance(mech, ("base", (2.0, 1.0, 0.5)), (last, one)),
        distance(mech, (SHIP, other), (last, one)),
        displacement(mech, (last, one), SHIP, axis=(1, 2, 3)),
        displacement(mech, (last, one), axis=(1, -1, 2)),
        angle(mech, last, "base", axis=(0.3, 0.2, 1.0)),
        angle(mech, last, SHIP, axis=(0.0, 1.0, 1.0)),
        tendon(mech, [("base", (4.0, 1.0, 0.5)), (0, one), Pulley("base", 0.05, (3.0, 0.0, 0.0)), (last, other)]),
        Coordinate.for_machine(mech, "own", own),
    ]


def placed(line: Line, mech: gw.Mechanism, q, v, t: float = NOW) -> Line:
    return line.placed_in(SharedKinematics(mech, list(q), list(v), FLOATS, t))


def value(line: Line, mech: gw.Mechanism, q, t: float = NOW) -> float:
    return float(placed(line, mech, q, np.zeros(mech.n), t).position(q))


def row(line: Line, mech: gw.Mechanism, q, t: float = NOW) -> np.ndarray:
    return np.array(dense_row(placed(line, mech, q, np.zeros(mech.n), t).terms, mech.n), dtype=float)


def machine(seed: int) -> tuple[gw.Mechanism, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.permutation([kind for kind in KINDS if kind not in ("free", "follower")])]
    mech = random_design(rng, ["free", *kinds] if seed % 2 else kinds, wheels=1, chain=True).written()
    state = random_state(rng, mech)
    return mech, gw.integrate(mech, state.q, np.zeros(mech.n)), 0.5 * state.v  # with quaternions of length one


@pytest.mark.parametrize("seed", range(4))
def test_row_and_rate_are_slopes(seed):
    mech, q, v = machine(seed)
    step = 1e-5
    for line in coordinates_of(mech):
        here = placed(line, mech, q, v)
        ways = [(gw.integrate(mech, q, step * e), gw.integrate(mech, q, -step * e)) for e in np.eye(mech.n)]
        slopes = [(value(line, mech, a) - value(line, mech, b)) / (2 * step) for a, b in ways]
        assert np.allclose(dense_row(here.terms, mech.n), slopes, atol=2e-8), line.name
        later, before = value(line, mech, q, NOW + step), value(line, mech, q, NOW - step)
        assert here.time_rate == pytest.approx((later - before) / (2 * step), abs=2e-8), line.name


@pytest.mark.parametrize("seed", range(4))
def test_drift_is_the_rate_of_the_speed_while_no_speed_changes(seed):
    """Not the second difference of the value: the row and its rate on a path along which v is constant."""
    mech, q, v = machine(seed)
    step = 1e-5
    for line in coordinates_of(mech):
        here = placed(line, mech, q, v)
        ways = [(gw.integrate(mech, q, s * step * v), NOW + s * step) for s in (1, -1)]
        after, before = (placed(line, mech, at, v, t).speed(list(v)) for at, t in ways)
        assert here.drift == pytest.approx((after - before) / (2 * step), rel=1e-6, abs=1e-7), line.name


@pytest.mark.parametrize("seed", range(3))
def test_distance_has_the_row_and_drift_of_its_points(seed):
    """By the Jacobians of points: b = u (J2 - J1), and the drift from their rates."""
    mech, q, v = machine(seed)
    last, (one, other) = len(mech.bodies) - 1, POINTS
    here = placed(distance(mech, (0, one), (last, other)), mech, q, v)
    (R1, p1), (R2, p2) = gw.placement(mech, q, 0), gw.placement(mech, q, last)
    apart = (p2 + R2 @ other) - (p1 + R1 @ one)
    u = apart / np.linalg.norm(apart)
    J = (gw.jacobian(mech, q, last, other) - gw.jacobian(mech, q, 0, one))[:3]
    rate = (gw.jacobian_rate(mech, q, v, last, other) - gw.jacobian_rate(mech, q, v, 0, one))[:3]
    across = J @ v - u * (u @ J @ v)
    assert np.allclose(dense_row(here.terms, mech.n), u @ J, atol=1e-12)
    assert here.drift == pytest.approx(u @ rate @ v + across @ across / np.linalg.norm(apart), abs=1e-11)


def test_scalars_of_any_kind_agree():
    """Numbers, arrays, and series of time, inside which the differentiation runs."""
    mech = gw.assemble(gw.load("elbow"))
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, mech.n))
    series = [Taylor.of_derivatives(list(x)) for x in np.array([q, v, a]).T.tolist()]
    moving = SharedKinematics(
        mech, series, [x.rate() for x in series], TaylorOperations(FLOATS), Taylor([NOW, 1.0, 0.0])
    )
    batch = SharedKinematics(mech, [np.full(3, x) for x in q], [np.full(3, x) for x in v], ARRAYS, np.full(3, NOW))
    for line in coordinates_of(mech):
        here, many, along = placed(line, mech, q, v), line.placed_in(batch), line.placed_in(moving)
        motion = [here.position(q), here.speed(v), here.acceleration(a)]
        assert np.allclose(along.position(series).derivatives(), motion, atol=1e-10), line.name
        for k, x in here.terms:
            assert np.allclose(dict(many.terms)[k], x, atol=1e-12)
            assert dict(along.terms)[k].c[0] == pytest.approx(x, abs=1e-12)
        assert np.allclose(many.drift, here.drift, atol=1e-10), line.name


def test_an_angle_about_its_own_axis_is_the_joint():
    mech = gw.Mechanism([gw.Body("a", axis=(0, 1, 1), mass=1.0, inertia=np.eye(3))])
    lean = angle(mech, "a", axis=(0, 1, 1))
    for at in (-2.0, 0.3, 3.1):
        assert value(lean, mech, [at]) == pytest.approx(at, abs=1e-14)
        assert np.allclose(row(lean, mech, [at]), [1.0], atol=1e-14)


def test_a_tendon_over_a_pulley_is_tangent_arc_tangent():
    """Two points at angles of 90 and -90 degrees, at twice the radius: 180 - 2 x 60 degrees lie on the pulley."""
    mech = gw.Mechanism([gw.Body("a", joint="prismatic", axis=(0, 0, 1), mass=1.0)])
    before, behind = ("base", (0.0, 2.0, 0.0)), ("a", (0.0, -2.0, 0.0))
    ways = {axis: tendon(mech, [before, Pulley("base", 1.0, axis=(0, 0, axis)), behind]) for axis in (1, -1)}
    flat = 2 * np.sqrt(3) + np.pi / 3
    for cord in ways.values():
        assert value(cord, mech, [0.0]) == pytest.approx(flat, abs=1e-14)
        assert value(cord, mech, [0.5]) == pytest.approx(np.hypot(flat, 0.5), abs=1e-14)  # a helix
    aside = ("a", (1.2, -2.0, 0.0))  # seen from there the pulley is on the right: one way round it comes off
    lengths = [
        value(tendon(mech, [("base", (1.2, 2.0, 0.0)), Pulley("base", 1.0, axis=(0, 0, z)), aside]), mech, [0.0])
        for z in (1, -1)
    ]
    assert min(lengths) == pytest.approx(4.0, abs=1e-14)
    assert max(lengths) > 5.0


def test_where_a_tendon_comes_off_its_pulley_is_a_kink():
    """A cord from above to below the pulley's right side, which a slide pulls over it or lets off."""
    mech = gw.Mechanism([gw.Body("a", joint="prismatic", axis=(1, 0, 0), mass=1.0)])
    cord = tendon(mech, [("base", (0.9, 2.0, 0.0)), Pulley("base", 1.0, axis=(0, 0, -1)), ("a", (0.0, -2.0, 0.0))])
    law = NonlinearSpring("cord", ElementDeflection(cord), TorqueCurve(10.0))
    signs = {}
    for at in (0.5, 1.5):
        seen = Situation(0.0, [at], [0.1], (), (), FLOATS, mech)
        signs[at] = np.sign(law_branch_levels(law, "on", seen, Reaction([0.0])))
    assert (signs[0.5] != signs[1.5]).sum() == 1
    length = [value(cord, mech, [at]) for at in (0.5, 1.5)]
    assert length[0] > np.hypot(0.4, 4.0)
    assert length[1] == pytest.approx(np.hypot(0.6, 4.0), abs=1e-14)


ARM = gw.assemble(gw.load("elbow"))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: distance(ARM, "base", ("base", (1, 0, 0))), InputError, "'distance base to base'"),
        (lambda: distance(ARM, 1, 1), InputError, "'distance .* to .*'.*zero"),
        (
            lambda: Coordinate.for_machine(ARM, "bad", lambda c: c.ops.sqrt(c.q[0] - c.q[0])),
            SingularityError,
            "'bad'.*q =",
        ),
        (lambda: distance(ARM, 1, "link9"), InputError, "link9"),
        (lambda: distance(ARM, 1, None), InputError, "second=None"),
        (lambda: displacement(ARM, 1, axis=(0, 0, 0)), InputError, r"axis \(0, 0, 0\)"),
        (lambda: displacement(ARM, (1, (0, 0)), axis=(0, 0, 1)), InputError, r"\(0, 0\)"),
        (lambda: tendon(ARM, ["base"]), InputError, "tendon: 1 points"),
        (lambda: tendon(ARM, ["base", Pulley(1, 0.1)]), InputError, "tendon: .*pulley.* two "),
        (lambda: tendon(ARM, ["base", Pulley(1, 0.1), Pulley(2, 0.1), 2]), InputError, "tendon: two pulleys"),
        (lambda: tendon(ARM, ["base", Pulley(1, -0.1), 2]), InputError, "tendon: radius=-0.1"),
        (lambda: Coordinate.for_machine(ARM, "bad", lambda c: np.sin(c.q[0])), InputError, "'bad'.*configuration.ops"),
        (lambda: Coordinate.for_machine(ARM, "bad", lambda c: c.point(1)), InputError, "'bad'.*a Vec"),
        (
            lambda: Coordinate.for_machine(ARM, "bad", lambda c: c.q[0] * float("nan")),
            SingularityError,
            r"'bad'.*q = \[0\.0, 0\.0, 0\.0\]",
        ),
        (lambda: Coordinate.for_machine(ARM, "bad", lambda c: c.ops.sqrt(-1.0 - c.q[0] ** 2)), SingularityError, "bad"),
        (lambda: Coordinate.for_machine(ARM, "bad", lambda c: c.coordinate("j9")), InputError, "j9"),
        (
            lambda: gw.Mechanism(ARM.bodies, springs=[gw.Spring("s", distance(ARM, 0, 2), 1.0)]),
            InputError,
            "row=Coordinate",
        ),
    ],
)
def test_bad_coordinates_are_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()
