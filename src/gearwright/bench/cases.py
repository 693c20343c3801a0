"""The tasks on which Gearwright and its peers are timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.bench.peers import Mujoco, Pinocchio, casadi_batch, installed, jax_batch
from gearwright.bench.timing import Times, interleaved
from gearwright.compiling.kernel import Kernel, compile
from gearwright.errors import GearwrightError
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.end_stops import Stops
from gearwright.forces.friction.dry_friction import DryFriction
from gearwright.forces.line import Line
from gearwright.functions.dynamics import inverse_dynamics, jacobian, placement
from gearwright.mechanism import Mechanism, Spring
from gearwright.parts import Friction, Plane
from gearwright.simulation.fixed_step.compiled_rollout import fixed_step
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import sweeps_for
from gearwright.simulation.fixed_step.rollout import rollout

OURS = "Gearwright"
ELASTIC = "Gearwright, every drive elastic"
FEW = 500
"""States for peers that are called state by state."""

STEPS, STEP = 20, 1e-3
"""Steps of a simulated batch, and their duration [s]."""

GRIP = 0.5
"""Friction of the floor on which a batch of arms lies."""

RUBBING, REACH = 3.0, 1.0
"""Dry friction [Nm] and range [rad] of every joint of a batch with friction and stops."""

SMALL = 10
"""Speeds up to which JAX's compilation is waited for."""


class Timed(NamedTuple):
    """Times of a task, and per contender how many states one call computes."""

    times: Times
    states: Mapping[str, int]

    def nanoseconds(self, name: str) -> float:
        """The median time per state."""
        return self.times.median(name) / self.states[name] * 1e9

    def ratio(self, peer: str, ours: str = OURS) -> float:
        """How many times longer the peer takes per state."""
        return self.times.ratio(peer, ours) * self.states[ours] / self.states[peer]


class Motion(NamedTuple):
    """Random states (N, n) of a machine."""

    q: Array
    v: Array
    a: Array

    @staticmethod
    def of(mech: Mechanism, states: int) -> Motion:
        """Moderate angles, speeds and accelerations."""
        rng = np.random.default_rng(mech.n)
        return Motion(*rng.uniform(-1.5, 1.5, (3, states, mech.n)))

    def first(self, count: int) -> Motion:
        """The first states alone."""
        return Motion(*(np.ascontiguousarray(x[:count]) for x in self))


def inverse_batch(mech: Mechanism, states: int, rounds: int, everyone: bool = True) -> Timed:
    """Inverse dynamics of a batch; with `everyone` all installed peers, else Pinocchio alone."""
    motion, peers = Motion.of(mech, states), installed()
    few = motion.first(FEW)
    kernel, out = compile(inverse_dynamics, mech), np.empty((states, mech.n))
    calls: dict[str, tuple[Callable[[], object], int]] = {OURS: (partial(kernel, *motion, out=out), states)}
    if "Pinocchio" in peers:
        plain = Pinocchio(mech)
        calls["Pinocchio rneaInParallel"] = plain.batch("rneaInParallel", *motion), states
        if everyone:
            exact = Pinocchio(mech, wheels=True)
            _same(kernel, exact, motion)
            calls["Pinocchio, wheels as bodies"] = exact.batch("rneaInParallel", *motion), states
    if "MuJoCo" in peers and everyone:
        calls["MuJoCo mj_inverse"] = Mujoco(mech).batch(*few), FEW
    if "CasADi" in peers and everyone:
        calls["CasADi virtual machine"] = casadi_batch(mech, *few), FEW
    if "JAX" in peers and everyone and mech.n <= SMALL:
        calls["JAX jit"] = jax_batch(mech, *motion), states
    return _timed(calls, rounds)


def _same(kernel: Kernel, exact: Pinocchio, motion: Motion) -> None:
    """A benchmark of two different things would be worth nothing."""
    one = [x[0] for x in motion]
    expected, found = exact.exact_torque(*one), kernel(*one)
    if not np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()):
        raise GearwrightError(f"bench: Pinocchio with wheels as bodies returns {expected}, the kernel {found}.")


