"""Clang's own checks of real-time code: function effects at compile time, RealtimeSanitizer in a run."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

CLANG_COMMANDS = ("clang", *(f"clang-{version}" for version in range(30, 19, -1)))
FIRST_VERSION = 20
"""First version of Clang with the attribute `nonblocking` and RealtimeSanitizer."""
COMPILER_TIME = 120.0
"""Time allowed for one file, and for the self-test [s]."""
SANITISER_NAME = "RealtimeSanitizer"


class SanitiserResult(NamedTuple):
    """Violations that Clang found, and what was checked, or why not."""

    violations: tuple[str, ...]
    description: str


def find_clang() -> str | None:
    """Return a Clang with real-time checks, or None."""
    for command in filter(None, map(shutil.which, CLANG_COMMANDS)):
        version = re.search(r"clang version (\d+)", _run([command, "--version"]).stdout)
        if version is not None and int(version.group(1)) >= FIRST_VERSION:
            return command
    return None


def _run(command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=COMPILER_TIME, check=False)


def sanitiser_result(folder: Path, sources: Sequence[Path]) -> SanitiserResult:
    """Return what Clang finds in sources whose functions are declared as nonblocking."""
    clang = find_clang()
    if clang is None:
        return SanitiserResult((), f"{SANITISER_NAME} was not used: there is no Clang {FIRST_VERSION} or later.")
    texts = [_run([clang, "-std=c99", "-Wfunction-effects", "-fsyntax-only", path]).stderr for path in sources]
    found = tuple(re.findall(r"must not call non-'nonblocking' function '(\w+)'", "\n".join(texts)))
    tests = sorted(folder.glob("*_selftest.c"))
    described = "Clang's function effects were checked"
    if not tests:
        return SanitiserResult(found, f"{described}; {SANITISER_NAME} was not used: there is no self-test to run.")
    with tempfile.TemporaryDirectory() as place:
        program = Path(place) / "selftest"
        options = ["-std=c99", "-O1", "-fno-sanitize=undefined", "-fsanitize=realtime", f"-I{folder}"]
        built = _run([clang, *options, *sources, *tests, "-lm", "-o", program])
        if built.returncode:
            return SanitiserResult(
                found, f"{described}; {SANITISER_NAME} was not used: this Clang has no runtime of it."
            )
        run = _run([program])
    called = re.findall(r"unsafe library call.*?`?(\w+)`?", run.stderr) if SANITISER_NAME in run.stderr else []
    violations = called or ([SANITISER_NAME] if SANITISER_NAME in run.stderr else [])
    return SanitiserResult((*found, *violations), f"{described}, and the self-test ran under {SANITISER_NAME}.")
