"""The examples as notebooks: text, code cell by cell, ready to run.

`python tools/notebooks.py [FOLDER]` writes one .ipynb per example into a folder, `notebooks` unless given.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def main(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted((ROOT / "examples").glob("[0-9][0-9]_*.py")):
        (folder / f"{file.stem}.ipynb").write_text(json.dumps(notebook(file.read_text()), indent=1) + "\n")


def notebook(source: str) -> dict[str, Any]:
    """An example as a notebook: its docstring as text, its code in cells as blank lines part it.

    >>> made = notebook(chr(10).join(["'Two.'", "", "x = 1", "", "assert x == 1"]))
    >>> [(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]]
    [('markdown', '# Two.'), ('code', 'x = 1'), ('code', 'assert x == 1')]
    """
    tree = ast.parse(source)
    cells = [_cell("markdown", f"# {ast.get_docstring(tree)}", 0)]
    groups: list[list[ast.stmt]] = []
    for node in tree.body[1:]:
        if not groups or _apart(source, groups[-1][-1], node):
            groups.append([])
        groups[-1].append(node)
    lines = source.splitlines()
    starts = [1 + max(_end(tree.body[0]), 0), *(_end(group[-1]) + 1 for group in groups)]
    for k, group in enumerate(groups):
        text = "\n".join(lines[starts[k] - 1 : _end(group[-1])]).strip()
        cells.append(_cell("code", text, k + 1))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _apart(source: str, before: ast.stmt, after: ast.stmt) -> bool:
    """Whether a blank line stands between two statements."""
    between = source.splitlines()[_end(before) : after.lineno - 1]
    return any(not line.strip() for line in between)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _cell(kind: str, text: str, number: int) -> dict[str, Any]:
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": f"cell{number}", "metadata": {}, "source": text.splitlines(keepends=True), **code}


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "notebooks"))
