"""The page of one visitor: panels, view and session, and what happens when something changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.parts import Robot
from gearwright.plots.notebook import svg
from gearwright.scene import Scene, scene_with_remarks
from gearwright.scene.gear_graph_figure import gear_graphs, graphs_figure
from gearwright.studio.panels.drives import DrivePanel
from gearwright.studio.panels.files import FilePanel
from gearwright.studio.panels.move import MovePanel
from gearwright.studio.panels.results import ResultPanel
from gearwright.studio.session import Session
from gearwright.studio.view import View
from gearwright.studio.worker import Worker
from gearwright.text import html

GOOD, BAD = "#1a6b35", "#a3201d"
Write = Callable[[Path, Callable[[], None]], None]


def _write_plainly(path: Path, write: Callable[[], None]) -> None:
    write()


class Page:
    """Everything that one browser tab has; nothing of it is shared with another.

    Whatever touches it runs in the thread of `events`. What is computed at once runs in that of `computing`, what may
    take long in that of `analysing`; both touch nothing but hand their results to `events`.

    Args:
        api: viser's handle of the client.
        session: the robot and its results.
        folder: where the robot's meshes are.
        save_to: the file that a button writes, if the owner of the studio named one.
        write: writes a file that the studio may watch.
    """

    def __init__(
        self,
        api: Any,
        session: Session,
        folder: Path | None = None,
        save_to: Path | None = None,
        write: Write = _write_plainly,
    ) -> None:
        self.api, self.gui, self.session, self.folder = api, api.gui, session, folder
        self.write = write
        self.closed = False
        self._lock = threading.RLock()
        self.events = Worker(self._failed, "gearwright studio, page", self._lock)
        self._background = [
            Worker(self._hand_over_failure, f"gearwright studio, {what}", self._lock)
            for what in ("computing", "analysing")
        ]
        self.computing, self.analysing = self._background
        self.view = View(api)
        self.gui.main_panel.dock_right()
        self.gui.main_panel.set_width(330)
        self.status = self.gui.add_html("")
        tabs = self.gui.add_tab_group()
        with tabs.add_tab("Move"):
            self.move = MovePanel(self)
        with tabs.add_tab("Drives"):
            self.drives = DrivePanel(self)
        with tabs.add_tab("Files"):
            self.files = FilePanel(self, save_to)
        self.results = ResultPanel(self)
        self._show_scene(self._scene())
        self._compute()
        self.events.start()
        for worker in self._background:
            worker.start()

    def on(self, register: Callable[[Callable[[Any], None]], Any], name: str, job: Callable[[], None]) -> None:
        """Let a job follow an event of a handle, such as `slider.on_update`; what the page itself does is not one."""

        def submit(_: Any) -> None:
            if not self.events.is_current():
                self.events.submit(name, job)

        register(submit)

    def idle(self) -> bool:
        """Whether everything that was entered has been shown and computed."""
        with self._lock:
            return all(worker.idle() for worker in (self.events, *self._background))

    def change(self, attempt: Callable[[], None]) -> None:
        """Try a change of the robot; one that the library refuses is told in its own words and changes nothing."""
        speeds = self.session.mech.speeds
        try:
            attempt()
        except GearwrightError as error:
            self.say(str(error), bad=True)
            return
        self.say("")
        self.drives.follow()
        if self.session.mech.speeds != speeds:
            self.move.stop()
            self.move.rebuild()
            self.results.rebuild()
        self._draw()
        self._compute()

    def read(self, robot: Robot) -> None:
        """Show the robot that the file states now, as soon as may be; what was changed in the page is dropped."""
        self.events.submit("read", lambda: self._read(robot))

    def _read(self, robot: Robot) -> None:
        self.move.stop()
        try:
            self.session.read(robot)
        except GearwrightError as error:
            self.say(f"{error} The page keeps the last good robot.", bad=True)
            return
        self.move.rebuild()
        self.drives.rebuild()
        self.results.rebuild()
        self.say("The file changed and was read again.")
        self._draw()
        self._compute()

    def say(self, text: str, bad: bool = False) -> None:
        """A line above all panels. Nothing removes it: any thread may say something."""
        colour = BAD if bad else GOOD
        style = f"color:{colour};font-size:12px;padding:4px 12px;white-space:pre-wrap;overflow-wrap:anywhere"
        self.status.content = f'<div role="status" style="{style}">{html_lines(text)}</div>' if text else ""

    def close(self) -> None:
        """The visitor left; when this returns nothing touches the page any more."""
        self.closed = True
        for worker in (self.events, *self._background):
            worker.stop()
        self.events.join()
        self.move.stop()

    def _draw(self) -> None:
        def draw() -> None:
            scene = self._scene()
            self.events.submit("draw", lambda: self._show_scene(scene))

        self.computing.submit("draw", draw)

    def _scene(self) -> Scene:
        return scene_with_remarks(self.session.robot, self.folder)

    def _show_scene(self, scene: Scene) -> None:
        self.view.show(scene, self.move.q)
        if scene.remarks:
            self.say("\n".join(scene.remarks), bad=True)

    def _compute(self) -> None:
        """Torques at once, whatever else is still computed; a newer change overtakes all that waits."""
        self.computing.submit("quick", self._quick)
        self.computing.submit("compile", self.session.compile)
        self.analysing.submit("graph", self._graph)
        self.analysing.submit("analysis", self._analyse)

    def _quick(self) -> None:
        found = self.session.quick()
        self.events.submit("quick", lambda: self.results.show_quick(found))

    def _graph(self) -> None:
        with self.session.lock:
            robot, mech = self.session.robot, self.session.mech
        graphs = gear_graphs(robot, mech)
        if not self.results.has_graph(graphs):
            picture = svg(graphs_figure(graphs, sideways=True))
            self.events.submit("graph", lambda: self.results.show_graph(graphs, picture))

    def _analyse(self) -> None:
        try:
            found = self.session.analysis()
        except GearwrightError as error:
            reason = str(error)
            self.events.submit("analysis", lambda: self.results.show_analysis(reason))
            return
        self.events.submit("analysis", lambda: self.results.show_analysis(found))

    def _hand_over_failure(self, error: Exception) -> None:
        self.events.submit("failure", lambda: self._failed(error))

    def _failed(self, error: Exception) -> None:
        ours = isinstance(error, GearwrightError)
        self.say(str(error) if ours else f"{type(error).__name__}: {error}. This is a bug in Gearwright.", bad=True)


def html_lines(text: str) -> str:
    """A text of several lines inside an element."""
    return "<br>".join(html(line) for line in text.splitlines())
