"""Exciting trajectories keep every limit and show every base parameter."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.identification import FourierMotion, Log, MotionLimits, WorkspaceBox, excite, identify
from gearwright.motion.csv_files import read_recording
from identification.arms import elbow

LIMITS = MotionLimits([-2.0] * 3, [2.0] * 3, [2.0] * 3, [6.0] * 3)


def test_fourier_derivatives_against_differences():
    rng = np.random.default_rng(0)
    motion = FourierMotion(3.0, rng.normal(size=2), *rng.normal(size=(2, 2, 4)))
    step = 1e-5
    for k in range(3):
        slope = (motion.at(0.7 + step, k) - motion.at(0.7 - step, k)) / (2 * step)
        np.testing.assert_allclose(motion.at(0.7, k + 1), slope, rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(motion.at(3.0), motion.at(0.0), atol=1e-12)


@pytest.mark.parametrize("criterion", ["condition", "d-optimal"])
def test_limits_hold_and_the_criterion_improves(criterion):
    mech = gw.assemble(elbow())
    box = WorkspaceBox("link3", (-1.0, -1.0, -0.25), (1.0, 1.0, 1.0))
    limits = MotionLimits([-2.0] * 3, [2.0] * 3, [2.0] * 3, [6.0] * 3, [20.0, 30.0, 6.0], [box])
    calls = []
    first = excite(
        mech, limits, search=gw.identification.ExcitationOptions(starts=1, steps=0, samples=40), criterion=criterion
    )
    best = excite(
        mech,
        limits,
        search=gw.identification.ExcitationOptions(starts=2, steps=30, samples=40),
        criterion=criterion,
        progress=lambda *x: calls.append(x),
    )
    assert best.condition < first.condition if criterion == "condition" else best.d_optimality > first.d_optimality
    assert calls[-1][:2] == (62, 62)
    assert len(calls) == 62
    motion = best.motion.sample(1000)
    assert (np.abs(motion.q) <= 2.0).all()
    assert (np.abs(motion.v) <= 2.0).all()
    assert (np.abs(motion.a) <= 6.0).all()
    tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a)
    assert (np.abs(tau) <= [20.2, 30.2, 6.2]).all()
    z = gw.placement(mech, motion.q, "link3").position[:, 2]
    assert z.min() > -0.26
    np.testing.assert_allclose([motion.v[0], motion.a[0]], 0.0, atol=1e-12)


def test_a_better_condition_gives_smaller_deviations():
    """The sum of relative deviations falls with the optimised motion, at equal noise."""
    robot = elbow()
    mech = gw.assemble(robot)
    spread = []
    for steps in (0, 40):
        motion = excite(
            mech,
            LIMITS,
            search=gw.identification.ExcitationOptions(starts=1, steps=steps, samples=50),
            criterion="d-optimal",
        ).motion.sample(600)
        tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a)
        tau = tau + 0.1 * np.random.default_rng(0).normal(size=tau.shape)
        found = identify(robot, Log(motion.t, motion.q, tau, motion.v, motion.a))
        spread.append(np.sum(np.log(np.linalg.eigvalsh(found.covariance))))
    assert spread[1] < spread[0]


def test_the_controller_file_reads_back(tmp_path):
    mech = gw.assemble(elbow())
    motion = excite(mech, LIMITS, search=gw.identification.ExcitationOptions(starts=1, steps=0, samples=40)).motion
    motion.save(tmp_path / "motion.csv", mech, rate=50.0, periods=2)
    again = read_recording(tmp_path / "motion.csv", mech).motion
    np.testing.assert_array_equal(again.q, motion.at(np.arange(1001) / 50.0))
    np.testing.assert_array_equal(again.a, motion.at(np.arange(1001) / 50.0, 2))


def test_a_robots_own_limits_are_used():
    robot = gw.parts.Robot(
        "arm",
        [
            gw.parts.Link(
                "arm",
                joint=gw.parts.Joint(axis=(0, 1, 0), limits=gw.parts.Limits((-1, 1), 1.5, 4.0, 30.0)),
                mass=2,
                com=(0.3, 0, 0),
            )
        ],
    )
    motion = excite(robot, search=gw.identification.ExcitationOptions(starts=1, steps=5, samples=40)).motion.sample(500)
    assert np.abs(motion.q).max() <= 1
    assert np.abs(motion.v).max() <= 1.5
    assert np.abs(motion.a).max() <= 4


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"limits": None}, "Mechanism.*limits"),
        ({"harmonics": 1}, "harmonics=1"),
        ({"search": gw.identification.ExcitationOptions(samples=10)}, "samples=10"),
        ({"criterion": "beauty"}, "criterion='beauty'"),
        ({"limits": MotionLimits([-1.0] * 2, [1.0] * 3, [1.0] * 3, [1.0] * 3)}, r"lower.*\(2,\)"),
        ({"limits": MotionLimits([1.0] * 3, [-1.0] * 3, [1.0] * 3, [1.0] * 3)}, "limit upper .*lower"),
        ({"limits": MotionLimits([-1.0] * 3, [1.0] * 3, [0.0] * 3, [1.0] * 3)}, r"speed\[0\]=0\.0"),
        (
            {"limits": MotionLimits([-1.0] * 3, [1.0] * 3, [1.0] * 3, [1.0] * 3, [1e-6] * 3)},
            "torque",
        ),
    ],
)
def test_bad_requests(change, fact):
    search = gw.identification.ExcitationOptions(starts=1, steps=0, samples=40)
    with pytest.raises(InputError, match=fact):
        excite(gw.assemble(elbow()), **{"limits": LIMITS, "search": search, **change})


def test_free_joints_are_refused():
    body = gw.Body("box", joint="free", mass=1, inertia=np.eye(3))
    with pytest.raises(InputError, match=r"free.*joints"):
        excite(gw.Mechanism([body]), LIMITS)
