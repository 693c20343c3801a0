"""Pick and place: motions that carry payloads of their own, against the robots that carry them all along."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from design.arms import small
from gearwright.analysis import Perturbation, Task, analyse, sensitivities
from gearwright.analysis.task.payload_phases import PhaseRows
from gearwright.design import Range, size_drives, sweep
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.errors import FileError, InputError
from gearwright.motion import pause, s_curve
from gearwright.parts import Drive, Gear, Heat, Joint, Link, LinkSection, Motor, Payload, Robot, Tube
from gearwright.parts.parameter_paths import with_parameters

LOAD = Payload(3.0, (0.3, 0, 0))
UP, DOWN = [0.4, -0.7], [-0.2, 0.5]
LIMITS = {"speed": 3.0, "acceleration": 12.0, "jerk": 300.0}
WAYS = [s_curve(UP, DOWN, **LIMITS), pause(DOWN, 0.2), s_curve(DOWN, UP, **LIMITS)]
EDGES = np.cumsum([way.duration for way in WAYS])
HEAT = Heat(2.0, 5.0, 20.0, 170.0)


def arm(**gear) -> Robot:
    """Two links in a vertical plane; the second motor sits on the first link."""
    links = [
        Link("upper", "base", Joint("shoulder", axis=(0, 1, 0)), 0.8, (0.12, 0, 0), np.diag([1e-3, 4e-3, 4e-3])),
        Link("fore", "upper", Joint("elbow", axis=(0, 1, 0), position=(0.3, 0, 0)), 0.4, (0.1, 0, 0)),
    ]
    links[0] = replace(links[0], section=LinkSection((0.3, 0, 0), Tube(0.03, 0.028), "aluminium"))
    motor = Motor(5e-6, torque_constant=0.05, resistance=1.0, heat=HEAT, friction=1e-3)
    made = [Drive("shoulder", motor, Gear(80, **gear)), Drive("elbow", motor, Gear(60, **gear), mounted_on="upper")]
    return Robot("arm", links, made)


def pick(**words) -> Task:
    """Down with an empty hand, up with what was taken, then a rest with it."""
    return Task(WAYS, payloads=["none", LOAD, LOAD], pause=0.3, **words)


def carrying(robot: Robot, load: Payload | None) -> Robot:
    return replace(robot, payload=load)


def test_every_moment_is_that_of_the_robot_with_what_it_carries():
    """Joint forces, reactions and section forces by the two robots, each for its own time."""
    robot = arm()
    found = analyse(robot, pick(), samples=101)
    motion, t = found.demands.motion, found.t
    twice = np.flatnonzero((np.diff(t) == 0) & (np.abs(t[1:] - EDGES[0]) < 1e-9))
    assert len(twice) == 1  # it is taken at one time: before and after
    for load, rows in ((None, np.s_[: twice[0] + 1]), (LOAD, np.s_[twice[0] + 1 :])):
        own = carrying(robot, load)
        state = motion.q[rows], motion.v[rows], motion.a[rows]
        assert found.reactions[rows] == pytest.approx(gw.reactions(own, *state), abs=1e-9)
        rubbed = 1e-3 * np.array([80, 60]) * np.sign(motion.v[rows])
        given = found.demands.tau[rows] - gw.inverse_dynamics(own, *state)
        moving = np.abs(motion.v[rows]).min(axis=1) > 1e-3
        assert given[moving] == pytest.approx(rubbed[moving], abs=1e-9)
        alone = analyse(own, Task(WAYS, pause=0.3), samples=101)
        assert found.links["upper"].loads.moments[rows][-1] == pytest.approx(
            alone.links["upper"].loads.moments[-1 if load else np.searchsorted(alone.t, EDGES[0])], abs=1e-9
        )


def over(times, t, values) -> float:
    """The integral of a series between two times."""
    fine = np.linspace(*times, 8001)
    return float(np.trapezoid(np.interp(fine, t, values), fine))


@pytest.mark.parametrize("gear", [{}, {"efficiency": 0.7}])
def test_characteristics_are_those_of_the_whole_cycle(gear):
    """Energies and squares add up over the two parts of the time, by integrals over analyses of one payload each.

    Windings keep their resistance: how warm they are depends on both parts.
    """
    cold = {f"{joint}.motor.heat.copper": 0.0 for joint in ("shoulder", "elbow")}
    robot = with_parameters(arm(**gear), cold)
    found = analyse(robot, pick(), samples=401)
    empty, full = (analyse(carrying(robot, load), Task(WAYS, pause=0.3), samples=401) for load in (None, LOAD))
    whole = EDGES[-1] + 0.3
    parts = ((empty, (0.0, EDGES[0])), (full, (EDGES[0], whole)))
    assert found.t[-1] == pytest.approx(whole)
    for name, drive in found.drives.items():
        each = [(one.drives[name], times) for one, times in parts]
        square = sum(over(times, one.t, one.torque**2) for one, times in each)
        heat = sum(over(times, one.t, one.current**2) for one, times in each)
        energy = sum(over(times, one.t, one.current * one.voltage) for one, times in each)
        assert drive.rms_torque**2 * whole == pytest.approx(square, rel=2e-3)
        assert drive.rms_current**2 * whole == pytest.approx(heat, rel=2e-3)
        assert drive.energy == pytest.approx(energy, rel=5e-3)
        low, high = empty.drives[name].winding_temperature, full.drives[name].winding_temperature
        assert low + 1 < drive.winding_temperature < high - 1
        assert empty.drives[name].inertia_ratio < drive.inertia_ratio <= full.drives[name].inertia_ratio
    assert found.robot.payload == LOAD
    assert any("(0, 3 kg)" in remark for remark in found.remarks)


def test_links_and_elastic_drives_give_by_what_is_carried():
    """The tip at the start hangs by the empty robot, at the end by the loaded one; the lowest frequency is loaded."""
    robot = arm(stiffness=4000.0)
    rest = Task([pause(UP, 0.2), pause(UP, 0.2)], payloads=["none", LOAD], tip="fore")
    found = analyse(robot, rest, samples=11)
    empty, full = (
        analyse(carrying(robot, load), Task([pause(UP, 0.4)], tip="fore"), samples=11) for load in (None, LOAD)
    )
    assert found.tip.total_deflection[0] == pytest.approx(empty.tip.total_deflection[0], rel=1e-6)
    assert found.tip.total_deflection[-1] == pytest.approx(full.tip.total_deflection[-1], rel=1e-6)
    assert found.tip.peak_deflection > 2 * empty.tip.peak_deflection
    assert found.links["upper"].peak_stress == pytest.approx(full.links["upper"].peak_stress, rel=1e-9)
    assert found.drives["elbow"].frequency == pytest.approx(full.drives["elbow"].frequency, rel=1e-9)


def test_equal_payloads_are_one():
    one = analyse(arm(), Task(WAYS, LOAD), samples=51).summary()
    assert analyse(arm(), Task(WAYS, payloads=[LOAD, LOAD, LOAD]), samples=51).summary() == one
    assert analyse(arm(), Task(WAYS, LOAD, payloads=[None, LOAD, None]), samples=51).summary() == one


def test_equal_payloads_of_motions_vary_in_sweeps():
    """As the one payload that they are; different ones do not vary, and that is said."""
    one, each = Task(WAYS, LOAD), Task(WAYS, payloads=[LOAD, LOAD, LOAD])
    masses = {"payload.mass": [0.5, 4.0]}
    found = [
        sweep(arm(), masses, task, options=gw.design.SweepOptions(workers=1))["shoulder.rms_torque"]
        for task in (one, each)
    ]
    assert found[0].tolist() == found[1].tolist()
    assert found[0][1] > found[0][0]
    for name in ("payload.mass", "task.payload.mass"):
        with pytest.raises(InputError, match=f"sweep: '{name}'.*payload"):
            sweep(arm(), {name: [1.0, 2.0]}, Task(WAYS, LOAD, payloads=[None, "none", None]))


def test_a_file_states_what_each_motion_carries():
    words = """
