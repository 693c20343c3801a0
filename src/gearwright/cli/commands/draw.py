"""`gearwright draw`: a picture or an animation of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import (
    PICTURE_ENDINGS,
    IncludeOption,
    JointsOption,
    JsonOption,
    RobotArgument,
    XacroOption,
    output_file_option,
)
from gearwright.cli.output import print_remark, progress_bar, write_json
from gearwright.cli.start_pose import joint_positions, motion_to_show
from gearwright.errors import InputError
from gearwright.mechanism import assemble_tree
from gearwright.text import listed_names

FILM_ENDINGS = (".gif", ".mp4")
FILM_FRAME_RATE = 20.0
"""Default frame rate of an animation [Hz]."""


def draw_robot(
    robot: RobotArgument,
    output: Annotated[
        Path,
        output_file_option(
            "--output",
            "-o",
            text="The picture (.png, .svg, .pdf) or the animation (.gif, .mp4).",
            endings=(*PICTURE_ENDINGS, *FILM_ENDINGS),
            makes_folders=True,
        ),
    ],
    q: JointsOption = None,
    motion: Annotated[
        Path | None,
        typer.Option(
            "--motion", metavar="FILE.csv", help="Motion or saved run of an animation. Default: a motion of all joints."
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="HZ", help="Frames per second of an animation. Default: 20.")
    ] = None,
    azimuth: Annotated[
        float | None, typer.Option(help="Azimuth of the camera, about z from x [degrees]. Default: 40.")
    ] = None,
    elevation: Annotated[float | None, typer.Option(help="Elevation of the camera [degrees]. Default: 22.")] = None,
    names: Annotated[
        bool | None, typer.Option("--names/--no-names", help="Label joints and frames of a picture. Default: labels.")
    ] = None,
    side: Annotated[bool, typer.Option("--side", help="A side view with dimensions in millimetres.")] = False,
    exploded: Annotated[
        str | None,
        typer.Option("--exploded", metavar="DRIVE", help="The gear of a drive, its members pulled apart."),
    ] = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Draw a robot with its motors and gears, joint axes and frames, or animate a motion.

    Motors, wheels with their teeth and planets are drawn from the parts of the file; links by their meshes if given,
    else as rods. In an animation the wheels turn at their true speeds.

    Example: gearwright draw planetary_3r -o arm.png --q 0.4,-0.5,0.8

    Example: gearwright draw elbow -o swing.gif --motion motion.csv

    Example: gearwright draw planetary_3r -o gear.png --exploded j1
    """
    from gearwright.scene import animate, exploded_view, side_view
    from gearwright.scene import draw as drawn

    film = output.suffix.lower() in FILM_ENDINGS
    look: dict[str, Any] = {"azimuth": azimuth, "elevation": elevation}
    look = {name: value for name, value in look.items() if value is not None}
    stated = {"--q": q, "--names": names, "--motion": motion, "--rate": rate, "--exploded": exploded}
    stated |= {"--side": side or None, **{f"--{name}": value for name, value in look.items()}}
    _require_fitting_options(film, {option: value for option, value in stated.items() if value is not None})
    loaded = load(robot, xacro=xacro, include=include or ())
    mech, folder = assemble_tree(loaded), Path(robot).parent if Path(robot).is_file() else None
    if film:
        displayed_motion = motion_to_show(loaded, mech, motion)
        with progress_bar("drawing") as advance:
            animate(
                loaded,
                displayed_motion,
                output,
                rate=FILM_FRAME_RATE if rate is None else rate,
                folder=folder,
                progress=advance,
                **look,
            )
    elif exploded is not None:
        exploded_view(loaded, exploded, output)
    elif side:
        side_view(loaded, joint_positions(loaded, mech, q), output, folder=folder)
    else:
        drawn(loaded, joint_positions(loaded, mech, q), output, names=names is not False, folder=folder, **look)
    if json:
        write_json({"robot": loaded.name, "file": str(output)})
    print_remark(f"{output} written.")


VIEW_OPTIONS = ("--azimuth", "--elevation")
OPTIONS_BY_DRAWING = {
    "an animation": ("--motion", "--rate", *VIEW_OPTIONS),
    "an exploded view": ("--exploded",),
    "a side view": ("--side", "--q"),
    "a picture": ("--q", "--names", *VIEW_OPTIONS),
}
"""Options that each kind of drawing uses."""


def _require_fitting_options(film: bool, stated: Mapping[str, object]) -> None:
    """Raise an error for options that the kind of drawing does not use."""
    kind = "an exploded view" if "--exploded" in stated else "a side view" if "--side" in stated else "a picture"
    kind = "an animation" if film else kind
    own = OPTIONS_BY_DRAWING[kind]
    misplaced = next((option for option in stated if option not in own), None)
    if misplaced is not None:
        others = " or ".join(name for name, options in OPTIONS_BY_DRAWING.items() if misplaced in options)
        raise InputError(f"{misplaced}: {kind} takes {listed_names(own)} only. Omit it, or draw {others}.")
