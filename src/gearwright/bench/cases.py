"""The tasks of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.bench.peers import Mujoco, Pinocchio, casadi_batch, installed_peers, jax_batch
from gearwright.bench.timing import ContenderTimes, time_interleaved
from gearwright.compiling.kernel import Kernel, compile
from gearwright.errors import GearwrightError
from gearwright.forces import Contact, DryFriction, Line, Stops
from gearwright.functions import inverse_dynamics, jacobian, placement
from gearwright.mechanism import Mechanism, Spring
from gearwright.parts import Friction, Plane
from gearwright.simulation.fixed_step.compiled_rollout import fixed_step
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import required_sweeps
from gearwright.simulation.fixed_step.rollout import rollout

GEARWRIGHT_NAME = "Gearwright"
ELASTIC_CONTENDER = "Gearwright, every drive elastic"
LOOPED_STATES = 500
"""States for peers that are called state by state."""

BATCH_STEPS, BATCH_STEP_SECONDS = 20, 1e-3
"""Steps of a simulated batch, and their duration [s]."""

BENCH_FLOOR_FRICTION = 0.5
"""Friction coefficient of the floor in the contact task."""

BENCH_JOINT_FRICTION, BENCH_JOINT_RANGE = 3.0, 1.0
"""Dry friction [Nm] and range [rad] of every joint of a batch with friction and stops."""

MAX_JAX_SPEEDS = 10
"""Most speeds of a machine for JAX, whose compilation takes too long for larger ones."""


class TimedTask(NamedTuple):
    """Times of a task, and the states per call of each contender."""

    times: ContenderTimes
    states: Mapping[str, int]

    def state_nanoseconds(self, name: str) -> float:
        """Return the median time per state."""
        return self.times.median_time(name) / self.states[name] * 1e9

    def time_ratio(self, peer: str, ours: str = GEARWRIGHT_NAME) -> float:
        """Return the peer's time per state divided by ours."""
        return self.times.time_ratio(peer, ours) * self.states[ours] / self.states[peer]


class RandomStates(NamedTuple):
    """Random states (N, n) of a machine."""

    q: Array
    v: Array
    a: Array

    @staticmethod
    def for_machine(mech: Mechanism, states: int) -> RandomStates:
        """Return random states with moderate angles, speeds and accelerations."""
        rng = np.random.default_rng(mech.n)
        return RandomStates(*rng.uniform(-1.5, 1.5, (3, states, mech.n)))

    def first_states(self, count: int) -> RandomStates:
        """Return the first states only."""
        return RandomStates(*(np.ascontiguousarray(x[:count]) for x in self))


def inverse_batch(mech: Mechanism, states: int, rounds: int, everyone: bool = True) -> TimedTask:
    """Time inverse dynamics of a batch; with `everyone` all installed peers, else Pinocchio only."""
    motion, peers = RandomStates.for_machine(mech, states), installed_peers()
    looped = motion.first_states(LOOPED_STATES)
    kernel, out = compile(inverse_dynamics, mech), np.empty((states, mech.n))
    calls: dict[str, tuple[Callable[[], object], int]] = {GEARWRIGHT_NAME: (partial(kernel, *motion, out=out), states)}
    if "Pinocchio" in peers:
        plain = Pinocchio(mech)
        calls["Pinocchio rneaInParallel"] = plain.batch_call("rneaInParallel", *motion), states
        if everyone:
            exact = Pinocchio(mech, wheels=True)
            _require_same_torques(kernel, exact, motion)
            calls["Pinocchio, wheels as bodies"] = exact.batch_call("rneaInParallel", *motion), states
    if "MuJoCo" in peers and everyone:
        calls["MuJoCo mj_inverse"] = Mujoco(mech).batch_call(*looped), LOOPED_STATES
    if "CasADi" in peers and everyone:
        calls["CasADi virtual machine"] = casadi_batch(mech, *looped), LOOPED_STATES
    if "JAX" in peers and everyone and mech.n <= MAX_JAX_SPEEDS:
        calls["JAX jit"] = jax_batch(mech, *motion), states
    return _time_calls(calls, rounds)


def _require_same_torques(kernel: Kernel, exact: Pinocchio, motion: RandomStates) -> None:
    """Raise an error if kernel and Pinocchio do not return the same torques."""
    state = [x[0] for x in motion]
    expected, torques = exact.exact_torque(*state), kernel(*state)
    if not np.allclose(torques, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()):
        raise GearwrightError(f"bench: Pinocchio with wheels as bodies returns {expected}, the kernel {torques}.")


def forward_batch(mech: Mechanism, states: int, rounds: int) -> TimedTask:
    """Time forward dynamics of a batch against Pinocchio's batch function."""
    motion, out = RandomStates.for_machine(mech, states), np.empty((states, mech.n))
    kernel = compile("forward_dynamics", mech)
    peer = Pinocchio(mech).batch_call("abaInParallel", *motion)
    return _time_calls(
        {GEARWRIGHT_NAME: (partial(kernel, *motion, out=out), states), "Pinocchio abaInParallel": (peer, states)},
        rounds,
    )


