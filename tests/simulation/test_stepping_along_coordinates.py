"""Time stepping of laws along lines that bend: it converges to the event-driven runs, and books what moves lines."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright import forces
from gearwright.forces import MovingFrame, distance
from gearwright.parts import Friction

ARM = gw.assemble(gw.load("elbow"))
Q0, V0 = np.array([0.1, 0.4, -0.3]), np.array([0.5, -0.4, 0.3])
STRUT = distance(ARM, ("base", (0.3, 0.1, 0.8)), (1, (0.2, 0.05, 0.0)))
SHIP = MovingFrame("ship", lambda t, ops: (0.5, 0.4, 0.9 + 0.1 * ops.sin(9 * t)), lambda t, ops: np.eye(3).tolist())
ROPE = distance(ARM, (SHIP, (0.0, 0.0, 0.0)), (2, (0.1, 0.0, 0.05)))
CASES = {
    "friction of a cylinder": [forces.DryFriction("rub", STRUT, friction=Friction(300.0, 2.0))],
    "friction against something that moves": [forces.DryFriction("rub", ROPE, friction=Friction(100.0, 1.0))],
    "stops of a cylinder": [forces.Stops("ends", STRUT, 0.2, 0.72, 0.3)],
    "backlash of a strut": [
        forces.Backlash("gap", forces.ElementDeflection(STRUT, 0.7), forces.TorqueCurve(4e3), 20.0, 0.04)
    ],
    "slip against something that moves": [forces.MaxwellSlip("slip", forces.ElementDeflection(ROPE), 12.0, 0.02)],
}


def torques(t: float) -> np.ndarray:
    return np.array([8 * np.sin(6 * t), 6 * np.sin(9 * t) + 4, 4 * np.cos(5 * t)])


@pytest.mark.parametrize("case", CASES)
def test_it_converges_to_the_event_driven_run(case):
    laws, until = CASES[case], 0.4
    exact = gw.simulate(
        ARM,
        (Q0, V0),
        until=until,
        inputs=torques,
        laws=laws,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-8, atol=1e-10),
        samples=2,
    )
    errors, drifts = [], []
    for steps in (390, 400, 410, 3120, 3200, 3280):
        tau = np.array([torques(0.5 * until / steps * k) for k in range(2 * steps + 1)])
        run = gw.rollout(
            ARM,
            Q0,
            V0,
            steps,
            until / steps,
            method="moreau",
            laws=laws,
            inputs=tau,
            options=gw.analysis.RolloutOptions(every=steps, sweeps=4),
        )
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
        drifts.append(abs(float(run.drift)))
    assert len(exact.events) > 0
    assert 0.7 < np.log(np.mean(errors[:3]) / np.mean(errors[3:])) / np.log(8) < 1.5
    assert np.mean(drifts[3:]) < 0.2 * np.mean(drifts[:3]) + 1e-9
