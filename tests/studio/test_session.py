"""What a visitor changes, and the results that follow, without any page."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import compare
from gearwright.errors import GearwrightError, InputError, TrainError
from gearwright.motion import polynomial
from gearwright.parts import Drive, Motor, Planetary, parameter
from gearwright.studio.drive_edits import STATED_MOTOR_CHOICE, motor_choices, with_entered_values
from gearwright.studio.editable_parts import editable_parts
from gearwright.studio.played_motion import studio_motion
from gearwright.studio.session import Session, parameter_paths


@pytest.fixture(scope="module")
def elbow():
    return gw.load("elbow")


def largest(results, speed=1):
    return float(np.abs(results.comparison.exact[:, speed]).max())


TRAINS = ["wrist_puma", "wrist_bendix", "wrist_roll3", "wrist_wam", "grm3"]


@pytest.mark.parametrize("name", ["elbow", "planetary_3r", "harmonic_6", "scara", "sea_leg", *TRAINS])
def test_every_entry_can_be_entered_again(name):
    """Entering what is there changes nothing, for every drive, motor, mesh and wheel."""
    robot = gw.load(name)
    assert editable_parts(robot)
    for place in editable_parts(robot):
        known = place.editable_numbers(robot)
        assert place.with_values(robot, {entry.key: entry.value for entry in known}) == robot


@pytest.mark.parametrize("name", TRAINS)
def test_every_part_of_a_train_has_a_place_that_changes_it_alone(name):
    robot = gw.load(name)
    mech = gw.assemble(robot)
    titles = [(place.train, place.title) for place in editable_parts(robot)]
    for train in robot.trains:
        expected = [f"motor {one.name}" for one in train.motors]
        expected += [f"mesh {one.first}, {one.second}" for one in train.meshes]
        expected += [f"wheel {one.name}" for one in train.wheels]
        assert [title for where, title in titles if where == train.name] == expected
    for place in editable_parts(robot):
        entry = place.editable_numbers(robot)[0]
        fresh = 2 * entry.value if entry.kind == "count" else 1.1 * entry.value or 1e-5
        changed = place.with_values(robot, {entry.key: fresh})
        assert parameter(changed, place.parameter_path(entry.key)) == fresh
        assert [
            one for one in editable_parts(robot) if one.editable_numbers(changed) != one.editable_numbers(robot)
        ] == [place]
        assert place.description(robot, mech)


def part(robot, title):
    return next(place for place in editable_parts(robot) if place.title == title)


def test_a_motor_of_a_train_tells_how_far_it_turns_with_each_joint():
    robot = gw.load("wrist_puma")
    told = part(robot, "motor m5").description(robot, gw.assemble(robot))
    assert "shaft5" in told
    assert "-4 of j1, -7.2 of j2" in told


def test_numbers_of_a_train_go_through_kernels_and_teeth_without_them():
    """Both give the torques of the changed robot assembled anew; a rotor's inertia and a belt's radii are inputs."""
    for name, title, wanted, kept in (
        ("wrist_wam", "motor m1", {"motor.inertia": 9e-6}, True),
        ("wrist_wam", "mesh spool1, left", {"teeth.1": 0.05}, True),
        ("grm3", "mesh w6, w7", {"ratio": -2.0}, True),
        ("wrist_puma", "mesh tube5, link2", {"teeth.0": 21}, False),
    ):
        session = Session(gw.load(name))
        before = session.quick_results().comparison.exact
        session.compile_kernels()
        assert session.is_compiled
        session.enter_values(part(session.robot, title), wanted)
        assert session.is_compiled is kept
        found, expected = session.quick_results().comparison, compare(gw.assemble(session.robot), session.motion.motion)
        assert found.exact == pytest.approx(expected.exact, rel=1e-9, abs=1e-9)
        assert np.abs(found.exact - before).max() > 1e-6


def test_a_motor_of_a_train_gets_another_motor_and_a_springy_shaft():
    robot = gw.load("wrist_puma")
    session, place = Session(robot), part(robot, "motor m4")
    key = list(motor_choices(session.catalogue).values())[5]
    session.choose_motor(place, key)
    assert place.current_motor(session.robot).catalogue == key
    session.choose_motor(place, STATED_MOTOR_CHOICE)
    assert session.robot == robot
    session.enter_values(place, {"stiffness": 40.0})
    assert session.mech.shafts == ("m4",)
    assert session.quick_results().comparison.exact.shape[1] == session.mech.n == 4
    session.enter_values(place, {"stiffness": 0.0})
    assert session.robot == robot


@pytest.mark.parametrize(
    ("title", "wanted", "words"),
    [
        ("mesh shaft4, link1", {"teeth.0": 0}, "'shaft4'-'link1'.* 0 teeth"),
        ("wheel tube5", {"inertia": -1.0}, "wheel 'tube5': inertia=-1.0"),
        ("motor m4", {"motor.inertia": -1e-5}, "inertia"),
    ],
)
def test_a_wrong_number_of_a_train_is_refused_by_the_library(title, wanted, words):
    robot = gw.load("wrist_puma")
    session = Session(robot)
    with pytest.raises(GearwrightError, match=words):
        session.enter_values(part(robot, title), wanted)
    assert session.robot is robot


def test_teeth_that_fit_together_may_be_entered_at_once():
    drive = Drive("j", Motor(1e-4), Planetary(sun=18, planet=27, ring=72))
    with pytest.raises(TrainError, match="ring 72 ≠ sun 24"):
        with_entered_values(drive, {"gear.sun": 24})
    assert with_entered_values(drive, {"gear.sun": 24, "gear.ring": 78}).gear.ratio == 1 + 78 / 24


def test_a_refused_change_leaves_everything_as_it_was(elbow):
    session = Session(elbow)
    before = session.robot
    with pytest.raises(GearwrightError, match="ratio 0"):
        session.enter_values("j2", {"gear.ratio": 0.0})
    with pytest.raises(GearwrightError, match="-1"):
        session.set_payload(-1.0)
    with pytest.raises(GearwrightError, match="'elbow'"):
        session.enter_values("elbow", {"gear.ratio": 10.0})
    assert session.robot is before


def test_results_follow_a_change_through_kernels_and_without_them(elbow):
    """The kernels' forces are those of the changed robot assembled anew."""
    session = Session(elbow)
    slow = session.quick_results()
    session.compile_kernels()
    assert session.is_compiled
    assert session.quick_results().comparison.exact == pytest.approx(slow.comparison.exact, abs=1e-9)
    session.enter_values("j2", {"gear.ratio": 60.0, "motor.inertia": 5e-4})
    assert session.is_compiled
    found, expected = session.quick_results().comparison, compare(gw.assemble(session.robot), session.motion.motion)
    assert largest(session.quick_results()) != pytest.approx(largest(slow))
    assert found.exact == pytest.approx(expected.exact, rel=1e-9, abs=1e-9)
    for kind, forces in expected.approximations.items():
        assert found.approximations[kind] == pytest.approx(forces, rel=1e-9, abs=1e-9)


