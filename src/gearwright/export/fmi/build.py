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
from gearwright.export.fmi.variables import FmuVariable
from gearwright.file_access import replacement_file
from gearwright.text import html_text

C_COMPILERS = ("gcc", "cc", "clang")
FMU_TEMPLATES = ("fmi_common.h", "variables.h", "machine.h")
"""The fixed part of every FMU."""
FMI_HEADERS = {
    "2.0": ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h"),
    "3.0": ("fmi3Functions.h", "fmi3FunctionTypes.h", "fmi3PlatformTypes.h"),
}
"""The headers of the standard, under the 2-clause BSD licence."""
FMI_MAIN_FILES = {"2.0": "fmi2.c", "3.0": "fmi3.c"}
C_COMPILER_OPTIONS = ("-std=c99", "-O1", "-fPIC", "-shared", "-fvisibility=hidden")
LIBRARY_ENDINGS = {"linux": ".so", "darwin": ".dylib", "windows": ".dll"}
ARCHIVE_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all files in the archive, for reproducible bytes."""


def system_name() -> str:
    """Return the name of the operating system in FMI."""
    return {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")


def binary_folder(version: str) -> str:
    """Return the folder of the binary for this platform."""
    system, machine = system_name(), platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if version == "2.0" and machine == "x86_64":
        return {"linux": "linux64", "darwin": "darwin64", "windows": "win64"}[system]
    return f"{machine}-{system}"


def find_compiler() -> str | None:
    """Return the installed C compiler, or None."""
    return next(filter(None, map(shutil.which, C_COMPILERS)), None)


def source_files(version: str, model: FmuModel) -> dict[str, str]:
    """Return the files of the folder `source_files` by name."""
    fixed = (FMI_MAIN_FILES[version], *FMU_TEMPLATES, *FMI_HEADERS[version])
    printed = {"model.h": model.model_header, "engine.h": model.engine_header}
    return {**printed, **{name: fixed_source(name) for name in fixed}}


def fixed_source(name: str) -> str:
    """Return a file of the fixed part."""
    return (files("gearwright.export") / "fmi" / "sources" / name).read_text(encoding="utf-8")


def compile_library(texts: Mapping[str, str], version: str, identifier: str, program: str) -> bytes:
    """Return the compiled shared library."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        library = f"{identifier}{LIBRARY_ENDINGS[system_name()]}"
        command = [program, *C_COMPILER_OPTIONS, FMI_MAIN_FILES[version], "-o", library, "-lm"]
        completed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if completed.returncode:
            first = next(iter(completed.stderr.strip().splitlines()), "no message")
            raise CompilationError(f"export.fmu: {program} cannot compile the FMU: {first}")
        return Path(folder, library).read_bytes()


def write_archive(path: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write the archive."""
    with replacement_file(path) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            archive.writestr(zipfile.ZipInfo(name, ARCHIVE_DATE), contents[name], zipfile.ZIP_DEFLATED)


def documentation_page(model: FmuModel, all_variables: Sequence[FmuVariable]) -> str:
    """Return an HTML page of all variables: their names in the FMU and in Gearwright."""
    rows = "\n".join(
        f"<tr><td>{html_text(variable.name)}</td><td>{variable.kind}</td><td>{html_text(variable.unit)}</td><td>{html_text(variable.meaning)}</td></tr>"
        for variable in all_variables
    )
    laws = "\n".join(
        f"<li>{html_text(law.name)}: {html_text(', '.join(law.modes))}</li>" for law in model.open_model.system.laws
    )
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{html_text(model.name)}</title></head><body>
<h1>{html_text(model.name)}</h1>
<p>Written by Gearwright {__version__}. SI units; forces and speeds are those at the gear output. Parameters are
tunable: machine and laws depend on them. Laws with their modes:</p>
<ul>
{laws}
</ul>
<table>
<tr><th>variable</th><th>kind</th><th>unit</th><th>description</th></tr>
{rows}
</table>
</body></html>
"""


def build_description(identifier: str, main: str) -> str:
    """Return the build description for importers (FMI 3.0)."""
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


def licence_text(texts: Mapping[str, str]) -> str:
    """Return the licence notice of the headers of the standard."""
    header = next(text for name, text in texts.items() if name.endswith("Functions.h"))
    comment = header[header.index("Copyright") : header.index("*/")]
    return f"The headers fmi*.h in `sources` are those of the FMI standard.\n\n{comment.strip()}\n"
