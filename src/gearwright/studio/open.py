"""`studio`: a server on this machine with a page per visitor, which follows edits of the robot's file."""

from __future__ import annotations

import contextlib
import io
import threading
import warnings
import webbrowser
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole
from gearwright.catalogue import load
from gearwright.errors import GearwrightError, InputError, MissingExtraError
from gearwright.parts import Robot
from gearwright.scene import Scene, scene_with_remarks
from gearwright.studio.page_access import PageAccess
from gearwright.studio.played_motion import AnyMotion
from gearwright.studio.session import Session
from gearwright.studio.worker import Ticker
from gearwright.text import visible

# The watched file

PERIOD = 0.5
"""How often the file is looked at [s]."""


class Watch:
    """Calls a function when a file changed, until it is stopped.

    Args:
        path: the file.
        changed: what to call.
        period: how often the file is looked at [s].
    """

    def __init__(self, path: Path, changed: Callable[[], None], period: float = PERIOD) -> None:
        self._path, self._changed = path, changed
        self._looking = threading.Lock()
        self._last_stamp = self._stamp()
        self._ticker = Ticker(period, self.look, "gearwright studio, watching")

    def look(self) -> None:
        """Look at the file now."""
        with self._looking:
            stamp = self._stamp()
            changed = stamp is not None and stamp != self._last_stamp
            self._last_stamp = stamp or self._last_stamp
        if changed:
            self._changed()

    def unseen(self, path: Path, write: Callable[[], None]) -> None:
        """Write a file; if it is the one that is watched, this is not taken for a change by somebody else."""
        with self._looking:
            write()
            if path == self._path:
                self._last_stamp = self._stamp()

    def stop(self) -> None:
        """Watch no longer; when this returns nothing is called any more."""
        self._ticker.stop()

    def _stamp(self) -> tuple[int, int] | None:
        """When the file was last written and how long it is; None while an editor replaces it."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


# The studio

PORT, LAST_PORT, HOST = 8080, 65535, "127.0.0.1"


class Studio:
    """A running studio: `url` is where its page is, `port` what it listens on; `wait` until Ctrl-C, `stop` ends it."""

    def __init__(
        self,
        robot: Robot,
        server: Any,
        file: Path | None = None,
        read: Callable[[], Robot] | None = None,
        motion: AnyMotion = None,
        save_to: Path | None = None,
        token: str = "",
    ) -> None:
        self.robot, self._server, self._file, self._motion, self._save_to = robot, server, file, motion, save_to
        self._token = token
        self._read = read
        self._pages: dict[int, Any] = {}
        self._left_early: set[int] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._watch = None if file is None else Watch(file, self._file_changed)
        server.on_client_connect(self._connected)
        server.on_client_disconnect(self._left)

    def __repr__(self) -> str:
        return f"<Studio of {visible(self.robot.name)} at {self.url}>"

    @property
    def port(self) -> int:
        """The port it listens on, which may not be the one that was asked for."""
        return int(self._server.get_port())

    @property
    def url(self) -> str:
        """Where the page is; whoever has this address can use the page."""
        host = self._server.get_host()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/{self._token}/"

    @property
    def pages(self) -> list[Any]:
        """The pages of those who look at it now."""
        with self._lock:
            return list(self._pages.values())

    def wait(self) -> None:
        """Serve until somebody presses Ctrl-C or calls `stop`."""
        try:
            self._stopped.wait()
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        """End the server; open pages lose their connection."""
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
        if self._watch is not None:
            self._watch.stop()
        for page in self.pages:
            page.close()
        with contextlib.redirect_stdout(io.StringIO()):  # it prints that it stops
            self._server.stop()

    def _connected(self, client: Any) -> None:
        from gearwright.studio.page import Page

        folder = None if self._file is None else self._file.parent
        writing = {} if self._watch is None else {"write": self._watch.unseen}
        robot = self.robot
        page = Page(client, Session(robot, self._motion), folder, self._save_to, **writing)
        with self._lock:
            gone = self._stopped.is_set() or client.client_id in self._left_early
            self._left_early.discard(client.client_id)
            if not gone:
                self._pages[client.client_id] = page
            newest = self.robot
        if gone:  # while the page was made
            page.close()
        elif newest is not robot:  # the file changed while the page was made
            page.read(newest)

    def _left(self, client: Any) -> None:
        with self._lock:
            page = self._pages.pop(client.client_id, None)
            if page is None:
                self._left_early.add(client.client_id)
        if page is not None:
            page.close()

    def _file_changed(self) -> None:
        """Read the file again; one that is not a robot any more is told in the reader's words."""
        try:
            robot = self.robot if self._read is None else self._read()
        except (GearwrightError, OSError) as error:
            for page in self.pages:
                page.say(f"{error}\nThe page keeps the last good robot.", bad=True)
            return
        with self._lock:
            self.robot, pages = robot, list(self._pages.values())
        for page in pages:
            page.read(robot)


