"""`gearwright convert`: convert between file formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import load, robot_file
from gearwright.cli.arguments import IncludeOption, JsonOption, XacroOption
from gearwright.cli.output import print_remark, write_json
from gearwright.errors import InputError
from gearwright.files import is_editable
from gearwright.files.reading import YAML_ENDINGS
from gearwright.text import listed_names


def convert_file(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="A robot file (.yaml, .urdf, MuJoCo's .xml; .xacro with --xacro) or a bundled robot."
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its ending selects the format.")],
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")] = False,
    srdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An SRDF file whose rotor_params describe the rotors of a URDF.")
    ] = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Convert a robot file between YAML, URDF and MuJoCo's MJCF (.xml).

    A YAML file next to a URDF or MJCF holds the data that these formats cannot represent. `gearwright export` offers
    more forms of both. With --xacro a xacro file is expanded, which runs the code in it; the output is only data.

    Example: gearwright convert my_arm.urdf my_arm.yaml
    """
    from gearwright.export import save
    from gearwright.files.urdf.sidecar import sidecar_path

    outputs = [target] if target.suffix.lower() in YAML_ENDINGS else [target, sidecar_path(target)]
    for path in outputs:
        if path.is_dir():
            raise InputError(f"{path} is a folder. Name the file to write, such as {path / 'robot.yaml'}.")
        if path.exists() and not force:
            raise InputError(f"{path} exists already. Choose another name, or overwrite it with --force.")
    robot = load(source, xacro=xacro, include=include or (), srdf=srdf)
    file = robot_file(source)
    save(robot, target, file if srdf is None and is_editable(file, target) else None)
    effective = [link.name for link in robot.links if link.effective]
    if effective and target.suffix.lower() == ".urdf":
        print_remark(
            f"Effective links ({listed_names(effective)}) have inertias that no rigid body can have. MuJoCo rejects "
            "them; Pinocchio and Gearwright accept them."
        )
    if json:
        write_json({"robot": robot.name, "files": [str(path) for path in outputs], "effective_links": effective})
    print_remark(f"{source} written as {' and '.join(str(path) for path in outputs)}.")
