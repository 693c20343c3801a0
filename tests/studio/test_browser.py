"""The studio in a real browser without a window; skipped by name where there is no browser.

Pictures of what is seen are left in the folder that GEARWRIGHT_SCREENSHOTS names, else in pytest's own.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.plots.network import HIGHLIGHT
from gearwright.studio.open import studio
from gearwright.studio.view import rotation_from_quaternion

pytest.importorskip("viser")
playwright = pytest.importorskip("playwright.sync_api", reason="browser tests: Playwright is not installed")
from support.chromium import chromium_path, launched  # noqa: E402

PATIENCE = 600_000
"""Milliseconds: a browser that draws in software beside other work is slow."""
KEPT = os.environ.get("GEARWRIGHT_SCREENSHOTS")
SIZE = {"width": 1400, "height": 820} if KEPT else {"width": 1020, "height": 560}
"""Pictures for the manual are larger; a small one is drawn sooner."""
CLOSE_MESSAGES = "() => document.querySelectorAll('[role=alert] button').forEach(one => one.click())"
"""At once: a message may close by itself at any time."""
NAMED_CURVE = """name => [...(document.querySelector('.js-plotly-plot')?.data ?? [])].filter(
  one => one.name == name).flatMap(one => [...one.y])"""
TASK = """task: swing
motions: [{to: [0.6, -0.4, 0.5], speed: 1, acceleration: 4}]
"""
CURVE = "() => (document.querySelector('.js-plotly-plot')?.data?.[0]?.y ?? []).map(Math.abs)"


class Tab:
    """One visitor: the browser's page, what its console said, and the server's side of it."""

    def __init__(self, browser, opened, size=SIZE) -> None:
        known = set(map(id, opened.pages))
        self.errors: list[str] = []
        self.page = browser.new_context(viewport=size, accept_downloads=True).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.goto(opened.url)
        self.page.get_by_role("button", name="Play").wait_for()
        self.until(lambda: any(id(page) not in known for page in opened.pages), "the server knows the visitor")
        self.server = next(page for page in opened.pages if id(page) not in known)
        self.settled()
        self.server.results.speed.value = "j1"
        self.close_messages()

    def show(self, tab: str) -> None:
        """Choose a tab, again if a message lay over it."""
        heading = self.page.get_by_role("tab", name=tab, exact=True)

        def is_chosen() -> bool:
            if heading.get_attribute("aria-selected") != "true":
                self.close_messages()
                heading.click(force=True)
            return heading.get_attribute("aria-selected") == "true"

        self.until(is_chosen, f"the tab {tab} is chosen")

    def press(self, button: str) -> None:
        """Press a button, with no message over it."""
        self.close_messages()
        self.page.get_by_role("button", name=button, exact=True).click(force=True)

    def close_messages(self) -> None:
        """Close the messages of the browser's side: that pictures are drawn in software, what was downloaded."""
        self.page.evaluate(CLOSE_MESSAGES)

    def field(self, label: str, place: int = 0):
        """The input beside a label; those of viser have no accessible name."""
        around = "xpath=ancestor::*[.//input or .//*[@role='slider']][1]"
        return self.page.get_by_text(label, exact=True).nth(place).locator(around).get_by_role("textbox").first

    def enter(self, label: str, value: float, place: int = 0) -> None:
        box = self.field(label, place)
        box.fill(str(value), force=True)
        box.press("Enter")

    def until(self, holds, what: str) -> None:
        end = time.monotonic() + PATIENCE / 1000
        while not holds():
            assert time.monotonic() < end, f"waited in vain: {what}"
            self.page.wait_for_timeout(50)

    def settled(self) -> None:
        self.until(self.server.is_idle, "the page computes")

    def peak(self) -> float:
        return max(self.page.evaluate(CURVE), default=0.0)

    def status(self) -> str:
        """The message above the panels; empty without one."""
        return "\n".join(self.page.get_by_role("status").all_inner_texts())

    def curve(self, name: str) -> np.ndarray:
        """A curve of the torque figure as the browser shows it; empty if it is not there."""
        return np.array(self.page.evaluate(NAMED_CURVE, name), dtype=float)


@dataclass
class Visit:
    """What the steps of a visit share."""

    browser: object
    opened: object
    tab: Tab
    robot_file: Path
    pictures: Path
    tmp_path: Path


def the_page_loads_without_errors_of_ours(visit):
    tab, pictures = visit.tab, visit.pictures
    tab.until(lambda: tab.peak() > 0, "the torque is drawn")
    assert tab.page.title() == "Gearwright"
    tabs = {one.inner_text() for one in tab.page.get_by_role("tab").all()}
    assert {"Move", "Drives", "Files", "Torque", "Motors", "Checks", "Gear graph"} <= tabs
    assert tab.page.locator("canvas").count()
    tab.page.screenshot(path=pictures / "studio.png")
    assert tab.errors == []


