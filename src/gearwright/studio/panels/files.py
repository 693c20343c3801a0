"""Files of the page: the changed robot as YAML, the report, the figures."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.errors import FileError
from gearwright.file_access import write_text
from gearwright.files.yaml.writer import write_yaml
from gearwright.report.page import page_text as report_page
from gearwright.scene import animate
from gearwright.text import file_name, visible_text

if TYPE_CHECKING:
    from gearwright.studio.page import Page


FILM_RATE, FILM_PICTURES = 15.0, 90
"""Pictures per second of a film, and their largest number."""


class FilePanel:
    """Buttons that create files; the page writes to the server's disk only to the given file."""

    def __init__(self, page: Page, save_to: Path | None) -> None:
        self.page, self.save_to = page, save_to
        gui = page.gui
        if save_to is not None:
            self._add_button(f"Save to {visible_text(save_to.name)}", self._save_robot)
        self._add_button("Download robot (YAML)", lambda: self._send_file("yaml", self._robot_yaml().encode()))
        self._add_button("Download report (HTML)", self._send_report)
        self._add_button("Download report with sliders (HTML)", lambda: self._send_report(interactive=True))
        self._add_button("Download figures (PNG)", self._send_figures)
        self._add_button("Download film (GIF)", self._send_film)
        self.hidden = gui.add_checkbox("show links", True)
        page.on_event(self.hidden.on_update, "hide", self._hide_links)

    def _add_button(self, label: str, job: Callable[[], None]) -> None:
        button = self.page.gui.add_button(label)
        self.page.on_event(button.on_click, label, lambda: self.page.analysing.submit(label, job))

    def _hide_links(self) -> None:
        self.page.view.hide_kinds(set() if self.hidden.value else {"link", "joint", "mesh"})

    def _robot_yaml(self) -> str:
        return write_yaml(self.page.session.robot)

    def _save_robot(self) -> None:
        path, text = self.save_to, self._robot_yaml()
        assert path is not None
        if path.resolve() != path:
            raise FileError(
                f"{path} resolves to {path.resolve()} now. The page writes only to the file given at its start."
            )
        self.page.write(path, lambda: write_text(path, text))
        self.page.show_message(f"Saved to {path}.")

    def _send_report(self, interactive: bool = False) -> None:
        text = report_page(self.page.session.analysis(samples=501), interactive=interactive)
        self._send_file("html", text.encode())

    def _send_figures(self) -> None:
        self._send_file("torques.png", _png_bytes(self.page.session.quick_results().comparison.plot()))
        self._send_file("drives.png", _png_bytes(self.page.session.analysis().plot()))

    def _send_film(self) -> None:
        """Send an animation of the motion, at most `FILM_PICTURES` pictures, in real time."""
        session = self.page.session
        rate = min(FILM_RATE, FILM_PICTURES / session.motion.duration)
        with tempfile.TemporaryDirectory() as folder:
            path = animate(session.robot, session.motion.motion, Path(folder) / "motion.gif", rate=rate)
            self._send_file("gif", path.read_bytes())

    def _send_file(self, ending: str, content: bytes) -> None:
        name = f"{file_name(self.page.session.robot.name) or 'robot'}.{ending}"
        self.page.api.send_file_download(name, content, save_immediately=True)


def _png_bytes(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150)
    return buffer.getvalue()
