"""Measured arms: a KUKA KR300 (torques and encoders of motors, encoders of links) and a Staubli TX40 (coupled wrist).

The series are not in this repository; the numbers to exceed are those of a friction-only fit, stated with the data.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.signal import butter, filtfilt

import gearwright as gw
from gearwright.identification import (
    ConsistentFit,
    FrictionTransition,
    Identification,
    Log,
    fit_consistent,
    identify,
    log_of_motors,
    signal_delay,
)
from gearwright.mechanism import Actuator, Body, Mechanism, Spin
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

PAYLOAD_INERTIA = 8.0
"""Nominal inertia of the KR300's payload about its centre [kg m2], stated as unknown: 200 kg of 0.2 m radius."""


def turn_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def turn_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def tensor(xx, xy, xz, yy, yz, zz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def r_squared(measured, predicted):
    return 1 - np.sum((measured - predicted) ** 2, axis=0) / np.sum((measured - measured.mean(axis=0)) ** 2, axis=0)


def kr300(data) -> Robot:
    """Standard Denavit-Hartenberg frames, upside down at the base."""
    links, drives, rotation, position, parent = [], [], turn_x(np.pi), np.zeros(3), "base"
    for k, link in enumerate(data["links"]):
        tilt, end = turn_x(link["alpha"]), np.array([link["a"], 0, link["d"]])
        I = tensor(*(link["inertia_com"][word] for word in ("xx", "xy", "xz", "yy", "yz", "zz")))
        joint = Joint(f"j{k + 1}", rotation=rotation @ turn_z(data["home"][k] + link["dh_offset"]), position=position)
        links.append(
            Link(
                link["name"],
                parent,
                joint,
                link["mass"],
                end + tilt @ np.array(link["com"]),
                tilt @ I @ tilt.T + (PAYLOAD_INERTIA * np.eye(3) if k == 5 else 0.0),
            )
        )
        drives.append(Drive(f"j{k + 1}", Motor(link["rotor_inertia"]), Gear(link["ratio"])))
        rotation, position, parent = tilt, end, link["name"]
    return Robot("kr300", links, drives)


def counterbalance(data, q2):
    """Torque of the gas cylinder between links 1 and 2 that the motor has to bring [Nm]."""
    c = data["counterbalance"]
    D, k, delta = c["D"], c["k"], q2 + data["home"][1] + c["angle_offset"]
    length = np.sqrt(D**2 + k**2 - 2 * D * k * np.cos(delta))
    area = np.pi * (c["piston_diameter"] ** 2 - c["rod_diameter"] ** 2) / 4
    gas = c["Z"] * c["R_gas"] * c["temperature"] * c["gas_mass"]
    return D * k * np.sin(delta) / length * gas / (c["gas_volume"] - (length - D + k) * area) * area


class HeavyArm(NamedTuple):
    """The KR300, its log without the counterbalance, the torques of the counterbalance (T, 6) [Nm], and the run."""

    robot: Robot
    log: Log
    known: np.ndarray
    run: np.ndarray
    links: list[dict]

    @property
    def ratios(self) -> np.ndarray:
        return np.array([link["ratio"] for link in self.links])


def heavy_arm(reference: Path) -> HeavyArm:
    """Run A with motor torques filtered at 10 Hz with zero phase."""
    folder = reference / "measured" / "kr300"
    data = json.loads((folder / "parameters.json").read_text())
    run = np.genfromtxt(folder / "run_A.csv", delimiter=",", names=True)
    robot, ratios = kr300(data), np.array([link["ratio"] for link in data["links"]])
    q, tau = (np.stack([run[f"{word}{k}"] for k in range(1, 7)], axis=1) for word in ("q_motor", "tau_motor"))
    log = log_of_motors(robot, run["t"], q * ratios, filtfilt(*butter(2, 10 / 125), tau, axis=0))
    known = np.zeros_like(q)
    known[:, 1] = counterbalance(data, q[:, 1])
    return HeavyArm(robot, Log(run["t"], log.q, log.torques - known), known, run, data["links"])


PRESLIDING = FrictionTransition(presliding=1e-4)
"""Displacement of the joints over which friction builds up [rad]."""


def heavy_fit(arm: HeavyArm) -> tuple[ConsistentFit, np.ndarray]:
    """A physically consistent fit near CAD, and R2 of its motor torques."""
    with pytest.warns(gw.errors.GearwrightWarning):  # residuals at rest are not white
        estimate = identify(arm.robot, arm.log, cutoff=10.0, transition=PRESLIDING)
    fit = fit_consistent(estimate, nominal_deviation=0.1)
    result = fit.validate(arm.log)
    inside = (result.t >= 0.4) & (result.t <= 9.6)
    known = arm.known[np.searchsorted(arm.run["t"], result.t)]
    measured, predicted = ((x + known)[inside] / arm.ratios for x in (result.measured, result.predicted))
    return fit, r_squared(measured, predicted)


def cross_validated_rms(arm: HeavyArm, transition: FrictionTransition, nominal_deviation: float) -> np.ndarray:
    """Rms error [Nm at the motors] of five parts of the run, each predicted by a fit to the other four."""
    full = arm.log.with_derivatives(gw.assemble(arm.robot), 10.0)
    t = np.asarray(full.times)
    inside, edges, squares, count = (t >= 0.4) & (t <= 9.6), np.linspace(0.4, 9.6, 6), np.zeros(6), 0

    def rows(mask: np.ndarray) -> Log:
        columns = (np.asarray(x)[mask] for x in (full.q, full.torques, full.v, full.a))
        return Log(0.004 * np.arange(mask.sum()), *columns)

    for begin, end in itertools.pairwise(edges):
        part = inside & (t >= begin) & (t < end)
        estimate = identify(arm.robot, rows(inside & ~part), transition=transition)
        warmed = inside & (t >= begin - 1.0) & (t < end)  # presliding depends on the motion before
        result = fit_consistent(estimate, nominal_deviation).validate(rows(warmed))
        error = ((result.measured - result.predicted) / arm.ratios)[-part.sum() :]
        squares, count = squares + np.sum(error**2, axis=0), count + len(error)
    return np.sqrt(squares / count)


@pytest.fixture
def heavy(reference):
    return heavy_arm(reference)


@pytest.mark.parametrize(("axis", "share"), [(1, 0.99), (2, 0.97), (3, 0.97)])
def test_link_encoders_of_the_kr300_are_three_milliseconds_late(heavy, axis, share):
    found = signal_delay(heavy.run["t"], heavy.run[f"q_motor{axis}"], heavy.run[f"q_link{axis}"])
    assert found.delay == pytest.approx(3.0e-3, abs=0.1e-3)
    assert found.explained > share
    assert np.ptp(found.remaining) < 0.7e-3


FRICTION_ONLY_R_SQUARED = np.array([0.97, 0.94, 0.87, 0.93, 0.96, 0.98])
"""R2 of the KR300's motor torques with CAD values and friction alone, stated with the data."""


def test_torques_of_the_kr300_with_presliding_near_cad(heavy):
    """R2 of motor torques above friction alone on every axis, 0.95 on average."""
    fit, quality = heavy_fit(heavy)
    assert (quality > FRICTION_ONLY_R_SQUARED).all()
    assert quality.mean() > 0.95
    assert all(np.linalg.eigvalsh(pseudo).min() > 0 for pseudo in fit.pseudo_inertias())
    for link, drive in zip(heavy.links, heavy.robot.drives, strict=True):
        assert fit.values[f"{drive.title}.motor.inertia"] == pytest.approx(link["rotor_inertia"], rel=0.35)
        assert fit.values[f"{link['name']}.m"] == pytest.approx(link["mass"], rel=0.25)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
def test_parts_of_the_kr300_run_that_are_not_fitted_are_predicted_better_than_by_friction_alone(heavy):
    """More unknowns do not fit the noise: five-fold cross-validation within the run."""
    found = cross_validated_rms(heavy, PRESLIDING, 0.1)
    friction_alone = cross_validated_rms(heavy, FrictionTransition(speed=0.005), 0.01)
    assert (found < 0.9 * friction_alone).all()


def tx40(data) -> Mechanism:
    """Modified Denavit-Hartenberg frames; motor 6 turns with the sum of joints 5 and 6."""
    published, N = data["published"]["birdy"], np.array(data["motor_map"]["N"], dtype=float)
    offsets = data["frames"]["theta_offset_of_recorded_angles"]
    names, bodies, spins = [f"l{k + 1}" for k in range(6)], [], []
    inertias = np.array(published["rotor_inertia_joint_side"]) / np.diag(N) ** 2
    for k, name in enumerate(names):
        tilt, mass = turn_x(data["alpha"][k]), published["mass"][k]
        com = np.array(published["first_moment"][k]) / mass
        about_origin = tensor(*published["inertia_about_frame_origin_xx_xy_xz_yy_yz_zz"][k])
        bodies.append(
            Body(
                name,
                names[k - 1] if k else "base",
                rotation=tilt @ turn_z(offsets[k]),
                position=np.array([data["a"][k], 0, 0]) + tilt @ np.array([0, 0, data["d"][k]]),
                mass=mass,
                com=com,
                inertia=about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com)),
                effective=True,
            )
        )
        row = {names[i]: N[k, i] for i in range(6) if N[k, i]}
        spins.append(Spin(f"m{k + 1}.rotor", names[k - 1] if k else "base", (0, 0, 1), inertias[k], row, coupling=0.0))
    return Mechanism(bodies, spins, actuators=[Actuator(f"m{k + 1}", tuple(N[k])) for k in range(6)])


