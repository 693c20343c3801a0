"""Fits of numbers to logs of runs: synthetic logs, what cannot be known, bad logs, and a measured servo."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import gearwright as gw
from gearwright.errors import FileError, InputError
from gearwright.forces import DryFriction, Line, VoltageServo
from gearwright.forces.robot_lines import motor_line
from gearwright.identification import RunFit, RunFitOptions, RunLog, Unknown, fit_run, read_run_log
from gearwright.identification.run_fit.fit_problem import LOSSES, WindowRows
from gearwright.identification.run_fit.run_log import clock_delay
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Motor, Robot, Torsion

ARM = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1.0, com=(0, 0, -0.3), inertia=0.01 * np.eye(3))])
TRUE = {"arm.mass": 1.2, "arm.friction.coulomb": 0.23, "arm.friction.viscous": 0.031}
BOUNDS = {"arm.mass": (0.3, 5.0), "arm.friction.coulomb": (1e-3, 2.0), "arm.friction.viscous": (1e-4, 1.0)}


def friction(coulomb: float = 0.1, viscous: float = 0.05) -> DryFriction:
    return DryFriction(
        "arm.friction", Line.for_machine(ARM, "arm"), friction=Friction(coulomb=coulomb, viscous=viscous)
    )


def synthetic_log(noise: float = 1e-3, seed: int = 0, duration: float = 3.0, name: str = "log") -> RunLog:
    """A log simulated with ten times the step of the fit, inputs known at the sampling times."""
    generator = np.random.default_rng(seed)
    step, every = 1e-4, 50
    steps = round(duration / step)
    t = step * (np.arange(2 * steps + 1) / 2)
    phases = generator.uniform(0, 2 * np.pi, 2)
    torque = 1.5 * np.sin(4.4 * t + phases[0]) + 1.0 * np.sin(11.9 * t + phases[1])
    motion = gw.rollout(
        ARM,
        [0.2],
        [0.0],
        steps,
        step,
        method="moreau",
        laws=[friction()],
        inputs=torque[:, None],
        options=gw.analysis.RolloutOptions(every=every),
        parameters=TRUE,
    )
    q = motion.q[:, 0] + noise * generator.standard_normal(len(motion.t))
    return RunLog(motion.t, {"tau.arm": np.interp(motion.t, t, torque)}, {"q.arm": q}, name=name)


def fitted(logs: list[RunLog], **options: object) -> RunFit:
    return fit_run(ARM, logs, BOUNDS, laws=[friction()], options=RunFitOptions(**options))


def test_numbers_of_machine_and_laws_are_found_with_their_intervals() -> None:
    fit = fitted([synthetic_log(seed=k) for k in range(2)], loss="linear")
    for name, value in TRUE.items():
        assert fit[name] == pytest.approx(value, rel=0.02), name
        assert 0 < fit.deviations[name] < 0.02 * value
    assert fit.mean_absolute_error["q.arm"] == pytest.approx(1e-3 * np.sqrt(2 / np.pi), rel=0.2)
    assert not fit.information.poorly_determined
    held = fit.validate([synthetic_log(seed=7)])
    assert held[0].mean_absolute < 1.5e-3
    assert fit.laws[0].friction.coulomb == fit["arm.friction.coulomb"]
    assert {body.name: body.mass for body in fit.robot.bodies}["arm"] == fit["arm.mass"]


def test_the_gradient_is_that_of_the_outputs() -> None:
    """Derivatives of the residuals against central differences of the same engine."""
    fit = fitted([synthetic_log()], evaluations=3)
    problem, windows = fit.problem, fit.problem.simulator.windows(0.8)
    values = np.array([1.1, 0.2, 0.05])
    starts = problem.simulator.measured_starts(windows)

    def rows(x: np.ndarray, slopes: bool = False) -> list[WindowRows]:
        parts = problem.window_rows(x, windows, slopes, starts)
        assert parts is not None
        return parts

    def residuals(x: np.ndarray) -> np.ndarray:
        return np.concatenate([part.residuals for part in rows(x)])

    J = np.concatenate([part.by_values for part in rows(values, True)])
    for k in range(3):
        h = 1e-6 * values[k]
        up, down = values.copy(), values.copy()
        up[k] += h
        down[k] -= h
        difference = (residuals(up) - residuals(down)) / (2 * h)
        assert np.abs(difference - J[:, k]).max() < 1e-5 * np.abs(J[:, k]).max()


def test_what_cannot_be_told_apart_is_said() -> None:
    """Mass and inertia about the axis without gravity, and a number without any effect."""
    disc = gw.Mechanism(
        [gw.Body("disc", axis=(0, 0, 1), mass=1.0, com=(0.2, 0, 0), inertia=0.02 * np.eye(3))], gravity=(0, 0, 0)
    )
    t = np.linspace(0, 2, 401)
    torque = 0.1 * np.sin(5 * t)
    held, sparse = np.repeat(torque[:-1], 5)[:, None], gw.analysis.RolloutOptions(every=5)
    motion = gw.rollout(disc, [0.0], [0.0], 2000, 1e-3, method="moreau", inputs=held, options=sparse)
    log = RunLog(motion.t, {"tau.disc": torque}, {"q.disc": motion.q[:, 0]})
    fit = fit_run(
        disc, [log], {"disc.mass": (0.5, 2.0), "disc.inertia.zz": (0.005, 0.1), "disc.inertia.xx": (0.01, 0.1)}
    )
    text = " ".join(fit.information.remarks)
    assert "disc.inertia.xx" in fit.information.unbounded
    assert "disc.mass" in text
    assert "disc.inertia.zz" in text
    assert {"disc.mass", "disc.inertia.zz", "disc.inertia.xx"} <= set(fit.information.poorly_determined)


def test_inertias_of_rotor_and_link_are_said_to_be_inseparable() -> None:
    """I + n^2 J is all that a joint tells: a small link inertia has an effect, and the rotor's cancels it."""
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3), inertia=1e-3 * np.eye(3))
    robot = Robot("bench", [link], [Drive("j", Motor(1e-4), Gear(20.0))])
    t = np.linspace(0.0, 1.0, 201)
    log = RunLog(t, {"tau.j": 3 * np.sin(9 * t)}, {"q.j": 0.1 * np.sin(9 * t)})
    bounds = {"j.motor.inertia": (1e-5, 1e-2), "arm.inertia.yy": (5e-4, 0.1), "arm.com.y": (-0.1, 0.1)}
    fit = fit_run(robot, [log], bounds, options=RunFitOptions(evaluations=2, horizons=()))
    text = " ".join(fit.information.remarks)
    assert "arm.com.y" in fit.information.unbounded
    assert "arm.inertia.yy" in text
    assert {"j.motor.inertia", "arm.inertia.yy"} <= set(fit.information.poorly_determined)
    assert set(fit.information.unbounded) == set(bounds)
    assert all(fit.intervals[name] == (-np.inf, np.inf) for name in bounds)
    sheet = Unknown("j.motor.inertia", 1e-4, 1e-5, 1e-2, prior=(1e-4, 1e-5))
    others = [Unknown(name, None, *bounds[name]) for name in ("arm.inertia.yy", "arm.com.y")]
    known = fit_run(robot, [log], [sheet, *others], options=RunFitOptions(evaluations=2, horizons=()))
    assert known.information.unbounded == ("arm.com.y",)
    assert 0 < known.deviations["j.motor.inertia"] < 1e-3


