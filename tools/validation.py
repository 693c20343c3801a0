"""Run the tests against outside references and write down how closely each is met, for the manual.

`python tools/validation.py` writes docs/_static/validation.json; tests whose reference is not on this machine are
skipped, and what was noted for them before is kept. `python tools/validation.py tests/contact/test_loops.py` measures
only the files it names (words that begin with - are options of pytest) and keeps all other rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "_static" / "validation.json"
Row = dict[str, Any]


def main(words: list[str]) -> int:
    """Run, gather, write; the exit code is that of the tests."""
    options = [word for word in words if word.startswith("-")]
    named = [word for word in words if not word.startswith("-")]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", *options, *(named or callers())]
        code = subprocess.run(command, cwd=ROOT, env={**os.environ, "GEARWRIGHT_VALIDATION": folder}).returncode
        lines = [line for path in Path(folder).glob("*.jsonl") for line in path.read_text().splitlines()]
    before = json.loads(TARGET.read_text()) if TARGET.exists() else []
    TARGET.write_text(json.dumps(gathered(before, [json.loads(line) for line in lines]), indent=1) + "\n")
    return code


def callers() -> list[str]:
    """The test files that compare with a reference, relative to the repository."""
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [path for path in tests if "references import Reference" in path.read_text(encoding="utf-8")]
    return [path.relative_to(ROOT).as_posix() for path in found]


def gathered(before: list[Row], noted: list[Row]) -> list[Row]:
    """One row per reference and quantity with the largest deviation and the number of cases.

    Rows of before stay where nothing new was noted, unless their test file is gone.

    >>> row = {"reference": "r", "what": "w", "bound": 1.0, "test": "t"}
    >>> gathered([], [{**row, "deviation": 0.1}, {**row, "deviation": 0.3}])[0]["deviation"]
    0.3
    """
    found: dict[tuple[str, str], Row] = {}
    for row in noted:
        key = (row["reference"], row["what"])
        known = found.setdefault(key, {**row, "cases": 0})
        known["deviation"] = max(known["deviation"], row["deviation"])
        known["cases"] += 1
    there = [row for row in before if (ROOT / row["test"]).exists()]
    kept = [row for row in there if (row["reference"], row["what"]) not in found]
    return sorted([*kept, *found.values()], key=lambda row: (row["reference"], row["what"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
