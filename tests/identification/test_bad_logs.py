"""Logs that cannot be used, and what is said about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightWarning, InputError, MissingExtraError
from gearwright.identification import Log, Validation, fit_consistent, identify, log_of_currents, read_log
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.motion.csv_files import write_columns
from identification.arms import elbow, measured


def csv(log: Log, tmp_path, *, skip=(), letter="tau", names=("j1", "j2", "j3")):
    columns = [f"q.{n}" for n in names] + [f"{letter}.{n}" for n in names]
    values = np.column_stack([log.q, log.tau])
    keep = [k for k, name in enumerate(columns) if name not in skip]
    path = tmp_path / "log.csv"
    path.write_text(write_columns([columns[k] for k in keep], values[:, keep], log.times))
    return path


def test_a_file_is_read_as_it_was_written(tmp_path):
    log = measured(elbow(), 1, samples=50)
    again = read_log(csv(log, tmp_path), elbow())
    np.testing.assert_array_equal(again.tau, log.tau)
    np.testing.assert_array_equal(again.q, log.q)


def test_currents_in_a_file(tmp_path):
    robot = elbow()
    log = measured(robot, 1, samples=50)
    path = csv(replace(log, tau=log.torques / [120, 100, 80]), tmp_path, letter="i")
    again = read_log(path, robot, gains={"j1": 1.0, "j2": 1.0, "j3": 1.0})
    np.testing.assert_allclose(again.tau, log.tau)
    with pytest.raises(InputError, match="torque"):
        read_log(path, robot)


def test_missing_columns_are_named(tmp_path):
    with pytest.raises(FileError, match=r"\btau\.j2\b"):
        read_log(csv(measured(elbow(), 1, samples=50), tmp_path, skip=("tau.j2",)), elbow())
    with pytest.raises(FileError, match=r"\bq\.j1\b"):
        read_log(csv(measured(elbow(), 1, samples=50), tmp_path, skip=("q.j1",)), elbow())


@pytest.mark.parametrize(("time", "fact"), [(0.0, r"\b0 .*\brow 20\b"), (None, r"\brow 20\b")])
def test_unsorted_and_repeated_times(time, fact):
    log = measured(elbow(), 1, samples=50)
    t = np.array(log.times)
    t[20] = t[19] if time is None else time
    with pytest.raises(InputError, match=fact):
        replace(log, t=t)


def test_nan_is_named_by_row_and_column():
    log = measured(elbow(), 1, samples=50)
    tau = np.array(log.tau)
    tau[7, 2] = np.nan
    with pytest.raises(InputError, match=r"tau.*nan.*row 7, column 2"):
        replace(log, tau=tau)


@pytest.mark.parametrize(("factor", "power"), [(1000.0, 3), (10.0, 1), (0.1, -1), (0.001, -3)])
def test_torques_in_other_units_are_warned_about(factor, power):
    robot = elbow()
    log = measured(robot, 1, positions_only=False)
    with pytest.warns(GearwrightWarning, match=rf"'j2'.*10\^{power} "):
        identify(robot, replace(log, tau=log.torques * factor))


def test_noise_where_no_torque_is_expected_is_no_wrong_unit():
    """The first joint's upright axis stands still: gravity asks nothing of it, and its sensor shows only noise."""
    robot = elbow()
    log = measured(robot, 1, positions_only=False)
    only_last = np.array([0.0, 0.0, 1.0])
    q, v, a = (np.asarray(x) * only_last for x in (log.q, log.v, log.a))
    a = a + np.array([1e-7, 0.0, 0.0])
    tau = gw.inverse_dynamics(gw.assemble(robot), q, v, a)
    tau[:, 0] += np.random.default_rng(0).normal(size=len(tau))
    found = identify(robot, Log(log.t, q, tau, v, a))  # a warning would be an error here
    assert found.unidentified


def test_torques_that_were_never_measured_are_refused():
    robot = elbow()
    log = measured(robot, 1, positions_only=False)
    with pytest.raises(InputError, match=r"torque.*zero"):
        identify(robot, replace(log, tau=log.torques * 0.0))


def test_errors_where_no_force_acts_count_over_all():
    """A floating base: nothing to divide by."""
    t, tau = np.arange(2.0), np.array([[0.0, 3.0], [0.0, 4.0]])
    check = Validation(("base", "joint"), t, tau, tau + np.array([0.5, 0.0]))
    assert check.relative_errors == pytest.approx({"base": 0.5 * np.sqrt(2) / 5, "joint": 0.0})


