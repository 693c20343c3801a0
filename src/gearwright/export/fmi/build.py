"""The build of an FMU: C sources compiled and zipped with model description, documentation and licence."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from gearwright._version import __version__
from gearwright.errors import CompilationError
from gearwright.export.fmi.model_source import FmuModel
from gearwright.export.fmi.variables import Variable
from gearwright.file_access import replacement
from gearwright.text import html

COMPILERS = ("gcc", "cc", "clang")
TEMPLATES = ("variables.h", "instant.h", "directions.h", "settle.h", "march.h")
"""The fixed part of every FMU."""
HEADERS = {
    "2.0": ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h"),
    "3.0": ("fmi3Functions.h", "fmi3FunctionTypes.h", "fmi3PlatformTypes.h"),
}
"""The headers of the standard, under the 2-clause BSD licence."""
MAIN = {"2.0": "fmi2.c", "3.0": "fmi3.c"}
OPTIONS = ("-std=c99", "-O1", "-fPIC", "-shared", "-fvisibility=hidden")
ENDINGS = {"linux": ".so", "darwin": ".dylib", "windows": ".dll"}
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of all files in the archive, so that the same robot gives the same bytes."""


def system_name() -> str:
    """The operating system, as FMI calls it."""
    return {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")


def binary_folder(version: str) -> str:
    """Where the standard looks for the binary of this computer."""
    system, machine = system_name(), platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if version == "2.0" and machine == "x86_64":
        return {"linux": "linux64", "darwin": "darwin64", "windows": "win64"}[system]
    return f"{machine}-{system}"


def compiler() -> str | None:
    """The C compiler of this computer."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def sources(version: str, header: str) -> dict[str, str]:
    """The files of the folder `sources` by name."""
    folder = files("gearwright.export") / "fmi" / "sources"
    fixed = (MAIN[version], *TEMPLATES, *HEADERS[version])
    return {"model.h": header, **{name: (folder / name).read_text(encoding="utf-8") for name in fixed}}


def compiled(texts: Mapping[str, str], version: str, identifier: str, program: str) -> bytes:
    """The shared library."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        library = f"{identifier}{ENDINGS[system_name()]}"
        command = [program, *OPTIONS, MAIN[version], "-o", library, "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            first = next(iter(done.stderr.strip().splitlines()), "no message")
            raise CompilationError(f"export.fmu: {program} does not compile the FMU: {first}")
        return Path(folder, library).read_bytes()


def archived(path: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write the archive."""
    with replacement(path) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), contents[name], zipfile.ZIP_DEFLATED)


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
