"""The page's panels on a real server, without a browser: what callbacks do to robot, view and results."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, MissingExtraError
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Payload, Robot
from gearwright.plots.network import HIGHLIGHT
from gearwright.studio.editable_parts import editable_parts
from gearwright.studio.open import FileWatcher, studio
from gearwright.studio.session import Session
from gearwright.studio.worker import Worker
from support.hostile_names import hostile_robot

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def new_server():
    """Makes a server for one page: pages have nodes of the same names, and each visitor has a scene of his own."""
    made = []

    def make():
        made.append(viser.ViserServer(host="127.0.0.1", port=0, verbose=False))
        return made[-1]

    yield make
    for server in made:
        server.stop()


PATIENCE = 300
"""Seconds after which something is taken for never: far more than a busy machine needs."""


def until(holds, what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.005)


def settled(page):
    """Wait until the page has shown and computed everything, without an error of its own."""
    until(page.is_idle, "the page computes")
    assert "bug" not in page.status.content, page.status.content


@pytest.fixture(scope="module")
def robot():
    return gw.load("planetary_3r")


@pytest.fixture(scope="module")
def lever():
    """The smallest robot there is."""
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0.2, 0, 0), inertia=np.diag([0.01] * 3))
    return Robot("lever", [link], [Drive("j", Motor(1e-5), Gear(20))])


@pytest.fixture(scope="module")
def make_page(new_server):
    """Pages, closed at the end."""
    from gearwright.studio.page import Page

    made = []

    def make(robot, **words):
        made.append(Page(new_server(), Session(robot), **words))
        settled(made[-1])
        return made[-1]

    yield make
    for page in made:
        page.close()


@pytest.fixture(scope="module")
def one_page(make_page, robot):
    return make_page(robot)


@pytest.fixture
def page(one_page, robot):
    """The page as it is after its file was read again, if anything was changed."""
    if one_page.session.robot is not robot:
        one_page.reload_robot(robot)
        settled(one_page)
    one_page.results.speed.value = "j1"
    settled(one_page)
    one_page.show_message("")
    return one_page


def enter(page, title, key, value):
    """Type a value into a field of the Drives tab and wait for what follows."""
    page.drives.field(title, key).value = value
    settled(page)


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
    enter(page, "j1", "motor.inertia", 4.9)
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
    enter(page, "j1", "gear.planets", 7)
    assert str(told.value).split(":")[1].strip()[:30] in page.status.content
    assert page.session.robot is robot
    enter(page, "j1", "gear.planets", 3)
    enter(page, "j1", "motor.inertia", 4)
    assert page.status.content == ""


def test_a_slider_makes_room_for_the_motor_that_was_chosen(page):
    page.drives.motor("j1").value = list(page.drives._choices)[1]
    settled(page)
    inertia, field = page.session.robot.drive("j1").motor.inertia, page.drives.field("j1", "motor.inertia")
    assert inertia != gw.load("planetary_3r").drive("j1").motor.inertia
    assert field.value == pytest.approx(1e4 * inertia)
    assert field.min <= field.value <= field.max


def test_planets_are_added_to_the_picture(page):
    enter(page, "j2", "gear.planets", 5)
    names = {name for _, name in page.view._solids}
    assert "j2.planet5" in names
    enter(page, "j2", "gear.planets", 3)
    assert "j2.planet4" not in {name for _, name in page.view._solids}


def test_a_stiffness_adds_a_shaft_to_the_choice_of_curves(page):
    enter(page, "j1", "gear.stiffness", 9000.0)
    assert "j1.motor" in page.results.speed.options
    assert "stiffness" not in page.status.content


def test_the_handle_brings_the_tool_where_it_is(page):
    page.move.frame.value = "tool"
    settled(page)
    target = page.move._handle.position + np.array([-0.05, 0.03, 0.04])
    pull(page, target)
    found = gw.placement(page.session.mech, page.move.q, "tool").position
    assert found == pytest.approx(target, abs=1e-5)
    assert page.move.sliders[0].value == pytest.approx(page.move.q[0], abs=1e-6)
    assert page.move.handle_message.content == ""
    pull(page, np.array([9.0, 0.0, 0.0]))
    assert page.move.handle_message.content
    page.move.frame.value = "none"
    settled(page)
    assert page.move._handle is None


def pull(page, target):
    """What viser does when somebody drags the handle."""
    page.move._handle.position = target
    page.events.submit("handle", page.move._follow_handle)
    settled(page)


def test_the_handle_goes_when_its_frame_is_gone(page, robot):
    page.move.frame.value = "tool"
    settled(page)
    page.reload_robot(replace(robot, frames=(), payload=Payload(0.7, (0.0, 0.0, 0.0))))
    settled(page)
    assert page.move.frame.value == "none"
    assert page.move.frame.options == ("none", *(link.name for link in robot.links))
    assert page.move.mass.value == 0.7
    assert page.move._handle is None
    assert "bug" not in page.status.content, page.status.content


def test_the_time_line_shows_the_motion(page):
    page.move.time.value = 0.25
    settled(page)
    assert page.move.q == pytest.approx(page.session.motion.coordinates_at(0.25))
    assert page.move.sliders[1].value == pytest.approx(page.move.q[1], abs=1e-6)


def play(page, playing=True):
    page.events.submit("play", page.move.toggle)
    until(lambda: page.move.is_playing is playing, "the motion starts or stops")


def test_playing_goes_on_and_stops(page):
    play(page)
    seen = set()
    until(lambda: seen.add(page.move.time.value) or len(seen) >= 4, "time goes on")
    play(page, playing=False)
    settled(page)
    at = page.move.time.value
    page.move._advance_time()  # one that was late
    assert page.move.time.value == at
    assert page.move.play.label == "Play"


def test_a_slow_motion_goes_on_although_the_time_line_rounds(page):
    page.move.playback_speed.value = 0.01
    page.move.time.value = 0.0
    play(page)
    until(lambda: page.move.time.value > 0, "time goes on")
    play(page, playing=False)
    page.move.playback_speed.value = 1.0


@pytest.mark.parametrize("other", ["planetary_3r", "elastic_elbow"])
def test_a_motion_is_played_while_the_robot_changes(page, robot, other):
    """All that touches the page runs in one thread: nobody meets a slider that is gone; pytest fails on what is raised.

    Events come from several threads at once, as from viser's pool.
    """
    another = gw.load(other)
    stale = [*page.move.sliders.values(), page.drives.field("j1", "motor.inertia")]
    heard = [callback for handle in (*stale, page.move.mass, page.move.time) for callback in handle._impl.update_cb]
    for _ in range(4):
        page.events.submit("play", page.move.toggle)
        ticker = page.move._ticker
        jobs = [
            lambda: page.reload_robot(another),
            *(partial(callback, None) for callback in heard),
            lambda: page.reload_robot(robot),
        ]
        crowd = [threading.Thread(target=job) for job in jobs]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()
        until(page.events.is_idle, "all of it is done")
        assert ticker is None or not ticker.is_alive
    page.reload_robot(robot)
    settled(page)
    assert not page.move.is_playing
    assert page.move.play.label == "Play"
    assert "bug" not in page.status.content, page.status.content
    assert all(handle._impl.removed for handle in stale)
    assert not any(slider._impl.removed for slider in page.move.sliders.values())


def test_nothing_touches_a_page_that_was_closed(make_page, lever, monkeypatch):
    """Closed in the middle of playing, drawing and computing: no job begins afterwards."""
    made = make_page(lever)
    made.events.submit("play", made.move.toggle)
    made.move.mass.value = 1.0
    made.close()
    touched = []
    monkeypatch.setattr(made.view, "move_robot", lambda *_: touched.append("view"))
    for worker in (made.events, made.computing, made.analysing):
        worker.submit("late", lambda: touched.append("late"))
    made.move.sliders[0].value = 0.1
    assert not made.events._thread.is_alive()
    assert not made.move.is_playing
    assert touched == []


def test_motors_and_teeth_of_a_train_have_panels(make_page):
    """What is entered changes torques, graph and picture; a wrong number is told in the library's words."""
    made = make_page(gw.load("wrist_puma"))
    found = {place.title: place for place in editable_parts(made.session.robot)}
    assert set(made.drives._fields) == set(found.values())
    rotor, mesh = found["motor m5"], found["mesh shaft5, tube5"]
    made.results.speed.value = "j2"
    before, graph = peak(made), made.results.graph.content
    enter(made, rotor, "motor.inertia", 0.9)
    heavier = peak(made)
    assert heavier > 1.05 * before
    assert made.results.graph.content == graph
    enter(made, mesh, "teeth.1", 80)
    assert made.session.mech.actuators[1].row == (-5.0, -9.0, 0.0)
    assert "-9 of j2" in made.drives._descriptions[rotor].content
    assert peak(made) > heavier
    assert made.results.graph.content != graph
    robot = made.session.robot
    enter(made, mesh, "teeth.1", 0)
    assert "tube5" in made.status.content
    assert made.session.robot is robot
    made.drives.motor(rotor).value = list(made.drives._choices)[1]
    settled(made)
    assert made.session.robot.trains[0].motors[1].motor.catalogue == list(made.drives._choices.values())[1]


