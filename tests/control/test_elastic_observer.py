"""The observer of elastic drives: gains against theory, schedules over configurations, motor positions alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.control.gains import balanced_configuration
from gearwright.control.state_observers.elastic_observer import interpolation_weights, kalman_gains
from gearwright.errors import InputError
from gearwright.motion import polynomial

MECH = gw.assemble(gw.load("elastic_elbow").with_payload(5.0))
FREQUENCY = 100.0
NEAR, FAR = np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.3, 2.2])
GRID = {"j2": [-1.0, 0.0, 1.0], "j3": [0.0, 1.1, 2.2]}


def pd(mech=MECH, q=(0.0, 0.3, 1.0)):
    return gw.control.pd(mech, list(q), 2000, 100)


def decided(control, q, v, states):
    """Rates of the estimate at a measurement, over plain numbers."""
    law = control.law
    given = {"q": list(q), "v": list(v), "states": list(states)}
    given |= {name: x[0].tolist() for name, x in control.references(np.zeros(1)).items()}
    return np.array(control.program.run(law.mech, FLOATS, given, {}), dtype=float)[-2 * law.mech.n :]


def test_gains_from_positions_alone_are_those_of_a_double_integrator():
    """A motor behind a spring of no stiffness: x'' = noise w^4 gives L = (sqrt(2) w, w^2) of the textbooks."""
    link = gw.Body("link", mass=1e-9, inertia=np.eye(3))
    rotor = gw.Spin("rotor", "base", (0, 0, 1), 0.5, {"motor": 1.0})
    spring = gw.Spring("spring", {"link": 1.0, "motor": -1.0}, 1e-6)
    mech = gw.Mechanism([link], [rotor], ["motor"], [spring], [gw.Actuator("motor", {"motor": 1.0})], gravity=(0, 0, 0))
    L = kalman_gains(mech, np.zeros(1), 40.0, motor_speeds=False)
    assert L.shape == (4, 1)
    assert L[[1, 3], 0] == pytest.approx([np.sqrt(2) * 40.0, 1600.0], rel=1e-4)  # the spring of 1e-6 Nm/rad: 6e-5


def test_the_filter_is_the_least_squares_one():
    """With both sensors or one, no other gain has a smaller covariance: those nearby have larger ones."""
    for motor_speeds in (True, False):
        L = kalman_gains(MECH, FAR, FREQUENCY, motor_speeds)
        least = covariance(FAR, L, motor_speeds)
        rng = np.random.default_rng(0)
        for _ in range(5):
            other = L * (1 + 0.05 * rng.standard_normal(L.shape))
            assert covariance(FAR, other, motor_speeds) > least


def covariance(joints, L, motor_speeds=False):
    """Trace of the stationary covariance of the scaled error (q, v / w) of an observer with gains L at a rest."""
    rest, zero = balanced_configuration(MECH, joints), np.zeros(6)
    A = gw.linearise(MECH, rest, zero, gw.inverse_dynamics(MECH, rest, zero, zero)).A
    rows = [3, 4, 5, *([9, 10, 11] if motor_speeds else [])]
    scale = np.repeat([1.0, FREQUENCY], 6)
    loop = (A - L @ np.eye(12)[rows]) * scale / scale[:, None]
    sensor = np.diag([1.0] * 3 + [FREQUENCY**2] * (3 if motor_speeds else 0))
    gains = L / scale[:, None]
    noise = np.diag(np.repeat([0.0, FREQUENCY**2], 6)) + gains @ sensor @ gains.T
    return np.trace(solve_continuous_lyapunov(loop, -noise))


def test_schedule_is_near_the_optimum_where_fixed_gains_are_not():
    control = gw.control.elastic_observer(pd(), NEAR, FREQUENCY, GRID, motor_speeds=False)
    between = np.array([0.0, 0.5, 1.7])
    weights = interpolation_weights(control.law.schedule, between.tolist(), FLOATS)
    L = sum(w * dense(gains, 3) for w, gains in zip(weights, control.law.gains, strict=True))
    best = covariance(between, kalman_gains(MECH, between, FREQUENCY, False))
    fixed = covariance(between, kalman_gains(MECH, NEAR, FREQUENCY, False))
    assert best < covariance(between, L) < 1.05 * best
    assert fixed > 1.2 * best


def dense(rows, width):
    L = np.zeros((len(rows), width))
    for k, row in enumerate(rows):
        for column, x in row:
            L[k, column] = x
    return L


def test_schedule_at_a_breakpoint_and_outside_is_the_filter_of_that_configuration():
    scheduled = gw.control.elastic_observer(pd(), NEAR, FREQUENCY, GRID, motor_speeds=False)
    fixed = gw.control.elastic_observer(pd(), [0.0, 1.0, 2.2], FREQUENCY, motor_speeds=False)
    states = np.linspace(0.1, 0.3, 12)
    for joints in ([0.4, 1.0, 2.2], [0.4, 1.5, 3.0]):  # the corner of the grid, and beyond it
        q = [*joints, *joints]
        v = np.zeros(6)
        np.testing.assert_allclose(decided(scheduled, q, v, states), decided(fixed, q, v, states), rtol=1e-12)


def test_motor_positions_alone_are_enough():
    """The law uses neither measured speeds nor link positions, and its estimate converges in a run."""
    spong = gw.approximate(MECH, "spong")
    motion = polynomial([0.0, 0.0, 0.5], [0.8, 0.5, 1.5], 0.8, order=7)
    control = gw.control.elastic_observer(
        gw.control.feedforward(MECH, motion, 2000, 100), [0.02, 0.02, 0.52], 150.0, GRID, motor_speeds=False
    )
    states = np.linspace(0.1, 0.3, 12)
    one = decided(control, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5], np.zeros(6), states)
    other = decided(control, [9.0, 9.0, 9.0, 0.3, 0.4, 0.5], np.ones(6), states)
    np.testing.assert_array_equal(one, other)
    start = gw.motor_motion(spong, *(motion.at(0.0, k) for k in range(5))).q
    run = gw.rollout(
        MECH,
        start,
        np.zeros(6),
        4800,
        2.5e-4,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=480),
    )
    gap = np.stack([np.abs(run.states[f"estimate.q.j{k}"] - run.q[:, k - 1]) for k in (1, 2, 3)], axis=-1)
    assert gap[0].max() == pytest.approx(0.02, abs=2e-3)
    assert gap[-1].max() < 2e-3
    assert np.abs(run.q[-1, :3] - [0.8, 0.5, 1.5]).max() < 0.02


@pytest.mark.parametrize(
    "schedule",
    [{"j9": [0, 1]}, {"j2": [1.0, 0.0]}, {"j2": [0.0]}, {"j2": np.arange(40.0), "j3": np.arange(40.0)}],
)
def test_schedules_without_meaning_are_refused(schedule):
    with pytest.raises(InputError, match=r"control\.elastic_observer: .*(schedule|configurations)"):
        gw.control.elastic_observer(pd(), NEAR, schedule=schedule)
