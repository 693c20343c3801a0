"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

RobotName: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="ROBOT", help="A bundled robot (see `gearwright list`) or a robot file: YAML, URDF, MJCF."),
]
Xacro: TypeAlias = Annotated[
    bool, typer.Option("--xacro", help="Expand a xacro file. That runs whatever code is in it: only if you trust it.")
]
Include: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--include",
        metavar="FOLDER",
        help="A folder, besides that of the file, from which it may include or attach others; may be repeated.",
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file; otherwise print.")
]