def test_the_path_of_power_of_a_motor_is_highlighted(make_page, robot):
    made = make_page(robot)
    plain = made.results.graph.content
    assert made.results.path.options == ("none", "j1", "j2", "j3")
    made.results.path.value = "j2"
    until(lambda: made.results.graph.content != plain, "the path is drawn")
    assert made.results.graph.content.count(HIGHLIGHT["color"]) > plain.count(HIGHLIGHT["color"]) == 0
    made.results.path.value = "none"
    until(lambda: made.results.graph.content == plain, "the plain graph is drawn again")


def test_the_flow_of_power_is_that_of_the_shown_time(make_page, robot):
    made = make_page(robot)
    before = made.results.power.content
    assert before.count('font-weight="bold"') == 3
    made.move.time.value = 0.4 * made.session.motion.duration
    until(lambda: made.results.power.content != before, "the power at another time is drawn")
    settled(made)
    assert f"{made.move.time.value:.2f} s" in made.results.power_time.content


def test_results_of_motors_checks_and_graph_are_there(page):
    assert "<svg" in page.results.graph.content
    assert page.results.checks.content
    assert page.results.motor.options == ("j1", "j2", "j3")
    assert page.results.diagram.figure.data[0].name == "motion"


def test_a_robot_that_cannot_be_analysed_says_why(make_page):
    trunk = Link("trunk", joint=Joint("base", kind="free"), mass=2.0, inertia=np.diag([0.02] * 3))
    leg = Link("leg", "trunk", Joint("hip", axis=(0, 1, 0)), mass=0.5, com=(0, 0, -0.1), inertia=np.diag([0.01] * 3))
    made = make_page(Robot("hopper", [trunk, leg], [Drive("hip", Motor(1e-5), Gear(6))]))
    assert "rates of coordinates" in made.results.checks.content
    assert made.view._solids


