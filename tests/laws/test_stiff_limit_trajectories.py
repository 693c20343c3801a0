"""Elastic drives and their rigid limit over a motion: errors against the stiffness, on log scales.

Undamped, from the static deflection: positions and speeds like 1/K. From untwisted springs: positions like 1/K, speeds
like 1/sqrt(K), accelerations not at all. Once dampers have killed the fast part: 1/K again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Drive, Link, Member, Motor, Robot, Series, Shaft, Spur
from support.elastic_arms import random_elastic

TIGHT = {"integrator": gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)}
STIFFER = np.array([1.0, 4.0, 16.0])
UNTIL = 0.25


def two_pairs_and_a_shaft() -> gw.Mechanism:
    """One heavy arm behind three springs in a row, every shaft with its wheels."""
    wheel, large = Member(2e-4, 0.2, 1e-4), Member(0.1, 2.0, 0.05)
    stages = [
        Spur(driver=20, driven=60, driver_member=wheel, driven_member=replace(wheel, side="joint"), stiffness=900.0),
        Shaft(stiffness=700.0, inertia=5e-3),
        Spur(driver=20, driven=80, driven_member=large, stiffness=9000.0),
    ]
    link = Link("arm", mass=8, com=(0.3, 0, 0), inertia=np.diag([0.05, 0.3, 0.3]))
    lying = replace(link.joint, name="j", axis=(0, 1, 0))
    return gw.assemble(Robot("arm", [replace(link, joint=lying)], [Drive("j", Motor(4e-4), Series(stages=stages))]))


MACHINES = {
    "elastic_elbow": lambda: gw.assemble(gw.load("elastic_elbow")),
    "revolute and prismatic": lambda: random_elastic(11, ["revolute", "prismatic"]),
    "three springs in a row": two_pairs_and_a_shaft,
}


def stiffened(mech: gw.Mechanism, factor: float, damping: float = 0.0) -> gw.Mechanism:
    springs = [replace(s, stiffness=factor * s.stiffness, damping=damping * s.stiffness) for s in mech.springs]
    return replace(mech, springs=springs)


class Pair:
    """An elastic machine, its rigid limit, E that joins the shafts to the joints, and a motion of both."""

    def __init__(self, mech: gw.Mechanism):
        self.mech, self.rigid = mech, gw.approximate(mech, "rigid")
        self.joints = self.rigid.n
        self.E = np.array([[name.split(".")[0] == j for j in self.rigid.speeds] for name in mech.speeds], float)
        rng = np.random.default_rng(3)
        self.q, self.v = rng.uniform(-0.5, 0.5, (2, self.joints))
        hold = np.abs(gw.gravity(self.rigid, self.q)) + 5.0
        self.push = lambda t: hold * np.cos(3 * t + np.arange(self.joints))
        self.motors = np.array([name.endswith(".motor") for name in mech.speeds])[:, None] * self.E
        options = {"until": UNTIL, "samples": 201, **TIGHT}
        self.reference = gw.simulate(self.rigid, (self.q, self.v), inputs=self.push, **options)
        self.options = {**options, "inputs": lambda t: self.motors @ self.push(t)}

    def static_deflection(self, mech: gw.Mechanism) -> np.ndarray:
        """Twists with which the machine begins with the accelerations of the rigid one."""
        q, v, tau = self.E @ self.q, self.E @ self.v, self.motors @ self.push(0.0)
        a = self.E @ gw.forward_dynamics(self.rigid, self.q, self.v, self.push(0.0))
        missing = tau - gw.inverse_dynamics(mech, q, v, a)
        shafts = gw.elastic.elastic_form(mech, q, v).K_e[:, self.joints :]
        twist = np.linalg.lstsq(shafts, missing, rcond=None)[0]
        np.testing.assert_allclose(shafts @ twist, missing, atol=1e-8 * np.abs(missing).max())
        return np.concatenate([self.q, q[self.joints :] + twist])

    def errors(self, mech: gw.Mechanism, q: np.ndarray, late: float = 0.0) -> list[float]:
        """The largest errors of joint positions, speeds and accelerations."""
        run = gw.simulate(mech, (q, self.E @ self.v), **self.options)
        kept = run.t >= late
        return [
            float(np.abs(getattr(run, x)[kept, : self.joints] - getattr(self.reference, x)[kept]).max()) for x in "qva"
        ]

    def orders(self, start, damping: float = 0.0, late: float = 0.0) -> np.ndarray:
        """Slopes of the errors' logarithms over that of the stiffness."""
        machines = [stiffened(self.mech, factor, damping) for factor in STIFFER]
        found = np.array([self.errors(mech, start(mech), late) for mech in machines])
        return np.polyfit(np.log(STIFFER), np.log(found), 1)[0]


@pytest.fixture(params=MACHINES)
def pair(request) -> Pair:
    return Pair(MACHINES[request.param]())


@pytest.mark.slow
def test_from_the_static_deflection_positions_and_speeds_converge_like_1_over_k(pair):
    position, speed, acceleration = pair.orders(pair.static_deflection)
    assert position == pytest.approx(-1, abs=0.1)
    assert speed == pytest.approx(-1, abs=0.1)
    assert acceleration < -0.3


@pytest.mark.slow
def test_from_untwisted_springs_speeds_converge_like_1_over_the_root_of_k(pair):
    position, speed, acceleration = pair.orders(lambda mech: pair.E @ pair.q)
    assert position == pytest.approx(-1, abs=0.1)
    assert speed == pytest.approx(-0.5, abs=0.1)
    assert acceleration == pytest.approx(0, abs=0.1)


@pytest.mark.slow
def test_dampers_kill_the_fast_part():
    """Untwisted again, but damped: late in the run speeds follow like 1/K too."""
    pair = Pair(MACHINES["elastic_elbow"]())
    position, speed, _ = pair.orders(lambda mech: pair.E @ pair.q, damping=0.02, late=0.75 * UNTIL)
    assert position == pytest.approx(-1, abs=0.2)
    assert speed == pytest.approx(-1, abs=0.2)
