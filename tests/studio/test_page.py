"""The page's panels on a real server, without a browser: what callbacks do to robot, view and results."""

from __future__ import annotations

import socket
import threading
import time

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, MissingExtraError
from gearwright.studio.open import studio
from gearwright.studio.session import Session
from gearwright.studio.watch import Watch
from gearwright.studio.worker import Worker
from support.hostile_names import hostile_robot

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def server():
    made = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield made
    made.stop()


def settled(page):
    """Wait until the page has computed everything."""
    end = time.monotonic() + 60
    while not page.worker.idle():
        assert time.monotonic() < end, "the page still computes"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def one_page(server):
    from gearwright.studio.page import Page

    made = Page(server, Session(gw.load("planetary_3r")))
    settled(made)
    yield made
    made.close()


@pytest.fixture
def page(one_page):
    """The page as it is after its file was read again."""
    one_page.read(gw.load("planetary_3r"))
    settled(one_page)
    one_page.results.speed.value = "j1"
    one_page.say("")
    return one_page


def peak(page) -> float:
    return float(np.abs(page.results.torque.figure.data[0].y).max())


def test_a_slider_moves_bodies_and_wheels(page):
    sun = next(pair for pair in page.view._solids.values() if pair[0].name == "j1.sun")
    turret = page.view._bodies["turret"]
    before = turret.wxyz.copy(), sun[1].wxyz.copy()
    page.move.sliders[0].value = 0.4
    settled(page)
    assert turret.wxyz == pytest.approx([np.cos(0.2), 0, 0, np.sin(0.2)])
    assert sun[1].wxyz == pytest.approx([np.cos(1.0), 0, 0, np.sin(1.0)])  # five times as far
    assert turret.wxyz != pytest.approx(before[0])


def test_a_number_changes_the_curve(page):
    before = peak(page)
    page.drives._fields["j1"]["motor.inertia"].value = 4.9e-4
    settled(page)
    expected = gw.inverse_dynamics(page.session.mech, *_states(page))[:, 0]
    assert page.session.robot.drive("j1").motor.inertia == 4.9e-4
    assert peak(page) == pytest.approx(np.abs(expected).max(), rel=1e-5)
    assert peak(page) != pytest.approx(before, rel=1e-3)


def _states(page):
    motion = page.session.motion.motion
    return motion.q, motion.v, motion.a


def test_a_wrong_number_is_told_in_the_librarys_words_and_changes_nothing(page):
    robot = page.session.robot
    with pytest.raises(gw.errors.TrainError) as told:
        gw.parts.Planetary(sun=18, planet=27, ring=72, planets=7)
    page.drives._fields["j1"]["gear.planets"].value = 7
    assert str(told.value).split(":")[1].strip()[:30] in page.status.content
    assert page.session.robot is robot
    page.drives._fields["j1"]["gear.planets"].value = 3
    page.drives._fields["j1"]["motor.inertia"].value = 4e-4
    assert page.status.content == ""


def test_a_slider_makes_room_for_the_motor_that_was_chosen(page):
    names = list(page.drives._choices)
    page.drives._motor_chosen("j1", names[1])
    settled(page)
    inertia, field = page.session.robot.drive("j1").motor.inertia, page.drives._fields["j1"]["motor.inertia"]
    assert inertia != gw.load("planetary_3r").drive("j1").motor.inertia
    assert field.value == pytest.approx(inertia)
    assert field.min <= field.value <= field.max


def test_planets_are_added_to_the_picture(page):
    page.drives._fields["j2"]["gear.planets"].value = 5
    settled(page)
    names = {name for _, name in page.view._solids}
    assert "j2.planet5" in names
    page.drives._fields["j2"]["gear.planets"].value = 3
    settled(page)
    assert "j2.planet4" not in {name for _, name in page.view._solids}


def test_a_stiffness_adds_a_shaft_to_the_choice_of_curves(page):
    page.drives._fields["j1"]["gear.stiffness"].value = 9000.0
    settled(page)
    assert "j1.motor" in page.results.speed.options
    assert "stiffness" not in page.status.content


def test_the_handle_brings_the_tool_where_it_is(page):
    page.move.frame.value = "tool"
    target = page.move._handle.position + np.array([-0.05, 0.03, 0.04])
    page.move._handle.position = target
    page.move._reach()
    found = gw.placement(page.session.mech, page.move.q, "tool").position
    assert found == pytest.approx(target, abs=1e-5)
    assert page.move.sliders[0].value == pytest.approx(page.move.q[0], abs=1e-6)
    page.move._handle.position = np.array([9.0, 0.0, 0.0])
    page.move._reach()
    assert "Out of reach" in page.move.told.content
    page.move.frame.value = "none"
    assert page.move._handle is None


def test_the_time_line_shows_the_motion(page):
    page.move.time.value = 0.25
    settled(page)
    assert page.move.q == pytest.approx(page.session.motion.at(0.25))
    assert page.move.sliders[1].value == pytest.approx(page.move.q[1], abs=1e-6)


def test_playing_goes_on_and_stops(page):
    page.move.toggle()
    seen = set()
    end = time.monotonic() + 20
    while len(seen) < 4 and time.monotonic() < end:
        seen.add(page.move.time.value)
        time.sleep(0.02)
    page.move.toggle()
    assert len(seen) >= 4