def tx40_fit(reference: Path) -> tuple[Identification, np.ndarray]:
    """A fit of the first three quarters of the log, and R2 of the torques of the last one."""
    folder = reference / "measured" / "tx40"
    mech = tx40(json.loads((folder / "parameters.json").read_text()))
    run = np.genfromtxt(folder / "log.csv", delimiter=",", names=True)
    angles, torques = (
        np.stack([run[f"{word}{k}"] for k in range(1, 7)], axis=1) for word in ("motor_angle", "motor_torque")
    )
    train, held_out = log_of_motors(mech, run["t"], angles, torques).split(0.75)
    with pytest.warns(gw.errors.GearwrightWarning):
        estimate = identify(mech, train, cutoff=60.0, transition=FrictionTransition(0.02))
    result = estimate.validate(held_out)
    return estimate, r_squared(result.measured, result.predicted)


def test_torques_of_the_tx40_with_its_coupled_wrist(reference):
    """The last quarter of the log, which is not fitted; without the coupling joint 5 would be far below zero."""
    estimate, quality = tx40_fit(reference)
    assert (quality > [0.99, 0.98, 0.97, 0.98, 0.97, 0.97]).all()
    found = dict(zip(estimate.columns, estimate.values, strict=True))
    assert 32**2 * found["m6.motor.viscous"] == pytest.approx(0.7, rel=0.4)  # published: 0.616 and 0.8 Nms/rad