def test_names_are_shown_and_not_obeyed(make_page):
    """Markdown of the page may hold code, HTML and figures may hold tags: names are neither."""
    name = "<b>{1+1}</b><script>"
    made = make_page(hostile_robot([name, "a/b", "*c*", "{d}", "<i>e</i>", "f", "g", "h", "i"]))
    made.show_message(name, bad=True)
    for shown in (made.status, made.results.graph, made.results.checks, made.results.motors):
        assert "<script" not in shown.content
        assert "<i>" not in shown.content
    for shown in (made.move.title, *made.drives._descriptions.values()):
        assert "{" not in shown.content.replace("\\{", "")
    assert "<" not in made.results.torque.figure.layout.yaxis.title.text


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
        assert opened.robot.name == "elbow"
        path.write_text(good.replace("robot: elbow", "robot: other"))
        told.wait()
        assert told.read_robots[-1].name == "other"


class _Listener:
    """Stands for a page."""

    def __init__(self) -> None:
        self.said, self.read_robots, self._event = [], [], threading.Event()

    def show_message(self, text, bad=False):
        self.said.append(text)
        self._event.set()

    def reload_robot(self, robot):
        self.read_robots.append(robot)
        self._event.set()

    def wait(self):
        assert self._event.wait(PATIENCE), "the file's change was not seen"
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
        ({"port": 70000}, "65535"),
        ({"port": 1.5}, r"1\.5"),
        ({"motion": "gone.csv"}, "gone.csv"),
        ({"save_to": "robot.txt"}, r"robot\.txt.*\.yaml"),
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


