"""`gearwright convert`: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, Xacro
from gearwright.cli.output import say, write_json
from gearwright.errors import InputError
from gearwright.files.reading import YAML_ENDINGS
from gearwright.text import listed


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="A robot file (.yaml, .urdf, MuJoCo's .xml; .xacro with --xacro) or a bundled robot."
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its ending chooses the format.")],
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")] = False,
    srdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An SRDF whose rotor_params state rotors of a URDF.")
    ] = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Translate a robot file: between YAML, URDF and MuJoCo's MJCF (.xml).

    A URDF or MJCF gets a YAML file beside it that keeps what it cannot say. `gearwright export` has more
    forms of both. With --xacro a xacro file is expanded, which runs the code in it; what is written is only data.

    Example: gearwright convert my_arm.urdf my_arm.yaml
    """
    from gearwright.export import save
    from gearwright.files.urdf.sidecar import sidecar_of

    written = [target] if target.suffix.lower() in YAML_ENDINGS else [target, sidecar_of(target)]
    for path in written:
        if path.is_dir():
            raise InputError(f"{path} is a folder. Name the file to write, such as {path / 'robot.yaml'}.")
        if path.exists() and not force:
            raise InputError(f"{path} exists already. Choose another name, or overwrite it with --force.")
    robot = load(source, xacro=xacro, include=include or (), srdf=srdf)
    save(robot, target)
    effective = [link.name for link in robot.links if link.effective]
    if effective and target.suffix.lower() == ".urdf":
        say(
            f"Effective links ({listed(effective)}) have inertias that no single body has: MuJoCo refuses them, "
            "Pinocchio and Gearwright take them."
        )
    if json:
        write_json({"robot": robot.name, "files": [str(path) for path in written], "effective_links": effective})
    say(f"{source} written as {' and '.join(str(path) for path in written)}.")
