"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

RobotName: TypeAlias = Annotated[
    str, typer.Argument(metavar="ROBOT", help="A bundled robot (see `gearwright list`) or a robot file, YAML or URDF.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file; otherwise print.")
]