def a_slider_moves_the_robot(visit):
    tab = visit.tab
    canvas = tab.page.locator("canvas").first
    before = canvas.screenshot()
    tab.show("Move")
    tab.enter("j1 [rad]", 1.25)
    tab.until(lambda: tab.server.move.q[0] == pytest.approx(1.25), "the slider's value arrives")
    tab.settled()
    assert tab.server.view._bodies["turret"].wxyz[3] == pytest.approx(np.sin(0.625))
    tab.until(lambda: canvas.screenshot() != before, "another picture is drawn")


def the_handle_drags_the_tool(visit):
    """A mouse pulls an arrow of the handle; the joints follow, the tool is where the handle is."""
    tab = visit.tab
    move = tab.server.move
    for index, bent in ((1, 0.6), (2, -1.2)):  # one at full stretch could go nowhere
        move.sliders[index].value = bent
    move.frame.value = "tool"
    tab.settled()
    before, place = move.q.copy(), move._handle.position.copy()
    end = time.monotonic() + PATIENCE / 1000
    while np.array_equal(move.q, before):  # until the browser has drawn the handle the mouse turns the camera
        assert time.monotonic() < end, "waited in vain: the handle is dragged"
        pull_an_arrow(tab, move._handle)
        tab.page.wait_for_timeout(200)
        tab.settled()
    tab.until(lambda: np.allclose(tool_of(tab), move._handle.position, atol=1e-4), "the tool follows")
    assert np.linalg.norm(tool_of(tab) - place) > 1e-3
    for index, slider in move.sliders.items():
        assert slider.value == pytest.approx(move.q[index], abs=1e-3)
    tab.page.screenshot(path=visit.pictures / "studio_handle.png")
    move.frame.value = "none"
    tab.settled()


def tool_of(tab):
    return gw.placement(tab.server.session.mech, tab.server.move.q, "tool").position


def pull_an_arrow(tab, handle) -> None:
    """Drag the arrow that is seen best a little towards the place of the handle."""
    rotation = rotation_from_quaternion(np.asarray(handle.wxyz))
    size = 0.25 * tab.server.view.scene.reach
    middle = pixel(tab, handle.position)
    tips = [pixel(tab, handle.position + 0.6 * size * axis) for axis in rotation.T]
    tip = max(tips, key=lambda one: np.linalg.norm(one - middle))
    mouse, target = tab.page.mouse, tip + (middle - tip) * 0.4
    mouse.move(*tip)
    tab.page.wait_for_timeout(100)
    mouse.down()
    mouse.move(*target, steps=6)
    mouse.up()


def pixel(tab, point) -> np.ndarray:
    """Where a point of the scene is on the screen: the camera looks along its z axis, y points down."""
    camera, box = tab.server.api.camera, tab.page.locator("canvas").first.bounding_box()
    x, y, z = rotation_from_quaternion(np.asarray(camera.wxyz)).T @ (np.asarray(point) - camera.position)
    focal = box["height"] / 2 / np.tan(camera.fov / 2)
    return np.array([box["x"] + box["width"] / 2 + focal * x / z, box["y"] + box["height"] / 2 + focal * y / z])


def a_parameter_changes_a_curve(visit):
    tab, pictures = visit.tab, visit.pictures
    tab.show("Drives")
    before = tab.peak()
    tab.enter("rotor inertia [kg cm²]", 4.9)
    tab.until(lambda: tab.server.session.robot.drive("j1").motor.inertia == 0.00049, "the value arrives")
    motion = tab.server.session.motion.motion
    tau = gw.inverse_dynamics(gw.assemble(tab.server.session.robot), motion.q, motion.v, motion.a)[:, 0]
    wanted = float(np.abs(tau).max())
    assert abs(wanted - before) > 1e-3 * before
    tab.until(lambda: tab.peak() == pytest.approx(wanted, rel=1e-5), "the curve is that of the changed robot")
    tab.show("Motors")
    tab.settled()
    tab.page.screenshot(path=pictures / "studio_drives.png")