def test_the_button_writes_where_the_owner_said(page, tmp_path, monkeypatch):
    monkeypatch.setattr(page.files, "save_to", tmp_path / "changed.yaml")
    enter(page, "j1", "motor.inertia", 5)
    page.files._save_robot()
    assert gw.load(tmp_path / "changed.yaml").drive("j1").motor.inertia == 5e-4


def test_a_worker_runs_the_newest_job_of_a_name_and_survives_failures():
    failures, done, gate = [], [], threading.Event()
    worker = Worker(failures.append)
    worker.submit("wait", gate.wait)
    for k in range(5):
        worker.submit("draw", lambda k=k: done.append(k))
    worker.submit("fail", lambda: 1 / 0)
    worker.submit("last", lambda: done.append("last"))
    worker.start()
    gate.set()
    until(worker.is_idle, "all jobs are done")
    worker.stop()
    worker.join()
    worker.submit("late", lambda: done.append("late"))
    assert done == [4, "last"]
    assert isinstance(failures[0], ZeroDivisionError)


def test_python_ends_after_the_current_job(tmp_path):
    """One that is stopped inside compiled code would abort the process; jobs that wait are dropped."""
    program = f"""
import threading
from gearwright.studio.worker import Worker
begun = threading.Event()
def job():
    begun.set()
    threading.Event().wait(0.3)
    open({str(tmp_path / "done")!r}, "w").close()
worker = Worker(print)
worker.submit("job", job)
worker.submit("late", lambda: open({str(tmp_path / "late")!r}, "w").close())
worker.start()
begun.wait()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [file.name for file in tmp_path.iterdir()] == ["done"]


def test_a_watch_sees_changes_but_its_own(tmp_path):
    path, seen = tmp_path / "a.txt", []
    path.write_text("1")
    watch = FileWatcher(path, lambda: seen.append(path.read_text()), period=1e6)  # looked at by hand
    watch.write_unnoticed(path, lambda: path.write_text("22"))
    watch.check_file()
    assert seen == []
    path.write_text("333")
    watch.write_unnoticed(tmp_path / "b.txt", lambda: None)  # another file's
    watch.check_file()
    watch.check_file()
    assert seen == ["333"]
    path.unlink()
    watch.check_file()
    path.write_text("4444")
    watch.check_file()
    assert seen == ["333", "4444"]
    watch.stop()


def test_a_watch_looks_by_itself_until_it_is_stopped(tmp_path):
    path, seen = tmp_path / "a.txt", threading.Event()
    path.write_text("1")
    watch = FileWatcher(path, seen.set, period=0.01)
    path.write_text("22")
    assert seen.wait(PATIENCE)
    watch.stop()
    assert not watch._ticker.is_alive


class _Client:
    """What a studio knows of a visitor."""

    def __init__(self, server, number):
        self.gui, self.scene, self.atomic, self.client_id = server.gui, server.scene, server.atomic, number


def test_a_visitor_who_leaves_or_finds_another_file_while_the_page_is_made(new_server, lever, monkeypatch, tmp_path):
    """Whatever happens while a page is made is made good at its end."""
    from gearwright.studio import page as module

    path = tmp_path / "arm.yaml"
    gw.save(lever, path)
    with _opened(path) as opened:
        meanwhile, real, made = [], module.Page, []

        def slowly(*arguments, **words):
            made.append(real(*arguments, **words))
            meanwhile.pop()()
            return made[-1]

        monkeypatch.setattr(module, "Page", slowly)
        leaver = _Client(new_server(), 71)
        meanwhile.append(lambda: opened._remove_page(leaver))
        opened._add_page(leaver)
        assert made[-1].closed
        assert opened.pages == []

        def edited():
            path.write_text(path.read_text().replace("robot: lever", "robot: other"))
            opened._file_changed()

        meanwhile.append(edited)
        opened._add_page(_Client(new_server(), 72))
        settled(made[-1])
        assert made[-1].session.robot.name == "other"
        meanwhile.append(opened.stop)
        opened._add_page(_Client(new_server(), 73))
        assert all(page.closed for page in made)


def test_a_payload_sits_where_it_is_put(make_page, lever):
    page = make_page(lever)
    page.move.mass.value = 2.0
    settled(page)
    assert page.session.robot.payload is None  # nothing says where: neither a tool frame nor a tip
    assert "tip" in page.status.content
    page.move.place.value = "arm"
    settled(page)
    assert (page.session.robot.payload.mass, page.session.robot.payload.link) == (2.0, "arm")
    assert "arm" in page.move.payload_location.content


def test_sliders_of_a_closed_machine_move_it_closed(make_page):
    """An independent joint moves its dependents only; a dependent joint moves others; what opens a loop is refused."""
    robot = gw.load("palletiser")
    mech, page = gw.assemble(robot), make_page(robot)
    places = {name: k for k, name in enumerate(mech.coordinates)}

    def slide(name, value):
        page.move.sliders[places[name]].value = value
        settled(page)
        gw.inverse_dynamics(mech, page.move.q, np.zeros(4), np.zeros(4))  # raises where a loop is open
        shown = [page.move.sliders[k].value for k in places.values()]
        assert shown == pytest.approx(page.move.q, abs=1e-6)

    slide("shoulder", 0.4)
    assert page.move.q[list(mech.independent_indices)] == pytest.approx([0, 0.4, 0, 0], abs=1e-12)
    assert page.move.q[places["elbow"]] == pytest.approx(-0.4, abs=1e-9)
    slide("elbow", 0.3)
    assert page.move.q[places["elbow"]] == pytest.approx(0.3, abs=1e-9)
    before = page.move.q.copy()
    slide("shoulder", -0.69)  # the elbow would leave its range
    assert page.move.q == pytest.approx(before)
    assert "loops" in page.move.handle_message.content


def test_a_reference_design_is_drawn_beside_and_a_change_undone(page):
    page.reference.toggle()
    settled(page)
    assert page.reference._view is not None
    assert {curve.name for curve in page.results.torque.figure.data} == {"exact", "reference", "difference"}
    before = page.session.robot
    page.drives.field("j1", "motor.inertia").value = 4.1
    until(lambda: page.session.robot is not before, "the number arrives")
    settled(page)
    page.reference._undo()
    settled(page)
    assert page.session.robot is before
    page.reference.toggle()
    settled(page)
    assert page.reference._view is None
    assert "difference" not in {curve.name for curve in page.results.torque.figure.data}


def test_a_task_is_loaded_and_a_bad_one_reported(page):
    motion = page.session.motion
    page.use_task("task: nod\nmotions: nonsense\n")
    assert "motions" in page.status.content
    assert page.session.motion is motion
    page.use_task("task: nod\nmotions: [{to: [0.3, 0.2, 0.1], speed: 1, acceleration: 4}]\npayload: {mass: 1.5}\n")
    settled(page)
    assert page.move.mass.value == 1.5
    assert "payload" in {solid.kind for solid, _ in page.view._solids.values()}
    assert "nod" in page.move.title.content
    assert page.session.motion.task is not None
    page.results.warm.value = True
    page.move.time.value = 0.1
    settled(page)
    page.results.warm.value = False
    page.session.use_motion(None)
    page.move.rebuild()
    settled(page)
