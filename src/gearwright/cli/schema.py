"""`gearwright schema`: the JSON Schema of robot files."""

from __future__ import annotations

import json

from gearwright import files
from gearwright.cli.arguments import Output
from gearwright.cli.output import say, write_json


def schema(output: Output = None) -> None:
    """Print the JSON Schema of robot files.

    Editors use it to complete and check YAML while you type.
    """
    if output is None:
        write_json(files.schema())
        return
    output.write_text(json.dumps(files.schema(), indent=2) + "\n")
    say(f"Schema written to {output}.")
