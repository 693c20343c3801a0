"""The examples, which are run as tests, as a page, with what they print and draw."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples"
MADE = ROOT / "docs" / "images" / "examples"

INTRODUCTION = """# Examples

Each of these files runs on its own (`python examples/01_one_joint.py`), states a number in its first lines and ends
with a check of that number; all are run as tests. `make notebooks` writes them as notebooks. What they print and draw
is shown as `make pictures` found it.
"""


def example_page() -> str:
    """One section per file: its docstring as text, the rest as code, then what it prints and draws."""
    return "\n".join([INTRODUCTION, *(_section(file) for file in sorted(FOLDER.glob("[0-9][0-9]_*.py")))])


def _section(file: Path) -> str:
    source = file.read_text(encoding="utf-8")
    text = ast.get_docstring(ast.parse(source)) or ""
    title, _, rest = text.partition("\n")
    code = source.split('"""', 2)[2].strip()
    head = f"## {title.rstrip('.')}\n\n{rest.strip()}\n\n`examples/{file.name}`\n\n```python\n{code}\n```\n"
    return "\n".join([head, *_printed(file.stem), *_drawn(file.stem)])


def _printed(stem: str) -> list[str]:
    path = MADE / f"{stem}.txt"
    return [f"It prints\n\n```text\n{path.read_text(encoding='utf-8').rstrip()}\n```\n"] if path.exists() else []


def _drawn(stem: str) -> list[str]:
    pictures = sorted(path for path in MADE.glob(f"{stem}.*") if path.suffix != ".txt")
    return [
        f"![{path.stem.split('.')[-1].replace('_', ' ')}](../../images/examples/{path.name})\n" for path in pictures
    ]
