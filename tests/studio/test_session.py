"""What a visitor changes, and the results that follow, without any page."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import compare
from gearwright.errors import GearwrightError, InputError, TrainError
from gearwright.motion import polynomial
from gearwright.parts import Drive, Motor, Planetary, parameter
from gearwright.studio.entries import AS_STATED, changed_drive, entries, motor_choices
from gearwright.studio.motions import studio_motion
from gearwright.studio.session import Session, parameter_paths


@pytest.fixture(scope="module")
def elbow():
    return gw.load("elbow")


def largest(results, speed=1):
    return float(np.abs(results.comparison.exact[:, speed]).max())


@pytest.mark.parametrize("name", ["elbow", "planetary_3r", "harmonic_6", "scara", "sea_leg"])
def test_every_entry_can_be_entered_again(name):
    """Entering what is there changes nothing, for every drive and entry."""
    robot = gw.load(name)
    for drive in robot.drives:
        same = changed_drive(drive, {entry.key: entry.value for entry in entries(drive)})
        assert same == drive


def test_teeth_that_fit_together_may_be_entered_at_once():
    drive = Drive("j", Motor(1e-4), Planetary(sun=18, planet=27, ring=72))
    with pytest.raises(TrainError, match="ring 72 ≠ sun 24"):
        changed_drive(drive, {"gear.sun": 24})
    assert changed_drive(drive, {"gear.sun": 24, "gear.ring": 78}).gear.ratio == 1 + 78 / 24


def test_a_refused_change_leaves_everything_as_it_was(elbow):
    session = Session(elbow)
    before = session.robot
    with pytest.raises(GearwrightError, match="ratio 0"):
        session.enter("j2", {"gear.ratio": 0.0})
    with pytest.raises(GearwrightError, match="negative"):
        session.carry(-1.0)
    with pytest.raises(GearwrightError, match="no drive 'elbow'"):
        session.enter("elbow", {"gear.ratio": 10.0})
    assert session.robot is before


def test_results_follow_a_change_through_kernels_and_without_them(elbow):
    """The kernels' forces are those of the changed robot assembled anew."""
    session = Session(elbow)
    slow = session.quick()
    session.compile()
    assert session.compiled
    assert session.quick().comparison.exact == pytest.approx(slow.comparison.exact, abs=1e-9)
    session.enter("j2", {"gear.ratio": 60.0, "motor.inertia": 5e-4})
    assert session.compiled
    found, expected = session.quick().comparison, compare(gw.assemble(session.robot), session.motion.motion)
    assert largest(session.quick()) != pytest.approx(largest(slow))
    assert found.exact == pytest.approx(expected.exact, rel=1e-9, abs=1e-9)
    for kind, forces in expected.approximations.items():
        assert found.approximations[kind] == pytest.approx(forces, rel=1e-9, abs=1e-9)


def test_a_change_of_structure_drops_the_kernels():
    session = Session(gw.load("planetary_3r"))
    session.compile()
    assert session.compiled
    session.enter("j2", {"gear.planets": 5})
    assert not session.compiled
    assert session.robot.drive("j2").gear.planets == 5
    session.compile()
    assert session.compiled


def test_a_stiffness_makes_a_shaft_and_zero_takes_it_away(elbow):
    session = Session(elbow)
    session.enter("j2", {"gear.stiffness": 8000.0})
    assert session.mech.shafts == ("j2.motor",)
    assert session.quick().comparison.exact.shape[1] == session.mech.n == 4
    session.enter("j2", {"gear.stiffness": 0.0})
    assert session.mech.shafts == ()


def test_kernels_that_took_long_are_not_taken_for_another_robot(elbow, monkeypatch):
    """A change of structure while kernels are compiled makes them stale; a change of numbers does not."""
    module = sys.modules[Session.__module__]
    real = module.parameter_comparison
    for change, kept in ((lambda s: s.enter("j2", {"gear.ratio": 70.0}), True), (lambda s: s.carry(2.0), False)):
        session = Session(elbow)

        def slowly(robot, paths, session=session, change=change):
            made = real(robot, paths)
            change(session)
            return made

        monkeypatch.setattr(module, "parameter_comparison", slowly)
        session.compile()
        assert session.compiled is kept