def test_degrees_are_warned_about():
    robot = elbow()
    log = measured(robot, 1, positions_only=False)
    with pytest.warns(GearwrightWarning, match="degrees"):
        identify(robot, replace(log, q=np.degrees(log.q)))


def test_too_few_samples():
    robot = elbow()
    with pytest.raises(InputError, match=r"15 samples.*\b20\b"):
        identify(robot, measured(robot, 1, samples=15))
    short = measured(robot, 1, samples=8, positions_only=False)
    with pytest.raises(InputError, match=r"\b24 .*\b26 "):
        identify(robot, short)


def test_a_motion_of_one_joint_says_what_it_cannot_show():
    robot = elbow()
    mech = gw.assemble(robot)
    log = measured(robot, 1, positions_only=False)
    still = np.array([1e-9, 1e-9, 1.0])  # encoders are never quite silent
    q, v, a = (np.asarray(x) * still for x in (log.q, log.v, log.a))
    found = identify(robot, Log(log.t, q, gw.inverse_dynamics(mech, q, v, a), v, a))
    assert any("j1.rotor.J" in name for name in found.unidentified)
    assert "j2.viscous" in found.unidentified
    assert all(name in found.remarks[0] for name in found.unidentified)
    assert "link3.Izz" in " ".join(found.names)
    assert np.isfinite(found.standard_deviations).all()


def test_holes_and_cutoffs():
    robot = elbow()
    log = measured(robot, 1)
    rows = np.r_[0:500, 700:1500]
    torn = Log(log.times[rows], log.q[rows], log.tau[rows])
    with pytest.raises(InputError, match=r"\b1\.3"):
        identify(robot, torn)
    with pytest.raises(InputError, match=r"cutoff .*\b100 Hz"):
        identify(robot, log, cutoff=100.0)


def test_shapes_and_options():
    robot = elbow()
    log = measured(robot, 1, samples=60)
    with pytest.raises(InputError, match=r"\bq\b.*\b2 columns"):
        identify(robot, replace(log, q=log.q[:, :2]))
    with pytest.raises(InputError, match=r"\brow"):
        replace(log, tau=log.tau[:10])
    with pytest.raises(InputError, match="method='magic'"):
        identify(robot, log, method="magic")
    with pytest.raises(InputError, match=r"'motor'.*'link'"):
        identify(robot, log, side="both")
    with pytest.raises(InputError, match=r"friction=\('air',\)"):
        identify(robot, log, friction=("air",))
    with pytest.raises(InputError, match=r"\bLog\b"):
        identify(robot, "log.csv")
    with pytest.raises(InputError, match=r"robot_or_mech=|robot=|mech="):
        identify("elbow", log)
    with pytest.raises(InputError, match=r"'link9\.m'"):
        TorqueModel(gw.assemble(robot), without=("link9.m",))
    with pytest.raises(InputError, match=r"\(60, 2\).*\(T, 3\).*j1, j2, j3"):
        log_of_currents(robot, log.t, log.q, log.tau[:, :2])
    with pytest.raises(InputError, match=r"fit_consistent: nominal_deviation=0\.0"):
        fit_consistent(identify(robot, measured(robot, 1, positions_only=False)), nominal_deviation=0.0)
    with pytest.raises(InputError, match=r"50 s and 60 s.*9\.83333 s"):
        log.between_times(50.0, 60.0)


def test_free_joints_need_measured_speeds():
    body = gw.Body("box", joint="free", mass=1, inertia=np.eye(3))
    log = Log(np.arange(30) * 0.1, np.tile([0, 0, 0, 1.0, 0, 0, 0], (30, 1)), np.zeros((30, 6)))
    with pytest.raises(InputError, match=r"\bv\b"):
        identify(gw.Mechanism([body]), log)


def test_the_solver_is_an_extra(monkeypatch):
    robot = elbow()
    found = identify(robot, measured(robot, 1, positions_only=False))
    monkeypatch.setitem(__import__("sys").modules, "cvxpy", None)
    with pytest.raises(MissingExtraError, match=r"gearwright\[identify\]"):
        fit_consistent(found)
