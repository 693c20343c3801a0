"""`studio`: a local server with a page per visitor, which reloads the robot's file when it changes."""

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

from gearwright.analysis import Task
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.arrays import Array
from gearwright.catalogue import load
from gearwright.errors import GearwrightError, InputError, MissingExtraError
from gearwright.parts import Robot
from gearwright.scene import Scene, scene_with_remarks
from gearwright.studio.page_access import PageAccess
from gearwright.studio.played_motion import AnyMotion
from gearwright.studio.session import Session
from gearwright.studio.view import fitting_camera
from gearwright.studio.worker import Ticker
from gearwright.text import visible_text

# The watched file

FILE_CHECK_PERIOD = 0.5
"""Period of the file check [s]."""


class FileWatcher:
    """Calls a function when a file changed, until it is stopped.

    Args:
        path: the file.
        changed: what to call.
        period: time between two checks [s].
    """

    def __init__(self, path: Path, changed: Callable[[], None], period: float = FILE_CHECK_PERIOD) -> None:
        self._path, self._changed = path, changed
        self._check_lock = threading.Lock()
        self._last_stamp = self._file_stamp()
        self._ticker = Ticker(period, self.check_file, "gearwright studio, watching")

    def check_file(self) -> None:
        """Check the file now."""
        with self._check_lock:
            stamp = self._file_stamp()
            changed = stamp is not None and stamp != self._last_stamp
            self._last_stamp = stamp or self._last_stamp
        if changed:
            self._changed()

    def write_unnoticed(self, path: Path, write: Callable[[], None]) -> None:
        """Write a file; if it is the watched one, this is not reported as an external change."""
        with self._check_lock:
            write()
            if path == self._path:
                self._last_stamp = self._file_stamp()

    def stop(self) -> None:
        """Stop watching; after the return nothing is called any more."""
        self._ticker.stop()

    def _file_stamp(self) -> tuple[int, int] | None:
        """Return time of change and size of the file; None while an editor replaces it."""
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size


# The studio

DEFAULT_PORT, LAST_PORT, DEFAULT_HOST = 8080, 65535, "127.0.0.1"


class Studio:
    """A running studio: `url` is its address, `port` its port; `wait` blocks until Ctrl-C, `stop` ends it."""

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
        self._watch = None if file is None else FileWatcher(file, self._file_changed)
        server.on_client_connect(self._add_page)
        server.on_client_disconnect(self._remove_page)

    def __repr__(self) -> str:
        return f"<Studio of {visible_text(self.robot.name)} at {self.url}>"

    @property
    def port(self) -> int:
        """The port of the server, which may differ from the requested one."""
        return int(self._server.get_port())

    @property
    def url(self) -> str:
        """The address of the page; anyone with this address can use the page."""
        host = self._server.get_host()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/{self._token}/"

    @property
    def pages(self) -> list[Any]:
        """The currently open pages."""
        with self._lock:
            return list(self._pages.values())

    def wait(self) -> None:
        """Serve until Ctrl-C or a call of `stop`."""
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
        with contextlib.redirect_stdout(io.StringIO()):  # suppress its message
            self._server.stop()

    def _add_page(self, client: Any) -> None:
        from gearwright.studio.page import Page

        folder = None if self._file is None else self._file.parent
        writing = {} if self._watch is None else {"write": self._watch.write_unnoticed}
        robot = self.robot
        page = Page(client, Session(robot, self._motion), folder, self._save_to, **writing)
        with self._lock:
            gone = self._stopped.is_set() or client.client_id in self._left_early
            self._left_early.discard(client.client_id)
            if not gone:
                self._pages[client.client_id] = page
            newest = self.robot
        if gone:  # the client left while the page was built
            page.close()
        elif newest is not robot:  # the file changed while the page was built
            page.reload_robot(newest)

    def _remove_page(self, client: Any) -> None:
        with self._lock:
            page = self._pages.pop(client.client_id, None)
            if page is None:
                self._left_early.add(client.client_id)
        if page is not None:
            page.close()

    def _file_changed(self) -> None:
        """Read the file again; an invalid file is reported with the reader's message."""
        try:
            robot = self.robot if self._read is None else self._read()
        except (GearwrightError, OSError) as error:
            for page in self.pages:
                page.show_message(f"{error}\nThe page keeps the last valid robot.", bad=True)
            return
        with self._lock:
            self.robot, pages = robot, list(self._pages.values())
        for page in pages:
            page.reload_robot(robot)


