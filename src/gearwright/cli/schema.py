"""`gearwright schema`: the JSON Schema of robot files."""

from __future__ import annotations

from gearwright import files
from gearwright.cli.arguments import Output
from gearwright.cli.output import say, write_json
from gearwright.files.formats import write_text
from gearwright.text import json


def schema(output: Output = None) -> None:
    """Print the JSON Schema of robot files.

    Editors use it to complete and check YAML while you type.
    """
    if output is None:
        write_json(files.schema())
        return
    write_text(output, json(files.schema()) + "\n")
    say(f"Schema written to {output}.")