def test_what_fails_in_every_start_is_named() -> None:
    """A motion that leaves the range of numbers, and a value that its law refuses."""
    log = synthetic_log(duration=0.5)
    wild = replace(log, inputs={"tau.arm": 1e300 * np.asarray(log.inputs["tau.arm"])})
    with pytest.raises(InputError, match="fit_run") as error:
        fit_run(ARM, [wild], BOUNDS, laws=[friction()], options=RunFitOptions(evaluations=2, horizons=()))
    simulator = fitted([log], evaluations=2, horizons=()).problem.simulator
    assert "v.arm" in str(error.value)
    assert simulator.simulate({**TRUE, "arm.friction.coulomb": -1.0}, simulator.windows(np.inf), False) is None
    assert "coulomb" in simulator.failure


def test_backlash_is_a_number_of_its_law() -> None:
    """As a number of the robot it determines which laws there are, which is said and not called divergence."""
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
    gear = Gear(20.0, stiffness=500.0, damping=1.0, torsion=Torsion(backlash=0.01))
    robot = Robot("bench", [link], [Drive("j", Motor(1e-4), gear)])
    t = np.linspace(0.0, 0.5, 101)
    log = RunLog(t, {"j.torque": 0.1 * np.sin(9 * t)}, {"q.j": 0.1 * np.sin(9 * t)})
    options = RunFitOptions(evaluations=2, horizons=())
    fit = fit_run(robot, [log], {"j.spring.gap": (1e-3, 0.1)}, options=options)
    assert fit.robot.drives[0].gear.torsion.backlash == fit["j.spring.gap"]
    with pytest.raises(InputError, match=r"j\.gear\.torsion\.backlash"):
        fit_run(robot, [log], {"j.gear.torsion.backlash": (1e-3, 0.1)}, options=options)