def forward_batch(mech: Mechanism, states: int, rounds: int) -> Timed:
    """Forward dynamics of a batch against Pinocchio's own batch."""
    motion, out = Motion.of(mech, states), np.empty((states, mech.n))
    kernel = compile("forward_dynamics", mech)
    peer = Pinocchio(mech).batch("abaInParallel", *motion)
    return _timed(
        {OURS: (partial(kernel, *motion, out=out), states), "Pinocchio abaInParallel": (peer, states)}, rounds
    )


def elastic_batch(mech: Mechanism, states: int, rounds: int) -> Timed:
    """Forward dynamics of a machine with a spring in every drive, twice the speeds, beside the rigid machine's own."""
    soft = softened(mech)
    calls: dict[str, tuple[Callable[[], object], int]] = {}
    for name, machine in ((OURS, mech), (ELASTIC, soft)):
        kernel, out = compile("forward_dynamics", machine), np.empty((states, machine.n))
        calls[name] = partial(kernel, *Motion.of(machine, states), out=out), states
    return _timed(calls, rounds)


def softened(mech: Mechanism, stiffness: float = 1e4, damping: float = 5.0) -> Mechanism:
    """The machine with a spring between each joint and the wheels that it alone drives."""
    rows = [[mech.speeds[k] for k, _ in spin.terms] for spin in mech.spins]
    driven = sorted({row[0] for row in rows if len(row) == 1}, key=mech.speeds.index)
    spins = []
    for spin, row in zip(mech.spins, rows, strict=True):
        behind = [f"{name}.motor" if len(row) == 1 else name for name in row]
        spins.append(replace(spin, ratio=dict(zip(behind, (x for _, x in spin.terms), strict=True))))
    return replace(
        mech,
        spins=spins,
        shafts=[f"{name}.motor" for name in driven],
        springs=[Spring(name, {name: 1.0, f"{name}.motor": -1.0}, stiffness, damping) for name in driven],
        actuators=(),
    )


def mass_matrix_batch(mech: Mechanism, states: int, rounds: int) -> Timed:
    """Mass matrices of a batch against a loop over `crba`."""
    motion = Motion.of(mech, states)
    kernel, out = compile("mass_matrix", mech), np.empty((states, mech.n, mech.n))
    peer = Pinocchio(mech)
    rows, crba = peer.as_peer_counts(motion.first(FEW).q), peer.pin.crba

    def loop() -> None:
        for row in rows:
            crba(peer.model, peer.data, row)

    return _timed({OURS: (partial(kernel, motion.q, out=out), states), "Pinocchio crba, loop": (loop, FEW)}, rounds)


def derivatives_batch(mech: Mechanism, states: int, rounds: int) -> Timed:
    """Derivatives of inverse dynamics by q, v and a, against a loop over `computeRNEADerivatives`."""
    states = min(states, 1000)
    motion = Motion.of(mech, states)
    kernel = compile(inverse_dynamics, mech).jacobian("q", "v", "a")
    out = np.empty((states, mech.n, 3 * mech.n))
    peer = Pinocchio(mech)
    rows, slopes = [peer.as_peer_counts(x) for x in motion.first(FEW)], peer.pin.computeRNEADerivatives

    def loop() -> None:
        for row in zip(*rows, strict=True):
            slopes(peer.model, peer.data, *row)

    return _timed(
        {OURS: (partial(kernel, *motion, out=out), states), "Pinocchio derivatives, loop": (loop, FEW)}, rounds
    )


def single_call(mech: Mechanism, rounds: int) -> Timed:
    """One state from Python: the kernel with and without `out`, the public function, Pinocchio plain and exact."""
    q, v, a = (x[0].copy() for x in Motion.of(mech, 1))
    kernel, out = compile(inverse_dynamics, mech), np.empty(mech.n)
    plain, exact = Pinocchio(mech), Pinocchio(mech, wheels=True)
    state = [plain.as_peer_counts(x) for x in (q, v, a)]
    for _ in range(2000):  # until the public function has turned to its own kernel
        inverse_dynamics(mech, q, v, a)
    calls: dict[str, Callable[[], object]] = {
        OURS: lambda: kernel(q, v, a),
        "Gearwright, out=": lambda: kernel(q, v, a, out=out),
        "gw.inverse_dynamics": lambda: inverse_dynamics(mech, q, v, a),
        "Pinocchio rnea": lambda: plain.pin.rnea(plain.model, plain.data, *state),
        "Pinocchio, wheels as bodies": lambda: exact.exact_torque(q, v, a),
    }
    return _timed({name: (call, 1) for name, call in calls.items()}, rounds)


