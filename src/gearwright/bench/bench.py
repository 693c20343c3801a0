"""Benchmark of Gearwright and every installed peer in one run, with targets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from gearwright.bench import cases
from gearwright.bench.cases import GEARWRIGHT_NAME, TimedTask
from gearwright.bench.compilation import chain_timings, compilation_times
from gearwright.bench.peers import PEER_MODULES, installed_peers
from gearwright.bench.report import INVERSE_BATCH_TASK, BenchmarkReport, ChainTiming, ContenderTime, Target
from gearwright.bench.timing import SINCOS_OPERATIONS, TIMING_ROUNDS, peak_flops
from gearwright.compiling.kernel import compile
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot

BENCH_ROBOTS = ("ur5_like", "panda_like", "panda_like_calibrated", "humanoid_30", "manutec_r3")
"""The bundled robots with targets."""


class BenchmarkRun:
    """One run: collects comparisons and targets.

    Args:
        robots: name -> robot or machine. `panda_like`, `panda_like_calibrated`, `humanoid_30` and `manutec_r3` have
            targets; any other with revolute and prismatic joints is compared only.
        states: states per batch.
        rounds: paired rounds per comparison.
        progress: called with the name of each task as it starts.
    """

    def __init__(
        self, robots: Mapping[str, Robot | Mechanism], states: int, rounds: int, progress: Callable[[str], object]
    ) -> None:
        self.machines = {name: tree_of("bench", x) for name, x in robots.items()}
        self.states, self.rounds, self.progress = states, rounds, progress
        self.comparisons: list[ContenderTime] = []
        self.targets: list[Target] = []

    def add_comparison(self, robot: str, task: str, timed: TimedTask) -> TimedTask:
        """Record the times of a task."""
        for name in timed.states:
            self.comparisons.append(
                ContenderTime(robot, task, name, timed.state_nanoseconds(name), timed.time_ratio(name))
            )
        return timed

    def add_target(self, description: str, value: float, limit: float, unit: str = "x", at_most: bool = False) -> None:
        """Record a measured value with its target."""
        self.targets.append(Target(description, value, limit, unit, at_most))

    def run_batches(self) -> None:
        """Time inverse dynamics of every robot against all peers."""
        limits = {"panda_like": 25, "panda_like_calibrated": 18, "humanoid_30": 18}
        for name, mech in self.machines.items():
            if name == "manutec_r3":
                continue
            self.progress(f"{name}: {INVERSE_BATCH_TASK}")
            timed = self.add_comparison(name, INVERSE_BATCH_TASK, cases.inverse_batch(mech, self.states, self.rounds))
            if name in limits and "Pinocchio rneaInParallel" in timed.states:
                ratio = timed.time_ratio("Pinocchio rneaInParallel")
                self.add_target(f"{name}: {INVERSE_BATCH_TASK}, vs rneaInParallel", ratio, limits[name])
            if name == "panda_like":
                self._add_peak_share(mech, timed)

    def _add_peak_share(self, mech: Mechanism, timed: TimedTask) -> None:
        """Compare the fastest sample with the fastest loop of fused multiply-adds, both as on an idle machine."""
        count = compile("inverse_dynamics", mech).operations
        work = count.arithmetic_count + SINCOS_OPERATIONS * count.sincos
        rate = work * timed.states[GEARWRIGHT_NAME] / min(timed.times.samples[GEARWRIGHT_NAME])
        self.add_target(
            f"panda_like: {INVERSE_BATCH_TASK}, share of the core's float64 peak", 100 * rate / peak_flops(), 40, "%"
        )

    def run_seven_axes(self, mech: Mechanism) -> None:
        """Time the other tasks of the seven-axis arm against Pinocchio."""
        tasks: list[tuple[str, Callable[[Mechanism, int, int], TimedTask], str, float]] = [
            ("forward dynamics, batch", cases.forward_batch, "Pinocchio abaInParallel", 25),
            ("mass matrix, batch", cases.mass_matrix_batch, "Pinocchio crba, loop", 40),
            ("derivatives of inverse dynamics", cases.derivatives_batch, "Pinocchio derivatives, loop", 12),
        ]
        for task, case, peer, limit in tasks:
            self.progress(f"panda_like: {task}")
            timed = self.add_comparison("panda_like", task, case(mech, self.states, self.rounds))
            self.add_target(f"panda_like: {task}, vs {peer}", timed.time_ratio(peer), limit)
        self.progress("panda_like: single call")
        timed = self.add_comparison("panda_like", "inverse dynamics, single call", cases.single_call(mech, self.rounds))
        for ours, peer, limit in (
            (GEARWRIGHT_NAME, "Pinocchio rnea", 4.0),
            ("Gearwright, out=", "Pinocchio rnea", 5.0),
            ("gw.inverse_dynamics", "Pinocchio rnea", 1.5),
            (GEARWRIGHT_NAME, "Pinocchio, wheels as bodies", 15.0),
        ):
            self.add_target(f"panda_like: single call, {ours} vs {peer}", timed.time_ratio(peer, ours), limit)

    def run_simulations(self, mech: Mechanism) -> None:
        """Time simulations with a fixed step: a batch against MuJoCo, and one against real time."""
        task = "simulation, batch"
        if "MuJoCo" in installed_peers():
            self.progress(f"panda_like: {task}")
            timed = self.add_comparison("panda_like", task, cases.rollout_batch(mech, 4096, self.rounds))
            self.add_target(f"panda_like: {task} of 4096, vs mujoco.rollout", timed.time_ratio("MuJoCo rollout"), 12)
        self.progress("panda_like: simulation of 10 s at 1 kHz")
        for method in ("euler", "rk4"):
            speed = cases.real_time_ratio(mech, method, self.rounds)
            self.add_target(f"panda_like: simulation of 10 s at 1 kHz, {method}, vs real time", speed, 300)

    def run_elastic(self, mech: Mechanism) -> None:
        """Time forward dynamics with springs in all drives (twice the speeds) against the rigid arm."""
        task = "elastic forward dynamics, batch"
        self.progress(f"panda_like: {task}")
        timed = self.add_comparison("panda_like", task, cases.elastic_batch(mech, self.states, self.rounds))
        self.add_target(
            f"panda_like: {task}, over the rigid arm", timed.time_ratio(cases.ELASTIC_CONTENDER), 2.5, at_most=True
        )

    def run_compilations(self, mech: Mechanism) -> None:
        """Time the compilation of the first kernel."""
        self.progress("panda_like: compilation in fresh processes")
        first, cached = compilation_times(mech)
        self.add_target("panda_like: first compilation of inverse dynamics", first, 0.5, "s", at_most=True)
        self.add_target("panda_like: the same from the cache", 1e3 * cached, 20, "ms", at_most=True)

    def run_growth(self) -> list[ChainTiming]:
        """Return operations and times over the number of joints; both should grow linearly."""
        self.progress("chains of 2 to 64 joints")
        timings = chain_timings()
        half, full = timings[-2], timings[-1]
        for quantity, growth, limit in (
            ("operations", full.operations / half.operations, 2.1),
            ("time", full.nanoseconds / half.nanoseconds, 2.5),
        ):
            self.add_target(
                f"{quantity} of {full.joints} joints over {half.joints} joints", growth, limit, at_most=True
            )
        return timings


def bench(
    robots: Mapping[str, Robot | Mechanism],
    states: int = 10_000,
    rounds: int = TIMING_ROUNDS,
    progress: Callable[[str], object] = lambda _: None,
) -> BenchmarkReport:
    """Time Gearwright and every installed peer alternately, in one thread, and check the targets.

    Args:
        robots: name -> robot or machine of revolute and prismatic joints.
        states: states per batch.
        rounds: paired rounds per comparison; at least 21 for results to publish.
        progress: called with the name of each task as it starts.

    Returns:
        Comparisons, targets and the growth with the number of joints; `str(report)` is the table.
    """
    run = BenchmarkRun(robots, states, rounds, progress)
    with _single_thread():
        run.run_batches()
        seven_axis_arm = run.machines.get("panda_like")
        if seven_axis_arm is not None and "Pinocchio" in installed_peers():
            run.run_seven_axes(seven_axis_arm)
        if seven_axis_arm is not None:
            run.run_simulations(seven_axis_arm)
            run.run_elastic(seven_axis_arm)
            run.run_compilations(seven_axis_arm)
        if "manutec_r3" in run.machines:
            count = compile("forward_dynamics", run.machines["manutec_r3"]).operations.arithmetic_count
            run.add_target("manutec_r3: operations of forward dynamics (published: 316)", count, 180, "", at_most=True)
        timings = run.run_growth()
    missing = [name for name in PEER_MODULES if name not in installed_peers()]
    return BenchmarkReport(run.comparisons, run.targets, timings, missing)


@contextmanager
def _single_thread() -> Iterator[None]:
    before = os.environ.get("GEARWRIGHT_THREADS")
    os.environ["GEARWRIGHT_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["GEARWRIGHT_THREADS"]
        else:
            os.environ["GEARWRIGHT_THREADS"] = before
