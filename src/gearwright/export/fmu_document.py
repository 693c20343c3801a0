"""What lies beside the model in an FMU: a page about it, how to build it, and the licence of the headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gearwright._version import __version__
from gearwright.export.fmu_model import FmuModel
from gearwright.export.fmu_variables import Variable
from gearwright.text import html


def page(model: FmuModel, found: Sequence[Variable]) -> str:
    """A page with all variables: their names here, and what they are called in Gearwright."""
    rows = "\n".join(
        f"<tr><td>{html(one.name)}</td><td>{one.kind}</td><td>{html(one.unit)}</td><td>{html(one.meaning)}</td></tr>"
        for one in found
    )
    laws = "\n".join(f"<li>{html(law.name)}: {html(', '.join(law.modes))}</li>" for law in model.opened.system.laws)
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{html(model.name)}</title></head><body>
<h1>{html(model.name)}</h1>
<p>Written by Gearwright {__version__}. SI units; forces and speeds are those at the gear output. Parameters are
tunable: machine and laws follow them. Laws with their modes:</p>
<ul>
{laws}
</ul>
<table>
<tr><th>variable</th><th>kind</th><th>unit</th><th>what it is</th></tr>
{rows}
</table>
</body></html>
"""


def build_description(identifier: str, main: str) -> str:
    """How an importer builds the binary (FMI 3.0)."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{identifier}">
    <SourceFileSet language="C99">
      <SourceFile name="{main}"/>
    </SourceFileSet>
    <Library name="m"/>
  </BuildConfiguration>
</fmiBuildDescription>
"""


def licence(texts: Mapping[str, str]) -> str:
    """The notice of the headers of the standard, as it stands in them."""
    header = next(text for name, text in texts.items() if name.endswith("Functions.h"))
    comment = header[header.index("Copyright") : header.index("*/")]
    return f"The headers fmi*.h in `sources` are those of the FMI standard.\n\n{comment.strip()}\n"
