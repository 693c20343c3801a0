"""Fixed-step motions: equal to a plain loop, of the right order, the same in every batch."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import gearwright as gw
from gearwright.compiling.compile import array_layout
from gearwright.compiling.host.processor import compile_module, generic_processor
from gearwright.compiling.rollout_loop import RolloutCode, rollout_text
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step
from gearwright.tracing.trace import trace_graph
from support.compare import relative
from support.machines import random_design

MACHINES = {
    "tree": ("revolute", "prismatic", "fixed", "revolute", "revolute"),
    "floating": ("free", "revolute", "follower", "prismatic"),
    "ball": ("revolute", "spherical", "follower", "fixed", "revolute"),
    "cart": ("planar", "helical", "universal", "follower"),
}
STEP = 1e-3


def machine(kind: str) -> gw.Mechanism:
    rng = np.random.default_rng(len(kind))
    return random_design(rng, MACHINES[kind], wheels=4, shafts=1, springs=2).written()


@pytest.fixture(scope="module")
def panda() -> gw.Mechanism:
    return gw.assemble(gw.load("panda_like"))


def states(mech: gw.Mechanism, *lead: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = gw.integrate(mech, gw.neutral(mech), rng.uniform(-1, 1, (*lead, mech.n)))
    return q, *rng.uniform(-1, 1, (2, *lead, mech.n))


def euler_loop(mech, q, v, tau, steps, h=STEP):
    """Semi-implicit Euler as anybody would write it."""
    path = [(q, v)]
    for _ in range(steps):
        v = v + h * gw.forward_dynamics(mech, q, v, tau)
        q = gw.integrate(mech, q, h * v)
        path.append((q, v))
    return (np.array(x) for x in zip(*path, strict=True))


@pytest.mark.parametrize("kind", MACHINES)
def test_euler_is_the_plain_loop(kind):
    mech = machine(kind)
    q, v, tau = states(mech, 7)
    expected_q, expected_v = euler_loop(mech, q, v, tau, 100)
    run = gw.rollout(mech, q, v, 100, STEP, inputs=tau)
    assert relative(run.q, expected_q) < 1e-12
    assert relative(run.v, expected_v) < 1e-12
    assert run.t[-1] == pytest.approx(0.1, rel=1e-15)


def rk4_loop(mech, q, v, tau, steps, h=STEP):
    """The classical method on [q, v], for machines without quaternions."""

    def slope(x):
        return np.concatenate([x[..., mech.n :], gw.forward_dynamics(mech, *np.split(x, 2, axis=-1), tau)], axis=-1)

    x = np.concatenate([q, v], axis=-1)
    for _ in range(steps):
        k1 = slope(x)
        k2 = slope(x + h / 2 * k1)
        k3 = slope(x + h / 2 * k2)
        k4 = slope(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x


@pytest.mark.parametrize("name", ["tree", "panda"])  # one function, and one cut into pieces
def test_runge_kutta_is_the_plain_loop(name, panda):
    mech = panda if name == "panda" else machine(name)
    q, v, tau = states(mech, 6)
    run = gw.rollout(mech, q, v, 100, STEP, inputs=tau, method="rk4")
    found = np.concatenate([run.q[-1], run.v[-1]], axis=-1)
    assert relative(found, rk4_loop(mech, q, v, tau, 100)) < 1e-12


@pytest.mark.parametrize(("method", "order", "steps"), [("euler", 1, 100), ("rk4", 4, 25)])
def test_order_of_convergence(method, order, steps, panda):
    """Against an adaptive method of order 8 at 1e-13."""
    q, v, tau = states(panda)

    def rate(_, x):
        return np.concatenate([x[7:], gw.forward_dynamics(panda, x[:7], x[7:], tau)])

    exact = solve_ivp(rate, (0, 0.2), np.concatenate([q, v]), method="DOP853", rtol=1e-13, atol=1e-13).y[:7, -1]
    errors = [
        np.abs(gw.rollout(panda, q, v, n, 0.2 / n, inputs=tau, method=method).q[-1] - exact).max()
        for n in (steps, 2 * steps)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


TOP = gw.Body("top", joint="free", mass=2.0, inertia=np.diag([0.3, 0.3, 0.5]))
BALL = gw.Body("top", joint="spherical", mass=2.0, inertia=np.diag([0.3, 0.3, 0.5]))


def top_after(t: float, w: np.ndarray) -> Rotation:
    """A free symmetric top: it precesses about its angular momentum with |L|/I1 and spins about its own axis."""
    L = np.array([0.3, 0.3, 0.5]) * w
    return Rotation.from_rotvec(L * t / 0.3) * Rotation.from_rotvec([0, 0, w[2] * (0.3 - 0.5) / 0.3 * t])


@pytest.mark.parametrize("body", [TOP, BALL], ids=["free", "spherical"])
@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("rk4", 4)])
def test_a_symmetric_top_precesses(body, method, order):
    mech = gw.Mechanism([body], gravity=(0, 0, 0))
    w = np.array([1.0, -2.0, 3.0])
    v = np.concatenate([[0.0] * (mech.n - 3), w])
    errors = []
    for steps in (40, 80):
        run = gw.rollout(mech, gw.neutral(mech), v, steps, 1.0 / steps, method=method)
        turn = Rotation.from_quat(run.q[-1, -4:], scalar_first=True)
        errors.append((turn.inv() * top_after(1.0, w)).magnitude())
        np.testing.assert_allclose(np.linalg.norm(run.q[:, -4:], axis=1), 1.0, rtol=1e-14)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_a_thrown_body_falls_on_a_parabola():
    """The linear velocity of a free joint is in body axes, so that it turns while the body flies straight."""
    mech = gw.Mechanism([TOP])
    v = np.array([1.0, 2.0, 3.0, 0.5, -1.0, 2.0])
    run = gw.rollout(mech, gw.neutral(mech), v, 100, 0.01, method="rk4")
    np.testing.assert_allclose(run.q[-1, :3], [1.0, 2.0, 3.0 - 9.81 / 2], atol=1e-7)


def energy(mech, q, v):
    return gw.kinetic_energy(mech, q, v) + gw.potential_energy(mech, q)


def test_energy_of_the_symplectic_step_stays_in_its_band():
    """The error of the energy swings with the step and does not grow, over 500 swings."""
    arm = gw.Body("arm", axis=(0, 1, 0), mass=1.0, com=(0, 0, -1.0), inertia=np.diag([0.02, 0.02, 0.02]))
    mech = gw.Mechanism([arm])
    bands = []
    for h in (0.01, 0.005):
        run = gw.rollout(mech, [1.5], [0.0], round(1200 / h), h)
        error = energy(mech, run.q, run.v) - energy(mech, run.q[0], run.v[0])
        early, late = np.array_split(error, 2)
        assert late.max() == pytest.approx(early.max(), rel=1e-2)
        assert late.min() == pytest.approx(early.min(), rel=1e-2)
        bands.append(np.ptp(error))
    assert bands[0] / bands[1] == pytest.approx(2.0, rel=0.02)


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_a_batch_is_its_singles(method):
    mech = machine("tree")
    q, v, tau = states(mech, 9)
    whole = gw.rollout(mech, q, v, 40, STEP, inputs=tau, method=method)
    for count in range(1, 10):
        some = gw.rollout(mech, q[:count], v[:count], 40, STEP, inputs=tau[:count], method=method)
        assert relative(some.q, whole.q[:, :count]) < 1e-13
    alone = gw.rollout(mech, q[4], v[4], 40, STEP, inputs=tau[4], method=method)
    assert alone.q.shape == (41, mech.nq)
    assert relative(alone.v, whole.v[:, 4]) < 1e-12


def test_recording_every_few_steps_leaves_the_motion_as_it_is(panda):
    q, v, tau = states(panda, 21)
    for method in ("euler", "rk4"):
        all_of_it = gw.rollout(panda, q, v, 60, STEP, inputs=tau, method=method)
        for every in (2, 3, 60):
            some = gw.rollout(
                panda, q, v, 60, STEP, inputs=tau, method=method, options=gw.analysis.RolloutOptions(every=every)
            )
            assert np.array_equal(some.q, all_of_it.q[::every])
            np.testing.assert_allclose(some.t, all_of_it.t[::every], rtol=1e-15)


def test_threads_change_nothing(panda, monkeypatch):
    q, v, tau = states(panda, 1000)
    monkeypatch.setenv("GEARWRIGHT_THREADS", "1")
    one = gw.rollout(panda, q, v, 40, STEP, inputs=tau, options=gw.analysis.RolloutOptions(every=20))
    monkeypatch.setenv("GEARWRIGHT_THREADS", "2")
    assert np.array_equal(
        gw.rollout(panda, q, v, 40, STEP, inputs=tau, options=gw.analysis.RolloutOptions(every=20)).q, one.q
    )


def test_leading_axes_broadcast(panda):
    q, v, _ = states(panda, 2, 3)
    run = gw.rollout(panda, q, v[0, 0], 5, STEP)
    assert run.q.shape == (6, 2, 3, 7)
    single = gw.rollout(panda, q[1, 2], v[0, 0], 5, STEP)
    assert relative(run.v[:, 1, 2], single.v) < 1e-12


def test_every_state_has_its_own_parameters():
    robot = gw.load("panda_like").with_payload(1.0, (0.0, 0.05, 0.1))
    masses, offsets = np.array([[0.0], [1.0], [3.0]]), np.array([0.0, 0.1])
    q, v, tau = states(gw.assemble(robot))
    numbers = {"payload.mass": masses, "payload.position.z": offsets}
    run = gw.rollout(robot, q, v, 50, STEP, inputs=tau, parameters=numbers, laws=())
    assert run.q.shape == (51, 3, 2, 7)
    for i, k in np.ndindex(3, 2):
        loaded = gw.load("panda_like").with_payload(float(masses[i, 0]), (0.0, 0.05, float(offsets[k])))
        alone = gw.rollout(gw.assemble(loaded), q, v, 50, STEP, inputs=tau)
        assert relative(run.v[:, i, k], alone.v) < 1e-11


WHEEL = gw.Mechanism([gw.Body("wheel", mass=1.0, inertia=np.diag([0.5, 0.5, 0.5]))], gravity=(0, 0, 0))


def test_forces_are_held_or_seen_at_the_middle():
    """A torque 3 t^2 on a wheel of 0.5: v = 2 t^3, q = t^4/2, of which Simpson's rule makes no error."""
    steps, h = 10, 0.1
    middle = (3 * np.linspace(0, 1, 2 * steps + 1) ** 2)[:, None]
    run = gw.rollout(WHEEL, [0.0], [0.0], steps, h, inputs=middle, method="rk4")
    np.testing.assert_allclose(run.v[:, 0], 2 * run.t**3, atol=1e-14)
    np.testing.assert_allclose(run.q[:, 0], run.t**4 / 2, atol=1e-14)
    held = middle[:-1:2]
    run = gw.rollout(WHEEL, [0.0], [0.0], steps, h, inputs=held, method="rk4")
    np.testing.assert_allclose(run.v[1:, 0], np.cumsum(held[:, 0] * h / 0.5), rtol=1e-14)
    euler = gw.rollout(WHEEL, [0.0], [0.0], steps, h, inputs=middle)
    np.testing.assert_allclose(euler.v, run.v, rtol=1e-14)


