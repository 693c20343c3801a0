"""Draw the layers of the source tree, and list its folders, from the sources themselves.

`python tools/architecture.py` writes `docs/images/layers.svg` and the table of packages in CONTRIBUTING.md;
`--check` only says whether they are up to date. An arrow leads from a package to one it imports; imports that follow
from others (a imports b, b imports c, so a may import c) are left out of the picture.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gearwright"
PICTURE = ROOT / "docs" / "images" / "layers.svg"
GUIDE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- packages: written by tools/architecture.py -->", "<!-- end of packages -->"

LAYERS = {
    "the machine": ("algebra", "plots", "parts", "files", "catalogue", "mechanism"),
    "the equations": (
        *("dynamics", "forces", "programs", "tracing", "compiling", "functions", "equations", "motion", "system"),
        "motion_demands",
    ),
    "the work": ("planning", "simulation", "control", "identification", "analysis", "design"),
    "the interfaces": ("scene", "export", "bench", "report", "works", "studio", "cli"),
}
"""Packages of every layer, in the order in which they may import each other."""

WIDTH, ROW, BOX_WIDTH, BOX_HEIGHT, MARGIN = 1060, 66, 118, 30, 14
COLOURS = ("#e8f0e4", "#e4ecf5", "#f5efe0", "#f2e6ee")


def main(words: list[str]) -> int:
    """Write both, or with `--check` compare them; the number of files that are not up to date."""
    wanted = {PICTURE: picture(imports()), GUIDE: guide(GUIDE.read_text(encoding="utf-8"))}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is not up to date: run make architecture' if '--check' in words else ''}")
        if "--check" not in words:
            path.write_text(wanted[path], encoding="utf-8")
    return len(stale) if "--check" in words else 0


def packages() -> list[str]:
    """All packages in the order of their layers."""
    return [package for layer in LAYERS.values() for package in layer]


def imports() -> nx.DiGraph:
    """Which package imports which, as far as it does not follow from other imports."""
    graph = nx.DiGraph()
    graph.add_nodes_from(packages())
    for package in packages():
        for file in sorted((SOURCE / package).rglob("*.py")):
            used = _imported_packages(ast.parse(file.read_text(encoding="utf-8"))) - {package}
            graph.add_edges_from((package, other) for other in used)
    return nx.transitive_reduction(graph)


def _imported_packages(tree: ast.Module) -> set[str]:
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    inside = {name.split(".")[1] for name in names if name.startswith("gearwright.")}
    return inside & set(packages())


def _rows(graph: nx.DiGraph) -> list[list[list[str]]]:
    """Per layer its rows: a package stands above those of its own layer that it imports."""
    found = []
    for layer in LAYERS.values():
        inner = nx.transitive_closure(graph).subgraph(layer)
        height = {package: 0 for package in layer}
        for package in reversed(list(nx.topological_sort(inner))):
            height[package] = max((height[other] + 1 for other in inner.successors(package)), default=0)
        found.append([[p for p in layer if height[p] == k] for k in range(max(height.values()) + 1)])
    return found


def picture(graph: nx.DiGraph) -> str:
    """The layers as SVG, the machine at the bottom."""
    rows = _rows(graph)
    total = sum(len(layer) for layer in rows) * ROW + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" font-family="sans-serif" '
        'font-size="13">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#667"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{total}" fill="white"/>',
    ]
    centre: dict[str, tuple[float, float]] = {}
    bottom = total - MARGIN
    for layer, (title, colour) in zip(rows, zip(LAYERS, COLOURS, strict=True), strict=True):
        height = len(layer) * ROW
        parts.append(
            f'<rect x="4" y="{bottom - height}" width="{WIDTH - 8}" height="{height - 4}" rx="6" fill="{colour}"/>'
            f'<text x="14" y="{bottom - height + 20}" fill="#555" font-style="italic">{escape(title)}</text>'
        )
        for k, row in enumerate(layer):
            for j, package in enumerate(row):
                shift = 0.24 * (k % 2 - 0.5)  # so that arrows past a row do not run through its boxes
                x = 110 + (WIDTH - 120) * (j + 0.5 + shift) / len(row)
                centre[package] = (x, bottom - k * ROW - ROW / 2)
        bottom -= height
    parts += [_arrow(centre[a], centre[b]) for a, b in sorted(graph.edges)]
    parts += [_box(package, *centre[package]) for package in packages()]
    return "\n".join([*parts, "</svg>", ""])


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    y0, y1 = start[1] + BOX_HEIGHT / 2, end[1] - BOX_HEIGHT / 2
    middle = (y0 + y1) / 2
    return (
        f'<path d="M{start[0]:.1f},{y0:.1f} C{start[0]:.1f},{middle:.1f} {end[0]:.1f},{middle:.1f} '
        f'{end[0]:.1f},{y1:.1f}" fill="none" stroke="#667" stroke-opacity="0.6" marker-end="url(#tip)"/>'
    )


def _box(package: str, x: float, y: float) -> str:
    corner = f'x="{x - BOX_WIDTH / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}"'
    return (
        f'<rect {corner} width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="4" fill="white" stroke="#445"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{escape(package)}</text>'
    )


def guide(text: str) -> str:
    """CONTRIBUTING.md with the table of packages and folders renewed."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def table() -> str:
    """Every package and folder with the first sentence of its docstring."""
    lines = ["| folder | what is in it |", "|---|---|"]
    for title, layer in LAYERS.items():
        lines.append(f"| **{title}** | |")
        for package in layer:
            lines.append(f"| **`{package}`** | {_sentence(SOURCE / package)} |")
            folders = sorted(path.parent for path in (SOURCE / package).rglob("*/__init__.py"))
            lines += [f"| `{folder.relative_to(SOURCE).as_posix()}` | {_sentence(folder)} |" for folder in folders]
    return "\n".join(lines)


def _sentence(folder: Path) -> str:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