def elastic_batch(mech: Mechanism, states: int, rounds: int) -> TimedTask:
    """Time forward dynamics of a machine with a spring in every drive against that of the rigid machine."""
    elastic = with_elastic_drives(mech)
    calls: dict[str, tuple[Callable[[], object], int]] = {}
    for name, machine in ((GEARWRIGHT_NAME, mech), (ELASTIC_CONTENDER, elastic)):
        kernel, out = compile("forward_dynamics", machine), np.empty((states, machine.n))
        calls[name] = partial(kernel, *RandomStates.for_machine(machine, states), out=out), states
    return _time_calls(calls, rounds)


def with_elastic_drives(mech: Mechanism, stiffness: float = 1e4, damping: float = 5.0) -> Mechanism:
    """Return the machine with a spring between each joint and the wheels that only this joint drives."""
    rows = [[mech.speeds[k] for k, _ in spin.terms] for spin in mech.spins]
    driven = sorted({row[0] for row in rows if len(row) == 1}, key=mech.speeds.index)
    spins = []
    for spin, row in zip(mech.spins, rows, strict=True):
        names = [f"{name}.motor" if len(row) == 1 else name for name in row]
        spins.append(replace(spin, ratio=dict(zip(names, (x for _, x in spin.terms), strict=True))))
    return replace(
        mech,
        spins=spins,
        shafts=[f"{name}.motor" for name in driven],
        springs=[Spring(name, {name: 1.0, f"{name}.motor": -1.0}, stiffness, damping) for name in driven],
        actuators=(),
    )


def mass_matrix_batch(mech: Mechanism, states: int, rounds: int) -> TimedTask:
    """Time mass matrices of a batch against a loop over `crba`."""
    motion = RandomStates.for_machine(mech, states)
    kernel, out = compile("mass_matrix", mech), np.empty((states, mech.n, mech.n))
    peer = Pinocchio(mech)
    rows, crba = peer.in_peer_order(motion.first_states(LOOPED_STATES).q), peer.pin.crba

    def crba_loop() -> None:
        for row in rows:
            crba(peer.model, peer.data, row)

    return _time_calls(
        {
            GEARWRIGHT_NAME: (partial(kernel, motion.q, out=out), states),
            "Pinocchio crba, loop": (crba_loop, LOOPED_STATES),
        },
        rounds,
    )


def derivatives_batch(mech: Mechanism, states: int, rounds: int) -> TimedTask:
    """Time derivatives of inverse dynamics by q, v and a against a loop over `computeRNEADerivatives`."""
    states = min(states, 1000)
    motion = RandomStates.for_machine(mech, states)
    kernel = compile(inverse_dynamics, mech).jacobian("q", "v", "a")
    out = np.empty((states, mech.n, 3 * mech.n))
    peer = Pinocchio(mech)
    rows, slopes = [peer.in_peer_order(x) for x in motion.first_states(LOOPED_STATES)], peer.pin.computeRNEADerivatives

    def derivatives_loop() -> None:
        for row in zip(*rows, strict=True):
            slopes(peer.model, peer.data, *row)

    return _time_calls(
        {
            GEARWRIGHT_NAME: (partial(kernel, *motion, out=out), states),
            "Pinocchio derivatives, loop": (derivatives_loop, LOOPED_STATES),
        },
        rounds,
    )


def single_call(mech: Mechanism, rounds: int) -> TimedTask:
    """Time one state from Python: the kernel with and without `out`, the public function, Pinocchio twice."""
    q, v, a = (x[0].copy() for x in RandomStates.for_machine(mech, 1))
    kernel, out = compile(inverse_dynamics, mech), np.empty(mech.n)
    plain, exact = Pinocchio(mech), Pinocchio(mech, wheels=True)
    state = [plain.in_peer_order(x) for x in (q, v, a)]
    for _ in range(2000):  # until the public function uses its compiled kernel
        inverse_dynamics(mech, q, v, a)
    calls: dict[str, Callable[[], object]] = {
        GEARWRIGHT_NAME: lambda: kernel(q, v, a),
        "Gearwright, out=": lambda: kernel(q, v, a, out=out),
        "gw.inverse_dynamics": lambda: inverse_dynamics(mech, q, v, a),
        "Pinocchio rnea": lambda: plain.pin.rnea(plain.model, plain.data, *state),
        "Pinocchio, wheels as bodies": lambda: exact.exact_torque(q, v, a),
    }
    return _time_calls({name: (call, 1) for name, call in calls.items()}, rounds)


