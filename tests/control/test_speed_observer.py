"""The observer of speeds from positions alone: constants, the proven bound, tracking, and a Kalman filter beside it."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.errors import InputError, StructureError
from gearwright.motion import polynomial
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot


def column() -> Robot:
    """Two elastic joints with perpendicular axes."""
    up = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    links = [
        Link("column", joint=Joint("waist"), mass=6, com=(0, 0, -0.05), inertia=np.diag([0.05, 0.05, 0.03])),
        Link("arm", "column", Joint("shoulder", rotation=up), 5, (0.2, 0, 0), np.diag([0.01, 0.09, 0.09])),
    ]
    drives = [
        Drive("waist", Motor(5e-4, 0.9, 4e-4), Gear(120, stiffness=8000, damping=5), axis=(0, 0, 1)),
        Drive("shoulder", Motor(3e-4, 0.8, 2.5e-4, (0, 0, -0.1)), Gear(100, stiffness=6000, damping=4)),
    ]
    return Robot("elastic_column", links, drives)


MACHINES = {"two": gw.assemble(column()), "three": gw.assemble(gw.load("elastic_elbow"))}
BOUNDS = {name: gw.control.speed_observer_bound(m, 60.0, rate=40.0, configurations=30) for name, m in MACHINES.items()}


def coriolis(mech, q, x, y):
    """C(q, x) y from bias forces alone: the bilinear form of a quadratic one."""
    quadratic = gw.approximate(mech, "undamped") if mech.shafts else mech
    return (gw.bias(quadratic, q, x + y) - gw.bias(quadratic, q, x - y)) / 4


@pytest.mark.parametrize("name", MACHINES)
def test_constant_bounds_the_coriolis_forces(name):
    """At random states, from bias forces alone, the constant is not exceeded, and is of the right magnitude."""
    mech = MACHINES[name]
    model = gw.elastic.RedundantModel(mech, "points")
    q = model.configurations(10, seed=3)
    c = gw.elastic.coriolis_constant(model, q)
    rng = np.random.default_rng(0)
    largest = 0.0
    for configuration in q:
        # directions of the energy norm
        root = np.linalg.inv(np.linalg.cholesky(gw.mass_matrix(mech, configuration))).T
        x, y, z = (root @ unit for unit in normalised(rng.standard_normal((3, mech.n, 300))))
        states = np.broadcast_to(configuration, (300, mech.nq))
        forms = np.abs(np.sum(x * coriolis(mech, states, y.T, z.T).T, axis=0))
        largest = max(largest, float(forms.max()))
    assert 0.15 * c < largest <= c * (1 + 1e-9)
    assert gw.elastic.coriolis_constant_bound(model, q) >= c


def normalised(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def test_constant_of_a_mass_on_a_turning_slide():
    """A point mass in polar coordinates: its trilinear form has the unfoldings sqrt(2) / (sqrt(m) r)."""
    mass, tiny = 3.0, 1e-12
    bodies = [
        gw.Body("turn", mass=tiny, inertia=tiny * np.eye(3)),
        gw.Body("slide", "turn", "prismatic", axis=(1, 0, 0), mass=mass, inertia=tiny * np.eye(3)),
    ]
    model = gw.elastic.RedundantModel(gw.Mechanism(bodies, gravity=(0, 0, 0)), "points", "rigid")
    q = [[0.3, 0.5], [1.0, 0.8]]
    assert gw.elastic.coriolis_constant(model, q) == pytest.approx(np.sqrt(2 / mass) / 0.5, rel=1e-6)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("wrong_start", [0.0, 0.05])
def test_error_stays_below_the_proven_bound(name, wrong_start):
    """Estimates that start far off, as positions of the start do, converge at least as fast as proven."""
    mech, bound = MACHINES[name], BOUNDS[name]
    joints = mech.n // 2
    q0 = gw.control.state_feedback(mech, [0.2] * joints, np.zeros((joints, 2 * mech.n)))
    start = q0.references(np.zeros(1))["q_ref"][0]
    v0 = np.tile(np.linspace(1.0, -0.8, joints), 2)
    inner = gw.control.pd(mech, [0.2] * joints, 2000, 100)
    control = gw.control.speed_observer(inner, start + wrong_start, bound)
    run = gw.rollout(
        mech, start, v0, 1200, 2.5e-4, method="rk4", controller=control, options=gw.analysis.RolloutOptions(every=40)
    )
    assert gw.kinetic_energy(mech, run.q, run.v).max() < bound.kinetic_energy
    estimate = np.stack([run.states[f"observer.{x}"] for x in mech.speeds], axis=-1) + bound.gain * run.q
    error = np.sqrt(2 * gw.kinetic_energy(mech, run.q, run.v - estimate))
    assert error[0] > 1.0
    assert np.all(error <= bound.error(error[0], run.t) + 1e-4)
    assert error[-1] < 1e-3 * error[0]


def test_bound_with_unknown_forces_ends_at_their_size_over_the_rate():
    bound = BOUNDS["two"]
    assert bound.rate == pytest.approx(40.0)
    assert bound.gain == pytest.approx(40.0 + 3 * bound.coriolis_constant * np.sqrt(120.0))
    np.testing.assert_allclose(bound.error(2.0, [0.0, 10.0], disturbance=8.0), [2.0, 0.2], atol=1e-12)


@pytest.mark.parametrize("name", MACHINES)
def test_tracking_without_measured_speeds(name):
    """A tracking controller with the observer ends where it ends with measured speeds, though it starts in motion."""
    mech, bound = gw.approximate(gw.approximate(MACHINES[name], "undamped"), "spong"), BOUNDS[name]
    joints = mech.n // 2
    motion = polynomial([0.0] * joints, [0.6, 0.4, -0.4][:joints], 0.6, order=7)
    inner = gw.control.feedback_linearisation(mech, motion, 30.0)
    start = gw.motor_motion(mech, *(motion.at(0.0, k) for k in range(5))).q
    errors = []
    for control in (inner, gw.control.speed_observer(inner, start, bound)):
        v0 = np.tile([0.3, -0.2, 0.2][:joints], 2)  # the observer starts from zero speeds
        run = gw.rollout(
            mech,
            start,
            v0,
            3200,
            2.5e-4,
            method="rk4",
            controller=control,
            options=gw.analysis.RolloutOptions(every=400),
        )
        errors.append(np.abs(run.q[:, :joints] - motion.at(run.t)).max(axis=1))
    measured, estimated = errors
    assert measured[-1] < 1e-4
    assert estimated[-1] < 1e-4
    assert estimated.max() < 4 * measured.max() + 1e-3


# Against an extended Kalman filter, on the same noisy positions

STEP, STEPS, NOISE = 5e-4, 800, 2e-5
"""Sampling [s], number of samples, and standard deviation of the measured positions [rad]."""


class Recorded:
    """A motion of a machine under PD control from a start in motion, with its torques and measured positions."""

    def __init__(self, name: str, noise: float, payload: float = 0.0) -> None:
        self.model = MACHINES[name]
        joints = self.model.n // 2
        self.start = gw.control.state_feedback(
            self.model, [0.2] * joints, np.zeros((joints, 2 * self.model.n))
        ).references(np.zeros(1))["q_ref"][0]
        v0 = np.tile(np.linspace(1.0, -0.8, joints), 2)
        run = gw.rollout(
            self.model,
            self.start,
            v0,
            STEPS,
            STEP,
            method="rk4",
            controller=gw.control.pd(self.model, [0.2] * joints, 2000, 100),
        )
        self.t, self.q, self.v = run.t, run.q, run.v
        acceleration = np.gradient(run.v, run.t, axis=0)
        self.tau = gw.inverse_dynamics(self.model, run.q, run.v, acceleration) + payload
        self.measured = run.q + noise * np.random.default_rng(1).standard_normal(run.q.shape)

    def errors(self, estimates) -> np.ndarray:
        """Errors of speeds in the energy norm, over time."""
        return np.sqrt(2 * gw.kinetic_energy(self.model, self.q, self.v - estimates))


def redundant_observer(log: Recorded, bound) -> np.ndarray:
    """v = z + k q, z' = a(q, v, tau) - k v, the Coriolis forces of the estimate limited to the ball of speeds."""
    mech, k = log.model, bound.gain
    undamped = gw.approximate(mech, "undamped")
    z, estimates = -k * log.measured[0], []
    for q, tau in zip(log.measured, log.tau, strict=True):
        v = z + k * q
        estimates.append(v)
        ratio = min(1.0, bound.kinetic_energy / max(gw.kinetic_energy(mech, q, v), 1e-12)) ** 0.25
        damping = gw.bias(mech, q, v) - gw.bias(undamped, q, v)
        rest = gw.bias(undamped, q, np.zeros(mech.n))
        coriolis = gw.bias(undamped, q, ratio * v) - rest
        a = np.linalg.solve(gw.mass_matrix(mech, q), tau - coriolis - rest - damping)
        z = z + STEP * (a - k * v)
    return np.array(estimates)


