"""Identification of simulated arms, whose true parameters are known."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter

import gearwright as gw
from gearwright.catalogue import load
from gearwright.errors import GearwrightWarning
from gearwright.files import save
from gearwright.identification import Log, fit_consistent, identified_robot, identify, identify_payload, log_of_currents
from gearwright.identification.fit.least_squares import solve_least_squares
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot
from identification.arms import OFFSET, elbow, measured, true_parameters


def test_a_clean_log_gives_the_true_base_parameters():
    """From exact speeds and accelerations to rounding, from positions alone to the accuracy of differentiation."""
    robot = elbow()
    for positions_only, tolerance in ((False, 1e-9), (True, 2e-2)):
        found = identify(robot, measured(robot, 3, positions_only=positions_only))
        true = found.base.combine(true_parameters(robot))
        np.testing.assert_allclose(found.values, true, atol=tolerance * np.abs(true).max())
        assert max(found.fit.relative_errors.values()) < tolerance


def test_a_result_prints_its_parameters():
    robot = elbow()
    found = identify(robot, measured(robot, 4, noise=0.5))
    lines = str(found).splitlines()
    for name, value, unit in zip(found.names, found.values, found.units, strict=True):
        assert any(line.startswith(f"{name} = {value:.6g} +- ") and line.endswith(unit) for line in lines)
    assert len(repr(found)) < 100


@pytest.mark.parametrize("method", ["ols", "wls", "irls"])
def test_estimates_lie_within_their_deviations(method):
    robot = elbow()
    found = identify(robot, measured(robot, 4, noise=0.5), method=method)
    error = (found.values - found.base.combine(true_parameters(robot))) / found.standard_deviations
    assert np.sqrt(np.mean(error**2)) < 1.6
    assert np.abs(error).max() < 4.5
    np.testing.assert_allclose(np.diag(found.correlation_matrix), 1.0)


def test_outliers_hardly_move_the_robust_fit():
    robot = elbow()
    log = measured(robot, 5, noise=0.3)
    spoiled = np.array(log.tau)
    hit = np.random.default_rng(0).random(spoiled.shape) < 0.02
    spoiled[hit] += 60.0
    true = true_parameters(robot)
    errors = {}
    for method in ("wls", "irls"):
        with pytest.warns(GearwrightWarning, match="white") if method == "wls" else nullcontext():
            found = identify(robot, replace(log, tau=spoiled), method=method)
        errors[method] = np.linalg.norm((found.values - found.base.combine(true)) / (1 + np.abs(found.values)))
    assert errors["irls"] < 0.3 * errors["wls"]


def coverage(correlation: float, method: str, runs: int = 200) -> float:
    """The share of true values inside their 95 % intervals, for noise with that correlation from sample to sample."""
    robot = elbow()
    mech = gw.assemble(robot)
    log = measured(robot, 1, samples=800, positions_only=False)
    model = TorqueModel(mech)
    Y = model.base.base_columns(model.regressor(log.q, log.v, log.a))
    true = model.base.combine(true_parameters(robot))
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(runs):
        noise = lfilter([1.0], [1.0, -correlation], rng.normal(size=(900, 3)), axis=0)[100:] * (1.0, 0.5, 0.2)
        found = solve_least_squares(Y, log.torques + noise, method)
        inside.append(np.abs(found.values - true) <= 1.959964 * np.sqrt(np.diag(found.covariance)))
    return float(np.mean(inside))


@pytest.mark.slow
@pytest.mark.parametrize(("correlation", "method"), [(0.0, "wls"), (0.6, "wls"), (0.0, "irls")])
def test_confidence_intervals_cover_the_true_values(correlation, method):
    assert 0.93 < coverage(correlation, method) < 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("encoder", "method"), [(0.0, "wls"), (1e-5, "irls")])
def test_confidence_intervals_hold_from_positions_to_parameters(encoder, method):
    """Filter and derivatives included. With noisy encoders the sign of friction near rest is chance: irls."""
    robot = elbow()
    log = measured(robot, 1)
    true = true_parameters(robot)
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(80):
        tau = log.torques + rng.normal(size=log.torques.shape) * (1.0, 0.5, 0.2)
        found = identify(robot, Log(log.t, log.q + encoder * rng.normal(size=tau.shape), tau), method=method)
        low, high = found.intervals().T
        inside.append((low <= found.base.combine(true)) & (found.base.combine(true) <= high))
    assert 0.93 < np.mean(inside) < 0.97


def test_the_diagonal_model_leaves_a_structured_residual_and_the_exact_one_does_not():
    """Residuals of a right model are as unpredictable as the noise; 1/sqrt(T) is the spread of their correlation."""
    robot = elbow()
    mech = gw.assemble(robot)
    log = measured(robot, 6, noise=0.002, rubbing=False, positions_only=False)
    exact = identify(mech, log, friction=()).fit.residuals
    with pytest.warns(GearwrightWarning, match="white"):
        diagonal = identify(gw.approximate(mech, "diagonal"), log, friction=()).fit.residuals

    def from_sample_to_sample(x):
        return np.sum(x[1:] * x[:-1], axis=0) / np.sum(x * x, axis=0)

    assert np.abs(from_sample_to_sample(exact)).max() < 4 / np.sqrt(len(exact))
    assert from_sample_to_sample(diagonal)[0] > 0.8
    np.testing.assert_allclose(exact.std(axis=0), 0.002, rtol=0.1)
    assert diagonal[:, 0].std() > 0.005


def test_validation_on_other_data():
    robot = elbow()
    found = identify(robot, measured(robot, 7, noise=0.2))
    other = measured(robot, 8, noise=0.2)
    check = found.validate(other)
    assert max(check.relative_errors.values()) < 0.1
    spread = 1.4826 * np.median(np.abs(check.residuals), axis=0)  # blind to samples where a joint turns back
    np.testing.assert_allclose(spread, 0.2, rtol=0.2)


def test_link_side_torques_exclude_the_rotors_and_say_so():
    robot = elbow()
    mech = gw.assemble(robot)
    behind = gw.approximate(mech, "none")
    log = measured(robot, 9, positions_only=False)
    tau = gw.inverse_dynamics(behind, log.q, log.v, log.a)
    found = identify(robot, replace(log, tau=tau), side="link", friction=())
    assert not any(".J" in name for name in found.names)
    assert any("j1.rotor" in remark and "excluded" in remark for remark in found.remarks)
    np.testing.assert_allclose(found.values, found.base.combine(found.model.nominal_values), atol=1e-8)


def test_motor_currents_become_torques_through_the_structure_matrix():
    robot = elbow()
    drives = [
        replace(d, motor=replace(d.motor, torque_constant=k))
        for d, k in zip(robot.drives, (0.1, 0.2, 0.05), strict=True)
    ]
    robot = replace(robot, drives=tuple(drives))
    log = measured(robot, 10)
    currents = log.torques / np.array([120 * 0.1, 100 * 0.2, 80 * 0.05])
    np.testing.assert_allclose(log_of_currents(robot, log.t, log.q, currents).torques, log.torques, atol=1e-9)
    by_name = {"j1": 0.1, "j2": 0.2, "j3": 0.05}
    same = log_of_currents(gw.assemble(robot), log.t, log.q, currents, by_name)
    np.testing.assert_allclose(same.torques, log.torques, atol=1e-9)


def test_consistent_parameters_are_physical_and_predict_as_well():
    robot = elbow()
    found = identify(robot, measured(robot, 11, noise=0.5))
    fit = fit_consistent(found)
    assert min(np.linalg.eigvalsh(P).min() for P in fit.pseudo_inertias()) > 0
    assert min(fit.values[f"j{k}.motor.inertia"] for k in (1, 2, 3)) > 0
    deviation = (found.base.combination_matrix @ fit.parameters - found.values) / found.standard_deviations
    assert np.abs(deviation).max() < 4
    other = measured(robot, 12, noise=0.5)
    free, bound = (x.validate(other).relative_errors for x in (found, fit))
    assert all(bound[name] < 1.1 * free[name] for name in free)


def test_consistent_parameters_stay_at_cad_values_that_are_right():
    """What the torques do not show (a mass on the first axis) keeps its nominal value."""
    robot = elbow()
    fit = fit_consistent(identify(robot, measured(robot, 13, noise=0.2)), nominal_deviation=0.1)
    for link in robot.links:
        assert fit.values[f"{link.name}.m"] == pytest.approx(float(link.mass), rel=0.1)
    assert fit.values["link1.m"] == pytest.approx(6.0, rel=1e-4)


def test_a_wrong_robot_file_is_corrected():
    """The robot file is wrong by 30 %; what comes back predicts the true robot's torques."""
    true = elbow()
    wrong = replace(
        true,
        links=tuple(replace(link, mass=1.3 * link.mass) for link in true.links),
        drives=tuple(
            replace(d, motor=replace(d.motor, inertia=0.7 * d.motor.inertia, transverse_inertia=None))
            for d in true.drives
        ),
    )
    fit = fit_consistent(identify(wrong, measured(true, 14, noise=0.1)))
    robot, remarks = identified_robot(fit)
    assert "j1.offset" in remarks[0]
    joint = robot.link_of_joint("j1").joint
    assert joint.damping == pytest.approx(8.0, abs=0.2)
    assert joint.friction == pytest.approx(5.0, abs=0.2)
    other = measured(true, 15, rubbing=False, positions_only=False)
    error = gw.inverse_dynamics(gw.assemble(robot), other.q, other.v, other.a) - other.tau
    before = gw.inverse_dynamics(gw.assemble(wrong), other.q, other.v, other.a) - other.tau
    assert np.linalg.norm(error) < 0.02 * np.linalg.norm(before)


