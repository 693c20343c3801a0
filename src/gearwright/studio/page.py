"""The page of one visitor: panels, view and session, and what happens when something changes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gearwright.errors import GearwrightError, GearwrightWarning
from gearwright.parts import Robot
from gearwright.scene import scene_of
from gearwright.studio.drive_panel import DrivePanel
from gearwright.studio.file_panel import FilePanel
from gearwright.studio.move_panel import MovePanel
from gearwright.studio.result_panel import ResultPanel
from gearwright.studio.session import Session
from gearwright.studio.view import View
from gearwright.studio.worker import Worker
from gearwright.text import html

GOOD, BAD = "#1a6b35", "#a3201d"


class Page:
    """Everything that one browser tab has; nothing of it is shared with another.

    Args:
        api: viser's handle of the client.
        session: the robot and its results.
        folder: where the robot's meshes are.
        save_to: the file that a button writes, if the owner of the studio named one.
        own_change: called before a file is written that the studio watches.
    """

    def __init__(
        self,
        api: Any,
        session: Session,
        folder: Path | None = None,
        save_to: Path | None = None,
        own_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.api, self.gui, self.session, self.folder = api, api.gui, session, folder
        self.expect_own_change = own_change
        self.closed = False
        self.worker = Worker(self._failed)
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
        self._draw()
        self.results.show_graph()
        self._compute()

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
        self.worker.submit("draw", self._draw)
        self._compute()

    def read(self, robot: Robot) -> None:
        """Show the robot that the file states now; what was changed in the page is dropped."""
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
        self.worker.submit("draw", self._draw)
        self._compute()

    def say(self, text: str, bad: bool = False) -> None:
        """A line above all panels; nothing removes it."""
        colour = BAD if bad else GOOD
        style = f"color:{colour};font-size:12px;padding:4px 12px;white-space:pre-wrap;overflow-wrap:anywhere"
        self.status.content = f'<div role="status" style="{style}">{html_lines(text)}</div>' if text else ""

    def close(self) -> None:
        """The visitor left."""
        self.closed = True
        self.move.stop()
        self.worker.stop()

    def _draw(self) -> None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", GearwrightWarning)
            scene = scene_of(self.session.robot, self.folder)
        self.view.show(scene, self.move.q)
        if told:
            self.say("\n".join(str(one.message) for one in told), bad=True)

    def _compute(self) -> None:
        """Torques first, then what takes longer; a newer change overtakes all of it."""
        self.worker.submit("quick", lambda: self.results.show_quick(self.session.quick()))
        self.worker.submit("analysis", self._analyse)
        self.worker.submit("compile", self.session.compile)

    def _analyse(self) -> None:
        try:
            found = self.session.analysis()
        except GearwrightError as error:
            self.results.show_analysis(str(error))
            return
        self.results.show_analysis(found)

    def _failed(self, error: Exception) -> None:
        ours = isinstance(error, GearwrightError)
        self.say(str(error) if ours else f"{type(error).__name__}: {error}. This is a bug in Gearwright.", bad=True)


def html_lines(text: str) -> str:
    """A text of several lines inside an element."""
    return "<br>".join(html(line) for line in text.splitlines())