def extended_kalman_filter(log: Recorded, noise: float, force: float) -> np.ndarray:
    """The textbook filter: Euler steps of the model, its linearisation, all positions measured."""
    mech, n = log.model, log.model.n
    x, P = np.concatenate([log.measured[0], np.zeros(n)]), np.diag([1e-8] * n + [1.0] * n)
    C, R, estimates = np.eye(n, 2 * n), noise**2 * np.eye(n), []
    for q, tau in zip(log.measured, log.tau, strict=True):
        K = np.linalg.solve(C @ P @ C.T + R, C @ P).T
        x, P = x + K @ (q - C @ x), (np.eye(2 * n) - K @ C) @ P
        estimates.append(x[n:].copy())
        inverse = np.linalg.inv(gw.mass_matrix(mech, x[:n]))
        A = np.eye(2 * n) + STEP * gw.linearise(mech, x[:n], x[n:], tau).A
        x = x + STEP * np.concatenate([x[n:], gw.forward_dynamics(mech, x[:n], x[n:], tau)])
        Q = np.zeros((2 * n, 2 * n))
        Q[n:, n:] = STEP * force**2 * inverse @ inverse.T
        P = A @ P @ A.T + Q
    return np.array(estimates)


@pytest.mark.parametrize("name", MACHINES)
def test_both_converge_from_unknown_speeds(name):
    """Without noise the observer stays below its proven bound, and the filter converges too."""
    log, bound = Recorded(name, 0.0), BOUNDS[name]
    observer = log.errors(redundant_observer(log, bound))
    kalman = log.errors(extended_kalman_filter(log, NOISE, 1.0))
    assert observer[0] > 1.0
    # Euler steps of the observer add an error of the order of the step
    assert np.all(observer <= bound.error(observer[0], log.t) + 0.03 * observer[0])
    assert observer[-1] < 0.01 * observer[0]
    assert kalman[-1] < 0.05 * kalman[0]


