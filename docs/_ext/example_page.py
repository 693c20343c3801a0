"""The examples, which are run as tests, as a page."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples"

INTRODUCTION = """# Examples

Each of these files runs on its own (`python examples/01_one_joint.py`), states a number in its first lines and ends
with a check of that number; all are run as tests.
"""


def example_page() -> str:
    """One section per file: its docstring as text, the rest as code."""
    return "\n".join([INTRODUCTION, *(_section(file) for file in sorted(FOLDER.glob("[0-9][0-9]_*.py")))])


def _section(file: Path) -> str:
    source = file.read_text()
    text = ast.get_docstring(ast.parse(source)) or ""
    title, _, rest = text.partition("\n")
    code = source.split('"""', 2)[2].strip()
    return f"## {title.rstrip('.')}\n\n{rest.strip()}\n\n`examples/{file.name}`\n\n```python\n{code}\n```\n"
