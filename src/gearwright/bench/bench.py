"""Gearwright and every installed peer in one run, with the numbers that must hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from gearwright.bench import cases
from gearwright.bench.cases import OURS, Timed
from gearwright.bench.compilation import compilation, sizes
from gearwright.bench.peers import PEERS, installed
from gearwright.bench.report import BATCH, ContenderTime, Promise, Report, Size
from gearwright.bench.timing import ROUNDS, SINCOS, peak
from gearwright.compiling.kernel import compile
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot

ROBOTS = ("ur5_like", "panda_like", "panda_like_calibrated", "humanoid_30", "manutec_r3")
"""The bundled robots that the numbers are promised for."""


class Bench:
    """One run: collects comparisons and promises.

    Args:
        robots: name -> robot or machine. `panda_like`, `panda_like_calibrated`, `humanoid_30` and `manutec_r3` are the
            ones that promises are made about; any other with revolute and prismatic joints is compared.
        states: states per batch.
        rounds: paired rounds per comparison.
        say: called with the name of each task as it starts.
    """

    def __init__(
        self, robots: Mapping[str, Robot | Mechanism], states: int, rounds: int, say: Callable[[str], object]
    ) -> None:
        self.machines = {name: machine_of("bench", x) for name, x in robots.items()}
        self.states, self.rounds, self.say = states, rounds, say
        self.comparisons: list[ContenderTime] = []
        self.promises: list[Promise] = []

    def compared(self, robot: str, task: str, timed: Timed) -> Timed:
        """Note what a task has shown."""
        for name in timed.states:
            self.comparisons.append(ContenderTime(robot, task, name, timed.nanoseconds(name), timed.ratio(name)))
        return timed

    def promise(self, what: str, value: float, limit: float, unit: str = "x", at_most: bool = False) -> None:
        """Note a number that must hold."""
        self.promises.append(Promise(what, value, limit, unit, at_most))

    def batches(self) -> None:
        """Inverse dynamics of every robot against everyone."""
        limits = {"panda_like": 25, "panda_like_calibrated": 18, "humanoid_30": 18}
        for name, mech in self.machines.items():
            if name == "manutec_r3":
                continue
            self.say(f"{name}: {BATCH}")
            timed = self.compared(name, BATCH, cases.inverse_batch(mech, self.states, self.rounds))
            if name in limits and "Pinocchio rneaInParallel" in timed.states:
                ratio = timed.ratio("Pinocchio rneaInParallel")
                self.promise(f"{name}: {BATCH}, vs rneaInParallel", ratio, limits[name])
            if name == "panda_like":
                self._share_of_peak(mech, timed)

    def _share_of_peak(self, mech: Mechanism, timed: Timed) -> None:
        """Fastest sample against the fastest loop of fused multiply-adds: both as on a quiet machine."""
        count = compile("inverse_dynamics", mech).operations
        work = count.arithmetic + SINCOS * count.sincos
        rate = work * timed.states[OURS] / min(timed.times.samples[OURS])
        self.promise(f"panda_like: {BATCH}, share of the core's float64 peak", 100 * rate / peak(), 40, "%")

    def seven_axes(self, mech: Mechanism) -> None:
        """The other tasks of the seven-axis arm against Pinocchio."""
        tasks: list[tuple[str, Callable[[Mechanism, int, int], Timed], str, float]] = [
            ("forward dynamics, batch", cases.forward_batch, "Pinocchio abaInParallel", 25),
            ("mass matrix, batch", cases.mass_matrix_batch, "Pinocchio crba, loop", 40),
            ("derivatives of inverse dynamics", cases.derivatives_batch, "Pinocchio derivatives, loop", 12),
        ]
        for task, case, peer, limit in tasks:
            self.say(f"panda_like: {task}")
            timed = self.compared("panda_like", task, case(mech, self.states, self.rounds))
            self.promise(f"panda_like: {task}, vs {peer}", timed.ratio(peer), limit)
        self.say("panda_like: single call")
        timed = self.compared("panda_like", "inverse dynamics, single call", cases.single_call(mech, self.rounds))
        for ours, peer, limit in (
            (OURS, "Pinocchio rnea", 4.0),
            ("Gearwright, out=", "Pinocchio rnea", 5.0),
            ("gw.inverse_dynamics", "Pinocchio rnea", 1.5),
            (OURS, "Pinocchio, wheels as bodies", 15.0),
        ):
            self.promise(f"panda_like: single call, {ours} vs {peer}", timed.ratio(peer, ours), limit)

    def motions(self, mech: Mechanism) -> None:
        """Simulations with a fixed step: a batch against MuJoCo, and one against the clock."""
        task = "simulation, batch"
        if "MuJoCo" in installed():
            self.say(f"panda_like: {task}")
            timed = self.compared("panda_like", task, cases.rollout_batch(mech, 4096, self.rounds))
            self.promise(f"panda_like: {task} of 4096, vs mujoco.rollout", timed.ratio("MuJoCo rollout"), 12)
        self.say("panda_like: simulation of 10 s at 1 kHz")
        for method in ("euler", "rk4"):
            speed = cases.long_motion(mech, method, self.rounds)
            self.promise(f"panda_like: simulation of 10 s at 1 kHz, {method}, vs real time", speed, 300)

    def elastic(self, mech: Mechanism) -> None:
        """What springs in all drives, and with them twice the speeds, add to forward dynamics."""
        task = "elastic forward dynamics, batch"
        self.say(f"panda_like: {task}")
        timed = self.compared("panda_like", task, cases.elastic_batch(mech, self.states, self.rounds))
        self.promise(f"panda_like: {task}, over the rigid arm", timed.ratio(cases.ELASTIC), 2.5, at_most=True)

    def compilations(self, mech: Mechanism) -> None:
        """Seconds to the first kernel."""
        self.say("panda_like: compilation in fresh processes")
        first, cached = compilation(mech)
        self.promise("panda_like: first compilation of inverse dynamics", first, 0.5, "s", at_most=True)
        self.promise("panda_like: the same from the cache", 1e3 * cached, 20, "ms", at_most=True)

    def growth(self) -> list[Size]:
        """Operations and time against the number of joints: twice the joints, about twice of both."""
        self.say("chains of 2 to 64 joints")
        found = sizes()
        half, full = found[-2], found[-1]
        for what, growth, limit in (
            ("operations", full.operations / half.operations, 2.1),
            ("time", full.nanoseconds / half.nanoseconds, 2.5),
        ):
            self.promise(f"{what} of {full.joints} joints over {half.joints} joints", growth, limit, at_most=True)
        return found


def bench(
    robots: Mapping[str, Robot | Mechanism],
    states: int = 10_000,
    rounds: int = ROUNDS,
    say: Callable[[str], object] = lambda _: None,
) -> Report:
    """Time Gearwright and every installed peer in turns, one thread, and check the numbers that must hold.

    Args:
        robots: name -> robot or machine of revolute and prismatic joints.
        states: states per batch.
        rounds: paired rounds per comparison; at least 21 for numbers to be quoted.
        say: called with the name of each task as it starts.

    Returns:
        Comparisons, promises and the growth with the number of joints; `str(report)` is the table.
    """
    run = Bench(robots, states, rounds, say)
    with _one_thread():
        run.batches()
        seven = run.machines.get("panda_like")
        if seven is not None and "Pinocchio" in installed():
            run.seven_axes(seven)
        if seven is not None:
            run.motions(seven)
            run.elastic(seven)
            run.compilations(seven)
        if "manutec_r3" in run.machines:
            count = compile("forward_dynamics", run.machines["manutec_r3"]).operations.arithmetic
            run.promise("manutec_r3: operations of forward dynamics (published: 316)", count, 180, "", at_most=True)
        grown = run.growth()
    missing = [name for name in PEERS if name not in installed()]
    return Report(run.comparisons, run.promises, grown, missing)


@contextmanager
def _one_thread() -> Iterator[None]:
    before = os.environ.get("GEARWRIGHT_THREADS")
    os.environ["GEARWRIGHT_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["GEARWRIGHT_THREADS"]
        else:
            os.environ["GEARWRIGHT_THREADS"] = before
