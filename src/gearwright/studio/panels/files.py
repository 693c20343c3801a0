"""What leaves the page: the changed robot as YAML, the report, the figures."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.errors import FileError
from gearwright.file_access import write_text
from gearwright.files.yaml.writer import write_yaml
from gearwright.report.page import page as report_page
from gearwright.text import file_name, visible

if TYPE_CHECKING:
    from gearwright.studio.page import Page


class FilePanel:
    """Buttons that make files; the page writes to the server's disk only where its owner said so."""

    def __init__(self, page: Page, save_to: Path | None) -> None:
        self.page, self.save_to = page, save_to
        gui = page.gui
        if save_to is not None:
            self._button(f"Save to {visible(save_to.name)}", self._write)
        self._button("Download robot (YAML)", lambda: self._send("yaml", self._yaml().encode()))
        self._button("Download report (HTML)", self._report)
        self._button("Download figures (PNG)", self._figures)
        self.hidden = gui.add_checkbox("show links", True)
        page.on(self.hidden.on_update, "hide", self._hide)

    def _button(self, label: str, job: Callable[[], None]) -> None:
        button = self.page.gui.add_button(label)
        self.page.on(button.on_click, label, lambda: self.page.analysing.submit(label, job))

    def _hide(self) -> None:
        self.page.view.hide(set() if self.hidden.value else {"link", "joint", "mesh"})

    def _yaml(self) -> str:
        return write_yaml(self.page.session.robot)

    def _write(self) -> None:
        path, text = self.save_to, self._yaml()
        assert path is not None
        if path.resolve() != path:
            raise FileError(
                f"{path} leads to {path.resolve()} now. The page writes only where it was told at its start."
            )
        self.page.write(path, lambda: write_text(path, text))
        self.page.say(f"Saved to {path}.")

    def _report(self) -> None:
        self._send("html", report_page(self.page.session.analysis(samples=501)).encode())

    def _figures(self) -> None:
        self._send("torques.png", _png(self.page.session.quick().comparison.plot()))
        self._send("drives.png", _png(self.page.session.analysis().plot()))

    def _send(self, ending: str, content: bytes) -> None:
        name = f"{file_name(self.page.session.robot.name) or 'robot'}.{ending}"
        self.page.api.send_file_download(name, content, save_immediately=True)


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150)
    return buffer.getvalue()