def test_a_change_of_structure_drops_the_kernels():
    session = Session(gw.load("planetary_3r"))
    session.compile_kernels()
    assert session.is_compiled
    session.enter_values("j2", {"gear.planets": 5})
    assert not session.is_compiled
    assert session.robot.drive("j2").gear.planets == 5
    session.compile_kernels()
    assert session.is_compiled


def test_a_stiffness_makes_a_shaft_and_zero_takes_it_away(elbow):
    session = Session(elbow)
    session.enter_values("j2", {"gear.stiffness": 8000.0})
    assert session.mech.shafts == ("j2.motor",)
    assert session.quick_results().comparison.exact.shape[1] == session.mech.n == 4
    session.enter_values("j2", {"gear.stiffness": 0.0})
    assert session.mech.shafts == ()


def test_kernels_that_took_long_are_not_taken_for_another_robot(elbow, monkeypatch):
    """A change of structure while kernels are compiled makes them stale; a change of numbers does not."""
    module = sys.modules[Session.__module__]
    real = module.parameter_comparison
    for change, kept in (
        (lambda s: s.enter_values("j2", {"gear.ratio": 70.0}), True),
        (lambda s: s.set_payload(2.0), False),
    ):
        session = Session(elbow)

        def slowly(robot, paths, session=session, change=change):
            made = real(robot, paths)
            change(session)
            return made

        monkeypatch.setattr(module, "parameter_comparison", slowly)
        session.compile_kernels()
        assert session.is_compiled is kept


def test_a_payload_adds_what_it_weighs(elbow):
    session = Session(elbow)
    light = largest(session.quick_results())
    session.set_payload(3.0)
    heavy = largest(session.quick_results())
    assert session.robot.payload.mass == 3.0
    assert heavy > light
    session.set_payload(4.0)
    assert "payload.mass" in parameter_paths(session.robot)
    assert largest(session.quick_results()) > heavy


def test_a_motor_of_the_catalogue_takes_the_place_of_the_other(elbow):
    session = Session(elbow)
    name, key = list(motor_choices(session.catalogue).items())[5]
    session.choose_motor("j2", key)
    motor = session.robot.drive("j2").motor
    assert motor.catalogue == key
    assert key in name
    assert motor.position == elbow.drive("j2").motor.position
    session.choose_motor("j2", STATED_MOTOR_CHOICE)
    assert session.robot.drive("j2") == elbow.drive("j2")


def test_sessions_do_not_disturb_each_other(elbow):
    one, two = Session(elbow), Session(elbow)
    one.enter_values("j2", {"gear.ratio": 33.0})
    assert two.robot.drive("j2").gear.ratio == 100.0


def test_checks_and_margins_come_from_analyse():
    session = Session(gw.load("scara"))
    before = {check.name: check.margin for check in session.analysis().limits}
    assert before
    session.enter_values("shoulder", {"gear.ratio": 2 * session.robot.drive("shoulder").gear.ratio})
    after = {check.name: check.margin for check in session.analysis().limits}
    assert after != before


