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
    azimuth: Annotated[float, typer.Option(help="Azimuth of the camera, about z from x [degrees].")] = 40.0,
    elevation: Annotated[float, typer.Option(help="Elevation of the camera [degrees].")] = 22.0,
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
    technical: dict[str, Any] = {"--side": side or None, "--exploded": exploded}
    _require_fitting_options(film, {"--q": q, "--names": names, **technical}, {"--motion": motion, "--rate": rate})
    loaded = load(robot, xacro=xacro, include=include or ())
    mech, folder = assemble_tree(loaded), Path(robot).parent if Path(robot).is_file() else None
    look: dict[str, Any] = {"azimuth": azimuth, "elevation": elevation}
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


def _require_fitting_options(film: bool, of_pictures: Mapping[str, object], of_films: Mapping[str, object]) -> None:
    """Raise an error for options that the kind of output file does not use."""
    misplaced = [option for option, value in (of_pictures if film else of_films).items() if value is not None]
    if misplaced and film:
        raise InputError(
            f"{misplaced[0]}: an animation shows a motion without labels. Omit the option, or write a .png."
        )
    if misplaced:
        raise InputError(f"{misplaced[0]}: a picture shows one configuration. Omit the option, or write a .gif.")
