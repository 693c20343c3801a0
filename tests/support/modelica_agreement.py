"""How long each signal of each Modelica example agrees with our run, and the table of it in the manual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support.modelica import Model, extent, read, simulated, span

PAGE = Path(__file__).parents[2] / "docs" / "modelica_agreement.md"

WITHIN = 1e-3
"""Part of a signal's range by which two series may differ where they count as agreeing."""

COARSE, FINE = 1e-8, 1e-11
"""Tolerances of our two runs."""

THEIRS = 1e-6
"""Tolerance of the reference where its example states none: Modelica's default."""


@dataclass(frozen=True)
class Agreement:
    """Of one signal the part of the time that agrees.

    Args:
        signal: its title in the reference file.
        end: the whole time [s].
        own: our coarse run with our fine one.
        theirs: the reference with our fine run.
        loose: our run at the reference's tolerance with our fine one; computed for excused signals only.
        deviation: of the reference from our fine run while it agrees, as part of the signal's range.
    """

    signal: str
    end: float
    own: float
    theirs: float
    loose: float
    deviation: float

    @property
    def span(self) -> float:
        return min(self.own, self.theirs)


def agreements(model: Model, reference: Path) -> list[Agreement]:
    """Our runs of one model against its reference file."""
    columns = read(reference, model.file)
    t = columns["time"]
    tolerances = (FINE, COARSE, THEIRS) if model.excused else (FINE, COARSE)
    fine, coarse, *loose = (simulated(model, t, tolerance) for tolerance in tolerances)
    found = []
    for title in (column for column in columns if column in model.signals):
        signal, theirs = model.signals[title], columns[title]
        ours, scale = signal(fine), extent(theirs) or 1.0
        parts = [span(t, ours, other, WITHIN, scale) for other in (signal(coarse), theirs, *map(signal, loose))]
        inside = t <= min(parts[:2]) * t[-1] * (1 + 1e-12)
        deviation = float(np.nanmax(np.abs(ours - theirs)[inside]) / scale)
        found.append(Agreement(title, float(t[-1]), *(*parts, 1.0)[:3], deviation))
    return found


HEAD = """# Agreement with Modelica

The Modelica Standard Library 4.0.0 comes with reference trajectories of its examples. Each example was
modelled in Gearwright (`tests/support/modelica_*.py`) and simulated with tolerances of 1e-8 and 1e-11. The tables list
the time until which both simulations and the reference agree within 0.1 % of the signal's range, the largest deviation
of the reference from the simulation up to that time, and the time until which the two simulations agree.
Where the simulations agree longer than the reference, the reason is given below the table. The page is written by
`python tests/against/modelica/write_page.py` and checked by the tests.
"""


def page(models: Sequence[Model], found: Mapping[str, Sequence[Agreement]]) -> str:
    """The page of the manual."""
    return "\n".join([HEAD, *(section(model, found[model.file]) for model in models)])


def section(model: Model, rows: Sequence[Agreement]) -> str:
    """The table of one example, and the reasons for what does not agree to the end."""
    lines = [
        f"## {model.file}",
        "",
        "| signal | agreement until [s] | duration [s] | fraction | deviation | simulations alone until [s] |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        until = f"{row.span * row.end:.4g} | {row.end:.4g} | {row.span:.3f}"
        lines.append(f"| `{row.signal}` | {until} | {row.deviation:.1e} | {row.own * row.end:.4g} |")
    reasons = {model.excuse(row.signal): None for row in rows if row.span < 1 and model.excuse(row.signal)}
    lines += [f"\nReason for the deviation: {reason}." for reason in reasons]
    return "\n".join([*lines, ""])


def stated(file: str) -> dict[str, float]:
    """Per signal the part of the time that the page says agrees."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {file}\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| `")
    ]
    return {row[0]: float(row[3]) for row in rows}