@pytest.mark.parametrize("name", MACHINES)
def test_noise_and_unknown_loads(name):
    """The filter, tuned to the noise, is quieter; with forces that neither knows, the observer keeps its bound."""
    bound, settled = BOUNDS[name], slice(STEPS // 2, None)
    log = Recorded(name, NOISE)
    noisy = np.sqrt(np.mean(log.errors(redundant_observer(log, bound))[settled] ** 2))
    kalman = np.sqrt(np.mean(log.errors(extended_kalman_filter(log, NOISE, 0.1))[settled] ** 2))
    gain_of_noise = bound.gain * NOISE * np.sqrt(np.trace(gw.mass_matrix(log.model, log.q[-1])))
    assert kalman < noisy < 3 * gain_of_noise
    loaded = Recorded(name, 0.0, payload=5.0)
    H = gw.mass_matrix(loaded.model, loaded.q)
    d = np.full(loaded.model.n, 5.0)
    disturbance = max(np.sqrt(d @ np.linalg.solve(h, d)) for h in H)
    observer = loaded.errors(redundant_observer(loaded, bound))
    assert np.all(observer <= bound.error(observer[0], loaded.t, disturbance) + 0.03 * observer[0])


def test_measured_speeds_are_not_used():
    mech, bound = MACHINES["three"], BOUNDS["three"]
    control = gw.control.speed_observer(gw.control.pd(mech, [0.1, 0.2, 0.3], 2000, 100), [0.1, 0.2, 0.3], bound)
    decisions = []
    for v in (np.zeros(6), np.full(6, 7.0)):
        given = {"q": [0.1] * 6, "v": v.tolist(), "states": [0.2] * 6}
        given |= {name: x[0].tolist() for name, x in control.references(np.zeros(1)).items()}
        decisions.append(control.program.run(mech, FLOATS, given, {}))
    assert decisions[0] == decisions[1]


def test_bad_input_is_refused():
    mech, bound = MACHINES["three"], BOUNDS["three"]
    inner = gw.control.pd(mech, [0.0] * 3, 2000, 100)
    with pytest.raises(InputError, match="kinetic_energy"):
        gw.control.speed_observer_bound(mech, 0.0)
    with pytest.raises(InputError, match=r"control\.speed_observer: q has 4 .*6.*3"):
        gw.control.speed_observer(inner, [0.0] * 4, bound)
    with pytest.raises(StructureError, match=r"RedundantModel: .*chain"):
        gw.control.speed_observer_bound(gw.load("humanoid_30"), 10.0)
    with pytest.raises(InputError, match=r"coriolis_constant: .*'full'.*'points'"):
        gw.elastic.coriolis_constant(gw.elastic.RedundantModel(mech), np.zeros((1, 6)))
