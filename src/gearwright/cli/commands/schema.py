"""`gearwright schema`: the JSON Schema of robot and task files."""

from __future__ import annotations

from typing import Annotated

import typer

from gearwright import files
from gearwright.cli.arguments import Output
from gearwright.cli.output import say, write_json
from gearwright.file_access import write_text
from gearwright.text import json


def schema(
    output: Output = None,
    task: Annotated[bool, typer.Option("--task", help="That of task files, as `gearwright plan` reads them.")] = False,
) -> None:
    """Print the JSON Schema of robot files.

    Editors use it to complete and check YAML while you type.
    """
    from gearwright.files.fields.task import task_schema

    found = task_schema() if task else files.schema()
    if output is None:
        write_json(found)
        return
    write_text(output, json(found) + "\n")
    say(f"Schema written to {output}.")