def test_offset_and_delay_of_the_measurement() -> None:
    log = synthetic_log(noise=2e-4)
    late = replace(log, measured={"q.arm": np.interp(log.times - 0.012, log.times, log.measured["q.arm"]) + 0.05})
    unknowns = [Unknown(name, None, *bounds) for name, bounds in BOUNDS.items()]
    extra = [Unknown("offset.q.arm", 0.0, -0.2, 0.2), Unknown("delay", 0.0, -0.03, 0.03)]
    fit = fit_run(ARM, [late], [*unknowns, *extra], laws=[friction()])
    assert fit["delay"] == pytest.approx(0.012, abs=1e-3)
    assert fit["offset.q.arm"] == pytest.approx(0.05, abs=2e-3)
    plain = fit_run(ARM, [late], ["arm.mass"], laws=[friction(0.23, 0.031)])
    assert plain["arm.mass"] > 0
    for name in ("offset.q.arm", "delay"):
        grid, rise = fit.profile(name, points=3, width=20.0)
        assert grid[1] == pytest.approx(fit[name], rel=1e-9)
        assert abs(rise[1]) < 1e-3
        assert min(rise[0], rise[2]) > 1.92, name


def test_priors_and_bounds_act() -> None:
    log = synthetic_log()
    held = fit_run(
        ARM, [log], [Unknown("arm.mass", 1.0, 0.5, 2.0, prior=(1.0, 1e-9)), "arm.friction.coulomb"], laws=[friction()]
    )
    assert held["arm.mass"] == pytest.approx(1.0, abs=1e-6)
    clipped = fit_run(ARM, [log], {"arm.mass": (0.5, 1.1)}, laws=[friction(0.23, 0.031)])
    assert any("bound" in remark for remark in clipped.remarks)


def test_signals_of_laws_are_outputs_too() -> None:
    """Torque constant and resistance of a servo from position and current."""
    robot, servo = servo_bench()
    inputs = {"servo.goal": lambda t: 0.6 * np.sin(3 * t), "servo.supply": lambda t: 7.4 + 0 * t}
    run = gw.simulate(
        robot, [0.0], 2.0, extra_laws=[servo], inputs={name: f for name, f in inputs.items()}, samples=401
    )
    log = RunLog(
        run.t,
        {name: f(run.t) for name, f in inputs.items()},
        {"q.j": run["q.j"], "servo.current": run["servo.current"]},
        {"servo.kp": float(servo.kp)},
    )
    start = replace(servo, torque_constant=0.3, resistance=4.0)
    fit = fit_run(
        robot, [log], {"servo.torque_constant": (0.1, 1.0), "servo.resistance": (0.5, 10.0)}, extra_laws=[start]
    )
    assert fit["servo.torque_constant"] == pytest.approx(0.38, rel=0.01)
    assert fit["servo.resistance"] == pytest.approx(3.0, rel=0.01)
    assert fit.extra_laws[0].resistance == fit["servo.resistance"]


