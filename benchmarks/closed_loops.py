"""How fast machines with closed loops are: batches against Pinocchio, single calls against open trees.

    python benchmarks/closed_loops.py [--rounds 5]

Prints a line per number that must hold, and ends with 1 if one does not. The robots are those of the collection in
GEARWRIGHT_REFERENCE; without it, or without Pinocchio, only the palletiser is measured. MUJOCO_MENAGERIE is the folder
of a copy of the menagerie, whose Cassie is simulated without contact if it is given.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.bench.report import Target
from gearwright.bench.timing import time_interleaved
from gearwright.functions.constrained.closing import whole_motion

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.closed_machines import ConstrainedPinocchio, parallel_robot, parallel_robots
from support.mechanisms import with_parallelogram

STATES, PEER_STATES, STEP = 10_000, 200, 6e-3
"""States of a batch, states of the loop over Pinocchio, and the step from the last closed configuration [rad, m]."""

START_STEP = 0.1
"""Step [rad, m] of the independent coordinates to the start: the reference of the delta is near a singularity, where
its parallelogram is flat."""

ROLLOUT_ROWS, PEER_ROWS, ROLLOUT_STEPS, CASSIE_STEP = 1000, 20, 400, 5e-4
"""Rows of both batches of Cassie, steps, and the step [s]."""


def batches(name: str, rounds: int) -> list[Target]:
    """Closing from a configuration one control step away, then inverse or forward dynamics."""
    robot = parallel_robot(name)
    mech = gw.assemble(robot)
    peer = ConstrainedPinocchio(mech.tree, list(robot.loops))
    rng = np.random.default_rng(0)
    start = gw.integrate(mech, mech.reference, np.full(mech.n, -START_STEP))
    near = gw.integrate(mech, start, rng.uniform(-1e-2, 1e-2, (STATES, mech.n)))
    indices = list(mech.independent_indices)
    q = near[:, indices] + rng.uniform(-STEP, STEP, (STATES, len(indices)))
    v, force = rng.normal(size=(2, STATES, mech.n))
    inverse, forward = (gw.compile(function, mech) for function in (gw.inverse_dynamics, gw.forward_dynamics))
    whole, V, _ = whole_motion("benchmark", mech, near[:PEER_STATES], v[:PEER_STATES], v[:PEER_STATES])
    pin, at = peer.pin, np.argsort(peer.order)
    rows_q, rows_v = np.ascontiguousarray(whole[:, at]), np.ascontiguousarray(V[:, at])
    tau, settings = np.zeros(mech.tree.n), peer.pin.ProximalSettings(1e-12, 1e-12, 10)
    fixed = (peer.constraints, peer.constraint_data, settings)

    def loop() -> None:
        for k in range(PEER_STATES):
            pin.constraintDynamics(peer.model, peer.data, rows_q[k], rows_v[k], tau, *fixed)

    calls = {
        "inverse": lambda: inverse(mech.closed(q, near=near), v, force),
        "forward": lambda: forward(mech.closed(q, near=near), v, force),
        "pinocchio": loop,
    }
    times = time_interleaved(calls, rounds)
    factor = STATES / PEER_STATES
    return [
        Target(
            f"{name}: {word} dynamics with closing vs constraintDynamics",
            factor * times.time_ratio("pinocchio", word),
            25,
        )
        for word in ("inverse", "forward")
    ]


def palletiser(rounds: int) -> Target:
    """One call of a kernel, against its open tree."""
    mech = gw.assemble(with_parallelogram(gw.load("elbow"), "loop"))
    q = mech.closed([0.3, -0.5, 0.8])
    v, V = np.ones(mech.n), np.ones(mech.tree.n)
    kernels = {"closed": gw.compile(gw.inverse_dynamics, mech), "tree": gw.compile(gw.inverse_dynamics, mech.tree)}

    def many(kernel: gw.Kernel, speeds: np.ndarray) -> None:
        for _ in range(5000):
            kernel(q, speeds, speeds)

    times = time_interleaved(
        {"closed": lambda: many(kernels["closed"], v), "tree": lambda: many(kernels["tree"], V)}, rounds
    )
    ratio = times.time_ratio("closed", "tree")
    return Target("palletiser: one call of inverse dynamics vs its open tree", ratio, 2.0, at_most=True)


def cassie(file: Path, rounds: int) -> Target:
    """Steps of Cassie without contact, with its springs, dampers and stops, against `mujoco.rollout`, one thread each.

    MuJoCo 4.0.0 has a known error with equality constraints in its sparse solver, so its Jacobian is dense.
    """
    import mujoco
    from mujoco import rollout

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the file states and Gearwright does not represent
        robot = gw.load(file)
        mech = gw.assemble(robot)
    os.environ["GEARWRIGHT_THREADS"] = "1"
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_EULER, CASSIE_STEP
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data, kind = mujoco.MjData(model), mujoco.mjtState.mjSTATE_FULLPHYSICS
    mujoco.mj_resetDataKeyframe(model, data, 0)
    state = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, state, kind)
    start, sparse = np.tile(mech.reference, (ROLLOUT_ROWS, 1)), gw.analysis.RolloutOptions(every=ROLLOUT_STEPS)
    at_rest = np.zeros((ROLLOUT_ROWS, mech.tree.n))
    peer_states = np.tile(state, (PEER_ROWS, 1))
    calls = {
        "embedded": lambda: gw.rollout(
            robot, start, at_rest, ROLLOUT_STEPS, CASSIE_STEP, method="euler", options=sparse
        ),
        "mujoco": lambda: rollout.rollout(model, [data], peer_states, nstep=ROLLOUT_STEPS),
    }
    times = time_interleaved(calls, rounds)
    ratio = ROLLOUT_ROWS / PEER_ROWS * times.time_ratio("mujoco", "embedded")
    return Target(f"Cassie: rollout vs mujoco.rollout, MuJoCo {mujoco.__version__}, dense Jacobian", ratio, 20)


def main() -> int:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--rounds", type=int, default=5, help="paired rounds per comparison")
    rounds = found.parse_args().rounds
    targets = [palletiser(rounds)]
    for name in ("robot_delta", "cassie_like"):
        if name in parallel_robots() and find_spec("pinocchio"):
            targets += batches(name, rounds)
    file = Path(os.environ.get("MUJOCO_MENAGERIE", "")) / "agility_cassie" / "cassie.xml"
    if file.is_file() and find_spec("mujoco"):
        targets.append(cassie(file, rounds))
    for target in targets:
        print(target)
    return 0 if all(target.is_met for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
