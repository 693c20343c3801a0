"""Kernels with parameters give what the changed robot gives, exactly and in every approximation."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import compare, parameter_comparison
from gearwright.errors import InputError
from gearwright.motion.default_motion import default_motion
from gearwright.parts import with_parameters

PATHS = {
    "elbow": ["j2.gear.ratio", "j3.motor.inertia", "fore.mass"],
    "elastic_elbow": ["j1.gear.stiffness", "j2.gear.ratio"],
    "wrist_bendix": ["differential.wheels.w5.inertia", "link3.mass"],
}


@pytest.mark.parametrize("name", PATHS)
def test_kernels_follow_the_parameters(name):
    robot = gw.load(name)
    paths = [path for path in PATHS[name] if path != "fore.mass"] + (["payload.mass"] if robot.payload else [])
    motion = default_motion(robot, gw.assemble(robot), 21)
    found = parameter_comparison(robot, paths)
    rng = np.random.default_rng(7)
    for _ in range(2):
        values = found.nominal_values * rng.uniform(0.7, 1.4, len(paths))
        ours = found.compare_at(values, motion)
        theirs = compare(with_parameters(robot, dict(zip(paths, values, strict=True))), motion)
        assert ours.exact == pytest.approx(theirs.exact, rel=1e-10, abs=1e-10)
        assert set(ours.approximations) == {"reflected", "diagonal", "none"}
        for kind, forces in theirs.approximations.items():
            assert ours.approximations[kind] == pytest.approx(forces, rel=1e-10, abs=1e-10)
        assert ours.uncoupled == theirs.uncoupled


def test_a_kernel_may_be_that_of_an_approximation():
    robot = gw.load("elbow")
    q, v, a = np.random.default_rng(3).normal(size=(3, 5, 3))
    for kind in ("reflected", "diagonal", "none"):
        kernel = gw.compile(gw.inverse_dynamics, robot, approximation=kind)
        assert kernel(q, v, a) == pytest.approx(gw.inverse_dynamics(gw.approximate(robot, kind), q, v, a), rel=1e-12)
    exact = gw.compile(gw.inverse_dynamics, robot)(q, v, a)
    assert exact != pytest.approx(gw.compile(gw.inverse_dynamics, robot, approximation="none")(q, v, a))
    slope = gw.compile(gw.inverse_dynamics, robot, approximation="none").jacobian("a")(q, v, a)
    assert slope == pytest.approx(gw.mass_matrix(gw.approximate(robot, "none"), q), rel=1e-10, abs=1e-12)


def test_wrong_words_are_refused():
    robot = gw.load("elbow")
    with pytest.raises(InputError, match="'some'"):
        gw.compile(gw.inverse_dynamics, robot, approximation="some")
    found = parameter_comparison(robot, ["j2.gear.ratio"], kinds=())
    with pytest.raises(InputError, match="1 parameters"):
        found.generalised_forces([1.0, 2.0], default_motion(robot, gw.assemble(robot), 5))


def test_the_speed_that_is_missed_most_is_found():
    robot = gw.load("wrist_bendix")
    found = compare(robot, default_motion(robot, gw.assemble(robot), 101))
    shares = {miss.speed: miss.relative_error for miss in found.approximation_errors() if miss.kind == "diagonal"}
    assert found.least_accurate_speed() == max(shares, key=shares.get)
    assert found.least_accurate_speed(kinds=()) == "j1"
