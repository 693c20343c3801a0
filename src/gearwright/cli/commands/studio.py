"""`gearwright studio`: a web page that shows a robot, its wheels and its torques."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gearwright.cli.arguments import IncludeOption, RobotArgument, XacroOption, output_file_option
from gearwright.cli.output import print_remark

DEFAULT_PORT, DEFAULT_HOST = 8080, "127.0.0.1"


def open_studio(
    robot: RobotArgument,
    motion: Annotated[
        Path | None,
        typer.Option(
            "--motion", metavar="FILE", help="The motion to play: a trajectory or saved run (.csv), or a task (.yaml)."
        ),
    ] = None,
    save_to: Annotated[
        Path | None,
        output_file_option(
            "--save-to",
            text="File for the button that saves the changed robot (.yaml).",
            endings=(".yaml", ".yml"),
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", help="Port of the server; the next free one if it is in use.")
    ] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option("--host", help="127.0.0.1: this machine only. 0.0.0.0: the whole network.")
    ] = DEFAULT_HOST,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    xacro: XacroOption = False,
    include: IncludeOption = None,
) -> None:
    """Open the studio: see the wheels turn, drag sliders, change drives and watch the torques.

    The page is served on this machine only, until Ctrl-C, at an address with a random token. Changes to the robot file
    are loaded automatically.

    Example: gearwright studio panda_like
    """
    from gearwright.studio import studio as opened

    server_options: dict[str, Any] = {"port": port, "host": host, "open_browser": browser}
    running = opened(robot, motion=motion, save_to=save_to, xacro=xacro, include=include or (), **server_options)
    if port and running.port != port:
        print_remark(f"Port {port} is in use.")
    print_remark(f"The studio runs at {running.url} (stop it with Ctrl-C).")
    if host not in (DEFAULT_HOST, "localhost"):
        print_remark(
            f"It listens on {host}: anyone with this address can use the page, over an unencrypted connection."
        )
    running.wait()
