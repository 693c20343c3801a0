"""`gearwright schema`: the JSON Schema of robot and task files."""

from __future__ import annotations

from typing import Annotated

import typer

from gearwright import files
from gearwright.cli.arguments import OutputOption
from gearwright.cli.output import print_remark, write_json
from gearwright.file_access import write_text
from gearwright.text import json_text


def write_schema(
    output: OutputOption = None,
    task: Annotated[
        bool, typer.Option("--task", help="The schema of task files, as read by `gearwright plan`.")
    ] = False,
) -> None:
    """Print the JSON Schema of robot files.

    Editors use it to complete and check YAML while you type.
    """
    from gearwright.files.fields.task import task_schema

    json_schema = task_schema() if task else files.schema()
    if output is None:
        write_json(json_schema)
        return
    write_text(output, json_text(json_schema) + "\n")
    print_remark(f"Schema written to {output}.")