def test_the_identified_robot_survives_its_file(tmp_path):
    robot = elbow()
    fit = fit_consistent(identify(robot, measured(robot, 16, noise=0.1)))
    written = identified_robot(fit).robot
    save(written, tmp_path / "identified.yaml")
    again = gw.assemble(load(tmp_path / "identified.yaml"))
    np.testing.assert_allclose(gw.parameters(again), gw.parameters(gw.assemble(written)), rtol=1e-9, atol=1e-12)


def test_elastic_stiffness_is_found():
    """An elastic drive measured on both sides: the stiffness and both inertias come out."""
    link = Link("arm", joint=Joint("arm", axis=(0, 1, 0)), mass=2, com=(0.3, 0, 0), inertia=np.diag([0.01, 0.02, 0.02]))
    robot = Robot(
        "sea",
        [link],
        [Drive("arm", Motor(1e-4), Gear(100, stiffness=500.0, damping=2.0), mounted_on="base", axis=(0, 1, 0))],
    )
    mech = gw.assemble(robot)
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, 300, 2))
    tau = gw.inverse_dynamics(mech, q, v, a) + 0.01 * rng.normal(size=(300, 2))
    found = identify(robot, Log(np.arange(300) * 0.01, q, tau, v, a), friction=())
    values = dict(zip(found.names, found.values, strict=True))
    assert values["arm.spring.stiffness"] == pytest.approx(500, rel=1e-3)
    assert values["arm.rotor.J"] == pytest.approx(1e-4, rel=1e-2)
    fit = fit_consistent(found)
    gear = identified_robot(fit).robot.drive("arm").gear
    assert gear.stiffness == pytest.approx(500, rel=1e-3)
    assert gear.damping == pytest.approx(2.0, rel=1e-2)