def test_an_interrupted_fit_is_resumed(tmp_path: Path) -> None:
    log, store, shares = synthetic_log(duration=1.0), tmp_path / "fit.json", []
    first = fitted([log], starts=2, store=store, progress=shares.append)
    assert shares[-1] == pytest.approx(1.0)
    again = fitted([log], starts=2, store=store, progress=shares.append)
    assert again.values == first.values
    assert shares[-1] == pytest.approx(1.0)
    with pytest.raises(InputError, match="unknowns"):
        fit_run(ARM, [log], ["arm.mass"], laws=[friction()], options=RunFitOptions(store=store))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"[[" * 9_999,
        b"\xff",
        b'{"unknowns": ["arm.mass"], "starts": 3}',
        b'{"unknowns": ["arm.mass"], "starts": [3]}',
        *(
            b'{"unknowns": ["arm.mass"], "starts": [{"cost": 1, "is_explained": true, "values": %s, "starts": %s, '
            b'"horizon": %s, "step": %s}]}' % numbers
            for numbers in (
                (b'["x"]', b"[]", b"null", b"6e-4"),
                (b"[1e999]", b"[]", b"null", b"6e-4"),
                (b"[1.0]", b"[[1.0]]", b"null", b"6e-4"),
                (b"[1.0]", b"[]", b"-1.0", b"6e-4"),
                (b"[1.0]", b"[]", b"1e-9", b"6e-4"),
                (b"[1.0]", b"[]", b"null", b"0"),
                (b"[1.0]", b"[]", b"null", b"1e-12"),
                (b"[1.0]", b"[]", b"null", b"6e-4"),
            )
        ),
    ],
)
def test_a_store_that_is_none_is_refused(content: bytes, tmp_path: Path) -> None:
    store = tmp_path / "fit.json"
    store.write_bytes(content)
    with pytest.raises(FileError, match=r"fit\.json"):
        fit_run(ARM, [synthetic_log(duration=0.3)], ["arm.mass"], laws=[friction()], options=RunFitOptions(store=store))


def test_the_store_of_another_log_or_robot_is_refused(tmp_path: Path) -> None:
    """Equal names of unknowns are not enough: the stored cost must be that of the stored values here."""
    log, store = synthetic_log(duration=0.3), tmp_path / "fit.json"
    options = RunFitOptions(store=store, evaluations=3)
    fit_run(ARM, [log], ["arm.mass"], laws=[friction()], options=options)
    with pytest.raises(FileError, match=store.name):
        fit_run(ARM, [synthetic_log(seed=5, duration=0.3)], ["arm.mass"], laws=[friction()], options=options)
    with pytest.raises(FileError, match=store.name):
        fit_run(ARM, [log], ["arm.mass"], laws=[friction(0.3, 0.2)], options=options)
    with pytest.raises(FileError, match=store.name):
        fit_run(ARM, [log], ["arm.mass"], laws=[friction()], options=replace(options, loss="linear"))


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
def test_losses_are_those_of_the_search(loss: str) -> None:
    """The cost and its weights against SciPy's, on residuals on both sides of the threshold."""
    residuals = np.array([-3.0, -0.9, 0.0, 0.5, 1.5, 5.0])
    found = scipy.optimize.least_squares(lambda x: residuals + x[0], [0.0], loss=loss, max_nfev=1)
    z = residuals**2
    assert 0.5 * LOSSES[loss].rho(z).sum() == pytest.approx(found.cost, rel=1e-14)
    h = 1e-6
    difference = (LOSSES[loss].rho(z + h) - LOSSES[loss].rho(np.maximum(z - h, 0))) / (z + h - np.maximum(z - h, 0))
    assert LOSSES[loss].slope(z) == pytest.approx(difference, rel=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"starts": 0},
        {"evaluations": 0},
        {"seed": -1},
        {"loss": "l7"},
        {"step": 0.0},
        {"step": 1e3},
        {"step": 1e-14},
        {"horizons": [-1.0]},
        {"horizons": [0.0]},
        {"horizons": [np.nan]},
        {"horizons": [1e-9]},
        {"scales": {"q.arm": 0.0}},
        {"scales": {"q.arm": np.nan}},
        {"scales": {"q.amr": 1.0}},
        {"scales": {"q.arm": 1e-300}},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    word = next(iter(options))
    with pytest.raises(InputError, match=word.rstrip("s")):
        fit_run(ARM, [synthetic_log(duration=0.3)], ["arm.mass"], laws=[friction()], options=RunFitOptions(**options))


