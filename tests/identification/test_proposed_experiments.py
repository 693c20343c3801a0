"""Exciting inputs of runs, and experiments that are proposed for what a log does not determine: each is carried out."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.forces import VoltageServo
from gearwright.forces.robot_lines import motor_line
from gearwright.identification import RunExcitationOptions, RunFitOptions, RunLog, Unknown, excite_run, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Limits, Link, Motor, Robot

LIMITS = Limits(position=(-0.8, 0.8), speed=6.0)
LINK = Link("arm", joint=Joint("j", axis=(0, 1, 0), limits=LIMITS), mass=0.1, com=(0, 0, -0.1))
BENCH = Robot(
    "bench",
    [LINK],
    [Drive("j", Motor(2e-3, friction=Friction(coulomb=0.01, viscous=1e-3)), Gear(1.0))],
    gravity=(0, 0, 0),
)
SERVO = VoltageServo(
    "servo", motor_line(gw.assemble(BENCH), "j"), kp=3.0, torque_constant=0.3, resistance=4.0, supply_voltage=7.4
)
NOISE = 1e-3
NAMES = {"servo.kp": 3.0, "j.motor.inertia": 2e-3, "j.motor_friction.viscous": 1e-3, "j.motor_friction.coulomb": 0.01}

SHORT = RunExcitationOptions(duration=0.5, candidates=5, generations=0)
THREE = ("servo.kp", "j.motor.inertia", "j.motor_friction.viscous")


def measured(t, goal, seed=0, robot=BENCH, noise=NOISE) -> RunLog:
    """A log of goal and noisy position, simulated with short steps."""
    every = round((t[1] - t[0]) / 1e-4)
    steps = (len(t) - 1) * every
    fine = np.interp(0.5e-4 * np.arange(2 * steps + 1), t, goal)
    run = gw.rollout(
        robot,
        [0.0],
        [0.0],
        steps,
        1e-4,
        method="moreau",
        extra_laws=[SERVO],
        inputs={"servo.goal": fine},
        options=gw.analysis.RolloutOptions(every=every),
    )
    q = run.q[:, 0] + noise * np.random.default_rng(seed).standard_normal(len(t))
    return RunLog(t, {"servo.goal": goal}, {"q.j": q})


def sinusoid(frequency, amplitude=0.4, until=3.0):
    t = 5e-3 * np.arange(round(until / 5e-3) + 1)
    return t, amplitude * np.sin(2 * np.pi * frequency * t)


def fitted(logs, names, robot=BENCH, **options):
    unknowns = [Unknown(name, None, 0.1 * NAMES[name], 10 * NAMES[name]) for name in names]
    return fit_run(
        robot, logs, unknowns, extra_laws=[SERVO], options=RunFitOptions(loss="linear", horizons=(), **options)
    )


@pytest.fixture(scope="module")
def slow_log():
    return measured(*sinusoid(0.3))


def test_a_frequency_is_proposed_and_determines_what_the_log_does_not(slow_log) -> None:
    """Gain and viscous friction of a slow motion; the fit of both logs has about the deviation that was stated."""
    names = THREE
    fit = fitted([slow_log], names)
    assert "j.motor_friction.viscous" in fit.information.poorly_determined
    (proposal,) = fit.information.proposals
    assert proposal in fit.information.remarks
    found = re.search(r"excite servo\.goal (?:near|above) .*amplitude ([\d.]+); .* ([\d.]+) % at ([\d.]+) Hz", proposal)
    amplitude, deviation, frequency = map(float, found.groups())
    both = fitted([slow_log, measured(*sinusoid(frequency, amplitude), seed=1)], names)
    assert not both.information.proposals
    relative = {name: both.deviations[name] / both[name] for name in names}
    assert 0.3 * deviation < 100 * relative["j.motor_friction.viscous"] < 3 * deviation


def test_a_mass_is_proposed_where_no_frequency_helps() -> None:
    """Without gravity and saturation, gain, inertia and frictions have one factor in common; a mass gives the scale."""
    motion, noise = sinusoid(1.0, 0.05), 2e-5
    fit = fitted([measured(*motion, noise=noise)], NAMES)
    (proposal,) = fit.information.proposals
    assert "servo.kp" in proposal
    assert "j.motor.inertia" in proposal
    assert "excite" not in proposal
    mass = float(re.search(r"add ([\d.]+) kg", proposal)[1])
    loaded = BENCH.with_payload(mass, (0, 0, -0.1))
    logs = [
        replace(measured(*motion, k, robot, noise), numbers={"payload.mass": kg})
        for k, (robot, kg) in enumerate([(BENCH, 1e-9), (loaded, mass)])
    ]
    with_mass = fitted(logs, NAMES, robot=loaded)
    assert with_mass["servo.kp"] == pytest.approx(3.0, rel=0.02)
    assert with_mass.deviations["servo.kp"] < 0.1 * with_mass["servo.kp"]
    assert not fitted([measured(*motion, noise=noise)], NAMES, proposals=False).information.proposals


def test_a_signal_is_proposed_and_what_nothing_separates_is_said(slow_log) -> None:
    fit = fit_run(BENCH, [slow_log], ["servo.kp", "servo.torque_constant", "servo.resistance"], extra_laws=[SERVO])
    assert any("measure servo." in proposal for proposal in fit.information.proposals)
    inertias = [Unknown("j.motor.inertia", 2e-3, 1e-5, 1e-2), Unknown("arm.inertia.yy", 1e-3, 1e-5, 1e-2)]
    (proposal,) = fit_run(BENCH, [slow_log], inertias, extra_laws=[SERVO]).information.proposals
    assert proposal.startswith("To distinguish j.motor.inertia")
    assert "excite" not in proposal
    assert "add" not in proposal.split(":")[1].split("no added")[0]


def excitation(**changes):
    options = {"duration": 2.0, "bandwidth": 8.0, "candidates": 16, "generations": 8, **changes}
    inputs, noise = {"servo.goal": (-0.8, 0.8)}, {"q.j": NOISE}
    return excite_run(BENCH, THREE, inputs, noise, extra_laws=[SERVO], options=RunExcitationOptions(**options))


def test_exciting_inputs_keep_the_limits_and_a_fit_has_the_expected_deviations(tmp_path) -> None:
    """The limits of the joint, and a stated one of the current; deviations of a fit of the noisy experiment."""
    best = excitation(limits={"servo.current": (-0.6, 0.6)})
    log = measured(best.t, best.inputs["servo.goal"])
    assert np.abs(best.inputs["servo.goal"]).max() <= 0.8
    assert np.abs(log.measured["q.j"]).max() < 0.8 + 5 * NOISE
    assert np.abs(np.gradient(best.predicted["q.j"], best.t)).max() < 6.0 * 1.02
    assert np.abs(best.predicted["servo.current"]).max() <= 0.6
    fit = fitted([log], best.deviations)
    for name, deviation in best.deviations.items():
        assert fit.deviations[name] == pytest.approx(deviation, rel=0.35), name
        assert abs(fit[name] - NAMES[name]) < 4 * deviation, name
    best.save(tmp_path / "goal.csv")
    table = np.genfromtxt(tmp_path / "goal.csv", delimiter=",", names=True, deletechars="")
    assert table["servo.goal"] == pytest.approx(best.inputs["servo.goal"], abs=1e-8)
    best.plot(tmp_path / "goal.png")


def test_the_search_beats_the_sinusoids_that_keep_the_limits() -> None:
    """The worst-determined combination of unknowns; sinusoids of several frequencies and amplitudes."""
    best = max(excitation().relative.values())
    for frequency, amplitude in ((0.5, 0.7), (1.0, 0.5), (2.0, 0.2), (3.0, 0.1), (8.0, 0.3)):
        log = measured(*sinusoid(frequency, amplitude, 2.0), noise=0.0)
        q = log.measured["q.j"]
        assert np.abs(q).max() < 0.8
        assert np.abs(np.gradient(q, log.t)).max() < 6.0
        J = derivatives(log)
        assert best < np.sqrt(np.linalg.inv(J.T @ J).diagonal().max()), (frequency, amplitude)


def derivatives(log):
    """By relative changes of the unknowns, in standard deviations of the position, without its initial state."""
    fit = fitted([log], THREE, evaluations=1, proposals=False)
    (output,) = fit.problem.simulator.simulate(NAMES, fit.problem.simulator.windows(np.inf), True)
    whole = np.hstack([output.slopes["q.j"] * [NAMES[name] for name in THREE], output.start_slopes["q.j"]]) / NOISE
    starts = whole[:, len(THREE) :]
    return whole[:, : len(THREE)] - starts @ np.linalg.lstsq(starts, whole[:, : len(THREE)], rcond=None)[0]


def test_reference_motions_of_a_controller_are_found_with_their_speeds() -> None:
    control = gw.control.pd(BENCH, [0.0], kp=2.0, kd=0.05, gravity=False)
    options = RunExcitationOptions(
        duration=2.0, bandwidth=5.0, candidates=8, generations=2, criterion="d-optimal", start={"q.j": 0.0}
    )
    best = excite_run(
        BENCH, ["pd.kp.0", "pd.kd.0"], {"q_ref.j": (-0.5, 0.5)}, {"q.j": NOISE}, controller=control, options=options
    )
    q, v = best.inputs["q_ref.j"], best.inputs["v_ref.j"]
    assert np.abs(np.gradient(q, best.t) - v).max() < 1e-9
    assert abs(q[0]) < 1e-12
    assert max(best.relative.values()) < 0.1
    assert "pd.kp.0" in str(best)


@pytest.mark.parametrize("name", ["offset.q.j", "delay"])
def test_unknowns_that_are_zero_are_compared_with_a_range(name) -> None:
    """They have no relative change; their deviations are those without a scale."""
    options = replace(SHORT, duration=2.0, criterion="d-optimal")
    best = excite_run(
        BENCH,
        [*THREE, name],
        {"servo.goal": (-0.8, 0.8)},
        {"q.j": NOISE},
        extra_laws=[SERVO],
        options=options,
    )
    assert 0 < best.deviations[name] < 10 * NOISE
    assert best.relative[name] < 0.1
    assert best.deviations["servo.kp"] < 0.5 * NAMES["servo.kp"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"inputs": {}}, "input"),
        ({"unknowns": ["arm.com.x"]}, r"arm\.com\.x.*bounds"),
        ({"measured": {"load": 1e-3}}, r"'load'(?!.*jamming)"),
        ({"inputs": {"servo.gaol": (-1, 1)}}, r"servo\.gaol"),
        ({"inputs": {"servo.goal": (1, -1)}}, r"servo\.goal.*lower"),
        ({"inputs": {"servo.goal": 3.0}}, r"servo\.goal"),
        ({"measured": {"q.k": 1e-3}}, r"q\.k"),
        ({"measured": {"q.j": 0.0}}, r"q\.j"),
        ({"unknowns": ["servo.kq"]}, r"servo\.kq"),
        (
            {"options": RunExcitationOptions(duration=0.5, limits={"q.j": (0.1, 0.2)}, candidates=5, generations=0)},
            "limit",
        ),
    ],
)
def test_bad_experiments_are_refused_by_name(change, text) -> None:
    arguments = {
        "unknowns": ["servo.kp"],
        "inputs": {"servo.goal": (-0.5, 0.5)},
        "measured": {"q.j": NOISE},
        "options": SHORT,
        **change,
    }
    with pytest.raises(InputError, match=f"^(?!fit_run).*{text}"):
        excite_run(BENCH, **arguments, extra_laws=[SERVO])