def rollout_batch(mech: Mechanism, states: int, rounds: int) -> Timed:
    """Steps of semi-implicit Euler of a batch, all recorded, against `mujoco.rollout` in one thread."""
    motion, engine = Motion.of(mech, states), fixed_step(mech)
    begin, peer = engine.start(motion.q, motion.v), Mujoco(mech)
    calls: dict[str, tuple[Callable[[], object], int]] = {
        OURS: (lambda: engine.run(begin, None, STEP, STEPS), states * STEPS),
        "MuJoCo rollout": (peer.rollout(motion.q, motion.v, STEPS, STEP), states * STEPS),
    }
    return _timed(calls, rounds)


def stepped_batch(mech: Mechanism, states: int, rounds: int) -> Timed:
    """Steps of a batch of arms with friction that sticks and stops, all recorded, against `mujoco.rollout`.

    MuJoCo has the same friction as `frictionloss` and the same limits, in one thread.
    """
    motion = Motion.of(mech, states)
    q, v = motion.q * (REACH / 1.5), motion.v
    lines = {speed: Line.of(mech, speed) for speed in mech.speeds}
    rub = [DryFriction(f"{x}.friction", line, friction=Friction(RUBBING)) for x, line in lines.items()]
    ends = [Stops(f"{x}.stops", line, -REACH, REACH) for x, line in lines.items()]
    engine, peer = fixed_step(mech, [*rub, *ends], "moreau", work=True), Mujoco(mech, RUBBING, REACH)
    begin = engine.start(q, v)
    engine = engine.with_sweeps(sweeps_for(engine.system, begin, STEP))
    calls: dict[str, tuple[Callable[[], object], int]] = {
        OURS: (lambda: engine.run(begin, None, STEP, STEPS), states * STEPS),
        "MuJoCo rollout": (peer.rollout(q, v, STEPS, STEP), states * STEPS),
    }
    return _timed(calls, rounds)


def contact_batch(mech: Mechanism, states: int, rounds: int) -> Timed:
    """Steps of a batch of arms whose tips lie on a floor with friction, against `mujoco.rollout` with small spheres."""
    q, height = _on_floor(mech, states)
    tip = mech.bodies[-1].name
    floor = Contact(tip, Plane((0.0, 0.0, height), (0.0, 0.0, 1.0)), friction=GRIP, name="floor")
    engine, peer = fixed_step(mech, [floor], "moreau", work=True), Mujoco(mech, floor=(height, GRIP))
    begin = engine.start(q, np.zeros_like(q))
    engine = engine.with_sweeps(sweeps_for(engine.system, begin, STEP))
    calls: dict[str, tuple[Callable[[], object], int]] = {
        OURS: (lambda: engine.run(begin, None, STEP, STEPS), states * STEPS),
        "MuJoCo rollout": (peer.rollout(q, np.zeros_like(q), STEPS, STEP), states * STEPS),
    }
    return _timed(calls, rounds)


def _on_floor(mech: Mechanism, states: int) -> tuple[Array, float]:
    """Configurations around one whose last bodies' origins are at one height, by moving all joints, and the height."""
    tip = mech.bodies[-1].name
    q = 0.3 * Motion.of(mech, states).q
    height = float(np.median(placement(mech, q, tip)[1][:, 2]))
    for _ in range(20):
        row = jacobian(mech, q, tip)[:, 2]
        missing = height - placement(mech, q, tip)[1][:, 2]
        q = q + row * (missing / (row * row).sum(axis=1))[:, None]
    return q, height


def long_motion(mech: Mechanism, method: str, rounds: int) -> float:
    """Ten seconds of one motion with steps of a millisecond: how many times faster than real time."""
    q, v, _ = (x[0] for x in Motion.of(mech, 1))
    call = partial(rollout, mech, 0.2 * q, 0.2 * v, round(10 / STEP), STEP, method=method)
    return 10 / interleaved({OURS: call}, rounds).median(OURS)


def _timed(calls: Mapping[str, tuple[Callable[[], object], int]], rounds: int) -> Timed:
    times = interleaved({name: call for name, (call, _) in calls.items()}, rounds)
    return Timed(times, {name: states for name, (_, states) in calls.items()})