@pytest.mark.parametrize(
    "unknown",
    [{"prior": (1.0, 0.0)}, {"prior": (1.0, -1.0)}, {"prior": (np.nan, 1.0)}, {"start": np.inf}, {"start": np.nan}],
)
def test_unknowns_out_of_range_are_refused(unknown: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"'arm\.mass'.*" + next(iter(unknown))):
        Unknown("arm.mass", **unknown)


def test_logs_of_too_many_steps_and_numbers_that_are_unknown_are_refused() -> None:
    log = synthetic_log(duration=0.3)
    times = np.array(log.times)
    times[-1] = 1e7
    for broken, word in (
        (replace(log, t=times), "steps"),
        (replace(log, numbers={"arm.mass": 1.0}), r"arm\.mass"),
    ):
        with pytest.raises(InputError, match=word):
            fit_run(ARM, [broken], ["arm.mass"], laws=[friction()])
    with pytest.raises(InputError, match=r"arm\.mass"):
        replace(log, numbers={"arm.mass": np.nan})
    with pytest.raises(InputError, match=r"q\.arm"):
        replace(log, measured={"q.arm": np.full(len(times), 1e200)})
    fit = fit_run(ARM, [log], ["arm.mass"], laws=[friction()], options=RunFitOptions(evaluations=2))
    for call in (
        lambda: fit.predict([]),
        lambda: fit.predict([3]),
        lambda: fit.profile("arm.mass", points=0),
        lambda: fit.profile("arm.mass", width=-1.0),
        lambda: replace(fit, horizon=0.2).profile("arm.mass"),
    ):
        with pytest.raises(InputError):
            call()


def test_profile_and_structures() -> None:
    """The cost rises by half the squared distance in standard deviations; the true structure is preferred."""
    log, exact = synthetic_log(duration=1.5), synthetic_log(noise=0.0, duration=1.5)
    q = np.where(log.times < 0.1, exact.measured["q.arm"], log.measured["q.arm"])
    log = replace(log, measured={"q.arm": q})
    fit = fitted([log], loss="linear", free_starts=False)
    grid, rise = fit.profile("arm.mass", points=5, width=2.0)
    sigmas = (grid - fit["arm.mass"]) / fit.deviations["arm.mass"]
    assert rise == pytest.approx(0.5 * sigmas**2, rel=0.25, abs=0.05)
    poorer = fit_run(
        ARM, [log], {"arm.mass": (0.3, 5.0), "arm.friction.viscous": (1e-4, 1.0)}, laws=[friction(1e-6, 0.1)]
    )
    assert fit.information_criterion < poorer.information_criterion


def test_report_page(tmp_path: Path) -> None:
    fit = fitted([synthetic_log(duration=1.0)])
    page = fit.report(tmp_path / "twin", [synthetic_log(seed=3, duration=1.0, name="other")])
    text = page.read_text(encoding="utf-8")
    assert "arm.friction.coulomb" in text
    assert "Validation" in text
    assert f"information criterion: {fit.information_criterion:.1f}" in text
    assert (page.parent / "validation_1.png").stat().st_size > 1000


def test_bad_logs_are_answered_by_name(tmp_path: Path) -> None:
    log = synthetic_log(duration=1.0, name="run 4")
    q = np.asarray(log.measured["q.arm"])
    cases = {
        r"run 4: 'q\.arm' .*finite": {"measured": {"q.arm": np.where(log.times > 0.5, np.nan, q)}},
        r"run 4: .*'q\.leg'": {"measured": {"q.leg": q}},
        r"run 4: .*'tau\.leg'": {"inputs": {"tau.leg": q}},
        r"run 4: .*constant": {"measured": {"q.arm": 0 * q}},
        r"run 4: .*measured": {"measured": {}},
        r"run 4: 'q\.arm' .*\(\d+,\)": {"measured": {"q.arm": q[:-1]}},
    }
    for message, change in cases.items():
        with pytest.raises(InputError, match=message):
            fitted([replace(log, **change)], evaluations=2)
    with pytest.raises(InputError, match=log.name):
        fitted([log.between(0.0, 0.05)])
    with pytest.raises(InputError, match=r"arm\.friction\.coulombs"):
        fit_run(ARM, [log], ["arm.friction.coulombs"], laws=[friction()])
    with pytest.raises(InputError, match=r"arm\.mass"):
        fit_run(ARM, [log], ["arm.mass", "arm.mass"], laws=[friction()])
    with pytest.raises(InputError, match="log"):
        fit_run(ARM, [], ["arm.mass"])
    with pytest.raises(InputError, match=r"arm\.mass"):
        Unknown("arm.mass", None, 2.0, 1.0)
    path = tmp_path / "bench.csv"
    path.write_text("t,angle\n0,0\n0.1,0.2\n", encoding="utf-8")
    with pytest.raises(InputError, match="'angel'"):
        read_run_log(path, {}, {"q.arm": "angel"})


