"""Every kind of gear drawn, with what its file says about it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "examples" / "gears"

INTRODUCTION = """# Gears, drawn

A robot file per kind of gear (`examples/gears`), drawn by `gearwright draw` from its teeth and places; each loads, and
is a test. What the words mean stands on the page about [gears](../../gears.md) and in the
[file reference](file_format.md).
"""


def gallery_page() -> str:
    """One section per file: its first lines, its picture, its text."""
    return "\n".join([INTRODUCTION, *(_section(file) for file in sorted(FILES.glob("*.yaml")))])


def _section(file: Path) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    words = [line.removeprefix("#").strip() for line in lines if line.startswith("#")]
    code = "\n".join(line for line in lines if not line.startswith("#"))
    title = file.stem.replace("_", " ").capitalize()
    picture = f'![{title}](../../images/gears/{file.stem}.png){{width="45%"}}'
    text = f"## {title}\n\n{' '.join(words)}\n\n{picture}\n\n`examples/gears/{file.name}`\n\n```yaml\n{code}\n```\n"
    return text
