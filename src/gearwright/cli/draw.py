"""`gearwright draw`: a picture or a film of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import PICTURES, Include, Joints, Json, RobotName, Xacro, require_ending
from gearwright.cli.begin import joints_at
from gearwright.cli.output import progress, say, write_json
from gearwright.errors import InputError
from gearwright.mechanism import assemble

FILMS = (".gif", ".mp4")


def draw(
    robot: RobotName,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The picture (.png, .svg, .pdf) or the film (.gif, .mp4).",
            callback=lambda path: require_ending("--output", path, (*PICTURES, *FILMS)),
        ),
    ],
    q: Joints = None,
    motion: Annotated[
        Path | None,
        typer.Option("--motion", metavar="FILE.csv", help="What a film shows: a motion or a saved run; else a tour."),
    ] = None,
    rate: Annotated[float, typer.Option("--rate", metavar="HZ", help="Pictures per second of a film.")] = 20.0,
    azimuth: Annotated[float, typer.Option(help="From where one looks, about z from x [degrees].")] = 40.0,
    elevation: Annotated[float, typer.Option(help="From how far above [degrees].")] = 22.0,
    names: Annotated[bool, typer.Option("--names/--no-names", help="Name joints and frames.")] = True,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Draw a robot with its motors and gears, joint axes and frames; or film a motion.

    Motors, wheels with their teeth and planets are drawn from the parts of the file; links by their meshes where there
    are some, else as rods. In a film wheels turn at their true rates.

    Example: gearwright draw planetary_3r -o arm.png --q 0.4,-0.5,0.8

    Example: gearwright draw elbow -o swing.gif --motion motion.csv
    """
    from gearwright.motion.recording import read_recording
    from gearwright.motion.tour import tour
    from gearwright.scene.drawing import animate
    from gearwright.scene.drawing import draw as drawn

    loaded = load(robot, xacro=xacro, include=include or ())
    mech, folder = assemble(loaded), Path(robot).parent if Path(robot).is_file() else None
    if output.suffix.lower() in FILMS:
        if q is not None:
            raise InputError(f"--q {q}: a film shows a motion, not a place. Leave --q out, or write a picture.")
        shown = tour(loaded, mech) if motion is None else read_recording(motion, mech).motion
        look = {"azimuth": azimuth, "elevation": elevation}
        with progress("drawing") as advance:
            animate(loaded, shown, output, rate=rate, folder=folder, progress=advance, **look)
    elif motion is not None:
        raise InputError(f"--motion {motion}: a picture shows one place. Give --q, or write a .gif.")
    else:
        drawn(
            loaded, joints_at(loaded, mech, q), output, azimuth=azimuth, elevation=elevation, names=names, folder=folder
        )
    if json:
        write_json({"robot": loaded.name, "file": str(output)})
    say(f"{output} written.")