def test_numbers_of_the_robots_own_laws_are_written_into_the_robot_or_refused() -> None:
    """Friction of the motor has its place in the robot; the losses of a law's table follow from several numbers."""
    motor = Motor(1e-4, damping=1e-4, friction=Friction(coulomb=0.01, viscous=2e-4))
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
    robot = Robot("bench", [link], [Drive("j", motor, Gear(20.0, efficiency=0.8))])
    t = np.linspace(0.0, 0.5, 101)
    log = RunLog(t, {"tau.j": 3 * np.sin(9 * t)}, {"q.j": 0.1 * np.sin(9 * t)})
    options = RunFitOptions(evaluations=1, horizons=())
    names = {"j.motor_friction.coulomb": (1e-4, 1.0), "j.motor_friction.viscous": (1.5e-4, 1.0)}
    fit = fit_run(robot, [log], names, options=options)
    (drive,) = fit.robot.drives
    assert drive.motor.friction.coulomb == fit["j.motor_friction.coulomb"]
    assert drive.motor.friction.viscous + 1e-4 == pytest.approx(fit["j.motor_friction.viscous"], rel=1e-12)
    of_table = fit_run(robot, [log], {"j.gear.table.0.efficiency": (0.5, 0.99)}, options=options)
    with pytest.raises(InputError, match=r"j\.gear\.table\.0\.efficiency"):
        _ = of_table.robot


def test_doubtful_logs_are_remarked() -> None:
    log = synthetic_log(duration=2.0, noise=1e-4)
    q, t = np.asarray(log.measured["q.arm"]), log.times

    def remarks(**change: object) -> str:
        fit = fit_run(ARM, [replace(log, **change)], {"arm.mass": (1.15, 1.25)}, laws=[friction(0.23, 0.031)])
        return " ".join(fit.remarks)

    assert "reversed" in remarks(measured={"q.arm": -(q - q[0]) + q[0]})
    assert "degrees" in remarks(measured={"q.arm": np.rad2deg(q)}) or "degrees" in remarks(
        measured={"q.arm": q[0] + np.rad2deg(q - q[0])}
    )
    assert " ms " in remarks(measured={"q.arm": np.interp(t - 0.03, t, q)})
    keep = (t < 0.8) | (t > 1.0)
    gapped = RunLog(t[keep], {"tau.arm": log.inputs["tau.arm"][keep]}, {"q.arm": q[keep]})
    fit = fit_run(ARM, [gapped], {"arm.mass": (1.15, 1.25)}, laws=[friction(0.23, 0.031)])
    assert any("gap" in remark for remark in fit.remarks)
    assert "saturated" in remarks(measured={"q.arm": np.clip(q, -10, np.quantile(q, 0.75))})


def test_a_delay_is_reported_only_where_it_explains_the_difference() -> None:
    """A prediction of the wrong amplitude is nearer to the signal if it is shifted: a delay does not explain it."""
    t = np.linspace(0.0, 2.0, 401)
    assert clock_delay(t, np.sin(7 * (t - 0.03)), np.sin(7 * t), 0.1) == pytest.approx(0.03, abs=1e-3)
    assert clock_delay(t, 0.6 * np.sin(7 * (t - 0.09)), np.sin(7 * t), 0.2) == 0
    assert clock_delay(t, 0.7 * np.sin(7 * (t - 0.09)), np.sin(7 * t), 0.2) == 0


