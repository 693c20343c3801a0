"""Make the manual's pictures anew: of its first page, every kind of gear, the five works, and output of the examples.

`python tools/pictures.py [front] [gears] [works] [examples] [NAME ...]` writes into docs/images; without words it makes
all. Names choose examples (`42_select_drives`), gears (`worm`) or figures of the works (`fernini_6`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
KINDS = ("front", "gears", "works", "examples")
DOTS = 90
"""Per inch."""


def main(words: list[str]) -> int:
    """Make what the words name; everything without words."""
    kinds = [word for word in words if word in KINDS] or list(KINDS)
    names = [word for word in words if word not in KINDS]
    failed = []
    if "front" in kinds and not names:
        _front()
    if "gears" in kinds:
        for file in _chosen(ROOT / "examples" / "gears", "*.yaml", names):
            _gear(file)
    if "works" in kinds:
        _works(names)
    if "examples" in kinds:
        failed = [file.name for file in _chosen(ROOT / "examples", "[0-9][0-9]_*.py", names) if not _example(file)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


def _chosen(folder: Path, pattern: str, names: list[str]) -> list[Path]:
    return [file for file in sorted(folder.glob(pattern)) if not names or file.stem in names]


def _front() -> None:
    """What the README and the manual's first page show: an arm, and joints whose torque "armature" misses."""
    import gearwright as gw
    from gearwright.cli.demonstration.demonstration import errors_figure
    from gearwright.scene import draw, exploded_view, side_view

    _save(errors_figure(), IMAGES / "armature.png")
    arm = draw(gw.load("planetary_3r"), [0.9, -0.5, 0.8], azimuth=60, elevation=18, names=False)
    _save(arm, IMAGES / "planetary_3r.png")
    for name in ("wrist_puma", "wrist_bendix"):
        wrist = draw(gw.load(name), azimuth=30, elevation=18, names=False, hide=("frame",))
        _save(wrist, IMAGES / f"{name}.png")
    _save(side_view(gw.load("planetary_3r"), [0.0, 0.6, -0.9]), IMAGES / "side_view.png")
    _save(exploded_view(gw.load("planetary_3r"), "j1"), IMAGES / "exploded_gear.png")


def _save(page: Any, target: Path) -> None:
    """Write a figure with few colours: half the size, and no difference to see."""
    from PIL import Image

    target.parent.mkdir(parents=True, exist_ok=True)
    page.savefig(target, dpi=DOTS)
    with Image.open(target) as picture:
        picture.convert("RGB").quantize(96).save(target, optimize=True)
    print(target.relative_to(ROOT))


def _gear(file: Path) -> None:
    """The robot of a gear's file, near by."""
    import gearwright as gw
    from gearwright.scene import draw

    _save(draw(gw.load(file), names=False, hide=("link", "joint", "frame")), IMAGES / "gears" / f"{file.stem}.png")


def _works(names: list[str]) -> None:
    """The figures of the five works, as their pages show them."""
    from gearwright.works import WORK_FIGURES, draw_figure

    for name in WORK_FIGURES:
        if not names or name in names:
            _save(draw_figure(name), IMAGES / "works" / f"{name}.png")


def _example(file: Path) -> bool:
    """What an example prints and draws, run in a folder of its own."""
    target = IMAGES / "examples"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        surroundings = {**os.environ, "MPLBACKEND": "Agg", "COLUMNS": "100", "TMPDIR": place}
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