@check_arguments
def studio(
    robot: Robot | str | Path,
    *,
    motion: AnyMotion = None,
    port: int = PORT,
    host: str = HOST,
    open_browser: bool = True,
    save_to: str | Path | None = None,
    xacro: bool = False,
    include: Iterable[str | Path] = (),
) -> Studio:
    """Open the studio: a page on this machine that shows a robot, its wheels and its torques.

    The address holds a random token, as that of a Jupyter server does: no other page, program or user reaches the
    studio without it.

    Args:
        robot: a robot, a bundled robot's name or a file. A file is watched: the page follows when it is edited.
        motion: what is played and computed: a trajectory of the joints, a motion or run of the machine, or a CSV file;
            a tour through the joints' ranges unless given.
        port: where it listens; the next free one if it is taken, see `Studio.port`. 0: any free port.
        host: 127.0.0.1: this machine alone can see the page. With "0.0.0.0" whoever has the address can use it over the
            network, unencrypted.
        open_browser: whether a browser is opened.
        save_to: a file (.yaml) that a button of the page writes; without it the page only offers downloads.
        xacro: expand a xacro file, see `load`.
        include: folders from which the robot's file may take others, see `load`.

    Returns:
        The running studio: `.url`, `.wait()` (until Ctrl-C), `.stop()`.

    Raises:
        MissingExtraError: viser or plotly is not installed.
    """
    read = None if isinstance(robot, Robot) else partial(load, robot, xacro=xacro, include=tuple(include))
    loaded = robot if isinstance(robot, Robot) else load(robot, xacro=xacro, include=include)
    file = None if isinstance(robot, Robot) else _file_of(robot)
    target = _target(save_to)
    if whole("studio", "port", port, example=PORT) > LAST_PORT:
        raise InputError(f"studio: port={port} is beyond {LAST_PORT}, the last there is. Give one such as {PORT}.")
    Session(loaded, motion)  # whatever is wrong with robot or motion is said before a page opens
    access = PageAccess(host)
    server = _server(loaded, None if file is None else file.parent, host, port, access)
    opened = Studio(loaded, server, file, read, motion, target, access.token)
    if open_browser:
        webbrowser.open(opened.url)
    return opened


def _file_of(robot: str | Path) -> Path | None:
    """The file that a name stands for; None for a bundled robot."""
    path = Path(robot)
    return path.resolve() if path.is_file() else None


def _target(save_to: str | Path | None) -> Path | None:
    if save_to is None:
        return None
    path = Path(save_to)
    if path.suffix.lower() not in (".yaml", ".yml") or path.is_dir():
        raise InputError(f"studio: save_to {path} is not the name of a YAML file. Choose one that ends in .yaml.")
    return path.resolve()


def _server(robot: Robot, folder: Path | None, host: str, port: int, access: PageAccess) -> Any:
    try:
        import plotly  # noqa: F401
        import viser
    except ImportError:
        raise MissingExtraError(
            "the studio needs viser and plotly: pip install 'gearwright[studio]'. Everything else works without them."
        ) from None
    # What is on its way to somebody who just closed the page is not worth a word.
    warnings.filterwarnings("ignore", r"Queued a \w+ on a closed connection", UserWarning)
    with contextlib.redirect_stdout(io.StringIO()):  # it prints a banner even if told not to
        with access.installing():
            server = viser.ViserServer(host=host, port=port, label="Gearwright Studio", verbose=False)
        access.stop_unguarded(server)
    server.request_share_url = lambda *_, **__: None  # a message could publish the page
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(29, 92, 132))
    server.gui.set_panel_label(f"Gearwright Studio: {visible(robot.name)}")
    _set_the_stage(server, scene_with_remarks(robot, folder))
    return server


def _set_the_stage(server: Any, scene: Scene) -> None:
    """Light, a floor below everything, and a camera that sees all of it."""
    low, high = scene.box()
    size, reach = float(np.linalg.norm(high - low)), scene.reach
    middle = (low + high) / 2
    server.initial_camera.position = tuple(middle + size * np.array([0.72, -1.0, 0.42]))
    server.initial_camera.look_at = tuple(middle)
    server.scene.configure_environment_map(hdri=None)
    server.scene.add_light_ambient("/light", intensity=1.8)
    width = 4 * max(reach, size)
    floor = (0, 0, min(float(low[2]), -0.04 * reach))
    server.scene.add_grid("/floor", width, width, cell_size=reach / 5, section_size=reach, position=floor)