def test_payload_by_difference():
    robot = elbow()
    empty = identify(robot, measured(robot, 17, noise=0.3))
    heavy = robot.with_payload(2.5, (0.35, 0.02, 0.05), inertia=np.diag([0.01, 0.012, 0.008]))
    found = identify_payload(empty, measured(heavy, 18, noise=0.3))
    payload = found.payload
    assert payload.link == "link3"
    assert payload.mass == pytest.approx(2.5, rel=0.02)
    np.testing.assert_allclose(payload.position, (0.35, 0.02, 0.05), atol=0.03)
    mass = found.names.index("payload.m")
    assert abs(found.values[mass] - 2.5) < 4 * found.standard_deviations[mass]
    assert min(np.linalg.eigvalsh(P).min() for P in found.consistent.pseudo_inertias()) > 0
    certain = identify_payload(replace(empty, covariance=0 * empty.covariance), measured(heavy, 18, noise=0.3))
    assert (found.standard_deviations > 1.05 * certain.standard_deviations).all()


def test_known_zeros_leave_the_model():
    robot = elbow()
    symmetric = [f"link{i}.{x}" for i in (1, 2, 3) for x in ("Ixy", "Ixz", "Iyz")]
    found = identify(robot, measured(robot, 19, noise=0.1), without=symmetric)
    assert not any("Ixy" in name for name in found.names)
    fit = fit_consistent(found)
    assert abs(fit.parameters @ np.array([name == "link3.Ixx" for name in found.model.names])) > 0
    full = fit.unknowns.zero_map[0] + fit.unknowns.zero_map[1] @ fit.x
    np.testing.assert_allclose(full, 0.0, atol=1e-6)
    assert OFFSET[0] == pytest.approx(found.values[found.names.index("j1.offset")], abs=0.1)
