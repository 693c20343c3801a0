"""Environments of Gymnasium: its own checker, one engine for one robot and for batches, randomised parameters."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.control import EnvironmentOptions, Randomisation, gym_environment
from gearwright.errors import InputError
from gearwright.identification import RunLog, Unknown, fit_run

gymnasium = pytest.importorskip("gymnasium")

ARM = gw.load("elbow")
SWING = gw.motion.polynomial([0, 0.2, 0], [0.6, 0.5, -0.5], duration=0.2)
LIMITS = {"j1.torque": 20.0, "j2.torque": 20.0, "j3.torque": 20.0}
OPTIONS = EnvironmentOptions(limits=LIMITS)


def shares_of_task(options: EnvironmentOptions = OPTIONS) -> np.ndarray:
    """The motor torques that the task demands in the middle of every period, relative to the limits."""
    result = gw.demands(ARM, SWING, actuators=(), samples=401)
    middle = options.period * (np.arange(round(SWING.duration / options.period)) + 0.5)
    return np.stack(
        [np.interp(middle, result.t, result[name]) / limit for name, limit in options.limits.items()], axis=-1
    )


@pytest.mark.parametrize("name", ["elbow", "mini_cheetah_leg", "elastic_elbow"])
def test_the_checker_of_gymnasium_passes(name):
    from gymnasium.utils.env_checker import check_env

    robot = gw.load(name)
    limits = {f"{drive.title}.torque": 1.0 for drive in robot.drives}
    motion = gw.motion.polynomial([0.1] * 3, [0.4] * 3, duration=0.1)
    step = 1e-4 if name == "elastic_elbow" else 1e-3
    options = EnvironmentOptions(limits=limits, start_deviation=(0.01, 0.1), step=step)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*observation space (minimum|maximum) value is.*infinity")
        warnings.filterwarnings("ignore", message=".*not able to test alternative render modes.*")
        warnings.filterwarnings("ignore", message=".*env.spec.*")
        check_env(gym_environment(robot, motion, options=options))


def test_the_demanded_torques_follow_the_task():
    """Torques from inverse dynamics, held at their value in the middle of a period: the error is of second order."""
    errors = []
    for period in (0.01, 0.005):
        options = replace(OPTIONS, period=period, method="rk4")
        environment = gym_environment(ARM, SWING, options=options)
        environment.reset(seed=0)
        rewards = [environment.step(shares)[1] for shares in shares_of_task(options)]
        errors.append(np.sqrt(-min(rewards)))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_an_episode_is_a_cycle_of_the_task():
    environment = gym_environment(ARM, SWING, options=OPTIONS)
    observation, info = environment.reset(seed=3)
    assert info == {"t": 0.0}
    assert observation == pytest.approx(
        np.concatenate([SWING.at(0.0), SWING.at(0.0, 1), SWING.at(0.01), SWING.at(0.01, 1)])
    )
    ends = [environment.step(np.zeros(3))[2:4] for _ in range(20)]
    assert ends == [(False, False)] * 19 + [(False, True)]
    strict = gym_environment(ARM, SWING, options=replace(OPTIONS, largest_error=1e-3))
    strict.reset(seed=3)
    assert any(strict.step(np.ones(3))[2] for _ in range(20))


def test_a_batch_has_the_rows_of_single_environments():
    batch = gym_environment(ARM, SWING, 5, options=OPTIONS)
    single = gym_environment(ARM, SWING, options=OPTIONS)
    rng = np.random.default_rng(0)
    first, _ = batch.reset(seed=1)
    assert first == pytest.approx(np.tile(single.reset()[0], (5, 1)))
    actions = rng.uniform(-1, 1, size=(10, 5, 3))
    rows = [batch.step(action) for action in actions]
    for k in range(5):
        single.reset()
        for action, row in zip(actions[:, k], rows, strict=True):
            observation, reward, terminated, truncated, _ = single.step(action)
            assert row[0][k] == pytest.approx(observation, rel=1e-12, abs=1e-13)
            assert row[1][k] == pytest.approx(reward, rel=1e-11)
            assert (row[2][k], row[3][k]) == (terminated, truncated)


def test_ended_environments_begin_anew_in_the_next_step():
    options = replace(OPTIONS, random_start=True)
    batch = gym_environment(ARM, SWING, 8, options=options)
    batch.reset(seed=5)
    ended = np.zeros(8, dtype=bool)
    seen = 0
    for _ in range(30):
        times = batch.work.t.copy()
        _, reward, terminated, truncated, info = batch.step(np.zeros((8, 3)))
        assert (reward[ended] == 0).all()
        assert not (terminated | truncated)[ended].any()
        assert info["t"][~ended] == pytest.approx(times[~ended] + 0.01)
        assert (info["t"][ended] < SWING.duration).all()
        ended, seen = terminated | truncated, seen + ended.sum()
    assert seen > 8


def test_batches_of_torch_tensors_are_those_of_numpy():
    torch = pytest.importorskip("torch")
    plain, tensors = (gym_environment(ARM, SWING, 4, arrays=word, options=OPTIONS) for word in ("numpy", "torch"))
    a, b = plain.reset(seed=2)[0], tensors.reset(seed=2)[0]
    action = np.random.default_rng(1).uniform(-1, 1, size=(4, 3))
    results = plain.step(action), tensors.step(torch.tensor(action, requires_grad=True))
    for x, y in ((a, b), *zip(results[0][:4], results[1][:4], strict=True)):
        assert isinstance(y, torch.Tensor)
        assert (y.numpy() == x).all()
    with pytest.raises(InputError, match="environments="):
        gym_environment(ARM, SWING, arrays="torch", options=OPTIONS)


def test_a_motion_that_diverges_ends_alone():
    batch = gym_environment(ARM, SWING, 4, options=OPTIONS)
    batch.reset(seed=0)
    batch.work._x[2, 3:6] = 1e200
    observations, _, terminated, _, _ = batch.step(np.zeros((4, 3)))
    assert terminated.tolist() == [False, False, True, False]
    assert np.isfinite(observations[[0, 1, 3]]).all()


def test_parameters_are_drawn_from_an_identified_covariance():
    """Moments of the draws, and the motion of every row is that of the robot with its numbers."""
    names = ["j1.motor.inertia", "j2.motor.inertia"]
    mean = np.array([5e-4, 3e-4])
    covariance = np.array([[4e-9, 1e-9], [1e-9, 2e-9]])
    spread = Randomisation(names, mean, covariance, lower=0.0)
    draws = spread.draw(np.random.default_rng(0), 20_000)
    assert draws.mean(axis=0) == pytest.approx(mean, rel=3e-3)
    assert np.cov(draws.T) == pytest.approx(covariance, rel=0.05)
    batch = gym_environment(ARM, SWING, 3, options=replace(OPTIONS, randomisation=spread))
    _, info = batch.reset(seed=7)
    assert len(set(info[names[0]])) == 3
    action = np.full((3, 3), 0.3)
    observations = batch.step(action)[0]
    for k in range(3):
        changed = gw.parts.with_parameters(ARM, {name: info[name][k] for name in names})
        single = gym_environment(changed, SWING, options=OPTIONS)
        single.reset()
        assert single.step(action[k])[0] == pytest.approx(observations[k], rel=1e-9, abs=1e-12)
    again = gym_environment(ARM, SWING, 3, options=replace(OPTIONS, randomisation=spread))
    assert (again.reset(seed=7)[1][names[0]] == info[names[0]]).all()


def test_the_covariance_of_a_fit_of_runs():
    t = np.linspace(0, 1, 101)
    tau = np.stack([20 * np.sin(9 * t), 10 * np.cos(7 * t), 5 * np.sin(11 * t)], axis=-1)
    sparse = gw.analysis.RolloutOptions(every=10)
    held = np.repeat(tau[:-1], 10, axis=0)
    run = gw.rollout(ARM, np.zeros(3), np.zeros(3), 1000, 1e-3, inputs=held, options=sparse)
    noise = 1e-4 * np.random.default_rng(0).standard_normal(run.q.shape)
    measured = {f"q.j{k + 1}": (run.q + noise)[:, k] for k in range(3)}
    log = RunLog(t, {f"tau.j{k + 1}": tau[:, k] for k in range(3)}, measured)
    unknowns = [Unknown("j1.motor.inertia", lower=0.0), Unknown("j2.motor.inertia", lower=0.0), Unknown("offset.q.j1")]
    fit = fit_run(ARM, [log], unknowns)
    spread = Randomisation.of_fit(fit)
    assert list(spread.names) == ["j1.motor.inertia", "j2.motor.inertia"]
    draws = spread.draw(np.random.default_rng(0), 5000)
    assert draws.std(axis=0) == pytest.approx([fit.deviations[name] for name in spread.names], rel=0.05)


def test_a_machine_with_closed_loops_keeps_them_closed():
    """Actions are of the motors; states are of all joints."""
    robot = gw.load("palletiser")
    motion = gw.motion.polynomial(np.zeros(4), [0.1, 0.05, -0.05, 0.1], duration=0.1)
    limits = {f"{drive.title}.torque": 0.5 for drive in robot.drives}
    batch = gym_environment(robot, motion, 2, options=EnvironmentOptions(limits=limits))
    mech = gw.assemble(robot)
    assert batch.reset(seed=0)[0][:, : mech.nq] == pytest.approx(np.tile(mech.reference, (2, 1)), abs=1e-9)
    for _ in range(10):
        observations, _, terminated, truncated, _ = batch.step(np.full((2, 4), 0.1))
    assert truncated.all()
    assert not terminated.any()
    q = observations[0, : mech.nq]
    assert mech.closed(q[list(mech.independent_indices)], q) == pytest.approx(q, abs=1e-6)
    torques = gym_environment(
        robot, motion, options=EnvironmentOptions(actions="torque", limits={f"tau.{x}": 9.0 for x in mech.speeds})
    )
    assert torques.action_space.shape == (4,)


def test_what_an_environment_cannot_do_is_named():
    with pytest.raises(InputError, match=r"j1\.torque"):
        gym_environment(ARM, SWING)
    for limits, text in (({"j9.torque": 1.0}, r"j9\.torque"), ({"j1.torque": -1.0}, r"j1\.torque.*positive")):
        with pytest.raises(InputError, match=text):
            gym_environment(ARM, SWING, options=EnvironmentOptions(limits={**LIMITS, **limits}))
    with pytest.raises(InputError, match=r"2 coordinates.*j1, j2, j3"):
        gym_environment(ARM, gw.motion.polynomial([0, 0], [1, 1], duration=0.2), options=OPTIONS)
    with pytest.raises(InputError, match="multiple"):
        EnvironmentOptions(period=0.0101)
    force = gw.analysis.ProcessForce("tool", force=(0, 0, 5))
    with pytest.raises(InputError, match="forces"):
        gym_environment(ARM, gw.analysis.Task(SWING, forces=[force]), options=OPTIONS)
    with pytest.raises(InputError, match="shorter"):
        gym_environment(ARM, gw.motion.polynomial([0] * 3, [0.01] * 3, duration=0.005), options=OPTIONS)
    with pytest.raises(InputError, match="eigenvalue"):
        Randomisation(["a", "b"], [0, 0], [[1, 2], [2, 1]])
    with pytest.raises(InputError, match="draws"):
        Randomisation(["a"], [0.0], [[1e-6]], lower=1.0).draw(np.random.default_rng(0), 1)
    with pytest.raises(InputError, match=r"rng=None.*default_rng"):
        Randomisation(["a"], [0.0], [[1e-6]]).draw(None, 1)
    with pytest.raises(InputError, match=r"fit=3.*fit_run"):
        Randomisation.of_fit(3)
    environment = gym_environment(ARM, SWING, 2, options=OPTIONS)
    environment.reset(seed=0)
    with pytest.raises(InputError, match="shape"):
        environment.step(np.zeros((2, 2)))
    with pytest.raises(InputError, match="action"):
        environment.step("left")
    single = gym_environment(ARM, SWING, options=OPTIONS)
    single.reset(seed=0)
    for _ in range(20):
        single.step(np.zeros(3))
    with pytest.raises(InputError, match=r"ended.*reset"):
        single.step(np.zeros(3))


@pytest.mark.parametrize(
    ("names", "mean", "covariance", "text"),
    [
        ([], [], np.zeros((0, 0)), "parameter"),
        (["a"], [np.nan], [[1.0]], "mean"),
        (["a"], [1.0], [[np.inf]], "covariance"),
        (["a"], [1.0], [[-1e-12]], "eigenvalue"),
        (["a", "b"], [1.0, 1.0], [[1.0, 0.5], [0.2, 1.0]], "symmetric"),
    ],
)
def test_numbers_that_are_no_distribution_are_refused(names, mean, covariance, text):
    with pytest.raises(InputError, match=text):
        Randomisation(names, mean, covariance)
