"""The page of one visitor: panels, view and session, and the reactions to changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gearwright.analysis import Task
from gearwright.errors import GearwrightError
from gearwright.parts import Robot
from gearwright.plots import svg_text
from gearwright.scene import Scene, gear_graphs, graphs_figure, power_path, scene_with_remarks
from gearwright.studio.panels.drives import DrivePanel
from gearwright.studio.panels.files import FilePanel
from gearwright.studio.panels.move import MovePanel
from gearwright.studio.panels.reference import ReferencePanel
from gearwright.studio.panels.results import ResultPanel
from gearwright.studio.session import Session
from gearwright.studio.view import SceneView
from gearwright.studio.worker import Worker
from gearwright.text import html_text

GOOD_COLOUR, BAD_COLOUR = "#1a6b35", "#a3201d"
WriteFunction = Callable[[Path, Callable[[], None]], None]


def _write_plainly(path: Path, write: Callable[[], None]) -> None:
    write()


class Page:
    """The state of one browser tab; nothing is shared with other tabs.

    Every access runs in the thread of `events`. Fast computations run in the thread of `computing`, slow ones in that
    of `analysing`; both only pass their results to `events`.

    Args:
        api: viser's handle of the client.
        session: the robot and its results.
        folder: the folder of the robot's meshes.
        save_to: the file for the save button, if one was given.
        write: function that writes a file which the studio may watch.
    """

    def __init__(
        self,
        api: Any,
        session: Session,
        folder: Path | None = None,
        save_to: Path | None = None,
        write: WriteFunction = _write_plainly,
    ) -> None:
        self.api, self.gui, self.session, self.folder = api, api.gui, session, folder
        self.write = write
        self.closed = False
        self._lock = threading.RLock()
        self.events = Worker(self._show_failure, "gearwright studio, page", self._lock)
        self._background = [
            Worker(self._hand_over_failure, f"gearwright studio, {purpose}", self._lock)
            for purpose in ("computing", "analysing")
        ]
        self.computing, self.analysing = self._background
        self.view = SceneView(api)
        self.gui.main_panel.dock_right()
        self.gui.main_panel.set_width(330)
        self.status = self.gui.add_html("")
        tabs = self.gui.add_tab_group()
        with tabs.add_tab("Move"):
            self.move = MovePanel(self)
        with tabs.add_tab("Drives"):
            self.reference = ReferencePanel(self)
            self.drives = DrivePanel(self)
        with tabs.add_tab("Files"):
            self.files = FilePanel(self, save_to)
        self.results = ResultPanel(self)
        self._show_scene(self._current_scene())
        self._submit_computations()
        self.events.start()
        for worker in self._background:
            worker.start()

    def on_event(self, register: Callable[[Callable[[Any], None]], Any], name: str, job: Callable[[], None]) -> None:
        """Run a job on events of a handle, such as `slider.on_update`; changes by the page itself are not events."""

        def submit_job(_: Any) -> None:
            if not self.events.is_current():
                self.events.submit(name, job)

        register(submit_job)

    def is_idle(self) -> bool:
        """Whether all entries have been processed and shown."""
        with self._lock:
            return all(worker.is_idle() for worker in (self.events, *self._background))

    def try_change(self, attempt: Callable[[], Any]) -> None:
        """Try a change of the robot; an invalid one shows the library's message and changes nothing."""
        speeds = self.session.mech.speeds
        try:
            attempt()
        except GearwrightError as error:
            self.show_message(str(error), bad=True)
            return
        self.show_message("")
        self.drives.update_fields()
        if self.session.mech.speeds != speeds:
            self.move.stop()
            self.move.rebuild()
            self.results.rebuild()
        self._redraw_scene()
        self._submit_computations()

    def use_task(self, text: str) -> None:
        """Play and analyse the task of a YAML text; an invalid one shows the library's message and changes nothing."""
        self.move.stop()
        try:
            self.session.use_motion(Task.read(f"{text}\n", self.session.robot))  # a text with lines is no file name
        except GearwrightError as error:
            self.show_message(str(error), bad=True)
            return
        self.show_message("")
        self.reference.drop()
        self.move.rebuild()
        self._redraw_scene()  # with the payload of the task
        self._submit_computations()

    def reload_robot(self, robot: Robot) -> None:
        """Show the robot of the changed file as soon as possible; changes made in the page are discarded."""
        self.events.submit("read", lambda: self._reload_robot(robot))

    def _reload_robot(self, robot: Robot) -> None:
        self.move.stop()
        try:
            self.session.start_with(robot)
        except GearwrightError as error:
            self.show_message(f"{error} The page keeps the last valid robot.", bad=True)
            return
        self.reference.drop()
        self.move.rebuild()
        self.drives.rebuild()
        self.results.rebuild()
        self.show_message("The file has changed and was read again.")
        self._redraw_scene()
        self._submit_computations()

    def show_message(self, text: str, bad: bool = False) -> None:
        """Show a message above all panels, from any thread; it stays until the next one."""
        colour = BAD_COLOUR if bad else GOOD_COLOUR
        style = f"color:{colour};font-size:12px;padding:4px 12px;white-space:pre-wrap;overflow-wrap:anywhere"
        self.status.content = f'<div role="status" style="{style}">{html_lines(text)}</div>' if text else ""

    def close(self) -> None:
        """Close the page; after the return nothing accesses it any more."""
        self.closed = True
        for worker in (self.events, *self._background):
            worker.stop()
        self.events.join()
        self.move.stop()

    def _redraw_scene(self) -> None:
        def draw_scene() -> None:
            scene = self._current_scene()
            self.events.submit("draw", lambda: self._show_scene(scene))

        self.computing.submit("draw", draw_scene)

    def _current_scene(self) -> Scene:
        return scene_with_remarks(self.session.robot, self.folder)

    def _show_scene(self, scene: Scene) -> None:
        self.view.show_scene(scene, self.move.q)
        if scene.remarks:
            self.show_message("\n".join(scene.remarks), bad=True)

    def _submit_computations(self) -> None:
        """Compute torques at once, before slower results; a newer change replaces waiting jobs."""
        self.computing.submit("quick", self._compute_quick_results)
        self.computing.submit("compile", self.session.compile_kernels)
        self.submit_graph()
        self.analysing.submit("analysis", self._compute_analysis)

    def submit_graph(self) -> None:
        """Draw the gear graph, with the chosen path of power, if it changed."""
        self.analysing.submit("graph", self._compute_graph)

    def _compute_quick_results(self) -> None:
        quick = self.session.quick_results()
        self.events.submit("quick", lambda: self.results.show_quick(quick))

    def _compute_graph(self) -> None:
        with self.session.lock:
            robot, mech = self.session.robot, self.session.mech
        graphs, chosen = gear_graphs(robot, mech), self.results.chosen_path()
        path = [] if chosen is None else power_path(robot, graphs, chosen)
        if not self.results.has_graph((graphs, path)):
            picture = svg_text(graphs_figure(graphs, sideways=True, path=path))
            self.events.submit("graph", lambda: self.results.show_graph((graphs, path), picture))

    def _compute_analysis(self) -> None:
        try:
            analysis = self.session.analysis()
        except GearwrightError as error:
            reason = str(error)
            self.events.submit("analysis", lambda: self.results.show_analysis(reason))
            return
        self.events.submit("analysis", lambda: self.results.show_analysis(analysis))

    def _hand_over_failure(self, error: Exception) -> None:
        self.events.submit("failure", lambda: self._show_failure(error))

    def _show_failure(self, error: Exception) -> None:
        is_expected = isinstance(error, GearwrightError)
        self.show_message(
            str(error) if is_expected else f"{type(error).__name__}: {error}. This is a bug in Gearwright.", bad=True
        )


def html_lines(text: str) -> str:
    """Return a text of several lines as HTML."""
    return "<br>".join(html_text(line) for line in text.splitlines())
