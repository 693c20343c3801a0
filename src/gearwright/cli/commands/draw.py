"""`gearwright draw`: a picture or a film of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import PICTURES, Include, Joints, Json, RobotName, Xacro, written
from gearwright.cli.output import progress, say, write_json
from gearwright.cli.start_pose import joints_at, shown_motion
from gearwright.errors import InputError
from gearwright.mechanism import assemble

FILMS = (".gif", ".mp4")
RATE = 20.0
"""Pictures per second of a film unless given [Hz]."""


def draw(
    robot: RobotName,
    output: Annotated[
        Path,
        written(
            "--output",
            "-o",
            text="The picture (.png, .svg, .pdf) or the film (.gif, .mp4).",
            endings=(*PICTURES, *FILMS),
            makes_folders=True,
        ),
    ],
    q: Joints = None,
    motion: Annotated[
        Path | None,
        typer.Option("--motion", metavar="FILE.csv", help="What a film shows: a motion or a saved run; else a tour."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="HZ", help="Pictures per second of a film; 20 unless given.")
    ] = None,
    azimuth: Annotated[float, typer.Option(help="From where one looks, about z from x [degrees].")] = 40.0,
    elevation: Annotated[float, typer.Option(help="From how far above [degrees].")] = 22.0,
    names: Annotated[
        bool | None, typer.Option("--names/--no-names", help="Name joints and frames of a picture; named unless said.")
    ] = None,
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
    from gearwright.scene.drawing import animate
    from gearwright.scene.drawing import draw as drawn

    film = output.suffix.lower() in FILMS
    _refuse_strange(film, {"--q": q, "--names": names}, {"--motion": motion, "--rate": rate})
    loaded = load(robot, xacro=xacro, include=include or ())
    mech, folder = assemble(loaded), Path(robot).parent if Path(robot).is_file() else None
    look: dict[str, Any] = {"azimuth": azimuth, "elevation": elevation}
    if film:
        shown = shown_motion(loaded, mech, motion)
        with progress("drawing") as advance:
            animate(loaded, shown, output, rate=RATE if rate is None else rate, folder=folder, progress=advance, **look)
    else:
        drawn(loaded, joints_at(loaded, mech, q), output, names=names is not False, folder=folder, **look)
    if json:
        write_json({"robot": loaded.name, "file": str(output)})
    say(f"{output} written.")


def _refuse_strange(film: bool, of_pictures: Mapping[str, object], of_films: Mapping[str, object]) -> None:
    """Options of the other kind of file would do nothing."""
    given = [option for option, value in (of_pictures if film else of_films).items() if value is not None]
    if given and film:
        raise InputError(f"{given[0]}: a film shows a motion, without names. Leave it out, or write a .png.")
    if given:
        raise InputError(f"{given[0]}: a picture shows one place. Leave it out, or write a .gif.")
