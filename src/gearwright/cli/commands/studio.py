"""`gearwright studio`: a page that shows a robot, its wheels and its torques."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gearwright.cli.arguments import Include, RobotName, Xacro, written
from gearwright.cli.output import say

PORT, HOST = 8080, "127.0.0.1"


def studio(
    robot: RobotName,
    motion: Annotated[
        Path | None,
        typer.Option("--motion", metavar="FILE.csv", help="What to play: a trajectory, or a run that was saved."),
    ] = None,
    save_to: Annotated[
        Path | None,
        written(
            "--save-to",
            text="Let a button of the page write the changed robot there (.yaml).",
            endings=(".yaml", ".yml"),
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Where it listens; the next free one if it is taken.")] = PORT,
    host: Annotated[
        str, typer.Option("--host", help="127.0.0.1: only this machine sees the page. 0.0.0.0: the whole network.")
    ] = HOST,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Open the studio: see the wheels turn, drag sliders, change drives and watch the torques.

    The page is served on this machine alone until Ctrl-C, at an address with a random token. A robot file is watched:
    edit it, and the page follows.

    Example: gearwright studio panda_like
    """
    from gearwright.studio import studio as opened

    where: dict[str, Any] = {"port": port, "host": host, "open_browser": browser}
    running = opened(robot, motion=motion, save_to=save_to, xacro=xacro, include=include or (), **where)
    if port and running.port != port:
        say(f"Port {port} is taken.")
    say(f"The studio is at {running.url} (Ctrl-C ends it).")
    if host not in (HOST, "localhost"):
        say(f"It listens on {host}: whoever has this address can use the page, over a connection without encryption.")
    running.wait()