@pytest.mark.parametrize("other", ["planetary_3r", "harmonic_6"])
def test_a_motion_is_played_while_the_robot_changes(page, other):
    """Threads that play, draw and rebuild do not meet at a slider that is gone; pytest fails on what they raise."""
    for _ in range(4):
        page.move.toggle()
        page.change(lambda: page.session.carry(0.1))
        page.read(gw.load(other))
        page.read(gw.load("planetary_3r"))
        assert page.move.play.label == "Play"
        assert not page.move._player.is_alive()
    settled(page)
    assert not page.status.content or "bug" not in page.status.content


def test_results_of_motors_checks_and_graph_are_there(page):
    assert "<svg" in page.results.graph.content
    assert "table" in page.results.checks.content or "None are stated" in page.results.checks.content
    assert page.results.motor.options == ("j1", "j2", "j3")
    assert page.results.diagram.figure.data[0].name == "motion"


def test_a_robot_that_cannot_be_analysed_says_why(server):
    from gearwright.studio.page import Page

    made = Page(server, Session(gw.load("mini_cheetah")))
    settled(made)
    try:
        assert made.results.checks.content
        assert made.view._solids
    finally:
        made.close()


def test_names_are_shown_and_not_obeyed(server):
    """Markdown of the page may hold code, HTML and figures may hold tags: names are neither."""
    from gearwright.studio.page import Page

    name = "<b>{1+1}</b><script>"
    made = Page(server, Session(hostile_robot([name, "a/b", "*c*", "{d}", "<i>e</i>", "f", "g", "h", "i"])))
    settled(made)
    try:
        made.say(name, bad=True)
        for shown in (made.status, made.results.graph, made.results.checks, made.results.motors):
            assert "<script" not in shown.content
            assert "<i>" not in shown.content
        for shown in (made.move.title, *made.drives._ratios.values()):
            assert "{" not in shown.content.replace("\\{", "")
        assert "<" not in made.results.torque.figure.layout.yaxis.title.text
    finally:
        made.close()


def test_a_file_edited_wrongly_keeps_the_last_good_robot(tmp_path):
    path = tmp_path / "arm.yaml"
    gw.save(gw.load("elbow"), path)
    good = path.read_text()
    with _opened(path) as opened:
        told = _Listener()
        opened._pages[0] = told
        path.write_text(good.replace("mass:", "mas:", 1))
        told.wait()
        assert "mas" in told.said[-1]
        assert "keeps the last good robot" in told.said[-1]
        assert opened.robot.name == "elbow"
        path.write_text(good.replace("robot: elbow", "robot: other"))
        told.wait()
        assert told.read_robots[-1].name == "other"


class _Listener:
    """Stands for a page."""

    def __init__(self) -> None:
        self.said, self.read_robots, self._event = [], [], threading.Event()

    def say(self, text, bad=False):
        self.said.append(text)
        self._event.set()

    def read(self, robot):
        self.read_robots.append(robot)
        self._event.set()

    def wait(self):
        assert self._event.wait(20), "the file's change was not seen"
        self._event.clear()

    def close(self):
        pass


class _opened:
    def __init__(self, *arguments, **words):
        self.studio = studio(*arguments, port=0, open_browser=False, **words)

    def __enter__(self):
        return self.studio

    def __exit__(self, *_):
        self.studio.stop()


def test_a_port_that_is_taken_leads_to_another():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        opened = studio("elbow", port=port, open_browser=False)
        try:
            assert opened.port != port
            assert str(opened.port) in opened.url
        finally:
            opened.stop()


def test_the_page_is_for_this_machine_alone_unless_asked():
    with _opened("elbow") as opened:
        assert opened.url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"port": -1}, "port"),
        ({"port": 70000}, "beyond 65535"),
        ({"port": 1.5}, "whole number"),
        ({"motion": "gone.csv"}, "gone.csv"),
        ({"save_to": "robot.txt"}, "ends in .yaml"),
    ],
)
def test_what_is_wrong_is_said_before_a_page_opens(words, message):
    with pytest.raises((gw.errors.GearwrightError, OSError), match=message):
        studio("elbow", open_browser=False, **words)


def test_a_robot_that_is_not_one_is_refused():
    with pytest.raises(InputError):
        studio(7, open_browser=False)


def test_without_viser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(MissingExtraError, match=r"gearwright\[studio\]"):
        studio("elbow", open_browser=False)


def test_the_button_writes_where_the_owner_said(page, tmp_path):
    page.files.save_to = tmp_path / "changed.yaml"
    page.drives._fields["j1"]["motor.inertia"].value = 5e-4
    page.files._write()
    assert gw.load(tmp_path / "changed.yaml").drive("j1").motor.inertia == 5e-4


def test_a_worker_runs_the_newest_job_of_a_name_and_survives_failures():
    failures, done, gate = [], [], threading.Event()
    worker = Worker(failures.append)
    worker.submit("wait", gate.wait)
    for k in range(5):
        worker.submit("draw", lambda k=k: done.append(k))
    worker.submit("fail", lambda: 1 / 0)
    worker.submit("last", lambda: done.append("last"))
    gate.set()
    end = time.monotonic() + 20
    while "last" not in done and time.monotonic() < end:
        time.sleep(0.01)
    worker.stop()
    assert done == [4, "last"]
    assert isinstance(failures[0], ZeroDivisionError)


def test_a_watch_sees_changes_but_its_own(tmp_path):
    path, seen = tmp_path / "a.txt", threading.Event()
    path.write_text("1")
    watch = Watch(path, seen.set)
    watch.skip()
    path.write_text("22")
    assert not seen.wait(1.5)
    path.write_text("333")
    assert seen.wait(20)
    watch.stop()
