"""Does a change of `src` come with a line under "Unreleased" in CHANGELOG.md?

`python tools/changelog.py main` compares the files at hand with the revision where they left `main`. It ends with 0 if
all is well, with 1 if the line is missing, and with 2 if there is nothing to compare with.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

CHANGELOG = "CHANGELOG.md"
VERSION = "src/gearwright/_version.py"
"""A release changes this file alone, and moves the lines below a heading of their own."""


class CannotCompareError(Exception):
    """There is no such revision here, or no history at all."""


def entries(text: str) -> list[str]:
    r"""The lines of the section "Unreleased" that say something: neither blank nor headings.

    >>> entries("# Changelog\n## [Unreleased]\n### Fixed\n- a\n\n## [0.1.0]\n- b\n")
    ['- a']
    """
    found = re.search(r"^## \[?Unreleased\]?[^\n]*\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    lines = found.group(1).splitlines() if found else []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def missing(changed: Sequence[str], before: str, now: str) -> bool:
    """Whether files of `src` changed while "Unreleased" got no line that it did not have before."""
    source = [name for name in changed if name.startswith("src/") and name != VERSION]
    return bool(source) and not set(entries(now)) - set(entries(before))


def git(folder: Path, *words: str) -> str:
    """What git prints; file names as they are, one per line."""
    command = ["git", "-C", str(folder), "-c", "core.quotePath=false", *words]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    except FileNotFoundError as error:
        raise CannotCompareError("git is not installed") from error
    except subprocess.CalledProcessError as error:
        raise CannotCompareError(error.stderr.strip()) from error


def check(folder: Path, since: str) -> bool:
    """Whether the line is there: committed changes since the fork from `since`, and those not committed yet."""
    fork = git(folder, "merge-base", since, "HEAD").strip()
    changed = git(folder, "diff", "--name-only", "--no-renames", fork).splitlines()
    changed += git(folder, "ls-files", "--others", "--exclude-standard").splitlines()
    before = git(folder, "show", f"{fork}:{CHANGELOG}")
    return not missing(changed, before, (folder / CHANGELOG).read_text(encoding="utf-8"))


def main(since: str, folder: Path = Path()) -> int:
    """Print what is wrong, if anything, and give the exit status."""
    try:
        if check(folder, since):
            return 0
    except CannotCompareError as error:
        print(f"Cannot compare with '{since}': {error}. Fetch that revision with its history, or name another.")
        return 2
    print(f"src changed since '{since}', but the section Unreleased of {CHANGELOG} has no new line.")
    print("Add one that says what changes for users.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "main"))