def test_every_state_has_its_own_forces():
    tau = np.random.default_rng(3).normal(size=(12, 5, 1))
    run = gw.rollout(WHEEL, np.zeros((5, 1)), [0.0], 12, 0.1, inputs=tau)
    np.testing.assert_allclose(run.v[1:], np.cumsum(tau * 0.2, axis=0), rtol=1e-12)
    same = gw.rollout(WHEEL, np.zeros((5, 1)), [0.0], 12, 0.1, inputs=tau[0])
    np.testing.assert_allclose(same.v[-1], 12 * 0.2 * tau[0], rtol=1e-12)


@pytest.mark.parametrize("parameters", [(), ("gravity.z",)])
def test_without_machine_code_the_same(parameters, monkeypatch):
    mech = machine("floating")
    q, v, tau = states(mech, 3)
    values = np.array([[-9.81], [-5.0], [0.0]])[:, : len(parameters)] if parameters else None
    u = tau[None]
    for method in ("euler", "rk4"):
        compiled = FixedStep(mech, (), method, False, parameters)
        x = compiled.start_states(q, v)
        expected = compiled.run_steps(x, u, STEP, 20, 5, parameters=values)
        with monkeypatch.context() as patch:
            patch.setenv("GEARWRIGHT_KERNELS", "off")
            slow = FixedStep(mech, (), method, False, parameters)
            assert relative(slow.run_steps(x, u, STEP, 20, 5, parameters=values), expected) < 1e-12
        assert compiled._compiled_loop[0] is not None
        assert slow._compiled_loop[0] is None


def test_code_for_a_plain_processor():
    """Two states per vector, no fused multiply-add."""
    mech, plain = machine("ball"), generic_processor()
    engine = fixed_step(mech)
    graph, layout = trace_graph(engine._job), array_layout(engine._job)
    code = RolloutCode(compile_module(rollout_text(graph, layout, plain), plain, 2), plain.width, True)
    q, v, tau = states(mech, 11)
    expected = engine.run_steps(engine.start_states(q, v), tau[None], STEP, 30)
    clock = np.stack([STEP * np.arange(30), np.full(30, STEP)], axis=1)[:, None]
    record = np.empty_like(expected)
    record[0] = expected[0]
    assert code.run_steps([clock, tau[None]], record, (0, 11), 1)
    assert relative(record, expected) < 1e-12


def test_pickled_and_made_once(panda):
    engine = fixed_step(panda)
    assert fixed_step(panda) is engine
    again = pickle.loads(pickle.dumps(engine))
    x = engine.start_states(*states(panda)[:2])[None]
    assert np.array_equal(again.run_steps(x, None, STEP, 5), engine.run_steps(x, None, STEP, 5))
    assert "euler" in repr(engine)
