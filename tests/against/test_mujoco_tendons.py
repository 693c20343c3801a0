"""Springs along distances and tendons against MuJoCo's spatial tendons: lengths, rows and accelerations."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.forces import ElementDeflection, NonlinearSpring, Pulley, TorqueCurve, distance, tendon
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism.rows import dense_row
from gearwright.system.evaluation import evaluate_system
from gearwright.system.system import System
from support.compare import relative
from support.machines import random_design, random_state
from support.mujoco_oracle import MujocoOracle
from support.references import Reference

MUJOCO = Reference("MuJoCo, tendons")

STIFFNESS, DAMPING, REST, RADIUS = 300.0, 4.0, 0.6, 0.12
POINTS = {-1: (0.9, -0.4, 0.5), 0: (0.5, 0.6, -0.2), 2: (-0.6, 0.4, 0.3), 3: (0.2, -0.9, 0.4)}


def text(values) -> str:
    return " ".join(repr(float(x)) for x in values)


def site(body: int) -> str:
    return f'<site name="s{body}" pos="{text(POINTS[body])}"/>'


def oracle(design, path: str, centre=(0.0, 0.0, 0.0), side=(0.0, 0.0, 0.0)) -> MujocoOracle:
    """With a tendon along a path of sites and the pulley that body 1 carries."""
    inside = {body: site(body) for body in POINTS}
    inside[1] = (
        f'<geom name="pulley" type="cylinder" size="{RADIUS} 0.5" pos="{text(centre)}" mass="0"/>'
        f'<site name="side" pos="{text(side)}"/>'
    )
    found = f"""<tendon><spatial stiffness="{STIFFNESS}" damping="{DAMPING}" springlength="{REST}">{path}</spatial>
        </tendon>"""
    return MujocoOracle(design, inside, found)


def place(body: int):
    return ("base" if body < 0 else body, POINTS[body])


def agreement(design, mech, state, line, peer) -> tuple[float, float, float, float]:
    """Relative differences of length, row, speed and accelerations."""
    order = peer.put(state)
    mujoco.mj_forward(peer.model, peer.data)
    here = line.placed_in(SharedKinematics(mech, state.q.tolist(), state.v.tolist(), FLOATS))
    row = np.zeros(peer.model.nv)
    start, count = int(peer.model.ten_J_rowadr[0]), int(peer.model.ten_J_rownnz[0])
    row[peer.model.ten_J_colind[start : start + count]] = peer.data.ten_J[start : start + count]
    law = NonlinearSpring("cord", ElementDeflection(line, REST), TorqueCurve(STIFFNESS), DAMPING, unit="N")
    system = System(mech, (law,))
    found = evaluate_system(system, 0.0, np.concatenate([state.q, state.v, [0.0, 0.0]]), np.zeros(mech.n), ("on",)).a
    return (
        abs(here.position(state.q) - peer.data.ten_length[0]),
        relative(np.array(dense_row(here.terms, mech.n)), row[order]),
        relative(here.speed(state.v), peer.data.ten_velocity[0]),
        relative(found, peer.data.qacc[order]),
    )


def case(seed: int):
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.permutation(["revolute", "prismatic", "spherical", "revolute"])]
    design = random_design(rng, kinds, wheels=2, twins=False, chain=True)
    mech = gw.approximate(design.written(), "diagonal")
    state = random_state(rng, mech)
    return design, mech, state


@pytest.mark.parametrize("seed", range(4))
def test_springs_between_and_through_points(seed):
    design, mech, state = case(seed)
    sites = {"distance": (-1, 3), "tendon": (-1, 0, 2, 3)}
    lines = {
        "distance": distance(mech, place(-1), place(3)),
        "tendon": tendon(mech, [place(body) for body in sites["tendon"]]),
    }
    for name, line in lines.items():
        peer = oracle(design, "".join(f'<site site="s{body}"/>' for body in sites[name]))
        MUJOCO.agrees("forces and acceleration, relative", max(agreement(design, mech, state, line, peer)), 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_tendons_over_a_pulley(seed):
    """MuJoCo's tendon takes the side of its pulley on which the side site lies; ours turns about the axis."""
    design, mech, state = case(seed)
    path = '<site site="s0"/><geom geom="pulley" sidesite="side"/><site site="s3"/>'
    ends = [seen_from(mech, state.q, 1, body) for body in (0, 3)]
    across = np.array([ends[0][1] - ends[1][1], ends[1][0] - ends[0][0], 0.0])
    across = across / np.linalg.norm(across)
    centre = 0.5 * (ends[0] + ends[1]) + 0.4 * RADIUS * across  # on the left of the way from end to end
    for side in (1.0, -1.0):
        peer = oracle(design, path, centre, centre + side * 2 * RADIUS * across)
        line = tendon(mech, [place(0), Pulley(1, RADIUS, centre, (0.0, 0.0, -side)), place(3)])
        MUJOCO.agrees(
            "forces and acceleration with springs, relative", max(agreement(design, mech, state, line, peer)), 1e-9
        )


def seen_from(mech, q, frame, body) -> np.ndarray:
    (R, p), (R1, p1) = gw.placement(mech, q, body), gw.placement(mech, q, frame)
    return R1.T @ (p + R @ POINTS[body] - p1)


def test_a_motion_with_a_tendon_over_a_pulley():
    """Not only at instants: MuJoCo's Runge-Kutta steps of 0.1 ms, an error of fourth order, arrive where we do."""
    design, mech, state = case(3)
    path = '<site site="s-1"/><site site="s0"/><geom geom="pulley" sidesite="side"/><site site="s3"/>'
    centre, side = np.array([0.05, -0.1, 0.15]), np.array([0.6, -0.1, 0.15])
    peer = oracle(design, path, centre, side)
    peer.model.opt.integrator, peer.model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-4
    order = peer.put(state)
    for _ in range(500):
        mujoco.mj_step(peer.model, peer.data)
    runs = []
    for sign in (1.0, -1.0):
        line = tendon(mech, [place(-1), place(0), Pulley(1, RADIUS, centre, (0.0, 0.0, sign)), place(3)])
        law = NonlinearSpring("cord", ElementDeflection(line, REST), TorqueCurve(STIFFNESS), DAMPING, unit="N")
        runs.append(
            gw.simulate(
                mech,
                (state.q, state.v),
                until=0.05,
                laws=[law],
                samples=2,
                integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
            )
        )
    assert min(relative(run.v[-1], peer.data.qvel[order]) for run in runs) < 1e-8