def test_a_payload_adds_what_it_weighs(elbow):
    session = Session(elbow)
    light = largest(session.quick())
    session.carry(3.0)
    heavy = largest(session.quick())
    assert session.robot.payload.mass == 3.0
    assert heavy > light
    session.carry(4.0)
    assert "payload.mass" in parameter_paths(session.robot)
    assert largest(session.quick()) > heavy


def test_a_motor_of_the_catalogue_takes_the_place_of_the_other(elbow):
    session = Session(elbow)
    name, key = list(motor_choices(session.catalogue).items())[5]
    session.choose_motor("j2", key)
    motor = session.robot.drive("j2").motor
    assert motor.catalogue == key
    assert key in name
    assert motor.position == elbow.drive("j2").motor.position
    session.choose_motor("j2", AS_STATED)
    assert session.robot.drive("j2") == elbow.drive("j2")


def test_sessions_do_not_disturb_each_other(elbow):
    one, two = Session(elbow), Session(elbow)
    one.enter("j2", {"gear.ratio": 33.0})
    assert two.robot.drive("j2").gear.ratio == 100.0


def test_checks_and_margins_come_from_analyse():
    session = Session(gw.load("scara"))
    before = {check.name: check.margin for check in session.analysis().limits}
    assert before
    session.enter("shoulder", {"gear.ratio": 2 * session.robot.drive("shoulder").gear.ratio})
    after = {check.name: check.margin for check in session.analysis().limits}
    assert after != before


@pytest.mark.parametrize("name", ["elbow", "elastic_elbow", "mini_cheetah", "wrist_bendix", "scara"])
def test_a_motion_for_every_robot(name):
    robot = gw.load(name)
    mech = gw.assemble(robot)
    found = studio_motion(robot, mech)
    assert found.motion.q.shape[1] == mech.nq
    assert found.at(0.0) == pytest.approx(found.motion.q[0])
    assert found.at(found.duration) == pytest.approx(found.motion.q[-1])
    assert found.at(1e9) == pytest.approx(found.motion.q[-1])


def test_motions_of_every_kind_are_taken(elbow, tmp_path):
    mech = gw.assemble(elbow)
    way = polynomial([0, 0, 0], [1, 0.5, -0.5], duration=2.0, robot=elbow)
    run = gw.simulate(mech, [0.0, 0.5, 0.0], until=0.1)
    way.save(tmp_path / "way.csv", rate=50)
    run.save(tmp_path / "run.csv")
    for given, duration in ((way, 2.0), (way.sample(50), 2.0), (run, 0.1), (tmp_path / "way.csv", 2.0)):
        assert studio_motion(elbow, mech, given).duration == pytest.approx(duration)
    assert studio_motion(elbow, mech, tmp_path / "run.csv").at(0.0) == pytest.approx([0.0, 0.5, 0.0])
    with pytest.raises(InputError, match="3 joints"):
        studio_motion(elbow, mech, polynomial([0.0], [1.0], duration=1.0))
    with pytest.raises(InputError, match="not a trajectory"):
        studio_motion(elbow, mech, 7)


def test_shafts_move_with_their_joints():
    robot = gw.load("elastic_elbow")
    mech = gw.assemble(robot)
    found = studio_motion(robot, mech, polynomial([0, 0, 0], [1, 0.5, -0.5], duration=2.0))
    q = dict(zip(mech.coordinates, found.at(1.3), strict=True))
    for shaft in mech.shafts:
        assert q[shaft] == pytest.approx(q[shaft.removesuffix(".motor")])


def test_paths_are_those_of_numbers_that_are_there(elbow):
    for path in parameter_paths(elbow):
        assert parameter(elbow, path) != 0
    assert "j2.gear.stiffness" not in parameter_paths(elbow)