def servo_bench() -> tuple[Robot, VoltageServo]:
    """The pendulum bench of the XL330 (mass 0.49 kg at 0.1 m), with start values near its published models."""
    load = LoadFriction(0.2, 0.02, 0.05, 0.02)
    data = Friction(coulomb=0.01, viscous=0.004, stribeck_speed=3.0, load=load)
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=0.49, com=(0, 0, -0.1))
    robot = Robot("servo_bench", [link], [Drive("j", Motor(0.0018, friction=data), Gear(1.0))])
    line = motor_line(gw.assemble(robot), "j")
    servo = VoltageServo(
        "servo", line, 0.3, 0.38, 3.0, max_current=1.5, limit_exponent=1.2, supply_voltage=7.4, port="j"
    )
    return robot, servo


XL330_GAIN = 4096 / (2 * np.pi) / (256 * 885)
"""Duty per rad and unit of the servo's gain, as its firmware computes it."""

XL330_UNKNOWNS = [
    Unknown("servo.torque_constant", 0.38, 0.15, 0.8),
    Unknown("servo.resistance", 3.0, 1.0, 8.0),
    Unknown("servo.max_current", 1.5, 0.5, 6.0),
    Unknown("servo.limit_exponent", 1.2, 0.7, 6.0),
    Unknown("j.motor.inertia", 0.0018, 2e-4, 6e-3),
    Unknown("offset.q.j", 0.0, -0.1, 0.1),
    Unknown("j.motor_friction.coulomb", 0.01, 1e-4, 0.1),
    Unknown("j.motor_friction.viscous", 0.004, 1e-5, 0.05),
    Unknown("j.motor_friction.load.motor", 0.2, 0.001, 0.6),
    Unknown("j.motor_friction.load.joint", 0.02, 0.001, 0.4),
    Unknown("j.motor_friction.load.motor_stribeck", 0.05, 0.001, 0.35),
    Unknown("j.motor_friction.load.joint_stribeck", 0.02, 0.001, 0.4),
    Unknown("j.motor_friction.stribeck_speed", 3.0, 0.05, 10.0),
]
XL330_OPTIONS = RunFitOptions(starts=4, step=0.7e-3, scales={"q.j": 0.03}, evaluations=60)


def xl330_logs(*gains: int) -> list[RunLog]:
    folder = Path(os.environ.get("GEARWRIGHT_REFERENCE", "")) / "measured" / "xl330"
    if not (folder / "runs.json").exists():
        pytest.skip("GEARWRIGHT_REFERENCE names no folder with measured/xl330")
    logs = []
    for gain in gains:
        for trajectory in ("sin_sin", "sin_time_square", "up_and_down"):
            with (folder / f"kp{gain}_{trajectory}.csv").open(encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            column = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
            inputs = {"servo.goal": column["goal"], "servo.supply": column["volts"]}
            inputs["servo.enabled"] = column["torque_enable"]
            numbers = {"servo.kp": gain * XL330_GAIN}
            logs.append(RunLog(column["t"], inputs, {"q.j": column["position"]}, numbers, f"kp{gain}_{trajectory}"))
    return logs


@pytest.mark.slow
@pytest.mark.parametrize(("left_out", "kept"), [(100, (200, 800)), (200, (100, 800))])
def test_xl330_with_a_gain_left_out(left_out: int, kept: tuple[int, int]) -> None:
    """Mean absolute position error below 30 mrad on a gain that the fit has not seen."""
    robot, servo = servo_bench()
    fit = fit_run(robot, xl330_logs(*kept), XL330_UNKNOWNS, extra_laws=[servo], options=XL330_OPTIONS)
    held = fit.validate(xl330_logs(left_out))
    assert np.mean([score.mean_absolute for score in held]) < 0.030


@pytest.mark.slow
def test_xl330_fitted_on_all_gains() -> None:
    """Mean absolute position error below 20 mrad; the torque scale and friction shares are poorly determined."""
    robot, servo = servo_bench()
    fit = fit_run(robot, xl330_logs(100, 200, 800), XL330_UNKNOWNS, extra_laws=[servo], options=XL330_OPTIONS)
    assert fit.mean_absolute_error["q.j"] < 0.020
    assert any("load" in sentence for sentence in fit.information.remarks)
