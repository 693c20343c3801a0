"""Fits to logs of random robots: true values within the stated intervals, and a word where statistics do not hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.identification.synthetic_robots import fitted_case, synthetic_case

from gearwright.identification import RunFitOptions, fit_run
from gearwright.parts import Friction


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_true_values_are_within_four_deviations(seed: int) -> None:
    """A rigid, an elastic and a robot with backlash; the event-driven run has no error of a step.

    Shares over many robots are counted by the benchmark; of these 16 values none may be far away.
    """
    case, fit = fitted_case(seed)
    assert max(abs(fit[name] - value) / fit.deviations[name] for name, value in case.true.items()) < 4
    assert fit.scores[0].rms == pytest.approx(case.noise, rel=0.1)
    assert all(fit.deviations[name] < 0.05 * value for name, value in case.true.items())


def test_residuals_above_the_noise_are_remarked() -> None:
    """A drive with friction, fitted without it."""
    case = synthetic_case(0, 2.0)
    frictionless = replace(case.robot.drives[0], motor=replace(case.robot.drives[0].motor, friction=Friction()))
    robot = replace(case.robot, drives=[frictionless])
    fit = fit_run(robot, [case.log], {"j0.motor.inertia": (1e-7, 1e-1)}, options=RunFitOptions(starts=1))
    assert any("noise" in remark for remark in fit.remarks)