task: pick and place
payload: {mass: 1, position: [0.3, 0, 0]}
motions:
  - {to: {shoulder: 0.4, elbow: 0.3}, speed: 2, acceleration: 8, payload: none}
  - {pause: 100 ms}
  - {to: {shoulder: 0, elbow: 0}, speed: 2, acceleration: 8, payload: {mass: 2, position: [0.3, 0, 0]}}
  - {to: {shoulder: 0.2}, speed: 2, acceleration: 8, payload: {mass: 2, position: [0.3, 0, 0]}}
"""
    task = Task.read(words, arm())
    stretches = task.payload_phases(arm())
    assert [one.payload_mass for one in stretches] == [0.0, 1.0, 2.0]
    ends = np.cumsum([way.duration for way in task.motions])
    assert [one.end for one in stretches] == pytest.approx([ends[0], ends[1], ends[3]])
    peaks = [analyse(one.robot, Task(list(task.motions)), samples=51).drives["elbow"].peak_torque for one in stretches]
    assert min(peaks) < analyse(arm(), task, samples=51).drives["elbow"].peak_torque <= max(peaks) * (1 + 1e-9)
    with pytest.raises(FileError, match="payload"):
        Task.read(words.replace("payload: none", "payload: nothing"), arm())


def test_rows_between_two_times():
    """At an edge between two samples values are interpolated; where a time comes twice both sides are kept apart."""
    t = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    x = np.array([0.0, 1.0, 5.0, 6.0, 7.0])
    assert PhaseRows(t, 0.0, 1.0).select_rows(x).tolist() == [0.0, 1.0]
    assert PhaseRows(t, 1.0, 2.5).select_rows(x).tolist() == [5.0, 6.0, 6.5]
    assert PhaseRows(t, 2.5, 3.0).select_rows(x).tolist() == [6.5, 7.0]


def test_drives_are_chosen_for_what_is_carried():
    """Forces by the five series of every drive are those of any set, at every time of both stretches."""
    robot = arm()
    space = drive_space(robot, pick(), ["shoulder", "elbow"], 61)
    fitted = robot
    for drive in robot.drives:
        fitted = fitted.with_drive(drive.joint, replace(drive, motor=Motor(2e-5, motor_mass=0.5), gear=Gear(40)))
    asked = space.bare + sum(basis.added_forces(0.5, 2e-5, 40.0) for basis in space.drives)
    taken = int(np.searchsorted(space.t, EDGES[0] + 1e-9)) - 1  # the later one of the two
    for load, rows in ((None, np.s_[:taken]), (LOAD, np.s_[taken:])):
        state = space.motion.q[rows], space.motion.v[rows], space.motion.a[rows]
        assert asked[rows] == pytest.approx(gw.inverse_dynamics(carrying(fitted, load), *state), abs=1e-6)


def test_lighter_drives_do_where_the_load_is_carried_half_of_the_time():
    """A set for the cycle keeps its limits when analysed; all along the payload asks for more current."""
    load = Payload(0.8, (0.3, 0, 0))
    half, all_along = Task(WAYS, payloads=["none", "none", load], pause=0.3), Task(WAYS, load, pause=0.3)
    words = {"objective": "energy", "search": gw.design.SearchOptions(samples=61)}
    found, loaded = (size_drives(arm(), task, small(10, 14), **words) for task in (half, all_along))
    assert found.analysis.is_feasible
    assert found.analysis.energy < loaded.analysis.energy
    again = analyse(found.robot, half, catalogue=small(10, 14))
    assert found.front[0].energy == pytest.approx(again.energy, rel=0.02)


def test_a_sweep_takes_it():
    points = {"elbow.gear.ratio": [50.0, 60.0]}
    found = sweep(arm(), points, pick(), options=gw.design.SweepOptions(workers=1))
    loaded = sweep(arm(), points, Task(WAYS, LOAD, pause=0.3), options=gw.design.SweepOptions(workers=1))
    assert np.all(found["elbow.rms_torque"] < loaded["elbow.rms_torque"])


def test_what_takes_one_payload_says_so():
    with pytest.raises(InputError, match=r"payloads.*size_drives.*upper\.mass"):
        size_drives(arm(), pick(), variables={"upper.mass": Range(0.5, 1.0)})
    with pytest.raises(InputError, match=r"payloads.*task\.time_scale"):
        size_drives(arm(), pick(), objective="cycle_time")
    with pytest.raises(InputError, match="payload"):
        analyse(arm(), pick(perturbed=Perturbation(start_error={"elbow": 0.01})), samples=51)
    with pytest.raises(InputError, match=r"payloads.*sensitivities"):
        sensitivities(analyse(arm(), pick(), samples=51))


@pytest.mark.parametrize(
    ("payloads", "message"), [(["none"], r"\b1 payloads.*\b3 motions"), ([1, 2, 3], r"payloads: 1\b")]
)
def test_bad_payloads_are_refused(payloads, message):
    with pytest.raises(InputError, match=message):
        Task(WAYS, payloads=payloads)