@check_arguments
def studio(
    robot: Robot | str | Path,
    *,
    motion: AnyMotion | Task = None,
    port: int = DEFAULT_PORT,
    host: str = DEFAULT_HOST,
    open_browser: bool = True,
    save_to: str | Path | None = None,
    xacro: bool = False,
    include: Iterable[str | Path] = (),
) -> Studio:
    """Open the studio: a local web page that shows a robot, its wheels and its torques.

    The address contains a random token, as for a Jupyter server: other pages, programs and users have no access without
    it.

    Args:
        robot: a robot, a bundled robot's name or a file. Changes of a file are loaded automatically.
        motion: what to play and analyse: a task or its file (.yaml), a trajectory of the joints, a motion or run of the
            machine, or a CSV file; by default a motion through the joints' ranges.
        port: port of the server; the next free one if it is in use, see `Studio.port`. 0: any free port.
        host: 127.0.0.1: access from this machine only. "0.0.0.0": anyone with the address can use the page over the
            network, unencrypted.
        open_browser: whether a browser is opened.
        save_to: the file (.yaml) for the save button of the page; without it the page offers downloads only.
        xacro: expand a xacro file, see `load`.
        include: folders from which the robot's file may take others, see `load`.

    Returns:
        The running studio: `.url`, `.wait()` (until Ctrl-C), `.stop()`.

    Raises:
        MissingExtraError: viser or plotly is not installed.
    """
    read = None if isinstance(robot, Robot) else partial(load, robot, xacro=xacro, include=tuple(include))
    loaded = robot if isinstance(robot, Robot) else load(robot, xacro=xacro, include=include)
    file = None if isinstance(robot, Robot) else _robot_file(robot)
    target = _save_target(save_to)
    if whole_number("studio", "port", port, example=DEFAULT_PORT) > LAST_PORT:
        raise InputError(
            f"studio: port={port} is above {LAST_PORT}, the largest port number. Give one such as {DEFAULT_PORT}."
        )
    Session(loaded, motion)  # errors of robot or motion are raised before a page opens
    access = PageAccess(host)
    server = _start_server(loaded, None if file is None else file.parent, host, port, access)
    opened = Studio(loaded, server, file, read, motion, target, access.token)
    if open_browser:
        webbrowser.open(opened.url)
    return opened


def _robot_file(robot: str | Path) -> Path | None:
    """Return the file of a name; None for a bundled robot."""
    path = Path(robot)
    return path.resolve() if path.is_file() else None


def _save_target(save_to: str | Path | None) -> Path | None:
    if save_to is None:
        return None
    path = Path(save_to)
    if path.suffix.lower() not in (".yaml", ".yml") or path.is_dir():
        raise InputError(f"studio: save_to {path} is not a YAML file name. Choose one that ends in .yaml.")
    return path.resolve()


def _start_server(robot: Robot, folder: Path | None, host: str, port: int, access: PageAccess) -> Any:
    try:
        import plotly  # noqa: F401
        import viser
    except ImportError:
        raise MissingExtraError(
            "the studio needs viser and plotly: pip install 'gearwright[studio]'. Everything else works without them."
        ) from None
    # Messages for a page that has just been closed need no warning.
    warnings.filterwarnings("ignore", r"Queued a \w+ on a closed connection", UserWarning)
    with contextlib.redirect_stdout(io.StringIO()):  # it prints a banner even with verbose=False
        with access.guard_new_servers():
            server = viser.ViserServer(host=host, port=port, label="Gearwright", verbose=False)
        access.stop_unguarded(server)
    server.request_share_url = lambda *_, **__: None  # a message could publish the page
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(29, 92, 132))
    server.gui.set_panel_label(f"Gearwright: {visible_text(robot.name)}")
    _set_up_scene(server, scene_with_remarks(robot, folder), Session(robot).first_configuration())
    return server


def _set_up_scene(server: Any, scene: Scene, q: Array) -> None:
    """Set up light, a floor below the robot, and a camera that shows the whole robot in its first configuration."""
    low, high = scene.bounding_box(q)
    size, reach = float(np.linalg.norm(high - low)), scene.reach
    middle, position = fitting_camera(scene, q)
    server.initial_camera.position = tuple(position)
    server.initial_camera.look_at = tuple(middle)
    server.scene.configure_environment_map(hdri=None)
    server.scene.add_light_ambient("/light", intensity=1.8)
    width = 4 * max(reach, size)
    floor = (0, 0, min(float(low[2]), -0.04 * reach))
    server.scene.add_grid("/floor", width, width, cell_size=reach / 5, section_size=reach, position=floor)