def a_wrong_value_shows_the_librarys_own_words(visit):
    tab, pictures = visit.tab, visit.pictures
    tab.show("Drives")
    robot = tab.server.session.robot
    tab.enter("planets", 7)
    with pytest.raises(gw.errors.TrainError) as told:
        gw.parts.Planetary(sun=18, planet=27, ring=72, planets=7)
    tab.until(lambda: tab.status() == str(told.value), "the error is shown")
    assert tab.server.session.robot is robot
    tab.page.screenshot(path=pictures / "studio_error.png")
    tab.enter("planets", 3)
    tab.enter("rotor inertia [kg cm²]", 4.8)
    tab.until(lambda: not tab.status(), "the error is gone")
    tab.settled()


def files_are_saved(visit):
    tab, tmp_path = visit.tab, visit.tmp_path
    tab.show("Files")
    with tab.page.expect_download() as coming:
        tab.press("Download robot (YAML)")
    coming.value.save_as(tmp_path / "changed.yaml")
    assert gw.load(tmp_path / "changed.yaml").drive("j1").motor.inertia == 0.00048
    with tab.page.expect_download() as coming:
        tab.press("Download report (HTML)")
    coming.value.save_as(tmp_path / "report.html")
    assert ">Drives</h2>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    with tab.page.expect_download() as coming:
        tab.press("Download figures (PNG)")
    coming.value.save_as(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def a_motion_is_played(visit):
    tab = visit.tab
    tab.show("Move")
    start = tab.server.move.time.value
    tab.press("Play")
    tab.until(lambda: tab.server.move.time.value != start, "time goes on")
    tab.press("Pause")
    tab.until(lambda: not tab.server.move.is_playing, "it stops")


def graph_and_checks_are_shown(visit):
    tab, pictures = visit.tab, visit.pictures
    tab.show("Gear graph")
    tab.until(lambda: tab.page.locator(".graph svg").count(), "the graph is drawn")
    tab.server.results.path.value = "j2"
    tab.until(lambda: HIGHLIGHT["color"] in tab.page.locator(".graph").inner_html(), "the path of power is highlighted")
    tab.page.screenshot(path=pictures / "studio_graph.png")
    tab.show("Power")
    tab.until(lambda: tab.page.locator(".gw svg polygon").count() >= 3, "the power flows")
    tab.page.screenshot(path=pictures / "studio_power.png")
    tab.show("Checks")
    tab.until(lambda: tab.page.locator(".gw").count(), "the checks are there")
    tab.show("Torque")


def a_task_is_loaded_and_played(visit):
    """The task of a file: its name and duration, and while it is played what its limits are used to."""
    tab, task = visit.tab, visit.tmp_path / "task.yaml"
    task.write_text(TASK, encoding="utf-8")
    tab.show("Move")
    with tab.page.expect_file_chooser() as chooser:
        tab.press("Load task (YAML)")
    chooser.value.set_files(task)
    tab.until(lambda: tab.server.session.motion.name == "task swing", "the task is used")
    tab.settled()
    title = f"task swing, {tab.server.session.motion.duration:.3g} s"
    tab.until(lambda: tab.page.get_by_text(title, exact=True).count(), "its name is shown")
    tab.press("Play")
    tab.until(lambda: tab.server.move.limits_now.content, "limits are shown while it is played")
    assert "torque" in tab.server.move.limits_now.content
    tab.page.screenshot(path=visit.pictures / "studio_task.png")
    tab.press("Pause")
    tab.until(lambda: not tab.server.move.is_playing, "it stops")
    tab.press("Fit view")
    tab.settled()


def designs_are_compared_and_changes_undone(visit):
    """A reference beside the robot, the difference of both torques, and the way back."""
    tab = visit.tab
    tab.show("Torque")
    tab.show("Drives")
    tab.press("Keep as reference")
    tab.until(lambda: len(tab.curve("difference")), "the difference is drawn")
    assert np.abs(tab.curve("difference")).max() == 0.0
    before = tab.server.session.robot
    tab.enter("rotor inertia [kg cm²]", 4.2)
    tab.until(lambda: np.abs(tab.curve("difference")).max() > 0, "the difference grows")
    tab.settled()
    exact, reference = tab.curve("exact"), tab.curve("reference")
    assert tab.curve("difference") == pytest.approx(exact - reference, abs=1e-4 * np.abs(exact).max())
    tab.page.screenshot(path=visit.pictures / "studio_reference.png")
    tab.press("Undo")
    tab.until(lambda: tab.server.session.robot == before, "the change is undone")
    rounding = 1e-9 * np.abs(exact).max()
    tab.until(lambda: np.abs(tab.curve("difference")).max() < rounding, "there is no difference")
    tab.press("Drop reference")
    tab.until(lambda: not len(tab.curve("difference")), "the reference is dropped")
    tab.settled()


def two_tabs_do_not_disturb_each_other_and_one_may_leave(visit):
    browser, opened, tab = visit.browser, visit.opened, visit.tab
    tab.page.set_viewport_size({"width": 1020, "height": 300})  # two of them are drawn in software
    other = Tab(browser, opened, {"width": 1020, "height": 420})
    assert other.server is not tab.server
    mine, angle = tab.server.session.robot, tab.server.move.q.copy()
    other.enter("j1 [rad]", -0.8)
    other.until(lambda: other.server.move.q[0] == pytest.approx(-0.8), "the other robot moves")
    other.show("Drives")
    other.enter("rotor inertia [kg cm²]", 3.3)
    other.until(lambda: other.server.session.robot.drive("j1").motor.inertia == 0.00033, "the other robot changes")
    assert tab.server.session.robot is mine
    assert tab.server.move.q == pytest.approx(angle)
    other.server.events.submit("play", other.server.move.toggle)  # closed in the middle of a motion
    other.page.context.close()
    tab.until(lambda: other.server.closed, "the server sees that the tab is closed")
    assert other.server not in opened.pages
    tab.until(lambda: not other.server.move.is_playing, "nothing plays for nobody")
    tab.show("Drives")
    tab.enter("rotor inertia [kg cm²]", 4)
    tab.until(lambda: tab.server.session.robot.drive("j1").motor.inertia == 0.0004, "the first tab still works")
    assert other.errors == []


def a_file_edited_wrongly_is_told_and_the_last_robot_kept(visit):
    tab, robot_file = visit.tab, visit.robot_file
    good = robot_file.read_text(encoding="utf-8")
    robot_file.write_text(good.replace("mass: 9.0", "mass: -9.0"), encoding="utf-8")
    with pytest.raises(gw.errors.FileError) as told:
        gw.load(robot_file)
    wanted = "\n".join(str(told.value).splitlines())  # not that of a file seen while it is written
    tab.until(lambda: wanted in tab.status(), "the error is shown")
    assert "keeps the last valid robot" in tab.status()
    assert tab.server.session.robot.link("turret").mass == 9.0
    robot_file.write_text(good.replace("mass: 9.0", "mass: 8.0"), encoding="utf-8")
    tab.until(lambda: tab.server.session.robot.link("turret").mass == 8.0, "the mended file is read")
    tab.settled()
    tab.until(lambda: "read again" in tab.status(), "that is told")


def picture_of_a_wrist(browser, robot, panel, file):
    """For the manual: a robot with a gear train."""
    opened = studio(robot, port=0, open_browser=False)
    try:
        tab = Tab(browser, opened)
        tab.show(panel)
        tab.server.results.speed.value = tab.server.session.quick_results().comparison.least_accurate_speed()
        tab.until(lambda: tab.peak() > 0, "the torque is drawn")
        tab.page.wait_for_timeout(3000)
        tab.page.screenshot(path=file)
        tab.page.context.close()
    finally:
        opened.stop()


STEPS = (
    the_page_loads_without_errors_of_ours,
    a_slider_moves_the_robot,
    the_handle_drags_the_tool,
    a_parameter_changes_a_curve,
    a_wrong_value_shows_the_librarys_own_words,
    a_motion_is_played,
    files_are_saved,
    designs_are_compared_and_changes_undone,
    graph_and_checks_are_shown,
    a_task_is_loaded_and_played,
    two_tabs_do_not_disturb_each_other_and_one_may_leave,
    a_file_edited_wrongly_is_told_and_the_last_robot_kept,
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Queued a .* on a closed connection")
def test_a_visit(tmp_path):
    """One browser for all of it: starting one and drawing the first picture takes longer than the rest."""
    robot_file = tmp_path / "arm.yaml"
    robot = gw.load("planetary_3r")
    for drive in robot.drives:
        robot = robot.with_drive(drive.title, replace(drive, motor=replace(drive.motor, max_torque=20.0)))
    gw.save(robot, robot_file)
    pictures = Path(KEPT) if KEPT else tmp_path
    with playwright.sync_playwright() as running:
        if chromium_path(running) is None:
            pytest.skip("browser tests: no Chromium was found; `make browser` installs one where it can")
        browser, opened = launched(running), studio(robot_file, port=0, open_browser=False)
        try:
            visit = Visit(browser, opened, Tab(browser, opened), robot_file, pictures, tmp_path)
            for step in STEPS:
                step(visit)
            assert visit.tab.errors == []
            if KEPT:
                picture_of_a_wrist(browser, "wrist_bendix", "Move", pictures / "studio_wrist.png")
                picture_of_a_wrist(browser, "wrist_puma", "Drives", pictures / "studio_train.png")
        finally:
            opened.stop()
            browser.close()