def rollout_batch(mech: Mechanism, states: int, rounds: int) -> TimedTask:
    """Time steps of semi-implicit Euler of a batch, all recorded, against `mujoco.rollout` in one thread."""
    motion, engine = RandomStates.for_machine(mech, states), fixed_step(mech)
    begin, peer = engine.start_states(motion.q, motion.v), Mujoco(mech)
    calls: dict[str, tuple[Callable[[], object], int]] = {
        GEARWRIGHT_NAME: (lambda: engine.run_steps(begin, None, BATCH_STEP_SECONDS, BATCH_STEPS), states * BATCH_STEPS),
        "MuJoCo rollout": (
            peer.rollout_call(motion.q, motion.v, BATCH_STEPS, BATCH_STEP_SECONDS),
            states * BATCH_STEPS,
        ),
    }
    return _time_calls(calls, rounds)


def friction_batch(mech: Mechanism, states: int, rounds: int) -> TimedTask:
    """Time steps of a batch of arms with stiction and stops, all recorded, against `mujoco.rollout`.

    MuJoCo has the same friction as `frictionloss` and the same limits, in one thread.
    """
    motion = RandomStates.for_machine(mech, states)
    q, v = motion.q * (BENCH_JOINT_RANGE / 1.5), motion.v
    lines = {speed: Line.for_machine(mech, speed) for speed in mech.speeds}
    friction_laws = [
        DryFriction(f"{x}.friction", line, friction=Friction(BENCH_JOINT_FRICTION)) for x, line in lines.items()
    ]
    stop_laws = [Stops(f"{x}.stops", line, -BENCH_JOINT_RANGE, BENCH_JOINT_RANGE) for x, line in lines.items()]
    engine, peer = (
        fixed_step(mech, [*friction_laws, *stop_laws], "moreau", work=True),
        Mujoco(mech, BENCH_JOINT_FRICTION, BENCH_JOINT_RANGE),
    )
    begin = engine.start_states(q, v)
    engine = engine.with_sweeps(required_sweeps(engine.system, begin, BATCH_STEP_SECONDS))
    calls: dict[str, tuple[Callable[[], object], int]] = {
        GEARWRIGHT_NAME: (lambda: engine.run_steps(begin, None, BATCH_STEP_SECONDS, BATCH_STEPS), states * BATCH_STEPS),
        "MuJoCo rollout": (peer.rollout_call(q, v, BATCH_STEPS, BATCH_STEP_SECONDS), states * BATCH_STEPS),
    }
    return _time_calls(calls, rounds)


def contact_batch(mech: Mechanism, states: int, rounds: int) -> TimedTask:
    """Time steps of a batch of arms whose tips touch a floor with friction, against `mujoco.rollout`."""
    q, height = _floor_configurations(mech, states)
    tip = mech.bodies[-1].name
    floor = Contact(tip, Plane((0.0, 0.0, height), (0.0, 0.0, 1.0)), friction=BENCH_FLOOR_FRICTION, name="floor")
    engine, peer = fixed_step(mech, [floor], "moreau", work=True), Mujoco(mech, floor=(height, BENCH_FLOOR_FRICTION))
    begin = engine.start_states(q, np.zeros_like(q))
    engine = engine.with_sweeps(required_sweeps(engine.system, begin, BATCH_STEP_SECONDS))
    calls: dict[str, tuple[Callable[[], object], int]] = {
        GEARWRIGHT_NAME: (lambda: engine.run_steps(begin, None, BATCH_STEP_SECONDS, BATCH_STEPS), states * BATCH_STEPS),
        "MuJoCo rollout": (
            peer.rollout_call(q, np.zeros_like(q), BATCH_STEPS, BATCH_STEP_SECONDS),
            states * BATCH_STEPS,
        ),
    }
    return _time_calls(calls, rounds)


def _floor_configurations(mech: Mechanism, states: int) -> tuple[Array, float]:
    """Return configurations whose last bodies have their origins at one height, and the height."""
    tip = mech.bodies[-1].name
    q = 0.3 * RandomStates.for_machine(mech, states).q
    height = float(np.median(placement(mech, q, tip)[1][:, 2]))
    for _ in range(20):
        row = jacobian(mech, q, tip)[:, 2]
        height_error = height - placement(mech, q, tip)[1][:, 2]
        q = q + row * (height_error / (row * row).sum(axis=1))[:, None]
    return q, height


def real_time_ratio(mech: Mechanism, method: str, rounds: int) -> float:
    """Return the real-time factor of a simulation of 10 s with steps of 1 ms."""
    q, v, _ = (x[0] for x in RandomStates.for_machine(mech, 1))
    call = partial(rollout, mech, 0.2 * q, 0.2 * v, round(10 / BATCH_STEP_SECONDS), BATCH_STEP_SECONDS, method=method)
    return 10 / time_interleaved({GEARWRIGHT_NAME: call}, rounds).median_time(GEARWRIGHT_NAME)


def _time_calls(calls: Mapping[str, tuple[Callable[[], object], int]], rounds: int) -> TimedTask:
    times = time_interleaved({name: call for name, (call, _) in calls.items()}, rounds)
    return TimedTask(times, {name: states for name, (_, states) in calls.items()})
