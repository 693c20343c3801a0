"""What a package shows to others: imports that reach below the root of another package are counted.

`from gearwright.parts import Motor` uses the public face of `parts`; `from gearwright.parts.drives.motor import Motor`
depends on where its files lie. The number of the latter may only fall: who makes it smaller lowers the limit here.
"""

from __future__ import annotations

import ast
from pathlib import Path

import gearwright

ROOT = Path(gearwright.__file__).parent
MOST_DEEP_IMPORTS = 1385
"""Import statements that reach below the public face of another package."""


def deep_imports(file: Path) -> list[str]:
    """The modules inside other packages that a file imports from."""
    own = file.relative_to(ROOT).parts[0]
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gearwright."):
            _, package, *below = str(node.module).split(".")
            is_module = any((ROOT / package / f"{alias.name}.py").exists() for alias in node.names)
            if package != own and (ROOT / package).is_dir() and (below or is_module):
                found.append(str(node.module))
    return found


def test_imports_below_a_public_face_do_not_increase():
    counts = {file: len(deep_imports(file)) for file in ROOT.glob("*/**/*.py")}
    assert sum(counts.values()) <= MOST_DEEP_IMPORTS


def test_the_count_sees_deep_imports_and_passes_over_public_ones():
    assert "gearwright.algebra.differentiation.dual_numbers" in deep_imports(ROOT / "forces/contact/environment.py")
    assert "gearwright.algebra" not in deep_imports(ROOT / "forces/contact/environment.py")