@pytest.mark.parametrize("name", ["elbow", "elastic_elbow", "mini_cheetah", "wrist_bendix", "scara"])
def test_a_motion_for_every_robot(name):
    robot = gw.load(name)
    mech = gw.assemble(robot)
    found = studio_motion(robot, mech)
    assert found.motion.q.shape[1] == mech.nq
    assert found.coordinates_at(0.0) == pytest.approx(found.motion.q[0])
    assert found.coordinates_at(found.duration) == pytest.approx(found.motion.q[-1])
    assert found.coordinates_at(1e9) == pytest.approx(found.motion.q[-1])


def test_motions_of_every_kind_are_taken(elbow, tmp_path):
    mech = gw.assemble(elbow)
    way = polynomial([0, 0, 0], [1, 0.5, -0.5], duration=2.0, robot=elbow)
    run = gw.simulate(mech, [0.0, 0.5, 0.0], until=0.1)
    way.save(tmp_path / "way.csv", rate=50)
    run.save(tmp_path / "run.csv")
    for given, duration in ((way, 2.0), (way.sample(50), 2.0), (run, 0.1), (tmp_path / "way.csv", 2.0)):
        assert studio_motion(elbow, mech, given).duration == pytest.approx(duration)
    assert studio_motion(elbow, mech, tmp_path / "run.csv").coordinates_at(0.0) == pytest.approx([0.0, 0.5, 0.0])
    with pytest.raises(InputError, match="3 joints"):
        studio_motion(elbow, mech, polynomial([0.0], [1.0], duration=1.0))
    with pytest.raises(InputError, match="7"):
        studio_motion(elbow, mech, 7)


def test_shafts_move_with_their_joints():
    robot = gw.load("elastic_elbow")
    mech = gw.assemble(robot)
    found = studio_motion(robot, mech, polynomial([0, 0, 0], [1, 0.5, -0.5], duration=2.0))
    q = dict(zip(mech.coordinates, found.coordinates_at(1.3), strict=True))
    for shaft in mech.shafts:
        assert q[shaft] == pytest.approx(q[shaft.removesuffix(".motor")])


def test_paths_are_those_of_numbers_that_are_there(elbow):
    for path in parameter_paths(elbow):
        assert parameter(elbow, path) != 0
    assert "j2.gear.stiffness" not in parameter_paths(elbow)


def test_a_page_starts_at_home():
    """The state "home" of a file, not the neutral configuration."""
    robot = replace(gw.load("elbow"), states=[gw.parts.NamedState("home", {"j2": 0.5, "j3": -1.0})])
    assert Session(robot).first_configuration() == pytest.approx([0.0, 0.5, -1.0])


def test_changes_are_undone_one_by_one():
    session = Session(gw.load("elbow"))
    for ratio in (50.0, 60.0):
        session.enter_values("j2", {"gear.ratio": ratio})
    assert session.undo()
    assert session.robot.drive("j2").gear.ratio == 50.0
    assert session.undo()
    assert session.robot is session.stated
    assert not session.undo()


TASK = """task: nod
motions:
  - {to: [0.5, 0.6, -0.9], speed: 1, acceleration: 4}
  - {pause: 0.5}
payload: {mass: 2.0}
"""


def test_a_task_is_played_and_analysed(tmp_path):
    """With its payload and pause: the results are those of `analyse` for the task."""
    (tmp_path / "nod.yaml").write_text(TASK)
    robot = gw.load("elbow")
    session = Session(robot, tmp_path / "nod.yaml")
    task = gw.analysis.Task.read(tmp_path / "nod.yaml", robot)
    assert session.motion.duration == pytest.approx(task.cycle.duration)
    wanted, without = (gw.analyse(robot, t, samples=201) for t in (task, gw.analysis.Task(task.cycle)))
    found = session.analysis()
    for name, drive in wanted.drives.items():
        assert found.drives[name].motor_torque == pytest.approx(drive.motor_torque)
    heavy, light = (np.abs(result.drives["j2"].motor_torque).max() for result in (wanted, without))
    assert heavy > 1.02 * light


def test_the_payload_of_a_task_is_carried_until_it_is_changed(tmp_path):
    """By the robot in the picture, in the curves and in the checks alike; another task ends it."""
    robot = gw.load("elbow")
    session = Session(robot)
    session.use_motion(gw.analysis.Task.read(TASK, robot))
    assert session.robot.payload.mass == 2.0
    light, loaded = (gw.analysis.compare(one, session.motion.motion).exact for one in (robot, robot.with_payload(2.0)))
    assert session.quick_results().comparison.exact == pytest.approx(loaded)
    assert np.abs(loaded).max() > 1.1 * np.abs(light).max()
    heavy = session.analysis().drives["j2"].peak_motor_torque
    session.set_payload(4.0)
    assert session.analysis().drives["j2"].peak_motor_torque > 1.1 * heavy
    session.use_motion(gw.analysis.Task.read(TASK.replace("payload: {mass: 2.0}", ""), robot))
    assert session.robot.payload is None
    session.use_motion(gw.analysis.Task.read(TASK, robot))
    assert session.undo()
    assert session.robot.payload is None
