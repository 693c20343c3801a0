"""Make the manual's pictures anew: every kind of gear, and what the examples print and draw.

`python tools/pictures.py [gears] [examples] [NAME ...]` writes into docs/images; without words it makes everything.
Names choose examples (`80_select_drives`) or gears (`worm`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
KINDS = ("gears", "examples")
DOTS = 80
"""Per inch: a picture of a gear is looked at beside its text."""


def main(words: list[str]) -> int:
    """Make what the words name; everything without words."""
    kinds = [word for word in words if word in KINDS] or list(KINDS)
    names = [word for word in words if word not in KINDS]
    failed = []
    if "gears" in kinds:
        for file in _chosen(ROOT / "examples" / "gears", "*.yaml", names):
            _gear(file)
    if "examples" in kinds:
        failed = [file.name for file in _chosen(ROOT / "examples", "[0-9][0-9]_*.py", names) if not _example(file)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


def _chosen(folder: Path, pattern: str, names: list[str]) -> list[Path]:
    return [file for file in sorted(folder.glob(pattern)) if not names or file.stem in names]


def _gear(file: Path) -> None:
    """The robot of a gear's file, near by."""
    from PIL import Image

    import gearwright as gw
    from gearwright.scene import draw

    target = IMAGES / "gears" / f"{file.stem}.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    draw(gw.load(file), names=False, hide=("link", "joint", "frame")).savefig(target, dpi=DOTS)
    with Image.open(target) as picture:
        picture.convert("RGB").quantize(64).save(target, optimize=True)
    print(target.relative_to(ROOT))


def _example(file: Path) -> bool:
    """What an example prints and draws, run in a folder of its own."""
    target = IMAGES / "examples"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        surroundings = {**os.environ, "MPLBACKEND": "Agg", "COLUMNS": "100"}
        ran = subprocess.run([sys.executable, file], cwd=place, env=surroundings, capture_output=True, text=True)
        if ran.returncode:
            print(ran.stderr, file=sys.stderr)
            return False
        (target / f"{file.stem}.txt").write_text(ran.stdout.replace(place, "."), encoding="utf-8")
        for picture in sorted(path for path in Path(place).rglob("*") if path.suffix in (".png", ".svg", ".gif")):
            shutil.copy(picture, target / f"{file.stem}.{picture.name}")
    print(f"{file.name} ran")
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
