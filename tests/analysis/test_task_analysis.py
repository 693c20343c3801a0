"""What a task asks of drives: by hand for one axis, against simulations, and against data sheets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.analysis import Task, analyse, steady_temperatures
from gearwright.catalogue import drives
from gearwright.errors import InputError
from gearwright.motion import moving_average, polynomial, s_curve, trapezoid
from gearwright.motion import pause as resting
from gearwright.parts import Drive, Gear, Heat, Joint, Link, Motor, Payload, Robot, Supply

LOAD, ROTOR, RATIO = 0.4, 2e-5, 60.0
HEAT = Heat(1.0, 3.0, 0.1, 0.3, copper=0.0)


def axis(motor: Motor, gear: Gear | None = None) -> Robot:
    """One joint about the vertical with a pure inertia."""
    joint = Joint(axis=(0, 0, 1))
    link = Link("arm", "base", joint, mass=1.0, inertia=np.diag([LOAD, LOAD, LOAD]))
    return Robot("axis", [link], [Drive("arm", motor, gear or Gear(RATIO))])


def there_and_back(size: float = 1.0, speed: float = 3.0) -> list:
    limits = {"speed": speed, "acceleration": 20.0, "jerk": 500.0}
    return [s_curve([0.0], [size], **limits), s_curve([size], [0.0], **limits)]


MOTOR = Motor(ROTOR, torque_constant=0.05, resistance=1.2, heat=HEAT)


@pytest.fixture(scope="module")
def one():
    return analyse(axis(MOTOR), Task(there_and_back(), pause=0.3))


def test_a_result_prints_its_verdict(one):
    assert repr(one) == f"<Analysis {one.robot.name}: {one.verdict.text}>"
    assert str(one).startswith(one.verdict.text)


def test_torques_of_one_axis_by_hand(one):
    drive = one.drives["arm"]
    acceleration = one.demands.motion.a[:, 0]
    assert drive.torque == pytest.approx((LOAD + ROTOR * RATIO**2) * acceleration, abs=1e-12)
    assert drive.output_torque == pytest.approx(LOAD * acceleration, abs=1e-12)
    assert drive.motor_torque == pytest.approx(drive.torque / RATIO, abs=1e-14)
    assert drive.inertia_ratio == pytest.approx(LOAD / (ROTOR * RATIO**2), rel=1e-12)
    assert drive.peak_motor_speed == pytest.approx(3.0 * RATIO)
    mean = np.trapezoid(drive.torque**2, drive.t) / (drive.t[-1] - drive.t[0])
    assert drive.rms_torque == pytest.approx(np.sqrt(mean), rel=1e-3)


def test_hysteresis_behind_lossy_gears_takes_its_smooth_form():
    """Also where the torque is asked that the gears of harmonic_6 hand on."""
    way = polynomial([0.0] * 6, [0.1] * 6, duration=1.0)
    found = analyse(gw.load("harmonic_6"), Task([way]))
    assert any(remark.startswith("j1.spring.hysteresis") and "smooth" in remark for remark in found.remarks)
    for drive in found.drives.values():
        assert 0 < drive.peak_output_torque < drive.peak_torque


def test_the_gear_hands_on_what_the_load_takes():
    """Neither its losses nor the bearings of the motor are in the torque that its output must bear."""
    lossy = axis(replace(MOTOR, friction=0.02), Gear(RATIO, efficiency=0.7))
    found = analyse(lossy, Task(there_and_back()))
    drive, acceleration = found.drives["arm"], found.demands.motion.a[:, 0]
    assert drive.output_torque == pytest.approx(LOAD * acceleration, abs=1e-9)
    turning = drive.motor_speed > 1.0
    speeding = turning & (acceleration > 1.0)
    expected = LOAD * acceleration / RATIO / 0.7 + ROTOR * RATIO * acceleration + 0.02
    assert drive.motor_torque[speeding] == pytest.approx(expected[speeding], rel=1e-9)


def test_the_best_ratio_matches_inertias():
    """Pure inertia: the rms torque of the motor is least at n = sqrt(J_load / J_motor)."""
    best = np.sqrt(LOAD / ROTOR)

    def rms(ratio: float) -> float:
        return analyse(axis(MOTOR, Gear(ratio)), Task(there_and_back())).drives["arm"].rms_motor_torque

    assert rms(best) < min(rms(0.98 * best), rms(1.02 * best))
    assert rms(0.5 * best) == pytest.approx(rms(2.0 * best), rel=1e-9)


def test_energy_is_that_of_the_simulation(one):
    """The electrical energy of a cycle is what a run with the demanded voltages takes from the supply."""
    found, drive = one.demands, one.drives["arm"]
    run = gw.simulate(one.robot, found.start, until=float(found.t[-1]), inputs=found.input_signals, samples=8001)
    taken = np.trapezoid(run["arm.voltage"] * run["arm.current"], run.t)
    assert drive.energy == pytest.approx(taken, rel=2e-4)
    assert drive.energy_without_regeneration > drive.energy > 0


def test_steady_temperature_is_that_of_a_long_simulation(one):
    """Twelve cycles from cold, the demanded voltages again and again, against the state that repeats itself."""
    found, drive = one.demands, one.drives["arm"]
    period = float(found.t[-1])
    voltage = found.input_signals["arm.voltage"]
    cycles = 12
    run = gw.simulate(
        one.robot,
        found.start,
        until=cycles * period,
        inputs={"arm.voltage": lambda t: voltage.at(t % period)},
        samples=np.linspace((cycles - 1) * period, cycles * period, 501),
    )
    assert run["arm.winding_temperature"].max() == pytest.approx(drive.winding_temperature, abs=0.1)
    assert run["arm.housing_temperature"].max() == pytest.approx(drive.housing_temperature, abs=0.1)
    assert drive.winding_temperature > 300.0


@pytest.mark.parametrize("magnet", [0.0, -0.002])
@pytest.mark.parametrize("housing", [None, 3.0])
def test_steady_temperature_with_copper_and_magnets(magnet, housing):
    """Against the differential equation integrated until nothing changes any more."""
    heat = Heat(1.0, 3.0, 0.8, housing, magnet=magnet, ambient=303.15)
    motor = replace(MOTOR, heat=heat)
    t = np.linspace(0.0, 2.0, 401)
    current = 2.0 * np.sin(np.pi * t) ** 3
    found = steady_temperatures(t, current, motor)

    def rates(now: float, x: np.ndarray) -> list[float]:
        winding, outside = x[0], x[1]
        if housing is None:
            outside = 303.15 + 0.75 * (winding - 303.15)
        i = np.interp(now % 2.0, t, current) / (1 + magnet * (outside - 298.15))
        joule = 1.2 * (1 + 0.0039 * (winding - 298.15)) * i**2
        inner = (winding - outside) / 1.0
        return [(joule - inner) / 0.8, 0.0 if housing is None else (inner - (outside - 303.15) / 3.0) / housing]

    run = solve_ivp(rates, (0.0, 200.0), [303.15, 303.15], max_step=0.05, rtol=1e-8, t_eval=198.0 + t)
    assert found.winding == pytest.approx(run.y[0], abs=0.02)


def test_a_motor_that_heats_faster_than_it_cools_has_no_steady_state():
    motor = replace(MOTOR, heat=Heat(1.0, 3.0, 0.5, 2.0))
    t = np.linspace(0.0, 1.0, 11)
    edge = np.sqrt(1 / (1.2 * 0.0039 * 4.0))
    assert np.isfinite(steady_temperatures(t, np.full(11, 0.99 * edge), motor).winding).all()
    assert np.isinf(steady_temperatures(t, np.full(11, 1.01 * edge), motor).winding).all()


def test_limits_of_data_sheets_are_checked():
    articles = drives()
    motor, box = articles.motor("MM_148877"), articles.gearbox("MM_203120")
    found = analyse(axis(motor.motor(), box.gear()), Task(there_and_back(2.0, 4.0)))
    checks = {check.name: check for check in found.limits}
    drive = found.drives["arm"]
    continuous = checks["arm: continuous motor torque"]
    assert (continuous.value, continuous.limit) == (drive.rms_motor_torque, motor.nominal_torque)
    assert continuous.margin == pytest.approx(1 - drive.rms_motor_torque / motor.nominal_torque)
    assert checks["arm: gearbox peak torque"].limit == box.peak_torque
    assert checks["arm: winding temperature rise"].limit == pytest.approx(155 - 25)
    assert not checks["arm: gearbox input speed"].is_satisfied or 4.0 * box.ratio <= box.peak_input_speed


def test_life_follows_the_rating():
    """At the rated torque and speed a gearbox lives as long as it is rated; at half the torque eight times that."""
    box = replace(drives().gearbox("HD_CSF-17-100-2UH"), life=7000.0, life_speed=209.44)
    table = drives()
    own = replace(table, gearboxes={**table.gearboxes, box.key: box})
    found = analyse(axis(MOTOR, box.gear()), Task(there_and_back()), catalogue=own).drives["arm"]
    expected = 7000.0 * (box.rated_torque / found.mean_output_torque) ** 3 * 209.44 / found.mean_motor_speed
    assert found.life == pytest.approx(expected, rel=1e-9)


def test_a_payload_of_the_task_is_carried():
    heavy = Task(there_and_back(), payload=Payload(2.0, (0.5, 0.0, 0.0)))
    found = analyse(axis(MOTOR), heavy).drives["arm"]
    assert found.output_torque.max() == pytest.approx((LOAD + 2.0 * 0.25) * 20.0, rel=1e-3)


def test_required_cycle_time_is_a_limit():
    slow = analyse(axis(MOTOR), Task(there_and_back(), required={"cycle_time": 0.5}))
    check = next(check for check in slow.limits if check.name == "cycle time")
    assert not check.is_satisfied
    assert not slow.is_feasible


def test_elastic_drives_and_trains_are_analysed():
    elastic = gw.load("elastic_elbow")
    way = gw.motion.polynomial([0, 0, 0], [0.3, 0.3, 0.3], duration=1.0, order=7)
    found = analyse(elastic, Task([way]))
    assert found.drives["j2"].frequency > 0
    spring, motion = gw.assemble(elastic).springs[1], found.demands.motion
    twist, rate = motion.q @ np.array(spring.row), motion.v @ np.array(spring.row)
    handed_on = spring.stiffness * (twist - spring.rest) + spring.damping * rate
    assert np.abs(found.drives["j2"].output_torque) == pytest.approx(np.abs(handed_on), rel=1e-6, abs=1e-6)
    wrist = analyse(gw.load("wrist_puma"), Task([gw.motion.polynomial([0, 0, 0], [0.3, 0.3, 0.3], duration=1.0)]))
    assert set(wrist.drives) == {"m4", "m5", "m6"}
    assert wrist.drives["m4"].torque is None


def test_a_motion_that_elastic_drives_cannot_follow_is_told():
    """Accelerations that jump need motors that jump behind springs; averaged twice, the same way needs none."""
    elastic, limits = gw.load("elastic_elbow"), {"speed": 1.0, "acceleration": 4.0}
    way = trapezoid([0, 0, 0], [0.5, 0.4, -0.3], **limits)

    def told(robot, motion):
        found = analyse(robot, Task([motion]), samples=51)
        sudden = [remark for remark in found.remarks if "sudden" in remark]
        assert bool(sudden) == ("smooth" in found.verdict.text)
        return sudden

    (remark,) = told(elastic, way)
    assert "j1.motor, j2.motor, j3.motor" in remark
    assert "0.25 s" in remark  # where the acceleration of 4 has led to the speed of 1
    assert told(elastic, moving_average(s_curve([0, 0, 0], [0.5, 0.4, -0.3], **limits, jerk=100.0), 0.05)) == []
    assert told(gw.load("elbow"), way) == []


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ({"pause": -1.0}, "pause"),
        ({"repetitions": 0}, "repetitions"),
        ({"ambient": 25.0}, "ambient"),
        ({"required": {"cycle": 1.0}}, "cycle_time"),
    ],
)
def test_bad_tasks_are_refused(arguments, fact):
    with pytest.raises(InputError, match=fact):
        Task(there_and_back(), **arguments)


def test_what_is_not_a_motion_or_robot_is_refused():
    with pytest.raises(InputError, match="motions: "):
        Task([1.0])
    with pytest.raises(InputError, match=r"robot=.*Mechanism"):
        analyse(gw.assemble(axis(MOTOR)), Task(there_and_back()))


def test_a_cycle_that_does_not_close_is_told():
    found = analyse(axis(MOTOR), Task(there_and_back()[:1]))
    assert any("return" in remark for remark in found.remarks)


def test_the_figure_shows_every_drive(one, tmp_path):
    one.plot(tmp_path / "cycle.svg")
    assert "motor torque" in (tmp_path / "cycle.svg").read_text()


def test_a_life_that_is_required_is_checked_and_advised():
    """A gearbox with the rated torque that is advised lives as long as required."""
    box = replace(drives().gearbox("HD_CSF-17-100-2UH"), life=7000.0, life_speed=209.44)
    table = drives()

    def lives(article, required):
        own = replace(table, gearboxes={**table.gearboxes, article.key: article})
        task = Task(there_and_back(), required={"life": required})
        found = analyse(axis(MOTOR, article.gear()), task, catalogue=own, samples=101)
        return next(check for check in found.limits if check.name == "arm: gearbox life")

    first = lives(box, 1.0)
    assert first.is_satisfied
    assert first.margin == pytest.approx(first.value - 1)
    broken = lives(box, 2 * first.value)
    assert not broken.is_satisfied
    assert broken.advice[0].kind == "smaller mean torque"
    assert broken.advice[0].share == pytest.approx(1 - 2 ** (-1 / 3))
    stronger = replace(box, rated_torque=box.rated_torque * 2 ** (1 / 3))
    assert lives(stronger, 2 * first.value).margin == pytest.approx(0.0, abs=1e-9)


def test_a_task_of_all_kinds_of_motions_is_analysed(tmp_path):
    """Points with limits, a Cartesian path, a recorded file and pauses make one duty cycle."""
    robot = gw.load("elbow")
    there = gw.motion.polynomial([0.2, 0.4, 0.3], [0.3, 0.2, 0.1], duration=0.6)
    there.with_robot_names(robot).save(tmp_path / "recorded.csv")
    (tmp_path / "mixed.yaml").write_text(
        "task: mixed\n"
        "start: [0.2, 0.4, 0.3]\n"
        "motions:\n"
        "  - {file: recorded.csv}\n"
        "  - {pause: 200 ms}\n"
        "  - {to: [0.2, 0.4, 0.3], speed: 1, acceleration: 5, jerk: 50}\n"
        "  - {line: {frame: tool, to: {xyz: TIP, orientation: any}, speed: 0.2, acceleration: 1}}\n"
        "pause: 300 ms\nrepetitions: 5\n".replace("TIP", str(_beside(robot, [0.2, 0.4, 0.3])))
    )
    task = Task.read(tmp_path / "mixed.yaml", robot)
    assert len(task.motions) == 4
    assert task.cycle.duration == pytest.approx(sum(way.duration for way in task.motions) + 0.3)
    found = analyse(robot, task, samples=101)
    assert found.t[-1] == pytest.approx(task.cycle.duration)
    assert found.drives["j2"].peak_torque > 0


def _beside(robot: Robot, q: list[float]) -> list[float]:
    """A point near the tool, towards the base."""
    _, place = gw.placement(robot, np.array(q), "tool")
    return [round(float(x), 6) for x in place + np.array([-0.03, 0, -0.03])]


QUICK = {"speed": 2.0, "acceleration": 8.0, "jerk": 100.0}


def test_a_pause_behind_a_lossy_spring_is_as_quiet_as_a_rigid_one():
    """The shaft's computed motion has rounding in a pause: it must not count as turning this way or that."""
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 3.0, (0.3, 0, 0), np.diag([0.1] * 3))
    task = Task([s_curve([0.3], [-0.4], **QUICK), resting([-0.4], 0.3), s_curve([-0.4], [0.3], **QUICK)], pause=0.3)
    torques = []
    for elastic in ({}, {"stiffness": 25000.0, "damping": 20.0}):
        robot = Robot(
            "axis", [link], [Drive("arm", Motor(2e-5, friction=0.01), Gear(100.0, efficiency=0.7, **elastic))]
        )
        found = analyse(robot, task, samples=201)
        start = task.motions[0].duration
        inside = (found.t > start + 0.05) & (found.t < start + 0.25)
        torques.append(found.drives["arm"].motor_torque[inside])
        assert np.ptp(torques[-1]) < 1e-8
    assert torques[1].mean() == pytest.approx(torques[0].mean(), rel=1e-6)


def test_the_supply_limits_the_voltage_too():
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 3.0, (0.3, 0, 0), np.diag([0.1] * 3))
    motor = Motor(2e-5, torque_constant=0.1, resistance=1.0, max_voltage=100.0)
    task = Task([s_curve([0.3], [-0.4], **QUICK)])
    for volts, limit, source in ((12.0, 12.0, "supply"), (200.0, 100.0, "data of the motor")):
        robot = Robot("axis", [link], [Drive("arm", motor, Gear(100.0))], supply=Supply(volts))
        check = next(one for one in analyse(robot, task, samples=51).limits if one.name == "arm: voltage")
        assert (check.limit, check.source) == (limit, source)


def test_a_cycle_that_takes_too_long_is_advised_by_what_moves():
    """Pauses stay as long as they are: motions that much faster just keep the time."""
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 3.0, (0.3, 0, 0), np.diag([0.1] * 3))
    robot = Robot("axis", [link], [Drive("arm", Motor(2e-5), Gear(100.0))])
    ways = [polynomial([0.3], [-0.4], duration=1.0), resting([-0.4], 0.5), polynomial([-0.4], [0.3], duration=1.0)]
    found = analyse(robot, Task(ways, pause=0.25, required={"cycle_time": 2.0}), samples=51)
    (advice,) = next(one for one in found.limits if one.name == "cycle time").advice
    faster = advice.factor
    assert advice.kind == "faster motions"
    assert 2.0 / faster + 0.75 <= 2.0 < 2.0 / (faster - 0.002) + 0.75
